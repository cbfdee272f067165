"""Hosts and storage below any file system: disks, paths, copies."""
