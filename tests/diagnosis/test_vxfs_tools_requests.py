"""Traced requests of VxFS: broken-up I/O (R20) and calls above the direct I/O limit (R21), with the tunings that match
a stripe.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.vxfs_texts import diagnosis, figures, findings, only, read, tunings


def call(pid: int, ms: float, size: int = 0x800000) -> str:
    return f"100.00000000   {ms:.8f}   {pid}    0x30101ab0e00    write          {size:#x}       0\n"


def requests(
    pid: int, device: str, size: int, service_ms: float, flags: str, number: int = 3, start: int = 1000
) -> str:
    """Requests of one process, each on two stacked drivers, the first of them with its end."""
    text = ""
    for place in range(number):
        sector = start + place * size // 512
        request = f"{pid} 1 0x30101ab0e00 2 strategy device:"
        text += (
            f"{200 + place:.6f} 0.000010 {request} {device} block: {sector} size: {size:#x} buf: 0x{pid}{place} "
            f"flags: {flags}\n"
        )
        text += (
            f"{200.1 + place:.6f} 0.000010 {request} 292,7 block: {sector + 5} size: {size:#x} buf: "
            f"0x9{pid}{place} flags: 0x9\n"
        )
    return (
        text + f"{200 + service_ms:.6f} - 0 0 0x2a100477d20 64 biodone device: {device} block: {start} buf: 0x{pid}0\n"
    )


HEAD = "Now(ms)          duration(ms)   pid     thread             call           return       errno\n"
BUFFERED, DIRECT = "0x88511", "0x121"
SLOW = call(11, 250.0) + call(11, 260.0) + requests(11, "273,4015", 65536, 4.0, BUFFERED)
FAST = call(12, 150.0) + call(12, 150.0) + requests(12, "273,4009", 1048576, 16.0, DIRECT)
TUNED = """Filesystem i/o parameters for /srv/rolls
write_pref_io = 65536
write_nstream = 1
max_direct_iosz = 1048576
discovered_direct_iosz = 262144
"""


def test_r20_the_small_requests_and_what_they_cost_are_named(tmp_path: Path) -> None:
    finding = only(read(tmp_path, HEAD + SLOW + FAST + TUNED), "R20")
    assert (finding.severity, finding.rule) == ("medium", "io-breakup")
    shown = figures(finding)
    assert shown["Size of the small requests"] == 65536
    assert shown["One call in small requests, one after the other"] == pytest.approx(128 * 4.0)
    assert shown["One call in large requests, one after the other"] == pytest.approx(8 * 16.0)
    assert shown["Rate in small requests"] == pytest.approx(32.0)
    assert shown["First calls against each other"] == pytest.approx(1.67)
    assert shown["Means against each other"] == pytest.approx(1.7)
    assert "write_pref_io is 64 KiB" in finding.explanation
    assert "max_direct_iosz is 1 MiB" in finding.explanation
    assert "page I/O (buffered)" in finding.explanation
    assert "without a gap" in finding.explanation


def test_r20_counts_each_request_once_though_two_drivers_show_it(tmp_path: Path) -> None:
    finding = only(read(tmp_path, HEAD + SLOW + FAST), "R20")
    assert "292,7" not in finding.title
    assert "The tunables of the file systems are not in these files." in finding.explanation


def test_r20_the_same_flags_on_both_sides_disprove_the_way_of_io(tmp_path: Path) -> None:
    finding = only(read(tmp_path, HEAD + SLOW + FAST.replace(DIRECT, BUFFERED)), "R20")
    assert "the way of I/O does not explain it" in finding.explanation


def test_r20_is_silent_where_the_process_asks_for_so_little(tmp_path: Path) -> None:
    small = call(11, 4.0, 65536) + requests(11, "273,4015", 65536, 4.0, BUFFERED)
    assert findings(read(tmp_path, HEAD + small + FAST), "R20") == []


def test_r20_is_silent_where_requests_are_equal(tmp_path: Path) -> None:
    other = call(12, 150.0) + requests(12, "273,4009", 65536, 3.0, BUFFERED)
    assert findings(read(tmp_path, HEAD + SLOW + other), "R20") == []


def test_r20_without_the_calls_is_low_and_says_what_is_missing(tmp_path: Path) -> None:
    slow = requests(11, "273,4015", 65536, 4.0, BUFFERED)
    finding = only(read(tmp_path, HEAD + slow + FAST), "R20")
    assert finding.severity == "low"
    assert "is not shown" in finding.explanation


def test_r20_one_trace_alone_is_a_hint(tmp_path: Path) -> None:
    finding = only(read(tmp_path, HEAD + SLOW), "R20")
    assert finding.severity == "low"
    assert "Whether that is slow is not shown" in finding.explanation


def test_r20_asks_for_reports_options_and_layout_and_changes_nothing_before(tmp_path: Path) -> None:
    found = diagnosis(read(tmp_path, HEAD + SLOW + FAST + TUNED))
    assert {"write-pref-io", "write-nstream"} & {tuning.id for tuning in found.tunings} == set()
    assert [one.what for one in found.missing] == [
        "fragmentation reports of both file systems",
        "mount options of both file systems",
        "layout of the volumes",
    ]
    commands = [command for step in found.next_steps for command in step.commands]
    assert (
        commands.index("mount -v")
        < commands.index("fsadm -E MOUNT")
        < commands.index("vxtunefs -o write_pref_io=STRIPE_UNIT MOUNT")
    )


STRIPED = """dunlin2# vxprint -ht
v  rolls        -            ENABLED  ACTIVE   2097152  SELECT    rolls-01 fsgen
pl rolls-01     rolls        ENABLED  ACTIVE   2097152  STRIPE    4/256    RW
dunlin2# mount
/dev/vx/dsk/rollsdg/rolls on /srv/rolls type vxfs (rw,delaylog)
dunlin2# vxtunefs -p /dev/vx/dsk/rollsdg/rolls
"""


def test_with_the_layout_shown_the_values_that_match_the_stripe_are_recommended(tmp_path: Path) -> None:
    found = tunings(
        read(tmp_path, HEAD + SLOW + FAST + STRIPED + TUNED.replace("for /srv/rolls", "for /dev/vx/dsk/rollsdg/rolls"))
    )
    size, streams = found["write-pref-io"], found["write-nstream"]
    assert (size.scope, size.current, size.recommended, size.status) == ("/srv/rolls", "65536", "131072", "recommended")
    assert size.commands == ("vxtunefs -o write_pref_io=131072 /srv/rolls",)
    assert (streams.current, streams.recommended) == ("1", "4")
    for text in (size.persist, size.caution, size.way_back, size.verify, size.since, size.why):
        assert text
        assert "{" not in text


def test_on_raid5_the_whole_stripe_is_written_by_one_stream(tmp_path: Path) -> None:
    text = (
        HEAD
        + SLOW
        + FAST
        + STRIPED.replace("STRIPE ", "RAID5  ")
        + TUNED.replace("write_nstream = 1", "write_nstream = 4")
    )
    found = tunings(read(tmp_path, text))
    assert (found["write-pref-io"].recommended, found["write-nstream"].recommended) == (str(3 * 131072), "1")


def test_values_that_match_already_are_not_recommended(tmp_path: Path) -> None:
    text = (
        HEAD
        + SLOW
        + FAST
        + STRIPED
        + TUNED.replace("write_pref_io = 65536", "write_pref_io = 128k").replace("nstream = 1", "nstream = 4")
    )
    assert not {"write-pref-io", "write-nstream"} & set(tunings(read(tmp_path, text)))


def test_what_tunefstab_sets_at_the_next_mount_is_reported_and_is_not_in_force(tmp_path: Path) -> None:
    text = (
        HEAD
        + SLOW
        + FAST
        + STRIPED
        + TUNED
        + "dunlin2# cat /etc/vx/tunefstab\n/dev/vx/dsk/rollsdg/rolls write_pref_io=131072\n"
    )
    found = tunings(read(tmp_path, text))["write-pref-io"]
    assert (found.current, found.status) == ("65536", "recommended")
    assert "tunefstab sets 131072 on dunlin2" in found.persist


def test_r21_calls_above_the_limit_are_reported(tmp_path: Path) -> None:
    finding = only(read(tmp_path, HEAD + call(11, 250.0) + TUNED), "R21")
    assert finding.severity == "info"
    assert figures(finding) == {"Largest call": 8388608, "Calls above the limit": 1}


def test_r21_is_silent_at_the_limit_and_without_it(tmp_path: Path) -> None:
    assert findings(read(tmp_path / "a", HEAD + call(11, 2.0, 262144) + TUNED), "R21") == []
    assert findings(read(tmp_path / "b", HEAD + call(11, 250.0)), "R21") == []


def limit(name: str, one: int, other: int) -> str:
    return "".join(
        f"Filesystem i/o parameters for {mount}\n{name} = {value}\n"
        for mount, value in (("/srv/a", one), ("/srv/b", other))
    )


def test_limits_of_direct_io_that_differ_explain_the_two_ways(tmp_path: Path) -> None:
    case = read(tmp_path / "a", HEAD + SLOW + FAST + limit("discovered_direct_iosz", 262144, 16777216))
    assert "discovered_direct_iosz is 16777216 on /srv/b and 262144 on /srv/a" in only(case, "R20").explanation
    change = tunings(case)["discovered-direct-iosz"]
    assert (change.scope, change.current, change.recommended) == ("/srv/b", "16777216", "262144")
    for text in (change.persist, change.caution, change.way_back, change.verify, change.why, *change.commands):
        assert "{" not in text
    equal = read(tmp_path / "b", HEAD + SLOW + FAST + limit("discovered_direct_iosz", 262144, 262144))
    assert "discovered-direct-iosz" not in tunings(equal)


def test_sizes_of_direct_requests_that_differ_as_their_limits_do(tmp_path: Path) -> None:
    slow = SLOW.replace(BUFFERED, DIRECT)
    case = read(tmp_path / "a", HEAD + slow + FAST + limit("max_direct_iosz", 65536, 1048576))
    change = tunings(case)["max-direct-iosz"]
    assert (change.scope, change.recommended) == ("/srv/a", "1048576")
    assert "vol_maxio" in change.caution
    assert "max-direct-iosz" not in tunings(
        read(tmp_path / "b", HEAD + SLOW + FAST + limit("max_direct_iosz", 65536, 1048576))
    )
