from __future__ import annotations

from django.db import migrations, models

FAILURES = [
    ("storage", "the storage was away or full"),
    ("time", "it took too long"),
    ("defect", "the program or the stored text is at fault"),
    ("died", "its worker died each time"),
    ("limit", "it needed too much memory"),
]


class Migration(migrations.Migration):
    """Windows are gone once their file is settled: those that stand now and have failed count as defects, as their file
    will.
    """

    dependencies = [("ingest", "0006_time_of_diagnosis")]

    operations = [
        migrations.AddField(
            "readingwindow",
            "failure",
            models.CharField(blank=True, choices=FAILURES, db_default="", default="", max_length=10),
        ),
        migrations.RunSQL(
            "UPDATE ingest_readingwindow SET failure = 'defect' WHERE state = 'failed'", migrations.RunSQL.noop
        ),
    ]
