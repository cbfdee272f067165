"""Who did and read what, as the audit trail and the history of a case show it."""
