from __future__ import annotations

from django.db import migrations


class Migration(migrations.Migration):
    """The program forgets the column; the database keeps it for one release, for processes of the release before."""

    dependencies = [("ingest", "0007_window_failure")]

    operations = [
        migrations.SeparateDatabaseAndState(state_operations=[migrations.RemoveField("partialupload", "hash_state")]),
    ]
