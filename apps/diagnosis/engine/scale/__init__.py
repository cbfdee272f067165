"""IBM Storage Scale: waiters, chains, disks, settings, logs."""
