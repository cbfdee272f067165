"""Notes on what people write."""
