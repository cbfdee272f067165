"""The file system VxFS, and the locks of its cluster."""
