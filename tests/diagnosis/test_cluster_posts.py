"""What posts about clusters hold: logs that name the function that speaks, links that came back, copies that are being
brought up to date, heartbeats of OCFS2, and prompts of a host and ``>``.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

GRAVE = ("critical", "high", "medium")


def titles(folder: Path, text: str) -> tuple[list[str], list[str]]:
    """Titles of the findings that are grave, and of all."""
    found = diagnosis_of(folder, text).findings
    return [one.title for one in found if one.severity in GRAVE], [one.title for one in found]


@pytest.mark.parametrize(
    "head",
    [
        "Jun 13 16:19:28 [25591] otter corosync notice  [TOTEM ] ",
        "Jun 13 16:19:28 otter corosync[25591]:   [TOTEM ] ",
        "corosync[25591]:   [TOTEM ] ",
    ],
)
@pytest.mark.parametrize(
    "text",
    [
        "timer_function_orf_token_timeout A processor failed, forming new configuration.",
        "A processor failed, forming new configuration.",
        "The token was lost in the OPERATIONAL state.",
        "timer_function_orf_token_timeout The token was lost in the OPERATIONAL state.",
    ],
)
def test_a_lost_token_is_reported_whichever_function_says_it(head: str, text: str, tmp_path: Path) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, f"{head}{text}\n"))
    assert "lost its token" in verdict.title
    calm = verdict_in(diagnosis_of(tmp_path / "calm", f"{head}memb_state_gather_enter Creating commit token\n"))
    assert calm.severity == "info"


LINKS = (
    "2014/03/11 04:{minute}:10 VCS WARNING V-16-1-11141 LLT heartbeat link status changed."
    " Previous status = {before}; Current status = {now}.\n"
)


@pytest.mark.parametrize(("one", "other"), [("bge1", "bge2"), ("net1", "net2"), ("eth4", "eth6")])
def test_a_heartbeat_link_is_named_alone_and_over_once_all_are_up(one: str, other: str, tmp_path: Path) -> None:
    up, down = f"{one} UP {other} UP", f"{one} UP {other} DOWN"
    jeopardy = (
        "2014/03/11 04:12:15 VCS ERROR V-16-1-10111 System otter (Node '0') is in Regular and Jeopardy Memberships -"
        " Membership: 0x3, Jeopardy: 0x1\n"
    )
    lost = LINKS.format(minute=12, before=up, now=down) + jeopardy
    grave, _ = titles(tmp_path, lost)
    assert f"A heartbeat link is down: {other}" in grave
    assert any("otter is in jeopardy" in title for title in grave)
    grave, _ = titles(tmp_path / "back", lost + LINKS.format(minute=40, before=down, now=up))
    assert grave == []
    again = LINKS.format(minute=40, before=down, now=up) + LINKS.format(minute=50, before=up, now=down)
    grave, _ = titles(tmp_path / "again", lost + again)
    assert f"A heartbeat link is down: {other}" in grave


DRBD = "Sep 25 21:36:{second} otter kernel: [  597.895{second}] {head}: {text}\n"


@pytest.mark.parametrize(
    ("own", "with_peer"),
    [
        ("block drbd1", "block drbd1"),
        ("drbd vm7/0 drbd1004", "drbd vm7/0 drbd1004 stoat"),
        ("drbd pvc-12/0 drbd12345", "drbd pvc-12/0 drbd12345 node-b.lab.example"),
    ],
)
def test_a_copy_that_is_being_brought_up_to_date_is_no_old_one(own: str, with_peer: str, tmp_path: Path) -> None:
    old = DRBD.format(second=30, head=own, text="disk( UpToDate -> Outdated )")
    grave, _ = titles(tmp_path, old)
    assert any("out of date" in title for title in grave)
    resync = DRBD.format(second=31, head=with_peer, text="Began resync as SyncTarget (will sync 175 KB [43 bits set]).")
    grave, _ = titles(tmp_path / "resync", old + resync)
    assert grave == []


@pytest.mark.parametrize(
    ("text", "is_grave"),
    [
        ("State change failed: Can not start OV/resync since it is already active", True),
        ("State change failed: Device is held open by someone", True),
        ("Failed: repl( SyncTarget -> WFBitMapT )", True),
        ("State change failed: Concurrent state changes detected and aborted", False),
    ],
)
def test_a_step_that_drbd_refuses_is_reported(text: str, is_grave: bool, tmp_path: Path) -> None:
    grave, _ = titles(tmp_path, DRBD.format(second=30, head="drbd vm7", text=text))
    assert any("vm7 could not change its state" in title for title in grave) is is_grave


HEARTBEAT = """Aug 14 03:11:40 {host} kernel: {by}Heartbeat write timeout to device {disk} after 120000 milliseconds
Aug 14 03:11:40 {host} kernel: (kworker/0:2,31992,0):o2hb_stop_all_regions:1962 ERROR: stopping heartbeat on all.
Aug 14 03:11:40 {host} kernel: *** ocfs2 is very sorry to be fencing this system by restarting ***
"""


@pytest.mark.parametrize(
    ("host", "by", "disk"),
    [
        ("ora02", "(kworker/0:2,31992,0):o2hb_write_timeout:166 ERROR: ", "dm-7"),
        ("otter", "(swapper,0,3):o2hb_write_timeout:127 ERROR: ", "sdb1"),
        ("stoat", "o2hb: ", "mapper/votes"),
    ],
)
def test_a_heartbeat_of_ocfs2_that_was_late_is_the_cause(host: str, by: str, disk: str, tmp_path: Path) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, HEARTBEAT.format(host=host, by=by, disk=disk)))
    assert verdict.severity in ("critical", "high")
    assert re.search(rf"heartbeat to {disk} in time on {host}", verdict.title), verdict.title
    assert "file system" not in verdict.title


@pytest.mark.parametrize("colon", ["", ":"])
@pytest.mark.parametrize("other", ["stoat", "kvm-a2", "node2.lab.example"])
def test_an_agent_that_gave_an_error_did_not_fence(colon: str, other: str, tmp_path: Path) -> None:
    text = (
        f"Oct 11 14:49:00 otter pacemaker-fenced[2984]: notice: Operation 'reboot' [2923] (call 38 from"
        f" pacemaker-controld.2984) targeting {other} using ipmi returned{colon} "
    )
    verdict = verdict_in(diagnosis_of(tmp_path, f"{text}1 (Error occurred)\n"))
    assert verdict.severity == "critical"
    assert f"Fencing of {other.partition('.')[0]}" in verdict.title
    done = verdict_in(diagnosis_of(tmp_path / "done", f"{text}0 (OK)\n"))
    assert "failed" not in done.title


PROMPTS = """To verify that LLT is operating:
{host}> lltstat -n
LLT node information:
    Node                 State    Links
   * 0 {host}            OPEN        2
     1 stoat             OPEN        {links}
"""


@pytest.mark.parametrize("host", ["otter", "galaxy", "north1"])
def test_a_word_and_an_angle_before_a_tool_of_the_cluster_is_a_prompt(host: str, tmp_path: Path) -> None:
    healthy = diagnosis_of(tmp_path, PROMPTS.format(host=host, links=2))
    assert verdict_in(healthy).form == "healthy"
    assert {node.name for node in healthy.nodes} >= {host}
    sick = diagnosis_of(tmp_path / "sick", PROMPTS.format(host=host, links=1))
    assert verdict_in(sick).form != "healthy"
    quoted = "otter> I think that lltstat -n was fine here\n"
    assert not diagnosis_of(tmp_path / "quoted", quoted).nodes


MIRROR = """[root@{host} ~]# vxdisk list
DEVICE       TYPE            DISK         GROUP        STATUS
sda          auto:cdsdisk    {good}    {group}        online
-            -         {bad}    {group}        failed was:sdb
[root@{host} ~]# vxprint -g {group} -ht
dg {group}       default      default  0        770072661.1025.{host}
v  till         -            {volume}  ACTIVE   1164     SELECT    -        fsgen
pl till-01      till         {first}  ACTIVE   1164     CONCAT    -        RW
pl till-02      till         DISABLED NODEVICE 1164     CONCAT    -        RW
"""


@pytest.mark.parametrize(
    "names",
    [
        {"host": "otter", "group": "tilldg", "good": "till01", "bad": "till02"},
        {"host": "sol-a1", "group": "rootdg", "good": "rootdisk", "bad": "rootmirror"},
        {"host": "stoat", "group": "dg7", "good": "d1", "bad": "d2"},
    ],
    ids=["numbered", "a root mirror", "short names"],
)
def test_a_lost_disk_of_a_mirror_took_no_data_with_it(names: dict[str, str], tmp_path: Path) -> None:
    serves = MIRROR.format(volume="ENABLED", first="ENABLED", **names)
    verdict = verdict_in(diagnosis_of(tmp_path, serves))
    assert verdict.severity == "high"
    assert f"isk {names['bad']} of {names['group']}" in verdict.title
    assert "work without it" in verdict.title
    gone = MIRROR.format(volume="DISABLED", first="DISABLED", **names)
    verdict = verdict_in(diagnosis_of(tmp_path / "gone", gone))
    assert verdict.severity == "critical"
    assert "work without it" not in verdict.title


HUNG = """INFO: task {task}:4321 blocked for more than 120 seconds.
      Tainted: P           ---------------    2.6.32-504.el6.x86_64 #1
"echo 0 > /proc/sys/kernel/hung_task_timeout_secs" disables this message.
{task}     D 0000000000000004     0  4321      1 0x00000080
Call Trace:
 [<ffffffff8152a6e5>] schedule_timeout+0x215/0x2e0
 [<ffffffffa05e1b20>] {inner}+0x140/0x1a0 [{module}]
 [<ffffffffa06a6a1e>] {outer}+0x2fe/0x480 [{module}]
"""


@pytest.mark.parametrize(
    ("task", "inner", "outer", "module", "what"),
    [
        ("vxconfigd", "volsync_wait", "vol_kmsg_send_wait", "vxio", "another node to CVM"),
        ("vxconfigd", "volsync_wait", "vol_admintask_wait", "vxio", r"volume manager \(VxVM\)"),
        ("drbdsetup", "__state_change_unlock", "change_cluster_wide_state", "drbd", "a cluster-wide DRBD state change"),
        ("jbd2/dm-3-8", "jbd2_journal_commit_transaction", "kjournald2", "jbd2", "the ext4 journal"),
    ],
)
def test_one_task_that_hangs_is_named_with_what_it_waits_for(
    task: str, inner: str, outer: str, module: str, what: str, tmp_path: Path
) -> None:
    text = HUNG.format(task=task, inner=inner, outer=outer, module=module)
    verdict = verdict_in(diagnosis_of(tmp_path, text))
    assert re.search(rf"^{task}:4321 .*{what}", verdict.title), verdict.title
    assert len(verdict.title) <= 140


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("  Error locking on node stoat: Command timed out", "LVM got no lock"),
        ("  Can't get lock for till_vg", "LVM got no lock of till_vg"),
        ("  cluster request failed: Host is down", "LVM got no lock"),
    ],
)
def test_a_lock_that_lvm_did_not_get_is_reported_with_its_group(line: str, message: str, tmp_path: Path) -> None:
    grave, _ = titles(tmp_path, f"[root@otter ~]# vgs\n{line}\n")
    assert any(title.startswith(message) for title in grave), grave
