"""What a path tells: the node, the moment, the day. Hints, and none where a name only looks like one."""

from __future__ import annotations

import time

import pytest

from parsers.headings.paths import clock_from_path, day_from_path, node_from_path, suggested_node
from parsers.records import Counter, Section
from parsers.times.clock import format_instant
from tests.parsers.golden import Reading

ROW = "vxi_hlockgrant                    1    vxi_hlockrevoke                   2"


@pytest.mark.parametrize(
    ("path", "node"),
    [
        (
            "gfs2_lockcapture-2024-03-05-carp1.tar.bz2!gfs2_lockcapture-2024-03-05/run2/pike/gfs2/lab:home/glocks",
            "pike",
        ),
        ("gfs2_lockcapture-2024-03-05-carp1.tar.bz2", "carp1"),
        ("sosreport-carp-2024-03-05-abcdefg/var/log/messages", "carp"),
        ("sosreport-carp-01-20240305101500.tar.xz!sosreport-carp-01-20240305101500/proc/mounts", "carp-01"),
        ("sosreport-carp.1234567-20240305101500/proc/mounts", "carp"),
        ("pcmk-Tue-05-Mar-2024/carp/corosync.conf", "carp"),
        ("crm_report-2024/pike.lab.example/cib.xml", "pike.lab.example"),
        ("carp-2024-03-05-dlm_debug/home_locks", "carp"),
        ("VRTSexplorer_4711_carp.tar.gz!etc/vx/tunefstab", "carp"),
        ("all.20240305101500.4711.tar!gpfs.snap.carp_0305101500.out.tar.gz!mmfs.log.latest", "carp"),
        ("internaldump.240305.10.15.00.deadlock.carp3.gz", "carp3"),
        ("mmfs.log.2024.03.05.10.15.00.carp4", "carp4"),
        ("iohist_20240305.txt", None),
        ("mmdiag-waiters-1.txt", None),
        ("case_1234.txt", None),
        ("waiters_10.1.2.3.txt", None),
        ("v2-test.txt", None),
        ("dump2.txt", None),
        ("sosreport-latest/proc/mounts", None),
        ("report.txt", None),
        ("run1/sample-3/out.txt", None),
        ("gfs2-or-storage.txt", None),
        ("", None),
    ],
)
def test_a_path_may_name_the_node(path: str, node: str | None) -> None:
    assert node_from_path(path) == node


@pytest.mark.parametrize(
    ("path", "node"),
    [
        ("bundle.tar.gz!case/carp5/vxfsstat-s.txt", "carp5"),
        ("carp6-waiters.txt", "carp6"),
        ("mmdiag_waiters_tank-gw-03.out", "tank-gw-03"),
        ("waiters.tank-c01.txt", "tank-c01"),
        ("carp-1-waiters.txt", "carp-1"),
        ("mmfs.log.latest.tank", "tank"),
        ("messages.tank-c01", "tank-c01"),
        ("corosync.log.tank.txt", "tank"),
        ("messages-20240305", None),
        ("mmfs.log.previous", None),
        ("syslog.old", None),
        ("iohist_20240305.txt", None),
        ("case_1234.txt", None),
        ("", None),
    ],
)
def test_what_a_path_suggests_is_no_node_of_a_text(path: str, node: str | None) -> None:
    assert suggested_node(path) == node
    assert node_from_path(path) is None


@pytest.mark.parametrize(
    ("path", "moment"),
    [
        ("internaldump.240305.10.15.07.deadlock.carp3", "2024-03-05T10:15:07"),
        ("vxfsstat_20240305_101507.txt", "2024-03-05T10:15:07"),
        ("glocks-2024-03-05T10:15:07", "2024-03-05T10:15:07"),
        ("sosreport-carp-20240305101507/proc/mounts", "2024-03-05T10:15:07"),
        ("2024-03-05_10-15-07/carp1/glocks", "2024-03-05T10:15:07"),
        ("2024-03-05/carp1/glocks", None),
        ("mmfs.log.2024.03.05.10.15.07.carp4", None),
        ("messages-20240305101507", None),
        ("vxfsstat_20241305_101507.txt", None),
        ("12345678901234567890.txt", None),
        ("", None),
    ],
)
def test_a_name_may_tell_the_moment_of_capture(path: str, moment: str | None) -> None:
    found = clock_from_path(path)
    assert format_instant(found.us if found else None) == moment


def test_a_name_may_tell_the_day() -> None:
    assert format_instant(day_from_path("var/log/messages-20240305")) == "2024-03-05T23:59:59"
    assert format_instant(day_from_path("a-2023-01-01/messages-20240305")) == "2024-03-05T23:59:59"
    assert day_from_path("messages-20240230") is None
    assert day_from_path("messages") is None


def test_the_moment_in_the_name_dates_what_prints_no_time() -> None:
    reading = Reading(f"{ROW}\n", path="sosreport-carp1-20240304101500/vxfsstat_20240305_101507.txt")
    assert {(row.node, format_instant(row.at)) for row in reading.of(Counter)} == {("carp1", "2024-03-05T10:15:07")}


def test_what_the_text_says_goes_before_the_path() -> None:
    text = f"pike2# date\nWed Mar  6 11:00:00 CET 2024\npike2# vxfsstat -s /m\n{ROW}\n"
    reading = Reading(text, path="carp1/vxfsstat_20240305_101507.txt")
    assert {(s.node, s.node_basis, format_instant(s.at)) for s in reading.of(Section)} == {
        ("pike2", "prompt", "2024-03-06T11:00:00")
    }


def test_hostile_names_take_linear_time() -> None:
    began = time.process_time()
    for part in (
        "a",
        "a-",
        "a.1-",
        "sosreport-a-",
        "1",
        "2024-03-05-",
        "run1/",
        "VRTSexplorer_1_",
        "gfs2_lockcapture-2024-03-05-a-",
    ):
        for path in (part * (40_000 // len(part)), part * (40_000 // len(part)) + "/x"):
            node_from_path(path)
            clock_from_path(path)
            day_from_path(path)
    assert time.process_time() - began < 20.0
