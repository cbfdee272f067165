from __future__ import annotations

import django.db.models.deletion
import django.utils.timezone
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    initial = True

    dependencies = [
        ("accounts", "0002_invitations"),
        ("cases", "0007_bundle_told"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="Webhook",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "shape",
                    models.CharField(
                        choices=[("generic", "JSON, signed"), ("slack", "message, as Slack and Mattermost take it")],
                        default="generic",
                        max_length=10,
                    ),
                ),
                ("sealed_address", models.TextField()),
                ("host", models.CharField(max_length=260)),
                ("nonce", models.CharField(max_length=32)),
                ("events", models.JSONField(default=list)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
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
                        on_delete=django.db.models.deletion.CASCADE, related_name="webhooks", to="accounts.team"
                    ),
                ),
            ],
        ),
        migrations.CreateModel(
            name="Delivery",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("event", models.CharField(max_length=40)),
                ("key", models.CharField(max_length=80)),
                ("told", models.JSONField(default=dict)),
                (
                    "state",
                    models.CharField(
                        choices=[("waiting", "waiting"), ("sent", "sent"), ("failed", "given up")],
                        default="waiting",
                        max_length=10,
                    ),
                ),
                ("attempts", models.PositiveSmallIntegerField(default=0)),
                ("status", models.PositiveSmallIntegerField(blank=True, null=True)),
                ("message", models.CharField(blank=True, max_length=200)),
                ("created_at", models.DateTimeField(default=django.utils.timezone.now)),
                ("next_at", models.DateTimeField(blank=True, default=django.utils.timezone.now, null=True)),
                ("ended_at", models.DateTimeField(blank=True, null=True)),
                (
                    "case",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="deliveries",
                        to="cases.case",
                    ),
                ),
                (
                    "webhook",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="deliveries", to="webhooks.webhook"
                    ),
                ),
            ],
        ),
        migrations.AddConstraint(
            model_name="webhook",
            constraint=models.CheckConstraint(
                condition=models.Q(("shape__in", ["generic", "slack"])), name="webhook_shape_known"
            ),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["state", "next_at"], name="delivery_due"),
        ),
        migrations.AddIndex(
            model_name="delivery",
            index=models.Index(fields=["webhook", "-created_at"], name="delivery_of_webhook"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.UniqueConstraint(fields=("webhook", "key"), name="delivery_once"),
        ),
        migrations.AddConstraint(
            model_name="delivery",
            constraint=models.CheckConstraint(
                condition=models.Q(("state__in", ["waiting", "sent", "failed"])), name="delivery_state_known"
            ),
        ),
    ]
