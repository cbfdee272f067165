"""JSON read line by line, also when its beginning or end is missing: every object is told when it closes. No parser.

    {"disk_util": [{"name": "sda", "util": 99.5}]}        object disk_util with name and util, then the outer one

Nothing is kept but the objects that are open; what is no JSON is passed over. Depth, keys and texts are bounded.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import field
from math import isfinite, nan
from typing import Final

from parsers.dataclass import dataclass

DEPTH_KEPT: Final = 40
VALUES_KEPT: Final = 400
TEXT_KEPT: Final = 4_000
LONGEST_NUMBER: Final = 40

_PIECE = re.compile(r'"(?:[^"\\]|\\.){0,4000}+"|[{}\[\]:,]|[^\s{}\[\]:,"]{1,400}')
LINE: Final = r'(?:["{}\[\]]|-?\d{1,20}(?:\.\d{1,20})?(?:[eE][+-]?\d{1,3})?,?$|(?:true|false|null),?$)'

Scalar = str | float | bool | None


@dataclass(slots=True)
class Opened:
    """An object or a list that is open. ``key`` is the name it stands under; an element of a list has the list's."""

    key: str
    line: int
    is_list: bool = False
    values: dict[str, Scalar] = field(default_factory=dict)


class Walk:
    """``feed`` takes line after line and gives the objects that close in it; ``around`` are those that enclose the last
    one given.
    """

    def __init__(self) -> None:
        self.around: list[Opened] = []
        self._key: str | None = None
        self._after_colon = False

    def feed(self, text: str, line: int) -> Iterator[Opened]:
        """Objects that close in this line, with the scalars that stand directly in them."""
        if not self.around and not self._after_colon and (whole := _whole(text)) is not None:
            self._key = None
            yield Opened("", line, values=whole)
            return
        for piece in _PIECE.findall(text):
            if piece in "{[":
                self._open(line, is_list=piece == "[")
            elif piece in "}]":
                yield from self._close()
            elif piece == ":":
                self._after_colon = self._key is not None
            elif piece == ",":
                self._key, self._after_colon = None, False
            else:
                self._scalar(piece)

    def _open(self, line: int, *, is_list: bool) -> None:
        parent = self.around[-1].key if self.around else ""
        key = self._key if self._after_colon and self._key is not None else parent
        if len(self.around) < DEPTH_KEPT:
            self.around.append(Opened(key, line, is_list))
        self._key, self._after_colon = None, False

    def _close(self) -> Iterator[Opened]:
        self._key, self._after_colon = None, False
        if self.around:
            closed = self.around.pop()
            if not closed.is_list:
                yield closed

    def _scalar(self, piece: str) -> None:
        if not self._after_colon:
            self._key = _text(piece) if piece[0] == '"' else None
            return
        if self.around and self._key is not None and len(self.around[-1].values) < VALUES_KEPT:
            self.around[-1].values[self._key] = _value(piece)
        self._key, self._after_colon = None, False

    def outer(self, key: str) -> Scalar:
        """The nearest value of that name in the objects around."""
        return next((opened.values[key] for opened in reversed(self.around) if key in opened.values), None)

    @property
    def path(self) -> tuple[str, ...]:
        """Names of the objects and lists around."""
        return tuple(opened.key for opened in self.around)


def _whole(text: str) -> dict[str, Scalar] | None:
    """The values of an object that stands on the line whole, and holds nothing but strings, numbers and the like."""
    if text[:2] != '{"' or text[-1:] != "}" or len(text) > TEXT_KEPT or not text.isprintable():
        return None
    try:
        found = _DECODER.decode(text)
    except (ValueError, RecursionError):
        return None
    if len(found) >= VALUES_KEPT or not _NESTED.isdisjoint(map(type, found.values())):
        return None
    return {key: _plain(value) if isinstance(value, float) else value for key, value in found.items()}


def _number(text: str) -> float:
    return float(text) if len(text) <= LONGEST_NUMBER else nan


def _plain(value: float) -> float | None:
    return value if isfinite(value) else None


_NESTED: Final = frozenset((dict, list))
_STRINGS: Final = json.JSONDecoder()
_DECODER: Final = json.JSONDecoder(parse_float=_number, parse_int=_number)


def _text(piece: str) -> str:
    try:
        return str(_STRINGS.decode(piece))[:TEXT_KEPT]
    except ValueError:
        return piece.strip('"')[:TEXT_KEPT]


def _value(piece: str) -> Scalar:
    if piece[0] == '"':
        return _text(piece)
    if piece in ("true", "false", "null"):
        return {"true": True, "false": False, "null": None}[piece]
    try:
        number = _number(piece)
    except ValueError:
        return None
    return number if isfinite(number) else None


def figure(value: Scalar) -> float | None:
    """A number, also one that stands in quotes."""
    if isinstance(value, bool) or value is None:
        return None
    try:
        number = float(value)
    except ValueError:
        return None
    return number if abs(number) < 1e30 else None
