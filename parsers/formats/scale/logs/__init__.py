"""Logs of Spectrum Scale, and what its commands say of themselves."""
