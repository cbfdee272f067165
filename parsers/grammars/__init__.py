"""Rows of cells, marked tables, JSON and YAML, taken apart whatever they say. No parser."""
