"""What is said of a file that could not be read."""

from __future__ import annotations

RETRIES_SPENT = "The worker died {n} times on this file; the other files go on. Try again, or send it in smaller parts."
TOO_MUCH = "Reading took too long or too much memory ({error}). Try again, or send it in smaller parts."
NO_STORAGE = "Its text could not be fetched, or what was read not be stored ({error}). Try again; if it fails again, look at free space."
DEFECT = "Reading failed ({error}): nothing of this file is used. Ask the administrator to look at the log."


def sentence(words: str) -> str:
    """With a capital and a full stop."""
    return f"{words[:1].upper()}{words[1:]}".rstrip(".") + "."
