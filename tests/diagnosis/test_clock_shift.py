"""A node's clock shifted by the reader: what moves, what does not, and that the page says so."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.pages.timeline.clock_shift import shifts_from
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.ingest.material import bundle
from tests.shown import shown

pytestmark = pytest.mark.django_db
MINUTE = 60_000_000


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


def waiters_of(client: Client, case: Case, query: str = "") -> dict[int, int]:
    """Waiters by bucket, over all categories."""
    found = json.loads(client.get(f"{reverse('diagnosis:timeline_json', args=[case.key])}{query}").content)
    lane = next((lane for lane in found["lanes"] if lane["id"] == "waiters"), None)
    if lane is None:
        return {}
    sums = [sum(series["values"][i] or 0 for series in lane["series"]) for i in range(len(lane["buckets"]))]
    return {at: n for at, n in zip(lane["buckets"], sums, strict=True) if n}


def test_the_waiters_of_a_shifted_node_move_and_the_others_stay(client: Client, real: Case) -> None:
    before = waiters_of(client, real)
    [(at, n)] = before.items()
    after = waiters_of(client, real, "?shift=oulu-n1:-0.2")
    assert sum(after.values()) <= n
    assert max(after.values()) < n or min(after) < at
    gone = waiters_of(client, real, "?shift=oulu-n1:3600")
    assert sum(gone.values()) == n * 2 // 3
    assert set(gone) == {at}


def test_a_node_that_the_case_does_not_know_moves_nothing(client: Client, real: Case) -> None:
    assert waiters_of(client, real, "?shift=no-such:9") == waiters_of(client, real)


def test_the_evidence_of_a_shifted_moment_is_the_same_line(client: Client, real: Case) -> None:
    url = reverse("diagnosis:evidence", args=[real.key])
    [at] = waiters_of(client, real)

    def lines(query: dict[str, Any]) -> list[str]:
        return re.findall(r'href="(/cases/[^"]+)"', shown(client.get(url, query)))

    moved = lines({"lane": "waiters", "at": at + 30 * MINUTE, "shift": ["oulu-n1:1800"]})
    file = reverse("cases:file", args=[real.key, real.artifacts.get(path__contains="oulu-n1/").pk])
    assert moved
    assert all(one.startswith(file) for one in moved)
    assert len({one.partition("?")[0] for one in lines({"lane": "waiters", "at": at})}) > 1
    assert not lines({"lane": "waiters", "at": at + 30 * MINUTE})


def test_the_page_says_what_is_shifted_and_undoes_it(client: Client, real: Case) -> None:
    url = reverse("diagnosis:timeline", args=[real.key])
    plain = shown(client.get(url))
    assert "Shift its clock" in plain
    assert "than its clock printed them" not in plain
    page = shown(client.get(url, {"shift": ["oulu-n2:-2"], "shift_node": "oulu-n1", "shift_by": "12,5", "nodes": "0"}))
    assert "<b>oulu-n1</b> are shown 12.5" in page
    assert "<b>oulu-n2</b> are shown −2" in page or "<b>oulu-n2</b> are shown -2" in page
    undo = re.findall(r'<a href="\?([^"]+)">Undo</a>', page)
    assert any("shift=oulu-n2%3A-2" in one and "oulu-n1" not in one and "nodes=0" in one for one in undo)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("shift=n1:2.5&shift=n2:-1", {"n1": 2_500_000, "n2": -1_000_000}),
        ("shift=fe80::1:3", {"fe80::1": 3_000_000}),
        ("shift=n1:nan&shift=n2:inf&shift=:4&shift=n3&shift=n4:1e99&shift=n5:0", {}),
        ("shift=n1:2&shift_node=n1&shift_by=0", {}),
        ("shift=n1:2&shift_node=n1&shift_by=x", {"n1": 2_000_000}),
        (f"shift={'x' * 500}:1", {}),
    ],
)
def test_what_an_address_may_say(query: str, expected: dict[str, int]) -> None:
    assert shifts_from(QueryDict(query)) == expected
