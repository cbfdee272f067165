"""What people write between outputs."""
