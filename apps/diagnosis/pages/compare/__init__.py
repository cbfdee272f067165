"""The page that compares two cases, two bundles, or two stretches of time."""
