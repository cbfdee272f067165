"""Notes on a text that contradicts itself or the data in it: CONTRADICTION, ARITHMETIC, OPEN, DESTRUCTIVE; always of severity info.

A note is a function ``(facts) -> Iterable[Note]`` under ``@note(kind)``, in this file or in another file of this folder. Notes are for
what people write beside the data: a claim never outweighs a measurement, and a slip in one sum does not make the rest wrong.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from apps.diagnosis.engine.core.model import Basis, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from parsers.records import Claim, CommandRun

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

Kind = Literal["CONTRADICTION", "ARITHMETIC", "OPEN", "DESTRUCTIVE"]


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
_NOTES: Final[dict[str, list[NoteFunction]]] = {"CONTRADICTION": [], "ARITHMETIC": [], "OPEN": [], "DESTRUCTIVE": []}


def note(kind: Kind) -> Callable[[NoteFunction], NoteFunction]:
    """Register a function that yields notes of a kind."""

    def register(function: NoteFunction) -> NoteFunction:
        _NOTES[kind].append(function)
        return function

    return register


def _drafts(facts: CaseFacts, kind: Kind) -> Iterator[Draft]:
    """All notes of a kind, in the order of their modules and then of the text."""
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


@rule("ARITHMETIC")
def arithmetic(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a sum printed in the text gives another result.

    Reasoning: computed anew from the figures that the text prints.
    Source: the text itself.
    """
    yield from _drafts(facts, "ARITHMETIC")


@rule("OPEN")
def open_question(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the text leaves open what would decide its question.

    Reasoning: named, with the data that would answer it.
    Source: the text itself.
    """
    yield from _drafts(facts, "OPEN")


@rule("DESTRUCTIVE")
def destructive(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a command in the text erases data where it is repeated.

    Reasoning: dd to a block device and mkfs overwrite what was there.
    Source: dd(1), mkfs(8).
    """
    yield from _drafts(facts, "DESTRUCTIVE")


# Sums in sentences.

NUMBER: Final = r"\d{1,9}(?:\.\d{1,6})?"
_SHARE: Final = re.compile(
    rf"({NUMBER}) ?/ ?({NUMBER}) ?\)? ?(?:\*|x|\u00d7) ?100 ?(?:%|percent)? ?=> ?({NUMBER})|"
    rf"({NUMBER}) ?/ ?({NUMBER}) ?\)? ?(?:\*|x|\u00d7) ?100 ?= ?({NUMBER}) ?%"
)
_FROM_TO: Final = re.compile(
    rf"(?:dropp?ed|fell|decreased|reduced|lost)\b.{{0,60}}?({NUMBER}) ?(?:%|percent)\b.{{0,40}}?\bfrom ({NUMBER}) ?\S{{1,12}} to ({NUMBER})"
)
_SLOWER: Final = re.compile(rf"({NUMBER}) ?(?:%|percent) slower")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence in which figures are claimed, once."""

    ref: Ref
    text: str
    speaker: str | None
    has_figures: bool


def sentences(facts: CaseFacts) -> list[Sentence]:
    """Sentences with claims, each once, in the order of the text."""
    if not facts.facts.has(Claim):
        return []
    rows = facts.facts.frame(Claim).sort("artifact", "line").select("artifact", "line", "text", "speaker", "value").iter_rows()
    found: dict[tuple[int, str], Sentence] = {}
    for artifact, line, text, speaker, value in rows:
        found.setdefault((artifact, text), Sentence(Ref(artifact, line), text, speaker, value is not None))
    return [*found.values()]


def speaker_at(everything: list[Sentence], ref: Ref) -> str | None:
    """Who speaks where a line stands: the speaker of the nearest sentence above. Data of one speaker is no data of another."""
    above = [one for one in everything if one.ref.artifact == ref.artifact and one.ref.line <= ref.line]
    return above[-1].speaker if above else None


def _rounding(text: str) -> float:
    """Half of the last digit printed."""
    return 0.5 * 10.0 ** -len(text.partition(".")[2])


@note("ARITHMETIC")
def shares(facts: CaseFacts) -> Iterator[Note]:
    """A quotient printed with a result that it does not give."""
    everything = sentences(facts)
    for sentence in everything:
        for match in _SHARE.finditer(sentence.text):
            above, below, printed = match[1] or match[4], match[2] or match[5], match[3] or match[6]
            if float(below) == 0:
                continue
            right = 100 * float(above) / float(below)
            if abs(right - float(printed)) > _rounding(printed) + 0.05:
                yield _wrong_share(sentence, everything, (above, below, printed), right)


def _wrong_share(sentence: Sentence, everything: list[Sentence], figures: tuple[str, str, str], right: float) -> Note:
    """The slip, and the sentences of the same text that build on it."""
    above, below, printed = figures
    rest = 100 - float(printed)
    echo = [
        other
        for other in everything
        if other.ref.artifact == sentence.ref.artifact and any(abs(float(m[1]) - rest) < 0.05 for m in _SLOWER.finditer(other.text))
    ]
    repeated = [other for other in echo if other is not sentence]
    follows = f" The text builds on it where it says {rest:g} % slower: that is {100 - right:.1f} %." if echo else ""
    return Note(
        title=f"A sum in the text is wrong: {above} / {below} is {right:.1f} %, not {printed} %",
        explanation=(
            f"The text prints ({above} / {below}) * 100 = {printed} %; computed anew it is {right:.1f} %, and "
            f"{100 - right:.1f} % less than the whole."
            f"{follows} Both figures are shown; ratios here use the measured rates."
        ),
        evidence=(sentence.ref, *(other.ref for other in repeated[:4])),
        disproved_by="Other figures than those printed in the sentence were meant.",
        figures=(Figure("Computed anew", round(right, 2), "%"), Figure("As printed", float(printed), "%")),
        sure=0.97,
    )


@note("ARITHMETIC")
def drops(facts: CaseFacts) -> Iterator[Note]:
    """``dropped N percent, from A to B``."""
    for sentence in sentences(facts):
        for match in _FROM_TO.finditer(sentence.text):
            before, after = float(match[2]), float(match[3])
            right = 100 * (1 - after / before) if before else 0.0
            if before and abs(right - float(match[1])) > max(1.0, _rounding(match[1])):
                yield Note(
                    title=f"A sum in the text is wrong: from {match[2]} to {match[3]} is a drop of {right:.1f} %, not {match[1]} %",
                    explanation=f"The drop is (1 - {match[3]} / {match[2]}) * 100 = {right:.1f} %.",
                    evidence=(sentence.ref,),
                    disproved_by="Other figures than those printed in the sentence were meant.",
                    figures=(Figure("Computed anew", round(right, 2), "%"), Figure("As printed", float(match[1]), "%")),
                )


# Commands that erase.

_RAW: Final = re.compile(r"\bdd\b.{0,400}\bof=/dev/(?!null\b|zero\b|stdout\b)\S")
_MKFS: Final = re.compile(r"(?:^|[\s;/])(?:mkfs(?:\.\w{2,10})?|mke2fs|newfs)\s")


@note("DESTRUCTIVE")
def erasing_commands(facts: CaseFacts) -> Iterator[Note]:
    """dd to a block device, or a new file system, among the commands of the text: one note for all of them."""
    if not facts.facts.has(CommandRun):
        return
    rows = facts.facts.frame(CommandRun).sort("artifact", "line").select("artifact", "line", "command").iter_rows()
    hits = [(Ref(artifact, line), command) for artifact, line, command in rows if _RAW.search(command) or _MKFS.search(command)]
    if not hits:
        return
    yield Note(
        title=f"{len(hits)} commands of the text erase what is on the device"
        if len(hits) > 1
        else "A command of the text erases what is on the device",
        explanation=(
            "dd to a block device and mkfs overwrite it. Before one of them is repeated: back the data up, unmount the "
            "file system on all nodes and "
            "look into the mount table of each, or use a spare LUN."
        ),
        evidence=tuple(ref for ref, _ in hits[:8]),
        disproved_by="The device held nothing that is needed.",
        sure=0.97,
        why="the commands stand in the text",
    )
