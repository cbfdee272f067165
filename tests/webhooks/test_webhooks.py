"""Webhooks of teams: what is told to whom, how it is signed, tried again, shown."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.conf import settings as django_settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from apps.audit.models import AuditEvent
from apps.cases.notes.services import add_note
from apps.cases.people.members import assign_case, transfer_case
from apps.cases.people.notify import tell_read
from apps.cases.services import set_state
from apps.web.errors import DomainError
from apps.webhooks import sending
from apps.webhooks.models import Delivery, Webhook
from apps.webhooks.services import EVENTS, MOST_OF_A_TEAM, add_webhook, address_of, remove_webhook, secret_of, send_test
from tests.builders import Built, People, build_case
from tests.webhooks.receiver import Receiver, receiver, says

pytestmark = pytest.mark.django_db

Capture = Callable[..., Any]


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team, "Ledgerbank hangs", customer="Ledgerbank")


def hook(folk: People, settings: Settings, found: Receiver | None = None, **values: Any) -> Webhook:
    """To a receiver of ours, which an administrator has allowed."""
    place = f"127.0.0.1:{found.port}" if found else "hooks.example.com"
    settings.WEBHOOK_HOSTS = [place]
    given: dict[str, Any] = {
        "address": f"http://{place}/hooks/s3cret",
        "shape": "generic",
        "events": list(EVENTS),
        "by": folk.alice,
    } | values
    return add_webhook(folk.team, **given)


def send_all() -> None:
    for pk in Delivery.objects.values_list("pk", flat=True):
        sending.send(pk)


def test_a_receiver_can_tell_that_it_was_us_and_when(folk: People, built: Built, settings: Settings) -> None:
    settings.BASE_URL = "https://locks.example/in"
    with receiver() as found:
        made = hook(folk, settings, found)
        set_state(built.case, "waiting", by=folk.bob)
        send_all()
    first, headers, body = found.parts()
    assert first == "POST /hooks/s3cret HTTP/1.1"
    signed = headers["Lockscope-Timestamp"].encode() + b"." + body
    assert (
        headers["Lockscope-Signature"] == "v1=" + hmac.new(secret_of(made).encode(), signed, hashlib.sha256).hexdigest()
    )
    assert abs(int(headers["Lockscope-Timestamp"]) - timezone.now().timestamp()) < 60
    delivered = json.loads(body)
    assert (delivered["event"], delivered["by"], delivered["words"]) == (
        "case.state",
        "bob",
        "state is now waiting for customer",
    )
    assert delivered["case"] == {
        "key": built.case.key,
        "state": "waiting",
        "severity": "high",
        "verdict_form": "explained",
    }
    assert delivered["address"] == f"https://locks.example{reverse('diagnosis:timeline', args=[built.case.key])}"
    assert Delivery.objects.get().state == "sent"


def test_the_shape_of_slack_is_one_text_with_a_link(folk: People, built: Built, settings: Settings) -> None:
    settings.BASE_URL = "https://locks.example"
    folk.bob.display_name = "Bob <!channel> & co"
    folk.bob.save()
    with receiver() as found:
        hook(folk, settings, found, shape="slack", events=["note.added"])
        add_note(case=built.case, author=folk.bob, text="the ledger of Ledgerbank")
        send_all()
    [text] = json.loads(found.parts()[2]).values()
    assert text.startswith(f"<https://locks.example/cases/{built.case.key}/notes/#note-")
    assert text.endswith(f"|{built.case.key}>: Bob &lt;!channel&gt; &amp; co wrote a note")


def test_nothing_of_a_customer_is_reported(folk: People, built: Built, settings: Settings) -> None:
    hook(folk, settings)
    add_note(case=built.case, author=folk.bob, text="Ledgerbank called, lund-n3 hangs")
    set_state(built.case, "solved", by=folk.bob, solution="Ledgerbank replaced the path")
    assign_case(built.case, folk.bob, by=folk.alice)
    tell_read(built.bundle, is_sampled=False)
    bodies = b"".join(sending.body_of(one) for one in Delivery.objects.select_related("webhook"))
    assert Delivery.objects.count() == 4
    for secret in (b"edgerbank", b"lund", b"lund_nsd07", b"path"):
        assert secret not in bodies


def test_only_events_that_are_wanted_by_the_team_of_the_case(folk: People, built: Built, settings: Settings) -> None:
    hook(folk, settings, events=["case.assigned"])
    other = add_webhook(
        folk.other_team, address="https://hooks.example.com/o", shape="generic", events=list(EVENTS), by=folk.charlie
    )
    set_state(built.case, "waiting", by=folk.bob)
    assert not Delivery.objects.exists()
    transfer_case(built.case, folk.other_team, by=folk.alice)
    built.case.refresh_from_db()
    set_state(built.case, "solved", by=folk.charlie)
    assert [one.webhook_id for one in Delivery.objects.all()] == [other.pk]


def test_the_same_is_reported_once_however_often_it_is_announced(
    folk: People, built: Built, settings: Settings
) -> None:
    with receiver() as found:
        hook(folk, settings, found)
        for _ in range(3):
            tell_read(built.bundle, is_sampled=False)
        set_state(built.case, "waiting", by=folk.bob)
        set_state(built.case, "waiting", by=folk.bob, solution="x")  # no new state
        for _ in range(2):
            send_all()
    assert len(found.requests) == 2


def test_what_fails_is_tried_again_later_and_then_given_up(folk: People, settings: Settings) -> None:
    with receiver(says(b"HTTP/1.1 503 Busy\r\n\r\n")) as found:
        one = send_test(hook(folk, settings, found), by=folk.alice)
        for number in range(1, len(sending.PAUSES) + 2):
            sending.send(one.pk)
            sending.send(one.pk)  # not due: nothing is sent
            one.refresh_from_db()
            assert (one.attempts, one.status, len(found.requests)) == (number, 503, number)
            assert one.pk not in sending.due()
            if one.next_at is not None:
                assert one.next_at > timezone.now() + timedelta(seconds=50)
                Delivery.objects.update(next_at=timezone.now())
                assert sending.due() == [one.pk]
    assert (one.state, one.message, one.next_at) == ("failed", "It answered 503.", None)


def test_what_is_refused_is_not_tried_again(folk: People, settings: Settings) -> None:
    with receiver() as found:
        one = send_test(hook(folk, settings, found), by=folk.alice)
    settings.WEBHOOK_HOSTS = []
    sending.send(one.pk)
    one.refresh_from_db()
    assert (one.state, one.attempts, one.next_at) == ("failed", 1, None)
    assert "an administrator can allow others" in one.message


def test_a_host_that_is_not_outside_is_tried_again_as_an_unknown_one_is(folk: People, settings: Settings) -> None:
    """Else the two could be told apart."""
    settings.WEBHOOK_HOSTS = []
    made = add_webhook(
        folk.team, address="http://hooks.example.com/", shape="generic", events=list(EVENTS), by=folk.alice
    )
    sending.send(send_test(made, by=folk.alice).pk, resolver=lambda host, port: ["8.8.8.8", "10.0.0.1"])
    sending.send(send_test(made, by=folk.alice).pk, resolver=lambda host, port: [])
    delivered = set(Delivery.objects.values_list("state", "attempts", "status", "message"))
    assert len(delivered) == 1
    assert "not on the public network" in next(iter(delivered))[3]


def test_a_redirect_counts_as_no_answer(folk: People, settings: Settings) -> None:
    with receiver(says(b"HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1/\r\n\r\n")) as found:
        one = send_test(hook(folk, settings, found), by=folk.alice)
        sending.send(one.pk)
    one.refresh_from_db()
    assert (one.state, one.status) == ("waiting", 302)
    assert "not followed" in one.message


def test_address_and_secret_are_not_in_the_database(folk: People, settings: Settings) -> None:
    made = hook(folk, settings)
    row = Webhook.objects.filter(pk=made.pk).values().get()
    assert address_of(made) == "http://hooks.example.com/hooks/s3cret"
    assert "s3cret" not in str(row)
    assert secret_of(made) not in str(row)
    assert "s3cret" not in str(list(AuditEvent.objects.values("detail")))
    settings.SECRET_KEY = "x" * 40
    one = send_test(made, by=folk.alice)
    sending.send(one.pk)
    one.refresh_from_db()
    assert (one.state, "another key" in one.message) == ("failed", True)


def test_owners_name_test_and_remove_it_on_a_page(client: Client, folk: People, settings: Settings) -> None:
    page = reverse("webhooks:list", args=[folk.team.slug])
    client.force_login(folk.alice)
    form = {
        "address": "https://hooks.example.com/T0/s3cret",
        "shape": "slack",
        "events": ["case.state", "bundle.failed"],
    }
    assert client.post(page, form).status_code == 302
    made = Webhook.objects.get()
    assert client.post(reverse("webhooks:test", args=[folk.team.slug, made.pk])).status_code == 302
    Delivery.objects.update(message="<b>x</b>", attempts=1)
    text = client.get(page).content.decode()
    for words in (
        "https://hooks.example.com",
        secret_of(made),
        "the state of a case changes, an upload cannot be read",
        "a test",
    ):
        assert words in text
    assert "s3cret" not in text
    assert "<b>x</b>" not in text
    assert client.post(reverse("webhooks:remove", args=[folk.team.slug, made.pk])).status_code == 302
    assert not Webhook.objects.exists()
    verbs = AuditEvent.objects.filter(verb__startswith="webhook.").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["webhook.added", "webhook.tested", "webhook.removed"]


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"address": "http://localhost:6379/"}, "Only port 443"),
        ({"address": "ftp://x.example/"}, "Only http"),
        ({"address": "https://a:b@x.example/"}, "without user name"),
        ({"events": []}, "required"),
        ({"events": ["x"]}, "valid choice"),
        ({"shape": "x"}, "valid choice"),
    ],
)
def test_what_cannot_be_used_is_refused_on_the_page(
    client: Client, folk: People, changed: dict[str, Any], words: str
) -> None:
    client.force_login(folk.alice)
    form = {"address": "https://hooks.example.com/", "shape": "generic", "events": ["case.state"]} | changed
    answer = client.post(reverse("webhooks:list", args=[folk.team.slug]), form)
    assert answer.status_code == 422
    assert words in answer.content.decode()
    assert not Webhook.objects.exists()


def test_a_team_has_only_so_many(folk: People, settings: Settings) -> None:
    for _ in range(MOST_OF_A_TEAM):
        made = hook(folk, settings)
    with pytest.raises(DomainError):
        hook(folk, settings)
    remove_webhook(made, by=folk.alice)
    assert hook(folk, settings).pk


def test_the_log_is_forgotten_after_a_month_and_goes_with_its_case(
    folk: People, built: Built, settings: Settings
) -> None:
    made = hook(folk, settings)
    old = send_test(made, by=folk.alice)
    Delivery.objects.filter(pk=old.pk).update(created_at=timezone.now() - timedelta(days=31))
    set_state(built.case, "waiting", by=folk.bob)
    assert sending.forget_old() == 1
    built.case.delete()
    assert not Delivery.objects.exists()


def test_it_is_sent_by_a_task_once_the_change_is_through(
    folk: People,
    built: Built,
    settings: Settings,
    django_capture_on_commit_callbacks: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sent: list[tuple[str, list[int]]] = []
    monkeypatch.setattr(current_app, "send_task", lambda name, args, **more: sent.append((name, args)))
    hook(folk, settings)
    with django_capture_on_commit_callbacks(execute=True):
        set_state(built.case, "waiting", by=folk.bob)
        assert sent == []
    assert sent == [("webhooks.send", [Delivery.objects.get().pk])]
    named = {entry["task"] for entry in django_settings.CELERY_BEAT_SCHEDULE.values()} | {"webhooks.send"}
    current_app.loader.import_default_modules()
    assert named | {"cases.mail_notice", "accounts.mail_reset"} <= set(current_app.tasks)
