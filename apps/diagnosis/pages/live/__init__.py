"""Cases whose samples come in while the hang lasts."""
