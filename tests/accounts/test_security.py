"""Second factors and sessions."""

from __future__ import annotations

import json
import re
import time
from dataclasses import replace
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.usersessions.models import UserSession
from django.contrib.sessions.models import Session
from django.core.cache import cache
from django.core.management import call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, DjangoCaptureOnCommitCallbacks, Settings

from apps.accounts import password_reset
from apps.accounts.models import User
from apps.accounts.services import make_sign_in_token
from apps.accounts.sessions import browser_words
from apps.api.services import create_token, token_of
from apps.audit.models import AuditEvent
from apps.web.session_store import BEGAN, USED
from tests.accounts.totp import code
from tests.builders import PASSWORD, People, person
from tests.shown import shown

pytestmark = pytest.mark.django_db
SIGN_IN = reverse("accounts:sign_in")
CODE = reverse("mfa_authenticate")
FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture(autouse=True)
def _no_old_guesses() -> None:
    cache.clear()


@pytest.fixture
def alice(folk: People) -> User:
    folk.alice.set_password(PASSWORD)
    folk.alice.save()
    return folk.alice


def sign_in(client: Client, name: str = "alice") -> str:
    """Where the password leads to."""
    response = client.post(SIGN_IN, {"username": name, "password": PASSWORD})
    assert response.status_code == 302
    return response.headers["Location"]


def turn_on(client: Client) -> str:
    """Sets up the app as its page asks, after confirming the password; the key comes back."""
    url = reverse("mfa_activate_totp")
    answer = client.get(url)
    assert answer.headers["Location"] == f"{reverse('account_reauthenticate')}?next={url.replace('/', '%2F')}"
    again = answer.headers["Location"]
    assert client.post(again, {"password": "wrong"}).status_code == 200
    assert client.post(again, {"password": PASSWORD}).headers["Location"] == url
    page = client.get(url)
    assert "no-store" in page.headers["Cache-Control"]
    found = re.search(r'data-copy="([A-Z2-7]{16,})"', shown(page))
    assert found
    assert client.post(url, {"code": "000000"}).status_code == 200
    assert client.post(url, {"code": code(found[1])}).headers["Location"] == reverse("mfa_view_recovery_codes")
    return found[1]


def recovery_codes(client: Client) -> list[str]:
    found = re.search(r'id="recovery-codes">([^<]+)<', shown(client.get(reverse("mfa_view_recovery_codes"))))
    assert found
    return found[1].split()


def test_the_code_of_an_app_is_requested_after_the_password(client: Client, alice: User) -> None:
    assert sign_in(client) == "/"
    secret = turn_on(client)
    assert "on since" in shown(client.get(reverse("accounts:security")))
    assert secret not in str(Authenticator.objects.get(type="totp").data)  # it lies encrypted
    other = Client()
    assert sign_in(other) == CODE
    assert other.get("/").status_code == 302  # not yet
    assert "code of your authenticator app" in shown(other.get(CODE))
    assert other.post(CODE, {"code": "000000"}).status_code == 200
    assert other.get("/").status_code == 302
    cache.clear()  # the code of this half minute was used a moment ago
    assert other.post(CODE, {"code": code(secret)}).headers["Location"] == "/"
    assert other.get("/").status_code == 200
    signed_in = AuditEvent.objects.filter(verb="account.signed_in", user=alice).order_by("pk")
    assert [event.detail["method"] for event in signed_in] == ["password", "password"]


def test_factors_that_come_and_go_are_written_down(
    client: Client, alice: User, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    sign_in(client)
    with django_capture_on_commit_callbacks(execute=True):
        turn_on(client)
    with django_capture_on_commit_callbacks(execute=True):
        client.post(reverse("mfa_deactivate_totp"))
    found = AuditEvent.objects.filter(verb__startswith="account.factor", user=alice).values_list("verb", "detail__kind")
    assert {
        ("account.factor_added", "totp"),
        ("account.factor_added", "recovery_codes"),
        ("account.factor_removed", "totp"),
    } <= set(found)


def test_the_way_that_was_wanted_outlasts_the_second_question(client: Client, alice: User) -> None:
    sign_in(client)
    secret = turn_on(client)
    cache.clear()
    other = Client()
    other.post(SIGN_IN, {"username": "alice", "password": PASSWORD, "next": "/trash/"})
    assert other.post(CODE, {"code": code(secret)}).headers["Location"] == "/trash/"


def test_a_one_time_link_asks_for_the_second_factor_too(client: Client, alice: User) -> None:
    sign_in(client)
    turn_on(client)
    other = Client()
    assert other.get(reverse("accounts:enter", args=[make_sign_in_token(alice)])).headers["Location"] == CODE
    assert other.get("/").status_code == 302


def test_t30_guessing_codes_is_limited(client: Client, alice: User) -> None:
    sign_in(client)
    secret = turn_on(client)
    cache.clear()
    other = Client()
    sign_in(other)
    for number in range(6):
        other.post(CODE, {"code": f"00000{number}"})
    assert other.post(CODE, {"code": code(secret)}).status_code == 200  # the right one comes too late
    assert other.get("/").status_code == 302


def test_each_recovery_code_opens_once(client: Client, alice: User) -> None:
    sign_in(client)
    turn_on(client)
    first, *others = recovery_codes(client)
    assert len(others) == 9
    for expected in ("/", None):
        other = Client()
        sign_in(other)
        assert other.post(CODE, {"code": first}).headers.get("Location") == expected


def test_nobody_turns_a_factor_off_from_an_open_browser_without_the_password(client: Client, alice: User) -> None:
    sign_in(client)
    turn_on(client)
    other = Client()
    other.force_login(alice)  # a session in which nothing was confirmed
    off = reverse("mfa_deactivate_totp")
    assert other.post(off).headers["Location"].startswith(reverse("account_reauthenticate"))
    assert Authenticator.objects.filter(type="totp").exists()


def test_turning_the_app_off(client: Client, alice: User) -> None:
    sign_in(client)
    turn_on(client)
    assert client.post(reverse("mfa_deactivate_totp")).headers["Location"] == reverse("accounts:security")
    assert not Authenticator.objects.exists()
    assert sign_in(Client()) == "/"


def test_an_administrator_or_the_command_takes_a_lost_factor_away(client: Client, folk: People, alice: User) -> None:
    url = reverse("accounts:second_factor_off", args=[alice.pk])
    assert client.post(url).status_code == 302
    sign_in(client)
    turn_on(client)
    client.force_login(folk.bob)
    assert client.post(url).status_code == 403
    client.force_login(person("root", is_staff=True))
    assert "Remove second factor" in shown(client.get(reverse("accounts:users")))
    assert client.post(url).status_code == 302
    assert not Authenticator.objects.exists()
    assert AuditEvent.objects.filter(verb="account.factors_removed", user__username="root").exists()
    other = Client()
    sign_in(other)
    cache.clear()
    turn_on(other)
    call_command("sign_in_link", user="alice", without_second_factor=True, verbosity=0)
    assert not Authenticator.objects.exists()


def test_a_secret_under_another_key_opens_nothing_and_breaks_nothing(
    client: Client, alice: User, settings: Settings
) -> None:
    sign_in(client)
    secret = turn_on(client)
    cache.clear()
    Authenticator.objects.filter(type="totp").update(data={"secret": "gAAAA" + "x" * 60})
    other = Client()
    sign_in(other)
    assert other.post(CODE, {"code": code(secret)}).status_code == 200
    assert other.get("/").status_code == 302


def test_passkeys_of_nobody_and_of_rubbish_are_refused(client: Client, alice: User) -> None:
    url = reverse("mfa_login_webauthn")
    options = client.get(url, headers={"Accept": "application/json"}).json()["request_options"]["publicKey"]
    assert options["userVerification"] == "required"
    cut = {"id": "eA", "rawId": "eA", "type": "public-key"}
    answer = {"clientDataJSON": "e30", "authenticatorData": "AAAA", "signature": "AA", "userHandle": "MQ"}
    for rubbish in (
        "",
        "{}",
        "[]",
        "null",
        '{"id": "x"}',
        "x" * 10_000,
        cut,
        cut | {"response": answer},
        cut | {"response": "x"},
    ):
        sent = rubbish if isinstance(rubbish, str) else json.dumps(rubbish)
        cache.clear()
        assert client.post(url, {"credential": sent}).headers["Location"] == SIGN_IN
    assert client.get("/").status_code == 302


def test_the_page_to_add_a_passkey_needs_a_name_of_the_host(client: Client, alice: User, settings: Settings) -> None:
    settings.ALLOWED_HOSTS = ["*"]
    sign_in(client)
    url = reverse("accounts:security")
    assert reverse("mfa_add_webauthn") in shown(client.get(url, headers={"Host": "lockscope.example.com:8000"}))
    for host in ("127.0.0.1:8000", "[::1]:8000", "10.0.0.1"):
        assert reverse("mfa_add_webauthn") not in shown(client.get(url, headers={"Host": host}))


def test_passkeys_of_somebody_else_are_not_there(client: Client, folk: People, alice: User) -> None:
    theirs = Authenticator.objects.create(user=folk.bob, type="webauthn", data={"name": "bob's", "credential": {}})
    sign_in(client)
    client.post(reverse("account_reauthenticate"), {"password": PASSWORD})
    for name in ("mfa_edit_webauthn", "mfa_remove_webauthn"):
        assert client.get(reverse(name, args=[theirs.pk])).status_code == 404
        assert client.post(reverse(name, args=[theirs.pk]), {"name": "mine"}).status_code == 404
    assert Authenticator.objects.filter(pk=theirs.pk).exists()


def test_browsers_are_listed_and_signed_out(client: Client, folk: People, alice: User) -> None:
    sign_in(client)
    other = Client(headers={"User-Agent": FIREFOX})
    sign_in(other)
    third = Client()
    sign_in(third)
    url = reverse("accounts:security")
    text = shown(client.get(url))
    assert text.count("this one") == 1
    assert "Firefox on Linux" in text
    theirs = UserSession.objects.get(user_agent=FIREFOX)
    end = reverse("accounts:session_end", args=[theirs.pk])
    stranger = Client()
    stranger.force_login(folk.bob)
    stranger.post(end)
    assert other.get("/").status_code == 200
    assert client.get(end).status_code == 405
    assert client.post(end).status_code == 302
    assert other.get("/").status_code == 302
    assert client.post(reverse("accounts:sessions_end")).status_code == 302
    assert third.get("/").status_code == 302
    assert client.get("/").status_code == 200
    assert UserSession.objects.filter(user=alice).count() == 1


def test_sessions_cost_two_queries_however_many_there_are(
    client: Client, alice: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    sign_in(client)
    for _ in range(12):
        sign_in(Client())
    with django_assert_max_num_queries(8):
        text = shown(client.get(reverse("accounts:security")))
    assert "13 browsers" in text


def test_a_new_password_signs_the_other_browsers_out_and_off_the_list(client: Client, alice: User) -> None:
    sign_in(client)
    other = Client()
    sign_in(other)
    values = {"old_password": PASSWORD, "new_password1": PASSWORD + "2", "new_password2": PASSWORD + "2"}
    assert client.post(reverse("accounts:password"), values).status_code == 302
    assert other.get("/").status_code == 302
    assert UserSession.objects.count() == 1


def lasting(client: Client) -> float:
    """Minutes from now until its session ends, in the database."""
    key = client.cookies["lockscope_session"].value
    return (Session.objects.get(session_key=key).expire_date - timezone.now()).total_seconds() / 60


def used_before(client: Client, *, used_minutes: float, began_days: float = 0) -> None:
    session = client.session
    session[USED] = int(time.time() - used_minutes * 60)
    session[BEGAN] = int(time.time() - began_days * 86_400)
    session.save()


def test_a_browser_that_asks_for_nothing_is_signed_out_and_one_that_does_stays(
    client: Client, alice: User, settings: Settings
) -> None:
    settings.LIMITS = replace(settings.LIMITS, idle_minutes=30)
    sign_in(client)
    assert client.cookies["lockscope_session"]["max-age"] == pytest.approx(30 * 60, abs=5)
    assert lasting(client) == pytest.approx(30, abs=0.2)
    Session.objects.update(expire_date=timezone.now() + timedelta(minutes=4))
    used_before(client, used_minutes=26)
    assert client.get("/").status_code == 200
    assert lasting(client) == pytest.approx(30, abs=0.2)
    Session.objects.update(expire_date=timezone.now() - timedelta(seconds=1))
    cache.clear()
    assert client.get("/").status_code == 302


def test_a_sign_in_ends_after_its_days_however_much_it_is_used(client: Client, alice: User, settings: Settings) -> None:
    settings.LIMITS = replace(settings.LIMITS, sign_in_days=2, idle_minutes=24 * 60)
    sign_in(client)
    used_before(client, used_minutes=9, began_days=1.9)
    assert client.get("/").status_code == 200
    assert lasting(client) == pytest.approx(0.1 * 24 * 60, abs=1)
    used_before(client, used_minutes=9, began_days=2.1)
    cache.clear()
    assert client.get("/").status_code == 302
    assert sign_in(client) == "/"  # it begins anew
    assert client.get("/").status_code == 200


def test_a_page_writes_down_its_use_now_and_then_only(client: Client, alice: User) -> None:
    sign_in(client)
    client.get("/")
    with CaptureQueriesContext(connection) as queries:
        client.get("/")
    assert [one for one in queries if one["sql"].startswith(("UPDATE", "INSERT")) and "session" in one["sql"]] == []


WAYS = {"changed": False, "changed and kept": True, "by an administrator": False, "by mail": False}


@pytest.mark.parametrize(("way", "kept"), WAYS.items())
def test_api_tokens_end_with_the_password_unless_they_are_kept_on_purpose(
    client: Client, folk: People, alice: User, way: str, kept: bool
) -> None:
    text = create_token(user=alice, name="nightly", scope="read", days=9).text
    other = create_token(user=folk.bob, name="his", scope="read", days=9).text
    sign_in(client)
    page = shown(client.get(reverse("accounts:password")))
    assert "Keep my API tokens" in page
    if way.startswith("changed"):
        new = {"old_password": PASSWORD, "new_password1": PASSWORD + "2", "new_password2": PASSWORD + "2"}
        client.post(reverse("accounts:password"), new | ({"keeps_tokens": "on"} if kept else {}))
    elif way == "by mail":
        password_reset.set_password(alice, PASSWORD + "2")
    else:
        client.force_login(person("root", is_staff=True))
        assert "API tokens have ended" in shown(client.post(reverse("accounts:make_link", args=[alice.pk])))
    for token, status in ((text, 200 if kept else 401), (other, 200)):
        assert Client().get("/api/v1/cases/", headers={"Authorization": f"Bearer {token}"}).status_code == status
    assert AuditEvent.objects.filter(verb="token.revoked", user=alice).exists() is not kept


def test_a_first_password_ends_no_token(client: Client, alice: User) -> None:
    """Who came by single sign-on had none that somebody could know."""
    alice.set_unusable_password()
    alice.save()
    text = create_token(user=alice, name="nightly", scope="read", days=9).text
    client.force_login(alice)
    client.post(reverse("accounts:password"), {"new_password1": PASSWORD, "new_password2": PASSWORD})
    assert token_of(text) is not None


def test_when_a_browser_was_last_seen_is_noted_now_and_then(client: Client, alice: User) -> None:
    sign_in(client)
    UserSession.objects.update(last_seen_at=timezone.now() - timedelta(hours=2))
    client.get("/")
    assert UserSession.objects.get().last_seen_at < timezone.now() - timedelta(hours=1)  # signing in was a moment ago
    cache.delete(f"seen:{client.session.session_key}")
    client.get("/")
    assert UserSession.objects.get().last_seen_at > timezone.now() - timedelta(minutes=1)


@pytest.mark.parametrize(
    ("agent", "words"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1", "Safari on iPhone"),
        ("curl/8.0", "unknown browser"),
        ("<script>", "unknown browser"),
    ],
)
def test_browsers_are_named_in_words(agent: str, words: str) -> None:
    assert browser_words(agent) == words


def test_pages_of_the_package_that_are_not_used_do_not_exist(client: Client, alice: User) -> None:
    client.force_login(alice)
    for path in ("signup/", "email/", "password/reset/", "login/", "3rdparty/", "mfa/", "confirm-email/", "sessions/"):
        assert client.get(f"/accounts/{path}").status_code == 404


def test_the_first_administrator_comes_from_the_environment(client: Client, db: None, settings: Settings) -> None:
    settings.FIRST_ADMIN, settings.FIRST_ADMIN_PASSWORD = "chief", PASSWORD
    call_command("first_administrator", verbosity=0)
    assert sign_in(client, "chief") == "/"
    assert User.objects.get().is_administrator
    settings.FIRST_ADMIN = "second"
    call_command("first_administrator", verbosity=0)
    assert User.objects.count() == 1
