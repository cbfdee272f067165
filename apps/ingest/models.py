"""The reading of a case as a whole: which state of its files was diagnosed last, and who is at it now."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import Team
from apps.cases.models import Bundle, Case, Leased


class CaseReading(Leased):
    """One row per case. ``wanted`` names the settled state of the files that asks for a diagnosis, ``done`` the one that has it.

    Both are empty while files are open. The lease belongs to whoever diagnoses: one at a time, or an older result might win.
    """

    case = models.OneToOneField(Case, on_delete=models.CASCADE, related_name="reading")
    wanted = models.CharField(max_length=80, blank=True)
    done = models.CharField(max_length=80, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """When a diagnosis was last asked for, or ended."""
    message = models.CharField(max_length=500, blank=True)
    """Why the diagnosis of the state ``done`` failed; empty where it did not."""

    def __str__(self) -> str:
        return f"reading of case {self.case_id}"


class TeamTurn(models.Model):
    """When a team was last served, as the number of that turn: turns are counted, so that no clock decides who waits."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="turn")
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"turn {self.last} of team {self.team_id}"


def fresh_name() -> str:
    return uuid4().hex


class PartialUpload(models.Model):
    """An upload that comes in pieces and may break off. What came so far lies in a file of that name; its length is the offset."""

    name = models.CharField(max_length=32, unique=True, default=fresh_name)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="partial_uploads")
    opened_case = models.BooleanField(default=False)
    """The case was made for it: it goes again when nothing arrives."""
    filename = models.CharField(max_length=1024)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    """As announced by the sender; empty where it was not. What arrived is held against it."""
    metadata = models.TextField(blank=True)
    """As sent: the protocol wants it given back."""
    created_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    bundle = models.ForeignKey(Bundle, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    class Meta:
        indexes: ClassVar = [models.Index(fields=["ends_at"], name="partial_upload_ends")]
        constraints: ClassVar = [models.CheckConstraint(condition=Q(size__gte=0), name="partial_upload_size_not_negative")]

    def __str__(self) -> str:
        return f"partial upload {self.pk}"

    @property
    def path(self) -> Path:
        return Path(settings.UPLOADS_DIR) / self.name

    @property
    def offset(self) -> int:
        """How many bytes need not be sent again.

        Of a whole file that is not taken over yet, because the process was killed or the storage was away, the last byte is
        asked for once more: with it the taking over is tried again.
        """
        if self.finished_at is not None:
            return self.size
        try:
            there = self.path.stat().st_size
        except FileNotFoundError:
            return 0
        return min(there, max(self.size - 1, 0))
