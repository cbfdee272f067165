"""Sentences that several rules share: a dataclass gives their words, ``knowledge/<product>/sentences*.toml`` their
text.

[storm-harm] text = "{slowed}{lasted}" when.slowed = " One pass took {slowed:seconds}."
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields
from functools import cache
from typing import Any, Final, TypeVar

from apps.diagnosis.engine.core.words.filling import Clauses, Given, faults, fill
from apps.diagnosis.engine.core.words.knowledge import limits, rows_of

W = TypeVar("W")
_KEYS: Final[dict[type[Any], str]] = {}
_SHARED: Final = limits("")


def sentence(key: str) -> Callable[[type[W]], type[W]]:
    """Register a dataclass as the words of a text. Raises ValueError where the text names what the words do
    not give.
    """

    def register(words: type[W]) -> type[W]:
        text, clauses = _text(key)
        given = Given((words,), frozenset(_SHARED.names()), frozenset())
        if wrong := list(faults({"text": text}, clauses, given)):
            raise ValueError(f"{key}: {'; '.join(wrong)}")
        _KEYS[words] = key
        return words

    return register


def render(words: Any) -> str:
    """The sentence of some words."""
    text, clauses = _text(_KEYS[type(words)])
    return fill(text, {field.name: getattr(words, field.name) for field in fields(words)} | {"limit": _SHARED}, clauses)


@cache
def _text(key: str) -> tuple[str, Clauses]:
    row = rows_of("sentences")[key]
    return row["text"], Clauses(row.get("when", {}), row.get("unless", {}))
