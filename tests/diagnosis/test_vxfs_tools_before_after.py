"""What a change brought: each finding on cluster locks says better, same or worse, and by how much."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.veritas.before_after import History
from apps.diagnosis.engine.veritas.lock_mounts import Mounts
from parsers.records import Record, Setting
from tests.diagnosis.pictures import MOUNT, end_of, findings, lazy, lock_picture, refs, timed, walked

PULLS = """
node0  h_revoke  3000 3000 .  9000 9000
node0  g_revoke  3000 3000 .     .    .
node1  h_grant   6000 6000 .  9000 9000
node1  g_grant   3000 3000 .     0    0
node1  pull      3000 3000 .  9000 9000
"""
SWITCHED = (lazy(0, at=end_of(0), line=40), lazy(1, at=end_of(2), line=41))


def drawn(folder: Path, picture: str, *more: Record) -> Case:
    return lock_picture(folder, picture, more=more)


def explanation(case: Case, ref: str) -> str:
    return " ".join(finding.explanation for finding in findings(case) if finding.ref == ref)


def history(case: Case) -> History:
    [mount] = case.get(Mounts).all
    return History(case.get(Settings), case.get(TimedRuns), mount)


def test_times_of_the_same_command_decide(tmp_path: Path) -> None:
    runs = (walked(300_000), timed(100.0, at=end_of(0), line=5000), timed(33.0, at=end_of(3), line=5001))
    case = drawn(tmp_path, PULLS, *SWITCHED, *runs)
    for ref in ("R5", "R6"):
        assert (
            "After lazy_isize_enable went from 0 to 1, a pull took 33.0 s instead of 100.0 s: better, "
            "3.03 times as fast."
        ) in explanation(case, ref)
    [finding] = [one for one in findings(case) if one.ref == "R6"]
    assert {figure.name: figure.value for figure in finding.figures}["Better after the change"] == 3.03


def test_without_times_the_rates_of_the_counters_are_compared(tmp_path: Path) -> None:
    assert "moved 9\u2009000 inodes/s instead of 3\u2009000: better, 3.00 times the rate" in explanation(
        drawn(tmp_path, PULLS, *SWITCHED), "R5"
    )


def test_worse_and_same_are_stated_as_well(tmp_path: Path) -> None:
    back = (lazy(1, at=end_of(0), line=40), lazy(0, at=end_of(2), line=41))
    worse = PULLS.replace("3000 3000 .  9000 9000", "9000 9000 .  3000 3000").replace(
        "6000 6000 .  9000 9000", "9000 9000 .  6000 6000"
    )
    worse = worse.replace("3000 3000 .     .    .", ".    .    .  3000 3000").replace(
        "3000 3000 .     0    0", "0    0    .  3000 3000"
    )
    assert "worse, 0.33 times the rate" in explanation(drawn(tmp_path / "a", worse, *back), "R5")
    same = PULLS.replace("9000 9000", "3200 3200")
    assert "the same within 10 %" in explanation(drawn(tmp_path / "b", same, *SWITCHED), "R6")


def test_a_change_without_samples_on_both_sides_is_reported_as_not_compared(tmp_path: Path) -> None:
    case = drawn(
        tmp_path, PULLS.replace(".  9000 9000", ".  .    .   ").replace(".     0    0", ".     .    ."), *SWITCHED
    )
    assert "no pull was sampled on both sides of it" in explanation(case, "R5")


def test_without_a_change_nothing_is_compared(tmp_path: Path) -> None:
    case = drawn(tmp_path, PULLS, lazy(0, at=end_of(0)))
    assert history(case).changes == ()
    assert "After " not in explanation(case, "R5")


def test_other_tunables_of_the_mount_and_the_interconnect_count_too(tmp_path: Path) -> None:
    window = [
        Setting(
            line=line, node="node0", scope=None, source="lltconfig -F", name="window", value=value, at=end_of(column)
        )
        for line, column, value in ((40, 0, "50"), (41, 2, "5000"))
    ]
    other = Setting(
        line=42, node="node0", scope="/srv/other", source="vxtunefs", name="read_nstream", value="1", at=end_of(0)
    )
    changed = Setting(
        line=43, node="node0", scope="/srv/other", source="vxtunefs", name="read_nstream", value="4", at=end_of(2)
    )
    assert [change.words for change in history(drawn(tmp_path, PULLS, *window, other, changed)).changes] == [
        "window went from 50 to 5000"
    ]


def test_a_run_belongs_to_the_sample_of_its_period_that_it_fits_best(tmp_path: Path) -> None:
    runs = (walked(300_000), timed(100.0, at=end_of(3), line=5001), timed(40.0, at=end_of(3), line=5002))
    found = history(drawn(tmp_path, PULLS, *SWITCHED, *runs))
    assert [(phase.sort, phase.period, [run.seconds for run in phase.runs]) for phase in found.phases] == [
        ("pull", 0, []),
        ("pull", 1, [40.0]),
    ]


def test_two_nodes_at_once_are_set_against_one_alone(tmp_path: Path) -> None:
    both = "node0 h_grant 9000 .\nnode0 h_revoke 0 .\nnode0 pull 9000 .\nnode0 g_grant 0 .\nnode0 g_revoke 0 .\n"
    both += "".join(
        f"{node} {key} . {value}\n"
        for node in ("node0", "node1")
        for key, value in (("h_grant", 7000), ("h_revoke", 7000), ("pull", 7000), ("g_grant", 0), ("g_revoke", 0))
    )
    rows: dict[tuple[str, str], list[str]] = {}
    for line in both.splitlines():
        node, key, *cells = line.split()
        held = rows.setdefault((node, key), [".", "."])
        rows[node, key] = [new if new != "." else old for new, old in zip(cells, held, strict=True)]
    picture = "\n".join(f"{node} {key} {' '.join(cells)}" for (node, key), cells in rows.items())
    runs = (walked(280_000), timed(30.0, at=end_of(0), line=5001), timed(40.0, at=end_of(1), line=5002))
    case = drawn(tmp_path, picture, lazy(1, at=end_of(0)), *runs)
    assert "1.33 times as long as a pull of one node alone (30.0 s)" in explanation(case, "R7")


def test_a_first_access_is_set_against_the_cold_run_before_it(tmp_path: Path) -> None:
    first = (
        "node0 h_revoke 4600 .\nnode0 normalize 2300 .\nnode1 h_grant 4700 .\nnode1 h_init 2300 .\nnode1 pull 2300 ."
    )
    runs = (walked(380_000), timed(40.0, line=4001), timed(2.0, line=4002), timed(160.0, line=4003, at=end_of(0)))
    assert "4.0 times the 40.0 s of the first run, which no lock traffic explains" in explanation(
        drawn(tmp_path, first, *runs), "R4"
    )


@pytest.mark.parametrize("source", ["tunefstab", "fstab"])
def test_what_is_set_at_the_next_mount_is_no_change(tmp_path: Path, source: str) -> None:
    rows = [
        Setting(
            line=40, node="node0", scope=MOUNT, source="vxtunefs", name="lazy_isize_enable", value="0", at=end_of(0)
        ),
        Setting(line=41, node="node0", scope=MOUNT, source=source, name="lazy_isize_enable", value="1", at=end_of(2)),
    ]
    case = drawn(tmp_path, PULLS, *rows)
    assert history(case).changes == ()
    assert "R5" in refs(case)
