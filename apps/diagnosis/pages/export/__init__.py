"""What leaves a case: report, brief, CSV; and whether a report still holds."""
