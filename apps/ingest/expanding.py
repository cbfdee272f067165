"""From a stored bundle to its files: walk the archive once, keep each text seekable, and say what could not be kept.

Safe to run again after a worker was killed: files that an earlier run has made are kept as they are.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from tempfile import TemporaryFile
from typing import IO, BinaryIO, cast

from django.conf import settings
from django.db import transaction

from apps.cases import storage
from apps.cases.models import Artifact, Bundle, BundleProblem
from apps.cases.textblob import TextBlobWriter
from apps.diagnosis.engine.analysis import NOT_TEXT, HashingStream
from apps.ingest import leases
from parsers.bundle import BundleLimits, joined, walk
from parsers.text import Block, LongLines, Readable, blocks, looks_binary

logger = logging.getLogger(__name__)

EMPTY = "The file is empty."
SAME_BYTES = "The same bytes as {path}: counted once."
PROBLEMS_KEPT = 5_000


@dataclass(slots=True)
class Expansion:
    """Progress of one run."""

    bytes: int = 0
    members: int = 0
    queued: list[tuple[int, int]] = field(default_factory=list)
    """(artifact, size) of the files to read."""

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


def expand_bundle(bundle_id: int) -> Iterator[tuple[int, int]]:
    """Expand one bundle; yields (artifact, size) as soon as a file is there to read. Nothing happens when another task has it."""
    rows = Bundle.objects.filter(pk=bundle_id)
    holder = leases.claim(rows, states=(Bundle.State.RECEIVED,), working=Bundle.State.EXPANDING)
    if holder is None:
        return
    bundle = rows.select_related("case").get()
    run = Expansion()
    with leases.renewed(rows, holder, run.progress) as check:
        try:
            for member in _members(bundle, run, check):
                yield from member
        except leases.LeaseLostError:
            return
        except OSError as error:
            logger.exception("expanding a bundle failed")
            message = f"It could not be unpacked ({type(error).__name__}). Try again; if it fails again, look at the storage's free space."
            leases.settle(rows, holder, state=Bundle.State.FAILED, message=message)
            return
    with suppress(leases.LeaseLostError):
        leases.settle(rows, holder, state=Bundle.State.EXPANDED, message="", **run.progress())


def _members(bundle: Bundle, run: Expansion, check: leases.Check) -> Iterator[Iterator[tuple[int, int]]]:
    bundle.problems.filter(artifact__isnull=True).delete()
    earlier = _earlier(bundle)
    with storage.open_file(bundle.stored) as stream:
        for member in walk(stream, limits=bundle_limits(), upload_bytes=bundle.size, spool=_spool_file):
            check()
            path = joined(bundle.filename, member.path)[: settings.LIMITS.name_chars]
            run.members += member.kind == "file"
            _note_problem(bundle, path, member.problem)
            if member.kind == "file" and member.stream is not None:
                yield _keep_member(bundle, path, member.stream, earlier, run)


def _earlier(bundle: Bundle) -> dict[tuple[str, str], list[Artifact]]:
    """Files that a run before this one has made, by path and hash."""
    made: dict[tuple[str, str], list[Artifact]] = {}
    for artifact in bundle.artifacts.order_by("pk"):
        made.setdefault((artifact.path, artifact.sha256), []).append(artifact)
    return made


def _spool_file() -> BinaryIO:
    return cast(BinaryIO, TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR))


def _note_problem(bundle: Bundle, path: str, problem: str) -> None:
    if problem and bundle.problems.count() < PROBLEMS_KEPT:
        BundleProblem.objects.create(bundle=bundle, path=path, message=problem[:500])


def _keep_member(
    bundle: Bundle, path: str, stream: Readable, earlier: dict[tuple[str, str], list[Artifact]], run: Expansion
) -> Iterator[tuple[int, int]]:
    with TemporaryFile(dir=settings.FILE_UPLOAD_TEMP_DIR) as spool:
        kept = _spool(stream, cast(IO[bytes], spool), run)
        known = earlier.get((path, kept.sha256))
        if known:
            artifact = known.pop(0)
        else:
            artifact = _make_artifact(bundle, path, kept, cast(IO[bytes], spool))
    if artifact.state == Artifact.State.QUEUED:
        yield artifact.pk, artifact.size


@dataclass(frozen=True, slots=True)
class _Kept:
    size: int
    sha256: str
    text_bytes: int
    is_text: bool
    long: LongLines


def _spool(stream: Readable, spool: IO[bytes], run: Expansion) -> _Kept:
    """Hash the member and write its text, seekable, to a temporary file."""
    hashing = HashingStream(stream)
    long = LongLines()
    is_text = True
    with TextBlobWriter(spool) as writer:
        for block in blocks(hashing, line_bytes=settings.LIMITS.line_bytes, long=long):
            is_text = is_text and not _is_binary(block)
            if not is_text:
                break
            writer.write(block.data)
            run.bytes += len(block.data)
    hashing.drain()
    return _Kept(hashing.bytes, hashing.sha256, writer.text_bytes, is_text, long)


def _is_binary(block: Block) -> bool:
    return block.first_line == 1 and looks_binary(block.data)


@transaction.atomic
def _make_artifact(bundle: Bundle, path: str, kept: _Kept, spool: IO[bytes]) -> Artifact:
    artifact = Artifact(case_id=bundle.case_id, bundle=bundle, path=path, size=kept.size, sha256=kept.sha256)
    twin = None
    if kept.size:
        twin = Artifact.objects.originals().filter(case=bundle.case_id, sha256=kept.sha256).exclude(state=Artifact.State.FAILED).first()
    if not kept.size or not kept.is_text or twin is not None:
        artifact.state = Artifact.State.SKIPPED
        artifact.duplicate_of = twin
        artifact.message = EMPTY if not kept.size else SAME_BYTES.format(path=twin.path)[:500] if twin else NOT_TEXT.capitalize() + "."
    else:
        spool.seek(0)
        artifact.blob = storage.save(f"{storage.case_prefix(bundle.case_id)}texts/", spool, suffix=".zst")
    artifact.save()
    _note_long_lines(bundle, artifact, kept.long)
    return artifact


def _note_long_lines(bundle: Bundle, artifact: Artifact, long: LongLines) -> None:
    if long.count:
        lines = "line is" if long.count == 1 else "lines are"
        message = f"{long.count} {lines} longer than the limit: the beginning is kept, {long.lost_bytes} bytes are not read."
        BundleProblem.objects.create(bundle=bundle, artifact=artifact, path=artifact.path, line=long.first_line, message=message)
        artifact.problems_n = 1
        artifact.save(update_fields=["problems_n"])
