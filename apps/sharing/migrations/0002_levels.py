from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0001_cases"),
        ("diagnosis", "0001_diagnoses"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
        ("sharing", "0001_share_links"),
    ]

    operations = [
        migrations.AddField(
            model_name="sharelink",
            name="password",
            field=models.CharField(blank=True, max_length=200, default=""),
            preserve_default=False,
        ),
        migrations.AddField(
            model_name="sharelink", name="views_most", field=models.PositiveIntegerField(blank=True, null=True)
        ),
        migrations.AddIndex(
            model_name="sharelink",
            index=models.Index(fields=["created_by", "-created_at"], name="share_link_maker_created"),
        ),
        migrations.AddConstraint(
            model_name="sharelink",
            constraint=models.CheckConstraint(
                condition=models.Q(("views_most__isnull", True), ("views_most__gte", 1), _connector="OR"),
                name="share_link_views_from_one",
            ),
        ),
        migrations.CreateModel(
            name="StandIn",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("kind", models.CharField(max_length=8)),
                ("digest", models.CharField(max_length=32)),
                ("number", models.PositiveIntegerField()),
                (
                    "case",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="stand_ins", to="cases.case"
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.UniqueConstraint(fields=("case", "kind", "digest"), name="stand_in_once"),
                    models.UniqueConstraint(fields=("case", "kind", "number"), name="stand_in_number_once"),
                ],
            },
        ),
        migrations.CreateModel(
            name="MaskedCase",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("made_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("version", models.PositiveIntegerField()),
                ("content", models.JSONField()),
                ("views", models.CharField(blank=True, max_length=300)),
                ("names", models.JSONField(default=dict)),
                (
                    "diagnosis",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.CASCADE, related_name="masked", to="diagnosis.diagnosis"
                    ),
                ),
            ],
        ),
    ]
