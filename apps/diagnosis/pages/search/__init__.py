"""The search over all cases."""
