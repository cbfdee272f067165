from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

INDEX = "search_document_trigrams"


def add_trigrams(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """Any part of a word is found through the index. SQLite reads the rows: it serves single engineers with
    few cases.
    """
    if schema_editor.connection.vendor != "postgresql":
        return
    schema_editor.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    schema_editor.execute(f"CREATE INDEX {INDEX} ON diagnosis_searchdocument USING gin (folded gin_trgm_ops)")


def remove_trigrams(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute(f"DROP INDEX IF EXISTS {INDEX}")


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0002_current_diagnosis"),
        ("diagnosis", "0001_diagnoses"),
    ]

    operations = [
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("node", "node"),
                            ("finding", "finding"),
                            ("tuning", "tuning"),
                            ("kind", "waiter kind"),
                            ("reason", "wait reason"),
                            ("thread", "thread"),
                            ("object", "lock or disk"),
                            ("evidence", "evidence line"),
                            ("file", "file"),
                            ("problem", "problem"),
                            ("shape", "line not understood"),
                        ],
                        max_length=10,
                    ),
                ),
                ("name", models.CharField(blank=True, max_length=120)),
                ("text", models.TextField()),
                ("folded", models.TextField()),
                ("line", models.BigIntegerField(blank=True, null=True)),
                ("count", models.BigIntegerField(blank=True, null=True)),
                ("anchor", models.CharField(blank=True, max_length=80)),
                (
                    "artifact",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="+",
                        to="cases.artifact",
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="search_documents", to="cases.case"
                    ),
                ),
            ],
            options={"indexes": [models.Index(fields=["kind", "name"], name="search_document_kind_name")]},
        ),
        migrations.RunPython(add_trigrams, remove_trigrams),
    ]
