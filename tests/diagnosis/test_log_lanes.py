"""Lanes of waits by their state, of logs, of bands and of changed settings: what is drawn, and what stays away."""

from __future__ import annotations

import polars as pl
import pytest
from django.test import Client
from django.urls import reverse

from apps.diagnosis.engine.core.bands import bands
from apps.diagnosis.engine.core.log_marks import MARK_SCHEMA
from apps.diagnosis.engine.page_tables import _counted, _steps_of
from apps.diagnosis.pages.timeline.log_lanes import band_lanes, gravest_near, log_lane, settings_lane
from apps.diagnosis.pages.timeline.wait_states import wait_states
from parsers.records import DAY_US
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.diagnosis.test_heat import columns
from tests.ingest.material import tar, waiters

SECOND = 1_000_000
MINUTE = 60 * SECOND
DAY = 20_000 * DAY_US
SPANS = {"start": pl.Int64, "end": pl.Int64, "seconds": pl.Float64, "state": pl.String, "category": pl.Int64}


def steps(*rows: tuple[float, float, str, int]) -> pl.DataFrame:
    given = [(round(a * SECOND), round(b * SECOND), b - a, state, category) for a, b, state, category in rows]
    return _counted(_steps_of(pl.DataFrame(given, schema=SPANS, orient="row")))


def marks(*rows: tuple[str, int, str, str, str]) -> pl.DataFrame:
    """node, second, weight, message, what it is about (- where it says nothing)."""
    given = [
        (node, at * SECOND, weight, message, None if about == "-" else about, 1, n + 1)
        for n, (node, at, weight, message, about) in enumerate(rows)
    ]
    return pl.DataFrame(given, schema=MARK_SCHEMA, orient="row")


def line_url(artifact: int, line: int) -> str:
    return f"/{artifact}#{line}"


def test_a_hang_is_distinguished_from_waits_that_come_and_go() -> None:
    found = wait_states(steps((5, 200, "stuck", 3), (12, 12.1, "unknown", 4), (0, 300, "stuck", 1)), columns(100, 20))
    assert found is not None
    by_key = {one["key"]: one["values"] for one in found["series"]}
    assert by_key["first seen"] == [2, None, None, None, None]
    assert by_key["stuck"] == [None, 1, 1, 1, 1], "category 1 idles and is no wait that matters"
    assert "moving" not in by_key


def test_a_wait_that_crosses_and_is_neither_long_nor_still_moves() -> None:
    found = wait_states(steps((18, 25, "moving", 3)), columns(40, 20))
    assert found is not None
    assert {one["key"]: one["values"] for one in found["series"]} == {"first seen": [1, None], "moving": [None, 1]}


def test_lines_are_counted_by_weight_and_everyday_ones_are_not() -> None:
    rows = marks(
        ("a", 1, "trouble", "lease-overdue", "b"), ("a", 2, "notice", "", "-"), ("a", 3, "everyday", "node-joined", "b")
    )
    found = log_lane(rows, columns(40, 20))
    assert found is not None
    assert [(one["key"], one["values"]) for one in found["series"]] == [("high", [1]), ("low", [1])]
    assert [row["weight"] for row in gravest_near(rows, 0, 20 * SECOND, 9)] == ["trouble", "notice"]
    assert log_lane(marks(("a", 1, "everyday", "node-joined", "b")), columns(40, 20)) is None


@pytest.mark.parametrize(
    ("rows", "stretches"),
    [
        ([("a", 10, "disaster", "expel", "b"), ("a", 70, "everyday", "node-joined", "b")], [(10, 70)]),
        ([("a", 10, "disaster", "expel", "b"), ("a", 70, "everyday", "node-joined", "c")], [(10, 10)]),
        ([("a", 10, "disaster", "expel", "b"), ("a", 12, "disaster", "expel", "b")], [(10, 10)]),
        ([("b", 10, "disaster", "membership-lost", "-"), ("b", 40, "everyday", "daemon-ready", "-")], [(10, 40)]),
        ([("a", 70, "everyday", "node-joined", "b")], []),
    ],
)
def test_a_band_lasts_until_the_line_that_ends_it(
    rows: list[tuple[str, int, str, str, str]], stretches: list[tuple[int, int]]
) -> None:
    lanes = list(band_lanes(marks(*rows), (0, 100 * SECOND), line_url))
    assert [(item["start"] // SECOND, item["end"] // SECOND) for lane in lanes for item in lane["items"]] == stretches


def test_quorum_and_fencing_have_lanes_of_their_own() -> None:
    rows = marks(
        ("a", 1, "disaster", "quorum-lost", "-"),
        ("a", 5, "notice", "fence-request", "b"),
        ("a", 9, "notice", "fence-result", "b"),
        ("a", 20, "everyday", "quorum-regained", "-"),
    )
    lanes = {lane["label"]: lane["items"] for lane in band_lanes(rows, (0, 100 * SECOND), line_url)}
    assert [item["title"] for item in lanes["Quorum"]] == ["a: Quorum was lost"]
    assert [item["end"] // SECOND for item in (*lanes["Quorum"], *lanes["Fencing"])] == [20, 9]
    assert set(lanes) == {"Quorum", "Fencing"}


def test_every_band_begins_with_messages_that_weigh_something() -> None:
    assert [band.label for band in bands().values()] == ["Membership", "Quorum", "Fencing"]
    assert all(band.begins and band.ends for band in bands().values())


def settings(*rows: tuple[str, str, str, int]) -> pl.DataFrame:
    of = ("node", "name", "value", "at")
    frame = pl.DataFrame([dict(zip(of, row, strict=True)) for row in rows])
    return frame.with_columns(scope=pl.lit("fs"), source=pl.lit("tool"), artifact=pl.lit(1), line=pl.lit(2))


def test_a_setting_that_changed_stands_where_the_new_value_was_first_read() -> None:
    rows = settings(
        ("n1", "pagepool", "1G", DAY),
        ("n1", "pagepool", "4G", DAY + MINUTE),
        ("n1", "pagepool", "4G", DAY + 2 * MINUTE),
    )
    found = settings_lane(rows, (DAY, DAY + DAY_US), line_url)
    assert found is not None
    assert [(item["at"], item["title"]) for item in found["items"]] == [(DAY + MINUTE, "pagepool: 1G \u2192 4G on n1")]


def test_a_value_that_differs_between_nodes_or_has_no_date_is_no_change() -> None:
    assert (
        settings_lane(
            settings(("n1", "pagepool", "1G", DAY), ("n2", "pagepool", "4G", DAY + 1)), (0, 2 * DAY), line_url
        )
        is None
    )
    assert (
        settings_lane(settings(("n1", "pagepool", "1G", 5), ("n1", "pagepool", "4G", 9)), (0, 2 * DAY), line_url)
        is None
    )


@pytest.mark.django_db
def test_a_case_with_a_log_shows_it_and_opens_its_lines(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    log = (
        "2031-05-09_14:00:01.101+0100: [I] Command: successful mount weir\n"
        "2031-05-09_14:07:11.511+0100: [E] Node 10.5.0.4 (kiln4) is being expelled because of an expired lease.\n"
        "2031-05-09_14:09:11.511+0100: [I] Accepted and connected to 10.5.0.9 kiln9 <c0n3>\n"
    )
    read_into(case, tar({"ash1/mmfs.log": log.encode(), "kiln4/waiters.txt": waiters("kiln4", first=400.0)}))
    client.force_login(folk.bob)
    answer = client.get(reverse("diagnosis:timeline_json", args=[case.key])).json()
    lanes = {lane["id"]: lane for lane in answer["lanes"]}
    assert "stuck" in {one["key"] for one in lanes["wait-states"]["series"]}
    assert "kiln4" in lanes["membership"]["items"][0]["title"]
    at = lanes["log"]["buckets"][0]
    lines = client.get(
        reverse("diagnosis:evidence", args=[case.key]), {"lane": "log", "at": at, "until": lanes["log"]["ends"][0]}
    )
    assert "expelled" in lines.content.decode()
