"""Reads that can be chained; above all, which cases somebody may see."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from apps.accounts.models import User
    from apps.cases.models import Artifact, Bundle, Case, Note  # noqa: F401 - named in the strings below

UNSETTLED = ("queued", "reading")
UNPACKING = ("received", "expanding")


class CaseQuerySet(models.QuerySet["Case"]):
    def visible_to(self, user: User | AnonymousUser) -> Self:
        """Cases of the user's teams and those that name the user, whichever state they are in."""
        if not user.is_authenticated or not user.is_active:
            return self.none()
        teams = user.team_memberships.values("team")
        named = user.case_memberships.values("case")
        return self.filter(Q(team__in=teams) | Q(pk__in=named))

    def live(self) -> Self:
        return self.filter(trashed_at__isnull=True)

    def trashed(self) -> Self:
        return self.filter(trashed_at__isnull=False)

    def archived(self) -> Self:
        return self.filter(archived_at__isnull=False)

    def at_hand(self) -> Self:
        """Neither in the trash nor in the archive."""
        return self.filter(trashed_at__isnull=True, archived_at__isnull=True)

    def not_held(self) -> Self:
        """Only of these anything may be removed."""
        return self.filter(held_at__isnull=True)


class BundleQuerySet(models.QuerySet["Bundle"]):
    def unsettled(self) -> Self:
        return self.filter(state__in=UNPACKING)


class ArtifactQuerySet(models.QuerySet["Artifact"]):
    def unsettled(self) -> Self:
        return self.filter(state__in=UNSETTLED)

    def originals(self) -> Self:
        return self.filter(duplicate_of__isnull=True)


class NoteQuerySet(models.QuerySet["Note"]):
    def pinned_to_moments(self) -> Self:
        return self.filter(at_us__isnull=False)
