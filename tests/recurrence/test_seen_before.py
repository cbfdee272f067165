"""Cases whose chains of waits end alike: the shape is stable, and nobody learns of cases that they may not see."""

from __future__ import annotations

from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from apps.accounts.models import Team
from apps.cases.models import Case, CaseMembership
from apps.cases.services import set_diagnosis, set_state, trash_case
from apps.recurrence.chains import Concluded, chains, sentence, via_shape
from apps.recurrence.models import ChainSignature
from apps.recurrence.services import recurrence, seen_before, sign
from tests.builders import Built, People, build_case, make_diagnosis, summary

pytestmark = pytest.mark.django_db


def hang(disk: str, server: str, clients: list[str], scale: int = 1) -> dict[str, Any]:
    """Clients wait for a server, its threads for a disk; one stray wait goes another way."""
    waits = [
        (server, disk, "I/O completion", 58 * scale),
        *((one, server, "NSD I/O completion", 11 * scale) for one in clients),
    ]
    waits.append((clients[0], clients[1], "tmMsgRevoke", 1))
    return {
        "nodes": [{"name": name, "aliases": [f"{name}.example", "10.0.0.7"]} for name in (server, *clients)],
        "roots": [
            {"kind": "disk", "what": disk, "node": server, "why": "", "waiters": 80 * scale, "relieves": 80 * scale}
        ],
        "waits_for": [
            {"frm": f, "to": t, "via": via, "count": n, "longest_s": 9.0, "resolved": True} for f, t, via, n in waits
        ],
    }


def concluded(disk: str, server: str) -> list[Concluded]:
    return [
        Concluded("SC-99", "a remark", "info", [server]),
        Concluded("SC-01", f"Disk {disk} of {server} does not answer", "high", [server]),
        Concluded("SC-04", "The log does not get written", "high", []),
    ]


def test_names_addresses_and_numbers_of_waits_play_no_part() -> None:
    one = chains(hang("dm-17", "nsd02", ["cn1", "cn2", "cn3"]), concluded("dm-17", "nsd02"), "SC-01")
    two = chains(hang("sdx", "oslo-b", ["a", "b", "c", "d"], scale=9), concluded("sdx", "oslo-b"), "SC-01")
    assert [chain.digest for chain in one] == [chain.digest for chain in two]
    assert one[0].words == "a disk \u2190 I/O completion \u2190 NSD I/O completion"
    assert sentence(one[0].words) == "A disk holds up: I/O completion, then NSD I/O completion"
    assert sentence("no chain of waits") == "No chain of waits"
    assert one[0].rule == "SC-01"


@pytest.mark.parametrize("change", [{"kind": "node"}, {"via": "log write"}, {"rule": "SC-77"}])
def test_another_end_another_way_or_another_rule_is_another_shape(change: dict[str, str]) -> None:
    usual = hang("dm-17", "nsd02", ["cn1", "cn2"])
    other = hang("dm-17", "nsd02", ["cn1", "cn2"])
    other["roots"][0]["kind"] = change.get("kind", "disk")
    other["waits_for"][0]["via"] = change.get("via", "I/O completion")
    findings = [
        Concluded(change.get("rule", one.ref) if one.ref == "SC-01" else one.ref, one.title, one.severity, one.nodes)
        for one in concluded("dm-17", "nsd02")
    ]
    assert chains(usual, concluded("dm-17", "nsd02"), "SC-01")[0].digest != chains(other, findings, "SC-01")[0].digest


@pytest.mark.parametrize(
    ("via", "shape"),
    [
        ("held SH by tar", "held SH"),
        ("wants EX", "wanted"),
        ("ThMutex LogFile instance", "ThMutex LogFile instance"),
        ("RPC to nsd02 at 10.1.2.3:1191", "RPC to * at *"),
        ("lock 2/3a7c1e at 0xFFFF88001234", "lock * at *"),
        ("inode 38221", "inode #"),
    ],
)
def test_what_is_waited_through_loses_its_names(via: str, shape: str) -> None:
    assert via_shape(via, {"nsd02"}) == shape


def test_a_circle_of_waits_ends_and_a_case_without_a_chain_is_known_by_its_rule() -> None:
    circle = hang("dm-1", "n1", ["n2", "n3"])
    circle["waits_for"].append({"frm": "dm-1", "to": "n2", "via": "x", "count": 90, "longest_s": 1.0, "resolved": True})
    assert len(chains(circle, [], "")) == 1
    lone = chains({}, concluded("d", "s"), "SC-01")
    assert [(chain.kind, chain.rule) for chain in lone] == [("finding", "SC-01")]
    assert chains({}, [Concluded("SC-99", "a remark", "info", [])], "SC-99") == []


# Who sees what
# ----------------------------------------------------------------------------------------------------------


def met(team: Team, title: str, disk: str = "dm-17") -> Built:
    built = build_case(team, title)
    _sign(built, disk)
    return built


def _sign(built: Built, disk: str = "dm-17") -> None:
    diagnosis = built.diagnosis
    diagnosis.summary = hang(disk, "nsd02", ["cn1", "cn2"])
    sign(diagnosis, diagnosis.findings.all(), ["spectrum-scale 5.1.9"])


def digest_of(built: Built) -> str:
    return str(ChainSignature.objects.get(diagnosis=built.diagnosis).digest)


def test_owner_and_teammate_see_the_other_case_with_its_solution_and_a_stranger_nothing(folk: People) -> None:
    this, other = met(folk.team, "this hang"), met(folk.team, "that hang", "dm-9")
    met(folk.other_team, "Perth's secret hang")
    set_state(other.case, Case.State.SOLVED, by=folk.alice, solution="The path was replaced")
    address = f"/signatures/{digest_of(this)}/"
    for user in (folk.alice, folk.bob):
        client = Client()
        client.force_login(user)
        for url in (f"/cases/{this.case.key}/", address):
            text = client.get(url).content.decode()
            assert other.case.key in text
            assert "The path was replaced" in text
            assert "secret" not in text
    stranger = Client()
    stranger.force_login(folk.charlie)
    text = stranger.get(address).content.decode()
    assert "Perth&#x27;s secret hang" in text  # a case of their own, and no other
    assert "that hang" not in text
    assert "The path was replaced" not in text
    assert Client().get(address).status_code == 302


def test_a_shape_that_only_others_have_is_not_there(folk: People) -> None:
    built = met(folk.team, "this hang")
    stranger = Client()
    stranger.force_login(folk.charlie)
    assert stranger.get(f"/signatures/{digest_of(built)}/").status_code == 404
    assert recurrence(digest_of(built), folk.charlie) is None
    assert seen_before(built.case, folk.alice) == []  # a case is not seen before in itself
    CaseMembership.objects.create(case=built.case, user=folk.charlie, role="viewer")
    assert stranger.get(f"/signatures/{digest_of(built)}/").status_code == 200


def test_replaced_diagnoses_and_the_trash_do_not_count(folk: People) -> None:
    this, other = met(folk.team, "this hang"), met(folk.team, "that hang")
    assert [one.others_n for one in seen_before(this.case, folk.alice)] == [1]
    newer = make_diagnosis(other.case, other.artifact)
    set_diagnosis(other.case.pk, newer, summary(newer))
    assert seen_before(this.case, folk.alice) == []
    third = met(folk.team, "third hang")
    assert len(seen_before(this.case, folk.alice)) == 1
    trash_case(third.case, by=folk.alice)
    assert seen_before(this.case, folk.alice) == []


def test_queries_do_not_grow_with_the_cases(folk: People) -> None:
    this = met(folk.team, "this hang")
    counts = []
    for _ in range(2):
        for number in range(3):
            met(folk.team, f"hang {number}")
        with CaptureQueriesContext(
            connection,
        ) as queries:
            assert seen_before(this.case, folk.alice)
            found = recurrence(digest_of(this), folk.alice)
            assert found is not None
            assert [case.team.name for case in found.cases]
        counts.append(len(queries))
    assert counts[0] == counts[1]


def test_programs_are_reported_the_same(folk: People) -> None:
    from tests.api.test_api import Program

    this, other = met(folk.team, "this hang"), met(folk.team, "that hang")
    answer = Program(folk.bob, "read").get(f"cases/{this.case.key}/seen-before/").json()["results"]
    assert [one["cases"][0]["key"] for one in answer] == [other.case.key]
    assert Program(folk.charlie).get(f"cases/{this.case.key}/seen-before/").status_code == 404
