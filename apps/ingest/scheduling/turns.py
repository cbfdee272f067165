"""Whose file is read next: that of the team which was served least lately (docs/adr/0020-turns-of-teams.md).

A message of the queue is a turn, not a file: what it reads is chosen from the rows when a worker takes it. There is a
message for every file and every window of a huge file that stands in line, so all are read, whichever message reads
which.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import BigIntegerField, F, Max, OuterRef, Q, Subquery, Value
from django.utils import timezone

from apps.accounts.models import Team
from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.models import ReadingWindow, TeamTurn

LARGE_EVERY = 4
"""One turn in so many looks at large uploads first, or small ones without end would keep them waiting without end."""
TRIES = 100
"""Each time another worker was quicker: one of them goes on, so in truth two or three are enough."""


class Kind(models.IntegerChoices):
    """Lines of their own within a team."""

    SMALL_UPLOAD = 0, "small file of a small upload"
    LARGE_UPLOAD = 1, "small file of a large upload"
    LARGE_FILE = 2, "large file"


class Turn(NamedTuple):
    """A file, or a window of a huge one."""

    pk: int
    is_window: bool = False


def queue_for(size: int) -> str:
    """Small work never waits behind large work."""
    return "light" if size < settings.LIMITS.light_bytes else "heavy"


def stand_in_line(artifact_id: int, size: int, *, of_bytes: int | None = None) -> None:
    """Before its message is sent. ``of_bytes``: the size of its upload, where that is known."""
    team = Case.objects.filter(pk=OuterRef("case_id")).values("team_id")[:1]
    kind = _kind(size, of_bytes)
    Artifact.objects.filter(pk=artifact_id).update(turn_kind=kind, turn_of=Subquery(team), turn_at=F("pk"))


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
        if found is not None:
            team_id, turn = found
            _note(team_id, number)
            return turn
    return None


def _kinds(queue: str, number: int) -> tuple[Kind, ...]:
    if queue == "heavy":
        return (Kind.LARGE_FILE,)
    in_order = (Kind.SMALL_UPLOAD, Kind.LARGE_UPLOAD)
    return in_order if number % LARGE_EVERY else in_order[::-1]


def _of_the_least_lately_served(kind: Kind) -> tuple[int, Turn] | None:
    """Team and turn. One look into the index for each team, however many files are waiting. What was begun of a huge
    file goes first.
    """
    files = Artifact.objects.filter(state=Artifact.State.QUEUED, turn_kind=kind, turn_of=OuterRef("pk")).order_by(
        "turn_at"
    )
    windows = ReadingWindow.objects.filter(
        state=ReadingWindow.State.QUEUED, artifact__case__team=OuterRef("pk")
    ).order_by("pk")
    first_window = Subquery(windows.values("pk")[:1]) if kind == Kind.LARGE_FILE else Value(None, BigIntegerField())
    teams = Team.objects.annotate(file=Subquery(files.values("pk")[:1]), window=first_window)
    waiting = (
        teams.filter(Q(file__isnull=False) | Q(window__isnull=False))
        if kind == Kind.LARGE_FILE
        else teams.filter(file__isnull=False)
    )
    found = waiting.order_by(F("turn__last").asc(nulls_first=True), "pk").values_list("pk", "file", "window").first()
    if found is None:
        return None
    team_id, file, window = found
    return team_id, Turn(file) if window is None else Turn(window, is_window=True)


def _note(team_id: int, number: int) -> None:
    if not TeamTurn.objects.filter(team=team_id).update(last=number):
        TeamTurn.objects.bulk_create([TeamTurn(team_id=team_id, last=number)], ignore_conflicts=True)


# Unpacking
# ----------------------------------------------------------------------------------------------------------------------

UPLOADS_AHEAD = {"light": 20, "heavy": 1}
FILES_AHEAD = {"light": 200, "heavy": 1}


def goes_ahead(bundle_id: int, size: int) -> bool:
    """Whether an upload is unpacked before anything is read: until its team has enough in hand, which others must not
    wait for.
    """
    queue = queue_for(size)
    team = Case.objects.filter(bundles=bundle_id).values("team_id")[:1]
    older = Bundle.objects.unsettled().filter(_of_queue(queue), case__team=Subquery(team), pk__lt=bundle_id)
    if older[: UPLOADS_AHEAD[queue]].count() >= UPLOADS_AHEAD[queue]:
        return False
    kinds = (Kind.SMALL_UPLOAD,) if queue == "light" else (Kind.LARGE_UPLOAD, Kind.LARGE_FILE)
    waiting = Artifact.objects.filter(state=Artifact.State.QUEUED, turn_kind__in=kinds, turn_of=Subquery(team))
    return waiting[: FILES_AHEAD[queue]].count() < FILES_AHEAD[queue]


def _of_queue(queue: str) -> Q:
    light = Q(size__lt=settings.LIMITS.light_bytes)
    return light if queue == "light" else ~light


def first_to_unpack() -> Iterator[tuple[int, int]]:
    """(bundle, size) of received uploads that go ahead now: what their team had in hand has been read since they were
    queued.
    """
    before = timezone.now() - timedelta(seconds=settings.LIMITS.sweep_s)
    received = Bundle.objects.filter(state=Bundle.State.RECEIVED, uploaded_at__lt=before)
    for team in received.order_by().values_list("case__team", flat=True).distinct():
        for queue, ahead in UPLOADS_AHEAD.items():
            oldest = received.filter(_of_queue(queue), case__team=team).order_by("pk")[:ahead]
            yield from (row for row in oldest.values_list("pk", "size") if goes_ahead(*row))
