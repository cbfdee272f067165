"""How an upload comes in: in one request or in pieces, hashed and stored as a bundle."""
