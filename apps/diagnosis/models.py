"""What the engine found, as rows. A diagnosis is never changed, only replaced: the case points to the present one."""

from __future__ import annotations

from typing import Any, ClassVar, NoReturn

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from apps.cases.models import Artifact, Case, Severity


class UnchangeableError(RuntimeError):
    """A bug: somebody tried to change what may only be replaced."""


class WriteOnceQuerySet(models.QuerySet[Any]):
    def update(self, **_values: Any) -> NoReturn:
        raise UnchangeableError(self.model.__name__)

    def bulk_update(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        raise UnchangeableError(self.model.__name__)


class WriteOnce(models.Model):
    objects = WriteOnceQuerySet.as_manager()

    class Meta:
        abstract = True

    def save(self, *args: Any, **kwargs: Any) -> None:
        if not self._state.adding:
            raise UnchangeableError(type(self).__name__)
        super().save(*args, **kwargs)


class Form(models.TextChoices):
    """What a verdict is worth: see ``engine.core.verdicts``."""

    EXPLAINED = "explained", "explained by a rule"
    UNEXPLAINED = "unexplained", "an alarm of the files; no rule explains it"
    NOT_JUDGED = "not_judged", "not judged"
    HEALTHY = "healthy", "checked and found in order"


class Diagnosis(WriteOnce):
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="diagnoses")
    created_at = models.DateTimeField(default=timezone.now)
    partial = models.BooleanField()
    files_read = models.IntegerField()
    files_total = models.IntegerField()
    engine_version = models.CharField(max_length=40)
    knowledge = models.CharField(max_length=16, blank=True, default="", db_default="")
    """Which entries of the team were in force: ``TeamKnowledge.version`` at that time."""
    verdict_title = models.TextField()
    verdict_severity = models.CharField(max_length=10, choices=Severity.choices)
    verdict_confidence = models.FloatField()
    verdict_ref = models.CharField(max_length=60, blank=True)
    verdict_form = models.CharField(
        max_length=12, choices=Form.choices, default=Form.EXPLAINED, db_default=Form.EXPLAINED
    )
    window_start_us = models.BigIntegerField(null=True, blank=True)
    window_end_us = models.BigIntegerField(null=True, blank=True)
    products = models.JSONField(default=list, blank=True)
    summary = models.JSONField(default=dict, blank=True)
    """nodes, roots, cycles, waits_for, missing, next_steps, counts, kinds (at most 200), incidents: see
    ``services._summary_json``."""
    views = models.CharField(max_length=300, blank=True)
    """Prefix in the storage of spans and rollups; empty where there are none."""

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "-created_at"], name="diagnosis_case_created")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(files_read__gte=0, files_read__lte=F("files_total")), name="diagnosis_files_in_order"
            ),
            models.CheckConstraint(condition=Q(verdict_severity__in=Severity.values), name="diagnosis_severity_known"),
            models.CheckConstraint(condition=Q(verdict_form__in=Form.values), name="diagnosis_form_known"),
            models.CheckConstraint(
                condition=Q(verdict_confidence__gte=0, verdict_confidence__lte=1), name="diagnosis_confidence_is_share"
            ),
        ]

    def __str__(self) -> str:
        return f"diagnosis {self.pk}"


class Finding(WriteOnce):
    diagnosis = models.ForeignKey(Diagnosis, on_delete=models.CASCADE, related_name="findings")
    order = models.PositiveIntegerField()
    rule = models.CharField(max_length=80)
    ref = models.CharField(max_length=60, blank=True)
    severity = models.CharField(max_length=10, choices=Severity.choices)
    confidence = models.FloatField()
    confidence_parts = models.JSONField(default=dict, blank=True)
    basis = models.CharField(max_length=10)
    title = models.TextField()
    explanation = models.TextField(blank=True)
    nodes = models.JSONField(default=list, blank=True)
    start_us = models.BigIntegerField(null=True, blank=True)
    end_us = models.BigIntegerField(null=True, blank=True)
    figures = models.JSONField(default=dict, blank=True)
    evidence = models.JSONField(default=list, blank=True)
    """[{artifact (id), path, line, last_line, text}]"""
    disproved_by = models.TextField(blank=True)
    tunings = models.JSONField(default=list, blank=True)
    knowledge = models.JSONField(null=True, blank=True)
    """{entry (id), name, version, team, slug, by} where a team's entry says what the lines mean."""

    class Meta:
        ordering: ClassVar = ["order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["diagnosis", "order"], name="finding_order_once"),
            models.CheckConstraint(condition=Q(severity__in=Severity.values), name="finding_severity_known"),
            models.CheckConstraint(
                condition=Q(confidence__gte=0, confidence__lte=1), name="finding_confidence_is_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.rule} in diagnosis {self.diagnosis_id}"


class Tuning(WriteOnce):
    class Status(models.TextChoices):
        RECOMMENDED = "recommended", "recommended"
        APPLIED = "applied", "applied"
        NOT_APPLICABLE = "not_applicable", "not applicable"

    diagnosis = models.ForeignKey(Diagnosis, on_delete=models.CASCADE, related_name="tunings")
    order = models.PositiveIntegerField()
    tuning_id = models.CharField(max_length=80)
    parameter = models.CharField(max_length=120)
    scope = models.TextField(blank=True)
    current = models.TextField(null=True, blank=True)  # noqa: DJ001 - null is "the value is not known", empty text would be a value
    current_at = models.JSONField(null=True, blank=True)
    """{artifact (id), path, line} of the line that states the present value."""
    recommended = models.TextField(blank=True)
    status = models.CharField(max_length=20, choices=Status.choices)
    commands = models.JSONField(default=list, blank=True)
    persist = models.TextField(blank=True)
    caution = models.TextField(blank=True)
    way_back = models.TextField(blank=True)
    verify = models.TextField(blank=True)
    since = models.TextField(blank=True)
    why = models.TextField(blank=True)
    findings = models.JSONField(default=list, blank=True)
    sources = models.JSONField(default=list, blank=True)
    basis = models.CharField(max_length=10, blank=True)

    class Meta:
        ordering: ClassVar = ["order"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["diagnosis", "order"], name="tuning_order_once"),
            models.CheckConstraint(
                condition=Q(status__in=["recommended", "applied", "not_applicable"]), name="tuning_status_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.tuning_id} in diagnosis {self.diagnosis_id}"


class SearchDocument(models.Model):
    """A name or sentence of a case that one may look for over all cases. Made again with each diagnosis."""

    class Kind(models.TextChoices):
        NODE = "node", "node"
        FINDING = "finding", "finding"
        TUNING = "tuning", "tuning"
        WAITER_KIND = "kind", "waiter kind"
        MESSAGE = "message", "kind of message"
        REASON = "reason", "wait reason"
        THREAD = "thread", "thread"
        OBJECT = "object", "lock or disk"
        EVIDENCE = "evidence", "evidence line"
        FILE = "file", "file"
        PROBLEM = "problem", "problem"
        SHAPE = "shape", "line not understood"

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="search_documents")
    kind = models.CharField(max_length=10, choices=Kind.choices)
    name = models.CharField(max_length=120, blank=True)
    """Id in the knowledge base, such as a rule's or a kind's; empty for what is found by its text alone."""
    text = models.TextField()
    folded = models.TextField()
    """The text in lower case: what is searched, on PostgreSQL through a trigram index."""
    artifact = models.ForeignKey(Artifact, null=True, blank=True, on_delete=models.CASCADE, related_name="+")
    line = models.BigIntegerField(null=True, blank=True)
    count = models.BigIntegerField(null=True, blank=True)
    anchor = models.CharField(max_length=80, blank=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["kind", "name"], name="search_document_kind_name")]

    def __str__(self) -> str:
        return f"{self.kind} of case {self.case_id}"


class Judgement(models.Model):
    """What a person says about a finding or a kind of waits. It outlives every diagnosis; see judging.py for how it is
    bound.
    """

    class About(models.TextChoices):
        FINDING = "finding", "finding"
        KIND = "kind", "kind of waits"

    class Word(models.TextChoices):
        AGREED = "agreed", "agreed"
        DISPUTED = "disputed", "disputed"
        SET_ASIDE = "set_aside", "set aside"
        WITHDRAWN = "withdrawn", "withdrawn"

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="judgements")
    about = models.CharField(max_length=10, choices=About.choices)
    name = models.CharField(max_length=80, blank=True)
    """Rule of the finding, or id of the kind; empty for a kind that the knowledge base does not hold."""
    subject = models.CharField(max_length=300, blank=True)
    nodes = models.JSONField(default=list, blank=True)
    title = models.TextField(blank=True)
    """What was judged, as it read at that moment."""
    word = models.CharField(max_length=10, choices=Word.choices)
    why = models.TextField(max_length=2000, blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "-id"], name="judgement_case")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(about__in=["finding", "kind"]), name="judgement_about_known"),
            models.CheckConstraint(
                condition=Q(word__in=["agreed", "disputed", "set_aside", "withdrawn"]), name="judgement_word_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.about} {self.name} {self.word} in case {self.case_id}"
