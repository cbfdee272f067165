"""Addresses that a team has named to be informed of what happens to its cases, and a log of what was sent to them."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import Team


class Webhook(models.Model):
    class Shape(models.TextChoices):
        GENERIC = "generic", "JSON, signed"
        SLACK = "slack", "message, as Slack and Mattermost take it"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="webhooks")
    shape = models.CharField(max_length=10, choices=Shape.choices, default=Shape.GENERIC)
    sealed_address = models.TextField()
    """Encrypted under a key of this installation: of many services the address alone is what lets one write."""
    host = models.CharField(max_length=260)
    """Scheme, host and port, which may be shown."""
    nonce = models.CharField(max_length=32)
    """What the secret for signing is made from, together with the key of this installation; the secret itself is not
    kept.
    """
    events = models.JSONField(default=list)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(shape__in=["generic", "slack"]), name="webhook_shape_known")
        ]

    def __str__(self) -> str:
        return f"webhook {self.pk}"


class Delivery(models.Model):
    """One event for one address. It is tried again until `next_at` is empty."""

    class State(models.TextChoices):
        WAITING = "waiting", "waiting"
        SENT = "sent", "sent"
        FAILED = "failed", "given up"

    webhook = models.ForeignKey(Webhook, on_delete=models.CASCADE, related_name="deliveries")
    case = models.ForeignKey("cases.Case", null=True, blank=True, on_delete=models.CASCADE, related_name="deliveries")
    event = models.CharField(max_length=40)
    key = models.CharField(max_length=80)
    """Names what happened: the same is not sent twice, however often it is announced."""
    told = models.JSONField(default=dict)
    state = models.CharField(max_length=10, choices=State.choices, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True, blank=True)
    """Of the last answer; null where there was none."""
    message = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    next_at = models.DateTimeField(null=True, blank=True, default=timezone.now)
    ended_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["state", "next_at"], name="delivery_due"),
            models.Index(fields=["webhook", "-created_at"], name="delivery_of_webhook"),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["webhook", "key"], name="delivery_once"),
            models.CheckConstraint(condition=Q(state__in=["waiting", "sent", "failed"]), name="delivery_state_known"),
        ]

    def __str__(self) -> str:
        return f"delivery {self.pk}"
