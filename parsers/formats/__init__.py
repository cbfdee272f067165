"""One module per section format; importing it registers its parsers."""
