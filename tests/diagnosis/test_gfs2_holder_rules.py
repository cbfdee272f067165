"""The rules on GFS2 holders, odd locks, allocation and stalls: where each fires, with its figures, and where it stays
silent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Finding
from tests.diagnosis.gfs2_pictures import case_of, diagnosis_of_texts, first_of, glock_picture, lock_refs, refs

HOST = "HOSTNAME={node}\nTIMESTAMP=2026-11-12 14:{minute:02d}:{second:02d}\nNODE_ID={id}\n"
PS = "    1 Ss   /usr/lib/systemd/systemd\n    2 S    [kthreadd]\n"


def glocks(node: str, lines: list[str], at: str = "14:00:00", fs: str = "clu:mail") -> str:
    """A dump at a prompt, with its time."""
    return (
        f"[root@{node} ~]# date\nThu Nov 12 {at} UTC 2026\n[root@{node} ~]# cat /sys/kernel/debug/gfs2/{fs}/glocks\n"
        + "\n".join(lines)
        + "\n"
    )


def processes(node: str, *rows: str, at: str = "14:00:00") -> str:
    return f"[root@{node} ~]# date\nThu Nov 12 {at} UTC 2026\n[root@{node} ~]# ps hALo tid,s,cmd\n{PS}" + "".join(
        f"{row}\n" for row in rows
    )


def wanted(name: str, *pids: int, mode: str = "EX", **how: object) -> list[str]:
    return glock_picture(name, *(f"wants {mode} {pid} job" for pid in pids), state="UN", flags="lIqob", **how)  # type: ignore[arg-type]


# GL-03


def test_a_holder_that_is_not_in_the_list_of_processes_is_gone(tmp_path: Path) -> None:
    queue = glock_picture("2/77", "held EX 500 cp", "wants EX 6 mv")
    found = diagnosis_of_texts(tmp_path, {"a": glocks("n1", queue) + processes("n1", "    6 D    mv a b")})
    gone = first_of(found, "GL-03")
    assert gone.severity == "high"
    assert (
        gone.title
        == "Glock 2/77 is held by pid 500 on n1, which is not in the list of that node's processes; 1 process waits"
    )
    twice = diagnosis_of_texts(
        tmp_path / "2",
        {"a": glocks("n1", queue) + processes("n1", "    6 D    mv a b"), "b": glocks("n1", queue, "14:00:30")},
    )
    assert first_of(twice, "GL-03").severity == "critical"


@pytest.mark.parametrize(
    ("queue", "rows"),
    [
        (glock_picture("2/77", "held EX 500 cp", "wants EX 6 mv"), ["  500 D    cp a b"]),
        (glock_picture("6/77", "held EX 500 cp", "wants EX 6 mv"), []),
        (glock_picture("5/77", "held SH 500 (ended)", "wants EX 6 mv"), []),
        (glock_picture("2/77", "held EX 500 cp"), []),
    ],
    ids=["it is alive", "an flock outlives its process", "an open inode does", "nobody waits"],
)
def test_a_holder_is_not_gone(tmp_path: Path, queue: list[str], rows: list[str]) -> None:
    assert "GL-03" not in refs(diagnosis_of_texts(tmp_path, {"a": glocks("n1", queue) + processes("n1", *rows)}))


def test_without_a_list_of_processes_only_the_dump_itself_can_say_that_a_holder_ended(tmp_path: Path) -> None:
    assert "GL-03" not in refs(
        case_of(tmp_path / "1", {"n1": [glock_picture("2/77", "held EX 500 cp", "wants EX 6 mv")]})
    )
    found = case_of(tmp_path / "2", {"n1": [glock_picture("2/77", "held EX 500 (ended)", "wants EX 6 mv")]})
    assert "which has ended" in first_of(found, "GL-03").title


@pytest.mark.parametrize(
    "frame", ["wait_on_page_bit", "io_schedule, blk_mq_get_tag", "gfs2_log_flush", "iscsi_eh_device_reset"]
)
def test_one_look_at_a_holder_that_waits_in_the_kernel_says_where(tmp_path: Path, frame: str) -> None:
    wchan = frame.rpartition(" ")[2]
    listed = ["[root@n1 ~]# ps -eo pid,stat,wchan:30,cmd", "  PID STAT WCHAN                          CMD"]

    def judged(name: str, state: str, *waiters: int) -> list[Finding]:
        queue = glock_picture("2/77", "held EX 500 cp", *(f"wants EX {pid} mv" for pid in waiters))
        rows = "\n".join([*listed, f"  500 {state:<4} {wchan:<30} cp a b", ""])
        return [
            one
            for one in diagnosis_of_texts(tmp_path / name, {"a": glocks("n1", queue) + rows}).findings
            if one.ref == "GL-03"
        ]

    [stuck] = judged("stuck", "D", 6, 7, 8)
    assert (stuck.severity, wchan in stuck.title, "3 processes" in stuck.title) == ("high", True, True)
    [one] = judged("one waits", "Ds", 6)
    assert one.severity == "medium"
    assert not judged("it runs", "R", 6, 7, 8)
    assert not judged("nobody waits", "D")


# GL-04


def test_waiters_on_several_resource_groups_are_pressure_on_allocation(tmp_path: Path) -> None:
    lines = [*wanted("3/11", 1, inode_type=None), *wanted("3/22", 2, inode_type=None)]
    use = (
        "[root@n1 ~]# df -k\nFilesystem 1K-blocks Used Available Use% Mounted on\n/dev/mapper/a 100 97 3 97% "
        "/srv/mail\n"
    )
    found = diagnosis_of_texts(tmp_path, {"a": glocks("n1", lines) + use})
    pressure = first_of(found, "GL-04")
    assert pressure.severity == "high"
    assert "2 processes on n1 wait for 2 resource groups of mail" in pressure.title
    assert {figure.name: figure.value for figure in pressure.figures}["File system used"] == 97
    assert "free-space" in pressure.tunings


def test_one_waiter_on_one_resource_group_is_no_pressure(tmp_path: Path) -> None:
    assert "GL-04" not in refs(case_of(tmp_path, {"n1": [wanted("3/11", 1, 2, inode_type=None)]}))


def test_with_enough_room_the_advice_is_not_to_make_more(tmp_path: Path) -> None:
    use = (
        "[root@n1 ~]# df -k\nFilesystem 1K-blocks Used Available Use% Mounted on\n/dev/mapper/a 100 20 80 "
        "20% /srv/mail\n"
    )
    found = diagnosis_of_texts(tmp_path, {"a": glocks("n1", wanted("3/11", 1, 2, 3, inode_type=None)) + use})
    assert first_of(found, "GL-04").tunings == ("one-node-per-tree-gfs2",)
    assert first_of(found, "GL-04").severity == "medium"


# GL-06, GL-07, and what the lock manager's tables add

LOCKS = "id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name\n"


def dlm(node: str, rows: str, at: str = "14:00:00") -> str:
    return (
        f"[root@{node} ~]# date\nThu Nov 12 {at} UTC 2026\n[root@{node} ~]# cat "
        f"/sys/kernel/debug/dlm/mail_locks\n{LOCKS}{rows}"
    )


def row(
    owner: int, status: int, granted: int, requested: int, pid: int, *, number: str = "77", us: int = 9_000_000
) -> str:
    """A line of the master's own table."""
    return f'2450009 {owner} 1be0011 {pid} 0 0 10000 {status} {granted} {requested} {us} 0 24 "{2:8x}{number:>16}"\n'


def aliases(**ids: int) -> str:
    return "".join(
        f"[root@{node} ~]# cat hostinformation.txt\nHOSTNAME={node}\nNODE_ID={number}\n" for node, number in ids.items()
    )


def test_the_holder_comes_from_the_lock_managers_tables_where_no_dump_shows_it(tmp_path: Path) -> None:
    waiting = glocks("n1", wanted("2/77", 5, 6))
    table = dlm("n1", row(0, 1, -1, 5, 5) + row(3, 2, 5, -1, 4711))
    found = diagnosis_of_texts(tmp_path, {"n1/a": waiting + table, "x": aliases(n1=1, n3=3)})
    assert [(root.kind, root.what, root.node, root.waiters) for root in found.roots] == [("thread", "n3:4711", "n3", 2)]
    assert "by the lock manager's tables" in found.roots[0].why
    missing = first_of(found, "GL-06")
    assert missing.title.endswith("n3 has it by the lock manager's tables, and its dump was not sent")
    assert "Collect on n3" in missing.explanation


def test_who_requested_a_late_lock_is_reported_by_the_lock_manager_or_a_trace(tmp_path: Path) -> None:
    late = glocks("n1", glock_picture("2/77", "held EX 9 cp", flags="DIqob", demote="UN/7000000"))
    silent = first_of(diagnosis_of_texts(tmp_path / "1", {"a": late}), "GL-02")
    assert "by another node" not in silent.title
    table = dlm("n1", row(0, 2, 5, -1, 9) + row(3, 1, -1, 5, 4711))
    finding = first_of(diagnosis_of_texts(tmp_path / "2", {"a": late + table}), "GL-02")
    assert finding.title.endswith(", wanted by another node for 7.0 s")
    assert len(finding.evidence) == 3
    line = (
        "  kworker/1:2-9  [002] .... 100.000000: gfs2_demote_rq: 253,4 glock 2:119 demote EX to UN "
        "flags:DyIqob remote\n"
    )
    traced = first_of(diagnosis_of_texts(tmp_path / "3", {"a": late, "b": line}), "GL-02")
    assert "by another node" in traced.title


def test_other_nodes_that_ask_every_second_are_counted_in_a_trace(tmp_path: Path) -> None:
    line = "  kworker/1:2-9  [002] .... {:.6f}: gfs2_demote_rq: 253,4 glock 2:119 demote EX to UN flags:DyIqob remote\n"
    text = "".join(line.format(100 + n * 0.5) for n in range(40))
    found = first_of(diagnosis_of_texts(tmp_path / "1", {"n1/trace": text}), "GL-01")
    assert found.severity == "high"
    assert "for glock 2/77 (inode 119) of device 253,4 2.1 times a second" in found.title
    slow = "".join(line.format(100 + n * 2) for n in range(40))
    assert "GL-01" not in refs(diagnosis_of_texts(tmp_path / "2", {"n1/trace": slow}))
    assert "GL-01" not in refs(diagnosis_of_texts(tmp_path / "3", {"n1/trace": text.replace("remote", "local")}))


def test_files_of_a_lock_capture_get_the_time_of_their_run(tmp_path: Path) -> None:
    queue = "\n".join(glock_picture("2/77", "held EX 9 cp", "wants EX 10 mv")) + "\n"
    texts = {}
    for run, minute in ((1, 0), (2, 2)):
        texts[f"cap/run{run}/carp1/hostinformation.txt"] = HOST.format(node="carp1", minute=minute, second=7, id=1)
        texts[f"cap/run{run}/carp1/gfs2/clu:mail/glocks"] = queue
    found = diagnosis_of_texts(tmp_path, texts)
    local = first_of(found, "GL-11")
    assert (local.end or 0) - (local.start or 0) == 120_000_000
    assert local.nodes == ("carp1",)


def test_a_node_without_a_name_is_reported_by_its_number(tmp_path: Path) -> None:
    found = diagnosis_of_texts(
        tmp_path, {"n1/a": glocks("n1", wanted("2/77", 5, 6)) + dlm("n1", row(3, 2, 5, -1, 4711))}
    )
    assert found.roots[0].what == "node 3:4711"


def test_a_table_of_another_hour_or_file_system_names_no_holder(tmp_path: Path) -> None:
    late = dlm("n1", row(3, 2, 5, -1, 4711), at="15:00:00")
    found = diagnosis_of_texts(tmp_path / "1", {"n1/a": glocks("n1", wanted("2/77", 5, 6)) + late})
    assert [root.kind for root in found.roots] == ["lock"]
    other = dlm("n1", row(3, 2, 5, -1, 4711)).replace("mail_locks", "home_locks")
    found = diagnosis_of_texts(tmp_path / "2", {"n1/a": glocks("n1", wanted("2/77", 5, 6)) + other})
    assert [root.kind for root in found.roots] == ["lock"]


def test_a_shared_lock_of_the_manager_blocks_no_reader(tmp_path: Path) -> None:
    found = diagnosis_of_texts(
        tmp_path, {"n1/a": glocks("n1", wanted("2/77", 5, 6, mode="SH")) + dlm("n1", row(3, 2, 3, -1, 4711))}
    )
    assert not any("4711" in root.what for root in found.roots)


def test_t20_a_dump_and_the_lock_manager_that_contradict_each_other_are_shown_as_doing_so(tmp_path: Path) -> None:
    held = glock_picture("2/77", "held EX 9 cp")
    texts = {"n1/a": glocks("n1", held) + dlm("n1", row(3, 2, 5, -1, 4711)), "x": aliases(n1=1, n3=3)}
    note = first_of(diagnosis_of_texts(tmp_path / "1", texts), "CONTRADICTION")
    assert note.severity == "info"
    assert note.title == (
        "The views of glock 2/77 of mail disagree: n1's dump shows it EX, while the lock manager has "
        "granted it EX to n3"
    )
    assert len(note.evidence) == 2
    moving = glock_picture("2/77", "wants EX 9 cp", state="SH", flags="lIqob")
    texts = {"n1/a": glocks("n1", moving) + dlm("n1", row(3, 2, 5, -1, 4711))}
    assert "CONTRADICTION" not in refs(diagnosis_of_texts(tmp_path / "2", texts))
    agreeing = glock_picture("2/77", "held SH 9 cp", state="SH")
    texts = {"n1/a": glocks("n1", agreeing) + dlm("n1", row(3, 2, 3, -1, 4711) + row(0, 2, 3, -1, 9))}
    assert "CONTRADICTION" not in refs(diagnosis_of_texts(tmp_path / "3", texts))


LS = (
    "[root@n1 ~]# dlm_tool ls\ndlm lockspaces\nname          mail\nid            0x1\nflags         "
    "0x00000000\nmembers       1 2\n"
)


def two_rounds(first: list[str], second: list[str]) -> str:
    return glocks("n1", first) + glocks("n1", second, "14:00:30")


def test_waiters_whom_no_member_blocks_point_to_a_lost_callback(tmp_path: Path) -> None:
    quiet = glocks("n2", ["G:  s:UN n:2/9 f:o t:UN d:EX/0 a:0 v:0 r:2 m:200 p:0"])
    texts = {"a": two_rounds(wanted("2/77", 5), wanted("2/77", 5, 6)), "b": quiet, "c": LS, "d": aliases(n1=1, n2=2)}
    lost = first_of(diagnosis_of_texts(tmp_path / "1", texts), "GL-07")
    assert lost.severity == "critical"  # the queue grows
    assert "none of its 2 nodes holds it" in lost.title
    for number, change in enumerate(
        (
            {"b": ""},  # a member was not dumped
            {"c": LS.replace("0x00000000", "0x00000004 kern_stop")},
            {"b": glocks("n2", glock_picture("2/77", "held EX 8 cp"))},
            {"a": two_rounds(wanted("2/77", 5), [])},
            {"e": "[root@n1 ~]# cat /sys/kernel/debug/dlm/mail_waiters\n100b0 1 2        2              77\n"},
        )
    ):
        texts_now = {path: text for path, text in {**texts, **change}.items() if text}
        assert "GL-07" not in refs(diagnosis_of_texts(tmp_path / f"silent{number}", texts_now))


# GL-08, GL-12


def test_waits_for_the_rename_lock_in_two_captures(tmp_path: Path) -> None:
    rename = wanted("1/3", 5, 6, inode_type=None)
    found = case_of(tmp_path / "1", {"n1": [rename, rename]})
    assert first_of(found, "GL-08").title == "2 processes wait for the rename lock (1/3) of mail"
    assert first_of(found, "GL-08").severity == "medium"
    assert "GL-08" not in refs(case_of(tmp_path / "2", {"n1": [rename]}))
    assert refs(case_of(tmp_path / "3", {"n1": [wanted("9/0", 5, inode_type=None)] * 2}))["GL-08"] == "high"


@pytest.mark.parametrize(("captures", "severity"), [(2, "medium"), (12, "high"), (62, "critical")])
def test_a_freeze_lock_held_for_long_is_a_forgotten_freeze(tmp_path: Path, captures: int, severity: str) -> None:
    frozen = glock_picture("1/2", "held EX 99 fsfreeze", inode_type=None)
    found = case_of(tmp_path, {"n1": [frozen] * captures})
    freeze = first_of(found, "GL-12")
    assert freeze.severity == severity
    assert "mail looks frozen by n1 (99 [fsfreeze])" in freeze.title
    assert freeze.tunings == ()


def test_a_freeze_lock_seen_once_or_shared_is_nothing(tmp_path: Path) -> None:
    once = glock_picture("1/2", "held EX 99 fsfreeze", inode_type=None)
    mounted = glock_picture("1/2", "held SH 99 mount", inode_type=None, state="SH")
    assert "GL-12" not in refs(case_of(tmp_path / "1", {"n1": [once]}))
    assert "GL-12" not in refs(case_of(tmp_path / "2", {"n1": [mounted, mounted]}))


# GL-09, GL-10, GL-15, GL-16


def test_direct_and_buffered_access_to_one_inode(tmp_path: Path) -> None:
    direct = glock_picture("2/77", "held DF 5 dbwr", state="DF")
    cached = glock_picture("2/77", "wants EX 6 tar", state="SH", flags="DIqob", demote="UN/3000000")
    found = case_of(tmp_path / "1", {"n1": [direct], "n2": [cached]})
    assert (
        first_of(found, "GL-09").title
        == "Inode 119 of mail is used with direct I/O on n1 and through the page cache on n2"
    )
    both = glock_picture("2/77", "held DF 7 dbwr", state="DF")
    assert "GL-09" not in refs(case_of(tmp_path / "2", {"n1": [direct], "n2": [both]}))


def test_direct_and_buffered_access_that_a_trace_counts(tmp_path: Path) -> None:
    change = (
        "  kworker/2:1-88 [002] .... 51234.{n}20991: gfs2_glock_state_change: 253,4 glock 2:119 state {was} to {now}"
        " tgt:{now} dmt:EX flags:lIqob\n"
    )
    head = "[root@n1 ~]# cat /sys/kernel/debug/tracing/trace\n# tracer: nop\n#\n"
    moves = [change.format(n=n, was="EX" if n % 2 else "DF", now="DF" if n % 2 else "EX") for n in range(1, 4)]
    found = first_of(diagnosis_of_texts(tmp_path / "1", {"a": head + "".join(moves)}), "GL-09")
    assert found.title.startswith(
        "Inode 119 of device 253,4 is used with direct I/O on n1 and through the page cache on a node"
    )
    assert "2 times" in found.explanation  # from one use to the other
    assert "GL-09" not in refs(diagnosis_of_texts(tmp_path / "2", {"a": head + moves[0]}))


def test_more_than_a_million_glocks_are_named(tmp_path: Path) -> None:
    slab = "[root@n1 ~]# cat /proc/slabinfo\ngfs2_glock        {n} {n}    424   38    4 : tunables    0    0    0\n"
    found = diagnosis_of_texts(tmp_path / "1", {"a": slab.format(n=1_812_004)})
    assert first_of(found, "GL-10").severity == "info"
    assert first_of(found, "GL-10").figures[0].value == 1_812_004
    assert "GL-10" not in refs(diagnosis_of_texts(tmp_path / "2", {"a": slab.format(n=812_004)}))


def test_an_open_lock_marked_for_deletion_in_three_captures(tmp_path: Path) -> None:
    marked = glock_picture("5/77", "held SH 9 java", state="SH", flags="PIqob", inode_type=None)
    opener = "[root@n1 ~]# cat /sys/kernel/debug/gfs2/clu:mail/glockfd\n4471 7 5/77\n"
    found = case_of(tmp_path / "1", {"n1": [marked] * 3})
    assert "Inode 119 of mail seems to be deleted but kept open" in first_of(found, "GL-15").title
    assert "GL-15" not in refs(case_of(tmp_path / "2", {"n1": [marked] * 2}))
    text = "".join(glocks("n1", marked, f"14:0{n}:00") for n in range(3)) + opener
    assert "by process 4471" in first_of(diagnosis_of_texts(tmp_path / "3", {"a": text}), "GL-15").title


def faulting(*queue: str, **how: object) -> list[str]:
    return [line.replace("gfs2_open_common", "gfs2_page_mkwrite") for line in glock_picture("2/77", *queue, **how)]  # type: ignore[arg-type]


def test_a_mapped_file_written_on_two_nodes(tmp_path: Path) -> None:
    held, waiting = faulting("held EX 5 db"), faulting("wants EX 6 db", state="UN", flags="lIqob", hold=" m:20")
    found = case_of(tmp_path / "1", {"n1": [held, held], "n2": [waiting, waiting]})
    shared = first_of(found, "GL-16")
    assert "is written from 2 nodes at once (mapped into memory)" in shared.title
    assert "about 50 changes of owner per second" in shared.explanation
    assert shared.confidence <= 0.2  # recalled knowledge is a hint only
    assert "GL-16" not in refs(case_of(tmp_path / "2", {"n1": [held, held], "n2": [[], []]}))


# GL-13, GL-14: stacks


def stack(pid: int, name: str, *frames: str, seconds: int = 120) -> str:
    head = (
        f"INFO: task {name}:{pid} blocked for more than {seconds} seconds.\n"
        f"{name:<15} D ffff880c3fc13fc0     0 {pid:>5}      2 0x00000080\nCall Trace:\n"
    )
    return head + "".join(f" [<ffffffffa03c4b1e>] {frame}+0xe/0x20\n" for frame in frames) + "\n"


RECLAIM = (
    "dlm_lock",
    "gdlm_lock",
    "gfs2_glock_nq",
    "gfs2_evict_inode",
    "evict",
    "shrink_slab",
    "shrink_zone",
    "kswapd",
)
QUEUED = ("rwsem_down_write_slowpath", "down_write", "path_openat", "do_filp_open")


def test_reclaim_that_waits_for_the_lock_manager(tmp_path: Path) -> None:
    two = stack(71, "kswapd0", *RECLAIM) + stack(72, "kswapd1", *RECLAIM)
    found = first_of(diagnosis_of_texts(tmp_path / "1", {"n1/messages": two}), "GL-13")
    assert found.severity == "critical"  # the kernel says 120 seconds
    assert found.confidence <= 0.2
    one = refs(diagnosis_of_texts(tmp_path / "2", {"n1/messages": stack(71, "kswapd0", *RECLAIM)}))
    assert one["GL-13"] == "critical"  # the age alone tells: a task of reclaim stands still for two minutes
    unlink = ("dlm_lock", "gfs2_glock_nq", "gfs2_evict_inode", "do_unlinkat")
    texts = {"n1/messages": stack(71, "rm", *unlink) + stack(72, "rm", *unlink)}
    assert "GL-13" not in refs(diagnosis_of_texts(tmp_path / "3", texts))


def test_a_holder_that_waits_for_the_journal_is_named_with_those_behind_it(tmp_path: Path) -> None:
    held = glocks("n1", glock_picture("2/805b", "held EX 24512 rsync"))
    waiting = glocks("n2", wanted("2/805b", 3))
    blocked = stack(24512, "rsync", "__schedule", "gfs2_log_reserve", "gfs2_trans_begin", "gfs2_unlink")
    found = diagnosis_of_texts(tmp_path, {"n1/a": held, "n2/a": waiting, "n1/messages": blocked})
    assert found.verdict is not None
    assert found.verdict.ref == "GL-03"
    assert found.verdict.title == "Pid 24512 on n1 holds glock 2/805b and waits for the journal"
    assert (
        "which waits for the journal in gfs2_log_reserve for more than 2 m 00 s; 1 process waits"
        in found.findings[0].title
    )


def test_tasks_that_queue_for_a_vfs_inode_lock(tmp_path: Path) -> None:
    text = glocks("n1", wanted("2/77", 5)) + "".join(stack(pid, "touch", *QUEUED) for pid in (41, 42, 43))
    found = first_of(diagnosis_of_texts(tmp_path / "1", {"n1/a": text}), "GL-14")
    assert found.title.startswith("3 tasks on n1 queue for a VFS inode lock")
    assert "path_openat" in found.explanation
    alone = glocks("n1", wanted("2/77", 5)) + stack(41, "touch", *QUEUED)
    assert "GL-14" not in refs(diagnosis_of_texts(tmp_path / "2", {"n1/a": alone}))
    other = "".join(stack(pid, "touch", *QUEUED) for pid in (41, 42, 43))
    assert "GL-14" not in refs(diagnosis_of_texts(tmp_path / "3", {"n1/a": other}))  # nothing speaks of GFS2


@pytest.mark.parametrize(
    ("frames", "what"),
    [
        (("gfs2_glock_wait", "gfs2_glock_nq", "gfs2_create_inode"), "a glock"),
        (("io_schedule", "gfs2_create_inode"), "storage"),
    ],
)
def test_who_may_hold_a_vfs_inode_lock_is_named(tmp_path: Path, frames: tuple[str, ...], what: str) -> None:
    text = (
        glocks("n1", wanted("2/77", 5))
        + "".join(stack(pid, "touch", *QUEUED) for pid in (41, 42, 43))
        + stack(44, "cp", *frames)
    )
    found = first_of(diagnosis_of_texts(tmp_path, {"n1/a": text}), "GL-14")
    assert found.verdict.endswith(f"probably held by 44 [cp], which itself waits for {what}")


def test_writers_before_a_frozen_file_system_are_shown_without_its_freeze_lock(tmp_path: Path) -> None:
    frozen = ("percpu_rwsem_wait", "__percpu_down_read", "__sb_start_write", "vfs_write")
    found = first_of(
        diagnosis_of_texts(tmp_path / "1", {"n1/a": stack(51, "tee", *frozen) + stack(52, "tee", *frozen)}), "GL-12"
    )
    assert found.title.endswith("; 2 writers wait")
    assert "GL-12" not in refs(diagnosis_of_texts(tmp_path / "2", {"n1/a": stack(51, "tee", *frozen)}))


def test_two_dumps_back_to_back_are_two_captures(tmp_path: Path) -> None:
    lines = [*wanted("2/77", 5), *glock_picture("2/99", "held EX 6 cp")]
    once = diagnosis_of_texts(tmp_path / "1", {"a": glocks("n1", lines)})
    twice = diagnosis_of_texts(tmp_path / "2", {"a": glocks("n1", [*lines, *lines])})
    assert lock_refs(once).get("GL-01") is None
    assert lock_refs(twice)["GL-01"] == "high"
    assert "seen in 2 of 2 captures" in first_of(twice, "GL-01").explanation
