"""A link that shows a case to whoever holds it, until it ends or is revoked; and what a masked case is shown from."""

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
    """Query string of the page that was shared; with stand-ins where the level asks for them."""
    note = models.CharField(max_length=200, blank=True)
    password = models.CharField(max_length=200, blank=True)
    """Argon2 hash; empty where none is asked for."""
    views_most = models.PositiveIntegerField(null=True, blank=True)
    """So many openings, then it is closed; null for any number."""
    ends_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)
    revoked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    openings = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["case", "-created_at"], name="share_link_case_created"),
            models.Index(fields=["created_by", "-created_at"], name="share_link_maker_created"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(level__in=["colleague", "development", "customer"]), name="share_link_level_known"
            ),
            models.CheckConstraint(condition=Q(ends_at__gt=F("created_at")), name="share_link_ends_after_its_start"),
            models.CheckConstraint(
                condition=Q(views_most__isnull=True) | Q(views_most__gte=1), name="share_link_views_from_one"
            ),
        ]

    def __str__(self) -> str:
        return f"share link {self.pk}"

    @property
    def is_open(self) -> bool:
        return self.revoked_at is None and self.ends_at > timezone.now()

    @property
    def is_used_up(self) -> bool:
        """Whoever has opened it goes on; nobody else comes in."""
        return self.views_most is not None and self.openings >= self.views_most


class StandIn(models.Model):
    """The number that stands for one name of one case, wherever it is masked. The name itself is kept as a keyed hash
    only.
    """

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="stand_ins")
    kind = models.CharField(max_length=8)
    digest = models.CharField(max_length=32)
    number = models.PositiveIntegerField()

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["case", "kind", "digest"], name="stand_in_once"),
            models.UniqueConstraint(fields=["case", "kind", "number"], name="stand_in_number_once"),
        ]

    def __str__(self) -> str:
        return f"{self.kind}-{self.number}"


class MaskedCase(models.Model):
    """One diagnosis with stand-ins, made once: pages of level development read this and nothing else of the case."""

    diagnosis = models.OneToOneField("diagnosis.Diagnosis", on_delete=models.CASCADE, related_name="masked")
    made_at = models.DateTimeField(default=timezone.now)
    version = models.PositiveIntegerField()
    """Of the masking; an older one is made again."""
    content = models.JSONField()
    """The diagnosis, its findings and tunings, masked."""
    views = models.CharField(max_length=300, blank=True)
    """Prefix of the masked view files."""
    names = models.JSONField(default=dict)
    """What was replaced by what, kind by kind: for those who make links, never for a receiver."""

    def __str__(self) -> str:
        return f"masked diagnosis {self.diagnosis_id}"
