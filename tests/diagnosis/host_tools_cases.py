"""Cases of the host tools: text goes through the real reading, the real rules answer."""

from __future__ import annotations

import io
from collections.abc import Mapping
from pathlib import Path

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.model import Diagnosis, Finding
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from parsers.output import Output
from parsers.records import Record
from parsers.sections.reader import Hints, read
from parsers.text import blocks


def case_of(folder: Path, texts: Mapping[str, str], records: Mapping[str, list[Record]] | None = None) -> Case:
    """Facts of texts by path, and of records as a parser would have written them."""
    sources = []
    for index, (path, text) in enumerate(texts.items()):
        out = Output(FactsWriter(folder / str(index)))
        read(blocks(io.BytesIO(text.encode())), out, Hints(path=path))
        out.close()
        sources.append(Source(index, path, folder / str(index)))
    for index, (path, rows) in enumerate((records or {}).items(), len(sources)):
        out = Output(FactsWriter(folder / str(index)))
        for row in rows:
            out.add(row)
        out.close()
        sources.append(Source(index, path, folder / str(index)))
    return Case(Facts(sources), PRODUCTS)


def diagnosed(folder: Path, *texts: str, records: list[Record] | None = None) -> Diagnosis:
    """The diagnosis of texts given one after the other."""
    case = case_of(
        folder, {f"{index}.txt": text for index, text in enumerate(texts)}, {"drawn": records} if records else None
    )
    result = diagnose(case.store, case)
    assert not [one for one in result.missing if one.what.startswith("rule ")]
    return result


def found(diagnosis: Diagnosis, ref: str) -> list[Finding]:
    """Findings of a rule, most severe first."""
    return [finding for finding in diagnosis.findings if finding.ref == ref]


def refs(diagnosis: Diagnosis) -> dict[str, str]:
    """Worst severity of each rule that fired."""
    return {finding.ref: finding.severity for finding in reversed(diagnosis.findings)}


def figures(finding: Finding) -> dict[str, float]:
    """Figures by name."""
    return {figure.name: figure.value for figure in finding.figures}
