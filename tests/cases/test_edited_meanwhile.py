"""Two tabs that edit one thing: the second to save is told what stands there now, and may then replace it."""

from __future__ import annotations

import re
from html import unescape

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case, Note
from apps.cases.notes.services import add_note
from tests.builders import People, make_case
from tests.shown import shown

pytestmark = pytest.mark.django_db
MARK = re.compile(r'name="read" value="([^"]+)"')


@pytest.fixture
def case(folk: People, client: Client) -> Case:
    client.force_login(folk.bob)
    return make_case(folk.team, title="Backup hangs")


def opened(client: Client, url: str) -> str:
    """The mark that a tab holds once its page is open."""
    found = MARK.search(shown(client.get(url)))
    assert found is not None
    return found[1]


def fields(case: Case, **changes: str) -> dict[str, str]:
    return {"title": case.title, "customer": "", "ticket": "", "assignee": "", "state": "new", "solution": ""} | changes


def test_the_second_tab_is_informed_and_may_save_again(client: Client, case: Case) -> None:
    url = reverse("cases:edit", args=[case.key])
    first, second = opened(client, url), opened(client, url)
    assert client.post(url, fields(case, title="Backup hangs at night", read=first)).status_code == 302
    refused = client.post(url, fields(case, customer="Tarn Lab", read=second))
    page = unescape(shown(refused))
    assert refused.status_code == 422
    assert "This was changed after you opened it: Title is now \u201cBackup hangs at night\u201d." in page
    assert "Tarn Lab" in page, "what was entered is not lost"
    case.refresh_from_db()
    assert (case.title, case.customer) == ("Backup hangs at night", "")
    again = MARK.search(page)
    assert again is not None
    assert client.post(url, fields(case, customer="Tarn Lab", read=again[1])).status_code == 302
    case.refresh_from_db()
    assert case.customer == "Tarn Lab"


def test_a_state_is_shown_in_its_words(client: Client, case: Case) -> None:
    url = reverse("cases:edit", args=[case.key])
    mine = opened(client, url)
    client.post(url, fields(case, state="waiting", read=mine))
    page = unescape(shown(client.post(url, fields(case, title="Other", read=mine))))
    assert "State is now \u201cwaiting for customer\u201d" in page


def test_tabs_one_after_the_other_are_not_refused(client: Client, case: Case) -> None:
    url = reverse("cases:edit", args=[case.key])
    for title in ("One", "Two", "Two"):
        assert client.post(url, fields(case, title=title, read=opened(client, url))).status_code == 302
    case.refresh_from_db()
    assert case.title == "Two"


def test_a_form_without_a_mark_is_taken(client: Client, case: Case) -> None:
    url = reverse("cases:edit", args=[case.key])
    assert client.post(url, fields(case, title="From a script")).status_code == 302


def test_a_mark_of_nonsense_refuses_and_breaks_nothing(client: Client, case: Case) -> None:
    url = reverse("cases:edit", args=[case.key])
    for mark in ("x", ",,,,,,,,,,", "\u2603" * 40):
        assert client.post(url, fields(case, title="Lost", read=mark)).status_code == 422
    case.refresh_from_db()
    assert case.title == "Backup hangs"


def test_a_note_too(client: Client, case: Case, folk: People) -> None:
    note = add_note(case=case, author=folk.bob, text="Disk 4 was swapped.\nTwice.")
    url = reverse("cases:note_edit", args=[case.key, note.pk])
    first, second = opened(client, url), opened(client, url)
    assert client.post(url, {"text": "Disk 4 and 5 were swapped.", "read": first}).status_code == 302
    refused = client.post(url, {"text": "Disk 6.", "read": second})
    assert refused.status_code == 422
    assert "Note is now \u201cDisk 4 and 5 were swapped.\u201d" in unescape(shown(refused))
    assert Note.objects.get(pk=note.pk).text == "Disk 4 and 5 were swapped."
