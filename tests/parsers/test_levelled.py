"""Logs of programs without a reader of their own: where their parts are, and what they mean."""

from __future__ import annotations

import pytest

from parsers.formats.host.logs.levelled import levelled
from parsers.records import Event
from parsers.records.states import ListedState
from tests.parsers.golden import Reading

MESSAGE = "Disk failure. Volume attic. rc = 5. Physical volume nsd_b04."


@pytest.mark.parametrize(
    "line",
    [
        f"2027-03-09T14:20:03Z ERROR mmfsd: {MESSAGE}",
        f"2027-03-09 14:20:03,311 ERROR [mmfsd] {MESSAGE}",
        f"2027/03/09 14:20:03.311 +0100 [ERROR] (mmfsd) {MESSAGE}",
        f"2027-03-09 14:20:03 - mmfsd - ERROR - {MESSAGE}",
        f"2027-03-09 14:20:03 | ERROR | mmfsd | {MESSAGE}",
        f"09.03.2027 14:20:03 ERROR mmfsd  {MESSAGE}",
        f"[2027-03-09T14:20:03+01:00] err mmfsd[811]: {MESSAGE}",
        f"2027-03-09T14:20:03Z mmfsd <error> {MESSAGE}",
        f'time="2027-03-09T14:20:03Z" level=error tag=mmfsd msg="{MESSAGE}"',
        f'{{"@timestamp": "2027-03-09T14:20:03Z", "severity": "error", "logger": "mmfsd", "message": "{MESSAGE}"}}',
    ],
)
def test_the_parts_of_a_message_in_any_order(line: str) -> None:
    reading = Reading(f"{line}\n")
    assert [(one.source, one.kind, one.about, one.node) for one in reading.of(Event)] == [
        ("mmfsd", "disk-failed", "nsd_b04", None)
    ]
    assert reading.result.not_understood == 0


@pytest.mark.parametrize(
    ("line", "node"),
    [
        (f"2027-03-09T14:20:03Z ERROR tarn3 mmfsd: {MESSAGE}", "tarn3"),
        (f'time=2027-03-09T14:20:03Z level=error hostname=tarn4 message="{MESSAGE}"', "tarn4"),
        (f'{{"ts": "2027-03-09T14:20:03Z", "level": "ERROR", "host": "tarn5", "msg": "{MESSAGE}"}}', "tarn5"),
    ],
)
def test_a_host_is_one_where_a_key_or_its_place_says_so(line: str, node: str) -> None:
    assert [one.node for one in Reading(f"{line}\n").of(Event)] == [node]


@pytest.mark.parametrize(
    ("text", "weights"),
    [
        ("2027-03-09 14:20:03,311 ERROR [orders] order 4412 was refused", ["notice"]),
        ("2027-03-09 14:20:03,311 ERROR [watch] the gfs2 mount /srv/nests is not writable", ["trouble"]),
        ("2027-03-09 14:20:03,311 FATAL [watch] the quorum of tarn is gone", ["disaster"]),
        (
            "2027-03-09 14:20:03,311 ERROR [orders] one is refused\n2027-03-09 14:20:04,311 INFO [orders] done",
            ["notice"],
        ),
        ("2027-03-09 14:20:03,311 INFO [mmfsd] everything is ready here", []),
    ],
)
def test_the_level_of_a_program_that_nobody_knows_is_for_people_to_look_at(text: str, weights: list[str]) -> None:
    assert [one.weight for one in Reading(f"{text}\n").of(Event)] == weights


@pytest.mark.parametrize(
    "line",
    [
        "On 2027-03-09 14:20:03 an error came up: the mount was gone.",
        "2027-03-09 14:20:03 we saw an error on the node and gave up",
        "2027-03-09 14:20:03 ERROR I/Os",
        "2027-03-09 14:20:03 info dump of all waiters",
        "error: nothing of it",
    ],
)
def test_other_lines_are_no_messages(line: str) -> None:
    assert levelled(line) is None


def test_the_frames_below_a_message_belong_to_it() -> None:
    reading = Reading(
        "2027-03-09 14:20:03,311 ERROR [orders] order 4412 was refused\n"
        "java.lang.IllegalStateException: no room\n\tat org.example.Orders.take(Orders.java:118)\n"
    )
    assert reading.result.not_understood == 0
    assert len(reading.of(Event)) == 1


@pytest.mark.parametrize(
    ("state", "standing"),
    [("Failed,Suspended", "wrong"), ("up/ready", "good"), ("Suspended", "hint"), ("up,draining", "hint"), ("x1", "")],
)
def test_of_several_words_of_a_state_the_gravest_counts(state: str, standing: str) -> None:
    rows = Reading(f"Gateway         State          Load\ngw1             {state}    12\n").of(ListedState)
    assert [one.standing for one in rows] == ([standing] if standing else ["unknown"])
