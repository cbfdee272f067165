"""Circles of Scale waits: exactly their members, the queues behind them apart, and nothing called a deadlock that is
none.
"""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.scale.deadlocks import closed, rings
from apps.diagnosis.engine.scale.groups import Vertex
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records.waits import PendingRpc
from tests.diagnosis.scale_pictures import NOON_US, fires, write_case


def ring(*nodes: str, message: str = "tmMsgRevoke", ages: str = "20 30") -> str:
    """Each node's handler of the message waits for the next node."""
    rows = [
        f"{one} | Msg handler {message} {k} | rpc {message} {other} | {ages}"
        for k, (one, other) in enumerate(zip(nodes, (*nodes[1:], nodes[0]), strict=True), 1)
    ]
    return "\n".join(rows) + "\n"


def cycles(case: Case) -> list[tuple[str, ...]]:
    return list(case.get(ScaleWaits).cycles)


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_t18_a_circle_has_exactly_its_members_and_the_queue_is_apart(tmp_path: Path, size: int) -> None:
    members = [f"cn{k:02d}" for k in range(size)]
    queue = "\n".join(
        f"q{k} | Mount handler {k} | rpc tmMsgRevoke {'cn00' if k == 0 else f'q{k - 1}'} | 15 25" for k in range(30)
    )
    handlers = "\n".join(
        f"q{k} | Msg handler tmMsgRevoke 9 | rpc tmMsgRevoke {'cn00' if k == 0 else f'q{k - 1}'} | 15 25"
        for k in range(29)
    )
    case = write_case(tmp_path, ring(*members) + queue + "\n" + handlers)
    assert [sorted(found) for found in cycles(case)] == [members]
    (finding,) = fires(case, "SC-10")
    assert (finding.severity, set(finding.nodes)) == ("critical", set(members))
    assert "q1" not in finding.title
    assert case.get(ScaleWaits).roots[0].why.startswith("deadlock: ")
    assert case.get(ScaleWaits).roots[0].relieves == size + 59


def test_t18_two_circles_with_a_victim_of_both_are_two(tmp_path: Path) -> None:
    both = (
        ring("a1", "a2")
        + ring("b1", "b2", "b3", message="sgmMsgSome")
        + "v | Mount handler 1 | rpc tmMsgRevoke a1 | 15 25\nv | Mount handler 2 | rpc sgmMsgSome b1 | 15 25"
    )
    assert sorted(cycles(write_case(tmp_path, both))) == [("a1", "a2"), ("b1", "b2", "b3")]


def test_the_verdict_names_members_and_victims(tmp_path: Path) -> None:
    case = write_case(tmp_path, ring("cn1", "cn2") + "cn7 | CreateHandlerThread 3 | rpc tmMsgRevoke cn2 | 12 22")
    result = diagnose(case.store, case)
    assert result.cycles == (("cn1", "cn2"),)
    assert result.verdict is not None
    assert result.verdict.title == "Deadlock: cn1 and cn2 wait for each other for 30.0 s; 1 wait behind it"
    assert result.verdict.severity == "critical"
    (finding,) = [f for f in result.findings if f.ref == "SC-10"]
    assert "Victims, not causes: cn7." in finding.explanation
    assert "cn1 \u2192 cn2 \u2192 cn1" in finding.explanation
    assert result.next_steps[0].why.startswith(
        "Collect on cn1 and cn2, which wait for each other, before anything is restarted"
    )
    assert not any("connection" in step.why for step in result.next_steps)
    assert not any("mmfsadm" in command for step in result.next_steps for command in step.commands)


def test_one_dump_is_no_proof(tmp_path: Path) -> None:
    (finding,) = fires(write_case(tmp_path, ring("cn1", "cn2", ages="20")), "SC-10")
    assert finding.severity == "high"
    assert "seen in one dump" in finding.title


def test_a_handler_that_may_wait_for_a_disk_instead_breaks_the_circle(tmp_path: Path) -> None:
    case = write_case(tmp_path, ring("cn1", "cn2", "cn3") + "cn2 | Msg handler tmMsgRevoke 9 | disk dm-1 | 20 30")
    assert cycles(case) == []
    assert [(root.kind, root.what) for root in case.get(ScaleWaits).roots] == [("disk", "dm-1")]


def test_waits_that_begin_anew_in_each_dump_are_no_deadlock(tmp_path: Path) -> None:
    moving = ring("cn1", "cn2").replace("20 30", "20 12 15")
    assert cycles(write_case(tmp_path / "a", moving)) == []
    assert (
        cycles(
            write_case(
                tmp_path / "b",
                ring("cn1", "cn2").replace("20 30", "20 30 .")
                + "cn1 | X 1 | disk a | . . 0.1\ncn2 | X 1 | disk a | . . 0.1",
            )
        )
        == []
    )


def test_nodes_whose_threads_are_only_guessed_to_serve_each_other_are_a_hint_at_most(tmp_path: Path) -> None:
    case = write_case(tmp_path, "cn3 | A 1 | rpc msgOne cn9 | 28 38\ncn9 | B 2 | rpc msgTwo cn3 | 28 38")
    assert cycles(case) == []
    (hint,) = fires(case, "SC-10")
    assert (hint.severity, hint.verdict) == ("low", "")


@pytest.mark.parametrize("seed", range(40))
def test_what_is_stuck_is_what_no_order_of_events_can_free(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randint(1, 12)
    vertices = [Vertex("message" if rng.random() < 0.3 else "answer", 0, f"n{k:02d}", "m") for k in range(size)]
    after = {vertex: rng.sample(vertices, min(size, rng.choice((0, 1, 1, 1, 2, 3)))) for vertex in vertices}
    free: set[Vertex] = set()
    while fresh := {
        vertex
        for vertex, nexts in after.items()
        if vertex not in free
        and (
            not nexts or (all(n in free for n in nexts) if vertex.place == "message" else any(n in free for n in nexts))
        )
    }:
        free |= fresh
    stuck = closed(vertices, lambda vertex: after[vertex])
    assert set(stuck) == set(vertices) - free
    members = [vertex for ring in rings(stuck) for vertex in ring]
    assert len(members) == len(set(members))
    assert set(members) == {vertex for vertex in stuck if _reaches_itself(vertex, stuck)}


def _reaches_itself(vertex: Vertex, stuck: dict[Vertex, tuple[Vertex, ...]]) -> bool:
    seen: set[Vertex] = set()
    todo = list(stuck[vertex])
    while todo:
        one = todo.pop()
        if one == vertex:
            return True
        if one not in seen:
            seen.add(one)
            todo.extend(stuck[one])
    return False


# --- message ids ------------------------------------------------------------------------------------------------------


def sent(node: str, peer: str, message: int, thread: int, line: int, state: str = "pending") -> PendingRpc:
    return PendingRpc(
        line=line,
        node=node,
        at=NOON_US,
        message_id=message,
        rpc="tmMsgRevoke",
        thread_id=thread,
        peer=peer,
        state=state,
    )


def handled(node: str, sender: str, message: int, thread: int, line: int) -> PendingRpc:
    return PendingRpc(
        line=line,
        node=node,
        at=NOON_US,
        message_id=message,
        rpc="tmMsgRevoke",
        thread_id=thread,
        peer=sender,
        incoming=True,
    )


BUSY = """
    cn1 | Writer 1  | rpc tmMsgRevoke cn2 | 20 30
    cn2 | Msg handler tmMsgRevoke 21 | disk dm-1            | 20 30
    cn2 | Msg handler tmMsgRevoke 22 | mutex InodeCacheObjMutex | 40 50
"""


def test_the_id_of_a_message_tells_which_of_two_handlers_works_on_it(tmp_path: Path) -> None:
    more = (sent("cn1", "cn2", 7, 1, 90), handled("cn2", "cn1", 7, 21, 91))
    case = write_case(tmp_path / "a", BUSY, more=more)
    assert [(r.kind, r.what, r.waiters, r.relieves) for r in case.get(ScaleWaits).roots] == [
        ("disk", "dm-1", 2, 2),
        ("lock", "InodeCacheObjMutex", 1, 1),
    ]
    by_name = write_case(tmp_path / "b", BUSY)
    assert [(r.what, r.waiters, r.relieves) for r in by_name.get(ScaleWaits).roots] == [
        ("dm-1", 2, 1),
        ("InodeCacheObjMutex", 2, 1),
    ]


def test_a_message_to_several_nodes_waits_for_those_that_have_not_answered(tmp_path: Path) -> None:
    picture = """
        cn1 | Writer 1                   | rpc tmMsgRevoke cn2 | 20 30
        cn2 | Msg handler tmMsgRevoke 2  | disk dm-2           | 20 30
        cn3 | Msg handler tmMsgRevoke 3  | disk dm-3           | 20 30
        cn4 | Msg handler tmMsgRevoke 4  | disk dm-4           | 20 30
    """
    more = (sent("cn1", "cn2", 7, 1, 90), sent("cn1", "cn3", 7, 1, 91), sent("cn1", "cn4", 7, 1, 92, state="replied"))
    found = write_case(tmp_path, picture, more=more).get(ScaleWaits).roots
    assert [(r.what, r.waiters, r.relieves) for r in found] == [("dm-2", 2, 1), ("dm-3", 2, 1), ("dm-4", 1, 1)]
    edges = write_case(tmp_path / "again", picture, more=more).get(ScaleWaits).edges
    assert [(e.frm, e.to) for e in edges if e.via == "tmMsgRevoke"] == [("cn1", "cn2"), ("cn1", "cn3")]


def test_a_target_that_the_text_lost_comes_from_the_list_of_messages(tmp_path: Path) -> None:
    picture = (
        "cn1 | Writer 1 | cond MsgRecordCondvar: RPC wait | 20 30\ncn2 | Msg handler tmMsgRevoke 2 | disk dm-2 | 20 30"
    )
    found = write_case(tmp_path, picture, more=(sent("cn1", "cn2", 7, 1, 90),)).get(ScaleWaits).roots
    assert ("disk", "dm-2", 2) in [(r.kind, r.what, r.waiters) for r in found]


def test_a_circle_by_message_ids_is_exact(tmp_path: Path) -> None:
    picture = "cn1 | T 1 | rpc tmMsgRevoke cn2 | 20 30\ncn2 | T 2 | rpc tmMsgRevoke cn1 | 20 30"
    more = (
        sent("cn1", "cn2", 7, 1, 90),
        handled("cn2", "cn1", 7, 2, 91),
        sent("cn2", "cn1", 8, 2, 92),
        handled("cn1", "cn2", 8, 1, 93),
    )
    case = write_case(tmp_path, picture, more=more)
    assert cycles(case) == [("cn1", "cn2")]
    (finding,) = fires(case, "SC-10")
    assert "the ids of the messages" in finding.explanation
    assert finding.basis == "derived"


def test_nodes_behind_a_slow_disk_are_named_as_victims(tmp_path: Path) -> None:
    case = write_case(tmp_path, "nsd2 | NSDThread 11 | disk dm-7 | 12 22\ncn3 | PrefetchWorker 21 | nsd nsd2 | 12 22")
    (finding,) = fires(case, "SC-01")
    assert "Victims, not causes: cn3." in finding.explanation
