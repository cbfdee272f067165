"""What a person is notified of in a case, and of what also by mail."""

from __future__ import annotations

from typing import ClassVar

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone


class Kind(models.TextChoices):
    MENTION = "mention", "somebody mentions me in a note"
    ASSIGNED = "assigned", "a case is assigned to me"
    STATE = "state", "the state of a case of mine changes"
    READ = "read", "an upload of mine, or to a case of mine, has been read"
    FAILED = "failed", "an upload of mine, or to a case of mine, cannot be read"


class Notice(models.Model):
    """Names a case and who did something; all else is read when it is shown, if the person may see it then."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="notices")
    case = models.ForeignKey("cases.Case", on_delete=models.CASCADE, related_name="notices")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    key = models.CharField(max_length=80)
    """Names what happened: one person is notified of it once."""
    words = models.CharField(max_length=200, blank=True)
    """The new state, in words; empty for what needs none."""
    anchor = models.CharField(max_length=40, blank=True)
    """Of the note, on its page."""
    created_at = models.DateTimeField(default=timezone.now)
    read_at = models.DateTimeField(null=True, blank=True)
    mailed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["user", "-created_at"], name="notice_of_user"),
            models.Index(fields=["user"], name="notice_unread", condition=Q(read_at__isnull=True)),
        ]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "key"], name="notice_once"),
            models.CheckConstraint(
                condition=Q(kind__in=["mention", "assigned", "state", "read", "failed"]), name="notice_kind_known"
            ),
        ]

    def __str__(self) -> str:
        return f"notice {self.pk}"


class MailChoice(models.Model):
    """Of which kinds a person wants mail; who has none of these rows gets the default."""

    user = models.OneToOneField(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_choice")
    kinds = models.JSONField(default=list, blank=True)

    def __str__(self) -> str:
        return f"mail of {self.user_id}"
