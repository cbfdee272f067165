"""What people say to findings and kinds: kept over new diagnoses, told in exports and history, hidden from links."""

from __future__ import annotations

import csv
import io
import json
import re

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases.models import Case
from apps.diagnosis.models import Finding, Judgement
from apps.diagnosis.pages.judging.judgements import Judgements, finding_subjects, subject_text
from apps.diagnosis.services import diagnose_case
from apps.ingest.reading.artifacts import read_artifact
from apps.sharing.levels import LEVELS, Level
from apps.sharing.masking import Shown, at_level, masked
from tests.builders import Built, People, build_case, make_case, make_diagnosis, person
from tests.diagnosis.cases import read_into
from tests.ingest.material import bundle
from tests.shown import shown

pytestmark = pytest.mark.django_db
WHY = "The array <b>vendor</b> saw no fault"


@pytest.fixture
def built(folk: People, client: Client) -> Built:
    client.force_login(folk.bob)
    return build_case(folk.team)


def tokens(case: Case) -> list[str]:
    case.refresh_from_db()
    assert case.current_diagnosis is not None
    findings = list(case.current_diagnosis.findings.all())
    subjects = finding_subjects(findings)
    return [subjects[finding.pk].token for finding in findings]


def say(client: Client, case: Case, word: str, why: str = "", *, token: str = "", about: str = "finding") -> int:
    data = {"about": about, "token": token or tokens(case)[0], "word": word, "why": why}
    return client.post(reverse("diagnosis:judge", args=[case.key]), data).status_code


def timeline(client: Client, case: Case) -> str:
    return shown(client.get(reverse("diagnosis:timeline", args=[case.key])))


def test_who_may_judge(client: Client, folk: People) -> None:
    case = build_case(folk.team).case
    client.logout()
    assert say(client, case, "agreed") == 302
    assert not Judgement.objects.exists()
    for user, status in (
        (folk.charlie, 404),
        (person("vera", folk.team, Role.VIEWER), 403),
        (folk.bob, 302),
        (folk.alice, 302),
    ):
        client.force_login(user)
        assert say(client, case, "agreed") == status
    assert Judgement.objects.count() == 2


def test_a_viewer_sees_what_was_judged_and_no_form(client: Client, folk: People, built: Built) -> None:
    say(client, built.case, "disputed", WHY)
    assert "Agree, dispute or set aside" in timeline(client, built.case)  # of the other finding
    client.force_login(person("vera", folk.team, Role.VIEWER))
    page = timeline(client, built.case)
    assert "The array &lt;b&gt;vendor&lt;/b&gt; saw no fault" in page
    assert "diagnosis:judge" not in page
    assert "/judge/" not in page


@pytest.mark.parametrize("word", ["disputed", "set_aside"])
def test_to_dispute_and_to_set_aside_need_a_reason(client: Client, built: Built, word: str) -> None:
    assert say(client, built.case, word, "  ") == 422
    assert not Judgement.objects.exists()
    assert say(client, built.case, word, "because") == 302


@pytest.mark.parametrize(
    "data", [{"word": "loved"}, {"token": "x"}, {"token": "0" * 24}, {"about": "case"}, {"why": "w" * 2001}]
)
def test_what_the_form_would_not_send_is_refused(client: Client, built: Built, data: dict[str, str]) -> None:
    sent = {"about": "finding", "token": tokens(built.case)[0], "word": "agreed", "why": ""} | data
    assert client.post(reverse("diagnosis:judge", args=[built.case.key]), sent).status_code in (409, 422)
    assert not Judgement.objects.exists()


def test_the_latest_counts_and_earlier_ones_are_kept(client: Client, built: Built) -> None:
    for word, why in (("agreed", ""), ("disputed", "first doubt"), ("set_aside", "known fault")):
        say(client, built.case, word, why)
    page = timeline(client, built.case)
    assert "<b>Set aside</b> by Bob" in page
    assert "2 earlier" in page
    assert "first doubt" in page
    assert 'class="finding is-aside"' in page
    say(client, built.case, "withdrawn")
    page = timeline(client, built.case)
    assert "<b>Set aside</b>" not in page
    assert "3 earlier" in page or "4 earlier" in page


def test_it_stands_again_beside_the_same_finding_of_a_new_diagnosis(client: Client, built: Built) -> None:
    say(client, built.case, "disputed", WHY)
    make_diagnosis(built.case, built.artifact)
    assert "saw no fault" in timeline(client, built.case)
    assert "judgement of findings" not in timeline(client, built.case)


def test_it_survives_reading_anew_for_real(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    title = Finding.objects.filter(diagnosis=case.current_diagnosis).order_by("order")[0].title
    say(client, case, "disputed", WHY)
    for artifact in case.artifacts.all():
        artifact.state, artifact.facts = "queued", ""
        artifact.save()
        read_artifact(artifact.pk)
    old = case.current_diagnosis_id
    row = diagnose_case(case.pk)
    assert row is not None
    assert row.pk != old
    finding = next(one for one in row.findings.all() if one.title == title)
    subjects = finding_subjects(list(row.findings.all()))
    assert Judgements(case).context(subjects[finding.pk])["why"] == WHY


def test_a_judgement_of_what_is_gone_stays_in_sight(client: Client, built: Built) -> None:
    say(client, built.case, "disputed", WHY)
    Finding.objects.filter(diagnosis=built.diagnosis).order_by("order")[0].delete()
    page = timeline(client, built.case)
    assert "1 judgement of findings that this diagnosis does not hold" in page
    assert "One disk is slow" in page


def test_findings_alike_are_distinguished_by_their_nodes(client: Client, built: Built) -> None:
    for order, nodes in ((7, ["a"]), (8, ["b"])):
        Finding.objects.create(
            diagnosis=built.diagnosis,
            order=order,
            rule="twin",
            severity="low",
            confidence=0.5,
            basis="stated",
            nodes=nodes,
            title=f"{order} waits",
        )
    say(client, built.case, "disputed", "only here", token=tokens(built.case)[2])
    findings = list(built.diagnosis.findings.all())
    subjects = finding_subjects(findings)
    reasons = [Judgements(built.case).context(subjects[finding.pk])["why"] for finding in findings]
    assert reasons == ["", "", "only here", ""]


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("12 waits of 3.4 s on disk D1", "1 wait of 120 s on disk D1", True),
        ("12 waits on disk D1", "12 waits on disk D2", False),
        ("Glock 2/609b4 is held by 17509", "Glock 2/609b5 is held by 17509", False),
        ("Threads of lund-n3 wait", "Threads of lund-n4 wait", False),
        ("10.0.12.13 lost 3 packets", "10.0.12.14 lost 3 packets", False),
        ("Reads take 1\u2009200 ms", "Reads take 90 ms", True),
    ],
)
def test_what_is_figure_and_what_is_name(one: str, other: str, same: bool) -> None:
    assert (subject_text(one) == subject_text(other)) is same


def test_a_kind_is_judged_too(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    url = reverse("diagnosis:waiters", args=[case.key])
    found = re.search(
        r'name="about" value="kind"><input type="hidden" name="token" value="([0-9a-f]{24})"',
        shown(client.get(url)),
    )
    assert found is not None
    assert say(client, case, "disputed", "normal during a restripe", token=found[1], about="kind") == 302
    assert "normal during a restripe" in shown(client.get(url))
    assert AuditEvent.objects.filter(case=case, verb="kind.judged").exists()
    exported = json.loads(client.get(reverse("diagnosis:export_json", args=[case.key])).content)
    assert any(
        kind["judgement"] and kind["judgement"]["why"] == "normal during a restripe"
        for kind in exported["waiter_kinds"]
    )


def test_exports_and_history_tell_it(client: Client, folk: People, built: Built) -> None:
    say(client, built.case, "disputed", "no *fault* there")
    text = shown(client.get(reverse("diagnosis:export_markdown", args=[built.case.key])))
    assert "**Disputed** by Bob" in text
    assert r"no \*fault\* there" in text
    exported = json.loads(client.get(reverse("diagnosis:export_json", args=[built.case.key])).content)
    assert exported["findings"][0]["judgement"]["word"] == "disputed"
    assert exported["findings"][1]["judgement"] is None
    assert "no *fault* there" in shown(client.get(reverse("diagnosis:export_html", args=[built.case.key])))
    table = client.get(reverse("diagnosis:table_csv", args=[built.case.key, "findings"]))
    rows = list(csv.DictReader(io.StringIO(table.getvalue().decode())))
    assert (rows[0]["judgement"], rows[0]["judged_by"], rows[0]["judged_why"]) == (
        "disputed",
        "Bob",
        "no *fault* there",
    )
    history = shown(client.get(reverse("cases:history", args=[built.case.key])))
    assert "judged a finding" in history
    assert AuditEvent.objects.get(case=built.case, verb="finding.judged").user == folk.bob


@pytest.mark.parametrize("level", LEVELS.values(), ids=lambda level: str(level.name))
def test_only_a_link_for_colleagues_tells_it(client: Client, built: Built, level: Level) -> None:
    say(client, built.case, "disputed", WHY)
    built.case.refresh_from_db()
    seen = Shown(built.case, level, built.case.current_diagnosis) if level.shows_raw else at_level(built.case, level)
    assert (WHY in str(masked(seen))) is level.shows_raw
