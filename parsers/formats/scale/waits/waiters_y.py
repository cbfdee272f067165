"""Waiters of Spectrum Scale for programs: ``mmdiag --waiters -Y``, the fullest form of all.

    mmdiag:waiters:HEADER:version:reserved:reserved:threadId:threadAddr:threadName:waitStartTime:waitTime:isMonitored:condVarAddr:...
    mmdiag:waiters:0:1:::40221:00000000C4A8D150:NSDThread:2031-06-02_08%3A55%3A20+0200:48.7:monitored::::::for I/O completion:::
    lund03: mmdiag:waiters:0:1:::40377:00000000C4A8E290:SyncHandlerThread:2031-06-02_08%3A55%3A21+0200:0.3:monitored:0000000011A2B3C0:MsgRecordCondvar:RPC wait for tmMsgRevoke on node 10.20.4.7 <c0n2>::::::

Yields Waiter (seconds; start with date and zone) and WaiterShape of style Y. The order of columns comes from the HEADER
row, of which there may be several; without one the documented order holds. Rows may be longer or shorter than it, wrapped,
and prefixed by a node; a wait time that is no number leaves the age unknown. Without a clock in the text, the time of the
dump is the median of start plus age. Source: IBM Storage Scale documentation, mmdiag command; releases 4.2 to 5.2.
"""  # noqa: E501  the sample shows a row as long as it is printed

from __future__ import annotations

from parsers.formats.scale.waits.cut_rows import CutRows, goes_on
from parsers.formats.scale.waits.line import BULLETS, NODE
from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.runs_y import RunsY
from parsers.formats.scale.waits.y import Row, Tables, waiter_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

CLAIM = rf"{BULLETS}{NODE}mmdiag:waiters:(?:HEADER|\d{{1,9}}):"


class RowReader:
    """Joins wrapped lines to rows."""

    def __init__(self, section: OpenSection) -> None:
        tables: Tables = section.state.setdefault("scale_tables", Tables())
        self.tables = tables
        self._cut = CutRows(section)
        self._lines: list[Line] = []

    def take(self, line: Line) -> tuple[list[Line], Row | str | None] | None:
        """The row that ends where this line begins another."""
        if self._lines and goes_on(self._lines[-1].text, line.text):
            self._lines.append(line)
            return None
        done = self.finish()
        self._lines = [line]
        return done

    def finish(self) -> tuple[list[Line], Row | str | None] | None:
        """The row that is open; read only now, so that a wrapped HEADER is whole."""
        lines, self._lines = self._lines, []
        return (lines, self.tables.read(self._cut.whole(lines))) if lines else None


def owns(claim: str, text: str, before: str) -> bool:
    """A row, or the rest of one."""
    return text.lstrip().startswith(claim) or claim in text[:300] or goes_on(before, text)


@parser(
    "scale_waiters_y",
    version=3,
    product="spectrum-scale",
    claims=CLAIM,
    commands=("mmdiag",),
    priority=2,
    owns=lambda text, before: owns("mmdiag:waiters:", text, before),
)
def scale_waiters_y(section: OpenSection, out: Output) -> None:
    """``mmdiag --waiters -Y``: waiters for programs."""
    rows, reader = Rows(section, out), RowReader(section)
    runs = RunsY(section, out, rows, reader.tables, "waiters")
    for line in section:
        _put(reader.take(line), rows, out)
        runs.run(lambda: _put(reader.finish(), rows, out))
    _put(reader.finish(), rows, out)
    rows.settle()
    rows.flush()


def _put(done: tuple[list[Line], Row | str | None] | None, rows: Rows, out: Output) -> None:
    lines, row = done or ([], None)
    waiter = waiter_of(row) if isinstance(row, Row) else None
    if waiter is not None:
        rows.add(lines[0].number, waiter)
    elif not isinstance(row, str):
        for line in lines:
            out.skip(line, "not a row of mmdiag -Y")
