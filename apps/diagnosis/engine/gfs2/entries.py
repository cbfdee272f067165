"""What stands in the queues of GFS2 glocks: processes, locks, captures, and waits followed over captures."""

from __future__ import annotations

from typing import Final, Literal, NamedTuple

_NO_PROCESS: Final = frozenset(("(ended)", "(none)"))
SpanState = Literal["stuck", "moving", "finished", "unknown"]


class Entry(NamedTuple):
    """A process in the queue of a glock in one capture. ``capture`` counts the dumps of its node and file system from
    0.

    name: ``node:pid``. queue: number of the glock of this node in this capture. pair: number of this process at this
    glock over all captures. nth: its place among the waits, or among the holds. by_manager: known from the lock
    manager's tables only.
    """

    artifact: int
    line: int
    node: str
    at: int | None
    zone_min: int | None
    fs: str | None
    glock: str
    position: int
    state: str
    flags: str
    pid: int
    command: str
    function: str
    waiting: bool
    granted: bool
    capture: int
    round: int
    name: str
    queue: int
    pair: int
    nth: int
    by_manager: bool = False

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.glock

    @property
    def place(self) -> str:
        """The kernel function, without offset."""
        return self.function.split("+", 1)[0]

    @property
    def is_process(self) -> bool:
        """Whether the pid names a living process."""
        return self.command not in _NO_PROCESS and (self.pid > 0 or (self.pid == 0 and bool(self.command)))

    @property
    def is_try(self) -> bool:
        """A try lock fails instead of waiting."""
        return "t" in self.flags or "T" in self.flags


class Lock(NamedTuple):
    """A glock in one capture. ``queue`` is the number that its entries carry."""

    artifact: int
    line: int
    node: str
    at: int | None
    zone_min: int | None
    fs: str | None
    object: str
    number: int
    type: int
    state: str
    target: str
    demote: str
    demote_us: int | None
    flags: str
    min_hold: int | None
    inode_type: int | None
    capture: int
    round: int
    queue: int

    @property
    def key(self) -> tuple[str | None, str]:
        """The glock over all nodes."""
        return self.fs, self.object

    @property
    def is_directory(self) -> bool:
        """Whether the inode line below it says so."""
        return self.inode_type == 4

    @property
    def age_s(self) -> float:
        """How long ago the node was asked to release it."""
        return (self.demote_us or 0) / 1e6 if "D" in self.flags else 0.0


class Capture(NamedTuple):
    """One dump: where, when, and in which round."""

    node: str
    fs: str | None
    at: int | None
    round: int


class Span(NamedTuple):
    """A wait from the first to the last capture that shows it. ``seconds`` is a lower bound; None with one capture."""

    entries: tuple[Entry, ...]
    seconds: float | None
    dumps: int
    state: SpanState
    number: int

    @property
    def first(self) -> Entry:
        return self.entries[0]

    @property
    def last(self) -> Entry:
        return self.entries[-1]
