"""The pages that a link shows beside the timeline: open while the link is, and without what stays with the team."""

from __future__ import annotations

import re
from datetime import timedelta
from pathlib import Path

import pytest
from django.core.cache import cache
from django.http import QueryDict
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role
from apps.cases.models import Case, Note
from apps.cases.page.head import case_head
from apps.cases.services import trash_case
from apps.sharing.models import ShareLink
from apps.sharing.parts import PARTS
from apps.sharing.services import create_share_link, revoke_share_link
from apps.sharing.views_shared import address_of
from tests.builders import Built, People, build_case
from tests.diagnosis.cases import summarise, with_table
from tests.diagnosis.test_settings_page import row, settings

pytestmark = pytest.mark.django_db
SECRET = "Do not tell the customer about the ninth disk"
EDGE = {"frm": "lund-n3", "to": "lund_nsd07", "via": "I/O completion", "count": 3, "longest_s": 49.0, "resolved": True}


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    cache.clear()


@pytest.fixture
def built(folk: People) -> Built:
    made = build_case(folk.team)
    summarise(made.diagnosis, waits_for=[EDGE], nodes=[{"name": "lund-n3", "aliases": []}])
    Note.objects.create(case=made.case, author=folk.alice, text=SECRET)
    return made


def token_of(built: Built, folk: People) -> str:
    return create_share_link(case=built.case, user=folk.alice, days=14).token


@pytest.mark.parametrize("name", PARTS)
def test_whoever_holds_the_link_reads_it(client: Client, folk: People, built: Built, name: str) -> None:
    url = reverse("sharing:part", args=[token_of(built, folk), name])
    for user in (None, folk.charlie, folk.bob):
        if user:
            client.force_login(user)
        answer = client.get(url)
        assert answer.status_code == 200
        assert "no-store" in answer["Cache-Control"]
        assert client.post(url).status_code == 405


@pytest.mark.parametrize("name", PARTS)
def test_it_closes_with_the_link(client: Client, folk: People, built: Built, name: str) -> None:
    link = create_share_link(case=built.case, user=folk.alice, days=14)
    url = reverse("sharing:part", args=[link.token, name])
    ShareLink.objects.filter(pk=link.link.pk).update(
        created_at=timezone.now() - timedelta(days=9), ends_at=timezone.now() - timedelta(days=1)
    )
    assert client.get(url).status_code == 404
    other = create_share_link(case=built.case, user=folk.alice, days=14)
    revoke_share_link(other.link, by=folk.alice)
    assert client.get(reverse("sharing:part", args=[other.token, name])).status_code == 404
    third = token_of(built, folk)
    trash_case(built.case, by=folk.alice)
    assert client.get(reverse("sharing:part", args=[third, name])).status_code == 404
    assert client.get(reverse("sharing:part", args=["no-such-token", name])).status_code == 404


@pytest.mark.parametrize("name", PARTS)
def test_no_address_of_the_team_and_no_note(
    client: Client, folk: People, built: Built, name: str, tmp_path: Path
) -> None:
    with with_table(built.diagnosis, tmp_path, settings=settings(row("lund-n3", "lazy_isize_enable", "0"))):
        page = client.get(reverse("sharing:part", args=[token_of(built, folk), name])).content.decode()
    assert SECRET not in page
    assert "Alice" not in page
    assert not re.search(r'(?:href|action|hx-get)="/(?:cases|knowledge|search|compare)', page)


def test_the_graph_and_the_settings_are_there(client: Client, folk: People, built: Built, tmp_path: Path) -> None:
    token = token_of(built, folk)
    assert "lund_nsd07" in client.get(reverse("sharing:part", args=[token, "graph"])).content.decode()
    with with_table(built.diagnosis, tmp_path, settings=settings(row("lund-n3", "lazy_isize_enable", "0"))):
        assert "lazy_isize_enable" in client.get(reverse("sharing:part", args=[token, "settings"])).content.decode()


@pytest.mark.parametrize("name", ["notes", "history", "files", "x"])
def test_other_pages_are_not_shared(client: Client, folk: People, built: Built, name: str) -> None:
    assert client.get(reverse("sharing:part", args=[token_of(built, folk), name])).status_code == 404


def test_a_link_made_on_a_page_opens_that_page() -> None:
    assert address_of("T", "tab=graph&age=10") == f"{reverse('sharing:part', args=['T', 'graph'])}?age=10"
    assert address_of("T", "tab=graph") == reverse("sharing:part", args=["T", "graph"])
    assert address_of("T", "tab=notes&from=1") == f"{reverse('sharing:page', args=['T'])}?from=1"
    assert address_of("T", "") == reverse("sharing:page", args=["T"])


def test_the_share_button_names_the_page(folk: People, built: Built) -> None:
    case = Case.objects.get(pk=built.case.pk)
    case.role = Role.OWNER
    actions = case_head(case, current="locks", view="least=5")["actions"]
    share = next(action for action in actions if action["label"] == "Share")
    view = QueryDict(share["url"].partition("?")[2])["view"]
    assert QueryDict(view).dict() == {"tab": "locks", "least": "5"}
