"""Readers that formats share: tables with a heading, rows, names with values."""
