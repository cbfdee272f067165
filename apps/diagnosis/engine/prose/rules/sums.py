"""Sums that people work out in their text, computed anew: a sum of two figures, and a change by so many per cent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from apps.diagnosis.engine.core.claims import Claims, Sentence
from apps.diagnosis.engine.core.model import Figure
from apps.diagnosis.engine.prose.rules.contradictions import Note, note

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,12})?"
_UNIT: Final = r"(?: ?[A-Za-z/]{1,8})?"
# Two figures, one sign and what it gives; "* 100 =" behind a fraction makes it a share. Not a part of a longer sum on either side.
_SUM: Final = re.compile(
    rf"(?<![\w.,:/+*\u00d7-])(?<![-+*/\u00d7=] )({_NUMBER}){_UNIT} ?( - | \+ | x |\\?[*\u00d7]|/)\s?({_NUMBER}){_UNIT} ?\)?"
    rf"( ?\\?(?:\*|x|\u00d7) ?100 ?%?)? ?= ?({_NUMBER})(?![\d.]*\d) ?(%|per ?cent\b)?(?! ?[-+*/\u00d7=])"
)
_CHANGED: Final = (
    r"(?:drop(?:s|ped)?|fell|falls?|fallen|decreas(?:es?|ed)|reduced|sank|sinks?|shrank|shrinks?|los(?:es?|t)|declin(?:es?|ed)"
    r"|rose|rises?|risen|gr[eo]ws?|grown|increas(?:es?|ed)|gain(?:s|ed)?|climb(?:s|ed)?)"
)
_SPAN: Final = rf"from ({_NUMBER}) ?(\S{{1,12}}?) to ({_NUMBER})(?![\d.]*\d) ?(\S{{1,12}})?"
_CHANGE: Final = re.compile(rf"\b{_CHANGED} (?:by )?(?:about |roughly |some |~ ?)?({_NUMBER}) ?(?:%|per ?cent\b),? {_SPAN}", re.IGNORECASE)


class _Sum(NamedTuple):
    """``one sign other = printed``; ``share``: the fraction is shown in per cent."""

    one: str
    sign: str
    other: str
    share: bool
    printed: str

    @property
    def right(self) -> float:
        """What the printed figures give."""
        return _SIGNS[self.sign](float(self.one), float(self.other)) * (100 if self.share else 1)

    @property
    def shown(self) -> str:
        """As people write it."""
        return f"{self.one} {self.sign} {self.other}".replace("*", "\u00d7")

    def possible(self) -> bool:
        """Whether figures that are printed like these, rounded or cut, give the result. A whole number is meant as it stands."""
        ends = [
            _SIGNS[self.sign](one, other) * (100 if self.share else 1) for one in _printed_as(self.one) for other in _printed_as(self.other)
        ]
        slack = _step(self.printed)
        return min(ends) - slack < float(self.printed) < max(ends) + slack


_SIGNS: Final[dict[str, Callable[[float, float], float]]] = {
    "*": lambda one, other: one * other,
    "/": lambda one, other: one / other if other else 0.0,
    "+": lambda one, other: one + other,
    "-": lambda one, other: one - other,
}


def _step(text: str) -> float:
    """One unit of the last digit printed."""
    return 10.0 ** -len(text.partition(".")[2])


def _printed_as(text: str) -> tuple[float, ...]:
    """The ends of what is printed so."""
    value = float(text)
    return (value - _step(text) / 2, value + _step(text)) if "." in text else (value,)


def _sums(text: str) -> Iterator[_Sum]:
    for match in _SUM.finditer(text):
        sign = match[2].strip().removeprefix("\\").replace("\u00d7", "*").replace("x", "*")
        share = sign == "/" and (match[4] is not None or match[6] is not None)
        if float(match[3]) or sign != "/":
            yield _Sum(match[1], sign, match[3], share, match[5])


@note("ARITHMETIC")
def sums(facts: CaseFacts) -> Iterator[Note]:
    """A sum printed with a result that its figures do not give, however they were rounded."""
    everything = facts.get(Claims).sentences
    for sentence in everything:
        for one in _sums(sentence.text):
            if not one.possible():
                yield _wrong(sentence, one, everything)


def _wrong(sentence: Sentence, one: _Sum, everything: Sequence[Sentence]) -> Note:
    """The slip, and the sentences of the same text that build on it."""
    unit = " %" if one.share else ""
    rest = 100 - float(one.printed)
    echoes = [other for other in everything if one.share and _states(other, sentence.ref.artifact, rest)]
    follows = f" The text builds on it where it says {rest:g} %: that is {100 - one.right:.1f} %." if echoes else ""
    right = f"{one.right:.1f}" if one.share else f"{one.right:.6g}"
    return Note(
        title=f"A sum in the text is wrong: {one.shown} is {right}{unit}, not {one.printed}{unit}",
        explanation=f"Computed anew from the figures as printed it is {right}{unit}.{follows} Findings rest on what was measured.",
        evidence=tuple(dict.fromkeys((sentence.ref, *(echo.ref for echo in echoes[:4])))),
        disproved_by="Other figures than those printed in the sentence were meant.",
        figures=(Figure("Computed anew", round(one.right, 2), unit.strip()), Figure("As printed", float(one.printed), unit.strip())),
        sure=0.97,
    )


def _states(sentence: Sentence, artifact: int, percent: float) -> bool:
    return sentence.ref.artifact == artifact and any(
        claim.unit == "%" and claim.value is not None and abs(claim.value - percent) < 0.05 for claim in sentence.claims
    )


@note("ARITHMETIC")
def changes(facts: CaseFacts) -> Iterator[Note]:
    """A change of so many per cent, from one figure to another of the same unit."""
    for sentence in facts.get(Claims).sentences:
        for match in _CHANGE.finditer(sentence.text):
            before, after, stated = float(match[2]), float(match[4]), float(match[1])
            right = 100 * abs(1 - after / before) if before else stated
            if abs(right - stated) > max(1.0, _step(match[1])):
                yield Note(
                    title=f"A sum in the text is wrong: from {match[2]} to {match[4]} is a change of {right:.1f} %, not {match[1]} %",
                    explanation=f"The change is |{match[4]} - {match[2]}| / {match[2]} = {right:.1f} %.",
                    evidence=(sentence.ref,),
                    disproved_by="Other figures than those printed in the sentence were meant.",
                    figures=(Figure("Computed anew", round(right, 2), "%"), Figure("As printed", stated, "%")),
                )
