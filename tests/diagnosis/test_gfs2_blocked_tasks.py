"""Tasks that the kernel calls blocked, by their stacks, and requests that the lock manager does not grant."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine.gfs2.rules import lock_requests
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.reports import bundle, text_on

HUNG = """\
Mar 03 07:10:00 plum1 kernel: INFO: task {name}:{pid} blocked for more than {seconds} seconds.
Mar 03 07:10:00 plum1 kernel: Call Trace:
"""


def hung(*frames: str, name: str = "mount.gfs2", pid: int = 7311, seconds: int = 245) -> str:
    """A report of the kernel with these frames, innermost first."""
    head = HUNG.format(name=name, pid=pid, seconds=seconds)
    return head + "".join(f"Mar 03 07:10:00 plum1 kernel:  {frame}+0x1a/0x90\n" for frame in frames)


@pytest.mark.parametrize(
    ("frames", "words"),
    [
        (("schedule", "wait_for_completion", "new_lockspace", "gdlm_mount"), "waits for a DLM lock space"),
        (("schedule", "percpu_down_write", "thaw_super", "gfs2_thaw_super"), "hangs in a GFS2 freeze or thaw"),
        (("schedule", "gfs2_log_reserve", "gfs2_trans_begin"), "waits for the journal of GFS2"),
        (("io_schedule", "__wait_on_buffer", "gfs2_meta_wait"), "waits for storage"),
        (("schedule", "gfs2_glock_wait", "gfs2_permission"), "waits for a glock"),
    ],
)
def test_a_blocked_task_is_named_with_what_it_waits_for(tmp_path: Path, frames: tuple[str, ...], words: str) -> None:
    diagnosis = diagnosis_of(tmp_path, hung(*frames))
    assert diagnosis.verdict is not None
    assert (diagnosis.verdict.ref, diagnosis.verdict.severity) == ("GL-17", "high")
    assert diagnosis.verdict.title.startswith("mount.gfs2 [7311] on plum1")
    assert words in diagnosis.verdict.title
    assert diagnosis.next_steps


def test_a_stack_of_another_file_system_is_none_of_gfs2(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, hung("io_schedule", "wait_on_page_bit", "xfs_file_fsync"))
    assert "GL-17" not in [one.ref for one in diagnosis.findings]
    text = "[root@plum1 ~]# cat /proc/988/stack\n[<0>] io_schedule+0x46/0x70\n[<0>] gfs2_meta_wait+0x3f/0xa0\n"
    assert "GL-17" not in [one.ref for one in diagnosis_of(tmp_path / "moment", text).findings]


OLDER: tuple[str, ...] = (
    "Call Trace:\n [<ffffffff80063ff8>] io_schedule+0x3f/0x67\n [<ffffffff88b1c0e4>] :gfs2:gfs2_meta_wait+0x9/0xe\n",
    "Call Trace:\n [<c0610ff8>] io_schedule+0x3f/0x67\n [<f8b1c0e4>] :gfs2:gfs2_meta_wait+0x9/0xe [gfs2]\n",
    "Call Trace:<ffffffff8030a3d1>{io_schedule+38} <ffffffff80159a2e>{sync_page+61}\n"
    "       <ffffffffa01b2c3d>{:gfs2:gfs2_meta_wait+9} <ffffffffa01b2d4e>{:gfs2:gfs2_meta_read+77}\n",
)


@pytest.mark.parametrize("trace", OLDER, ids=("module in front", "of 32 bits", "in braces"))
@pytest.mark.parametrize("prefix", ["Mar 03 07:10:00 plum1 kernel: ", ""], ids=("syslog", "console"))
def test_frames_of_older_kernels_name_the_module_first(tmp_path: Path, trace: str, prefix: str) -> None:
    text = "INFO: task mount.gfs2:7311 blocked for more than 245 seconds.\n" + trace
    diagnosis = diagnosis_of(tmp_path, "".join(f"{prefix}{line}\n" for line in text.splitlines()))
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.ref == "GL-17"
    assert "waits for storage" in diagnosis.verdict.title


def test_of_several_soft_lockups_the_longest_is_quoted(tmp_path: Path) -> None:
    line = "Mar 03 07:1{}:00 plum1 kernel: watchdog: BUG: soft lockup - CPU#5 stuck for {}s! [kworker/5:2:411]\n"
    text = "".join(line.format(minute, length) for minute, length in enumerate((23, 71, 48)))
    assert "stuck for 71s" in diagnosis_of(tmp_path, text).findings[0].explanation


def test_a_holder_that_has_ended_does_no_work(tmp_path: Path) -> None:
    dump = (
        "[root@plum1 ~]# cat /sys/kernel/debug/gfs2/clu:docs/glocks\n"
        "G:  s:SH n:5/b420 f:Dqob t:SH d:UN/{} a:0 v:0 r:3 m:200 p:0\n"
        " H: s:SH f:EH e:0 p:{} [{}] gfs2_inode_lookup+0x1fb/0x410 [gfs2]\n"
    )
    texts = [
        next(one.title + one.explanation for one in diagnosis_of(tmp_path / name, text).findings if one.ref == "GL-02")
        for name, text in (
            ("ended", dump.format(702114000, 80211, "(ended)")),
            ("alive", dump.format(702114000, 80211, "tar")),
        )
    ]
    assert "pid 80211, has ended" in texts[0]
    assert "works under it" not in texts[0]
    assert "tar [80211] works under it" in texts[1]


LOCKS = """id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name
2a10007 3 1c40002 8812 0 0 0 2 5 -1 0 0 24 "       2            {inode}"
3b20001 1 2d10005 4471 0 0 0 {status} -1 5 {us} 0 24 "       2            {inode}"
"""
LOCKDEBUG = """[root@mail{node} ~]# date; dlm_tool lockdebug -v pool
Wed Jan 14 13:0{minute}:00 CET 2026
Resource ffff9c1a2 Name (len=24) "       5         1a3f07"
Master:2
Granted Queue
03a10007 EX Remote:   2 01f2000b
Conversion Queue
Waiting Queue
0c110010 -- (PR) Master:     2 0a1f0001
"""


@pytest.mark.parametrize(("us", "severity"), [(63_102_994, "medium"), (912_000_000, "high"), (400_000, None)])
def test_a_request_that_the_lock_manager_does_not_grant(us: int, severity: str | None) -> None:
    found = json.loads(text_on(bundle(LOCKS.format(inode="9911", status=1, us=us).encode(), "pool_locks")))
    waits = [one for one in found["findings"] if one["ref"] == "GL-18"]
    assert [one["severity"] for one in waits] == ([severity] if severity else [])
    for one in waits:
        assert "glock 2/9911" in one["title"]
        assert "node 3 holds" in one["title"]
        assert "4471" in one["explanation"]


def test_the_same_request_in_two_tables_tells_how_long_it_waits() -> None:
    def judged(*minutes: int) -> list[dict[str, Any]]:
        text = "".join(LOCKDEBUG.format(node=1, minute=minute) for minute in minutes)
        found = json.loads(text_on(bundle(text.encode(), "lockdebug.txt")))
        return [one for one in found["findings"] if one["ref"] == "GL-18"]

    assert [one["severity"] for one in judged(0)] == ["low"]
    [stands] = judged(0, 9)
    assert stands["severity"] == "high"
    assert "9 m" in stands["title"]


def test_young_requests_hide_no_old_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lock_requests, "MOST", 4)
    head, *rows = LOCKS.format(inode="9911", status=1, us=400_000).splitlines()
    young = [row.replace("9911", f"99{at:02}") for at in range(20) for row in rows]
    old = LOCKS.format(inode="8811", status=1, us=912_000_000).splitlines()[1:]
    found = json.loads(text_on(bundle("\n".join([head, *young, *old, ""]).encode(), "pool_locks")))
    [wait] = [one for one in found["findings"] if one["ref"] == "GL-18"]
    assert "glock 2/8811" in wait["title"]


def test_a_granted_lock_waits_for_nobody() -> None:
    text = LOCKS.format(inode="9911", status=2, us=0).replace(" -1 5 0 0 24", " 3 -1 0 0 24")
    found = json.loads(text_on(bundle(text.encode(), "pool_locks")))
    assert not [one for one in found["findings"] if one["ref"] == "GL-18"]


def test_a_resource_of_another_lockspace_may_have_the_same_name() -> None:
    waits = LOCKS.format(inode="9911", status=1, us=912_000_000)
    granted = LOCKS.format(inode="9911", status=2, us=0).replace(" 2 -1 5 0 0 24", " 2 3 -1 0 0 24")
    found = json.loads(text_on(bundle(waits.encode(), "dlm/pool_locks"), bundle(granted.encode(), "dlm/mail_locks")))
    assert len([one for one in found["findings"] if one["ref"] == "GL-18"]) == 1
