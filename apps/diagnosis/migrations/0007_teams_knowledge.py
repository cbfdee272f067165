from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("diagnosis", "0006_messages_in_search"),
    ]

    operations = [
        migrations.AddField(
            model_name="diagnosis",
            name="knowledge",
            field=models.CharField(blank=True, db_default="", default="", max_length=16),
        ),
        migrations.AddField(
            model_name="finding",
            name="knowledge",
            field=models.JSONField(blank=True, null=True),
        ),
    ]
