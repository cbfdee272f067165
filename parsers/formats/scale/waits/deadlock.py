"""What the deadlock detector of Spectrum Scale sees: ``mmdiag --deadlock``, ``mmfsadm dump deadlock``, and with ``-Y``.

    Waiting 367.6072 sec since 18:19:49, on node lund03, thread 16077 SGAsyncRecoveryThread: for I/O completion
    Nodes the deadlock waiters depend on:
    lund05
    Effective deadlock detection threshold on lund03 is 300 seconds
    Effective deadlock detection threshold on lund03 is 180 seconds for short waiters
    Cluster lund.lab is not overloaded. The overload index on lund03 is 0.00029

    mmdiag:deadlockThread:HEADER:version:reserved:reserved:threadId:threadName:waitStartTime:waitTime:condVarAddr:...
    mmdiag:deadlockDetectionTimes:0:1:::1290:540:lund.lab:0.00086:0:

Yields Waiter and WaiterShape of style deadlock, DeadlockFact (thresholds in seconds; overloaded 1 or 0), and a Setting
for each threshold. Sentences
may be wrapped; a row that leaves out its empty cells is read by what its cells hold. Waiters carry times of day without
a zone, rows of ``-Y`` date and zone. Source: IBM Storage Scale documentation, mmdiag command, "Automated deadlock
detection".
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.waits.detail import NAME, NUMBER, number, plain
from parsers.formats.scale.waits.line import BULLETS, DEADLOCK_CLAIM, NODE, is_start
from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.runs_deadlock import DeadlockRuns
from parsers.formats.scale.waits.runs_y import RunsY
from parsers.formats.scale.waits.waiters import LineReader
from parsers.formats.scale.waits.waiters_y import RowReader, owns
from parsers.formats.scale.waits.wrap import continues
from parsers.formats.scale.waits.y import Row, waiter_of
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import HealthState
from parsers.records.waits import DeadlockFact
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

FACTS_KEPT: Final = 10_000
NAMES_KEPT: Final = 2_000
_REST_CHARS: Final = 200
SOURCE: Final = "mmdiag --deadlock"
THRESHOLDS: Final = {"threshold": "threshold", "threshold_short": "threshold for short waiters"}
SENTENCES: Final = (
    r"(?:Nodes the deadlock waiters depend on|Effective deadlock detection threshold|Cluster \S{1,253} is "
    r"(?:not )?overloaded)"
)
CLAIM: Final = rf"{DEADLOCK_CLAIM}|{BULLETS}{NODE}{SENTENCES}"
Y_CLAIM: Final = rf"{BULLETS}{NODE}mmdiag:deadlock(?:Thread|Nodes|DetectionTimes):(?:HEADER|\d{{1,9}}):"

_FIGURE: Final = r"[0-9.,]{1,20}(?:[eE][+-]?\d{1,4})?"
_SENTENCE = re.compile(rf"{BULLETS}{NODE}({SENTENCES}.*)$")
_WAITER = re.compile(DEADLOCK_CLAIM)
_NODES = re.compile(r"Nodes the deadlock waiters depend on ?:? ?(.*)$")
_WHERE: Final = rf"(?:cluster \S{{1,253}}|(?:this )?node(?= is)|(?:node )?({NAME}))"
_THRESHOLD = re.compile(
    rf"Effective deadlock detection threshold(?P<of> for short waiters)?(?: on {_WHERE})? is ({NUMBER}) seconds?"
    r"( for short waiters)?\.?$"
)
_OVERLOAD = re.compile(
    rf"Cluster (\S{{1,253}}) is (not )?overloaded\.?"
    rf"(?: The overload index(?: on (?:the local node|{_WHERE}))? is ({_FIGURE}))?\.?$"
)
_NAME = re.compile(r"[A-Za-z0-9][\w.-]{0,252}$")


def _names(text: str) -> list[str] | None:
    """Node names alone on a line, parted by commas where there are several."""
    names = [name.strip() for name in text.strip().strip(",").split(",")]
    return names if all(_NAME.match(name) for name in names) else None


def _owns_text(text: str, before: str) -> bool:
    body = text.lstrip()
    if _SENTENCE.match(body) or _WAITER.match(body):
        return True
    above = before.strip()
    sentence = _SENTENCE.match(above)
    if sentence and not _NODES.match(sentence[1]):
        return _joined(plain(sentence[1]), plain(body)) is not None
    if sentence or (_names(above) and not is_start(above)):
        return _names(body) is not None
    return not is_start(body) and continues(before, text)


def _joined(sentence: str, body: str) -> str | None:
    """A sentence with the line that is the rest of it; None where it is not. The cut may have gone through a word."""
    if len(body) >= _REST_CHARS:
        return None
    return next(
        (whole for gap in (" ", "") if _THRESHOLD.match(whole := f"{sentence}{gap}{body}") or _OVERLOAD.match(whole)),
        None,
    )


class _Facts:
    """Facts of one section, put out at its end, when its clock and its node are known."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._kept: list[tuple[int, str, float | None, str | None, str | None]] = []

    def _own(self) -> str | None:
        """The one node that the facts name, if it is one."""
        named = {node for *_, node in self._kept if node}
        return named.pop() if len(named) == 1 else None

    def add(
        self, line: int, what: str, *, value: float | None = None, name: str | None = None, node: str | None = None
    ) -> None:
        if len(self._kept) >= FACTS_KEPT:
            self._put()
        self._kept.append((line, what, value, name, node))

    def _put(self) -> None:
        section, own = self._section, self._own()
        for line, what, value, name, node in self._kept:
            known = node or own or section.node
            section.add(DeadlockFact, line, node=known, what=what, value=value, name=name)
            if what == "overloaded" and value == 0.0:
                section.add(
                    HealthState,
                    line,
                    node=known,
                    source=SOURCE,
                    component="load of the cluster, by the deadlock detector",
                    state="not overloaded",
                    standing="healthy",
                )
            if what in THRESHOLDS and value is not None:
                setting = f"deadlock detection {THRESHOLDS[what]}, in force"
                section.add(Setting, line, node=known, source=SOURCE, name=setting, value=f"{value:g} s")
        self._kept = []

    def finish(self, rows: Rows) -> None:
        """The section ends: waiters first, their start and age may tell the clock."""
        rows.settle()
        rows.flush()
        if own := self._own():
            self._section.speaks_of(node=own, basis="content")
        self._put()


class _Sentences:
    """Joins wrapped sentences and reads them."""

    def __init__(self, facts: _Facts, out: Output) -> None:
        self._facts = facts
        self._out = out
        self._lines: list[Line] = []
        self._text = ""
        self.lists_nodes = False

    def begin(self, line: Line, text: str) -> None:
        self.finish()
        self._lines, self._text = [line], text

    def goes_on(self, line: Line) -> bool:
        """Take a line that is the rest of the sentence above."""
        joined = _joined(plain(self._text), plain(line.text)) if self._lines else None
        if joined is None:
            return False
        self._text = joined
        self._lines.append(line)
        return True

    def finish(self) -> None:
        """The sentence above is whole."""
        lines, self._lines = self._lines, []
        if lines and not self._read(lines[0].number, plain(self._text)):
            for line in lines:
                self._out.skip(line, "a sentence of the deadlock detector that is cut")

    def _read(self, line: int, text: str) -> bool:
        self.lists_nodes = False
        if match := _NODES.match(text):
            self.lists_nodes = True
            for name in (match[1] and _names(match[1])) or ():
                self._facts.add(line, "depends_on", name=name)
            return True
        if match := _THRESHOLD.match(text):
            self._facts.add(
                line,
                "threshold_short" if match["of"] or match[4] else "threshold",
                value=number(match[3]),
                node=match[2],
            )
            return True
        match = _OVERLOAD.match(text)
        if match is None:
            return False
        self._facts.add(line, "overloaded", value=0.0 if match[2] else 1.0, name=match[1], node=match[3])
        if (index := _figure(match[4])) is not None:
            self._facts.add(line, "overload_index", value=index, node=match[3])
        return True


def _figure(text: str | None) -> float | None:
    return figure(text.strip().rstrip(".,")) if text else None


@parser(
    "scale_deadlock",
    version=5,
    product="spectrum-scale",
    claims=CLAIM,
    owns=_owns_text,
    commands=("mmdiag", "mmfsadm"),
    priority=1,
)
def scale_deadlock(section: OpenSection, out: Output) -> None:
    """``mmdiag --deadlock`` and ``mmfsadm dump deadlock``: suspected deadlocks and thresholds."""
    rows, facts = Rows(section, out), _Facts(section, out)
    waiters, sentences = LineReader(rows, out), _Sentences(facts, out)
    runs = DeadlockRuns(section, out, rows)
    for line in section:
        match = _SENTENCE.match(line.text.lstrip())
        if match:
            waiters.flush()
            sentences.begin(line, match[1])
            if _NODES.match(match[1]):
                sentences.finish()
        elif sentences.goes_on(line):
            continue
        elif sentences.lists_nodes and (names := _names(line.text)):
            for name in names[:NAMES_KEPT]:
                facts.add(line.number, "depends_on", name=name)
        else:
            sentences.finish()
            waiters.take(line)
            runs.run(waiters.flush)
    waiters.flush()
    sentences.finish()
    facts.finish(rows)


@parser(
    "scale_deadlock_y",
    version=4,
    product="spectrum-scale",
    claims=Y_CLAIM,
    commands=("mmdiag",),
    priority=2,
    owns=lambda text, before: owns("mmdiag:deadlock", text, before),
)
def scale_deadlock_y(section: OpenSection, out: Output) -> None:
    """``mmdiag --deadlock -Y``: the same for programs."""
    rows, facts, reader = Rows(section, out), _Facts(section, out), RowReader(section)
    runs = RunsY(section, out, rows, reader.tables, "deadlockThread")
    for line in section:
        _put(reader.take(line), rows, facts, out)
        runs.run(lambda: _put(reader.finish(), rows, facts, out))
    _put(reader.finish(), rows, facts, out)
    facts.finish(rows)


def _put(done: tuple[list[Line], Row | str | None] | None, rows: Rows, facts: _Facts, out: Output) -> None:
    lines, row = done or ([], None)
    if row is None or (isinstance(row, Row) and not _put_row(lines[0].number, row, rows, facts)):
        for line in lines:
            out.skip(line, "not a row of mmdiag -Y")


def _put_row(line: int, row: Row, rows: Rows, facts: _Facts) -> bool:
    """Whether the row told anything."""
    if row.table == "deadlockThread":
        waiter = waiter_of(row)
        if waiter is not None:
            rows.add(line, waiter)
        return waiter is not None
    if row.table == "deadlockNodes":
        for name in re.split(r"[\s,;]+", row.fields.get("nodeList", ""))[:NAMES_KEPT]:
            if _NAME.match(name):
                facts.add(line, "depends_on", name=name, node=row.node)
    elif row.table == "deadlockDetectionTimes":
        _times(line, row, facts)
    return True


def _times(line: int, row: Row, facts: _Facts) -> None:
    fields, node = row.fields, row.node
    for what, column in (("threshold", "mediumWaiterTime"), ("threshold_short", "shortWaiterTime")):
        if (value := _figure(fields.get(column))) is not None:
            facts.add(line, what, value=value, node=node)
    cluster = fields.get("overloadCluster", "").strip() or None
    if (verdict := _figure(fields.get("overloaded"))) is not None:
        facts.add(line, "overloaded", value=verdict, name=cluster, node=node)
    if (index := _figure(fields.get("overloadIndex"))) is not None:
        facts.add(line, "overload_index", value=index, node=node)
