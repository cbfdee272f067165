"""GFS2 tracepoints of ftrace (``trace``, ``trace_pipe``).

::

    # tracer: nop
           imapd-4377    [002] .... 51234.120034: gfs2_glock_queue: 253,4 glock 2:181000 queue EX
     kworker/2:1-88      [002] .... 51234.220991: gfs2_demote_rq: 253,4 glock 2:181000 demote EX to UN flags:DyIqob
     remote
           imapd-4377    [002] .... 51235.330110: gfs2_promote: 253,4 glock 2:181000 promote EX

A trace holds millions of lines, so they are summed up as they come (``gfs2_trace_sums.py``): ``Counter`` per glock
(demote requests of other nodes and the most of them in 10 s, waits from queue to promote, measured lock times, changes
between direct and buffered states) and per kind of line; ``Event`` for single waits, lock times and log flushes of a
second and more. Glock numbers are decimal in traces and become hexadecimal, as in ``glocks``. Times are seconds since
the start of the system: intervals only. The scope is ``major,minor`` of the device, which ``/sys/fs/gfs2/<fs>/id``
names. Source: fs/gfs2/trace_gfs2.h.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.gfs2.trace_sums import TraceSums
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Patience, TextStretch

_COMM: Final = r"[\w<][\w<>./:@+ -]{0,31}?"
_LINE: Final = (
    rf" {{0,24}}({_COMM})-(\d{{1,8}}) {{1,12}}(?:\( {{0,8}}(?:\d{{1,8}}|-{{1,8}})\) {{1,4}})?\[\d{{1,4}}\] "
    r"{1,8}(?:[\w.]{4,6} {1,4})?(\d{1,9}\.\d{1,9}): gfs2_(\w{1,40}): (\d{1,6},\d{1,8}) "
    r"(?:glock (\d):(\d{1,20}) )?([\w :,./=>()|-]{0,240})"
)
_STRETCH: Final = TextStretch(_LINE)
_TASK: Final = (
    r"\S.{0,31}?-\d{1,8} {1,12}(?:\( {0,8}(?:\d{1,8}|-{1,8})\) {1,4})?\[\d{1,4}\] {1,8}(?:[\w.#]{4,6} "
    r"{1,4})?\d{1,9}\.\d{1,9}: "
)
_CLAIM: Final = rf"(?:{_TASK}gfs2_\w{{1,40}}: \d{{1,6}},\d|# tracer: nop$)"
_OWNS = re.compile(rf"(?:{_TASK}\w|#)")
_ROW = re.compile(
    r"(\S.{0,31}?)-(\d{1,8}) {1,12}(?:\( {0,8}(?:\d{1,8}|-{1,8})\) {1,4})?\[\d{1,4}\] {1,8}(?:[\w.#]{4,6} {1,4})?"
    r"(\d{1,9}\.\d{1,9}): gfs2_(\w{1,40}): (\d{1,6},\d{1,8}) "
    r"(?:glock (\d):(\d{1,20}) )?(.{0,400})$"
)


def _owns(text: str, before: str) -> bool:
    return _OWNS.match(text.lstrip()) is not None


@parser("gfs2_trace", version=2, product="gfs2", claims=_CLAIM, owns=_owns)
def gfs2_trace(section: OpenSection, out: Output) -> None:
    """GFS2 tracepoints, summed up per glock."""
    sums: TraceSums = section.state.setdefault("sums", TraceSums())
    sums.node, sums.zone_min = section.node, section.zone_min
    patience = Patience()
    for line in section:
        text = line.text.strip()
        if match := _ROW.match(text):
            if not sums.feed(out, line.number, match.groups("")):
                out.skip(line, "what this tracepoint says is cut or damaged")
        elif text.startswith("#") or ": gfs2_" not in text:
            out.ignore()
        else:
            out.skip(line, "the line of a tracepoint is cut or damaged")
        for first, rows in patience.stretches(section, _STRETCH.take):
            for number, row in enumerate(rows, first):
                sums.feed(out, number, row)
    sums.close(section, out)
    section.state["sums"] = TraceSums()
