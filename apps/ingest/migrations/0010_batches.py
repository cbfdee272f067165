from __future__ import annotations

from django.db import migrations, models
from django.db.models import CASCADE, Q

NUMBER = models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")
STATES = [("queued", "queued"), ("reading", "reading")]


class Migration(migrations.Migration):
    """Small files are read together."""

    dependencies = [("cases", "0013_batches"), ("ingest", "0009_lines_of_uploads")]

    operations = [
        migrations.CreateModel(
            name="ReadingBatch",
            fields=[
                ("id", NUMBER.clone()),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("lease_by", models.CharField(blank=True, max_length=100)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("state", models.CharField(choices=STATES, default="queued", max_length=10)),
                ("turn_kind", models.PositiveSmallIntegerField()),
                ("bundle", models.ForeignKey(on_delete=CASCADE, related_name="+", to="cases.bundle")),
            ],
            options={
                "indexes": [
                    models.Index(condition=Q(state="queued"), fields=["bundle", "turn_kind"], name="batch_line"),
                    models.Index(fields=["state", "lease_until"], name="batch_lease"),
                ],
            },
        ),
    ]
