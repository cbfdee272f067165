"""What rests on proposed limits or on memory: low at most, and worded as a hint, unless the case shows who waited.
Swept over all rules.
"""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.findings.harm import UNSURE, Harm
from apps.diagnosis.engine.core.model import SEVERITIES, Basis, Finding, Ref, Severity, Shown
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.products import rules
from parsers.records import Counter, Event, Measurement, Record
from parsers.records.waits import Stack
from tests.diagnosis.host_tools_cases import case_of

REFS = sorted(rules())
NOON = 1_930_824_000_000_000
SECOND = 1_000_000
ABOVE_LOW = [severity for severity in SEVERITIES if SEVERITIES.index(severity) < SEVERITIES.index("low")]
BLOCKED = Event(line=1, node="n1", at=NOON, source="kernel", kind="hung-task", text="task rsync blocked")


def weighed(case: Case, ref: str, severity: Severity, *, harm: str = "", **more: object) -> Finding:
    """What comes out where the rule claims a severity."""
    text = rule_texts()[ref]
    about = {"basis": text.basis, "title": "Heron1 waits", "explanation": "It waits.", "evidence": (Ref(0, 1),), **more}
    claimed = Finding(rule=text.rule, ref=ref, severity=severity, **about)  # type: ignore[arg-type]
    return case.get(Harm).weighed(claimed, harm)


def case(folder: Path, *records: Record) -> Case:
    return case_of(folder, {"a.txt": ""}, {"drawn": list(records)} if records else None)


@pytest.mark.parametrize("ref", REFS)
def test_no_rule_is_above_low_on_proposals_or_memory_alone(ref: str, tmp_path: Path) -> None:
    quiet = case(tmp_path)
    for basis in sorted(UNSURE):
        for severity in ABOVE_LOW:
            finding = weighed(quiet, ref, severity, basis=basis)
            assert (finding.severity, finding.harm, "This is a hint" in finding.explanation) == ("low", "", True)
            shown = weighed(quiet, ref, severity, basis=basis, harm="a node was put out")
            assert (shown.severity, "What it did: a node was put out." in shown.explanation) == (severity, True)


@pytest.mark.parametrize("ref", [ref for ref in REFS if rule_texts()[ref].basis in UNSURE])
def test_the_basis_of_the_rule_itself_counts(ref: str, tmp_path: Path) -> None:
    assert weighed(case(tmp_path / "a"), ref, "critical").severity == "low"
    assert weighed(case(tmp_path / "b", BLOCKED), ref, "critical").severity == "critical"


@pytest.mark.parametrize("basis", ["stated", "derived", "inferred"])
def test_what_is_known_keeps_its_severity(basis: Basis, tmp_path: Path) -> None:
    finding = weighed(case(tmp_path), "R17", "critical", basis=basis)
    assert (finding.severity, finding.explanation.count("hint")) == ("critical", 0)


def test_information_is_no_hint(tmp_path: Path) -> None:
    assert "hint" not in weighed(case(tmp_path), "ST-04", "info", basis="proposed").explanation


@pytest.mark.parametrize(
    ("nodes", "start", "is_near"),
    [
        (("n1",), NOON, True),
        ((), None, True),
        (("n1", "n2"), NOON + 60 * SECOND, True),
        (("n2",), NOON, False),
        (("n1",), NOON + 3600 * SECOND, False),
        (("n1",), None, True),
    ],
)
def test_harm_counts_on_the_node_and_at_the_time_of_the_finding(
    nodes: tuple[str, ...], start: int | None, is_near: bool, tmp_path: Path
) -> None:
    finding = weighed(case(tmp_path, BLOCKED), "ST-04", "high", nodes=nodes, start=start, end=start)
    assert (finding.severity == "high") is is_near


def timed(line: int, seconds: float) -> Measurement:
    return Measurement(line=line, node="n9", tool="time", what="real", value=seconds, unit="s", command="find /srv -ls")


def vmstat(name: str, value: float) -> Counter:
    return Counter(line=3, node="n1", source="vmstat", name=name, kind="gauge", value=value)


@pytest.mark.parametrize(
    ("records", "words"),
    [
        ([timed(1, 2.0), timed(2, 40.0)], "a command took 40.0 s"),
        ([timed(1, 2.0), timed(2, 2.2)], None),
        ([vmstat("b", 6), vmstat("wa", 55)], "up to 6 processes of n1 wait for I/O"),
        ([vmstat("b", 6), vmstat("wa", 3)], None),
        ([Stack(line=4, node="n1", task="tar", pid=7, seconds=120.0, frames="io_schedule")], "1 blocked task on n1"),
        ([Stack(line=4, node="n1", task="tar", pid=7, frames="io_schedule")], None),
    ],
)
def test_what_counts_as_harm(records: list[Record], words: str | None, tmp_path: Path) -> None:
    shown: defaultdict[bool, list[Shown]] = defaultdict(list)
    for one in case(tmp_path, *records).get(Harm).all:
        shown[bool(words) and words is not None and words in one.what].append(one)
    assert (len(shown[True]), shown[False]) == (1 if words else 0, [])
