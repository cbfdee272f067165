"""Lines of logs behind what a collector, a store or a page puts in front of each."""

from __future__ import annotations

import html
import json
from collections.abc import Callable
from datetime import UTC, datetime

import pytest

from parsers.clock import format_instant
from parsers.enclosed_lines import framed
from parsers.records import Event
from parsers.sections import tried
from tests.parsers.golden import Reading

Said = tuple[str, str, str, str]
"""Time of day, host, program with its number, message."""
SICK: list[Said] = [
    ("14:20:01", "maple", "systemd[1]", "Started Session 12 of user root."),
    ("14:20:03", "maple", "kernel", "GFS2: fsid=yard:grain.1: fatal: filesystem consistency error"),
    ("14:20:04", "maple", "corosync[811]", "  [TOTEM ] A processor failed, forming new configuration."),
]
CALM: list[Said] = [
    ("14:20:01", "maple", "systemd[1]", "Started Session 12 of user root."),
    ("14:20:04", "maple", "corosync[811]", "  [QUORUM] Members[2]: 1 2"),
]


def _name(program: str) -> str:
    return program.partition("[")[0]


def _line(said: Said) -> str:
    clock, host, program, text = said
    return f"Mar  9 {clock} {host} {program}: {text}"


def _pairs(said: Said) -> str:
    clock, host, program, text = said
    told = f"level=error host={host} ident={_name(program)}"
    return f"ts=2031-03-09T{clock}Z caller=tail.go:81 {told} msg={json.dumps(text)}"


def _pairs_of_lines(said: Said) -> str:
    return f"time=2031-03-09T{said[0]}Z level=warn job=syslog hostname={said[1]} message={json.dumps(_line(said))}"


def _labelled(said: Said) -> str:
    return f'2031-03-09T{said[0]}Z {{filename="/var/log/messages", host="{said[1]}"}} {_line(said)}'


def _labelled_without_moment(said: Said) -> str:
    return f'{{host="{said[1]}"}} {_line(said)}'


def _tagged_object(said: Said) -> str:
    clock, host, program, text = said
    return f"2031-03-09 {clock} +0000\tsystem.syslog\t" + json.dumps(
        {"host": host, "ident": _name(program), "message": text}
    )


def _pasted(said: Said) -> str:
    clock, host, program, text = said
    return f"Mar 9, 2031 @ {clock}.000\t{host}\t{_name(program)}\t{text}"


def _of_template(said: Said) -> str:
    clock, host, program, text = said
    return f"2031-03-09T{clock}+00:00 {host} daemon.err {program}: {text}"


def _of_store(said: Said) -> str:
    return f"2031-03-09T{said[0]}+00:00 yard/{said[1]}/messages {_line(said)}"


def _asked(said: Said) -> str:
    return f"{said[1]}.yard.example {_line(said)}"


def _of_page(said: Said) -> str:
    return f"{said[0]}.000 PM\t{_line(said)}"


def _in_czech(said: Said) -> str:
    return _line(said).replace("Mar ", "bře ", 1)


def _in_finnish(said: Said) -> str:
    return _line(said).replace("Mar ", "maalis ", 1)


def _over_relays(said: Said) -> str:
    clock, host, program, text = said
    return f"Mar  9 {clock} s_net@gate7/{host} {program}: {text}"


def _with_its_length(said: Said) -> str:
    clock, host, program, text = said
    name, _, pid = program.rstrip("]").partition("[")
    message = f"<27>1 2031-03-09T{clock}Z {host} {name} {pid or '-'} - - {text}"
    return f"{len(message)} {message}"


def _in_an_element(said: Said) -> str:
    clock, host, program, text = said
    line = html.escape(f"2031-03-09T{clock}Z {host} {program}: {text}", quote=False)
    return f"<Event><System><Computer>gate7</Computer></System><EventData><Data>{line}</Data></EventData></Event>"


def _point(said: Said) -> str:
    clock, host, program, text = said
    at = int(datetime.fromisoformat(f"2031-03-09T{clock}+00:00").timestamp())
    return f"syslog,appname={_name(program)},host={host},severity=err message={json.dumps(text)},code=3i {at}000000000"


def _document(said: Said) -> str:
    clock, host, program, text = said
    at = f"Mar 9, 2031 @ {clock}.000"
    return f"{at}\t@timestamp:{at} host.name:{host} process.name:{_name(program)} message:{text} _id:x1 _index:logs"


def _without_heading(said: Said) -> str:
    clock, host, program, text = said
    at = f"2031-03-09T{clock}Z"
    return f"71\t{at}\t{at}\t88\t{host}\t10.1.0.7\tKern\tError\t{program}\t{text}"


def _as_python_shows_it(said: Said) -> str:
    clock, host, program, text = said
    return repr({"host": host, "ident": _name(program), "timestamp": f"2031-03-09T{clock}Z", "message": text})


def _behind_its_key(said: Said) -> str:
    clock, host, program, text = said
    found = {"@timestamp": f"2031-03-09T{clock}Z", "host": {"name": host}, "process": {"name": _name(program)}}
    return f"{host}\t{json.dumps({**found, 'message': text})}"


def _as_events_of_a_stream(said: Said) -> str:
    return "data: " + _as_python_shows_it(said).replace("'", '"')


def _with_codes_in_letters(said: Said) -> str:
    return _line(said).replace(": ", ": #033[0m", 1) + "#033[0m"


def _of_a_service(said: Said) -> str:
    return f"agent_log.2.x7k2p@{said[1]}    | {_line(said)}"


def _of_a_pod(said: Said) -> str:
    return f"[pod/forward-0/relay] 2031-03-09T{said[0]}Z {_line(said)}"


SHAPES: list[Callable[[Said], str]] = [
    _over_relays,
    _with_its_length,
    _in_an_element,
    _point,
    _document,
    _without_heading,
    _as_python_shows_it,
    _behind_its_key,
    _as_events_of_a_stream,
    _with_codes_in_letters,
    _of_a_service,
    _of_a_pod,
    _pairs,
    _pairs_of_lines,
    _labelled,
    _labelled_without_moment,
    _tagged_object,
    _pasted,
    _of_template,
    _of_store,
    _asked,
    _of_page,
    _in_czech,
    _in_finnish,
]


def _text(shape: Callable[[Said], str], said: list[Said]) -> str:
    return "".join(f"{shape(one)}\n" for one in said)


@pytest.mark.parametrize("shape", SHAPES)
def test_the_messages_are_those_of_the_log_itself(shape: Callable[[Said], str]) -> None:
    plain, reading = Reading(_text(_line, SICK)), Reading(_text(shape, SICK))
    assert reading.adds_up
    assert reading.result.not_understood == 0
    assert [(one.kind, one.node, one.line) for one in reading.of(Event)] == [
        (one.kind, one.node, one.line) for one in plain.of(Event)
    ]
    clocks = {(format_instant(one.at, one.zone_min) or "")[-14:].strip("T+:0Z") for one in reading.of(Event)}
    assert all(clock for clock in clocks)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_level_of_the_frame_makes_no_alarm_of_an_everyday_message(shape: Callable[[Said], str]) -> None:
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
