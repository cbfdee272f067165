"""One folder per product, one module per section format; importing it registers its parsers."""
