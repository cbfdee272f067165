"""Tar archives as a stream: ustar, GNU and pax headers, long names, large numbers; damage is stepped over.

Written again because the standard library reads a header's extension into memory whatever size it claims, recurses over
chains of them, keeps every member, and ends silently where a stream is cut.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Final

from parsers.archives.source import Source
from parsers.dataclass import dataclass

BLOCK: Final = 512
_EXTENSION_BYTES: Final = 1 << 20
_SCAN: Final = 1 << 18
_MAGIC: Final = b"ustar"
_KINDS: Final = {
    b"0": "file", b"\0": "file", b"7": "file", b"S": "sparse", b"1": "hard link", b"2": "symbolic link",
    b"3": "character device",
    b"4": "block device", b"5": "directory", b"6": "named pipe", b"D": "directory", b"V": "label", b"M": "continued",
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class TarEntry:
    """One member. ``kind``: file, sparse, directory, label, continued, or what a problem row calls it."""

    name: bytes
    kind: str
    size: int
    mtime: int | None
    link: bytes


@dataclass(slots=True)
class _Extended:
    """What extension headers said about the member behind them."""

    name: bytes | None = None
    link: bytes | None = None
    size: int | None = None
    mtime: int | None = None
    sparse: bool = False


def number(text: bytes) -> int | None:
    """A number field: octal digits, or GNU's base 256. None where it is neither."""
    if text[:1] == b"\x80":
        return int.from_bytes(text[1:], "big")
    digits = text.split(b"\0", 1)[0].strip()
    if not digits:
        return 0
    return int(digits, 8) if digits.isdigit() and not digits.strip(b"01234567") else None


def is_header(block: bytes) -> bool:
    """Whether a block is a member's header: its checksum tells."""
    checksum = number(block[148:156]) if len(block) >= BLOCK else 0
    if not checksum:
        return False
    rest = block[:148] + b"        " + block[156:BLOCK]
    if checksum == sum(rest):
        return True
    return checksum == sum(memoryview(rest).cast("b"))  # some old programs added signed bytes


@dataclass(slots=True)
class TarReader:
    """Members in the order they stand. ``read`` gives the bytes of the member handed out last.

    ``cut``: the archive ends inside a member. ``ended``: the mark of the end was there. ``stray_bytes``: neither
    members nor zeros.
    """

    source: Source
    left: int = 0
    missing: int = 0
    cut: bool = False
    ended: bool = False
    stray_bytes: int = 0
    _padding: int = 0
    _extended: _Extended = field(default_factory=_Extended)

    def __iter__(self) -> Iterator[TarEntry]:
        while (block := self._header()) is not None:
            if (entry := self._entry(block)) is not None:
                yield entry

    def read(self, size: int = BLOCK, /) -> bytes:
        """Bytes of the current member, perhaps fewer than asked for; empty at its end and where the archive is cut
        (``cut``).
        """
        if not self.left:
            return b""
        data = self.source.some(min(size, self.left))
        self.left -= len(data)
        if not data:
            self._cut_off()
        return data

    def finish(self) -> None:
        """Read past what is left of the current member."""
        self.left -= self.source.skip(self.left)
        if self.left:
            self._cut_off()

    def _cut_off(self) -> None:
        self.cut, self.missing = True, self.left
        self.left = self._padding = 0

    def _header(self) -> bytes | None:
        """The next header block, behind what is left of the member before it."""
        self.finish()
        self.source.skip(self._padding)
        self._padding = 0
        block = self.source.read(BLOCK)
        if is_header(block):
            return block
        return self._search(block)

    def _search(self, block: bytes) -> bytes | None:
        """From a block that is no header to the next one that is: behind the end marks another archive may follow."""
        while block:
            self.ended = self.ended or not block.strip(b"\0")
            self.stray_bytes += len(block) - block.count(0)
            if not (ahead := self.source.peek(_SCAN)):
                return None
            at = _find_header(ahead)
            if at is not None:
                self.stray_bytes += at - ahead.count(0, 0, at)
                self.source.skip(at)
                return self.source.read(BLOCK)
            block = self.source.read(len(ahead))
        return None

    def _entry(self, block: bytes) -> TarEntry | None:
        """A member, or None for an extension header, which is kept for the member behind it."""
        flag, size = block[156:157], number(block[124:136])
        if size is None:
            self.stray_bytes += BLOCK
            return None
        if flag in (b"L", b"K", b"x", b"X", b"g"):
            self._set_size(size)
            self._extend(flag)
            return None
        extended, self._extended = self._extended, _Extended()
        kind = "sparse" if extended.sparse else _KINDS.get(flag, "unknown")
        name = extended.name if extended.name is not None else _name(block)
        if kind == "file" and name.endswith(b"/"):
            kind = "directory"
        size = size if extended.size is None else extended.size
        self._set_size(size if kind in ("file", "sparse", "unknown", "continued") else 0)
        if flag == b"S":
            self._skip_sparse_map(block)
        link = extended.link if extended.link is not None else block[157:257].split(b"\0", 1)[0]
        mtime = number(block[136:148]) if extended.mtime is None else extended.mtime
        return TarEntry(name, kind, self.left, mtime or None, link)

    def _set_size(self, size: int) -> None:
        self.left, self._padding = size, -size % BLOCK

    def _extend(self, flag: bytes) -> None:
        data = Source(self).read(min(self.left, _EXTENSION_BYTES))  # what it holds beyond is skipped with the member
        if flag == b"L":
            self._extended.name = data.split(b"\0", 1)[0]
        elif flag == b"K":
            self._extended.link = data.split(b"\0", 1)[0]
        elif flag in (b"x", b"X"):
            _apply_pax(self._extended, data)

    def _skip_sparse_map(self, block: bytes) -> None:
        more = block[482] == 1
        while more and len(block := self.source.read(BLOCK)) == BLOCK:
            more = block[504] == 1


def _name(block: bytes) -> bytes:
    name = block[:100].split(b"\0", 1)[0]
    if block[257:263] == b"ustar\0" and (prefix := block[345:500].split(b"\0", 1)[0]):
        return prefix + b"/" + name
    return name


def _find_header(data: bytes) -> int | None:
    """Offset of the first header with a magic on a block boundary, also one whose block ends behind ``data``."""
    at = data.find(_MAGIC)
    while at >= 0:
        start = at - 257
        if start >= 0 and start % BLOCK == 0 and is_header(data[start : start + BLOCK]):
            return start
        at = data.find(_MAGIC, at + 1)
    return None


def _apply_pax(extended: _Extended, data: bytes) -> None:
    """Records ``<length> <key>=<value>\\n``; broken ones end the list."""
    at = 0
    while at < len(data):
        space = data.find(b" ", at, at + 20)
        if space < 0 or not data[at:space].isdigit():
            return
        length = int(data[at:space])
        key, _, value = data[space + 1 : at + length - 1].partition(b"=")
        if length < 5:
            return
        _apply_pax_value(extended, key, value)
        at += length


def _apply_pax_value(extended: _Extended, key: bytes, value: bytes) -> None:
    if key in (b"path", b"GNU.sparse.name"):
        extended.name = value
    elif key == b"linkpath":
        extended.link = value
    elif key == b"size" and value.isdigit() and len(value) < 20:
        extended.size = int(value)
    elif key == b"mtime":
        whole = value.split(b".", 1)[0]
        extended.mtime = int(whole) if whole.isdigit() and len(whole) < 15 else None
    extended.sparse = extended.sparse or key.startswith(b"GNU.sparse.")
