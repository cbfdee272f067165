from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("cases", "0001_cases"),
        ("diagnosis", "0001_diagnoses"),
    ]

    operations = [
        migrations.AddField(
            model_name="case",
            name="current_diagnosis",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to="diagnosis.diagnosis",
            ),
        ),
    ]
