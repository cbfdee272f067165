"""Events of monitors in tables and notifications: what they say, of whom and when."""

from __future__ import annotations

from typing import Any

import pytest

from parsers.records import Event
from tests.parsers.test_tool_objects import rows_of

EventRow = tuple[str | None, str, str | None, str]
DOWN: EventRow = ("gull", "event-disk-down", "nsd7", "disaster")


def events_in(text: str) -> list[EventRow]:
    return [(row["node"], row["kind"], row["about"], row["weight"]) for row in rows_of(text, Event)]


def lines_of(text: str) -> list[Any]:
    return [(row["line"], row["at"]) for row in rows_of(text, Event)]


@pytest.mark.parametrize(
    "heading",
    [
        ("Severity", "Event time", "Message", "Event name", "Entity", "Component", "Node"),
        ("level", "raised", "description", "event", "object", "subsystem", "host"),
        ("PRIORITY", "TIMESTAMP", "TEXT", "EVENT_NAME", "RESOURCE", "CATEGORY", "SYSTEM NAME"),
    ],
)
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_table_of_events(heading: tuple[str, ...], mark: str) -> None:
    rows = (
        ("Error", "2031-06-02 09:50:12", "Disk nsd7 is down", "disk_down", "nsd7", "DISK", "gull"),
        ("Info", "2031-06-02 09:40:00", "Node teal joined", "node_joined", "teal", "GPFS", "teal"),
    )
    edge = "| " if mark == "|" else ""
    text = "\n".join(
        f"{edge}{f' {mark} '.join(cells) if edge else mark.join(cells)}{' |' if edge else ''}"
        for cells in (heading, *rows)
    )
    assert events_in(text) == [DOWN, ("teal", "node-joined", "teal", "")]


BLOCK = (
    ("Severity", "ERROR"), ("Event", "disk_down"), ("Component", "DISK"), ("Entity", "nsd7"), ("Reported by", "gull"),
    ("Time", "2031-06-02 09:50:12"), ("Message", "Disk nsd7 is down."), ("Cause", "It does not answer."),
)  # fmt: skip


@pytest.mark.parametrize("form", ["{}: {}", "{}:     {}", "  {} : {}", "{} = {}"])
def test_a_notification(form: str) -> None:
    text = "\n".join(form.format(*pair) for pair in BLOCK)
    assert events_in(text) == [DOWN]
    [(line, at)] = lines_of(text)
    assert (line, at is not None) == (7, True)


def test_a_level_and_signs_of_equality() -> None:
    lines = (
        "Level = Critical",
        "Event name = disk_down",
        "Category = DISK",
        "Object = nsd7",
        "Node = gull",
        "Text = down",
    )
    text = "\n".join(lines)
    assert events_in(text) == [DOWN]


def test_two_notifications_below_one_another() -> None:
    one = "\n".join(f"{name}: {value}" for name, value in BLOCK)
    assert events_in(f"{one}\n\n{one.replace('gull', 'teal').replace('nsd7', 'nsd9')}") == [
        DOWN,
        ("teal", "event-disk-down", "nsd9", "disaster"),
    ]


@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_the_level_of_a_row_counts_where_nobody_knows_its_program(mark: str) -> None:
    rows = (
        ("time", "host", "level", "message"),
        ("2031-06-02 09:52:01", "gull", "critical", "GPFS is shutting down for loss of quorum"),
        ("2031-06-02 09:52:02", "gull", "info", "Heartbeat of the collector"),
    )
    assert [(row[0], row[3]) for row in events_in("\n".join(mark.join(cells) for cells in rows))] == [
        ("gull", "disaster")
    ]


@pytest.mark.parametrize(
    "text",
    [
        "Severity: none\nOwner: team blue\nMessage: hello",
        "Severity,Time,Message\nInfo,2031-06-02 09:50:12,Session opened\nInfo,2031-06-02 09:50:13,all well",
        "Event name: disk_down\nhello there",
        "Severity: High\nProduct: Spectrum Scale\nSummary: question about the upgrade\nDescription: When may we start?",
    ],
)
def test_what_is_no_event_of_trouble(text: str) -> None:
    assert [row for row in events_in(text) if row[3] in ("trouble", "disaster")] == []
