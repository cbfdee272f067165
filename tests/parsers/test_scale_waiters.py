"""Waiters of Spectrum Scale: what is read from each style, what damage is mended, and which clock a dump gets."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.formats.scale.waits.wrap import continues, join
from parsers.records import DAY_US, Section
from parsers.records.waits import DeadlockFact, Waiter, WaiterShape
from parsers.times.clock import format_instant
from tests.parsers.golden import Reading
from tests.references import article

TALK = "scale-performance-talk.txt"
LOCK = "on ThCond 0x7FD96401A4C0 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.31.4.7 <c0n2>"


def rows(text: str | bytes, **hints: Any) -> list[dict[str, Any]]:
    """Waiters with the columns of their shapes beside them."""
    reading = Reading(text, **hints)
    assert reading.adds_up
    shapes = {shape.shape: shape for shape in reading.of(WaiterShape)}
    names = [n for n in WaiterShape.columns() if n not in ("line", "shape")]
    return [
        {n: getattr(w, n) for n in Waiter.columns()} | {n: getattr(shapes[w.shape], n) for n in names}
        for w in reading.of(Waiter)
    ]


def row(text: str) -> dict[str, Any]:
    [found] = rows(text)
    return found


def new(detail: str, *, seconds: float = 12.5, since: str = "02:14:42", thread_id: int = 40777) -> str:
    return f"Waiting {seconds:.4f} sec since {since}, monitored, thread {thread_id} SyncHandlerThread: {detail}"


def waits(*ages: tuple[float, str]) -> str:
    """Lines of different threads."""
    return "\n".join(
        new(LOCK, seconds=seconds, since=since, thread_id=500 + n) for n, (seconds, since) in enumerate(ages)
    )


@pytest.mark.parametrize(
    ("detail", "want"),
    [
        (
            LOCK,
            {
                "wait_kind": "ThCond",
                "wait_name": "MsgRecordCondvar",
                "reason": "RPC wait",
                "rpc": "tmMsgRevoke",
                "target": "10.31.4.7",
            },
        ),
        (
            "on ThMutex 0x7FD96401A4C0 (LogFileMutex)",
            {"wait_kind": "ThMutex", "wait_name": "LogFileMutex", "reason": None, "complete": True},
        ),
        (
            "for I/O completion on disk dm-12",
            {"object": "dm-12", "aux": "for I/O completion", "reason": None, "wait_kind": None},
        ),
        ("for open disk device on disk bergen_nsd07", {"object": "bergen_nsd07", "aux": "for open disk device"}),
        (
            "for NSD I/O completion on node 10.31.4.7 <c0n2>",
            {"target": "10.31.4.7", "target_index": "c0n2", "aux": "for NSD I/O completion"},
        ),
        (
            "on MsgRecordCondvar, reason 'RPC wait' for getData",
            {"wait_kind": "ThCond", "wait_name": "MsgRecordCondvar", "rpc": "getData"},
        ),
        (
            "on ThCond 0x7FD9 (PitCondvar), reason 'can't go on' (Long)",
            {"reason": "can't go on", "long": True, "complete": True},
        ),
        (
            "delaying for 2,5 more seconds, reason 'a pause'",
            {"delay_s": 2.5, "reason": "a pause", "aux": "delaying for N more seconds"},
        ),
        ("for verbsPutCT calling ibv_destroy_qp", {"aux": "for verbsPutCT calling ibv_destroy_qp", "complete": True}),
        ("on ThCond 0x7FD9 (MsgRecordCondvar", {"wait_name": "MsgRecordCondvar", "complete": False}),
        ("on ThCond 0x7FD9 (MsgRecordCondvar), reason 'RPC wa", {"reason": "RPC wa", "complete": False}),
        ("on ThCond 0x7FD9", {"wait_kind": "ThCond", "wait_name": None, "complete": False}),
        ("for NSD I/O completion on node", {"target": None, "complete": False}),
    ],
)
def test_the_text_behind_the_thread_is_taken_apart(detail: str, want: dict[str, Any]) -> None:
    found = row(new(detail))
    assert {name: found[name] for name in want} == want


def test_age_thread_and_addresses_of_both_styles() -> None:
    text = (
        "0x1104A2C30 waiting 28.012345678 seconds, Sync handler: on ThMutex 0x1104B7E30 (0x1104B7E30) "
        "(LogFile instance)"
    )
    old = row(text)
    assert (old["seconds"], old["address"], old["wait_address"], old["thread_id"]) == (
        28.012345678,
        0x1104A2C30,
        0x1104B7E30,
        None,
    )
    assert (old["style"], old["thread"], old["since"], old["monitored"]) == ("old", "Sync handler", None, None)
    fresh = row(new(LOCK))
    assert (fresh["style"], fresh["thread_id"], fresh["address"], fresh["wait_address"]) == (
        "new",
        40777,
        None,
        0x7FD96401A4C0,
    )
    assert fresh["monitored"] is True


def test_a_quoted_wait_without_thread_is_a_waiter_of_unknown_age() -> None:
    found = row(
        "waiting on ThCond 0x1110C0D60 (0x1110C0D60) (PitCondvar), reason 'Waiting until pit work is complete' (Long)"
    )
    assert (found["style"], found["thread"], found["seconds"], found["long"]) == ("note", None, None, True)


def test_lines_about_waiting_that_are_no_waiters_are_none() -> None:
    text = (
        "8.032421 17278 TRACE_MUTEX: Thread 0x13C02 (Mount handler) waiting on condvar 0x85AC350\nWaiting "
        "for the next dump, 5 sec\n"
    )
    assert rows(text) == []


@pytest.mark.parametrize("columns", [52, 58, 65, 71, 80, 100, 118, 132, 150])
@pytest.mark.parametrize(
    "detail", [LOCK, "for NSD I/O completion on node 10.31.4.7 <c0n2>", "on ThMutex 0x7FD96401A4C0 (LogFileMutex)"]
)
def test_lines_wrapped_by_words_or_by_the_terminal_read_as_whole_ones(columns: int, detail: str) -> None:
    whole = f"bergen02.lab: {new(detail)}"
    by_words, left = [], whole
    while len(left) > columns:
        at = left.rfind(" ", 0, columns)
        by_words.append(left[:at])
        left = left[at + 1 :]
    want = row(whole)
    assert row("\n".join((*by_words, left))) == want
    if columns in (80, 118, 132, 150):
        cut = "\n".join(whole[at : at + columns] for at in range(0, len(whole), columns))
        assert row(cut) == want


def test_a_target_whose_words_lost_letters_is_kept_and_the_loss_is_reported() -> None:
    text = (
        "Waiting 0.0316 sec since 18:14:55, monitored, thread 40777 WritebehindWorkerThread: on ThCond "
        "0x7FD9 (MsgRecordCondvar"
    )
    for rest in (")\nn node 10.31.4.16 <c0n4>", "\nn node 10.31.4.16 <c0n4>", "),\node 10.31.4.16 <c0n4>"):
        found = row(text + rest)
        assert (found["wait_name"], found["target"], found["target_index"]) == (
            "MsgRecordCondvar",
            "10.31.4.16",
            "c0n4",
        )
        assert (found["reason"], found["rpc"], found["complete"]) == (None, None, False)


def test_prose_below_a_waiter_is_not_joined() -> None:
    for prose in (
        "and then we restarted the daemon on all nodes of the cluster",
        "Nothing else was seen.",
        "done",
        "flag  value  description",
    ):
        assert row(f"{new(LOCK)}\n{prose}") == row(new(LOCK))
        assert not continues(new(LOCK), prose)


def test_words_are_joined_without_a_blank_only_where_a_terminal_cut_them() -> None:
    assert join("for tmMsgRe", "voke on node 10.1.1.1", width=150) == "for tmMsgRevoke on node 10.1.1.1"
    assert join("Msg handler", "mnMsgForceInodeFlags: on", width=65) == "Msg handler mnMsgForceInodeFlags: on"
    assert join("on node 10.0.1", "2.15 <c0n1>", width=150) == "on node 10.0.12.15 <c0n1>"
    assert join("reason 'RPC", "wait' for", width=150) == "reason 'RPC wait' for"


@pytest.mark.parametrize(
    "damage",
    [
        lambda line: f"> > {line}",
        lambda line: f"  * {line}",
        lambda line: f"\x1b[1m{line}\x1b[0m",
        lambda line: line.replace(" ", "\u00a0"),
        lambda line: line.replace("<", "&lt;").replace(">", "&gt;"),
        lambda line: line.replace("'", "’"),
        lambda line: line.replace("12.5000", "12,5000"),
        lambda line: f"{line}   <<< this one",
    ],
)
def test_what_mail_and_tickets_do_to_a_line_changes_nothing(damage: Any) -> None:
    assert row(damage(new(LOCK))) == row(new(LOCK))


def test_a_lost_colon_or_name_leaves_what_is_there() -> None:
    found = row("Waiting 1.5 sec since 02:14:42, monitored, thread 40777 NSDThread for I/O completion")
    assert (found["thread"], found["aux"], found["complete"]) == ("NSDThread", "for I/O completion", False)
    found = row("Waiting 1.5 sec since 02:14:42, monitored, thread 40777")
    assert (found["thread"], found["thread_id"], found["seconds"], found["complete"]) == (None, 40777, 1.5, False)


def test_the_node_is_the_prefix_then_the_text_then_the_section() -> None:
    text = "[root@oslo1 ~]# mmdiag --waiters\n"
    assert row(text + new(LOCK))["node"] == "oslo1"
    assert row(f"{text}oslo2.lab: {new(LOCK)}")["node"] == "oslo2.lab"
    logged = (
        "2031-06-02_21:17:44.318+0200: [A] Unexpected long waiter detected: Waiting 902.4160 sec since "
        "2031-06-02 21:02:41, on node oslo3, SyncHandlerThread 5214: on MsgRecordCondvar, reason 'RPC wait' "
        "for getData"
    )
    found = row(text + logged)
    assert (found["node"], found["thread"], found["thread_id"]) == ("oslo3", "SyncHandlerThread", 5214)
    assert format_instant(found["at"], found["zone_min"]) == "2031-06-02T21:17:44.318+02:00"
    assert format_instant(found["since"]) == "2031-06-02T21:02:41"


def test_a_dump_without_a_clock_gets_the_median_of_start_plus_age() -> None:
    text = waits((10, "02:14:40"), (1.25, "02:14:49"), (300, "09:00:00"))
    assert [format_instant(found["at"]) for found in rows(text)] == ["02:14:50.250"] * 3
    [section] = Reading(text).of(Section)
    assert section.at == rows(text)[0]["at"]
    assert section.at is not None
    assert section.at < DAY_US


def test_starts_before_midnight_belong_to_the_day_before() -> None:
    text = f"2031-03-04 00:00:10\n{waits((20, '23:59:50'), (90_000, '23:00:10'), (1, '00:00:10'))}"
    starts = ["2031-03-03T23:59:50", "2031-03-02T23:00:10", "2031-03-04T00:00:10"]
    assert [format_instant(found["since"]) for found in rows(text)] == starts
    assert [format_instant(found["at"]) for found in rows(waits((20, "23:59:50"), (1, "00:00:09")))] == ["00:00:10"] * 2


def test_a_clock_far_above_gives_the_date_and_the_waiters_the_time() -> None:
    text = f"2031-03-03 23:50:00\n{waits((20, '23:59:50'), (0.5, '00:00:09'))}"
    assert [format_instant(found["at"]) for found in rows(text)] == ["2031-03-04T00:00:09.500"] * 2
    assert [format_instant(found["since"]) for found in rows(text)] == ["2031-03-03T23:59:50", "2031-03-04T00:00:09"]


def test_dumps_without_any_line_between_them_part_where_threads_come_again() -> None:
    text = "\n".join((waits((10, "02:14:40"), (1, "02:14:49")), waits((40, "02:14:40"), (1, "02:15:19"))))
    assert [format_instant(found["at"]) for found in rows(text)] == ["02:14:50", "02:14:50", "02:15:20", "02:15:20"]


def test_one_outlying_age_does_not_part_a_dump() -> None:
    text = waits((5, "02:14:40"), (48, "02:14:40"), (4, "02:14:41"), (3, "02:14:42"))
    assert [format_instant(found["at"]) for found in rows(text)] == ["02:14:45"] * 4


def test_machine_rows_follow_their_header_and_the_age_may_be_no_number() -> None:
    text = (
        "mmdiag:waiters:HEADER:version:waitTime:threadName:threadId:waitStartTime:auxReason:\n"
        "mmdiag:waiters:0:1:48.5:NSDThread:40221:2031-03-04_08%3A55%3A20+0100:for I%2FO completion on disk dm-4:\n"
        "mmdiag:waiters:0:1:n%2Fa::40222:2031-03-04_08%3A55%3A21+0100:for I/O completion:more:and more:\n"
    )
    first, second = rows(text)
    assert (first["seconds"], first["thread"], first["aux"], first["object"]) == (
        48.5,
        "NSDThread",
        "for I/O completion",
        "dm-4",
    )
    assert (second["seconds"], second["thread"], second["thread_id"]) == (None, None, 40222)
    assert format_instant(first["since"], first["zone_min"]) == "2031-03-04T08:55:20+01:00"
    assert first["at"] == second["at"] == first["since"] + 48_500_000


def test_a_deadlock_row_without_its_empty_cells_is_read_by_content() -> None:
    text = (
        "mmdiag:deadlockThread:0:1:::88450:VerbsThread:2031-03-04_08%3A55%3A01+0100:1020.5: for verbsPutCT "
        "calling ibv_destroy_qp\n"
    )
    found = row(text)
    assert (found["style"], found["thread"], found["aux"]) == (
        "deadlock",
        "VerbsThread",
        "for verbsPutCT calling ibv_destroy_qp",
    )
    assert (found["reason"], found["wait_kind"], found["seconds"]) == (None, None, 1020.5)


def test_many_different_shapes_are_numbered_once_each_over_sections() -> None:
    texts = [
        f"[root@oslo{n % 3} ~]# mmdiag --waiters\n{new(LOCK)}\n{new(f'for I/O completion on disk dm-{n}')}"
        for n in range(6)
    ]
    reading = Reading("\n".join(texts))
    shapes = reading.of(WaiterShape)
    assert [shape.shape for shape in shapes] == list(range(1, 8))
    assert [waiter.shape for waiter in reading.of(Waiter)] == [1, 2, 1, 3, 1, 4, 1, 5, 1, 6, 1, 7]


def test_the_talk() -> None:
    found = rows(article(TALK).read_bytes(), path="scale-performance-talk.txt")
    assert 21 <= len(found) <= 24
    listed = [f for f in found if f["node"] == "ece_14.localnet.com"]
    assert [f["seconds"] for f in listed] == [
        0.0316,
        0.0213,
        0.0193,
        0.0189,
        0.0173,
        0.0163,
        0.0153,
        0.0116,
        0.0109,
        0.0093,
        0.0073,
        0.0073,
        0.0068,
        0.0051,
    ]
    assert [f["target"] for f in listed if f["aux"]] == ["10.0.12.15", "10.0.12.18"]
    assert {f["wait_name"] for f in listed} == {"MsgRecordCondvar", "IOBundleNSPDCon", None}
    assert {format_instant(f["at"])[:8] for f in listed} == {"18:14:55"}  # type: ignore[index]
    by_age = {f["seconds"]: f for f in found}
    assert by_age[28.007734837]["wait_name"] == "LogFile instance"
    assert by_age[2.835512707]["object"] == "prodracZ_D1"
    assert (by_age[28.010270437]["rpc"], by_age[28.010270437]["target"]) == ("tmMsgRevoke", "10.1.11.51")
    assert by_age[8.26932]["target"] == "192.168.1.4"
    assert (by_age[367.6072]["node"], by_age[367.6072]["aux"]) == ("ece_13", "for mercy")
    facts = {(f.what, f.value, f.name) for f in Reading(article(TALK).read_bytes()).of(DeadlockFact)}
    assert {("depends_on", None, "ece_13"), ("threshold", 300.0, None), ("threshold_short", 180.0, None)} <= facts
