"""Figures of load over time, benchmarks and profiles."""
