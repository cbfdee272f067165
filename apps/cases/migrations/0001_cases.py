from __future__ import annotations

import django.db.models.deletion
import django.db.models.expressions
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0001_people_and_teams"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="KeySequence",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("prefix", models.CharField(max_length=12, unique=True)),
                ("last", models.BigIntegerField()),
            ],
        ),
        migrations.CreateModel(
            name="Bundle",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("lease_by", models.CharField(blank=True, max_length=100)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("filename", models.CharField(max_length=1024)),
                ("size", models.BigIntegerField()),
                ("sha256", models.CharField(max_length=64)),
                ("stored", models.CharField(blank=True, max_length=300)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("received", "received"),
                            ("expanding", "expanding"),
                            ("expanded", "expanded"),
                            ("failed", "failed"),
                            ("skipped", "skipped"),
                        ],
                        default="received",
                        max_length=10,
                    ),
                ),
                ("message", models.CharField(blank=True, max_length=500)),
                ("uploaded_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("expanded_bytes", models.BigIntegerField(default=0)),
                ("members", models.IntegerField(default=0)),
                (
                    "duplicate_of",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="duplicates",
                        to="cases.bundle",
                    ),
                ),
                (
                    "uploaded_by",
                    models.ForeignKey(
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="+",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Artifact",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("lease_until", models.DateTimeField(blank=True, null=True)),
                ("lease_by", models.CharField(blank=True, max_length=100)),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("path", models.CharField(max_length=1024)),
                ("size", models.BigIntegerField(default=0)),
                ("sha256", models.CharField(blank=True, max_length=64)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("queued", "queued"),
                            ("reading", "reading"),
                            ("parsed", "parsed"),
                            ("partly", "partly parsed"),
                            ("failed", "failed"),
                            ("skipped", "skipped"),
                        ],
                        default="queued",
                        max_length=10,
                    ),
                ),
                ("message", models.CharField(blank=True, max_length=500)),
                ("blob", models.CharField(blank=True, max_length=300)),
                ("read_bytes", models.BigIntegerField(default=0)),
                ("started_at", models.DateTimeField(blank=True, null=True)),
                ("finished_at", models.DateTimeField(blank=True, null=True)),
                ("lines_total", models.BigIntegerField(blank=True, null=True)),
                ("lines_understood", models.BigIntegerField(blank=True, null=True)),
                ("lines_ignored", models.BigIntegerField(blank=True, null=True)),
                ("lines_not_understood", models.BigIntegerField(blank=True, null=True)),
                ("records", models.BigIntegerField(blank=True, null=True)),
                ("formats", models.JSONField(blank=True, default=list)),
                ("nodes", models.JSONField(blank=True, default=list)),
                ("captured_us", models.BigIntegerField(blank=True, null=True)),
                ("sections_n", models.IntegerField(blank=True, null=True)),
                ("problems_n", models.IntegerField(default=0)),
                ("parser_version", models.CharField(blank=True, max_length=40)),
                ("facts", models.CharField(blank=True, max_length=300)),
                ("facts_generation", models.IntegerField(default=0)),
                (
                    "duplicate_of",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="duplicates",
                        to="cases.artifact",
                    ),
                ),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="artifacts", to="cases.bundle"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="BundleProblem",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("path", models.CharField(blank=True, max_length=1024)),
                ("line", models.BigIntegerField(blank=True, null=True)),
                ("message", models.CharField(max_length=500)),
                (
                    "artifact",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="problems",
                        to="cases.artifact",
                    ),
                ),
                (
                    "bundle",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="problems", to="cases.bundle"
                    ),
                ),
            ],
            options={
                "ordering": ["id"],
            },
        ),
        migrations.CreateModel(
            name="Case",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("key", models.CharField(max_length=40, unique=True)),
                ("title", models.CharField(max_length=200)),
                ("customer", models.CharField(blank=True, max_length=120)),
                ("ticket", models.CharField(blank=True, max_length=80)),
                (
                    "state",
                    models.CharField(
                        choices=[
                            ("new", "new"),
                            ("in_work", "in work"),
                            ("waiting", "waiting for customer"),
                            ("solved", "solved"),
                        ],
                        default="new",
                        max_length=10,
                    ),
                ),
                ("is_sample", models.BooleanField(default=False)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("updated_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("trashed_at", models.DateTimeField(blank=True, null=True)),
                ("zone_name", models.CharField(blank=True, max_length=60)),
                ("zone_min", models.IntegerField(blank=True, null=True)),
                (
                    "severity",
                    models.CharField(
                        blank=True,
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
                ("verdict", models.TextField(blank=True)),
                ("products", models.JSONField(blank=True, default=list)),
                ("nodes_n", models.IntegerField(blank=True, null=True)),
                ("window_start_us", models.BigIntegerField(blank=True, null=True)),
                ("window_end_us", models.BigIntegerField(blank=True, null=True)),
                ("longest_s", models.FloatField(blank=True, null=True)),
                ("spark", models.JSONField(blank=True, default=list)),
                ("search_text", models.TextField(blank=True, editable=False)),
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
                    "team",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.PROTECT, related_name="cases", to="accounts.team"
                    ),
                ),
            ],
        ),
        migrations.AddField(
            model_name="bundle",
            name="case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="bundles", to="cases.case"
            ),
        ),
        migrations.AddField(
            model_name="artifact",
            name="case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="artifacts", to="cases.case"
            ),
        ),
        migrations.CreateModel(
            name="CaseMembership",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "role",
                    models.CharField(
                        choices=[("viewer", "viewer"), ("editor", "editor"), ("owner", "owner")],
                        default="viewer",
                        max_length=10,
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="memberships", to="cases.case"
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="case_memberships",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Note",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("text", models.TextField(max_length=20000)),
                ("at_us", models.BigIntegerField(blank=True, null=True)),
                ("line", models.BigIntegerField(blank=True, null=True)),
                ("finding_ref", models.CharField(blank=True, max_length=60)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("edited_at", models.DateTimeField(blank=True, null=True)),
                (
                    "artifact",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="notes",
                        to="cases.artifact",
                    ),
                ),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="notes", to="cases.case"
                    ),
                ),
            ],
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["team", "-updated_at"], name="case_team_updated"),
        ),
        migrations.AddIndex(
            model_name="case",
            index=models.Index(fields=["-updated_at", "-id"], name="case_updated"),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(condition=models.Q(("key", ""), _negated=True), name="case_has_key"),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(condition=models.Q(("title", ""), _negated=True), name="case_has_title"),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("severity", ""), ("severity__in", ["critical", "high", "medium", "low", "info"]), _connector="OR"
                ),
                name="case_severity_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    models.Q(("window_end_us__isnull", True), ("window_start_us__isnull", True)),
                    ("window_end_us__gte", models.F("window_start_us")),
                    _connector="OR",
                ),
                name="case_window_in_order",
            ),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["new", "in_work", "waiting", "solved"])), name="case_state_known"
            ),
        ),
        migrations.AddIndex(
            model_name="bundle",
            index=models.Index(fields=["case", "sha256"], name="bundle_case_hash"),
        ),
        migrations.AddIndex(
            model_name="bundle",
            index=models.Index(fields=["state", "lease_until"], name="bundle_lease"),
        ),
        migrations.AddConstraint(
            model_name="bundle",
            constraint=models.CheckConstraint(condition=models.Q(("size__gte", 0)), name="bundle_size_not_negative"),
        ),
        migrations.AddConstraint(
            model_name="bundle",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["received", "expanding", "expanded", "failed", "skipped"])),
                name="bundle_state_known",
            ),
        ),
        migrations.AddIndex(
            model_name="artifact",
            index=models.Index(fields=["case", "state"], name="artifact_case_state"),
        ),
        migrations.AddIndex(
            model_name="artifact",
            index=models.Index(fields=["case", "sha256"], name="artifact_case_hash"),
        ),
        migrations.AddIndex(
            model_name="artifact",
            index=models.Index(fields=["bundle", "path"], name="artifact_bundle_path"),
        ),
        migrations.AddIndex(
            model_name="artifact",
            index=models.Index(fields=["state", "lease_until"], name="artifact_lease"),
        ),
        migrations.AddConstraint(
            model_name="artifact",
            constraint=models.CheckConstraint(condition=models.Q(("size__gte", 0)), name="artifact_size_not_negative"),
        ),
        migrations.AddConstraint(
            model_name="artifact",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["queued", "reading", "parsed", "partly", "failed", "skipped"])),
                name="artifact_state_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="artifact",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("lines_total__isnull", True),
                    (
                        "lines_total",
                        django.db.models.expressions.CombinedExpression(
                            django.db.models.expressions.CombinedExpression(
                                models.F("lines_understood"), "+", models.F("lines_ignored")
                            ),
                            "+",
                            models.F("lines_not_understood"),
                        ),
                    ),
                    _connector="OR",
                ),
                name="artifact_every_line_counted",
            ),
        ),
        migrations.AddConstraint(
            model_name="casemembership",
            constraint=models.UniqueConstraint(fields=("case", "user"), name="case_membership_once"),
        ),
        migrations.AddConstraint(
            model_name="casemembership",
            constraint=models.CheckConstraint(
                condition=models.Q(("role__in", ["viewer", "editor", "owner"])), name="case_membership_role_known"
            ),
        ),
        migrations.AddIndex(
            model_name="note",
            index=models.Index(fields=["case", "created_at"], name="note_case_created"),
        ),
        migrations.AddConstraint(
            model_name="note",
            constraint=models.CheckConstraint(
                condition=models.Q(("line__isnull", True), ("line__gte", 1), _connector="OR"),
                name="note_line_counts_from_one",
            ),
        ),
        migrations.AddConstraint(
            model_name="note",
            constraint=models.CheckConstraint(condition=models.Q(("text", ""), _negated=True), name="note_has_text"),
        ),
    ]
