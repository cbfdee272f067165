"""Texts that people wrote into tickets, as an export keeps them: JSON, XML, tables of lines, logs of a tool."""

from __future__ import annotations

import json

import pytest

from parsers.documents.ticket_texts import is_ticket
from parsers.records import Event, Section
from parsers.records.states import Membership
from parsers.text import BLOCK_BYTES
from tests.parsers.golden import Reading

PORTS = f"GAB Port Memberships\n{'=' * 63}\nPort a gen   51c001 membership 01\n"
TYPED = f"[root@tarn1 ~]# gabconfig -a\n{PORTS}"
WRITTEN = f"Bonjour,\nwhat we see:\n\n{TYPED}\nRegards\n"


def nodes(text: str, block_bytes: int = BLOCK_BYTES) -> list[str | None]:
    reading = Reading(text, block_bytes=block_bytes)
    assert reading.adds_up
    return [one.node for one in reading.of(Membership)]


@pytest.mark.parametrize("block_bytes", [300, 1 << 20])
@pytest.mark.parametrize(
    "ticket",
    [
        {"number": "INC17", "priority": 2, "description": WRITTEN},
        {"result": [{"state": "New", "comments": [{"author": "anna", "body": "On it."}, {"body": TYPED}]}]},
        {"id": 17, "work_notes": f"Sp\u00e4ter:\n{TYPED}", "tags": ["a", "b"]},
        [{"case": 17, "files": [{"name": "out.txt", "lines": TYPED.splitlines()}]}],
    ],
)
@pytest.mark.parametrize("indent", [None, 1])
def test_what_somebody_wrote_is_read_as_it_was(ticket: object, indent: int | None, block_bytes: int) -> None:
    assert nodes(json.dumps(ticket, indent=indent), block_bytes=block_bytes) == ["tarn1"]


def test_a_heading_of_plain_words_counts_in_a_ticket_too() -> None:
    text = f"=== tarn ===\n# gabconfig -a\n{PORTS}=== carp ===\n# gabconfig -a\n{PORTS}"
    assert nodes(json.dumps({"number": "INC17", "description": text})) == ["tarn", "carp"]


def test_names_of_fields_are_no_nodes() -> None:
    assert nodes(json.dumps({"host": "", "number": "INC17", "explanation": PORTS})) == [None]
    assert nodes(json.dumps({"tarn": PORTS})) == ["tarn"]
    assert nodes(json.dumps({"tarn": PORTS, "carp": PORTS})) == ["tarn", "carp"]


@pytest.mark.parametrize(
    "content",
    [
        {"host": "tarn1", "text": PORTS},
        {"tarn1": {"cmd": ["gabconfig", "-a"], "stdout": PORTS}},
        {"number": 17, "summary": "one line"},
        "a text",
    ],
)
def test_objects_that_tell_more_than_their_texts_stay(content: object) -> None:
    assert not is_ticket(json.dumps(content).encode())


def test_a_text_that_is_cut_is_read_as_far_as_it_goes() -> None:
    whole = json.dumps({"number": "INC17", "description": WRITTEN, "body": TYPED})
    assert nodes(whole[: whole.rindex("Regards")]) in ([], ["tarn1"])
    assert nodes(whole[:-30]) == ["tarn1"]


@pytest.mark.parametrize(
    ("begin", "end"),
    [
        ("<ticket>\n <comment><text><![CDATA[", "]]></text></comment>\n</ticket>\n"),
        ("<item>\n <entry author='anna'><![CDATA[", "]]></entry>\n</item>\n"),
        ("<ticket>\n <description>", "</description>\n</ticket>\n"),
    ],
)
def test_the_first_line_of_an_element_counts(begin: str, end: str) -> None:
    assert nodes(f"{begin}{TYPED}{end}") == ["tarn1"]


@pytest.mark.parametrize("heading", ["line,text", "Nr;Fall;Zeile", "id\tmessage", '"no.","raw"', "| # | line |"])
def test_a_table_with_a_line_in_each_row(heading: str) -> None:
    mark = next(one for one in ",;\t|" if one in heading)
    cells = [
        f"{at}{mark * (heading.count(mark) - 2 * (mark == '|'))}{line}" for at, line in enumerate(TYPED.splitlines())
    ]
    rows = "".join(f"| {cell.replace('|', ' | ')} |\n" if mark == "|" else f"{cell}\n" for cell in cells)
    assert nodes(f"{heading}\n{rows}") == ["tarn1"]


@pytest.mark.parametrize("tag", ["root", "collect[4711]", "fetch.sh"])
@pytest.mark.parametrize("stamp", ["Mar  5 03:14:24", "2031-04-03T04:11:20.120+01:00"])
def test_what_a_tool_logged_is_read_as_it_was_printed(tag: str, stamp: str) -> None:
    hung = "Mar  4 02:00:00 tarn2 kernel: INFO: task imapd:7 blocked for more than 120 seconds.\n"
    text = f"{TYPED}[root@tarn1 ~]# cat /var/log/messages\n{hung}"
    logged = "".join(f"{stamp} tarn1 {tag}: {line}\n" for line in text.splitlines())
    reading = Reading(logged)
    assert [one.node for one in reading.of(Membership)] == ["tarn1"]
    assert reading.result.not_understood == 0
    assert [one.node for one in reading.of(Event)] == ["tarn2"]


def test_what_a_daemon_logs_stays_its_own() -> None:
    reading = Reading(
        "Mar  5 03:14:24 tarn1 root: # gabconfig -a\n"
        "Mar  5 03:14:25 tarn1 corosync[758]:   [KNET  ] link: host: 2 link: 0 is down\n"
    )
    assert {one.format for one in reading.of(Section)} == {"kernel_log"}


@pytest.mark.parametrize("front", ["+", "messages:#:", "bench.md:#:", "ports.of.tarn:#:"])
def test_marks_of_changes_and_of_searches_go(front: str) -> None:
    text = "".join(f"{front.replace('#', str(at))}{line}\n" for at, line in enumerate(TYPED.splitlines(), 1))
    assert nodes(text) == ["tarn1"]
    bare = "".join(
        f"{front.replace('#', str(at))}{line}\n" for at, line in enumerate(f"# gabconfig -a\n{PORTS}".splitlines(), 1)
    )
    assert "bench" not in nodes(bare)
