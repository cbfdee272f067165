from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitations"),
        ("cases", "0013_batches"),
        ("learning", "0002_what_is_learned"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Example",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("title", models.CharField(max_length=200)),
                ("kept_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("stored", models.CharField(max_length=300)),
                ("expected", models.JSONField()),
                ("checked_at", models.DateTimeField(blank=True, null=True)),
                ("checked_with", models.CharField(blank=True, max_length=60)),
                ("found", models.JSONField(default=dict)),
                ("is_as_expected", models.BooleanField(default=True)),
                (
                    "case",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="examples",
                        to="cases.case",
                    ),
                ),
                (
                    "kept_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="examples", to="accounts.team"
                    ),
                ),
            ],
            options={
                "ordering": ["-kept_at"],
            },
        ),
    ]
