"""What a standing weighs that a listing shows, and the words for it and for its thing."""

from __future__ import annotations

import re
import string
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final

from apps.diagnosis.engine.core.words.knowledge import rows_of
from parsers.dataclass import dataclass
from parsers.messages.catalogue import WEIGHTS, Meaning, Weight, meanings
from parsers.records.kinds import RECORD_TYPES
from parsers.records.states import Quorum, Statement

_FOREIGN: Final = re.compile(r"[^\W\d_a-zA-Z\u00b5]")
"""A letter of another language: what a tool said in its own words is quoted."""
STATEMENTS: Final = tuple(kind for kind in RECORD_TYPES if issubclass(kind, Statement))
"""Kinds of records that say how a thing stands."""


@dataclass(frozen=True, slots=True)
class StateText:
    """What a standing of a kind of record weighs, and the words for it. harm: what follows from it, behind the state;
    sums: the object whose state only sums up those of the others on its node; noted: an all-clear names it; sorts:
    other words where the record is of that sort, of a component so called, or in that state.
    """

    weight: Weight
    object: tuple[str, ...]
    phrase: str
    meaning: str = ""
    next: str = ""
    commands: tuple[str, ...] = ()
    loses: str = ""
    harm: str = ""
    sums: str = ""
    noted: bool = False
    sorts: Mapping[str, StateText] = field(default_factory=dict)


@cache
def state_texts() -> Mapping[tuple[str, str], StateText]:
    """Texts by the name of the record and its standing."""
    found = {}
    for kind, rows in rows_of("states").items():
        for standing, row in rows.items():
            if row.get("weight") not in WEIGHTS[1:]:
                raise ValueError(f"states: {kind}.{standing} has no weight that is known")
            plain = {key: value for key, value in row.items() if key != "sorts"}
            sorts = {sort: _state_text(plain | own) for sort, own in row.get("sorts", {}).items()}
            found[kind, standing] = replace(_state_text(plain), sorts=sorts)
    return found


def _state_text(row: Mapping[str, Any]) -> StateText:
    return StateText(**{**row, "object": tuple(row["object"]), "commands": tuple(row.get("commands", ()))})


def standing_of(record: Any) -> str:
    """The standing of a record: for quorum lost, held or unknown."""
    if isinstance(record, Quorum):
        return {True: "held", False: "lost", None: "unknown"}[record.quorate]
    return str(getattr(record, "standing", "unknown"))


def text_of(record: Any) -> StateText | None:
    """The words for the standing of a record."""
    text = state_texts().get((type(record).__name__, standing_of(record)))
    return text.sorts.get(_sort_of(record, text), text) if text is not None and text.sorts else text


def _sort_of(record: Any, text: StateText) -> str:
    """Its own sort; of a component or a row what it is called ahead of its name, or its state, where a row of words is
    called so.
    """
    sort: str = getattr(record, "sort", "")
    if sort or not text.sorts:
        return sort
    known = (getattr(record, name, None) for name in ("component", "name"))
    state = (getattr(record, "state", None) or "").partition(",")[0]
    thing = f"{next(filter(None, known), '')} "
    return next((one for one in text.sorts if one == state or thing.startswith(f"{one} ")), "")


def kind_of(record: Any) -> str:
    """The kind of an alarm: of the record and its standing, and of its sort where that has words of its own."""
    kind = f"{type(record).__name__}.{standing_of(record)}"
    text = state_texts().get((type(record).__name__, standing_of(record)))
    sort = _sort_of(record, text) if text is not None else ""
    return f"{kind}.{sort}" if text is not None and sort in text.sorts else kind


def weight_of(record: Any) -> Weight:
    """What the standing of a record weighs; empty where nothing is said of it."""
    text = text_of(record)
    return text.weight if text is not None else ""


def object_of(record: Any) -> str:
    """Words for the thing that a record speaks of: the same in every standing."""
    kind = type(record).__name__
    return _object_words(kind, _naming(kind)(record))


def objects_of(records: Iterable[Any]) -> Iterator[tuple[Any, str]]:
    """Nodes of records of one kind, each with the words for a thing that it shows: each pair once."""
    seen: set[Any] = set()
    for record in records:
        values = _naming(type(record).__name__)(record)
        if (key := (record.node, values)) not in seen:
            seen.add(key)
            yield record.node, _object_words(type(record).__name__, values)


@cache
def _naming(kind: str) -> Callable[[Any], tuple[Any, ...]]:
    """Gives the columns of a record that name the thing it speaks of."""
    columns = _object_columns(kind)
    if len(columns) > 1:
        return attrgetter(*columns)
    return lambda record: tuple(getattr(record, name) for name in columns)


@lru_cache(maxsize=65_536)
def _object_words(kind: str, values: tuple[Any, ...]) -> str:
    """The same by the values of the columns that name it: one thing is shown again and again."""
    known = dict(zip(_object_columns(kind), values, strict=True))
    parts = [_filled(part, known) for part in _object_parts(kind)]
    return " ".join(part for part in parts if part) or _kind_words(kind, str(known.get("sort") or ""))


@cache
def _object_columns(kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one for part in _object_parts(kind) for _, names in part for one in names))


def _kind_words(kind: str, sort: str) -> str:
    """A record that names no thing is one of its sort, or of its kind: ``Membership`` is the membership."""
    if sort:
        return f"{'an' if sort[0] in 'aeiou' else 'a'} {sort}"
    return f"the {re.sub(r'(?<=[a-z])(?=[A-Z])', ' ', kind).lower()}"


@cache
def _object_parts(kind: str) -> tuple[tuple[tuple[str, tuple[str, ...]], ...], ...]:
    """Parts of the words for the things of a kind of record: literals, each with the columns that may follow it."""
    text = next(text for (one, _), text in state_texts().items() if one == kind)
    return tuple(
        tuple(
            (literal, tuple(name.split("|")) if name else ()) for literal, name, _, _ in string.Formatter().parse(part)
        )
        for part in text.object
    )


def _filled(part: Sequence[tuple[str, tuple[str, ...]]], known: Mapping[str, Any]) -> str:
    """The part with the values of a record; empty where one of them is not known. ``{a|b}`` is the first of two that
    is known.
    """
    filled = []
    for literal, names in part:
        filled.append(literal)
        if names:
            value = next((found for one in names if (found := known[one])), None)
            if value is None:
                return ""
            filled.append(str(value))
    return "".join(filled)


def state_text(record: Any) -> str:
    """The state in words, and what follows from it."""
    text = text_of(record)
    state = getattr(record, "state", None) or standing_of(record)
    if text is None:
        return str(state)
    words = f"\u201c{state}\u201d" if _FOREIGN.search(str(state)) else state
    return f"{text.phrase.format(state=words)}{f', {text.harm}' if text.harm else ''}"


def meaning_of(kind: str) -> Meaning:
    """What a kind of alarm means: of a message, of a standing, or of lines that only their level calls wrong."""
    if (found := meanings().get(kind)) is not None:
        return found
    name, _, rest = kind.partition(".")
    standing, _, sort = rest.partition(".")
    text = state_texts().get((name, standing))
    if text is not None:
        text = text.sorts.get(sort, text)
        return Meaning(
            kind=kind,
            product="",
            weight=text.weight,
            title="",
            meaning=text.meaning,
            next=text.next,
            commands=text.commands,
            loses=text.loses,
            basis="stated",
        )
    title = kind.replace("-", " ").capitalize()
    return Meaning(kind=kind, product="", weight="trouble", title=title, basis="recalled", by_level=True)
