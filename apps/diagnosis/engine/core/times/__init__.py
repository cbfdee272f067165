"""Moments and years: which came first, what was near."""
