"""Logs of hosts, and messages wherever they stand."""
