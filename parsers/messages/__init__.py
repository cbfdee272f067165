"""The catalogue of messages: what they mean, as data in TOML beside this, and how a line finds its entry."""
