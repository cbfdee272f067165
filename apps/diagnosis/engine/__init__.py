"""Facts in, diagnosis out. Pure: numpy and Polars, no Django, no clock, no settings."""
