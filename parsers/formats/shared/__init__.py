"""Formats in which several products write; what is of one of them goes to its readers."""
