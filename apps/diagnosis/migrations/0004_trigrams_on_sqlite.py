from __future__ import annotations

from django.db import OperationalError, migrations, transaction
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

FORGET = (
    "INSERT INTO search_document_trigrams(search_document_trigrams, rowid, folded) VALUES ('delete', old.id, "
    "old.folded);"
)
LEARN = "INSERT INTO search_document_trigrams(rowid, folded) VALUES (new.id, new.folded);"
TRIGGERS = {"insert": LEARN, "delete": FORGET, "update": FORGET + LEARN}
TABLE = """CREATE VIRTUAL TABLE search_document_trigrams
USING fts5(folded, content='diagnosis_searchdocument', content_rowid='id', tokenize='trigram')"""
REBUILD = "INSERT INTO search_document_trigrams(search_document_trigrams) VALUES ('rebuild')"


def add_trigrams(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """What pg_trgm is on PostgreSQL. A library without it reads the rows, as before.

    A later migration that makes the table again on SQLite has to make the triggers again too.
    """
    if schema_editor.connection.vendor != "sqlite":
        return
    try:
        with transaction.atomic(schema_editor.connection.alias):
            schema_editor.execute(TABLE)
    except OperationalError:
        return
    for event, words in TRIGGERS.items():
        schema_editor.execute(
            f"CREATE TRIGGER search_document_{event} AFTER {event.upper()} ON diagnosis_searchdocument "
            f"BEGIN {words} END"
        )
    schema_editor.execute(REBUILD)


def remove_trigrams(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor != "sqlite":
        return
    for event in TRIGGERS:
        schema_editor.execute(f"DROP TRIGGER IF EXISTS search_document_{event}")
    schema_editor.execute("DROP TABLE IF EXISTS search_document_trigrams")


class Migration(migrations.Migration):
    dependencies = [("diagnosis", "0003_judgements")]

    operations = [migrations.RunPython(add_trigrams, remove_trigrams)]
