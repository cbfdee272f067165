"""Search in every line of a case: who may, what is found, where it ends and goes on, what hostile input does."""

from __future__ import annotations

import re
from unittest.mock import patch

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases import storage
from apps.cases.files import raw_search
from apps.cases.files.raw_search import RawQuery, search_lines
from apps.cases.models import Case
from tests.builders import People, build_case, make_artifact, make_bundle, make_case, person

pytestmark = pytest.mark.django_db
SCRIPT = "<script>alert(1)</script>"


@pytest.fixture
def case(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    bundle = make_bundle(case)
    make_artifact(bundle, "n1/a.log", b"one\nGFS2: fsid=mail withdrawn\nthree\n")
    make_artifact(bundle, "n2/b.log", b"nothing here\nfsid=MAIL again " + SCRIPT.encode() + b"\n")
    make_artifact(bundle, "n3/c.log", b"quiet\n")
    client.force_login(folk.bob)
    return case


def address(case: Case, query: str = "") -> str:
    return f"{reverse('cases:lines', args=[case.key])}{query}"


def test_who_may_search(client: Client, folk: People) -> None:
    case = build_case(folk.team).case
    client.logout()
    assert client.get(address(case, "?q=NSD")).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert "lund-n3/waiters.txt" in client.get(address(case, "?q=NSD")).content.decode()
    client.force_login(folk.charlie)
    assert client.get(address(case, "?q=NSD")).status_code == 404


def test_hits_of_all_files_open_at_their_lines(client: Client, case: Case) -> None:
    page = client.get(address(case, "?q=fsid%3Dmail")).content.decode()
    paths = re.findall(r'href="(/cases/[^"]+/files/\d+/\?[^"]+#L2)"', page)
    assert len(paths) == 2
    assert "<mark>fsid=mail</mark>" in page
    assert "<mark>fsid=MAIL</mark>" in page
    assert "n3/c.log" not in page
    assert SCRIPT not in page
    opened = client.get(paths[0].replace("&amp;", "&")).content.decode()
    assert 'id="L2"' in opened
    assert "is-chosen" in opened


def test_case_and_file_narrow_it(client: Client, case: Case) -> None:
    page = client.get(address(case, "?q=fsid%3DMAIL&case=1")).content.decode()
    assert "n2/b.log" in page
    assert "n1/a.log" not in page
    page = client.get(address(case, "?q=fsid&file=N1/")).content.decode()
    assert "n1/a.log" in page
    assert "n2/b.log" not in page


def test_another_cases_lines_are_never_found(folk: People, case: Case) -> None:
    other = build_case(folk.other_team).case
    found = search_lines(case, RawQuery(needle="NSDThread"))
    assert not found.files
    assert search_lines(other, RawQuery(needle="NSDThread")).hits_n == 40


def test_a_full_answer_goes_on_where_it_ended(folk: People) -> None:
    case = make_case(folk.team)
    bundle = make_bundle(case)
    for n in range(6):
        make_artifact(bundle, f"f{n}", b"".join(b"hit %d %d\n" % (n, line) for line in range(40)))
    seen: list[tuple[str, int]] = []
    query, answers = RawQuery(needle="hit "), 0
    while True:
        found = search_lines(case, query)
        assert found.hits_n <= raw_search.HITS
        seen += [(file.path, hit.line) for file in found.files for hit in file.hits]
        answers += 1
        if not found.go_on:
            break
        at = re.search(r"at=(\d+)-(\d+)&seen=(\d+)", found.go_on)
        assert at is not None
        query = RawQuery(needle="hit ", at=(int(at[1]), int(at[2])), seen=int(at[3]))
    assert answers == 2
    assert seen == [(f"f{n}", line) for n in range(6) for line in range(1, 41)]


def test_many_hits_of_one_file_lead_to_its_own_search(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    bundle = make_bundle(case)
    make_artifact(bundle, "a", b"hit\n" * 500)
    make_artifact(bundle, "b", b"hit\n")
    found = search_lines(case, RawQuery(needle="hit"))
    assert [len(file.hits) for file in found.files] == [raw_search.HITS_OF_FILE, 1]
    assert "line=51#L51" in found.files[0].more_url
    assert not found.go_on


def test_without_time_it_says_so_and_moves_on_by_a_block_at_least(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    make_artifact(make_bundle(case), "big", b"x" * 99 + b"\n" + b"filler line of text\n" * 700_000 + b"the needle\n")
    query, answers = RawQuery(needle="the needle"), 0
    while True:
        found = search_lines(case, query, seconds=0)
        answers += 1
        if not found.go_on:
            break
        assert found.is_short_of_time
        at = re.search(r"at=(\d+)-(\d+)&seen=(\d+)", found.go_on)
        assert at is not None
        assert query.at is None or int(at[2]) > query.at[1]
        query = RawQuery(needle="the needle", at=(int(at[1]), int(at[2])), seen=int(at[3]))
    assert answers > 2
    assert found.files[0].hits[0].line == 700_002
    client.force_login(folk.bob)
    with patch.object(raw_search.search_lines, "__kwdefaults__", {"seconds": 0.0}):
        page = client.get(address(case, "?q=the+needle"), headers={"HX-Request": "true"}).content.decode()
    assert 'hx-trigger="load"' in page
    assert "looked through" in page
    assert "<html" not in page


def test_a_long_line_shows_the_part_around_its_hit(folk: People) -> None:
    case = make_case(folk.team)
    make_artifact(make_bundle(case), "long", b"a" * 50_000 + b"needle" + b"b" * 50_000 + b"\n")
    [hit] = search_lines(case, RawQuery(needle="NEEDLE")).files[0].hits
    assert sum(len(piece.text) for piece in hit.pieces) < 600
    assert any(piece.is_hit and piece.text == "needle" for piece in hit.pieces)


def test_a_text_that_is_gone_is_reported_and_the_others_are_searched(folk: People, case: Case) -> None:
    first = case.artifacts.order_by("path").first()
    assert first is not None
    storage.delete(first.blob)
    found = search_lines(case, RawQuery(needle="fsid"))
    assert [(file.path, file.is_unreadable) for file in found.files] == [("n1/a.log", True), ("n2/b.log", False)]


HOSTILE = (
    "?q=%01", "?q=%0A", "?q=x&at=9999999999999999999-1", "?q=x&at=-1", "?q=x&seen=-5", "?q=%FF%FE&case=1",
    "?file=%01x&q=x",
    "?q=" + "z" * 5000,
)  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_hostile_addresses_are_answered(client: Client, case: Case, query: str) -> None:
    assert client.get(address(case, query)).status_code == 200


def test_queries_do_not_grow_with_files(client: Client, folk: People, case: Case) -> None:
    client.get(address(case, "?q=fsid"))
    with CaptureQueriesContext(connection) as few:
        client.get(address(case, "?q=fsid"))
    bundle = case.bundles.get()
    for n in range(30):
        make_artifact(bundle, f"more/{n}", b"fsid=%d\n" % n)
    with CaptureQueriesContext(connection) as many:
        client.get(address(case, "?q=fsid"))
    assert len(many) == len(few)
