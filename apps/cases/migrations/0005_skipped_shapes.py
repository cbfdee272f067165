from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("cases", "0004_note_pinned_to_span")]

    operations = [
        migrations.CreateModel(
            name="SkippedShape",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("shape", models.CharField(max_length=160)),
                ("reason", models.CharField(blank=True, max_length=120)),
                ("lines", models.IntegerField()),
                ("first_line", models.BigIntegerField()),
                (
                    "artifact",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="shapes", to="cases.artifact"
                    ),
                ),
            ],
            options={
                "indexes": [models.Index(fields=["shape"], name="shape_text")],
                "constraints": [
                    models.UniqueConstraint(fields=("artifact", "shape"), name="shape_once_per_file"),
                    models.CheckConstraint(
                        condition=models.Q(("first_line__gte", 1), ("lines__gte", 1)), name="shape_has_a_line"
                    ),
                ],
            },
        ),
    ]
