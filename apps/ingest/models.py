"""The reading of a case as a whole: which state of its files was diagnosed last, and who is at it now."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Final
from uuid import uuid4

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.utils import timezone

from apps.accounts.models import Team
from apps.cases.models import Artifact, Bundle, Case, Fallible, Leased

NOBODY: Final = 0
"""In place of the number of an account: the upload came from the program itself."""


class CaseReading(Leased):
    """One row per case. ``wanted`` names the settled state of the files that asks for a diagnosis, ``done`` the one
    that has it.

    Both are empty while files are open. The lease belongs to whoever diagnoses: one at a time, or an older result might
    win.
    """

    case = models.OneToOneField(Case, on_delete=models.CASCADE, related_name="reading")
    wanted = models.CharField(max_length=80, blank=True)
    done = models.CharField(max_length=80, blank=True)
    asked_at = models.DateTimeField(null=True, blank=True)
    """When a diagnosis was last asked for, or ended."""
    message = models.CharField(max_length=500, blank=True)
    """Why the diagnosis of the state ``done`` failed; empty where it did not."""
    took_s = models.FloatField(default=0, db_default=0)
    """How long the last diagnosis took."""
    took_bytes = models.BigIntegerField(default=0, db_default=0)
    """Text that had been read when it began."""

    def __str__(self) -> str:
        return f"reading of case {self.case_id}"


class TeamTurn(models.Model):
    """When a team was last served, as the number of that turn: turns are counted, so that no clock decides
    who waits.
    """

    team = models.OneToOneField(Team, on_delete=models.CASCADE, related_name="turn")
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"turn {self.last} of team {self.team_id}"


class PersonTurn(models.Model):
    """When somebody was last served in a team, as the number of that turn."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    person = models.BigIntegerField(default=NOBODY)
    """Number of the account that sent the files, be it gone by now."""
    last = models.BigIntegerField(default=0)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["team", "person"], name="person_turn_once")]

    def __str__(self) -> str:
        return f"turn {self.last} of person {self.person}"


class UploadTurn(models.Model):
    """The line of an upload: there while files of it wait."""

    bundle = models.OneToOneField(Bundle, on_delete=models.CASCADE, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="+")
    person = models.BigIntegerField(default=NOBODY)
    last = models.BigIntegerField(default=0)

    def __str__(self) -> str:
        return f"turn {self.last} of bundle {self.bundle_id}"


class ReadingWindow(Fallible):
    """A part of a huge text that is read by itself; gone once the file is settled."""

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        READING = "reading", "reading"
        READ = "read", "read"
        FAILED = "failed", "failed"

    artifact = models.ForeignKey(Artifact, on_delete=models.CASCADE, related_name="windows")
    number = models.PositiveIntegerField()
    first_line = models.BigIntegerField()
    end_line = models.BigIntegerField(null=True)
    """The first line behind it; null for the last window."""
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    message = models.CharField(max_length=500, blank=True)
    read_bytes = models.BigIntegerField(default=0)
    before = models.CharField(max_length=64, blank=True)
    """Mark of what it took over (parsers.sections.carried_over)."""
    after = models.CharField(max_length=64, blank=True)
    """Mark of where its reader ended: that of the window below begins there, or the text is read in one go."""
    facts = models.CharField(max_length=300, blank=True)
    result = models.JSONField(default=dict, blank=True)
    """Counts of lines, as in parsers.reading.ReadResult."""
    credentials = models.JSONField(default=dict, blank=True)
    """Lines and sorts of what looks like one; never what the lines say."""

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["artifact", "number"], name="window_once")]
        indexes: ClassVar = [models.Index(fields=["state", "lease_until"], name="window_lease")]

    def __str__(self) -> str:
        return f"window {self.number} of artifact {self.artifact_id}"


class ReadingBatch(Leased):
    """Small files of one upload that are read by one task under one lease; gone once they are settled. The files name
    it (``Artifact.batch``).
    """

    class State(models.TextChoices):
        QUEUED = "queued", "queued"
        READING = "reading", "reading"

    bundle = models.ForeignKey(Bundle, on_delete=models.CASCADE, related_name="+")
    state = models.CharField(max_length=10, choices=State.choices, default=State.QUEUED)
    turn_kind = models.PositiveSmallIntegerField()
    """The line in which it stands (scheduling/turns.py)."""

    class Meta:
        indexes: ClassVar = [
            models.Index(fields=["bundle", "turn_kind"], condition=Q(state="queued"), name="batch_line"),
            models.Index(fields=["state", "lease_until"], name="batch_lease"),
        ]

    def __str__(self) -> str:
        return f"batch {self.pk} of bundle {self.bundle_id}"


def fresh_name() -> str:
    return uuid4().hex


class PartialUpload(models.Model):
    """An upload that comes in pieces and may break off. They lie in a folder, as a file of that name whose length is
    the offset, or in an object store; then the row knows all about them.
    """

    name = models.CharField(max_length=32, unique=True, default=fresh_name)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    case = models.ForeignKey(Case, on_delete=models.CASCADE, related_name="partial_uploads")
    opened_case = models.BooleanField(default=False)
    """The case was made for it: it goes again when nothing arrives."""
    filename = models.CharField(max_length=1024)
    size = models.BigIntegerField()
    sha256 = models.CharField(max_length=64, blank=True)
    """As announced by the sender; empty where it was not. What arrived is held against it."""
    metadata = models.TextField(blank=True)
    """As sent: the protocol wants it given back."""
    created_at = models.DateTimeField(default=timezone.now)
    ends_at = models.DateTimeField()
    finished_at = models.DateTimeField(null=True, blank=True)
    bundle = models.ForeignKey(Bundle, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")

    # In an object store only. The database has defaults too, for processes of the release before.
    part_bytes = models.BigIntegerField(default=0, db_default=0)
    """Of each part but the last; 0 where the pieces lie in a folder."""
    received = models.BigIntegerField(default=0, db_default=0)
    stored = models.CharField(max_length=200, blank=True, default="", db_default="")
    """The name that the whole file will have; empty before the first part, and when it has become a bundle's."""
    multipart = models.CharField(max_length=1024, blank=True, default="", db_default="")
    """The store's number of the object that its parts belong to."""
    tail = models.CharField(max_length=200, blank=True, default="", db_default="")
    """Name of the stored bytes that do not fill a part yet."""
    lease_until = models.DateTimeField(null=True, blank=True)
    lease_by = models.CharField(max_length=100, blank=True, default="", db_default="")

    class Meta:
        indexes: ClassVar = [models.Index(fields=["ends_at"], name="partial_upload_ends")]
        constraints: ClassVar = [
            models.CheckConstraint(condition=Q(size__gte=0), name="partial_upload_size_not_negative")
        ]

    def __str__(self) -> str:
        return f"partial upload {self.pk}"

    @property
    def path(self) -> Path:
        return Path(settings.UPLOADS_DIR) / self.name

    @property
    def is_in_store(self) -> bool:
        return self.part_bytes > 0

    @property
    def offset(self) -> int:
        """How many bytes need not be sent again.

        Of a whole file that is not taken over yet, because the process was killed or the storage was away, the last
        byte is asked for once more: with it the taking over is tried again.
        """
        if self.finished_at is not None:
            return self.size
        there = self.received if self.is_in_store else self._bytes_in_folder()
        return min(there, max(self.size - 1, 0))

    def _bytes_in_folder(self) -> int:
        try:
            return self.path.stat().st_size
        except FileNotFoundError:
            return 0


class UploadedPart(models.Model):
    """A part of an upload that lies in an object store. ``mark`` is the store's own, by which it is joined with the
    others.
    """

    upload = models.ForeignKey(PartialUpload, on_delete=models.CASCADE, related_name="parts")
    number = models.PositiveIntegerField()
    mark = models.CharField(max_length=200)

    class Meta:
        constraints: ClassVar = [models.UniqueConstraint(fields=["upload", "number"], name="uploaded_part_once")]

    def __str__(self) -> str:
        return f"part {self.number} of upload {self.upload_id}"
