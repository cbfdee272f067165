"""Rules on workloads and notes on texts: what follows from what people say, and what must not."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.records.locks import GlockHolder
from parsers.records.waits import Stack
from tests.diagnosis.host_tools_cases import case_of, diagnosed, figures, found, refs

MAIL = "From: {name} <someone@pond.example>\nSubject: slow GFS2\n\n{text}\n"


GLOCKS = (
    "[root@kite3 ~]# cat /sys/kernel/debug/gfs2/pond:projects/glocks\nG:  s:SH n:2/1b3a f:Iq t:SH d:EX/0 "
    "a:0 v:0 r:3 m:200\n H: s:SH f:H e:0 p:7 [du] gfs2_readdir+0x1/0x2 [gfs2]\n"
)


def mail(text: str, name: str = "Ann Weaver", data: str = GLOCKS) -> str:
    """A mail, and the records of GFS2 that were sent with it."""
    return MAIL.format(name=name, text=text) + f"\n{data}"


BACKUP = (
    "On gfs2 the nightly backup takes 10-12 hours for 1.5 million files, ext4 takes about 10 minutes for the same tree."
)


def test_a_backup_as_reported_with_what_it_is_compared_with(tmp_path: Path) -> None:
    [finding] = found(diagnosed(tmp_path, mail(BACKUP)), "WL-01")
    shown = figures(finding)
    assert finding.severity == "high"
    assert finding.confidence <= 0.5  # stated, not measured
    assert shown["Files per second, at most"] == pytest.approx(41.67, abs=0.01)
    assert shown["Time per file, at most"] == pytest.approx(28.8)
    assert (shown["Slower, times, at least"], shown["Slower, times, at most"]) == (60, 72)


def test_no_scan_without_files_or_where_it_is_not_slow_or_not_gfs2(tmp_path: Path) -> None:
    assert "WL-01" not in refs(
        diagnosed(tmp_path / "a", mail("On gfs2 the backup takes 10 hours, which seems long to me."))
    )
    quick = "On gfs2 a find over 1.5 million files takes 10 minutes, on ext4 it takes 9 minutes."
    assert "WL-01" not in refs(diagnosed(tmp_path / "b", mail(quick)))
    assert "WL-01" not in refs(diagnosed(tmp_path / "c", mail(BACKUP, data="")))  # no record shows GFS2


def test_figures_of_two_people_are_never_put_together(tmp_path: Path) -> None:
    text = (
        "From: Ann Weaver <ann@pond.example>\nSubject: slow gfs2\n\nOn our gfs2 the nightly backup takes "
        "10-12 hours, every single night of it.\n\n----- Original Message -----\nFrom: Ben Carter "
        "<ben@brook.example>\n\nWe have a gfs2 tree of 1.5 million files here.\n"
    )
    assert "WL-01" not in refs(diagnosed(tmp_path, text, GLOCKS))


def holder(line: int, node: str, command: str, *, waiting: bool = True) -> GlockHolder:
    return GlockHolder(
        line=line,
        node=node,
        glock="2/1b3a",
        glock_line=line,
        state="SH",
        flags="W" if waiting else "H",
        pid=line,
        command=command,
        waiting=waiting,
        granted=not waiting,
    )


def test_scanners_that_wait_on_two_nodes(tmp_path: Path) -> None:
    case = diagnosed(
        tmp_path / "a", "", records=[holder(1, "kite3", "find"), holder(2, "kite4", "bpbkar", waiting=False)]
    )
    assert refs(case)["WL-01"] == "medium"
    assert "WL-01" not in refs(
        diagnosed(tmp_path / "b", "", records=[holder(1, "kite3", "find"), holder(2, "kite3", "du")])
    )
    idle = [holder(1, "kite3", "find", waiting=False), holder(2, "kite4", "du", waiting=False)]
    assert "WL-01" not in refs(diagnosed(tmp_path / "c", "", records=[*idle]))


WANTED = (
    "[root@kite3 ~]# cat /sys/kernel/debug/gfs2/pond:projects/glocks\nG:  s:EX n:2/1b3a f:lIq t:EX "
    "d:EX/0 a:0 v:0 r:5 m:200\n H: s:EX f:H e:0 p:7 [rm] gfs2_unlink+0x1/0x2 [gfs2]\n H: s:EX f:W e:0 "
    "p:8 [mv] gfs2_rename+0x1/0x2 [gfs2]\n H: s:SH f:aW e:0 p:9 [ls] gfs2_readdir+0x1/0x2 [gfs2]\n I: "
    "n:5/6970 t:4 f:0x00 d:0x00000001 s:3864\n"
)


def test_a_huge_directory_needs_a_directory_that_is_waited_for(tmp_path: Path) -> None:
    stated = "On this gfs2 users put 20,000 files in a directory, all of them in the spring of this year."
    assert figures(found(diagnosed(tmp_path / "a", mail(stated, data=WANTED)), "WL-02")[0])["Entries"] == 20000
    assert "WL-02" not in refs(diagnosed(tmp_path / "b", mail(stated)))
    assert "WL-02" not in refs(diagnosed(tmp_path / "c", mail(stated.replace("20,000", "900"), data=WANTED)))
    assert "WL-02" not in refs(
        diagnosed(tmp_path / "d", mail(stated.replace("in a directory", "on the disk"), data=WANTED))
    )


def test_mail_on_several_nodes_is_a_question(tmp_path: Path) -> None:
    stated = "Our gfs2 cluster has 3 nodes for imap, with about 2 million small files in the Maildir tree."
    [finding] = found(diagnosed(tmp_path / "a", mail(stated)), "WL-03")
    assert finding.title.endswith("is a user kept on one node?")
    one = "Our gfs2 server is 1 node for imap, with about 2 million small files in the Maildir tree."
    assert "WL-03" not in refs(diagnosed(tmp_path / "b", mail(one)))
    assert "WL-03" not in refs(diagnosed(tmp_path / "c", mail(stated, data="")))


def test_mail_programs_that_wait_for_each_other_and_not_for_a_backup(tmp_path: Path) -> None:
    held = holder(1, "kite3", "imapd", waiting=False)
    assert refs(diagnosed(tmp_path / "a", "", records=[held, holder(2, "kite4", "lmtp")]))["WL-03"] == "medium"
    backup = holder(1, "kite3", "bpbkar", waiting=False)
    assert "WL-03" not in refs(
        diagnosed(tmp_path / "b", "", records=[backup, holder(2, "kite4", "lmtp"), holder(3, "kite5", "imapd")])
    )
    assert "WL-03" not in refs(diagnosed(tmp_path / "c", "", records=[held, holder(2, "kite3", "lmtp")]))


TIMED = (
    "[root@kite3 ~]# time du -s /srv/projects\n\nreal\t{first}s\nuser\t0m1.0s\nsys\t0m2.0s\n[root@kite3 ~]# time du -s "
    "/srv/projects\n\nreal\t{later}s\nuser\t0m1.0s\nsys\t0m2.0s\n"
)


def test_cold_and_warm_runs(tmp_path: Path) -> None:
    cold = TIMED.format(first="5m0.000", later="0m20.000")
    assert refs(diagnosed(tmp_path / "a", GLOCKS + cold))["WL-04"] == "info"
    assert "WL-04" not in refs(diagnosed(tmp_path / "b", GLOCKS + TIMED.format(first="0m30.000", later="0m20.000")))
    assert "WL-04" not in refs(diagnosed(tmp_path / "c", cold))  # nothing says that it is GFS2


def test_a_wrong_share_is_reported_and_a_right_one_is_not(tmp_path: Path) -> None:
    wrong = (
        "So on this hardware the new file system is roughly 10 percent slower than the raw device below "
        "it (120 / 150) * 100 = 90% of the raw speed."
    )
    [finding] = found(diagnosed(tmp_path / "a", mail(wrong)), "ARITHMETIC")
    assert figures(finding) == {"Recomputed": 80.0, "As printed": 90.0}
    assert "10 %: that is 20.0 %" in finding.explanation
    right = (
        "So on this hardware the new file system is roughly 20 percent slower than the raw device below "
        "it (120 / 150) * 100 = 80% of the raw speed."
    )
    assert "ARITHMETIC" not in refs(diagnosed(tmp_path / "b", mail(right)))
    rounded = (
        "So on this hardware the new file system reaches roughly what we hoped for, that is (85.4 / 140) "
        "* 100 = 61% of the raw speed of the device."
    )
    assert "ARITHMETIC" not in refs(diagnosed(tmp_path / "c", mail(rounded)))


def test_a_wrong_drop_is_reported_and_a_rounded_one_is_not(tmp_path: Path) -> None:
    text = "With the cache the rate dropped about {percent} percent, from 200 MB/s to 150 MB/s in this test."
    assert (
        figures(found(diagnosed(tmp_path / "a", mail(text.format(percent=35))), "ARITHMETIC")[0])["Recomputed"] == 25.0
    )
    assert "ARITHMETIC" not in refs(diagnosed(tmp_path / "b", mail(text.format(percent=25))))


def test_packets_that_are_too_small_to_be(tmp_path: Path) -> None:
    text = "The lock network peaks at about {rate}kb/s and {packets}pps per node, which is nothing at all."
    [finding] = found(diagnosed(tmp_path / "a", mail(text.format(rate=100, packets=5000))), "CONTRADICTION")
    assert figures(finding)["Bytes per packet"] == 20
    assert "CONTRADICTION" not in refs(diagnosed(tmp_path / "b", mail(text.format(rate=9000, packets=5000))))


PROFILE = """opreport --image /dlm
CPU: Intel Westmere, speed 2660.05 MHz (estimated)
Counted CPU_CLK_UNHALTED events (Clock cycles when not halted) with a unit mask of 0x00 (No unit mask) count 100000
samples  %        symbol name
50000    50.4000  search_rsb_list
4000      4.0000  process_send_sockets
3000      3.0000  receive_from_sock
2500      2.5000  create_lkb
"""


def test_a_share_of_a_profile_is_no_share_of_the_time(tmp_path: Path) -> None:
    stated = "As the report shows, the machine spends 50% of its time in search_rsb_list and in nothing else."
    [finding] = found(diagnosed(tmp_path / "a", MAIL.format(name="Ann Weaver", text=stated) + PROFILE), "CONTRADICTION")
    assert figures(finding) == {"As stated": 50.0, "In the report": 50.4}
    for folder, other in (("b", stated.replace("50%", "12%")), ("c", stated.replace("of its time", "of the samples"))):
        assert "CONTRADICTION" not in refs(
            diagnosed(tmp_path / folder, MAIL.format(name="Ann Weaver", text=other) + PROFILE)
        )


def test_commands_that_erase_what_was_mounted_are_named_once(tmp_path: Path) -> None:
    mount, erase = "# mount -t gfs2 /dev/pond/try /srv\n", "# mkfs.gfs2 -O -p lock_nolock /dev/pond/try\n"
    [finding] = found(
        diagnosed(tmp_path / "a", mount + erase + "# dd if=/dev/zero of=/dev/pond/try bs=4M\n"), "DESTRUCTIVE"
    )
    assert len(finding.evidence) == 3
    harmless = (
        "# dd if=/dev/zero of=/dev/null bs=4M\n# dd if=/dev/pond/try of=/srv/file\n# dd if=/dev/zero "
        "of=/srv/file bs=4M\n"
    )
    for folder, text in (("b", erase + mount), ("c", mount + harmless), ("d", mount + erase.replace("try", "new"))):
        assert "DESTRUCTIVE" not in refs(diagnosed(tmp_path / folder, text))


PIDSTAT = "# Time        UID       PID   kB_rd/s   kB_wr/s kB_ccwr/s iodelay  Command\n"
ROW = "{at}     0     {pid}      0.00      4.00      0.00     {ticks}  {name}\n"


@pytest.mark.parametrize(("ticks", "others", "judged"), [(96, 95, True), (96, 0, False), (3, 2, False)])
def test_processes_that_do_nothing_but_wait_for_disks(tmp_path: Path, ticks: int, others: int, *, judged: bool) -> None:
    rows = ROW.format(at="10:11:41", pid=811, ticks=ticks, name="rsync")
    rows += ROW.format(at="10:11:41", pid=902, ticks=others, name="mysqld")
    text = f"[root@kea4 ~]# pidstat -h -d 1 1\nLinux 5.14.0 (kea4) \t03/03/2031 \t_x86_64_\t(8 CPU)\n\n{PIDSTAT}{rows}"
    result = found(diagnosed(tmp_path, text), "ST-23")
    assert [("kea4" in one.verdict, one.severity) for one in result] == [(True, "medium")] * judged


MPSTAT = "10:01:06     {cpu}    1.00    0.00    2.00    0.00    {irq}   {soft}    0.00    0.00    0.00   {idle}\n"


@pytest.mark.parametrize(
    ("irq", "soft", "sick"), [("99.00", "0.00", True), ("0.00", "98.50", True), ("1.00", "20.00", False)]
)
def test_one_processor_does_the_interrupts_of_all(tmp_path: Path, irq: str, soft: str, *, sick: bool) -> None:
    heading = "10:01:01     CPU    %usr   %nice    %sys %iowait    %irq   %soft  %steal  %guest  %gnice   %idle\n"
    rows = [("all", "6.00", "6.00", "80.00"), ("  0", "0.10", "0.20", "97.00"), ("  1", irq, soft, "1.00")]
    text = heading + "".join(MPSTAT.format(cpu=c, irq=i, soft=s, idle=rest) for c, i, s, rest in rows)
    head = "Linux 5.14.0 (kea4) \t03/03/2031 \t_x86_64_\t(8 CPU)\n\n"
    result = found(diagnosed(tmp_path, f"[root@kea4 ~]# mpstat -P ALL 5 1\n{head}{text}"), "ST-24")
    assert ["Processor 1 of kea4" in one.verdict for one in result] == [True] * sick


PDSH_DATE = "{node}: {weekday} Mar  3 {clock} UTC 2031\n"


@pytest.mark.parametrize("layout", [PDSH_DATE])
@pytest.mark.parametrize(("clock", "away"), [("10:09:02", "7 m"), ("09:17:40", "44 m 22 s"), ("10:02:03", None)])
def test_the_clock_of_one_node_stands_apart(tmp_path: Path, layout: str, clock: str, away: str | None) -> None:
    clocks = {"tui1": "10:02:02", "tui2": clock, "tui3": "10:02:02"}
    text = "".join(layout.format(node=node, weekday="Mon", clock=at) for node, at in clocks.items())
    result = found(diagnosed(tmp_path, f"[root@tui1 ~]# pdsh -w tui[1-3] date\n{text}"), "ST-26")
    assert [("tui2" in one.verdict, str(away) in one.verdict) for one in result] == [(True, True)] * (away is not None)


@pytest.mark.parametrize("name", ["io{}", "n{}", "nsd{}", "c0{}", "fen{}.reed.example"])
@pytest.mark.parametrize("sick", [True, False])
def test_a_clock_is_read_whatever_its_node_is_called(tmp_path: Path, name: str, *, sick: bool) -> None:
    clocks = {1: "10:14:31", 3: "10:14:32", 2: "09:52:31" if sick else "10:14:31"}
    text = "".join(f"{name.format(at)}: Tue Mar  4 {clock} CET 2031\n" for at, clock in clocks.items())
    result = found(diagnosed(tmp_path, f"[root@tui1 ~]# pdsh -a date\n{text}"), "ST-26")
    assert [name.format(2).partition(".")[0] in one.verdict for one in result] == [True] * sick


@pytest.mark.parametrize("mark", ["", "**", "> "])
def test_rows_of_ps_aux_are_read_without_their_header(tmp_path: Path, mark: str) -> None:
    end = mark.strip("> ")
    rows = "".join(
        f"{mark}root  {4000 + number}  0.0  0.0  2644  88 pts/2  {state}  19:03  0:00 /usr/bin/rsync -a /srv{end}\n"
        for number, state in enumerate(("D+", "R+", "D", "Ss"))
    )
    store = case_of(tmp_path, {"mail.txt": rows}).store
    assert store.scan(Stack).collect()["state"].to_list() == ["D+", "D"]


TOP_OF_THREADS = """[root@kea4 ~]# top -b -n 1
top - 10:00:01 up 12 days,  3:02,  2 users,  load average: 44.10, 43.02, 40.55
Tasks: 512 total,   3 running, 509 sleeping,   0 stopped,   0 zombie
%Cpu(s):  1.0 us,  6.0 sy,  0.0 ni, 93.0 id,  0.0 wa,  0.0 hi,  0.0 si,  0.0 st

  PID USER      PR  NI    VIRT    RES    SHR S  %CPU %MEM     TIME+ COMMAND
 3311 root      20   0       0      0      0 R {share:5.1f}  0.0 812:33.10 {name}
 4410 root      20   0   16000   2300   1400 R   0.7  0.0   0:00.02 top
"""
PS_OF_THREADS = """[root@kea4 ~]# ps aux
USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND
root      2188 {share:4.1f}  0.0      0     0 ?        R    03:10 212:12 [{name}]
root      2190  0.0  0.0      0     0 ?        S    03:10   0:12 [kthreadd]
"""


@pytest.mark.parametrize("layout", [TOP_OF_THREADS, PS_OF_THREADS])
@pytest.mark.parametrize(
    ("name", "share", "reported"),
    [
        ("kworker/2:1H+glock_workqueue", 99.3, "glock_workqueue"),
        ("kworker/u8:1-dlm_callback", 97.0, "dlm_callback"),
        ("dlm_send", 94.1, "dlm_send"),
        ("dlm_send", 31.0, None),
        ("kworker/2:1H+kblockd", 99.3, None),
        ("gfs2_report", 99.3, None),
    ],
)
def test_threads_of_locks_that_take_a_whole_processor(
    tmp_path: Path, layout: str, name: str, share: float, reported: str | None
) -> None:
    result = found(diagnosed(tmp_path, layout.format(name=name, share=share)), "WL-05")
    assert [one.verdict.startswith(f"{reported} took up to ") and "kea4" in one.verdict for one in result] == [True] * (
        reported is not None
    )
