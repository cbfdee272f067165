"""Reading a huge text in windows, each by itself: where to cut, and what a window takes over from above.

A cut lies above a structural line (a prompt, a heading, a date line) below which a section begins whose parser carries
nothing over. What the lines above said of node, time and command is found by reading the beginning of the text and a
stretch right above the cut. The reader of the window above ends in a state of its own: where both are equal
(``CarriedOver.mark``), the windows together give what one reading of the whole gives. Where they differ the whole is
to be read in one go.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from parsers.dataclass import dataclass
from parsers.headings.transcript import match_mark, match_prompt
from parsers.lookup import claimed, parsers
from parsers.output import SKIPPED_KEPT, Columns, Output
from parsers.output import Block as Table
from parsers.reading import Hints, ReadResult
from parsers.records import Record
from parsers.sections.carried_over import CarriedOver
from parsers.sections.lines import LineSource
from parsers.sections.opening import LOOKED_AT
from parsers.sections.reader import Reader
from parsers.text import Block


@dataclass(frozen=True, slots=True)
class Place:
    """Where a window lies: its number from 0, what it takes over, and the beginning of the text (see
    ``opening_of``).
    """

    number: int = 0
    above: CarriedOver | None = None
    opening: bytes | None = None


class Nowhere:
    """A sink for what is read only to know what stands above."""

    def write(self, kind: type[Record], columns: Columns | Table) -> None: ...

    def close(self) -> None: ...


def until(source: Iterable[Block], end: int | None) -> Iterator[Block]:
    """Blocks up to line ``end``, which is not among them; None for all."""
    for block in source:
        if end is not None and block.first_line + block.data.count(b"\n") >= end:
            *kept, _ = block.data.split(b"\n", end - block.first_line)
            if kept:
                yield Block(b"\n".join(kept) + b"\n", block.first_line)
            return
        yield block


def first_cut(source: Iterable[Block]) -> int | None:
    """The number of the first line of a stretch of text above which it may be cut; None where there is none."""
    blocks = iter(source)
    first = next(blocks, None)
    if first is None:
        return None
    lines = LineSource([first, *blocks], above=first.first_line - 1)
    programs = frozenset(name for parser in parsers().values() for name in parser.commands)
    begin: int | None = None
    while (line := lines.next()) is not None:
        if not line.text.strip():
            continue
        owner = claimed(line.text)
        if lines.is_prefixed:
            begin = None
        elif owner is None and (match_prompt(line.raw, programs) or match_mark(line.text)) is not None:
            begin = begin or line.number
        elif begin is not None and owner is not None and owner.cuts:
            return begin
        else:
            begin = None
    return None


def opening_of(first: Block) -> bytes:
    """The beginning of a text that tells which headings are names of nodes, out of its first block."""
    return LineSource([first]).window(LOOKED_AT)


def state_above(
    opening: bytes, head: Iterable[Block], near: Iterable[Block], first_near: int, hints: Hints
) -> CarriedOver:
    """The standing below a stretch of text (``near``, from line ``first_near`` on), of which the beginning of the text
    is known too.
    """
    top = Reader(head, Output(Nowhere()), hints, opening=opening)
    top.read()
    below = Reader(near, Output(Nowhere()), hints, replace(top.carried(), line=first_near - 1))
    below.read()
    return below.carried()


def is_whole(formats: Iterable[str], results: Iterable[ReadResult]) -> bool:
    """Whether windows together are what one reading gives: only parsers that carry nothing over, and no lines left out
    of a long list.
    """
    known = parsers()
    return (
        all(known[name].cuts for name in formats) and sum(result.not_understood for result in results) <= SKIPPED_KEPT
    )


def joined(results: Iterable[ReadResult]) -> ReadResult:
    """The counts of the windows of one text as those of the whole."""
    total = ReadResult(0, 0, 0, 0, 0, 0, {})
    for one in results:
        formats = {
            name: total.formats.get(name, 0) + one.formats.get(name, 0) for name in {**total.formats, **one.formats}
        }
        total = ReadResult(
            total.total + one.total,
            total.understood + one.understood,
            total.ignored + one.ignored,
            total.not_understood + one.not_understood,
            total.sections + one.sections,
            total.records + one.records,
            formats,
        )
    return total
