"""Single sign-on against a provider that really runs, in a process of its own."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount, SocialToken
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from apps.accounts.models import User
from apps.accounts.sso import may_get_account
from apps.audit.models import AuditEvent
from config.env import BadSetting
from config.oidc import Oidc, oidc_from_env
from tests.builders import PASSWORD, People
from tests.patience import HANGS_S

SUB = "4711-a"


@pytest.fixture(scope="module")
def issuer() -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "oidc_provider_mock", "--port", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    address = f"http://localhost:{port}"
    end = time.monotonic() + HANGS_S
    while time.monotonic() < end:
        try:
            httpx.get(f"{address}/.well-known/openid-configuration").raise_for_status()
            break
        except httpx.HTTPError:
            time.sleep(0.1)
    yield address
    process.terminate()
    process.wait(HANGS_S)


@pytest.fixture(autouse=True)
def oidc(db: None, settings: Settings, issuer: str) -> Oidc:
    cache.clear()
    return switch(settings, Oidc(issuer=issuer, name="Fjord ID", client_id="lockscope", secret="s3"))


def switch(settings: Settings, oidc: Oidc) -> Oidc:
    settings.OIDC = oidc
    settings.SOCIALACCOUNT_PROVIDERS = oidc.providers()
    return oidc


def known_as(issuer: str, sub: str = SUB, **claims: object) -> None:
    httpx.put(f"{issuer}/users/{sub}", json=claims).raise_for_status()


def through_provider(client: Client, start: str, sub: str = SUB) -> tuple[int, str]:
    """From our button to the provider, there as `sub`, and back; status and path of where that ends."""
    away = client.get(start)
    assert away.status_code == 302, away.content
    back = httpx.post(away.headers["Location"], data={"sub": sub})
    assert back.status_code == 302, back.text
    address = urlsplit(back.headers["Location"])
    assert (address.scheme, address.netloc) == ("http", "testserver")
    response = client.get(f"{address.path}?{address.query}")
    return response.status_code, response.headers.get("Location", "")


def sign_in_url(oidc: Oidc) -> str:
    return reverse("openid_connect_login", args=[oidc.provider_id])


def test_the_way_there_carries_state_pkce_and_our_address(client: Client, oidc: Oidc) -> None:
    assert "Sign in with Fjord ID" in client.get(reverse("accounts:sign_in")).content.decode()
    query = parse_qs(urlsplit(client.get(sign_in_url(oidc)).headers["Location"]).query)
    assert query["redirect_uri"] == [f"http://testserver{reverse('openid_connect_callback', args=[oidc.provider_id])}"]
    assert query["code_challenge_method"] == ["S256"]
    assert len(query["state"][0]) >= 16
    assert "openid" in query["scope"][0].split()


def test_who_is_unknown_here_gets_no_account_by_default(client: Client, oidc: Oidc, issuer: str) -> None:
    known_as(issuer, name="Eve", email="eve@fjord.example", email_verified=True)
    status, _ = through_provider(client, sign_in_url(oidc))
    assert status == 200
    assert not User.objects.exists()
    assert client.get("/").status_code == 302


def test_a_name_or_a_mail_address_joins_nobody_to_an_account(
    client: Client, folk: People, settings: Settings, oidc: Oidc, issuer: str
) -> None:
    """The takeover that single sign-on is known for: a person there who calls herself as somebody here."""
    switch(settings, replace(oidc, creates=True))
    User.objects.filter(pk=folk.alice.pk).update(email="alice@fjord.example")
    known_as(issuer, preferred_username="alice", email="alice@fjord.example", email_verified=True, name="Alice")
    assert through_provider(client, sign_in_url(oidc)) == (302, "/")
    account = SocialAccount.objects.get()
    assert account.user != folk.alice
    assert account.user.get_username().lower() != "alice"
    assert not account.user.team_memberships.exists()


def test_where_it_is_allowed_an_account_is_made_once_and_known_again(
    client: Client, folk: People, settings: Settings, oidc: Oidc, issuer: str
) -> None:
    switch(settings, replace(oidc, creates=True, team=folk.team.slug))
    known_as(issuer, preferred_username="dora", name="Dora <b>Lind", email="dora@fjord.example", email_verified=True)
    assert through_provider(client, sign_in_url(oidc) + "?next=/trash/") == (302, "/trash/")
    dora = User.objects.get(username="dora")
    assert (dora.display_name, dora.has_usable_password(), dora.is_administrator, dora.email) == (
        "Dora <b>Lind",
        False,
        False,
        "",
    )
    assert [(one.team, one.role) for one in dora.team_memberships.all()] == [(folk.team, "viewer")]
    assert not SocialToken.objects.exists()
    again = Client()
    switch(settings, replace(oidc, creates=False))
    assert through_provider(again, sign_in_url(oidc)) == (302, "/")
    assert again.get("/").wsgi_request.user == dora
    assert [event.detail["method"] for event in AuditEvent.objects.filter(verb="account.signed_in")] == [
        "socialaccount",
        "socialaccount",
    ]


@pytest.mark.parametrize(
    ("addresses", "may"),
    [
        ([("dora@fjord.example", True)], True),
        ([("dora@fjord.example", False)], False),
        ([("dora@evil-fjord.example", True)], False),
        ([("dora@fjord.example.evil.example", True)], False),
        ([("fjord.example", True)], False),
        ([], False),
    ],
)
def test_only_a_verified_address_of_a_named_domain_gets_an_account(
    settings: Settings, oidc: Oidc, addresses: list[tuple[str, bool]], may: bool
) -> None:
    switch(settings, replace(oidc, creates=True, domains=("fjord.example",)))
    assert may_get_account(addresses) is may
    switch(settings, replace(oidc, creates=False, domains=("fjord.example",)))
    assert not may_get_account(addresses)


def test_an_unverified_address_gets_no_account_over_the_wire(
    client: Client, settings: Settings, oidc: Oidc, issuer: str
) -> None:
    switch(settings, replace(oidc, creates=True, domains=("fjord.example",)))
    known_as(issuer, email="dora@fjord.example", email_verified=False)
    assert through_provider(client, sign_in_url(oidc))[0] == 200
    assert not User.objects.exists()
    known_as(issuer, email="dora@fjord.example", email_verified=True)
    assert through_provider(client, sign_in_url(oidc))[0] == 302
    assert User.objects.count() == 1


def test_who_has_an_account_connects_it_and_disconnects_it(
    client: Client, folk: People, oidc: Oidc, issuer: str
) -> None:
    folk.alice.set_password(PASSWORD)
    folk.alice.save()
    known_as(issuer, name="Alice")
    client.post(reverse("accounts:sign_in"), {"username": "alice", "password": PASSWORD})
    start = sign_in_url(oidc) + "?process=connect"
    status, where = through_provider(client, start)
    assert (status, where) == (302, reverse("account_reauthenticate"))  # the password first
    assert client.post(where, {"password": PASSWORD}).headers["Location"] == reverse("accounts:security")
    assert "connected since" in client.get(reverse("accounts:security")).content.decode()
    other = Client()
    assert through_provider(other, sign_in_url(oidc)) == (302, "/")
    assert other.get("/").wsgi_request.user == folk.alice
    bob = Client()
    bob.force_login(folk.bob)
    through_provider(bob, start)
    assert [one.user for one in SocialAccount.objects.all()] == [folk.alice]  # not moved to another
    assert bob.post(reverse("accounts:sso_disconnect")).status_code == 404
    assert client.post(reverse("accounts:sso_disconnect")).status_code == 302
    assert not SocialAccount.objects.exists()


def test_the_only_way_in_is_not_taken_away(client: Client, settings: Settings, oidc: Oidc, issuer: str) -> None:
    switch(settings, replace(oidc, creates=True))
    known_as(issuer, preferred_username="dora")
    through_provider(client, sign_in_url(oidc))
    assert client.post(reverse("accounts:sso_disconnect")).status_code == 409
    assert SocialAccount.objects.exists()


def test_a_closed_account_stays_closed(client: Client, folk: People, oidc: Oidc, issuer: str) -> None:
    known_as(issuer, name="Alice")
    SocialAccount.objects.create(user=folk.alice, provider=oidc.provider_id, uid=SUB)
    User.objects.filter(pk=folk.alice.pk).update(is_active=False)
    assert through_provider(client, sign_in_url(oidc))[0] == 403
    assert client.get("/").status_code == 302


def test_the_second_factor_is_requested_on_this_way_too(client: Client, folk: People, oidc: Oidc, issuer: str) -> None:
    known_as(issuer, name="Alice")
    SocialAccount.objects.create(user=folk.alice, provider=oidc.provider_id, uid=SUB)
    Authenticator.objects.create(user=folk.alice, type="totp", data={"secret": "x"})
    assert through_provider(client, sign_in_url(oidc)) == (302, reverse("mfa_authenticate"))
    assert client.get("/").status_code == 302


def test_the_same_number_at_another_provider_is_somebody_else(folk: People, oidc: Oidc) -> None:
    assert replace(oidc, issuer="https://id.other.example").provider_id != oidc.provider_id


@pytest.mark.parametrize(
    "query", ["", "?code=x", "?code=x&state=y", "?error=access_denied&state=y", "?error=%3Cscript%3E"]
)
def test_coming_back_without_having_left_signs_nobody_in(client: Client, oidc: Oidc, query: str) -> None:
    response = client.get(reverse("openid_connect_callback", args=[oidc.provider_id]) + query)
    assert response.status_code in {302, 401}
    assert "<script>" not in response.content.decode()
    assert client.get("/").status_code == 302


def test_a_provider_that_is_away_is_explained(client: Client, settings: Settings, oidc: Oidc) -> None:
    other = switch(settings, replace(oidc, issuer="http://localhost:1"))
    response = client.get(sign_in_url(other))
    assert response.status_code == 502
    assert "You are not signed in" in response.content.decode()


def test_without_a_provider_nothing_of_it_is_there(client: Client, settings: Settings, oidc: Oidc) -> None:
    address = sign_in_url(oidc)
    switch(settings, Oidc())
    assert client.get(address).status_code == 404
    assert client.get(sign_in_url(Oidc())).status_code == 404
    assert "Sign in with " not in client.get(reverse("accounts:sign_in")).content.decode().replace(
        "Sign in with a passkey", ""
    )
    with pytest.raises(CommandError):
        call_command("sso_address", verbosity=0)


@pytest.mark.parametrize("issuer", ["id.example.com", "http://id.example.com", "https://", "ftp://localhost"])
def test_an_issuer_without_tls_stops_the_start(monkeypatch: pytest.MonkeyPatch, issuer: str) -> None:
    monkeypatch.setenv("LOCKSCOPE_OIDC_ISSUER", issuer)
    monkeypatch.setenv("LOCKSCOPE_OIDC_CLIENT_ID", "x")
    with pytest.raises(BadSetting):
        oidc_from_env()


def test_settings_come_from_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LOCKSCOPE_OIDC_ISSUER", "https://id.example.com/")
    with pytest.raises(BadSetting):
        oidc_from_env()
    monkeypatch.setenv("LOCKSCOPE_OIDC_CLIENT_ID", "lockscope")
    monkeypatch.setenv("LOCKSCOPE_OIDC_DOMAINS", "@Fjord.example, other.example")
    found = oidc_from_env()
    assert (found.issuer, found.creates, found.domains) == (
        "https://id.example.com",
        False,
        ("fjord.example", "other.example"),
    )
