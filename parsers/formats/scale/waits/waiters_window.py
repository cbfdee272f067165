"""A stretch of waiter text as columns: every line that is a plain waiter taken apart at once, by Polars.

The columns say only what stands at fixed places of a plain line. What the line means is read once per kind of line, by
the very function that the line loop uses; ``agrees`` compares that reading with the columns.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

import numpy as np
import polars as pl

from parsers.formats.scale.waits.line import WaiterLine
from parsers.formats.scale.waits.rows import HALF_DAY_US
from parsers.headings.transcript import Mark
from parsers.records import DAY_US
from parsers.records.waits import Waiter
from parsers.text import Line, make_line

_PREFIXED: Final = r"^([A-Za-z0-9][0-9A-Za-z_.-]{0,252}): {1,2}(0x|Waiting )"
_SECOND: Final = r"^\(0x[0-9A-Fa-f]{1,16}\)$"
_SECONDS: Final = r"^[0-9]{1,12}\.[0-9]{1,12}$"
_SINCE: Final = r"^(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9],$"
_THREAD_ID: Final = r"^[0-9]{1,18}$"
_ADDRESS_DIGITS: Final = 16
_DETAIL_AT: Final = {"old": 3, "new": 8}
_FIXED: Final = {"old": {1: "waiting"}, "new": {0: "Waiting", 2: "sec", 3: "since", 6: "thread"}}
_SIGNS: Final = {"old": " waiting ", "new": " sec since "}
_BEHIND_PREFIX: Final = (": 0x", ": Waiting ")
_BEGINS_OLD: Final = ("\n0x", ": 0x", ":  0x")
"""How a line of the old style begins, by itself or behind its node: a reason may be ``waiting for`` something."""
_LOOKED_FOR: Final = tuple(dict.fromkeys((*_SIGNS.values(), *_BEHIND_PREFIX, *_BEGINS_OLD)))
"""Polars looks for words several times as fast as the interpreter, and outside of its lock."""
_FORM_BEGINS: Final = {"old": 0, "new": 3}
_SECOND_US: Final = 1_000_000

_KNOWN: Final = {"node": pl.String(), "at": pl.Int64(), "zone_min": pl.Int64()}
_KEY: Final = ("form", "head", "mid", "tail", "ignored")
Key = tuple[int, str, str | None, str | None, bool]


class Stretch(NamedTuple):
    """Plain lines of one section, from one index of the window up to another."""

    at: int
    last: int
    node: str | None
    dump: int | None
    zone_min: int | None


class Dump(NamedTuple):
    """A dump that is plain throughout: structural lines with their numbers, then waiters from one index up to
    another.
    """

    marks: list[tuple[Mark, int]]
    at: int
    end: int


class Window:
    """The lines of one window. ``first`` is the number of the line before its first one; indices count lines from 0.

    Making one takes nothing but its bytes, so that a thread may do it; ``first`` is set by whoever reads it.
    """

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.first = 0
        text = data.decode("latin-1")  # any bytes; what is not ASCII is compared and never shown
        whole = pl.DataFrame({"text": [text.removesuffix("\n")]})
        shown = whole.select(pl.col("text").str.contains(sign, literal=True).alias(sign) for sign in _LOOKED_FOR).row(0)
        signs = {sign for sign, is_there in zip(_LOOKED_FOR, shown, strict=True) if is_there}
        lines, self.nodes = _without_prefix(
            whole.lazy().select(pl.col("text").str.split("\n").explode(empty_as_null=False)),
            may_have=not signs.isdisjoint(_BEHIND_PREFIX),
        )
        if not text.startswith("0x") and signs.isdisjoint(_BEGINS_OLD):
            signs.discard(_SIGNS["old"])
        styles = [style for style, sign in _SIGNS.items() if sign in signs] or ["new"]
        words = _both(lines) if len(styles) > 1 else _of_style(lines, styles[0]).collect()
        # Not lazily: with the rest of the query it takes five times as long.
        words = words.with_columns(pl.struct(_KEY).hash().alias("key"))
        self._frame = frame = words.with_columns(pl.col("index").first().over("key").alias("same"))
        self.lines = frame.height
        self.plain: np.ndarray = frame["plain"].to_numpy()
        self.is_new: np.ndarray = frame["is_new"].to_numpy()
        changes = self.plain[1:] & self.plain[:-1] & (self.is_new[1:] != self.is_new[:-1])
        self.others: list[int] = np.flatnonzero(~self.plain | np.concatenate([[False], changes])).tolist()
        """Lines that are no plain waiter, or one of another style than the waiter right above."""
        self.same: np.ndarray = self._frame["same"].to_numpy()
        """For each plain line the first line of the window that reads the same but for its figures."""
        self.seconds: np.ndarray = frame["seconds"].to_numpy()
        self.since: np.ndarray | None = frame["since"].fill_null(0).to_numpy() if "new" in styles else None
        figures = frame.select(pl.col("^(seconds|address|since|thread_id)$"), pl.col("lock").alias("wait_address"))
        self.figures = figures.with_columns(pl.Series("own", self.nodes, pl.String())) if self.nodes else figures
        """What plain lines print: columns of Waiter, and ``own``, the node in front of a line."""
        ends = np.flatnonzero(np.frombuffer(data, np.uint8) == ord("\n")) + 1
        self._starts: list[int] = [0, *ends.tolist(), len(data)]
        firsts = frame.filter(pl.col("index") == pl.col("same"))
        self.firsts: dict[int, int] = dict(zip(firsts["index"].to_list(), firsts["key"].to_list(), strict=True))
        """For the lines of ``same`` a number that stands for what they say but for their figures, the same in all
        windows.

        It is a hash of 64 bits: that two of the some ten thousand wordings of a text share one is as likely as a broken
        disk.
        """

    def bytes_of(self, index: int) -> bytes:
        """A line as it stands, with its end."""
        return self.data[self._starts[index] : self._starts[index + 1]]

    def keys(self, indices: list[int]) -> dict[int, Key]:
        """What some lines say but for their figures."""
        return dict(zip(indices, self._frame.select(_KEY)[indices].iter_rows(), strict=True)) if indices else {}

    def raw(self, index: int) -> Line:
        """A line as the line loop would see it."""
        return make_line(self.first + index + 1, self.bytes_of(index).removesuffix(b"\n"))

    def agrees(self, index: int, waiter: WaiterLine) -> bool:
        """Whether the line loop reads the same figures from a line as the columns hold."""
        found = self.figures.row(index, named=True)
        read = {name: getattr(waiter, name) for name in ("seconds", "address", "since", "thread_id")}
        read |= {"wait_address": waiter.detail.wait_address, "own": waiter.node}
        return all(value == found.get(name) for name, value in read.items())

    def text_before(self, offset: int) -> str:
        """Text of the last line that is not blank above an offset."""
        text = ""
        while offset and not text.strip():
            start = self.data.rfind(b"\n", 0, offset - 1) + 1
            text = make_line(0, self.data[start : offset - 1]).text
            offset = start
        return text

    def offset(self, index: int) -> int:
        """Where a line begins."""
        return self._starts[min(index, len(self._starts) - 1)]

    def rows(self, stretches: list[Stretch], numbers: np.ndarray) -> pl.DataFrame:
        """Rows of Waiter for some stretches; ``numbers`` holds the shape of each line of ``same``."""
        begins = np.array([stretch.at for stretch in stretches], np.int64)
        lengths = np.array([stretch.last for stretch in stretches], np.int64) - begins
        index = np.arange(lengths.sum()) + np.repeat(begins - lengths.cumsum() + lengths, lengths)
        each = pl.DataFrame(
            {
                "node": [stretch.node for stretch in stretches],
                "at": [stretch.dump for stretch in stretches],
                "zone_min": [stretch.zone_min for stretch in stretches],
            },
            schema=_KNOWN,
        )
        known = each[np.repeat(np.arange(len(stretches)), lengths)]
        found = self.figures[index]
        shapes = pl.DataFrame({"line": index + (self.first + 1), "shape": numbers[self.same[index]]})
        block = pl.concat([known, found, shapes], how="horizontal")
        if "own" in block.columns:
            block = block.with_columns(pl.coalesce("own", "node").alias("node"))
        if "since" in block.columns:
            block = block.with_columns(_placed(pl.col("since"), pl.col("seconds"), pl.col("at")).alias("since"))
        nothing = [pl.lit(None, pl.Int64()).alias(name) for name in Waiter.columns() if name not in block.columns]
        rows: pl.DataFrame = block.with_columns(nothing).select(Waiter.columns())
        return rows

    def few(self, stretch: Stretch, numbers: np.ndarray) -> dict[str, list[Any]]:
        """The same for one stretch without a clock, as columns of values: a table for each of many short dumps takes
        most of the time.
        """
        at, last, own, _, zone_min = stretch
        count, columns = last - at, {name: values[at:last] for name, values in self._values.items()}
        nodes = [name or own for name in columns.pop("own", [None] * count)]
        columns |= {
            "line": list(range(self.first + at + 1, self.first + last + 1)),
            "shape": numbers[self.same[at:last]].tolist(),
        }
        columns |= {"node": nodes, "zone_min": [zone_min] * count}
        return {name: columns.get(name) or [None] * count for name in Waiter.columns()}

    @cached_property
    def _values(self) -> dict[str, list[Any]]:
        return {column.name: column.to_list() for column in self.figures}


def _without_prefix(lines: pl.LazyFrame, *, may_have: bool) -> tuple[pl.LazyFrame, list[str | None]]:
    """Lines without the ``node:`` in front of some, and these names; an empty list where no line has one."""
    if not may_have:
        return lines, []
    text = pl.col("text")
    nodes = lines.select(text.str.extract(_PREFIXED, 1)).collect().to_series().to_list()
    return (lines.select(text.str.replace(_PREFIXED, "${2}")), nodes) if any(nodes) else (lines, [])


def _of_style(lines: pl.LazyFrame, style: str) -> pl.LazyFrame:
    """Numbered lines of one style as columns."""
    return _taken_apart(_words(lines.with_row_index("index"), style), style)


def _both(lines: pl.LazyFrame) -> pl.DataFrame:
    """The columns where both styles stand in one window: each line is taken apart by what it begins with."""
    begins_old = pl.col("text").str.starts_with("0x")
    numbered = lines.with_row_index("index").collect().lazy()
    frames = [
        _taken_apart(_words(numbered.filter(own), style), style)
        for style, own in (("old", begins_old), ("new", ~begins_old))
    ]
    return pl.concat([frame.collect() for frame in frames], how="diagonal").sort("index")


def _words(lines: pl.LazyFrame, style: str) -> pl.LazyFrame:
    """The words of a line at their places; the detail with its lock apart: ``before``, ``lock``, ``again``,
    ``rest``.
    """
    count = _DETAIL_AT[style]
    words = pl.col("text").str.splitn(" ", count + 1).alias("word")
    lines = lines.select("index", words).unnest("word").rename({f"field_{count}": "detail"})
    lines = lines.with_columns(pl.col("detail").str.splitn(" 0x", 2).struct.rename_fields(["before", "behind"])).unnest(
        "detail"
    )
    return lines.with_columns(
        pl.col("behind").str.splitn(" ", 3).struct.rename_fields(["lock", "again", "rest"]).alias("at")
    ).unnest("at")


def _taken_apart(words: pl.LazyFrame, style: str) -> pl.LazyFrame:
    """The columns of a window; ``head``, ``mid`` and ``tail`` are the detail without the addresses that stand where
    they should.
    """
    plain = pl.all_horizontal(pl.col(f"field_{place}") == word for place, word in _FIXED[style].items())
    plain = plain & pl.col("before").is_not_null()
    plain, figures = _old_figures(plain) if style == "old" else _new_figures(plain)
    on_lock = pl.col("before").str.ends_with(": on ThCond") | pl.col("before").str.ends_with(": on ThMutex")
    columns = words.select(
        "index",
        pl.lit(style == "new").alias("is_new"),
        plain.fill_null(False).alias("plain"),
        *figures,
        pl.when(on_lock).then(_address(pl.col("lock"))).otherwise(None).alias("lock"),
        pl.col("again").str.contains(_SECOND).fill_null(False).alias("twice"),
        pl.col("before").alias("head"),
        "again",
        "rest",
        "behind",
    )
    has_lock = pl.col("lock").is_not_null()
    return columns.with_columns(
        pl.when(~has_lock).then("behind").when("twice").then(None).otherwise("again").alias("mid"),
        pl.when(has_lock).then("rest").otherwise(None).alias("tail"),
        (has_lock.cast(pl.Int8()) + (has_lock & pl.col("twice")).cast(pl.Int8()) + _FORM_BEGINS[style]).alias("form"),
    )


def _address(text: pl.Expr) -> pl.Expr:
    """Up to sixteen hexadecimal digits as a number; all else, and a sign, gives null."""
    digits = pl.when((text.str.len_bytes() <= _ADDRESS_DIGITS) & ~text.str.starts_with("+")).then(text).otherwise(None)
    return digits.str.to_integer(base=16, dtype=pl.UInt64(), strict=False)


def _old_figures(plain: pl.Expr) -> tuple[pl.Expr, tuple[pl.Expr, ...]]:
    """``0xADDRESS waiting SECONDS seconds, DETAIL``."""
    address = (
        pl.when(pl.col("field_0").str.starts_with("0x"))
        .then(_address(pl.col("field_0").str.strip_prefix("0x")))
        .otherwise(None)
    )
    seconds = pl.col("field_2")
    return plain & address.is_not_null() & seconds.str.contains(_SECONDS), (
        address.alias("address"),
        seconds.cast(pl.Float64(), strict=False).alias("seconds"),
        pl.lit(False).alias("ignored"),
    )


def _new_figures(plain: pl.Expr) -> tuple[pl.Expr, tuple[pl.Expr, ...]]:
    """``Waiting SECONDS sec since HH:MM:SS, monitored, thread ID DETAIL``."""
    seconds, since, watched, thread = (pl.col(f"field_{place}") for place in (1, 4, 5, 7))
    plain = plain & seconds.str.contains(_SECONDS) & since.str.contains(_SINCE) & thread.str.contains(_THREAD_ID)
    hours, minutes, rest = (since.str.slice(start, 2).cast(pl.Int64(), strict=False) for start in (0, 3, 6))
    return plain & watched.is_in(["monitored,", "ignored,"]), (
        seconds.cast(pl.Float64(), strict=False).alias("seconds"),
        (((hours * 60 + minutes) * 60 + rest) * _SECOND_US).fill_null(0).alias("since"),
        thread.cast(pl.Int64(), strict=False).alias("thread_id"),
        (watched == "ignored,").fill_null(False).alias("ignored"),
    )


def _placed(tod: pl.Expr, seconds: pl.Expr, at: pl.Expr) -> pl.Expr:
    """Starts with their dates, where the dump has one: see ``scale_rows.place``."""
    started = at - (seconds * 1e6).round(0, mode="half_to_even").cast(pl.Int64())
    placed = tod + (started - tod + HALF_DAY_US).floordiv(DAY_US) * DAY_US
    return pl.when(at >= DAY_US).then(placed).otherwise(tod)
