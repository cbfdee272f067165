from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("cases", "0007_bundle_told")]

    operations = [
        migrations.AddField("artifact", "turn_kind", models.PositiveSmallIntegerField(blank=True, null=True)),
        migrations.AddField("artifact", "turn_of", models.BigIntegerField(blank=True, null=True)),
        migrations.AddField("artifact", "turn_at", models.BigIntegerField(blank=True, null=True)),
        migrations.AddIndex(
            "artifact",
            models.Index(fields=["turn_kind", "turn_of", "turn_at"], condition=Q(state="queued"), name="artifact_turn"),
        ),
    ]
