"""What privacy needs to know: lines that hold credentials, how long a team keeps its cases, and proofs of what was
removed.
"""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.db import models
from django.db.models import Q
from django.utils import timezone


class Credential(models.Model):
    """A line of a file that looks like a password, key or token. The secret itself is not repeated here."""

    artifact = models.ForeignKey("cases.Artifact", on_delete=models.CASCADE, related_name="credentials")
    line = models.BigIntegerField()
    sort = models.CharField(max_length=60)

    class Meta:
        ordering: ClassVar = ["artifact", "line"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["artifact", "line"], name="credential_once_per_line"),
            models.CheckConstraint(condition=Q(line__gte=1), name="credential_line_from_one"),
        ]

    def __str__(self) -> str:
        return f"{self.sort} in line {self.line}"


class Retention(models.Model):
    """After so many days without a change the cases of a team are removed. A team without a row keeps them."""

    team = models.OneToOneField("accounts.Team", on_delete=models.CASCADE, related_name="retention")
    days = models.PositiveIntegerField()
    changed_at = models.DateTimeField(default=timezone.now)

    class Meta:
        constraints: ClassVar = [models.CheckConstraint(condition=Q(days__gte=1), name="retention_days_from_one")]

    def __str__(self) -> str:
        return f"{self.team_id} keeps cases for {self.days} days"


class ProofError(RuntimeError):
    """A bug: somebody tried to change a proof."""


class RemovalProof(models.Model):
    """What was removed of one case: hashes and counts, never a text. Written once."""

    team = models.ForeignKey("accounts.Team", null=True, on_delete=models.SET_NULL, related_name="removal_proofs")
    case_key = models.CharField(max_length=40)
    removed_at = models.DateTimeField(default=timezone.now)
    report = models.JSONField()
    sha256 = models.CharField(max_length=64)
    """Of the report as canonical JSON."""

    class Meta:
        indexes: ClassVar = [models.Index(fields=["team", "-removed_at"], name="removal_proof_team_at")]

    def __str__(self) -> str:
        return f"removal of {self.case_key}"

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise ProofError
        super().save(*args, **kwargs)

    def delete(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise ProofError
