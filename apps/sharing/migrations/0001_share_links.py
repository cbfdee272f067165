from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("cases", "0001_cases"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="ShareLink",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("token_hash", models.CharField(max_length=64, unique=True)),
                (
                    "level",
                    models.CharField(
                        choices=[("colleague", "colleague"), ("development", "development"), ("customer", "customer")],
                        default="customer",
                        max_length=12,
                    ),
                ),
                ("view", models.CharField(blank=True, max_length=2000)),
                ("note", models.CharField(blank=True, max_length=200)),
                ("ends_at", models.DateTimeField()),
                ("revoked_at", models.DateTimeField(blank=True, null=True)),
                ("openings", models.PositiveIntegerField(default=0)),
                ("last_opened_at", models.DateTimeField(blank=True, null=True)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="share_links", to="cases.case"
                    ),
                ),
                (
                    "created_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "revoked_by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["case", "-created_at"], name="share_link_case_created")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("level__in", ["colleague", "development", "customer"])),
                        name="share_link_level_known",
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("ends_at__gt", models.F("created_at"))),
                        name="share_link_ends_after_its_start",
                    ),
                ],
            },
        ),
    ]
