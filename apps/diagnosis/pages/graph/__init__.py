"""The page of who waits for whom."""
