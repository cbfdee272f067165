"""Words and half sentences that are no part of a finding's text: ``knowledge/<product>/phrases*.toml``, a table a
group.

    [scale-ends]
    lock = "no thread that holds it is seen"

Values are filled in as in the sentences of findings. A key that no file has, or values that its text does not use, is
an error.
"""

from __future__ import annotations

import string
from collections.abc import Mapping
from functools import cache
from typing import Any

from apps.diagnosis.engine.core.words.filling import Clauses, fill
from apps.diagnosis.engine.core.words.knowledge import rows_of

_PLAIN = Clauses({}, {})


def phrases(group: str) -> Mapping[str, str]:
    """All texts of a group by key."""
    return rows_of("phrases")[group]


def phrase(key: str, **values: Any) -> str:
    """One text, ``group.key``, filled. Raises KeyError for an unknown key, ValueError where the values are not those
    that it names.
    """
    if not values:
        return _without_values(key)
    text = _text(key)
    if names_in(text) != values.keys():
        raise ValueError(f"phrase {key}: its text needs {sorted(names_in(text))}, given are {sorted(values)}")
    return fill(text, values, _PLAIN)


@cache
def _without_values(key: str) -> str:
    text = _text(key)
    if names := names_in(text):
        raise ValueError(f"phrase {key}: its text needs {sorted(names)}, given are none")
    return fill(text, {}, _PLAIN)


@cache
def _text(key: str) -> str:
    group, _, name = key.partition(".")
    return phrases(group)[name]


@cache
def names_in(text: str) -> frozenset[str]:
    """The values that a text needs."""
    return frozenset(name for _, name, _, _ in string.Formatter().parse(text) if name)
