"""Whose file is read next: of the team which was served least lately, in it of the person, and of that person's uploads
(docs/adr/0020-turns-of-teams.md).

A message of the queue is a turn, not a file: what it reads is chosen from the rows when a worker takes it. There is a
message for every file, every window of a huge file and every batch of small ones that stands in line, so all are read,
whichever message reads which.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import IntegrityError, models, transaction
from django.db.models import Exists, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce
from django.utils import timezone

from apps.cases.models import UNPACKING, Artifact, Bundle
from apps.ingest.live import IS_LIVE
from apps.ingest.models import NOBODY, PersonTurn, ReadingBatch, ReadingWindow, TeamTurn, UploadTurn

LARGE_EVERY = 4
"""One turn in so many looks at large uploads first, or small ones without end would keep them waiting without end."""
CLOSED_AT_ONCE = 1_000
TRIES = 100
"""Each time another worker was quicker: one of them goes on, so in truth two or three are enough."""


class Kind(models.IntegerChoices):
    """Lines of their own within a team."""

    SMALL_UPLOAD = 0, "small file of a small upload"
    LARGE_UPLOAD = 1, "small file of a large upload"
    LARGE_FILE = 2, "large file"


class Turn(NamedTuple):
    """A file, a window of a huge one, or a batch of small ones."""

    pk: int
    is_window: bool = False
    is_batch: bool = False


def queue_for(size: int) -> str:
    """Small work never waits behind large work."""
    return "light" if size < settings.LIMITS.light_bytes else "heavy"


def stand_in_line(artifact_id: int, size: int, *, of_bytes: int | None = None) -> None:
    """Before its message is sent. ``of_bytes``: the size of its upload, where that is known."""
    Artifact.objects.filter(pk=artifact_id).update(turn_kind=_kind(size, of_bytes), turn_at=F("pk"))
    if not UploadTurn.objects.filter(bundle__artifacts=artifact_id).exists():
        _open_lines(Bundle.objects.filter(artifacts=artifact_id))


def kind_of_batch(of_bytes: int) -> Kind:
    """Where small files of an upload of that size stand in line."""
    return _kind(0, of_bytes)


def stand_in_line_together(batch_id: int) -> None:
    """A batch, before its message is sent."""
    uploads = Bundle.objects.filter(pk__in=ReadingBatch.objects.filter(pk=batch_id).values("bundle"))
    if not UploadTurn.objects.filter(bundle__in=uploads).exists():
        _open_lines(uploads)


def _open_lines(uploads: models.QuerySet[Bundle]) -> int:
    """A line for each of these uploads; how many of them there are. One that is removed meanwhile needs none."""
    opened = 0
    for pk, team, person in uploads.values_list("pk", "case__team", "uploaded_by"):
        with suppress(IntegrityError), transaction.atomic():
            line = UploadTurn(bundle_id=pk, team_id=team, person=person or NOBODY)
            UploadTurn.objects.bulk_create([line], ignore_conflicts=True)
        opened += 1
    return opened


def close_lines() -> None:
    """Of uploads that have nothing waiting any more."""
    waiting = Artifact.objects.filter(state=Artifact.State.QUEUED, bundle=OuterRef("bundle"))
    windows = ReadingWindow.objects.filter(state=ReadingWindow.State.QUEUED, artifact__bundle=OuterRef("bundle"))
    settled = UploadTurn.objects.exclude(bundle__state__in=UNPACKING)
    for pk in settled.filter(~Exists(waiting), ~Exists(windows)).values_list("pk", flat=True)[:CLOSED_AT_ONCE]:
        # One by one: who removes a case holds several, in an order of its own.
        UploadTurn.objects.filter(~Exists(waiting), ~Exists(windows), pk=pk).delete()


def _kind(size: int, of_bytes: int | None) -> Kind:
    if queue_for(size) == "heavy":
        return Kind.LARGE_FILE
    is_small = of_bytes is not None and queue_for(of_bytes) == "light"
    return Kind.SMALL_UPLOAD if is_small else Kind.LARGE_UPLOAD


def waiting(queue: str) -> Iterator[Turn]:
    """What to try, for a turn of that queue: the next is chosen when somebody else took the one before. Ends where
    nothing is waiting.
    """
    for _ in range(TRIES):
        found = _next(queue)
        if found is None:
            return
        yield found


def _next(queue: str) -> Turn | None:
    number = 1 + (TeamTurn.objects.aggregate(last=Max("last"))["last"] or 0)
    for kind in _kinds(queue, number):
        found = _of_the_least_lately_served(kind)
        if found is None and _open_lines(_without_line(kind)):
            found = _of_the_least_lately_served(kind)
        if found is not None:
            line, turn = found
            _note(line, number)
            return turn
    return None


def _without_line(kind: Kind) -> models.QuerySet[Bundle]:
    """Uploads with files in line that passed to them from another upload, or were lined up by an earlier release."""
    waiting = Artifact.objects.filter(batch__isnull=True, state=Artifact.State.QUEUED, turn_kind=kind)
    together = ReadingBatch.objects.filter(state=ReadingBatch.State.QUEUED, turn_kind=kind)
    lines = UploadTurn.objects.values("bundle")
    missing = Q(pk__in=waiting.exclude(bundle__in=lines).values("bundle"))
    missing |= Q(pk__in=together.exclude(bundle__in=lines).values("bundle"))
    return Bundle.objects.filter(missing, case__trashed_at__isnull=True)


def _kinds(queue: str, number: int) -> tuple[Kind, ...]:
    if queue == "heavy":
        return (Kind.LARGE_FILE,)
    in_order = (Kind.SMALL_UPLOAD, Kind.LARGE_UPLOAD)
    return in_order if number % LARGE_EVERY else in_order[::-1]


def _of_the_least_lately_served(kind: Kind) -> tuple[UploadTurn, Turn] | None:
    """The line and what is taken from it: of the team, of its people, and of their uploads the one that waits longest.
    One look into the index for each upload, however many files are waiting. What was begun of a huge file goes first.
    """
    of_upload = {"state": Artifact.State.QUEUED, "turn_kind": kind, "bundle": OuterRef("bundle")}
    files = Artifact.objects.filter(batch__isnull=True, **of_upload).order_by("turn_at")
    batches = ReadingBatch.objects.filter(**of_upload).order_by("pk")
    windows = ReadingWindow.objects.filter(state=ReadingWindow.State.QUEUED, artifact__bundle=OuterRef("bundle"))
    has_windows = kind == Kind.LARGE_FILE
    others = windows.order_by("pk") if has_windows else batches
    of_person = PersonTurn.objects.filter(team=OuterRef("team"), person=OuterRef("person")).values("last")[:1]
    lines = UploadTurn.objects.filter(bundle__case__trashed_at__isnull=True).annotate(
        file=Subquery(files.values("pk")[:1]), other=Subquery(others.values("pk")[:1])
    )
    waiting = lines.filter(Q(file__isnull=False) | Q(other__isnull=False))
    in_order = waiting.annotate(of_team=Coalesce("team__turn__last", 0), of_person=Coalesce(Subquery(of_person), 0))
    line = in_order.order_by("of_team", "team", "of_person", "person", "last", "bundle").first()
    if line is None:
        return None
    if has_windows:
        return line, Turn(line.file) if line.other is None else Turn(line.other, is_window=True)
    return line, Turn(line.other, is_batch=True) if line.file is None else Turn(line.file)


def _note(line: UploadTurn, number: int) -> None:
    UploadTurn.objects.filter(pk=line.pk).update(last=number)
    if not PersonTurn.objects.filter(team=line.team_id, person=line.person).update(last=number):
        first = PersonTurn(team_id=line.team_id, person=line.person, last=number)
        PersonTurn.objects.bulk_create([first], ignore_conflicts=True)
    if not TeamTurn.objects.filter(team=line.team_id).update(last=number):
        TeamTurn.objects.bulk_create([TeamTurn(team_id=line.team_id, last=number)], ignore_conflicts=True)


# Unpacking
# ----------------------------------------------------------------------------------------------------------------------

UPLOADS_AHEAD = {"light": 20, "heavy": 1}


def goes_ahead(bundle_id: int, size: int) -> bool:
    """Whether an upload is unpacked before anything is read: until its sender has so many others in hand, which nobody
    must wait for. However many files these hold: their lines take turns.
    """
    queue = queue_for(size)
    sent = Bundle.objects.filter(pk=bundle_id).values_list("case__team", "uploaded_by").first()
    if sent is None:
        return True
    others = Bundle.objects.filter(IS_LIVE, _of_queue(queue), case__team=sent[0], uploaded_by=sent[1])
    older = others.unsettled().filter(pk__lt=bundle_id)[: UPLOADS_AHEAD[queue]].count()
    waiting = Artifact.objects.filter(state=Artifact.State.QUEUED, bundle=OuterRef("pk"))
    in_line = others.filter(Exists(waiting), pk__in=UploadTurn.objects.values("bundle")).exclude(pk=bundle_id)
    unpacked = in_line.exclude(state__in=UNPACKING)[: UPLOADS_AHEAD[queue]].count()
    return older + unpacked < UPLOADS_AHEAD[queue]


def _of_queue(queue: str) -> Q:
    light = Q(size__lt=settings.LIMITS.light_bytes)
    return light if queue == "light" else ~light


def first_to_unpack() -> Iterator[tuple[int, int]]:
    """(bundle, size) of received uploads that go ahead now: what their sender had in hand has been read since they were
    queued.
    """
    before = timezone.now() - timedelta(seconds=settings.LIMITS.sweep_s)
    received = Bundle.objects.filter(IS_LIVE, state=Bundle.State.RECEIVED, uploaded_at__lt=before)
    for team, person in received.order_by().values_list("case__team", "uploaded_by").distinct():
        for queue, ahead in UPLOADS_AHEAD.items():
            oldest = received.filter(_of_queue(queue), case__team=team, uploaded_by=person).order_by("pk")[:ahead]
            yield from (row for row in oldest.values_list("pk", "size") if goes_ahead(*row))
