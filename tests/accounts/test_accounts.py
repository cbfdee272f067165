from __future__ import annotations

import io
from datetime import timedelta

import pytest
from allauth.mfa.models import Authenticator
from allauth.socialaccount.models import SocialAccount
from django.core.cache import cache
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.accounts.models import Role, SignInToken, Team, User
from apps.accounts.services import make_sign_in_token
from apps.accounts.signing_in import has_a_way_back
from apps.audit.models import AuditEvent
from tests.builders import PASSWORD, People, person
from tests.shown import shown

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _no_old_guesses() -> None:
    cache.clear()


@pytest.fixture
def admin(folk: People) -> User:
    return person("root", folk.team, Role.OWNER, is_staff=True)


def enter(client: Client, token: str) -> int:
    return client.get(reverse("accounts:enter", args=[token])).status_code


def with_password(user: User) -> User:
    user.set_password(PASSWORD)
    user.save()
    return user


def test_signing_in_and_out(client: Client, folk: People) -> None:
    with_password(folk.alice)
    url = reverse("accounts:sign_in")
    response = client.post(f"{url}?next=/trash/", {"username": "alice", "password": PASSWORD})
    assert (response.status_code, response.headers["Location"]) == (302, "/trash/")
    assert client.get(url).status_code == 302
    out = reverse("accounts:sign_out")
    assert client.get(out).status_code == 405
    assert client.post(out).status_code == 302
    assert client.get("/").status_code == 302


@pytest.mark.parametrize(
    "target", ["https://elsewhere.example/", "//elsewhere.example", "javascript:alert(1)", "/\\elsewhere.example"]
)
def test_signing_in_never_leads_to_another_site(client: Client, folk: People, target: str) -> None:
    with_password(folk.alice)
    response = client.post(reverse("accounts:sign_in"), {"username": "alice", "password": PASSWORD, "next": target})
    assert response.headers["Location"] == "/"


def test_t30_wrong_passwords_say_nothing_and_run_into_a_limit(client: Client, folk: People) -> None:
    with_password(folk.alice)
    url = reverse("accounts:sign_in")
    known = client.post(url, {"username": "alice", "password": "wrong"})
    unknown = client.post(url, {"username": "nobody", "password": "wrong"})
    assert known.status_code == unknown.status_code == 422
    statuses = [client.post(url, {"username": "alice", "password": "wrong"}).status_code for _ in range(10)]
    assert statuses[-1] == 429
    assert client.post(url, {"username": "alice", "password": PASSWORD}).status_code == 429


WRONG = "wrong"


def guess(name: str, password: str = WRONG, address: str = "203.0.113.1", client: Client | None = None) -> int:
    form = {"username": name, "password": password}
    return int((client or Client()).post(reverse("accounts:sign_in"), form, REMOTE_ADDR=address).status_code)


def test_t30_one_password_on_many_names_is_limited_by_address(folk: People) -> None:
    with_password(folk.alice)
    statuses = [guess(f"name{number}") for number in range(60)]
    assert statuses == [422] * 40 + [429] * 20
    assert guess("alice", PASSWORD, "203.0.113.2") == 302


def test_t30_many_addresses_on_one_name_are_limited_and_its_owner_is_let_in(folk: People) -> None:
    with_password(folk.alice)
    own = Client()
    assert guess("alice", PASSWORD, "192.0.2.7", own) == 302
    statuses = [guess("alice", address=f"203.0.113.{number}") for number in range(40)]
    assert statuses == [422] * 30 + [429] * 10
    assert guess("alice", PASSWORD, "198.51.100.1") == 429  # a browser that nobody knows
    own.post(reverse("accounts:sign_out"))
    assert guess("alice", PASSWORD, "192.0.2.7", own) == 302
    assert guess("alice", PASSWORD, "203.0.113.1", own) == 302  # also behind the address of those who guess
    assert guess("bob", "wrong", "192.0.2.7", own) == 422  # it is known for its owner's name alone


def test_t30_a_known_browser_has_a_limit_too_and_ends_with_the_password(folk: People) -> None:
    with_password(folk.alice)
    own = Client()
    assert guess("alice", PASSWORD, client=own) == 302
    assert [guess("alice", client=own) for _ in range(12)] == [422] * 10 + [429] * 2
    cache.clear()
    folk.alice.set_password("another-Long-1-and-new")
    folk.alice.save()
    for number in range(30):
        guess("alice", address=f"203.0.113.{number}")
    assert guess("alice", "another-Long-1-and-new", "192.0.2.7", own) == 429


def test_a_name_longer_than_any_is_a_wrong_name(folk: People) -> None:
    assert guess("9" * 5000) == 422


@pytest.mark.parametrize("target", ["no-view", "cases:list", "\ud800", "accounts:users", ""])
def test_where_to_go_after_signing_in_is_a_path_or_the_list(client: Client, folk: People, target: str) -> None:
    client.force_login(folk.alice)
    answer = client.get(reverse("accounts:sign_in"), {"next": target.encode("utf-8", "surrogatepass")})
    assert answer.headers["Location"] == "/"


def test_a_link_signs_in_once_and_lands_on_the_cases(client: Client, folk: People) -> None:
    token = make_sign_in_token(folk.alice)
    response = client.get(reverse("accounts:enter", args=[token]), follow=True)
    assert response.status_code == 200
    assert response.wsgi_request.path == "/"
    assert response.wsgi_request.user == folk.alice
    again = Client().get(reverse("accounts:enter", args=[token]))
    assert again.status_code == 410
    assert "no longer works" in again.content.decode()


def test_only_the_hash_of_a_token_is_kept(folk: People) -> None:
    token = make_sign_in_token(folk.alice)
    row = SignInToken.objects.get()
    assert len(token) >= 27  # 160 bits
    assert token not in {row.hash, str(row)}


def test_links_that_ended_were_replaced_or_belong_to_closed_accounts_do_not_open(folk: People) -> None:
    old = make_sign_in_token(folk.alice)
    token = make_sign_in_token(folk.alice)
    assert enter(Client(), old) == 410
    SignInToken.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    assert enter(Client(), token) == 410
    token = make_sign_in_token(folk.bob)
    User.objects.filter(pk=folk.bob.pk).update(is_active=False)
    assert enter(Client(), token) == 410


def test_looking_without_opening_does_not_use_a_link_up(client: Client, folk: People) -> None:
    token = make_sign_in_token(folk.alice)
    assert client.head(reverse("accounts:enter", args=[token])).status_code == 405
    assert enter(client, token) == 302


def test_t30_guessing_links_is_limited(client: Client, folk: People) -> None:
    statuses = [enter(client, f"guess{n}") for n in range(21)]
    assert statuses[:20] == [410] * 20
    assert statuses[20] == 429
    assert enter(client, make_sign_in_token(folk.alice)) == 302  # a good one, from the same address


def test_t30_a_used_link_is_no_guess(client: Client, folk: People) -> None:
    token = make_sign_in_token(folk.alice)
    assert enter(client, token) == 302
    assert {enter(Client(), token) for _ in range(30)} == {410}
    assert enter(Client(), "guess") == 410


def test_who_came_by_a_link_sets_a_password_and_others_give_the_old_one(client: Client, folk: People) -> None:
    enter(client, make_sign_in_token(folk.alice))
    url = reverse("accounts:password")
    assert "old_password" not in client.get(url).content.decode()
    assert client.post(url, {"new_password1": "short", "new_password2": "short"}).status_code == 422
    assert client.post(url, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert client.get("/").status_code == 200  # this browser stays signed in
    assert "old_password" in client.get(url).content.decode()
    data = {"old_password": "wrong", "new_password1": PASSWORD + "2", "new_password2": PASSWORD + "2"}
    assert client.post(url, data).status_code == 422


def test_an_administrator_makes_an_account_and_its_link(client: Client, folk: People, admin: User) -> None:
    client.force_login(admin)
    url = reverse("accounts:users")
    response = client.post(url, {"username": "dora", "display_name": "Dora", "team": folk.team.pk, "role": "viewer"})
    assert response.status_code == 200
    link = response.content.decode().split('data-copy="http://testserver')[1].split('"')[0]
    dora = User.objects.get(username="dora")
    assert [(m.team, m.role) for m in dora.team_memberships.all()] == [(folk.team, "viewer")]
    assert not dora.has_usable_password()
    assert not dora.is_administrator
    browser = Client()
    assert browser.get(link).status_code == 302
    assert client.post(url, {"username": "DORA", "role": "viewer"}).status_code == 422
    assert AuditEvent.objects.filter(verb="account.created", user=admin).exists()


def test_a_new_link_ends_the_old_password_and_all_sessions(client: Client, folk: People, admin: User) -> None:
    browser = Client()
    browser.force_login(with_password(folk.bob))
    client.force_login(admin)
    assert client.post(reverse("accounts:make_link", args=[folk.bob.pk])).status_code == 200
    assert browser.get("/").status_code == 302
    assert not browser.login(username="bob", password=PASSWORD, request=browser.get("/").wsgi_request)


def test_a_closed_account_is_out_at_once(client: Client, folk: People, admin: User) -> None:
    browser = Client()
    browser.force_login(folk.bob)
    client.force_login(admin)
    assert client.post(reverse("accounts:set_active", args=[folk.bob.pk]), {"active": "no"}).status_code == 302
    assert browser.get("/").status_code == 302
    assert (
        client.post(reverse("accounts:make_link", args=[folk.bob.pk]), headers={"Accept": "text/html"}).status_code
        == 409
    )
    assert client.post(reverse("accounts:set_active", args=[admin.pk]), {"active": "no"}).status_code == 409
    client.post(reverse("accounts:set_active", args=[folk.bob.pk]), {"active": "yes"})
    folk.bob.refresh_from_db()
    assert folk.bob.is_active


def test_accounts_are_for_administrators(client: Client, folk: People) -> None:
    addresses = [
        reverse("accounts:users"),
        reverse("accounts:make_link", args=[folk.bob.pk]),
        reverse("accounts:set_active", args=[folk.bob.pk]),
    ]
    for url in addresses:
        assert client.post(url).status_code == 302
    for user in (folk.alice, folk.bob, folk.charlie):
        client.force_login(user)
        assert [client.post(url).status_code for url in addresses] == [403] * 3
    assert client.get(reverse("accounts:users")).status_code == 403


def test_names_in_html_are_shown_and_not_obeyed(client: Client, folk: People, admin: User) -> None:
    User.objects.filter(pk=folk.bob.pk).update(display_name="<script>alert(1)</script>")
    Team.objects.filter(pk=folk.team.pk).update(name="<img src=x>")
    client.force_login(admin)
    text = client.get(reverse("accounts:users")).content.decode()
    assert "<script>alert" not in text
    assert "<img" not in text


def test_the_command_makes_the_first_administrator_and_later_finds_one(client: Client, db: None) -> None:
    out = io.StringIO()
    call_command("sign_in_link", stdout=out)
    path = out.getvalue().strip()
    assert path.startswith("/accounts/enter/")
    assert client.get(path).status_code == 302
    admin = User.objects.get()
    assert (admin.username, admin.is_administrator, [team.name for team in admin.teams.all()]) == (
        "admin",
        True,
        ["Support"],
    )
    call_command("sign_in_link", stdout=out)
    assert User.objects.count() == 1
    with pytest.raises(CommandError):
        call_command("sign_in_link", user="nobody", stdout=out)
    User.objects.update(is_active=False)
    with pytest.raises(CommandError):
        call_command("sign_in_link", stdout=out)


def linked(client: Client, user: User) -> User:
    """Somebody new, who has neither password, passkey nor single sign-on, and came by a link."""
    user.set_unusable_password()
    user.save()
    assert enter(client, make_sign_in_token(user)) == 302
    return user


def test_who_could_not_come_back_is_prompted_for_a_password_until_it_is_set(client: Client, folk: People) -> None:
    linked(client, folk.alice)
    url = reverse("accounts:password")
    assert f'<a href="{url}">Set a password</a>' in shown(client.get("/"))
    page = shown(client.get(url))
    assert "Sign out without a password" in page
    assert f'<a href="{url}">Set a password</a>' not in page
    assert client.post(url, {"new_password1": PASSWORD, "new_password2": PASSWORD}).status_code == 302
    assert "Set a password" not in shown(client.get("/"))
    assert client.post(reverse("accounts:sign_out")).headers["Location"] == reverse("accounts:sign_in")
    assert client.get("/").status_code == 302


def test_signing_out_without_a_password_is_requested_once(client: Client, folk: People) -> None:
    linked(client, folk.alice)
    out = reverse("accounts:sign_out")
    assert client.post(out).headers["Location"] == reverse("accounts:password")
    assert client.get("/").status_code == 200, "still signed in"
    assert client.post(out, {"anyway": "yes"}).headers["Location"] == reverse("accounts:sign_in")
    assert client.get("/").status_code == 302


def test_who_has_a_password_is_not_prompted_after_a_link(client: Client, folk: People) -> None:
    with_password(folk.alice)
    assert enter(client, make_sign_in_token(folk.alice)) == 302
    assert "Set a password" not in shown(client.get("/"))
    assert client.post(reverse("accounts:sign_out")).headers["Location"] == reverse("accounts:sign_in")


@pytest.mark.parametrize("way", ["passkey", "single sign-on"])
def test_who_comes_back_by_other_means_is_not_prompted(folk: People, way: str) -> None:
    if way == "passkey":
        Authenticator.objects.create(user=folk.alice, type=Authenticator.Type.WEBAUTHN, data={})
    else:
        SocialAccount.objects.create(user=folk.alice, provider="oidc", uid="7")
    folk.alice.set_unusable_password()
    folk.alice.save()
    assert has_a_way_back(folk.alice)
    assert not has_a_way_back(linked(Client(), folk.bob))


def test_accounts_are_found_by_name_and_by_team(client: Client, folk: People, admin: User) -> None:
    client.force_login(admin)
    for number in range(12):
        person(f"nora{number}", folk.other_team)
    page = client.get(reverse("accounts:users"), {"q": "nora1"})
    assert {account.username for account in page.context["accounts"]} == {"nora1", "nora10", "nora11"}
    by_team = client.get(reverse("accounts:users"), {"q": "perth"}).context
    assert {"nora0", folk.charlie.username} <= {account.username for account in by_team["accounts"]}
    assert folk.bob.username not in {account.username for account in by_team["accounts"]}
    assert "No account matches" in client.get(reverse("accounts:users"), {"q": "<b>"}).content.decode()
