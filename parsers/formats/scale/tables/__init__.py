"""Outputs of ``mm... -Y``: rows whose cells a HEADER names."""
