"""The reading of a case as a whole: which state of its files was diagnosed last, and who is at it now."""

from __future__ import annotations

from django.db import models

from apps.cases.models import Case, Leased


class CaseReading(Leased):
    """One row per case. ``wanted`` names the state of the files that asks for a diagnosis, ``done`` the one that has it."""

    case = models.OneToOneField(Case, on_delete=models.CASCADE, related_name="reading")
    wanted = models.CharField(max_length=64, blank=True)
    done = models.CharField(max_length=64, blank=True)
    partial_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"reading of case {self.case_id}"
