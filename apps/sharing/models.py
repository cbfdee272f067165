"""A link that shows a case to whoever holds it, until it ends or is revoked."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from apps.cases.models import Case


class ShareLink(models.Model):
    class Level(models.TextChoices):
        COLLEAGUE = "colleague", "colleague"
        DEVELOPMENT = "development", "development"
        CUSTOMER = "customer", "customer"

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="share_links")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    token_hash = models.CharField(max_length=64, unique=True)
    """HMAC-SHA256 of the token under a key of this installation, in hexadecimal; the token itself is nowhere."""
    level = models.CharField(max_length=12, choices=Level.choices, default=Level.CUSTOMER)
    view = models.CharField(max_length=2000, blank=True)
    """Query string of the page that was shared."""
    note = models.CharField(max_length=200, blank=True)
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    openings = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "-created_at"], name="share_link_case_created")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(level__in=["colleague", "development", "customer"]), name="share_link_level_known"),
            models.CheckConstraint(condition=Q(ends_at__gt=F("created_at")), name="share_link_ends_after_its_start"),
        ]

    def __str__(self) -> str:
        return f"share link {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and self.ends_at > timezone.now()
