"""Shapes of chains of waits."""

from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("diagnosis", "0003_judgements"),
    ]

    operations = [
        migrations.CreateModel(
            name="ChainSignature",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("order", models.PositiveIntegerField()),
                ("digest", models.CharField(max_length=24)),
                ("kind", models.CharField(max_length=10)),
                ("rule", models.CharField(blank=True, max_length=60)),
                ("words", models.TextField()),
                ("versions", models.JSONField(blank=True, default=list)),
                (
                    "diagnosis",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="signatures", to="diagnosis.diagnosis"
                    ),
                ),
            ],
            options={
                "ordering": ["order"],
                "indexes": [models.Index(fields=["digest", "diagnosis"], name="chain_signature_digest")],
                "constraints": [models.UniqueConstraint(fields=("diagnosis", "digest"), name="chain_signature_once")],
            },
        ),
    ]
