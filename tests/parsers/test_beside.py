"""Work on a thread beside the reader: the order of the pieces is kept, and errors are not lost."""

from __future__ import annotations

import hashlib
import threading

import pytest

from parsers.beside import LARGE_BYTES, Beside
from tests.patience import HANGS_S


def pieces(*sizes: int) -> list[bytes]:
    return [bytes([number % 251]) * size for number, size in enumerate(sizes)]


@pytest.mark.parametrize("sizes", [(), (1, 2, 3), (LARGE_BYTES,) * 20, (7, LARGE_BYTES, 7, 7, 3 * LARGE_BYTES, 1)])
def test_the_pieces_keep_their_order(sizes: tuple[int, ...]) -> None:
    beside, digest = Beside(), hashlib.sha256()
    for piece in pieces(*sizes):
        beside.call(digest.update, piece)
    beside.wait()
    assert digest.digest() == hashlib.sha256(b"".join(pieces(*sizes))).digest()


def test_small_pieces_begin_no_thread() -> None:
    done: list[str] = []
    beside = Beside()
    for _ in range(100):
        beside.call(lambda _: done.append(threading.current_thread().name), b"few bytes")
    assert set(done) == {threading.current_thread().name}


def test_an_error_is_raised_and_the_thread_ends() -> None:
    def fails(_: bytes) -> None:
        raise OSError("no room")

    before = threading.active_count()
    beside = Beside()
    beside.call(fails, b"x" * LARGE_BYTES)
    with pytest.raises(OSError, match="no room"):
        beside.wait()
    assert threading.active_count() == before
    beside.wait()


def test_pieces_that_wait_are_few() -> None:
    go = threading.Event()
    seen: list[int] = []
    beside = Beside()

    def slow(piece: bytes) -> None:
        go.wait(HANGS_S)
        seen.append(len(piece))

    def feed() -> None:
        for _ in range(12):
            beside.call(slow, b"x" * LARGE_BYTES)

    feeder = threading.Thread(target=feed)
    feeder.start()
    feeder.join(0.3)
    assert feeder.is_alive()  # it waits for room
    go.set()
    feeder.join(HANGS_S)
    beside.wait()
    assert seen == [LARGE_BYTES] * 12
