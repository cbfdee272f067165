"""The page of locks."""
