"""The upload pages and the tus protocol."""
