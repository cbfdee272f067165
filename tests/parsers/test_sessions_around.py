"""Sessions and outputs in what recordings, tools, documents and stores of tickets put around them."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from parsers.records import Event
from parsers.records.states import Membership
from tests.parsers.golden import Reading

PORTS = """GAB Port Memberships
===============================================================
Port a gen   51c001 membership 01
Port h gen   51c002 membership 01"""
COMMAND = "gabconfig -a"
NODES = ("tarn1", "tarn2")


def _session(node: str) -> str:
    return f"[root@{node} ~]# {COMMAND}\n{PORTS}\n"


def _each(text: str, put: Callable[[int, str], str]) -> str:
    return "".join(f"{put(at, line)}\n" for at, line in enumerate(text.splitlines()))


SHAPES: dict[str, Callable[[str], str]] = {
    "a transcript of Windows": lambda n: "**********************\nWindows PowerShell transcript start\n"
    f"Start time: 20310403041120\nUsername: LAB\\anna\nMachine: DESK7 (Microsoft Windows NT 10.0.1.0)\n"
    f"**********************\nPS C:\\Users\\anna> plink root@{n} {COMMAND}\n{PORTS}\n"
    "PS C:\\Users\\anna> Stop-Transcript\n",
    "stamps in angles": lambda n: _each(_session(n), lambda at, line: f"<04:11:{at:02}.118> {line}"),
    "stamps of twelve hours": lambda n: _each(_session(n), lambda at, line: f"04/03/2031 04:11:{at:02} AM {line}"),
    "a resource of a plan": lambda n: _each(PORTS, lambda _, line: f"null_resource.{n} (remote-exec): {line}"),
    "a log of a playbook": lambda n: _each(
        f"{n} | CHANGED | rc=0 >>\n{PORTS}",
        lambda _, line: f"2031-04-03 04:11:20,118 p=71 u=root n=ansible INFO| {line}",
    ),
    "a tool that runs tasks": lambda n: f"[{n}] Executing task 'show'\n[{n}] run: {COMMAND}\n"
    + _each(PORTS, lambda _, line: f"[{n}] out: {line}"),
    "a node with its domain": lambda n: _each(PORTS, lambda _, line: f"{n}.yard.example.com {line}"),
    "pods that are followed": lambda n: _each(PORTS, lambda _, line: f"{n} gab 2031-04-03T04:11:20.118220Z {line}"),
    "a node in a column": lambda n: _each(PORTS, lambda _, line: f"{n:<12}: {line}"),
    "a node in brackets": lambda n: _each(PORTS, lambda _, line: f"({n}) {line}"),
    "more of several files": lambda n: f"::::::::::::::\n{n}/gab.txt\n::::::::::::::\n# {COMMAND}\n{PORTS}\n",
    "a list of a page": lambda n: f"<ul>\n<li><strong>{n}</strong>: <code>{COMMAND}</code><pre>{PORTS}</pre></li>\n"
    "</ul>\n",
    "a forum": lambda n: f"[b]{n}[/b]: {COMMAND}\n[code]{PORTS}[/code]\n",
    "AsciiDoc": lambda n: f"== {n}\n\n.{COMMAND}\n[source,console]\n----\n{PORTS}\n----\n",
    "Org mode": lambda n: f"* {n}\n** {COMMAND}\n#+BEGIN_EXAMPLE\n{PORTS}\n#+END_EXAMPLE\n",
    "reStructuredText": lambda n: f"{n}\n{'-' * len(n)}\n\n.. code-block:: console\n\n    # {COMMAND}\n"
    + _each(PORTS, lambda _, line: f"    {line}"),
    "codes in letters": lambda n: f"^[[01;32m[root@{n} ~]# ^[[0m{COMMAND}^[[K\n{PORTS}\n",
    "a state of Salt": lambda n: f"{n}:\n----------\n          ID: show\n    Function: cmd.run\n"
    f"        Name: {COMMAND}\n"
    "      Result: True\n     Changes:   \n              ----------\n              pid:\n                  77\n"
    "              stdout:\n" + _each(PORTS, lambda _, line: f"                  {line}")
    + f"\nSummary for {n}\n------------\n",
    "a quotation of YAML": lambda n: f"- host: {n}\n  rc: 0\n  stdout: \""
    + PORTS.replace("\n", "\\n").replace("gen   ", "gen\\\n    \\   ") + '"\n',
    "an answer of a manager": lambda n: json.dumps(
        {"CommandId": "1", "StandardOutputContent": _session(n)}, indent=2
    ) + "\n",
    "a comment of a ticket": lambda n: json.dumps(
        {"key": "OPS-7", "fields": {"comment": {"comments": [
            {"body": f"As asked for yesterday:\r\n{{noformat}}\r\n{_session(n)}"}]}}}
    ) + "\n",
    "a message of a chat": lambda n: json.dumps(
        {"value": [{"body": {"contentType": "html", "content": f"<p>[root@{n} ~]# {COMMAND}</p><pre>{PORTS}</pre>"}}]}
    ) + "\n",
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_outputs_are_those_of_their_nodes(name: str) -> None:
    reading = Reading("".join(map(SHAPES[name], NODES)))
    found = reading.of(Membership)
    assert [(one.group, (one.node or "").partition(".")[0]) for one in found] == [
        (group, node) for node in NODES for group in ("a", "h")
    ]
    assert reading.result.not_understood == 0
    assert reading.adds_up


@pytest.mark.parametrize(
    "text",
    [
        "GAB Port Memberships\n=====================================\n\nPage 1 of 9\nCase 71 - outputs\n\n{rows}",
        "GAB Port Memberships\n=====================================\nsome remark 7 of mine\n{rows}",
    ],
)
def test_a_page_that_ends_above_the_rows_does_not_say_that_there_are_none(text: str) -> None:
    rows = "\n".join(PORTS.splitlines()[2:])
    found = Reading(text.format(rows=rows)).of(Membership)
    assert [one.group for one in found] == ["a", "h"]


@pytest.mark.parametrize("text", ["Failed:    1\n", "Result: False\n"])
def test_what_may_tell_of_a_failure_is_no_frame(text: str) -> None:
    reading = Reading(text)
    assert reading.result.not_understood == 1 or reading.of(Event)
