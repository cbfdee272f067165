"""Texts of Veritas as people send them, one by one: which rule speaks, how grave it is, and what it says."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of
from tests.diagnosis.own_texts import tables


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        ("vx_glm_lock+0x31/0x60", "waits for a cluster lock"),
        ("vx_log_wait+0x31/0x60", "waits for the intent log"),
        ("vx_bc_biowait+0x31/0x60", "waits for the I/O"),
        ("vx_active_freeze+0x31/0x60", "waits for a frozen"),
        ("nfs_wait_on_request+0x31/0x60", None),
    ],
)
def test_vx_03_the_stack_of_a_blocked_task_says_what_it_waits_for(
    frame: str, words: str | None, tmp_path: Path
) -> None:
    head = "Jun  2 03:20:41 tern2 kernel: "
    inner = "vx_svar_sleep_unlock+0x85/0xc0" if words else "io_schedule+0x85/0xc0"
    text = f"{head}INFO: task tar:204 blocked for more than 120 seconds.\n{head}Call Trace:\n"
    text += "".join(f"{head} [<ffffffffa0c1b2d5>] {one}\n" for one in (inner, frame))
    found = [one.title for one in diagnosis_of(tmp_path, messages=text).findings if one.ref == "VX-03"]
    assert [words in title for title in found if words] == ([True] if words else [])
    assert bool(found) is (words is not None)


def _refs(tmp_path: Path, name: str) -> list[tuple[str, str]]:
    case = tables()["veritas"].text(name)
    return [(one.ref, one.severity) for one in diagnosis_of(tmp_path, **case["files"]).findings]


def test_vx_04_modes_of_fencing_are_compared(tmp_path: Path) -> None:
    assert ("VX-04", "high") in _refs(tmp_path / "differ", "two nodes of a cluster fence in different modes")
    assert not _refs(tmp_path / "alike", "fencing by servers on both nodes")
    off = "[root@hollow1 ~]# vxfenadm -d\nI/O Fencing Cluster Information:\n Fencing Mode: Disabled\n"
    assert [(one.ref, one.severity) for one in diagnosis_of(tmp_path / "off", off).findings] == [("VX-04", "low")]


def test_vx_05_keys_on_coordination_disks_are_compared(tmp_path: Path) -> None:
    assert ("VX-05", "medium") in _refs(tmp_path / "one", "one coordination disk lacks the key of a node")
    assert ("VX-05", "high") in _refs(tmp_path / "two", "two clusters use the same coordination disks")
    running = "I/O Fencing Cluster Information:\n Fencing Mode: SCSI3\n Cluster Members:\n"
    running += "        * 0 (gannet1)\n          1 (gannet2)\n RFSM State Information:\n"
    running += "        node   0 in state  8 (running)\n        node   1 in state  8 (running)\n"
    key = "Device Name: /dev/rhdisk{}\nTotal Number Of Keys: 1\nkey[0]:\n [Character Format]: VF04D900\n"
    key += "  [Node Format]: Cluster ID: 1241 Node ID: 0 Node Name: gannet1\n"
    text = running + "".join(map(key.format, (7, 8, 9)))
    [finding] = [one for one in diagnosis_of(tmp_path / "absent", text).findings if one.ref == "VX-05"]
    assert finding.title == "gannet2 has no fencing key on any of the 3 coordination disks"
    none = "".join(f"Device Name: /dev/rhdisk{one}\nTotal Number Of Keys: 0\nNo keys...\n" for one in (7, 8, 9))
    [finding] = [one for one in diagnosis_of(tmp_path / "none", none).findings if one.ref == "VX-05"]
    assert (finding.severity, finding.title) == ("high", "No fencing key is on /dev/rhdisk7 and 2 more")


def test_st_18_a_command_that_needs_seconds_hangs(tmp_path: Path) -> None:
    assert ("ST-18", "high") in _refs(tmp_path / "hangs", "a replay of the intent log hangs for hours")
    young = "[root@teal ~]# ps -eo pid,stat,etime,args\n PID STAT ELAPSED COMMAND\n 77 D 00:04 df -h\n 78 S 03:10 vim\n"
    assert not diagnosis_of(tmp_path / "young", young).findings


def test_a_unit_that_failed_leads_to_the_tool_that_shows_units(tmp_path: Path) -> None:
    case = tables()["veritas"].text("a unit of the volume manager failed on a host without a cluster")
    steps = diagnosis_of(tmp_path, **case["files"]).next_steps
    commands = [command for step in steps for command in step.commands]
    assert any("systemctl" in one for one in commands)
    assert not any("hastatus" in one for one in commands)


def test_vx_03_a_stack_of_a_dump_has_no_age(tmp_path: Path) -> None:
    refs = _refs(tmp_path / "dump", "stacks of a dump: tasks wait for locks of VxFS and CFS")
    assert refs.count(("VX-03", "medium")) == 2
    idle = 'PID: 40  TASK: ffff8f1d3f9f0000  CPU: 3   COMMAND: "vx_worklist_thr"\n'
    idle += " #0 [ffff8f1d3f9f7b60] schedule at ffffffff9a585dfa\n"
    idle += " #1 [ffff8f1d3f9f7c00] vx_event_wait at ffffffffc0e57c3a [vxfs]\n"
    idle += " #2 [ffff8f1d3f9f7c80] vx_worklist_thread at ffffffffc0e8c0aa [vxfs]\n"
    assert not diagnosis_of(tmp_path / "idle", idle).findings


def test_a_fault_of_a_group_does_not_end_with_its_stop(tmp_path: Path) -> None:
    """The engine logs that a faulted group is offline; only its start elsewhere ends the fault there."""
    head = "2027/05/04 11:23:0{} VCS {}\n"
    fault = head.format(1, "ERROR V-16-1-10205 Group ora_sg is faulted on system shrike1")
    stop = head.format(2, "NOTICE V-16-1-10446 Group ora_sg is offline on system shrike1")
    start = head.format(3, "NOTICE V-16-1-10447 Group ora_sg is online on system shrike1")
    ended, open_ = (
        [(one.severity, one.title) for one in diagnosis_of(tmp_path / name, text).findings]
        for name, text in (("ended", fault + stop + start), ("open", fault + stop))
    )
    assert [severity for severity, _ in open_] == ["high"]
    assert "high" not in [severity for severity, _ in ended]


def test_st_25_calls_on_files_that_take_seconds(tmp_path: Path) -> None:
    assert ("ST-25", "medium") in _refs(tmp_path / "slow", "a trace of tar: each look at a file takes seconds")
    once = '14:02:12.30 newfstatat(AT_FDCWD, "/srv/pots/b", {st_mode=S_IFREG|0644}, 0) = 0 <1.218812>\n'
    once += '14:02:12.40 newfstatat(AT_FDCWD, "/srv/pots/c", {st_mode=S_IFREG|0644}, 0) = 0 <0.000210>\n'
    assert [(one.ref, one.severity) for one in diagnosis_of(tmp_path / "once", once).findings] == [("ST-25", "low")]


@pytest.mark.parametrize(
    ("state", "wchan", "words"),
    [
        ("D", "vx_freeze_wait", "waits for a frozen"),
        ("D+", "vx_glmlock", "cluster lock"),
        ("Ds", "vx_bc_biowait", "waits for the I/O"),
        ("S", "vx_worklist_thread", None),
        ("D", "nfs_wait_bit", None),
    ],
)
def test_vx_03_a_row_of_ps_in_state_d_says_where_it_stands(
    state: str, wchan: str, words: str | None, tmp_path: Path
) -> None:
    rows = "  PID STAT ELAPSED WCHAN                     COMMAND\n"
    rows += f" 2210 {state:<4} 02:12:31 {wchan:<25} /opt/VRTS/bin/tool -F vxfs /srv/books\n"
    listed = f"[root@tern2 ~]# ps -eo pid,stat,etime,wchan:25,args\n{rows}"
    found = [one.title for one in diagnosis_of(tmp_path, listing=listed).findings if one.ref == "VX-03"]
    assert bool(found) is bool(words)
    assert not words or words in found[0]


@pytest.mark.parametrize(("seed", "words"), [(1, "with 1 system "), (2, None), (3, "waits for 3 systems")])
def test_vx_06_gab_waits_for_as_many_systems_as_there_are(seed: int, words: str | None, tmp_path: Path) -> None:
    hosts = "tern2# cat /etc/llthosts\n0 tern2\n1 tern3\n"
    text = f"{hosts}tern2# cat /etc/gabtab\n/sbin/gabconfig -c -n{seed}\n"
    found = [one.title.replace("\xa0", " ") for one in diagnosis_of(tmp_path, text).findings if one.ref == "VX-06"]
    assert bool(found) is bool(words)
    assert not words or words in found[0]


def test_a_replay_before_a_check_that_finds_damage_is_no_ordinary_one(tmp_path: Path) -> None:
    question = "fileset 999 primary-ilist inode 8812 has invalid alloc count 3, fix? (ynq)y\n"
    stated = "fileset 999 directory 4 block devid/blknum 0/9112 offset 180 references free inode\n"
    text = (
        "tern2# fsck -F vxfs -o full -y /dev/vg05/rlvbooks\nlog replay in progress\npass0 - checking structural files\n"
    )
    rest = "pass1 - checking inode sanity and blocks\nflush fileset headers? (ynq)y\nset state to CLEAN? (ynq)y\n"
    clean = diagnosis_of(tmp_path / "clean", text + rest)
    assert [one.ref for one in clean.findings] == ["R33"]
    found = diagnosis_of(tmp_path / "found", text + question + stated + "        remove entry? (ynq)y\n" + rest)
    assert [one.severity for one in found.findings if one.ref == "AL-01"] == ["high"]
    assert not [one for one in found.findings if one.ref == "R33"]
