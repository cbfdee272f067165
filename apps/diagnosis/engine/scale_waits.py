"""Waits of Spectrum Scale."""
