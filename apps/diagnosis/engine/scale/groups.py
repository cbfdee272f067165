"""What the graph of Scale waits is made of: groups of alike waits, the things waited for, and where chains end."""

from __future__ import annotations

from dataclasses import field
from functools import cached_property
from typing import Final, Literal, NamedTuple

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.scale.awaited import Awaited
from apps.diagnosis.engine.scale.waiter_texts import Text
from parsers.dataclass import dataclass

Place = Literal["disk", "answer", "message", "acquire", "lock", "write", "thread"]
EndKind = Literal["disk", "node", "lock", "thread"]
NONE: Final = -1


class Vertex(NamedTuple):
    """Something waited for. ``node`` is its node's name, or how a target is printed.

    asker: the node that sent the message, for acquires and for messages whose id is known. message: that id, else
    ``NONE``. object: address of a lock; 0 where it is not printed, or where very many locks of one name are taken as
    one.
    """

    place: Place
    episode: int
    node: str
    name: str
    asker: str = ""
    message: int = NONE
    object: int = 0


@dataclass(slots=True, kw_only=True, eq=False)  # not frozen: there are tens of thousands, and each is only itself
class Group:
    """Long waits of one node, in one episode, for one thing. The longest stands for all as evidence; ``ended`` did so
    in the data.

    serves: number of the message that the threads work on, where their dump says so, else ``NONE``. moments: how many
    dumps show such a wait, be it the same one or the next.
    """

    episode: int
    code: int
    node: str | None
    awaited: Awaited
    to: Vertex
    serves: int
    waits: int
    ended: int
    dumps: int
    moments: int
    longest_s: float
    start: int | None
    end: int | None
    zone_min: int | None
    category: int | None
    text: Text
    ref: Ref

    @property
    def goes_on(self) -> bool:
        """Whether some of the waits are not seen to end."""
        return self.ended < self.waits


@dataclass(frozen=True, slots=True, order=True)
class End:
    """Where chains end: a disk, a node whose own waits are not here, a lock without a visible holder, a thread."""

    kind: EndKind
    what: str
    node: str | None
    leaves_data: bool = False
    object: int = 0
    why: str = field(default="", compare=False)
    in_circle: bool = field(default=False, compare=False)
    is_deadlock: bool = field(default=False, compare=False)


class Behind:
    """What an end holds up. ``relieves``: waits that would run if it alone let go, for they wait for nothing else."""

    def __init__(self, end: End) -> None:
        self.end = end
        self.waiters = 0
        self.relieves = 0
        self._families: list[list[Group]] = []

    def add(self, family: list[Group], waits: int, *, is_only: bool) -> None:
        """Waits with the same ends, of which this is one, or the only one."""
        self._families.append(family)
        self.waiters += waits
        self.relieves += waits if is_only else 0

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """All groups behind it."""
        return tuple(group for family in self._families for group in family)

    @cached_property
    def longest_s(self) -> float:
        """The longest wait."""
        return max(group.longest_s for group in self.groups)

    @cached_property
    def nodes(self) -> tuple[str, ...]:
        """Nodes with waits behind it."""
        return nodes_in(self.groups)


@dataclass(frozen=True, slots=True)
class Deadlock:
    """Nodes that wait for each other in a circle, each edge seen. ``members`` are exactly they, in the order of the
    circle.
    """

    members: tuple[str, ...]
    ring: tuple[Group, ...]
    queue: tuple[Group, ...]
    is_exact: bool

    @property
    def dumps(self) -> int:
        """In how many dumps of every member its wait stands."""
        return min(group.dumps for group in self.ring)

    @property
    def longest_s(self) -> float:
        """How long the youngest wait of the circle lasts: since then it is closed."""
        return min(group.longest_s for group in self.ring)


def end_order(end: End) -> tuple[str, str, str, int]:
    """Ends by kind and name."""
    return end.kind, end.what, end.node or "", end.object
