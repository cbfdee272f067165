"""Who is on a case, who visits it, and who hears of what happens to it."""
