"""Where an entry would speak before it counts: lines of cases, false alarms, and verdicts as they then are."""

from __future__ import annotations

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.cases.models import Case
from apps.diagnosis.pages.learning.preview import CaseHits, Preview, preview
from apps.diagnosis.services import diagnose_case
from apps.learning.models import CaseDigest, CaseOutcome, CaseShape
from apps.learning.services import put_in_force, read
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.learning.pack import ALARM, LOG, LOST, ORDINARY, ROW, proposed, row_with
from tests.shown import shown

pytestmark = pytest.mark.django_db

CALM = ORDINARY * 2 + b"Mar  9 20:33:15 cod3 sshd[9]: session opened\n"
GRIDMAP: dict[str, Any] = {
    "name": "gridmap",
    "from": "kernel",
    "match": ["gridmap table of", {"named": "node"}, "has failed"],
    "title": "Map of {about} failed",
}
PATHS = (
    b"cod3# multipath -ll\nmpatha (36001405d2c9f1b2f2a24a7b9d4a1e0f3) dm-2 LIO-ORG,disk0\n"
    b"size=10G features='0' hwhandler='0' wp=rw\n|-+- policy='service-time 0' prio=50 status=active\n"
    b"| `- 3:0:0:1 sdc 8:32 active ghost running\n`-+- policy='service-time 0' prio=50 status=enabled\n"
    b"  `- 4:0:0:1 sdd 8:48 active ready running\n"
)
WAITS = (
    b"cod3# mmdiag --waiters\n\n=== mmdiag: waiters ===\nWaiting 1822.1043 sec since 10:01:11, monitored, thread 41021 "
    b"MothThread: on ThCond 0x180A2E3F (MothCondvar), reason 'waiting for moth queue drain'\n"
)
OUTPUT = b"[root@cod3 ~]# frobstat -v\nspindle lun7 wobbling now\nspindle lun8 fine\n"
SORTS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "an alarm that nothing explained": (LOG, {}),
    "one of medium severity": (LOG, {"weight": "trouble"}),
    "a calm log": (CALM + LOST, {}),
    "an alarm that is everyday here": (LOG, {"weight": "everyday", **GRIDMAP}),
    "an alarm that is only kept": (ALARM + LOST, {"weight": "notice", **GRIDMAP}),
    "an alarm that gets a name": (LOG, {"weight": "trouble", **GRIDMAP}),
    "a doubt that is none": (
        b"Mar  9 20:33:12 cod3 kernel: gridmap: degraded\n" + CALM,
        {"name": "map", "from": "kernel", "match": ["gridmap degraded"], "title": "Map", "weight": "everyday"},
    ),
    "nothing that fits": (CALM, {}),
}
OTHERS: dict[str, tuple[bytes, dict[str, Any]]] = {
    "a row of a listing": (
        PATHS,
        {"table": "DiskPath", "column": "state", "operator": "holds", "value": "ghost", "title": "Path is a ghost"},
    ),
    "a kind of wait": (WAITS, {"waits": True, "match": ["moth queue"], "title": "Threads wait for the moth queue"}),
    "a line that nobody reads": (OUTPUT, {"output": "frobstat", "match": ["wobbling"], "title": "Spindle wobbles"}),
}


def of(seen: Preview) -> dict[int, CaseHits]:
    return {hit.case.pk: hit for hit in ([seen.here] if seen.here else []) + seen.cases}


@pytest.mark.parametrize("name", [*SORTS, *OTHERS])
@pytest.mark.part("foretold", 6)
def test_the_verdict_that_is_foretold_is_the_one_that_comes(folk: People, name: str) -> None:
    text, changed = (SORTS | OTHERS)[name]
    case = make_case(folk.team)
    read_into(case, text, "messages")
    row = row_with(changed)
    seen = preview(folk.bob, folk.team, read(row))
    hits = of(seen).get(case.pk)
    entry = proposed(folk.team, folk.alice, **changed)
    put_in_force(entry, by=folk.alice)
    after = diagnose_case(case.pk)
    assert after is not None
    if name == "nothing that fits":
        assert hits is None
        return
    assert hits is not None
    assert (hits.then.title, hits.then.severity, hits.then.form) == (
        after.verdict_title,
        after.verdict_severity,
        after.verdict_form,
    )
    assert hits.lines == 1


def test_lines_cases_and_false_alarms_are_those_that_the_reader_may_see(folk: People) -> None:
    cases = [make_case(folk.team, f"case {number}") for number in range(3)]
    for case in cases:
        read_into(case, LOG + LOST, "messages")
    hidden = make_case(folk.other_team)
    read_into(hidden, LOG, "messages")
    healthy = cases[1]
    CaseOutcome.objects.create(case=healthy, found="healthy", sure="proven", by=folk.alice)
    seen = preview(folk.bob, folk.team, read(ROW), case_id=cases[0].pk)
    assert (seen.cases_n, seen.lines_n, seen.looked_at, seen.not_kept) == (3, 6, 3, 0)
    assert seen.here is not None
    assert seen.here.case == cases[0]
    assert [hit.case for hit in seen.cases] == [cases[2], cases[1]]
    assert [hit.case for hit in seen.false] == [healthy]
    [place] = seen.here.places
    assert (place.path, place.line, place.text) == ("messages", 4, "ticket for lun7 was lost after 31 s")
    assert preview(folk.charlie, folk.other_team, read(ROW)).cases_n == 1


def test_a_case_of_another_team_that_one_may_see_keeps_its_verdict(folk: People) -> None:
    other = make_case(folk.other_team)
    read_into(other, LOG, "messages")
    other.memberships.create(user=folk.bob, role="viewer")
    [hit] = preview(folk.bob, folk.team, read(ROW)).cases
    assert not hit.is_judged
    assert hit.then == hit.now


def test_what_the_catalogue_knows_and_what_another_entry_fits_better_is_no_hit(folk: People) -> None:
    case = make_case(folk.team)
    read_into(case, b"Mar  9 20:33:14 cod3 kernel: Out of memory: Killed process 77 (grantd)\n" + LOG, "messages")
    known = ROW | {"name": "killed", "from": "kernel", "match": ["memory killed process"], "title": "Killed"}
    assert preview(folk.bob, folk.team, read(known)).cases_n == 0
    put_in_force(proposed(folk.team, folk.alice), by=folk.alice)
    wide = ROW | {"name": "wider", "match": ["ticket for", {"named": "disk"}, "was"], "title": "Wider"}
    assert preview(folk.bob, folk.team, read(wide)).cases_n == 0


def test_a_text_is_not_read_again_for_the_next_diagnosis(folk: People, monkeypatch: pytest.MonkeyPatch) -> None:
    case = make_case(folk.team)
    read_into(case, LOG, "messages")
    kept = list(CaseShape.objects.filter(case=case, source="log").values_list("pk", flat=True))
    assert kept
    monkeypatch.setattr("apps.diagnosis.shapes_kept.log_shapes", None)
    diagnose_case(case.pk)
    assert list(CaseShape.objects.filter(case=case, source="log").values_list("pk", flat=True)) == kept
    assert CaseDigest.objects.get(case=case).ranked


def test_the_form_shows_it_before_anything_is_kept(client: Client, folk: People) -> None:
    case: Case = make_case(folk.team)
    read_into(case, LOG, "messages")
    client.force_login(folk.bob)
    entry = proposed(folk.team, folk.bob)
    page = shown(client.get(reverse("learning:look", args=[folk.team.slug, entry.pk])))
    assert "1 line in 1 case" in page
    assert "Ticket for lun7 lost on cod3" in page
    assert "messages:4" in page
