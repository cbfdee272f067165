"""Waits that somebody tells of and of which no dump was sent: "node larch7 was waiting 4300 seconds for an RPC to
larch2".
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.claims import Claims, Sentence
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.headings.node_banners import looks_like_host
from parsers.records.waits import Waiter

SHOWN: Final = 4
_SECONDS: Final = {"s": 1.0, "min": 60.0, "h": 3600.0, "ms": 0.001}
_HOST: Final = r"[A-Za-z][A-Za-z0-9]{0,40}(?:[-.][A-Za-z0-9]{1,40}){0,8}"
_WAITS: Final = re.compile(
    rf"(?:\b(?P<called>node|host|server|client|machine) )?(?<![\w/.-])(?P<who>{_HOST})(?: \([^()]{{1,60}}\))?"
    r" (?:(?:is|was|has been|had been|have been|were|are|kept|keeps|still|then|now) ){0,2}"
    r"(?:waiting|waits|waited|blocked|stuck|hung|hanging)\b(?! (?:longer|more) than)"
)
_ON: Final = re.compile(r"\b(?:to|on|from|by) (?:the )?(?=[A-Za-z])")
_WHOM: Final = re.compile(rf"(?:(?P<called>node|host|server|client) )?(?P<whom>{_HOST})(?![\w/])")
# Of a sentence that tells of no wait that was.
_GENERAL: Final = re.compile(
    r"\b(?:if|unless|until|would|should|could|may|might|e\.g|for example|suppose)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class StatedWords:
    """waiter: who is said to wait; whom: for whom, where the sentence names it; seconds: the longest."""

    waiter: str
    seconds: float
    whom: str | None = None


@rule("SAID", needs=(Claims, Records), words=StatedWords)
def stated_wait(claims: Claims, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a sentence says that a node waited for minutes, and no list of waits was sent.

    Reasoning: the sentence names the node and the time; it is a statement and no measurement. Source: the text itself.
    """
    if records.has(Waiter):
        return
    found = [wait for one in claims.sentences if (wait := _stated(one, limits)) is not None]
    if found:
        longest = max(found, key=lambda one: one[0].seconds)[0]
        lines: tuple[Ref, ...] = tuple(ref for _, ref in found[:SHOWN])
        nodes = {name for words, _ in found for name in (words.waiter, words.whom) if name}
        yield Seen(level="said", words=longest, lines=lines, nodes=nodes, borne_by=(len(found), 1), parts=("text",))


def _stated(sentence: Sentence, limits: Limits) -> tuple[StatedWords, Ref] | None:
    """What a sentence tells of a wait of one node."""
    who = _WAITS.search(sentence.text)
    if who is None or not _is_host(who["called"], who["who"]) or _GENERAL.search(sentence.text) is not None:
        return None
    times = [
        one.value * _SECONDS[one.unit] for one in sentence.claims if one.value is not None and one.unit in _SECONDS
    ]
    if not times or max(times) < limits.long:
        return None
    behind = (_WHOM.match(sentence.text, one.end()) for one in _ON.finditer(sentence.text, who.end()))
    others = (one["whom"] for one in behind if one is not None and _is_host(one["called"], one["whom"]))
    whom = next((name for name in others if name != who["who"]), None)
    return StatedWords(who["who"], max(times), whom), sentence.ref


def _is_host(called: str | None, name: str) -> bool:
    """Whether a word is a host's: one that is called so needs a number alone."""
    return looks_like_host(name) or bool(called and any(letter.isdigit() for letter in name))
