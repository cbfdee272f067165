"""Loops over processes that print the stack of each: the heading names a process and no node."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from parsers.process_headings import process_above_stack
from parsers.records import Stack
from tests.diagnosis.cluster_texts import diagnosis_of
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
