"""Outputs and lines of logs in the shapes that tools and people give them: each is read, on its node, at its moment."""

from __future__ import annotations

import json

import pytest

from parsers.enclosed.spoken_lines import quoted
from parsers.headings.frames import is_frame
from parsers.records import Event
from parsers.records.states import DiskPath
from tests.parsers.golden import Reading

MAP = """\
mpatha (360002ac0000000000000001a0001f2a3) dm-7 IBM,2145
size=500G features='1 queue_if_no_path' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  |- 1:0:0:1 sdb 8:16 {state} running
  `- 2:0:0:1 sdd 8:48 active ready running"""
SICK, WELL = MAP.format(state="failed faulty"), MAP.format(state="active ready")
WITHDRAWN = "Oct  3 08:58:12 pine kernel: gfs2: fsid=alpha:shared.0: about to withdraw this file system"
DAEMON = (
    "2031-10-03_08:58:12.700+0200: [X] File System gpfs1 unmounted by the system with return code 217 reason code 19"
)


def paths(text: str | bytes) -> list[tuple[str | None, str]]:
    reading = Reading(text)
    assert reading.adds_up
    return [(one.node, one.standing) for one in reading.of(DiskPath)]


def shown(first: str, second: str) -> list[tuple[str | None, str]]:
    return [(first, "down"), (first, "up"), (second, "up"), (second, "up")]


def in_front(node: str, text: str, mark: str) -> str:
    return "".join(f"{node}{mark}{line}\n" for line in text.split("\n"))


@pytest.mark.parametrize("mark", ["\t", " "])
@pytest.mark.parametrize(("first", "second"), [("pine", "larch"), ("tarn1", "tarn2"), ("stor-a", "stor-b.example.net")])
def test_names_in_the_first_column_of_every_line_are_nodes(mark: str, first: str, second: str) -> None:
    assert paths(in_front(first, SICK, mark) + in_front(second, WELL, mark)) == shown(first, second)


@pytest.mark.parametrize(("first", "second"), [("INFO", "ERROR"), ("Mon", "Tue")])
def test_levels_and_days_in_front_of_every_line_are_no_nodes(first: str, second: str) -> None:
    nodes = {node for node, _ in paths(in_front(first, SICK, " ") + in_front(second, WELL, " "))}
    assert nodes <= {None}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("On pine I see", "and on larch"),
        ("On pine I see:", "on larch:"),
        ("from pine:", "from larch:"),
        ("Auf pine sehen wir", "und auf larch"),
        ("Sur pine on voit", "et sur larch"),
    ],
)
def test_two_places_above_outputs_bear_each_other_out(first: str, second: str) -> None:
    assert paths(f"Hello,\n\n{first}\n\n{SICK}\n\n{second}\n\n{WELL}\n\nThanks\n") == shown("pine", "larch")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("On Monday I see", "and on Tuesday"),
        ("du lundi:", "du mardi:"),
        ("Output of `multipath`:", "Output of `df`:"),
        ("from before:", "from after:"),
    ],
)
def test_days_and_tools_above_outputs_are_no_nodes(first: str, second: str) -> None:
    assert {node for node, _ in paths(f"{first}\n\n{SICK}\n\n{second}\n\n{WELL}\n")} == {None}


@pytest.mark.parametrize(
    ("heading", "second"),
    [
        ("*** pine, 3 Oct 2031 09:00 ***", 1948784400),
        ("## pine (2031-10-03 09:00:02)\n\nOutput of `multipath -ll`:\n\n```", 1948784402),
        ("=== pine 2031-10-03T09:00Z ===", 1948784400),
        ("[03.10.31, 09:00:02] Anna Berg: root@pine:~# multipath -ll", 1948784402),
        ("[10/23/31, 9:00:02 PM] Anna Berg: root@pine:~# multipath -ll", 1950555602),
    ],
)
def test_headings_and_chats_tell_the_moment(heading: str, second: int) -> None:
    other = heading.replace("pine", "larch")
    reading = Reading(
        f"{heading}\n{SICK}\n{'```' * ('```' in heading)}\n{other}\n{WELL}\n{'```' * ('```' in heading)}\n"
    )
    assert [(one.node, one.at) for one in reading.of(DiskPath)] == [
        (node, second * 1_000_000) for node in ("pine", "pine", "larch", "larch")
    ]


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("===== pine 03.10.31 09:00:02 =====", "===== larch 03.10.31 09:00:02 ====="),
        ('<host name="pine" time="2031-10-03 09:00:02">', '<host name="larch" time="2031-10-03 09:00:02">'),
        ("*** pine (3. Okt 2031 09:00:02) ***", "*** larch (3. Okt 2031 09:00:02) ***"),
    ],
)
def test_headings_with_dates_of_other_forms(first: str, second: str) -> None:
    reading = Reading(f"{first}\n{SICK}\n{second}\n{WELL}\n")
    assert [(one.node, one.at) for one in reading.of(DiskPath)][1:3] == [
        ("pine", 1948784402_000000),
        ("larch", 1948784402_000000),
    ]


@pytest.mark.parametrize(
    "heading",
    [
        "*{node}*\n{{code:none}}\nmultipath -ll",
        "{node}:\n\nmultipath -ll",
        "`{node}`:\n```",
        "{node}:\n   Exit Code: 0\n   Stdout:",
        "From: root@{node}.example.com (Cron Daemon)\nSubject: Cron <root@{node}> /opt/x\nAuto-Submitted: auto\n",
        "<p><b>{node}</b>: <tt>multipath -ll</tt></p><p>",
    ],
)
def test_headings_of_trackers_chats_and_tools_name_nodes(heading: str) -> None:
    text = "".join(f"{heading.format(node=node)}\n{output}\n" for node, output in (("pine", SICK), ("larch", WELL)))
    assert paths(text) == shown("pine", "larch")


@pytest.mark.parametrize(
    ("line", "is_one"),
    [
        ("Ticket 4712 - erledigt", True),
        ("INC0047121 - closed by Anna", True),
        ("Case: 00471234 (resolved)", True),
        ("Ticket#2031100347000123", True),
        ("Work notes:", True),
        ("Finished processing 2 / 2 hosts in 211.55 ms", True),
        ("Auto-Submitted: auto-generated", True),
        ("Ticket 4712 - disk failed", False),
        ("Case 4712: pine lost its paths", False),
        ("Exit Code: 5", False),
        ("Problem 4", False),
    ],
)
def test_lines_of_trackers_tell_nothing_of_outputs(line: str, is_one: bool) -> None:
    assert is_frame(line) is is_one


def test_a_day_that_may_be_a_month_tells_no_moment() -> None:
    reading = Reading(f"[03/10/2031, 09:00:02] Anna Berg: root@pine:~# multipath -ll\n{SICK}\n")
    assert [one.at for one in reading.of(DiskPath)] == [32402_000000, 32402_000000]  # the time of day


def test_lines_of_a_container_are_its_output() -> None:
    rows = [
        json.dumps({"log": f"{line}\n", "stream": "stdout", "time": "2031-10-03T07:00:02.123456789Z"})
        for line in ("", *SICK.split("\n"))
    ]
    reading = Reading("\n".join(rows) + "\n")
    assert [(one.standing, one.at) for one in reading.of(DiskPath)] == [
        ("down", 1948777202_123456),
        ("up", 1948777202_123456),
    ]


@pytest.mark.parametrize(
    "record",
    [
        '[{at}] check.0: [[1948777202.000000, {{}}], {{"host"=>"{node}", "log"=>{text}}}]',
        '[{at}] tail.1: [1948777202.123, {{"log"=>{text}, "hostname"=>"{node}"}}]',
        '{{"@timestamp" => 2031-10-03T07:00:02.000Z, "host" => "{node}", "message" => {text}}}',
        '{{\n "@timestamp" => 2031-10-03T07:00:02.000Z,\n "host" => "{node}",\n "message" => {text}\n}}',
        '2031-10-03T07:00:02Z {{host="{node}", job="check"}} {bare}',
    ],
)
def test_records_of_shippers_hold_lines_of_outputs(record: str) -> None:
    text = "\n".join(
        record.format(at=at, node=node, text=json.dumps(line), bare=line)
        for node, output in (("pine", SICK), ("larch", WELL))
        for at, line in enumerate(output.split("\n"))
    )
    assert paths(f"{text}\n") == shown("pine", "larch")


@pytest.mark.parametrize(
    "heading",
    ["Host\tWhen\tLine", "Serveur;Quand;Ligne", "Nodo,Fecha,Salida", "\u4e3b\u673a,\u65f6\u95f4,\u6d88\u606f"],
)
def test_tables_in_any_language_hold_lines_of_outputs(heading: str) -> None:
    mark = next(sign for sign in "\t;," if sign in heading)
    rows = [
        mark.join((node, "2031-10-03 09:00:02", f'"{line}"' if mark in line else line))
        for node, output in (("pine", SICK), ("larch", WELL))
        for line in output.split("\n")
    ]
    assert paths("\n".join((heading, *rows)) + "\n") == shown("pine", "larch")


def test_a_journal_keeps_the_host_of_a_line_with_a_stamp_of_its_own() -> None:
    head = "__CURSOR=s=1\n__REALTIME_TIMESTAMP=1948777202000000\n_HOSTNAME=pine\nSYSLOG_IDENTIFIER=mmfs"
    entry = f"{head}\nMESSAGE={DAEMON}\n"
    assert [one.node for one in Reading(entry).of(Event)] == ["pine"]


@pytest.mark.parametrize(
    "sentence",
    [
        f"Since nine pine is in trouble. The log says `{WITHDRAWN}` and nothing else.",
        f"Im Log steht seit heute \u201e{WITHDRAWN}\u201c und sonst fast gar nichts.",
        f"Le journal affiche \u00ab {WITHDRAWN} \u00bb depuis ce matin.",
        f'Our engineer on duty saw "{WITHDRAWN}" this morning.',
    ],
)
def test_messages_quoted_in_sentences_happened(sentence: str) -> None:
    reading = Reading(f"{sentence}\n")
    assert reading.adds_up
    assert [one.node for one in reading.of(Event)] == ["pine"]


@pytest.mark.parametrize(
    "sentence",
    [
        f"If the log says `{WITHDRAWN}` the file system has to be mounted again.",
        f"We looked for `{WITHDRAWN}` but the log has no such line, it is not there.",
        f"An example of what the log shows: `{WITHDRAWN}` and more.",
        "The log says `everything is in order` and nothing else.",
        WITHDRAWN,
    ],
)
def test_messages_that_somebody_expects_did_not(sentence: str) -> None:
    assert quoted(sentence) == []


@pytest.mark.parametrize("prompt", ["#", "[root@pine ~]#", "pine:/ #"])
def test_an_output_on_the_line_of_its_command_is_read_whoever_typed_it(prompt: str) -> None:
    rows = "hcil dev dev_t pri dm_st chk_st dev_st next_check 1:0:0:1 sdb 8:16 50 {} running X 7/20"
    more = "2:0:0:1 sdd 8:48 50 active ready running XXXXXXX... 15/20"
    sick, well = (
        [one.standing for one in Reading(f"{prompt} multipathd show paths {rows.format(state)} {more}\n").of(DiskPath)]
        for state in ("failed faulty", "active ready")
    )
    assert (sick, well) == (["down", "up"], ["up", "up"])


@pytest.mark.parametrize(
    "head",
    [
        "01-Jun-2031 08:58:12 skua LLT[12]: INFO V-14-1-10205",
        "01-Jun-2031 08:58:12 skua kernel: LLT INFO V-14-1-10205",
        "Sun, 1 Jun 2031 08:58:12 +0200 skua kernel: LLT INFO V-14-1-10205",
    ],
)
def test_messages_with_a_number_keep_the_host_in_front_of_them(head: str) -> None:
    events = Reading(f"{head} link 1 (eth2) node 1 in trouble\n").of(Event)
    assert [(one.node, one.at) for one in events] == [("skua", 1938070692_000000)]


@pytest.mark.parametrize(("first", "second"), [("pine", "larch"), ("heath", "fell"), ("stor-a", "stor-b")])
def test_different_outputs_behind_names_are_none_of_the_node_of_the_prompt(first: str, second: str) -> None:
    other = "Filesystem 1K-blocks Used Available Use% Mounted on\n/dev/sda2 52403200 20961280 31441920 41% /"
    text = f"[root@mgt01 ~]# mmdsh -N all /opt/x\n{in_front(first, SICK, ':  ')}{in_front(second, other, ':  ')}"
    assert paths(text) == [(first, "down"), (first, "up")]


@pytest.mark.parametrize(
    "head",
    [
        "Fri 2031-10-03 09:00:02 CEST {node} check[4711]: {line}",
        "2031 Oct  3 09:00:02 {node} check[4711]: {line}",
        "Oct 3, 2031 @ 09:00:02.000\t{node}\t{line}",
    ],
)
def test_programs_that_only_carry_an_output_tell_node_and_moment(head: str) -> None:
    rows = [
        head.format(node=node, line=line)
        for node, output in (("pine", SICK), ("larch", WELL))
        for line in output.split("\n")
    ]
    reading = Reading("\n".join(rows) + "\n")
    assert [(one.node, one.standing) for one in reading.of(DiskPath)] == shown("pine", "larch")
    assert {one.at for one in reading.of(DiskPath)} == {1948784402_000000}


@pytest.mark.parametrize("key", ["target", "minion", "certname"])
def test_tools_of_many_nodes_name_their_target(key: str) -> None:
    items = [{key: node, "value": {"stdout": output}} for node, output in (("pine", SICK), ("larch", WELL))]
    assert paths(json.dumps({"items": items}, indent=2) + "\n") == shown("pine", "larch")
