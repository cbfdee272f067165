"""Stuck locks of GLM with their picture of waits, and the rules on caches, lock states, clocks and many writers."""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from parsers.output import Output
from parsers.records.locks import GlmLock
from tests.diagnosis.cluster_texts import diagnosis_of, found, one, prompt, storm
from tests.diagnosis.pictures import lock_picture, only, refs, timed
from tests.growth import assert_grows
from tests.references import article

MINUTE_US = 60_000_000

# --- the picture of waits ---------------------------------------------------------------------------------------------


def waits(folder: Path, *pictures: Sequence[str]) -> GlmWaits:
    """One picture per minute: ``a>b`` is a node that waits for a lock that the other one holds, ``a>`` for one without
    a holder.
    """
    out = Output(FactsWriter(folder / "drawn"))
    line = 0
    for minute, picture in enumerate(pictures, 1):
        for wait in picture:
            waiter, _, holder = wait.partition(">")
            line += 10
            lock: dict[str, Any] = {
                "object": f"0x{line:x}",
                "lock_line": line,
                "dump": minute,
                "at": (1 << 45) + 2 * minute * MINUTE_US,
                "node": "m",
            }
            if len(pictures) > 1:
                lock["object"] = f"{waiter}-{holder}"
            if holder:
                out.add(GlmLock(line=line + 1, holder=holder, mode="EX", state="holder", **lock))
            out.add(GlmLock(line=line + 2, waiter=waiter, mode="SH", state="waiter", count=1, **lock))
    out.close()
    return Case(Facts([Source(0, "drawn.txt", folder / "drawn")]), PRODUCTS).get(GlmWaits)


def nodes(circle: tuple[str, ...]) -> tuple[str, ...]:
    return circle[::2]


def test_a_chain_ends_at_the_node_that_waits_for_nobody(tmp_path: Path) -> None:
    picture = waits(tmp_path, ["a>b", "b>c", "d>c"])
    assert [(root.kind, root.what, root.waiters, root.relieves) for root in picture.roots()] == [("node", "c", 3, 3)]
    assert picture.circles == ()
    edges = {(edge.frm, edge.to): edge for edge in picture.edges()}
    assert edges["a", "0xa"].via == "wants SH"
    assert edges["0xa", "b"].via == "held EX"
    assert edges["a", "0xa"].longest_s == 10.0


@pytest.mark.parametrize("size", [2, 3, 50])
def test_a_circle_has_exactly_its_members(tmp_path: Path, size: int) -> None:
    names = [f"n{number:02d}" for number in range(size)]
    ring = [f"{name}>{names[(index + 1) % size]}" for index, name in enumerate(names)]
    picture = waits(tmp_path, [*ring, "x>n00", "y>x"])
    assert [nodes(circle) for circle in picture.circles] == [tuple(names)]
    assert len(picture.circles[0]) == 2 * size
    assert picture.roots() == ()


def test_two_circles_with_one_node_in_common_are_two(tmp_path: Path) -> None:
    picture = waits(tmp_path, ["a>b", "b>a", "b>c", "c>b"])
    assert sorted(nodes(circle) for circle in picture.circles) == [("a", "b"), ("b", "c")]


def test_a_node_that_waits_for_itself_waits_for_no_other_node(tmp_path: Path) -> None:
    picture = waits(tmp_path, ["a>a"])
    assert picture.circles == ()
    assert picture.roots() == ()


def test_a_lock_without_a_holder_leaves_the_data_and_is_no_deadlock(tmp_path: Path) -> None:
    picture = waits(tmp_path, ["a>"])
    [root] = picture.roots()
    assert (root.kind, root.leaves_data, root.waiters) == ("lock", True, 1)
    assert picture.circles == ()


def test_waits_of_different_minutes_make_no_circle(tmp_path: Path) -> None:
    assert waits(tmp_path, ["a>b"], ["b>a"]).circles == ()
    assert waits(tmp_path / "both", ["a>b"], ["a>b", "b>a"]).circles != ()


def test_twice_as_many_waits_take_twice_as_long(tmp_path: Path) -> None:
    folders = count()

    def spent(size: int) -> float:
        picture = waits(tmp_path / str(next(folders)), [f"n{number}>n{number + 1}" for number in range(size)])
        began = time.process_time()
        assert [root.what for root in picture.roots()] == [f"n{size}"]
        assert len(picture.edges()) == 2 * size
        return time.process_time() - began

    assert_grows(spent, 1_000, 4_000, 6)


# --- R23, R32 ---------------------------------------------------------------------------------------------------------

LOCK = """lockname 0x1 0x2 0x3e7 0x10
    type=regular port=f
    holder node=mill1 level={}
    info vol=0x1 type=inode subtype=glock inumber=16 fset=999 ias=0
    waiter node=mill2 level=EX count=2
"""


def dump(minute: int, text: str = LOCK, level: str = "SH") -> str:
    return prompt("mill1", "glmdump -d 20", text.format(level), f"Tue Mar  9 14:{minute:02d}:01 CET 2027")


def test_r23_one_dump_is_high_and_two_that_show_the_same_are_critical(tmp_path: Path) -> None:
    single = one(tmp_path / "a", "R23", dump(1))
    assert single.severity == "high"
    assert single.title == "mill1 holds the lock of inode 16 SH, and mill2 waits for it"
    assert {figure.name: figure.value for figure in single.figures} == {
        "Stuck for at least": 20.0,
        "Waiters": 2,
        "Dumps that show it": 1,
    }
    held = one(tmp_path / "b", "R23", dump(1) + dump(4))
    assert (held.severity, held.figures[0].value) == ("critical", 200.0)


def test_r23_two_dumps_with_another_holder_or_half_a_minute_apart_stay_high(tmp_path: Path) -> None:
    other = LOCK.replace("node=mill1 level", "node=mill3 level")
    assert one(tmp_path / "a", "R23", dump(1) + dump(4, other)).severity == "high"
    soon = prompt("mill1", "glmdump", LOCK.format("SH"), "Tue Mar  9 14:01:41 CET 2027")
    assert one(tmp_path / "b", "R23", dump(1) + soon).severity == "high"


def test_r23_says_where_to_look_and_the_json_has_the_lock_once_a_dump(tmp_path: Path) -> None:
    result = diagnosis_of(tmp_path, dump(1))
    assert any("inode 16" in step.why for step in result.next_steps)
    assert [(edge.frm, edge.to) for edge in result.waits_for] == [
        ("0x1 0x2 0x3e7 0x10", "mill1"),
        ("mill2", "0x1 0x2 0x3e7 0x10"),
    ]
    assert [(root.kind, root.what, root.waiters) for root in result.roots] == [("node", "mill1", 1)]


def test_r32_is_a_hint_only_where_two_nodes_want_one_inode_exclusively(tmp_path: Path) -> None:
    two = LOCK + "    waiter node=mill3 level=EX count=1\n"
    finding = one(tmp_path / "a", "R32", dump(1, two))
    assert (finding.severity, finding.basis) == ("info", "recalled")
    assert finding.confidence <= 0.2
    assert not found(tmp_path / "b", "R32", dump(1))
    assert not found(tmp_path / "c", "R32", dump(1, two.replace("mill3 level=EX", "mill3 level=SH")))


# --- R1, R2, R3 -------------------------------------------------------------------------------------------------------


def inode_report(
    minute: int, lookups: int, hit: float, *, current: int = 4000, alloced: int = 0, age: str = "442 sec recycle age"
) -> str:
    return f"""14:{minute:02d}:41.574 Tue 09 Mar 2027 02:{minute:02d}:41 PM CET -- delta (5.000 sec sample)
Lookup, DNLC & Directory Cache Statistics
        0 maximum entries in dnlc
inode cache statistics
   {current} inodes current    4000 peak               4000 maximum
    {lookups} lookups           {hit:.2f}% hit rate
        {alloced} inodes alloced          0 freed
      {age}
      600 sec free age
"""


def icache(*samples: str) -> str:
    return prompt("mill1", "vxfsstat -i -t 5 /srv/pots", "".join(samples))


def test_r1_a_cache_that_misses_under_load_is_cold_and_one_without_lookups_says_nothing(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R1", icache(inode_report(20, 60_000, 12.0)))
    assert finding.severity == "medium"
    assert {figure.name: figure.value for figure in finding.figures} == {"Hit rate": 12.0}
    assert not found(tmp_path / "b", "R1", icache(inode_report(20, 0, 0.0)))
    assert not found(tmp_path / "c", "R1", icache(inode_report(20, 60_000, 100.0)))
    assert not found(tmp_path / "d", "R1", icache(inode_report(20, 400, 12.0)))
    assert (
        one(tmp_path / "e", "R1", icache(inode_report(20, 0, 0.0, alloced=60_000))).figures[0].name
        == "Inodes allocated"
    )


def times(*seconds: float) -> str:
    rows = "".join(
        prompt(
            "mill1",
            "time find /srv/pots/a -ls | wc -l",
            f"90000\nreal    0m{value:.3f}s\nuser    0m1.0s\nsys     0m1.0s\n",
        )
        for value in seconds
    )
    return rows + prompt("mill1", "vxtunefs /srv/pots | grep lazy", "lazy_isize_enable = 0\n")


def test_r1_a_first_run_several_times_as_slow_is_cold_unless_locks_moved(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R1", times(40.0, 2.0))
    assert {figure.name: figure.value for figure in finding.figures} == {"Cold against warm": 20.0, "Inodes read": 2250}
    assert not found(tmp_path / "b", "R1", storm("mill1") + times(40.0, 2.0))
    assert not found(tmp_path / "c", "R1", times(4.0, 2.0))
    assert not found(tmp_path / "d", "R1", times(2.0, 40.0, 2.0))  # the slow run is not the first one


def test_r1_by_the_age_of_buffers_alone_is_only_probable(tmp_path: Path) -> None:
    def samples_of(*pairs: tuple[int, int]) -> str:
        rows = "vxi_icache_curino            245094    vxi_iaccess                 {}\n"
        rows += "vxi_icache_peakino           398044    vxi_bcache_recycleage          {}\n"
        return "".join(prompt("mill1", "vxfsstat -v /srv/pots", rows.format(*pair)) for pair in pairs)

    finding = one(tmp_path / "a", "R1", samples_of((2_156_902, 114_442), (2_551_685, 2171)))
    assert "probably" in finding.title
    assert finding.basis == "inferred"
    assert not found(tmp_path / "b", "R1", samples_of((2_156_902, 2171), (2_551_685, 2100)))


def test_r2_a_full_cache_with_young_inodes_is_too_small_unless_the_limit_is_not_the_cause(tmp_path: Path) -> None:
    young = icache(inode_report(20, 0, 0.0, age="40 sec recycle age"))
    result = diagnosis_of(tmp_path / "a", young)
    finding = next(f for f in result.findings if f.ref == "R2")
    assert finding.severity == "medium"
    assert not found(
        tmp_path / "b", "R2", icache(inode_report(20, 0, 0.0, age="40 sec recycle age [not limited by maximum]"))
    )
    assert not found(tmp_path / "c", "R2", icache(inode_report(20, 0, 0.0, age="600 sec recycle age")))
    assert not found(tmp_path / "d", "R2", icache(inode_report(20, 0, 0.0, current=3000, age="40 sec recycle age")))


def test_r2_a_walk_larger_than_the_cache_is_high_with_the_parameter_of_the_platform(tmp_path: Path) -> None:
    text = (
        icache(inode_report(20, 0, 0.0, age="600 sec recycle age"))
        + times(2.0)
        + prompt("mill1", "rpm -q VRTSvxfs", "x")
    )
    result = diagnosis_of(tmp_path, text)
    assert next(f for f in result.findings if f.ref == "R2").severity == "high"
    [tuning] = [one_ for one_ in result.tunings if "ninode" in one_.id]
    assert (tuning.id, tuning.recommended) == ("vxfs-ninode", "99000")
    assert "vxfs_ninode=99000" in tuning.persist


def locks_of(node: str, masterless: int, normalised: int) -> str:
    row = f"vxi_masterless_locks         {masterless}    vxi_normalize_locks              {normalised}\n"
    return prompt(node, "vxfsstat -s /srv/pots | grep master", row)


def test_r3_the_share_of_cluster_locks_on_the_node_that_made_most(tmp_path: Path) -> None:
    text = locks_of("mill1", 393_641, 31) + locks_of("mill2", 2, 0) + locks_of("mill1", 393_641, 393_635)
    finding = one(tmp_path, "R3", text)
    assert (finding.severity, finding.nodes) == ("info", ("mill1",))
    assert "99.998" in finding.title
    assert "0.008" in finding.explanation
    assert not found(tmp_path / "b", "R3", locks_of("mill2", 2, 0))


# --- R24, R28 ---------------------------------------------------------------------------------------------------------

WRITERS = """
node0  h_grant    9   9   9
node0  h_init     2   2   2
node0  h_deinit   2   2   2
node0  rw_grant  60  60  60
node0  rw_revoke 60  60  60
node1  h_grant    9   9   9
node1  h_init     2   2   2
node1  h_deinit   2   2   2
node1  rw_grant  50  50  50
node1  rw_revoke 50  50  50
"""


def test_r28_rw_locks_beyond_the_pulls_on_two_nodes_are_writers(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, WRITERS, unit=10), "R28")
    assert (finding.severity, finding.nodes) == ("low", ("node0", "node1"))
    assert {figure.name: figure.value for figure in finding.figures} == {
        "rw grants beyond pulls": 580.0,
        "rw revokes beyond pulls": 580.0,
    }


def test_r28_book_keeping_one_node_alone_or_rows_cut_away_are_no_writers(tmp_path: Path) -> None:
    pulls = WRITERS.replace("h_init     2   2   2", "h_init    60  60  60").replace(
        "h_deinit   2   2   2", "h_deinit  60  60  60"
    )
    assert "R28" not in refs(lock_picture(tmp_path / "a", pulls, unit=10))
    alone = "\n".join(line for line in WRITERS.splitlines() if "node1" not in line)
    assert "R28" not in refs(lock_picture(tmp_path / "b", alone, unit=10))
    cut = "\n".join(line for line in WRITERS.splitlines() if "h_init" not in line)
    assert "R28" not in refs(lock_picture(tmp_path / "c", cut, unit=10))


def test_r24_windows_of_one_hand_over_that_do_not_overlap_are_a_note(tmp_path: Path) -> None:
    picture = "node0 h_grant 0 .\nnode0 h_revoke 900 .\nnode1 h_grant 900 .\nnode1 pull 900 ."
    finding = only(lock_picture(tmp_path / "a", picture, late_s={"node1": 12.0}), "R24")
    assert (finding.severity, finding.figures[0].value) == ("info", 12.0)
    assert "R24" not in refs(lock_picture(tmp_path / "b", picture, late_s={"node1": 8.0}))


def test_r28_with_a_slowed_command_is_high(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, WRITERS, unit=10, more=[timed(2.0, line=4000), timed(60.0)])
    assert only(case, "R28").severity == "high"


# --- the article ------------------------------------------------------------------------------------------------------


def test_the_article_on_slow_access_raises_what_its_tables_say_and_nothing_more(tmp_path: Path) -> None:
    result = diagnosis_of(tmp_path, article("cfs-slow-inode-access.txt").read_text(encoding="utf-8"))
    by_ref = {finding.ref: finding for finding in reversed(result.findings)}
    cold = {figure.name: figure.value for figure in by_ref["R1"].figures}
    assert (cold["Cold against warm"], cold["Inodes read"]) == (18.2, 9829)
    link = {figure.name: figure.value for figure in by_ref["R10"].figures}
    assert link == {
        "LLT packets": 13_868,
        "Share of the link": 3.57,
        "Bytes a packet": 322,
        "Packets for each inode": 5.8,
    }
    assert "Possibly" in by_ref["R10"].explanation
    assert "3.6 ms" in by_ref["R10"].explanation
    assert by_ref["R14"].severity == "medium"
    assert {round(f.figures[0].value, 1) for f in result.findings if f.ref == "R14"} == {10.1, 9.1}
    assert "99.998" in by_ref["R3"].title
    assert not {"R2", "R9", "R11", "R12", "R13", "R15", "R16", "R17", "R18", "R23", "R28"} & set(by_ref)
    assert all(
        finding.severity == "info" for finding in result.findings if finding.ref in {"R29", "R30", "R32", "R35", "R36"}
    )
    assert not {"window", "highwater", "window-lower", "vxfs-ninode"} & {tuning.id for tuning in result.tunings}
