"""Which file is read next, when a case is diagnosed, and what is tried once more."""
