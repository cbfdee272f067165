from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("cases", "0007_bundle_told"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="MailChoice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kinds", models.JSONField(blank=True, default=list)),
                (
                    "user",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="mail_choice",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Notice",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "kind",
                    models.CharField(
                        choices=[
                            ("mention", "somebody mentions me in a note"),
                            ("assigned", "a case is assigned to me"),
                            ("state", "the state of a case of mine changes"),
                            ("read", "an upload of mine, or to a case of mine, has been read"),
                            ("failed", "an upload of mine, or to a case of mine, cannot be read"),
                        ],
                        max_length=10,
                    ),
                ),
                ("key", models.CharField(max_length=80)),
                ("words", models.CharField(blank=True, max_length=200)),
                ("anchor", models.CharField(blank=True, max_length=40)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("read_at", models.DateTimeField(blank=True, null=True)),
                ("mailed_at", models.DateTimeField(blank=True, null=True)),
                (
                    "by",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to="cases.case"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="notices", to=settings.AUTH_USER_MODEL
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["user", "-created_at"], name="notice_of_user"),
                    models.Index(condition=models.Q(("read_at__isnull", True)), fields=["user"], name="notice_unread"),
                ],
                "constraints": [
                    models.UniqueConstraint(fields=("user", "key"), name="notice_once"),
                    models.CheckConstraint(
                        condition=models.Q(("kind__in", ["mention", "assigned", "state", "read", "failed"])),
                        name="notice_kind_known",
                    ),
                ],
            },
        ),
    ]
