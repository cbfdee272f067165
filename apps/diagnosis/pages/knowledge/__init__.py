"""The page of what the program knows."""
