"""Waiter records as arrays: names and texts as numbers, starts worked out, ready to be joined into spans.

A case of many millions of waiters is taken in parts by node, so that memory follows the part and not the case.
"""

from __future__ import annotations

from functools import cached_property
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl

from apps.diagnosis.engine.core.arrays.spans import (
    NO_DUMP,
    NO_TIME,
    TOLERANCE_US,
    Codes,
    Flags,
    Floats,
    Ints,
    Keys,
    Samples,
)
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import NONE, Facts
from apps.diagnosis.engine.scale.waiter_texts import LOGGED, WHOLE, ShapeTable
from parsers.dataclass import dataclass
from parsers.records import DAY_US, Section
from parsers.records.waits import Waiter

ROWS_AT_ONCE: Final = 250_000
"""Waiters of a part, of which a few are in memory at once."""
SECOND_US: Final = 1_000_000
COARSEST_US: Final = 60_000_000
_COLUMNS: Final = (
    "artifact",
    "line",
    "node",
    "at",
    "zone_min",
    "since",
    "seconds",
    "address",
    "thread_id",
    "wait_address",
    "shape",
)
_FORMATS: Final = ("scale_waiters_old", "scale_waiters_new", "scale_waiters_y")
_MIX: Final = (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB)


@dataclass(frozen=True, slots=True)
class Part:
    """Waiters of some nodes. ``node`` is a number of ``NodeCodes``, ``text`` one of the ShapeTable, -1 in ``zone`` is
    unknown. ``spelling``: the node as printed, as a number. ``category``: of the text as printed.
    """

    samples: Samples
    artifact: Ints
    line: Ints
    node: Codes
    text: Codes
    zone: Codes
    thread_id: Ints
    address: Keys  # of the thread object, 0 where none is printed
    lock: Keys  # address of the condition variable or mutex, 0 where none is printed
    spelling: Codes
    category: npt.NDArray[np.int8]
    is_dated: Flags  # whether the moment of its dump is known


class Slice(NamedTuple):
    """Some nodes by their spellings, and whether waiters without a node go with them."""

    spellings: list[str]
    has_unnamed: bool


class NodeCodes:
    """Numbers of nodes. Waiters of a file that does not name its node have a number for themselves, and no name."""

    def __init__(self, names: list[str], artifacts: int) -> None:
        self.names = names
        self.size = len(names) + artifacts
        self._codes = {name: code for code, name in enumerate(names)}

    def code(self, name: str) -> int | None:
        """Number of a canonical name, None for a node without waiters."""
        return self._codes.get(name)

    def name(self, code: int) -> str | None:
        """Canonical name; None where the file does not tell."""
        return self.names[code] if 0 <= code < len(self.names) else None


class WaiterSource:
    """All Scale waiters of a case, part by part."""

    def __init__(self, store: Facts, nodes: Nodes, texts: ShapeTable) -> None:
        self._store = store
        self._nodes = nodes
        self._texts = texts

    @cached_property
    def counts(self) -> list[tuple[str | None, int]]:
        """Spellings of the nodes with their number of waiters."""
        rows = self._places.group_by("node").agg(pl.col("len").sum())
        return sorted(rows.iter_rows(), key=lambda row: (row[0] is None, row[0] or ""))

    @cached_property
    def _places(self) -> pl.DataFrame:
        """Which files hold waiters of which node, and how many; asked part by part, else the names of all of
        them are in memory at once.
        """
        lazy = [part.rows for part in self._store.parts(Waiter)] or [NONE[Waiter].lazy()]
        found = pl.concat([rows.group_by("artifact", "node").agg(pl.len()).collect() for rows in lazy])
        return found.group_by("artifact", "node").agg(pl.col("len").sum())

    @cached_property
    def rows(self) -> int:
        """Number of waiters."""
        return sum(count for _, count in self.counts)

    @cached_property
    def nodes(self) -> NodeCodes:
        """Numbers of the canonical names."""
        names = sorted({self._nodes.name(spelling) for spelling, _ in self.counts if spelling is not None})
        return NodeCodes(names, max(self._store.paths, default=0) + 1)

    @cached_property
    def slices(self) -> list[Slice]:
        """The waiters in parts that memory allows, by the spellings of their nodes; a node is never split."""
        return [Slice(*one) for one in self._partition()]

    def part(self, of: Slice) -> Part:
        """Read one of them."""
        wanted = pl.col("node").is_in(of.spellings) | (pl.col("node").is_null() & of.has_unnamed)
        artifacts = set(self._places.filter(wanted)["artifact"].to_list())
        some = [part.rows for part in self._store.parts(Waiter) if part.artifacts & artifacts]
        lazy = pl.concat(some).select(_COLUMNS)
        rows = (lazy if len(of.spellings) + of.has_unnamed == len(self.counts) else lazy.filter(wanted)).collect()
        columns = dict(zip(_COLUMNS, rows.get_columns(), strict=True))
        del rows
        return self._part(columns)

    def _partition(self) -> list[tuple[list[str], bool]]:
        """Spellings of one node stay together, and nodes of the same files: each part then reads few of them."""
        of_nodes: dict[str | None, list[str | None]] = {}
        for spelling, _ in self.counts:
            of_nodes.setdefault(None if spelling is None else self._nodes.name(spelling), []).append(spelling)
        counts, first = dict(self.counts), dict(self._places.group_by("node").agg(pl.col("artifact").min()).iter_rows())
        parts: list[list[str | None]] = []
        load = ROWS_AT_ONCE
        for members in sorted(of_nodes.values(), key=lambda own: min(first[spelling] for spelling in own)):
            size = sum(counts[spelling] for spelling in members)
            load += size
            if load > ROWS_AT_ONCE:
                parts.append([])
                load = size
            parts[-1].extend(members)
        return [([s for s in part if s is not None], None in part) for part in parts]

    def _part(self, rows: dict[str, pl.Series]) -> Part:
        """Columns are taken out one by one, so that none stands in memory twice for long."""
        artifact = _whole(rows.pop("artifact"))
        places = self._texts.places(artifact, _whole(rows.pop("shape")))
        numbers = self._texts.numbers(places)
        text = self._texts.wording[numbers]
        node, spelling = self._node_codes(rows.pop("node"), artifact)
        seconds = rows.pop("seconds").cast(pl.Float64).fill_null(np.nan).to_numpy()
        at = _whole(rows.pop("at"))
        start, end = times(at, _whole(rows.pop("since")), seconds)
        thread_id = _whole(rows.pop("thread_id"), -1)
        address = rows.pop("address").fill_null(0).to_numpy()
        lock = rows.pop("wait_address").fill_null(0).to_numpy()
        dump, final = self._dumps(node, end, self._texts.share(places))
        samples = Samples(
            key=identity(node, thread_id, address, text),
            start=start,
            end=end,
            seconds=seconds,
            dump=dump,
            final_dump=final,
            tolerance_us=self._tolerance(artifact),
        )
        zone = _whole(rows.pop("zone_min"), NO_ZONE).astype(np.int32)
        return Part(
            samples=samples,
            artifact=artifact,
            line=_whole(rows.pop("line")),
            node=node,
            text=text,
            zone=zone,
            thread_id=thread_id,
            address=address,
            lock=lock,
            spelling=spelling,
            category=self._texts.category[numbers],
            is_dated=at != NO_TIME,
        )

    def _node_codes(self, names: pl.Series, artifact: Ints) -> tuple[Codes, Codes]:
        """Numbers of the nodes, and of their spellings."""
        spellings = [spelling for spelling, _ in self.counts if spelling is not None]
        codes = np.array([self.nodes.code(self._nodes.name(spelling)) for spelling in spellings] + [-1], np.int32)
        if not spellings:
            return (len(self.nodes.names) + artifact).astype(np.int32), np.zeros(len(artifact), np.int32)
        physical = names.cast(pl.Enum(spellings)).to_physical().cast(pl.Int32).fill_null(len(spellings)).to_numpy()
        found = codes[physical]
        return np.where(found < 0, len(self.nodes.names) + artifact, found).astype(np.int32), physical

    def _tolerance(self, artifact: Ints) -> Ints | int:
        """Wider than usual only for files whose clock is coarser than a second."""
        coarse = {number: width for number, width in self._resolutions.items() if width > SECOND_US}
        if not coarse:
            return TOLERANCE_US
        wide = np.full(max(self._resolutions) + 1, TOLERANCE_US, np.int64)
        for number, width in coarse.items():
            wide[number] = min(width, COARSEST_US) + SECOND_US // 10
        return wide[np.minimum(artifact, len(wide) - 1)]

    @cached_property
    def _resolutions(self) -> dict[int, int]:
        found: dict[int, int] = {}
        for part in self._store.parts(Section):  # of millions of dumps there are millions of sections
            own = (
                part.rows.filter(pl.col("format").is_in(_FORMATS))
                .group_by("artifact")
                .agg(pl.col("resolution_us").max())
            )
            for artifact, width in own.drop_nulls().collect().iter_rows():
                found[artifact] = max(width, found.get(artifact, 0))
        return found

    def _dumps(self, node: Codes, end: Ints, share: npt.NDArray[np.int8]) -> tuple[Codes, Codes]:
        """For every row the ordinal of its dump on that node, and of the node's last one. Rows stand dump by dump in
        the files.
        """
        changed = np.flatnonzero((node[1:] != node[:-1]) | (end[1:] != end[:-1]) | (share[1:] != share[:-1])) + 1
        begin = np.concatenate((np.zeros(min(1, len(node)), np.int64), changed))
        runs = np.diff(begin, append=len(node))
        ordinal, final = _ordinals(node[begin], end[begin], share[begin])
        return np.repeat(ordinal, runs), np.repeat(final, runs)


NO_ZONE: Final = -100_000


def _whole(column: pl.Series, missing: int = NO_TIME) -> Ints:
    return column.cast(pl.Int64).fill_null(missing).to_numpy()


def identity(node: Codes, thread_id: Ints, address: Keys, text: Codes) -> Keys:
    """A number for node, thread and text; 0 for a thread that prints neither an id nor an address."""
    thread = np.where(thread_id >= 0, thread_id.astype(np.uint64), address)
    key = _mixed(
        thread ^ _mixed(node.astype(np.uint64) + np.uint64(1)) ^ (_mixed(text.astype(np.uint64)) >> np.uint64(1))
    )
    key[(thread_id < 0) & (address == 0)] = 0
    return key


def _mixed(value: Keys) -> Keys:
    """Spread numbers evenly over 64 bits (the finaliser of Steele, Lea and Flood's SplitMix, 2014)."""
    value = value * np.uint64(_MIX[0])
    value ^= value >> np.uint64(30)
    value = value * np.uint64(_MIX[1])
    value ^= value >> np.uint64(27)
    return value * np.uint64(_MIX[2])


def times(at: Ints, since: Ints, seconds: Floats) -> tuple[Ints, Ints]:
    """Start and end of each wait. A printed start is exact to its second; moment less age is finer but lags by the
    moment's rounding.
    """
    age = np.where(np.isnan(seconds), 0.0, seconds)
    age_us = np.round(np.clip(age, 0, 1e9) * 1e6).astype(np.int64)
    has_at, has_since, has_age = at != NO_TIME, since != NO_TIME, ~np.isnan(seconds)
    end = np.where(has_at, at, np.where(has_since & has_age, since + age_us, NO_TIME))
    start = np.where(has_at & has_age, at - age_us, np.where(has_since, since, NO_TIME))
    usable = has_since & has_at & has_age & ((since >= DAY_US) == (at >= DAY_US))
    return np.where(usable, np.clip(start, since, since + SECOND_US), start), end


def _ordinals(node: Codes, end: Ints, share: npt.NDArray[np.int8]) -> tuple[Codes, Codes]:
    """Ordinals of the runs' moments on their node. What shows only some waiters takes the ordinal of the dump before
    it.
    """
    whole = (share == WHOLE) & (end != NO_TIME)
    has_whole = np.zeros(int(node.max(initial=0)) + 1, np.bool_)
    has_whole[node[whole]] = True
    counted = whole | (~has_whole[node] & (end != NO_TIME) & (share == LOGGED))
    order = np.lexsort((~counted, end, node))
    first = np.ones(len(order), np.bool_)
    first[1:] = node[order[1:]] != node[order[:-1]]
    sorted_end, sorted_counted = end[order], counted[order]
    new = sorted_counted.copy()
    new[1:] &= first[1:] | (sorted_end[1:] != sorted_end[:-1]) | ~sorted_counted[:-1]
    running = np.cumsum(new)
    base = np.maximum.accumulate(np.where(first, running - new, 0))
    ordinal = np.empty(len(order), np.int32)
    ordinal[order] = (running - base - 1).astype(np.int32)
    ordinal[end == NO_TIME] = NO_DUMP
    final = np.full(len(has_whole), NO_DUMP, np.int32)
    np.maximum.at(final, node, ordinal)
    return ordinal, final[node]
