"""What entries of a team make of its cases: new ones and those that were read before, and of nobody else's."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.cases.people.members import transfer_case
from apps.diagnosis.models import Diagnosis, Finding
from apps.diagnosis.services import diagnose_case
from apps.ingest.scheduling.diagnoses import judged_with_other_knowledge
from apps.ingest.tasks import sweep
from apps.learning.models import TeamKnowledge
from apps.learning.services import change_entry, put_in_force, withdraw
from apps.sharing.services import create_share_link
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, ROW, in_force, proposed
from tests.shown import shown

pytestmark = pytest.mark.django_db


def of_teams(diagnosis: Diagnosis | None) -> list[Finding]:
    assert diagnosis is not None
    return [one for one in diagnosis.findings.all() if one.knowledge is not None]


def read(folk: People) -> tuple[Case, Diagnosis]:
    case = make_case(folk.team)
    return case, read_into(case, LOG, "messages")


def test_a_line_that_nobody_reads_becomes_a_finding_of_the_team(folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    _, diagnosis = read(folk)
    [finding] = of_teams(diagnosis)
    assert (finding.severity, finding.title, finding.nodes) == ("high", "Ticket for lun7 lost on cod3", ["cod3"])
    assert [(line["line"], line["path"]) for line in finding.evidence] == [(4, "messages")]
    assert finding.knowledge == {
        "entry": entry.pk,
        "name": "ticket-lost",
        "version": 1,
        "team": "Lund storage",
        "slug": "lund-storage",
        "by": "Alice",
    }
    assert diagnosis.verdict_title == "Ticket for lun7 lost on cod3"
    assert diagnosis.verdict_form == "explained"
    assert "Look at the paths of the disk on this node." in str(diagnosis.summary["next_steps"])


def test_a_case_that_was_read_before_is_judged_anew_without_being_read_again(folk: People) -> None:
    case, before = read(folk)
    assert of_teams(before) == []
    facts = list(case.artifacts.values_list("facts", flat=True))
    in_force(folk.team, folk.alice)
    after = diagnose_case(case.pk)
    assert len(of_teams(after)) == 1
    assert after is not None
    assert after.knowledge != before.knowledge == ""
    assert list(case.artifacts.values_list("facts", flat=True)) == facts
    assert diagnose_case(case.pk).knowledge == after.knowledge  # type: ignore[union-attr]  # the case is there


def test_only_a_word_of_an_owner_makes_it_count_and_a_withdrawal_ends_it(folk: People) -> None:
    case, _ = read(folk)
    entry = proposed(folk.team, folk.bob)
    assert of_teams(diagnose_case(case.pk)) == []
    put_in_force(entry, by=folk.alice)
    assert len(of_teams(diagnose_case(case.pk))) == 1
    withdraw(entry, by=folk.alice, why="wrong")
    assert of_teams(diagnose_case(case.pk)) == []


def test_the_version_in_force_speaks_until_the_next_one_is_put_there(folk: People) -> None:
    case, _ = read(folk)
    entry = in_force(folk.team, folk.alice)
    change_entry(entry, row=ROW | {"title": "Lease of {about} gone"}, product="", by=folk.bob, why="clearer", seen=1)
    assert of_teams(diagnose_case(case.pk))[0].title == "Ticket for lun7 lost on cod3"
    put_in_force(entry, by=folk.alice)
    [finding] = of_teams(diagnose_case(case.pk))
    assert finding.title == "Lease of lun7 gone on cod3"
    assert finding.knowledge is not None
    assert (finding.knowledge["version"], finding.knowledge["by"]) == (2, "Bob")


def test_an_alarm_that_a_team_calls_everyday_is_none_there_and_stays_one_elsewhere(folk: People) -> None:
    in_force(
        folk.team,
        folk.alice,
        **{
            "name": "gridmap",
            "from": "kernel",
            "match": ["gridmap table of", {"named": "node"}, "has failed"],
            "weight": "everyday",
            "title": "Nightly check of the map",
        },
    )
    ours, theirs = make_case(folk.team), make_case(folk.other_team)
    assert not read_into(ours, LOG, "messages").findings.exists()
    assert read_into(theirs, LOG, "messages").findings.exists()


def test_other_teams_are_judged_as_before_also_after_a_case_came_to_them(folk: People) -> None:
    in_force(folk.team, folk.alice)
    other = read_into(make_case(folk.other_team), LOG, "messages")
    assert of_teams(other) == []
    assert other.knowledge == ""
    case, _ = read(folk)
    transfer_case(case, folk.other_team, by=folk.alice)
    assert judged_with_other_knowledge(10) == [case.pk]
    assert of_teams(diagnose_case(case.pk)) == []
    assert judged_with_other_knowledge(10) == []


def test_a_sweep_lets_judge_what_is_not_judged_with_what_is_in_force(folk: People, inline: None) -> None:
    case, _ = read(folk)
    entry = in_force(folk.team, folk.alice)
    sweep()
    case.refresh_from_db()
    assert len(of_teams(case.current_diagnosis)) == 1
    assert judged_with_other_knowledge(10) == []
    assert TeamKnowledge.objects.get(team=folk.team).is_everywhere
    withdraw(entry, by=folk.alice, why="")
    assert judged_with_other_knowledge(10) == [case.pk]


def test_the_page_says_whose_knowledge_speaks_and_links_to_others_do_not(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    case, _ = read(folk)
    client.force_login(folk.bob)
    page = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "Knowledge of Lund storage, by Alice, version 1" in page
    assert reverse("learning:entry", args=["lund-storage", entry.pk]) in page
    for level, is_open in (("colleague", True), ("development", False), ("customer", False)):
        link = create_share_link(case=case, user=folk.alice, days=3, level=level)
        client.force_login(folk.charlie)
        page = shown(client.get(reverse("sharing:page", args=[link.token])))
        assert "lost" in page
        assert ("Lund storage, by Alice" in page) == is_open, level
        assert ("until it holds the ticket again" in page) == is_open, level
        assert f"/knowledge/{entry.pk}/" not in page
