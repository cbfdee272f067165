from __future__ import annotations

from typing import Any, Final

from django.db import migrations, models

TABLE: Final = "audit_auditevent"
CREATE: Final = {
    "postgresql": f"""
CREATE TRIGGER audit_no_truncation BEFORE TRUNCATE ON {TABLE}
FOR EACH STATEMENT EXECUTE FUNCTION audit_append_only()
""",
    "sqlite": """
CREATE TRIGGER audit_no_replacement BEFORE INSERT ON audit_auditevent
WHEN EXISTS (SELECT 1 FROM audit_auditevent WHERE id = NEW.id)
BEGIN SELECT RAISE(ABORT, 'audit events are only ever added'); END
""",
}
DROP: Final = {
    "postgresql": f"DROP TRIGGER audit_no_truncation ON {TABLE}",
    "sqlite": "DROP TRIGGER audit_no_replacement",
}


def add(apps: Any, editor: Any) -> None:
    del apps
    editor.execute(CREATE[editor.connection.vendor])


def remove(apps: Any, editor: Any) -> None:
    del apps
    editor.execute(DROP[editor.connection.vendor])


class Migration(migrations.Migration):
    dependencies = [("audit", "0003_no_deletion_on_sqlite")]

    operations = [
        migrations.CreateModel(
            name="AuditLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("position", models.BigIntegerField(unique=True)),
                ("event", models.BigIntegerField(unique=True)),
                ("digest", models.CharField(max_length=64)),
            ],
        ),
        migrations.RunPython(add, remove),
    ]
