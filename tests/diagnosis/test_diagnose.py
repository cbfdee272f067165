"""What the engine makes of findings together: order, verdict, window, products, and a rule that fails."""

from __future__ import annotations

import logging
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine import products as known_products
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings import registry
from apps.diagnosis.engine.core.findings.registry import Rule, RuleNotes
from apps.diagnosis.engine.core.findings.seen import Seen, evidence_part
from apps.diagnosis.engine.core.model import Finding, Part, Root
from apps.diagnosis.engine.core.verdicts.verdict import verdict
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.diagnose import compete, diagnose, order_roots, products, window
from apps.diagnosis.engine.products import run_rules
from parsers.output import Output
from parsers.records import Section
from tests.diagnosis.pictures import lazy, lock_picture

NOON_US = 1_935_921_600_000_000


def finding(ref: str, severity: Any = "high", **more: Any) -> Finding:
    plain: dict[str, Any] = {
        "rule": ref.lower(),
        "ref": ref,
        "basis": "stated",
        "title": ref,
        "explanation": "",
        "evidence": (),
    }
    return Finding(**plain | {"severity": severity} | more)


def order(*findings: Finding) -> list[tuple[str, str]]:
    return [(f.ref, f.severity) for f in compete(findings)]


# --- competition ------------------------------------------------------------------------------------------------------


def test_the_most_severe_stands_first_then_the_most_harmful() -> None:
    found = order(
        finding("A", "low"),
        finding("B", "high", weight=1.0),
        finding("C", "high", weight=9.0),
        finding("D", "critical"),
    )
    assert found == [("D", "critical"), ("C", "high"), ("B", "high"), ("A", "low")]


def test_a_symptom_stands_behind_its_cause_however_harmful_and_is_never_more_severe() -> None:
    cause = finding("C", "medium", causes=("S",))
    assert order(finding("S", "critical", weight=99.0), cause) == [("C", "medium"), ("S", "medium")]
    assert order(finding("S", "low"), cause) == [("C", "medium"), ("S", "low")]


def test_what_is_worth_knowing_only_makes_no_symptom_harmless() -> None:
    cause = finding("C", "info", causes=("S",))
    assert order(finding("S", "high"), cause) == [("S", "high"), ("C", "info")]


def test_a_cause_that_was_not_found_changes_nothing_and_none_causes_itself() -> None:
    assert order(finding("A", "medium", causes=("X", "A")), finding("S", "high")) == [("S", "high"), ("A", "medium")]


def test_the_order_of_findings_does_not_depend_on_the_order_of_rules() -> None:
    found = [
        finding(ref, severity, weight=weight)
        for ref, severity, weight in (("A", "high", 2.0), ("B", "high", 2.0), ("C", "low", 0.0))
    ]
    assert order(*found) == order(*reversed(found))


def test_danger_to_data_stands_before_lost_time_of_the_same_severity_and_behind_a_worse_finding() -> None:
    slow, split = finding("R11", weight=900.0), finding("R17", weight=0.0, at_stake="data")
    left = finding("R15", weight=1.0, at_stake="service")
    assert [ref for ref, _ in order(slow, left, split)] == ["R17", "R15", "R11"]
    assert [ref for ref, _ in order(finding("R7", "critical"), split)] == ["R7", "R17"]


def test_roots_with_most_relief_stand_first() -> None:
    figures = (("a", 1, 1), ("c", 5, 5), ("b", 5, 5), ("crowded", 9, 2), ("d", 7, 5))
    roots = [Root(kind="node", what=name, node=name, why="", waiters=n, relieves=relief) for name, n, relief in figures]
    assert [root.what for root in order_roots(roots)] == ["d", "b", "c", "crowded", "a"]


# --- the verdict ------------------------------------------------------------------------------------------------------


def sections(folder: Path, *rows: Section) -> Facts:
    out = Output(FactsWriter(folder))
    for row in rows:
        out.structure(row)
    out.close()
    return Facts([Source(0, "a.txt", folder)])


def verdict_of(
    facts: Facts, *findings: Finding, checks: tuple[str, ...] = (), outputs: tuple[str, ...] = ()
) -> tuple[str, str, str, str]:
    found = verdict(findings, facts, checks, outputs)
    return found.title, found.severity, found.ref, found.form


READ = Section(line=1, last_line=3, format="vmstat", records=3, understood=3)


def test_the_verdict_is_the_sentence_of_the_first_finding_that_is_more_than_information(tmp_path: Path) -> None:
    facts = sections(tmp_path)
    serious = finding("B", "low", verdict="b is slow")
    assert verdict_of(facts, finding("A", "info", verdict="a is noted"), serious) == (
        "b is slow",
        "low",
        "B",
        "explained",
    )
    assert verdict_of(facts, finding("A", "info", verdict="a is noted")) == ("a is noted", "info", "A", "explained")


@pytest.mark.parametrize("ref", ["AL-01", "AL-02"])
def test_an_alarm_without_a_rule_is_a_verdict_of_its_own_form(tmp_path: Path, ref: str) -> None:
    facts = sections(tmp_path, READ)
    assert verdict_of(facts, finding(ref, "high", verdict="Disk d7 failed"), checks=("4 paths up",))[2:] == (
        ref,
        "unexplained",
    )
    healthy = finding("GL-00", "info", verdict="nothing wrong")
    assert verdict_of(facts, finding(ref, "medium", verdict="Disk d7 failed"), healthy)[2:] == (ref, "unexplained")


def test_a_remark_is_the_verdict_of_a_text_without_data_only(tmp_path: Path) -> None:
    remark = finding("CONTRADICTION", "low", verdict="two figures differ")
    assert verdict_of(Facts([]), remark)[2] == "CONTRADICTION"
    assert verdict_of(sections(tmp_path, READ), remark, checks=("4 paths up",))[3] == "healthy"


def test_an_all_clear_names_its_checks_and_stands_only_where_nothing_was_left_unread(tmp_path: Path) -> None:
    healthy = finding("SC-26", "info", verdict="no wait is long")
    assert verdict_of(sections(tmp_path / "a", READ), checks=("4 paths up", "2 nodes up")) == (
        "Nothing wrong found: 4 paths up and 2 nodes up",
        "info",
        "",
        "healthy",
    )
    assert verdict_of(sections(tmp_path / "b", READ), healthy)[2:] == ("SC-26", "healthy")
    part = Section(line=1, last_line=5, format="vmstat", understood=4, not_understood=1)
    for given in ((), (healthy,)):
        title, _, _, form = verdict_of(sections(tmp_path / f"c{len(given)}", part), *given, checks=("4 paths up",))
        assert form == "not_judged"
        assert "1 of 5 lines could not be read" in title


def test_what_nobody_judges_is_not_called_healthy(tmp_path: Path) -> None:
    assert verdict_of(sections(tmp_path / "a", READ))[3] == "not_judged"
    half = Section(line=1, last_line=9, format="vmstat", understood=2, not_understood=7)
    title, _, _, form = verdict_of(
        sections(tmp_path / "b", half), checks=("2 counters within their limits",), outputs=("xyz show all",)
    )
    assert form == "not_judged"
    assert "7 of 9 lines" in title
    assert "xyz show all" in title
    unknown = Section(line=1, last_line=2, format="unknown", not_understood=2)
    assert "xyz show" in verdict_of(sections(tmp_path / "c", unknown), outputs=("xyz show",))[0]
    assert verdict_of(Facts([]))[3] == "not_judged"


def test_a_finding_does_not_end_before_it_begins() -> None:
    [found] = compete([finding("GL-05", start=NOON_US + 7, end=NOON_US)])
    assert (found.start, found.end) == (NOON_US, NOON_US + 7)


# --- window and products ----------------------------------------------------------------------------------------------


def dump(
    at: int | None, last_at: int | None = None, *, zone_min: int | None = 60, format: str = "vxfsstat", records: int = 1
) -> Section:
    return Section(line=1, last_line=2, format=format, at=at, last_at=last_at, zone_min=zone_min, records=records)


def test_the_window_goes_from_the_first_capture_to_the_end_of_the_last(tmp_path: Path) -> None:
    facts = sections(tmp_path, dump(NOON_US, NOON_US + 90), dump(NOON_US + 5), dump(None))
    assert window(facts) == (NOON_US, NOON_US + 90, 60, 60, 60)


def test_dated_times_win_over_times_of_day(tmp_path: Path) -> None:
    assert window(sections(tmp_path / "a", dump(36_000_000_000), dump(NOON_US))) == (NOON_US, NOON_US, 60, 60, 60)
    assert window(sections(tmp_path / "b", dump(36_000_000_000), dump(37_000_000_000)))[:3] == (
        36_000_000_000,
        37_000_000_000,
        60,
    )


def test_the_zone_is_reported_only_where_all_agree_and_unknown_text_does_not_count(tmp_path: Path) -> None:
    assert window(sections(tmp_path / "a", dump(NOON_US), dump(NOON_US, zone_min=120)))[2] is None
    assert window(sections(tmp_path / "b", dump(NOON_US), dump(NOON_US, zone_min=None)))[2] == 60
    assert window(sections(tmp_path / "c", dump(NOON_US, format="unknown"))) == (None,) * 5
    assert window(Facts([])) == (None,) * 5


def test_each_end_of_the_window_has_its_own_offset(tmp_path: Path) -> None:
    """Over the end of summer time the wall clock goes back; files of two zones overlap."""
    hour = 3_600_000_000
    autumn = replace(dump(NOON_US, NOON_US - hour // 4, zone_min=120), last_zone_min=60)
    assert window(sections(tmp_path / "a", autumn)) == (NOON_US, NOON_US - hour // 4, None, 120, 60)
    two = sections(tmp_path / "b", dump(NOON_US, zone_min=0), dump(NOON_US + hour, zone_min=120))
    assert window(two) == (NOON_US + hour, NOON_US, None, 120, 0)


def test_products_with_most_records_stand_first_and_neutral_formats_are_none(tmp_path: Path) -> None:
    facts = sections(
        tmp_path,
        dump(NOON_US, format="vxfsstat", records=5),
        dump(NOON_US, format="gfs2_glocks", records=7),
        dump(NOON_US, format="lltshow", records=4),
        dump(NOON_US, format="time_command", records=99),
        dump(NOON_US, format="scale_waiters_new", records=0),
        dump(NOON_US, format="unknown", records=50),
    )
    assert products(facts) == ("veritas", "gfs2")


# --- rules that fail --------------------------------------------------------------------------------------------------


def broken(limits: Limits) -> list[Seen]:
    raise ZeroDivisionError("hostile figures")


def test_a_rule_that_fails_is_noted_by_its_class_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    real = known_products.rules()
    monkeypatch.setattr(known_products, "rules", lambda: {**real, "R5": Rule("R5", broken, (), ())})
    case = lock_picture(
        tmp_path, "node0 h_grant 73 73\nnode0 h_revoke 70 70\nnode0 pull 73 73", unit=100, more=[lazy(0)]
    )
    notes = RuleNotes()
    with caplog.at_level(logging.ERROR):
        found = run_rules(case, notes)
    assert "R7" in {one.ref for one in found}
    assert notes.failed == [("R5", "ZeroDivisionError")]
    assert "rule R5 failed" in caplog.text
    missing = diagnose(case.store, case).missing
    assert ("rule R5", "it failed (ZeroDivisionError); its question is open") in [
        (one.what, one.why) for one in missing
    ]


def test_a_rule_of_one_name_can_be_registered_once() -> None:
    known_products.rules()
    with pytest.raises(ValueError, match="two rules are named R5"):
        registry.rule("R5", needs=(), words=())(broken)


# --- confidence -------------------------------------------------------------------------------------------------------


def test_confidence_is_the_product_of_its_parts_and_what_is_recalled_is_a_hint() -> None:
    parts = (Part("evidence", 0.9, ""), Part("completeness", 0.8, ""), Part("basis", 1.0, ""))
    assert finding("A", parts=parts).confidence == 0.72
    assert finding("A", parts=parts, basis="recalled").confidence == 0.2


def test_more_lines_and_nodes_make_a_finding_surer_up_to_a_bound() -> None:
    values = [evidence_part(lines, nodes).value for lines, nodes in ((1, 1), (2, 1), (4, 2), (40, 20))]
    assert values == sorted(values)
    assert values[-1] == values[-2] == 0.98
    assert evidence_part(1, 1).why == "1 line, 1 node"


# --- what to ask for and do next --------------------------------------------------------------------------------------

PULL = "node1 h_grant 33\nnode1 pull 33\nnode1 g_grant 33"


def requests_of(folder: Path, picture: str, **more: Any) -> list[str]:
    case = lock_picture(folder, picture, unit=1000, **more)
    return [one.what for one in diagnose(case.store, case).missing if "/srv/rolls" in one.what]


def test_the_other_side_of_a_pull_and_the_tunable_are_requested(tmp_path: Path) -> None:
    assert requests_of(tmp_path / "a", PULL) == [
        "lock samples of /srv/rolls on the other nodes, at the same time",
        "lazy_isize_enable of /srv/rolls",
    ]
    assert requests_of(tmp_path / "b", PULL + "\nnode0 h_revoke 33", more=[lazy(0)]) == []
    assert requests_of(tmp_path / "c", "node1 h_grant 00\nnode1 h_revoke 00") == []


def test_the_next_step_is_to_find_the_jobs(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000)
    [step] = diagnose(case.store, case).next_steps
    assert step.why == "See which jobs walk /srv/rolls on node1, and let one node walk each tree."
    assert step.commands[0] == "fuser -vm /srv/rolls"
    quiet = lock_picture(tmp_path / "quiet", "node1 h_grant 0\nnode1 h_revoke 5")
    assert diagnose(quiet.store, quiet).next_steps == ()


def test_equal_facts_give_an_equal_diagnosis(tmp_path: Path) -> None:
    case = lock_picture(tmp_path, PULL, unit=1000)
    assert diagnose(case.store) == diagnose(case.store)
