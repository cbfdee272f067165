"""Findings about a case, and the pages that show them."""
