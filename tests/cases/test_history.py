"""The history of a case: who may read it, what it says, page by page."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.services import record
from apps.cases.models import Case
from apps.cases.notes.services import add_note
from apps.cases.trail.history import EVENTS_PER_PAGE, VERBS
from apps.sharing.services import create_share_link
from tests.builders import People, make_case, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def case(folk: People) -> Case:
    return make_case(folk.team)


def page_of(client: Client, case: Case, **query: str) -> str:
    answer = client.get(reverse("cases:history", args=[case.key]), query)
    assert answer.status_code == 200
    return str(answer.content.decode())


def test_who_may_read_it(client: Client, folk: People, case: Case) -> None:
    url = reverse("cases:history", args=[case.key])
    assert client.get(url).status_code == 302
    for user in (folk.alice, folk.bob, person("vera", folk.team, Role.VIEWER)):
        client.force_login(user)
        assert client.get(url).status_code == 200
        assert client.post(url).status_code == 405
    client.force_login(folk.charlie)
    assert client.get(url).status_code == 404


def test_it_says_who_did_what_and_never_a_token(client: Client, folk: People, case: Case) -> None:
    add_note(case=case, author=folk.bob, text="swapped the controller")
    made = create_share_link(case=case, user=folk.alice, days=3, note="for <b>Friday</b>")
    client.force_login(folk.bob)
    page = page_of(client, case)
    assert "wrote a note" in page
    assert "made a link" in page
    assert "Alice" in page
    assert "&lt;b&gt;Friday" in page
    assert made.token not in page
    assert made.link.token_hash not in page


def test_one_sort_of_event(client: Client, folk: People, case: Case) -> None:
    add_note(case=case, author=folk.bob, text="x")
    client.force_login(folk.bob)
    assert "wrote a note" in page_of(client, case, what="note")
    assert "wrote a note" not in page_of(client, case, what="link")
    assert "wrote a note" in page_of(client, case, what="nonsense", before="x")


def test_events_of_other_cases_stay_there(client: Client, folk: People, case: Case) -> None:
    record("case.renamed", case=make_case(folk.team, "Another"), user=folk.alice, new="a name of another case")
    client.force_login(folk.bob)
    assert "a name of another case" not in page_of(client, case)


def test_it_goes_on_page_by_page(client: Client, folk: People, case: Case) -> None:
    for number in range(EVENTS_PER_PAGE + 3):
        record("file.downloaded", case=case, user=folk.bob, path=f"file-{number:04d}.txt")
    client.force_login(folk.bob)
    first = page_of(client, case, what="file")
    assert "file-0000.txt" not in first
    before = first.split("before=")[1].split('"')[0]
    assert "file-0000.txt" in page_of(client, case, what="file", before=before)


def test_every_verb_of_a_case_has_words() -> None:
    assert {"note.added", "link.opened", "case.exported", "bundle.uploaded"} <= set(VERBS)


def test_a_moment_of_a_link_reads_as_those_beside_it(client: Client, folk: People, case: Case) -> None:
    record("link.created", case=case, user=folk.bob, level="development", ends_at="2026-12-12T15:08:13.274810+00:00")
    record("bundle.uploaded", case=case, user=folk.bob, filename="2026-12-12T15.tar")
    client.force_login(folk.bob)
    page = page_of(client, case)
    assert "13.274810+00:00" not in page
    assert "development · 12 Dec 2026 15:08:13" in page
    assert "2026-12-12T15.tar" in page
