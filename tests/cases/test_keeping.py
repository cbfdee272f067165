from __future__ import annotations

from datetime import timedelta

import pytest
from django.conf import settings
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import DjangoCaptureOnCommitCallbacks

from apps.audit.models import AuditEvent
from apps.cases import storage
from apps.cases.lifetime.keeping import hold_case, purge_trash, release_case
from apps.cases.lifetime.removal import remove_bundle
from apps.cases.models import Bundle, Case, Note
from apps.cases.notes.services import delete_note
from apps.cases.tasks import purge
from apps.web.errors import DomainError
from tests.builders import Built, People, build_case, make_case, person

pytestmark = pytest.mark.django_db
DAYS = 30


@pytest.fixture
def built(folk: People) -> Built:
    return build_case(folk.team)


def into_trash(case: Case, days_ago: float) -> None:
    Case.objects.filter(pk=case.pk).update(trashed_at=timezone.now() - timedelta(days=days_ago))


def post(client: Client, name: str, case: Case, **values: str) -> int:
    return client.post(reverse(f"cases:{name}", args=[case.key]), values).status_code


def test_an_archived_case_leaves_the_list_and_is_for_reading(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.alice)
    assert post(client, "archive", built.case) == 302
    client.get("/")  # takes the message of what was done away
    assert built.case.key not in client.get("/").content.decode()
    archive = client.get("/?archive=1").content.decode()
    assert built.case.key in archive
    page = client.get(reverse("cases:files", args=[built.case.key])).content.decode()
    assert "for reading only" in page
    assert post(client, "edit", built.case, title="x", state="new") == 409
    assert post(client, "notes", built.case, text="late") == 409
    assert client.post(reverse("cases:bundle_remove", args=[built.case.key, built.bundle.pk])).status_code == 409
    assert client.post(reverse("ingest:add", args=[built.case.key]), {"transcript": "x"}).status_code == 409
    assert Bundle.objects.count() == 1
    assert post(client, "unarchive", built.case) == 302
    assert built.case.key in client.get("/").content.decode()
    assert post(client, "edit", built.case, title="x", state="new") == 302


def test_facets_and_cursors_of_the_archive_stay_in_the_archive(client: Client, folk: People) -> None:
    for number in range(52):
        make_case(folk.team, f"old {number}", key=f"OLD-{number}")
    Case.objects.update(archived_at=timezone.now())
    fresh = make_case(folk.team, "fresh")
    client.force_login(folk.alice)
    first = client.get("/?archive=1&state=new").content.decode()
    assert "archive=1" in first.split('rel="next" href="')[1].split('"')[0]
    assert fresh.key not in first
    assert "52" in first


def test_after_its_days_in_the_trash_everything_of_a_case_goes(
    folk: People, built: Built, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    stays = build_case(folk.team)
    into_trash(built.case, DAYS + 0.1)
    into_trash(stays.case, DAYS - 0.1)
    with django_capture_on_commit_callbacks(execute=True):
        purge()
    assert list(Case.objects.all()) == [stays.case]
    assert not storage.exists(built.bundle.stored)
    assert not storage.exists(built.artifact.blob)
    assert storage.exists(stays.artifact.blob)
    event = AuditEvent.objects.get(verb="case.removed")
    assert (event.detail["case_key"], event.detail["why"], event.detail["files"]) == (built.case.key, "trash", 1)
    assert purge_trash() == []


def test_a_hold_wins_over_the_trash_and_over_people(client: Client, folk: People, built: Built) -> None:
    note = Note.objects.create(case=built.case, author=folk.alice, text="proof")
    hold_case(built.case, by=folk.alice, reason="court order 12/27")
    into_trash(built.case, 1000)
    assert purge_trash() == []
    with pytest.raises(DomainError):
        remove_bundle(built.bundle, by=folk.alice)
    with pytest.raises(DomainError):
        delete_note(note, by=folk.alice)
    client.force_login(folk.alice)
    assert post(client, "remove", built.case) == 409
    assert "Kept by its legal hold" in client.get(reverse("cases:trash_list")).content.decode()
    assert Case.objects.filter(pk=built.case.pk, artifacts=built.artifact, notes=note).exists()
    release_case(built.case, by=folk.alice)
    assert len(purge_trash()) == 1


def test_the_trash_tells_the_days_left_and_removes_at_once_on_request(
    client: Client, folk: People, built: Built, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    client.force_login(folk.alice)
    assert client.get(reverse("cases:remove", args=[built.case.key])).status_code == 409
    into_trash(built.case, settings.LIMITS.trash_days - 3.5)
    assert "removed for good in 3 days" in client.get(reverse("cases:trash_list")).content.decode()
    assert "3 days left" in client.get(reverse("cases:keeping", args=[built.case.key])).content.decode()
    assert "cannot" not in client.get(reverse("cases:remove", args=[built.case.key])).content.decode()
    client.force_login(folk.bob)
    assert post(client, "remove", built.case) == 404
    client.force_login(folk.alice)
    with django_capture_on_commit_callbacks(execute=True):
        assert post(client, "remove", built.case) == 302
    assert not Case.objects.exists()
    assert not storage.exists(built.artifact.blob)


def test_owners_set_and_end_a_hold_with_a_reason(client: Client, folk: People, built: Built) -> None:
    client.force_login(folk.bob)
    assert post(client, "hold", built.case, reason="mine") == 403
    client.force_login(folk.alice)
    assert post(client, "hold", built.case, reason=" ") == 422
    assert post(client, "hold", built.case, reason="court order") == 302
    assert post(client, "hold", built.case, reason="again") == 409
    assert "court order" in client.get(reverse("cases:history", args=[built.case.key])).content.decode()
    assert post(client, "release", built.case) == 302
    built.case.refresh_from_db()
    assert (built.case.held_at, built.case.held_by, built.case.hold_reason) == (None, None, "")


def test_administrators_hold_any_case_by_its_key_and_see_nothing_of_it(
    client: Client, folk: People, built: Built
) -> None:
    url, end = reverse("cases:holds"), reverse("cases:hold_end", args=[built.case.key])
    for user in (folk.alice, folk.charlie):
        client.force_login(user)
        assert (client.get(url).status_code, client.post(end).status_code) == (403, 404)
    client.force_login(person("root", is_staff=True))
    assert client.post(url, {"case": "CS-99", "reason": "x"}).status_code == 422
    assert client.post(url, {"case": built.case.key, "reason": "seized"}).status_code == 302
    text = client.get(url).content.decode()
    assert built.case.key in text
    assert built.case.title not in text
    assert client.post(end).status_code == 302
    assert not Case.objects.filter(held_at__isnull=False).exists()
    assert set(AuditEvent.objects.filter(case=built.case, user__username="root").values_list("verb", flat=True)) == {
        "case.held",
        "case.released",
    }
