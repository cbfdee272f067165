"""The page of a case: lanes on one axis, their evidence, the silences between."""
