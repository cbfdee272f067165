from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_people_and_teams"),
        ("cases", "0005_skipped_shapes"),
    ]

    operations = [
        migrations.CreateModel(
            name="Credential",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("line", models.BigIntegerField()),
                ("sort", models.CharField(max_length=60)),
                (
                    "artifact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="credentials", to="cases.artifact"
                    ),
                ),
            ],
            options={
                "ordering": ["artifact", "line"],
                "constraints": [
                    models.UniqueConstraint(fields=("artifact", "line"), name="credential_once_per_line"),
                    models.CheckConstraint(condition=models.Q(("line__gte", 1)), name="credential_line_from_one"),
                ],
            },
        ),
        migrations.CreateModel(
            name="Retention",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("days", models.PositiveIntegerField()),
                ("changed_at", models.DateTimeField(default=django.utils.timezone.now)),
                (
                    "team",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="retention", to="accounts.team"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("days__gte", 1)), name="retention_days_from_one")
                ],
            },
        ),
        migrations.CreateModel(
            name="RemovalProof",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("case_key", models.CharField(max_length=40)),
                ("removed_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("report", models.JSONField()),
                ("sha256", models.CharField(max_length=64)),
                (
                    "team",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="removal_proofs",
                        to="accounts.team",
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["team", "-removed_at"], name="removal_proof_team_at")],
            },
        ),
    ]
