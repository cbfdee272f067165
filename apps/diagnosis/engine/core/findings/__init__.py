"""How a rule is declared, and how what it saw becomes a finding."""
