"""People, the teams they are on, and one-time links that sign somebody in."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.contrib.auth.models import AbstractUser
from django.db import models
from django.db.models.functions import Lower
from django.utils import timezone


class Role(models.TextChoices):
    """What somebody may do with a case, from least to most; each includes those before it."""

    VIEWER = "viewer", "viewer"
    EDITOR = "editor", "editor"
    OWNER = "owner", "owner"

    @property
    def rank(self) -> int:
        return list(Role).index(self)

    def reaches(self, needed: Role) -> bool:
        return self.rank >= needed.rank


class User(AbstractUser):
    """Never deleted, only made inactive: notes and the audit trail name their author."""

    display_name = models.CharField(max_length=150, blank=True)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(Lower("username"), name="user_name_once_whatever_case")]

    def __str__(self) -> str:
        return self.display_name or self.get_username()

    @property
    def is_administrator(self) -> bool:
        return self.is_staff

    @is_administrator.setter
    def is_administrator(self, value: bool) -> None:
        self.is_staff = value


class Team(models.Model):
    name = models.CharField(max_length=100, unique=True)
    slug = models.SlugField(max_length=60, unique=True)
    members = models.ManyToManyField(settings.AUTH_USER_MODEL, through="TeamMembership", related_name="teams")

    role: Role | None = None
    """What the person may do for whom this object was fetched; set by the access decorator, not a column."""

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class TeamMembership(models.Model):
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="team_memberships")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "team"], name="team_membership_once"),
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="team_membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} on {self.team_id} as {self.role}"


class Invitation(models.Model):
    """A link that puts whoever opens it first on a team. Only the keyed hash of its token is kept."""

    token_hash = models.CharField(max_length=64, unique=True)
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.EDITOR)
    email = models.EmailField(blank=True)
    """Where it was sent, for the list of invitations; whoever holds the link may use it."""
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)
    used_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )

    class Meta:
        constraints: ClassVar = [
            models.CheckConstraint(condition=models.Q(role__in=Role.values), name="invitation_role_known"),
            models.CheckConstraint(
                condition=models.Q(ends_at__gt=models.F("created_at")), name="invitation_ends_after_its_start"
            ),
        ]

    def __str__(self) -> str:
        return f"invitation {self.pk}"


class SignInToken(models.Model):
    """A link that signs one person in once. Only the hash of its token is kept."""

    hash = models.CharField(max_length=64, unique=True)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="sign_in_tokens")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"sign-in link {self.pk}"
