"""Formats of IBM Storage Scale."""
