"""Cases of VxFS written as the tools print them, read by the parsers."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.findings.tunings import tunings_for
from apps.diagnosis.engine.core.model import Diagnosis, Finding, Tuning
from apps.diagnosis.engine.diagnose import compete, diagnose
from apps.diagnosis.engine.products import PRODUCTS, run_rules
from parsers.output import Output
from parsers.records import Record
from parsers.sections import reader as sections
from parsers.sections.reader import Hints
from parsers.text import blocks


def read(folder: Path, text: str, *, more: Sequence[Record] = ()) -> Case:
    """The facts of one text; ``more``: records put beside them."""
    out = Output(FactsWriter(folder / "text"))
    sections.read(blocks(io.BytesIO(text.encode())), out, Hints(path="text.txt"))
    for record in more:
        out.add(record)
    out.close()
    return Case(Facts([Source(0, "text.txt", folder / "text")]), PRODUCTS)


def findings(case: Case, *refs: str) -> list[Finding]:
    """Findings of these rules; none of any rule may fail."""
    notes = RuleNotes()
    found = compete(run_rules(case, notes))
    assert not notes.failed
    return [finding for finding in found if finding.ref in refs]


def only(case: Case, ref: str) -> Finding:
    """The one finding of a rule."""
    [finding] = findings(case, ref)
    return finding


def figures(finding: Finding) -> dict[str, float]:
    """Its figures by name."""
    return {figure.name: figure.value for figure in finding.figures}


def tunings(case: Case) -> dict[str, Tuning]:
    """Tunings by id."""
    found = tunings_for(case, compete(run_rules(case, RuleNotes())))
    return {one.id: one for one in found}


def diagnosis(case: Case) -> Diagnosis:
    """The whole result."""
    return diagnose(case.store, case)
