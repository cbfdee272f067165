from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Files stand in line by their upload, and no more by their team."""

    dependencies = [("cases", "0011_failures_known")]

    operations = [
        migrations.AddIndex(
            "artifact",
            models.Index(fields=["bundle", "turn_kind", "turn_at"], condition=Q(state="queued"), name="artifact_line"),
        ),
        migrations.RemoveIndex("artifact", "artifact_turn"),
    ]
