"""Findings fold under the incident that they belong to, and its story is in the order of time."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest
from django.db.models import QuerySet
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.engine.core.model import Finding, Ref
from apps.diagnosis.engine.core.verdicts.incidents import incidents
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import page_context
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from tests.builders import People, build_case, make_case
from tests.diagnosis.cases import read_into, summarise
from tests.ingest.material import bundle
from tests.shown import shown

MINUTE = 60_000_000
NOON = 1_740_000_000_000_000


def finding(
    title: str, line: int, *, severity: str = "high", node: str = "", at: int | None = None, **more: Any
) -> Finding:
    made: dict[str, Any] = {
        "rule": "", "ref": more.pop("ref", f"X-{line}"), "severity": severity, "basis": "derived", "title": title,
        "explanation": "", "evidence": (Ref(more.pop("file", 1), line),), "nodes": (node,) if node else (),
        "start": None if at is None else NOON + at * MINUTE, **more,
    }  # fmt: skip
    return Finding(**made)


def members(*findings: Finding) -> list[tuple[int, ...]]:
    return [one.members for one in incidents(findings)]


def test_a_named_symptom_and_its_own_symptoms_are_effects() -> None:
    found = incidents(
        [
            finding("Disk dm-4 does not answer", 1, ref="D", causes=("L",)),
            finding("The log waits", 20, ref="L", causes=("W",), file=2),
            finding("Threads wait", 30, ref="W", file=3),
            finding("A link is down", 40, ref="N", file=4),
        ]
    )
    assert [(one.head, one.effects, one.seen_with) for one in found] == [(0, (1, 2), ()), (3, (), ())]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (finding("A", 7, node="ash1"), finding("B", 7, node="ash2")),
        (finding("Glock 2/71a9 is wanted", 1, node="ash1"), finding("ash2 holds 2/71a9", 9, node="ash2", file=2)),
        (finding("Disk keel07 failed", 1, node="ash1"), finding("keel07 is slow", 9, node="ash2", file=2)),
        (finding("Paths of mpathb failed", 1, node="ash1"), finding("mpathb is slow", 9, node="ash1", file=2)),
        (finding("Plex went", 1, node="ash1", at=0), finding("The volume is off", 9, node="ash1", at=4, file=2)),
    ],
    ids=["same line", "same glock", "same disk", "same path of a node", "same node and time"],
)
def test_what_speaks_of_one_thing_is_one_incident(one: Finding, other: Finding) -> None:
    assert members(one, other) == [(0, 1)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (finding("Disk is slow", 1, node="ash1", at=0), finding("Expel", 9, node="ash1", at=25)),
        (finding("Disk is slow", 1, node="ash1", at=0), finding("Expel", 9, node="ash2", at=1, file=2)),
        (finding("dm-4 is slow", 1, node="ash1"), finding("dm-4 is slow", 9, node="ash2", file=2)),
        (finding("ash1 waits 4.18 s", 1, node="ash1"), finding("ash1 lost 4.18 s", 9, node="ash2", file=2)),
        (finding("gfs2 withdrew", 1, node="ash1"), finding("gfs2 is full", 9, node="ash2", file=2)),
    ],
    ids=["long after", "another node", "a name that each node gives", "a node and an amount", "a kind of file system"],
)
def test_two_things_are_two_incidents(one: Finding, other: Finding) -> None:
    assert members(one, other) == [(0,), (1,)]


def test_a_remark_heads_no_incident_but_may_belong_to_one() -> None:
    found = members(
        finding("Map keel07 lost its paths", 1, severity="critical"),
        finding("keel07 is old", 2, severity="info", file=2),
        finding("A setting differs", 3, severity="low", file=3),
    )
    assert found == [(0, 1)]


@pytest.fixture
def real(folk: People, client: Client) -> Case:
    case = make_case(folk.team)
    read_into(case, bundle())
    client.force_login(folk.bob)
    return case


@pytest.mark.django_db
def test_the_page_folds_and_counts_and_tells_the_story_in_order(real: Case, client: Client) -> None:
    diagnosis = real.current_diagnosis
    assert diagnosis is not None
    arranged = page_context(real, diagnosis, raw_open=True)["arranged"]
    places = [place for one in arranged.incidents for place in (one.head, *one.rest)] + list(arranged.remarks)
    assert sorted(places) == list(range(diagnosis.findings.count()))
    text = shown(client.get(reverse("diagnosis:timeline", args=[real.key])))
    assert re.findall(r'id="finding-(\d+)"', text).__len__() == diagnosis.findings.count()
    for one in arranged.incidents:
        assert not one.rest or one.rest_words in text
    times = [step.zoom for step in arranged.cards[0].story if step.zoom]
    assert times == sorted(times, key=lambda zoom: int(zoom.split("=")[1].split("&")[0]))


@pytest.mark.django_db
def test_a_story_counts_who_queues_only_behind_what_it_is_about(folk: People) -> None:
    built = build_case(folk.team)
    own = built.diagnosis.findings.get(order=0)
    rows = [{"head": 0, "effects": [], "seen_with": []}]

    def story(what: str, cycles: Sequence[Sequence[str]] = ()) -> list[str]:
        root = {"kind": "disk", "what": what, "node": own.nodes[0], "why": "", "waiters": 12, "relieves": 12}
        diagnosis = summarise(built.diagnosis, roots=[root], incidents=rows, cycles=cycles)
        incidents = page_context(built.case, diagnosis, raw_open=True)["arranged"].cards
        return [step.text for one in incidents for step in one.story]

    named = own.title.split()[0]
    circle = story(named, [[named, "lund-n9"]])
    assert not any("queue behind" in text for text in circle), "these waits are also its own members'"
    assert any(own.nodes[0] in text and "hang" in text for text in circle)
    assert any("12 waits of all dumps queue behind" in text for text in story(named))
    assert not any("queue behind" in text for text in story("dm-4711"))


@pytest.mark.django_db
def test_a_diagnosis_of_before_shows_each_finding_unfolded(folk: People, client: Client) -> None:
    built = build_case(folk.team)
    client.force_login(folk.bob)
    text = shown(client.get(reverse("diagnosis:timeline", args=[built.case.key])))
    assert 'id="finding-1"' in text
    assert 'class="incident-rest"' not in text


@pytest.mark.django_db
def test_findings_of_one_incident_share_a_flag_where_theirs_would_lie_under_it(folk: People) -> None:
    built = build_case(folk.team)
    head = built.diagnosis.findings.get(order=0)
    assert head.start_us is not None
    for order, later_us in ((10, 1_000_000), (11, 10**9)):
        head.pk, head._state.adding, head.order = None, True, order
        head.start_us, head.end_us = head.start_us + later_us, None
        head.save()
    rows = [{"head": 0, "effects": [10], "seen_with": [11]}]
    diagnosis = summarise(built.diagnosis, incidents=rows)
    QuerySet.update(Diagnosis.objects.filter(pk=diagnosis.pk), window_end_us=head.start_us)
    diagnosis.refresh_from_db()
    lanes = timeline(built.case, diagnosis, window_from(QueryDict(), diagnosis), line_url=lambda *_: None, notes=())
    flags = next(lane for lane in lanes["lanes"] if lane["id"] == "findings")["items"]
    assert {(1, 1), (12, 0)} <= {(flag["number"], flag["more"]) for flag in flags}
    assert 11 not in {flag["number"] for flag in flags}


@pytest.mark.django_db
def test_several_incidents_are_cards_in_the_order_of_time_and_bars_on_the_axis(folk: People, client: Client) -> None:
    built = build_case(folk.team)
    head = built.diagnosis.findings.get(order=0)
    assert head.start_us is not None
    start, second = head.start_us, built.diagnosis.findings.count()
    head.pk, head._state.adding, head.order = None, True, second
    head.title, head.start_us, head.end_us = (
        "Disk dm-71 of ash2 does not answer",
        start - 120_000_000,
        start - 60_000_000,
    )
    head.save()
    root = {"kind": "disk", "what": "dm-7", "node": "nsd9", "why": "", "waiters": 12, "relieves": 12}
    rows = [{"head": 0, "effects": [], "seen_with": []}, {"head": second, "effects": [], "seen_with": []}]
    diagnosis = summarise(built.diagnosis, incidents=rows, roots=[root])
    QuerySet.update(Diagnosis.objects.filter(pk=diagnosis.pk), window_start_us=start - 180_000_000)
    diagnosis.refresh_from_db()
    incidents = page_context(built.case, diagnosis, raw_open=True)["arranged"].cards
    assert [one.number for one in incidents] == [2, 1]
    assert not any("queue" in step.text for step in incidents[0].story), "dm-7 is not in dm-71"
    lanes = timeline(built.case, diagnosis, window_from(QueryDict(), diagnosis), line_url=lambda *_: None, notes=())
    bars = next(lane for lane in lanes["lanes"] if lane["id"] == "incidents")["items"]
    assert [(bar["title"][:2], bar["seconds"] > 0) for bar in bars][1] == ("2:", True)
    client.force_login(folk.bob)
    assert "Incident 2 of 2" in shown(client.get(reverse("diagnosis:timeline", args=[built.case.key])))


@pytest.mark.django_db
def test_sentences_without_any_time_are_no_story(folk: People) -> None:
    built = build_case(folk.team)
    own = built.diagnosis.findings.get(order=0)
    root = {"kind": "disk", "what": own.title.split()[0], "node": "nsd9", "why": "", "waiters": 12, "relieves": 12}
    rows = [{"head": 0, "effects": [], "seen_with": []}]
    diagnosis = summarise(built.diagnosis, roots=[root], incidents=rows)
    assert page_context(built.case, diagnosis, raw_open=True)["arranged"].cards
    QuerySet.update(diagnosis.findings.all(), start_us=None)
    assert not page_context(built.case, diagnosis, raw_open=True)["arranged"].cards
