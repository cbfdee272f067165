"""Messages that entries of a team judge, looked up in stored texts when a case is diagnosed: so an entry counts for
texts that were read before it was there.

Facts stay as they were read. Lines that hold a word of an entry are read once more with the entries in force; events
that these make stand in place of what the first reading made of the same lines.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Final

import polars as pl

from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.facts.store import SCHEMAS, FactsWriter, Source, file_stem
from parsers.messages.catalogue import judging_with
from parsers.messages.site_entries import LEARNED, Entries, Entry, fits_any, tree_of
from parsers.records import Event, Section
from parsers.sections.reader import Hints
from parsers.text import Block

LOGS: Final = frozenset(("kernel_log", "scale_log", "scale_log_bare", "scale_syslog", "veritas_log"))
"""Formats whose messages are looked up by their program."""


def with_events(source: Source, events: pl.DataFrame, folder: Path) -> Source:
    """The facts of one text with events that entries of a team make of its lines; the same source where they make none.

    ``folder`` is a place for those facts: files of other records are links to the ones that are there.
    """
    if events.is_empty() or source.directory is None:
        return source
    facts = folder / "facts"
    facts.mkdir(parents=True)
    stem = file_stem(Event)
    kept = []
    for path in sorted(source.directory.glob("*.parquet")):
        if path.name.rpartition("-")[0] == stem:
            kept.append(path)
        else:
            (facts / path.name).symlink_to(path.resolve())
    events = _with_nodes(events, sorted(source.directory.glob(f"{file_stem(Section)}-*.parquet")))
    schema = SCHEMAS[Event]
    if kept:
        before = pl.scan_parquet(kept, schema=schema, missing_columns="insert", glob=False)
        others = before.filter(~pl.col("line").is_in(events["line"].implode())).collect()
        events = pl.concat([others, events]).sort("line", maintain_order=True)
    events.write_parquet(facts / f"{stem}-0000.parquet")
    return replace(source, directory=facts)


def _with_nodes(events: pl.DataFrame, sections: list[Path]) -> pl.DataFrame:
    """Lines that name no node are of the node of their section."""
    if not sections or not events["node"].null_count():
        return events
    of = pl.scan_parquet(sections, schema=SCHEMAS[Section], missing_columns="insert", glob=False)
    spans = of.select("line", "last_line", pl.col("node").alias("of")).sort("line").collect()
    placed = events.sort("line").join_asof(spans, on="line")
    node = pl.coalesce("node", pl.when(pl.col("line") <= pl.col("last_line")).then("of"))
    return placed.with_columns(node=node).select(events.columns)


def events_of(
    path: str, text: Iterable[Block], entries: Entries, folder: Path, spoken_of: Sequence[int] | None = None
) -> pl.DataFrame:
    """Events that entries of a team make of the lines of a text, with their numbers there. ``folder`` is a place of its
    own for what is read meanwhile, ``spoken_of`` what ``lines_spoken_of`` gives for the text, where that is known.
    """
    numbers = lines_spoken_of(text, entries) if spoken_of is None else spoken_of
    if not numbers:
        return pl.DataFrame(schema=SCHEMAS[Event])
    writer = FactsWriter(folder / "read")
    with judging_with(entries):
        _, failure = read_blocks(_those(text, numbers), writer, Hints(path=path))
    parts = sorted((folder / "read").glob(f"{file_stem(Event)}-*.parquet"))
    if failure or not parts:
        return pl.DataFrame(schema=SCHEMAS[Event])
    rows = pl.scan_parquet(parts).filter(_is_learned()).collect()
    lines = pl.Series("line", [numbers[line - 1] for line in rows["line"]], pl.Int64)
    return rows.with_columns(lines)


def _those(text: Iterable[Block], numbers: Sequence[int]) -> Iterator[Block]:
    """Lines of these numbers, one below the other."""
    at = 0
    for block in text:
        if at == len(numbers):
            return
        lines = block.data.removesuffix(b"\n").split(b"\n")
        end = bisect_left(numbers, block.first_line + len(lines), at)
        if end > at:
            yield Block(b"".join(lines[one - block.first_line] + b"\n" for one in numbers[at:end]), at + 1)
        at = end


def lines_spoken_of(text: Iterable[Block], entries: Entries) -> Sequence[int]:
    """Numbers of the lines of a text of which an entry of a team may speak, ascending."""
    numbers = array("q")
    narrowing = _narrowing(entries)
    if narrowing is not None:
        for block in text:
            lines = pl.Series([block.data.decode("utf-8", "replace").removesuffix("\n")]).str.split("\n").explode()
            numbers.extend(block.first_line + at for at in narrowing.hits(lines))
    return numbers


@lru_cache(maxsize=2)
def _narrowing(entries: Entries) -> Narrowing | None:
    """Made once for the many files of a case."""
    of_logs = [one for one in entries.all if one.of == "log" and one.kind.endswith(LEARNED)]
    return Narrowing(of_logs) if of_logs else None


_BETWEEN: Final = r"(?:(?:[.:!?]|\x1b\[[\d;]*m)*[\s=,;()\[\]{}\"'<>|\\]+)+(?:[.:!?]|\x1b\[[\d;]*m)*"
"""What may stand between two words of a message, with what quoting and colours put there."""


class Narrowing:
    """Finds the few lines of which an entry may speak: first by letters, many lines at once, then word by word."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        runs = [sorted(_runs(entry), key=len, reverse=True) for entry in entries]
        self._words = sorted({max(run[0].split(), key=len, default="") for run in runs})
        self._longest = sorted({run[0] for run in runs})
        self._others = sorted({run[min(1, len(run) - 1)] for run in runs})
        self._tree = tree_of(entries)

    def hits(self, lines: pl.Series) -> pl.Series:
        """Places of those lines, ascending."""
        hits = _holding(lines, self._words)
        words = lines.gather(hits).str.replace_all(_BETWEEN, " ")
        for needles in (self._longest, self._others):
            held = _holding(words, needles)
            hits, words = hits.gather(held), words.gather(held)
        return hits.filter(pl.Series([self._may_fit(line) for line in lines.gather(hits)], dtype=pl.Boolean))

    def _may_fit(self, line: str) -> bool:
        """Quoting and colours hide where words end: such lines are left to the reader."""
        return "\\" in line or "\x1b" in line or fits_any(self._tree, line)


def _holding(lines: pl.Series, needles: list[str]) -> pl.Series:
    return lines.str.contains_any(needles, ascii_case_insensitive=True).arg_true()


def _is_learned() -> pl.Expr:
    return pl.any_horizontal(pl.col("kind").str.ends_with(ending) for ending in LEARNED)


def _runs(entry: Entry) -> list[str]:
    """Words of an entry that follow each other, one blank between them; at least one run. Letters beyond ASCII differ
    in ways that a search by bytes does not know: of a word with such letters its runs of others are taken.
    """
    runs, open_run = [], ""
    for token in entry.match:
        if token.word and token.word.isascii():
            open_run = f"{open_run} {_split(token.word)}".strip()
            continue
        runs += [open_run, *_plain(token.word)]
        open_run = ""
    return [run for run in (*runs, open_run) if run] or [""]


def _split(word: str) -> str:
    return " ".join(word.replace("\\", " ").split())


def _plain(word: str) -> list[str]:
    return _split("".join(sign if sign.isascii() else " " for sign in word)).split()
