"""VCS, LLT, GAB and I/O fencing."""
