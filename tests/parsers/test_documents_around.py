"""Outputs in documents, sessions and pages whose own words tell the node and the command."""

from __future__ import annotations

import io
import re
from collections.abc import Callable

import pytest

from parsers.headings.frames import is_frame, is_of_post
from parsers.records import Event, Section
from parsers.records.states import Membership
from parsers.text import LongLines, blocks
from tests.parsers.golden import Reading

Outputs = list[tuple[str, str, str]]
RULE = "=" * 63
PORTS = f"GAB Port Memberships\n{RULE}\nPort a gen   51c001 membership 01\nPort h gen   51c002 membership 01"
TWO: Outputs = [("larch", "gabconfig -a", PORTS), ("maple", "gabconfig -a", PORTS)]


def _each(form: str) -> Callable[[Outputs], str]:
    def text(outputs: Outputs) -> str:
        return "".join(
            form.replace("@N", n).replace("@C", c).replace("@T", t).replace("@M", _indented(t)) for n, c, t in outputs
        )

    return text


def _indented(text: str) -> str:
    return "\n".join(f"    {line}" for line in text.split("\n"))


def _one_line(outputs: Outputs) -> str:
    return "".join(f"{n} | CHANGED | rc=0 | (stdout) " + t.replace("\n", "\\n") + "\n" for n, _, t in outputs)


def _lists(outputs: Outputs) -> str:
    return "".join(f"{n}: {[line + chr(10) for line in t.split(chr(10))]!r}\n" for n, _, t in outputs)


def _bytes(outputs: Outputs) -> str:
    return "".join(f"{n} {t.encode()!r}\n" for n, _, t in outputs)


def _job(outputs: Outputs) -> str:
    return "".join(
        f"11:02:1{i} [root@{n} ] [NORMAL] {line}\n" for i, (n, _, t) in enumerate(outputs) for line in t.split("\n")
    )


def _markdown(outputs: Outputs) -> str:
    rows = "".join(f"| {n} | `{line}` |\n" for n, _, t in outputs for line in t.split("\n"))
    return f"| Host | Output |\n|------|--------|\n{rows}"


def _rich(outputs: Outputs) -> str:
    lines = [line for n, c, t in outputs for line in (f"[root@{n} ~]# {c}", *t.split("\n"))]
    head = "{\\rtf1\\ansi{\\fonttbl{\\f0 Consolas;}}\n{\\*\\generator Pad;}\\f0\\fs18 "
    return head + "".join(re.sub(r"([\\{}])", r"\\\1", line) + "\\par\n" for line in lines) + "}\n"


SHAPES: dict[str, Callable[[Outputs], str]] = {
    "xml": _each('<node name="@N">\n<output command="@C">\n@T\n</output>\n</node>\n'),
    "cdata": _each('<host name="@N">\n<command line="@C"><![CDATA[\n@T\n]]></command>\n</host>\n'),
    "xml of texts": _each("<hostname>@N</hostname>\n<command>@C</command>\n<result><![CDATA[\n@T\n]]></result>\n"),
    "yaml": _each('- host: @N\n  command: "@C"\n  output: |\n@M\n'),
    "yaml of a playbook": _each("changed: [@N] => changed=true \n  cmd: @C\n  rc: 0\n  stderr: ''\n  stdout: |-\n@M\n"),
    "minions": _each("@N.yard.example: |-\n@M\n"),
    "details": _each("<details>\n<summary>@N: @C</summary>\n\n```console\n@T\n```\n</details>\n"),
    "windows": _each('PS C:\\Users\\ana> ssh root@@N "@C"\n@T\n'),
    "plink": _each("C:\\tools>plink -batch -pw secret root@@N @C\n@T\n"),
    "debug pod": _each("$ oc debug node/@N\nStarting pod/@N-debug-1 ...\nsh-5.1# chroot /host\nsh-5.1# @C\n@T\nexit\n"),
    "tracker": _each("h3. @N: @C\n{code:bash}\n@T\n{code}\n"),
    "visible ends": lambda outputs: _each("[root@@N ~]# @C\n@T\n")(outputs).replace("\n", "$\n"),
    "rich text": _rich,
    "one line each": _one_line,
    "lists": _lists,
    "bytes": _bytes,
    "lines of a job": _job,
    "table in Markdown": _markdown,
    "web page of a mail": lambda outputs: "".join(
        f"<p class=Plain><span style='font-family:Courier'>{line}<o:p></o:p></span></p>\n"
        for line in _each("[root@@N ~]# @C\n@T\n")(outputs).split("\n")
    ),
}


@pytest.mark.parametrize("shape", SHAPES)
def test_node_and_output_are_known(shape: str) -> None:
    reading = Reading(SHAPES[shape](TWO))
    assert reading.adds_up
    assert reading.result.not_understood == 0
    nodes = [(one.node or "").removesuffix(".yard.example") for one in reading.of(Membership)]
    assert nodes == ["larch", "larch", "maple", "maple"]
    assert {one.standing for one in reading.of(Membership)} == {"normal"}


def test_lines_of_a_document_keep_their_numbers() -> None:
    text = SHAPES["rich text"](TWO)
    [first, *_] = Reading(text).of(Membership)
    assert text.split("\n")[first.line - 1].startswith("Port a")


@pytest.mark.parametrize(
    ("text", "recounted"),
    [
        ("{\\rtf1\\ansi one\\par two\\par three\\par}", True),
        ("<p>one</p><p>two</p>\n", True),
        ("one\ntwo\n", False),
        ("one$\ntwo$\nthree$\nfour$\nfive$\n", False),
    ],
)
def test_other_lines_than_those_of_the_file_are_reported(text: str, *, recounted: bool) -> None:
    long = LongLines()
    assert list(blocks(io.BytesIO(text.encode()), long=long))
    assert long.recounted is recounted


@pytest.mark.parametrize("row", ["Port a gen unread", "????", "Port a ge"])
def test_ports_that_cannot_be_read_are_not_none(row: str) -> None:
    reading = Reading(f"[root@larch ~]# gabconfig -a\nGAB Port Memberships\n{RULE}\n{row}\n")
    assert [one.standing for one in reading.of(Membership) if one.standing == "stopped"] == [] or "Port" not in row
    cut = Reading(f"[root@larch ~]# gabconfig -a\nGAB Port Memberships\n{row}\n")
    assert [one.standing for one in cut.of(Membership)] == []


def test_no_port_at_all_is_reported() -> None:
    reading = Reading(f"[root@larch ~]# gabconfig -a\nGAB Port Memberships\n{RULE}\n[root@larch ~]# date\n")
    assert [one.standing for one in reading.of(Membership)] == ["stopped"]


@pytest.mark.parametrize("text", ["heron is down", "FAILED", "Quorum: lost", "rc: failed to start", "state: |x"])
def test_words_that_may_say_something_are_no_frame(text: str) -> None:
    assert not is_frame(text)


def test_a_name_above_a_moment_begins_a_post() -> None:
    assert is_of_post("Berg, Anna", "13:02")
    assert is_of_post("Jo Kim (Support)", "May 13, 2031, 13:20")
    assert not is_of_post("Cluster Summary", "Stack: corosync")


@pytest.mark.parametrize("heading", ["h3. Summary", "h3. Steps: what we did", "<node name='a' id='1'/>"])
def test_other_headings_name_no_node(heading: str) -> None:
    assert {one.node for one in Reading(f"{heading}\n{PORTS}\n").of(Section)} == {None}


@pytest.mark.parametrize("lead", ["tarn1", "this is tarn1", "*tarn1*", "from node tarn1:", "Hier ist tarn1:"])
@pytest.mark.parametrize("block", ["```\n@T\n```", "{noformat:title=gabconfig -a}\n@T\n{noformat}"])
def test_a_host_right_above_a_marked_block_is_its_node(lead: str, block: str) -> None:
    reading = Reading(f"{lead}\n{block.replace('@T', PORTS)}\n")
    assert reading.result.not_understood == 0
    assert {one.node for one in reading.of(Membership)} == {"tarn1"}


@pytest.mark.parametrize("lead", ["disk3", "step2", "summary", "this is odd"])
def test_other_words_above_a_block_are_none(lead: str) -> None:
    assert {one.node for one in Reading(f"{lead}\n```\n{PORTS}\n```\n").of(Membership)} == {None}


def test_a_node_and_its_command_in_the_marks_of_a_tracker() -> None:
    reading = Reading(f"*larch*: {{{{gabconfig -a}}}}\n{{code}}\n{PORTS}\n{{code}}\n")
    assert {one.node for one in reading.of(Membership)} == {"larch"}


def test_the_name_below_a_letter_is_no_output() -> None:
    assert Reading(f"{PORTS}\n\nBest regards\n\nAnna Berg\n").result.not_understood == 0
    assert Reading(f"{PORTS}\n\nBest, Anna\n").result.not_understood == 0
    assert Reading(f"{PORTS}\n\nAnna Berg\n").result.not_understood == 1


def test_a_page_with_a_cell_for_each_word_is_read_as_its_lines() -> None:
    log = [
        "Mar  9 14:20:03 maple kernel: GFS2: fsid=yard:grain.1: fatal: filesystem consistency error",
        "Mar  9 14:20:04 maple systemd[1]: Started Session 12 of user root.",
    ]
    page = "".join("<tr>" + "".join(f"<td>{word}</td>" for word in line.split()) + "</tr>\n" for line in log)
    plain, cells = Reading("\n".join(log) + "\n"), Reading(f"<table>\n{page}</table>\n")
    assert cells.result.not_understood == 0
    assert [(one.kind, one.node, one.at) for one in cells.of(Event)] == [
        (one.kind, one.node, one.at) for one in plain.of(Event)
    ]
