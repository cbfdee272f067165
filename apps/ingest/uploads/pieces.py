"""One piece of an upload that comes in several, and what those who keep pieces have in common."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from apps.web.away import is_full
from apps.web.errors import DomainError
from parsers.dataclass import dataclass

if TYPE_CHECKING:
    from hashlib import _Hash

BLOCK = 256 << 10
HASH_BLOCK = 8 << 20  # a store is asked once for each

HELD = "Another window is sending this file at the moment."
ELSEWHERE = "The upload is at another byte than this one."
NO_ROOM = (
    "These bytes could not be stored: the disk is full. What came before them is kept: go on when the administrator "
    "has freed room."
)
NOT_THERE = (
    "These bytes could not be stored: the storage of files cannot be reached. What came before them is kept: go on in "
    "a minute."
)
WRONG_CHECKSUM = "These bytes changed on the way: their checksum differs. They were dropped."


def not_stored(error: OSError) -> DomainError:
    """Why not, and what is to be done."""
    return DomainError(NO_ROOM if is_full(error) else NOT_THERE, status=507)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Piece:
    """Bytes that follow at an offset. ``length`` is announced; fewer may come."""

    stream: Readable
    at: int
    length: int
    checksum: tuple[str, bytes] | None = None
    """Algorithm and value. With it the piece counts whole or not at all."""

    def check(self) -> Check | None:
        return Check(hashlib.new(self.checksum[0], usedforsecurity=False), self.checksum[1]) if self.checksum else None


@dataclass(frozen=True, slots=True)
class Check:
    digest: _Hash
    wanted: bytes

    def holds(self) -> bool:
        return self.digest.digest() == self.wanted


class Kept(Protocol):
    """What came so far of one upload, held by one request alone."""

    def take(self, piece: Piece) -> int:
        """How many bytes were added."""

    def sha256(self) -> str:
        """Of all that came, read once more: hashlib's state cannot be handed from one process to the next."""

    def store(self, prefix: str) -> str:
        """Put the whole file into the storage of cases; the name comes back. It may be asked again until ``forget``."""

    def take_back(self, name: str) -> None:
        """What was stored got no row."""

    def forget(self) -> None:
        """It has its row: the pieces go."""

    def drop(self) -> None:
        """Nothing is to be left."""


def sha256_of(file: Readable, check: Callable[[], None] = lambda: None) -> str:
    """``check`` is called between blocks, and may raise."""
    digest = hashlib.sha256()
    while block := file.read(HASH_BLOCK):
        check()
        digest.update(block)
    return digest.hexdigest()


def next_block(stream: Readable, size: int) -> bytes:
    """Nothing where the connection broke or stays silent: what came before that counts."""
    try:
        return stream.read(size)
    except OSError:
        return b""


def refuse_changed(check: Check | None, piece: Piece, taken: int) -> bool:
    """Whether the bytes may not count because not all came; an error where all came and are others."""
    if check is None or check.holds():
        return False
    if taken < piece.length:
        return True
    raise DomainError(WRONG_CHECKSUM, status=460)
