"""Waiters in tables, objects and sentences of scripts: the same waiters as those of a dump."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from parsers.formats.scale.waits.wait_fields import age_in, columns_of, waiter_in
from parsers.records.waits import Waiter, WaiterShape
from tests.parsers.test_plain_shapes import read_of

WaitRow = tuple[str | None, float | None, str | None, str | None, str | None, str | None, str | None]
LOCK: WaitRow = ("gull", 412.5, "FsyncHandlerThread", "LkObjCondvar", "waiting for WA lock", None, None)
REVOKE: WaitRow = ("heron", 398.0, "RcvWorker", "MsgRecordCondvar", "RPC wait", "tmMsgRevoke", "10.7.1.4")
DISK: WaitRow = ("swift", 0.25, "NSDThread", None, None, None, None)
NAMES = ("node", "wait_seconds", "thread", "reason")
CELLS = (
    ("gull", "412.5", "FsyncHandlerThread", "on ThCond 0x18000C4 (LkObjCondvar), reason 'waiting for WA lock'"),
    ("heron", "398", "RcvWorker",
     "on ThCond 0x18 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.7.1.4"),
    ("swift", "0.25", "NSDThread", "for I/O completion on disk dm-4"),
)  # fmt: skip


def waiters_of(text: str) -> list[WaitRow]:
    _, columns = read_of(text)
    by_number = {shape["shape"]: shape for shape in rows(columns.get(WaiterShape, {}))}
    found = []
    for waiter in rows(columns.get(Waiter, {})):
        shape = by_number[waiter["shape"]]
        fields = [shape[name] for name in ("thread", "wait_name", "reason", "rpc", "target")]
        found.append((waiter["node"], waiter["seconds"], *fields))
    return found


def rows(columns: dict[str, Any]) -> list[dict[str, Any]]:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


def quoted(cells: Sequence[str], mark: str) -> str:
    return mark.join(f'"{cell}"' if mark in cell else cell for cell in cells)


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize(
    "names",
    [
        NAMES,
        ("node", "age_s", "thread", "reason"),
        ("Knoten", "Wartezeit (s)", "Thread", "Grund"),
        ("Host", "Waiting (s)", "Thread name", "Waiting on"),
        ("SERVER", "WAITTIME", "THREADNAME", "AUXREASON"),
        ("host", "age_s", "thread", "what"),
        ("servidor", "espera_s", "hilo", "motivo"),
        ("serveur", "attente (s)", "thread", "raison"),
        ("nodo", "attesa_s", "thread", "motivo"),
        ("machine", "elapsed", "waiter", "Text"),
        ("server", "duration_s", "thread", "description"),
    ],
)
def test_a_table_with_marks(mark: str, names: Sequence[str]) -> None:
    text = "\n".join(quoted(cells, mark) for cells in (names, *CELLS))
    assert waiters_of(text) == [LOCK, REVOKE, DISK]


def test_a_table_of_markdown() -> None:
    lines = ["| " + " | ".join(cells) + " |" for cells in (NAMES, ("---",) * 4, *CELLS)]
    assert waiters_of("\n".join(lines)) == [LOCK, REVOKE, DISK]


def test_columns_parted_by_gaps() -> None:
    lines = [f"{node:<12}{age:<14}{thread:<22}{reason}" for node, age, thread, reason in (NAMES, *CELLS)]
    assert waiters_of("\n".join(lines)) == [LOCK, REVOKE, DISK]


def test_objects_on_one_line_and_on_many() -> None:
    objects = [
        {"node": "gull", "waitTime": 412.5, "threadName": "FsyncHandlerThread", "condVarName": "LkObjCondvar",
         "condVarReason": "waiting for WA lock", "auxReason": None},
        {"node": "heron", "waitTime": "398", "threadName": "RcvWorker", "condVarName": "MsgRecordCondvar",
         "condVarReason": "RPC wait for tmMsgRevoke on node 10.7.1.4"},
        {"node": "swift", "waitTime": 0.25, "threadName": "NSDThread", "auxReason": "for I/O completion on disk dm-4"},
    ]  # fmt: skip
    assert waiters_of("\n".join(map(json.dumps, objects))) == [LOCK, REVOKE, DISK]
    assert waiters_of(json.dumps({"waiters": objects}, indent=2)) == [LOCK, REVOKE, DISK]


@pytest.mark.parametrize(
    "line",
    [
        "412.5 s  gull  tid 2331 FsyncHandlerThread: on ThCond 0x18000C4 (LkObjCondvar), reason 'waiting for WA lock'",
        "gull: longest waiter 412.5 sec (FsyncHandlerThread, on ThCond LkObjCondvar 'waiting for WA lock'), 31 waiters",
        "node gull thread 2331 FsyncHandlerThread waiting 412.5 seconds, on LkObjCondvar, reason 'waiting for WA lock'",
    ],
)
def test_a_line_in_words(line: str) -> None:
    assert waiters_of(f"{line}\n{line.replace('gull', 'teal')}") == [LOCK, ("teal", *LOCK[1:])]


def test_other_units_and_clocks() -> None:
    text = (
        "time,host,waited (ms),thread name,cond name,cond reason\n"
        "2031-06-02 08:55:20,gull,412500,FsyncHandlerThread,LkObjCondvar,waiting for WA lock"
    )
    assert waiters_of(text) == [LOCK]
    assert [age_in(text, "s") for text in ("6m52s", "0:06:52.5", "1d 2:00:00", "3 ms", "2 min", "soon")] == [
        412.0, 412.5, 93_600.0, 0.003, 120.0, None,
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text",
    [
        "thread,wait time,reason,state\n12,0.4,Waiting for table metadata lock,sleep\n14,812,Waiting for commit,query",
        "node  age  thread  reason\npool-1  12 s  worker  idle",
        '{"host": "a", "wait_seconds": 12, "thread": "main", "reason": "locked by other session"}',
        "The thread has been waiting 312 seconds for the lock of a table",
    ],
)
def test_waits_of_others_are_none_of_ours(text: str) -> None:
    assert waiters_of(text) == []


def test_names_that_tell_too_little_are_no_heading() -> None:
    assert not columns_of(("node", "state", "age"))
    assert not columns_of(("thread", "reason"))
    assert waiter_in(NAMES, ("gull", "soon", "NSDThread", "for I/O completion")) is None
