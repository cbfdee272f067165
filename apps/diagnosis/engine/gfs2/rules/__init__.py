"""Rules on GFS2 and the Linux cluster stack."""
