"""Shapes of chains of waits, kept beside the diagnosis that they were seen in."""

from __future__ import annotations

from typing import ClassVar

from django.db import models

from apps.recurrence.chains import sentence


class ChainSignature(models.Model):
    diagnosis = models.ForeignKey("diagnosis.Diagnosis", on_delete=models.CASCADE, related_name="signatures")
    order = models.PositiveIntegerField()
    digest = models.CharField(max_length=24)
    kind = models.CharField(max_length=10)
    """What the chain ends at; `finding` where the rule of the verdict stands alone."""
    rule = models.CharField(max_length=60, blank=True)
    words = models.TextField()
    versions = models.JSONField(default=list, blank=True)
    """Releases that the files of the case state, such as "spectrum-scale 5.1.9.4"."""

    class Meta:
        ordering: ClassVar = ["order"]
        indexes: ClassVar = [models.Index(fields=["digest", "diagnosis"], name="chain_signature_digest")]
        constraints: ClassVar = [models.UniqueConstraint(fields=["diagnosis", "digest"], name="chain_signature_once")]

    def __str__(self) -> str:
        return f"{self.words} in diagnosis {self.diagnosis_id}"

    @property
    def sentence(self) -> str:
        return sentence(self.words)
