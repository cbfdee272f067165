"""A case and what was uploaded to it: bundles, the files in them, problems, notes, people."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Self

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from apps.accounts.models import Role, Team

if TYPE_CHECKING:
    from django.contrib.auth.models import AnonymousUser

    from apps.accounts.models import User

UNSETTLED = ("queued", "reading")
UNPACKING = ("received", "expanding")


class Severity(models.TextChoices):
    CRITICAL = "critical", "critical"
    HIGH = "high", "high"
    MEDIUM = "medium", "medium"
    LOW = "low", "low"
    INFO = "info", "info"


class Failure(models.TextChoices):
    """Why a file or an upload failed. Only what failed at the storage is tried again by itself."""

    STORAGE = "storage", "the storage was away or full"
    TIME = "time", "it took too long"
    DEFECT = "defect", "the program or the stored text is at fault"
    DIED = "died", "its worker died each time"
    LIMIT = "limit", "it needed too much memory"


class KeySequence(models.Model):
    """The last number given out under a prefix. Its row is updated before it is read, so two cases never get
    one key.
    """

    prefix = models.CharField(max_length=12, unique=True)
    last = models.BigIntegerField()

    def __str__(self) -> str:
        return f"{self.prefix}-{self.last}"


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


class Case(models.Model):
    """One support investigation. What the list of cases shows is kept here, written together with the diagnosis it
    comes from.
    """

    class State(models.TextChoices):
        NEW = "new", "new"
        IN_WORK = "in_work", "in work"
        WAITING = "waiting", "waiting for customer"
        SOLVED = "solved", "solved"

    key = models.CharField(max_length=40, unique=True)
    title = models.CharField(max_length=200)
    customer = models.CharField(max_length=120, blank=True)
    ticket = models.CharField(max_length=80, blank=True)
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="cases")
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.NEW)
    solution = models.TextField(max_length=2000, blank=True)
    """By what it was solved, in the words of whoever set the state."""
    assignee = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="assigned_cases"
    )
    is_sample = models.BooleanField(default=False)
    created_at = models.DateTimeField(default=timezone.now)
    updated_at = models.DateTimeField(default=timezone.now)
    trashed_at = models.DateTimeField(null=True, blank=True)
    archived_at = models.DateTimeField(null=True, blank=True)
    """Kept for reading only, out of the list."""

    # A legal hold: while it is set, nothing of the case is removed, by whatever rule or person.
    held_at = models.DateTimeField(null=True, blank=True)
    held_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    hold_reason = models.CharField(max_length=500, blank=True)

    # The clock of the customer's nodes; empty and null while it is not known.
    zone_name = models.CharField(max_length=60, blank=True)
    zone_min = models.IntegerField(null=True, blank=True)

    # From the current diagnosis, for the list of cases.
    current_diagnosis = models.ForeignKey(
        "diagnosis.Diagnosis", null=True, blank=True, on_delete=models.SET_NULL, related_name="+"
    )
    severity = models.CharField(max_length=10, choices=Severity.choices, blank=True)
    verdict = models.TextField(blank=True)
    products = models.JSONField(default=list, blank=True)
    nodes_n = models.IntegerField(null=True, blank=True)
    window_start_us = models.BigIntegerField(null=True, blank=True)
    window_end_us = models.BigIntegerField(null=True, blank=True)
    longest_s = models.FloatField(null=True, blank=True)
    spark = models.JSONField(default=list, blank=True)
    """Up to 40 numbers, the longest wait per bucket of the window; null where there is no sample."""
    search_text = models.TextField(blank=True, editable=False)
    """Key, title, customer, ticket, nodes and verdict in lower case."""

    objects = CaseQuerySet.as_manager()

    role: Role | None = None
    """What the person may do for whom this object was fetched; set by the access decorator, not a column."""
    visit: CaseVisit | None = None
    """By which stated reason an administrator from outside reads it; set by the access decorator."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["team", "-updated_at"], name="case_team_updated"),
            models.Index(fields=["-updated_at", "-id"], name="case_updated"),
            models.Index(  # the counts beside the list are made from it alone
                fields=["severity", "state", "assignee", "team", "products"],
                name="case_choices",
                condition=Q(trashed_at__isnull=True, archived_at__isnull=True),
            ),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(key=""), name="case_has_key"),
            models.CheckConstraint(condition=~Q(title=""), name="case_has_title"),
            models.CheckConstraint(
                condition=Q(severity="") | Q(severity__in=Severity.values), name="case_severity_known"
            ),
            models.CheckConstraint(
                condition=Q(window_start_us__isnull=True, window_end_us__isnull=True)
                | Q(window_end_us__gte=F("window_start_us")),
                name="case_window_in_order",
            ),
            models.CheckConstraint(
                condition=Q(state__in=["new", "in_work", "waiting", "solved"]), name="case_state_known"
            ),
            models.CheckConstraint(
                condition=Q(held_at__isnull=True) | ~Q(hold_reason=""), name="case_hold_has_a_reason"
            ),
        ]

    def __str__(self) -> str:
        return self.key

    @property
    def verdict_form(self) -> str:
        """What the verdict is worth, of ``diagnosis.models.Form``; nothing while there is none."""
        shown = self.current_diagnosis
        return shown.verdict_form if shown is not None and self.verdict else ""

    @property
    def is_trashed(self) -> bool:
        return self.trashed_at is not None

    @property
    def is_archived(self) -> bool:
        return self.archived_at is not None

    @property
    def is_held(self) -> bool:
        return self.held_at is not None

    @property
    def may_edit(self) -> bool:
        """An archived case is for reading, whoever looks at it."""
        return self.role is not None and self.role.reaches(Role.EDITOR) and not self.is_archived

    @property
    def may_own(self) -> bool:
        return self.role is Role.OWNER


class CaseMembership(models.Model):
    """Somebody from outside the team, or with another role than in the team, for this one case."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="case_memberships")
    role = models.CharField(max_length=10, choices=Role.choices, default=Role.VIEWER)

    class Meta:
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["case", "user"], name="case_membership_once"),
            models.CheckConstraint(condition=Q(role__in=Role.values), name="case_membership_role_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user_id} in {self.case_id} as {self.role}"


class CaseVisit(models.Model):
    """An administrator who is on neither the team nor the case reads it for a while, having said why."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="visits")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="case_visits")
    reason = models.CharField(max_length=500)
    begun_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "user", "ends_at"], name="case_visit_open")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=~Q(reason=""), name="case_visit_has_a_reason"),
            models.CheckConstraint(condition=Q(ends_at__gte=F("begun_at")), name="case_visit_ends_after_its_start"),
        ]

    def __str__(self) -> str:
        return f"visit {self.pk}"


class SavedView(models.Model):
    """A list of cases that somebody comes back to, by a name of its own: what is searched, chosen and sorted."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="saved_views")
    name = models.CharField(max_length=60)
    address = models.CharField(max_length=2000)
    """Query string of the list, from its question mark on."""

    class Meta:
        ordering: ClassVar = ["name"]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["user", "name"], name="saved_view_once"),
            models.CheckConstraint(condition=~Q(name=""), name="saved_view_has_a_name"),
        ]

    def __str__(self) -> str:
        return self.name


class Leased(models.Model):
    """A row that a task works on: it holds a lease and renews it; an expired lease means that its worker is gone."""

    lease_until = models.DateTimeField(null=True, blank=True)
    lease_by = models.CharField(max_length=100, blank=True)
    attempts = models.PositiveSmallIntegerField(default=0)

    class Meta:
        abstract = True


class Fallible(Leased):
    """A row of work that may fail: ``message`` is the sentence for people, made from ``failure``, which decides what
    follows.
    """

    failure = models.CharField(max_length=10, choices=Failure.choices, blank=True, default="", db_default="")
    """Empty unless the row has failed."""

    class Meta:
        abstract = True


class BundleQuerySet(models.QuerySet["Bundle"]):
    def unsettled(self) -> Self:
        return self.filter(state__in=UNPACKING)


class Bundle(Fallible):
    """One uploaded file: an archive, a compressed file or a plain text."""

    class State(models.TextChoices):
        RECEIVED = "received", "received"
        EXPANDING = "expanding", "expanding"
        EXPANDED = "expanded", "expanded"
        FAILED = "failed", "failed"
        SKIPPED = "skipped", "skipped"

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="bundles")
    filename = models.CharField(max_length=1024)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64)
    stored = models.CharField(max_length=300, blank=True)
    """Name in the storage; empty for a duplicate, whose bytes are those of the other bundle."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.RECEIVED)
    message = models.CharField(max_length=500, blank=True)
    uploaded_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    uploaded_at = models.DateTimeField(default=timezone.now)
    expanded_bytes = models.BigIntegerField(default=0)
    members = models.IntegerField(default=0)
    duplicate_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="duplicates"
    )
    told_at = models.DateTimeField(null=True, blank=True)
    """When people were told that it has been read, or can't be; null before."""

    objects = BundleQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["case", "sha256"], name="bundle_case_hash"),
            models.Index(fields=["state", "lease_until"], name="bundle_lease"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(size__gte=0), name="bundle_size_not_negative"),
            models.CheckConstraint(
                condition=Q(state__in=["received", "expanding", "expanded", "failed", "skipped"]),
                name="bundle_state_known",
            ),
            models.CheckConstraint(
                condition=Q(failure="") | Q(failure__in=Failure.values), name="bundle_failure_known"
            ),
        ]

    def __str__(self) -> str:
        return f"bundle {self.pk}"


class ArtifactQuerySet(models.QuerySet["Artifact"]):
    def unsettled(self) -> Self:
        return self.filter(state__in=UNSETTLED)

    def originals(self) -> Self:
        return self.filter(duplicate_of__isnull=True)


class Artifact(Fallible):
    """One file of a bundle. `blob` is its text as the parsers count lines; `facts` names what was read from it
    (apps/cases/files/facts_place.py).
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        READING = "reading", "reading"
        PARSED = "parsed", "parsed"
        PARTLY = "partly", "partly parsed"
        FAILED = "failed", "failed"
        SKIPPED = "skipped", "skipped"

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="artifacts")
    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="artifacts")
    path = models.CharField(max_length=1024)
    """As displayed; never used to open anything."""
    size = models.BigIntegerField(default=0)
    sha256 = models.CharField(max_length=64, blank=True)
    modified_us = models.BigIntegerField(null=True, blank=True)
    """When it was last written, UTC, where its archive tells: it gives a year to dates without one."""
    duplicate_of = models.ForeignKey(
        "self", null=True, blank=True, on_delete=models.SET_NULL, related_name="duplicates"
    )
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.CharField(max_length=500, blank=True)
    blob = models.CharField(max_length=300, blank=True)
    read_bytes = models.BigIntegerField(default=0)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    # What reading found; null until it has been read.
    lines_total = models.BigIntegerField(null=True, blank=True)
    lines_understood = models.BigIntegerField(null=True, blank=True)
    lines_ignored = models.BigIntegerField(null=True, blank=True)
    lines_not_understood = models.BigIntegerField(null=True, blank=True)
    records = models.BigIntegerField(null=True, blank=True)
    formats = models.JSONField(default=list, blank=True)
    nodes = models.JSONField(default=list, blank=True)
    captured_us = models.BigIntegerField(null=True, blank=True)
    sections_n = models.IntegerField(null=True, blank=True)
    problems_n = models.IntegerField(default=0)
    parser_version = models.CharField(max_length=40, blank=True)
    facts = models.CharField(max_length=300, blank=True)
    facts_generation = models.IntegerField(default=0)

    # Where it stands in line while it is queued (apps/ingest/scheduling/turns.py); null before it was sent for reading.
    turn_kind = models.PositiveSmallIntegerField(null=True, blank=True)
    turn_of = models.BigIntegerField(null=True, blank=True)
    """The team, for processes of the release before; goes with the next."""
    turn_at = models.BigIntegerField(null=True, blank=True)
    """Its place among those of its upload and kind."""
    batch = models.BigIntegerField(null=True, blank=True)
    """The batch of small files that it waits or is read with (apps/ingest/models.py); null once it is settled."""

    objects = ArtifactQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["bundle", "turn_kind", "turn_at"], condition=Q(state="queued"), name="artifact_line"),
            models.Index(fields=["batch"], condition=Q(batch__isnull=False), name="artifact_batch"),
            models.Index(fields=["case", "state"], name="artifact_case_state"),
            models.Index(fields=["case", "sha256"], name="artifact_case_hash"),
            models.Index(fields=["bundle", "path"], name="artifact_bundle_path"),
            models.Index(fields=["state", "lease_until"], name="artifact_lease"),
        ]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(size__gte=0), name="artifact_size_not_negative"),
            models.CheckConstraint(
                condition=Q(state__in=["queued", "reading", "parsed", "partly", "failed", "skipped"]),
                name="artifact_state_known",
            ),
            models.CheckConstraint(
                condition=Q(failure="") | Q(failure__in=Failure.values), name="artifact_failure_known"
            ),
            # The law of every parser, kept on the row too.
            models.CheckConstraint(
                condition=Q(lines_total__isnull=True)
                | Q(lines_total=F("lines_understood") + F("lines_ignored") + F("lines_not_understood")),
                name="artifact_every_line_counted",
            ),
        ]

    def __str__(self) -> str:
        return f"artifact {self.pk}"

    @property
    def is_settled(self) -> bool:
        return self.state not in (self.State.QUEUED, self.State.READING)


class SkippedShape(models.Model):
    """Lines of one file that reading did not understand and that differ in numbers only; the raw material for the next
    parser.
    """

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="shapes")
    shape = models.CharField(max_length=160)
    """The line with numbers and addresses blanked."""
    reason = models.CharField(max_length=120, blank=True)
    lines = models.IntegerField()
    """Lines of this shape among those that reading keeps; it keeps the first ones and counts all."""
    first_line = models.BigIntegerField()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["shape"], name="shape_text")]
        constraints: ClassVar = [
            models.UniqueConstraint(fields=["artifact", "shape"], name="shape_once_per_file"),
            models.CheckConstraint(condition=Q(lines__gte=1, first_line__gte=1), name="shape_has_a_line"),
        ]

    def __str__(self) -> str:
        return f"shape {self.pk}"


class BundleProblem(models.Model):
    """What could not be read, or only in part: a member of a bundle (artifact is null where none was made), or a line
    of a file.
    """

    class Stage(models.TextChoices):
        UNPACKING = "unpacking", "unpacking"
        READING = "reading", "reading"

    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="problems")
    artifact = models.ForeignKey(Artifact, null=True, blank=True, on_delete=models.CASCADE, related_name="problems")
    path = models.CharField(max_length=1024, blank=True)
    line = models.BigIntegerField(null=True, blank=True)
    message = models.CharField(max_length=500)
    stage = models.CharField(max_length=10, choices=Stage.choices, default=Stage.READING, db_default=Stage.READING)
    """Which step found it: a file that is read again loses what its reading found before, and keeps the rest."""

    class Meta:
        ordering: ClassVar = ["id"]

    def __str__(self) -> str:
        return f"problem {self.pk}"


class NoteQuerySet(models.QuerySet["Note"]):
    def pinned_to_moments(self) -> Self:
        return self.filter(at_us__isnull=False)


class Note(models.Model):
    """What a person wrote, in Markdown: about the case, a moment, a line of a file, or a finding."""

    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="notes")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    text = models.TextField(max_length=20_000)
    at_us = models.BigIntegerField(null=True, blank=True)
    artifact = models.ForeignKey(Artifact, null=True, blank=True, on_delete=models.SET_NULL, related_name="notes")
    line = models.BigIntegerField(null=True, blank=True)
    finding_ref = models.CharField(max_length=60, blank=True)
    span = models.CharField(max_length=200, blank=True)
    """Node and thread of the wait that it is pinned to, from `at_us` to `end_us`."""
    end_us = models.BigIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)
    edited_at = models.DateTimeField(null=True, blank=True)

    objects = NoteQuerySet.as_manager()

    class Meta:
        indexes: ClassVar = [models.Index(fields=["case", "created_at"], name="note_case_created")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(line__isnull=True) | Q(line__gte=1), name="note_line_counts_from_one"),
            models.CheckConstraint(condition=~Q(text=""), name="note_has_text"),
        ]

    def __str__(self) -> str:
        return f"note {self.pk}"
