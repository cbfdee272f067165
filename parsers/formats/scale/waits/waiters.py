"""Waiters of Spectrum Scale as people read them: ``mmfsadm dump waiters`` (old) and ``mmdiag --waiters`` (new).

Old style, one line per waiting thread with the address of its thread object; it prints the age and never the start::

    0x1104A2C30 waiting 28.012345678 seconds, Sync handler: on ThMutex 0x1104A2D90 (0x1104A2D90) (LogFile instance)
    0x1104A2F70 waiting 2.835512707 seconds, SG mgr log migrate: for open disk device on disk lund_nsd07

New style, also printed for many nodes by ``mmlsnode -N waiters -L``, with the thread id and the time of day of the start::

    === mmdiag: waiters ===
    Waiting 0.0316 sec since 18:14:55, monitored, thread 40777 NSDThread: for I/O completion
    lund03.lab: Waiting 0.0073 sec since 18:14:55, monitored, thread 40779 PrefetchWorkerThread: for NSD I/O completion on node 10.20.4.7 <c0n2>

Yields Waiter (seconds; instants of the node's own clock, without a zone) and WaiterShape. Without a clock in the text, the
time of the dump is the median of start plus age. Quotes of mail, bullets, wrapped and cut lines, lost brackets, quotes,
names and colons, and decimal commas are tolerated: what was lost leaves the shape incomplete. A quoted wait without thread
(``waiting on ThCond ...``) is a waiter of unknown thread and age. Log lines about long waiters carry the log's own clock.
Source: IBM Storage Scale documentation, mmdiag command and "Automated deadlock detection"; dumps of releases 3.5 to 5.1.
"""  # noqa: E501  the sample shows a line as long as it is printed

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from parsers.formats.scale.waits.line import NEW_CLAIM, OLD_CLAIM, is_start, parts, read_waiter
from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.wrap import continues, goes_on, joined
from parsers.line_kinds import is_prose
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

if TYPE_CHECKING:
    from parsers.formats.scale.waits.waiters_bulk import Bulk

BULK_AFTER_WAITERS: Final = 2_000
_HAS_POLARS: Final = find_spec("polars") is not None


def owns(text: str, before: str) -> bool:
    """Further waiters, and what a wrap left of the one above."""
    return is_start(text) or continues(before, text)


@parser(
    "scale_waiters_old",
    version=2,
    product="spectrum-scale",
    claims=OLD_CLAIM,
    owns=owns,
    commands=("mmfsadm", "mmdsh"),
    cuts=True,
)
def scale_waiters_old(section: OpenSection, out: Output) -> None:
    """``mmfsadm dump waiters``: waiters of the old style."""
    _read(section, out)


@parser(
    "scale_waiters_new",
    version=4,
    product="spectrum-scale",
    claims=NEW_CLAIM,
    owns=owns,
    commands=("mmdiag", "mmlsnode", "mmrlsnode"),
    banner="mmdiag --waiters",
    cuts=True,
)
def scale_waiters_new(section: OpenSection, out: Output) -> None:
    """``mmdiag --waiters`` and ``mmlsnode -N waiters -L``: waiters of the new style."""
    _read(section, out)


def _read(section: OpenSection, out: Output) -> None:
    rows = Rows(section, out)
    reader = LineReader(rows, out)
    bulk = None
    for line in section:
        reader.take(line)
        if bulk is None and _HAS_POLARS and rows.shapes.waiters >= BULK_AFTER_WAITERS:
            bulk = _bulk(section, out, rows)
        if bulk is not None and bulk.is_worth_a_try():
            bulk.run(reader.flush)
    reader.flush()
    rows.settle()
    rows.flush()


def _bulk(section: OpenSection, out: Output, rows: Rows) -> Bulk:
    """Not in small texts, where a copy of earlier lines is to be noticed and importing Polars would take longer than
    reading.
    """
    from parsers.formats.scale.waits.waiters_bulk import Bulk

    return Bulk(section, out, rows)


class LineReader:
    """Reads waiters line by line, joining what was wrapped."""

    def __init__(self, rows: Rows, out: Output) -> None:
        self._rows = rows
        self._out = out
        self._lines: list[Line] = []
        self._text = ""

    def take(self, line: Line) -> None:
        """The next line of the section."""
        if is_start(line.text):
            self.flush()
            self._lines, self._text = [line], line.text
        elif self._lines and goes_on(self._text, line.text, line.number - self._lines[-1].number):
            self._text = joined(self._text, self._lines[-1], line)
            self._lines.append(line)
        else:
            self.flush()
            self._pass_over(line)

    def flush(self) -> None:
        """The waiter that is open is whole."""
        lines, self._lines = self._lines, []
        if not lines:
            return
        waiters = [waiter for part in parts(self._text) if (waiter := read_waiter(part)) is not None]
        for waiter in waiters:
            self._rows.add(lines[0].number, waiter)
        if waiters:
            return
        for line in lines:
            self._out.skip(line, "not a waiter after all")

    def _pass_over(self, line: Line) -> None:
        if is_prose(line.text):
            self._out.ignore()
        else:
            self._out.skip(line, "goes on with no waiter")
