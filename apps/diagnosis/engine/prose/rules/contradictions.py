"""Notes on a text that contradicts itself or the data in it, always of severity info.

A note is a function ``(facts) -> Iterable[Note]`` under ``@note(kind)``. It rests on two typed quantities that exclude each other,
or on a claim against a record; and there are none where no record of the case shows a product. A claim never outweighs a measurement.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from apps.diagnosis.engine.core.model import Basis, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.prose.presence import ProductShown

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

Kind = Literal["CONTRADICTION"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """One remark on a text. ``sure`` is how certain it is that both sides speak of the same thing."""

    title: str
    explanation: str
    evidence: tuple[Ref, ...]
    disproved_by: str
    figures: tuple[Figure, ...] = ()
    nodes: tuple[str, ...] = ()
    sure: float = 0.9
    why: str = "both figures stand in the text"
    basis: Basis | None = None


NoteFunction = Callable[["CaseFacts"], Iterable[Note]]
_NOTES: Final[dict[str, list[NoteFunction]]] = {"CONTRADICTION": []}


def note(kind: Kind) -> Callable[[NoteFunction], NoteFunction]:
    """Register a function that yields notes of a kind."""

    def register(function: NoteFunction) -> NoteFunction:
        _NOTES[kind].append(function)
        return function

    return register


def _drafts(facts: CaseFacts, kind: Kind) -> Iterator[Draft]:
    """All notes of a kind, in the order of their modules and then of the text."""
    if not facts.get(ProductShown).any:
        return
    for function in sorted(_NOTES[kind], key=lambda f: (f.__module__, f.__qualname__)):
        for one in function(facts):
            yield Draft(
                severity="info",
                evidence=one.evidence,
                words={"title": one.title, "explanation": one.explanation, "disproved_by": one.disproved_by},
                nodes=one.nodes,
                figures=one.figures,
                parts=(evidence_part(len(one.evidence), max(1, len(one.nodes))), Part("agreement", one.sure, one.why)),
                basis=one.basis,
                tunings=(),
            )


@rule("CONTRADICTION")
def contradiction(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a sentence says what the data beside it, or another figure of the same sentence, excludes.

    Reasoning: data wins; the claim is shown with it.
    Source: the text itself.
    """
    yield from _drafts(facts, "CONTRADICTION")
