from __future__ import annotations

import base64
from datetime import timedelta

import pytest
from django.http import QueryDict
from django.test import Client
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import TeamMembership
from apps.cases.models import Artifact, Case
from apps.cases.overview import listing
from apps.cases.services import trash_case
from tests.builders import People, build_case, make_artifact, make_bundle, make_case, make_diagnosis, person
from tests.shown import shown

pytestmark = pytest.mark.django_db


def page(client: Client, query: str = "", **headers: str) -> str:
    response = client.get(f"/{query}", headers=headers or None)
    assert response.status_code == 200
    return shown(response)


def test_the_list_shows_what_a_reader_needs_to_choose(client: Client, folk: People) -> None:
    built = build_case(folk.team, customer="Norrsken AB", ticket="T-77")
    client.force_login(folk.bob)
    text = page(client)
    for words in (
        built.case.key,
        "Writers hang on lund",
        "Norrsken AB",
        "T-77",
        "Threads of lund-n3 wait for disk lund_nsd07",
        "IBM Storage Scale",
        "49.2",
        "polyline",
    ):
        assert words in text
    assert f"/cases/{built.case.key}/" in text


def test_strangers_and_the_anonymous_see_none_of_it(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    assert client.get("/").status_code == 302
    client.force_login(folk.charlie)
    text = page(client, "?q=lund")
    assert built.case.key not in text
    assert "No case matches" in text
    assert 'facet-count">1<' not in text


def test_each_word_of_the_search_must_be_somewhere(client: Client, folk: People) -> None:
    build_case(folk.team, "Writers hang", customer="Norrsken")
    make_case(folk.team, "Backup crawls", customer="Fjord", ticket="55%_x")
    client.force_login(folk.alice)
    for query, expected in (
        ("norrsken", 1),
        ("WRITERS lund-n4", 1),
        ("lund_nsd07", 1),
        ("writers fjord", 0),
        ("55%_x", 1),
        ("%", 1),
        ("", 2),
    ):
        found = listing.list_cases(folk.alice, _query(q=query))
        assert (query, found.matching) == (query, expected)


def _query(**values: str) -> QueryDict:
    query = QueryDict(mutable=True)
    query.update(values)
    return query


def test_a_choice_counts_as_if_its_own_facet_were_free(client: Client, folk: People) -> None:
    for severity in ("high", "high", "low"):
        case = make_case(folk.team, f"case {severity}")
        make_diagnosis(case, severity=severity)
    make_case(
        folk.team,
        "unread",
    )
    found = listing.list_cases(folk.alice, _query(severity="low"))
    severities = {choice.value: choice.count for choice in found.facets[0].choices}
    assert severities == {"critical": 0, "high": 2, "medium": 0, "low": 1, "info": 0, "none": 1}
    products = {choice.value: choice.count for choice in found.facets[1].choices}
    assert products["spectrum-scale"] == 1
    assert (found.matching, found.total) == (1, 4)
    assert listing.list_cases(folk.alice, _query(product="gfs2")).matching == 0
    assert listing.list_cases(folk.alice, _query(product="spectrum-scale")).matching == 3


@pytest.mark.parametrize("sort", [*listing.SORTS, *(f"-{name}" for name in listing.SORTS)])
def test_pages_follow_each_other_without_a_gap_in_every_order(
    folk: People, monkeypatch: pytest.MonkeyPatch, sort: str
) -> None:
    monkeypatch.setattr(listing, "PAGE", 3)
    start = timezone.now()
    for n in range(8):
        case = make_case(folk.team, f"case {n % 3}")
        severity = "high" if n % 2 else ""
        Case.objects.filter(pk=case.pk).update(
            updated_at=start + timedelta(seconds=n // 2), longest_s=None if n < 2 else n % 4, severity=severity
        )
    seen: list[int] = []
    found = listing.list_cases(folk.alice, _query(sort=sort))
    pages = [[row.case.pk for row in found.rows]]
    while found.older:
        found = listing.list_cases(folk.alice, QueryDict(found.older.removeprefix("?")))
        pages.append([row.case.pk for row in found.rows])
    seen = [pk for one in pages for pk in one]
    assert len(seen) == 8
    assert len(set(seen)) == 8
    back = []
    while found.newer:
        found = listing.list_cases(folk.alice, QueryDict(found.newer.removeprefix("?")))
        back.append([row.case.pk for row in found.rows])
    assert back == pages[-2::-1]


@pytest.mark.parametrize(
    "query",
    [
        "?after=xx",
        "?after=W10",
        "?sort=drop",
        "?severity=%01",
        "?q=%20%0A",
        "?after=WyJ4IiwgMV0",
        "?before=WzEsICJhIl0",
        "?team=x&product=y",
    ],
)
def test_an_address_that_makes_no_sense_is_read_leniently(client: Client, folk: People, query: str) -> None:
    make_case(folk.team)
    client.force_login(folk.alice)
    assert "Writers hang on lund" in page(client, query)


NO_PLACES = (
    "[" * 9000, "1e309", "NaN", "1" * 400, "-1e18", '"\\u0000"', '"\\ud800"', '"2031-13-45T25:61:61Z"',
    '"0001-01-01T00:00:00+23:59"', '"9999-12-31T23:59:59-23:59"', '"2031-01-01T00:00:00"', "{}", "true", '"7"',
)  # fmt: skip


@pytest.mark.parametrize("sort", listing.SORTS)
def test_a_place_in_the_list_that_nobody_was_given_is_none(folk: People, sort: str) -> None:
    case = make_case(folk.team)
    for value in NO_PLACES:
        for direction in ("after", "before"):
            place = base64.urlsafe_b64encode(f"[{value}, 1]".encode()).decode()
            found = listing.list_cases(folk.alice, QueryDict(f"sort={sort}&{direction}={place}"))
            assert [row.case.pk for row in found.rows] in ([case.pk], []), value


def test_a_page_of_such_a_place_is_answered(client: Client, folk: People) -> None:
    make_case(folk.team)
    client.force_login(folk.alice)
    for value in NO_PLACES:
        place = base64.urlsafe_b64encode(f"[{value}, 1]".encode()).decode()
        page(client, f"?sort=updated&after={place}")


def test_htmx_gets_the_list_alone(client: Client, folk: People) -> None:
    make_case(folk.team)
    client.force_login(folk.alice)
    text = page(client, "?q=writers", HX_Request="true")
    assert text.lstrip().startswith('<div class="columns columns-facets" id="case-list">')
    assert "<html" not in text


def test_a_case_that_is_being_read_shows_how_far(client: Client, folk: People) -> None:
    bundle = make_bundle(make_case(folk.team))
    make_artifact(bundle)
    make_artifact(bundle, "lund-n4/waiters.txt", b"x\n", state=Artifact.State.READING)
    client.force_login(folk.alice)
    assert "1 of 2 files" in page(client)


def test_names_in_html_are_shown_and_not_obeyed(client: Client, folk: People) -> None:
    make_case(folk.team, "<script>alert(1)</script>", customer='"><img src=x onerror=alert(1)>')
    client.force_login(folk.alice)
    text = page(client, "?q=%3Cscript%3E")
    assert "<script>alert" not in text
    assert "<img" not in text
    assert "&lt;script&gt;alert(1)" in text


def test_the_trash_is_left_out_and_only_its_owner_finds_it(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    trash_case(case, by=folk.alice)
    client.force_login(folk.alice)
    assert case.key not in page(client)
    assert case.key in shown(client.get("/trash/"))
    client.force_login(folk.bob)
    assert case.key not in shown(client.get("/trash/"))


def test_the_empty_list_says_what_to_do(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    assert "No cases yet" in page(client)
    client.force_login(person("dora"))
    assert "You are on no team yet" in page(client)


def test_the_number_of_queries_does_not_grow_with_the_cases(
    client: Client, folk: People, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(folk.alice)
    page(client)
    for count in (1, 12):
        for n in range(count):
            make_case(folk.team, f"case {n}")
        with django_assert_num_queries(
            8
        ):  # user, notices, teams, counts of all choices, of late changes, the page, what is being read, views
            page(client)


def test_two_teams_can_be_distinguished(folk: People) -> None:
    TeamMembership.objects.create(user=folk.alice, team=folk.other_team, role="viewer")
    make_case(folk.team)
    make_case(folk.other_team)
    found = listing.list_cases(folk.alice, _query(team="perth-storage"))
    assert found.matching == 1
    teams = next(facet for facet in found.facets if facet.name == "team")
    assert [choice.count for choice in teams.choices] == [1, 1]


def test_cases_are_chosen_by_when_they_changed(folk: People) -> None:
    now = timezone.now()
    for title, days in (("Fresh", 0), ("Of the week", 3), ("Of the month", 20), ("Old", 90)):
        Case.objects.filter(pk=make_case(folk.team, title).pk).update(updated_at=now - timedelta(days=days))
    solved = make_case(folk.team, "Solved of the week")
    Case.objects.filter(pk=solved.pk).update(state="solved", updated_at=now - timedelta(days=2))
    found = listing.list_cases(folk.bob, QueryDict("updated=week"))
    assert {row.case.title for row in found.rows} == {"Fresh", "Of the week", "Solved of the week"}
    counts = {facet.name: {choice.value: choice.count for choice in facet.choices} for facet in found.facets}
    assert counts["updated"] == {"today": 1, "week": 3, "month": 4}
    assert (counts["state"]["new"], counts["state"]["solved"]) == (2, 1)
    solved_ones = listing.list_cases(folk.bob, QueryDict("state=solved&updated=today&updated=month"))
    assert [row.case.title for row in solved_ones.rows] == ["Solved of the week"]
    counts = {facet.name: {choice.value: choice.count for choice in facet.choices} for facet in solved_ones.facets}
    assert counts["updated"] == {"today": 0, "week": 1, "month": 1}
    assert counts["state"]["new"] == 3
