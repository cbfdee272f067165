"""The rules on the lock manager's tables, POSIX locks, recovery, LVM, mounts and fragments: where each fires, and where
it is silent.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.gfs2_pictures import diagnosis_of_texts, first_of, refs
from tests.diagnosis.test_gfs2_holder_rules import aliases, glocks, processes, wanted
from tests.references import article


def of(tmp_path: Path, *texts: str) -> Diagnosis:
    """The diagnosis of texts, a file each."""
    folder = tmp_path / str(len(list(tmp_path.iterdir())))
    folder.mkdir()
    return diagnosis_of_texts(folder, {f"f{number}": text for number, text in enumerate(texts)})


def figures(diagnosis: Diagnosis, ref: str) -> dict[str, float]:
    return {figure.name: figure.value for figure in first_of(diagnosis, ref).figures}


# DH-01, DH-02

HEAD = (
    "CPU: AMD64 family10, speed 2000 MHz (estimated)\n"
    "Counted CPU_CLK_UNHALTED events (Cycles) with a unit mask of 0x00 (No unit mask) count 100000\n"
)
PROFILE = (
    HEAD + "samples  %        symbol name\n40000   40.0000  search_rsb_list\n10000   10.0000  create_lkb\n"
    "2000     2.0000  process_send_sockets\n"
    "1000     1.0000  dlm_astd\n900      0.9000  dlm_lock\n"
)


def profile(rows: str, title: str = "[root@n1 ~]# opreport --image /dlm\n") -> str:
    return title + rows


def kernel(release: str) -> str:
    return f"[root@n1 ~]# cat hostinformation.txt\nHOSTNAME=n1\nUNAMEA=Linux n1 {release}.x86_64 #1 SMP x86_64\n"


def test_walks_of_hash_chains_in_a_profile_of_the_lock_manager(tmp_path: Path) -> None:
    found = of(tmp_path, profile(PROFILE) + kernel("2.6.18-274.el5"))
    walks = first_of(found, "DH-01")
    assert walks.severity == "medium"
    assert figures(found, "DH-01")["Share of hash walks in the module"] == 50
    assert figures(found, "DH-01")["CPU seconds of hash walks"] == pytest.approx(2.5)
    assert walks.tunings == ("rsbtbl-size", "lkbtbl-size", "dirtbl-size")
    assert all(
        "16384" in tuning.recommended and tuning.commands for tuning in found.tunings if tuning.id in walks.tunings
    )


def test_the_kernel_decides_which_tables_there_are(tmp_path: Path) -> None:
    assert "DH-01" not in refs(of(tmp_path, profile(PROFILE) + kernel("6.12.0-55.el10")))
    trees = of(tmp_path, profile(PROFILE.replace("search_rsb_list", "search_rsb_tree")) + kernel("3.10.0-327.el7"))
    assert first_of(trees, "DH-01").tunings == ("rsbtbl-size",)
    assert first_of(of(tmp_path, profile(PROFILE)), "DH-01").confidence < 0.65  # no release was sent: only possible


def test_a_small_share_or_another_module_says_nothing_about_the_lock_manager(tmp_path: Path) -> None:
    small = PROFILE.replace("40.0000", " 4.0000").replace("10.0000", " 1.0000")
    assert "DH-01" not in refs(of(tmp_path, profile(small)))
    lone = HEAD + "samples  %        symbol name\n9000   50.0000  search_bucket\n"
    found = refs(of(tmp_path, profile(lone, "[root@n1 ~]# opreport -l\n")))
    assert not {"DH-01", "DH-02"} & set(found)  # which module it is of is not known


def test_long_chains_by_count(tmp_path: Path) -> None:
    slab = "[root@n1 ~]# cat /proc/slabinfo\ndlm_rsb        332267 332300    236   17    1 : tunables    0    0    0\n"
    size = "[root@n1 ~]# cat /sys/kernel/config/dlm/cluster/rsbtbl_size\n{}\n"
    found = of(tmp_path, slab + size.format(1024) + kernel("2.6.32-431.el6"))
    assert figures(found, "DH-01")["Resources per bucket"] == pytest.approx(324.5)
    tuning = next(tuning for tuning in found.tunings if tuning.id == "rsbtbl-size")
    assert (tuning.current, tuning.status) == ("1024", "recommended")
    assert "DH-01" not in refs(of(tmp_path, slab + size.format(16384) + kernel("2.6.32-431.el6")))
    assert "DH-01" not in refs(of(tmp_path, slab + size.format(1024) + kernel("3.10.0-327.el7")))  # trees


def test_the_glock_hash(tmp_path: Path) -> None:
    rows = HEAD + (
        "samples  %        symbol name\n3000   15.0000  search_bucket\n200  1.0000  do_promote\n200  "
        "1.0000  run_queue\n"
    )
    title = "[root@n1 ~]# opreport --image /gfs2\n"
    slab = (
        "[root@n1 ~]# cat /proc/slabinfo\ngfs2_glock       1900000 1900000    424   38    4 : tunables    0    0    0\n"
    )
    both = of(tmp_path, profile(rows, title) + slab + kernel("2.6.32-696.el6"))
    assert (refs(both)["DH-02"], first_of(both, "DH-02").tunings) == ("medium", ("gl-hash-size",))
    alone = of(tmp_path, profile(rows, title))
    assert (refs(alone)["DH-02"], first_of(alone, "DH-02").tunings) == ("low", ())
    assert "DH-02" not in refs(of(tmp_path, profile(rows, title) + slab + kernel("3.10.0-957.el7")))


# PL-01 to PL-03


def test_ping_pong_measures_posix_locks_and_redirects_the_case(tmp_path: Path) -> None:
    run = "[root@n1 ~]# ping_pong /srv/mail/pp.dat 3\n" + "".join(
        f"    {n} locks/sec\n" for n in (4900, 5000, 5000, 5000, 5000)
    )
    found = of(tmp_path, run)
    assert refs(found)["PL-01"] == "info"
    assert "measures POSIX byte-range locks" in first_of(found, "PL-01").title
    assert figures(found, "PL-01")["Time of one lock operation then"] == pytest.approx(0.2)
    assert "PL-01" not in refs(of(tmp_path, run.replace("ping_pong ", "ping_pong -rw ")))
    assert not {tuning.id for tuning in found.tunings} & {"rsbtbl-size", "plock-rate-limit"}
    none = of(tmp_path, "[root@n1 ~]# ping_pong /srv/mail/pp.dat 3\n" + "    0 locks/sec\n" * 2)
    assert figures(none, "PL-01") == {"Highest rate": 0}  # no lock at all: no time of one


def test_the_rate_limiter_by_its_delays_or_by_a_rate_at_its_limit(tmp_path: Path) -> None:
    log = "[root@n1 ~]# dlm_tool dump\n8140 plock_read_count 1000 time 10.5 s delays {}\n"
    delayed = first_of(of(tmp_path, log.format(812)), "PL-01")
    assert (delayed.severity, delayed.tunings) == ("medium", ("plock-rate-limit",))
    assert delayed.title == "POSIX locks are held back by the rate limiter on n1"
    assert "PL-01" not in refs(of(tmp_path, log.format(0)))
    limit = "[root@n1 ~]# cat /etc/dlm/dlm.conf\nplock_rate_limit={}\n"
    run = "[root@n1 ~]# ping_pong /srv/mail/pp.dat 3\n" + "    97 locks/sec\n" * 5
    assert refs(of(tmp_path, limit.format(100) + run))["PL-01"] == "medium"
    assert refs(of(tmp_path, limit.format(0) + run))["PL-01"] == "info"
    for element in ("gfs_controld", "dlm"):  # RHEL 5 and 6
        part = f'[root@n1 ~]# grep plock /etc/cluster/cluster.conf\n<{element} plock_rate_limit="100"/>\n'
        assert refs(of(tmp_path, part + run))["PL-01"] == "medium", element


PLOCKS = "2893 WR 0-0 nodeid 2 pid 700 owner ffff1 rown 0\n2893 WR 0-0 nodeid 1 pid 41 owner ffff2 rown 0 WAITING\n"


def plocks(text: str, at: str = "14:00:00") -> str:
    return f"[root@n1 ~]# date\nThu Nov 12 {at} UTC 2026\n[root@n1 ~]# dlm_tool plocks mail\n{text}"


def test_ownership_of_posix_locks_with_files_that_several_nodes_lock(tmp_path: Path) -> None:
    conf = "[root@n1 ~]# cat /etc/dlm/dlm.conf\nplock_ownership={}\n"
    found = of(tmp_path, conf.format(1) + plocks(PLOCKS))
    assert first_of(found, "PL-02").title == "plock_ownership is on and 1 file is locked from several nodes"
    assert next(tuning for tuning in found.tunings if tuning.id == "plock-ownership").current == "1"
    assert "PL-02" not in refs(of(tmp_path, conf.format(0) + plocks(PLOCKS)))
    assert "PL-02" not in refs(of(tmp_path, conf.format(1) + plocks(PLOCKS.splitlines()[0] + "\n")))
    assert "PL-02" not in refs(of(tmp_path, plocks(PLOCKS)))  # the setting was not sent


def test_a_posix_lock_whose_owner_is_gone(tmp_path: Path) -> None:
    ids = aliases(n1=1, n2=2)
    twice = plocks(PLOCKS) + plocks(PLOCKS, "14:05:00")
    found = of(tmp_path, ids, twice, processes("n2", "  812 S    sshd"))
    assert (
        first_of(found, "PL-03").title == "The POSIX lock on inode 2893 of mail waits for n2:700, which does not exist"
    )
    assert any(
        edge.frm == "n1:41" and edge.to.startswith("POSIX lock on inode 2893") and edge.resolved
        for edge in found.waits_for
    )
    assert "PL-03" not in refs(of(tmp_path, ids, twice, processes("n2", "  700 S    java")))
    assert "PL-03" not in refs(of(tmp_path, ids, plocks(PLOCKS), processes("n2", "  812 S    sshd")))  # one dump
    assert "PL-03" not in refs(of(tmp_path, ids, twice))  # no list of processes


QUEUE = """2893 WR 0-99 nodeid 2 pid 700 owner ffff1 rown 0
2893 WR 0-99 nodeid 1 pid 41 owner ffff2 rown 0 WAITING
2893 RD 50-60 nodeid 3 pid 52 owner ffff3 rown 0 WAITING
"""


def test_pl_04_processes_that_queue_for_one_holder(tmp_path: Path) -> None:
    ids = aliases(n1=1, n2=2, n3=3)
    found = first_of(of(tmp_path, ids, plocks(QUEUE)), "PL-04")
    assert found.severity == "medium"
    assert found.title == "2 processes wait for a POSIX lock that process 700 on n2 holds (inode 2893 of mail)"
    again = of(tmp_path, ids, plocks(PLOCKS) + plocks(PLOCKS, "14:05:00"))
    assert first_of(again, "PL-04").severity == "high"  # the same one holds it after five minutes
    assert "PL-04" not in refs(of(tmp_path, ids, plocks(PLOCKS)))  # one that waits for a moment
    moved = PLOCKS.replace("pid 700", "pid 701")
    assert "PL-04" not in refs(of(tmp_path, ids, plocks(PLOCKS) + plocks(moved, "14:05:00")))
    apart = QUEUE.replace("0-99 nodeid 2", "200-299 nodeid 2")
    assert "PL-04" not in refs(of(tmp_path, ids, plocks(apart)))  # other bytes exclude nobody


# RC-01 to RC-05

LS = (
    "[root@n1 ~]# dlm_tool ls\ndlm lockspaces\nname          mail\nid            0x1\n"
    "flags         0x00000004 kern_stop\nmembers       1 2\n"
)
WAITS = LS + "new change    member 1 joined 0 remove 1 failed 1 seq 2,3\nnew status    wait fencing\nnew members   1\n"


def test_a_lock_space_that_waits_for_fencing_is_the_cause_of_all_lock_waits(tmp_path: Path) -> None:
    lines = wanted("2/77", 5, 6)
    found = of(tmp_path, WAITS + glocks("n1", lines) + glocks("n1", lines, "14:00:30"))
    assert found.findings[0].ref == "RC-02"
    assert refs(found)["RC-02"] == "critical"
    assert "Lock space mail waits for fencing" in found.findings[0].title
    assert "GL-01" in found.findings[0].causes
    assert "RC-02" not in refs(of(tmp_path, LS))


@pytest.mark.parametrize("space", ["mail", "home_vg", "shared-01"])
def test_a_lock_space_whose_recovery_waits_for_messages_grants_nothing(tmp_path: Path, space: str) -> None:
    waits = WAITS.replace("mail", space).replace("wait fencing", "wait messages 1")
    finding = first_of(of(tmp_path, waits), "RC-02")
    assert (finding.severity, finding.title) == (
        "high", f"Lock space {space} waits for messages of other members in its recovery"
    )  # fmt: skip
    over = waits.replace("0x00000004 kern_stop", "0x00000000").split("new change")[0]
    assert "RC-02" not in refs(of(tmp_path, over))


def test_a_fence_request_without_a_good_result(tmp_path: Path) -> None:
    log = "2026-11-12T14:00:0{}.000000+00:00 n1 dlm_controld[9]: 8123 {}\n"
    request = log.format(1, "fence request 4 pid 9 nodedown time 1 fence_all dlm_stonith")
    failed, done = (
        log.format(2, "fence result 4 pid 9 result 1 exit status"),
        log.format(3, "fence result 4 pid 9 result 0 exit status"),
    )
    assert first_of(of(tmp_path, request + failed), "RC-02").title == "Fencing of node 4 failed"
    assert "RC-02" not in refs(of(tmp_path, request + failed + done))


def test_a_cluster_without_quorum(tmp_path: Path) -> None:
    status = "[root@n1 ~]# dlm_tool status\ncluster nodeid 1 quorate {} ring seq 8 8\ndaemon now 1 fence_pid 0\n"
    assert first_of(of(tmp_path, status.format(0)), "RC-02").title == "The cluster has no quorum on n1"
    assert "RC-02" not in refs(of(tmp_path, status.format(1)))


def test_a_wait_for_fencing_that_ended(tmp_path: Path) -> None:
    log = "2026-11-12T14:00:0{}.000000+00:00 n1 dlm_controld[9]: 8123 {}\n"
    waits, done = log.format(1, "mail wait for fencing"), log.format(3, "fence result 4 pid 9 result 0 exit status")
    assert "since 12 Nov 2026 14:00:01" in first_of(of(tmp_path, waits), "RC-02").title
    assert "RC-02" not in refs(of(tmp_path, waits + done))


def test_a_withdraw_by_log_or_by_its_file(tmp_path: Path) -> None:
    log = "2026-11-12T14:00:00.000000+00:00 n1 kernel: gfs2: fsid=clu:mail.1: about to withdraw this file system\n"
    found = first_of(of(tmp_path, log), "RC-03")
    assert found.severity == "critical"
    assert found.title == "mail withdrew on n1 at 12 Nov 2026 14:00:00"
    file = "[root@n1 ~]# cat /sys/fs/gfs2/clu:mail/withdraw\n{}\n"
    assert refs(of(tmp_path, file.format(1)))["RC-03"] == "critical"
    assert "RC-03" not in refs(of(tmp_path, file.format(0)))


def test_recovery_that_does_not_end(tmp_path: Path) -> None:
    log = "2026-11-12T14:{:02d}:00.000000+00:00 n1 kernel: gfs2: fsid=clu:mail.1: jid=2: {}\n"
    begun = log.format(0, "Replaying journal...")
    assert "has not ended" in first_of(of(tmp_path, begun), "RC-01").title
    slow = of(tmp_path, begun + log.format(9, "Journal replayed in 540s"))
    assert (refs(slow)["RC-01"], figures(slow, "RC-01")["Lasted, at least"]) == ("high", 540)
    assert "RC-01" not in refs(of(tmp_path, begun + log.format(0, "Done")))


@pytest.mark.parametrize(("fs", "jid"), [("orchard:pears.1", 3), ("lab:v2.0", 0), ("a-b:home_2.11", 12)])
def test_a_journal_that_another_node_recovers_is_no_recovery_of_this_one(tmp_path: Path, fs: str, jid: int) -> None:
    begins = f"Jun  2 11:20:01 fern2 kernel: gfs2: fsid={fs}: jid={jid}: Trying to acquire journal lock...\n"
    taken = f"Jun  2 11:20:01 fern2 kernel: gfs2: fsid={fs}: jid={jid}: Busy\n"
    later = "Jun  2 11:40:01 fern2 kernel: usb 1-1: new high-speed USB device number 2 using xhci_hcd\n"
    found = of(tmp_path, begins + taken + later)
    assert [one.ref for one in found.findings if one.severity != "info"] == []
    assert "RC-01" not in refs(found)
    lost = f"Jun  2 11:20:09 fern2 kernel: gfs2: fsid={fs}: error recovering journal {jid}: -5\n"
    assert {one.ref for one in of(tmp_path, begins + lost).findings if one.severity == "medium"} == {"AL-01"}


@pytest.mark.parametrize(
    "line",
    [
        "dlm: dlm cluster name 'fern' does not match the application cluster name 'moss'",
        "dlm: pears: cluster name 'c2' does not match the current cluster name 'c1'",
        "dlm: v2: cluster name 'lab.two' doesn't match 'lab.one'",
    ],
)
def test_a_lock_table_of_another_cluster(tmp_path: Path, line: str) -> None:
    found = of(tmp_path, f"Jun  2 11:20:01 fern2 kernel: {line}\n")
    assert "another name" in found.findings[0].title
    assert any("lock table" in str(step) for step in found.next_steps)


def test_a_cluster_name_that_is_only_reported_is_no_fault(tmp_path: Path) -> None:
    found = of(tmp_path, "Jun  2 11:20:01 fern2 kernel: dlm: pears: cluster name 'moss'\n")
    assert [one.ref for one in found.findings if one.severity != "info"] == []


def test_frozen_glocks_are_recovery(tmp_path: Path) -> None:
    frozen = [f"G:  s:SH n:2/{n:x} f:FIqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:1" for n in range(16, 20)]
    assert "flag F" in first_of(of(tmp_path, glocks("n1", frozen)), "RC-01").explanation
    assert "RC-01" not in refs(of(tmp_path, glocks("n1", [frozen[0], *wanted("2/77", 5, 6), *wanted("2/78", 7)])))


def test_an_lvm_lock_that_waits_and_a_device_that_stays_suspended(tmp_path: Path) -> None:
    locks = '[root@n1 ~]# cat /sys/kernel/debug/dlm/clvmd_locks\n2450009 0 0 71 0 0 10000 1 -1 5 {} 0 5 "V_pond"\n'
    assert refs(of(tmp_path, locks.format(400_000_000)))["RC-04"] == "critical"
    assert "RC-04" not in refs(of(tmp_path, locks.format(4_000_000)))
    state = (
        "[root@n1 ~]# date\nThu Nov 12 14:0{}:00 UTC 2026\n[root@n1 ~]# dmsetup info pond-mail\nName:        "
        "      pond-mail\n"
    )
    state += "State:             {}\n"
    held = state.format(0, "SUSPENDED") + state.format(2, "SUSPENDED")
    assert "Device pond-mail on n1 is suspended for at least 2 m 00 s" in first_of(of(tmp_path, held), "RC-04").title
    assert "RC-04" not in refs(of(tmp_path, held + state.format(3, "ACTIVE")))
    assert "RC-04" not in refs(of(tmp_path, state.format(0, "SUSPENDED")))


def test_fencing_by_an_agent_whose_storage_is_lost(tmp_path: Path) -> None:
    line = "2026-11-12T14:00:0{}.000000+00:00 n1 {}\n"
    request = line.format(1, "dlm_controld[9]: 8123 fence request 4 pid 9 nodedown time 1 fence_all fence_scsi")
    failed = line.format(2, "dlm_controld[9]: 8124 fence result 4 pid 9 result 1 exit status")
    paths = line.format(3, "multipathd[1204]: mpathb: remaining active paths: {}")
    assert refs(of(tmp_path, request + failed + paths.format(0)))["RC-05"] == "critical"
    assert "RC-05" not in refs(of(tmp_path, request + failed + paths.format(3)))
    assert "RC-05" not in refs(
        of(tmp_path, (request + failed + paths.format(0)).replace("fence_scsi", "fence_ipmilan"))
    )


DEVICES = """[root@n1 ~]# crm_mon -1r
Node List:
  * Online: [ n1 n2 n3 ]
  * st-n2\t(stonith:fence_ipmilan):\t {}
  * st-n3\t(stonith:fence_ipmilan):\t {}
"""


def test_a_fencing_device_that_does_not_run(tmp_path: Path) -> None:
    one = first_of(of(tmp_path, DEVICES.format("Started n1", "Stopped")), "RC-06")
    assert one.title == "Fencing by st-n3 does not work (fence_ipmilan): n3 can't be fenced by it"
    both = first_of(of(tmp_path, DEVICES.format("FAILED n1", "Stopped")), "RC-06")
    assert "st-n2 and st-n3" in both.title
    assert "no node can be fenced" in both.explanation
    for calm in ("Started n2", "Stopped (disabled)", "Stopped (unmanaged)"):
        assert "RC-06" not in refs(of(tmp_path, DEVICES.format("Started n1", calm))), calm


# MT-01 to MT-07, FR-01


def mounted(options: str, *nodes: str) -> list[str]:
    return [
        f"[root@{node} ~]# cat /proc/mounts\n/dev/mapper/mail /srv/mail gfs2 {options} 0 0\n"
        for node in nodes or ("n1",)
    ]


def test_mount_options(tmp_path: Path) -> None:
    found = of(tmp_path, *mounted("rw,relatime,data=writeback,statfs_quantum=0", "n1", "n2"))
    assert {ref: severity for ref, severity in refs(found).items() if ref.startswith("MT")} == {
        "MT-01": "low",
        "MT-03": "info",
        "MT-04": "info",
    }
    assert first_of(found, "MT-01").title == "/srv/mail is mounted without noatime on n1 and n2"
    quiet = of(tmp_path, *mounted("rw,noatime,data=ordered", "n1", "n2"))
    assert not [ref for ref in refs(quiet) if ref.startswith("MT")]


def test_a_mount_that_can_not_be_written(tmp_path: Path) -> None:
    differs = of(tmp_path, *mounted("rw,noatime", "n1"), *mounted("ro,noatime", "n2"))
    assert refs(differs)["MT-07"] == "low"
    assert first_of(differs, "MT-07").title == "/srv/mail is mounted read-only on n2 and read-write on n1"
    assert refs(of(tmp_path, *mounted("ro,noatime", "n1", "n2")))["MT-07"] == "info"
    assert "MT-07" not in refs(of(tmp_path, *mounted("ro,noatime,spectator", "n1")))


def test_quota_with_waiters_for_quota_locks(tmp_path: Path) -> None:
    waits = glocks("n1", wanted("8/1", 5, inode_type=None))
    assert refs(of(tmp_path, *mounted("rw,noatime,quota=on"), waits))["MT-02"] == "low"
    assert "MT-02" not in refs(of(tmp_path, *mounted("rw,noatime,quota=on")))
    assert "MT-02" not in refs(of(tmp_path, *mounted("rw,noatime"), waits))


EXPORT = "[root@n1 ~]# cat /etc/exports\n/srv/mail  10.20.0.0/24(rw,sync,no_root_squash)\n"
SAMBA = "[root@n1 ~]# testparm -s\n[global]\n\tclustering = {}\n[mail]\n\tpath = /srv/mail\n"


def test_localflocks_is_judged_by_all_its_gates_and_never_advised_on_a_guess(tmp_path: Path) -> None:
    both = of(tmp_path, *mounted("rw,noatime,localflocks", "n1", "n2"))
    assert refs(both)["MT-05"] == "critical"
    assert "data is at risk" in first_of(both, "MT-05").title
    assert refs(of(tmp_path, *mounted("rw,noatime,localflocks"), SAMBA.format("Yes")))["MT-05"] == "critical"
    assert refs(of(tmp_path, *mounted("rw,noatime,localflocks"), EXPORT, SAMBA.format("No")))["MT-05"] == "high"
    assert "MT-05" not in refs(of(tmp_path, *mounted("rw,noatime,localflocks"), EXPORT))  # as the vendor wants it
    shared = of(tmp_path, *mounted("rw,noatime", "n1", "n2"), EXPORT)
    alone = of(tmp_path, *mounted("rw,noatime"), EXPORT)
    assert (refs(shared)["MT-05"], refs(alone)["MT-05"]) == ("medium", "info")
    assert "whether a local process uses the files too" in first_of(alone, "MT-05").explanation
    assert not any(tuning.id == "localflocks" for found in (shared, alone) for tuning in found.tunings)
    assert "MT-05" not in refs(of(tmp_path, *mounted("rw,noatime", "n1", "n2")))


def test_a_lock_space_with_one_member(tmp_path: Path) -> None:
    space = LS.replace(" kern_stop", "").replace("0x00000004", "0x00000000")
    one = of(tmp_path, space.replace("1 2", "1") + glocks("n1", wanted("2/77", 5)))
    assert refs(one)["MT-06"] == "info"
    lockproto = next(tuning for tuning in one.tunings if tuning.id == "lockproto")
    assert "disable the cluster resource" in lockproto.caution
    assert lockproto.caution.index("disable the cluster resource") < lockproto.caution.index("then mount there")
    assert "MT-06" not in refs(of(tmp_path, space + glocks("n1", wanted("2/77", 5))))


def test_fragmented_files(tmp_path: Path) -> None:
    frag = "[root@n1 ~]# filefrag -v /srv/mail/big\nFile size of /srv/mail/big is {} (1 blocks of 4096 bytes)\n"
    frag += "/srv/mail/big: {} extents found\n"
    found = of(tmp_path, *mounted("rw,noatime"), frag.format(4 << 30, 8000))
    assert (refs(found)["FR-01"], figures(found, "FR-01")["Extents per GiB"]) == ("low", 2000)  # nobody is seen to wait
    assert refs(of(tmp_path, *mounted("rw,noatime"), frag.format(4 << 30, 80_000)))["FR-01"] == "low"
    assert "FR-01" not in refs(of(tmp_path, *mounted("rw,noatime"), frag.format(4 << 30, 800)))
    assert "FR-01" not in refs(of(tmp_path, *mounted("rw,noatime"), frag.format(1 << 20, 800)))
    assert "FR-01" not in refs(of(tmp_path, frag.format(4 << 30, 80_000)))  # nothing says that it lies on GFS2


# the thread on the speed of the lock manager


def test_the_thread_on_the_speed_of_the_lock_manager(tmp_path: Path) -> None:
    found = diagnosis_of_texts(tmp_path, {"thread.txt": article("dlm-speed-thread.txt").read_text()})
    severities = refs(found)
    assert {ref: severities.get(ref) for ref in ("PL-01", "DH-01", "DH-02")} == {
        "PL-01": "info",
        "DH-01": "medium",
        "DH-02": "low",
    }
    assert "MT-06" not in severities  # no record shows who mounts it
    assert not [ref for ref in severities if ref.startswith(("GL-", "RC-"))]
    assert figures(found, "DH-01")["Share of hash walks in the module"] == pytest.approx(83.0264, abs=1e-4)
    assert figures(found, "DH-01")["CPU seconds of hash walks"] == pytest.approx(12.279, rel=1e-3)
    assert figures(found, "DH-02")["Share of search_bucket in the module"] == pytest.approx(15.56)
    assert figures(found, "PL-01") == {
        "Highest rate": 5000,
        "Time of one lock operation then": pytest.approx(0.2),
        "Lowest rate, at most": 9,
    }
    posix = first_of(found, "PL-01")
    assert "A rate limit of 100 cannot have been active" in posix.explanation
    advised = {tuning.id for tuning in found.tunings}
    assert not advised & {"plock-rate-limit", "gl-hash-size", "totem-window-size", "totem-token"}
    assert next(finding.ref for finding in found.findings if finding.severity == "info") == "PL-01"
