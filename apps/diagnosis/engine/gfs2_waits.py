"""Waits of GFS2."""
