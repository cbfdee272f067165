"""What the next bundle must hold: what is missing from two hundred nodes is one sentence, not two
hundred.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from apps.diagnosis.engine.core.words.wording import listed
from parsers.dataclass import dataclass

NAMED: Final = 3
NUMBER: Final = re.compile(r"\d+(?:[,\u2009.]\d+)*")


@dataclass(frozen=True, slots=True)
class Request:
    """One request. ``each``: node and reason of every single one, where several were put together and the words do not
    already say it.
    """

    what: str
    why: str
    commands: tuple[str, ...]
    each: tuple[tuple[str, str], ...] = ()


def grouped(missing: Sequence[Mapping[str, Any]]) -> list[Request]:
    """Items ``{what, why, node, commands}`` that differ by the node and by figures become one; the first of each keeps
    its place.
    """
    alike: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for number, item in enumerate(missing):
        alike.setdefault(_likeness(item) or (number,), []).append(item)
    return [_one_request(items) for items in alike.values()]


def _likeness(item: Mapping[str, Any]) -> tuple[Any, ...] | None:
    """The words without node and figures; None of a request that names no node."""
    node = item.get("node")
    if not node or not (named := _naming(node)).search(item["what"]):
        return None
    return (*_around(named, item["what"]), None, *_around(named, item["why"]), tuple(item["commands"]))


def _naming(node: str) -> re.Pattern[str]:
    """The name as a word: "n1" is neither in "n12" nor in "n1.site"."""
    return re.compile(rf"(?<![\w.-]){re.escape(node)}(?![\w-]|\.\w)")


def _around(named: re.Pattern[str], text: str) -> tuple[str, ...]:
    return tuple(NUMBER.sub("#", part) for part in named.split(text))


def _one_request(items: Sequence[Mapping[str, Any]]) -> Request:
    first = items[0]
    commands = tuple(first["commands"])
    if len(items) == 1:
        return Request(first["what"], first["why"], commands)
    nodes = [item["node"] for item in items]
    named = (
        listed(nodes, NAMED)
        if len(nodes) <= NAMED
        else listed([*nodes[: NAMED - 1], f"{len(nodes) - NAMED + 1} more nodes"], NAMED)
    )
    is_same = all(item["why"] == first["why"] for item in items)
    why = f"for each: {first['why']}" if is_same else f"for {first['node']}: {first['why']}"
    is_named_in_title = is_same and len(nodes) <= NAMED
    each = () if is_named_in_title else tuple((item["node"], "" if is_same else item["why"]) for item in items)
    what = _naming(first["node"]).sub(lambda _: named, first["what"])
    return Request(what, why, commands, each)
