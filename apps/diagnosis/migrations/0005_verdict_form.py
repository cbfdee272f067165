from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q

FORMS = [
    ("explained", "explained by a rule"),
    ("unexplained", "an alarm of the files; no rule explains it"),
    ("not_judged", "not judged"),
    ("healthy", "checked and found in order"),
]


class Migration(migrations.Migration):
    dependencies = [("cases", "0011_failures_known"), ("diagnosis", "0004_trigrams_on_sqlite")]

    operations = [
        migrations.AddField(
            "diagnosis",
            "verdict_form",
            models.CharField(choices=FORMS, db_default="explained", default="explained", max_length=12),
        ),
        migrations.AddConstraint(
            "diagnosis",
            models.CheckConstraint(
                condition=Q(verdict_form__in=[name for name, _ in FORMS]), name="diagnosis_form_known"
            ),
        ),
    ]
