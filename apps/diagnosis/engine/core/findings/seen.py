"""What a rule saw, and how it becomes a finding: all sentences, severities and factors of confidence come from the
rule's text.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import fields, replace
from typing import Any, Final, Protocol

from apps.diagnosis.engine.core.model import BASES, Advice, Figure, Finding, Part, Ref
from apps.diagnosis.engine.core.things import Thing
from apps.diagnosis.engine.core.words.filling import fill, headed
from apps.diagnosis.engine.core.words.knowledge import FigureText, Limits, RuleText, limits
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass

LINES_SHOWN: Final = 8
FIGURES_SHOWN: Final = 4
COMPLETE: Final = Part("completeness", 1.0, phrase("parts.complete"))


class Placed(Protocol):
    """A record, or what is made of one."""

    @property
    def ref(self) -> Ref:
        """Where it stands."""
        ...

    @property
    def node(self) -> str | None:
        """The node it is of."""
        ...

    @property
    def at(self) -> int | None:
        """When, in us."""
        ...

    @property
    def zone_min(self) -> int | None:
        """Offset of its clock from UTC."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """One thing that a rule saw.

    level: a name under ``levels`` of the rule's text: severity, and with it basis, wording and tunings where they
    differ. words: an instance of the rule's dataclass; values as they are, the text says how they are printed. lines:
    the lines that show it, each once, the most telling first; ``most_lines`` are kept. shown: records that show it,
    whose lines, nodes and times count as well; the zone is that of the first, where none is given. borne_by: how many
    lines and nodes bear it out, where that differs from the lines and nodes shown. times: instants (us) that it
    spans, None where unknown. goes_on: no end of it is seen, so the finding has none. parts, harm: names under
    ``parts`` and ``harm`` of the text. variant: the wording, where it does not follow from the level. tunings: None
    for those of the level or of the rule. causes: refs of findings that are symptoms of this one. advice: where a
    tuning applies; its ``unfit`` is a name under ``unfit`` of the text. applies_to: scopes on which all tunings
    apply. weight orders findings of one severity. things: what it speaks of, by sort and name.
    """

    level: str
    words: Any
    lines: Iterable[Ref] = ()
    shown: Collection[Placed] = ()
    most_lines: int = LINES_SHOWN
    nodes: Iterable[str | None] = ()
    times: Iterable[int | None] = ()
    goes_on: bool = False
    zone_min: int | None = None
    borne_by: tuple[int, int] | None = None
    parts: tuple[str, ...] = ()
    harm: str = ""
    variant: str = ""
    tunings: tuple[str, ...] | None = None
    causes: tuple[str, ...] = ()
    advice: tuple[Advice, ...] = ()
    applies_to: tuple[str | None, ...] = ()
    weight: float = 0.0
    things: Iterable[Thing] = ()


def finding_of(text: RuleText, seen: Seen, bounds: Limits) -> tuple[Finding, str]:
    """The finding, and the harm that the rule itself shows, in words."""
    level = text.levels[seen.level]
    words = {field.name: getattr(seen.words, field.name) for field in fields(seen.words)} | {
        "level": seen.level,
        "limit": bounds,
    }

    def filled(sentence: str) -> str:
        return fill(sentence, words, text.clauses)

    variant = seen.variant or level.variant
    chosen = text.variants[variant] if variant else text.words
    lines = tuple(dict.fromkeys((*seen.lines, *(one.ref for one in seen.shown))))[: seen.most_lines]
    nodes = tuple(sorted({node for node in (*seen.nodes, *(one.node for one in seen.shown)) if node}))
    times = [time for time in (*seen.times, *(one.at for one in seen.shown)) if time is not None]
    zone_min = next((one.zone_min for one in seen.shown), None) if seen.zone_min is None else seen.zone_min
    basis = level.basis or text.basis
    tunings = seen.tunings if seen.tunings is not None else level.tunings if level.tunings is not None else text.tunings
    parts = _parts(text, seen, filled, seen.borne_by or (len(lines), len(nodes)))
    finding = Finding(
        rule=text.rule,
        ref=text.ref,
        severity=level.severity,
        basis=basis,
        title=headed(filled(chosen.title), words),
        explanation=filled(chosen.explanation),
        verdict=headed(filled(chosen.verdict), words),
        logged=headed(filled(chosen.logged), words),
        disproved_by=filled(text.disproved_by),
        evidence=lines,
        nodes=nodes,
        start=min(times, default=None),
        end=None if seen.goes_on else max(times, default=None),
        zone_min=zone_min,
        figures=tuple(_figures(text.figures, words, bounds, filled)),
        tunings=tunings,
        parts=(
            *parts,
            Part("basis", BASES[basis], f"{basis}: {text.source}"),
        ),
        causes=seen.causes,
        weight=seen.weight,
        advice=(
            *(replace(one, unfit=filled(text.unfit[one.unfit])) if one.unfit else one for one in seen.advice),
            *(Advice(tuning, scope) for tuning in tunings for scope in seen.applies_to),
        ),
        at_stake=text.at_stake,
        things=frozenset(seen.things),
    )
    return finding, filled(text.harm[seen.harm]) if seen.harm else ""


def _parts(text: RuleText, seen: Seen, filled: Any, borne_by: tuple[int, int]) -> Iterator[Part]:
    chosen = [text.parts[name] for name in seen.parts]
    if not any(part.name == "evidence" for part in chosen):
        yield evidence_part(*borne_by)
    if not any(part.name == "completeness" for part in chosen):
        yield COMPLETE
    yield from (replace(part, why=filled(part.why)) for part in chosen)


def _figures(texts: Iterable[FigureText], words: dict[str, Any], bounds: Limits, filled: Any) -> Iterator[Figure]:
    for text in texts:
        value = words.get(text.of)  # a figure of another wording's words shows nothing here
        if value is None:
            continue
        for name, number in _named(filled(text.name), value):
            if number is not None:
                unit = "%" if text.share else text.unit.format_map(words)
                yield Figure(name, _rounded(number, text), unit, filled(text.limit_text) or _limit(text, bounds))


def _named(name: str, value: Any) -> Iterator[tuple[str, float | None]]:
    """Pairs as they are; of plain numbers the first few, from the second on with their place."""
    if isinstance(value, tuple) and value and isinstance(value[0], tuple):
        yield from value
        return
    numbers = value if isinstance(value, tuple) else (value,)
    for place, number in enumerate(numbers[:FIGURES_SHOWN], 1):
        yield (name if place == 1 else f"{name} {place}"), number


def _rounded(number: float, text: FigureText) -> float:
    shown = 100 * number if text.share else number
    return shown if text.digits is None else round(shown, text.digits or None)


def _limit(text: FigureText, bounds: Limits) -> str:
    if not text.limit:
        return ""
    group, _, name = text.limit.rpartition(".")
    of = limits(group) if group else bounds
    return f"limit {100 * getattr(of, name):g} %" if text.share else of.words(name)


def evidence_part(lines: int, nodes: int) -> Part:
    """More lines and more nodes make a finding surer; nobody is surer than 0.98."""
    value = min(0.98, 0.8 + 0.03 * min(lines, 4) + 0.03 * min(nodes, 2))
    return Part(
        "evidence",
        round(value, 2),
        f"{lines} {'line' if lines == 1 else 'lines'}, {nodes} {'node' if nodes == 1 else 'nodes'}",
    )
