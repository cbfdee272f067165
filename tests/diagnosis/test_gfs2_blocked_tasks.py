"""Tasks that the kernel calls blocked: what they wait for, by their stacks."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

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
        (("schedule", "wait_for_completion", "new_lockspace", "gdlm_mount"), "waits to join or leave a DLM lock space"),
        (("schedule", "percpu_down_write", "thaw_super", "gfs2_thaw_super"), "hangs in a freeze or thaw"),
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
    said = [
        next(one.title + one.explanation for one in diagnosis_of(tmp_path / name, text).findings if one.ref == "GL-02")
        for name, text in (
            ("ended", dump.format(702114000, 80211, "(ended)")),
            ("alive", dump.format(702114000, 80211, "tar")),
        )
    ]
    assert "pid 80211, has ended" in said[0]
    assert "works under it" not in said[0]
    assert "tar [80211] works under it" in said[1]
