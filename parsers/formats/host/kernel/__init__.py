"""What a host is and runs: mounts, processes, memory, settings, crashes."""
