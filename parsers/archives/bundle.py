"""Walks through an upload: plain text, compressed text, archives, and archives in them.

Everything is a stream and nothing is unpacked to disk, save that a zip inside another archive is spooled to a temporary
file without a name. Member names are display text only. What can't be read becomes a row of its own, so that nothing is
silently missing; what stands before and beside it is still read.
"""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from typing import BinaryIO, Final, Literal

from parsers.archives import wording
from parsers.archives.compression import Expanded, supported
from parsers.archives.names import decode, shown_name
from parsers.archives.sniff import ARCHIVES, COMPRESSED, SNIFF_BYTES, sniff
from parsers.archives.source import Source
from parsers.archives.tar import TarEntry, TarReader
from parsers.archives.zip import ZipEntry, ZipReader
from parsers.dataclass import dataclass
from parsers.errors import BundleTooLarge
from parsers.text import Readable

GIB: Final = 1 << 30
LAYERS: Final = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class BundleLimits:
    """What one upload may cost."""

    expanded_bytes: int = 200 * GIB
    expanded_ratio: int = 200
    """Expanded bytes per uploaded byte, counted only above ``ratio_free_bytes``."""
    ratio_free_bytes: int = GIB
    member_bytes: int = 50 * GIB
    members: int = 200_000
    depth: int = 4
    name_chars: int = 1024
    spool_bytes: int = 8 * GIB
    """A zip inside another archive must be held on disk while it is read."""
    alike_problems: int = 1000
    """Rows of one sort from one archive; the others are counted in one more row."""


@dataclass(frozen=True, slots=True)
class Member:
    """One row of a bundle. ``path`` is inside the upload: empty for the upload itself, ``a.tar!b/c`` for a member of a
    member.

    A file's ``stream`` can be read until the next member is asked for. ``mtime`` is in seconds since 1970 UTC, None
    where the archive does not tell the zone.
    """

    path: str
    kind: Literal["file", "archive", "problem"]
    stream: Readable | None = None
    size: int | None = None
    mtime: int | None = None
    problem: str = ""


def joined(archive: str, path: str) -> str:
    """Display path of a member inside an archive."""
    return f"{archive}!{path}" if archive and path else archive or path


def walk(
    stream: BinaryIO,
    *,
    limits: BundleLimits | None = None,
    upload_bytes: int | None = None,
    spool: Callable[[], BinaryIO] | None = None,
) -> Iterator[Member]:
    """All members of an upload, in its order. Raises only what reading ``stream`` itself raises.

    ``upload_bytes``: size of the upload where it can't be sought. ``spool`` makes the temporary files.
    """
    file = stream if stream.seekable() else None
    if file is not None:
        upload_bytes = file.seek(0, 2)
        file.seek(0)
    source = Source(stream)
    size = (lambda: source.taken) if upload_bytes is None else (lambda known=upload_bytes: known)
    walker = _Walk(limits or BundleLimits(), size, spool or tempfile.TemporaryFile)
    yield from walker.enter(source, _Place(size=upload_bytes, file=file))


class Content:
    """The text of a member, as long as it is the current one."""

    def __init__(self, source: Source, most: int) -> None:
        self._source = source
        self._left = most
        self.capped = False

    def read(self, size: int = -1, /) -> bytes:
        """Exactly ``size`` bytes; fewer at the end."""
        data = self._source.read(self._left if size < 0 else min(size, self._left))
        self._left -= len(data)
        self.capped = self.capped or self._left <= 0
        return data

    def close(self) -> bool:
        """No more reads; returns whether the limit cut something off."""
        self._left = 0
        return self.capped and bool(self._source.peek(1))


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the walker is. ``file``: the same bytes, seekable."""

    path: str = ""
    depth: int = 0
    layers: int = 0
    size: int | None = None
    mtime: int | None = None
    file: BinaryIO | None = None


@dataclass(slots=True)
class _Rows:
    """Rows of one archive: names made unlike each other, problems of one sort cut off after many."""

    limits: BundleLimits
    path: str
    names: Counter[int] = field(default_factory=Counter)
    counts: Counter[str] = field(default_factory=Counter)
    entries: int = 0

    def problem(self, path: str, sort: str, message: str) -> Iterator[Member]:
        """A row, while there are not too many alike."""
        self.counts[sort] += 1
        if self.counts[sort] <= self.limits.alike_problems:
            yield _problem(path, message)

    def named(self, name: str) -> tuple[str, str]:
        """Display path of an entry, and what was wrong with its name."""
        self.entries += 1
        found = shown_name(name, self.limits.name_chars)
        shown, unsafe = found.shown, found.unsafe
        self.names[hash(shown)] += 1
        if (times := self.names[hash(shown)]) > 1:
            shown, unsafe = f"{shown} ({times})", unsafe or "is used by another member too"
        return joined(self.path, shown), unsafe

    def close(self) -> Iterator[Member]:
        """What was counted instead of told."""
        for sort, times in self.counts.items():
            if (more := times - self.limits.alike_problems) > 0:
                yield _problem(self.path, wording.more_alike(more, sort))
        if not self.entries:
            yield _problem(self.path, wording.NO_FILES)


class _Walk:
    """One upload: its limits and what was spent of them."""

    def __init__(self, limits: BundleLimits, upload_bytes: Callable[[], int], spool: Callable[[], BinaryIO]) -> None:
        self.limits = limits
        self._upload_bytes = upload_bytes
        self._spool = spool
        self._spent = 0
        self._members = 0
        self._stopped = False

    # limits

    def _left(self) -> int:
        limits = self.limits
        by_ratio = max(limits.ratio_free_bytes, limits.expanded_ratio * self._upload_bytes())
        return min(limits.expanded_bytes, by_ratio) - self._spent

    def _spend(self, size: int) -> None:
        self._spent += size
        if self._left() < 0:
            self._spent -= size
            raise BundleTooLarge(wording.expanded_limit(self._spent), limit=self._spent)

    def _counted(self, rows: _Rows) -> Iterator[Member]:
        """Count a member; at the limit tell so, once, and stop."""
        self._members += 1
        if self._members > self.limits.members and not self._stopped:
            self._stopped = True
            yield _problem(rows.path, wording.too_many_members(self.limits.members))

    # what a stream is

    def enter(self, source: Source, place: _Place) -> Iterator[Member]:
        """Rows of one stream, whatever it is."""
        kind = sniff(source.peek(SNIFF_BYTES))
        if not kind:
            yield from self._file(source, place)
        elif kind in ARCHIVES and place.depth >= self.limits.depth:
            yield _problem(place.path, wording.too_deep(place.depth))
        elif kind == "tar":
            yield Member(place.path, "archive", None, place.size, place.mtime)
            yield from self._tar(source, place)
        elif kind == "zip":
            yield Member(place.path, "archive", None, place.size, place.mtime)
            yield from self._zip(source, place)
        elif kind in COMPRESSED and supported(kind):
            yield from self._compressed(source, kind, place)
        else:
            yield _problem(place.path, wording.unsupported(kind))

    def _file(self, source: Source, place: _Place) -> Iterator[Member]:
        content = Content(source, self.limits.member_bytes)
        yield Member(place.path, "file", content, place.size, place.mtime)
        if content.close():
            yield _problem(place.path, wording.too_long_file(self.limits.member_bytes))

    def _compressed(self, source: Source, codec: str, place: _Place) -> Iterator[Member]:
        if place.layers >= LAYERS:
            yield _problem(place.path, wording.too_many_layers(LAYERS))
            return
        expanded = Expanded(source, codec, self._spend)
        yield from self.enter(Source(expanded), replace(place, layers=place.layers + 1, size=None, file=None))
        if expanded.fault is not None:
            yield _problem(place.path, wording.fault(expanded.fault))

    # tar

    def _tar(self, source: Source, place: _Place) -> Iterator[Member]:
        reader, rows = TarReader(source), _Rows(self.limits, place.path)
        for entry in reader:
            yield from self._counted(rows)
            if self._stopped:
                return
            yield from self._tar_entry(reader, entry, rows, place)
        yield from rows.close()
        if reader.stray_bytes:
            yield _problem(place.path, wording.stray_bytes(reader.stray_bytes))
        if not reader.ended and not reader.cut:
            yield _problem(place.path, wording.NO_END_MARK)

    def _tar_entry(self, reader: TarReader, entry: TarEntry, rows: _Rows, place: _Place) -> Iterator[Member]:
        if entry.kind in ("directory", "label"):
            rows.entries += 1
            return
        path, unsafe = rows.named(decode(entry.name, fallback="latin-1"))
        yield from _unsafe_name(rows, path, unsafe)
        if entry.kind not in ("file", "sparse", "unknown", "continued"):
            yield from _not_a_file(rows, path, entry.kind, decode(entry.link, fallback="latin-1"))
            return
        if entry.kind != "file":
            yield from rows.problem(path, f"{entry.kind} member", wording.ODD_FILES[entry.kind])
        yield from self.enter(Source(reader), _Place(path, place.depth + 1, size=entry.size, mtime=entry.mtime))
        reader.finish()
        if reader.cut:
            yield _problem(path, wording.cut_file(entry.size - reader.missing, entry.size))

    # zip

    def _zip(self, source: Source, place: _Place) -> Iterator[Member]:
        if place.file is not None:
            yield from self._zip_file(place.file, place)
            return
        with self._spool() as file:
            try:
                whole = self._copied(source, file)
            except OSError:
                yield _problem(place.path, wording.NO_ROOM)
                return
            if not whole:
                yield _problem(place.path, wording.too_large_zip(self.limits.spool_bytes))
                return
            yield from self._zip_file(file, place)

    def _copied(self, source: Source, file: BinaryIO) -> bool:
        left = self.limits.spool_bytes
        while left > 0 and (data := source.some(left)):
            file.write(data)
            left -= len(data)
        return not source.peek(1)

    def _zip_file(self, file: BinaryIO, place: _Place) -> Iterator[Member]:
        reader, rows = ZipReader(file), _Rows(self.limits, place.path)
        if reader.broken:
            yield from self._zip_without_directory(reader, rows, place)
            return
        later: list[tuple[ZipEntry, str]] = []
        starts = reader.starts(self.limits.members + 1)
        for entry in reader.entries():
            yield from self._counted(rows)
            if self._stopped:
                return
            path, unsafe = rows.named(_zip_name(entry))
            if reader.overlaps(entry, starts):
                yield from rows.problem(path, "overlap", wording.OVERLAP)
            elif (entry.size or 0) > min(self._left(), self.limits.member_bytes):
                later.append((entry, path))
            else:
                yield from self._zip_entry(reader, entry, rows, (path, unsafe, place.depth))
        yield from rows.close()
        if reader.broken:
            yield _problem(place.path, wording.BAD_DIRECTORY)
        yield from self._too_large(reader, later, rows, place)

    def _too_large(
        self, reader: ZipReader, later: list[tuple[ZipEntry, str]], rows: _Rows, place: _Place
    ) -> Iterator[Member]:
        """Members that pass a limit come last, so that they take nothing from the others; inside another archive not at
        all.
        """
        for entry, path in later:
            yield _problem(path, wording.too_large_member(entry.size or 0, in_part=place.depth == 0))
            if place.depth == 0:
                yield from self._zip_entry(reader, entry, rows, (path, "", place.depth))

    def _zip_entry(self, reader: ZipReader, entry: ZipEntry, rows: _Rows, at: tuple[str, str, int]) -> Iterator[Member]:
        path, unsafe, depth = at
        if entry.kind == "directory":
            return
        yield from _unsafe_name(rows, path, unsafe)
        if entry.kind != "file":
            yield from _not_a_file(rows, path, entry.kind, "")
        elif entry.encrypted:
            yield from rows.problem(path, "encrypted", wording.ENCRYPTED)
        elif not entry.readable:
            yield from rows.problem(
                path, f"compressed by {entry.method_name}", wording.unsupported_method(entry.method_name)
            )
        elif (start := reader.data_start(entry)) is None:
            yield from rows.problem(path, "no header", wording.NO_HEADER)
        else:
            yield from self._zip_member(reader, entry, (path, start, depth))

    def _zip_member(self, reader: ZipReader, entry: ZipEntry, at: tuple[str, int, int]) -> Iterator[Member]:
        path, start, depth = at
        member = reader.open(entry, start, self._spend)
        yield from self.enter(Source(member), _Place(path, depth + 1, size=entry.size, mtime=entry.mtime))
        if member.fault is not None:
            yield _problem(path, wording.fault(member.fault))
        elif member.wrong:
            yield _problem(path, f"This member {member.wrong}.")

    def _zip_without_directory(self, reader: ZipReader, rows: _Rows, place: _Place) -> Iterator[Member]:
        for entry, _ in reader.local_entries():
            yield from self._counted(rows)
            if self._stopped:
                return
            path, unsafe = rows.named(_zip_name(entry))
            yield from self._zip_entry(reader, entry, rows, (path, unsafe, place.depth))
        yield from rows.close()
        yield _problem(place.path, wording.NO_DIRECTORY)


def _problem(path: str, message: str) -> Member:
    return Member(path, "problem", problem=message)


def _unsafe_name(rows: _Rows, path: str, unsafe: str) -> Iterator[Member]:
    if unsafe:
        yield from rows.problem(path, f"the name {unsafe}", wording.unsafe_name(unsafe))


def _not_a_file(rows: _Rows, path: str, kind: str, link: str) -> Iterator[Member]:
    yield from rows.problem(path, f"a {kind}", wording.not_a_file(kind, link))


def _zip_name(entry: ZipEntry) -> str:
    return decode(entry.name, fallback="cp437")
