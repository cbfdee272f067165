from __future__ import annotations

from typing import Any

from django.db import migrations, models
from django.db.models import F


def are_no_news(apps: Any, _editor: Any) -> None:
    """What was uploaded before anybody was told of uploads."""
    apps.get_model("cases", "Bundle").objects.update(told_at=F("uploaded_at"))


class Migration(migrations.Migration):
    dependencies = [("cases", "0006_keeping_and_assigning")]

    operations = [
        migrations.AddField("bundle", "told_at", models.DateTimeField(blank=True, null=True)),
        migrations.RunPython(are_no_news, migrations.RunPython.noop, elidable=True),
    ]
