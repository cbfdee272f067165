"""No wait beyond the detector's limit is passed over, whatever its kind and layout: each kind of the taxonomy as the
only wait of a dump, old and young, in the layouts of the old tool, the new one and the log.
"""

from __future__ import annotations

from typing import Final

import pytest

from apps.diagnosis.engine.scale.taxonomy import Taxonomy
from parsers.records.waits import WaiterShape
from tests.diagnosis.test_scale_pasted import judged, severity_of, title_of
from tests.diagnosis.waiter_examples import SCALE

OLD_S: Final = 912.33
GRAVE: Final = ("high", "critical")
TAXONOMY: Final = Taxonomy.load()


def detail_of(shape: WaiterShape) -> str:
    """What follows the thread's name, as the tool prints it."""
    parts = [f"on {shape.wait_kind} 0x18000A ({shape.wait_name})"] if shape.wait_kind else []
    parts += [f"reason '{shape.reason}'"] if shape.reason else []
    text = ", ".join(parts)
    text += f" {shape.aux}" if shape.aux else ""
    return text + (f" for {shape.rpc} on node 10.0.0.7 <c0n2>" if shape.rpc else "")


LAYOUTS: Final = {
    "new": "Waiting {age:.4f} sec since 10:11:12, monitored, thread 1234 {thread}: {detail}\n",
    "old": "0x7F1A00C0 waiting {age:.9f} seconds, {thread}: {detail}\n",
    "old with an id": "0x7F1A00C0 (   1234) waiting {age:.9f} seconds, {thread}: {detail}\n",
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kind_id", sorted(SCALE))
@pytest.mark.part("old waits", 20)
def test_sc_41_an_old_wait_of_any_kind_is_named(kind_id: str, layout: str) -> None:
    shape = SCALE[kind_id][0]
    detail = detail_of(shape)
    text = LAYOUTS[layout].format(age=OLD_S, thread=shape.thread or "SomeThread", detail=detail)
    analysis = judged(text)
    kinds = {(kind["kind_id"], kind["category"]) for kind in analysis["waiter_kinds"]}
    assert kinds
    if all(category in (3, 4, None) for _, category in kinds):
        assert severity_of(analysis) in ("medium", *GRAVE), title_of(analysis)
    elif any(category == 2 for _, category in kinds):
        assert analysis["verdict"]["form"] != "healthy", title_of(analysis)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sc_39_a_kind_that_nobody_knows_is_named_when_it_is_old(layout: str) -> None:
    line = LAYOUTS[layout]
    old = line.format(age=OLD_S, thread="FernThread", detail="on ThCond 0x1800 (FernCondvar), reason 'wait for ferns'")
    assert severity_of(judged(old)) in GRAVE
    young = line.format(age=0.02, thread="FernThread", detail="on ThCond 0x1800 (FernCondvar), reason 'wait for ferns'")
    assert severity_of(judged(young)) == "info"


BEGAN: Final = (
    "2026-02-03_04:05:06.120+0100: [A] Unexpected long waiter detected: 2026-02-03 03:55:02.000: waiting 604.120 "
    "seconds on node teal11: PrefetchWorkerThread 9921: on ThCond 0x7F0 (MsgRecordCondvar), "
    "reason 'RPC wait' for NSD I/O completion\n"
)
ENDED: Final = (
    "2026-02-03_04:11:30.400+0100: [N] The unexpected long waiter on thread 9921 has disappeared in 988 seconds.\n"
)


def test_a_wait_of_the_log_stands_until_the_log_says_that_it_ended() -> None:
    stands = judged(BEGAN)
    assert severity_of(stands) in ("medium", *GRAVE)
    assert "teal11" in title_of(stands)
    assert severity_of(judged(BEGAN + ENDED)) in ("low", "info")


BESIDE: Final = """mmlsnode -N waiters -L

  larch1:  0x7F3C3C0A ( 118235) waiting {age} seconds, NSDThread: on ThCond 0x7F3A980A \
(VdiskLogAppendCondvar), reason '{why}'
  rowan4:  0x7F1C3C0A (   4735) waiting 305.482736187 seconds, SharedHashTabFetchHandlerThread: on ThCond 0x7F1A98 \
(MsgRecordCondvar), reason 'RPC wait' for nsdMsgReadExt on node 10.11.2.1 <c0n1>
"""


@pytest.mark.parametrize("why", ["wait for permission to append to log", "waiting for log group to be free"])
def test_sc_41_an_old_wait_of_a_node_of_which_nothing_else_speaks_is_named_beside(why: str) -> None:
    refs = {one["rule"]: one["nodes"] for one in judged(BESIDE.format(age=312.48, why=why))["findings"]}
    assert refs["leaves-data"] == ["rowan4"]
    assert refs.get("wait-left-over", refs.get("wait-beyond-limit")) == ["larch1"]


def test_a_young_wait_beside_is_not_named() -> None:
    text = BESIDE.format(age=1.2, why="wait for permission to append to log")
    assert "wait-left-over" not in {one["rule"] for one in judged(text)["findings"]}


_REVOKE = (
    "Waiting {seconds} sec since 11:02:14, monitored, thread 22871 FileBlockWriteFetchHandlerThread: on ThCond"
    " 0x7F28B4001CF8 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.3.0.17 <c0n9>\n"
)
_WRAP = (
    "Waiting {seconds} sec since 11:02:14, monitored, thread 22871 LogWrapThread: on ThCond 0x7F28B4001CF8"
    " (LogFileBufferDescriptorCondvar), reason 'waiting for log buffer'\n"
)
_UNHEARD = (
    "Waiting {seconds} sec since 11:02:14, {watched}, thread 22871 JarLidThread: on ThCond 0x7F28B4001CF8"
    " (LidCondvar), reason 'waiting for the lid'\n"
)
_SET = "[root@pot3 ~]# mmlsconfig deadlockDetectionThreshold\ndeadlockDetectionThreshold {limit}\n"


@pytest.mark.parametrize("waiter", [_REVOKE, _WRAP, _UNHEARD.replace("{watched}", "monitored")])
@pytest.mark.parametrize(
    ("seconds", "limit", "severity"),
    [
        ("310.5561", None, "high"),
        ("120.5561", None, "medium"),
        ("61.0000", None, "medium"),
        ("45.2064", None, "low"),
        ("90.5561", 60, "high"),
        ("120.5561", 300, "medium"),
        ("310.5561", 0, "high"),
    ],
)
def test_a_wait_of_a_minute_is_no_mere_note(waiter: str, seconds: str, limit: int | None, severity: str) -> None:
    text = "[root@pot3 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n" + waiter.format(seconds=seconds)
    text += _SET.format(limit=limit) if limit is not None else ""
    assert severity_of(judged(text)) == severity


@pytest.mark.parametrize(
    "waiter",
    [
        _REVOKE.format(seconds="0.4100"),
        _WRAP.format(seconds="0.0400"),
        _UNHEARD.format(seconds="0.0400", watched="monitored"),
        _UNHEARD.format(seconds="4120.0400", watched="ignored"),
    ],
)
def test_short_waits_and_ignored_ones_are_no_alarm(waiter: str) -> None:
    assert severity_of(judged("=== mmdiag: waiters ===\n" + waiter)) in {"info", "low"}
