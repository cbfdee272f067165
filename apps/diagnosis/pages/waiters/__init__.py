"""The page of waits."""
