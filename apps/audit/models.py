"""Who did what when. Rows are only ever added."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.utils import timezone


class AppendOnlyError(RuntimeError):
    """A bug: somebody tried to change or remove an audit event."""


class AuditEventQuerySet(models.QuerySet["AuditEvent"]):
    def update(self, **_values: Any) -> NoReturn:
        raise AppendOnlyError

    def bulk_update(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnlyError

    def delete(self) -> NoReturn:
        raise AppendOnlyError


class AuditEvent(models.Model):
    case = models.ForeignKey("cases.Case", null=True, blank=True, on_delete=models.SET_NULL, related_name="events")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.PROTECT, related_name="+"
    )
    link = models.ForeignKey("sharing.ShareLink", null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    verb = models.CharField(max_length=60)
    detail = models.JSONField(default=dict, blank=True)
    at = models.DateTimeField(default=timezone.now)
    address = models.GenericIPAddressField(null=True, blank=True)

    objects = AuditEventQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["case", "-at"], name="audit_event_case_at"),
            models.Index(fields=["-at"], name="audit_event_at"),
        ]

    def __str__(self) -> str:
        return f"{self.verb} {self.pk}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise AppendOnlyError
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise AppendOnlyError


class AuditLink(models.Model):
    """The place of an event in the chain of hashes. By number, so that it stays when the event is taken out."""

    position = models.BigIntegerField(unique=True)
    event = models.BigIntegerField(unique=True)
    digest = models.CharField(max_length=64)

    def __str__(self) -> str:
        return f"{self.position}:{self.digest}"
