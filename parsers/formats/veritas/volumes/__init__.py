"""The volume manager, its paths, and its replication."""
