from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("cases", "0008_turns")]

    operations = [
        migrations.AddIndex(
            "case",
            models.Index(
                fields=["severity", "state", "assignee", "team", "products"],
                condition=Q(trashed_at__isnull=True, archived_at__isnull=True),
                name="case_choices",
            ),
        ),
    ]
