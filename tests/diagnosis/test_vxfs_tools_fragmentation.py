"""R19: fragmentation of VxFS, and file systems that are only full."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.veritas.fragmentation import FragmentationReports
from tests.diagnosis.test_vxfs_tools_requests import BUFFERED, DIRECT, FAST, HEAD, SLOW
from tests.diagnosis.vxfs_texts import diagnosis, figures, findings, only, read, tunings


def report(below_64: float, below_8: float, mount: str = "/srv/rolls", table: str = "", when: str = "") -> str:
    return f"""{when}dunlin2# fsadm -E {mount}
Extent Fragmentation Report
    % Free blocks in extents smaller than 64 blks: {below_64:.2f}
    % Free blocks in extents smaller than  8 blks: {below_8:.2f}
{table}"""


def space(free: float, mount: str = "/srv/rolls") -> str:
    used = 100 - free
    return (
        f"dunlin2# df -k {mount}\n/dev/vx/dsk/rollsdg/rolls 1000000 {10000 * used:.0f} {10000 * free:.0f} "
        f"{used:.0f}% {mount}\n"
    )


TABLE = """    Free Extents By Size
           1:        212            2:        175            4:        133
           8:        260           16:        221           32:        198
          64:        147          128:         88          256:         51
         512:         29         1024:         17         2048:          3
        4096:          2         8192:          0        16384:          2
       32768:          1        65536:          0       131072:          0
"""
FOUR = """        Total    Average      Average     Total
        Files    File Blks    # Extents   Free Blks
         6127         204           1      158902
"""
SAMPLE = "Extent Fragmentation Report\n" + FOUR + TABLE


def test_the_shares_follow_from_the_table(tmp_path: Path) -> None:
    [found] = read(tmp_path, SAMPLE).get(FragmentationReports).extents
    assert found.table_blocks == 158902
    assert not found.is_cut
    assert (round(found.below(8) or 0, 2), round(found.below(64) or 0, 2)) == (0.69, 8.21)


def test_a_table_that_does_not_add_up_is_cut_and_gives_no_shares(tmp_path: Path) -> None:
    [found] = (
        read(
            tmp_path, SAMPLE.replace("       32768:          1        65536:          0       131072:          0\n", "")
        )
        .get(FragmentationReports)
        .extents
    )
    assert found.is_cut
    assert found.below(8) is None
    printed = report(60.0, 2.0, table=FOUR + TABLE.replace("64:        147", "64:        100"))
    assert "rows are missing, the printed shares count" in only(read(tmp_path / "b", printed), "R19").explanation


def test_between_good_and_bad_is_moderate_and_the_third_factor_is_called_unknown(tmp_path: Path) -> None:
    case = read(tmp_path, SAMPLE)
    finding = only(case, "R19")
    assert finding.severity == "low"
    assert "moderately fragmented" in finding.title
    assert "is unknown: the size is not in these files" in finding.explanation
    assert tunings(case) == {}


@pytest.mark.parametrize(("below_64", "below_8"), [(51.0, 0.5), (10.0, 5.1)])
def test_one_bad_factor_is_bad_and_reorganising_comes_with_its_cautions(
    tmp_path: Path, below_64: float, below_8: float
) -> None:
    case = read(tmp_path, report(below_64, below_8) + space(40))
    finding = only(case, "R19")
    assert finding.severity == "medium"
    assert figures(finding)["Free share of the file system"] == 40
    change = tunings(case)["extent-reorganization"]
    assert change.scope == "/srv/rolls"
    assert change.commands[0] == "fsckptadm list /srv/rolls"
    assert change.commands[-1] == "fsadm -e -E -s /srv/rolls"
    assert all(word in change.caution for word in ("checkpoints", "Replication", "Thin"))


def test_an_unfragmented_file_system_raises_nothing(tmp_path: Path) -> None:
    assert findings(read(tmp_path / "a", report(4.9, 0.9)), "R19") == []
    assert findings(read(tmp_path / "b", report(4.9, 0.9) + space(40)), "R19") == []


@pytest.mark.parametrize(
    ("below_64", "free", "words"),
    [(2.0, 4.0, "is full, not fragmented"), (45.0, 8.0, "is nearly full, not fragmented")],
)
def test_a_full_file_system_is_to_be_extended_never_reorganised(
    tmp_path: Path, below_64: float, free: float, words: str
) -> None:
    case = read(tmp_path, report(below_64, 0.5) + space(free))
    assert words in only(case, "R19").title
    assert set(tunings(case)) == {"extend-file-system"}


def test_bad_and_nearly_full_is_extended_first(tmp_path: Path) -> None:
    case = read(tmp_path, report(60.0, 7.0) + space(8))
    assert "too full to reorganise" in only(case, "R19").verdict
    assert set(tunings(case)) == {"extend-file-system"}


def test_reports_before_and_after_are_compared(tmp_path: Path) -> None:
    before = report(70.0, 9.0, when="dunlin2# date\nMon Sep 15 08:00:00 UTC 2025\n")
    after = report(52.0, 2.0, when="dunlin2# date\nTue Sep 16 08:00:00 UTC 2025\n")
    assert (
        "70.00 % lay in extents below 64 blocks, in the last 52.00 %: better"
        in only(read(tmp_path, before + after), "R19").explanation
    )


def test_a_high_index_of_later_releases_is_a_hint(tmp_path: Path) -> None:
    text = (
        "File System Extent Fragmentation Report\n  Free Space Fragmentation Index        :       {}\n  File "
        "Fragmentation Index : 3\n"
    )
    finding = only(read(tmp_path / "a", text.format(61)), "R19")
    assert (finding.severity, finding.basis) == ("low", "proposed")
    assert "free space fragmentation index is 61" in finding.title
    assert findings(read(tmp_path / "b", text.format(25)), "R19") == []


def test_directories_that_could_shrink(tmp_path: Path) -> None:
    title = "dunlin2# fsadm -D /srv/rolls\n  Directory Fragmentation Report\n"
    text = title + "  total          41287      7548      35102         0        203       {}\n"
    optional, worth = read(tmp_path / "a", text.format(341)), read(tmp_path / "b", text.format(400))
    assert (only(optional, "R19").severity, only(worth, "R19").severity) == ("info", "low")
    assert figures(only(optional, "R19"))["Directory blocks that could go"] == 4.5
    assert "optional" in only(optional, "R19").explanation
    assert (set(tunings(optional)), set(tunings(worth))) == (set(), {"directory-reorganization"})
    none = "  Directory Fragmentation Report\n  total          41287      7548      35102         0        0       0\n"
    assert findings(read(tmp_path / "c", none), "R19") == []


def test_what_fills_a_full_file_system_is_the_next_step(tmp_path: Path) -> None:
    found = diagnosis(read(tmp_path, report(2.0, 0.5) + space(3)))
    assert any("fsckptadm list /srv/rolls" in step.commands for step in found.next_steps)


def test_bad_is_high_where_requests_are_broken_up_and_the_way_of_io_does_not_explain_it(tmp_path: Path) -> None:
    same = HEAD + SLOW + FAST.replace(DIRECT, BUFFERED)
    assert only(read(tmp_path / "a", same + report(60.0, 7.0) + space(40)), "R19").severity == "high"
    assert only(read(tmp_path / "b", HEAD + SLOW + FAST + report(60.0, 7.0) + space(40)), "R19").severity == "medium"
