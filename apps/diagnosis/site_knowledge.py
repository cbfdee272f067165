"""The folder of entries that holds for the whole site (``LOCKSCOPE_KNOWLEDGE_DIR``)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from django.core.exceptions import ImproperlyConfigured

from parsers.messages.catalogue import use_entries
from parsers.messages.site_entries import read_folder

REASONS_SHOWN: Final = 5


def in_force(folder: Path) -> None:
    """Judge with the entries of a folder from now on. A folder with an entry that is refused stops the start."""
    entries, refused = read_folder(folder)
    if refused:
        reasons = "; ".join(refused[:REASONS_SHOWN])
        raise ImproperlyConfigured(f"LOCKSCOPE_KNOWLEDGE_DIR holds what can not be used: {reasons}")
    use_entries(entries)
