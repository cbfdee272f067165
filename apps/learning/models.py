"""What teams know: entries that say what messages mean, with all their versions. None is ever removed."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import Team


class TeamEntry(models.Model):
    """What one sort of message means to a team. Its words stand in its versions."""

    class State(models.TextChoices):
        """Of the latest version; an earlier one may be in force meanwhile."""

        DRAFT = "draft", "draft"
        PROPOSED = "proposed", "proposed"
        IN_FORCE = "in_force", "in force"
        WITHDRAWN = "withdrawn", "withdrawn"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="entries")
    name = models.CharField(max_length=60)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DRAFT)
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    """Who began it; while it is a draft nobody else sees it."""
    created_at = models.DateTimeField(default=timezone.now)
    changed_at = models.DateTimeField(default=timezone.now)
    latest = models.PositiveIntegerField(default=1)
    """Number of the latest version."""
    in_force = models.PositiveIntegerField(null=True, blank=True)
    """Number of the version that judges the cases of the team; null where none does."""
    case = models.ForeignKey("cases.Case", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    """The case of the line that it was made from."""

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["team", "name"], name="team_entry_name_once"),
            models.CheckConstraint(
                condition=Q(state__in=["draft", "proposed", "in_force", "withdrawn"]), name="team_entry_state_known"
            ),
            models.CheckConstraint(
                condition=Q(in_force__isnull=True) | Q(state__in=["proposed", "in_force"]),
                name="team_entry_in_force_is_shown",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class EntryVersion(models.Model):
    """How an entry read at one time; never changed."""

    entry = models.ForeignKey(TeamEntry, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    row = models.JSONField()
    """As in a file of entries: see ``parsers.site_entries``."""
    product = models.CharField(max_length=60, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    why = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering: ClassVar = ["number"]
        constraints: ClassVar = [models.UniqueConstraint(fields=["entry", "number"], name="entry_version_once")]

    def __str__(self) -> str:
        return f"version {self.number} of entry {self.entry_id}"


class TeamKnowledge(models.Model):
    """Which entries of a team are in force, in one short word, and whether all of its cases are judged with them."""

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="knowledge")
    version = models.CharField(max_length=16, blank=True)
    """Empty where none is in force."""
    is_everywhere = models.BooleanField(default=True)

    def __str__(self) -> str:
        return f"knowledge of team {self.team_id}"
