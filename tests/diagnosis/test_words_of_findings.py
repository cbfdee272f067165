"""What findings say in their own words: names, numbers of things, and advice that fits what was seen."""

from __future__ import annotations

from pathlib import Path

from tests.diagnosis.cluster_texts import diagnosis_of


def titles_of(folder: Path, text: str) -> list[str]:
    """The titles of the findings of a text."""
    return [one.title.replace("\xa0", " ") for one in diagnosis_of(folder, text).findings]


def test_the_first_generation_of_gfs_has_a_check_of_its_own(tmp_path: Path) -> None:
    text = "{0}: fsid=alpha:vol.2: fatal: I/O error\n{0}: fsid=alpha:vol.2: about to withdraw from the cluster\n"
    first = diagnosis_of(tmp_path / "first", text.format("GFS")).findings[0].explanation
    second = diagnosis_of(tmp_path / "second", text.format("GFS2")).findings[0].explanation
    assert "gfs_fsck" in first
    assert "fsck.gfs2" not in first
    assert "fsck.gfs2" in second
    assert "gfs_fsck" not in second
    assert "withdraw file" not in first


def test_a_path_is_counted_once_by_port_address_and_name(tmp_path: Path) -> None:
    found = diagnosis_of(
        tmp_path,
        messages_dot_txt="""
Jun  1 03:12:39 moa kernel:  rport-11:0-2: blocked FC remote port time out: removing target and saving binding
Jun  1 03:12:39 moa kernel: sd 11:0:0:3: rejecting I/O to offline device
Jun  1 03:12:39 moa multipathd[1021]: sdq: mark as failed
Jun  1 03:12:39 moa multipathd[1021]: mpathd: remaining active paths: 1
""",
    )
    assert any("one was lost (sdq)" in one.title for one in found.findings)


def test_a_log_that_a_sentence_speaks_of_is_no_node(tmp_path: Path) -> None:
    lines = """
2026-03-11_02:15:40.002+0100: [E] Node 10.41.7.23 (birch03) is being expelled because of an expired lease.
2026-03-11_02:15:40.041+0100: [I] Recovering nodes: 10.41.7.23
"""
    for number, file in enumerate(("mmfs.log.latest", "messages.log.1", "kern.log.old", "mmfs.log.previous")):
        text = f"We lose a server at night. From {file} on the cluster manager:\n{lines}"
        title = diagnosis_of(tmp_path / str(number), text).findings[0].title
        assert "birch03" in title
        assert not any(word in title for word in ("mmfs", "messages", "kern"))


def test_a_key_of_nobody_makes_no_node(tmp_path: Path) -> None:
    text = """# vxfenadm -s all -f /etc/vxfentab
Device Name: /dev/vx/rdmp/emc0_00a1
Total Number Of Keys: 1
key[0]:
 [Numeric Format]:  86,70,57,69,68,67,48,48
 [Character Format]: VF9EDC00
 [Node Format]: Cluster ID: unknown  Node ID: 0  Node Name: unknown
"""
    assert not any("unknown" in node for one in diagnosis_of(tmp_path, text).findings for node in one.nodes)


def test_links_to_one_node_are_listed_behind_its_name(tmp_path: Path) -> None:
    titles = titles_of(
        tmp_path,
        """
Feb 11 02:00:13 nut1 corosync[2101]:   [KNET  ] link: host: 2 link: 0 is down
Feb 11 02:00:13 nut1 corosync[2101]:   [KNET  ] link: host: 2 link: 1 is down
""",
    )
    assert any("node 2 over link 0 and 1 is down" in title for title in titles)


def test_several_things_have_a_verb_of_several(tmp_path: Path) -> None:
    text = "".join(
        f"Jul 19 14:13:02 app7 kernel: INFO: task {task} blocked for more than 120 seconds.\n"
        for task in ("java:9921", "cp:118")
    )
    titles = titles_of(tmp_path, text)
    assert any(" are blocked" in title for title in titles)
    assert not any(" is blocked" in title for title in titles)


def test_a_kernel_log_whose_stamps_were_shortened_names_no_nodes(tmp_path: Path) -> None:
    text = """
[1200.11] mpt3sas_cm0: log_info(0x31120303): originator(PL), code(0x12), sub_code(0x0303)
[1210.40] sd 0:0:14:0: attempting task abort!scmd(0x00000000a1b2c3d4), outstanding for 30512 ms & timeout 30000 ms
[1213.10] sd 0:0:14:0: Power-on or device reset occurred
"""
    assert not any(one.nodes for one in diagnosis_of(tmp_path, text).findings)


DD = """login{node}$ dd if=/dev/zero of={folder}/x{node} bs=16M count=1024 conv=fsync
1024+0 records in
1024+0 records out
17179869184 bytes (17 GB, 16 GiB) copied, {seconds} s, {rate}
"""


def test_one_client_is_slow_in_a_folder_where_others_are_quick(tmp_path: Path) -> None:
    def found(name: str, *folders: str) -> list[tuple[str, str]]:
        rates = (("16.2", "1.1 GB/s"), ("16.4", "1.0 GB/s"), ("161.3", "107 MB/s"))
        text = "".join(
            DD.format(node=node, folder=folder, seconds=seconds, rate=rate)
            for node, (folder, (seconds, rate)) in enumerate(zip(folders, rates, strict=True), 1)
        )
        return [(one.severity, one.title) for one in diagnosis_of(tmp_path / name, text).findings]

    assert any(level == "medium" and "on login3" in title for level, title in found("one", "/w", "/w", "/w"))
    assert not any(level == "medium" for level, _ in found("two", "/w", "/w", "/home/t"))


def test_an_error_of_rdma_follows_from_the_port(tmp_path: Path) -> None:
    titles = titles_of(
        tmp_path,
        """
2026-09-09_18:30:01.002+0200: [W] VERBS RDMA async event IBV_EVENT_PORT_ERR on mlx5_0 port 1.
2026-09-09_18:30:06.110+0200: [E] VERBS RDMA rdma read error IBV_WC_RETRY_EXC_ERR to 10.7.0.12 (ibs2) on mlx5_0 port 1
""",
    )
    assert titles[0] == "RDMA port mlx5_0 is down"


DEADLOCK = """2026-03-02_11:20:41+0100: [A] Deadlock detected: 2026-03-02 11:20:41: waiting {0} seconds on node koa3: \
OpenHandlerThread 21122: on ThCond 0x180238D1A90 (InodeWaitCondvar), reason 'waiting for exclusive NF lock for inode'
"""


def test_a_deadlock_that_the_daemon_logs_is_a_wait_with_its_age(tmp_path: Path) -> None:
    first = diagnosis_of(tmp_path, mmfs_dot_log_dot_latest=DEADLOCK.format("619.781")).findings[0]
    assert (first.severity, first.nodes) == ("high", ("koa3",))
    assert "10\xa0m\xa019\xa0s" in first.title or "10 m 19 s" in first.title.replace("\u202f", " ")


def test_few_requests_tell_enough_where_all_are_far_slower(tmp_path: Path) -> None:
    heading = """=== mmdiag: iohist ===

I/O history:

 I/O start time RW    Buf type disk:sectorNum     nSec  time ms      Type  Device/NSD ID     NSD server
--------------- -- ----------- ----------------- -----  -------  --- ------------------ ---------------
"""
    row = (
        "11:02:01.10{0}110  W        data    {1}:11820544{0}    2048  {2}      cli  C0A80112:5F1A000{1}  10.3.0.1{3}\n"
    )

    def found(name: str, slow: str) -> bool:
        rows = "".join(
            row.format(number, disk, slow if disk == 6 else "  4.120", 2 if disk == 6 else 1)
            for number, disk in enumerate((4, 5, 6, 4, 6, 5, 6, 4))
        )
        findings = diagnosis_of(tmp_path / name, heading + rows).findings
        return any(one.rule == "disk-slow" and one.severity != "info" for one in findings)

    assert found("slow", "912.700")
    assert not found("quick", "  9.700")
    assert not found("loaded", " 30.700")


def test_ping_pong_beside_another_node_falls(tmp_path: Path) -> None:
    text = "$ ./ping_pong /gfs/t 3\n   98120 locks/sec\n$ ./ping_pong /gfs/t 3\n" + "       4 locks/sec\n" * 3
    assert any("ping_pong made" in title for title in titles_of(tmp_path / "sick", text))
    even = text.replace("       4 ", "   97004 ")
    assert not any("ping_pong made" in title for title in titles_of(tmp_path / "even", even))


def test_the_step_of_a_resource_is_no_resource(tmp_path: Path) -> None:
    for number, step in enumerate(("start", "monitor", "stop", "promote")):
        text = (
            "Mar  8 09:23:48 ctl2 pacemaker-schedulerd[3525]: warning: Unexpected result (error: Couldn't mount device "
            f"[/dev/vg_mail/lv] as /mail) was recorded for {step} of fs_mail on ctl2 at Mar  8 09:20:11 2026\n"
        )
        assert "Resource fs_mail" in titles_of(tmp_path / str(number), text)[0]


GROUPS = """type             level name     id       state
fence            0     default  00010002 FAIL_START_WAIT
[1 2]
dlm              1     clvmd    00010001 none
[1 2]
dlm              1     pasture  00020001 FAIL_STOP_WAIT
[1 2]
"""


def test_a_step_for_a_cluster_under_cman_has_its_tools(tmp_path: Path) -> None:
    steps = diagnosis_of(tmp_path / "old", f"[root@oxlip1 ~]# group_tool -v\n{GROUPS}").next_steps
    commands = " ".join(command for one in steps for command in one.commands)
    assert "cman_tool status" in commands
    assert "pcs" not in commands


def test_nobody_is_sent_to_a_node_without_a_name(tmp_path: Path) -> None:
    text = "Waiting 1811.2 sec since 09:12:40, monitored, thread 40112 NSDThread: for I/O completion on disk dm-14\n"
    steps = diagnosis_of(tmp_path, f"=== mmdiag: waiters ===\n{text}").next_steps
    assert steps
    assert not any("an unnamed node" in one.why for one in steps)


def test_messages_without_words_and_ejections_give_no_all_clear(tmp_path: Path) -> None:
    texts = (
        "VCS ERROR V-16-2-13067\nVCS ERROR V-16-1-10303\nVCS ERROR V-16-2-13027\n",
        "VCS CRITICAL V-16-1-50086\nVCS CRITICAL V-16-1-10322\n",
        "Jun 21 04:40:26 vm7 kernel: VXFEN INFO V-11-1-68 Completed ejection of leaving node(s) from data disks.\n",
    )
    for number, text in enumerate(texts):
        verdict = diagnosis_of(tmp_path / str(number), text).verdict
        assert verdict is not None
        assert verdict.form == "not_judged", verdict.title


def test_a_bond_of_another_day_is_no_cause(tmp_path: Path) -> None:
    titles = titles_of(
        tmp_path,
        """
2027-10-09T01:00:01+02:00 ash1 kernel: bond0: now running without any active interface!
2027-10-10T01:00:03+02:00 ash1 corosync[1500]:   [TOTEM ] A processor failed, forming new configuration.
2027-10-10T01:00:07+02:00 ash1 corosync[1500]:   [TOTEM ] A new membership (1.51) was formed. Members left: 2
""",
    )
    assert not any("after bond0" in title for title in titles)
