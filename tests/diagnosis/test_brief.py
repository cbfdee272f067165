"""The report on two pages: what has no room is counted, and each sentence names file, hash and line."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.pages.export.two_page_report import HEAD_PX, LINE_CHARS, _Room, cut, lines
from tests.builders import People, make_case
from tests.diagnosis.test_pages import diagnosed
from tests.ingest.material import bundle


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    diagnosed(case, bundle())
    client.force_login(folk.bob)
    return case


def test_blocks_are_taken_while_they_fit() -> None:
    room = _Room(left=HEAD_PX + 250)
    blocks = [{"px": 100} for _ in range(5)]
    assert room.take(blocks, 5) == blocks[:2]
    assert room.left == 50
    assert _Room(left=HEAD_PX + 250).take(blocks, 1) == blocks[:1]
    assert _Room(left=HEAD_PX + 250).take(blocks, 5, spare=100) == blocks[:1]
    assert _Room(left=10).take(blocks, 5) == []


def test_long_texts_end_with_a_sentence() -> None:
    assert cut("Short.") == "Short."
    text = "One sentence. " * 80
    assert cut(text).endswith("sentence. …")
    assert len(cut(text)) <= 622
    assert cut("x" * 900).endswith("x…")
    assert (lines(""), lines("x"), lines("x" * LINE_CHARS), lines("x" * (LINE_CHARS + 1))) == (0, 1, 1, 2)


def test_two_pages_by_default_and_all_of_it_when_requested(client: Client, real: Case) -> None:
    url = reverse("diagnosis:report", args=[real.key])
    brief, whole = client.get(url).content.decode(), client.get(url, {"whole": "1"}).content.decode()
    assert "brief-findings" in brief
    assert "report-kinds" not in brief
    assert "report-kinds" in whole
    digest = real.artifacts.exclude(sha256="").values_list("sha256", flat=True)[0]
    assert digest[:12] in brief
    assert "waiters.txt:" in brief


def test_the_number_of_queries_does_not_grow_with_findings(
    client: Client, real: Case, django_assert_max_num_queries: object
) -> None:
    with django_assert_max_num_queries(40):  # type: ignore[operator]  # a fixture of pytest-django
        client.get(reverse("diagnosis:report", args=[real.key]))
