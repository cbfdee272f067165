"""Triggers of the database that refuse to change the trail, by SQL of the program's own account too."""

from __future__ import annotations

from typing import Final

from django.db import connection

TABLE: Final = "audit_auditevent"
NAMES: Final = {
    "postgresql": ("audit_append_only", "audit_no_truncation"),
    "sqlite": ("audit_append_only", "audit_no_deletion", "audit_no_replacement"),
}
PRESENT: Final = {
    "postgresql": "SELECT tgname FROM pg_trigger WHERE tgrelid = %s::regclass AND tgenabled <> 'D'",
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'trigger' AND tbl_name = %s",
}


def missing() -> list[str]:
    """Those that were dropped or switched off."""
    with connection.cursor() as cursor:
        cursor.execute(PRESENT[connection.vendor], [TABLE])
        found = {row[0] for row in cursor.fetchall()}
    return [name for name in NAMES[connection.vendor] if name not in found]
