"""Rules: functions that take facts and limits and yield what they saw; the sentences come from TOML by the
rule's ref.
"""

from __future__ import annotations

import importlib
import logging
import pkgutil
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import cache
from typing import Any, Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.findings.harm import Harm
from apps.diagnosis.engine.core.findings.seen import Seen, finding_of
from apps.diagnosis.engine.core.model import Finding
from apps.diagnosis.engine.core.words.filling import Given, faults
from apps.diagnosis.engine.core.words.knowledge import limits, rule_texts
from parsers.dataclass import dataclass

logger = logging.getLogger(__name__)
GRAVE: Final = ("critical", "high", "medium")


RuleFunction = Callable[..., Iterable[Seen]]
"""Takes its facts in the order of ``needs``, then the ``Limits`` of its ref; yields ``Seen``."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A registered rule. ``needs``: classes of the facts that it takes. ``words``: dataclasses of what it gives to its
    sentences. ``alone``: it speaks of what all others left over. It takes, before its limits, the nodes of the grave
    findings of its product: empty where there are none, and with None where one names no node.
    """

    ref: str
    function: RuleFunction
    needs: tuple[type[Any], ...]
    words: tuple[type[Any], ...]
    alone: bool = False


@dataclass(slots=True)
class RuleNotes:
    """Rules that failed: their ref and the class of the error, for the reader; the traceback goes to the log."""

    failed: list[tuple[str, str]] = field(default_factory=list)


_RULES: dict[str, Rule] = {}


def rule(
    ref: str, *, needs: tuple[type[Any], ...], words: type[Any] | tuple[type[Any], ...], alone: bool = False
) -> Callable[[RuleFunction], RuleFunction]:
    """Register a rule under its ref in the findings of the knowledge base."""

    def register(function: RuleFunction) -> RuleFunction:
        if ref in _RULES:
            raise ValueError(f"two rules are named {ref}")
        _RULES[ref] = Rule(ref, function, needs, words if isinstance(words, tuple) else (words,), alone)
        return function

    return register


@cache
def load(packages: tuple[str, ...]) -> dict[str, Rule]:
    """All rules of some packages by ref. Raises ValueError where a rule has no text. That the texts name only what the
    rules give is for ``faults_of``, at the time of testing.
    """
    for name in packages:
        package = importlib.import_module(name)
        for module in sorted(info.name for info in pkgutil.iter_modules(package.__path__)):
            importlib.import_module(f"{name}.{module}")
    found = {ref: one for ref, one in sorted(_RULES.items()) if one.function.__module__.startswith(packages)}
    if missing := set(found) - set(rule_texts()):
        raise ValueError(f"the findings lack {', '.join(sorted(missing))}")
    return found


def faults_of(one: Rule) -> Iterator[str]:
    """What would fail when a finding of this rule is put into words."""
    text, given = (
        rule_texts()[one.ref],
        Given(one.words, frozenset(limits(one.ref).names()), frozenset(rule_texts()[one.ref].levels)),
    )
    yield from (f"{one.ref}: {fault}" for fault in faults(text.sentences(), text.clauses, given))
    for name, level in text.levels.items():
        if level.variant and level.variant not in text.variants:
            yield f"{one.ref}: level {name} has no variant {level.variant}"
    for figure in text.figures:
        if figure.of not in given.names():
            yield f"{one.ref}: figure {figure.name} is of {figure.of}, no field of its words"
        group, _, limit = figure.limit.rpartition(".")
        if figure.limit and limit not in (limits(group).all() if group else given.limits):
            yield f"{one.ref}: figure {figure.name} shows {figure.limit}, no limit"


def run(chosen: Iterable[Rule], case: Case, notes: RuleNotes) -> list[Finding]:
    """Findings of all rules. A rule that fails is noted and the others go on."""
    findings: list[Finding] = []
    harm = case.get(Harm)
    for one in sorted(chosen, key=lambda one: one.alone):
        spoken_of = (_spoken_of(findings, rule_texts()[one.ref].product),) if one.alone else ()
        try:
            findings.extend(_findings(one, case, harm, *spoken_of))
        except Exception as error:
            logger.exception("rule %s failed", one.ref)
            notes.failed.append((one.ref, type(error).__name__))
    return findings


def _spoken_of(findings: Iterable[Finding], product: str) -> frozenset[str | None]:
    grave = [one for one in findings if one.severity in GRAVE and rule_texts()[one.ref].product == product]
    return frozenset(node for one in grave for node in one.nodes or (None,))


def _findings(one: Rule, case: Case, harm: Harm, *spoken_of: frozenset[str | None]) -> Iterator[Finding]:
    text, bounds = rule_texts()[one.ref], limits(one.ref)
    for seen in one.function(*(case.get(need) for need in one.needs), *spoken_of, bounds):
        yield harm.weighed(*finding_of(text, seen, bounds))
