"""One's mail address, and a new password by it."""

from __future__ import annotations

import re
import smtplib
from collections.abc import Callable
from typing import Any

import pytest
from allauth.mfa.models import Authenticator
from celery import current_app
from django.core import mail
from django.core.cache import cache
from django.core.mail.backends import locmem
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from apps.accounts import mail_address, password_reset
from apps.accounts.models import User
from apps.accounts.password_reset import NotSentError
from apps.audit.models import AuditEvent
from apps.web.errors import DomainError
from config.logs import hide_tokens
from tests.builders import PASSWORD, People

pytestmark = pytest.mark.django_db

NEW = "brown-heron-over-the-weir"
ASK, ADDRESS = "/accounts/password/forgotten/", "/accounts/mail/"


@pytest.fixture(autouse=True)
def mail_is_set_up(settings: Settings) -> None:
    cache.clear()
    settings.MAIL_HOST, settings.BASE_URL = "mail.example", "https://locks.example"


@pytest.fixture
def bob(folk: People) -> User:
    folk.bob.set_password(PASSWORD)
    folk.bob.email = "bob@example.com"
    folk.bob.save()
    return folk.bob


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Accounts that a task shall send a link to."""
    queued: list[int] = []
    monkeypatch.setattr(
        current_app,
        "send_task",
        lambda name, args, **more: queued.extend(args) if name == "accounts.mail_reset" else None,
    )
    return queued


def signed_in(user: User) -> Client:
    """By the password, which was asked for once more a moment ago."""
    client = Client()
    user.set_password(PASSWORD)
    user.save()
    assert client.post("/accounts/sign-in/", {"username": user.username, "password": PASSWORD}).status_code == 302
    assert client.post("/accounts/sign-in/again/", {"password": PASSWORD}).status_code == 302
    return client


def link_in(number: int = -1) -> str:
    found = re.search(r"https?://[^/]+(/\S+)", str(mail.outbox[number].body))
    assert found
    return found[1]


# The address
# ------------------------------------------------------------------------------------------------------------


def test_an_address_counts_once_its_link_was_opened_by_its_person(folk: People) -> None:
    client = signed_in(folk.bob)
    assert "was sent to bob@example.com" in client.post(ADDRESS, {"address": "bob@example.com"}).content.decode()
    link = link_in()
    assert mail.outbox[0].to == ["bob@example.com"]
    assert User.objects.get(pk=folk.bob.pk).email == ""
    other = signed_in(folk.alice)
    assert (other.get(link).status_code, other.post(link).status_code) == (410, 410)
    assert client.get(link).status_code == 200
    assert User.objects.get(pk=folk.bob.pk).email == ""  # looking at it does not set it
    assert client.post(link).status_code == 302
    assert User.objects.get(pk=folk.bob.pk).email == "bob@example.com"
    assert client.post(link).status_code == 410
    client.post(ADDRESS, {"remove": "yes"})
    assert User.objects.get(pk=folk.bob.pk).email == ""
    verbs = AuditEvent.objects.filter(verb__startswith="account.mail").order_by("pk").values_list("verb", flat=True)
    assert list(verbs) == ["account.mail_set", "account.mail_removed"]


def test_a_link_ends_and_an_older_one_is_void_after_a_newer(bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    old, new = (mail_address.token_for(bob, name) for name in ("old@example.com", "new@example.com"))
    mail_address.confirm(new, user=bob)
    client = signed_in(bob)
    assert client.post(reverse("accounts:mail_confirm", args=[old])).status_code == 410
    fresh = mail_address.token_for(bob, "x@example.com")
    assert mail_address.address_in(fresh, bob) == "x@example.com"
    assert client.post(reverse("accounts:mail_confirm", args=["x" * 30])).status_code == 410
    monkeypatch.setattr(mail_address, "HOURS", 0)
    with pytest.raises(DomainError):
        mail_address.address_in(fresh, bob)


def test_a_stolen_session_alone_does_not_set_it(bob: User) -> None:
    """Who has the address can have a new password, so the present one is asked for first."""
    client = Client()
    client.force_login(bob)
    for answer in (client.get(ADDRESS), client.post(ADDRESS, {"address": "evil@example.com"})):
        assert answer.status_code == 302
        assert answer.headers["Location"].startswith("/accounts/sign-in/again/")
    assert mail.outbox == []


@pytest.mark.parametrize("address", ["", "x", "a@b", "bob@example.com\nBcc: x@example.com"])
def test_what_is_no_address_is_refused(folk: People, address: str) -> None:
    assert signed_in(folk.bob).post(ADDRESS, {"address": address}).status_code == 422
    assert mail.outbox == []


# A new password
# ---------------------------------------------------------------------------------------------------------


def test_a_new_password_by_mail_signs_all_browsers_out_and_nobody_in(
    client: Client, bob: User, sent: list[int]
) -> None:
    open_one = signed_in(bob)
    assert client.post(ASK, {"address": " Bob@Example.com "}).status_code == 200
    assert sent == [bob.pk]
    password_reset.send(bob.pk)
    link = link_in()
    assert link.startswith("/accounts/password/new/")
    assert client.get(link).status_code == 200
    assert client.post(link, {"new_password1": NEW, "new_password2": NEW}).headers["Location"] == "/accounts/sign-in/"
    assert "_auth_user_id" not in client.session
    assert open_one.get("/").status_code == 302
    assert client.post(link, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 410
    assert User.objects.get(pk=bob.pk).check_password(NEW)
    assert AuditEvent.objects.filter(verb="account.password_reset", user=bob).count() == 1


def test_a_second_factor_is_still_requested(client: Client, bob: User) -> None:
    Authenticator.objects.create(user=bob, type=Authenticator.Type.TOTP, data={"secret": "x"})
    link = reverse("accounts:password_new", args=[password_reset.token_for(bob)])
    client.post(link, {"new_password1": NEW, "new_password2": NEW})
    answer = client.post("/accounts/sign-in/", {"username": "bob", "password": NEW})
    assert answer.headers["Location"].startswith("/accounts/sign-in/code/")
    assert "_auth_user_id" not in client.session


def test_nobody_learns_whether_there_is_such_an_account(
    client: Client, bob: User, folk: People, sent: list[int]
) -> None:
    folk.alice.email = "alice@example.com"  # without a password: by single sign-on only
    folk.alice.save()
    folk.charlie.set_password(PASSWORD)
    folk.charlie.email, folk.charlie.is_active = "charlie@example.com", False
    folk.charlie.save()
    pages = set()
    for name in ("bob", "nobody", "alice", "charlie"):
        answer = client.post(ASK, {"address": f"{name}@example.com"})
        text = re.sub(r'(csrf\w*"?[ =:]+"?value="|X-CSRFToken": ")\w+', "", answer.content.decode())
        pages.add((answer.status_code, text.replace(name, "NAME")))
    assert len(pages) == 1
    assert sent == [bob.pk]


def test_t30_asking_for_passwords_is_limited(client: Client, bob: User, sent: list[int]) -> None:
    """By the mailbox that would be filled, and by the address that asks."""
    statuses = [client.post(ASK, {"address": "bob@example.com"}).status_code for _ in range(21)]
    assert (statuses[19], statuses[20]) == (200, 429)
    assert len(sent) == password_reset.MAILS_MOST


@pytest.mark.parametrize("token", ["x", "1.x", ".", "1", "9" * 30 + ".x", "1." + "x" * 200, "\u0661.x"])
def test_made_up_links_open_nothing_and_are_limited(client: Client, bob: User, token: str) -> None:
    address = reverse("accounts:password_new", args=[token])
    statuses = {client.get(address).status_code for _ in range(3)}
    assert statuses == {410}
    for _ in range(20):
        client.get(address)
    assert client.get(address).status_code == 429


def test_a_link_ends_after_an_hour_and_when_the_account_is_used_or_closed(
    client: Client, bob: User, settings: Settings
) -> None:
    def status(token: str) -> int:
        return client.get(reverse("accounts:password_new", args=[token])).status_code

    token = password_reset.token_for(bob)
    assert (status(token), settings.PASSWORD_RESET_TIMEOUT) == (200, 3600)
    settings.PASSWORD_RESET_TIMEOUT = -1
    assert status(token) == 410
    settings.PASSWORD_RESET_TIMEOUT = 3600
    signed_in(bob)
    assert status(token) == 410
    token = password_reset.token_for(User.objects.get(pk=bob.pk))
    assert status(token) == 200
    User.objects.filter(pk=bob.pk).update(is_active=False)
    assert status(token) == 410


def test_the_link_names_the_address_of_the_settings_and_stands_in_no_log(bob: User) -> None:
    password_reset.send(bob.pk)
    assert str(mail.outbox[0].body).count("https://locks.example/accounts/password/new/") == 1
    for path in (link_in(), reverse("accounts:mail_confirm", args=[mail_address.token_for(bob, "a@b.example")])):
        token = path.rstrip("/").rpartition("/")[2]
        assert token not in hide_tokens(f"Gone: {path}")


def test_weak_passwords_are_refused(client: Client, bob: User) -> None:
    link = reverse("accounts:password_new", args=[password_reset.token_for(bob)])
    assert client.post(link, {"new_password1": "12345", "new_password2": "12345"}).status_code == 422
    assert User.objects.get(pk=bob.pk).check_password(PASSWORD)


def test_a_mail_server_that_is_away_gets_another_try(bob: User, monkeypatch: pytest.MonkeyPatch) -> None:
    def away(*_args: Any) -> int:
        raise smtplib.SMTPServerDisconnected

    monkeypatch.setattr(locmem.EmailBackend, "send_messages", away)
    with pytest.raises(NotSentError):
        password_reset.send(bob.pk)
    answer = signed_in(bob).post(ADDRESS, {"address": "new@example.com"})
    assert answer.status_code == 422
    assert "did not take the mail" in answer.content.decode()


OFF: tuple[Callable[[Settings], None], ...] = (
    lambda settings: setattr(settings, "MAIL_HOST", ""),
    lambda settings: setattr(settings, "BASE_URL", ""),
)


@pytest.mark.parametrize("off", OFF, ids=["no mail", "no address"])
def test_where_no_mail_can_be_sent_the_page_and_its_link_are_not_there(
    client: Client, settings: Settings, off: Callable[[Settings], None]
) -> None:
    assert ASK in client.get("/accounts/sign-in/").content.decode()
    off(settings)
    assert client.get(ASK).status_code == 404
    assert ASK not in client.get("/accounts/sign-in/").content.decode()
