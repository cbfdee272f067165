"""A log of the Scale daemon that was copied with marks in front of its lines tells the same, also where its lines were
wrapped before.
"""

from __future__ import annotations

import pytest

from parsers.records import Event
from parsers.records.waits import Waiter
from tests.parsers.golden import Reading

LOG = (
    "2031-06-02_21:17:40.1+0200: [I] Connected to 10.31.4.7 turin2 <c0n2>",
    "2031-06-02_21:17:44.3+0200: [A] Unexpected long waiter detected: Waiting 311.2500 sec since",
    "2031-06-02 21:12:33, on node turin1, ",
    "NSDThread 22506: for I/O completion on disk dm-17",
    "2031-06-02_21:17:48.3+0200: [I] Connected to 10.31.4.8 turin3 <c0n3>",
)


Contents = tuple[list[tuple[int | None, str, str | None, float | None]], list[tuple[object, ...]]]


def contents(text: str) -> Contents:
    reading = Reading(text, path="turin1/mmfs.log.latest")
    assert reading.adds_up
    events = [(e.at, e.kind, e.about, e.value) for e in reading.of(Event)]
    return events, [(w.node, w.at, w.since, w.seconds, w.thread_id) for w in reading.of(Waiter)]


@pytest.mark.parametrize("mark", ["turin1: ", "turin1:  ", "| ", "> ", "    "])
def test_marks_in_front_of_a_log_change_nothing(mark: str) -> None:
    plain = contents("".join(f"{line}\n" for line in LOG))
    assert contents("".join(f"{mark}{line}\n" for line in LOG)) == plain
    assert [kind for _, kind, _, _ in plain[0]] == ["connected", "long-waiter", "connected"]
    assert plain[0][1][2:] == ("thread 22506", 311.25)
