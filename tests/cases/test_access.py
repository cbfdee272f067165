"""Every address of a case by owner, team-mate, viewer, stranger and nobody; and every nested number of another case."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role, TeamMembership
from apps.cases import urls
from apps.cases.models import CaseMembership, Note
from apps.cases.services import trash_case
from tests.builders import Built, People, build_case, person

pytestmark = pytest.mark.django_db

# name, what stands behind the key in the address, least role, and what an allowed GET answers
ADDRESSES = [
    ("files", (), Role.VIEWER, 200),
    ("lines", (), Role.VIEWER, 200),
    ("file", ("artifact",), Role.VIEWER, 200),
    ("file_lines", ("artifact",), Role.VIEWER, 200),
    ("file_raw", ("artifact",), Role.VIEWER, 200),
    ("bundle_download", ("bundle",), Role.VIEWER, 200),
    ("notes", (), Role.VIEWER, 200),
    ("history", (), Role.VIEWER, 200),
    ("note_form", (), Role.EDITOR, 200),
    ("note_edit", ("note",), Role.EDITOR, 200),
    ("note_delete", ("note",), Role.EDITOR, 405),
    ("edit", (), Role.EDITOR, 200),
    ("bundle_remove", ("bundle",), Role.EDITOR, 200),
    ("people", (), Role.VIEWER, 200),
    ("keeping", (), Role.VIEWER, 200),
    ("visit_end", (), Role.VIEWER, 405),
    ("person_add", (), Role.OWNER, 405),
    ("person_remove", ("membership",), Role.OWNER, 405),
    ("transfer", (), Role.OWNER, 200),
    ("archive", (), Role.OWNER, 405),
    ("unarchive", (), Role.OWNER, 405),
    ("hold", (), Role.OWNER, 405),
    ("release", (), Role.OWNER, 405),
    ("remove", (), Role.OWNER, 409),  # it is not in the trash
    ("trash", (), Role.OWNER, 200),
    ("restore", (), Role.OWNER, 200),
]
# Not for the people of the case; tests/cases/test_visits.py and test_keeping.py meet them.
FOR_ADMINISTRATORS = {"visit", "hold_end"}
# By its format and by a line, not by numbers alone: tests/audit/test_trail.py, tests/test_access_matrix.py.
MET_ELSEWHERE = {"audit_export", "file_words"}
NESTED = [address for address in ADDRESSES if address[1]]


def address(name: str, key: str, nested: tuple[str, ...], built: Built) -> str:
    note = Note.objects.filter(case=built.case).first()
    membership = CaseMembership.objects.filter(case=built.case).first()
    numbers = {
        "membership": membership.pk if membership else 0,
        "artifact": built.artifact.pk,
        "bundle": built.bundle.pk,
        "note": note.pk if note else 0,
    }
    return reverse(f"cases:{name}", args=[key, *(numbers[what] for what in nested)])


@pytest.fixture
def built(folk: People) -> Built:
    built = build_case(folk.team)
    # Alice and Bob both write one, so that editing "their own" is possible for whoever asks.
    Note.objects.create(case=built.case, author=folk.alice, text="seen")
    CaseMembership.objects.create(case=built.case, user=person("nora"), role=Role.VIEWER)
    return built


@pytest.mark.parametrize(("name", "nested", "least", "answer"), ADDRESSES, ids=[entry[0] for entry in ADDRESSES])
def test_who_may_open_it(
    client: Client, folk: People, built: Built, name: str, nested: tuple[str, ...], least: Role, answer: int
) -> None:
    url = address(name, built.case.key, nested, built)
    viewer = person("vera", folk.team, Role.VIEWER)
    by = {folk.alice: Role.OWNER, folk.bob: Role.EDITOR, viewer: Role.VIEWER}
    if answer != 405:
        response = client.get(url)
        assert response.status_code == 302
        assert response.headers["Location"].startswith("/accounts/sign-in/?next=/cases/")
    for user, role in by.items():
        client.force_login(user)
        expected = answer if role.reaches(least) or answer == 405 else 403
        if name == "note_edit" and user == folk.bob:
            expected = 403  # somebody else's note
        assert client.get(url).status_code == expected, user
    client.force_login(folk.charlie)
    assert client.get(url).status_code == (405 if answer == 405 else 404)
    assert client.post(url).status_code in {404, 405}


@pytest.mark.parametrize(("name", "nested", "least", "answer"), NESTED, ids=[entry[0] for entry in NESTED])
def test_numbers_of_another_case_lead_nowhere(
    client: Client, folk: People, built: Built, name: str, nested: tuple[str, ...], least: Role, answer: int
) -> None:
    other = build_case(folk.team, "another of the same team")
    client.force_login(folk.alice)
    url = address(name, other.case.key, nested, built)
    response = client.post(url) if answer == 405 else client.get(url)
    assert response.status_code == 404
    assert client.post(url).status_code in {404, 405}
    assert Note.objects.filter(case=built.case).exists()


def test_no_address_of_a_case_is_missing_above() -> None:
    with_key = {pattern.name for pattern in urls.urlpatterns if "key" in pattern.pattern.converters}
    assert {name for name, *_ in ADDRESSES} == with_key - FOR_ADMINISTRATORS - MET_ELSEWHERE


def test_a_number_beyond_every_integer_is_not_found(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.alice)
    assert client.get(f"/cases/{built.case.key}/files/{10**30}/").status_code == 404


def test_a_fragment_for_the_anonymous_sends_the_whole_page_to_sign_in(client: Client, built: Built) -> None:
    headers = {"HX-Request": "true", "HX-Current-URL": f"http://testserver/cases/{built.case.key}/files/?state=failed"}
    response = client.get(reverse("cases:files", args=[built.case.key]), headers=headers)
    assert response.headers["HX-Redirect"] == f"/accounts/sign-in/?next=/cases/{built.case.key}/files/%3Fstate%3Dfailed"
    assert built.bundle.filename not in response.content.decode()


def test_in_the_trash_only_owners_see_a_case(client: Client, folk: People, built: Built) -> None:
    trash_case(built.case, by=folk.alice)
    url = reverse("cases:files", args=[built.case.key])
    for user, status in ((folk.alice, 200), (folk.bob, 404), (folk.charlie, 404)):
        client.force_login(user)
        assert client.get(url).status_code == status


def test_one_case_can_be_opened_to_somebody_from_outside(client: Client, folk: People, built: Built) -> None:
    CaseMembership.objects.create(case=built.case, user=folk.charlie, role=Role.VIEWER)
    other = build_case(folk.team)
    client.force_login(folk.charlie)
    assert client.get(reverse("cases:files", args=[built.case.key])).status_code == 200
    assert client.get(reverse("cases:edit", args=[built.case.key])).status_code == 403
    assert client.get(reverse("cases:files", args=[other.case.key])).status_code == 404


def test_an_administrator_sees_no_case_of_other_teams_without_a_reason(client: Client, built: Built) -> None:
    client.force_login(person("root", is_staff=True, is_superuser=True))
    url = reverse("cases:files", args=[built.case.key])
    response = client.get(url)
    assert (response.status_code, response.headers["Location"]) == (
        302,
        f"/cases/{built.case.key}/reason/?next=%2Fcases%2F{built.case.key}%2Ffiles%2F",
    )
    assert client.get(url, headers={"HX-Request": "true"}).status_code == 404
    assert client.post(url).status_code in {404, 405}
    assert client.get(reverse("cases:files", args=["CS-99"])).status_code == 404


def test_who_leaves_the_team_or_is_closed_out_sees_nothing(client: Client, folk: People, built: Built) -> None:
    url = reverse("cases:files", args=[built.case.key])
    client.force_login(folk.bob)
    assert client.get(url).status_code == 200
    TeamMembership.objects.filter(user=folk.bob).delete()
    assert client.get(url).status_code == 404
    client.force_login(folk.alice)
    folk.alice.is_active = False
    folk.alice.save()
    assert client.get(url).status_code == 302


def test_t29_every_change_needs_the_token_of_its_form(folk: People, built: Built) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(folk.alice)
    for name, nested, _, _ in ADDRESSES:
        status = client.post(address(name, built.case.key, nested, built)).status_code
        assert status in {403, 405}, name
