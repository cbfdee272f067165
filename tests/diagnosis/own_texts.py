"""Tables of texts as people send them, every ``*_texts.toml`` of this folder, and what a text of them may state.

A table begins with ``[judged]``: ``says`` names what the patterns of its texts are looked for in (the ``title`` of a
finding, the whole ``finding``, or the sentence of the ``verdict``), ``least`` how grave that has to be, ``in_a_run``
how many of its texts one run looks at.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from parsers.dataclass import dataclass

HERE: Final = Path(__file__).parent
KEYS: Final = frozenset(
    (
        "name",
        "files",  # by name: ``__`` stands for a slash and ``_dot_`` for a dot
        "text",  # in place of files: one transcript, each of whose lines is understood
        "unread",  # but for so many
        "says",  # patterns, each met; without them nothing of medium or above may be found
        "least",  # as grave as this at the least, medium unless stated
        "only",  # no more findings of that weight
        "refs",  # rules that speak
        "severity",  # of the verdict
        "forms",  # how the verdict may end
        "calm",  # an all-clear
        "doubt",  # the pattern of a verdict that judges nothing
        "noted",  # what a verdict names beside an all-clear
        "nodes",  # with those that are found
        "no_nodes",  # words that are none
    )
)


@dataclass(frozen=True, slots=True)
class Table:
    """``says_in``: title, finding or verdict; ``in_a_run`` 0: all of them."""

    name: str
    says_in: str
    least: str
    in_a_run: int
    texts: tuple[Mapping[str, Any], ...]

    def text(self, name: str) -> Mapping[str, Any]:
        """The one of that name."""
        [found] = [one for one in self.texts if one["name"] == name]
        return found


@cache
def tables() -> dict[str, Table]:
    """All tables, by the names of their files."""
    return {path.stem.removesuffix("_texts"): _table(path) for path in sorted(HERE.glob("*_texts.toml"))}


def _table(path: Path) -> Table:
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    judged = content["judged"]
    return Table(
        name=path.stem,
        says_in=judged["says"],
        least=judged.get("least", "medium"),
        in_a_run=judged.get("in_a_run", 0),
        texts=tuple(content["text"]),
    )
