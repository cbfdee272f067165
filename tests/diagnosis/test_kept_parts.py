"""Parts that are kept from one reader to the next: each still sees his own page, and the case as it is now."""

from __future__ import annotations

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.models import Role, User
from apps.cases.access import case_for
from apps.cases.models import Case, Note
from apps.cases.page.head import case_head
from apps.diagnosis.pages.kept_parts import kept_verdict
from apps.diagnosis.services import diagnose_case
from apps.sharing.services import create_share_link
from apps.web import kept
from apps.web.templatetags.kept import is_plain
from tests.builders import Built, People, build_case, make_case, make_diagnosis, person
from tests.diagnosis.test_pages import diagnosed

pytestmark = pytest.mark.django_db
PAGES = ("timeline", "waiters", "graph", "locks", "settings")
OWN_TO_ANSWER = re.compile(r'(name="csrfmiddlewaretoken" value=|"X-CSRFToken": )"\w+"')


@pytest.fixture
def real(folk: People) -> Case:
    kept.pages.forget()
    case = make_case(folk.team)
    diagnosed(case)
    return case


def page(user: User, name: str, case: Case, query: str = "") -> str:
    client = Client()
    client.force_login(user)
    response = client.get(reverse(f"diagnosis:{name}", args=[case.key]) + query)
    assert response.status_code == 200, (name, response.status_code)
    return OWN_TO_ANSWER.sub("", response.content.decode())


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.part("kept", 1)
def test_each_reads_the_page_that_was_made_for_them(folk: People, real: Case, name: str) -> None:
    """As if nothing were kept, whoever came first."""
    carol = person("carol", folk.team, Role.VIEWER)
    readers = (folk.alice, folk.bob, carol)
    alone = {}
    for reader in readers:
        kept.pages.forget()
        alone[reader.pk] = page(reader, name, real)
    assert len(set(alone.values())) == len(readers), "nothing of the reader is on the page, so this would show nothing"
    for first in readers:
        kept.pages.forget()
        page(first, name, real)
        assert kept.pages.size > 0
        for reader in readers:
            assert page(reader, name, real) == alone[reader.pk], f"{reader} after {first}"


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.part("kept and asked", 1)
def test_who_may_not_see_the_case_is_checked_first(folk: People, real: Case, client: Client, name: str) -> None:
    page(folk.alice, name, real)
    client.force_login(folk.charlie)
    assert client.get(reverse(f"diagnosis:{name}", args=[real.key])).status_code == 404
    client.logout()
    assert client.get(reverse(f"diagnosis:{name}", args=[real.key])).status_code == 302


def test_who_leaves_the_team_reads_nothing_that_is_kept(folk: People, real: Case, client: Client) -> None:
    page(folk.bob, "waiters", real)
    folk.bob.team_memberships.all().delete()
    client.force_login(folk.bob)
    assert client.get(reverse("diagnosis:waiters", args=[real.key])).status_code == 404


def test_a_new_diagnosis_is_shown_at_once(folk: People) -> None:
    built = build_case(folk.team)
    assert "Threads of lund-n3 wait" in page(folk.alice, "timeline", built.case)
    make_diagnosis(built.case, built.artifact, verdict_title="The array answers slowly")
    for name in PAGES:
        text = page(folk.alice, name, built.case)
        assert "The array answers slowly" in text
        assert "Threads of lund-n3 wait" not in text


def test_a_new_note_stands_in_the_lanes_at_once(folk: People, real: Case) -> None:
    before = page(folk.alice, "timeline", real)
    assert real.window_start_us is not None
    note = Note.objects.create(case=real, author=folk.bob, text="Array failed over", at_us=real.window_start_us)
    assert "Array failed over" not in before
    assert "Array failed over" in page(folk.alice, "timeline", real)
    note.text = "Array did not fail over"
    note.save()
    assert "Array did not fail over" in page(folk.alice, "timeline", real)


def test_a_zone_that_becomes_known_is_shown_at_once(folk: People, real: Case) -> None:
    page(folk.alice, "waiters", real)
    Case.objects.filter(pk=real.pk).update(zone_name="ACST", zone_min=570)
    assert "ACST" in page(folk.alice, "waiters", real)


def test_each_window_and_filter_has_parts_of_its_own(folk: People, real: Case) -> None:
    everything = page(folk.alice, "waiters", real)
    nothing = page(folk.alice, "waiters", real, "?text=no-such-word")
    assert "No wait matches" in nothing
    assert "No wait matches" not in everything
    assert page(folk.alice, "waiters", real) == everything


@pytest.mark.parametrize("level", ["development", "customer"])
@pytest.mark.part("kept and linked", 1)
def test_a_link_shows_nothing_that_was_kept_for_the_team(folk: People, client: Client, real: Case, level: str) -> None:
    """Hidden names and absent addresses stay so after the team has read its own pages."""
    token = create_share_link(case=real, user=folk.alice, days=7, level=level).token
    addresses = [
        reverse("sharing:page", args=[token]),
        *(reverse("sharing:part", args=[token, name]) for name in PAGES[1:]),
    ]
    client.get(addresses[0])
    before = [client.get(address).content.decode() for address in addresses]
    for name in PAGES:
        page(folk.alice, name, real)
    after = [client.get(address).content.decode() for address in addresses]
    assert [OWN_TO_ANSWER.sub("", text) for text in after] == [OWN_TO_ANSWER.sub("", text) for text in before]
    assert all(f"/cases/{real.key}/files/" not in text for text in after)


def test_a_browser_that_has_the_lanes_is_informed(folk: People, real: Case, client: Client) -> None:
    client.force_login(folk.bob)
    address = reverse("diagnosis:timeline_json", args=[real.key])
    first = client.get(address)
    etag = first.headers["ETag"]
    assert first.status_code == 200
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 304
    assert client.get(f"{address}?width=400", headers={"If-None-Match": etag}).status_code == 200
    assert real.window_start_us is not None
    Note.objects.create(case=real, author=folk.bob, text="Array failed over", at_us=real.window_start_us)
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 200
    folk.bob.team_memberships.all().delete()
    assert client.get(address, headers={"If-None-Match": etag}).status_code == 404


def test_the_list_and_the_files_show_what_changed(folk: People, client: Client) -> None:
    built: Built = build_case(folk.team)
    client.force_login(folk.alice)
    files = reverse("cases:files", args=[built.case.key])
    assert "Writers hang on lund" in client.get(reverse("cases:list")).content.decode()
    assert "lund-n3/waiters.txt" in client.get(files).content.decode()
    Case.objects.filter(pk=built.case.pk).update(title="Readers hang on lund")
    type(built.artifact).objects.filter(pk=built.artifact.pk).update(state="failed", message="Cannot be read")
    assert "Readers hang on lund" in client.get(reverse("cases:list")).content.decode()
    text = client.get(files).content.decode()
    assert "Cannot be read" in text
    assert "is-failed" in text


def test_a_part_of_a_page_of_a_case_that_is_not_read_yet(folk: People, client: Client) -> None:
    """The form of the table asks for the table alone, whatever became of the case meanwhile."""
    case = make_case(folk.team)
    client.force_login(folk.alice)
    for name in ("waiters", "graph"):
        assert (
            client.get(reverse(f"diagnosis:{name}", args=[case.key]), headers={"HX-Request": "true"}).status_code == 200
        )
    assert diagnose_case(case.pk) is None


def test_the_head_of_a_case_is_plain_values(folk: People, real: Case) -> None:
    """Else it would be made again for each page, and nobody would see why."""
    case = case_for(folk.alice, real.key, Role.VIEWER)
    assert is_plain(case_head(case, current="timeline", view="from=1&to=2"))
    assert is_plain(kept_verdict(case))


def test_pages_that_are_kept_read_no_large_column(folk: People, real: Case, client: Client) -> None:
    client.force_login(folk.alice)
    address = reverse("diagnosis:timeline", args=[real.key])
    client.get(address)
    with CaptureQueriesContext(connection) as queries:
        client.get(address)
    statements = [query["sql"] for query in queries.captured_queries]
    assert not [sql for sql in statements if "summary" in sql or "diagnosis_finding" in sql or "search_text" in sql]
