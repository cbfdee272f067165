"""GFS2 and the Linux cluster stack: glocks, the DLM, corosync, fencing."""
