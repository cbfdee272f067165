"""Disks, paths, volumes, arrays and the room on them."""
