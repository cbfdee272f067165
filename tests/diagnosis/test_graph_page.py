"""The page of who waits for whom: the graph's data, the tree, the lines behind an arrow."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from tests.builders import People, build_case, make_case
from tests.diagnosis.cases import read_into, summarise
from tests.ingest.material import bundle

pytestmark = pytest.mark.django_db
EVIL = "<img src=x onerror=alert(1)>"


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


def page_of(client: Client, case: Case, **query: str) -> str:
    answer = client.get(reverse("diagnosis:graph", args=[case.key]), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def embedded(page: str) -> Any:
    found = re.search(r'<script id="graph-data" type="application/json">(.*?)</script>', page, re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_boxes_arrows_and_the_tree_say_the_same(client: Client, real: Case) -> None:
    page = page_of(client, real)
    data = embedded(page)
    names = {box["id"] for box in data["boxes"]}
    assert {"oulu-n1", "oulu-n2", "oulu-n3"} <= names
    assert any(box["root"] and box["kind"] == "disk" for box in data["boxes"])
    for arrow in data["arrows"]:
        assert {arrow["from"], arrow["to"]} <= names
    tree = page[page.index('id="tree-title"') :]
    for name in names:
        assert name in tree


def test_an_arrow_opens_the_lines_that_it_is_drawn_from(client: Client, real: Case) -> None:
    arrow = embedded(page_of(client, real))["arrows"][0]
    page = page_of(client, real, **{"from": arrow["from"], "to": arrow["to"]})
    edge = page[page.index('id="edge"') :]
    address = re.search(r'href="(/cases/[^"]+/files/\d+/\?line=\d+#L\d+)"', edge)
    assert address is not None
    assert client.get(address[1]).status_code == 200


def test_htmx_is_given_the_arrow_alone(client: Client, real: Case) -> None:
    answer = client.get(reverse("diagnosis:graph", args=[real.key]), headers={"HX-Request": "true"})
    assert answer.content.decode().lstrip().startswith('<section class="card" id="edge"')


@pytest.mark.parametrize("query", [{"from": "x", "to": "\x00"}, {"age": "abc"}, {"open": "g1,,g99"}, {"from": EVIL, "to": EVIL}])
def test_a_malformed_address_is_no_error(client: Client, real: Case, query: dict[str, str]) -> None:
    assert EVIL not in page_of(client, real, **query)


def test_an_age_that_no_wait_has_is_said_so(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    edge = {"frm": "a", "to": "b", "via": "call", "count": 1, "longest_s": 5.0, "resolved": True}
    summarise(built.diagnosis, waits_for=[edge])
    client.force_login(folk.bob)
    assert "No wait is that old" in page_of(client, built.case, age="60")
    assert "No wait is that old" not in page_of(client, built.case)


def test_names_of_the_customer_stay_text(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    edge = {"frm": EVIL, "to": "</script>" + EVIL, "via": EVIL, "count": 1, "longest_s": 50.0, "resolved": False}
    summarise(built.diagnosis, waits_for=[edge], cycles=[[EVIL, "b"]])
    client.force_login(folk.bob)
    page = page_of(client, built.case)
    assert EVIL not in page
    assert "&lt;img src=x" in page


def test_a_case_without_chains_says_what_would_show_them(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    assert "No chain of waits" in page_of(client, built.case)
