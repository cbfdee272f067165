"""Formats of hosts, disks and measuring tools."""
