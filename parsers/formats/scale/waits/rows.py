"""Waiter rows of one artifact on their way out, and the clocks of the dumps they stand in.

New-style lines print the time of day at which the wait began. Start and age together give the clock of the dump where
the text has none, and show that a clock higher up in the text is long past.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median_low
from typing import TYPE_CHECKING, Any, Final

from parsers.dataclass import dataclass
from parsers.formats.scale.waits.detail import Shapes
from parsers.formats.scale.waits.line import WaiterLine
from parsers.output import Output
from parsers.records import DAY_US
from parsers.records.waits import Waiter
from parsers.sections.reader import OpenSection
from parsers.times.clock import Instant

if TYPE_CHECKING:
    import polars as pl

HALF_DAY_US: Final = DAY_US // 2
STALE_US: Final = 3_000_000
DUMP_US: Final = 3_000_000
HELD_ROWS: Final = 50_000
FLUSHED_ROWS: Final = 1_000


def place(tod: int, start: int) -> int:
    """The time of day ``tod`` on the date that brings it nearest to ``start``."""
    return tod + (start - tod + HALF_DAY_US) // DAY_US * DAY_US


def behind(end: int, at: int) -> int:
    """How far ``end`` lies behind ``at``, between minus and plus half a day, when only the time of day of one
    is sure.
    """
    return (end - at + HALF_DAY_US) % DAY_US - HALF_DAY_US


def is_stale(since: int, seconds: float, at: int) -> bool:
    """Whether a clock is long past when a waiter is that old."""
    return STALE_US < behind(since + round(seconds * 1e6), at) <= HALF_DAY_US


WordedRow = tuple[int, str | None, str | None, int | None, int, float, int | None, int | None, int | None, int]
"""Line, node in front of the row, node in it, zone, start, age, address, thread, lock, shape."""


@dataclass(slots=True)
class Clock:
    """What is decided once per section: ``held`` says that the rows wait for an estimate at its end; ``at`` is what
    stood above.
    """

    known: bool = False
    held: bool = False
    at: int | None = None
    piece: int | None = None


class Rows:
    """Columns of Waiter. Rows from ``_held_from`` on wait for the clock of their section."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self.shapes = Shapes.of(out)
        self.columns: dict[str, list[Any]] = {name: [] for name in Waiter.columns()}
        self._held_from: int | None = None
        self._clock = Clock()
        self._prefixes: set[str | None] = set()
        self.begin()

    def begin(self) -> None:
        """Look at the section that is open now; what it says holds until the next call."""
        section = self._section
        self.node, self.at, self.zone_min = section.node, section.at, section.zone_min
        known = section.state.get("scale_waiters")
        if known is None:
            known = section.state["scale_waiters"] = (Clock(at=self.at), set())
        self._clock, self._prefixes = known

    def decide(self, since: int | None, seconds: float | None) -> Clock:
        """Whether the section's clock holds for its waiters; the first one that prints its start tells."""
        clock = self._clock
        if not clock.known and since is not None and seconds is not None:
            clock.known = True
            clock.held = clock.at is None or is_stale(since, seconds, clock.at)
        return clock

    def add(self, line: int, waiter: WaiterLine) -> None:
        """One waiter that was read line by line."""
        clock = self.decide(waiter.since, waiter.seconds) if waiter.logged is None else Clock()
        at = waiter.logged.us if waiter.logged else None if clock.held else self.at
        if clock.held:
            self.hold()
        if waiter.logged:
            self._section.stamp(waiter.logged)
        values = (
            line,
            waiter.node or waiter.on_node or self.node,
            at,
            _zone(waiter, self.zone_min),
            _since(waiter.since, waiter.seconds, at),
            waiter.seconds,
            waiter.address,
            waiter.thread_id,
            waiter.detail.wait_address,
            self.shapes.number(waiter.shape, line, self._out),
        )
        for column, value in zip(self.columns.values(), values, strict=True):
            column.append(value)
        self.prefixed((waiter.node,))
        self.shapes.waiters += 1
        self._section.promise(1)
        self.drain()

    def extend(self, found: Sequence[WordedRow]) -> None:
        """Many waiters of which start and age are printed and the wording is known."""
        at = 0
        while at < len(found):
            clock = self.decide(found[at][4], found[at][5])
            last = at + max(1, self.hold()) if clock.held else len(found)
            self._extend(found[at:last], None if clock.held else self.at)
            self.drain()
            at = last

    def _extend(self, found: Sequence[WordedRow], at: int | None) -> None:
        lines, own, on, zones, since, seconds, *figures = zip(*found, strict=True)
        self.prefixed(own)
        values = (
            lines,
            [one or other or self.node for one, other in zip(own, on, strict=True)],
            (at,) * len(lines),
            [self.zone_min if zone is None else zone for zone in zones],
            since if at is None else [_since(one, age, at) for one, age in zip(since, seconds, strict=True)],
            seconds,
            *figures,
        )
        for column, more in zip(self.columns.values(), values, strict=True):
            column.extend(more)
        self.shapes.waiters += len(lines)
        self._section.promise(len(lines))

    @property
    def held(self) -> bool:
        """Whether rows wait for the clock of their section."""
        return self._held_from is not None

    def hold(self) -> int:
        """Rows that come now wait for the clock of the section; for how many there is room."""
        if self._held_from is None:
            self._held_from = len(self.columns["shape"])
        return HELD_ROWS - (len(self.columns["shape"]) - self._held_from)

    def drain(self) -> None:
        """Keep memory bounded: settle when too many rows are held, hand over what is settled."""
        if self._held_from is not None:
            if self.hold() > 0:
                return
            self.settle()
        if len(self.columns["line"]) >= FLUSHED_ROWS:
            self.flush()

    def prefixed(self, nodes: Sequence[str | None]) -> None:
        """Remember by which nodes the lines of the section were prefixed: one alone is the section's node."""
        if len(self._prefixes) < 2:
            self._prefixes.update(nodes)

    def settle(self) -> None:
        """The section ends: rows that were held get the clock that start and age give."""
        if len(self._prefixes) == 1 and (name := next(iter(self._prefixes))):
            self._section.speaks_of(node=name, basis="line prefix")
        if self._held_from is None:
            return
        first, self._held_from = self._held_from, None
        ends = self._ends(first)
        for rows in self._dumps(first, ends):
            self._estimate(rows, ends)

    def flush(self) -> None:
        """Hand the rows over."""
        if self.columns["line"]:
            self._out.extend(Waiter, **self.columns)
            self.columns = {name: [] for name in self.columns}

    def flush_with(self, block: pl.DataFrame) -> None:
        """Hand the rows over together with a block of many: in the order of their lines."""
        import polars as pl

        if self.columns["line"]:
            rows = pl.DataFrame(self.columns, schema=block.schema, strict=False)
            block = pl.concat([rows, block]).sort("line", maintain_order=True)
            self.columns = {name: [] for name in self.columns}
        self._out.extend_block(Waiter, block)

    def _ends(self, first: int) -> dict[int, int]:
        """Row -> start plus age, where both are printed."""
        since, seconds, at = self.columns["since"], self.columns["seconds"], self.columns["at"]
        return {
            row: since[row] + round(seconds[row] * 1e6)
            for row in range(first, len(since))
            if since[row] is not None and seconds[row] is not None and at[row] is None
        }

    def _dumps(self, first: int, ends: dict[int, int]) -> Iterator[list[int]]:
        """Rows by dump. A section is one dump, unless threads come twice in it: then a node's dumps part where its
        clock jumps.
        """
        rows = [row for row in range(first, len(self.columns["line"])) if self.columns["at"][row] is None]
        if not ends:
            return
        nodes, threads = self.columns["node"], self.columns["thread_id"]
        named = [(nodes[row], threads[row]) for row in rows if threads[row] is not None]
        if len(set(named)) == len(named):
            yield rows
            return
        by_node: dict[str | None, list[int]] = {}
        for row in rows:
            by_node.setdefault(self.columns["node"][row], []).append(row)
        for own in by_node.values():
            yield from _split_at_jumps(own, ends)

    def _estimate(self, rows: list[int], ends: dict[int, int]) -> None:
        known = [row for row in rows if row in ends]
        if not known:
            return
        since, seconds = self.columns["since"], self.columns["seconds"]
        dated = next((row for row in known if since[row] >= DAY_US), None)
        origin = ends[known[0] if dated is None else dated]
        end = origin + median_low([behind(ends[row], origin) for row in known])
        at = _corrected(end, self._clock.at, dated=dated is not None)
        # A stray line or a bound on memory may have parted one dump: its pieces share the clock of the first.
        piece = self._clock.piece
        at = self._clock.piece = piece if piece is not None and abs(piece - at) <= DUMP_US else at
        self._section.stamp(Instant(at, self.columns["zone_min"][rows[0]]))
        for row in rows:
            self.columns["at"][row] = at
            since[row] = _since(since[row], seconds[row], at)


def _split_at_jumps(rows: list[int], ends: dict[int, int]) -> Iterator[list[int]]:
    run: list[int] = []
    origin: int | None = None
    for row in rows:
        end = ends.get(row)
        if end is not None and origin is not None and abs(behind(end, origin)) > DUMP_US:
            yield run
            run, origin = [], None
        run.append(row)
        origin = end if origin is None else origin
    yield run


def _corrected(end: int, at: int | None, *, dated: bool) -> int:
    """The clock of a dump that ended at ``end``, below a line that printed ``at``."""
    if dated:
        return end
    if at is None:
        return end % DAY_US
    late = behind(end, at)
    return at + late if late > STALE_US else at


def _since(since: int | None, seconds: float | None, at: int | None) -> int | None:
    """A start with its date, where the dump has one."""
    if since is None or since >= DAY_US or at is None or at < DAY_US:
        return since
    return place(since, at - round((seconds or 0.0) * 1e6))


def _zone(waiter: WaiterLine, section: int | None) -> int | None:
    if waiter.zone_min is not None:
        return waiter.zone_min
    return waiter.logged.zone_min if waiter.logged else section
