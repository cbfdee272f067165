"""Texts with dump after dump, as collected over hours."""

from __future__ import annotations

import random
from datetime import UTC, datetime, timedelta


def scale_dumps(dumps: int, *, every: int, old: bool = False, seed: int = 1, stale: bool = False) -> bytes:
    """Dumps every five seconds with a heading above every so many of them (0: none); some show no waiter at all.

    stale: starts and ages of the waiters do not fit the date above them.
    """
    rng, out = random.Random(seed), []
    for dump in range(dumps):
        when = datetime.fromtimestamp(1_700_000_000 + 5 * dump, UTC)
        if every and dump % every == 0:
            out.append(f"==== carp{dump % 7:02d} ====")
        out.append(f"{when:%a %b %d %H:%M:%S UTC %Y}")
        if not old:
            out.append("=== mmdiag: waiters ===")
        out += [_waiter(rng, when, old=old, stale=stale) for _ in range(rng.randrange(12))]
        if dump % 5 == 0:
            out.append("")
    return ("\n".join(out) + "\n").encode()


def _waiter(rng: random.Random, when: datetime, *, old: bool, stale: bool) -> str:
    disk, seconds = rng.choice("abcdef"), rng.random() * 40
    if old:
        return (
            f"0x7F00{rng.randrange(1 << 16):04X} waiting {seconds:.9f} seconds, NSDThread: for I/O completion "
            f"on disk sd{disk}"
        )
    begun = when - timedelta(seconds=0 if stale else seconds)
    since = f"since {begun:%H:%M:%S}, monitored, thread {rng.randrange(900, 999)}"
    return f"Waiting {seconds:.4f} sec {since} NSDThread: for I/O completion on disk sd{disk}"


def glock_dumps(dumps: int) -> bytes:
    rng, out = random.Random(3), []
    for dump in range(dumps):
        out.append(f"{datetime.fromtimestamp(1_700_000_000 + 30 * dump, UTC):%a %b %d %H:%M:%S UTC %Y}")
        for number in range(rng.randrange(1, 9)):
            out.append(f"G:  s:EX n:2/{number:x} f:lIqob t:EX d:EX/0 a:0 v:0 r:4 m:200")
            out.append(f" H: s:EX f:W e:0 p:{rng.randrange(100, 999)} [postgres] gfs2_permission+0x52/0x90 [gfs2]")
    return ("\n".join(out) + "\n").encode()
