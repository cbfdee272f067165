"""Waiters of Spectrum Scale in every form, and what stands in their rows."""
