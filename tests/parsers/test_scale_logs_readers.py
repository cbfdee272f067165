"""Readers of Scale logs, traces, REST answers and measuring tools beyond their samples: bulk and slow path, joins, the
talk's figures.
"""

from __future__ import annotations

import random

import pytest

from parsers.formats.scale.logs.log_kinds import meaning_of
from parsers.records import Event, Measurement, NodeAlias, Section
from parsers.records.waits import Stack, Waiter
from parsers.sections import stretch as stretches
from parsers.times.clock import format_instant
from tests.parsers.golden import FIXTURES, Reading
from tests.references import article

TALK = "scale-performance-talk.txt"
FILLER = (
    "[I] Command: successful mount projects",
    "[N] CCR: file 12 was read",
    "[I] Calling user exit script mmNodeDown: event nodeLeave, Async command /usr/lpp/mmfs/bin/mmnodedown.",
)


def log(lines: int, seed: int = 1, prefix: str = "") -> str:
    """A long log: mostly lines that do not matter, some wrapped."""
    rng = random.Random(seed)
    telling = [line.split(": ", 1)[1] for line in (FIXTURES / "scale_log" / "typical.txt").read_text().splitlines()]
    found = []
    for k in range(lines):
        text = rng.choice(FILLER) if rng.random() < 0.95 else rng.choice(telling)
        if rng.random() < 0.002 and " sec since " in text:
            text = text.replace(" sec since ", " sec since\n")
        found.append(
            f"{prefix}2031-06-{1 + k // 86400:02d}_{k // 3600 % 24:02d}:{k // 60 % 60:02d}:{k % 60:02d}."
            f"{k % 1000:03d}+0200: {text}"
        )
    return "\n".join(found) + "\n"


@pytest.mark.parametrize("prefix", ["", "lund02: "])
def test_the_bulk_path_of_the_log_gives_what_the_slow_one_gives(monkeypatch: pytest.MonkeyPatch, prefix: str) -> None:
    text = log(3_000, prefix=prefix)
    bulk = Reading(text, path="x").as_json()
    monkeypatch.setattr(stretches, "LEAST_BYTES", 1 << 40)
    assert Reading(text, path="x").as_json() == bulk


def test_the_bulk_path_of_the_trace_gives_what_the_slow_one_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = (FIXTURES / "scale_trace" / "typical.txt").read_text().splitlines()
    text = "\n".join(lines * 300) + "\n"
    bulk = Reading(text, path="x").as_json()
    monkeypatch.setattr(stretches, "LEAST_BYTES", 1 << 40)
    assert Reading(text, path="x").as_json() == bulk


def test_a_wrapped_event_is_one_event_and_one_waiter() -> None:
    reading = Reading((FIXTURES / "scale_log" / "damaged.txt").read_bytes(), path="x")
    [waiter] = reading.of(Waiter)
    [event] = [event for event in reading.of(Event) if event.kind == "long-waiter"]
    assert (waiter.node, waiter.thread_id, waiter.seconds) == ("bergen07", 5214, 902.416)
    assert (event.node, event.about, event.value, event.unit) == ("bergen07", "thread 5214", 902.416, "s")
    assert format_instant(waiter.since) == "2031-11-11T21:02:41"
    assert (
        abs((waiter.since or 0) + 902_416_000 - (waiter.at or 0)) < 1_000_000
    )  # start, age and the log's own clock agree


@pytest.mark.parametrize(
    ("letter", "text", "expected"),
    [
        (
            "N",
            "Close connection to 10.0.0.1 lund1 <c0n1>:[0] (Connection reset by peer).",
            ("connection-closed", "lund1", None),
        ),
        (
            "E",
            "Node 10.0.0.2 (lund2) is being expelled because of an expired lease. Pings sent: 60.",
            ("expel", "lund2", None),
        ),
        (
            "N",
            "Expel 10.0.0.3 (lund3) request from 10.0.0.4 (lund4). Expelling: 10.0.0.3 (lund3)",
            ("expel", "lund3", None),
        ),
        ("N", "Lost membership in cluster tarn.lab. Unmounting file systems.", ("membership-lost", "tarn.lab", None)),
        ("N", "Disk lease period expired 7.730 seconds ago in cluster x.", ("lease-lost", None, 7.73)),
        (
            "W",
            "VERBS RDMA closed connection to 10.1.1.1 (lund7) on mlx5_0 port 1 due to error 733",
            ("rdma-error", "lund7", 733.0),
        ),
        ("I", "Recovered 2 nodes for file system fs1.", ("recovery-done", "fs1", 2.0)),
        ("E", "Quorum loss. Unmounting file systems.", ("quorum-lost", None, None)),
        ("W", "winbindd lookup of user 17 timed out", ("name-lookup-failed", None, None)),
        ("E", "something nobody listed", ("log-error", None, None)),
    ],
)
def test_what_a_line_means(letter: str, text: str, expected: tuple[str, str | None, float | None]) -> None:
    found = meaning_of(letter, text)
    assert found is not None
    assert (found.kind, found.about, found.value) == expected


@pytest.mark.parametrize("text", ["Command: something else", "Connected", "The cat sat", ""])
def test_lines_that_do_not_matter(text: str) -> None:
    assert meaning_of("I", text) is None


def test_name_and_address_of_a_line_are_one_node() -> None:
    reading = Reading("2031-06-03_22:48:15.207+0200: [N] Connecting to 10.74.12.61 lund061 <c0n11>:[0]\n" * 3, path="x")
    assert [(row.node, row.alias) for row in reading.of(NodeAlias)] == [("lund061", "10.74.12.61")]


def test_the_name_of_a_debug_file_gives_node_and_clock() -> None:
    text = (
        "===== dump waiters =====\n"
        "0x855E3B0 waiting 8.269320000 seconds, Mount handler: on ThCond 0x85AC350 (0x85AC350) (MsgRecord), "
        "reason 'waiting for RPC replies' for sgmMsgSGMount on node 10.168.1.4\n"
    )
    reading = Reading(text, path="snap/internaldump.310312.22.20.24.deadlock.lund65.gz")
    [waiter] = reading.of(Waiter)
    assert (waiter.node, format_instant(waiter.at)) == ("lund65", "2031-03-12T22:20:24")


def test_a_collector_names_command_and_moment() -> None:
    text = (
        "Info: mmdiag --waiters - gpfs waiters on lund07 Thu Aug 14 03:33:00 CEST 2031\nWaiting 183.0 "
        "sec since 03:29:57, monitored, thread 407796 PrefetchWorkerThread: for NSD I/O completion on "
        "node 10.0.12.15\n"
    )
    reading = Reading(text, path="x")
    [section] = reading.of(Section)
    assert (section.command, format_instant(section.at, section.zone_min)) == (
        "mmdiag --waiters",
        "2031-08-14T03:33:00+02:00",
    )
    assert reading.result.not_understood == 0


def test_stacks_join_waiters_by_the_thread() -> None:
    reading = Reading(
        (FIXTURES / "thread_stacks" / "typical.txt").read_bytes(), path="kthreads.310312.22.20.24.deadlock.lund65"
    )
    assert [(stack.node, stack.pid) for stack in reading.of(Stack)] == [
        ("lund65", 20951),
        ("lund65", 20952),
        ("lund65", 20953),
    ]


def test_the_figures_of_the_talk() -> None:
    rows = Reading(article(TALK).read_bytes(), path=TALK).of(Measurement)
    fio = {row.value for row in rows if row.tool == "fio" and row.unit == "MiB/s"}
    fsperf = {row.value for row in rows if row.tool == "fsperf" and row.unit == "MB/s"}
    assert fio == {260.0, 1710.0}
    assert {210.6, 1628.2, 3697.9, 1751.4, 1937.5, 3937.4} <= fsperf


def test_a_tcp_connection_in_trouble_is_reported_with_its_peer() -> None:
    text = (
        "The TCP connection to IP address 10.3.3.18 wn-0018 <c0n17>:[0] (socket 118) state is unexpected: "
        "ca_state=4 unacked=12"
    )
    event = meaning_of("W", text)
    assert event is not None
    assert (event.kind, event.about, event.alias) == ("tcp-trouble", "wn-0018", ("wn-0018", "10.3.3.18"))


@pytest.mark.parametrize(
    ("letter", "text", "kind", "about"),
    [
        ("E", "Failed to open nest.", "mount-failed", "nest"),
        ("W", "Command: err 52: mount nest", "mount-failed", "nest"),
        ("X", "Recovery Log I/O failed, unmounting file system nest", "recovery-log-failed", "nest"),
        ("X", "6027-474 [X] Recovery Log I/O failed, unmounting nest", "recovery-log-failed", "nest"),
        ("", "GPFS: 6027-2786 [E] cluster probe in other words", "quorum-unreachable", None),
        (
            "E",
            "Timed out in 60 seconds waiting for an ack from node 10.9.8.7 (owl3). Sending expel message.",
            "expel-asked",
            "owl3",
        ),
        (
            "E",
            "Timed out in 60 seconds waiting for an ack from node 10.9.8.7 owl3. Sending expel message.",
            "expel-asked",
            "owl3",
        ),
        ("N", "This node (10.9.8.7 (owl3)) is now Cluster Manager for wood.lan.", "cluster-manager-takeover", "owl3"),
        (
            "E",
            "The key used by the cluster named owls.lan has changed.  Contact the administrator",
            "key-changed",
            "owls.lan",
        ),
    ],
)
def test_further_wordings_and_numbers_have_their_meaning(letter: str, text: str, kind: str, about: str | None) -> None:
    found = meaning_of(letter, text)
    assert found is not None
    assert (found.kind, found.about) == (kind, about)


TROUBLE = (
    "[N] Node 10.74.{0}.{1} (lund{1}) lease renewal is overdue. Pinging to check if it is alive",
    "[E] Node 10.74.{0}.{1} (lund{1}) is being expelled because of an expired lease. Pings sent: 60. "
    "Replies received: {0}.",
    "[N] Close connection to 10.74.{0}.{1} lund{1} <c0n{1}>:[0] (Connection reset by peer). Attempting reconnect.",
    "[E] Disk failure. Volume fs{0}. rc = {0}. Physical volume fs{0}_nsd{1}.",
    "[N] Request sent to 10.74.{0}.9 (lund9) to expel 10.74.{0}.{1} (lund{1}) from cluster lund.lab",
    "[N] The unexpected long waiter on thread {1}{0} has disappeared in {0} seconds.",
    "[I] Accepted and connected to 10.74.{0}.{1} lund{1} <c0n{1}>:[{0}]",
)


def test_messages_that_differ_in_figures_are_read_alike_one_by_one_and_in_stretches() -> None:
    rng = random.Random(7)
    lines = [
        f"2031-06-03_{k // 3600:02d}:{k // 60 % 60:02d}:{k % 60:02d}.{k % 1000:03d}+0200: "
        + rng.choice(TROUBLE).format(rng.randrange(1, 99), rng.randrange(1, 2000))
        for k in range(1_600)
    ]
    whole = Reading("".join(f"{line}\n" for line in lines), path="mmfs.log")
    assert whole.result.not_understood == 0
    each = [
        (event, at) for at, line in enumerate(lines, 1) for event in Reading(f"{line}\n", path="mmfs.log").of(Event)
    ]
    assert [
        (one.line, one.at, one.kind, one.about, one.value, one.unit, one.weight, one.text) for one in whole.of(Event)
    ] == [(at, one.at, one.kind, one.about, one.value, one.unit, one.weight, one.text) for one, at in each]
