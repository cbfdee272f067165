"""What people state in prose, as typed claims: sentences, who speaks where, which claims belong together.

A claim never outweighs a measurement. Claims belong together only where one person makes them, in one sentence or in
sentences near it.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cached_property
from typing import Final

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import Claim

NEAR_LINES: Final = 6


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence with its claims, in the order of the text."""

    ref: Ref
    text: str
    speaker: str | None
    claims: tuple[Claim, ...]


def place(claim: Claim) -> Ref:
    """Where a claim stands."""
    return Ref(claim.artifact, claim.line)


class Claims:
    """What people state in one case."""

    def __init__(self, records: Records) -> None:
        self._records = records

    @cached_property
    def all(self) -> tuple[Claim, ...]:
        """All claims with a figure, in the order of the text."""
        return tuple(claim for claim in self._records.of(Claim) if claim.value is not None)

    @cached_property
    def sentences(self) -> tuple[Sentence, ...]:
        """Sentences with figures, each once; equal sentences of one artifact are one."""
        found: dict[tuple[int, str], list[Claim]] = {}
        for claim in self.all:
            found.setdefault((claim.artifact, claim.text), []).append(claim)
        return tuple(Sentence(place(some[0]), text, some[0].speaker, tuple(some)) for (_, text), some in found.items())

    def speaker_at(self, ref: Ref) -> str | None:
        """Who speaks where a line stands: the speaker of the nearest sentence above. Data of one speaker is no data of
        another.
        """
        above = [one for one in self.sentences if one.ref.artifact == ref.artifact and one.ref.line <= ref.line]
        return above[-1].speaker if above else None


def near(claim: Claim, others: Iterable[Claim]) -> list[Claim]:
    """Claims of the same person in the sentence or around it, without the claim itself."""
    return [
        other
        for other in others
        if other is not claim
        and (other.artifact, other.speaker) == (claim.artifact, claim.speaker)
        and abs(other.line - claim.line) <= NEAR_LINES
    ]
