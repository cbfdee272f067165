"""The value of a tunable over time, node by node: what it is now, and since when the files show it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Final, NamedTuple

import polars as pl

from apps.diagnosis.engine.core.facts.records import grouped
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SettingValue:
    """The last value that the files show on a node.

    since: when the row of equal values up to it began. changed: it was another one before.
    """

    node: str | None
    value: str
    ref: Ref
    at: int | None
    since: int | None
    changed: bool


def setting_history(settings: Settings, parameter: str, scope: str | None) -> tuple[SettingValue, ...]:
    """Last readings of a parameter on a mount (or where no mount is named), a row per node, in order of node."""
    named = pl.col("name").str.to_lowercase() == parameter.lower()
    rows = settings.in_force.filter(
        named & (pl.col("scope").is_null() | (pl.col("scope") == (scope or "")) | pl.col("lists_nodes"))
    )
    of = pl.coalesce("node", pl.when("lists_nodes").then("scope")).alias("of")
    shown = map(_Shown._make, rows.select(of, "value", "at", "artifact", "line").iter_rows())
    by_node = grouped(shown, lambda one: one.node)
    return tuple(
        _value(node, _in_order(by_node[node])) for node in sorted(by_node, key=lambda node: (node is None, node or ""))
    )


class _Shown(NamedTuple):
    node: str | None
    value: str
    at: int | None
    artifact: int
    line: int


_WORDS: Final = {
    "yes": "1",
    "on": "1",
    "true": "1",
    "enable": "1",
    "enabled": "1",
    "no": "0",
    "off": "0",
    "false": "0",
    "disable": "0",
    "disabled": "0",
}
_LETTERS: Final = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}


def plain(value: str) -> str:
    """For comparison: a size without its letter, yes and no as figures, words in small letters: ``64k`` is 65536,
    ``yes`` is 1.
    """
    number, letter = value[:-1], value[-1:].lower()
    return (
        str(int(number) * _LETTERS[letter])
        if letter in _LETTERS and number.isdecimal() and number.isascii()
        else _WORDS.get(value.strip().lower(), value.strip().lower())
    )


def latest(found: Sequence[SettingValue]) -> SettingValue:
    """The one read last; by its place where a time is missing."""
    if all(reading.at is not None for reading in found):
        return max(found, key=lambda reading: (reading.at or 0, reading.ref.artifact, reading.ref.line))
    return max(found, key=lambda reading: (reading.ref.artifact, reading.ref.line))


def _in_order(shown: list[_Shown]) -> list[_Shown]:
    if all(one.at is not None for one in shown):
        return sorted(shown, key=lambda one: (one.at or 0, one.artifact, one.line))
    return sorted(shown, key=lambda one: (one.artifact, one.line))


def _value(node: str | None, shown: list[_Shown]) -> SettingValue:
    last = shown[-1]
    equals = list(takewhile(lambda one: one.value == last.value, reversed(shown)))
    ref = Ref(last.artifact, last.line)
    return SettingValue(node, last.value, ref, last.at, equals[-1].at, changed=len(equals) < len(shown))
