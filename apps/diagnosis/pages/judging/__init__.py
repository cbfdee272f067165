"""What people say to findings and kinds of waits."""
