"""Rules on cluster locks of VxFS: each where it fires and where it stays silent."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine.veritas.lock_mounts import Mounts
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from tests.diagnosis.pictures import MOUNT, end_of, findings, lazy, lock_picture, only, refs, timed, walked
from tests.reports import report_on_article

LOCK_RULES = ("R4", "R5", "R6", "R7", "R8", "R26")
QUIET = """
node0  h_grant   0 0 9
node0  h_revoke  0 0 9
node1  h_grant   9 9 9
node1  pull      9 9 9
"""


def test_a_quiet_cluster_raises_nothing(tmp_path: Path) -> None:
    assert refs(lock_picture(tmp_path, QUIET)) == []


def test_no_samples_raise_nothing(tmp_path: Path) -> None:
    assert refs(lock_picture(tmp_path, "")) == []


# --- R4: first access -------------------------------------------------------------------------------------------------

FIRST_ACCESS = """
node0  h_grant      0    .
node0  h_revoke  4600    .
node0  g_revoke  2300    .
node0  normalize 2300    .
node1  h_init    2390    .
node1  h_grant   4770    .
node1  g_grant   2385    .
node1  pull      2385    .
"""


def test_r4_a_first_walk_that_makes_the_owner_normalise_its_locks_is_reported(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, FIRST_ACCESS, late_s={"node1": 12.0}), "R4")
    assert finding.nodes == ("node0", "node1")
    assert "node0 was the only user" in finding.explanation
    assert "When node1 reached them" in finding.explanation
    assert {figure.name: figure.value for figure in finding.figures} == {
        "Locks normalised": 2300.0,
        "h revokes": 4600.0,
    }
    assert {part.name: part.value for part in finding.parts}["completeness"] == 1.0
    assert len(finding.evidence) == 6


def test_r4_is_silent_below_a_hundred_a_second(tmp_path: Path) -> None:
    picture = (
        "node0 h_revoke 4600 4600\nnode0 h_grant 0 0\nnode0 normalize 99 31\nnode1 h_grant 9000 9000\nnode1 "
        "pull 4000 4000"
    )
    assert "R4" not in refs(lock_picture(tmp_path, picture))


def test_r4_without_the_other_node_is_less_sure(tmp_path: Path) -> None:
    alone = only(lock_picture(tmp_path / "a", "node0 h_revoke 4600 .\nnode0 normalize 2300 ."), "R4")
    far = only(lock_picture(tmp_path / "b", FIRST_ACCESS, late_s={"node1": 16.0}), "R4")
    for finding in (alone, far):
        assert {part.name: part.value for part in finding.parts}["completeness"] == 0.85
        assert "When another node reached them" in finding.explanation


def test_r4_says_when_the_puller_initialises_other_than_it_pulls(tmp_path: Path) -> None:
    odd = FIRST_ACCESS.replace("h_init    2390", "h_init     100")
    assert {part.name: part.value for part in only(lock_picture(tmp_path, odd), "R4").parts}["agreement"] == 0.9


# --- R5: pulls with lazy_isize_enable off -----------------------------------------------------------------------------

PULL_OFF = """
node0  h_grant    0    0    0
node0  h_revoke  32   32   32
node0  g_revoke  32   32   32
node1  h_grant   61   61   61
node1  h_revoke  30   30   30
node1  h_deinit  30   30   30
node1  g_grant   31   31   31
node1  pull      31   31   31
"""


def test_r5_pulls_that_take_a_g_lock_each_are_reported_with_both_sides(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, PULL_OFF, unit=100), "R5")
    assert finding.title == f"node1 pulls 3\u2009100 inodes/s of {MOUNT} from node0, and a g lock moves with each one"
    assert finding.nodes == ("node0", "node1")
    assert {figure.name: figure.value for figure in finding.figures} == {
        "Ownership pulls": 3100.0,
        "g locks moved": 3200.0,
    }
    assert finding.tunings == ("lazy-isize-enable", "one-node-per-tree")
    assert finding.start == end_of(-1)
    assert finding.end == end_of(2)


def test_r5_needs_g_grants_as_many_as_pulls_or_a_victim_that_loses_g_locks(tmp_path: Path) -> None:
    def fires(folder: str, grants: float, lost: float) -> bool:
        picture = (
            f"node0 h_revoke 3000 3000\nnode0 h_grant 0 0\nnode0 g_revoke {lost} {lost}\nnode1 h_grant 3000 3000\n"
        )
        picture += f"node1 pull 3000 3000\nnode1 g_grant {grants} {grants}\nnode1 g_revoke 0 0"
        return "R5" in refs(lock_picture(tmp_path / folder, picture))

    assert fires("follows", 2710, 0)
    assert not fires("too few", 2690, 0)
    assert fires("lost", 1000, 2900)
    assert not fires("none", 0, 0)


def test_r5_is_silent_below_a_hundred_pulls_a_second(tmp_path: Path) -> None:
    picture = "node1 h_grant 99 99\nnode1 pull 99 99\nnode1 g_grant 99 99"
    assert refs(lock_picture(tmp_path, picture)) == []


def test_r5_where_g_rows_are_not_shown_the_tunable_decides(tmp_path: Path) -> None:
    picture = "node1 h_grant 30 30\nnode1 pull 30 30"
    assert "R5" in refs(lock_picture(tmp_path / "a", picture, unit=100, more=[lazy(0)]))
    assert "R6" in refs(lock_picture(tmp_path / "b", picture, unit=100, more=[lazy(1)]))
    assert refs(lock_picture(tmp_path / "c", picture, unit=100)) == ["R26"]


def test_r5_the_victim_nearest_in_time_is_shown(tmp_path: Path) -> None:
    picture = """
    node0  h_revoke  10  32  .
    node0  g_revoke  10  32  .
    node1  h_grant   .   31  .
    node1  g_grant   .   31  .
    node1  pull      .   31  .
    """
    case = lock_picture(tmp_path, picture, unit=100)
    evidence = only(case, "R5").evidence
    nearest = next(role for role in case.get(LockRoles).all if role.node == "node0" and role.at == end_of(1))
    assert nearest.ref in evidence


def test_r5_two_sides_that_count_differently_lower_the_agreement(tmp_path: Path) -> None:
    odd = PULL_OFF.replace("node0  h_revoke  32   32   32", "node0  h_revoke  90   90   90")
    parts = {part.name: part for part in only(lock_picture(tmp_path, odd, unit=100), "R5").parts}
    assert (parts["agreement"].value, parts["agreement"].why) == (
        0.9,
        "the two sides count differently: 3\u2009100/s and 9\u2009000/s",
    )


def test_r5_swapped_headings_are_reported(tmp_path: Path) -> None:
    picture = """
    node0  h_revoke  32 . . . . . . . 32
    node0  g_revoke  32 . . . . . . . 32
    node1  h_grant   31 . . . . . . . 31
    node1  g_grant   31 . . . . . . . 31
    node1  pull      31 . . . . . . . 33
    """
    finding = only(lock_picture(tmp_path, picture, unit=100, basis="heading"), "R5")
    assert "headings above these samples contradict the counters" in finding.explanation
    assert {part.name: part.value for part in finding.parts}["agreement"] == 0.9


def test_r5_the_last_pull_of_a_ping_pong_is_no_phase_of_its_own(tmp_path: Path) -> None:
    picture = """
    node0  h_revoke  32  .  .  .  .  70  10
    node0  h_grant    0  .  .  .  .  70   .
    node0  pull       0  .  .  .  .  70   .
    node1  h_grant   31  .  .  .  .  70  40
    node1  h_revoke   0  .  .  .  .  70   0
    node1  g_grant   31  .  .  .  .  70  40
    node1  pull      31  .  .  .  .  70  40
    """
    finding = only(lock_picture(tmp_path, picture, unit=100), "R5")
    assert (finding.start, finding.end) == (end_of(-1), end_of(0))
    tail = "\n".join(line.replace("32", " .").replace("31", " .") for line in picture.splitlines())
    assert only(lock_picture(tmp_path / "tail", tail, unit=100), "R5").end == end_of(6)


def test_r5_over_since_the_tunable_was_set_is_reported_in_the_past(tmp_path: Path) -> None:
    change = [
        state
        for node, at in (("node0", end_of(8)), ("node1", end_of(9)))
        for state in (lazy(0, node=node, at=end_of(0), line=30), lazy(1, node=node, at=at, line=40))
    ]
    finding = only(lock_picture(tmp_path, PULL_OFF + "\n", unit=100, more=change), "R5")
    assert finding.title.startswith("node1 pulled 3\u2009100 inodes/s")
    assert "lazy_isize_enable is on since 7 May 2031 08:01:40" in finding.verdict
    assert finding.weight == 0.0


def test_r5_a_tunable_set_while_g_locks_still_move_is_not_called_done(tmp_path: Path) -> None:
    change = [lazy(0, node="node1", at=end_of(-1), line=30), lazy(1, node="node1", at=end_of(0), line=40)]
    assert "pulls 3" in only(lock_picture(tmp_path, PULL_OFF, unit=100, more=change), "R5").title


# --- R6: pulls with lazy_isize_enable on ------------------------------------------------------------------------------

PULL_ON = """
node0  h_grant    0   0
node0  h_revoke  97  97
node1  h_grant   96  96
node1  pull      96  96
node1  g_grant    0   0
node1  g_revoke   0   0
"""


def test_r6_pulls_without_g_locks_are_reported_as_the_rest_that_stays(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, PULL_ON, unit=100, more=[timed(41.0), timed(1.7)]), "R6")
    assert finding.severity == "medium"
    assert finding.tunings == ("one-node-per-tree",)
    assert finding.nodes == ("node0", "node1")
    assert refs(lock_picture(tmp_path / "again", PULL_ON, unit=100)) == ["R6"]


def test_r6_is_silent_where_g_locks_move(tmp_path: Path) -> None:
    assert "R6" not in refs(lock_picture(tmp_path, PULL_OFF, unit=100, more=[lazy(1)]))


def test_r6_names_the_time_since_when_the_tunable_is_on(tmp_path: Path) -> None:
    change = [lazy(0, node="node1", at=end_of(-20), line=30), lazy(1, node="node1", at=end_of(-10), line=40)]
    assert (
        "lazy_isize_enable, on since 7 May 2031 07:58:30,"
        in only(lock_picture(tmp_path, PULL_ON, unit=100, more=change), "R6").explanation
    )


# --- R7: ping-pong ----------------------------------------------------------------------------------------------------

BOTH = """
node0  h_grant   73 .
node0  h_revoke  38 .
node0  g_revoke  38 .
node0  pull      73 .
node1  h_grant   38 .
node1  h_revoke  73 .
node1  g_grant   38 .
node1  pull      38 .
"""


def test_r7_a_node_that_both_takes_and_loses_locks_is_reported(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, BOTH, unit=100), "R7")
    assert finding.nodes == ("node0", "node1")
    assert finding.tunings == ("one-node-per-tree", "lazy-isize-enable")
    assert finding.verdict.startswith("node0 and node1 keep taking each other's inode locks")
    assert "With lazy_isize_enable off" in finding.explanation


def test_r7_a_sample_without_pulls_gives_no_figure_of_them(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, "node0 h_grant 73 73\nnode0 h_revoke 70 70", unit=100), "R7")
    assert finding.title.endswith("7\u2009300 h locks/s at the peak")
    assert "Ownership pulls" not in {figure.name for figure in finding.figures}


def test_r7_one_node_is_enough_and_the_other_is_not_invented(tmp_path: Path) -> None:
    finding = only(
        lock_picture(tmp_path, "node0 h_grant 73 73\nnode0 h_revoke 70 70\nnode0 pull 73 73", unit=100), "R7"
    )
    assert finding.nodes == ("node0",)
    assert "node0 and another node" in finding.title


def test_r7_is_silent_where_one_node_takes_and_another_gives(tmp_path: Path) -> None:
    assert "R7" not in refs(lock_picture(tmp_path, PULL_OFF, unit=100))


ALTERNATING = """
node0  h_grant   9 9 . . 9 9 . .
node0  pull      9 9 . . 9 9 . .
node1  h_grant   . . 9 9 . . 9 9
node1  pull      . . 9 9 . . 9 9
"""


def test_r7_pullers_that_take_turns_within_a_minute_are_reported(tmp_path: Path) -> None:
    assert only(lock_picture(tmp_path / "a", ALTERNATING, unit=100), "R7").nodes == ("node0", "node1")
    assert "R7" not in refs(lock_picture(tmp_path / "b", ALTERNATING, unit=100, every=61.0))


def test_r7_one_walk_after_another_is_not_taking_turns(tmp_path: Path) -> None:
    picture = "node0 h_grant 99....\nnode0 pull 99....\nnode1 h_grant ..999.\nnode1 pull ..999."
    assert "R7" not in refs(lock_picture(tmp_path, picture, unit=100))


def test_r7_pullers_without_a_name_are_not_distinguished(tmp_path: Path) -> None:
    picture = "? h_grant 9.9.9.\n? pull 9.9.9.\nnode1 h_grant .9.9.9\nnode1 pull .9.9.9"
    assert "R7" not in refs(lock_picture(tmp_path, picture, unit=100))


def test_turns_are_found_in_a_long_capture_in_linear_time(tmp_path: Path) -> None:
    turns = "9." * 2000
    picture = f"node0 h_grant {turns}.\nnode0 pull {turns}.\nnode1 h_grant .{turns}\nnode1 pull .{turns}"
    [mount] = lock_picture(tmp_path, picture, unit=100).get(Mounts).all
    assert len(mount.alternating(60.0)) == 4000


def test_r7_is_critical_only_with_g_locks_a_high_rate_and_measured_harm(tmp_path: Path) -> None:
    harm = [walked(400_000), timed(54.7), timed(2.0)]
    on = "\n".join(line for line in BOTH.splitlines() if " g_" not in line)

    def severity(folder: str, picture: str, more: list[Any], unit: float = 100) -> str:
        return only(lock_picture(tmp_path / folder, picture, unit=unit, more=more), "R7").severity

    assert severity("all three", BOTH, harm) == "critical"
    assert severity("lazy on", on, [*harm, lazy(1)]) == "high"
    assert severity("5000 exactly", BOTH, harm, unit=5000 / 73) == "high"
    assert severity("no harm", BOTH, []) == "medium"


def test_r7_before_and_after_the_tunable_are_two_findings_and_what_goes_on_stands_first(tmp_path: Path) -> None:
    picture = """
    node0  h_grant   73  73  .  .  100  100
    node0  h_revoke  38  38  .  .   99   99
    node0  g_revoke  38  38  .  .    0    0
    node0  g_grant    .   .  .  .    0    0
    node0  pull      73  73  .  .  100  100
    node1  h_grant   38  38  .  .   99   99
    node1  h_revoke  73  73  .  .  100  100
    node1  g_grant   38  38  .  .    0    0
    node1  g_revoke   .   .  .  .    0    0
    node1  pull      38  38  .  .   99   99
    """
    change = [lazy(0, node="node0", at=end_of(0), line=30), lazy(1, node="node0", at=end_of(3), line=40)]
    after, before = [f for f in findings(lock_picture(tmp_path, picture, unit=100, more=change)) if f.ref == "R7"]
    assert "although lazy_isize_enable is on" in after.title
    assert "on since 7 May 2031 08:00:40," in after.verdict
    assert "pulled up to 7\u2009300 inodes/s before the change and up to 10\u2009000 since" in after.explanation
    assert "until lazy_isize_enable was set" in before.title
    assert (before.start, before.end) == (end_of(-1), end_of(1))
    assert (after.start, after.end) == (end_of(3), end_of(5))
    assert not set(before.evidence) & set(after.evidence)


# --- R8: give-back ----------------------------------------------------------------------------------------------------


def test_r8_a_slow_give_back_is_reported_as_normal(tmp_path: Path) -> None:
    finding = only(lock_picture(tmp_path, "node1 h_grant 0 0\nnode1 h_revoke 5 4"), "R8")
    assert (finding.severity, finding.nodes, finding.verdict) == ("info", ("node1",), "")
    assert "5.0/s in this sample" in finding.title


def test_r8_is_silent_while_a_peer_pulls_or_the_rate_is_none_of_a_give_back(tmp_path: Path) -> None:
    pulled = "node0 h_grant 0 .\nnode0 h_revoke 5 .\nnode1 h_grant 900 .\nnode1 pull 900 ."
    assert "R8" not in refs(lock_picture(tmp_path / "peer", pulled))
    assert "R8" in refs(lock_picture(tmp_path / "late", pulled, late_s={"node1": 31.0}))
    assert "R8" not in refs(lock_picture(tmp_path / "least", "node1 h_grant 0 0\nnode1 h_revoke 0.9 0.9"))
    assert "R8" not in refs(lock_picture(tmp_path / "most", "node1 h_grant 0 0\nnode1 h_revoke 20 20"))


def test_r8_on_two_nodes_is_one_finding_with_a_line_of_each(tmp_path: Path) -> None:
    picture = "node0 h_grant 0 . . .\nnode0 h_revoke 5 . . .\nnode1 h_grant . . . 0\nnode1 h_revoke . . . 7"
    finding = only(lock_picture(tmp_path, picture), "R8")
    assert finding.nodes == ("node0", "node1")
    assert finding.title == f"node0 and node1 give back cached locks of {MOUNT} slowly, 7.0/s in the busiest sample"
    assert len(finding.evidence) == 4


# --- R26: version gate ------------------------------------------------------------------------------------------------


def test_r26_asks_for_the_parameter_where_nothing_shows_it(tmp_path: Path) -> None:
    assert refs(lock_picture(tmp_path, PULL_OFF, unit=100)) == ["R5", "R26"]


@pytest.mark.parametrize("value", [0, 1])
def test_r26_is_silent_where_vxtunefs_lists_the_parameter(tmp_path: Path, value: int) -> None:
    assert "R26" not in refs(lock_picture(tmp_path, PULL_OFF, unit=100, more=[lazy(value)]))


def test_r26_is_silent_where_the_counters_show_it_on_or_nobody_pulls(tmp_path: Path) -> None:
    assert "R26" not in refs(lock_picture(tmp_path / "on", PULL_ON, unit=100))
    assert "R26" not in refs(lock_picture(tmp_path / "quiet", QUIET))


def test_mounts_are_judged_apart(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL_OFF, unit=100, mount=None)
    [finding] = [f for f in findings(case) if f.ref == "R5"]
    assert "of the file system" in finding.title


# --- the severity ladder ----------------------------------------------------------------------------------------------

ONE = "node1 h_grant 3\nnode1 pull 3\nnode1 g_grant 3"  # a single character: one sample


def ladder(folder: Path, picture: str, *more: Any, unit: float = 100, every: float = 10.0) -> str:
    return only(lock_picture(folder, picture, unit=unit, every=every, more=list(more)), "R5").severity


def test_ladder_a_single_sample_is_low_and_several_are_medium(tmp_path: Path) -> None:
    assert ladder(tmp_path / "one", ONE) == "low"
    assert ladder(tmp_path / "two", "node1 h_grant 33\nnode1 pull 33\nnode1 g_grant 33") == "medium"


def test_ladder_three_samples_in_a_row_at_a_thousand_a_second_are_high(tmp_path: Path) -> None:
    three = "node1 h_grant 999\nnode1 pull 999\nnode1 g_grant 999"
    gap = "node1 h_grant 99099\nnode1 pull 99099\nnode1 g_grant 99099"
    assert ladder(tmp_path / "three", three, unit=112) == "high"
    assert ladder(tmp_path / "999 a second", three, unit=111) == "medium"
    assert ladder(tmp_path / "a gap", gap, unit=200) == "medium"
    sentence = only(lock_picture(tmp_path / "words", three, unit=200), "R5").explanation
    assert "It lasted 3 samples in a row" in sentence


def test_ladder_in_a_row_means_on_one_node(tmp_path: Path) -> None:
    taking = "\n".join(
        f"node{n} {key} {cells}" for n, cells in ((1, "99.."), (2, "..9.")) for key in ("h_grant", "pull", "g_grant")
    )
    assert ladder(tmp_path, taking, unit=200) == "medium"


def test_ladder_a_command_three_times_its_fastest_run_is_harm(tmp_path: Path) -> None:
    assert ladder(tmp_path / "slowed", ONE, timed(30.0), timed(10.0, line=5003)) == "high"
    assert ladder(tmp_path / "less", ONE, timed(29.9), timed(10.0, line=5003)) == "low"
    assert ladder(tmp_path / "another", ONE, timed(30.0), timed(1.0, command=f"ls {MOUNT}", line=5003)) == "low"
    assert (
        ladder(
            tmp_path / "elsewhere", ONE, timed(30.0, command="find /tmp"), timed(1.0, command="find /tmp", line=5003)
        )
        == "low"
    )


def test_ladder_a_command_as_long_as_the_forecast_is_harm(tmp_path: Path) -> None:
    forecast_100s = walked(30_000)
    assert ladder(tmp_path / "as long", ONE, forecast_100s, timed(125.0)) == "high"
    assert ladder(tmp_path / "longer", ONE, forecast_100s, timed(126.0)) == "low"
    assert ladder(tmp_path / "shorter", ONE, forecast_100s, timed(74.0)) == "low"
    finding = only(lock_picture(tmp_path / "words", ONE, unit=100, more=[forecast_100s, timed(125.0)]), "R5")
    assert "One pass took 2 m 05 s, as the pull rate forecasts." in finding.explanation


def test_ladder_the_command_that_ran_meanwhile_is_shown_and_its_fastest_run_beside_it(tmp_path: Path) -> None:
    runs = [
        timed(90.0, at=end_of(-200), line=5000),
        timed(80.0, at=end_of(-1), line=5010),
        timed(2.0, at=end_of(50), line=5020),
        timed(85.0, line=5030),
    ]
    finding = only(lock_picture(tmp_path, ONE, unit=100, more=[walked(27_000), *runs]), "R5")
    assert [ref.line for ref in finding.evidence][-2:] == [5010, 5020]
    assert {figure.name: figure.value for figure in finding.figures}["Against the fastest run"] == 40.0
    assert finding.weight == 80.0


def test_ladder_of_undated_commands_the_one_nearest_in_the_text_that_fits_the_forecast_is_shown(tmp_path: Path) -> None:
    runs = [timed(100.0, line=3000), timed(101.0, line=150), timed(300.0, line=110), timed(2.0, line=10)]
    finding = only(lock_picture(tmp_path, ONE, unit=100, more=[walked(30_000), *runs]), "R5")
    assert [ref.line for ref in finding.evidence][-2:] == [150, 10]


def test_ladder_holds_for_first_access_and_ping_pong_too(tmp_path: Path) -> None:
    assert only(lock_picture(tmp_path / "r4", FIRST_ACCESS), "R4").severity == "low"
    assert (
        only(lock_picture(tmp_path / "r4 harm", FIRST_ACCESS, more=[timed(163.0), timed(1.7)]), "R4").severity == "high"
    )
    assert (
        only(lock_picture(tmp_path / "r7", "node0 h_grant 7\nnode0 h_revoke 7\nnode0 pull 7", unit=100), "R7").severity
        == "low"
    )
    assert (
        only(
            lock_picture(tmp_path / "r7 two", "node0 h_grant 77\nnode0 h_revoke 77\nnode0 pull 77", unit=100), "R7"
        ).severity
        == "medium"
    )


def test_no_finding_shows_a_line_twice_or_more_than_ten(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, FIRST_ACCESS + BOTH, unit=1, more=[timed(163.0), timed(1.7)])
    for finding in findings(case):
        assert len(set(finding.evidence)) == len(finding.evidence)
        assert 1 <= len(finding.evidence) <= 10


# --- the published article --------------------------------------------------------------------------------------------


def article() -> dict[str, Any]:
    return report_on_article("cfs-slow-inode-access.txt")


ROWS = [
    ("13:14:45", "victim", "off", True, {"h_revoke": 4606.4, "g_revoke": 2302.2, "normalize": 2304.3}, None),
    (
        "13:14:57",
        "puller",
        "off",
        False,
        {"h_grant": 4772.5, "g_grant": 2385.0, "rw_grant": 2387.5, "pull": 2385.0},
        165.0,
    ),
    ("14:48:38", "drain", "unknown", False, {"h_revoke": 5.0, "rw_revoke": 5.0}, None),
    ("14:52:35", "victim", "off", False, {"h_revoke": 3229.6, "g_revoke": 3229.6}, None),
    (
        "14:52:49",
        "puller",
        "off",
        False,
        {"h_grant": 6130.5, "h_revoke": 3065.2, "h_deinit": 3065.2, "pull": 3065.3},
        128.4,
    ),
    ("18:08:50", "victim", "on", False, {"h_revoke": 9719.0}, None),
    ("18:08:41", "puller", "on", False, {"h_grant": 9581.0, "pull": 9584.0}, 41.07),
    ("18:21:26", "ping_pong", "on", False, {"h_grant": 7331.0, "h_revoke": 7264.5, "pull": 7331.0}, 53.7),
    ("18:21:28", "ping_pong", "on", False, {"h_grant": 7243.2, "h_revoke": 7266.1, "pull": 7244.3}, 54.3),
    ("18:25:56", "ping_pong", "off", False, {"h_grant": 7335.8, "h_revoke": 3836.5, "pull": 7335.8}, 53.7),
    ("18:25:57", "ping_pong", "off", False, {"h_grant": 3843.2, "h_revoke": 7356.9, "g_grant": 3843.2}, 102.4),
]


@pytest.mark.parametrize(("clock", "role", "state", "first", "per_s", "forecast_s"), ROWS, ids=[row[0] for row in ROWS])
def test_article_samples(
    clock: str, role: str, state: str, first: bool, per_s: dict[str, float], forecast_s: float | None
) -> None:
    [row] = [row for row in article()["lock_roles"] if clock in row["at"]]
    assert (row["role"], row["lazy_isize"], row["first_time"]) == (role, state, first)
    for key, value in per_s.items():
        assert row["per_s"][key] == pytest.approx(value, abs=0.06)
    assert row["forecast_s"] == (None if forecast_s is None else pytest.approx(forecast_s, abs=0.06))


def test_article_traps() -> None:
    found = article()
    words = json.dumps([[f["title"], f["explanation"], f["figures"]] for f in found["findings"]]).replace("\\u2009", "")
    assert "24996" not in words  # T1: the row says 23043
    assert "per 30 seconds" not in words  # T2
    assert len(found["lock_roles"]) == 11  # T9: repeated sections count once
    by_clock = {row["at"][11:19]: row for row in found["lock_roles"]}
    assert by_clock["14:52:35"]["label_conflict"]  # T5
    assert by_clock["14:52:49"]["label_conflict"]
    assert sum(row["label_conflict"] for row in found["lock_roles"]) == 2
    assert (by_clock["18:25:57"]["node"], by_clock["18:25:57"]["node_inferred"]) == ("node1", True)  # T11
    assert sum(row["node_inferred"] for row in found["lock_roles"]) == 1
    assert not any("hit rate" in text["explanation"] for text in found["findings"])  # T3


def test_article_findings() -> None:
    found = [(f["ref"], f["severity"]) for f in article()["findings"] if f["ref"] in LOCK_RULES]
    assert found == [
        ("R7", "critical"),
        ("R4", "high"),
        ("R5", "high"),
        ("R7", "high"),
        ("R6", "medium"),
        ("R8", "info"),
    ]


def test_article_each_finding_shows_the_command_that_it_slowed() -> None:
    shown = [
        (f["ref"], next(e["text"].split()[1] for e in f["evidence"] if e["text"].startswith("real")))
        for f in article()["findings"]
        if f["ref"] in LOCK_RULES and f["ref"] != "R8"
    ]
    assert shown == [
        ("R7", "0m54.747s"),
        ("R4", "2m43.470s"),
        ("R5", "1m49.765s"),
        ("R7", "0m54.356s"),
        ("R6", "0m40.971s"),
    ]


def test_article_tunings() -> None:
    tunings = {tuning["id"]: tuning for tuning in article()["tunings"]}
    change = tunings["lazy-isize-enable"]
    assert (change["current"], change["recommended"], change["status"], change["scope"]) == (
        "0",
        "1",
        "recommended",
        "/volmanyfiles",
    )
    assert (change["current_at"]["line"], change["commands"]) == (
        608,
        ["vxtunefs -o lazy_isize_enable=1 /volmanyfiles"],
    )
    assert "In these files it is 1" not in change["why"]
