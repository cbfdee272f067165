from __future__ import annotations

from django.db import migrations, models
from django.db.models import Q

KNOWN = Q(failure="") | Q(failure__in=["storage", "time", "defect", "died", "limit"])


class Migration(migrations.Migration):
    dependencies = [("cases", "0010_failures")]

    operations = [
        migrations.AddConstraint("artifact", models.CheckConstraint(condition=KNOWN, name="artifact_failure_known")),
        migrations.AddConstraint("bundle", models.CheckConstraint(condition=KNOWN, name="bundle_failure_known")),
    ]
