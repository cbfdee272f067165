"""Logs and outputs in cells, fields and strings of another text: read as if they stood in a text of their own."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from parsers.enclosed.opened import Enclosed
from parsers.records import Event, Section
from parsers.records.states import Membership
from parsers.records.waits import Waiter
from parsers.text import CELL
from tests.parsers.golden import Reading

WAITS = """=== mmdiag: waiters ===
0x7F11C0011A70 (  20117) waiting 318.231904000 seconds, NSDThread: for I/O completion
0x7F11C0016E90 (  20120) waiting 277.004512000 seconds, NSDThread: for I/O completion"""
NONE_WAITS = "=== mmdiag: waiters ==="
PORTS = """GAB Port Memberships
===============================================================
Port a gen   51c001 membership 01
Port h gen   51c002 membership 01"""
Outputs = list[tuple[str, str, str]]
SICK: Outputs = [("tarn1", "mmdiag --waiters", WAITS), ("tarn2", "mmdiag --waiters", WAITS)]
LOST = "GFS2: fsid=yard:grain.1: fatal: filesystem consistency error"


def _csv(outputs: Outputs, mark: str) -> str:
    text = io.StringIO()
    writer = csv.writer(text, delimiter=mark)
    writer.writerows([("Host", "Command", "Output"), *outputs])
    return text.getvalue()


def _web(outputs: Outputs) -> str:
    rows = "\n".join(f"<tr><td>{n}</td><td>{c}</td><td><pre>{t}</pre></td></tr>" for n, c, t in outputs)
    return f"<table>\n<tr><th>Node</th><th>Command</th><th>Output</th></tr>\n{rows}\n</table>\n"


def _cells_by_line(outputs: Outputs) -> str:
    rows = [(n, c, line) for n, c, t in outputs for line in t.split("\n")]
    return "\n".join("\t".join(row) for row in [("Host", "Command", "Output"), *rows]) + "\n"


def _playbook(outputs: Outputs) -> str:
    shown = (
        f"TASK [{c}] ********\nchanged: [{n}] => "
        + json.dumps({"cmd": c, "stdout": t, "stdout_lines": t.split("\n")})
        + f"\n\nPLAY RECAP *****\n{n}    : ok=2    changed=1    unreachable=0    failed=0\n"
        for n, c, t in outputs
    )
    return "".join(shown)


def _by_host(outputs: Outputs) -> str:
    found = {n: {"cmd": c.split(), "rc": 0, "stdout": t, "stdout_lines": t.split("\n")} for n, c, t in outputs}
    return json.dumps({"plays": [{"tasks": [{"task": {"name": "run"}, "hosts": found}]}]}, indent=4)


def _minions(outputs: Outputs) -> str:
    return "\n".join(json.dumps({n: t}, indent=4) for n, _, t in outputs)


def _host_behind(outputs: Outputs) -> str:
    return "\n".join(json.dumps({"output": t, "command": c, "host": n}) for n, c, t in outputs)


def _lists(outputs: Outputs) -> str:
    """As Python shows lists of lines without their ends."""
    return "".join(f"{n}: {t.split(chr(10))!r}\n" for n, _, t in outputs)


def _exported(outputs: Outputs) -> str:
    rows = [(n, line) for n, _, t in outputs for line in t.split("\n")]
    return "".join(f'2031-04-03 04:11:2{at % 10},{n},"{line}"\n' for at, (n, line) in enumerate(rows))


SHAPES: list[Callable[[Outputs], str]] = [
    lambda outputs: _csv(outputs, ";"),
    lambda outputs: _csv(outputs, ","),
    lambda outputs: _csv(outputs, "\t"),
    _web,
    _cells_by_line,
    _playbook,
    _by_host,
    _minions,
    _host_behind,
    _lists,
    _exported,
]


@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_in_cells_and_strings_are_those_of_their_nodes(shape: Callable[[Outputs], str]) -> None:
    text = shape(SICK)
    reading = Reading(text)
    waits = reading.of(Waiter)
    assert [(one.node, round((one.seconds or 0) * 1e6)) for one in waits] == [
        (node, wait) for node in ("tarn1", "tarn2") for wait in (318_231_904, 277_004_512)
    ]
    assert all(str(one.seconds)[:3] in text.split("\n")[one.line - 1] for one in waits)
    assert reading.result.not_understood == 0
    assert reading.adds_up


@pytest.mark.parametrize("shape", SHAPES)
def test_a_dump_without_a_waiter_is_one_in_them_too(shape: Callable[[Outputs], str]) -> None:
    reading = Reading(shape([("tarn1", "mmdiag --waiters", NONE_WAITS)]))
    assert [one.node for one in reading.of(Section) if one.format.startswith("scale_waiters")] == ["tarn1"]
    assert not reading.of(Waiter)
    assert reading.result.not_understood == 0


@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_of_another_product_and_names_without_a_number(shape: Callable[[Outputs], str]) -> None:
    reading = Reading(shape([("maple", "gabconfig -a", PORTS), ("larch", "gabconfig -a", PORTS)]))
    nodes = [one.node for one in reading.of(Membership)]
    assert set(nodes) == {"maple", "larch"}


ENTRY = {"_HOSTNAME": "dunlin", "SYSLOG_IDENTIFIER": "kernel", "PRIORITY": "6", "MESSAGE": LOST}
AT = "1932955880113000"


def _fields(margin: str = "") -> str:
    return "".join(f"{margin}{key}={value}\n" for key, value in ENTRY.items())


LOGS = [
    json.dumps({"__REALTIME_TIMESTAMP": AT, **ENTRY}) + "\n",
    json.dumps({"__REALTIME_TIMESTAMP": AT, **ENTRY}, indent=8) + "\n",
    f"__CURSOR=s=1\n__REALTIME_TIMESTAMP={AT}\n{_fields()}\n",
    f"Thu 2031-04-03 04:11:20.113000 UTC [s=1f;i=2;b=3c;m=4;t=5;x=6]\n{_fields('    ')}",
    json.dumps({"hits": [{"_source": {"@timestamp": "2031-04-03T04:11:20.113Z", "host": {"name": "dunlin"},
                                      "message": LOST}}]}, indent=2),
    json.dumps({"result": {"_time": "x", "host": "dunlin", "_raw": f"2031-04-03T04:11:20Z dunlin kernel: {LOST}"}}),
    json.dumps({"stream": {"host": "dunlin"}, "values": [[f"{AT}000", f"kernel: {LOST}"]]}, indent=1),
    json.dumps({"version": "1.1", "host": "dunlin", "short_message": LOST, "timestamp": 1932955880.113}),
    f'{{"log": "2031-04-03T04:11:20Z dunlin kernel: {LOST}\\n", "stream": "stdout", "time": "2031-04-03T04:12:00Z"}}\n',
    json.dumps({"data": [{"id": "AQ1", "attributes": {"timestamp": "2031-04-03T04:11:20Z", "host": "dunlin",
                "service": "kernel", "status": "error", "message": LOST, "tags": ["env:prod"]}}]}, indent=2),
    json.dumps([{"jsonPayload": {"message": LOST, "ident": "kernel", "host": "dunlin"}, "severity": "ERROR",
                 "timestamp": "2031-04-03T04:11:20Z"}], indent=2),
    json.dumps({"tables": [{"columns": [{"name": "TimeGenerated"}, {"name": "Computer"}, {"name": "SyslogMessage"}],
                            "rows": [["2031-04-03T04:11:20Z", "dunlin", LOST]]}]}),
    json.dumps({"resourceLogs": [{"resource": {"attributes": [{"key": "host.name",
                "value": {"stringValue": "dunlin"}}]}, "scopeLogs": [{"logRecords": [{
                "timeUnixNano": f"{AT}000", "body": {"stringValue": LOST}, "attributes":
                [{"key": "appname", "value": {"stringValue": "kernel"}}]}]}]}]}) + "\n",
    f"*************************** 1. row ***************************\nReceivedAt: 2031-04-03 04:11:20\n"
    f"  FromHost: dunlin\n SysLogTag: kernel:\n   Message: {LOST}\n",
    f"-[ RECORD 1 ]-----\nhost    | dunlin\ntime    | 2031-04-03 04:11:20\nmessage | {LOST}\n",
    f"LogRecord #0\nTimestamp: 2031-04-03 04:11:20.113 +0000 UTC\nBody: Str({LOST})\nAttributes:\n"
    "     -> host.name: Str(dunlin)\n",
    f"\t<result offset='0'>\n\t\t<field k='host'>\n\t\t</field>\n\t\t<field k='_raw'><v>"
    f"2031-04-03T04:11:20Z dunlin kernel: {LOST}</v></field>\n\t</result>\n",
    f"Log Name:      Application\nSource:        Forwarder\nLevel:         Error\nComputer:      gate7\n"
    f"Description:\n2031-04-03T04:11:20Z dunlin kernel: {LOST}\n",
    f"+---------------------+----------+-----------+\n| ReceivedAt | FromHost | Message |\n"
    f"| 2031-04-03 04:11:20 | dunlin | kernel: {LOST} |\n1 row in set (0.00 sec)\n",
    f"     time | host | line\n------+------+-----\n 2031-04-03 04:11:20+00 | dunlin | kernel: {LOST}\n(1 row)\n",
    f'"TimeGenerated [UTC]","Computer","SyslogMessage"\n"4/3/2031, 4:11:20.113 AM","dunlin","{LOST}"\n',
    f"| Zeit | Host | Message |\n|---|---|---|\n| 2031-04-03 04:11:20 | dunlin | {LOST} |\n",
    f"Zeit\tRechner\tMessage\n03.04.2031 04:11:20\tdunlin\tkernel: {LOST}\n",
    f'@timestamp;host.name;message\n"Apr 3, 2031 @ 04:11:20.113";dunlin;{LOST}\n',
]  # fmt: skip


@pytest.mark.parametrize("text", LOGS)
def test_entries_of_logs_keep_node_moment_and_line(text: str) -> None:
    reading = Reading(text)
    (event,) = reading.of(Event)
    assert event.node == "dunlin"
    assert event.at is not None
    assert str(datetime.fromtimestamp(event.at / 1e6, UTC))[:19] == "2031-04-03 04:11:20"
    assert "consistency" in text.split("\n")[event.line - 1]
    assert reading.result.not_understood == 0
    assert reading.adds_up


def _quoted(text: str, marks: str) -> str:
    return "".join(f"{marks}{line}\n" if line else f"{marks.rstrip()}\n" for line in text.split("\n"))


@pytest.mark.parametrize("marks", ["> ", ">> ", "> > "])
@pytest.mark.parametrize("text", LOGS)
def test_entries_of_logs_that_a_mail_quotes_are_read_as_those_of_a_file(text: str, marks: str) -> None:
    plain, quoted = Reading(text), Reading(_quoted(text, marks))
    events = [(one.kind, one.node, one.at, one.line) for one in plain.of(Event)]
    assert [(one.kind, one.node, one.at, one.line) for one in quoted.of(Event)] == events
    assert quoted.result.not_understood == 0
    assert quoted.adds_up


@pytest.mark.parametrize("marks", ["> ", ">> "])
@pytest.mark.parametrize("shape", SHAPES)
def test_outputs_in_cells_and_strings_that_a_mail_quotes(shape: Callable[[Outputs], str], marks: str) -> None:
    reading = Reading(_quoted(shape(SICK), marks))
    assert [one.node for one in reading.of(Waiter)] == ["tarn1", "tarn1", "tarn2", "tarn2"]
    assert reading.adds_up


@pytest.mark.parametrize("front", ["", "  ", "> ", ">> ", "        "])
def test_a_journal_by_seconds_since_the_start_in_a_mail(front: str) -> None:
    reading = Reading("".join(f"{front}[ 4123.678901] dunlin {one}\n" for one in (f"kernel: {LOST}", "sshd[4]: ok")))
    (event,) = reading.of(Event)
    assert (event.kind, event.node) == ("gfs2-withdraw", "dunlin")


@pytest.mark.parametrize("text", LOGS)
def test_entries_of_programs_that_go_on_well_are_no_alarm(text: str) -> None:
    reading = Reading(text.replace(LOST, "GFS2: fsid=yard:grain.1: Joined cluster. Now mounting FS..."))
    assert all(one.kind != "gfs2_withdraw" for one in reading.of(Event))
    assert reading.result.not_understood == 0


FAILED = "[TOTEM ] A processor failed, forming new configuration."


@pytest.mark.parametrize(
    ("message", "kind"), [(FAILED, "totem-token-lost"), ("[QUORUM] Members[3]: 1 2 3", "totem-joined")]
)
@pytest.mark.parametrize(
    "shape",
    [
        lambda text: json.dumps(
            {"stream": {"host": "dunlin", "unit": "corosync.service"}, "values": [[f"{AT}000", text]]}
        ),
        lambda text: f'_time,host,_SYSTEMD_UNIT,_raw\n2031-04-03T04:11:20Z,dunlin,corosync.service,"{text}"\n',
        lambda text: f"Zeit\tRechner\tunit\tMessage\n03.04.2031 04:11:20\tdunlin\tcorosync.service\t{text}\n",
        lambda text: f'2031-04-03T04:11:20Z {{host="dunlin", systemd_unit="corosync.service"}} {text}\n',
    ],
)
def test_a_unit_of_the_system_names_the_program(shape: Callable[[str], str], message: str, kind: str) -> None:
    events = Reading(shape(message)).of(Event)
    assert [event.kind for event in events] == [kind]
    assert all(event.node == "dunlin" for event in events)


@pytest.mark.parametrize(
    "stamp", ["[2031-03-12 09:15:01]", "2031-03-12T09:15:01Z", "Mar 12 09:15:01", "[12/Mar/2031 09:15:01]"]
)
def test_words_of_an_output_behind_a_stamp_are_no_host_and_no_program(stamp: str) -> None:
    lines = (
        "Current LLT flow control values (in packets):",
        "  lowwater  = 100",
        "Cluster heartbeat health check: fail",
    )
    reading = Reading("".join(f"{stamp} {line}\n" for line in lines))
    assert [one.kind for one in reading.of(Event)] == []
    logged = Reading(f"{stamp} dunlin kernel: {LOST}\n")
    assert {(one.kind, one.node) for one in logged.of(Event)} == {("gfs2-withdraw", "dunlin")}


def test_states_of_a_management_interface_are_no_log() -> None:
    event = {"time": "2031-03-09T11:11:12Z", "node": "ess3", "name": "disk_failed", "severity": "ERROR",
             "message": "The disk d12 failed.", "component": "DISK", "entityName": "d12"}  # fmt: skip
    reading = Reading(json.dumps({"events": [event]}, indent=2))
    assert "kernel_log" not in reading.result.formats
    assert [one.node for one in reading.of(Event)] == ["ess3"]


@pytest.mark.parametrize(
    "text", ["Please send the output, message", "host,state\nn1,up\n", '{"a": ["b", "c"], "d": "e\\nf"}', "{", "[=> {"]
)
def test_other_texts_stay_as_they_are(text: str) -> None:
    lines = text.split("\n")
    assert Enclosed().take(1, lines[0], lambda: iter(lines)) == (0, [])


def test_what_a_list_is_called_is_no_node() -> None:
    issue = {"key": "OPS-12", "fields": {"summary": "hangs", "description": f"# gabconfig -a\n{PORTS}"}}
    reading = Reading(json.dumps({"issues": [issue]}, indent=1))
    assert {one.node for one in reading.of(Membership)} == {None}


def _screen(text: str, size: int, version: int = 2) -> str:
    heading = {"version": version, "width": 120, "height": 40, "timestamp": 1932955880}
    shown = f"[root@tarn1 ~]# mmdiag --waiters\r\n{text}".replace("\n", "\r\n")
    pieces = [[at / 10, "o", shown[at : at + size]] for at in range(0, len(shown), size)]
    return "".join(
        f"{json.dumps(one)}\n" for one in (heading, *pieces, [99.1, "i", "x"], [99.2, "o", "\r\n[root@tarn1 ~]# "])
    )


@pytest.mark.parametrize(("size", "version"), [(7, 2), (50, 3), (4000, 2)])
def test_a_recorded_session_is_what_its_screen_showed(size: int, version: int) -> None:
    reading = Reading(_screen(WAITS, size, version), block_bytes=256)
    assert [(one.node, one.seconds) for one in reading.of(Waiter)] == [("tarn1", 318.231904), ("tarn1", 277.004512)]
    assert reading.result.not_understood == 0
    assert reading.adds_up


def test_a_recorded_session_without_a_waiter() -> None:
    assert [one.seconds for one in Reading(_screen(NONE_WAITS, 9)).of(Waiter)] == []


def _ring(*messages: str) -> str:
    return json.dumps({"dmesg": [{"pri": 3, "time": 4411.5, "msg": one} for one in messages]}, indent=3)


def test_the_ring_of_the_kernel_as_objects() -> None:
    assert [one.kind for one in Reading(_ring("md: raid1 personality", LOST)).of(Event)] == ["gfs2-withdraw"]
    assert Reading(_ring("md: raid1 personality registered for level 1")).of(Event) == []


def test_a_line_with_its_own_moment_is_of_the_host_beside_it() -> None:
    lost = "2031-04-03_04:11:20.113+0000: [E] Disk failure.  Volume grain. rc = 5. Physical volume d12."
    found = {"@timestamp": "2031-04-03T04:11:20Z", "host": {"name": "dunlin"}, "message": lost}
    assert {one.node for one in Reading(json.dumps(found, indent=1)).of(Event)} == {"dunlin"}


@pytest.mark.parametrize(
    "heading", ["*************************** {}. row ***************************", "-[ RECORD {} ]--+--"]
)
def test_rows_of_waiters_with_a_line_for_each_cell(heading: str) -> None:
    mark = "|" if heading.startswith("-") else ":"
    rows = "".join(
        f"{heading.format(at)}\nnode {mark} tarn{at}\nthread {mark} RcvWorker\nwait_seconds {mark} {seconds}\n"
        f"reason {mark} RPC wait for tmMsgTellAcquire1\n"
        for at, seconds in enumerate((1822.4, 0.02), 1)
    )
    reading = Reading(rows)
    assert [(one.node, one.seconds) for one in reading.of(Waiter)] == [("tarn1", 1822.4), ("tarn2", 0.02)]
    assert reading.result.not_understood == 0


def test_rows_that_nobody_reads_stay_as_they_are() -> None:
    text = "*************************** 1. row ***************************\nname: a\ncolour: red\n"
    assert "scale_waiters_tabled" not in Reading(text).result.formats


def test_the_mark_of_an_encoding_between_two_files_is_no_text() -> None:
    reading = Reading(f"\ufefftarn1:\n{PORTS}\n\ufefftarn2:\n{PORTS}\n")
    assert {one.node for one in reading.of(Membership)} == {"tarn1", "tarn2"}


@pytest.mark.parametrize("block", [64, 1 << 20])
def test_a_quotation_and_an_object_that_do_not_end_are_no_hindrance(block: int) -> None:
    for begin in ('host;output\ntarn1;"', '{"host": "tarn1",\n "x": "'):
        reading = Reading(f"{begin}\n{WAITS}\n", block_bytes=block)
        assert len(reading.of(Waiter)) == 2
        assert reading.adds_up


def test_the_sign_between_cells_is_none_that_is_shown() -> None:
    reading = Reading(f"<table>\n<tr><td>a</td><td>b</td></tr>\n</table>\n{WAITS}\n")
    assert len(reading.of(Waiter)) == 2
    assert CELL.strip(" ") not in "".join(one.text or "" for one in reading.of(Event))
