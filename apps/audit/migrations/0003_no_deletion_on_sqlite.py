from __future__ import annotations

from typing import Any, Final

from django.db import migrations

DROP: Final = "DROP TRIGGER audit_no_deletion"
CREATE: Final = """
CREATE TRIGGER audit_no_deletion BEFORE DELETE ON audit_auditevent
BEGIN SELECT RAISE(ABORT, 'audit events are only ever added'); END
"""


def add(apps: Any, editor: Any) -> None:
    """On PostgreSQL the trigger of the migration before refuses both."""
    del apps
    if editor.connection.vendor == "sqlite":
        editor.execute(CREATE)


def remove(apps: Any, editor: Any) -> None:
    del apps
    if editor.connection.vendor == "sqlite":
        editor.execute(DROP)


class Migration(migrations.Migration):
    dependencies = [("audit", "0002_append_only")]

    operations = [migrations.RunPython(add, remove)]
