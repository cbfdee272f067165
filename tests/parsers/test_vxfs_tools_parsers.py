"""Formats of VxFS and the volume manager: what must hold beyond their samples."""

from __future__ import annotations

import time

from parsers.formats.host.load.tnf import tnfdump
from parsers.records import Claim, Counter, DiskIo, Measurement, Setting, Version
from tests.parsers.golden import Reading

VXSTAT = (
    "          OPERATIONS          BLOCKS        AVG TIME(ms)\nTYP  NAME          READ     WRITE      READ   "
    "  WRITE    READ  WRITE\n"
)


def test_a_recording_of_vxstat_without_its_command_takes_the_intervals_from_its_dates() -> None:
    text = VXSTAT + "".join(
        f"\nWed Sep 17 08:12:{second:02d} 2025\nvol  rolls  {n}  0  {8 * n}  0  4.0  0.0\n"
        for second, n in ((0, 9000), (7, 30), (14, 31))
    )
    rows = [row for row in Reading(text).of(DiskIo) if row.op == "read"]
    assert [(row.count, row.interval_s) for row in rows] == [(9000, None), (30, 7.0), (31, 7.0)]


def test_a_second_call_of_vxstat_begins_anew() -> None:
    call = f"dunlin2# vxstat -i 5 -c 2\n{VXSTAT}vol rolls 9000 0 72000 0 4.0 0.0\nvol rolls 30 0 240 0 4.0 0.0\n"
    rows = [row for row in Reading(call + call).of(DiskIo) if row.op == "read"]
    assert [row.interval_s for row in rows] == [None, 5.0, None, 5.0]


def test_a_mean_over_no_operation_is_unknown() -> None:
    rows = Reading(VXSTAT + "vol rolls 10 0 80 0 4.0 0.0\n").of(DiskIo)
    assert [(row.op, row.count, row.mean_ms) for row in rows] == [("read", 10, 4.0), ("write", 0, None)]


STRATEGY = (
    "200.000000 0.000010 11 1 0x30101ab0e00 2 strategy device: {device} block: 1000 size: 0x10000 buf: "
    "0xbeef flags: {flags}\n"
)
DONE = "204.000000 - 0 0 0x2a100477d20 64 biodone device: {device} block: 1000 buf: 0xbeef\n"


def test_a_device_is_the_same_in_both_layouts_and_its_request_counts_once() -> None:
    text = (
        STRATEGY.format(device="0x11100000faf", flags=558353)
        + "prose between the two\n"
        + STRATEGY.format(device="273,4015", flags="0x88511")
    )
    reading = Reading(text + DONE.format(device="273,4015"))
    assert [(row.source, row.device, row.flags) for row in reading.of(DiskIo)] == [
        ("tnf strategy", "273,4015", "0x88511"),
        ("tnf biodone", "273,4015", "0x88511"),
    ]
    assert [(row.value, row.unit) for row in reading.of(Measurement)] == [(4.0, "ms")]


def test_an_end_without_its_request_or_before_it_is_no_time() -> None:
    late = STRATEGY.replace("200.000000", "300.000000").format(device="273,1", flags="0x1") + DONE.format(
        device="273,1"
    )
    assert Reading(DONE.format(device="273,1")).of(Measurement) == []
    assert Reading(late).of(Measurement) == []


def test_an_end_on_another_device_does_not_close_the_request() -> None:
    assert Reading(STRATEGY.format(device="273,1", flags="0x1") + DONE.format(device="292,1")).of(Measurement) == []


def test_mount_options_in_every_form_give_the_same_settings() -> None:
    forms = (
        "/dev/vx/dsk/dg/v on /srv/v type vxfs (cluster,mincache=direct)",
        "/dev/vx/dsk/dg/v on /srv/v type vxfs cluster/mincache=direct on Tue Mar  5 10:01:41 2024",
        "/srv/v on /dev/vx/dsk/dg/v cluster/mincache=direct/dev=4400007 on Tue Mar  5 10:01:41 2024",
        "/dev/vx/dsk/dg/v /srv/v vxfs cluster,mincache=direct 0 2",
        "/dev/vx/dsk/dg/v /dev/vx/rdsk/dg/v /srv/v vxfs 3 no cluster,mincache=direct",
        "/dev/vx/dsk/dg/v\t/srv/v\tvxfs\tcluster,mincache=direct\t1204000000",
    )
    for form in forms:
        rows = Reading(form + "\n").of(Setting)
        assert [(row.scope, row.name, row.value) for row in rows] == [
            ("/srv/v", "type", "vxfs"),
            ("/srv/v", "cluster", "on"),
            ("/srv/v", "mincache", "direct"),
        ], form


def test_a_file_of_a_bundle_without_a_prompt_is_known_by_its_rows() -> None:
    reading = Reading("/dev/vx/dsk/dg/v /srv/v vxfs rw,cluster 0 0\n", path="sos/proc/mounts")
    assert {row.source for row in reading.of(Setting)} == {"mount"}
    assert {
        row.source for row in Reading("/dev/vx/dsk/dg/v /srv/v vxfs cluster 0 0\n", path="sos/etc/fstab").of(Setting)
    } == {"fstab"}


def test_remarks_behind_counters_are_claims_and_no_counters() -> None:
    row = (
        "vxi_hlockgrant                    0    vxi_hlockrevoke               46064     <<< revoked 46064 h "
        "locks in 10 seconds\n"
    )
    reading = Reading(
        "g1# vxfsstat -s -t 10 /m\n09:14:05.833 Thu 21 Mar 2024 09:14:05 AM CET -- delta (10.000 sec sample)\n" + row
    )
    assert [(claim.value, claim.what) for claim in reading.of(Claim)] == [(46064, "remark behind the row")]
    assert [counter.value for counter in reading.of(Counter)] == [0, 46064]


def test_other_packages_are_left_to_others() -> None:
    rows = Reading("bash-4.2.46-34.el7.x86_64\nVRTSvxfs-6.1.0.000-RHEL6.x86_64\n").of(Version)
    assert [(row.product, row.version) for row in rows] == [("VRTSvxfs", "6.1.0.000")]


def test_a_long_trace_is_read_at_ten_thousand_lines_a_second() -> None:
    request = (
        STRATEGY.format(device="273,4015", flags="0x88511").replace("200.000000", "{n}.0").replace("0xbeef", "{n:#x}")
    )
    done = DONE.format(device="273,4015").replace("204.000000", "{n}.9").replace("0xbeef", "{n:#x}")
    text = "".join(
        (request + done).replace(".0 0", ".000 0").replace(".9 -", ".900 -").format(n=n) for n in range(1000, 6000)
    )
    began = time.process_time()
    reading = Reading(text)
    assert time.process_time() - began < 15
    assert len(reading.of(Measurement)) == 5_000
    assert tnfdump.__doc__
