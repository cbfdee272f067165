"""How long a case and its bundles stay, and how they go."""
