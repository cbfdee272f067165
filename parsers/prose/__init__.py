"""Sentences of people: what they claim, with its figures."""
