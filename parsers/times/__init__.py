"""Dates and times as they are printed. Nothing is converted."""
