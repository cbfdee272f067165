"""The pages of a diagnosis, one folder each, and what several of them share."""
