"""Rules on IBM Storage Scale."""
