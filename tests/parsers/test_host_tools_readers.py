"""Readers of host tools: layouts of all releases give the same records, bulk gives the rows of the slow way, speed, and
two articles.
"""

from __future__ import annotations

import json
import time

import pytest

from parsers.records import Counter, DiskIo, Event, Measurement, Setting
from parsers.records.states import DiskPath
from parsers.records.waits import Stack
from parsers.times.clock import format_instant
from tests.parsers.golden import FIXTURES, Reading
from tests.references import article

LINUX = "Linux 4.18.0-372.el8.x86_64 (kite3.lab) \t{date} \t_x86_64_\t(16 CPU)\n\n"
LAYOUTS = {
    "RHEL 6": (
        "Device: rrqm/s wrqm/s r/s w/s rsec/s wsec/s avgrq-sz avgqu-sz await svctm %util",
        "sda 0.00 0.02 100.00 50.00 1600.00 800.00 16.00 6.00 40.00 0.52 91.00",
    ),
    "RHEL 7": (
        "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
        "sda 0.00 0.02 100.00 50.00 800.00 400.00 16.00 6.00 40.00 30.00 60.00 0.52 91.00",
    ),
    "11.7": (
        "Device r/s w/s rkB/s wkB/s rrqm/s wrqm/s %rrqm %wrqm r_await w_await aqu-sz rareq-sz wareq-sz svctm %util",
        "sda 100.00 50.00 800.00 400.00 0.00 0.02 0.00 0.00 30.00 60.00 6.00 8.00 8.00 0.52 91.00",
    ),
    "12.1": (
        (
            "Device r/s rkB/s rrqm/s %rrqm r_await rareq-sz w/s wkB/s wrqm/s %wrqm w_await wareq-sz d/s "
            "dkB/s drqm/s %drqm d_await dareq-sz f/s f_await aqu-sz %util"
        ),
        (
            "sda 100.00 800.00 0.00 0.00 30.00 8.00 50.00 400.00 0.02 0.00 60.00 8.00 0.00 0.00 0.00 0.00 "
            "0.00 0.00 2.00 0.10 6.00 91.00"
        ),
    ),
    "megabytes": (
        "Device: rrqm/s wrqm/s r/s w/s rMB/s wMB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
        "sda 0.00 0.02 100.00 50.00 0.78125 0.390625 16.00 6.00 40.00 30.00 60.00 0.52 91.00",
    ),
    "decimal comma": (
        "Device: rrqm/s wrqm/s r/s w/s rkB/s wkB/s avgrq-sz avgqu-sz await r_await w_await svctm %util",
        "sda 0,00 0,02 100,00 50,00 800,00 400,00 16,00 6,00 40,00 30,00 60,00 0,52 91,00",
    ),
    "an unknown column": (
        "Device r/s w/s rkB/s wkB/s new/s r_await w_await aqu-sz %util",
        "sda 100.00 50.00 800.00 400.00 7.00 30.00 60.00 6.00 91.00",
    ),
    "device last": (
        "r/s rkB/s r_await w/s wkB/s w_await aqu-sz %util Device",
        "100.00 800.0k 30.00 50.00 400.0k 60.00 6.00 91.0% sda",
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_every_layout_of_iostat_gives_the_same_figures(layout: str) -> None:
    header, row = LAYOUTS[layout]
    reading = Reading(LINUX.format(date="03/09/2031") + f"{header}\n{row}\n\n{header}\n{row}\n")
    assert reading.result.not_understood == 0
    both = [io for io in reading.of(DiskIo) if not io.op]
    assert [io.source for io in both] == ["iostat -x (since boot)", "iostat -x"]
    [one] = both[1:]
    assert (one.node, one.device, one.per_s, one.count, one.util, one.queue) == ("kite3.lab", "sda", True, 150, 91, 6)
    assert one.bytes == pytest.approx(1200 * 1024)
    assert one.mean_ms == pytest.approx(40)


@pytest.mark.parametrize(
    ("date", "day"),
    [
        ("03/09/2031", "2031-03-09"),
        ("03/09/31", "2031-03-09"),
        ("2031-03-09", "2031-03-09"),
        ("09.03.2031", "2031-03-09"),
        ("25/03/31", "2031-03-25"),
    ],
)
def test_the_date_of_the_heading(date: str, day: str) -> None:
    text = LINUX.format(date=date) + (
        "10:00:01 AM DEV tps rkB/s wkB/s areq-sz aqu-sz await %util\n10:10:01 AM sda 1.00 0.00 4.00 4.00 "
        "0.02 22.00 2.10\n"
    )
    assert {format_instant(io.at) for io in Reading(text).of(DiskIo)} == {f"{day}T10:10:01"}


def test_sar_past_midnight_and_its_next_table_of_the_same_day() -> None:
    text = LINUX.format(date="03/09/2031") + (
        "23:50:01 CPU %user %nice %system %iowait %steal %idle\n00:00:01 all 3 0 1 22 0 74\n00:10:01 all "
        "3 0 1 22 0 74\nAverage: all 3 0 1 22 0 74\n\n23:50:01 DEV tps rkB/s wkB/s areq-sz aqu-sz await "
        "%util\n00:00:01 sda 1.00 0.00 4.00 4.00 0.02 22.00 2.10\n"
    )
    reading = Reading(text)
    assert sorted({format_instant(c.at) for c in reading.of(Counter)}, key=str) == [
        "2031-03-10T00:00:01",
        "2031-03-10T00:10:01",
    ]
    assert {format_instant(io.at) for io in reading.of(DiskIo)} == {"2031-03-10T00:00:01"}
    assert {io.interval_s for io in reading.of(DiskIo)} == {600.0}


def test_iostat_from_its_command_knows_the_interval() -> None:
    header, row = LAYOUTS["RHEL 7"]
    body = LINUX.format(date="03/09/2031") + f"{header}\n{row}\n\n" * 3
    reading = Reading("[root@kite3 ~]# iostat -x 5 3\n" + body)
    assert [io.interval_s for io in reading.of(DiskIo) if not io.op] == [None, 5.0, 5.0]
    skipping = Reading("[root@kite3 ~]# iostat -xy 5 3\n" + body)
    assert [io.source for io in skipping.of(DiskIo) if not io.op] == ["iostat -x"] * 3


TABLES = ("sysstat", "vmstat", "ps", "top", "kernel_log")


@pytest.mark.parametrize("name", TABLES)
def test_bulk_gives_the_rows_of_the_slow_way(name: str) -> None:
    """A control byte that is cleaned away sends each line the slow way."""
    for case in ("typical", "damaged"):
        data = (FIXTURES / name / f"{case}.txt").read_bytes()
        slow = b"\n".join(line + b"\x07" if line else line for line in data.split(b"\n"))
        fast, careful = Reading(data, path="x.txt"), Reading(slow, path="x.txt")
        for kind in (DiskIo, Counter, Event, Stack):
            assert sorted(map(repr, fast.of(kind))) == sorted(map(repr, careful.of(kind)))


def test_a_long_iostat_and_a_long_log_are_read_in_bulk() -> None:
    header, row = LAYOUTS["RHEL 7"]
    report = f"{header}\n" + "".join(f"{row.replace('sda', f'dm-{i}')}\n" for i in range(40)) + "\n"
    log = "".join(
        (
            f"Mar  9 10:{i // 60:02d}:{i % 60:02d} kite3 sshd[{i}]: Accepted publickey for root from 10.2.0.9 "
            "port 5022 ssh2\n"
        )
        for i in range(3000)
    )
    Reading("warm up")
    for text, least in ((LINUX.format(date="03/09/2031") + report * 400, 0.1), (log * 20, 0.3)):
        began = time.process_time()
        assert Reading(text).result.not_understood == 0
        speed = len(text) / 1e6 / (time.process_time() - began)
        assert speed > least  # MB/s; far below what it does, for a busy machine


def test_a_log_without_a_year_takes_it_from_the_file_or_keeps_the_time_of_day() -> None:
    line = "Dec 30 23:59:58 kite3 kernel: dlm: connecting to 4\nJan  2 00:00:01 kite3 kernel: dlm: connecting to 4\n"
    rotated = Reading(line, path="var/log/messages-20310105").of(Event)
    assert [format_instant(event.at) for event in rotated] == ["2030-12-30T23:59:58", "2031-01-02T00:00:01"]
    assert [format_instant(event.at) for event in Reading(line, path="messages").of(Event)] == ["23:59:58", "00:00:01"]


@pytest.mark.parametrize(
    ("message", "kind", "about", "value"),
    [
        ("kernel: INFO: task kworker/1:2:812 blocked for more than 143 seconds.", "hung-task", "kworker/1:2:812", 143),
        ("kernel: INFO: task udevd:56 blocked in I/O wait for more than 143 seconds.", "hung-task", "udevd:56", 143),
        ("kernel: INFO: task a:1 is blocked on a mutex likely owned by task b:2.", "lock-owner", "b:2", None),
        ("kernel: INFO: task a:1 blocked on an rw-semaphore likely owned by task c d:34", "lock-owner", "c d:34", None),
        ("kernel: INFO: task a:1 blocked on a semaphore likely last held by task e:5", "lock-owner", "e:5", None),
        ("kernel: WARNING: possible circular locking dependency detected", "lock-order", None, None),
        ("kernel: [ INFO: possible recursive locking detected ]", "lock-order", None, None),
        ("kernel: [ BUG: bad unlock balance detected! ]", "lock-order", None, None),
        ("kernel: WARNING: fs/dlm/lock.c:1058 at 0x0, CPU#0: du/5982", "kernel-warning", "fs/dlm/lock.c:1058", None),
        (
            "kernel: WARNING: CPU: 3 PID: 81 at fs/dlm/lock.c:58 put_lkb+0x1/0x2 [dlm]",
            "kernel-warning",
            "fs/dlm/lock.c:58",
            None,
        ),
        ("kernel: divide_error: 0000 [#1] PREEMPT SMP", "kernel-oops", None, None),
        (
            "kernel: GFS2: fsid=pond:projects.1: about to withdraw this file system",
            "gfs2-withdraw",
            "pond:projects.1",
            None,
        ),
        (
            "kernel: gfs2: fsid=pond:projects.1: fatal: filesystem consistency error",
            "gfs2-withdraw",
            "pond:projects.1",
            None,
        ),
        (
            "kernel: GFS2: fsid=pond:projects.0: jid=2: Trying to acquire journal lock...",
            "gfs2-journal-recovery",
            "pond:projects.0",
            None,
        ),
        (
            'kernel: GFS2: fsid=: Trying to join cluster "lock_dlm", "pond:projects"',
            "gfs2-joining",
            "pond:projects",
            None,
        ),
        ("kernel: dlm: closing connection to node 3", "dlm-connection-closed", "3", None),
        (
            "kernel: TCP: request_sock_TCP: Possible SYN flooding on port 21064. Sending cookies.",
            "dlm-syn-flooding",
            None,
            None,
        ),
        ("kernel: blk_update_request: I/O error, dev sdc, sector 81234", "io-error", "sdc", None),
        ("kernel:  rport-1:0-0: blocked FC remote port time out: removing target", "rport-lost", "rport-1:0-0", None),
        ("kernel: igb 0000:01:00.0 eth1: igb: eth1 NIC Link is Down", "link-down", None, None),
        ("multipathd[1204]: sdc: mark as failed", "path-failed", "sdc", None),
        ("multipathd: checker failed path 8:32 in map mpathb", "path-failed", "8:32", None),
        (
            (
                "corosync[1]:   [TOTEM ] A processor failed, forming new configuration: token timed out "
                "(3650ms), waiting 4380ms for consensus."
            ),
            "totem-token-lost",
            None,
            3650,
        ),
        ("corosync[1]:   [TOTEM ] FAILED TO RECEIVE", "totem-receive-failed", None, None),
        ("fenced[811]: fencing node kite4", "fence-request", "kite4", None),
        (
            (
                "stonith-ng[811]: notice: Operation 'reboot' [911] (call 2 from crmd.812) for host 'kite4' "
                "with device 'apc' returned: 0 (OK)"
            ),
            "fence-result",
            "kite4",
            None,
        ),
    ],
)
def test_what_a_line_of_a_log_means(message: str, kind: str, about: str | None, value: float | None) -> None:
    [event] = Reading(f"2031-03-09T10:00:00+01:00 kite3 {message}\n").of(Event)
    assert (event.node, event.kind, event.value) == ("kite3", kind, value)
    assert about is None or event.about == about


def test_ordinary_lines_of_a_log_are_read_over() -> None:
    reading = Reading(
        "Mar  9 10:00:00 kite3 kernel: usb 1-1: new device found\nMar  9 10:00:01 kite3 sshd[1]: "
        "Accepted publickey for root\n"
    )
    assert (reading.result.understood, reading.result.not_understood, reading.of(Event)) == (2, 0, [])


def test_the_rate_of_dd_is_computed_and_the_printed_one_kept() -> None:
    rows = {row.unit: row.value for row in Reading("512 bytes copied, 0.000123 s, 4.2 MB/s\n").of(Measurement)}
    assert rows["MB/s"] == pytest.approx(4.1626)
    assert rows["printed MB/s"] == 4.2
    comma = Reading("4194304000 bytes (4,2 GB) copied, 41,6462 s, 101 MB/s\n").of(Measurement)
    assert next(row.value for row in comma if row.unit == "MB/s") == pytest.approx(100.7128)


def test_a_path_of_multipath_with_map_address_and_states() -> None:
    reading = Reading((FIXTURES / "multipath" / "typical.txt").read_bytes())
    links = {path.device: (path.map, path.address, path.state) for path in reading.of(DiskPath)}
    assert links["sdf"] == ("mpathb", "2:0:0:3", "failed faulty offline")
    assert [s.value for s in reading.of(Setting) if (s.scope, s.name) == ("mpathb", "features")] == [
        "1 queue_if_no_path"
    ]


def test_the_profiles_of_the_thread_on_lock_speed() -> None:
    reading = Reading(article("dlm-speed-thread.txt").read_bytes())
    rows = [row for row in reading.of(Measurement) if row.tool == "opreport"]
    shares = [(row.what, row.value) for row in rows if row.unit == "%"]
    for expected in (
        ("search_rsb_list", 46.7639),
        ("create_lkb", 27.7234),
        ("search_bucket", 15.56),
        ("search_bucket", 7.5773),
    ):
        assert expected in shares
    assert len(shares) == 19 + 8 + 13
    samples = {row.line: row.value for row in rows if row.unit == "samples" and row.value}
    of_dlm = [
        (row.line, row.value)
        for row in rows
        if row.unit == "%" and row.value and row.command != "opreport --image /gfs2"
    ]
    totals = [samples[line] / (share / 100) for line, share in of_dlm]
    assert min(totals) == pytest.approx(428_897, rel=1e-3)
    assert max(totals) == pytest.approx(428_897, rel=1e-3)
    assert sum(row.value == 2204 for row in rows if row.unit == "samples") == 2  # two rows that look alike are two


def test_the_runs_of_the_article_on_file_system_or_storage() -> None:
    reading = Reading(article("gfs2-or-storage.txt").read_bytes())
    rows = [row for row in reading.of(Measurement) if row.tool == "dd"]
    assert [round(row.value or 0, 2) for row in rows if row.unit == "MB/s"] == [
        139.52,
        344.84,
        100.71,
        95.41,
        110.59,
        85.42,
    ]
    assert [row.what for row in rows if row.unit == "MB/s"][1] == "unknown dd: no command line"
    assert [row.value for row in rows if row.unit == "B"] == [4_194_304_000] * 6
    assert len([row for row in rows if row.unit == "records"]) == 4
    assert not reading.of(DiskIo)
    assert not reading.of(Event)


COPIES = {
    "German": "4000+0 Datensätze ein\n4000+0 Datensätze aus\n"
    "4194304000 Bytes (4,2 GB, 3,9 GiB) kopiert, 131,072 s, 32,0 MB/s\n",
    "French": (
        "4000+0 enregistrements lus\n4000+0 enregistrements écrits\n"
        "4194304000 octets (4,2 GB, 3,9 GiB) copiés, 131,072 s, 32,0 MB/s\n"
    ),
    "Spanish": (
        "4000+0 registros leídos\n4000+0 registros escritos\n"
        "4194304000 bytes (4,2 GB, 3,9 GiB) copiados, 131,072 s, 32,0 MB/s\n"
    ),
    "Russian": (
        "4000+0 записей получено\n4000+0 записей отправлено\n"
        "4194304000 байт (4,2 GB, 3,9 GiB) скопирован, 131,072 s, 32,0 MB/s\n"
    ),
    "Chinese": (
        "记录了4000+0 的读入\n记录了4000+0 的写出\n4194304000字节（4.2 GB，3.9 GiB）已复制，131.072 s，32.0 MB/s\n"
    ),
}


@pytest.mark.parametrize("language", COPIES)
def test_a_copy_is_read_in_every_language(language: str) -> None:
    reading = Reading(f"[root@fir1 ~]# dd if=/dev/zero of=/pot/x bs=1M count=4000\n{COPIES[language]}")
    assert reading.result.not_understood == 0
    first = reading.of(Measurement)[0]
    assert (first.value, first.unit, first.scope) == (32.0, "MB/s", "/pot/x")


@pytest.mark.parametrize(
    "tag", ["sshd(pam_unix)[19939]", "run-parts(/etc/cron.daily)[81]", "(systemd)[7]", "syslogd 1.4.1", "rsyslogd"]
)
def test_a_program_may_say_on_whose_behalf_it_writes(tag: str) -> None:
    """What a program of no interest says is read, whatever it sounds like; it parts nothing of a log."""
    fault = "Jun 14 15:16:0{} kite3 kernel: sd 2:0:0:1: rejecting I/O to offline device\n"
    text = f"{fault.format(1)}Jun 14 15:16:02 kite3 {tag}: authentication failure; user=root\n{fault.format(3)}"
    reading = Reading(text)
    assert (reading.result.not_understood, reading.result.sections) == (0, 1)
    assert len(reading.of(Event)) == 2
    assert reading.result.understood == 3


@pytest.mark.parametrize("options", ["-eo", "axo", "auxo", "-e -o", "ax o"])
def test_columns_that_the_command_line_asks_for_are_known_where_a_filter_took_the_header(options: str) -> None:
    text = (
        f"$ ps {options} pid,stat,wchan:30,etime,cmd | grep ' D'\n"
        " 8122 D    rpc_wait_bit_killable          02:11:10 ls /mnt/x\n"
        " 9001 D+   io_schedule                    00:51:22 cp -a /data /backup\n"
    )
    found = Reading(text).of(Stack)
    assert [(one.pid, one.frames, one.task) for one in found] == [
        (8122, "rpc_wait_bit_killable", "ls /mnt/x"),
        (9001, "io_schedule", "cp -a /data /backup"),
    ]


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("WCHAN                STAT     PID CMD", "gfs2_glock_nq        D       8122 cp -r /barn/a /barn/b"),
        (
            "%CPU STAT WCHAN           USER         PID COMMAND",
            " 0.3 D    gfs2_glock_nq   root        8122 cp -r /barn/a",
        ),
        ("STAT   TIME ELAPSED  PID CMD", "D      00:01   10:12 8122 cp -r /barn/a /barn/b"),
    ],
)
def test_the_number_of_a_task_may_stand_anywhere(heading: str, row: str) -> None:
    reading = Reading(f"{heading}\n{row}\n{row.replace(' D ', ' S ', 1) if row[0] != 'D' else 'S' + row[1:]}\n")
    assert [(one.pid, (one.task or "")[:13]) for one in reading.of(Stack)] == [(8122, "cp -r /barn/a")]
    assert reading.result.not_understood == 0


DISKS = [
    {"disk_device": "sdk", "r/s": 3.0, "w/s": 121.0, "r_await": 311.2, "w_await": 640.5, "aqu-sz": 78.2, "util": 100.0},
    {"disk_device": "nvme0n1", "r/s": 1.0, "w/s": 4.0, "r_await": 0.2, "w_await": 0.8, "aqu-sz": 0.0, "util": 0.4},
]


@pytest.mark.parametrize("spread", ["dense", "spaced", "over many lines", "a report a line"])
def test_iostat_as_json_is_read_however_its_objects_are_spread(spread: str) -> None:
    reports = [{"timestamp": f"2031-06-30T10:00:{s:02}Z", "avg-cpu": {"idle": 25.6}, "disk": DISKS} for s in (5, 10)]
    whole = {"sysstat": {"hosts": [{"nodename": "rowan-3", "sysname": "Linux", "statistics": reports}]}}
    text = {
        "dense": json.dumps(whole, separators=(",", ":")),
        "spaced": json.dumps(whole),
        "over many lines": json.dumps(whole, indent=2).replace('{\n  "sysstat": {', '{"sysstat": {', 1),
        "a report a line": json.dumps(whole).replace('{"timestamp"', '\n {"timestamp"'),
    }[spread]
    reading = Reading(text + "\n")
    rows = [row for row in reading.of(DiskIo) if not row.op]
    assert [(row.node, row.device) for row in rows] == [("rowan-3", "sdk"), ("rowan-3", "nvme0n1")] * 2
    assert len({row.at for row in rows}) == 2


def test_a_table_of_sadf_ends_at_the_heading_of_the_next() -> None:
    head, row = "# hostname;interval;timestamp;", "tench4;600;2031-03-12 02:10:00 UTC;"
    disks = (
        f"{head}DEV;tps;rkB/s;wkB/s;areq-sz;aqu-sz;await;%util\n{row}sdb;15.00;400.00;100.00;33.0;0.6;1810.10;99.0\n"
    )
    links = f"{head}IFACE;rxpck/s;txpck/s;rxkB/s;txkB/s;rxcmp/s;%ifutil\n{row}ens1f0;51.3;16.0;64.2;25.1;89.8;0\n"
    reading = Reading(f"{disks}{links}{disks}{links}")
    assert {(io.node, io.device) for io in reading.of(DiskIo)} == {("tench4", "sdb")}
