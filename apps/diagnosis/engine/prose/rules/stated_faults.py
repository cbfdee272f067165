"""Faults that a text tells of and that nothing in it shows: an article of a maker, a post without an output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.prose.stated_faults import gravity
from parsers.records import Narration, Section

SHOWN: Final = 4
WORDS_SHOWN: Final = 18
WORDS_OF_VERDICT: Final = 10


@dataclass(frozen=True, slots=True)
class StatedFault:
    """stated: the gravest part of a sentence that tells of a fault; short: how it begins."""

    stated: str
    short: str


@rule("TOLD", needs=(Records,), words=StatedFault)
def stated_fault(records: Records, _: Limits) -> Iterator[Seen]:
    """Symptom: sentences tell of a fault, and no output or log was sent.

    Reasoning: nothing can be checked; what is told is passed on as that. Source: the text itself.
    """
    if not records.has(Narration) or _shows_data(records):
        return
    found = [one for one in records.of(Narration) if one.sort == "fault"]
    if found:
        gravest = max(found, key=lambda one: (gravity(one.text), -one.line))
        lines = tuple(Ref(one.artifact, one.line) for one in (gravest, *(o for o in found if o is not gravest)))
        words = StatedFault(_begun(gravest.text, WORDS_SHOWN), _begun(gravest.text, WORDS_OF_VERDICT))
        yield Seen(level="told", words=words, lines=lines[:SHOWN], borne_by=(len(found), 1), parts=("text",))


def _begun(text: str, most: int) -> str:
    """The first words of a text."""
    words = text.split()
    return " ".join(words[:most]) + ("\u2026" if len(words) > most else "")


def _shows_data(records: Records) -> bool:
    """Whether a section of the case is one that a reader knows."""
    return records.has(Section) and not records.frame(Section, ~pl.col("format").is_in(("unknown", ""))).is_empty()
