"""Things that findings speak of, each with its sort: a group and a resource may have one name, and a name may be a
plain word. A listing tells the sort by its column, a message by its own grammar (``(Owner: ..., Group: web)``,
``IP:web_ip:monitor``), a text of ours by the words in front of the name.

Only sorts that have one name in the whole cluster are things: those that each node names by itself (``sdb``, ``eth0``)
are joined with their node elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, Final, Literal, NamedTuple

from parsers.patterns.digits import ALL_ALIKE
from parsers.records.states import ServiceState, StorageState

Sort = Literal["group", "resource", "mount", "disk group", "volume"]


class Thing(NamedTuple):
    """Something of the cluster by its sort and name."""

    sort: Sort
    name: str


_NAME: Final = r"[A-Za-z0-9_][\w.-]{0,126}"
_NAMED: Final = re.compile(
    rf"""(?x)
    \b[Dd]isk\ ?[Gg]roup [\ :=(]{{1,3}} (?P<diskgroup>{_NAME})
    | /dev/vx/r?dsk/ (?P<of>{_NAME}) / (?P<volume>{_NAME})
    | (?<![Dd]isk\ ) (?<![\w-]) (?:[Ss]ervice\ )? [Gg]roup (?:\ ?[:=(]\ ?|\ ) (?P<group>{_NAME})
    | (?<![\w-]) [Rr]esource (?:\ ?[:=(]\ ?|\ ) (?P<resource>{_NAME})
    | (?<![\w:]) [A-Z]\w{{1,40}} : (?P<agent>{_NAME}) :
      (?:online|offline|monitor|clean|open|close|info|action|attr_changed)\b
    | \b [Rr]esult\ of\ [\w-]{{1,20}}\ operation\ for\ (?P<operation>{_NAME})
    | (?<![\w.-]) (?P<action>[A-Za-z0-9][\w.-]{{0,120}}?) _ (?:start|stop|monitor|promote|demote|notify) _ \d{{1,12}} \b
    | (?<![\w.-]) \w[\w-]{{1,40}} \( (?P<script>{_NAME}) \) \[ \d{{1,8}} \]
    """
)
_SIGNS: Final = (
    "roup", "/dev/vx/", "esource", ":online", ":offline", ":monitor", ":clean", ":open", ":close", ":info", ":action",
    ":attr_changed", "operation for ", "_start_", "_stop_", "_monitor_", "_promote_", "_demote_", "_notify_", ")[",
)  # fmt: skip
"""One of them stands in every message that names a thing so: to look for them costs a tenth."""
_SORTS: Final[dict[str, Sort]] = {
    "diskgroup": "disk group", "of": "disk group", "volume": "volume", "group": "group", "resource": "resource",
    "agent": "resource", "operation": "resource", "action": "resource", "script": "resource",
}  # fmt: skip
_NO_NAME: Final = frozenset(("a", "and", "as", "at", "by", "for", "has", "in", "is", "not", "of", "on", "to", "was"))
_OF_TITLES: Final = re.compile(
    r"(?i)(?:^|[ (])(?:(?P<diskgroup>(?:shared )?disk group)|(?P<group>(?<!recovery )(?<!volume )(?<!replicated )group)"
    r"|(?P<resource>resource)|(?P<volume>volume)) \{about\}"
)
_COPY: Final = re.compile(r":\d+$")
LONGEST: Final = 2000


def things_in(text: str) -> frozenset[Thing]:
    """Those that a message names by its own grammar."""
    shape = text.encode("ascii").translate(ALL_ALIKE).decode("ascii") if text.isascii() else text
    return frozenset(Thing(sort, text[begin:end]) for sort, begin, end in _places(shape))


@lru_cache(maxsize=4096)
def _places(shape: str) -> tuple[tuple[Sort, int, int], ...]:
    """Where they stand in messages that differ in their digits alone: no digit decides on it."""
    if not any(map(shape.__contains__, _SIGNS)):
        return ()
    return tuple(
        (_SORTS[sort], match.start(sort), match.start(sort) + len(name))
        for match in _NAMED.finditer(shape[:LONGEST])
        for sort in (match.lastgroup, "of" if match.lastgroup == "volume" else None)
        if sort and (name := match[sort].rstrip(".-")) and name.lower() not in _NO_NAME
    )


@lru_cache(maxsize=4096)
def sort_in_title(title: str) -> Sort | None:
    """The sort of ``{about}`` in the title of a kind of message, by the words in front of it."""
    match = _OF_TITLES.search(title)
    return _SORTS[match.lastgroup] if match is not None and match.lastgroup else None


def things_of(records: Iterable[Any]) -> Iterator[Thing]:
    """Those of rows of listings, by their columns: a resource with the group that it is of."""
    for one in records:
        if isinstance(one, ServiceState):
            yield from _services(one)
        elif isinstance(one, StorageState):
            yield from _storage(one)


def _services(one: ServiceState) -> Iterator[Thing]:
    sort = _OF_SERVICES.get(one.sort)
    if one.group and sort:
        yield Thing(sort, one.group)
    if one.resource:
        yield Thing("resource", _COPY.sub("", one.resource))


def _storage(one: StorageState) -> Iterator[Thing]:
    sort = _OF_STORAGE.get(one.sort)
    if one.name and sort:
        yield Thing(sort, one.name)
    if one.of and sort == "volume":
        yield Thing("disk group", one.of)


_OF_SERVICES: Final[dict[str, Sort]] = {"group": "group", "resource": "group", "mount": "mount"}
_OF_STORAGE: Final[dict[str, Sort]] = {"disk group": "disk group", "volume group": "disk group", "volume": "volume"}
