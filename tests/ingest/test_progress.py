"""The live state of a reading: what the page says while files come in, and when it stops asking."""

from __future__ import annotations

from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from apps.cases.models import Artifact, Bundle, Case
from apps.ingest.models import CaseReading
from apps.ingest.scheduling import diagnoses
from apps.ingest.views import progress
from tests.builders import People, build_case, make_artifact, make_bundle, make_case
from tests.shown import shown

pytestmark = pytest.mark.django_db


def poll(client: Client, case: Case, **query: str) -> tuple[int, str]:
    answer = client.get(reverse("ingest:reading", args=[case.key]), query, headers={"HX-Request": "true"})
    return answer.status_code, shown(answer)


@pytest.fixture
def case(folk: People, client: Client) -> Case:
    client.force_login(folk.bob)
    return make_case(folk.team)


def test_polling_goes_on_until_files_and_diagnosis_are_there(client: Client, case: Case) -> None:
    bundle = make_bundle(case, state=Bundle.State.RECEIVED)
    diagnoses.note_change(case.pk)
    status, page = poll(client, case)
    assert status == 200
    assert 'hx-trigger="every 1s"' in page
    artifact = make_artifact(
        bundle, state=Artifact.State.READING, read_bytes=1000, started_at=timezone.now(), lines_total=None
    )
    Bundle.objects.filter(pk=bundle.pk).update(state=Bundle.State.EXPANDED)
    status, page = poll(client, case)
    assert status == 200
    assert f'max="{artifact.size}"' in page.replace("\u202f", "")
    Artifact.objects.filter(pk=artifact.pk).update(state=Artifact.State.PARSED)
    status, page = poll(client, case)
    assert status == 200  # read, and not diagnosed yet
    assert "Diagnosing" in page
    begun = diagnoses.begin(case.pk)
    assert begun is not None
    diagnoses.note_end(case.pk, *begun)
    status, page = poll(client, case)
    assert status == 286
    assert "hx-trigger" not in page
    assert "All files are read" in page


def test_a_case_from_before_the_reading_was_kept_is_settled(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    assert not CaseReading.objects.exists()
    assert poll(client, built.case)[0] == 286


def test_each_state_says_what_became_of_the_file(client: Client, case: Case) -> None:
    bundle = make_bundle(case)
    make_artifact(bundle, "a/parsed.txt")
    make_artifact(bundle, "b/partly.txt", b"x\n", state="partly", message="3 of 40 lines are not understood.")
    failed = make_artifact(bundle, "c/failed.txt", b"y\n", state="failed", message="A parser failed (KeyError).")
    make_artifact(bundle, "d/skipped.txt", b"z\n", state="skipped", message="The file is empty.")
    make_artifact(bundle, "e/queued.txt", b"q\n", state="queued")
    _, page = poll(client, case)
    for words in (
        "40 of 40 lines",
        "3 of 40 lines are not understood.",
        "A parser failed (KeyError).",
        "The file is empty.",
        "in line",
    ):
        assert words in page
    assert reverse("ingest:retry", args=[case.key, failed.pk]) in page
    assert page.index("c/failed.txt") < page.index("b/partly.txt") < page.index("a/parsed.txt")
    _, page = poll(client, case, state="failed")
    assert "c/failed.txt" in page
    assert "a/parsed.txt" not in page
    assert "?state=failed" in page


def test_a_viewer_is_offered_no_retry(client: Client, folk: People, case: Case) -> None:
    from apps.accounts.models import Role
    from tests.builders import person

    make_artifact(make_bundle(case), "c/failed.txt", state="failed", message="It failed.")
    client.force_login(person("vera", folk.team, Role.VIEWER))
    _, page = poll(client, case)
    assert "It failed." in page
    assert "Retry" not in page


def test_rate_and_time_left_are_those_of_the_bundles_in_work(case: Case) -> None:
    at = timezone.now()
    long_ago, now = at - timedelta(days=3), at - timedelta(seconds=10)
    old = make_bundle(case, "old.tgz")
    make_artifact(old, "old.txt", size=10**9, read_bytes=10**9, started_at=long_ago)
    new = make_bundle(case, "new.tgz")
    make_artifact(new, "a.txt", size=60_000_000, read_bytes=60_000_000, started_at=now)
    make_artifact(new, "b.txt", size=100_000_000, read_bytes=40_000_000, started_at=now, state="reading")
    with time_machine.travel(at, tick=False):
        reading = progress.of_case(case)
    assert reading.rate == pytest.approx(10_000_000, rel=0.05)
    assert reading.left_s == pytest.approx(6.0, rel=0.05)
    assert (reading.read_bytes, reading.total_bytes) == (1_100_000_000, 1_160_000_000)
    make_bundle(case, "newer.tgz", state=Bundle.State.EXPANDING)
    assert progress.of_case(case).left_s is None  # nobody knows how much is in it


def test_many_uploads_and_files_cost_a_fixed_number_of_queries(case: Case) -> None:
    def count() -> int:
        with CaptureQueriesContext(
            connection,
        ) as queries:
            progress.of_case(case)
        return len(queries)

    for number in range(3):
        make_artifact(make_bundle(case, f"{number}.tgz"), f"{number}.txt", str(number).encode())
    few = count()
    for number in range(3, 60):
        make_artifact(make_bundle(case, f"{number}.tgz"), f"{number}.txt", str(number).encode())
    assert count() == few
    reading = progress.of_case(case)
    assert (len(reading.bundles), reading.bundles_left_out, reading.total) == (50, 10, 60)


def test_the_strip_above_the_timeline_follows_the_reading(client: Client, case: Case) -> None:
    url = reverse("diagnosis:state", args=[case.key])
    assert client.get(url).status_code == 286
    bundle = make_bundle(case, state=Bundle.State.EXPANDING)
    answer = client.get(url)
    assert answer.status_code == 200
    assert "being unpacked" in shown(answer)
    page = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "first files are being read" in page
    assert "hx-trigger" in page
    make_artifact(bundle, state="queued")
    assert "Reading 1 file." in shown(client.get(url))


def test_a_case_of_which_nothing_could_be_read_says_so(client: Client, case: Case) -> None:
    make_bundle(case, "locked.zip")
    page = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "Nothing in what was sent could be read" in page
    empty = make_case(case.team)
    assert "No files yet" in shown(client.get(reverse("diagnosis:timeline", args=[empty.key])))


def test_a_new_result_is_offered_to_who_looks_at_the_old_one(client: Client, folk: People) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    url = reverse("diagnosis:state", args=[built.case.key])
    answer = client.get(url, {"known": str(built.diagnosis.pk)})
    assert answer.status_code == 286
    assert "Show the result" not in shown(answer)
    answer = client.get(url, {"known": "0"})
    assert "All files are read." in shown(answer)
    make_artifact(built.bundle, "late.txt", b"late", state="queued")
    answer = client.get(url, {"known": str(built.diagnosis.pk)})
    assert answer.status_code == 200
    assert "More files are being read." in shown(answer)
