"""From a stored bundle to its files: walk the archive once, keep each text seekable, and say what could not be kept.

Safe to run again after a worker was killed: files that an earlier run has made are kept as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Generator, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from tempfile import TemporaryFile
from typing import IO, BinaryIO, cast

from django.conf import settings
from django.db import OperationalError

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, BundleProblem
from apps.cases.storage.store_then_row import Stored
from apps.cases.storage.textblob import BadTextBlobError, TextBlob, TextBlobWriter
from apps.diagnosis.engine.analysis import NOT_TEXT, HashingStream, modified_us
from apps.ingest import leases
from apps.ingest.live import IS_LIVE, lock_case_first
from apps.ingest.reading.failures import NOT_FAILED, Failed, because_of, died
from parsers.bundle import BundleLimits, joined, walk
from parsers.paths import contradict
from parsers.registry import placed
from parsers.text import Block, LongLines, Readable, blocks, looks_binary

logger = logging.getLogger(__name__)

EMPTY = "The file is empty."
SAME_BYTES = "The same bytes as {path}: counted once."
MORE_PROBLEMS = "{n} more problems of this bundle are not listed."
PROBLEMS_KEPT = 5_000
TWINS_ASKED = 1_000
MANY_MEMBERS = 2_000
"""An upload of more is a large one, however few bytes it has: it would keep small ones waiting."""


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
    bytes: int = 0
    members: int = 0
    problems: int = 0

    @property
    def is_handed_over(self) -> bool:
        return self.most is not None and self.members >= self.most

    def progress(self) -> dict[str, int]:
        """What the page shows meanwhile."""
        return {"expanded_bytes": self.bytes, "members": self.members}


@dataclass(frozen=True, slots=True)
class Spooled:
    """A member in a temporary file, as the blob that is kept if it is text."""

    size: int
    sha256: str
    is_text: bool
    long: LongLines
    modified_us: int | None = None


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


def expand_bundle(bundle_id: int, *, most: int | None = None) -> Iterator[tuple[int, int]]:
    """Expand one bundle; yields (artifact, size) as soon as a file is there to read. Nothing happens when another task
    has it. One of more members than ``most`` is received again after so many: the next run keeps what this one made.
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


def _expanded(run: Expansion) -> Generator[tuple[int, int], None, Failed | None]:
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


def _members(run: Expansion) -> Iterator[tuple[int, int]]:
    bundle = run.bundle
    bundle.problems.filter(artifact__isnull=True).delete()
    for artifact in bundle.artifacts.order_by("pk"):
        run.earlier.setdefault((artifact.path, artifact.sha256), []).append(artifact)
    with storage.open_file(bundle.stored) as stream:
        for member in walk(cast(BinaryIO, stream), limits=bundle_limits(), upload_bytes=bundle.size, spool=_spool_file):
            run.check()
            if run.is_handed_over:
                return
            path = joined(bundle.filename, member.path)[: settings.LIMITS.name_chars]
            if member.problem:
                _note_problem(run, path, member.problem)
            if member.kind == "file" and member.stream is not None:
                run.members += 1
                artifact = _keep_member(run, path, member.stream, modified_us(member))
                if artifact.state == Artifact.State.QUEUED:
                    yield artifact.pk, artifact.size
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


def _keep_member(run: Expansion, path: str, stream: Readable, written_us: int | None) -> Artifact:
    with TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as spool:
        spooled = _spool(run, stream, cast(IO[bytes], spool))
        known = run.earlier.get((path, spooled.sha256))
        if known:
            return known.pop(0)
        return _make_artifact(run, path, replace(spooled, modified_us=written_us), cast(IO[bytes], spool))


def _spool(run: Expansion, stream: Readable, spool: IO[bytes]) -> Spooled:
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
    return Spooled(hashing.bytes, hashing.sha256, is_text, long)


def _is_binary(block: Block) -> bool:
    return block.first_line == 1 and looks_binary(block.data)


def _make_artifact(run: Expansion, path: str, spooled: Spooled, spool: IO[bytes]) -> Artifact:
    """The text is stored before the row is locked; where the row is not to have it, it goes again."""
    case_id = run.bundle.case_id
    artifact = Artifact(
        case_id=case_id,
        bundle=run.bundle,
        path=path,
        size=spooled.size,
        sha256=spooled.sha256,
        modified_us=spooled.modified_us,
    )
    if spooled.size and spooled.is_text and _twin(artifact) is None:
        spool.seek(0)
        artifact.blob = storage.save(f"{storage.case_prefix(case_id)}texts/", spool, suffix=".zst")
    blob = artifact.blob
    with Stored(blob, Artifact.objects.filter(blob=blob)) as kept, kept.row():
        _hold(run)
        _decide(artifact, spooled)
        artifact.save()
        _note_long_lines(artifact, spooled.long)
    if artifact.blob != blob:
        storage.delete(blob)
    return artifact


def _hold(run: Expansion) -> None:
    """Nobody else may have taken the bundle, and two bundles of a case that hold the same file must not both
    count it.
    """
    lock_case_first(run.bundle.case_id)
    held = Bundle.objects.select_for_update(no_key=True).filter(IS_LIVE, pk=run.bundle.pk, lease_by=run.holder)
    if held.first() is None:
        raise leases.LeaseLostError


def _twin(artifact: Artifact) -> Artifact | None:
    """A copy that is in the case already. Equal texts of two nodes or moments are no copies: one number in a file is
    often the same.
    """
    same = Artifact.objects.originals().filter(case=artifact.case_id, sha256=artifact.sha256)
    known = same.exclude(state=Artifact.State.FAILED).exclude(size=0).order_by("pk")[:TWINS_ASKED]
    return next((twin for twin in known if not _are_apart(artifact.path, twin.path) and _is_kept(twin)), None)


def _is_kept(twin: Artifact) -> bool:
    """A text that the storage has lost is taken in again; what is no text was never stored."""
    try:
        if twin.blob:
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


def _decide(artifact: Artifact, spooled: Spooled) -> None:
    """Read it, or say why not."""
    twin = _twin(artifact)
    if not spooled.size:
        message = EMPTY
    elif twin is not None:
        message = SAME_BYTES.format(path=twin.path)[:500]
    elif not spooled.is_text:
        message = f"{NOT_TEXT[:1].upper()}{NOT_TEXT[1:]}."
    else:
        return
    artifact.state = Artifact.State.SKIPPED
    artifact.duplicate_of = twin
    artifact.message = message
    artifact.blob = ""


def _note_long_lines(artifact: Artifact, long: LongLines) -> None:
    if not long.count or not artifact.blob:
        return
    lines = "line is" if long.count == 1 else "lines are"
    message = (
        f"{long.count:,} {lines} longer than the limit: the beginning is kept, {long.lost_bytes:,} bytes are not read."
    )
    artifact.problems.create(
        bundle_id=artifact.bundle_id,
        path=artifact.path,
        line=long.first_line,
        message=message,
        stage=BundleProblem.Stage.UNPACKING,
    )
    artifact.problems_n = 1
    artifact.save(update_fields=["problems_n"])
