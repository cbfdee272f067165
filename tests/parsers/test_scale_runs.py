"""Runs of plain rows give the same records, repeats and counts as the same text read line by line, whatever was done to
it.
"""

from __future__ import annotations

import random
from typing import Final

import pytest

from parsers.formats.scale.waits import detail as scale_detail
from parsers.formats.scale.waits import rows as scale_rows
from parsers.formats.scale.waits import runs as scale_runs
from parsers.formats.scale.waits.line import WaiterLine
from parsers.layouts.wrapped import Tried
from parsers.records.kinds import RECORD_TYPES
from parsers.records.waits import Waiter
from parsers.sections import reader as sections
from tests.parsers.golden import Reading
from tests.parsers.test_scale_waiters_bulk import damage

NODES: Final = ("turin1", "turin2", "rma-3", "t4.lab")
THREADS: Final = ("NSDThread", "SyncHandlerThread", "PrefetchWorkerThread", "Msg handler tmMsgRevoke")
FULL: Final = (
    "version:reserved:reserved:threadId:threadAddr:threadName:waitStartTime:waitTime:isMonitored:"
    "condVarAddr:condVarName:condVarReason:mutexAddr:mutexName:auxReason:delayTime:delayReason:"
)
SWAPPED: Final = FULL.replace("threadId:threadAddr", "threadAddr:queue:threadId").replace(
    "waitStartTime:waitTime", "waitTime:waitStartTime"
)
SHORT: Final = FULL.replace("threadAddr:", "").replace("isMonitored:", "")


def lock(rng: random.Random) -> str:
    return rng.choice(
        (f"{rng.randrange(1 << 44):016X}", f"0x{rng.randrange(1 << 44):X}", "0000000000000000", "12345", "")
    )


def cells(rng: random.Random, header: str, clock_s: int) -> str:
    """One row for a header: values by the names of its columns."""
    peer = f"10.9.0.{rng.randrange(4)} <c0n{rng.randrange(4)}>"
    begun = (
        f"2031-06-02_{clock_s // 3600:02d}%3A{clock_s // 60 % 60:02d}%3A{clock_s % 60:02d}"
        f"{rng.choice(('+0200', '+0200', ''))}"
    )
    on_lock = rng.random() < 0.6
    values = {
        "version": "1",
        "threadId": str(rng.randrange(1 << 17)),
        "threadAddr": f"{rng.randrange(1 << 40):016X}",
        "threadName": rng.choice(THREADS),
        "waitStartTime": begun,
        "waitTime": f"{rng.random() * 400:.4f}",
        "isMonitored": rng.choice(("monitored", "ignored", "")),
        "queue": str(rng.randrange(3)),
        "condVarAddr": lock(rng) if on_lock else "",
        "condVarName": "MsgRecordCondvar" if on_lock else "",
        "condVarReason": f"RPC wait for tmMsgRevoke on node {peer}" if on_lock else "",
        "mutexAddr": "" if on_lock or rng.random() < 0.8 else lock(rng),
        "mutexName": "" if on_lock else rng.choice(("", "LogFileMutex")),
        "auxReason": "" if on_lock else rng.choice(("for I/O completion", "for%20poll%20on%20sock", " on disk dm-3")),
        "delayTime": rng.choice(("", "", "2.5")),
    }
    row = ":".join(values.get(name, "") for name in header.split(":"))
    return row if rng.random() < 0.9 else row.rstrip(":")


def table(rng: random.Random, clock_s: int) -> list[str]:
    name, headers = rng.choice((("waiters", (FULL, SWAPPED)), ("deadlockThread", (SHORT,))))
    header, node = rng.choice(headers), rng.choice(NODES)
    prefix = rng.choice(("", "", f"{node}: ", f"{node}:  "))
    lines = (
        []
        if prefix
        else rng.choice(([], [f"=== {node} ==="], [f"[root@{node} ~]# mmdiag --{name} -Y"], ["2031-06-02 09:00:00"]))
    )
    if header is SWAPPED or rng.random() < 0.8:
        lines.append(f"{prefix}mmdiag:{name}:HEADER:{header}")
    lines += [f"{prefix}mmdiag:{name}:0:1:{cells(rng, header, clock_s)[2:]}" for _ in range(rng.randrange(30))]
    if name == "deadlockThread":
        lines.append(f"{prefix}mmdiag:deadlockDetectionTimes:0:1:::1290:540:turin.lab:0.00086:0:")
    return lines


def sentences(rng: random.Random, clock_s: int) -> list[str]:
    node = rng.choice(NODES)
    lines = rng.choice(([], [f"=== {node} ==="], [f"[root@{node} ~]# mmfsadm dump deadlock"]))
    for _ in range(rng.randrange(30)):
        age = rng.random() * 900
        begun = int(clock_s - age) % 86_400
        address = f"0x{rng.randrange(1 << 44):X}"
        why = rng.choice(
            (
                "for I/O completion",
                f"on ThCond {address} (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.9.0.2 <c0n2>",
                f"on ThMutex {address} ({address}) (LogFile instance)",
                "waiting for  two blanks",
                f"on ThCond {address}",
                f"delaying for {rng.random():.3f} more seconds, reason 'waiting for deferred deletion'",
            )
        )
        since = f"{begun // 3600:02d}:{begun // 60 % 60:02d}:{begun % 60:02d}"
        thread = f"thread {rng.randrange(99_999)} {rng.choice(THREADS)}"
        lines.append(
            f"{rng.choice(('', '', 'turin9: '))}Waiting {age:.4f} sec since {since}, on node {node}, {thread}: {why}"
        )
    return [*lines, f"Effective deadlock detection threshold on {node} is 300 seconds"]


def text(seed: int, count: int, share: float) -> str:
    rng = random.Random(seed)
    lines: list[str] = []
    for number in range(count):
        lines += rng.choice((table, sentences))(rng, 30_000 + number * 37)
        if rng.random() < 0.1:
            lines += lines[-25:]  # a page that was exported twice
    return "\n".join(damage(rng, line) if rng.random() < share else line for line in lines) + "\n"


def read_both_ways(
    data: str, monkeypatch: pytest.MonkeyPatch, *, block_bytes: int = 1 << 20
) -> tuple[Reading, Reading]:
    fast = Reading(data, block_bytes=block_bytes)
    with monkeypatch.context() as patch:
        patch.setattr(scale_runs.Runs, "run", lambda *_: None)
        slow = Reading(data, block_bytes=block_bytes)
    return slow, fast


def assert_equal(slow: Reading, fast: Reading) -> None:
    assert slow.adds_up
    assert fast.result == slow.result
    for kind in RECORD_TYPES:
        assert fast.of(kind) == slow.of(kind)


@pytest.mark.parametrize("seed", range(24))
@pytest.mark.part("damaged rows", 4)
def test_damaged_rows_give_the_same_records_both_ways(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    slow, fast = read_both_ways(text(seed, 40, share=(0.0, 0.01, 0.05, 0.3)[seed % 4]), monkeypatch)
    assert_equal(slow, fast)
    assert len(slow.of(Waiter)) > 100


@pytest.mark.parametrize("seed", range(40, 52))
@pytest.mark.part("windows of rows", 3)
def test_windows_blocks_and_tables_of_any_size_give_the_same_records(
    seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    monkeypatch.setattr(scale_runs, "FIRST_BYTES", rng.choice((10, 200, 1_000)))
    monkeypatch.setattr(scale_runs, "RUN_BYTES", rng.choice((600, 5_000)))
    monkeypatch.setattr(scale_rows, "HELD_ROWS", rng.choice((7, 40)))
    monkeypatch.setattr(scale_detail, "SHAPES_KEPT", rng.choice((5, 40)))
    monkeypatch.setattr(scale_runs, "MEMO_KEPT", rng.choice((3, 40)))
    assert_equal(*read_both_ways(text(seed, 25, share=0.03), monkeypatch, block_bytes=rng.choice((400, 3_000, 50_000))))


@pytest.mark.parametrize("dump", [table, sentences])
def test_plain_rows_are_read_in_runs(dump: object, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(3)
    rows = [line for number in range(60) for line in (table if dump is table else sentences)(rng, 40_000 + number)]
    one_by_one: list[int] = []
    add = scale_rows.Rows.add

    def counted(rows: scale_rows.Rows, line: int, waiter: WaiterLine) -> None:
        one_by_one.append(line)
        add(rows, line, waiter)

    monkeypatch.setattr(scale_rows.Rows, "add", counted)
    monkeypatch.setattr(sections, "read_alone", lambda _: Tried(0))  # a trial of what may be broken counts for nothing
    waiters = len(Reading("\n".join(rows)).of(Waiter))
    assert waiters > 400
    assert len(one_by_one) < waiters / 2
