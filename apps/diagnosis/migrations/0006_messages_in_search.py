from __future__ import annotations

from django.db import migrations, models

KINDS = [
    ("node", "node"),
    ("finding", "finding"),
    ("tuning", "tuning"),
    ("kind", "waiter kind"),
    ("message", "kind of message"),
    ("reason", "wait reason"),
    ("thread", "thread"),
    ("object", "lock or disk"),
    ("evidence", "evidence line"),
    ("file", "file"),
    ("problem", "problem"),
    ("shape", "line not understood"),
]


class Migration(migrations.Migration):
    dependencies = [("diagnosis", "0005_verdict_form")]

    operations = [
        migrations.AlterField("searchdocument", "kind", models.CharField(choices=KINDS, max_length=10)),
    ]
