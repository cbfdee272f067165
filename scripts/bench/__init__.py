"""Throughput, memory and answer times beside public tools measured in the same run: ``make bench``."""
