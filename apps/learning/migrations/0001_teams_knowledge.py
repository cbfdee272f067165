from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0002_invitations"),
        ("cases", "0011_failures_known"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="TeamEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("draft", "draft"),
                            ("proposed", "proposed"),
                            ("in_force", "in force"),
                            ("withdrawn", "withdrawn"),
                        ],
                        default="draft",
                        max_length=10,
                    ),
                ),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("latest", models.PositiveIntegerField(default=1)),
                ("in_force", models.PositiveIntegerField(blank=True, null=True)),
                (
                    "author",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to="cases.case",
                    ),
                ),
                (
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="entries", to="accounts.team"
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.CreateModel(
            name="EntryVersion",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("number", models.PositiveIntegerField()),
                ("row", models.JSONField()),
                ("product", models.CharField(blank=True, max_length=60)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("why", models.CharField(blank=True, max_length=300)),
                (
                    "by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "entry",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="versions", to="learning.teamentry"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
            },
        ),
        migrations.CreateModel(
            name="TeamKnowledge",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("version", models.CharField(blank=True, max_length=16)),
                ("is_everywhere", models.BooleanField(default=True)),
                (
                    "team",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="knowledge", to="accounts.team"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="teamentry",
            constraint=models.UniqueConstraint(fields=("team", "name"), name="team_entry_name_once"),
        ),
        migrations.AddConstraint(
            model_name="teamentry",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["draft", "proposed", "in_force", "withdrawn"])),
                name="team_entry_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="teamentry",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("in_force__isnull", True), ("state__in", ["proposed", "in_force"]), _connector="OR"
                ),
                name="team_entry_in_force_is_shown",
            ),
        ),
        migrations.AddConstraint(
            model_name="entryversion",
            constraint=models.UniqueConstraint(fields=("entry", "number"), name="entry_version_once"),
        ),
    ]
