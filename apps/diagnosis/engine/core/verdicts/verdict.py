"""The sentence at the top of the case, in one of four forms: explained, unexplained, not judged, healthy. The first
that fits stands.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.alarms.collected import MESSAGES, STATES
from apps.diagnosis.engine.core.alarms.titles import message_of
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Finding, Form, Verdict
from apps.diagnosis.engine.core.verdicts.incidents import first_logged
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.wording import MOST_WORDS, brief, listed, words
from parsers.records import Problem
from parsers.sections.reader import CUTS

NOTES: Final = frozenset(("CONTRADICTION", "ARITHMETIC", "DESTRUCTIVE", "SAID", "TOLD"))
"""What stands in a text about the data: worth the first line only where there is no data."""
UNSHOWN: Final = frozenset(("TOLD",))
"""Findings that only pass on what somebody tells: nothing is judged by them."""
HEALTHY: Final = frozenset(("GL-00", "SC-26"))
"""Findings that say that nothing wrong was found."""
SHOWN: Final = 3
COMMAND_SHOWN: Final = 40
ROOM: Final = 140
"""Letters of a verdict."""
TEXT_SHOWN: Final = 70
READ_ENOUGH: Final = 0.5
"""Share of the lines that must be understood before what was read speaks for the whole."""


def verdict(
    findings: Sequence[Finding],
    facts: Facts,
    checks: Sequence[str],
    outputs: Sequence[str],
    doubts: Sequence[str] = (),
    taught: int = 0,
    noted: Sequence[str] = (),
    burdened: str = "",
    heard: Sequence[str] = (),
) -> Verdict:
    """The first finding's sentence; else what could not be judged; else that nothing is wrong, with the checks that
    passed.

    outputs: commands whose outputs nobody reads, those with most lines first. doubts: log lines that sound like trouble
    and that nobody knows. taught: lines without a reader of which an entry says what they mean. noted: states that are
    not wrong and not quite in order. burdened: why no all-clear stands over a disk, as a sentence. heard: lines that
    nobody reads and that sound like trouble.
    """
    read = _lines(facts)
    read = read._replace(understood=read.understood + taught, unread=max(0, read.unread - taught))
    top = _top(findings, has_data=read.sections > 0)
    if top is not None and top.severity != "info":
        form: Form = "unexplained" if top.ref in (MESSAGES, STATES) and not top.entry else "explained"
        return replace(_of_finding(top, form), title=_with_what_came_first(top, findings))
    if top is not None and top.ref in UNSHOWN:
        return _of_finding(top, "not_judged")
    if (
        open_end := _open_end(read, outputs, top, _cut(facts), heard)
        or _doubt(doubts, top)
        or (burdened if top is None or top.ref in HEALTHY else "")
        or _unchecked(read, top, checks, noted)
    ):
        return Verdict(open_end, "info", 0.1, "", "not_judged")
    if top is not None:
        return _of_finding(top, "healthy" if top.ref in HEALTHY else "explained")
    return Verdict(_all_well(checks, noted), "info", 0.5, "", "healthy")


def _all_well(checks: Sequence[str], noted: Sequence[str]) -> str:
    """What was looked at and is not quite in order, as much of it as a verdict bears."""
    sentences = [phrase("verdict.well", checks=listed(checks, most)) for most in range(SHOWN, 1, -1)]
    if noted:
        beside = phrase("verdict.noted", states=_states(noted))
        sentences = [f"{one}{beside}" for one in (*sentences, _first_of(checks))]
    return next((one for one in sentences if _fits(one)), _first_of(checks) if noted else _passed(checks))


def _first_of(checks: Sequence[str]) -> str:
    return phrase("verdict.well", checks=checks[0])


def _passed(checks: Sequence[str]) -> str:
    return phrase("verdict.passed", checks=len(checks))


def _fits(sentence: str) -> bool:
    return words(sentence) <= MOST_WORDS and len(sentence) <= ROOM


def _states(noted: Sequence[str]) -> str:
    more = f" and {len(noted) - 1} more" if len(noted) > 1 else ""
    return f"{noted[0]}{more}"


def _open_end(read: _Read, outputs: Sequence[str], top: Finding | None, cut: int, heard: Sequence[str]) -> str:
    """Why nothing can be concluded, as a sentence; empty where something can. top: a finding that is
    information only. cut: files that end inside of their last line. heard: lines without a reader that sound like
    trouble, which say more than how many there are where no name of a command tells what they are.
    """
    if heard and not outputs and read.unread and (top is None or top.ref in HEALTHY):
        return phrase("verdict.unread-trouble", lines=len(heard), first=message_of(heard[0])[:TEXT_SHOWN])
    if not read.sections:
        unread = phrase("verdict.no-reader", outputs=_commands(outputs)) if outputs else phrase("verdict.no-output")
        return "" if top is not None else unread[:ROOM]
    if read.understood < READ_ENOUGH * (read.understood + read.unread):
        return _unread("half-read", read, outputs)
    if read.unread and (top is None or top.ref in HEALTHY):
        return _unread("partly-read", read, outputs)
    if cut and (top is None or top.ref in HEALTHY):
        return phrase("verdict.cut", files=cut)
    return ""


def _unchecked(read: _Read, top: Finding | None, checks: Sequence[str], noted: Sequence[str]) -> str:
    if top is not None or checks:
        return ""
    if noted and _fits(sentence := phrase("verdict.only-noted", states=_states(noted))):
        return sentence
    return phrase("verdict.no-check", sections=read.sections)


def _unread(key: str, read: _Read, outputs: Sequence[str]) -> str:
    """How many lines could not be read, and of which outputs where these have names."""
    numbers = {"unread": read.unread, "lines": read.understood + read.unread}
    if outputs:
        return phrase(f"verdict.{key}", **numbers, outputs=_commands(outputs))
    return phrase(f"verdict.{key}-unnamed", **numbers)


def _cut(facts: Facts) -> int:
    """Files that end inside of their last line: what would have followed may be the trouble."""
    if not facts.has(Problem):
        return 0
    title = facts.scan(Problem).filter(pl.col("message").is_in(list(CUTS))).select(pl.col("artifact").n_unique())
    return int(title.collect().item())


def _doubt(doubts: Sequence[str], top: Finding | None) -> str:
    return "" if not doubts or (top is not None and top.ref not in HEALTHY) else in_doubt(doubts)


def in_doubt(doubts: Sequence[str]) -> str:
    """Why nothing can be concluded over messages that nobody knows."""
    return phrase("verdict.unknown-messages", messages=len(doubts), first=message_of(doubts[0])[:TEXT_SHOWN])


def _of_finding(top: Finding, form: Form) -> Verdict:
    return Verdict(brief(top.verdict or top.title), top.severity, top.confidence, top.ref, form)


def _with_what_came_first(top: Finding, findings: Sequence[Finding]) -> str:
    """The sentence of a finding; one of a listing, which gives no reason, goes on with what its logs tell."""
    sentence = top.verdict or top.title
    first = first_logged(findings, findings.index(top)) if top.logged else None
    if first is None:
        return brief(sentence)
    title = first.title
    for node in top.nodes:  # it is named in front
        title = re.sub(rf" on {re.escape(node)}(?![\w.-])", "", title)
    longer = f"{top.logged}{title}"
    return brief(longer if len(longer) <= ROOM else f"{longer[: ROOM - 1].rsplit(' ', 1)[0]}\u2026")


def _commands(outputs: Sequence[str]) -> str:
    return listed([f"\u201c{command[:COMMAND_SHOWN]}\u201d" for command in outputs], 2)


def _top(findings: Sequence[Finding], *, has_data: bool) -> Finding | None:
    """The finding that the case is about: the gravest; of those that are only information one that has a sentence for
    it.
    """
    worth = [finding for finding in findings if not (has_data and finding.ref in NOTES)]
    grave = [finding for finding in worth if finding.severity != "info"]
    return next(iter(grave or [finding for finding in worth if finding.verdict or finding.ref in NOTES]), None)


class _Read(NamedTuple):
    """Sections that a parser read, and lines of all sections that were understood and were not."""

    sections: int = 0
    understood: int = 0
    unread: int = 0


def _lines(facts: Facts) -> _Read:
    formats = facts.formats
    return _Read(
        sum(one.sections for one in formats if one.name != "unknown"),
        sum(one.understood for one in formats),
        sum(one.unread for one in formats),
    )
