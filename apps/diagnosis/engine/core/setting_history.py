"""The value of a tunable over time, node by node: what it is now, and since when the files show it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.settings import Settings
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
    by_node: dict[str | None, list[dict[str, Any]]] = {}
    for row in rows.iter_rows(named=True):
        by_node.setdefault(row["node"] or (row["scope"] if row["lists_nodes"] else None), []).append(row)
    return tuple(
        _value(node, _in_order(by_node[node])) for node in sorted(by_node, key=lambda node: (node is None, node or ""))
    )


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


def _in_order(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    if all(row["at"] is not None for row in rows):
        return sorted(rows, key=lambda row: (row["at"], row["artifact"], row["line"]))
    return sorted(rows, key=lambda row: (row["artifact"], row["line"]))


def _value(node: str | None, rows: list[dict[str, Any]]) -> SettingValue:
    last = rows[-1]
    row_of_equals = list(takewhile(lambda row: row["value"] == last["value"], reversed(rows)))
    first = row_of_equals[-1]
    ref = Ref(last["artifact"], last["line"])
    return SettingValue(node, last["value"], ref, last["at"], first["at"], changed=len(row_of_equals) < len(rows))
