"""YAML as tools print it, read line by line: objects are told when they close, as those of JSON are. No parser.

    status:
      conditions:
      - status: "False"          object conditions with status and type, then status, then the outer one
        type: Ready

Blocks of text, comments, anchors and what stands in braces on one line are passed over. Nothing is kept but the objects
that are open; depth, keys and texts are bounded. Source: YAML 1.2, chapters 6 to 8.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from parsers.grammars.json_walk import DEPTH_KEPT, TEXT_KEPT, VALUES_KEPT, Opened, Scalar, figure

_DASH: Final = re.compile(r"-(?: {1,8}|$)")
_PAIR: Final = re.compile(
    r"(?:\"(?P<quoted>[^\"]{1,200})\"|'(?P<marked>[^']{1,200})'|(?P<plain>[\w$@./~][^\s:#{}\[\]\"'][^:#{}\[\]\"']{0,200}?|\w))"
    r":(?: {1,80}(?P<value>\S.*))?$"
)
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[+-]?$")
_WORDS: Final[dict[str, Scalar]] = {"true": True, "false": False, "null": None, "~": None, "{}": None, "[]": None}


class YamlWalk:
    """``feed`` takes line after line and gives the objects that it closes; ``end`` gives those that are still open."""

    def __init__(self) -> None:
        self.around: list[Opened] = []
        self._margins: list[int] = []
        self._keys: list[str] = []
        self._block: int | None = None

    def feed(self, text: str, line: int) -> Iterator[Opened]:
        """Objects that end above this line, each with the scalars that stand directly in it; the inner ones first."""
        body = text.lstrip(" ")
        margin = len(text) - len(body)
        if not body or body[0] in "#%" or self._is_in_block(margin):
            return
        if body in ("---", "..."):
            yield from self.end()
            return
        for _ in range(DEPTH_KEPT):  # deeper lists in one line are nobody's
            if (dash := _DASH.match(body)) is None:
                break
            yield from self._close(margin)
            margin, body = margin + max(dash.end(), 2), body[dash.end() :]
            self._open(margin, line)
        if (pair := _PAIR.match(body)) is None:
            return
        yield from self._close(margin)
        if not self._margins or self._margins[-1] < margin:
            self._open(margin, line)
        self._put(pair["quoted"] or pair["marked"] or pair["plain"], pair["value"], margin)

    def end(self) -> Iterator[Opened]:
        """The objects that are open."""
        yield from self._close(-1)
        self._block = None

    def _is_in_block(self, margin: int) -> bool:
        if self._block is not None and margin > self._block:
            return True
        self._block = None
        return False

    def _close(self, margin: int) -> Iterator[Opened]:
        """Those that stand farther to the right."""
        while self._margins and self._margins[-1] > margin:
            self._margins.pop()
            self._keys.pop()
            closed = self.around.pop()
            if closed.values:
                yield closed

    def _open(self, margin: int, line: int) -> None:
        if len(self.around) < DEPTH_KEPT:
            key = self._keys[-1] if self._keys else ""
            self.around.append(Opened(key, line))
            self._margins.append(margin)
            self._keys.append(key)

    def _put(self, key: str, value: str | None, margin: int) -> None:
        if not self.around:
            return
        self._keys[-1] = key
        if value is None or (value[0] in "&*" and " " not in value):
            return
        if _BLOCK.match(value) is not None:
            self._block = margin
        elif len(self.around[-1].values) < VALUES_KEPT:
            self.around[-1].values[key] = _scalar(value)


def _scalar(text: str) -> Scalar:
    if text[0] in "\"'":
        end = text.find(text[0], 1)
        return text[1 : end if end > 0 else len(text)][:TEXT_KEPT]
    plain = text.split(" #", 1)[0].rstrip()[:TEXT_KEPT]
    if plain in _WORDS:
        return _WORDS[plain]
    number = figure(plain) if plain[:1].isdigit() or plain[:1] in "+-." else None
    return plain if number is None else number
