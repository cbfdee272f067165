"""Teams and their roles, and invitations by link and mail."""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries, Settings

from apps.accounts.models import Invitation, Role, Team, TeamMembership, User
from apps.accounts.team_urls import urlpatterns
from apps.audit.models import AuditEvent
from apps.cases.models import Case
from tests.builders import PASSWORD, People, make_case, person

pytestmark = pytest.mark.django_db

# name, whether a number stands behind the slug, least role, and what an allowed GET answers
ADDRESSES = [
    ("team", None, Role.VIEWER, 200),
    ("rename", None, Role.OWNER, 405),
    ("member_add", None, Role.OWNER, 405),
    ("member_remove", "membership", Role.OWNER, 405),
    ("invite", None, Role.OWNER, 405),
    ("withdraw", "invitation", Role.OWNER, 405),
]


@pytest.fixture(autouse=True)
def _no_old_guesses() -> None:
    cache.clear()


@pytest.fixture
def admin() -> User:
    return person("root", is_staff=True)


def url(name: str, team: Team, *more: Any) -> str:
    return reverse(f"teams:{name}", args=[team.slug, *more])


def invited(client: Client, team: Team, **values: str) -> str:
    """The path of a fresh invitation, as the page shows it once."""
    response = client.post(url("invite", team), {"role": "viewer", "days": "7"} | values)
    assert response.status_code == 200, response.content
    found = re.search(r'data-copy="http://testserver(/accounts/invitation/[^"]+)"', response.content.decode())
    assert found
    return found[1]


@pytest.mark.parametrize(("name", "nested", "least", "answer"), ADDRESSES, ids=[entry[0] for entry in ADDRESSES])
def test_who_may_open_it(
    client: Client, folk: People, admin: User, name: str, nested: str | None, least: Role, answer: int
) -> None:
    number = {"membership": TeamMembership.objects.get(user=folk.bob).pk, "invitation": 0}
    address = url(name, folk.team, *([number[nested]] if nested else []))
    if answer == 200:
        assert client.get(address).status_code == 302
    viewer = person("vera", folk.team, Role.VIEWER)
    for user, role in ((folk.alice, Role.OWNER), (folk.bob, Role.EDITOR), (viewer, Role.VIEWER), (admin, Role.OWNER)):
        client.force_login(user)
        if answer == 200:
            assert client.get(address).status_code == 200
        elif not role.reaches(least):
            assert client.post(address).status_code == 403, user
    client.force_login(folk.charlie)
    assert client.get(address).status_code == (405 if answer == 405 else 404)
    assert client.post(address).status_code in {404, 405}
    assert TeamMembership.objects.filter(user=folk.bob).exists()


def test_no_address_of_a_team_is_missing_above() -> None:
    assert {name for name, *_ in ADDRESSES} == {pattern.name for pattern in urlpatterns} - {"list"}


def test_numbers_of_another_team_lead_nowhere(client: Client, folk: People) -> None:
    theirs = TeamMembership.objects.get(user=folk.charlie)
    client.force_login(folk.charlie)
    invited(client, folk.other_team)
    client.force_login(folk.alice)
    assert client.post(url("member_remove", folk.team, theirs.pk)).status_code == 404
    assert client.post(url("withdraw", folk.team, Invitation.objects.get().pk)).status_code == 404
    assert TeamMembership.objects.filter(pk=theirs.pk).exists()
    assert Invitation.objects.exists()


def test_everybody_sees_own_teams_only_and_administrators_all(
    client: Client, folk: People, admin: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(folk.bob)
    text = client.get(reverse("teams:list")).content.decode()
    assert "Lund storage" in text
    assert "Perth" not in text
    assert client.post(reverse("teams:list"), {"name": "Mine"}).status_code == 403
    for number in range(10):
        Team.objects.create(name=f"T{number}", slug=f"t{number}")
    client.force_login(admin)
    with django_assert_max_num_queries(6):
        text = client.get(reverse("teams:list")).content.decode()
    assert "Perth" in text


def test_a_team_shows_its_owners_and_how_many_cases_are_open(client: Client, folk: People) -> None:
    make_case(folk.team)
    Case.objects.filter(pk=make_case(folk.team).pk).update(state="solved")
    Case.objects.filter(pk=make_case(folk.team).pk).update(trashed_at=timezone.now())
    for number in range(4):
        person(f"owner{number}", folk.team, Role.OWNER)
    client.force_login(folk.bob)
    page = client.get(reverse("teams:list"))
    [row] = page.context["rows"]
    assert (row["people"], row["team"].cases_n, row["team"].open_n) == (folk.team.members.count(), 2, 1)
    assert row["owners"].endswith("and 2 more")
    assert row["team"].changed_at is not None


def test_an_administrator_makes_and_renames_teams(client: Client, folk: People, admin: User) -> None:
    client.force_login(admin)
    assert client.post(reverse("teams:list"), {"name": " lund  STORAGE"}).status_code == 422
    assert client.post(reverse("teams:list"), {"name": "  "}).status_code == 422
    assert client.post(reverse("teams:list"), {"name": "Лунд", "is_owner": "on"}).status_code == 302
    team = Team.objects.get(name="Лунд")
    assert team.slug == "team"
    assert [(one.user, one.role) for one in team.memberships.all()] == [(admin, "owner")]
    assert client.post(url("rename", team), {"name": "Perth storage"}).status_code == 422
    assert client.post(url("rename", team), {"name": "Malmö"}).status_code == 302
    team.refresh_from_db()
    assert (team.name, team.slug) == ("Malmö", "team")


def test_owners_run_who_is_on_the_team(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    make_case(folk.team, "Payroll hangs")
    assert client.post(url("member_add", folk.team), {"username": "Charlie", "role": "viewer"}).status_code == 302
    guest = Client()
    guest.force_login(folk.charlie)
    assert "Payroll hangs" in guest.get("/").content.decode()
    client.post(url("member_add", folk.team), {"username": "charlie", "role": "owner"})
    membership = TeamMembership.objects.get(user=folk.charlie, team=folk.team)
    assert membership.role == "owner"
    assert client.post(url("member_remove", folk.team, membership.pk)).status_code == 302
    assert "Payroll hangs" not in guest.get("/").content.decode()
    for values in ({"username": "nobody", "role": "viewer"}, {"username": "charlie", "role": "god"}):
        assert client.post(url("member_add", folk.team), values).status_code == 422
    verbs = set(AuditEvent.objects.filter(user=folk.alice).values_list("verb", flat=True))
    assert verbs == {"team.member_added", "team.role", "team.member_removed"}


def test_a_team_keeps_an_owner(client: Client, folk: People, admin: User) -> None:
    own = TeamMembership.objects.get(user=folk.alice)
    for user in (folk.alice, admin):
        client.force_login(user)
        assert client.post(url("member_add", folk.team), {"username": "alice", "role": "viewer"}).status_code == 422
        assert client.post(url("member_remove", folk.team, own.pk)).status_code == 409
    own.refresh_from_db()
    assert own.role == "owner"


def test_an_administrator_cannot_enter_a_team_with_cases_by_the_back_door(
    client: Client, folk: People, admin: User
) -> None:
    make_case(folk.team)
    client.force_login(admin)
    assert client.post(url("member_add", folk.team), {"username": "root", "role": "viewer"}).status_code == 422
    path = invited(client, folk.team)
    assert client.post(path).status_code == 409
    assert not TeamMembership.objects.filter(user=admin).exists()
    client.force_login(folk.alice)
    assert client.post(url("member_add", folk.team), {"username": "root", "role": "viewer"}).status_code == 302


@pytest.mark.usefixtures("own_hashers")
def test_an_invitation_makes_an_account_on_the_team_once(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    path = invited(client, folk.team, role="editor")
    token = path.rstrip("/").rsplit("/", 1)[1]
    assert len(token) >= 27  # 160 bits
    assert not Invitation.objects.filter(token_hash__contains=token).exists()
    assert token not in client.get(url("team", folk.team)).content.decode()
    guest = Client()
    page = guest.get(path)
    assert (page.status_code, page.headers["Referrer-Policy"]) == (200, "no-referrer")
    assert "no-store" in page.headers["Cache-Control"]
    values = {"username": "dora", "display_name": "Dora", "password1": PASSWORD, "password2": PASSWORD}
    assert guest.post(path, values | {"password2": "other"}).status_code == 422
    assert guest.post(path, values | {"username": "ALICE"}).status_code == 422
    assert guest.post(path, values | {"password1": "dora", "password2": "dora"}).status_code == 422
    assert guest.post(path, values).status_code == 302
    dora = User.objects.get(username="dora")
    assert [(one.team, one.role) for one in dora.team_memberships.all()] == [(folk.team, "editor")]
    assert guest.get("/").status_code == 200
    assert dora.password.startswith("argon2")
    assert Client().get(path).status_code == 410
    assert Client().post(path, values | {"username": "eve"}).status_code == 410
    assert not User.objects.filter(username="eve").exists()


def test_who_has_an_account_joins_with_a_press_and_not_by_looking(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    path = invited(client, folk.team)
    client.force_login(folk.bob)
    assert client.post(path).status_code == 409  # on the team: the link stays for another
    client.force_login(folk.charlie)
    assert client.get(path).status_code == 200
    assert not TeamMembership.objects.filter(team=folk.team, user=folk.charlie).exists()
    assert client.post(path).status_code == 302
    assert TeamMembership.objects.get(team=folk.team, user=folk.charlie).role == "viewer"
    assert client.get(path).status_code == 410


def test_t30_ended_withdrawn_and_guessed_invitations_open_nothing(client: Client, folk: People) -> None:
    client.force_login(folk.alice)
    ended, withdrawn = invited(client, folk.team), invited(client, folk.team)
    first = Invitation.objects.order_by("pk").first()
    assert first is not None
    Invitation.objects.filter(pk=first.pk).update(
        created_at=timezone.now() - timedelta(days=9), ends_at=timezone.now() - timedelta(seconds=1)
    )
    assert client.post(url("withdraw", folk.team, Invitation.objects.latest("pk").pk)).status_code == 302
    guest = Client()
    assert [guest.get(path).status_code for path in (ended, withdrawn)] == [410, 410]
    statuses = [guest.get(reverse("accounts:invitation", args=[f"guess{n}"])).status_code for n in range(20)]
    assert (statuses[18], statuses[19]) == (410, 429)  # the ended one was no guess


@pytest.mark.parametrize("values", [{"days": "0"}, {"days": "31"}, {"role": "god"}, {"days": "x"}])
def test_an_invitation_has_a_role_and_an_end(client: Client, folk: People, values: dict[str, str]) -> None:
    client.force_login(folk.alice)
    assert client.post(url("invite", folk.team), {"role": "viewer", "days": "7"} | values).status_code == 422
    assert not Invitation.objects.exists()


def test_with_a_mail_server_the_invitation_is_sent(client: Client, folk: People, settings: Settings) -> None:
    client.force_login(folk.alice)
    assert "Mail address" not in client.get(url("team", folk.team)).content.decode()
    settings.MAIL_HOST = "mail.example.com"
    Team.objects.filter(pk=folk.team.pk).update(name="Lund <b>& sons</b>")
    path = invited(client, folk.team, email="dora@example.com")
    [sent] = mail.outbox
    assert sent.to == ["dora@example.com"]
    assert f"http://testserver{path}" in sent.body
    assert "Lund <b>& sons</b>" in sent.body  # plain text
    assert sent.content_subtype == "plain"
    assert (
        client.post(url("invite", folk.team), {"role": "viewer", "days": "7", "email": "a@b.c\nBcc: x@y.z"}).status_code
        == 422
    )


def test_a_mail_server_that_is_away_leaves_the_link(client: Client, folk: People, settings: Settings) -> None:
    settings.MAIL_HOST = settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_PORT = 1
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    client.force_login(folk.alice)
    response = client.post(url("invite", folk.team), {"role": "viewer", "days": "7", "email": "dora@example.com"})
    assert response.status_code == 200
    assert "did not take the mail" in response.content.decode()
