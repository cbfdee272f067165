"""Long outputs whose plain lines are read in runs: the same records, sections and fates as line by line."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator

import pytest

from parsers.output import MemorySink, Output
from parsers.reading import ReadResult
from parsers.records import Problem, Section, Skipped
from parsers.records.locks import DlmLock, Glock, GlockHolder
from parsers.records.states import HeartbeatLink
from parsers.records.waits import Stack
from parsers.sections.reader import read
from parsers.tables import stretches
from parsers.text import blocks

LEAST_BYTES = stretches.LEAST_BYTES // 4
"""Texts of a quarter of the length have as many runs."""


def glocktop(reports: int) -> Iterator[str]:
    for report in range(reports):
        yield f"@ pool             Tue Mar 03 11:{report % 60:02d}:30 2026  @heron2 dlm: 512/512/512    [**        ]"
        for glock in range(12):
            number = 0x4A0000 + glock
            yield f" G:  s:UN n:2/{number:x} f:lIqob t:EX d:EX/0 a:0 v:0 r:{glock + 3} m:200 (inode)"
            yield f"  D: Granted EX on node {glock % 4 + 1} to pid {4000 + glock} [dovecot: ann]"
            yield f"  H: s:SH f:W e:0 p:{8100 + report} [rsync] gfs2_permission+0x17{glock % 7}/0x210 [gfs2]          "
            yield f"  I: n:{9000 + glock}/{number} t:4 f:0x00 d:0x00000003 s:2048"
            yield f"  U:  W inode    {number:x}     Is:Unlocked, Want:Exclusive   [Queued, Blocking]"
            yield "  C:              gfs2_permission+0x176/0x210 [gfs2]"
        yield "S G Waiting:       0        2       0       0       0     0    0        2"


def rows(count: int) -> Iterator[str]:
    yield "[root@crane1 ~]# mmlsnsd -Y"
    yield "mmlsnsd:nsd:HEADER:version:reserved:reserved:fileSystem:diskName:volumeId:serverList:device:localDiskName:"
    for disk in range(count):
        device = f"%2Fdev%2Fdm-{disk % 40}"
        yield f"mmlsnsd:nsd:0:1:::work{disk % 3}:work_nsd{disk:05d}:0A16000B{disk:08X}:crane{disk % 9}:dmm:{device}:"


def stacks(threads: int) -> Iterator[str]:
    for thread in range(threads):
        yield f'PID: {5000 + thread}   TASK: ffff8800b2f{thread:05x}  CPU: {thread % 16}   COMMAND: "imapd"'
        for frame in range(3 + thread % 6):
            name, module = ("schedule", "") if frame == 0 else (f"gfs2_step_{frame}", " [gfs2]")
            yield f" #{frame} [ffff8800b2f{thread:05x}] {name} at ffffffffa05e{thread:04x}{module}"
        yield "    RIP: 000047b64ef8aa38  RSP: 0000574bd0eda82f  RFLAGS: 00000246"


def nodes(prints: int) -> Iterator[str]:
    for at in range(prints):
        yield f"Mon Mar  2 {7 + at // 60:02d}:{at % 60:02d}:00 CET 2026"
        yield "LLT node information:"
        yield "    Node                 State    Link    Status  Address"
        for node in range(8):
            gone = (node + at) % 37 == 5
            yield f"   {'*' if node == 2 else ' '}{node:2d} carp{node:<14} {'CONNWAIT' if gone else 'OPEN'}"
            for link in range(2):
                is_up = not gone and (at + link) % 11 > 0
                status = f"UP      02:1B:5C:40:{node:02X}:0{link}" if is_up else "DOWN"
                yield f"                                  ens{link + 1}f0 {status}"


def messages(count: int) -> Iterator[str]:
    for at in range(count):
        moment = f"2026-03-02T{7 + at // 3600:02d}:{at // 60 % 60:02d}:{(at * 7) % 60:02d}.{at % 1000:03d}Z"
        level, span = ("info", "WARN", "debug")[at % 3], f"{at * 7919:08x}{at * 104729:08x}"
        yield f'{{"time":"{moment}","level":"{level}","span":"{span}","msg":"row {at} kept","ms":{at % 90}.{at % 7}}}'


def counted_messages(count: int) -> Iterator[str]:
    for at in range(count):
        level, request = ("info", "warning")[at % 2], f"{at:08x}-12ab-34cd-{at % 4096:04x}-{at * 31:012x}"
        yield f'{{"ts": {1772437500 + at}, "level": "{level}", "of": "{request}", "message": "asked {at % 11} times"}}'


def as_it_is(lines: list[str]) -> list[str]:
    return lines


def with_a_remark(lines: list[str]) -> list[str]:
    return [*lines[:700], lines[700] + "   <<<< look here", *lines[701:]]


def with_a_cut_line(lines: list[str]) -> list[str]:
    return [*lines[:900], lines[900][:30], *lines[901:]]


def with_a_wrapped_line(lines: list[str]) -> list[str]:
    at = lines[1000].rfind(" ") if " " in lines[1000].strip() else 60
    return [*lines[:1000], lines[1000][:at], lines[1000][at:].strip(), *lines[1001:]]


def with_another_command(lines: list[str]) -> list[str]:
    return [*lines[:800], "[root@crane2 ~]# mmlsmgr", "", *lines[800:]]


def with_a_time(lines: list[str]) -> list[str]:
    return [*lines[:800], "Tue Mar  3 12:05:00 CET 2026", *lines[800:]]


def with_another_tool(lines: list[str]) -> list[str]:
    waiter = "Waiting 12.5000 sec since 11:20:07, monitored, thread 8113 NSDThread: for I/O completion on disk dm-7"
    return [*lines[:600], waiter, *lines[600:]]


def with_a_failed_message(lines: list[str]) -> list[str]:
    failed = '{"time":"2026-03-02T09:00:00Z","level":"error","msg":"file system work1 is not mounted on crane2","ms":1}'
    return [*lines[:300], failed, *lines[300:800], failed.replace(":1}", ":2}"), *lines[800:]]


def with_marks_of_the_web(lines: list[str]) -> list[str]:
    return [*lines[:500], lines[500].replace(" ", " &amp; ", 1), *lines[501:750], "", *lines[750:]]


def with_dates_that_are_none(lines: list[str]) -> list[str]:
    return [*lines[:640], *(line.replace("2026-03-02", "2026-13-02") for line in lines[640:720]), *lines[720:]]


def behind_a_node(lines: list[str]) -> list[str]:
    return [*lines[:400], *(f"crane{at % 3}: {line}" for at, line in enumerate(lines[400:460])), *lines[460:]]


def twice(lines: list[str]) -> list[str]:
    return [*lines, *lines]


Change = Callable[[list[str]], list[str]]
CHANGES: tuple[Change, ...] = (
    as_it_is,
    with_a_remark,
    with_a_cut_line,
    with_a_wrapped_line,
    with_another_command,
    with_a_time,
    with_another_tool,
    with_a_failed_message,
    with_marks_of_the_web,
    with_dates_that_are_none,
    behind_a_node,
    twice,
)


def result_of(lines: list[str]) -> tuple[ReadResult, MemorySink]:
    sink = MemorySink()
    out = Output(sink)
    result = read(blocks(io.BytesIO("".join(f"{line}\n" for line in lines).encode())), out)
    out.close()
    return result, sink


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize(
    "lines",
    [
        list(glocktop(20)),
        list(rows(1100)),
        list(stacks(160)),
        list(nodes(50)),
        list(messages(1050)),
        list(counted_messages(1050)),
    ],
    ids=["glocktop", "rows", "stacks", "nodes", "messages", "counted"],
)
@pytest.mark.part("runs", 5)
def test_runs_give_what_lines_give(lines: list[str], change: Change, monkeypatch: pytest.MonkeyPatch) -> None:
    text = change(lines)
    monkeypatch.setattr(stretches, "LEAST_BYTES", LEAST_BYTES)
    by_run = result_of(text)
    monkeypatch.setattr(stretches, "LEAST_BYTES", 1 << 40)
    monkeypatch.setattr(stretches, "LEAST_ALIKE", 1 << 40)
    by_line = result_of(text)
    assert by_run[0] == by_line[0]
    assert by_run[1].columns == by_line[1].columns


def test_a_report_of_glocktop_is_read_whole() -> None:
    result, sink = result_of(list(glocktop(40)))
    assert result.not_understood == 0
    assert not sink.records(Skipped)
    assert not sink.records(Problem)
    assert len(sink.records(Glock)) == len(sink.records(GlockHolder)) == len(sink.records(DlmLock)) == 480
    assert sink.records(DlmLock)[-1].owner_node == 4
    assert len(sink.records(Section)) == 1


def test_stacks_and_nodes_are_read_whole() -> None:
    result, sink = result_of(list(stacks(320)))
    assert (result.not_understood, len(sink.records(Stack))) == (0, 320)
    assert sink.records(Stack)[-1].frames == "schedule gfs2_step_1 gfs2_step_2 gfs2_step_3"
    result, sink = result_of(list(nodes(120)))
    assert (result.not_understood, len(sink.records(HeartbeatLink))) == (0, 120 * 8 * 2)
    assert {link.node for link in sink.records(HeartbeatLink)} == {"carp2"}


def test_a_row_without_its_header_is_reported_in_a_run_too() -> None:
    lines = [line for line in rows(1800) if "HEADER" not in line]
    assert result_of(lines)[0].not_understood == 1800
