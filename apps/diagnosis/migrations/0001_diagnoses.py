from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("cases", "0001_cases"),
    ]

    operations = [
        migrations.CreateModel(
            name="Diagnosis",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("partial", models.BooleanField()),
                ("files_read", models.IntegerField()),
                ("files_total", models.IntegerField()),
                ("engine_version", models.CharField(max_length=40)),
                ("verdict_title", models.TextField()),
                (
                    "verdict_severity",
                    models.CharField(
                        choices=[
                            ("critical", "critical"),
                            ("high", "high"),
                            ("medium", "medium"),
                            ("low", "low"),
                            ("info", "info"),
                        ],
                        max_length=10,
                    ),
                ),
                ("verdict_confidence", models.FloatField()),
                ("verdict_ref", models.CharField(blank=True, max_length=60)),
                ("window_start_us", models.BigIntegerField(blank=True, null=True)),
                ("window_end_us", models.BigIntegerField(blank=True, null=True)),
                ("products", models.JSONField(blank=True, default=list)),
                ("summary", models.JSONField(blank=True, default=dict)),
                ("views", models.CharField(blank=True, max_length=300)),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="diagnoses", to="cases.case"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Finding",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("order", models.PositiveIntegerField()),
                ("rule", models.CharField(max_length=80)),
                ("ref", models.CharField(blank=True, max_length=60)),
                (
                    "severity",
                    models.CharField(
                        choices=[
                            ("critical", "critical"),
                            ("high", "high"),
                            ("medium", "medium"),
                            ("low", "low"),
                            ("info", "info"),
                        ],
                        max_length=10,
                    ),
                ),
                ("confidence", models.FloatField()),
                ("confidence_parts", models.JSONField(blank=True, default=dict)),
                ("basis", models.CharField(max_length=10)),
                ("title", models.TextField()),
                ("explanation", models.TextField(blank=True)),
                ("nodes", models.JSONField(blank=True, default=list)),
                ("start_us", models.BigIntegerField(blank=True, null=True)),
                ("end_us", models.BigIntegerField(blank=True, null=True)),
                ("figures", models.JSONField(blank=True, default=dict)),
                ("evidence", models.JSONField(blank=True, default=list)),
                ("disproved_by", models.TextField(blank=True)),
                ("tunings", models.JSONField(blank=True, default=list)),
                (
                    "diagnosis",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="findings", to="diagnosis.diagnosis"
                    ),
                ),
            ],
            options={
                "ordering": ["order"],
            },
        ),
        migrations.CreateModel(
            name="Tuning",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("order", models.PositiveIntegerField()),
                ("tuning_id", models.CharField(max_length=80)),
                ("parameter", models.CharField(max_length=120)),
                ("scope", models.TextField(blank=True)),
                ("current", models.TextField(blank=True, null=True)),
                ("current_at", models.JSONField(blank=True, null=True)),
                ("recommended", models.TextField(blank=True)),
                (
                    "status",
                    models.CharField(
                        choices=[
                            ("recommended", "recommended"),
                            ("applied", "applied"),
                            ("not_applicable", "not applicable"),
                        ],
                        max_length=20,
                    ),
                ),
                ("commands", models.JSONField(blank=True, default=list)),
                ("persist", models.TextField(blank=True)),
                ("caution", models.TextField(blank=True)),
                ("way_back", models.TextField(blank=True)),
                ("verify", models.TextField(blank=True)),
                ("since", models.TextField(blank=True)),
                ("why", models.TextField(blank=True)),
                ("findings", models.JSONField(blank=True, default=list)),
                ("sources", models.JSONField(blank=True, default=list)),
                ("basis", models.CharField(blank=True, max_length=10)),
                (
                    "diagnosis",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="tunings", to="diagnosis.diagnosis"
                    ),
                ),
            ],
            options={
                "ordering": ["order"],
            },
        ),
        migrations.AddIndex(
            model_name="diagnosis",
            index=models.Index(fields=["case", "-created_at"], name="diagnosis_case_created"),
        ),
        migrations.AddConstraint(
            model_name="diagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(("files_read__gte", 0), ("files_read__lte", models.F("files_total"))),
                name="diagnosis_files_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict_severity__in", ["critical", "high", "medium", "low", "info"])),
                name="diagnosis_severity_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="diagnosis",
            constraint=models.CheckConstraint(
                condition=models.Q(("verdict_confidence__gte", 0), ("verdict_confidence__lte", 1)),
                name="diagnosis_confidence_is_share",
            ),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.UniqueConstraint(fields=("diagnosis", "order"), name="finding_order_once"),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.CheckConstraint(
                condition=models.Q(("severity__in", ["critical", "high", "medium", "low", "info"])),
                name="finding_severity_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="finding",
            constraint=models.CheckConstraint(
                condition=models.Q(("confidence__gte", 0), ("confidence__lte", 1)), name="finding_confidence_is_share"
            ),
        ),
        migrations.AddConstraint(
            model_name="tuning",
            constraint=models.UniqueConstraint(fields=("diagnosis", "order"), name="tuning_order_once"),
        ),
        migrations.AddConstraint(
            model_name="tuning",
            constraint=models.CheckConstraint(
                condition=models.Q(("status__in", ["recommended", "applied", "not_applicable"])),
                name="tuning_status_known",
            ),
        ),
    ]
