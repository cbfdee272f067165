from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0003_artifact_modified"),
    ]

    operations = [
        migrations.AddField(model_name="note", name="span", field=models.CharField(blank=True, max_length=200)),
        migrations.AddField(model_name="note", name="end_us", field=models.BigIntegerField(blank=True, null=True)),
    ]
