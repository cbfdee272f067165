"""What people write about a case: figures that contradict each other or the records."""
