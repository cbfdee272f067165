"""Upload, unpacking and reading of bundles."""
