"""What each level of a link gives and keeps back; passwords, limits of openings, ends; and closing while something is
sent.
"""

from __future__ import annotations

import re
from time import time
from typing import Any

import pytest
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.guessing import WRONG_LIMIT
from apps.audit.models import AuditEvent
from apps.cases.models import Note
from apps.sharing.models import ShareLink
from apps.sharing.services import FreshLink, create_share_link, is_still_open, revoke_share_link
from apps.sharing.visits import SESSION
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case
from tests.shown import shown

pytestmark = pytest.mark.django_db
NOTE = "Do not tell the customer about the ninth disk"
PASSWORD = "slow-heron-over-the-weir"


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    cache.clear()


@pytest.fixture
def built(folk: People) -> Built:
    made = build_case(folk.team, "Writers hang at lund", customer="Lund Lab")
    Note.objects.create(case=made.case, author=folk.alice, text=NOTE)
    return made


def made(built: Built, folk: People, level: str = "customer", **values: Any) -> FreshLink:
    return create_share_link(case=built.case, user=folk.alice, **{"days": 14, "level": level, **values})


def raw_addresses(token: str, built: Built) -> list[str]:
    names = [
        ("files", []),
        ("notes", []),
        ("file", [built.artifact.pk]),
        ("file_lines", [built.artifact.pk]),
        ("file_raw", [built.artifact.pk]),
    ]
    return [reverse(f"sharing:{name}", args=[token, *more]) for name, more in names]


def test_a_colleague_has_to_be_signed_in_and_then_reads_everything_but_bundles(
    client: Client, folk: People, built: Built
) -> None:
    token = made(built, folk, "colleague").token
    page = reverse("sharing:page", args=[token])
    for address in (page, reverse("sharing:timeline_json", args=[token]), *raw_addresses(token, built)):
        answer = client.get(address)
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/sign-in/")
    client.force_login(folk.charlie)  # a stranger to the case, and signed in
    whole = shown(client.get(page))
    assert "Writers hang at lund" in whole
    assert "Confidence" in whole
    assert f"/s/{token}/files/{built.artifact.pk}/?line=4#L4" in whole
    assert "/cases/" not in whole.partition("<main")[2].partition("</main>")[0]
    answers = [client.get(address) for address in raw_addresses(token, built)]
    assert {answer.status_code for answer in answers} == {200}
    assert NOTE in shown(answers[1])
    assert "waiting 10.250000000 seconds" in shown(answers[2])
    assert b"waiting 10.250000000 seconds" in b"".join(answers[4].streaming_content)  # type: ignore[attr-defined]
    assert all("no-store" in answer["Cache-Control"] for answer in answers)
    assert "download" not in shown(answers[0]).partition("<main")[2]
    assert client.get(reverse("cases:bundle_download", args=[built.case.key, built.bundle.pk])).status_code == 404
    assert AuditEvent.objects.filter(verb="file.downloaded", user=folk.charlie, link__isnull=False).count() == 1


@pytest.mark.parametrize("level", ["development", "customer"])
def test_other_levels_have_no_raw_text_and_no_notes(client: Client, folk: People, built: Built, level: str) -> None:
    token = made(built, folk, level).token
    for user in (None, folk.alice):
        if user:
            client.force_login(user)
        assert {client.get(address).status_code for address in raw_addresses(token, built)} == {404}
        page = shown(client.get(reverse("sharing:page", args=[token])))
        assert NOTE not in page
        assert "onfidence" not in page
        assert "/files/" not in page


def test_a_file_of_another_case_is_not_read_through_a_link(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.team, "another")
    token = made(built, folk, "colleague").token
    client.force_login(folk.charlie)
    for name in ("file", "file_lines", "file_raw"):
        assert client.get(reverse(f"sharing:{name}", args=[token, other.artifact.pk])).status_code == 404


def test_a_development_link_names_nobody_even_without_a_single_known_fact(
    client: Client, folk: People, built: Built
) -> None:
    token = made(built, folk, "development", view="nodes=lund-n3&text=lund&from=5&to=9&tab=waiters").token
    link = ShareLink.objects.get()
    assert link.view == "from=5&to=9&tab=waiters"
    for address in (reverse("sharing:page", args=[token]), reverse("sharing:timeline_json", args=[token])):
        body = shown(client.get(address))
        assert "lund" not in body.casefold()
    assert re.search(r"(?:node|disk|word)-\d+", shown(client.get(reverse("sharing:page", args=[token]))))


# Passwords and limits


@pytest.mark.usefixtures("own_hashers")
def test_a_password_stands_in_front_of_every_address(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk, password=PASSWORD)
    assert fresh.link.password.startswith("argon2$")
    page = reverse("sharing:page", args=[fresh.token])
    for address in (
        page,
        reverse("sharing:timeline_json", args=[fresh.token]),
        reverse("sharing:part", args=[fresh.token, "graph"]),
    ):
        answer = client.get(address)
        assert "Password of the link" in shown(answer)
        assert "Writers hang" not in shown(answer)
        assert answer["Referrer-Policy"] == "origin"
    unlock = reverse("sharing:unlock", args=[fresh.token])
    assert client.post(unlock, {"password": "not-it-at-all"}).status_code == 422
    assert client.post(unlock, {"password": ""}).status_code == 422
    answer = client.post(unlock, {"password": PASSWORD})
    assert (answer.status_code, answer["Location"]) == (302, page)
    assert "Writers hang" in shown(client.get(page))
    assert "Writers hang" not in shown(Client().get(page))
    assert Client(enforce_csrf_checks=True).post(unlock, {"password": PASSWORD}).status_code == 403
    revoke_share_link(fresh.link, by=folk.alice)
    assert client.get(page).status_code == 404
    assert client.post(unlock, {"password": PASSWORD}).status_code == 404


def test_t30_guessing_a_password_is_limited_by_default(client: Client, folk: People, built: Built) -> None:
    unlock = reverse("sharing:unlock", args=[made(built, folk, password=PASSWORD).token])
    answers = [client.post(unlock, {"password": f"wrong-{number}"}).status_code for number in range(WRONG_LIMIT + 1)]
    assert answers == [422] * WRONG_LIMIT + [429]
    assert client.post(unlock, {"password": PASSWORD}).status_code == 429
    for number in range(60):
        Client(REMOTE_ADDR=f"192.0.2.{number}").post(unlock, {"password": "wrong-again"})
    assert Client(REMOTE_ADDR="198.51.100.7").post(unlock, {"password": PASSWORD}).status_code == 429


def test_a_limit_of_openings_counts_people_and_not_pages_or_previews(folk: People, built: Built) -> None:
    fresh = made(built, folk, views_most=2)
    page, unlock = reverse("sharing:page", args=[fresh.token]), reverse("sharing:unlock", args=[fresh.token])
    for _ in range(5):  # a chat program looks at the address
        assert "limited number of times" in shown(Client().get(page))
    first, second, third = Client(), Client(), Client()
    for reader in (first, second):
        assert reader.post(unlock).status_code == 302
        for _ in range(3):
            assert "Writers hang" in shown(reader.get(page))
    assert third.get(page).status_code == 404
    assert third.post(unlock).status_code == 404
    assert "Writers hang" in shown(first.get(page))
    fresh.link.refresh_from_db()
    assert fresh.link.openings == 2


def test_a_visit_lasts_while_it_is_read_and_twelve_hours_at_most(folk: People, built: Built) -> None:
    page = reverse("sharing:page", args=[(fresh := made(built, folk, password="heron-over-the-weir")).token])
    reader = Client()
    reader.post(reverse("sharing:unlock", args=[fresh.token]), {"password": "heron-over-the-weir"})
    for hours_ago, last_read, is_open in (
        (1, 1, True),
        (9, 3.9, True),
        (9, 4.1, False),
        (11, 0, True),
        (12.1, 0, False),
    ):
        session = reader.session
        visit = session[SESSION][str(fresh.link.pk)]
        session[SESSION] = {str(fresh.link.pk): [time() - hours_ago * 3600, visit[1], time() - last_read * 3600]}
        session.save()
        for _ in range(2):
            assert ("Writers hang" in shown(reader.get(page))) is is_open, (hours_ago, last_read)
    fresh.link.refresh_from_db()
    assert fresh.link.openings == 1


@pytest.mark.parametrize(
    "values", [{"password": "short"}, {"views_most": 0}, {"views_most": 10**6}, {"level": "everybody"}]
)
def test_what_makes_no_sense_is_refused(folk: People, built: Built, values: dict[str, Any]) -> None:
    with pytest.raises(DomainError):
        made(built, folk, **values)
    assert not ShareLink.objects.exists()


# Closing


def test_t37_a_download_in_progress_ends_with_the_link(
    client: Client, folk: People, built: Built, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh = made(built, folk, "colleague")
    client.force_login(folk.charlie)
    answer: Any = client.get(reverse("sharing:file_raw", args=[fresh.token, built.artifact.pk]))
    checked: list[int] = []

    def watched(link: ShareLink) -> bool:
        checked.append(link.pk)
        return is_still_open(link)

    monkeypatch.setattr("apps.sharing.views_raw.is_still_open", watched)
    revoke_share_link(fresh.link, by=folk.alice)
    with pytest.raises(ConnectionAbortedError):
        b"".join(answer.streaming_content)
    assert checked == [fresh.link.pk]


def test_all_links_are_revoked_at_once_and_an_end_can_be_changed(client: Client, folk: People, built: Built) -> None:
    one, two = made(built, folk), made(built, folk, "development")
    client.force_login(folk.alice)
    end = reverse("sharing:end", args=[built.case.key, one.link.pk])
    assert client.post(end, {"days": "30"}).status_code == 302
    before = one.link.ends_at
    one.link.refresh_from_db()
    assert (one.link.ends_at - before).days in {15, 16}
    assert client.post(end, {"days": "4000"}).status_code == 422
    page = shown(client.get(reverse("sharing:dialog", args=[built.case.key])))
    assert "Revoke both live links" in page
    assert client.post(reverse("sharing:revoke_all", args=[built.case.key])).status_code == 302
    assert {Client().get(reverse("sharing:page", args=[token])).status_code for token in (one.token, two.token)} == {
        404
    }
    assert AuditEvent.objects.filter(verb="link.revoked", user=folk.alice).count() == 2
    client.post(end, {"days": "7"})
    one.link.refresh_from_db()
    assert not one.link.is_open


def test_ones_links_with_each_opening(client: Client, folk: People, built: Built) -> None:
    mine = made(built, folk, note="for Lund")
    create_share_link(case=built.case, user=folk.bob, days=1, note="of Bob")
    Client().get(reverse("sharing:page", args=[mine.token]), REMOTE_ADDR="192.0.2.77")
    client.force_login(folk.alice)
    page = shown(client.get(reverse("sharing:links")))
    assert "for Lund" in page
    assert "192.0.2.77" in page
    assert "of Bob" not in page
    assert mine.token not in page
    client.force_login(folk.charlie)
    assert "for Lund" not in shown(client.get(reverse("sharing:links")))


def test_the_list_of_links_costs_the_same_for_one_and_for_many(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.alice)
    url = reverse("sharing:dialog", args=[built.case.key])
    made(built, folk)
    client.get(url)
    with CaptureQueriesContext(
        connection,
    ) as few:
        client.get(url)
    for _ in range(12):
        Client().get(reverse("sharing:page", args=[made(built, folk).token]))
    with CaptureQueriesContext(connection) as many:
        client.get(url)
    assert len(many) <= len(few)
