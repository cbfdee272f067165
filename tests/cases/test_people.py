from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.accounts.models import Role, User
from apps.cases.models import Case, CaseMembership
from apps.cases.people.members import assign_case
from apps.cases.services import create_case
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case, make_case, person

pytestmark = pytest.mark.django_db


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


def url(name: str, case: Case, *more: Any) -> str:
    return reverse(f"cases:{name}", args=[case.key, *more])


def test_an_owner_names_people_gives_other_roles_and_takes_them_out(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.alice)
    assert client.post(url("person_add", built.case), {"username": "CHARLIE", "role": "viewer"}).status_code == 302
    guest = Client()
    guest.force_login(folk.charlie)
    assert guest.get(url("files", built.case)).status_code == 200
    assert guest.get(url("edit", built.case)).status_code == 403
    client.post(url("person_add", built.case), {"username": "charlie", "role": "editor"})
    assert guest.get(url("edit", built.case)).status_code == 200
    named = CaseMembership.objects.get()
    assert "Charlie" in client.get(url("people", built.case)).content.decode()
    assert guest.post(url("person_remove", built.case, named.pk)).status_code == 403
    assert client.post(url("person_remove", built.case, named.pk)).status_code == 302
    assert guest.get(url("files", built.case)).status_code == 404
    words = client.get(url("history", built.case) + "?what=people").content.decode()
    assert "added a person" in words
    assert "removed a person" in words


@pytest.mark.parametrize(
    "values", [{"username": "nobody", "role": "viewer"}, {"username": "charlie", "role": "god"}, {"username": ""}]
)
def test_only_open_accounts_and_known_roles_are_taken(
    client: Client, folk: People, built: Built, values: dict[str, str]
) -> None:
    client.force_login(folk.alice)
    assert client.post(url("person_add", built.case), values).status_code == 422
    assert not CaseMembership.objects.exists()


def test_closed_accounts_are_not_named(client: Client, folk: People, built: Built) -> None:
    User.objects.filter(pk=folk.charlie.pk).update(is_active=False)
    client.force_login(folk.alice)
    assert client.post(url("person_add", built.case), {"username": "charlie", "role": "viewer"}).status_code == 422


def test_a_membership_of_another_case_is_not_there(client: Client, folk: People, built: Built) -> None:
    other = make_case(folk.other_team)
    named = CaseMembership.objects.create(case=other, user=folk.bob, role="viewer")
    client.force_login(folk.alice)
    assert client.post(url("person_remove", built.case, named.pk)).status_code == 404
    assert CaseMembership.objects.exists()


def test_a_transfer_moves_the_case_at_once_and_keeps_the_named(client: Client, folk: People, built: Built) -> None:
    Case.objects.filter(pk=built.case.pk).update(assignee=folk.bob)
    CaseMembership.objects.create(case=built.case, user=person("nora"), role="viewer")
    client.force_login(folk.alice)
    assert client.post(url("transfer", built.case), {"team": "no such team"}).status_code == 422
    assert client.post(url("transfer", built.case), {"team": folk.team.name}).status_code == 422
    assert "Perth" not in client.get(url("transfer", built.case)).content.decode()  # teams of others are not listed
    assert client.post(url("transfer", built.case), {"team": " PERTH storage "}).status_code == 302
    assert client.get(url("files", built.case)).status_code == 404
    built.case.refresh_from_db()
    assert (built.case.team, built.case.assignee) == (folk.other_team, None)
    assert built.case.memberships.count() == 1
    client.force_login(folk.charlie)
    text = client.get(url("history", built.case)).content.decode()
    assert "moved the case to another team" in text


def test_who_opens_a_case_owns_it(client: Client, folk: People) -> None:
    case = create_case(team=folk.team, title="mine", created_by=folk.bob)
    client.force_login(folk.bob)
    assert client.get(url("trash", case)).status_code == 200
    assert not create_case(
        team=folk.team, title="hers", created_by=folk.alice
    ).memberships.exists()  # she owns by her team


def test_a_case_is_assigned_to_who_may_change_it(client: Client, folk: People, built: Built) -> None:
    viewer = person("vera", folk.team, Role.VIEWER)
    for nobody in (viewer, folk.charlie):
        with pytest.raises(DomainError):
            assign_case(built.case, nobody, by=folk.alice)
    client.force_login(folk.alice)
    form = client.get(url("edit", built.case)).content.decode()
    assert "Bob" in form
    assert "Vera" not in form
    assert "Charlie" not in form
    values = {"title": "x", "state": "in_work", "assignee": str(folk.bob.pk)}
    assert client.post(url("edit", built.case), values | {"assignee": str(folk.charlie.pk)}).status_code == 422
    assert client.post(url("edit", built.case), values).status_code == 302
    assert "Bob" in client.get(url("files", built.case)).content.decode()
    assert "Bob" in client.get(url("history", built.case) + "?what=people").content.decode()


def test_the_list_is_filtered_by_whom_a_case_is_assigned_to(
    client: Client, folk: People, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    mine, hers, free = (make_case(folk.team, title) for title in ("mine", "hers", "free"))
    Case.objects.filter(pk=mine.pk).update(assignee=folk.bob)
    Case.objects.filter(pk=hers.pk).update(assignee=folk.alice)
    client.force_login(folk.bob)
    for value, case in (("me", mine), ("others", hers), ("nobody", free)):
        text = client.get(f"/?assigned={value}").content.decode()
        assert [one.key for one in (mine, hers, free) if one.key in text] == [case.key]
    for number in range(10):
        Case.objects.filter(pk=make_case(folk.team).pk).update(assignee=person(f"p{number}", folk.team))
    with django_assert_max_num_queries(12):
        client.get("/")


def test_solved_asks_by_what_and_tells_it(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    values = {"title": "x", "state": "solved"}
    assert client.post(url("edit", built.case), values).status_code == 422
    assert client.post(url("edit", built.case), values | {"solution": "lazy_isize_enable=1"}).status_code == 302
    built.case.refresh_from_db()
    assert (built.case.state, built.case.solution) == ("solved", "lazy_isize_enable=1")
    assert "lazy_isize_enable=1" in client.get(url("history", built.case)).content.decode()
