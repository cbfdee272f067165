"""Pages on which a team says what messages mean."""
