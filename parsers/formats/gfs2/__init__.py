"""Formats of GFS2 and the Linux cluster stack."""
