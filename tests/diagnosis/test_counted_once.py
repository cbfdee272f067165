"""What several outputs or lines tell of one thing is one thing: a wait in two dumps, a node in two tables, a silence
that is logged while it grows, paths that are back.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, found, one, verdict_in

WAIT = (
    "[root@{node} ~]# date; mmdiag --waiters\nWed Mar  4 {clock} CET 2026\n\n=== mmdiag: waiters ===\n"
    "Waiting {age}.5512 sec since 09:14:50, monitored, thread {thread} OddlyNamedThread: on ThCond 0x1803C1D0A8 "
    "(OddCondvar), reason 'wait for an odd thing'\n"
)


@pytest.mark.parametrize(
    ("dumps", "waits"),
    [
        ([("cod1", "10:00:00", 2710, 8), ("cod1", "10:10:00", 3310, 8)], "1 wait of up to"),
        ([("cod1", "10:00:00", 2710, 8), ("cod1", "10:10:00", 3310, 8), ("cod1", "10:20:00", 3910, 8)], "1 wait of"),
        ([("cod1", "10:00:00", 2710, 8), ("cod1", "10:00:00", 2709, 9)], "2 waits of up to"),
        ([("cod1", "10:00:00", 2710, 8), ("cod2", "10:10:00", 3310, 8)], "2 waits of up to"),
    ],
)
def test_a_wait_that_several_dumps_show_is_one(
    tmp_path: Path, dumps: list[tuple[str, str, int, int]], waits: str
) -> None:
    texts = [WAIT.format(node=node, clock=clock, age=age, thread=thread) for node, clock, age, thread in dumps]
    [finding] = found(tmp_path, "SC-39", *texts)
    assert waits in finding.title


MEMBERS = (
    "[root@{node} ~]# dlm_tool status\ncluster nodeid {own} quorate 1 ring seq 312 312\n"
    "daemon now 812312 fence_pid 0 \nnode 1 M add 11 rem 0 fail 0 fence 0 at 0 0\n"
    "node 2 M add 11 rem 0 fail 0 fence 0 at 0 0\n"
)
VOTES = (
    "[root@{node} ~]# corosync-quorumtool -s\nQuorum information\n------------------\nNodes:            2\n"
    "Node ID:          1\nQuorate:          Yes\n\nMembership information\n----------------------\n"
    "    Nodeid      Votes Name\n         1          1 perch1 (local)\n         2          1 perch2\n"
)
LLT = (
    "[root@{node} ~]# lltstat -n\nLLT node information:\n    Node                 State    Links\n"
    "   {first} 0 perch1            OPEN        2\n   {second} 1 perch2            OPEN        2\n"
)


@pytest.mark.parametrize(
    "texts",
    [
        [MEMBERS.format(node="perch1", own=1), VOTES.format(node="perch1")],
        [MEMBERS.format(node="perch1", own=1), MEMBERS.format(node="perch2", own=2), VOTES.format(node="perch1")],
        [LLT.format(node="perch1", first="*", second=" "), LLT.format(node="perch2", first=" ", second="*")],
    ],
)
def test_a_node_in_several_tables_is_one(tmp_path: Path, texts: list[str]) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, *texts))
    assert verdict.severity == "info"
    assert "2 nodes up" in f"{verdict.title} {verdict}"


def silent(clock: str, seconds: int, *links: str) -> str:
    return "".join(
        f"Mar  9 {clock} dace1 kernel: LLT INFO V-14-1-10032 link {number} ({link}) node 1 inactive {seconds} sec (9)\n"
        for number, link in enumerate(links)
    )


def test_a_silence_that_grows_is_one_and_shows_no_shared_switch(tmp_path: Path) -> None:
    links = ("eth3", "eth4")
    growing = "".join(silent(f"10:40:{at:02}", at - 2, *links) for at in range(8, 18))
    assert not found(tmp_path / "a", "R36", growing)
    assert found(tmp_path / "b", "R16", growing)  # the peer is about to be lost
    again = "".join(silent(f"10:50:{at:02}", at - 2, *links) for at in range(8, 12))
    assert "2 times" in one(tmp_path / "c", "R36", growing + again).title
    third = "".join(silent(f"11:50:{at:02}", at - 2, "igb0", "igb1") for at in (8, 14))
    assert "3 times" in one(tmp_path / "d", "R36", growing + again + third).title


AWAY = (
    "Mar 18 21:10:02 roach4 multipathd[871]: {map}: sdc - tur checker reports path is down\n"
    "Mar 18 21:10:02 roach4 multipathd[871]: {map}: remaining active paths: 1\n"
    "Mar 18 21:10:03 roach4 multipathd[871]: {map}: sdg - tur checker reports path is down\n"
    "Mar 18 21:10:03 roach4 multipathd[871]: {map}: remaining active paths: 0\n"
)
BACK = (
    "Mar 18 21:14:10 roach4 multipathd[871]: {map}: sdc - tur checker reports path is up\n"
    "Mar 18 21:14:10 roach4 multipathd[871]: 8:32: reinstated\n"
    "Mar 18 21:14:10 roach4 multipathd[871]: {map}: remaining active paths: 1\n"
    "Mar 18 21:14:12 roach4 multipathd[871]: {map}: sdg - tur checker reports path is up\n"
    "Mar 18 21:14:12 roach4 multipathd[871]: 8:96: reinstated\n"
    "Mar 18 21:14:12 roach4 multipathd[871]: {map}: remaining active paths: 2\n"
)
ERROR = "Mar 18 21:10:09 roach4 kernel: blk_update_request: I/O error, dev sdg, sector 88 op 0x1:(WRITE) flags 0x4200\n"


@pytest.mark.parametrize("name", ["mpathb", "lun_seven", "3600c0ff000a1b2c3"])
@pytest.mark.parametrize(
    ("lines", "severity", "step"),
    [
        (AWAY + BACK, "low", "The paths are back"),
        (AWAY + ERROR + BACK, "medium", "The paths are back"),
        (AWAY, "critical", "Bring the lost paths back"),
    ],
)
def test_paths_that_are_back_need_not_be_brought_back(
    tmp_path: Path, name: str, lines: str, severity: str, step: str
) -> None:
    diagnosis = diagnosis_of(tmp_path, lines.format(map=name))
    [finding] = [one for one in diagnosis.findings if one.ref == "ST-05"]
    assert finding.severity == severity
    assert [one for one in diagnosis.next_steps if one.why.startswith(step)]
    assert severity == "critical" or not [one for one in diagnosis.next_steps if "lost paths back" in one.why]
