from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("cases", "0002_current_diagnosis"),
    ]

    operations = [
        migrations.CreateModel(
            name="CaseReading",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("lease_by", models.CharField(blank=True, max_length=100)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("wanted", models.CharField(blank=True, max_length=80)),
                ("done", models.CharField(blank=True, max_length=80)),
                ("asked_at", models.DateTimeField(blank=True, null=True)),
                ("message", models.CharField(blank=True, max_length=500)),
                (
                    "case",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="reading", to="cases.case"
                    ),
                ),
            ],
            options={
                "abstract": False,
            },
        ),
    ]
