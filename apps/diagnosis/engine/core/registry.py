"""Rules: functions that read facts and limits and yield drafts; words, basis and limits come from TOML by the rule's ref."""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from apps.diagnosis.engine.core.knowledge import Limits, RuleText, Words, limits, rule_texts
from apps.diagnosis.engine.core.model import BASES, Advice, Basis, Figure, Finding, Part, Ref, Severity
from apps.diagnosis.engine.core.shown_harm import weighed

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """What a rule saw; the registry adds words and the basis. ``weight`` orders findings of one severity (seconds of harm).

    harm: what the evidence itself shows to have been done, in words; needed above low where the basis is proposed or recalled and no
    file shows who waited.
    """

    severity: Severity
    evidence: tuple[Ref, ...]
    words: dict[str, Any]
    variant: str = ""
    nodes: tuple[str, ...] = ()
    start: int | None = None
    end: int | None = None
    zone_min: int | None = None
    figures: tuple[Figure, ...] = ()
    parts: tuple[Part, ...] = ()
    causes: tuple[str, ...] = ()
    tunings: tuple[str, ...] | None = None
    weight: float = 0.0
    basis: Basis | None = None
    advice: tuple[Advice, ...] = ()
    harm: str = ""


RuleFunction = Callable[["CaseFacts", Limits], Iterable[Draft]]


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule."""

    ref: str
    function: RuleFunction


@dataclass(slots=True)
class RuleNotes:
    """Rules that failed: their ref and the class of the error, for the reader; the traceback goes to the log."""

    failed: list[tuple[str, str]] = field(default_factory=list)


_RULES: dict[str, Rule] = {}


def rule(ref: str) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule under its ref in findings.toml."""

    def register(function: RuleFunction) -> RuleFunction:
        if ref in _RULES:
            raise ValueError(f"two rules are named {ref}")
        _RULES[ref] = Rule(ref, function)
        return function

    return register


@cache
def rules() -> dict[str, Rule]:
    """All rules by ref; a rule without words stops the start."""
    import apps.diagnosis.engine as package

    for module in sorted(info.name for info in pkgutil.walk_packages(package.__path__, f"{package.__name__}.") if ".rules." in info.name):
        importlib.import_module(module)
    if missing := set(_RULES) - set(rule_texts()):
        raise ValueError(f"findings.toml lacks {', '.join(sorted(missing))}")
    return dict(sorted(_RULES.items()))


def run_rules(facts: CaseFacts, notes: RuleNotes) -> list[Finding]:
    """Findings of all rules. A rule that fails is noted and the others go on."""
    findings: list[Finding] = []
    for one in rules().values():
        try:
            drafts = one.function(facts, limits(one.ref))
            findings.extend(weighed(_finding(rule_texts()[one.ref], draft), draft.harm, facts) for draft in drafts)
        except Exception as error:
            logger.exception("rule %s failed", one.ref)
            notes.failed.append((one.ref, type(error).__name__))
    return findings


def _finding(text: RuleText, draft: Draft) -> Finding:
    words: Words = text.variants[draft.variant] if draft.variant else text.words
    basis = draft.basis or text.basis
    return Finding(
        rule=text.rule,
        ref=text.ref,
        severity=draft.severity,
        basis=basis,
        title=words.title.format(**draft.words),
        explanation=words.explanation.format(**draft.words),
        verdict=words.verdict.format(**draft.words) if words.verdict else "",
        disproved_by=text.disproved_by.format(**draft.words),
        evidence=tuple(dict.fromkeys(draft.evidence)),
        nodes=draft.nodes,
        start=draft.start,
        end=draft.end,
        zone_min=draft.zone_min,
        figures=draft.figures,
        tunings=text.tunings if draft.tunings is None else draft.tunings,
        parts=(*draft.parts, Part("basis", BASES[basis], f"{basis}: {text.source}")),
        causes=draft.causes,
        weight=draft.weight,
        advice=draft.advice,
        at_stake=text.at_stake,
    )


def evidence_part(lines: int, nodes: int) -> Part:
    """More lines and more nodes make a finding surer; nobody is surer than 0.98."""
    value = min(0.98, 0.8 + 0.03 * min(lines, 4) + 0.03 * min(nodes, 2))
    return Part("evidence", round(value, 2), f"{lines} {'line' if lines == 1 else 'lines'}, {nodes} {'node' if nodes == 1 else 'nodes'}")
