"""Share links: made once, opened by whoever holds them, closed at once; and what a shared page never holds."""

from __future__ import annotations

import json
import logging
import re
from datetime import timedelta
from typing import Any

import pytest
from django.apps import apps
from django.core.cache import cache
from django.db import connection
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.guessing import WRONG_LIMIT
from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases.models import Case, Note
from apps.cases.services import restore_case, trash_case
from apps.diagnosis.models import Diagnosis, Finding, Tuning
from apps.sharing import services, urls
from apps.sharing.models import ShareLink
from apps.sharing.services import FreshLink, create_share_link, revoke_share_link, token_hash
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case, make_case, person

pytestmark = pytest.mark.django_db

CLOSED = "This link no longer works"
SECRETS = {
    "a note": "Do not tell the customer about the ninth disk",
    "what would disprove it": "A healthy array would overthrow this",
    "a part of the confidence": "counterpart dumps are not here",
    "a colleague": "Alice-Who-Owns",
}
REQUESTED = "waiters of a node that nobody sent"
"""What is missing: the receiver is the one who can collect it."""


@pytest.fixture(autouse=True)
def fresh_counters() -> None:
    cache.clear()


@pytest.fixture
def built(folk: People) -> Built:
    """A case full of what must not be shared."""
    built = build_case(folk.team, "Writers hang at lund", customer="Lund Lab")
    folk.alice.display_name = SECRETS["a colleague"]
    folk.alice.save()
    Note.objects.create(
        case=built.case, author=folk.alice, text=SECRETS["a note"], at_us=built.diagnosis.window_start_us
    )
    diagnosis = Diagnosis.objects.get(pk=built.diagnosis.pk)
    Finding.objects.bulk_create(
        [
            Finding(
                diagnosis=diagnosis,
                order=9,
                rule="shared",
                ref="SC-09",
                severity="high",
                confidence=0.37,
                basis="proposed",
                title="A shared finding",
                explanation="In plain words.",
                disproved_by=SECRETS["what would disprove it"],
                confidence_parts=[{"name": "completeness", "value": 0.37, "why": SECRETS["a part of the confidence"]}],
                nodes=["lund-n3"],
                start_us=diagnosis.window_start_us,
                end_us=diagnosis.window_end_us,
                evidence=[
                    {
                        "artifact": built.artifact.pk,
                        "path": built.artifact.path,
                        "line": 4,
                        "last_line": 6,
                        "text": "the very line",
                    }
                ],
            )
        ]
    )
    Tuning.objects.create(
        diagnosis=diagnosis, order=5, tuning_id="t", parameter="maxblocks", status="recommended", basis="recalled"
    )
    with connection.cursor() as cursor:  # a diagnosis is never changed, save by a test that must
        summary = {"missing": [{"what": REQUESTED, "why": "", "commands": []}], "next_steps": []}
        cursor.execute("UPDATE diagnosis_diagnosis SET summary = %s WHERE id = %s", [json.dumps(summary), diagnosis.pk])
    return built


def made(built: Built, folk: People, **values: Any) -> FreshLink:
    return create_share_link(case=built.case, user=folk.alice, **{"days": 14, **values})


def page_url(token: str) -> str:
    return reverse("sharing:page", args=[token])


# Making


def test_the_form_makes_a_link_that_is_shown_once_and_opens_the_case(
    client: Client, folk: People, built: Built
) -> None:
    client.force_login(folk.alice)
    url = reverse("sharing:dialog", args=[built.case.key])
    form = client.get(url, {"view": "from=5&to=9"}).content.decode()
    assert 'value="14" ' in form
    assert re.search(r'value="14"[^>]*checked', form)
    answer = client.post(url, {"days": "7", "note": "for Lund", "view": "from=5&to=9&nodes=a"})
    fresh = re.search(r'value="(http://testserver/s/([^/"?]+)/\?from=5&amp;to=9&amp;nodes=a)"', answer.content.decode())
    assert answer.status_code == 200
    assert fresh is not None
    link = ShareLink.objects.get()
    assert (link.note, link.created_by, link.level, link.view) == (
        "for Lund",
        folk.alice,
        "customer",
        "from=5&to=9&nodes=a",
    )
    assert abs(link.ends_at - timezone.now() - timedelta(days=7)) < timedelta(minutes=1)
    assert answer["Cache-Control"].endswith("no-store")
    assert fresh[2] not in client.get(url).content.decode()
    assert Client().get(fresh[1].replace("&amp;", "&")).status_code == 200


def test_other_ends_than_those_offered_are_refused(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.alice)
    for days in ("0", "-1", "91", "3650", "x", "", "14.5"):
        assert client.post(reverse("sharing:dialog", args=[built.case.key]), {"days": days}).status_code == 422, days
        assert not ShareLink.objects.exists()


def test_a_link_without_an_end_can_not_be_made(folk: People, built: Built) -> None:
    for days in (0, 91, 10_000):
        with pytest.raises(DomainError):
            made(built, folk, days=days)


def test_a_view_can_not_lead_elsewhere(folk: People, built: Built) -> None:
    for view in ("//evil.example/", "?from=1#x", "a\r\nSet-Cookie: x=1", "https://evil.example", "x=<script>"):
        kept = made(built, folk, view=view).link.view
        assert not re.search(r"[\r\n<>#:/]", kept), view


def test_a_case_in_the_trash_is_not_shared(client: Client, folk: People, built: Built) -> None:
    trash_case(built.case, by=folk.alice)
    client.force_login(folk.alice)
    assert client.post(reverse("sharing:dialog", args=[built.case.key]), {"days": "7"}).status_code == 409


def test_t36_the_token_has_160_bits_and_is_nowhere_kept(
    client: Client, folk: People, built: Built, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.DEBUG):
        link, token = (fresh := made(built, folk)).link, fresh.token
        client.get(page_url(token))
        client.get(page_url(token) + "missing/")
        client.get(reverse("sharing:timeline_json", args=[token]))
        client.post(page_url(token))
        revoke_share_link(link, by=folk.alice)
        client.get(page_url(token))
    assert len(token) * 6 >= 160
    for model in apps.get_models():
        for row in model._default_manager.all().values():
            assert token not in str(row), model
    verbs = AuditEvent.objects.filter(link=link).order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["link.created", "link.opened", "link.viewed", "link.revoked", "link.refused"]
    from config.logs import TokenFilter

    hide = TokenFilter()
    for record in caplog.records:
        assert hide.filter(record)
        assert token not in record.getMessage()


def test_the_hash_depends_on_the_key_of_this_installation(folk: People, built: Built, settings: Any) -> None:
    token = made(built, folk).token
    before = token_hash(token)
    settings.SECRET_KEY = "another-key-with-0123456789-and-more-of-it"
    assert token_hash(token) != before
    assert services.link_of(token) is None


# Opening


def test_t38_whoever_has_a_customer_link_sees_the_case_and_nothing_that_is_not_theirs(
    client: Client, folk: People, built: Built
) -> None:
    token = made(built, folk).token
    answer = client.get(page_url(token))
    page = answer.content.decode()
    assert answer.status_code == 200
    for words in (
        "Writers hang at lund",
        "Threads of lund-n3 wait for disk lund_nsd07",
        "A shared finding",
        "the very line",
        "maxblocks",
        "lund-n3",
        REQUESTED,
    ):
        assert words in page
    lanes = client.get(reverse("sharing:timeline_json", args=[token]))
    for body in (page, lanes.content.decode()):
        for what, words in SECRETS.items():
            assert words not in body, what
        assert "/files/" not in body
        assert "/cases/" not in body
        assert built.case.key not in body
        assert "0.37" not in body
        assert "onfidence" not in body
        assert "proposed" not in body
        assert "recalled" not in body
        assert "alice" not in body.lower()
    assert "notes" not in {lane["id"] for lane in lanes.json()["lanes"]}
    assert 'data-notes="yes"' not in page
    assert "data-evidence-url" not in page


def test_t36_nothing_of_it_is_cached_indexed_or_reported_to_others(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk)
    good = [page_url(fresh.token), reverse("sharing:timeline_json", args=[fresh.token])]
    for url in [*good, page_url("A" * 27)]:
        answer = client.get(url)
        assert "no-store" in answer["Cache-Control"], url
        assert answer["X-Robots-Tag"] == "noindex, nofollow"
        assert answer["Referrer-Policy"] == "no-referrer"
        assert "default-src 'self'" in answer["Content-Security-Policy"]
    page = client.get(good[0]).content.decode()
    assert '<meta name="robots" content="noindex, nofollow">' in page
    assert '<meta name="referrer" content="no-referrer">' in page  # it would win over the header
    assert not re.search(r"""(?:src|href|action)=["'](?:https?:)?//""", page)


def test_the_view_that_was_shared_is_the_first_one(client: Client, folk: People, built: Built) -> None:
    start = (built.diagnosis.window_start_us or 0) + 10_000_000
    fresh = made(built, folk, view=f"from={start}&to={start + 5_000_000}")
    page = client.get(page_url(fresh.token)).content.decode()
    assert f'"start": {start}' in page


def test_a_link_opens_its_own_case_and_no_other(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.team, "Another customer")
    token = made(built, folk).token
    page = client.get(page_url(token), {"case": other.case.key, "nodes": "x"}).content.decode()
    assert "Another customer" not in page
    assert client.get(reverse("diagnosis:timeline", args=[built.case.key])).status_code == 302


def test_openings_are_counted_and_recorded_with_the_address_only(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk)
    for reader in (Client(), Client(), client):
        for _ in range(2):  # reading on is no further opening
            reader.get(page_url(fresh.token), REMOTE_ADDR="192.0.2.7")
    fresh.link.refresh_from_db()
    assert fresh.link.openings == 3
    assert AuditEvent.objects.filter(verb="link.viewed").count() == 6
    event = AuditEvent.objects.filter(verb="link.opened").first()
    assert event is not None
    assert (event.address, event.user, event.link, event.case) == ("192.0.2.7", None, fresh.link, built.case)


def test_a_case_that_is_not_read_yet_says_so(client: Client, folk: People) -> None:
    case: Case = make_case(folk.team, "Fresh case")
    token = create_share_link(case=case, user=folk.alice, days=1).token
    assert "still being read" in client.get(page_url(token)).content.decode()
    assert client.get(reverse("sharing:timeline_json", args=[token])).status_code == 404


# Closing


def urls_of(token: str) -> list[str]:
    return [page_url(token), reverse("sharing:timeline_json", args=[token])]


def is_closed(client: Client, token: str) -> bool:
    answers = [client.get(url) for url in urls_of(token)]
    return all(answer.status_code == 404 and CLOSED in answer.content.decode() for answer in answers)


def test_t37_a_revoked_link_is_closed_at_once(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk)
    assert not is_closed(client, fresh.token)
    owner = Client()
    owner.force_login(folk.alice)
    answer = owner.post(reverse("sharing:revoke", args=[built.case.key, fresh.link.pk]))
    assert answer.status_code == 302
    assert is_closed(client, fresh.token)
    page = owner.get(reverse("sharing:dialog", args=[built.case.key])).content.decode()
    assert "revoked" in page
    assert AuditEvent.objects.filter(verb="link.revoked", user=folk.alice).count() == 1
    owner.post(reverse("sharing:revoke", args=[built.case.key, fresh.link.pk]))
    assert AuditEvent.objects.filter(verb="link.revoked").count() == 1


def test_t37_a_link_whose_end_has_come_is_closed(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk)
    now = timezone.now()
    ShareLink.objects.filter(pk=fresh.link.pk).update(
        created_at=now - timedelta(days=2), ends_at=now - timedelta(seconds=1)
    )
    assert is_closed(client, fresh.token)


def test_in_the_trash_a_case_is_closed_and_afterwards_open_again(client: Client, folk: People, built: Built) -> None:
    fresh = made(built, folk)
    trash_case(built.case, by=folk.alice)
    assert is_closed(client, fresh.token)
    restore_case(built.case, by=folk.alice)
    assert not is_closed(client, fresh.token)


@pytest.mark.parametrize("token", ["A" * 27, "x", "..", "%00", "A" * 5000, "' OR 1=1 --", "\u00e9" * 20, "cases"])
def test_what_is_no_token_opens_nothing(client: Client, folk: People, built: Built, token: str) -> None:
    made(built, folk)
    answer = client.get(f"/s/{token}/")
    assert answer.status_code == 404
    assert "Writers hang" not in answer.content.decode()


def test_a_token_that_differs_in_one_letter_or_its_hash_opens_nothing(
    client: Client, folk: People, built: Built
) -> None:
    fresh = made(built, folk)
    other = ("b" if fresh.token[0] == "a" else "a") + fresh.token[1:]
    for wrong in (other, fresh.token[:-1], fresh.token + "a", fresh.link.token_hash):
        assert is_closed(client, wrong), wrong


def test_t30_guessing_is_slowed_down_and_ended_links_are_no_guess(client: Client, folk: People, built: Built) -> None:
    ended, good = made(built, folk), made(built, folk)
    revoke_share_link(ended.link, by=folk.alice)
    for _ in range(2 * WRONG_LIMIT):
        assert client.get(page_url(ended.token)).status_code == 404
    assert client.get(page_url(good.token)).status_code == 200
    for number in range(WRONG_LIMIT):
        assert client.get(page_url(f"{number:027d}")).status_code == 404
    assert client.get(page_url("A" * 27)).status_code == 429
    assert client.get(page_url(good.token)).status_code == 200
    assert client.get(page_url(good.token), REMOTE_ADDR="192.0.2.9").status_code == 200


# Who may make and close links


def test_no_address_is_missing() -> None:
    team = {"dialog", "preview", "revoke", "revoke_all", "end", "links", "reply"}
    shared = {"page", "unlock", "part", "timeline_json", "files", "file", "file_lines", "file_raw", "notes"}
    examples = {"examples", "example_keep", "example_remove", "examples_check"}  # test_examples
    assert {pattern.name for pattern in urls.urlpatterns} == team | shared | examples


@pytest.mark.parametrize("name", ["dialog", "revoke"])
def test_who_may_make_and_close_links(client: Client, folk: People, built: Built, name: str) -> None:
    link = made(built, folk).link
    url = reverse(f"sharing:{name}", args=[built.case.key, *([link.pk] if name == "revoke" else [])])
    call = client.post if name == "revoke" else client.get
    assert call(url)["Location"].startswith("/accounts/sign-in/")
    viewer, root = person("vera", folk.team, Role.VIEWER), person("root", is_staff=True, is_superuser=True)
    for user, status in ((viewer, 403), (folk.bob, 403), (folk.charlie, 404), (root, 404)):
        client.force_login(user)
        # An administrator is asked for a reason to read, which gives no right to share.
        assert call(url).status_code == (302 if user == root and name == "dialog" else status)
        assert client.post(url, {"days": "7"}).status_code == status
    assert ShareLink.objects.filter(revoked_at__isnull=True).count() == 1
    client.force_login(folk.alice)
    assert call(url).status_code == (302 if name == "revoke" else 200)


def test_a_link_of_another_case_is_not_closed_through_this_one(client: Client, folk: People, built: Built) -> None:
    other = build_case(folk.team, "another of the same team")
    link = made(built, folk).link
    client.force_login(folk.alice)
    assert client.post(reverse("sharing:revoke", args=[other.case.key, link.pk])).status_code == 404
    link.refresh_from_db()
    assert link.revoked_at is None


def test_t29_every_change_needs_the_token_of_its_form(folk: People, built: Built) -> None:
    link = made(built, folk).link
    client = Client(enforce_csrf_checks=True)
    client.force_login(folk.alice)
    assert client.post(reverse("sharing:dialog", args=[built.case.key]), {"days": "7"}).status_code == 403
    assert client.post(reverse("sharing:revoke", args=[built.case.key, link.pk])).status_code == 403


def test_t24_html_in_a_note_or_title_stays_text(client: Client, folk: People) -> None:
    evil = "<img src=x onerror=alert(1)>"
    built = build_case(folk.team, evil)
    fresh = create_share_link(case=built.case, user=folk.alice, days=1, note=evil, view=evil)
    client.force_login(folk.alice)
    for url in (reverse("sharing:dialog", args=[built.case.key]), page_url(fresh.token)):
        assert "<img src=x" not in client.get(url).content.decode()
