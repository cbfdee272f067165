"""Who blocks whom at the glocks: deadlocks with exactly their members, ends of chains, captures that show one
moment.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.queues import Queues
from apps.diagnosis.engine.gfs2.rounds import rounds
from tests.diagnosis.gfs2_pictures import case_of, glock_picture, picture_facts, refs


def ring(size: int) -> list[str]:
    """``size`` processes, each holding one glock and wanting the next one's."""
    return [
        line
        for n in range(size)
        for line in glock_picture(f"2/{0x100 + n:x}", f"held EX {n + 1} job", f"wants EX {(n - 1) % size + 1} job")
    ]


@pytest.mark.parametrize("size", [1, 2, 3, 50])
def test_t18_a_circle_of_waits_is_a_deadlock_with_exactly_its_members(tmp_path: Path, size: int) -> None:
    queue = glock_picture("2/abc", "held EX 1 job", *(f"wants EX {9000 + n} late" for n in range(40)))
    found = case_of(tmp_path, {"node1": [[*ring(size), *queue], [*ring(size), *queue]]})
    assert refs(found)["GL-05"] == "critical"
    [cycle] = found.cycles
    assert len(cycle) == len(set(cycle)) == 2 * size
    assert set(cycle) == {f"node1:{n + 1}" for n in range(size)} | {f"2/{0x100 + n:x}" for n in range(size)}


def test_names_of_a_circle_stand_in_the_order_of_waiting(tmp_path: Path) -> None:
    [cycle] = case_of(tmp_path, {"n": [ring(3)]}).cycles
    assert cycle == ("n:1", "2/101", "n:2", "2/102", "n:3", "2/100")


def test_t18_two_deadlocks_that_share_a_victim_are_two(tmp_path: Path) -> None:
    lines = [
        *glock_picture("2/a", "held SH 2 job", "held SH 3 job", "wants EX 1 job", state="SH"),
        *glock_picture("2/b", "held EX 1 job", "wants EX 2 job"),
        *glock_picture("2/c", "held EX 1 job", "wants EX 3 job"),
    ]
    found = case_of(tmp_path, {"n": [lines, lines]})
    assert {frozenset(cycle) for cycle in found.cycles} == {
        frozenset(("n:1", "2/a", "n:2", "2/b")),
        frozenset(("n:1", "2/a", "n:3", "2/c")),
    }
    assert [finding.severity for finding in found.findings if finding.ref == "GL-05"] == ["critical", "critical"]


def test_a_deadlock_over_two_nodes(tmp_path: Path) -> None:
    first = [*glock_picture("2/a", "held EX 1 job"), *glock_picture("2/b", "wants EX 1 job", state="UN")]
    second = [*glock_picture("2/b", "held EX 7 job"), *glock_picture("2/a", "wants EX 7 job", state="UN")]
    [cycle] = case_of(tmp_path, {"m1": [first], "m2": [second]}).cycles
    assert set(cycle) == {"m1:1", "2/b", "m2:7", "2/a"}


def test_a_reader_behind_a_writer_waits_for_the_writer_not_for_the_readers(tmp_path: Path) -> None:
    lines = [
        *glock_picture("2/a", "held SH 1 job", "wants EX 2 job", "wants SH 3 job", state="SH"),
        *glock_picture("2/b", "held EX 3 job", "wants EX 1 job"),
    ]
    [cycle] = case_of(tmp_path / "a", {"n": [lines]}).cycles
    assert set(cycle) == {"n:1", "2/b", "n:3", "2/a", "n:2"}  # 2 stands between: without its turn 3 never gets in
    without = [
        *glock_picture("2/a", "held SH 1 job", "wants SH 3 job", state="SH"),
        *glock_picture("2/b", "held EX 3 job", "wants EX 1 job"),
    ]
    assert case_of(tmp_path / "b", {"n": [without]}).cycles == ()  # readers share: 3 does not wait for 1


@pytest.mark.parametrize("letter", ["t", "T"])
def test_a_try_lock_makes_no_circle(tmp_path: Path, letter: str) -> None:
    lines = [
        *glock_picture("2/a", "held EX 1 job", "wants EX 2 job"),
        *glock_picture("2/b", "held EX 2 job", f"wants EX 1 job {letter}"),
    ]
    assert case_of(tmp_path, {"n": [lines, lines]}).cycles == ()


def test_what_ended_processes_left_is_not_one_process(tmp_path: Path) -> None:
    lines = [
        *glock_picture("2/a", "held EX 0 (none)", "wants EX 5 job"),
        *glock_picture("2/b", "held EX 5 job", "wants EX 0 (none)"),
    ]
    assert case_of(tmp_path, {"n": [lines, lines]}).cycles == ()


def test_a_circle_seen_once_or_read_slowly_is_less_sure(tmp_path: Path) -> None:
    first = [*glock_picture("2/a", "held EX 1 job"), *glock_picture("2/b", "wants EX 1 job", state="UN")]
    second = [*glock_picture("2/b", "held EX 7 job"), *glock_picture("2/a", "wants EX 7 job", state="UN")]
    sure, slow = (
        case_of(tmp_path / str(late), {"m1": [first], "m2": [second]}, late_s={"m2": late}).findings[0]
        for late in (2, 14)
    )
    assert (sure.ref, sure.severity, slow.ref, slow.severity) == ("GL-05", "high", "GL-05", "high")
    assert slow.confidence < sure.confidence < 0.6


def test_two_waits_at_different_times_make_no_circle(tmp_path: Path) -> None:
    first = glock_picture("2/a1", "held EX 1 job", "wants EX 2 job")
    second = glock_picture("2/b2", "held EX 2 job", "wants EX 1 job")
    assert case_of(tmp_path, {"node1": [first, [], second]}).cycles == ()


def test_a_chain_ends_at_the_process_that_waits_for_nothing(tmp_path: Path) -> None:
    dumps = {
        "m1": [glock_picture("2/a", "wants EX 1 imapd", "wants SH 2 imapd", state="UN")] * 2,
        "m2": [
            [
                *glock_picture("2/a", "held EX 17 python"),
                *glock_picture("1/3", "wants EX 17 python", state="UN", inode_type=None),
            ]
        ]
        * 2,
        "m3": [glock_picture("1/3", "held EX 9 mv", inode_type=None)] * 2,
    }
    found = case_of(tmp_path, dumps)
    assert [(root.what, root.waiters, root.relieves) for root in found.roots] == [("m3:9", 3, 3)]
    pairs = {(edge.frm, edge.to) for edge in found.waits_for}
    assert pairs == {("m1", "2/a"), ("2/a", "m2:17"), ("m2:17", "1/3"), ("1/3", "m3:9")}
    assert all(edge.resolved for edge in found.waits_for)


def test_a_lock_held_at_another_time_is_not_what_blocks(tmp_path: Path) -> None:
    held = glock_picture("2/a", "held EX 17 python")
    waits = glock_picture("2/a", "wants EX 1 imapd", "wants EX 2 imapd", state="UN")
    found = case_of(tmp_path, {"m1": [[], [], [], waits], "m2": [held, [], [], []]})
    assert [(root.kind, root.what) for root in found.roots] == [("lock", "2/a")]


def test_captures_near_in_time_share_a_round_whatever_their_number() -> None:
    seconds = {"a": [0, 30, 60], "b": [1, 31], "c": [58], "d": [400]}
    found = rounds({node: [s * 1_000_000 for s in times] for node, times in seconds.items()}, 45_000_000)
    assert found == {"a": [0, 1, 2], "b": [0, 1], "c": [2], "d": [3]}


def test_without_times_the_order_stands_for_them() -> None:
    assert rounds({"a": [None, None], "b": [None]}, 45_000_000) == {"a": [0, 1], "b": [0]}


def test_t23_a_wait_is_stuck_moving_finished_or_unknown(tmp_path: Path) -> None:
    def queue(*pids: int) -> list[str]:
        return glock_picture("2/a", *(f"wants EX {pid} job" for pid in pids), state="UN")

    case = picture_facts(tmp_path, {"n": [queue(1, 2, 3), queue(1, 2, 3), queue(1, 3, 4)]})
    states = {span.last.pid: (span.state, span.dumps, span.seconds) for span in case.get(GlockFacts).spans}
    assert states == {1: ("stuck", 3, 60.0), 2: ("finished", 2, 30.0), 3: ("moving", 3, 60.0), 4: ("unknown", 1, None)}


def test_a_dump_printed_into_two_files_is_one_capture(tmp_path: Path) -> None:
    queue = glock_picture("2/a", "wants EX 1 job", state="UN")
    once = picture_facts(tmp_path / "x", {"n": [queue]})
    twice = picture_facts(tmp_path / "x", {"n": [queue], "n.example.net": [queue]})
    assert (
        [span.dumps for span in once.get(GlockFacts).spans]
        == [span.dumps for span in twice.get(GlockFacts).spans]
        == [1]
    )


@pytest.mark.parametrize(
    ("wanted", "words"),
    [
        (["EX", "SH", "SH"], "wants SH, wants EX"),
        (["SH", "SH"], "wants SH"),
        (["EX", "DF", "EX", "DF", "DF"], "wants DF, wants EX"),
    ],
)
def test_an_edge_names_what_its_waits_want_most_first(tmp_path: Path, wanted: list[str], words: str) -> None:
    queue = [f"wants {state} {n} job" for n, state in enumerate(wanted, start=20)]
    found = case_of(tmp_path, {"n1": [glock_picture("2/a", "held EX 1 tar", *queue)]})
    assert {edge.via for edge in found.waits_for if edge.to == "2/a"} == {words}


def test_who_has_a_glock_is_the_same_however_often_and_in_which_order_one_looks(tmp_path: Path) -> None:
    queue = ("wants SH 7 ls", "wants EX 8 cp", "wants SH 9 ls")
    holding = [
        *glock_picture("2/a", "held EX 5 tar"),
        *glock_picture("2/b", "held SH 6 cp", state="SH"),
        *glock_picture("2/c", state="EX"),
    ]
    wanting = [line for name in "abc" for line in glock_picture(f"2/{name}", *queue, state="UN")]
    dumps = {"n1": [holding] * 2, "n2": [wanting] * 2, "n3": [wanting] * 2}
    facts = picture_facts(tmp_path, dumps).get(GlockFacts)

    def found_by(queues: Queues, *, is_backwards: bool) -> dict[int, object]:
        own = sorted(queues.waited(), reverse=is_backwards)
        return {queue: (queues.holders(waits[0]), list(queues.groups(queue))) for queue, waits in own}

    once = found_by(facts.queues, is_backwards=False)
    assert once == found_by(facts.queues, is_backwards=True)
    assert once == found_by(Queues(facts, facts.manager), is_backwards=True)
    for _, waits in facts.queues.waited():
        wanted = frozenset(wait.state for wait in waits)
        assert facts.queues._elsewhere(waits[0], wanted) == facts.queues._of_others(waits[0], wanted)
