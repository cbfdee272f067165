"""Rules on hosts and storage."""
