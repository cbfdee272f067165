"""Zip archives from a seekable file: the directory is read piece by piece, members by their declared place.

Our own because the standard library builds an object per member of a directory of any size, and takes entries that
overlap. An archive without its directory (a cut one) is read by its local headers.
"""

from __future__ import annotations

import stat
import struct
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator
from typing import BinaryIO, Final

from parsers.archives.compression import Expanded, Fault, crc32, supported
from parsers.archives.source import Source
from parsers.dataclass import dataclass
from parsers.errors import BundleTooLarge

METHODS: Final = {8: "deflate", 12: "bzip2", 93: "zstd", 95: "xz"}
_METHOD_NAMES: Final = {
    1: "shrink",
    6: "implode",
    9: "deflate64",
    14: "lzma",
    96: "jpeg",
    97: "wavpack",
    98: "ppmd",
    99: "AES encryption",
}
_END: Final = struct.Struct("<4s4H2LH")
_END64: Final = struct.Struct("<4sQ2H2L4Q")
_LOCATOR: Final = struct.Struct("<4sLQL")
_CENTRAL: Final = struct.Struct("<4s6H3L5H2L")
_LOCAL: Final = struct.Struct("<4s5H3L2H")
_UNKNOWN32: Final = 0xFFFFFFFF
_SIGNATURE_LOCAL: Final = b"PK\x03\x04"
_PIECE: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class ZipEntry:
    """One member. ``packed`` and ``size`` are None in a local header that leaves them to the end of the data."""

    name: bytes
    utf8: bool
    method: int
    encrypted: bool
    packed: int | None
    size: int | None
    crc: int | None
    offset: int
    kind: str
    mtime: int | None

    @property
    def method_name(self) -> str:
        """How a problem row calls the compression."""
        return _METHOD_NAMES.get(self.method, f"method {self.method}")

    @property
    def readable(self) -> bool:
        """Whether its compression can be opened here."""
        return self.method == 0 or supported(METHODS.get(self.method, ""))


class ZipReader:
    """Entries in the order of the directory. ``broken`` when there is no whole directory."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._size = file.seek(0, 2)
        self._directory = self._find_directory()
        self.broken = self._directory is None

    def entries(self) -> Iterator[ZipEntry]:
        """Entries of the directory; ``broken`` is set where it ends early."""
        if self._directory is None:
            return
        at, end, shift = self._directory
        self._file.seek(at)
        source = Source(_Span(self._file, at, end - at))
        while source.taken < end - at:
            head = source.read(_CENTRAL.size)
            if len(head) < _CENTRAL.size or head[:4] != b"PK\x01\x02":
                self.broken = True
                return
            yield _central_entry(_CENTRAL.unpack(head), source, shift)

    def starts(self, most: int) -> array[int]:
        """Where members begin, sorted: an entry that reaches beyond the next start overlaps it."""
        found = array("Q")
        for entry in self.entries():
            if len(found) >= most:
                break
            found.append(min(entry.offset, self._size))
        return array("Q", sorted(found))

    def overlaps(self, entry: ZipEntry, starts: array[int]) -> bool:
        """Whether the bytes of a member are also those of another."""
        after = bisect_right(starts, entry.offset)
        same = after - bisect_right(starts, entry.offset - 1) if entry.offset else after
        following = starts[after] if after < len(starts) else self._directory[0] if self._directory else self._size
        return same > 1 or entry.offset + _LOCAL.size + len(entry.name) + (entry.packed or 0) > following

    def local_entries(self) -> Iterator[tuple[ZipEntry, int]]:
        """Entries by local headers, each with where its data begins; for an archive whose directory is lost."""
        at: int | None = 0
        while (at := self._find(_SIGNATURE_LOCAL, at or 0)) is not None:
            found = self._local(at)
            if found is None:
                at += 4
                continue
            yield found
            at = found[1] + (found[0].packed or 0)

    def data_start(self, entry: ZipEntry) -> int | None:
        """Where the packed bytes begin; None where no local header stands at the place the directory names."""
        if entry.offset >= self._size:
            return None
        self._file.seek(entry.offset)
        head = self._file.read(_LOCAL.size)
        if len(head) < _LOCAL.size or head[:4] != _SIGNATURE_LOCAL:
            return None
        fields = _LOCAL.unpack(head)
        return entry.offset + _LOCAL.size + int(fields[9]) + int(fields[10])

    def open(self, entry: ZipEntry, start: int, spend: Callable[[int], None]) -> ZipMember:
        """The unpacked bytes of a member."""
        return ZipMember(
            _Span(self._file, start, self._size - start if entry.packed is None else entry.packed), entry, spend
        )

    def _local(self, at: int) -> tuple[ZipEntry, int] | None:
        self._file.seek(at)
        head = self._file.read(_LOCAL.size)
        if len(head) < _LOCAL.size:
            return None
        _, _, flags, method, _, _, crc, packed, size, name_length, extra_length = _LOCAL.unpack(head)
        name = self._file.read(name_length)
        wide, mtime = _extra(self._file.read(extra_length), (size, packed))
        later = bool(flags & 8)
        entry = ZipEntry(
            name=name,
            utf8=bool(flags & 0x800),
            method=method,
            encrypted=bool(flags & 1),
            packed=None if later else wide[1],
            size=None if later else wide[0],
            crc=None if later else crc,
            offset=at,
            kind=_kind(name, 0, 0),
            mtime=mtime,
        )
        return entry, at + _LOCAL.size + name_length + extra_length

    def _find_directory(self) -> tuple[int, int, int] | None:
        """First byte of the directory, the byte behind it, and by how much all offsets are shifted by bytes
        in front.
        """
        tail_at = max(0, self._size - _END.size - 0xFFFF)
        self._file.seek(tail_at)
        tail = self._file.read(_END.size + 0xFFFF)
        at = tail.rfind(b"PK\x05\x06")
        if at < 0 or len(tail) - at < _END.size:
            return None
        *_, length, start, _ = _END.unpack_from(tail, at)
        end = tail_at + at
        if _UNKNOWN32 in (length, start) or 0xFFFF in _END.unpack_from(tail, at)[1:5]:
            wide = self._wide_end(end)
            if wide is not None:
                length, start, end = wide
        shift = end - length - start
        if shift < 0 or end - length < 0:
            return None
        return end - length, end, shift

    def _wide_end(self, end: int) -> tuple[int, int, int] | None:
        """Length, start and end of the directory by the 64-bit record in front of the plain one."""
        if end < _LOCATOR.size + _END64.size:
            return None
        at = end - _LOCATOR.size - _END64.size
        self._file.seek(at)
        record = self._file.read(_END64.size + _LOCATOR.size)
        if record[:4] != b"PK\x06\x06" or record[_END64.size : _END64.size + 4] != b"PK\x06\x07":
            return None
        fields = _END64.unpack_from(record)
        return int(fields[8]), int(fields[9]), at

    def _find(self, mark: bytes, start: int) -> int | None:
        at, size = start, 1 << 10
        while at < self._size:
            self._file.seek(at)
            piece = self._file.read(size)
            if (found := piece.find(mark)) >= 0:
                return at + found
            if len(piece) < len(mark):
                return None
            at += len(piece) - len(mark) + 1
            size = min(2 * size, _PIECE)
        return None


class _Span:
    """A stretch of a file as a stream. Seeks before each read: members of one file share its position."""

    def __init__(self, file: BinaryIO, start: int, length: int) -> None:
        self._file = file
        self._at = start
        self._end = start + length

    def read(self, size: int = _PIECE, /) -> bytes:
        wanted = min(size if size >= 0 else self._end - self._at, self._end - self._at)
        if wanted <= 0:
            return b""
        self._file.seek(self._at)
        data = self._file.read(wanted)
        self._at += len(data)
        return data


class ZipMember:
    """The unpacked bytes of one member, never more than it declares. ``fault`` and ``wrong`` say what was not as
    declared.
    """

    def __init__(self, span: _Span, entry: ZipEntry, spend: Callable[[int], None]) -> None:
        self._packed = Source(span)
        self._spend = spend
        self._entry = entry
        self._expanded = (
            None if entry.method == 0 else Expanded(self._packed, METHODS[entry.method], spend, single=True)
        )
        self._fault: Fault | None = None
        self._crc = 0
        self._done = False
        self.produced = 0
        self.wrong = ""

    @property
    def fault(self) -> Fault | None:
        """Why it ended early, if it did."""
        return self._expanded.fault if self._expanded is not None else self._fault

    def read(self, size: int = _PIECE, /) -> bytes:
        """Up to ``size`` bytes; short reads are usual, empty only at the end."""
        if self._done:
            return b""
        declared = self._entry.size
        left = size if declared is None else min(size, declared - self.produced)
        data = self._some(left) if left > 0 else b""
        self.produced += len(data)
        self._crc = crc32(data, self._crc)
        if not data:
            self._finish()
        return data

    def _some(self, size: int) -> bytes:
        if self._expanded is not None:
            return self._expanded.read(size)
        data = self._packed.some(size)
        try:
            self._spend(len(data))
        except BundleTooLarge as limit:
            self._fault = Fault("limit", self.produced, limit.message)
            return b""
        return data

    def _finish(self) -> None:
        self._done = True
        entry = self._entry
        if self.fault is not None:
            return
        if entry.size is not None and self.produced < entry.size:
            self.wrong = f"holds {self.produced:,} bytes where the archive declares {entry.size:,}"
        elif entry.size is not None and self._some(1):
            self.wrong = f"holds more than the {entry.size:,} bytes that the archive declares; the rest was not read"
        elif entry.crc is not None and self._crc != entry.crc:
            self.wrong = "does not match its checksum: some of it may be damaged"


def _central_entry(fields: tuple[int, ...], source: Source, shift: int) -> ZipEntry:
    (
        _,
        made_by,
        _,
        flags,
        method,
        _,
        _,
        crc,
        packed,
        size,
        name_length,
        extra_length,
        comment_length,
        _,
        _,
        attributes,
        offset,
    ) = fields
    name = source.read(name_length)
    wide, mtime = _extra(source.read(extra_length), (size, packed, offset))
    source.skip(comment_length)
    return ZipEntry(
        name=name,
        utf8=bool(flags & 0x800),
        method=method,
        encrypted=bool(flags & 1),
        packed=wide[1],
        size=wide[0],
        crc=crc,
        offset=wide[2] + shift,
        kind=_kind(name, made_by >> 8, attributes),
        mtime=mtime,
    )


def _kind(name: bytes, system: int, attributes: int) -> str:
    mode = attributes >> 16
    if system == 3 and mode and not stat.S_ISREG(mode) and stat.S_IFMT(mode):
        return _MODES.get(stat.S_IFMT(mode), "unknown")
    return "directory" if name.endswith((b"/", b"\\")) else "file"


_MODES: Final = {
    stat.S_IFLNK: "symbolic link", stat.S_IFDIR: "directory", stat.S_IFIFO: "named pipe", stat.S_IFSOCK: "socket",
    stat.S_IFCHR: "character device", stat.S_IFBLK: "block device",
}  # fmt: skip


def _extra(data: bytes, narrow: tuple[int, ...]) -> tuple[tuple[int, ...], int | None]:
    """Extra fields: the 64-bit values of those that did not fit, and the time of change in UTC."""
    wide, mtime, at = list(narrow), None, 0
    while at + 4 <= len(data):
        tag, length = struct.unpack_from("<2H", data, at)
        body = data[at + 4 : at + 4 + length]
        if tag == 1:
            _widen(wide, body)
        elif tag == 0x5455 and len(body) >= 5 and body[0] & 1:
            mtime = int(struct.unpack_from("<l", body, 1)[0])
        at += 4 + length
    return tuple(wide), mtime


def _widen(values: list[int], body: bytes) -> None:
    at = 0
    for index, value in enumerate(values):
        if value == _UNKNOWN32 and at + 8 <= len(body):
            values[index] = int(struct.unpack_from("<Q", body, at)[0])
            at += 8
