"""What closed cases say of rules, entries and forms of verdicts: counted by what people said, guesses not."""

from __future__ import annotations

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import Role
from apps.audit.models import AuditEvent
from apps.cases.models import Case
from apps.diagnosis.pages.judging.outcomes import Worth, close_as, worth_by_key
from apps.learning.models import CaseOutcome
from tests.builders import Built, People, build_case, make_case, person
from tests.diagnosis.cases import read_into
from tests.learning.pack import LOG, in_force
from tests.shown import shown

pytestmark = pytest.mark.django_db
WORTH = "/knowledge/worth/"


def page_of(case: Case) -> str:
    return reverse("diagnosis:timeline", args=[case.key])


def closed(folk: People, found: str, times: int, *, sure: str = "proven", order: int | None = None) -> list[Built]:
    built = [build_case(folk.team) for _ in range(times)]
    for one in built:
        close_as(one.case, found=found, sure=sure, order=order, by=folk.bob)
    return built


def test_who_closes_a_case_is_prompted_for_what_it_was(client: Client, folk: People) -> None:
    case = build_case(folk.team).case
    client.force_login(folk.bob)
    form = {"title": case.title, "state": "solved", "solution": "Path replaced", "customer": "", "ticket": ""}
    edit = reverse("cases:edit", args=[case.key])
    seen = client.get(edit).content.decode()
    if 'name="seen"' in seen:
        form["seen"] = seen.split('name="seen" value="')[1].split('"')[0]
    answer = client.post(edit, form)
    outcome = reverse("diagnosis:outcome", args=[case.key])
    assert (answer.status_code, answer["Location"]) == (302, outcome)
    page = shown(client.get(outcome))
    assert "One disk is slow" in page
    assert "None of these" in page
    assert client.post(outcome, {"found": "finding"}).status_code == 422
    assert client.post(outcome, {"found": "other-77", "sure": "proven"}).status_code == 422
    assert client.post(outcome, {"found": "finding", "sure": "likely"}).status_code == 302
    assert "Closed as <b>the finding at the top</b>: One disk is slow, likely" in shown(client.get(page_of(case)))
    assert AuditEvent.objects.get(verb="case.outcome").detail["title"] == "One disk is slow"


def test_words_are_counted_for_what_spoke(folk: People) -> None:
    closed(folk, "finding", 2)
    closed(folk, "other", 1, order=1)
    closed(folk, "none", 1)
    closed(folk, "healthy", 1)
    closed(folk, "none", 3, sure="guessed")
    worth = worth_by_key(folk.bob)
    assert worth["rule", "SC-01"] == Worth(5, 2, 2, 1)
    assert worth["rule", "SC-02"] == Worth(5, 1, 1, 0)
    assert worth["form", "explained"] == Worth(5, 2, 2, 1)
    assert worth_by_key(folk.charlie) == {}


def test_what_is_stated_later_replaces_what_was_stated_before(folk: People) -> None:
    [built] = closed(folk, "none", 1)
    close_as(built.case, found="finding", sure="proven", order=None, by=folk.alice)
    assert worth_by_key(folk.bob)["rule", "SC-01"] == Worth(1, 1, 0, 0)
    assert CaseOutcome.objects.filter(case=built.case).count() == 2


def test_a_share_is_shown_from_ten_cases_on_and_only_of_cases_that_one_may_see(client: Client, folk: People) -> None:
    closed(folk, "finding", 8)
    built = closed(folk, "none", 1)[0]
    client.force_login(folk.bob)
    assert "right in" not in shown(client.get(page_of(built.case)))
    closed(folk, "none", 1)
    page = shown(client.get(page_of(built.case)))
    assert "such verdicts were right in 8 of 10 closed cases" in page
    assert "right in 8 of 10 closed cases" in shown(client.get(WORTH))
    built.case.memberships.create(user=folk.charlie, role=Role.VIEWER)
    client.force_login(folk.charlie)
    assert "right in" not in shown(client.get(page_of(built.case)))
    assert "right in" not in shown(client.get(WORTH))


def test_a_rule_that_is_often_refuted_is_marked_on_its_findings(client: Client, folk: People) -> None:
    closed(folk, "finding", 1)
    closed(folk, "none", 2)
    fresh = build_case(folk.team).case
    client.force_login(folk.bob)
    assert "Often refuted" not in shown(client.get(page_of(fresh)))
    closed(folk, "other", 1, order=1)
    page = shown(client.get(page_of(fresh)))
    assert "Often refuted</b>: of 4 closed" in page
    assert page.count("Often refuted") == 1


def test_an_entry_is_counted_in_place_of_the_rule(client: Client, folk: People) -> None:
    entry = in_force(folk.team, folk.alice)
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    close_as(case, found="finding", sure="proven", order=None, by=folk.bob)
    assert worth_by_key(folk.bob)["entry", str(entry.pk)] == Worth(1, 1, 0, 0)
    client.force_login(folk.bob)
    assert "ticket-lost (Lund storage)" in shown(client.get(WORTH))


def test_a_cause_that_nobody_found_leads_to_what_nobody_judged(client: Client, folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    client.force_login(folk.bob)
    answer = client.post(reverse("diagnosis:outcome", args=[case.key]), {"found": "none", "sure": "proven"})
    assert answer["Location"] == f"/unjudged/?case={case.key}&quiet=1"
    page = shown(client.get(answer["Location"]))
    assert "No finding names its cause" in page
    assert "ticket for lun7 was lost after 31 s" in page


def test_a_viewer_reads_what_it_was_and_does_not_say_it(client: Client, folk: People) -> None:
    [built] = closed(folk, "healthy", 1)
    client.force_login(person("vera", folk.team, Role.VIEWER))
    page = shown(client.get(page_of(built.case)))
    assert "Closed as <b>nothing was wrong</b>" in page
    assert reverse("diagnosis:outcome", args=[built.case.key]) not in page
    assert client.post(reverse("diagnosis:outcome", args=[built.case.key]), {}).status_code == 403
