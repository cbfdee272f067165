"""Formats of Veritas VxFS and CFS."""
