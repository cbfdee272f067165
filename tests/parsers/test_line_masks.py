"""Lines that a mask lets pass are those that are let pass one by one."""

from __future__ import annotations

from random import Random

import pytest

from parsers.formats.host.logs import log_stretches
from parsers.formats.host.logs.log_stretches import _Foreign
from parsers.patterns.line_masks import LEAST_BYTES, LineMasks, literal
from tests.parsers.test_plain_shapes import read_of

STAMPS = (
    "Mar  9 20:33:13",
    "Mar 09 20:33:13.120",
    "2031-03-09T20:33:13.120034+01:00",
    "2031-03-09T20:33:13Z",
    "2031-03-09 20:33:13.120",
    "März 9 20:33:13",
    "1931893993.120034",
)
WRITERS = (
    "kernel: ",
    "systemd[1]: ",
    "sshd[411]: ",
    "CROND[77]: ",
    "postfix/smtpd[9]: ",
    "corosync[12]: ",
    "multipathd: ",
    "x: ",
    "had[3] ",
    "kernels: ",
    "systemd-logind[1022]: ",
    "Server Administrator: ",
    "dbus-daemon[981]: ",
    "-: ",
    "systemd: ",
)
TEXTS = (
    "Started Session 12 of user ana.",
    "Failed to start the collector.",
    "ERROR: no answer",
    "ERROR ",
    "[ERROR] none",
    "read: I/O error",
    "Reached target Power-Off.",
    "Power is fine",
    "open /srv: No space left on device",
    "",
    "EIO",
    "naïve words with ß",
    "mounted <&> \\ it",
    "[ID 702911 daemon.error] cried",
    "system will go down",
    "timed out",
    "perf: interrupt took too long (2500 > 2400)",
    "exited",
)


def lines_of(seed: int, size: int) -> bytes:
    random, lines, held = Random(seed), [], 0
    while held < size:
        if random.random() < 0.9:
            line = f"{STAMPS[0]} kite3 {random.choice(WRITERS[:5])}{random.choice(TEXTS[:2])}"
        else:
            line = f"{random.choice(STAMPS)} kite{random.randrange(3)} {random.choice(WRITERS)}{random.choice(TEXTS)}"
        if random.random() < 0.001:
            line += "x" * random.choice((19_000, 21_000, 30_000))
        if random.random() < 0.01:
            line = line[random.randrange(30) :]
        lines.append(line.encode("utf-8" if random.random() < 0.5 else "latin-1", "replace"))
        held += len(lines[-1]) + 1
    return b"\n".join(lines) + b"\n"


@pytest.mark.parametrize("seed", range(4))
def test_large_windows_pass_over_the_same_lines(seed: int) -> None:
    data = lines_of(seed, LEAST_BYTES)
    large, small = _Foreign(data), _Foreign(data)
    assert large._is_large
    small._is_large = False
    at, runs = 0, []
    while at < len(data):
        end = large.end(at)
        assert end == small.end(at), data[at : at + 200]
        runs.append(end - at)
        at = end if end > at else data.find(b"\n", at) + 1
    assert max(runs) > 200
    assert min(runs) == 0


@pytest.mark.parametrize("seed", range(4, 6))
def test_what_is_read_of_a_log_is_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    text = lines_of(seed, 4 * LEAST_BYTES).decode("latin-1")
    by_masks = read_of(text)
    monkeypatch.setattr(log_stretches, "HAS_MASKS", False)
    assert by_masks == read_of(text)


def test_a_mask_is_of_whole_lines() -> None:
    masks = LineMasks(b"a.b\n\nacb \xe9\n")
    assert masks.begins.tolist() == [0, 4, 5]
    assert masks.ends.tolist() == [4, 5, 11]
    assert [mask.tolist() for mask in masks.fits(literal("a.b"), "^$")] == [[True, False, False], [False, True, False]]
