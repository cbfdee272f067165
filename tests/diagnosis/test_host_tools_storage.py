"""Rules on storage: runs of dd, slow devices, lost paths; where they fire with which figures, and where they
must not.
"""

from __future__ import annotations

from itertools import count
from pathlib import Path
from time import process_time

import pytest

from apps.diagnosis.engine.core.model import Diagnosis, Finding
from parsers.records import Event, Record
from parsers.records.states import DiskPath, PathLayer, PathStanding
from tests.diagnosis.host_tools_cases import diagnosed, figures, found, refs
from tests.growth import assert_grows

DIRECT = """# dd if=/dev/zero of=/dev/pond/try bs=4M count=1000 oflag=direct
1000+0 records in
1000+0 records out
4194304000 bytes (4.2 GB) copied, 20.0 s, 210 MB/s
"""
BUFFERED = """# sync; echo 3 > /proc/sys/vm/drop_caches
# dd if=/dev/zero of=/dev/pond/try bs=4M count=1000
1000+0 records in
1000+0 records out
4194304000 bytes (4.2 GB) copied, {seconds} s, {rate} MB/s
"""
ON_FS = """# mkfs.{fs} {options}/dev/pond/try
# mount -t {fs} /dev/pond/try /mnt/try
# dd if=/dev/zero of=/mnt/try/big bs=4M count=1000 conv=fsync
1000+0 records in
1000+0 records out
4194304000 bytes (4.2 GB) copied, {seconds} s, {rate} MB/s
# umount /mnt/try
"""


def on_fs(fs: str, seconds: float, options: str = "") -> str:
    return ON_FS.format(fs=fs, options=options, seconds=seconds, rate=round(4194.304 / seconds))


def test_the_page_cache_costs_what_the_runs_say(tmp_path: Path) -> None:
    case = diagnosed(tmp_path, DIRECT + BUFFERED.format(seconds="28.0", rate=150))
    [finding] = found(case, "ST-01")
    assert finding.severity == "info"
    assert figures(finding)["Drop"] == pytest.approx(28.57, abs=0.01)
    assert refs(case)["ST-02"] == "info"
    assert "ST-06" not in refs(case)


def test_a_large_drop_is_medium_and_a_direct_run_alone_is_no_drop(tmp_path: Path) -> None:
    assert (
        found(diagnosed(tmp_path / "a", DIRECT + BUFFERED.format(seconds="50.0", rate=84)), "ST-01")[0].severity
        == "medium"
    )
    assert "ST-01" not in refs(diagnosed(tmp_path / "b", DIRECT))


def test_four_times_the_runs_take_about_four_times_the_work(tmp_path: Path) -> None:
    folders = count()

    def work(times: int) -> float:
        text = "".join(on_fs("ext4", 28.0).replace("pond/try", f"pond/try{i}") for i in range(times))
        began = process_time()
        diagnosed(tmp_path / str(next(folders)), text)
        return process_time() - began

    assert_grows(work, 40, 160, 4.6)


def test_runs_of_two_devices_or_two_nodes_are_not_compared(tmp_path: Path) -> None:
    other = BUFFERED.format(seconds="28.0", rate=150).replace("/dev/pond/try", "/dev/pond/other")
    assert "ST-01" not in refs(diagnosed(tmp_path / "a", DIRECT + other))
    direct = DIRECT.replace("# dd", "[root@kite3 ~]# dd")
    buffered = BUFFERED.format(seconds="28.0", rate=150).replace("# ", "[root@kite4 ~]# ")
    assert "ST-01" not in refs(diagnosed(tmp_path / "b", direct + buffered))


def test_a_file_system_is_judged_by_the_direct_rate_of_its_device(tmp_path: Path) -> None:
    case = diagnosed(tmp_path, DIRECT + on_fs("ext4", 24.0) + on_fs("gfs2", 30.0, "-O -p lock_nolock "))
    [finding] = found(case, "ST-03")
    shown = figures(finding)
    assert finding.severity == "info"
    assert shown["ext4 of the raw rate"] == pytest.approx(83.33, abs=0.01)
    assert shown["gfs2 lock_nolock of the raw rate"] == pytest.approx(66.67, abs=0.01)
    assert "no defect of GFS2 shown" in finding.explanation
    assert "lock_dlm and several nodes were not tested" in finding.explanation


def test_a_slow_gfs2_is_a_hint_for_its_limit_is_only_proposed(tmp_path: Path) -> None:
    [finding] = found(diagnosed(tmp_path, DIRECT + on_fs("gfs2", 60.0, "-p lock_nolock ")), "ST-03")
    assert (finding.severity, finding.basis) == ("low", "proposed")


def test_the_file_system_on_a_path_follows_from_mkfs_and_mount_not_from_its_name(tmp_path: Path) -> None:
    text = DIRECT + on_fs("ext3", 24.0).replace("/mnt/try", "/mnt/gfs2test")
    assert "ext3 of the raw rate" in figures(found(diagnosed(tmp_path, text), "ST-03")[0])


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("4194304000 bytes (4.2 GB) copied, 20.0 s, 210 MB/s\n", "its command line is missing"),
        (
            "# dd if=/dev/zero of=/srv/a bs=1M\n4194304000 bytes (4.2 GB) copied, 20.0 s, 210 MB/s\n",
            "neither direct nor flushed",
        ),
        (
            "# dd if=/dev/zero of=/srv/a bs=1M conv=fsync\n4194304000 bytes (4.2 GB) copied, 2.0 s, 2.1 GB/s\n",
            "it took only 2 s",
        ),
        (
            (
                "# dd if=/dev/zero of=/srv/a conv=fsync\n999+1 records out\n4194304000 bytes (4.2 GB) "
                "copied, 20.0 s, 210 MB/s\n"
            ),
            "cut short",
        ),
        (
            "# dd if=/dev/zero of=/srv/a conv=fsync\n4194304000 bytes (4.2 GB) copied, 20.0 s, 310 MB/s\n",
            "away from bytes and seconds",
        ),
    ],
)
def test_runs_that_can_not_be_compared_say_why(tmp_path: Path, text: str, reason: str) -> None:
    [finding] = found(diagnosed(tmp_path, text), "ST-06")
    assert reason in finding.title
    assert finding.severity == "info"


HEADER = (
    "Device:         rrqm/s   wrqm/s     r/s     w/s    rkB/s    wkB/s avgrq-sz avgqu-sz   await r_await "
    "w_await  svctm  %util\n"
)
LINUX = "[root@kite3 ~]# iostat -x 5 9\nLinux 3.10.0-1160.el7.x86_64 (kite3.lab) \t03/09/2031 \t_x86_64_\t(16 CPU)\n"


def device(
    name: str,
    await_ms: float,
    *,
    iops: float = 400,
    kib: float = 8,
    read: float | None = None,
    write: float | None = None,
    queue: float = 9,
    busy: float = 84.7,
) -> str:
    kb = iops / 2 * kib
    reads, writes = read if read is not None else await_ms, write if write is not None else await_ms
    half = f"{iops / 2:.2f}"
    return (
        f"{name} 0.00 0.00 {half} {half} {kb:.2f} {kb:.2f} 16.00 {queue:.2f} {await_ms:.2f} {reads:.2f} "
        f"{writes:.2f} 2.10 {busy:.2f}\n"
    )


def iostat(*reports: str) -> str:
    return LINUX + "".join(f"\n{HEADER}{report}" for report in reports)


QUIET = device("dm-4", 2)
HARM: list[Record] = [Event(line=1, source="kernel", kind="hung-task", text="task rsync blocked")]


@pytest.mark.parametrize(
    ("await_ms", "iops", "kib", "severity"),
    [
        (15, 400, 8, None),
        (30, 400, 8, "medium"),
        (70, 400, 8, "high"),
        (300, 400, 8, "critical"),
        (30, 400, 512, None),
        (70, 10, 8, "medium"),
        (70, 400, 512, "medium"),
        (300, 10, 8, "high"),
        (300, 400, 512, "high"),
    ],
)
def test_a_slow_device_by_wait_size_and_rate(
    tmp_path: Path, await_ms: float, iops: float, kib: float, severity: str | None
) -> None:
    text = iostat(QUIET, *(device("dm-4", await_ms, iops=iops, kib=kib) for _ in range(3)))
    assert refs(diagnosed(tmp_path / "a", text, records=HARM)).get("ST-04") == severity
    assert refs(diagnosed(tmp_path / "b", text)).get("ST-04") == (severity and "low")


def test_without_anybody_who_waited_a_slow_device_is_a_hint(tmp_path: Path) -> None:
    text = iostat(QUIET, *(device("dm-4", 300) for _ in range(3)))
    [hint] = found(diagnosed(tmp_path / "a", text), "ST-04")
    assert (hint.severity, hint.harm, "This is a hint" in hint.explanation) == ("low", "", True)
    [shown] = found(diagnosed(tmp_path / "b", text, records=HARM), "ST-04")
    assert (shown.severity, "1 blocked task" in shown.harm, "This is a hint" in shown.explanation) == (
        "critical",
        True,
        False,
    )


@pytest.mark.parametrize(
    ("await_ms", "kib", "severity"), [(617, 90, "high"), (300, 8, "critical"), (240, 512, "high"), (70, 8, "low")]
)
def test_a_device_that_was_never_idle_and_answers_very_late_needs_nobody_who_waited(
    tmp_path: Path, await_ms: float, kib: float, severity: str
) -> None:
    text = iostat(QUIET, *(device("dm-4", await_ms, kib=kib, busy=99.8) for _ in range(3)))
    assert refs(diagnosed(tmp_path / "a", text))["ST-04"] == severity
    quick = iostat(QUIET, *(device("dm-4", 4, kib=kib, busy=99.8) for _ in range(3)))
    assert "ST-04" not in refs(diagnosed(tmp_path / "b", quick))


def test_flash_is_judged_more_strictly(tmp_path: Path) -> None:
    report = device("nvme0n1", 8)
    assert refs(diagnosed(tmp_path, iostat(report, report, report, report), records=HARM)).get("ST-04") == "medium"


def test_the_first_report_and_two_samples_of_many_are_no_proof(tmp_path: Path) -> None:
    slow = device("dm-4", 300)
    assert "ST-04" not in refs(diagnosed(tmp_path / "a", iostat(slow)))
    assert "ST-04" not in refs(diagnosed(tmp_path / "c", iostat(QUIET, slow, slow, QUIET, slow, slow)))


def test_a_short_look_that_is_slow_throughout_is_a_hint(tmp_path: Path) -> None:
    slow = device("dm-4", 300)
    assert refs(diagnosed(tmp_path / "a", iostat(QUIET, slow)))["ST-04"] == "low"
    assert refs(diagnosed(tmp_path / "b", iostat(QUIET, slow, slow), records=HARM))["ST-04"] == "medium"
    assert "ST-04" not in refs(diagnosed(tmp_path / "c", iostat(QUIET, slow, QUIET)))


CUT_COLUMNS = """[root@elm2 ~]# iostat -dx dm-9 2
Device   r_await w_await  %util
dm-9     {first}  97.20

Device   r_await w_await  %util
dm-9     {later}  99.00

Device   r_await w_await  %util
dm-9     {later}  99.10
"""


def test_a_slow_disk_is_seen_without_the_columns_of_its_rate(tmp_path: Path) -> None:
    [finding] = found(diagnosed(tmp_path / "slow", CUT_COLUMNS.format(first="0.61 0.40", later="640.00 0.00")), "ST-04")
    assert finding.title == "dm-9 on elm2 took 640.0 ms for a request, at an unknown rate"
    healthy = diagnosed(tmp_path / "well", CUT_COLUMNS.format(first="640.00 0.40", later="0.70 1.10"))
    assert "ST-04" not in refs(healthy)


def test_a_counter_gone_wrong_is_not_busy(tmp_path: Path) -> None:
    broken = "dm-4 0.00 0.00 0.00 0.00 0.00 0.00 0.00 88423811.00 900.00 900.00 900.00 0.00 100.00\n"
    assert "ST-04" not in refs(diagnosed(tmp_path, iostat(QUIET, broken, broken, broken)))


SAR = """Linux 2.6.32-358.el6.x86_64 (kite9) 	03/09/2031 	_x86_64_	(8 CPU)

10:00:01          DEV       tps  rd_sec/s  wr_sec/s  avgrq-sz  avgqu-sz     await     svctm     %util
10:10:01          sdc    {tps}   1000.00   1000.00     {sectors}      8.38     91.60      5.00     60.00
10:10:01        dm-12    {tps}   1000.00   1000.00     {sectors}   1473.53   2183.60      5.00     99.00
"""


def test_one_average_over_ten_minutes_counts_and_the_worst_layer_is_reported_with_its_ratio(tmp_path: Path) -> None:
    case = diagnosed(tmp_path, SAR.format(tps="10.00", sectors="200.00"), records=HARM)
    [finding] = found(case, "ST-04")
    assert finding.severity == "high"
    assert "dm-12" in finding.title
    assert figures(finding)["Mean wait"] == 2183.6
    assert figures(finding)["Slower than its path, times"] == pytest.approx(23.8, abs=0.05)
    assert not [ref for ref in refs(case) if ref.startswith("GL-")]


def test_it_is_critical_only_where_requests_are_small_and_many(tmp_path: Path) -> None:
    assert refs(diagnosed(tmp_path, SAR.format(tps="100.00", sectors="20.00"), records=HARM))["ST-04"] == "critical"


def test_slow_writes_beside_quick_reads_point_behind_the_paths(tmp_path: Path) -> None:
    split = device("dm-4", 60, read=20, write=100)
    [finding] = found(diagnosed(tmp_path / "a", iostat(QUIET, split, split, split)), "ST-10")
    assert finding.confidence <= 0.2  # only recalled: a hint
    assert figures(finding)["Writes against reads, times"] == 5
    even = device("dm-4", 60)
    assert "ST-10" not in refs(diagnosed(tmp_path / "b", iostat(QUIET, even, even, even)))


def test_the_same_map_slow_on_two_nodes_at_once_with_short_queues(tmp_path: Path) -> None:
    def node(name: str, device_name: str, clock: str) -> str:
        head = f"Linux 4.18.0 ({name}) \t03/09/2031 \t_x86_64_\t(8 CPU)\n\n"
        reports = "".join(
            f"03/09/2031 {clock}:{second:02d} AM\n{HEADER}{device(device_name, 90, queue=2)}\n"
            for second in (0, 5, 10, 15)
        )
        return head + reports

    case = diagnosed(tmp_path / "a", node("kite3", "mpathb", "10:00"), node("kite4", "mpathb", "10:00"))
    assert any(
        "several" in finding.explanation or "each of them" in finding.explanation for finding in found(case, "ST-10")
    )
    assert "ST-10" not in refs(diagnosed(tmp_path / "b", node("kite3", "sdc", "10:00"), node("kite4", "sdc", "10:00")))
    assert "ST-10" not in refs(
        diagnosed(tmp_path / "c", node("kite3", "mpathb", "10:00"), node("kite4", "mpathb", "11:30"))
    )


PATHS = "2031-03-09T10:00:{second:02d}+01:00 kite3 {what}\n"


def log(*lines: str) -> str:
    return "".join(PATHS.format(second=index, what=line) for index, line in enumerate(lines))


FAILING, BACK = (
    "kernel: device-mapper: multipath: Failing path 8:32.",
    "kernel: device-mapper: multipath: Reinstating path 8:32.",
)


@pytest.mark.parametrize(
    ("lines", "severity"),
    [
        ((FAILING, "multipathd: mpathb: remaining active paths: 1"), "medium"),
        ((FAILING, BACK, FAILING, BACK), "low"),
        ((FAILING, BACK, FAILING, BACK, "kernel: INFO: task imapd:7312 blocked for more than 120 seconds."), "high"),
        ((FAILING, "multipathd: mpathb: remaining active paths: 0"), "critical"),
        ((FAILING, "multipathd: mpathb: remaining active paths: 0", BACK), "critical"),
        (
            (
                FAILING,
                "multipathd: mpathb: remaining active paths: 0",
                BACK,
                "multipathd: mpathb: remaining active paths: 1",
            ),
            "low",
        ),
        ((FAILING, BACK), "low"),
        (("kernel: nothing of note here",), None),
    ],
)
def test_paths_in_the_log(tmp_path: Path, lines: tuple[str, ...], severity: str | None) -> None:
    assert refs(diagnosed(tmp_path, log(*lines))).get("ST-05") == severity


def test_blocked_tasks_near_a_lost_path_are_counted(tmp_path: Path) -> None:
    hung = "kernel: INFO: task imapd:7312 blocked for more than 120 seconds."
    [finding] = found(diagnosed(tmp_path, log(FAILING, hung)), "ST-05")
    assert "1 blocked task" in finding.explanation


MULTIPATH = """[root@kite3 ~]# multipath -ll
mpathb (3600a0b80005b2e8d00007d1a) dm-4 KESTREL,ARRAY-9
size=2.0T features='{features}' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 1:0:0:3 sdc 8:32  {one}
  `- 2:0:0:3 sdf 8:80  {two}
"""
UP, DOWN = "active ready running", "failed faulty offline"


@pytest.mark.parametrize(
    ("one", "two", "features", "severity"),
    [
        (UP, UP, "0", None),
        (UP, UP, "1 queue_if_no_path", "info"),
        (UP, DOWN, "0", "medium"),
        (DOWN, DOWN, "0", "critical"),
    ],
)
def test_paths_as_multipath_shows_them(tmp_path: Path, one: str, two: str, features: str, severity: str | None) -> None:
    case = diagnosed(tmp_path, MULTIPATH.format(one=one, two=two, features=features))
    assert refs(case).get("ST-05") == severity


def test_queueing_without_limit_is_never_stated_from_the_features_alone(tmp_path: Path) -> None:
    [finding] = found(diagnosed(tmp_path, MULTIPATH.format(one=UP, two=UP, features="1 queue_if_no_path")), "ST-05")
    assert "for how long is not shown" in finding.title
    assert "finite no_path_retry" in finding.explanation


def no_fail_if_no_path(case: Diagnosis) -> bool:
    return not any(
        "fail_if_no_path" in command or "disablequeueing" in command
        for tuning in case.tunings
        for command in tuning.commands
    )


def test_nothing_is_advised_that_loses_queued_writes(tmp_path: Path) -> None:
    case = diagnosed(tmp_path, MULTIPATH.format(one=DOWN, two=DOWN, features="1 queue_if_no_path"))
    assert no_fail_if_no_path(case)
    assert any("the queued writes are lost" in tuning.caution for tuning in case.tunings)


def test_a_thin_pool(tmp_path: Path) -> None:
    full = "kernel: device-mapper: thin: 253:4: reached low water mark for data device: sending event."
    gone = "kernel: device-mapper: thin: 253:4: switching pool to out-of-data-space (queue IO) mode"
    assert refs(diagnosed(tmp_path / "a", log(full)))["ST-09"] == "low"
    assert refs(diagnosed(tmp_path / "b", log(full, gone)))["ST-09"] == "critical"


def test_waiting_for_the_journal(tmp_path: Path) -> None:
    stack = log(
        "kernel: INFO: task imapd:7312 blocked for more than 120 seconds.",
        "kernel: Call Trace:",
        "kernel:  [<ffffffffa03c4b1e>] gfs2_log_reserve+0xe/0x20 [gfs2]",
    )
    assert refs(diagnosed(tmp_path / "a", stack))["ST-07"] == "high"
    assert "ST-07" not in refs(diagnosed(tmp_path / "b", stack.replace("gfs2_log_reserve", "gfs2_glock_wait")))


def test_a_word_about_storage_asks_for_a_measurement_and_is_no_finding(tmp_path: Path) -> None:
    text = (
        "From: Ann Weaver <ann@pond.example>\n\nThe SAN behind it answers within 40 ms, they say, but we "
        "never measured it.\n"
    )
    case = diagnosed(tmp_path, text)
    assert not [ref for ref in refs(case) if ref.startswith("ST-")]
    assert any("a word is no measurement" in one.why for one in case.missing)


@pytest.mark.parametrize(
    ("standings", "severity"),
    [(("up", "down"), "medium"), (("down", "down"), "critical"), (("up", "standby"), None), (("up", "unknown"), None)],
)
def test_paths_are_judged_whichever_tool_shows_them(
    tmp_path: Path, standings: tuple[PathStanding, ...], severity: str | None
) -> None:
    paths: list[Record] = [
        DiskPath(
            line=number,
            node="carp2",
            source="a tool of tomorrow",
            map="reedlun7",
            device=f"c{number}t0d0",
            standing=standing,
        )
        for number, standing in enumerate(standings, 1)
    ]
    assert refs(diagnosed(tmp_path, "", records=paths)).get("ST-05") == severity


@pytest.mark.parametrize(
    ("layer", "commands"), [("device-mapper", "multipath"), ("dmp", "vxdmpadm"), ("unknown", "dmesg")]
)
def test_advice_on_lost_paths_fits_what_joins_them(tmp_path: Path, layer: PathLayer, commands: str) -> None:
    standings: tuple[PathStanding, ...] = ("up", "down")
    paths: list[Record] = [
        DiskPath(line=number, node="carp2", source="a tool of tomorrow", map="reedlun7", standing=standing, layer=layer)
        for number, standing in enumerate(standings, 1)
    ]
    case = diagnosed(tmp_path, "", records=paths)
    [finding] = found(case, "ST-05")
    assert bool(finding.tunings) == (layer == "device-mapper")
    [step] = [step for step in case.next_steps if "lost paths" in step.why]
    assert all(command.startswith(commands) for command in step.commands)


DMP = """heron1# vxdmpadm getsubpaths {which}
NAME         STATE[A]   PATH-TYPE[M] CTLR-NAME  ENCLR-TYPE   ENCLR-NAME    ATTRS
================================================================================
sdd          {one}    -          c1         KESTREL      reed0            -
sdl          {two}    -          c1         KESTREL      reed0            -
"""


@pytest.mark.parametrize(
    ("which", "one", "two", "severity"),
    [
        ("dmpnodename=reed0_01", "DISABLED", "ENABLED(A)", "medium"),
        ("dmpnodename=reed0_01", "DISABLED", "DISABLED", "critical"),
        ("dmpnodename=reed0_01", "ENABLED(A)", "ENABLED", None),
        ("ctlr=c1", "DISABLED", "DISABLED", "medium"),  # other controllers may reach the same disks
    ],
)
def test_paths_below_dmp_are_judged_like_others(
    tmp_path: Path, which: str, one: str, two: str, severity: str | None
) -> None:
    case = diagnosed(tmp_path, DMP.format(which=which, one=one, two=two))
    assert refs(case).get("ST-05") == severity
    assert not any("multipath" in command for step in case.next_steps for command in step.commands)


LINUX_MEMORY = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
"""
AIX_MEMORY = """System configuration: lcpu=4 mem=8192MB

kthr    memory              page              faults        cpu
----- ----------- ------------------------ ------------ -----------
 r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa
"""
HPUX_MEMORY = """         procs           memory                   page                              faults       cpu
    r     b     w      avm    free   re   at    pi   po    fr   de    sr     in     sy    cs  us sy id
"""
SOLARIS_MEMORY = """ kthr      memory            page            disk          faults      cpu
 r b w   swap  free  re  mf pi po fr de sr s0 s1 s2 s3   in   sy   cs us sy id
"""
PAGING = {
    "Linux": (LINUX_MEMORY, " 1  0  10240 223464   2068 311000  {}   {}     1     2   40   80  1  1 98  0  0\n"),
    "AIX": (AIX_MEMORY, " 9  4 812044   960   0 {} {} 1409 8020   0 851 9012 4610 55 38  1  6\n"),
    "HP-UX": (
        HPUX_MEMORY,
        "    2     0     0   912044    1960    0    0    {}   {}    20    0   900    851   9012  461  55 38  7\n",
    ),
}


@pytest.mark.parametrize("system", PAGING)
def test_paging_in_several_samples_is_a_lack_of_memory(tmp_path: Path, system: str) -> None:
    head, row = PAGING[system]
    [finding] = found(diagnosed(tmp_path / "short", head + row.format(402, 588) * 4), "ST-12")
    assert finding.severity == "low"
    assert "588" in finding.explanation
    [harmed] = found(diagnosed(tmp_path / "harmed", head + row.format(402, 588) * 4, records=HARM), "ST-12")
    assert harmed.severity == "medium"
    assert not found(diagnosed(tmp_path / "enough", head + row.format(0, 0) * 4), "ST-12")


def test_one_heavy_sample_of_paging_is_enough(tmp_path: Path) -> None:
    """With the first row, which is since boot, a run of two rows has one sample."""
    head, row = PAGING["Linux"]
    assert not found(diagnosed(tmp_path / "light", head + row.format(0, 0) + row.format(40, 58)), "ST-12")
    assert found(diagnosed(tmp_path / "heavy", head + row.format(0, 0) + row.format(4000, 5800)), "ST-12")


WAITING = {
    "vmstat": (
        "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n"
        " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n",
        " 1 {b}      0 223464   2068 311000  {s}   {s}     1     2   40   80  3  4 {idle} {wait}  0\n",
    ),
    "vmstat of AIX": (
        "System configuration: lcpu=8 mem=32768MB\n\nkthr    memory              page              faults        cpu\n"
        " r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n",
        " 1 {b} 812044   960   0 {s} {s}   0    0   0 851 9012 4610  3  4 {idle} {wait}\n",
    ),
}


@pytest.mark.parametrize("tool", WAITING)
def test_processors_that_idle_for_their_disks(tmp_path: Path, tool: str) -> None:
    head, row = WAITING[tool]
    sick = head + row.format(b=31, s=0, idle=10, wait=83) * 4
    [finding] = found(diagnosed(tmp_path / "sick", sick), "ST-16")
    assert finding.severity == "medium"
    assert "83 %" in finding.verdict
    assert "31 processes" in finding.verdict
    [paging] = found(diagnosed(tmp_path / "paging", head + row.format(b=31, s=900, idle=10, wait=83) * 4), "ST-16")
    assert paging.severity == "low"
    assert not found(diagnosed(tmp_path / "idle", head + row.format(b=0, s=0, idle=90, wait=3) * 4), "ST-16")


def test_processors_that_idle_by_mpstat_name_no_process(tmp_path: Path) -> None:
    head = "Linux 5.14.0-284.el9.x86_64 (tench)  11/02/2026  _x86_64_  (32 CPU)\n\n"
    names = "{}     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
    row = "{}     all    2.10    0.00    0.90   {}    0.00    0.10    0.00    0.00    0.00   {}\n"
    sick = head + names.format("10:12:01") + row.format("10:12:06", 71.2, 25.7) + row.format("10:12:11", 68.9, 28.0)
    [finding] = found(diagnosed(tmp_path / "sick", sick), "ST-16")
    assert finding.severity == "low"
    calm = head + names.format("10:12:01") + row.format("10:12:06", 1.2, 95.7) + row.format("10:12:11", 0.9, 96.0)
    assert not found(diagnosed(tmp_path / "calm", calm), "ST-16")
    [alone] = found(
        diagnosed(tmp_path / "one", head + names.format("10:12:01") + row.format("10:12:06", 61.2, 35.7)), "ST-16"
    )
    assert alone.severity == "low"
    burst = head + names.format("10:12:01") + row.format("10:12:06", 61.2, 35.7) + row.format("10:12:11", 0.9, 96.0)
    assert not found(diagnosed(tmp_path / "burst", burst), "ST-16")


@pytest.mark.parametrize(
    ("names", "memory", "swap"),
    [
        ("              total        used        free      shared  buff/cache   available", "Mem:", "Swap:"),
        ("              gesamt       benutzt     frei      gemns.  Puffer/Cache verfügbar", "Speicher:", "Swap:"),
        ("              total       utilisé      libre     partagé tamp/cache    disponible", "Mem:", "Échange:"),
    ],
)
def test_memory_and_swap_space_that_are_used_up(tmp_path: Path, names: str, memory: str, swap: str) -> None:
    full = f"{names}\n{memory}       64214       63101         210         312         903         101\n"
    room = f"{names}\n{memory}       64214       33101       20210         312        9903       30101\n"
    [finding] = found(
        diagnosed(tmp_path / "full", f"# free -m\n{full}{swap}       8191        8190           1\n"), "ST-17"
    )
    assert "0.2 %" in finding.verdict
    [memory_alone] = found(
        diagnosed(tmp_path / "swap", f"# free -m\n{full}{swap}       8191          90        8101\n"), "ST-17"
    )
    assert (memory_alone.severity, "swap" in memory_alone.title) == ("medium", False)
    [swap_alone] = found(
        diagnosed(tmp_path / "room", f"# free -m\n{room}{swap}       8191        8190           1\n"), "ST-17"
    )
    assert (swap_alone.severity, "47 %" in swap_alone.title) == ("low", True)
    assert not found(
        diagnosed(tmp_path / "well", f"# free -m\n{room}{swap}       8191          90        8101\n"), "ST-17"
    )


def test_files_read_on_solaris_are_no_paging_and_a_busy_scanner_is(tmp_path: Path) -> None:
    row = " 0 0 0 912044 196000 1 2 90 40 40 0 {} 1 0 0 0 400 900 300 2 1 97\n"
    assert not found(diagnosed(tmp_path / "files", SOLARIS_MEMORY + row.format(0) * 4), "ST-12")
    assert found(diagnosed(tmp_path / "scans", SOLARIS_MEMORY + row.format(1800) * 4), "ST-12")


IOSTAT = """Linux 4.18.0-477.el8.x86_64 (tench)  11/02/2026  _x86_64_  (32 CPU)

Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz rareq-sz wareq-sz  svctm  %util
dm-3            40.10  210.00   5120.00  53760.00     0.00     0.00   0.00   0.00    3.10    4.20   1.01   127.70   256.00   0.70  17.60
dm-4            41.00  208.20   5240.00  53300.00     0.00     0.00   0.00   0.00    {other}    {other}   0.96   127.80   256.00   0.70  17.40
dm-5            {rate}    {rate}   1536.00  15616.00     0.00     0.00   0.00   0.00  {slow}  {slow}  26.87   128.00   256.00  13.70 100.00
"""  # noqa: E501  one row of the tool
SOLARIS_IOSTAT = """SunOS tench 5.11 11.4.0.15.0 sun4v sparc sun4v
# iostat -xn
                    extended device statistics
    r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device
   40.1  210.0 5120.0 53760.0  0.0  0.9    0.0    4.1   0  17 c2t0d1
   41.0  208.2 5240.0 53300.0  0.0  0.9    0.0    {other}   0  17 c2t0d2
   {rate}   {rate} 1536.0 15616.0  0.0 26.0    0.0  {slow}   0 100 c2t0d3
"""


@pytest.mark.parametrize("report", [IOSTAT, SOLARIS_IOSTAT])
def test_a_disk_far_behind_its_sisters_since_boot(tmp_path: Path, report: str) -> None:
    [finding] = found(diagnosed(tmp_path / "slow", report.format(rate=12.0, slow=212.4, other=4.0)), "ST-13")
    assert finding.severity == "medium"
    assert "212 ms" in finding.verdict
    assert "tench" in finding.verdict
    for name, figures_of in {
        "alike": {"rate": 12.0, "slow": 8.4, "other": 4.0},
        "hardly used": {"rate": 0.1, "slow": 212.4, "other": 4.0},
    }.items():
        assert not found(diagnosed(tmp_path / name, report.format(**figures_of)), "ST-13"), name


LETTERS = """Device:         rrqm/s   wrqm/s     r/s     w/s    rMB/s    wMB/s avgrq-sz avgqu-sz   await r_await w_await  svctm  %util
{disk}               0.00     0.00    0.00   12.00     0.00     0.70   119.47   142.10 {slow} 0.00 {slow}  83.33 {busy}
"""  # noqa: E501  one row of the tool
OTHERS = """sdc               0.00     0.00    0.20   14.20     0.01     0.80   115.20     0.05    3.10    2.00    3.11   0.90   1.30
sdd               0.00     0.00    0.40   13.60     0.01     0.77   114.11     0.04    2.90    1.50    2.94   0.80   1.12
"""  # noqa: E501  one row of the tool


@pytest.mark.parametrize(("disk", "others"), [("sdb", OTHERS), ("sdaa", OTHERS), ("dm-3", ""), ("emcpowera", OTHERS)])
def test_a_disk_that_was_never_idle_and_answers_after_seconds(tmp_path: Path, disk: str, others: str) -> None:
    sick = LETTERS.format(disk=disk, slow="9812.40", busy="100.00") + others
    [finding] = found(diagnosed(tmp_path / "sick", sick), "ST-13")
    assert (finding.severity, disk in finding.verdict, "9812 ms" in finding.verdict) == ("high", True, True)
    for name, slow, busy in (("quick", "4.40", "100.00"), ("hardly busy", "40.00", "2.10")):
        healthy = LETTERS.format(disk=disk, slow=slow, busy=busy) + others
        assert not found(diagnosed(tmp_path / name, healthy), "ST-13"), name


TIMED = """[root@tench{node} ~]# time ls -l /mnt/pond/mail | wc -l
41233

real    {minutes}m{seconds}s
user    0m0.390s
sys     0m2.020s
"""


def test_one_command_that_takes_minutes_elsewhere(tmp_path: Path) -> None:
    def runs(name: str, *timed: tuple[int, int, float]) -> Diagnosis:
        return diagnosed(
            tmp_path / name, "".join(TIMED.format(node=node, minutes=m, seconds=s) for node, m, s in timed)
        )

    [slow] = found(runs("nodes", (1, 4, 12.551), (2, 0, 1.011)), "ST-14")
    assert slow.severity == "medium"
    assert "tench1" in slow.verdict
    assert "tench2" in slow.verdict
    [again] = found(runs("again", (1, 0, 0.8), (1, 0, 22.5)), "ST-14")
    assert again.severity == "low"
    assert "at another time" in again.title
    for name, twin in {
        "alike": runs("alike", (1, 4, 12.551), (2, 3, 1.011)),
        "short": runs("short", (1, 0, 4.2), (2, 0, 0.1)),
        "once": runs("once", (1, 4, 12.551)),
    }.items():
        assert not found(twin, "ST-14"), name


DD = """## {name}
$ dd if=/dev/zero of=/mnt/{name}/t bs={block} count=4000 conv=fsync
4194304000 bytes (4.2 GB) copied, {seconds} s, {rate} MB/s
"""


def test_runs_of_one_benchmark_that_fall_to_a_tenth(tmp_path: Path) -> None:
    def runs(name: str, *timed: tuple[str, float, str]) -> Diagnosis:
        text = "".join(
            DD.format(name=target, seconds=s, rate=round(4194.304 / s, 1), block=block) for target, s, block in timed
        )
        return diagnosed(tmp_path / name, text)

    [drop] = found(runs("drop", ("one", 20.9, "1M"), ("two", 22.6, "1M"), ("four", 234.3, "1M")), "ST-15")
    assert drop.severity == "low"
    assert "17.9" in drop.verdict
    for name, twin in {
        "scatter": runs("scatter", ("one", 20.9, "1M"), ("two", 39.6, "1M")),
        "other options": runs("options", ("one", 20.9, "1M"), ("two", 234.3, "4k")),
        "once": runs("once", ("one", 20.9, "1M")),
    }.items():
        assert not found(twin, "ST-15"), name


@pytest.mark.parametrize(("second", "falls"), [(3, True), (201, False)])
def test_ping_pong_on_a_second_node(tmp_path: Path, second: int, falls: bool) -> None:
    text = "     251 locks/sec\n     249 locks/sec\nwith the second node:\n" + f"       {second} locks/sec\n" * 3
    assert bool(found(diagnosed(tmp_path, text), "ST-15")) == falls


@pytest.mark.parametrize(
    ("depth", "mean", "longest", "severity"),
    [(1, 99.9, 1900.0, None), (1, 100.1, 400.0, "medium"), (32, 800.0, 2400.0, None), (4, 0.5, 1999.0, None),
     (4, 0.5, 2001.0, "low"), (4, 0.5, 9999.0, "low"), (4, 0.5, 10001.0, "medium"), (4, 120.0, 2300.0, None)],
)  # fmt: skip
def test_st_27_a_benchmark_is_judged_by_what_its_requests_took(
    tmp_path: Path, depth: int, mean: float, longest: float, severity: str | None
) -> None:
    text = (
        f"post: (g=0): rw=read, bs=(R) 4096B-4096B, ioengine=libaio, iodepth={depth}\n"
        "post: (groupid=0, jobs=1): err= 0: pid=16109: Sat Jun 24 12:07:54 2031\n"
        "  read: IOPS=104, BW=416KiB/s (426kB/s)(4096KiB/39356msec)\n"
        f"    clat (msec): min=1, max={longest}, avg={mean}, stdev= 1.11\n"
    )
    assert [one.severity for one in found(diagnosed(tmp_path, text), "ST-27")] == ([severity] if severity else [])


STACKS = {
    "a POSIX lock of the cluster": ("dlm_posix_lock+0x1a5/0x2e0 [dlm]\n gfs2_lock+0x7f/0x100 [gfs2]", "POSIX lock"),
    "a glock": ("gfs2_glock_wait+0x45/0x90 [gfs2]\n gfs2_glock_nq+0x1/0x2 [gfs2]", "a glock of GFS2"),
    "an NFS server": ("rpc_wait_bit_killable+0x1e/0xa0 [sunrpc]\n __wait_on_bit+0x1/0x2", "an NFS server"),
    "the daemon of Scale": ("cxiWaitEventWait+0x120/0x1c0 [mmfslinux]\n kxWait+0x1/0x2 [mmfs26]", "mmfsd"),
    "a disk": ("io_schedule+0x12/0x40\n wait_on_page_bit+0x1/0x2", "a disk"),
}  # fmt: skip


@pytest.mark.parametrize("what", STACKS)
@pytest.mark.parametrize("address", ["[<0>]", "[<ffffffffa0442a10>]"])
def test_st_19_a_stack_that_somebody_took_tells_what_the_task_waits_for(
    tmp_path: Path, what: str, address: str
) -> None:
    frames, fragment = STACKS[what]
    lines = "".join(f"{address} {frame.strip()}\n" for frame in frames.split("\n"))
    result = diagnosed(tmp_path, f"[root@kite3 ~]# cat /proc/9122/stack\n{lines}")
    finding = next(one for one in result.findings if one.ref == "ST-19")
    assert fragment in finding.title
    assert finding.severity == "medium"
    assert "9122" in finding.explanation
    assert result.verdict is not None
    assert result.verdict.form == "explained"


def test_a_stack_of_a_task_that_waits_for_work_is_no_alarm_and_no_check_that_passed(tmp_path: Path) -> None:
    idle = "[<0>] ep_poll+0x1a5/0x2e0\n[<0>] do_epoll_wait+0x7f/0x100\n[<0>] do_syscall_64+0x5c/0x90\n"
    result = diagnosed(tmp_path, f"[root@kite3 ~]# cat /proc/9122/stack\n{idle}")
    assert list(result.findings) == []
    assert result.verdict is not None
    assert result.verdict.form == "not_judged"


HEADLESS = {
    "a syslog": ("May 12 05:01:02 kite3 kernel: ", "gfs2_glock_wait+0x3a/0xa0 [gfs2]", "a glock of GFS2"),
    "dmesg": ("[81234.120034] ", "cxiWaitEventWait+0x1e5/0x2c0 [mmfslinux]", "mmfsd"),
    "dmesg -T": ("[Thu Feb 13 06:41:07 2025] ", "io_schedule+0x12/0x40", "a disk"),
    "a paste": ("", "vx_glm_lock+0x31/0x60 [vxfs]", "Group Lock Manager"),
}


@pytest.mark.parametrize("where", HEADLESS)
def test_st_19_a_trace_without_its_head_is_no_calm_text(tmp_path: Path, where: str) -> None:
    """Whoever copies the trace of a blocked task often leaves out the line that names it."""
    front, frame, waited_for = HEADLESS[where]

    def trace(name: str, *frames: str) -> Diagnosis:
        return diagnosed(tmp_path / name, "".join(f"{front}{one}\n" for one in ("Call Trace:", *frames)))

    [finding] = found(trace("asleep", " __schedule+0x2e1/0x790", " schedule+0x46/0xb0", f" {frame}"), "ST-19")
    assert waited_for in finding.title
    assert finding.severity == "low"
    assert not found(trace("at work", " ext4_es_lookup+0x1a/0x90", f" {frame}"), "ST-19")
    assert not found(trace("idle", " __schedule+0x2e1/0x790", " worker_thread+0x46/0xb0"), "ST-19")


PDSH = "{node}:  10:00:01 up 33 days,  1:01,  0 users,  load average: {load}, {load}, {load}\n"
BLOCKS = "----------------\n{node}\n----------------\n 10:00:01 up 33 days,  1:01,  load average: {load}, 0.30, 0.31\n"
PROMPTS = "[root@{node} ~]# cat /proc/loadavg\n{load} 0.10 0.20 3/1412 7312\n"


@pytest.mark.parametrize("layout", [PDSH, BLOCKS, PROMPTS])
def test_the_load_of_one_node_is_far_beyond_that_of_its_sisters(tmp_path: Path, layout: str) -> None:
    def judged(name: str, loads: list[str]) -> list[Finding]:
        rows = [layout.format(node=f"gnu{number}", load=load) for number, load in enumerate(loads)]
        return found(diagnosed(tmp_path / name, "".join(rows)), "ST-21")

    [finding] = judged("one", ["0.20", "0.12", "87.50", "0.33"])
    assert (finding.severity, "gnu2" in finding.verdict, "88" in finding.verdict) == ("medium", True, True)
    [alone] = judged("alone", ["412.77"])
    assert "413" in alone.verdict
    assert not judged("calm", ["0.20", "0.12", "3.50", "0.33"])
    assert not judged("all work", ["60.20", "58.12", "63.50", "61.33"])


HUNG = (
    "Jul  3 07:21:55 {node} kernel: INFO: task {task}:4411 blocked for more than 120 seconds.\n"
    "Jul  3 07:21:55 {node} kernel: task:{task}  state:D stack:    0 pid: 4411 ppid:     1 flags:0x80004084\n"
    "Jul  3 07:21:55 {node} kernel: Call Trace:\n{frames}"
)


@pytest.mark.parametrize(
    ("task", "functions", "what"),
    [
        ("mmfsd", ["io_schedule", "blk_mq_get_tag", "submit_bio"], "disk"),
        ("rsync", ["rpc_wait_bit_killable", "nfs4_call_sync_sequence"], "NFS"),
        ("mmcrsnapshot", ["cxiWaitEventWait", "kxWaitForEvent"], "mmfsd"),
        ("java", ["rwsem_down_read_slowpath", "do_user_addr_fault"], "another task holds"),
    ],
)
def test_a_task_that_the_kernel_reports_as_hung_waits_for_something(
    tmp_path: Path, task: str, functions: list[str], what: str
) -> None:
    frames = "".join(
        f"Jul  3 07:21:55 gw2 kernel:  {one}+0x12/0x40\n" for one in ["__schedule", "schedule", *functions]
    )
    [finding] = found(diagnosed(tmp_path / "hung", HUNG.format(node="gw2", task=task, frames=frames)), "ST-22")
    assert (finding.severity, what in finding.title, "gw2" in finding.verdict) == ("high", True, True)
    idle = "Jul  3 07:21:55 gw2 kernel:  __schedule+0x1/0x2\nJul  3 07:21:55 gw2 kernel:  worker_thread+0x1/0x2\n"
    assert not found(diagnosed(tmp_path / "idle", HUNG.format(node="gw2", task=task, frames=idle)), "ST-22")


@pytest.mark.parametrize(
    ("line", "severity"),
    [
        ("touch: cannot touch '/srv/web/x': Read-only file system", "medium"),
        ("ls: Zugriff auf '/srv/db' nicht m\u00f6glich: Eingabe-/Ausgabefehler", "critical"),
        ("ls: impossible d'acc\u00e9der \u00e0 '/srv/db': Erreur d'entr\u00e9e/sortie", "critical"),
        ("ls: no se puede acceder a '/srv/db': Error de entrada/salida", "critical"),
        ("cp: cannot create regular file '/srv/web/x': Permission denied", None),
        ("ls: cannot access '/srv/nowhere': No such file or directory", None),
    ],
)
def test_what_a_command_answers_on_a_path_that_can_not_be_used(tmp_path: Path, line: str, severity: str | None) -> None:
    judged = diagnosed(tmp_path, f"[root@kudu1 ~]# ls /srv\n{line}\n").findings
    assert [one.severity for one in judged if "/srv" in one.title] == ([severity] if severity else [])


TRACE = """[root@kudu1 ~]# strace -T -p 4121
socket(AF_UNIX, SOCK_STREAM, 0) = 3 <0.000021>
connect(3, {{sa_family=AF_UNIX, sun_path="{socket}"}}, 110) = 0 <0.000061>
openat(AT_FDCWD, "/srv/books/ledger.dbf", O_RDWR) = 5 <0.000120>
{call}
"""


@pytest.mark.parametrize(
    ("socket", "call", "about"),
    [
        ("/run/lvm/lvmlockd.socket", "read(3, 0x7ffd10, 32) = 9 <631.221331>", "lvmlockd"),
        ("/var/run/multipathd.sock", 'recvfrom(3, "ok", 64, 0, NULL, NULL) = 2 <44.100000>', "multipathd"),
        ("/run/x.sock", "fcntl(5, F_SETLKW, {l_type=F_WRLCK, l_whence=SEEK_SET}) = 0 <12.400000>", "ledger.dbf"),
        ("/run/x.sock", "flock(5, LOCK_EX) = 0 <9.200000>", "ledger.dbf"),
        ("/run/user/1/bus", "recvmsg(3, {msg_name=NULL}, 0) = 40 <900.100000>", None),
        ("/run/lvm/lvmlockd.socket", "read(3, 0x7ffd10, 32) = 9 <0.000331>", None),
    ],
)
def test_a_trace_that_waits_for_a_daemon_or_for_the_lock_of_a_file(
    tmp_path: Path, socket: str, call: str, about: str | None
) -> None:
    judged = found(diagnosed(tmp_path, TRACE.format(socket=socket, call=call)), "ST-25")
    assert [about in one.verdict for one in judged if about] == ([True] if about else [])
    assert bool(judged) is bool(about)


PRESSURE = (
    "some avg10={0:.2f} avg60={0:.2f} avg300={0:.2f} total=9918822331\n"
    "full avg10={0:.2f} avg60={0:.2f} avg300={0:.2f} total=9811223311\n"
)


@pytest.mark.parametrize("command", ["cat /proc/pressure/io", "head -4 /proc/pressure/io", "grep . /proc/pressure/io"])
def test_a_host_whose_tasks_all_stand_still_for_disks(tmp_path: Path, command: str) -> None:
    [finding] = found(diagnosed(tmp_path / "sick", f"[root@elm2 ~]# {command}\n{PRESSURE.format(96.5)}"), "ST-16")
    assert (finding.severity, "elm2" in finding.verdict) == ("medium", True)
    assert not found(diagnosed(tmp_path / "calm", f"[root@elm2 ~]# {command}\n{PRESSURE.format(3.1)}"), "ST-16")
    other = command.replace("/io", "/cpu")
    assert not found(diagnosed(tmp_path / "other", f"[root@elm2 ~]# {other}\n{PRESSURE.format(96.5)}"), "ST-16")
