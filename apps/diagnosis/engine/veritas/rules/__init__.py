"""Rules on Veritas VxFS and CFS."""
