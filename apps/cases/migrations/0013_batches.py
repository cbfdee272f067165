from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    """Small files are read together."""

    dependencies = [("cases", "0012_lines_of_uploads")]

    operations = [
        migrations.AddField("artifact", "batch", models.BigIntegerField(blank=True, null=True)),
        migrations.AddIndex(
            "artifact",
            models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="artifact_batch"),
        ),
    ]
