"""Tokens by which programs act for a person."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone


class ApiToken(models.Model):
    """What a program sends instead of a password: it may do less than its person, and it ends."""

    class Scope(models.TextChoices):
        READ = "read", "read"
        WRITE = "write", "read and write"

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=80)
    token_hash = models.CharField(max_length=64, unique=True)
    """HMAC-SHA256 of the token under a key of this installation; the token itself is nowhere."""
    scope = models.CharField(max_length=5, choices=Scope.choices, default=Scope.READ)
    created_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["user", "-created_at"], name="api_token_user_created")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(scope__in=["read", "write"]), name="api_token_scope_known"),
            models.CheckConstraint(condition=Q(ends_at__gt=F("created_at")), name="api_token_ends_after_its_start"),
        ]

    def __str__(self) -> str:
        return f"token {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and self.ends_at > timezone.now()
