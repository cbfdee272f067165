from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models

import apps.ingest.models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0006_keeping_and_assigning"),
        ("ingest", "0001_case_readings"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="PartialUpload",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(default=apps.ingest.models.fresh_name, max_length=32, unique=True)),
                ("opened_case", models.BooleanField(default=False)),
                ("filename", models.CharField(max_length=1024)),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(blank=True, max_length=64)),
                ("metadata", models.TextField(blank=True)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ends_at", models.DateTimeField()),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                (
                    "bundle",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="cases.bundle",
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="partial_uploads", to="cases.case"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["ends_at"], name="partial_upload_ends")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("size__gte", 0)), name="partial_upload_size_not_negative"
                    )
                ],
            },
        ),
    ]
