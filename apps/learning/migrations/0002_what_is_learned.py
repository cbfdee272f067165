from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0012_lines_of_uploads"),
        ("learning", "0001_teams_knowledge"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.AddField(
            model_name="teamentry",
            name="offered",
            field=models.PositiveIntegerField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="CaseDigest",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ranked", models.JSONField(default=list)),
                ("calm", models.JSONField(default=dict)),
                ("doubts", models.JSONField(default=list)),
                ("texts", models.JSONField(default=dict)),
                ("is_cut", models.BooleanField(default=False)),
                (
                    "case",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="digest", to="cases.case"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseOutcome",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "found",
                    models.CharField(
                        choices=[
                            ("finding", "the finding at the top"),
                            ("other", "another finding"),
                            ("none", "a cause that no finding names"),
                            ("healthy", "nothing was wrong"),
                        ],
                        max_length=8,
                    ),
                ),
                (
                    "sure",
                    models.CharField(
                        choices=[("proven", "proven"), ("likely", "likely"), ("guessed", "a guess")], max_length=8
                    ),
                ),
                ("title", models.TextField(blank=True)),
                ("ref", models.CharField(blank=True, max_length=60)),
                ("verdict", models.TextField(blank=True)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
                ("is_latest", models.BooleanField(default=True)),
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
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="outcomes", to="cases.case"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="CaseShape",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "source",
                    models.CharField(
                        choices=[
                            ("log", "message of a log"),
                            ("output", "line without a reader"),
                            ("waits", "kind of wait"),
                            ("table", "row of a listing"),
                        ],
                        max_length=6,
                    ),
                ),
                ("told_by", models.CharField(blank=True, max_length=64)),
                ("shape", models.CharField(max_length=400)),
                ("text", models.CharField(max_length=400)),
                ("line", models.BigIntegerField()),
                ("lines", models.BigIntegerField()),
                ("weight", models.CharField(blank=True, max_length=8)),
                ("kind", models.CharField(blank=True, max_length=80)),
                ("nodes", models.JSONField(default=list)),
                ("is_cited", models.BooleanField(default=False)),
                (
                    "artifact",
                    models.ForeignKey(
                        null=True, on_delete=django.db.models.deletion.CASCADE, related_name="+", to="cases.artifact"
                    ),
                ),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shapes_kept", to="cases.case"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="OutcomeWord",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "about",
                    models.CharField(
                        choices=[("rule", "rule"), ("entry", "entry"), ("form", "form of a verdict")], max_length=5
                    ),
                ),
                ("name", models.CharField(max_length=80)),
                (
                    "word",
                    models.CharField(
                        choices=[
                            ("spoke", "spoke"),
                            ("confirmed", "confirmed"),
                            ("refuted", "refuted"),
                            ("overruled", "overruled"),
                        ],
                        max_length=9,
                    ),
                ),
                (
                    "outcome",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="words", to="learning.caseoutcome"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="SiteEntry",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=60, unique=True)),
                ("row", models.JSONField()),
                ("product", models.CharField(blank=True, max_length=60)),
                ("number", models.PositiveIntegerField(default=1)),
                ("accepted_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("is_in_force", models.BooleanField(default=True)),
                (
                    "origin",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.SET_NULL,
                        related_name="accepted",
                        to="learning.teamentry",
                    ),
                ),
            ],
            options={
                "ordering": ["name"],
            },
        ),
        migrations.AddIndex(
            model_name="caseoutcome",
            index=models.Index(fields=["case", "-id"], name="case_outcome_case"),
        ),
        migrations.AddConstraint(
            model_name="caseoutcome",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("found__in", ["finding", "other", "none", "healthy"]),
                    ("sure__in", ["proven", "likely", "guessed"]),
                ),
                name="case_outcome_known",
            ),
        ),
        migrations.AddConstraint(
            model_name="caseoutcome",
            constraint=models.UniqueConstraint(
                condition=models.Q(("is_latest", True)), fields=("case",), name="case_outcome_latest_once"
            ),
        ),
        migrations.AddIndex(
            model_name="caseshape",
            index=models.Index(fields=["source", "told_by", "case"], name="case_shape_told_by"),
        ),
        migrations.AddIndex(
            model_name="caseshape",
            index=models.Index(fields=["case", "artifact"], name="case_shape_case"),
        ),
        migrations.AddConstraint(
            model_name="caseshape",
            constraint=models.CheckConstraint(
                condition=models.Q(("source__in", ["log", "output", "waits", "table"])), name="case_shape_source_known"
            ),
        ),
        migrations.AddIndex(
            model_name="outcomeword",
            index=models.Index(fields=["about", "name"], name="outcome_word_name"),
        ),
        migrations.AddConstraint(
            model_name="outcomeword",
            constraint=models.UniqueConstraint(fields=("outcome", "about", "name"), name="outcome_word_once"),
        ),
        migrations.AddConstraint(
            model_name="outcomeword",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("about__in", ["rule", "entry", "form"]),
                    ("word__in", ["spoke", "confirmed", "refuted", "overruled"]),
                ),
                name="outcome_word_known",
            ),
        ),
    ]
