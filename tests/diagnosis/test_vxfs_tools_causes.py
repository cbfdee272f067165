"""Disks under VxFS (R27), freezes (R31), log replay (R33), replication (R34)."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.records import CommandRun, DiskIo, Event, Measurement
from tests.diagnosis.pictures import MOUNT, end_of, lock_picture, timed
from tests.diagnosis.pictures import only as only_of
from tests.diagnosis.pictures import refs as refs_of
from tests.diagnosis.vxfs_texts import diagnosis, figures, findings, only, read

HEAD = (
    "           OPERATIONS          BLOCKS        AVG TIME(ms)\nTYP  NAME          READ     WRITE      READ  "
    "   WRITE    READ  WRITE\n"
)


def stats(*means: float, operations: int = 3184, interval: int = 5) -> str:
    """``vxstat -i``: the first block counts since the start, then one block for each mean."""
    text = (
        f"dunlin2# vxstat -g rollsdg -i {interval}\n{HEAD}Wed Sep 17 08:12:00 2025\nvol  rolls  900000  0  "
        "90000000  0  9.0  0.0\n"
    )
    for place, mean in enumerate(means, 1):
        text += (
            f"Wed Sep 17 08:12:{place * interval:02d} 2025\nvol  rolls  {operations}  0  {operations * 248}  "
            f"0  {mean:.1f}  0.0\n"
        )
    return text


SLOWED = "dunlin2# time find /srv/rolls\nreal    0m2.000s\ndunlin2# time find /srv/rolls\nreal    0m20.000s\n"


def test_r27_two_slow_intervals_without_a_slow_command_are_a_hint_with_the_walk_down(tmp_path: Path) -> None:
    finding = only(read(tmp_path, stats(41.5, 22.0, 8.0)), "R27")
    assert (finding.severity, finding.basis) == ("low", "proposed")
    assert figures(finding) == {"Longest mean time": 41.5, "Intervals above the limit": 2, "Mean request": 126976}
    assert "2 intervals of 3" in finding.explanation
    assert "add up all nodes" in finding.explanation


def test_r27_one_slow_interval_is_low(tmp_path: Path) -> None:
    assert only(read(tmp_path, stats(41.5, 8.0, 8.0)), "R27").severity == "low"


def test_r27_very_slow_intervals_are_harm_by_themselves_and_more_so_with_a_slow_command(tmp_path: Path) -> None:
    assert only(read(tmp_path / "a", stats(60.0, 55.0)), "R27").severity == "medium"
    assert only(read(tmp_path / "b", stats(60.0, 55.0) + SLOWED), "R27").severity == "high"
    assert only(read(tmp_path / "c", stats(60.0, 55.0, 51.0)), "R27").severity == "high"


def test_r27_the_sample_of_a_single_block_is_low_and_says_why(tmp_path: Path) -> None:
    finding = only(
        read(tmp_path, f"{HEAD}vol  datav3        3184         0    790000         0    41.5    0.0\n"), "R27"
    )
    assert finding.severity == "low"
    assert "since counting began" in finding.title
    assert figures(finding)["Mean request"] == pytest.approx(127035, abs=5)


def test_r27_is_silent_below_the_limit_without_load_and_for_the_first_block(tmp_path: Path) -> None:
    assert findings(read(tmp_path / "a", stats(19.9, 20.0)), "R27") == []
    assert findings(read(tmp_path / "b", stats(90.0, 90.0, operations=40)), "R27") == []
    first = stats(5.0, 5.0).replace("9.0  0.0", "90.0  0.0")
    assert findings(read(tmp_path / "c", first), "R27") == []


def paths(*means: float) -> str:
    head = (
        "    OPERATIONS            BLOCKS         AVG TIME(ms)\nPATHNAME    READS     WRITES      READS    "
        "WRITES    READS    WRITES\n"
    )
    text = f"dunlin2# vxdmpadm iostat show all interval=5 count=3\n{head}"
    for block in range(3):
        for path, mean in enumerate(means):
            text += f"sd{'cdef'[path]}   {61 + block}   0   {15250 + block}   0   {mean:.2f}   0.00\n"
    return text


def test_r27_a_path_far_slower_than_its_peers_is_reported_below_the_limit(tmp_path: Path) -> None:
    finding = only(read(tmp_path / "a", paths(4.0, 4.2, 16.0)), "R27")
    assert (finding.severity, figures(finding)["Against its peers"]) == ("medium", 3.9)
    assert finding.title.startswith("sde on dunlin2 takes 16.0 ms, 2 other devices")
    assert findings(read(tmp_path / "b", paths(8.0, 8.2, 16.0)), "R27") == []
    assert findings(read(tmp_path / "c", paths(0.3, 0.3, 3.0)), "R27") == []


def disk(mean_ms: float, source: str = "iostat -x", queue: float | None = None) -> DiskIo:
    return DiskIo(
        line=7,
        node="dunlin2",
        source=source,
        device="VxVM27000",
        per_s=True,
        mean_ms=mean_ms,
        interval_s=5.0,
        count=90.0,
        queue=queue,
    )


def test_r27_runs_in_a_case_of_veritas_only_and_passes_over_what_cannot_be_true(tmp_path: Path) -> None:
    tuned = "Filesystem i/o parameters for /srv/rolls\nread_pref_io = 65536\n"
    assert findings(read(tmp_path / "a", "", more=[disk(90.0)]), "R27") == []
    assert only(read(tmp_path / "b", tuned, more=[disk(90.0)]), "R27").severity == "low"
    assert findings(read(tmp_path / "c", tuned, more=[disk(90.0, queue=2e6)]), "R27") == []
    assert findings(read(tmp_path / "d", tuned, more=[disk(90.0, "iostat -x (since boot)")]), "R27") == []


def test_a_slow_command_without_any_latency_asks_for_it(tmp_path: Path) -> None:
    tuned = "Filesystem i/o parameters for /srv/rolls\nread_pref_io = 65536\n"
    what = "latency of the volumes, disks and paths while the command is slow"
    assert what in [one.what for one in diagnosis(read(tmp_path / "a", tuned + SLOWED)).missing]
    assert what not in [one.what for one in diagnosis(read(tmp_path / "b", tuned + SLOWED + stats(5.0, 5.0))).missing]
    assert what not in [one.what for one in diagnosis(read(tmp_path / "c", tuned)).missing]


STALL = """
node0  h_revoke  4000 0 4000
node1  h_grant   4000 0 4000
node1  pull      4000 0 4000
"""


def run(command: str, at: int | None = None, line: int = 60) -> CommandRun:
    return CommandRun(line=line, node="node0", node_basis="prompt", command=command, at=at)


def test_r31_a_stall_on_all_nodes_around_a_freezing_command(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, STALL, more=[run(f"fsckptadm create thu {MOUNT}", end_of(1))])
    finding = only_of(case, "R31")
    assert (finding.severity, finding.nodes) == ("medium", ("node0", "node1"))
    assert "Nothing moved on any node" in finding.title


@pytest.mark.parametrize(
    ("picture", "command", "column"),
    [
        (STALL, f"fsckptadm create thu {MOUNT}", 9),  # the stall is elsewhere in time
        (
            STALL.replace("node0  h_revoke  4000 0 4000", "node0  h_revoke  4000 4000 4000"),
            f"fsckptadm create thu {MOUNT}",
            1,
        ),
        (STALL, "fsckptadm create thu /srv/other", 1),
        (STALL.replace("4000 0 4000", "4000 900 4000"), f"vxtunefs -o lazy_isize_enable=1 {MOUNT}", 1),
        (STALL, "ls -l", 1),
    ],
)
def test_r31_is_silent_without_a_stall_of_all_nodes_at_that_moment(
    tmp_path: Path, picture: str, command: str, column: int
) -> None:
    assert "R31" not in refs_of(lock_picture(tmp_path, picture, more=[run(command, end_of(column))]))


def test_r31_a_freeze_that_is_not_released(tmp_path: Path) -> None:
    later = run("uptime", end_of(30), 90)
    held = lock_picture(tmp_path / "a", STALL, more=[run(f"fsfreeze -f {MOUNT}", end_of(9)), later])
    finding = only_of(held, "R31")
    assert (finding.severity, figures(finding)["Frozen without a thaw for"]) == ("low", 210)
    released = [run(f"fsfreeze -f {MOUNT}", end_of(9)), run(f"fsfreeze -u {MOUNT}", end_of(10), 70), later]
    assert "R31" not in refs_of(lock_picture(tmp_path / "b", STALL, more=released))


def test_r33_a_replay_while_a_command_is_slow_is_medium_else_information(tmp_path: Path) -> None:
    replay = Event(line=80, node="node0", at=end_of(3), source="fsck", kind="log-replay", text="log replay in progress")
    slow: list[Measurement] = [timed(2.0, at=end_of(1), line=81), timed(40.0, at=end_of(2), line=82)]
    inside = only_of(lock_picture(tmp_path / "a", "", more=[replay, *slow]), "R33")
    assert (inside.severity, inside.basis) == ("medium", "proposed")
    late = Event(line=80, node="node0", at=end_of(300), source="fsck", kind="log-replay", text="log replay in progress")
    assert only_of(lock_picture(tmp_path / "b", "", more=[late, *slow]), "R33").severity == "info"
    assert "R33" not in refs_of(lock_picture(tmp_path / "c", "", more=slow))


def link(*used: int) -> str:
    message = (
        "VxVM VVR vxrlink INFO V-5-1-4640 Rlink rlk_ouse has 329 outstanding writes, occupying 14.7 Mbytes "
        "({}%) on the SRL\n"
    )
    return "dunlin2# vxrlink -i 5 status rlk_ouse\n" + "".join(message.format(one) for one in used)


def test_r34_a_log_that_fills(tmp_path: Path) -> None:
    assert only(read(tmp_path / "a", link(60, 84)), "R34").severity == "medium"
    assert only(read(tmp_path / "e", link(60, 84, 88)), "R34").severity == "high"
    assert only(read(tmp_path / "b", link(60, 84) + SLOWED), "R34").severity == "high"
    assert only(read(tmp_path / "c", link(84)), "R34").severity == "low"
    assert findings(read(tmp_path / "d", link(60, 80)), "R34") == []


def test_r34_a_resynchronisation_without_a_slow_command_is_low(tmp_path: Path) -> None:
    task = (
        "dunlin2# vxtask list\nTASKID  PTID TYPE/STATE    PCT   PROGRESS\n   162           {}/R 06.54% "
        "0/8388608/548864 {} rolls rollsdg\n"
    )
    finding = only(read(tmp_path / "a", task.format("RDWRBACK", "RDWRBACK")), "R34")
    assert (finding.severity, finding.title) == ("low", "A resynchronisation runs on rolls (RDWRBACK)")
    assert findings(read(tmp_path / "b", task.format("RELAYOUT", "RELAYOUT")), "R34") == []


def test_r34_replication_that_is_merely_there_is_information(tmp_path: Path) -> None:
    there = "dunlin2# vxprint -Pl\nRlink:    rlk_ouse\n          synchronous=override latencyprot=off\n"
    assert only(read(tmp_path / "a", there + SLOWED), "R34").severity == "info"
    assert findings(read(tmp_path / "b", there), "R34") == []
