"""What an article quotes: a message without a node and a moment, in a text that explains a fault and its answer. It
happened to somebody; whether it did here nobody says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

import polars as pl

from apps.diagnosis.engine.core.model import Finding
from apps.diagnosis.engine.core.store import Facts
from parsers.articles import FORM
from parsers.records import Claim


def articles(facts: Facts) -> frozenset[int]:
    """Files that are articles on a fault."""
    if not facts.has(Claim):
        return frozenset()
    found = facts.scan(Claim).filter(pl.col("what") == FORM).select("artifact").unique().collect()
    return frozenset(found["artifact"].to_list())


def is_quoted(finding: Finding, files: frozenset[int]) -> bool:
    """Whether only articles show it, without a node and a moment."""
    if not finding.evidence or finding.nodes or finding.start is not None:
        return False
    return all(ref.artifact in files for ref in finding.evidence)


def without_weight(findings: Iterable[Finding], files: frozenset[int]) -> Iterator[Finding]:
    """All findings; those that are only quoted are a remark."""
    for one in findings:
        yield replace(one, severity="info", verdict="") if files and is_quoted(one, files) else one
