"""The sentence at the top of the case, in one of four forms: explained, unexplained, not judged, healthy. The first that fits stands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.alarms import MESSAGES, STATES
from apps.diagnosis.engine.core.model import Finding, Verdict
from apps.diagnosis.engine.core.store import Facts
from apps.diagnosis.engine.core.wording import count, listed, plural
from parsers.records import Section

NOTES: Final = frozenset(("CONTRADICTION", "ARITHMETIC", "DESTRUCTIVE"))
"""What stands in a text about the data: worth the first line only where there is no data."""
HEALTHY: Final = frozenset(("GL-00", "SC-26"))
"""Findings that say that nothing wrong was found."""
ALL_WELL: Final = "Nothing wrong found"
SHOWN: Final = 3
COMMAND_SHOWN: Final = 40
READ_ENOUGH: Final = 0.5
"""Share of the lines that must be understood before what was read speaks for the whole."""


def verdict(findings: Sequence[Finding], facts: Facts, checks: Sequence[str], outputs: Sequence[str]) -> Verdict:
    """The first finding's sentence; else what could not be judged; else that nothing is wrong, with the checks that passed.

    outputs: commands whose outputs nobody reads, those with most lines first.
    """
    sections, understood, unread = _lines(facts)
    top = _top(findings, has_data=sections > 0)
    if top is not None and top.severity != "info":
        form = "unexplained" if top.ref in (MESSAGES, STATES) else "explained"
        return Verdict(top.verdict or top.title, top.severity, top.confidence, top.ref, form)  # type: ignore[arg-type]
    if not sections:
        named = f"; there is no reader for {_commands(outputs)}" if outputs else ""
        title = f"Not judged: nothing in these files could be read as a dump, a listing or a log{named}"
        return Verdict(title, "info", 0.0, "", "not_judged") if top is None else _calm(top, "explained")
    if understood < READ_ENOUGH * (understood + unread):
        lines = f"{count(unread)} of {count(understood + unread)} lines could not be read"
        named = f", among them {_commands(outputs)}" if outputs else ""
        return Verdict(f"Not judged: {lines}{named}", "info", 0.1, "", "not_judged")
    if top is not None and (top.ref not in HEALTHY or not unread):
        return _calm(top, "healthy" if top.ref in HEALTHY else "explained")
    if unread:
        named = f" ({_commands(outputs)})" if outputs else ""
        read = f"what was read raises no alarm, but {plural(unread, 'line')} could not be read{named}"
        return Verdict(f"Not judged: {read}", "info", 0.2, "", "not_judged")
    if top is not None:
        return _calm(top, "healthy")
    if not checks:
        title = f"Not judged: {plural(sections, 'section')} read, and no check speaks of what they hold"
        return Verdict(title, "info", 0.1, "", "not_judged")
    return Verdict(f"{ALL_WELL}: {listed(checks, SHOWN)}", "info", 0.5, "", "healthy")


def _commands(outputs: Sequence[str]) -> str:
    return listed([f"\u201c{command[:COMMAND_SHOWN]}\u201d" for command in outputs], 2)


def _calm(top: Finding, form: str) -> Verdict:
    return Verdict(top.verdict or top.title, top.severity, top.confidence, top.ref, form)  # type: ignore[arg-type]


def _top(findings: Sequence[Finding], *, has_data: bool) -> Finding | None:
    """The finding that the case is about: the gravest; of those that are only information one that has a sentence for it."""
    worth = [finding for finding in findings if not (has_data and finding.ref in NOTES)]
    grave = [finding for finding in worth if finding.severity != "info"]
    return next(iter(grave or [finding for finding in worth if finding.verdict or finding.ref in NOTES]), None)


def _lines(facts: Facts) -> tuple[int, int, int]:
    """Sections that a parser read, and lines of all sections that were understood and were not."""
    if not facts.has(Section):
        return 0, 0, 0
    rows = facts.scan(Section).select(
        (pl.col("format") != "unknown").sum(), pl.col("understood").sum(), pl.col("not_understood").sum()
    ).collect()  # fmt: skip
    sections, understood, unread = rows.row(0)
    return sections, understood, unread
