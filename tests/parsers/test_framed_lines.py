"""Lines of logs behind what a collector, a store or a page puts in front of each."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from parsers.enclosed.framed_lines import framed
from parsers.records import Event
from parsers.sections.reader import tried
from parsers.times.clock import format_instant
from tests.parsers.golden import Reading

Logged = tuple[str, str, str, str]
"""Time of day, host, program with its number, message."""
SICK: list[Logged] = [
    ("14:20:01", "maple", "systemd[1]", "Started Session 12 of user root."),
    ("14:20:03", "maple", "kernel", "GFS2: fsid=yard:grain.1: fatal: filesystem consistency error"),
    ("14:20:04", "maple", "corosync[811]", "  [TOTEM ] A processor failed, forming new configuration."),
]
CALM: list[Logged] = [
    ("14:20:01", "maple", "systemd[1]", "Started Session 12 of user root."),
    ("14:20:04", "maple", "corosync[811]", "  [QUORUM] Members[2]: 1 2"),
]


def _name(program: str) -> str:
    return program.partition("[")[0]


def _line(logged: Logged) -> str:
    clock, host, program, text = logged
    return f"Mar  9 {clock} {host} {program}: {text}"


def _with_its_length(logged: Logged) -> str:
    clock, host, program, text = logged
    name, _, pid = program.rstrip("]").partition("[")
    message = f"<27>1 2031-03-09T{clock}Z {host} {name} {pid or '-'} - - {text}"
    return f"{len(message)} {message}"


def _in_an_element(logged: Logged) -> str:
    clock, host, program, text = logged
    line = html.escape(f"2031-03-09T{clock}Z {host} {program}: {text}", quote=False)
    return f"<Event><System><Computer>gate7</Computer></System><EventData><Data>{line}</Data></EventData></Event>"


def _point(logged: Logged) -> str:
    clock, host, program, text = logged
    at = int(datetime.fromisoformat(f"2031-03-09T{clock}+00:00").timestamp())
    return f"syslog,appname={_name(program)},host={host},severity=err message={json.dumps(text)},code=3i {at}000000000"


def _document(logged: Logged) -> str:
    clock, host, program, text = logged
    at = f"Mar 9, 2031 @ {clock}.000"
    return f"{at}\t@timestamp:{at} host.name:{host} process.name:{_name(program)} message:{text} _id:x1 _index:logs"


def _as_python_shows_it(logged: Logged) -> str:
    clock, host, program, text = logged
    return repr({"host": host, "ident": _name(program), "timestamp": f"2031-03-09T{clock}Z", "message": text})


def _behind_its_key(logged: Logged) -> str:
    clock, host, program, text = logged
    found = {"@timestamp": f"2031-03-09T{clock}Z", "host": {"name": host}, "process": {"name": _name(program)}}
    return f"{host}\t{json.dumps({**found, 'message': text})}"


def _as_events_of_a_stream(logged: Logged) -> str:
    return "data: " + _as_python_shows_it(logged).replace("'", '"')


def _with_codes_in_letters(logged: Logged) -> str:
    return _line(logged).replace(": ", ": #033[0m", 1) + "#033[0m"


def _escaped(text: str) -> str:
    return text.replace("=", "\\=")


def _event(logged: Logged) -> str:
    clock, host, program, text = logged
    fields = f"rt=Mar 09 2031 {clock} shost={host} sproc={program} msg={_escaped(text)}"
    return f"{host} CEF:0|Linux|syslog|6.1|7|a message|5|{fields}"


def _event_of_a_relay(logged: Logged) -> str:
    clock, host, program, text = logged
    return f"<27>Mar  9 {clock} {host} CEF:0|Unix|Unix||{_name(program)}|x|2|msg={_escaped(text)} cat=log"


def _event_with_a_mark(logged: Logged) -> str:
    clock, host, program, text = logged
    return f"LEEF:2.0|Linux|{_name(program)}|1|7|x5E|devTime=2031-03-09T{clock}Z^identHostName={host}^msg={text}^sev=3"


def _since_1970(logged: Logged) -> str:
    clock, host, program, text = logged
    at = int(datetime.fromisoformat(f"2031-03-09T{clock}+00:00").timestamp() * 1000)
    return f"{at};{host};{program};{text}"


Shape = str | Callable[[Logged], str]
SHAPES: dict[str, Shape] = {
    "event": _event,
    "event of a relay": _event_of_a_relay,
    "event with a mark": _event_with_a_mark,
    "behind numbers": "3 4 2031-03-09 {clock} {host} {program} {text}",
    "behind numbers and a level": '27,2031-03-09T{clock}Z,daemon.err,"{host}","{program}:","{text}"',
    "since 1970": _since_1970,
    "day first, of 12 hours": "09/03/2031 {clock} a. m. {host} {program}: {text}",
    "month first, of 12 hours": "03/09/2031 {clock} AM {host} {program}: {text}",
    "two figures for the year": "Sun, 03/09/31 {clock} AM EST {host} {program}: {text}",
    "slashes": "2031/03/09 {clock} {host} {program}: {text}",
    "of a mail": "Sun, 9 Mar 2031 {clock} +0000 {host} {program}: {text}",
    "year first": "2031 Mar 09 {clock} {host} {program}: {text}",
    "name of the month between": "09-Mar-2031 {clock} {host} {program}: {text}",
    "as a web server writes it": "[09/Mar/2031:{clock} +0000] {host} {program}: {text}",
    "packed day": "20310309-{clock} {host} {program}: {text}",
    "level behind the host": "Mar  9 {clock} {host} daemon/err {program}: {text}",
    "host first": "{host} Mar  9 {clock} {program}: {text}",
    "star": "*Mar  9 {clock}.123: {host} {program}: {text}",
    "quoted cells": '"2031-03-09 {clock}","{host}","{program}","err","{text}"',
    "boxes": "[2031-03-09 {clock}] [{host}] [{program}] [err] {text}",
    "bars": "2031-03-09 {clock} | {host} | {program} | ERROR | {text}",
    "without a version": "<6>2031-03-09T{clock}.123456+00:00 {host} {name} - - - {text}",
    "over relays": "Mar  9 {clock} s_net@{host}/gate7 {program}: {text}",
    "without heading": (
        "71\t2031-03-09T{clock}Z\t2031-03-09T{clock}Z\t88\t{host}\t10.1.0.7\tKern\tError\t{program}\t{text}"
    ),
    "of a service": "agent_log.2.x7k2p@{host}    | {line}",
    "event of a logger": '<log4j:event level="ERROR"><log4j:message><![CDATA[{line}]]></log4j:message></log4j:event>',
    "drained": "2031-03-09T{clock}.118+00:00 app[{host}]: {line}",
    "inserted": "INSERT INTO SystemEvents VALUES (7,'2031-03-09 {clock}','{host}','{program}:','{text}');",
    "of a pod": "[pod/forward-0/relay] 2031-03-09T{clock}Z {line}",
    "with its length": _with_its_length,
    "in an element": _in_an_element,
    "point": _point,
    "document": _document,
    "as python shows it": _as_python_shows_it,
    "behind its key": _behind_its_key,
    "as events of a stream": _as_events_of_a_stream,
    "with codes in letters": _with_codes_in_letters,
    "pairs": "ts=2031-03-09T{clock}Z caller=tail.go:81 level=error host={host} ident={name} msg={quoted}",
    "pairs of lines": "time=2031-03-09T{clock}Z level=warn job=syslog hostname={host} message={quoted_line}",
    "labelled": '2031-03-09T{clock}Z {{filename="/var/log/messages", host="{host}"}} {line}',
    "labelled without moment": '{{host="{host}"}} {line}',
    "tagged object": (
        '2031-03-09 {clock} +0000\tsystem.syslog\t{{"host": "{host}", "ident": "{name}", "message": {quoted}}}'
    ),
    "pasted": "Mar 9, 2031 @ {clock}.000\t{host}\t{name}\t{text}",
    "of a template": "2031-03-09T{clock}+00:00 {host} daemon.err {program}: {text}",
    "of a store": "2031-03-09T{clock}+00:00 yard/{host}/messages {line}",
    "asked of hosts": "{host}.yard.example {line}",
    "of a page": "{clock}.000 PM\t{line}",
    "in Czech": "bře {rest}",
    "in Finnish": "maalis {rest}",
}
"""What stands in front of each line, or around what it says; a function where more than its words is needed."""


def _shaped(shape: Shape, logged: Logged) -> str:
    if not isinstance(shape, str):
        return shape(logged)
    clock, host, program, text = logged
    line = _line(logged)
    return shape.format(
        clock=clock,
        host=host,
        program=program,
        name=_name(program),
        text=text,
        quoted=json.dumps(text),
        line=line,
        quoted_line=json.dumps(line),
        rest=line.removeprefix("Mar "),
    )


def _text(shape: Shape, logged: list[Logged]) -> str:
    return "".join(f"{_shaped(shape, one)}\n" for one in logged)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_the_messages_are_those_of_the_log_itself(shape: Shape) -> None:
    plain, reading = Reading(_text("{line}", SICK)), Reading(_text(shape, SICK))
    assert reading.adds_up
    assert reading.result.not_understood == 0
    assert [(one.kind, one.node, one.line) for one in reading.of(Event)] == [
        (one.kind, one.node, one.line) for one in plain.of(Event)
    ]
    clocks = {(format_instant(one.at, one.zone_min) or "")[-14:].strip("T+:0Z") for one in reading.of(Event)}
    assert all(clock for clock in clocks)


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_level_of_the_frame_makes_no_alarm_of_an_everyday_message(shape: Shape) -> None:
    reading = Reading(_text(shape, CALM))
    assert reading.result.not_understood == 0
    assert [one.weight for one in reading.of(Event) if one.weight in ("trouble", "disaster")] == []


@pytest.mark.parametrize(
    "text",
    [
        'time=2031-03-09T14:20:03Z level=error app=portal msg="payment was refused"',
        'level=error msg="no moment and no host"',
        "2031-03-09T14:20:03Z {not: labels} and more",
        "2031-03-09\t14:20:03\t12.5\t0.3",
        "4.2\t8.1\t9.9\t0",
        "key=value and=more message=",
        "CEF:0|vendor|product|1|7|a name|5|src=10.1.0.7 dst=10.1.0.8",
        "LEEF:1.0|vendor|product|1|7|\tsrc=10.1.0.7",
        "3 4 2031-03-09 14:20:03 maple portal[7] payment was refused",
        "1930820472000 maple 12 0.3 kernel time",
        "Sun, 9 Mar 2031 14:20:03 +0000 maple portal: payment was refused",
        "[09/Mar/2031:14:20:03 +0000] maple portal: payment was refused",
        '"2031-03-09 14:20:03","maple","12","0.3"',
        "maple Mar  9 14:20:03 portal: payment was refused",
        "2031-03-09 14:20:03 | maple | 12 | 0.3",
    ],
)
def test_other_lines_are_no_frames(text: str) -> None:
    assert framed(text) is None


def test_a_level_counts_where_nobody_knows_the_program() -> None:
    [event] = Reading('time=2031-03-09T14:20:03Z level=error host=maple app=portal msg="Disk failure"\n').of(Event)
    assert event.node == "maple"


@pytest.mark.parametrize("day", ["Sun", "Mon"])
def test_a_day_in_front_of_a_date_is_no_node(day: str) -> None:
    text = (
        f"{day} 2031-03-09 14:20:03 CET maple corosync[811]:   [TOTEM ] A processor failed, forming new configuration."
    )
    assert [one.node for one in Reading(text + "\n").of(Event)] == ["maple"]


def test_a_long_line_without_a_frame_takes_no_time() -> None:
    text = "time=" + "a=b " * 4_000 + "msg="
    begin = datetime.now(UTC)
    assert framed(text) is None
    assert tried(text).total == 1
    assert (datetime.now(UTC) - begin).total_seconds() < 2


def test_seconds_since_1970_are_a_moment_in_utc() -> None:
    text = "1936425850.118000 maple kernel: GFS2: fsid=yard:grain.1: fatal: filesystem consistency error\n"
    for found in (Reading(text).of(Event), Reading(text * 40).of(Event)):
        assert {format_instant(one.at, one.zone_min) for one in found} == {"2031-05-13T08:04:10.118+00:00"}
