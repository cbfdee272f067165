"""After sending, the page of the reading becomes the case with the verdict, and stays where nothing was read."""

from __future__ import annotations

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.cases.models import Bundle, Case
from apps.ingest.uploads.receive import store_bytes
from apps.ingest.views import landing
from tests.builders import People, make_bundle, make_case
from tests.diagnosis.test_pages import diagnosed
from tests.ingest.material import tar, waiters
from tests.shown import shown

pytestmark = pytest.mark.django_db
HERE = {"HX-Request": "true"}
PHOTO = b"\xff\xd8\xff\xe0\x00\x10JFIF" + bytes(200)


@pytest.fixture
def case(folk: People, client: Client) -> Case:
    client.force_login(folk.bob)
    return make_case(folk.team)


def goes_to(client: Client, case: Case, sent_to: str) -> str | None:
    """Where the page that a sender was given leads at its next look."""
    query = dict(parse_qsl(urlsplit(sent_to).query))
    answer = client.get(reverse("ingest:reading", args=[case.key]), query, headers=HERE)
    return answer.headers.get("HX-Redirect")


def test_the_page_goes_on_with_the_verdict_and_not_before(client: Client, case: Case) -> None:
    sent_to = landing.url(case)
    assert goes_to(client, case, sent_to) is None
    diagnosed(case)
    assert goes_to(client, case, sent_to) == reverse("diagnosis:timeline", args=[case.key])


def test_while_files_are_read_the_page_stays(client: Client, case: Case) -> None:
    sent_to = landing.url(case)
    row = diagnosed(case)
    row.partial = True
    case.current_diagnosis = row
    assert not landing.is_due(case, QueryDict(urlsplit(sent_to).query))
    row.partial = False
    assert landing.is_due(case, QueryDict(urlsplit(sent_to).query))


def test_more_files_wait_for_their_own_diagnosis(client: Client, case: Case) -> None:
    diagnosed(case)
    sent_to = landing.url(case)
    assert goes_to(client, case, sent_to) is None
    diagnosed(case, tar({"later.txt": waiters("oulu-n9")}))
    assert goes_to(client, case, sent_to) is not None


def test_who_sent_what_nobody_can_read_stays_with_the_reason(client: Client, case: Case) -> None:
    diagnosed(case)
    sent_to = landing.url(case)
    diagnosed(case, tar({"photo.jpg": PHOTO}))
    assert goes_to(client, case, sent_to) is None


def test_a_copy_that_was_sent_last_does_not_keep_the_page(client: Client, case: Case) -> None:
    sent_to = landing.url(case)
    files = tar({"one.txt": waiters("oulu-n9")})
    diagnosed(case, files)
    store_bytes(case, files, filename="again.tar", user=None)
    assert case.bundles.count() == 2
    assert goes_to(client, case, sent_to) is not None


def test_who_opens_the_page_to_look_is_not_sent_away(client: Client, case: Case) -> None:
    diagnosed(case)
    assert goes_to(client, case, reverse("ingest:add", args=[case.key])) is None
    assert goes_to(client, case, "/?then=elsewhere") is None


def test_the_page_keeps_its_way_while_it_asks_again(client: Client, case: Case) -> None:
    make_bundle(case, state=Bundle.State.RECEIVED)
    page = shown(client.get(f"{reverse('ingest:add', args=[case.key])}?then=case&known=7&state=failed&other=1"))
    assert "?state=failed&amp;then=case&amp;known=7" in page
    assert landing.kept(QueryDict("other=1")) == ""
