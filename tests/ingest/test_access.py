"""Every address of uploading by owner, team-mates, stranger, administrator and nobody; every nested number of another
case.
"""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.cases.models import Artifact, Bundle
from apps.cases.services import trash_case
from apps.ingest import urls
from tests.builders import Built, People, build_case, person

pytestmark = pytest.mark.django_db

# name, what stands behind the key, least role, method, and what is answered to who may
ADDRESSES = [
    ("add", (), Role.EDITOR, "get", 200),
    ("reading", (), Role.VIEWER, "get", 286),
    ("retry", ("artifact",), Role.EDITOR, "post", 302),
    ("unpack_again", ("bundle",), Role.EDITOR, "post", 302),
    ("diagnose_again", (), Role.EDITOR, "post", 302),
    ("reparse_file", ("artifact",), Role.OWNER, "post", 302),
    ("reparse_case", (), Role.OWNER, "post", 302),
]
NAMES = [entry[0] for entry in ADDRESSES]
# Uploads belong to the account that began them: tests/ingest/test_uploads_tus.py
BY_ACCOUNT = ("known", "resumable", "resumable_one", "discard", "sample")


@pytest.fixture
def built(folk: People) -> Built:
    built = build_case(folk.team)
    fail_again(built)
    return built


def fail_again(built: Built) -> None:
    """So that each may be tried again by whoever asks next."""
    Artifact.objects.filter(pk=built.artifact.pk).update(state="failed")
    Bundle.objects.filter(pk=built.bundle.pk).update(state="failed")


def address(name: str, key: str, nested: tuple[str, ...], built: Built) -> str:
    numbers = {"artifact": built.artifact.pk, "bundle": built.bundle.pk}
    return reverse(f"ingest:{name}", args=[key, *(numbers[what] for what in nested)])


def test_no_address_is_missing_above() -> None:
    assert {pattern.name for pattern in urls.urlpatterns} == {"upload", *BY_ACCOUNT, *NAMES}


@pytest.mark.parametrize(("name", "nested", "least", "method", "answer"), ADDRESSES, ids=NAMES)
def test_who_may_call_it(
    client: Client,
    folk: People,
    built: Built,
    name: str,
    nested: tuple[str, ...],
    least: Role,
    method: str,
    answer: int,
) -> None:
    url = address(name, built.case.key, nested, built)
    call = getattr(client, method)
    assert call(url).status_code == 302
    assert call(url)["Location"].startswith("/accounts/sign-in/")
    people = {folk.alice: Role.OWNER, folk.bob: Role.EDITOR, person("vera", folk.team, Role.VIEWER): Role.VIEWER}
    for user, role in people.items():
        fail_again(built)
        client.force_login(user)
        assert call(url).status_code == (answer if role.reaches(least) else 403), user
    root = person("root", is_staff=True, is_superuser=True)
    for user in (folk.charlie, root):
        client.force_login(user)
        # An administrator who opens a page is asked for a reason, which gives no right to change anything.
        assert call(url).status_code == (302 if user == root and method == "get" else 404)
        assert client.post(url).status_code in {404, 405}


@pytest.mark.parametrize("name", ["retry", "unpack_again"])
def test_numbers_of_another_case_lead_nowhere(client: Client, folk: People, built: Built, name: str) -> None:
    other = build_case(folk.team, "another of the same team")
    client.force_login(folk.alice)
    nested = next(entry[1] for entry in ADDRESSES if entry[0] == name)
    assert client.post(address(name, other.case.key, nested, built)).status_code == 404
    built.artifact.refresh_from_db()
    built.bundle.refresh_from_db()
    assert (built.artifact.state, built.bundle.state) == ("failed", "failed")


def test_the_upload_page_is_for_who_is_signed_in(client: Client, folk: People) -> None:
    url = reverse("ingest:upload")
    assert client.get(url).status_code == 302
    client.force_login(folk.charlie)
    assert client.get(url).status_code == 200


def test_what_did_not_fail_is_not_tried_again(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    for name, nested in (("retry", ("artifact",)), ("unpack_again", ("bundle",))):
        answer = client.post(address(name, built.case.key, nested, built))
        assert answer.status_code == 409
        assert "not among those that failed" in answer.content.decode()


def test_nothing_is_tried_again_in_the_trash(client: Client, folk: People, built: Built) -> None:
    trash_case(built.case, by=folk.alice)
    client.force_login(folk.alice)
    for name, nested, _, method, _ in ADDRESSES:
        if method == "post":
            assert client.post(address(name, built.case.key, nested, built)).status_code == 409
    built.artifact.refresh_from_db()
    assert built.artifact.state == "failed"


def test_t29_every_change_needs_the_token_of_its_form(folk: People, built: Built) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(folk.alice)
    urls = [reverse("ingest:upload"), *(address(name, built.case.key, nested, built) for name, nested, *_ in ADDRESSES)]
    for url in urls:
        assert client.post(url).status_code in {403, 405}, url
