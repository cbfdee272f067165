"""Cases of Spectrum Scale written as the texts that tools print: each text is a file, read by the real parsers."""

from __future__ import annotations

import io
from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.findings.tunings import tunings_for
from apps.diagnosis.engine.core.model import Finding, Tuning
from apps.diagnosis.engine.diagnose import compete
from apps.diagnosis.engine.products import PRODUCTS, run_rules
from parsers.output import Output
from parsers.sections import reader as sections
from parsers.sections.reader import Hints
from parsers.text import blocks


def read_case(folder: Path, *texts: str) -> Case:
    """Facts of some texts."""
    sources = []
    for number, text in enumerate(texts):
        directory = folder / f"text{number}"
        out = Output(FactsWriter(directory))
        sections.read(blocks(io.BytesIO(text.encode())), out, Hints(path=f"text{number}.txt"))
        out.close()
        sources.append(Source(number, f"text{number}.txt", directory))
    return Case(Facts(sources), PRODUCTS)


def found(case: Case, ref: str) -> list[Finding]:
    """What one rule yields, no rule having failed."""
    notes = RuleNotes()
    findings = run_rules(case, notes)
    assert not [failed for failed in notes.failed if failed[0].startswith("SC-")]
    return [finding for finding in findings if finding.ref == ref]


def advice(case: Case, *refs: str) -> dict[str, Tuning]:
    """Tunings that follow from the findings of some rules."""
    findings = [finding for finding in compete(run_rules(case, RuleNotes())) if finding.ref in refs]
    return {tuning.id: tuning for tuning in tunings_for(case, findings)}


def at(node: str, command: str, *lines: str) -> str:
    """The output of a command at a prompt."""
    return "\n".join((f"[root@{node} ~]# {command}", *lines, ""))


def history(node: str, *rows: str) -> str:
    """An I/O history."""
    return at(node, "mmdiag --iohist verbose", "=== mmdiag: iohist ===", "I/O history:", *rows)


def requests(
    count: int,
    milliseconds: float,
    tail: str,
    *,
    sector: int = 1000,
    op: str = "R",
    what: str = "data",
    sectors: int = 8,
) -> list[str]:
    """Rows of a history, sectors one behind the other."""
    return [
        (
            f"11:{n // 60 % 60:02d}:{n % 60:02d}.000000 {op} {what} 3:{sector + n * sectors} {sectors} "
            f"{milliseconds:.3f} {tail}"
        )
        for n in range(count)
    ]
