"""``trcrpt`` of Spectrum Scale: the report of a trace, a point a line.

    4.117205 20931 TRACE_TS: tscSend: service 00020001 msg 'sgmMsgSGMount' n_dest 1 data_len 8 msg_id 77
    4.117206 20931 TRACE_TS: llc_send_msg: cl 0, dest 10.31.1.4, msg_id 77, type 1, len 8
    4.117230 20931 TRACE_MUTEX: Thread 0x20D07 (Mount handler) waiting on condvar 0x71BE240
    (0x71BE240) (MsgRecord): waiting for RPC replies

Yields ``Event`` for messages sent and waits that begin; ``value`` is seconds since the trace began, with microseconds:
the text has no clock. All other points are passed over. Tolerated: a point wrapped to a second line. Source: IBM
Spectrum Scale performance talk.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Patience, Row, Stretch
from parsers.text import Line

TEXT_KEPT: Final = 300
PARTS_KEPT: Final = 4
_HEAD: Final = r"\d{1,9}\.\d{3,9} {1,8}\d{1,10} {1,8}TRACE_[A-Z0-9_]{1,24}: "
_START = re.compile(_HEAD)
_POINT = re.compile(r"(\d{1,9}\.\d{3,9}) {1,8}(\d{1,10}) {1,8}(TRACE_[A-Z0-9_]{1,24}): {0,8}(.*)$")
_TAIL: Final = re.compile(r"(?:msg 0x|\(0x|mr 0x|len \d|flags 0x)|[a-z(][^:=]{0,160}$")
_TELLING: Final = (b"tscSend: ", b" waiting on ", b"llc_send_msg: cl ", b"tscHandleMsg")
_SENT = re.compile(r"tscSend: [^']{0,80}msg '([^']{1,120})'")
_TO = re.compile(r"llc_send_msg: cl \d{1,6}, dest ([0-9A-Fa-f.:]{3,45})")
_WAITS = re.compile(r"Thread 0x[0-9A-Fa-f]{1,16} \(([^)]{1,120})\) waiting on (?:condvar|mutex) 0x[0-9A-Fa-f]{1,16}")
_HANDLED = re.compile(r"tscHandleMsg\w{0,40}: [^']{0,80}msg '([^']{1,120})'")
_KINDS: Final = (("rpc-sent", _SENT), ("rpc-to", _TO), ("wait-began", _WAITS), ("rpc-received", _HANDLED))
_BULK: Final = Stretch(
    rb"(\d{1,9}\.\d{3,9} {1,8}\d{1,10} {1,8}TRACE_[A-Z0-9_]{1,24}: {1,8})([ !-%'-;=-\[\]-~]{0,4000})"
)


def _owns(text: str, before: str) -> bool:
    body = text.lstrip()
    return _START.match(body) is not None or (
        len(before) >= 60 and len(body) <= TEXT_KEPT and _TAIL.match(body) is not None
    )


@parser(
    "scale_trace",
    version=1,
    product="spectrum-scale",
    claims=_HEAD,
    owns=_owns,
    commands=("mmtrace", "trcrpt", "mmtracectl"),
)
def scale_trace(section: OpenSection, out: Output) -> None:
    """Points that tell of messages and waits."""
    reader, patience = _Reader(section, out), Patience()
    for line in section:
        reader.take(line)
        for first, rows in patience.stretches(section, _BULK.take):
            reader.stretch(first, rows)
    reader.flush()


class _Reader:
    """One point after the other."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._lines: list[Line] = []

    def take(self, line: Line) -> None:
        """The next line of the section."""
        if _START.match(line.text.lstrip()):
            self.flush()
            self._lines = [line]
        elif self._lines and len(self._lines) < PARTS_KEPT:
            self._lines.append(line)
        else:
            self._out.skip(line, "goes on with no trace point")

    def stretch(self, first: int, rows: list[Row]) -> None:
        """Many plain lines; the last one may go on below."""
        self.flush()
        idle = 0
        together = b"\n".join([text for _, text in rows])
        telling = [word for word in _TELLING if word in together]
        for number, (head, text) in enumerate(rows[:-1], first):
            if telling and any(word in text for word in telling):
                self._point(number, (head + text).decode())
            else:
                idle += 1
        self._out.ignore(idle)
        last = b"".join(rows[-1]).decode()
        self._lines = [Line(first + len(rows) - 1, last, last)]
        self._section.previous = last

    def flush(self) -> None:
        """The point that is open is whole."""
        lines, self._lines = self._lines, []
        if lines:
            self._point(lines[0].number, " ".join(line.text.strip() for line in lines), parts=len(lines))

    def _point(self, number: int, text: str, parts: int = 1) -> None:
        match = _POINT.match(text)
        body = match[4][:4000] if match else ""
        found = next(((kind, hit[1]) for kind, pattern in _KINDS if (hit := pattern.search(body[:600]))), None)
        if match is None or found is None:
            self._out.ignore(parts)
            return
        self._out.add(
            Event(
                line=number,
                node=self._section.node,
                source="trcrpt",
                kind=found[0],
                about=found[1],
                value=float(match[1]),
                unit="s",
                text=f"{match[2]} {match[3]}: {body}"[:TEXT_KEPT],
            )
        )
