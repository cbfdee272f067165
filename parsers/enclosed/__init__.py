"""Logs and outputs that stand within another text: in its cells, fields, objects and sentences."""
