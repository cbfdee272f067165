"""How the rules on the cluster stack of Veritas put together a draft: lines once each, nodes sorted, factors of the confidence."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Basis, Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part

MOST_LINES = 8


def draft(
    severity: Severity,
    evidence: Iterable[Ref],
    words: dict[str, Any],
    *,
    variant: str = "",
    nodes: Iterable[str | None] = (),
    times: Iterable[int | None] = (),
    zone_min: int | None = None,
    figures: Iterable[Figure | None] = (),
    lacks: str = "",
    tunings: tuple[str, ...] | None = None,
    advice: tuple[Advice, ...] = (),
    causes: tuple[str, ...] = (),
    weight: float = 0.0,
    basis: Basis | None = None,
    harm: str = "",
) -> Draft:
    """A draft. ``lacks``: what is missing for certainty, in words; nothing where all is there."""
    lines = tuple(dict.fromkeys(evidence))[:MOST_LINES]
    named = tuple(sorted({node for node in nodes if node}))
    known = [time for time in times if time is not None]
    complete = Part("completeness", 0.8, lacks) if lacks else Part("completeness", 1.0, "what the rule asks for is there")
    return Draft(
        severity=severity,
        evidence=lines,
        words=words,
        variant=variant,
        nodes=named,
        start=min(known, default=None),
        end=max(known, default=None),
        zone_min=zone_min,
        figures=tuple(figure for figure in figures if figure is not None),
        parts=(evidence_part(len(lines), len(named)), complete, Part("agreement", 1.0, "nothing contradicts it")),
        tunings=tunings,
        advice=advice,
        causes=causes,
        weight=weight,
        basis=basis,
        harm=harm,
    )


def in_words(peer: str) -> str:
    """A peer in a sentence: one of which only the id is known is called a node."""
    return f"node {peer}" if peer.isdigit() else peer


def share_words(limits: Limits, name: str) -> str:
    """A limit that is a share, as shown under a figure in per cent."""
    return f"limit {100 * getattr(limits, name):g} %"
