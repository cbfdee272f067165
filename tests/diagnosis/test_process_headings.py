"""Loops over processes that print the stack of each: the heading names a process and no node."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from parsers.headings.process_headings import process_above_stack
from parsers.records.waits import Stack
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.parsers.golden import Reading

JOINS: Final = "[<0>] new_lockspace+0x72e/0xb90 [dlm]\n[<0>] dlm_new_lockspace+0xb2/0x130 [dlm]\n"
WAITS: Final = (
    "[<ffffffffc0b1a9d1>] gfs2_glock_wait+0x51/0x90 [gfs2]\n[<ffffffffc0b1d1b9>] gfs2_getattr+0xb1/0x120 [gfs2]\n"
)
FROZEN: Final = "[<0>] gfs2_lock_fs_check_clean+0x88/0x2d0 [gfs2]\n[<0>] gfs2_freeze_super+0x9a/0x140 [gfs2]\n"
FORMS: Final = [
    "== {pid} {name} ==", "--- {name} ({pid}) ---", "PID {pid} ({name}):", "{name}[{pid}]:", "## pid={pid} comm={name}",
    "### process {name}, pid {pid}, state D ###", "{pid} {name}", ">>> {name} {pid}",
]  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("names", [("mount", "ls"), ("kworker/3:1", "mmfsd"), ("imapd", "n01")])
def test_a_heading_of_a_process_names_no_node(tmp_path: Path, form: str, names: tuple[str, str]) -> None:
    text = "".join(
        f"{form.format(pid=pid, name=name)}\n{stack}"
        for pid, name, stack in zip((8821, 40), names, (JOINS, WAITS), strict=True)
    )
    stacks = Reading(text).of(Stack)
    assert [(one.pid, one.task) for one in stacks] == list(zip((8821, 40), names, strict=True))
    judged = diagnosis_of(tmp_path, text)
    assert judged.nodes == ()
    assert judged.products[0] == "gfs2"
    assert f"{names[0]} [8821]" in judged.findings[0].explanation


def test_a_prompt_above_the_loop_gives_the_node(tmp_path: Path) -> None:
    text = f"wren# for p in 71 72; do echo =$p=; cat /proc/$p/stack; done\n=71=\n{WAITS}=72=\n{FROZEN}"
    judged = diagnosis_of(tmp_path, text)
    assert [node.name for node in judged.nodes] == ["wren"]
    assert "a freeze of GFS2 on all nodes" in judged.findings[0].title


def test_names_of_nodes_above_stacks_stay_nodes(tmp_path: Path) -> None:
    text = "".join(
        f"=== {node} ===\n[root@{node} ~]# cat /proc/{pid}/stack\n{stack}"
        for node, pid, stack in (("carp", 71, WAITS), ("tench", 90, JOINS))
    )
    assert [node.name for node in diagnosis_of(tmp_path, text).nodes] == ["carp", "tench"]


@pytest.mark.parametrize(
    ("text", "below"),
    [
        ("== 8821 mount ==", "total 12"), ("carp1", WAITS), ("== carp ==", WAITS), ("1 of 3", WAITS),
        ("two words 71 here", WAITS), ("12:04:11 71", WAITS), (JOINS, WAITS), ("", WAITS),
    ],
)  # fmt: skip
def test_other_lines_are_no_heading_of_a_process(text: str, below: str) -> None:
    assert process_above_stack(text, below) is None


@pytest.mark.parametrize(
    ("form", "form_of_it"), [("== 71 ==", "cat /proc/71/stack"), ("PID: 71", "cat /proc/71/stack")]
)
def test_a_number_alone(form: str, form_of_it: str) -> None:
    assert process_above_stack(form, WAITS) == form_of_it


ROWS: Final = {
    "a column of places": (
        "  PID STAT WCHAN            COMMAND\n{pid} D    {place:<16} {name}\n 881 D    io_schedule      kworker/u8:2\n"
    ),
    "with times": (
        "  PID STAT     TIME WCHAN            COMMAND\n{pid} Ds   00:00:01 {place:<16} {name}\n"
        "   9 S    00:10:12 poll             init\n"
    ),
    "long": (
        "F S UID PID PPID C PRI NI ADDR SZ WCHAN STIME TTY TIME CMD\n"
        "4 D root {pid} 1 0 80 0 - 900 {place} 10:00 ? 00:00:00 {name}\n"
    ),
}


@pytest.mark.parametrize("layout", ROWS.values(), ids=ROWS)
@pytest.mark.parametrize(
    ("place", "what"),
    [
        ("gfs2_glock_wait", "a glock of GFS2"),
        ("dlm_posix_lock", "a POSIX lock (fcntl) that the DLM keeps"),
        ("dlm_recover_members", "a recovery of the DLM"),
    ],
)
def test_a_row_of_ps_that_sleeps_in_a_lock_of_the_cluster_is_a_hint(
    tmp_path: Path, layout: str, place: str, what: str
) -> None:
    judged = diagnosis_of(
        tmp_path, f"[root@vole ~]# ps -eo x\n{layout.format(pid=2211, place=place, name='/bin/du -s /a')}"
    )
    assert verdict_in(judged).severity == "low"
    assert what in verdict_in(judged).title
    assert "vole" in verdict_in(judged).title
    assert "du [2211]" in judged.findings[0].explanation
    assert judged.next_steps


@pytest.mark.parametrize("place", ["io_schedule", "poll_schedule_timeout", "xlog_wait", "-"])
def test_one_row_of_ps_that_sleeps_elsewhere_is_everyday(tmp_path: Path, place: str) -> None:
    text = f"[root@vole ~]# ps -eo x\n{ROWS['a column of places'].format(pid=2211, place=place, name='du')}"
    assert not [one for one in diagnosis_of(tmp_path, text).findings if one.severity != "info"]
