"""Veritas VxFS and CFS: cluster locks, GLM, LLT, GAB, VCS."""
