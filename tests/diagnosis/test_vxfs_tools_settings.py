"""Settings of VxFS: mount options (R22), the metadata buffer cache (R25), the version gate (R26) with versions of
packages.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.veritas.vxfs_release import LAZY_TUNING, Releases
from parsers.records import Version
from tests.diagnosis.pictures import lazy, lock_picture
from tests.diagnosis.pictures import only as only_of
from tests.diagnosis.pictures import refs as refs_of
from tests.diagnosis.vxfs_texts import figures, findings, only, read, tunings


def mounted(options: str, node: str = "dunlin2") -> str:
    return f"{node}# mount\n/dev/vx/dsk/rollsdg/rolls on /srv/rolls type vxfs ({options})\n"


def test_r22_a_cluster_mount_without_the_options_is_low_and_comes_with_its_cautions(tmp_path: Path) -> None:
    case = read(tmp_path, mounted("rw,cluster,delaylog"))
    finding = only(case, "R22")
    assert (finding.severity, finding.nodes) == ("low", ("dunlin2",))
    assert "incremental backup there can miss changes" in finding.explanation
    found = tunings(case)
    assert set(found) == {"noatime-vxfs", "nomtime"}
    assert "miss changes" in found["nomtime"].caution
    assert found["nomtime"].commands[0] == "mount -t vxfs -o remount,cluster,nomtime /srv/rolls"


def test_r22_says_on_which_node_an_option_is_missing(tmp_path: Path) -> None:
    case = read(tmp_path, mounted("rw,cluster,noatime,nomtime") + mounted("rw,cluster,nomtime", "dunlin3"))
    assert only(case, "R22").nodes == ("dunlin3",)
    change = tunings(case)["noatime-vxfs"]
    assert change.status == "recommended"
    assert "it is not set on dunlin3" in change.why


def test_r22_is_silent_where_both_are_set_on_local_mounts_and_other_file_systems(tmp_path: Path) -> None:
    assert findings(read(tmp_path / "a", mounted("rw,cluster,noatime,nomtime")), "R22") == []
    assert findings(read(tmp_path / "b", mounted("rw,delaylog")), "R22") == []
    gfs2 = "dunlin2# mount\n/dev/dm-3 on /srv/rolls type gfs2 (rw,cluster)\n"
    assert findings(read(tmp_path / "c", gfs2), "R22") == []


def test_r22_what_is_mounted_goes_before_what_the_table_sets(tmp_path: Path) -> None:
    table = "dunlin2# cat /etc/fstab\n/dev/vx/dsk/rollsdg/rolls /srv/rolls vxfs cluster 0 0\n"
    assert findings(read(tmp_path / "a", table + mounted("rw,cluster,noatime,nomtime")), "R22") == []
    assert "is not shown for all of them" in only(read(tmp_path / "b", table), "R22").explanation


@pytest.mark.parametrize("table_first", [True, False])
def test_r22_advises_no_remount_of_what_is_not_mounted_on_that_node(tmp_path: Path, table_first: bool) -> None:
    shown = (
        "dunlin2# cfsmntadm display -v\nCluster Configuration for Node: dunlin2\n"
        "MOUNT POINT   TYPE     SHARED VOLUME  DISK GROUP  STATUS       MOUNT OPTIONS\n"
        "/srv/rolls    Regular  rolls          rollsdg     {}  cluster\n"
    )
    table = "dunlin2# cat /etc/fstab\n/dev/vx/dsk/rollsdg/rolls /srv/rolls vxfs cluster 0 0\n"
    texts = [table, shown.format("NOT MOUNTED")]
    away = "".join(texts if table_first else reversed(texts))
    assert findings(read(tmp_path / "away", away), "R22") == []
    assert only(read(tmp_path / "there", shown.format("MOUNTED")), "R22").nodes == ("dunlin2",)
    elsewhere = away + mounted("rw,cluster,nomtime", "dunlin3")
    assert only(read(tmp_path / "elsewhere", elsewhere), "R22").nodes == ("dunlin3",)


def buffers(current: int, maximum: int, lookups: int, hit: float, times: int = 1) -> str:
    text = "dunlin2# vxfsstat -b -t 10 /srv/rolls\n"
    for index in range(times):
        text += (
            f"09:14:{index:02d}.833 Thu 21 Mar 2024 09:14:{index:02d} AM CET -- delta (10.000 sec "
            f"sample)\nbuffer cache statistics\n   {current} Kbyte current    {maximum} maximum\n   "
            f"{lookups} lookups   {hit:.2f}% hit rate\n"
        )
    return text


def test_r25_a_full_cache_that_misses_often(tmp_path: Path) -> None:
    case = read(tmp_path, buffers(95_000, 100_000, 1001, 89.9))
    finding = only(case, "R25")
    assert (finding.severity, finding.basis) == ("low", "proposed")
    assert figures(finding) == {"Cache in use": 95.0, "Hit rate": 89.9, "Lookups": 1001}
    change = tunings(case)["vxfs-bc-bufhwm"]
    assert (change.recommended, change.commands) == ("149504", ("kctune -s vxfs_bc_bufhwm=149504",))


def test_r25_several_intervals_are_a_hint_while_nobody_waits(tmp_path: Path) -> None:
    assert only(read(tmp_path, buffers(100_000, 100_000, 5000, 50.0, times=3)), "R25").severity == "low"


@pytest.mark.parametrize(
    ("current", "lookups", "hit"),
    [(94_000, 5000, 50.0), (100_000, 1000, 50.0), (100_000, 5000, 90.0), (100_000, 0, 0.0)],
)
def test_r25_is_silent_below_its_limits(tmp_path: Path, current: int, lookups: int, hit: float) -> None:
    assert findings(read(tmp_path, buffers(current, 100_000, lookups, hit)), "R25") == []


PULL = "node1 h_grant 33\nnode1 pull 33\nnode1 g_grant 33"


def version(text: str, node: str = "node1", product: str = "VRTSvxfs", line: int = 9) -> Version:
    return Version(line=line, node=node, product=product, version=text)


def test_r26_a_release_that_knows_the_parameter_opens_the_gate(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000, more=[version("6.1.0.000")])
    assert case.get(Releases).knows(LAZY_TUNING)
    assert "R26" not in refs_of(case)
    assert tunings(case)["lazy-isize-enable"].status == "recommended"


@pytest.mark.parametrize("text", ["6.0.300.000", "5.1.0.0", "5"])
def test_r26_an_older_release_keeps_it_shut(tmp_path: Path, text: str) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000, more=[version(text)])
    assert "R26" in refs_of(case)
    assert "lazy-isize-enable" not in tunings(case)


def test_r26_names_the_old_release_and_one_old_node_is_enough(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000, more=[version("7.4.1.0"), version("6.0.5.0", "node0", line=10)])
    finding = only_of(case, "R26")
    assert "does not know lazy_isize_enable" in finding.title
    assert "6.0.5.0 on node0" in finding.explanation
    assert "lazy-isize-enable" not in tunings(case)


def test_r26_other_packages_say_nothing_and_a_visible_parameter_decides(tmp_path: Path) -> None:
    case = lock_picture(tmp_path / "a", PULL, unit=1000, more=[version("7.4.1.0", product="VRTSllt")])
    assert case.get(Releases).all == ()
    assert "R26" in refs_of(case)
    assert "R26" not in refs_of(lock_picture(tmp_path / "b", PULL, unit=1000, more=[lazy(0), version("6.0.0.0")]))
