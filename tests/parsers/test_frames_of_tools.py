"""Headings around outputs that tools of many nodes, web pages, chats and tickets write."""

from __future__ import annotations

import pytest

from parsers.line_kinds import is_heading, is_left_on_screen
from parsers.records.states import Membership
from tests.parsers.golden import Reading

RULE = "=" * 63
PORTS = f"GAB Port Memberships\n{RULE}\nPort a gen   51c001 membership 01"
WAITS = "=== mmdiag: waiters ==="


def nodes(text: str | bytes) -> list[str | None]:
    reading = Reading(text)
    assert reading.adds_up
    return [one.node for one in reading.of(Membership)]


@pytest.mark.parametrize(
    "heading",
    [
        "<<< tarn1 : gabconfig -a >>>",
        "---------------\ntarn1 (1)\n---------------",
        "<h2>tarn1</h2>\n<h3>gabconfig -a</h3>\n<pre>",
        "<h3>tarn1: gabconfig -a</h3>",
        "=== 2031-01-28 11:21 tarn1 ===",
        "### 2031-01-28 11:21:07 tarn1 gabconfig -a ###",
    ],
)
def test_headings_name_the_node_of_what_stands_below(heading: str) -> None:
    other = heading.replace("tarn1", "tarn2")
    assert nodes(f"{heading}\n{PORTS}\n{other}\n{PORTS}\n") == ["tarn1", "tarn2"]


@pytest.mark.parametrize("name", ["n1", "a12", "s2"])
def test_names_of_one_letter_beside_a_date(name: str) -> None:
    assert nodes(f"=== 2031-01-28 11:21 {name} ===\n{PORTS}\n") == [name]
    assert nodes(f"--- 2031-01-28 11:21:07 {name} gabconfig -a ---\n{PORTS}\n") == [name]


@pytest.mark.parametrize("word", ["p1", "t2", "v3", "part2"])
def test_parts_and_times_beside_a_date_are_no_nodes(word: str) -> None:
    assert nodes(f"=== 2031-01-28 11:21 {word} ===\n{PORTS}\n") == [None]


def test_several_nodes_that_printed_the_same_have_one_name() -> None:
    assert nodes(f"---------------\ntarn[1-4] (4)\n---------------\n{PORTS}\n") == ["tarn[1-4]"]


def test_short_names_beside_several_of_one_tool_are_nodes() -> None:
    fenced = "".join(f"---------------\n{name}\n---------------\n{PORTS}\n" for name in ("q[1-3] (3)", "q4"))
    assert nodes(fenced) == ["q[1-3]", "q4"]


def test_minions_print_their_outputs_below_their_names() -> None:
    margin = "\n".join(f"    {line}" for line in PORTS.split("\n"))
    assert nodes(f"tarn1.yard.example:\n    {WAITS}\ntarn2.yard.example:\n{margin}\n") == ["tarn2.yard.example"]


def test_two_returns_and_a_line_end_are_one_line_end() -> None:
    reading = Reading(f"[root@tarn1 ~]# gabconfig -a\n{PORTS}\n".replace("\n", "\r\r\n"))
    assert [one.line for one in reading.of(Membership)] == [4]
    assert reading.result.total == 4


def test_parts_of_a_page_on_one_line_are_lines() -> None:
    page = "<p><b>[root@tarn1 ~]# gabconfig -a</b></p><pre>" + PORTS.replace("\n", "<br>") + "</pre>"
    assert nodes(page) == ["tarn1"]


@pytest.mark.parametrize(
    "text",
    [
        "TASK [gabconfig -a] *****************",
        "PLAY RECAP ******",
        "Started on tarn1...",
        "Ran on 2 targets in 0.81 sec",
        "2031-01-28 12:00:11 - Anna Berg (Additional comments)",
        "[11:20] Anna Berg",
        "Anna Berg  11:20 AM",
        "Anna Berg added a comment - 28/Jan/31 11:20 AM",
        "diff --git a/x b/x",
    ],
)
def test_words_of_tools_and_of_posts_are_no_output(text: str) -> None:
    assert is_heading(text)


@pytest.mark.parametrize("text", ["TASK 12 failed", "11:20 kernel oops", "Port a gen 51c001", "- a b"])
def test_lines_of_outputs_are_no_such_words(text: str) -> None:
    assert not is_heading(text)


def test_what_a_playbook_says_of_its_end_is_left_on_the_screen() -> None:
    assert is_left_on_screen("tarn1    : ok=2    changed=1    unreachable=0    failed=0")
    assert not is_left_on_screen("tarn1    : ok=2")
