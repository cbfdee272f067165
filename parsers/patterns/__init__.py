"""Patterns, known before they are tried: which can fit a line, and what is kept of them from the last start."""
