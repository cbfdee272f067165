from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("accounts", "0002_invitations"),
        ("cases", "0005_skipped_shapes"),
    ]

    operations = [
        migrations.CreateModel(
            name="CaseVisit",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("reason", models.CharField(max_length=500)),
                ("begun_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("ends_at", models.DateTimeField()),
            ],
        ),
        migrations.AddField(
            model_name="case",
            name="archived_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="case",
            name="assignee",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="assigned_cases",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="held_at",
            field=models.DateTimeField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="case",
            name="held_by",
            field=models.ForeignKey(
                blank=True,
                null=True,
                on_delete=django.db.models.deletion.SET_NULL,
                related_name="+",
                to=settings.AUTH_USER_MODEL,
            ),
        ),
        migrations.AddField(
            model_name="case",
            name="hold_reason",
            field=models.CharField(blank=True, max_length=500),
        ),
        migrations.AddField(
            model_name="case",
            name="solution",
            field=models.TextField(blank=True, max_length=2000),
        ),
        migrations.AddConstraint(
            model_name="case",
            constraint=models.CheckConstraint(
                condition=models.Q(
                    ("held_at__isnull", True), models.Q(("hold_reason", ""), _negated=True), _connector="OR"
                ),
                name="case_hold_has_a_reason",
            ),
        ),
        migrations.AddField(
            model_name="casevisit",
            name="case",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="visits", to="cases.case"
            ),
        ),
        migrations.AddField(
            model_name="casevisit",
            name="user",
            field=models.ForeignKey(
                on_delete=django.db.models.deletion.CASCADE, related_name="case_visits", to=settings.AUTH_USER_MODEL
            ),
        ),
        migrations.AddIndex(
            model_name="casevisit",
            index=models.Index(fields=["case", "user", "ends_at"], name="case_visit_open"),
        ),
        migrations.AddConstraint(
            model_name="casevisit",
            constraint=models.CheckConstraint(
                condition=models.Q(("reason", ""), _negated=True), name="case_visit_has_a_reason"
            ),
        ),
        migrations.AddConstraint(
            model_name="casevisit",
            constraint=models.CheckConstraint(
                condition=models.Q(("ends_at__gte", models.F("begun_at"))), name="case_visit_ends_after_its_start"
            ),
        ),
    ]
