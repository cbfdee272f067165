"""From a stored bundle to its files: walk the archive once, keep each text seekable, and say what could not be kept.

Small files are gathered: their rows are written together, and they are read as a batch. The first ones are few, so that
reading begins at once and a small upload is shared by all workers; the more were found, the more go together.

Safe to run again after a worker was killed: files that an earlier run has made are kept as they are.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import field, replace
from io import BytesIO
from tempfile import SpooledTemporaryFile, TemporaryFile
from typing import IO, BinaryIO, NamedTuple, cast

from django.conf import settings
from django.db import OperationalError

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, BundleProblem
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import BadTextBlobError, TextBlob, TextBlobWriter
from apps.diagnosis.engine.analysis import HashingStream, modified_us
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.ingest import leases
from apps.ingest.live import IS_LIVE, lock_case_first
from apps.ingest.models import ReadingBatch
from apps.ingest.reading.batches import MOST_BYTES, MOST_FILES, SMALL_BYTES
from apps.ingest.reading.failures import NOT_FAILED, Failed, because_of, died
from apps.ingest.scheduling.turns import kind_of_batch
from parsers.archives.bundle import BundleLimits, joined, walk
from parsers.dataclass import dataclass
from parsers.headings.paths import contradict
from parsers.lookup import placed
from parsers.text import Block, LongLines, Readable, blocks, looks_binary

logger = logging.getLogger(__name__)

EMPTY = "The file is empty."
SAME_BYTES = "The same bytes as {path}: counted once."
MORE_PROBLEMS = "{n} more problems of this bundle are not listed."
PROBLEMS_KEPT = 5_000
TWINS_MOST = 1_000
HASHES_A_QUERY = 500
GROWS_BY = 4
"""A batch holds at most so many times fewer files than were found before it."""
WAITS_S = 3
"""So long a small file waits for others."""
STORED_AT_ONCE = 8
MANY_MEMBERS = 2_000
"""An upload of more is a large one, however few bytes it has: it would keep small ones waiting."""


class ToRead(NamedTuple):
    """A file that waits to be read, or a batch of them."""

    pk: int
    size: int
    is_batch: bool = False


@dataclass(frozen=True, slots=True)
class Spooled:
    """A member as it is kept if it is text: a blob in a temporary file, which stays in memory while it is small."""

    path: str
    size: int
    sha256: str
    is_text: bool
    long: LongLines
    modified_us: int | None
    blob: IO[bytes]


@dataclass(slots=True)
class Gathered:
    """Small files that have no rows yet."""

    files: list[Spooled] = field(default_factory=list)
    size: int = 0
    since: float = 0.0

    def add(self, file: Spooled) -> None:
        self.since = self.since if self.files else time.monotonic()
        self.files.append(file)
        self.size += file.size

    def is_due(self, small: int) -> bool:
        """Whether a batch is full. small: small files that had rows before."""
        most = min(MOST_FILES, 1 + small // GROWS_BY)
        return len(self.files) >= most or self.size >= MOST_BYTES or self.is_old

    @property
    def is_old(self) -> bool:
        return bool(self.files) and time.monotonic() - self.since >= WAITS_S


@dataclass(slots=True)
class Expansion:
    """One run over one bundle."""

    bundle: Bundle
    holder: str
    most: int | None = None
    """Members after which it is handed over; None for all."""
    check: leases.Check = lambda: None
    earlier: dict[tuple[str, str], list[Artifact]] = field(default_factory=dict)
    """Files that a run before this one has made, by path and hash."""
    gathered: Gathered = field(default_factory=Gathered)
    small: int = 0
    """Small files that have rows."""
    bytes: int = 0
    members: int = 0
    problems: int = 0

    @property
    def is_handed_over(self) -> bool:
        return self.most is not None and self.members >= self.most

    def progress(self) -> dict[str, int]:
        """What the page shows meanwhile."""
        return {"expanded_bytes": self.bytes, "members": self.members}


def bundle_limits() -> BundleLimits:
    """The limits of the settings, as the walker takes them."""
    limits = settings.LIMITS
    return BundleLimits(
        expanded_bytes=limits.expanded_bytes,
        expanded_ratio=limits.expanded_ratio,
        ratio_free_bytes=limits.ratio_free_bytes,
        member_bytes=limits.member_bytes,
        members=limits.members,
        depth=limits.depth,
        name_chars=limits.name_chars,
    )


def expand_bundle(bundle_id: int, *, most: int | None = None) -> Iterator[ToRead]:
    """Expand one bundle; yields what is there to read as soon as it is. Nothing happens when another task has it.
    One of more members than ``most`` is received again after so many: the next run keeps what this one made.
    """
    rows = Bundle.objects.filter(IS_LIVE, pk=bundle_id)
    holder = leases.claim(rows, states=(Bundle.State.RECEIVED,), working=Bundle.State.EXPANDING)
    bundle = rows.first() if holder else None
    if holder is None or bundle is None:
        return
    run = Expansion(bundle, holder, most)
    with suppress(leases.LeaseLostError):
        if leases.is_spent(bundle.attempts):
            failed: Failed | None = died(bundle.attempts)
        else:
            with leases.renewed(rows, holder, run.progress) as run.check:
                failed = yield from _expanded(run)
        if failed is None and run.is_handed_over:
            leases.settle(rows, holder, state=Bundle.State.RECEIVED, attempts=0, **run.progress())
        elif failed is None:
            leases.settle(rows, holder, state=Bundle.State.EXPANDED, **NOT_FAILED, **run.progress())
        else:
            leases.settle(rows, holder, state=Bundle.State.FAILED, **failed.of_unpacking(), **run.progress())


def _expanded(run: Expansion) -> Generator[ToRead, None, Failed | None]:
    """The files to read; its value says why it ended early, None where it did not."""
    try:
        yield from _members(run)
    except (leases.LeaseLostError, OperationalError):
        raise
    except Exception as error:
        # Around one bundle, as around one file: its row has to say that it ended.
        logger.exception("a bundle could not be unpacked")
        return because_of(error)
    return None


def _members(run: Expansion) -> Iterator[ToRead]:
    bundle = run.bundle
    bundle.problems.filter(artifact__isnull=True).delete()
    for artifact in bundle.artifacts.order_by("pk"):
        run.earlier.setdefault((artifact.path, artifact.sha256), []).append(artifact)
    with storage.open_file(bundle.stored) as stream:
        for member in walk(cast(BinaryIO, stream), limits=bundle_limits(), upload_bytes=bundle.size, spool=_spool_file):
            run.check()
            if run.is_handed_over:
                yield from _kept_together(run)
                return
            path = joined(bundle.filename, member.path)[: settings.LIMITS.name_chars]
            if member.problem:
                _note_problem(run, path, member.problem)
            if member.kind == "file" and member.stream is not None:
                run.members += 1
                if member.size is None or member.size >= SMALL_BYTES or run.gathered.is_old:
                    yield from _kept_together(run)
                yield from _keep_member(run, path, member.stream, modified_us(member))
    yield from _kept_together(run)
    if run.problems > PROBLEMS_KEPT:
        BundleProblem.objects.create(
            bundle=bundle,
            message=MORE_PROBLEMS.format(n=run.problems - PROBLEMS_KEPT),
            stage=BundleProblem.Stage.UNPACKING,
        )


def _spool_file() -> BinaryIO:
    return cast(BinaryIO, TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR))


def _note_problem(run: Expansion, path: str, problem: str) -> None:
    run.problems += 1
    if run.problems <= PROBLEMS_KEPT:
        BundleProblem.objects.create(
            bundle=run.bundle, path=path, message=problem[:500], stage=BundleProblem.Stage.UNPACKING
        )


def _keep_member(run: Expansion, path: str, stream: Readable, written_us: int | None) -> Iterator[ToRead]:
    with SpooledTemporaryFile(max_size=SMALL_BYTES, dir=str(settings.FILE_UPLOAD_TEMP_DIR)) as spool:
        spooled = _spool(run, stream, path, written_us, cast(IO[bytes], spool))
        known = run.earlier.get((path, spooled.sha256))
        if known:
            artifact = known.pop(0)
            if artifact.batch is None:
                yield from _if_waiting(artifact)
        elif spooled.size < SMALL_BYTES:
            run.gathered.add(replace(spooled, blob=BytesIO(_whole(spool))))
            if run.gathered.is_due(run.small):
                yield from _kept_together(run)
        else:
            yield from _kept_together(run)
            yield from _if_waiting(_make_artifact(run, spooled))


def _whole(file: IO[bytes]) -> bytes:
    file.seek(0)
    return file.read()


def _if_waiting(artifact: Artifact) -> Iterator[ToRead]:
    if artifact.state == Artifact.State.QUEUED:
        yield ToRead(artifact.pk, artifact.size)


def _kept_together(run: Expansion) -> Iterator[ToRead]:
    """Rows for the small files that were gathered."""
    files, run.gathered = run.gathered.files, Gathered()
    run.small += len(files)
    if len(files) == 1:
        yield from _if_waiting(_make_artifact(run, files[0]))
    elif files:
        yield from _make_artifacts(run, files)


def _spool(run: Expansion, stream: Readable, path: str, written_us: int | None, spool: IO[bytes]) -> Spooled:
    """Hash the member and write its text, seekable, to a temporary file."""
    hashing = HashingStream(stream)
    long = LongLines()
    is_text = True
    with TextBlobWriter(spool) as writer:
        for block in blocks(hashing, line_bytes=settings.LIMITS.line_bytes, long=long):
            run.check()
            is_text = is_text and not _is_binary(block)
            if not is_text:
                break
            writer.write(block.data)
            run.bytes += len(block.data)
    hashing.drain()
    return Spooled(path, hashing.bytes, hashing.sha256, is_text, long, written_us, spool)


def _is_binary(block: Block) -> bool:
    return block.first_line == 1 and looks_binary(block.data)


def _make_artifact(run: Expansion, spooled: Spooled) -> Artifact:
    """The text is stored before the row is locked; where the row is not to have it, it goes again."""
    artifact = _new_row(run, spooled)
    if spooled.size and spooled.is_text and _twin(artifact, _alike([artifact])) is None:
        artifact.blob = _store(artifact, spooled)
    blob = artifact.blob
    with Stored(blob, Artifact.objects.filter(blob=blob)) as kept, kept.row():
        _hold(run)
        _decide(artifact, spooled, _twin(artifact, _alike([artifact])))
        problems = _long_lines(artifact, spooled.long)
        artifact.save()
        BundleProblem.objects.bulk_create(problems)
    if artifact.blob != blob:
        storage.delete(blob)
    return artifact


def _make_artifacts(run: Expansion, files: list[Spooled]) -> Iterator[ToRead]:
    """The same for small files, in one transaction."""
    rows = [_new_row(run, spooled) for spooled in files]
    stored: list[str] = []
    last = Artifact.objects.filter(bundle=run.bundle, path=rows[-1].path, sha256=rows[-1].sha256)
    with Stored("texts of a batch", last, remove=lambda _: _delete(stored)) as kept:
        known = _alike(rows)
        wanted = [
            (row, spooled)
            for row, spooled in zip(rows, files, strict=True)
            if spooled.size and spooled.is_text and _twin(row, known) is None
        ]
        _store_all(wanted, stored)
        with kept.row():
            _hold(run)
            batch = _write_together(run, rows, files)
    _delete(sorted(set(stored).difference(row.blob for row in rows)))
    waiting = [row for row in rows if row.state == Artifact.State.QUEUED]
    if batch is not None:
        yield ToRead(batch.pk, sum(row.size for row in waiting), is_batch=True)
    else:
        yield from (one for row in waiting for one in _if_waiting(row))


def _write_together(run: Expansion, rows: list[Artifact], files: list[Spooled]) -> ReadingBatch | None:
    """Rows in their order. What is the same as another of them is known as such once that has a row."""
    known = _alike(rows)
    twins: dict[int, Artifact] = {}
    for at, (row, spooled) in enumerate(zip(rows, files, strict=True)):
        twin = _twin(row, known)
        _decide(row, spooled, twin)
        if twin is None:
            known.setdefault(row.sha256, []).append(row)
        elif twin.pk is None:
            twins[at], row.duplicate_of = twin, None
    waiting = [row for row in rows if row.state == Artifact.State.QUEUED]
    batch = None
    if len(waiting) > 1:
        batch = ReadingBatch.objects.create(bundle=run.bundle, turn_kind=kind_of_batch(run.bundle.size))
        for row in waiting:
            row.batch = batch.pk
    problems = [one for row, spooled in zip(rows, files, strict=True) for one in _long_lines(row, spooled.long)]
    Artifact.objects.bulk_create(rows)
    for at, twin in twins.items():
        rows[at].duplicate_of = twin
    Artifact.objects.bulk_update([rows[at] for at in twins], ["duplicate_of"], batch_size=TWINS_MOST)
    BundleProblem.objects.bulk_create(problems)
    return batch


def _new_row(run: Expansion, spooled: Spooled) -> Artifact:
    return Artifact(
        case_id=run.bundle.case_id,
        bundle=run.bundle,
        path=spooled.path,
        size=spooled.size,
        sha256=spooled.sha256,
        modified_us=spooled.modified_us,
    )


def _store(artifact: Artifact, spooled: Spooled) -> str:
    spooled.blob.seek(0)
    return storage.save(f"{storage.case_prefix(artifact.case_id)}texts/", spooled.blob, suffix=".zst")


def _store_all(wanted: list[tuple[Artifact, Spooled]], stored: list[str]) -> None:
    """Texts of small files; an object store takes several at a time. ``stored`` gets their names as they are known."""

    def store(one: tuple[Artifact, Spooled]) -> None:
        one[0].blob = _store(*one)
        stored.append(one[0].blob)

    with ThreadPoolExecutor(1 if storage.folder() else STORED_AT_ONCE, "texts") as pool:
        for done in [pool.submit(store, one) for one in wanted]:
            done.result()


def _delete(names: Iterable[str]) -> None:
    for name in names:
        storage.delete(name)


def _hold(run: Expansion) -> None:
    """Nobody else may have taken the bundle, and two bundles of a case that hold the same file must not both
    count it.
    """
    lock_case_first(run.bundle.case_id)
    held = Bundle.objects.select_for_update(no_key=True).filter(IS_LIVE, pk=run.bundle.pk, lease_by=run.holder)
    if held.first() is None:
        raise leases.LeaseLostError


def _alike(rows: Sequence[Artifact]) -> dict[str, list[Artifact]]:
    """Files of the case that have the bytes of one of these, by their hash."""
    found: dict[str, list[Artifact]] = {}
    hashes = sorted({row.sha256 for row in rows})
    for at in range(0, len(hashes), HASHES_A_QUERY):
        same = Artifact.objects.originals().filter(case=rows[0].case_id, sha256__in=hashes[at : at + HASHES_A_QUERY])
        for twin in same.exclude(state=Artifact.State.FAILED).exclude(size=0).order_by("pk").iterator():
            if len(known := found.setdefault(twin.sha256, [])) < TWINS_MOST:
                known.append(twin)
    return found


def _twin(artifact: Artifact, alike: Mapping[str, Sequence[Artifact]]) -> Artifact | None:
    """A copy that is in the case already. Equal texts of two nodes or moments are no copies: one number in a file is
    often the same.
    """
    known = alike.get(artifact.sha256, ())
    return next((twin for twin in known if not _are_apart(artifact.path, twin.path) and _is_kept(twin)), None)


def _is_kept(twin: Artifact) -> bool:
    """A text that the storage has lost is taken in again; what is no text was never stored."""
    try:
        if twin.blob and twin.pk is not None:
            with storage.open_file(twin.blob) as file:
                TextBlob.open(file)
    except (OSError, BadTextBlobError):
        return False
    return True


def _are_apart(path: str, other: str) -> bool:
    """Whether the paths give the same bytes another meaning."""
    return contradict(path, other) or (bool(placed(path)) and _inside(path) != _inside(other))


def _inside(path: str) -> str:
    """A path without the upload and the archive, down to the innermost: the same bundle may be sent twice by other
    names.
    """
    return path.rsplit("!", 1)[-1]


def _decide(artifact: Artifact, spooled: Spooled, twin: Artifact | None) -> None:
    """Read it, or say why not."""
    if not spooled.size:
        message = EMPTY
    elif twin is not None:
        message = SAME_BYTES.format(path=twin.path)[:500]
    elif not spooled.is_text:
        message = phrase("input.not-text")
        message = f"{message[:1].upper()}{message[1:]}."
    else:
        return
    artifact.state = Artifact.State.SKIPPED
    artifact.duplicate_of = twin
    artifact.message = message
    artifact.blob = ""


def _long_lines(artifact: Artifact, long: LongLines) -> list[BundleProblem]:
    if not long.count or not artifact.blob:
        return []
    lines = "line is" if long.count == 1 else "lines are"
    message = (
        f"{long.count:,} {lines} longer than the limit: the beginning is kept, {long.lost_bytes:,} bytes are not read."
    )
    artifact.problems_n = 1
    return [
        BundleProblem(
            bundle_id=artifact.bundle_id,
            artifact=artifact,
            path=artifact.path,
            line=long.first_line,
            message=message,
            stage=BundleProblem.Stage.UNPACKING,
        )
    ]
