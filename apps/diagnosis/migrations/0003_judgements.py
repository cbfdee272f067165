"""What people say to findings and to kinds of waits."""

from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0005_skipped_shapes"),
        ("diagnosis", "0002_search_documents"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Judgement",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("about", models.CharField(choices=[("finding", "finding"), ("kind", "kind of waits")], max_length=10)),
                ("name", models.CharField(blank=True, max_length=80)),
                ("subject", models.CharField(blank=True, max_length=300)),
                ("nodes", models.JSONField(blank=True, default=list)),
                ("title", models.TextField(blank=True)),
                (
                    "word",
                    models.CharField(
                        choices=[
                            ("agreed", "agreed"),
                            ("disputed", "disputed"),
                            ("set_aside", "set aside"),
                            ("withdrawn", "withdrawn"),
                        ],
                        max_length=10,
                    ),
                ),
                ("why", models.TextField(blank=True, max_length=2000)),
                ("at", models.DateTimeField(default=django.utils.timezone.now)),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="judgements", to="cases.case"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["case", "-id"], name="judgement_case")],
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(("about__in", ["finding", "kind"])), name="judgement_about_known"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(("word__in", ["agreed", "disputed", "set_aside", "withdrawn"])),
                        name="judgement_word_known",
                    ),
                ],
            },
        ),
    ]
