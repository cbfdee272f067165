"""From a stored bundle to facts: unpack it, read each file, join the windows of a huge one."""
