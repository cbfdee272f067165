"""Locks of ``/proc/locks``: who waits for whom on one node, and no word about files of other nodes."""

from __future__ import annotations

from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.model import Edge
from apps.diagnosis.engine.gfs2.plocks import PosixLocks, posix_edges
from tests.diagnosis.gfs2_pictures import facts_of_texts

LOCKS = "[root@{node} ~]# cat /proc/locks\n1: POSIX  ADVISORY  WRITE {holder} fd:02:180929 0 EOF\n"
WAIT = "1: -> POSIX  ADVISORY  WRITE {waiter} fd:02:180929 0 EOF\n"


def case(folder: Path, text: str) -> Case:
    return facts_of_texts(folder, {"locks": text})


def edges_of(found: Case) -> tuple[Edge, ...]:
    return posix_edges(found.get(PosixLocks))


def test_a_process_waits_for_the_one_that_holds_the_range(tmp_path: Path) -> None:
    edges = edges_of(case(tmp_path, LOCKS.format(node="gar-1", holder=54) + WAIT.format(waiter=71)))
    label = "POSIX lock on inode 180929 of device fd:02 of gar-1 (0 to the end)"
    assert [(edge.frm, edge.to, edge.resolved) for edge in edges] == [
        ("gar-1:71", label, True),
        (label, "gar-1:54", True),
    ]


def test_the_same_device_number_on_another_node_is_another_device(tmp_path: Path) -> None:
    text = LOCKS.format(node="gar-1", holder=54) + LOCKS.format(node="gar-2", holder=60) + WAIT.format(waiter=71)
    found = case(tmp_path, text)
    assert {edge.to for edge in edges_of(found)} == {
        "POSIX lock on inode 180929 of device fd:02 of gar-2 (0 to the end)",
        "gar-2:60",
    }
    assert found.get(PosixLocks).of_cluster == []
