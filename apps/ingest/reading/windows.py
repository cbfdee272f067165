"""A huge text is read in windows, each a task of its own, by several workers; a last task joins what they found.

While windows are open the row of the file says that it is being read, and nobody holds it. Whoever reads the last
window queues the file once more: then the windows are joined. Where one did not begin as the one above it ended, the
whole is read in one go instead, so that what is found never depends on where a text was cut
(docs/adr/0019-windows-of-huge-files.md).
"""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from itertools import islice, pairwise
from pathlib import Path
from typing import Any

import polars as pl
from django.conf import settings
from django.db import transaction
from django.db.models import Exists, OuterRef, Q, Sum

from apps.cases import storage
from apps.cases.models import Artifact, Failure
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import TextBlob
from apps.diagnosis.engine.analysis import read_window
from apps.diagnosis.engine.core.facts.store import FactsWriter
from apps.ingest import leases
from apps.ingest.live import IS_OF_LIVE, case_locked_first
from apps.ingest.models import ReadingWindow
from apps.ingest.reading.failures import NOT_THE_PARSER, Failed, worked
from apps.ingest.reading.watched import Watched
from apps.privacy.credentials import MOST_KEPT, CredentialScan, Found
from parsers.reading import Hints, ReadResult
from parsers.sections.windows import Place, first_cut, is_whole, joined, opening_of, state_above, until

SEARCHED_BLOCKS = 2
"""A cut is looked for in so many blocks of 4 MiB."""
HEAD_BYTES = 1 << 20
OPEN = (ReadingWindow.State.QUEUED, ReadingWindow.State.READING)


def begin(artifact: Artifact, holder: str, text: TextBlob) -> bool:
    """Give a huge text over to windows. False where it is not huge, or cannot be cut: then it is to be read
    in one go.
    """
    firsts = [1, *_cuts(text)]
    if len(firsts) == 1:
        return False
    ends: list[int | None] = [*firsts[1:], None]
    with case_locked_first(artifact.case_id):
        rows = enumerate(zip(firsts, ends, strict=True))
        ReadingWindow.objects.bulk_create(
            [
                ReadingWindow(artifact=artifact, number=number, first_line=first, end_line=end)
                for number, (first, end) in rows
            ]
        )
        hand_back(artifact, holder)
    return True


def _cuts(text: TextBlob) -> Iterator[int]:
    """First lines of all windows but the first."""
    size, last = settings.LIMITS.window_bytes, 1
    for at in range(size, text.text_bytes - size + 1, size):
        cut = first_cut(islice(text.blocks(text.line_at(at)), SEARCHED_BLOCKS))
        if cut is not None and cut > last:
            yield cut
            last = cut
        elif last == 1:
            return  # such a text has nothing to cut at


def hand_back(artifact: Artifact, holder: str) -> None:
    """The file goes on being read, by those who hold its windows."""
    leases.settle(Artifact.objects.filter(pk=artifact.pk), holder, attempts=0)


def of(artifact_id: int) -> list[ReadingWindow]:
    """In the order of the text; none for a file that is read in one go."""
    return list(ReadingWindow.objects.filter(artifact=artifact_id).order_by("number"))


def are_open(artifact_id: int) -> bool:
    return ReadingWindow.objects.filter(artifact=artifact_id, state__in=OPEN).exists()


def waiting(artifact_id: int) -> list[int]:
    """Windows that nobody has taken up."""
    rows = ReadingWindow.objects.filter(artifact=artifact_id, state=ReadingWindow.State.QUEUED)
    return list(rows.order_by("number").values_list("pk", flat=True))


def is_left() -> Q:
    """Files whose windows are all read, and which nobody has taken up since."""
    still_open = ReadingWindow.objects.filter(artifact=OuterRef("pk"), state__in=OPEN)
    return Q(~Exists(still_open), state=Artifact.State.READING, lease_until__isnull=True, batch__isnull=True)


def read(window_id: int) -> int | None:
    """Read one window. The file that it belongs to; None where another task has the window, had it, or it is gone."""
    rows = ReadingWindow.objects.filter(IS_OF_LIVE, pk=window_id)
    holder = leases.claim(rows, states=(ReadingWindow.State.QUEUED,), working=ReadingWindow.State.READING, read_bytes=0)
    window = rows.select_related("artifact").first() if holder else None
    if holder is None or window is None:
        return None
    is_done = worked(window.attempts, partial(_fail, window, holder), partial(_read, window, holder))
    return window.artifact_id if is_done else None


def _read(window: ReadingWindow, holder: str, folder: Path) -> None:
    watched, artifact = Watched(), window.artifact
    with leases.renewed(
        ReadingWindow.objects.filter(IS_OF_LIVE, pk=window.pk), holder, _progress(window, watched)
    ) as check:
        with storage.open_file(artifact.blob) as file:
            text = TextBlob.open(file)
            place, hints = _place(text, window, artifact.path), Hints(path=artifact.path)
            blocks = watched.blocks(until(text.blocks(window.first_line), window.end_line), check)
            result, failure, after = read_window(blocks, FactsWriter(folder), hints, place, passing=NOT_THE_PARSER)
        check()
        if failure:
            _fail(window, holder, Failed(Failure.DEFECT, failure).of_reading())
            return
        _succeed(
            window,
            holder,
            folder,
            result=asdict(result),
            credentials=_credentials_in(watched.credentials),
            after=after,
            before=place.above.mark if place.above is not None else "",
            read_bytes=watched.bytes,
        )


def _place(text: TextBlob, window: ReadingWindow, path: str) -> Place:
    first = next(iter(text.blocks(1)))
    opening = opening_of(first)
    if window.number == 0:
        return Place(opening=opening)
    head_end = min(text.line_at(HEAD_BYTES), window.first_line)
    near = max(head_end, text.line_above(window.first_line))
    head, stretch = until(text.blocks(1), head_end), until(text.blocks(near), window.first_line)
    return Place(window.number, state_above(opening, head, stretch, near, Hints(path=path)), opening)


def _progress(window: ReadingWindow, watched: Watched) -> Callable[[], dict[str, int]]:
    """How far the window is; on the row of the file, how far all of them are."""

    def write() -> dict[str, int]:
        others = (
            ReadingWindow.objects.filter(artifact=window.artifact_id)
            .exclude(pk=window.pk)
            .aggregate(n=Sum("read_bytes"))
        )
        reading = Artifact.objects.filter(pk=window.artifact_id, state=Artifact.State.READING)
        reading.update(read_bytes=(others["n"] or 0) + watched.bytes)
        return watched.progress()

    return write


def _succeed(window: ReadingWindow, holder: str, folder: Path, **outcome: Any) -> None:
    place = f"{storage.windows_prefix(window.artifact.case_id, window.artifact_id)}{window.number}-{holder[:8]}/"
    parts = sorted(folder.iterdir())
    prefix = place if parts else ""  # of a window without records nothing is stored
    rows = ReadingWindow.objects.filter(IS_OF_LIVE, pk=window.pk)
    with Stored(prefix, ReadingWindow.objects.filter(facts=prefix)) as kept:
        for part in parts:
            with part.open("rb") as file:
                storage.save_as(f"{prefix}{part.name}", file)
        with kept.row():
            leases.settle(rows, holder, state=ReadingWindow.State.READ, facts=prefix, **outcome)


def _fail(window: ReadingWindow, holder: str, why: dict[str, str]) -> None:
    leases.settle(
        ReadingWindow.objects.filter(IS_OF_LIVE, pk=window.pk), holder, state=ReadingWindow.State.FAILED, **why
    )


def _credentials_in(scan: CredentialScan) -> dict[str, Any]:
    return {"found": [[one.line, one.sort] for one in scan.found], "count": scan.count, "is_cut": scan.is_cut}


def join(windows: Sequence[ReadingWindow], folder: Path) -> tuple[ReadResult, CredentialScan] | None:
    """The facts of all windows as those of one text, in ``folder``. None where together they are not what one reading
    gives.
    """
    results = [ReadResult(**window.result) for window in windows]
    whole = joined(results)
    if any(above.after != below.before or not above.after for above, below in pairwise(windows)) or not is_whole(
        whole.formats, results
    ):
        return None
    numbers: Counter[str] = Counter()
    sections = 0
    for window, result in zip(windows, results, strict=True):
        for part in sorted(storage.local_path(window.facts).iterdir()) if window.facts else ():
            stem = part.stem.rpartition("-")[0]
            target = folder / f"{stem}-{numbers[stem]:04d}.parquet"
            numbers[stem] += 1
            if stem == "section":
                pl.read_parquet(part).with_columns(pl.col("index") + sections).write_parquet(target, compression="zstd")
            else:
                shutil.copyfile(part, target)
        sections += result.sections
    return whole, _credentials(windows)


def _credentials(windows: Sequence[ReadingWindow]) -> CredentialScan:
    scan = CredentialScan()
    for window in windows:
        found = [Found(line, sort) for line, sort in window.credentials["found"]]
        scan.found = [*scan.found, *found][:MOST_KEPT]
        scan.count += window.credentials["count"]
        scan.is_cut = scan.is_cut or window.credentials["is_cut"]
    return scan


def forget(artifact: Artifact) -> None:
    """The file is settled: its windows are of no more use."""
    if ReadingWindow.objects.filter(artifact=artifact.pk).delete()[0]:
        transaction.on_commit(lambda: _remove_files(artifact))


def _remove_files(artifact: Artifact) -> None:
    with suppress(OSError):
        storage.delete_prefix(storage.windows_prefix(artifact.case_id, artifact.pk))
