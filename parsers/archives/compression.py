"""Compressed streams, opened by ourselves so that a cut is always noticed, memory stays flat and every byte is counted.

Every decompressor speaks the interface of ``bz2.BZ2Decompressor``. gzip and deflate use ``isal`` where it is
installed, which is about twice as fast as zlib.
"""

from __future__ import annotations

import bz2
import contextlib
import importlib
import lzma
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, Final, Protocol

from parsers.archives.lzw import LzwDecompressor
from parsers.archives.source import Source
from parsers.dataclass import dataclass
from parsers.errors import BundleTooLarge


def _optional(name: str) -> Any:
    """A module that may not be installed, else None."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return None


@cache
def _zstandard() -> Any:
    """Loaded where a stream asks for it: few do, and it takes a hundredth of the time of a small text."""
    return _optional("zstandard")


igzip_lib = _optional("isal.igzip_lib")
crc32: Callable[[bytes, int], int] = _optional("isal.isal_zlib").crc32 if igzip_lib else zlib.crc32

PIECE_IN: Final = 1 << 16
PIECE_FIRST: Final = 1 << 9  # after a new start: thousands of tiny streams must not copy 64 KiB each
PIECE_OUT: Final = 1 << 18
XZ_MEMORY: Final = 256 << 20
ZSTD_WINDOW: Final = 128 << 20
_ZSTD_SLICE: Final = 1 << 10  # a block of zeros is 4 bytes for 128 KiB: a slice gives 32 MiB at most


class Decompressor(Protocol):
    """What ``bz2``, ``lzma`` and ``isal`` offer alike."""

    @property
    def eof(self) -> bool: ...
    @property
    def needs_input(self) -> bool: ...
    @property
    def unused_data(self) -> bytes: ...
    def decompress(self, data: bytes, max_length: int = -1) -> bytes: ...


class _Zlib:
    """zlib's decompressor behind the interface of the others; for machines without isal."""

    def __init__(self, wbits: int) -> None:
        self._inner = zlib.decompressobj(wbits)

    @property
    def eof(self) -> bool:
        return self._inner.eof

    @property
    def needs_input(self) -> bool:
        return not self._inner.unconsumed_tail

    @property
    def unused_data(self) -> bytes:
        return self._inner.unused_data

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        return self._inner.decompress(self._inner.unconsumed_tail + data, max(0, max_length))


class _Zstd:
    """One frame of zstd. The library has no bound on the output of a call, so it is fed in small slices."""

    def __init__(self) -> None:
        self._inner: Any = _zstandard().ZstdDecompressor(max_window_size=ZSTD_WINDOW).decompressobj()
        self._input = b""

    @property
    def eof(self) -> bool:
        return bool(self._inner.eof)

    @property
    def needs_input(self) -> bool:
        return not self._input

    @property
    def unused_data(self) -> bytes:
        return bytes(self._inner.unused_data) + self._input

    def decompress(self, data: bytes, max_length: int = -1) -> bytes:
        fed, most, given = self._input + data, max_length if max_length >= 0 else 1 << 62, 0
        parts: list[bytes] = []
        at = 0
        while at < len(fed) and given < most and not self._inner.eof:
            try:
                parts.append(self._inner.decompress(fed[at : at + _ZSTD_SLICE]))
            except _zstandard().ZstdError as error:
                raise ValueError(str(error)) from error
            given += len(parts[-1])
            at += _ZSTD_SLICE
        self._input = fed[at:]
        return b"".join(parts)


def _gzip() -> Decompressor:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP) if igzip_lib else _Zlib(31)


def _deflate() -> Decompressor:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE) if igzip_lib else _Zlib(-15)


_OPEN: Final[dict[str, Callable[[], Decompressor]]] = {
    "gzip": _gzip,
    "deflate": _deflate,
    "bzip2": bz2.BZ2Decompressor,
    "xz": lambda: lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=XZ_MEMORY),
    "zstd": _Zstd,
    ".Z": LzwDecompressor,
}
_ENDLESS: Final = frozenset((".Z",))  # only the end of the file ends them: a cut can't be told
_WBITS: Final = {"gzip": 31, "deflate": -15}
_KEPT: Final = 1 << 20
_MAGIC: Final = {"gzip": b"\x1f\x8b", "bzip2": b"BZh", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
_DAMAGE: Final[tuple[type[Exception], ...]] = (
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    MemoryError,
    *((igzip_lib.error,) if igzip_lib else ()),
)


@dataclass(frozen=True, slots=True)
class Fault:
    """Why a stream ended before its end. ``after``: bytes that came out before."""

    kind: str  # cut | damaged | limit | garbage (data behind the end)
    after: int
    limit: str = ""


def supported(codec: str) -> bool:
    """Whether this installation can open it."""
    return codec in _OPEN and (codec != "zstd" or _zstandard() is not None)


class Expanded:
    """What comes out of a compressed stream. It never raises: at damage it ends, and ``fault`` says why."""

    def __init__(self, source: Source, codec: str, spend: Callable[[int], None], *, single: bool = False) -> None:
        self._source = source
        self._codec = codec
        self._spend = spend
        self._single = single
        self._inner = _OPEN[codec]()
        self._piece_in = PIECE_IN
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._given = 0
        self._ended = False
        self.produced = 0
        self.fault: Fault | None = None

    def read(self, size: int = PIECE_OUT, /) -> bytes:
        """Up to ``size`` bytes; short reads are usual, empty only at the end."""
        while not self._ended:
            if self._inner.eof:
                self._next_stream()
            elif piece := self._piece(min(size, PIECE_OUT) if size > 0 else PIECE_OUT):
                return piece
        return b""

    def _piece(self, most: int) -> bytes:
        data = b""
        if self._inner.needs_input:
            data = self._source.some(self._piece_in)
            self._piece_in = min(2 * self._piece_in, PIECE_IN)
            if not data:
                return self._at_end(most)
            self._keep(data)
        try:
            piece = self._inner.decompress(data, most)
        except _DAMAGE:
            rest = self._salvaged()
            self._end("damaged")
            return self._count(rest)
        self._given += len(piece)
        return self._count(piece)

    def _at_end(self, most: int) -> bytes:
        """No more input: a cut, save where the format has no other end; then its last codes are still to come."""
        inner = self._inner
        if self._codec not in _ENDLESS or not isinstance(inner, LzwDecompressor):
            self._end("cut")
            return b""
        inner.finish()
        try:
            piece = inner.decompress(b"", most)
        except _DAMAGE:
            self._end("damaged")
            return b""
        self._ended = self._ended or not piece
        return self._count(piece)

    def _keep(self, data: bytes) -> None:
        """The beginning of a stream is kept, so that damage in a small file does not cost what stands before it."""
        if self._kept_bytes <= _KEPT:
            self._kept.append(data)
            self._kept_bytes += len(data)

    def _salvaged(self) -> bytes:
        """What a failed call would have given before the damage; nothing where the stream is long."""
        if self._kept_bytes > _KEPT or self._codec not in _WBITS:
            return b""
        return b"".join(_until_damage(b"".join(self._kept), _WBITS[self._codec]))[self._given :]

    def _count(self, piece: bytes) -> bytes:
        try:
            self._spend(len(piece))
        except BundleTooLarge as limit:
            self._end("limit", limit.message)
            return b""
        self.produced += len(piece)
        return piece

    def _next_stream(self) -> None:
        """Streams may stand one behind the other, with zeros between; anything else behind the end is garbage."""
        if self._single:
            self._ended = True
            return
        rest = self._inner.unused_data.lstrip(b"\0")
        while len(rest) < 6 and (more := self._source.some(PIECE_IN)):
            rest = (rest + more).lstrip(b"\0")
        if not rest:
            self._ended = True
        elif not rest.startswith(_MAGIC[self._codec]):
            self._end("garbage")
        else:
            self._restart(rest)

    def _restart(self, rest: bytes) -> None:
        self._inner = _OPEN[self._codec]()
        self._piece_in = PIECE_FIRST
        self._kept, self._kept_bytes, self._given = [], 0, 0
        self._source.unread(rest)

    def _end(self, kind: str, limit: str = "") -> None:
        self._ended = True
        if self.fault is None:
            self.fault = Fault(kind, self.produced, limit)


def _until_damage(data: bytes, wbits: int) -> Iterator[bytes]:
    """Unpack until it fails, in the end byte by byte. The data is small: a bomb in it is cut at 64 MiB."""
    inner, given = zlib.decompressobj(wbits), 0
    for at in range(0, len(data), 4096):
        saved = inner.copy()
        try:
            piece = inner.decompress(data[at : at + 4096])
        except zlib.error:
            yield from _bytewise(saved, data[at : at + 4096])
            return
        yield piece
        given += len(piece)
        if given > 64 * _KEPT:
            return


def _bytewise(inner: Any, data: bytes) -> Iterator[bytes]:
    with contextlib.suppress(zlib.error):
        for value in data:
            yield inner.decompress(bytes([value]))
