"""The verdict of a case: checks that passed, incidents, what nothing explains."""
