"""What teams know: entries that say what messages mean, with all their versions. None is ever removed."""

from __future__ import annotations

from typing import ClassVar, Final

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
    offered = models.PositiveIntegerField(null=True, blank=True)
    """Number of the version that is offered to the whole site; null where none is."""

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
    """As in a file of entries: see ``parsers.messages.site_entries``."""
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


class SiteEntry(models.Model):
    """What an administrator accepted for all teams of the site: a copy that names neither team nor author."""

    name = models.CharField(max_length=60, unique=True)
    row = models.JSONField()
    product = models.CharField(max_length=60, blank=True)
    number = models.PositiveIntegerField(default=1)
    accepted_at = models.DateTimeField(default=timezone.now)
    is_in_force = models.BooleanField(default=True)
    origin = models.ForeignKey(TeamEntry, null=True, blank=True, on_delete=models.SET_NULL, related_name="accepted")
    """The entry that it is a copy of: for administrators and its team alone."""

    class Meta:
        ordering: ClassVar = ["name"]

    def __str__(self) -> str:
        return self.name


class CaseShape(models.Model):
    """Texts of one case that are alike but for figures, and that nobody judged when they were kept: what entries are
    tried on without reading a bundle again. Made with the diagnosis of a case and replaced by the next one.
    """

    class Source(models.TextChoices):
        LOG = "log", "message of a log"
        OUTPUT = "output", "line without a reader"
        WAITS = "waits", "kind of wait"
        TABLE = "table", "row of a listing"

    case = models.ForeignKey("cases.Case", on_delete=models.CASCADE, related_name="shapes_kept")
    artifact = models.ForeignKey("cases.Artifact", null=True, on_delete=models.CASCADE, related_name="+")
    source = models.CharField(max_length=6, choices=Source.choices)
    told_by = models.CharField(max_length=64, blank=True)
    """As in an entry: program, tool or table."""
    shape = models.CharField(max_length=400)
    """In small letters, each run of digits as one 0; of a row its column and its value."""
    text = models.CharField(max_length=400)
    """The first of them as it reads: what an entry is compared with."""
    line = models.BigIntegerField()
    lines = models.BigIntegerField()
    weight = models.CharField(max_length=8, blank=True)
    """What they weigh by their own words or level: notice, trouble, disaster or nothing."""
    kind = models.CharField(max_length=80, blank=True)
    """Kind of the alarm that they were, where they were one."""
    nodes = models.JSONField(default=list)
    is_cited = models.BooleanField(default=False)
    """Whether a finding of a rule rests on them."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["source", "told_by", "case"], name="case_shape_told_by"),
            models.Index(fields=["case", "artifact"], name="case_shape_case"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(source__in=["log", "output", "waits", "table"]), name="case_shape_source_known"
            ),
        ]

    def __str__(self) -> str:
        return f"shape {self.pk} of case {self.case_id}"


class CaseDigest(models.Model):
    """What is needed to tell how the verdict of a case would read with one more entry, kept with its diagnosis."""

    case = models.OneToOneField("cases.Case", on_delete=models.CASCADE, related_name="digest")
    ranked = models.JSONField(default=list)
    """Findings above info in their order: see ``apps.diagnosis.shapes_kept``."""
    calm = models.JSONField(default=dict)
    """{title, severity, form}: the verdict if there were none of them and no doubt."""
    doubts = models.JSONField(default=list)
    """Texts of messages that nobody knows and that sound like trouble."""
    texts = models.JSONField(default=dict)
    """By number of a file: the facts beside which its shapes were made. While they stay it is not read again."""
    is_cut = models.BooleanField(default=False)
    """Whether there were more shapes than are kept."""

    def __str__(self) -> str:
        return f"digest of case {self.case_id}"


GUESSED: Final = "guessed"
SURE: Final = (("proven", "proven"), ("likely", "likely"), (GUESSED, "a guess"))


class CaseOutcome(models.Model):
    """What a case turned out to be, said by whoever closed it. The latest one counts."""

    class Found(models.TextChoices):
        FINDING = "finding", "the finding at the top"
        OTHER = "other", "another finding"
        NONE = "none", "a cause that no finding names"
        HEALTHY = "healthy", "nothing was wrong"

    case = models.ForeignKey("cases.Case", on_delete=models.CASCADE, related_name="outcomes")
    found = models.CharField(max_length=8, choices=Found.choices)
    sure = models.CharField(max_length=8, choices=SURE)
    title = models.TextField(blank=True)
    """What it was: the title of the finding as it read."""
    ref = models.CharField(max_length=60, blank=True)
    verdict = models.TextField(blank=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    at = models.DateTimeField(default=timezone.now)
    is_latest = models.BooleanField(default=True)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "-id"], name="case_outcome_case")]
        constraints: ClassVar = [
            models.CheckConstraint(
                condition=Q(found__in=["finding", "other", "none", "healthy"])
                & Q(sure__in=["proven", "likely", "guessed"]),
                name="case_outcome_known",
            ),
            models.UniqueConstraint(fields=["case"], condition=Q(is_latest=True), name="case_outcome_latest_once"),
        ]

    def __str__(self) -> str:
        return f"outcome of case {self.case_id}"


class OutcomeWord(models.Model):
    """What an outcome says of one rule, one entry or one form of a verdict that spoke in the case."""

    class About(models.TextChoices):
        RULE = "rule", "rule"
        ENTRY = "entry", "entry"
        FORM = "form", "form of a verdict"

    class Word(models.TextChoices):
        SPOKE = "spoke", "spoke"
        CONFIRMED = "confirmed", "confirmed"
        REFUTED = "refuted", "refuted"
        OVERRULED = "overruled", "overruled"

    outcome = models.ForeignKey(CaseOutcome, on_delete=models.CASCADE, related_name="words")
    about = models.CharField(max_length=5, choices=About.choices)
    name = models.CharField(max_length=80)
    word = models.CharField(max_length=9, choices=Word.choices)

    class Meta:
        indexes: ClassVar = [models.Index(fields=["about", "name"], name="outcome_word_name")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["outcome", "about", "name"], name="outcome_word_once"),
            models.CheckConstraint(
                condition=Q(
                    about__in=["rule", "entry", "form"], word__in=["spoke", "confirmed", "refuted", "overruled"]
                ),
                name="outcome_word_known",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.about} {self.name} {self.word}"


class Example(models.Model):
    """A solved case that is kept as a test: a masked copy of its facts and the finding that is expected of them."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="examples")
    case = models.ForeignKey("cases.Case", null=True, blank=True, on_delete=models.SET_NULL, related_name="examples")
    title = models.CharField(max_length=200)
    kept_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    kept_at = models.DateTimeField(default=timezone.now)
    stored = models.CharField(max_length=300)
    """Prefix of the masked facts in the storage."""
    expected = models.JSONField()
    """{ref, entry, form, severity, title}: of the verdict that was right; the title with stand-ins."""
    checked_at = models.DateTimeField(null=True, blank=True)
    checked_with = models.CharField(max_length=60, blank=True)
    """Release of the engine and version of the knowledge at the last check."""
    found = models.JSONField(default=dict)
    """The same of the verdict at the last check, or {error}."""
    is_as_expected = models.BooleanField(default=True)

    class Meta:
        ordering: ClassVar = ["-kept_at"]

    def __str__(self) -> str:
        return self.title
