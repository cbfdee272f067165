"""Pure readers: bytes of customer files in, typed records out. Knows no Django and no database."""
