"""Small bundles of GFS2 clusters as customers send them: what the verdict, the roots, the chain and the advice must say
of the whole.
"""

from __future__ import annotations

from pathlib import Path

from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from apps.diagnosis.engine.report_text import report_text
from tests.diagnosis.cluster_texts import diagnosis_of

WRITING = (
    "G:  s:EX n:2/8812a f:lDyfqob t:EX d:UN/61220000 a:44 v:12 r:5 m:200 p:812\n I: n:88/557354 t:8 f:0x00 "
    "d:0x00000000 s:8188 p:812\n"
)
WAITING = """G:  s:UN n:2/8812a f:lqob t:SH d:EX/0 a:0 v:0 r:5 m:200 p:0
 H: s:SH f:W e:0 p:2201 [backupd] gfs2_file_read_iter+0x9a/0x200 [gfs2]
 H: s:SH f:W e:0 p:2209 [backupd] gfs2_file_read_iter+0x9a/0x200 [gfs2]
"""
TITLES = (
    "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz rareq-sz"
    " wareq-sz  svctm  %util"
)


def iostat(host: str, wait: str) -> str:
    """Four reports, the first since the start."""
    rows = [
        f"15.01.2030 03:{10 + n // 2}:{n % 2 * 30:02d}\n{TITLES}\n{_row('1,10' if n == 0 else wait)}\n"
        for n in range(4)
    ]
    return f"Linux 4.18.0-305.el8.x86_64 ({host}) \t15.01.2030 \t_x86_64_\t(16 CPU)\n\n" + "\n".join(rows)


def _row(wait: str) -> str:
    figures = [
        "80,10",
        "220,20",
        "1281,60",
        "3523,20",
        "0,00",
        "0,00",
        "0,00",
        "0,00",
        wait,
        wait,
        "41,10",
        "16,00",
        "16,00",
        "3,20",
        "99,00",
    ]
    return "dm-7         " + "  ".join(figures)


def test_the_disk_that_a_late_lock_waits_for_is_the_verdict_and_its_node_the_root(tmp_path: Path) -> None:
    files = {"glocks_gar-2_dot_txt": WRITING, "glocks_gar-1_dot_txt": WAITING}
    diagnosis = diagnosis_of(tmp_path / "slow", **files, iostat_dot_log=iostat("gar-2.lab.example", "182,20"))
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.title.endswith("; gar-1 waits for glock 2/8812a")
    assert [(finding.ref, finding.severity) for finding in diagnosis.findings[:2]] == [
        ("ST-04", "high"),
        ("GL-02", "high"),
    ]
    assert [(root.kind, root.what, root.waiters) for root in diagnosis.roots] == [("node", "gar-2", 2)]
    for name, host, wait in (("fast", "gar-2", "1,20"), ("elsewhere", "gar-1", "182,20")):
        other = diagnosis_of(tmp_path / name, **files, iostat_dot_log=iostat(host, wait))
        assert other.verdict is not None
        assert "waits for glock" not in other.verdict.title


DEADLOCK = {
    1: """G:  s:EX n:2/30a1c7 f:lDqob t:EX d:UN/44210000 a:1 v:0 r:5 m:20 p:3
 H: s:EX f:H e:0 p:4410 [smbd] gfs2_rename2+0x1a4/0x9c0 [gfs2]
G:  s:UN n:2/30b222 f:lqob t:EX d:EX/0 a:0 v:0 r:4 m:20 p:0
 H: s:EX f:W e:0 p:4410 [smbd] gfs2_rename2+0x2f4/0x9c0 [gfs2]
""",
    2: """G:  s:EX n:2/30b222 f:lDqob t:EX d:UN/44120000 a:1 v:0 r:5 m:20 p:2
 H: s:EX f:H e:0 p:7719 [rsync] gfs2_rename2+0x1a4/0x9c0 [gfs2]
G:  s:UN n:2/30a1c7 f:lqob t:EX d:EX/0 a:0 v:0 r:4 m:20 p:0
 H: s:EX f:W e:0 p:7719 [rsync] gfs2_rename2+0x2f4/0x9c0 [gfs2]
 H: s:SH f:aW e:0 p:7801 [ls] gfs2_getattr+0x5b/0x100 [gfs2]
""",
    3: """G:  s:UN n:2/30b222 f:lqob t:SH d:EX/0 a:0 v:0 r:4 m:20 p:0
 H: s:SH f:W e:0 p:9001 [find] gfs2_lookup+0x2f4/0x9c0 [gfs2]
""",
}


def test_a_deadlock_has_exactly_its_members_and_no_setting_against_it(tmp_path: Path) -> None:
    files = {f"cap{take}__gar-0{node}__glocks_dot_web": text for take in (1, 2) for node, text in DEADLOCK.items()}
    diagnosis = diagnosis_of(tmp_path, **files)
    assert [set(cycle) for cycle in diagnosis.cycles] == [{"gar-01:4410", "2/30b222", "gar-02:7719", "2/30a1c7"}]
    assert diagnosis.findings[0].ref == "GL-05"
    place = next(tuning for tuning in diagnosis.tunings if tuning.id == "one-node-per-tree-gfs2")
    assert place.status == "not_applicable"
    assert "Not now: these waits follow from something else (Deadlock of 2 processes" in place.why
    scan = next(finding for finding in diagnosis.findings if finding.ref == "WL-01")
    assert {figure.name: figure.value for figure in scan.figures}[
        "Scanners that wait"
    ] == 3  # each once, though two captures show it


def test_a_text_of_people_only_is_about_the_product_of_its_findings(tmp_path: Path) -> None:
    mail = "From: A\n\nWe have GFS2. The first du over 2 million files took 300 s, with lock_nolock it takes 10 s.\n"
    diagnosis = diagnosis_of(tmp_path, mail)
    assert diagnosis.products == (("gfs2",) if diagnosis.findings else ())


def test_a_high_rate_beside_the_limiter_is_explained_by_ownership(tmp_path: Path) -> None:
    text = "$ ping_pong /gfs/t 5\n   412311 locks/sec\n$ ping_pong /gfs/t 5\n      98 locks/sec\n"
    text += "# cat /etc/dlm/dlm.conf\n{}plock_rate_limit=100\n"
    owned, plain = (
        next(f for f in diagnosis_of(tmp_path / name, text.format(more)).findings if "measures POSIX" in f.title)
        for name, more in (("owned", "plock_ownership=1\n"), ("plain", ""))
    )
    assert "with plock_ownership a node that owns the file answers by itself" in owned.explanation
    assert "it was not in force there then" in plain.explanation
    assert "ask for the setting" not in owned.explanation + plain.explanation


LKBS = "id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name\n"
NODES = "Node  Sts   Inc   Joined               Name\n   1   M     12   2030-04-01 10:00:00  gar-1\n"
NODES += "   2   M     16   2030-04-01 10:00:10  gar-2\n"


def taken(node: str, second: int, glocks: str, lkbs: str, plocks: str) -> str:
    here = f"[root@{node} ~]# "
    return (
        f"{here}date; cat /sys/kernel/debug/gfs2/lab:data/glocks\nMon Apr  8 08:00:{second:02d} UTC 2030\n"
        f"{glocks}{here}cat /sys/kernel/debug/dlm/data_locks\n{LKBS}{lkbs}{here}dlm_tool plocks data\n"
        f"{plocks}{here}cman_tool nodes\n{NODES}"
    )


def glock(state: str, holder: str, pid: int) -> str:
    head = f"G:  s:{state} n:2/102ab f:qob t:{state} d:EX/0 a:0 v:0 r:4 m:200\n"
    return f"{head} H: s:{state} f:{holder} e:0 p:{pid} [pg] gfs2_write_begin+0x6/0x3 [gfs2]\n"


def range_of(node: int, pid: int, more: str = "") -> str:
    return f"99317 WR 0-0 nodeid {node} pid {pid} owner ffff{pid} rown 0{more}\n"


def views(folder: Path, second: int, *, other_state: str, granted: str, waits: tuple[str, str]) -> list[str]:
    lkb = '24 "       2           102ab"\n'
    one = taken(
        "gar-1",
        1,
        glock("EX", "H", 54),
        f"1100003 2 2ae0006 54 0 0 0 2 5 -1 0 2 {lkb}",
        range_of(1, 54, waits[0]) + range_of(2, 71, waits[1]),
    )
    two = taken(
        "gar-2",
        second,
        glock(other_state, "H" if other_state != "UN" else "W", 71),
        f"2ae0006 1 1100003 54 0 0 0 {granted} 0 0 {lkb}",
        range_of(1, 54) + range_of(2, 71, " WAITING"),
    )
    return [finding.title for finding in diagnosis_of(folder, one, two).findings if finding.ref == "CONTRADICTION"]


def test_views_of_two_nodes_that_cannot_both_be_true_are_shown_as_such(tmp_path: Path) -> None:
    apart = views(tmp_path / "apart", 2, other_state="SH", granted="1 -1 5", waits=(" WAITING", ""))
    for words in (
        "glock 2/102ab disagree: gar-1 shows a holder in EX, gar-2 one in SH",
        "the lock of gar-1 is granted (EX) by gar-1's table and waiting for EX by gar-2's",
        "POSIX lock on inode 99317 (0 to 0) disagree: gar-2 has it held by gar-1:54, gar-1 has gar-1:54 waiting for it",
    ):
        assert any(words in title for title in apart), words
    assert views(tmp_path / "equal", 2, other_state="UN", granted="2 5 -1", waits=("", " WAITING")) == []
    assert not any(
        "holder in" in title
        for title in views(tmp_path / "later", 40, other_state="SH", granted="2 5 -1", waits=("", " WAITING"))
    )


def test_what_redirects_the_case_is_read_first_whatever_its_severity(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    text = "$ ping_pong /gfs/t 5\n      98 locks/sec\n# cat /etc/dlm/dlm.conf\nplock_rate_limit=100\n"
    (tmp_path / "in" / "mail.txt").write_text(text, encoding="utf-8")
    report = analyse(list(inputs_of([str(tmp_path / "in")])), tmp_path, clock=Clock())
    assert [finding.severity for finding in report.diagnosis.findings] == [
        "medium",
        "info",
    ]  # as a list: most severe first
    lines = [line for piece in report_text(report) for line in piece.splitlines() if " PL-01 " in line]
    assert ["(read this first)" in line for line in lines] == [True, False]


LOG = """-- Logs begin at Mon 2030-02-11 00:00:01 CET, end at Mon 2030-02-11 12:00:00 CET. --
Feb 11 03:14:38 gar-2 kernel: gfs2: fsid=stor:data.1: about to withdraw this file system
Feb 11 03:14:39 gar-2 kernel: gfs2: fsid=stor:data.1: G:  s:EX n:2/805f f:qob t:EX d:EX/0 a:0 v:0 r:4 m:200 p:1
Feb 11 03:14:39 gar-2 kernel: gfs2: fsid=stor:data.1:  H: s:EX f:W e:0 p:4411 [nfsd] gfs2_write_begin+0x61/0x33e [gfs2]
"""


def test_a_journal_tells_its_year_and_a_withdraw_leaves_no_healthy_glocks(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, LOG)
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.title.startswith("data withdrew on gar-2 at 11 Feb 2030 03:14:38")
    assert "GL-00" not in [finding.ref for finding in diagnosis.findings]


def test_the_token_timeout_is_read_from_the_message_of_its_loss(tmp_path: Path) -> None:
    head = "Apr 02 11:20:02 [1744] gar-1 corosync"
    pause = (
        f"{head} warning [MAIN  ] Corosync main process was not scheduled (@17) for 3120.4321 ms (threshold "
        "is 2400.0 ms).\n"
    )
    lost = f"{head} notice  [TOTEM ] A processor failed, forming new configuration: token timed out (3000ms), waiting\n"
    severities = [
        next(f.severity for f in diagnosis_of(tmp_path / str(n), corosync_dot_log=log).findings if f.ref == "NW-05")
        for n, log in enumerate((pause, pause + lost, pause.replace("3120", "2520") + lost))
    ]
    assert severities == ["medium", "high", "low"]


def test_a_task_that_hangs_for_no_shown_reason_is_not_called_healthy(tmp_path: Path) -> None:
    log = "Feb 11 03:14:38 gar-2 kernel: INFO: task cp:4411 blocked for more than 120 seconds.\n"
    verdict = diagnosis_of(tmp_path, log).verdict
    assert verdict is not None
    assert (verdict.form, verdict.severity) == ("unexplained", "medium")
    assert verdict.title == "Task cp:4411 is blocked on gar-2"
