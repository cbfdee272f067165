"""Counters, histories and samples of Spectrum Scale."""
