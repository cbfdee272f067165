"""Messages that entries of a team judge, looked up in stored texts when a case is diagnosed: so an entry counts for
texts that were read before it was there.

Facts stay as they were read. Lines that hold a word of an entry are read once more with the entries in force; events
that these make stand in place of what the first reading made of the same lines.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

import polars as pl

from apps.diagnosis.engine.analysis import read_blocks
from apps.diagnosis.engine.core.store import SCHEMAS, FactsWriter, Source, file_stem
from parsers.catalogue import judging_with
from parsers.records import Event, Section
from parsers.sections import Hints
from parsers.site_entries import LEARNED, Entries, Entry
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


def events_of(path: str, text: Iterator[Block], entries: Entries, folder: Path) -> pl.DataFrame:
    """Events that entries of a team make of the lines of a text, with their numbers there. ``folder`` is a place of its
    own for what is read meanwhile.
    """
    if not _of_logs(entries):
        return pl.DataFrame(schema=SCHEMAS[Event])
    numbers = array("q")
    writer = FactsWriter(folder / "read")
    with judging_with(entries):
        _, failure = read_blocks(_chosen(text, entries, numbers), writer, Hints(path=path))
    parts = sorted((folder / "read").glob(f"{file_stem(Event)}-*.parquet"))
    if failure or not parts:
        return pl.DataFrame(schema=SCHEMAS[Event])
    rows = pl.scan_parquet(parts).filter(_is_learned()).collect()
    lines = pl.Series("line", [numbers[line - 1] for line in rows["line"]], pl.Int64)
    return rows.with_columns(lines)


def _chosen(text: Iterator[Block], entries: Entries, numbers: array[int]) -> Iterator[Block]:
    """Lines that hold the longest word of an entry, one below the other; ``numbers`` gets where they stand."""
    needles = _needles(_of_logs(entries))
    for block in text:
        lines = pl.Series([block.data.decode("utf-8", "replace").removesuffix("\n")]).str.split("\n").explode()
        hits = lines.str.contains_any(needles, ascii_case_insensitive=True).arg_true()
        if not len(hits):
            continue
        first = len(numbers) + 1
        numbers.extend(block.first_line + at for at in hits)
        yield Block("".join(f"{line}\n" for line in lines.gather(hits)).encode(), first)


def _of_logs(entries: Entries) -> list[Entry]:
    return [one for one in entries.all if one.of == "log" and one.kind.endswith(LEARNED)]


def _is_learned() -> pl.Expr:
    return pl.any_horizontal(pl.col("kind").str.ends_with(ending) for ending in LEARNED)


def _needles(entries: Iterable[Entry]) -> list[str]:
    """The longest kept word of each entry. Letters beyond ASCII differ in ways that a search by bytes does not know:
    of a word with such letters its longest run of others is taken.
    """
    return sorted({max((run for one in entry.match for run in _plain(one.word)), key=len) for entry in entries})


def _plain(word: str) -> list[str]:
    return "".join(sign if sign.isascii() else " " for sign in word).split() or [""]
