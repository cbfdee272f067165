"""Services, and clusters and stores of other makers."""
