from __future__ import annotations

from typing import Any

from django.db import migrations

TABLE = "audit_auditevent"
KEPT = ("id", "verb", "detail", "at", "address", "user_id")
# A case or a link that is removed leaves its events behind; that pointer, and nothing else, may become empty.
POINTERS = ("case_id", "link_id")

POSTGRESQL = f"""
CREATE FUNCTION audit_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP = 'UPDATE'
     AND {" AND ".join(f"NEW.{name} IS NOT DISTINCT FROM OLD.{name}" for name in KEPT)}
     AND {" AND ".join(f"(NEW.{name} IS NULL OR NEW.{name} IS NOT DISTINCT FROM OLD.{name})" for name in POINTERS)}
  THEN RETURN NEW; END IF;
  RAISE EXCEPTION 'audit events are only ever added';
END $$;
CREATE TRIGGER audit_append_only BEFORE UPDATE OR DELETE ON {TABLE} FOR EACH ROW EXECUTE FUNCTION audit_append_only();
"""
POSTGRESQL_BACK = f"DROP TRIGGER audit_append_only ON {TABLE}; DROP FUNCTION audit_append_only();"
# Deleting on SQLite is refused by a trigger of its own, in the next migration.
SQLITE = f"""
CREATE TRIGGER audit_append_only BEFORE UPDATE ON {TABLE}
WHEN NOT ({" AND ".join(f"NEW.{name} IS OLD.{name}" for name in KEPT)}
     AND {" AND ".join(f"(NEW.{name} IS NULL OR NEW.{name} IS OLD.{name})" for name in POINTERS)})
BEGIN SELECT RAISE(ABORT, 'audit events are only ever added'); END
"""


def add(apps: Any, editor: Any) -> None:
    del apps
    editor.execute({"postgresql": POSTGRESQL, "sqlite": SQLITE}[editor.connection.vendor])


def remove(apps: Any, editor: Any) -> None:
    del apps
    editor.execute(
        {"postgresql": POSTGRESQL_BACK, "sqlite": "DROP TRIGGER audit_append_only"}[editor.connection.vendor]
    )


class Migration(migrations.Migration):
    dependencies = [("audit", "0001_audit_events")]

    operations = [migrations.RunPython(add, remove)]
