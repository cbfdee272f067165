"""The reading of a case as a whole: which state of its files was diagnosed last, and who is at it now."""

from __future__ import annotations

from django.db import models

from apps.cases.models import Case, Leased


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
