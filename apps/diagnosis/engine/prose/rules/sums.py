"""Sums that people work out in their text, computed again: a sum of two figures, and a change by so many per cent."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple

from apps.diagnosis.engine.core.facts.claims import Claims, Sentence
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.prose.presence import ProductShown
from parsers.dataclass import dataclass

_NUMBER: Final = r"\d{1,12}(?:\.\d{1,12})?"
_UNIT: Final = r"(?: ?[A-Za-z/]{1,8})?"
# Two figures, one sign and what it gives; "* 100 =" behind a fraction makes it a share. Not a part of a longer sum on
# either side.
_SUM: Final = re.compile(
    rf"(?<![\w.,:/+*\u00d7-])(?<![-+*/\u00d7=] )({_NUMBER}){_UNIT} ?( - | \+ | x "
    rf"|\\?[*\u00d7]|/)\s?({_NUMBER}){_UNIT} ?\)?( ?\\?(?:\*|x|\u00d7) ?100 ?%?)? ?= "
    rf"?({_NUMBER})(?![\d.]*\d) ?(%|per ?cent\b)?(?! ?[-+*/\u00d7=])"
)
_CHANGED: Final = (
    r"(?:drop(?:s|ped)?|fell|falls?|fallen|decreas(?:es?|ed)|reduced|sank|sinks?|shrank|shrinks?"
    r"|los(?:es?|t)|declin(?:es?|ed)|rose|rises?|risen|gr[eo]ws?|grown|increas(?:es?|ed)|gain(?:s|ed)?"
    r"|climb(?:s|ed)?)"
)
_SPAN: Final = rf"from ({_NUMBER}) ?(\S{{1,12}}?) to ({_NUMBER})(?![\d.]*\d) ?(\S{{1,12}})?"
_CHANGE: Final = re.compile(
    rf"\b{_CHANGED} (?:by )?(?:about |roughly |some |~ ?)?({_NUMBER}) ?(?:%|per ?cent\b),? {_SPAN}", re.IGNORECASE
)


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
        """Whether figures that are printed like these, rounded or cut, give the result. A whole number is meant as it
        stands.
        """
        ends = [
            _SIGNS[self.sign](one, other) * (100 if self.share else 1)
            for one in _printed_as(self.one)
            for other in _printed_as(self.other)
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


@dataclass(frozen=True, slots=True)
class SumWords:
    """sum: as it is written, without its result; right, printed: what it gives and what is printed, of which those
    ``_pct`` are shares.

    echo_pct: the rest of a wrong share, where the text states it again; rest_pct: what that is.
    """

    sum: str
    right: float | None = None
    printed: float | None = None
    right_pct: float | None = None
    printed_pct: float | None = None
    echo_pct: float | None = None
    rest_pct: float | None = None


@rule("ARITHMETIC", needs=(Claims, ProductShown), words=SumWords)
def arithmetic(claims: Claims, product: ProductShown, limits: Limits) -> Iterator[Seen]:
    """Symptom: a sum printed in the text gives another result.

    Reasoning: computed again from the figures that the text prints, however they were rounded; and changes by so many
    per cent, from one figure to another of the same unit. Source: the text itself.
    """
    for sentence in claims.sentences if product.any else ():
        for one in _sums(sentence.text):
            if not one.possible():
                yield _wrong(sentence, one, claims.sentences)
        yield from _changes(sentence, limits)


def _wrong(sentence: Sentence, one: _Sum, everything: Sequence[Sentence]) -> Seen:
    """The slip, and the sentences of the same text that build on it."""
    printed = float(one.printed)
    if not one.share:
        return Seen(
            level="sum",
            words=SumWords(one.shown, one.right, printed),
            lines=(sentence.ref,),
            borne_by=(1, 1),
            parts=("text",),
        )
    echoes = [other.ref for other in everything if _states(other, sentence.ref.artifact, 100 - printed)]
    words = SumWords(
        one.shown,
        right_pct=one.right,
        printed_pct=printed,
        echo_pct=100 - printed if echoes else None,
        rest_pct=100 - one.right,
    )
    lines = tuple(dict.fromkeys((sentence.ref, *echoes[:4])))
    return Seen(level="share", words=words, lines=lines, borne_by=(len(lines), 1), parts=("text",))


def _states(sentence: Sentence, artifact: int, percent: float) -> bool:
    return sentence.ref.artifact == artifact and any(
        claim.unit == "%" and claim.value is not None and abs(claim.value - percent) < 0.05 for claim in sentence.claims
    )


def _changes(sentence: Sentence, limits: Limits) -> Iterator[Seen]:
    for match in _CHANGE.finditer(sentence.text):
        before, after, stated = float(match[2]), float(match[4]), float(match[1])
        right = 100 * abs(1 - after / before) if before else stated
        if abs(right - stated) > max(limits.points, _step(match[1])):
            words = SumWords(
                phrase("stated-sums.change", before=match[2], after=match[4]), right_pct=right, printed_pct=stated
            )
            yield Seen(level="change", words=words, lines=(sentence.ref,), borne_by=(1, 1), parts=("text",))
