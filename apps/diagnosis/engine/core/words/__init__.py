"""Words, limits and meanings that stand in TOML, and sentences made of them."""
