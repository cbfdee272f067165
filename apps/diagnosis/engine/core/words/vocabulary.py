"""Words that name nobody: documented names of the products, plain English, units. A text that keeps only these names no
customer.

They stand in ``knowledge/vocabulary.toml`` and ``knowledge/<product>/vocabulary.toml``, in groups that each state their
source.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from typing import Any, Final

from apps.diagnosis.engine.core.words.knowledge import FOLDER
from parsers.dataclass import dataclass

NAME: Final = "vocabulary.toml"
FILLED: Final = re.compile(r"\{[^{}]*\}")
WORD: Final = re.compile(r"\w+")
LEAST_WORDS: Final = 3
"""Of a stretch of a sentence that is known as ours: two words may well be a customer's."""
NOT_SHOWN: Final = frozenset(("source", "sources"))
"""Values that quote where something was read: they may name people and sites."""


@dataclass(frozen=True, slots=True)
class Group:
    """Words of one kind, in lower case, and where they are documented."""

    name: str
    source: str
    words: frozenset[str]


@cache
def groups() -> tuple[Group, ...]:
    """All groups of all files. ValueError: a group lacks its source, has another key, or a word is no word of letters
    and digits.
    """
    found = []
    for path in sorted((*FOLDER.glob(NAME), *FOLDER.glob(f"*/{NAME}"))):
        product = "" if path.parent == FOLDER else f"{path.parent.name}."
        with path.open("rb") as file:
            found += [_group(f"{product}{name}", row) for name, row in tomllib.load(file).items()]
    return tuple(found)


def _group(name: str, row: Mapping[str, Any]) -> Group:
    if set(row) != {"source", "words"} or not row["source"].strip():
        raise ValueError(f"vocabulary {name}: a group has a source and words, and nothing else")
    words = row["words"].split()
    if wrong := [word for word in words if not re.fullmatch(r"[a-z0-9]{2,40}", word) or word.isdigit()]:
        raise ValueError(f"vocabulary {name}: no words in lower case: {', '.join(wrong[:5])}")
    return Group(name, row["source"], frozenset(words))


@cache
def vocabulary() -> frozenset[str]:
    """Every word of every group."""
    return frozenset().union(*(group.words for group in groups()))


@cache
def _sentences() -> frozenset[str]:
    """Every text of the knowledge files that pages show."""
    found: set[str] = set()
    for path in sorted(FOLDER.glob("**/*.toml")):
        if path.name != NAME:
            with path.open("rb") as file:
                found.update(_texts(tomllib.load(file)))
    return frozenset(text for text in found if len(WORD.findall(text)) > 1)


@cache
def _stretches() -> Mapping[tuple[str, str], tuple[str, ...]]:
    """Stretches of our own sentences between the words that are filled in, by their first two words; the
    longest first.
    """
    found: dict[tuple[str, str], set[str]] = {}
    for text in _sentences():
        for stretch in FILLED.split(text):
            words = WORD.findall(stretch)
            if len(words) >= LEAST_WORDS:
                found.setdefault((words[0], words[1]), set()).add(_between_words(stretch))
    return {start: tuple(sorted(texts, key=len, reverse=True)) for start, texts in found.items()}


def _texts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key not in NOT_SHOWN:
        yield value
    elif isinstance(value, dict):
        for name, inner in value.items():
            yield from _texts(inner, name)
    elif isinstance(value, list):
        for inner in value:
            yield from _texts(inner, key)


def _between_words(text: str) -> str:
    """From the first letter to the last: what stands at the edges belongs to what is filled in."""
    words = list(WORD.finditer(text))
    return text[words[0].start() : words[-1].end()]


def own_stretches(text: str) -> Iterator[tuple[int, int]]:
    """Where parts of a text of the program's are stretches of its own sentences, as in the knowledge files; in order,
    apart.

    The rest was filled in. Linear in the text: a stretch is looked for only where its first two words stand.
    """
    if text in _sentences():
        yield 0, len(text)
        return
    words = list(WORD.finditer(text))
    known, end = _stretches(), 0
    for word, following in pairwise(words):
        if word.start() < end:
            continue
        for stretch in known.get((word[0], following[0]), ()):
            last = word.start() + len(stretch)
            if text.startswith(stretch, word.start()) and not WORD.match(text, last):
                yield word.start(), last
                end = last
                break
