"""What people are told in the page and by mail, and that nobody is told of a case that they may not see."""

from __future__ import annotations

import smtplib
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from celery import current_app
from django.core import mail
from django.core.mail.backends import locmem
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from apps.accounts.models import Role, User
from apps.cases.models import Artifact, Bundle, Case
from apps.cases.notes.mentions import mentioned
from apps.cases.notes.services import add_note, edit_note
from apps.cases.people.members import assign_case
from apps.cases.people.notices import NotSentError, mail_notice, sentence, shown_to, unread_text
from apps.cases.services import set_state, trash_case
from apps.diagnosis.pages.live.watching import end_watch, note_sample
from apps.ingest.models import CaseReading
from apps.ingest.scheduling import diagnoses
from apps.ingest.scheduling.announcing import tell_settled
from apps.notices.models import Kind, Notice
from apps.notices.services import choose_mail, forget_old, mail_kinds
from apps.webhooks.models import Delivery, Webhook
from tests.builders import Built, People, build_case, make_artifact, make_bundle, make_diagnosis, person
from tests.shown import shown

pytestmark = pytest.mark.django_db

LIST = "/notices/"


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team, "Ledgerbank hangs", customer="Ledgerbank", created_by=folk.alice)


def messages_to(user: User) -> list[str]:
    return [sentence(one) for one in shown_to(user).order_by("pk")]


# Mentions
# ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("@bob look", ["bob"]),
        ("look,@Bob.", ["bob"]),
        ("(@BOB)", ["bob"]),
        ("**@bob**", ["bob"]),
        ("@bob @bob @alice", ["bob", "alice"]),
        ("- a\n- for @bob\n\n> @alice", ["bob", "alice"]),
        ("mail bob@bob.example", []),
        ("`@bob`", []),
        ("```\n@bob\n```", []),
        ("@@bob", []),
        ("@bobby", []),
        ("[x](https://x.example/@bob)", []),
        ("@", []),
        ("@dot.", ["dot."]),
        ("@dot.,", ["dot."]),
    ],
)
def test_who_a_note_names(folk: People, built: Built, text: str, names: list[str]) -> None:
    person("dot.", folk.team)
    assert [user.username for user in mentioned(built.case, text)[0]] == names


def test_those_on_the_case_are_notified_and_nobody_else(folk: People, built: Built) -> None:
    add_note(case=built.case, author=folk.alice, text="@bob @charlie @nobody @alice look")
    assert messages_to(folk.bob) == ["Alice mentions you in a note"]
    assert messages_to(folk.charlie) == messages_to(folk.alice) == []
    assert not Notice.objects.exclude(user=folk.bob).exists()


def test_a_name_that_comes_in_later_is_reported_once(folk: People, built: Built) -> None:
    note = add_note(case=built.case, author=folk.alice, text="look")
    for text in ("@bob look", "@bob look here", "@BOB @bob"):
        edit_note(note, text=text, by=folk.alice)
    assert messages_to(folk.bob) == ["Alice mentions you in a note"]


def test_the_page_says_who_was_not_notified_and_not_whether_they_exist(
    client: Client, folk: People, built: Built
) -> None:
    client.force_login(folk.alice)
    text = shown(
        client.post(reverse("cases:notes", args=[built.case.key]), {"text": "@charlie @noone @bob"}, follow=True)
    )
    assert "charlie and noone are not on this case and were not told." in text


# What else is told
# ------------------------------------------------------------------------------------------------------


def test_assigning_tells_the_one_and_a_new_state_those_whose_case_it_is(folk: People, built: Built) -> None:
    assign_case(built.case, folk.bob, by=folk.alice)
    assign_case(built.case, folk.bob, by=folk.alice)  # nothing new
    set_state(built.case, "waiting", by=folk.alice)
    set_state(built.case, "solved", by=folk.bob)
    set_state(built.case, "solved", by=folk.bob, solution="path")  # the state is the same
    assert messages_to(folk.bob) == ["Alice assigned this case to you", "Alice set the state to “waiting for customer”"]
    assert messages_to(folk.alice) == ["Bob set the state to “solved”"]


def settled(case: Case) -> None:
    """As after its last diagnosis."""
    name = diagnoses.settled_name(case.pk)
    CaseReading.objects.update_or_create(case=case, defaults={"wanted": name, "done": name})


def test_an_upload_that_was_read_is_reported_once_to_whoever_sent_it(folk: People, built: Built) -> None:
    Bundle.objects.update(uploaded_by=folk.bob)
    diagnoses.note_change(built.case.pk)
    tell_settled(built.case.pk)
    assert messages_to(folk.bob) == []  # a diagnosis is still to come
    settled(built.case)
    for _ in range(2):
        tell_settled(built.case.pk)
    assert messages_to(folk.bob) == messages_to(folk.alice) == ["An upload has been read, severity high"]


def test_many_uploads_to_a_case_are_one_notice_until_it_is_read(folk: People, built: Built) -> None:
    Bundle.objects.update(uploaded_by=folk.bob)
    settled(built.case)
    tell_settled(built.case.pk)
    for _ in range(3):
        make_artifact(make_bundle(built.case, uploaded_by=folk.bob, state=Bundle.State.EXPANDED))
        settled(built.case)
        tell_settled(built.case.pk)
    assert messages_to(folk.bob) == ["An upload has been read, severity high"]
    Notice.objects.update(read_at=timezone.now())
    make_artifact(make_bundle(built.case, uploaded_by=folk.bob, state=Bundle.State.EXPANDED))
    settled(built.case)
    tell_settled(built.case.pk)
    assert len(messages_to(folk.bob)) == 2


@pytest.mark.parametrize("is_live", [True, False])
def test_the_chat_of_the_team_does_not_hear_of_each_sample(folk: People, built: Built, is_live: bool) -> None:
    Webhook.objects.create(team=folk.team, host="https://chat", nonce="n", events=["bundle.read"])
    if is_live:
        note_sample(built.case.pk, node="ash1", number=3, every_s=20, queued=0, dropped=0)
    Bundle.objects.update(uploaded_by=folk.bob)
    settled(built.case)
    tell_settled(built.case.pk)
    end_watch(built.case.pk, "ash1")
    assert Delivery.objects.count() == (0 if is_live else 1)
    assert messages_to(folk.bob) == ["An upload has been read, severity high"]


@pytest.mark.parametrize(
    ("form", "severity", "words"),
    [
        ("explained", "high", "severity high"),
        ("unexplained", "medium", "severity medium, not explained by a rule"),
        ("not_judged", "info", "not judged"),
        ("healthy", "info", "nothing wrong found"),
        ("explained", "", "without a verdict"),
    ],
)
def test_what_a_verdict_is_worth_is_reported_with_it(
    folk: People, built: Built, form: str, severity: str, words: str
) -> None:
    make_diagnosis(built.case, severity=severity or "info", verdict_form=form)
    if not severity:
        Case.objects.update(severity="", verdict="")
    Bundle.objects.update(uploaded_by=folk.bob)
    settled(built.case)
    tell_settled(built.case.pk)
    assert messages_to(folk.bob) == [f"An upload has been read, {words}"]


@pytest.mark.parametrize("state", ["failed", "skipped"])
def test_an_upload_of_which_nothing_could_be_read_is_not_called_read(folk: People, built: Built, state: str) -> None:
    """The archive opened, and each file in it was damaged or no text."""
    Artifact.objects.update(state=state)
    Bundle.objects.update(uploaded_by=folk.bob)
    settled(built.case)
    tell_settled(built.case.pk)
    assert messages_to(folk.bob) == ["An upload cannot be read"]


def test_an_upload_that_failed_is_reported_again_when_it_fails_again(folk: People, built: Built) -> None:
    Bundle.objects.update(uploaded_by=folk.bob, state=Bundle.State.FAILED)
    settled(built.case)
    tell_settled(built.case.pk)
    Bundle.objects.update(told_at=None)  # as trying again does
    Notice.objects.update(key="of-yesterday")
    tell_settled(built.case.pk)
    assert messages_to(folk.bob) == ["An upload cannot be read"] * 2


def test_samples_and_people_who_left_are_no_receivers(folk: People, built: Built) -> None:
    Bundle.objects.update(uploaded_by=folk.charlie)
    settled(built.case)
    tell_settled(built.case.pk)
    assert not Notice.objects.filter(user=folk.charlie).exists()
    sample = build_case(folk.team, "A sample", is_sample=True, created_by=folk.alice)
    settled(sample.case)
    tell_settled(sample.case.pk)
    assert not Notice.objects.filter(case=sample.case).exists()


# The page
# ---------------------------------------------------------------------------------------------------------------


def test_the_bell_counts_and_the_list_leads_there_and_counts_down(client: Client, folk: People, built: Built) -> None:
    for number in range(3):
        note = add_note(case=built.case, author=folk.alice, text=f"@bob {number}")
    client.force_login(folk.bob)
    assert '<span class="bar-bell-count">3</span>' in shown(client.get("/"))
    assert shown(client.get(LIST)).count("Alice mentions you in a note") == 3
    newest = Notice.objects.latest("pk")
    answer = client.post(reverse("cases:notice_open", args=[newest.pk]))
    assert answer.headers["Location"] == f"/cases/{built.case.key}/notes/#note-{note.pk}"
    assert '<span class="bar-bell-count">2</span>' in shown(client.get(LIST))
    client.post("/notices/read/")
    assert "bar-bell-count" not in shown(client.get(LIST))


def test_nobody_reads_or_opens_those_of_others(client: Client, folk: People, built: Built) -> None:
    add_note(case=built.case, author=folk.alice, text="@bob")
    one = Notice.objects.get()
    client.force_login(folk.alice)
    assert client.post(reverse("cases:notice_open", args=[one.pk])).status_code == 404
    client.post("/notices/read/")
    assert Notice.objects.get().read_at is None
    assert "Alice mentions you" not in shown(client.get(LIST))


@pytest.mark.parametrize("how", ["leaves", "trash"])
def test_who_may_not_see_the_case_any_more_learns_nothing_of_it(
    client: Client, folk: People, built: Built, how: str
) -> None:
    add_note(case=built.case, author=folk.alice, text="@bob")
    if how == "leaves":
        folk.bob.team_memberships.all().delete()
    else:
        trash_case(built.case, by=folk.alice)
    client.force_login(folk.bob)
    text = shown(client.get(LIST))
    assert "Ledgerbank" not in text
    assert built.case.key not in text
    assert unread_text(folk.bob) == ""
    assert client.post(reverse("cases:notice_open", args=[Notice.objects.get().pk])).status_code == 404


def test_the_bell_costs_one_query_and_stops_counting(client: Client, folk: People, built: Built) -> None:
    rows = [
        Notice(user=folk.bob, case=built.case, kind=Kind.MENTION, key=str(number), by=folk.alice)
        for number in range(120)
    ]
    Notice.objects.bulk_create(rows[:2])
    client.force_login(folk.bob)
    client.get(LIST)
    with CaptureQueriesContext(connection) as few:
        client.get(LIST)
    Notice.objects.bulk_create(rows[2:])
    with CaptureQueriesContext(connection) as many:
        text = shown(client.get(LIST))
    assert len(few) == len(many)
    assert "99+" in text
    assert sum("read_at" in query["sql"] and "LIMIT 500" in query["sql"] for query in many.captured_queries) == 1


def test_names_and_titles_are_text_in_the_list(client: Client, folk: People) -> None:
    evil = "<img src=x onerror=alert(1)>"
    case = build_case(folk.team, evil).case
    folk.alice.display_name = evil
    folk.alice.save()
    add_note(case=case, author=folk.alice, text="@bob")
    client.force_login(folk.bob)
    assert evil not in shown(client.get(LIST))


# Mail
# -------------------------------------------------------------------------------------------------------------------


@pytest.fixture
def mails(settings: Settings, folk: People, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Mail is set up and Bob has an address; the numbers of the notices that are to be sent."""
    settings.MAIL_HOST, settings.BASE_URL = "mail.example", "https://locks.example"
    folk.bob.email = "bob@example.com"
    folk.bob.save()
    queued: list[int] = []
    monkeypatch.setattr(
        current_app,
        "send_task",
        lambda name, args, **more: queued.extend(args) if name == "cases.mail_notice" else None,
    )
    return queued


Capture = Callable[..., Any]


def test_a_mention_comes_by_mail_without_a_word_of_the_customer(
    folk: People, built: Built, mails: list[int], django_capture_on_commit_callbacks: Capture
) -> None:
    with django_capture_on_commit_callbacks(execute=True):
        add_note(case=built.case, author=folk.alice, text="@bob the ledger of Ledgerbank")
    assert mails == [Notice.objects.get().pk]
    for _ in range(2):
        mail_notice(mails[0])
    [one] = mail.outbox
    assert (one.to, one.subject) == (["bob@example.com"], f"{built.case.key}: Alice mentions you in a note")
    assert f"https://locks.example/cases/{built.case.key}/notes/#note-" in str(one.body)
    assert "https://locks.example/notices/settings/" in str(one.body)
    assert "edger" not in str(one.body)


@pytest.mark.parametrize("why", ["no choice", "no address", "no mail"])
def test_no_mail_is_queued_where_none_is_wanted_or_possible(
    folk: People,
    built: Built,
    mails: list[int],
    settings: Settings,
    why: str,
    django_capture_on_commit_callbacks: Capture,
) -> None:
    if why == "no choice":
        choose_mail(folk.bob, ["assigned"])
    elif why == "no address":
        User.objects.update(email="")
    else:
        settings.MAIL_HOST = ""
    with django_capture_on_commit_callbacks(execute=True):
        add_note(case=built.case, author=folk.alice, text="@bob")
    assert mails == []
    assert messages_to(folk.bob)


@pytest.mark.parametrize("why", ["left", "read", "closed", "changed"])
def test_what_changed_before_the_mail_went_out_counts(folk: People, built: Built, mails: list[int], why: str) -> None:
    add_note(case=built.case, author=folk.alice, text="@bob")
    one = Notice.objects.get()
    if why == "left":
        folk.bob.team_memberships.all().delete()
    elif why == "read":
        Notice.objects.update(read_at=timezone.now())
    elif why == "closed":
        User.objects.filter(pk=folk.bob.pk).update(is_active=False)
    else:
        choose_mail(folk.bob, [])
    mail_notice(one.pk)
    assert mail.outbox == []


def test_a_mail_server_that_is_away_gets_another_try(
    folk: People, built: Built, mails: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    add_note(case=built.case, author=folk.alice, text="@bob")
    one = Notice.objects.get()

    def away(*_args: Any) -> int:
        raise smtplib.SMTPServerDisconnected

    with monkeypatch.context() as patched:
        patched.setattr(locmem.EmailBackend, "send_messages", away)
        with pytest.raises(NotSentError):
            mail_notice(one.pk)
    mail_notice(one.pk)
    assert len(mail.outbox) == 1


def test_no_name_adds_a_line_to_the_head_of_a_mail(folk: People, built: Built, mails: list[int]) -> None:
    User.objects.filter(pk=folk.alice.pk).update(display_name="Alice\nBcc: x@example.com")
    add_note(case=built.case, author=User.objects.get(pk=folk.alice.pk), text="@bob")
    mail_notice(Notice.objects.get().pk)
    [one] = mail.outbox
    assert one.recipients() == ["bob@example.com"]
    assert "\n" not in one.subject


def test_each_person_chooses_what_comes_by_mail(client: Client, folk: People, mails: list[int]) -> None:
    assert mail_kinds(folk.bob) == ["mention", "assigned", "failed"]
    client.force_login(folk.bob)
    text = shown(client.get("/notices/settings/"))
    assert "bob@example.com" in text
    assert client.post("/notices/settings/", {"kinds": ["state"]}).status_code == 302
    assert mail_kinds(folk.bob) == ["state"]
    assert client.post("/notices/settings/", {}).status_code == 302
    assert mail_kinds(folk.bob) == []
    assert client.post("/notices/settings/", {"kinds": ["x"]}).status_code == 422
    assert mail_kinds(folk.alice) == ["mention", "assigned", "failed"]


def test_where_no_mail_is_set_up_the_page_says_so(client: Client, folk: People) -> None:
    client.force_login(folk.bob)
    text = shown(client.get("/notices/settings/"))
    assert "Mail is not set up" in text
    assert 'name="kinds"' not in text


def test_old_ones_are_forgotten_and_they_go_with_their_case(folk: People, built: Built) -> None:
    person("vera", folk.team, Role.VIEWER)
    add_note(case=built.case, author=folk.alice, text="@bob @vera")
    Notice.objects.filter(user=folk.bob).update(created_at=timezone.now() - timedelta(days=91))
    assert forget_old() == 1
    built.case.delete()
    assert not Notice.objects.exists()
