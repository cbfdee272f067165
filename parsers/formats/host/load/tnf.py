"""Traces of system calls and disk requests: ``truss -d``/``-E``, the system calls of a TNF trace, ``tnfdump``.

    looking for pid  20311
    Now(ms)          duration(ms)   pid     thread             call           return       errno
    10271.53089800   260.21403800   20311    0x30101ab0e00    write          0x800000       0

    10315.104220  0.006110 20311  1 0x30101ab0e00 2 strategy  device: 0x11700000aa2  block: 3969 size: 0x10000 buf:
    0x3004 flags: 558401 0,0
    10318.615320  -  0 0 0x2a100477d20 64 biodone device: 273,4015  block: 3969 buf: 0x3004
    3.511100ms                                                                        what the author worked out

    20311:   0.2394 write(4, "..", 8388608) = 8388608

Yields ``Measurement`` in ms: of a call its time and its bytes; of a request, ``strategy/biodone``, the time from the
one to the other, joined by buffer and device. Each ``strategy`` is a ``DiskIo`` without a time (source ``tnf
strategy``), each finished one another with it (``tnf biodone``); device as major and minor number, also where it is
printed as one number. Stacked drivers show each request once more, under another major number. A figure in ms alone
below a request is a ``Claim``. Times count from the start of the trace: no time of day. Tolerated: both layouts of
tnfdump in turn, requests shown twice, wrapped stacks. Source: a published TNF study; truss(1), tnfdump(1).
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Claim, DiskIo, Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_MS: Final = r"\d{1,12}\.\d{3,12}"
_HEX: Final = r"0x[0-9a-f]{1,16}"
_CALL_HEAD: Final = r"Now\(ms\)\s{1,40}duration\(ms\)|looking for pid\s{1,8}\d"
_CALL_ROW: Final = (
    rf"{_MS}\s{{1,20}}{_MS}\s{{1,20}}\d{{1,10}}\s{{1,20}}{_HEX}\s{{1,20}}[a-z]\w{{1,30}}\s{{1,20}}(?:0x|-?\d)"
)
_CALL_CLAIM: Final = rf"(?:{_CALL_HEAD}|{_CALL_ROW})"
_CALL = re.compile(
    rf"{_MS}\s{{1,20}}({_MS})\s{{1,20}}(\d{{1,10}})\s{{1,20}}{_HEX}\s{{1,20}}([a-z]\w{{1,30}})\s{{1,20}}(0x"
    r"[0-9a-f]{1,16}|-?\d{1,20})\s{1,20}(\d{1,6})$"
)

_TASK: Final = rf"\d{{1,10}}\s{{1,20}}{_HEX}\s{{1,20}}\d{{1,5}}\s{{1,20}}"  # thread, its address, processor
_EVENT: Final = rf"{_MS}\s{{1,20}}(?:{_MS}|-)\s{{1,20}}\d{{1,10}}\s{{1,20}}{_TASK}[a-z]\w{{1,40}}(?:\s|$)"
_EVENT_ROW = re.compile(
    rf"({_MS})\s{{1,20}}(?:{_MS}|-)\s{{1,20}}(\d{{1,10}})\s{{1,20}}{_TASK}([a-z]\w{{1,40}})(?:\s{{1,40}}(\S"
    r".{0,2000}))?$"
)
_FIELD = re.compile(r"(device|block|size|buf|flags):\s{1,4}(0x[0-9a-f]{1,16}|\d{1,20}(?:,\d{1,10})?)(?!\w)")
_WRAPPED = re.compile(r"[0-9a-f]{6,16}(?:\s0x[0-9a-f]{1,16}){0,40}\s{0,4}$")
_WORKED_OUT = re.compile(r"(\d{1,9}\.\d{1,9})\s?ms$")
_IS_READ: Final = 0x40
_WAITING_KEPT: Final = 50_000
_SEEN_KEPT: Final = 500_000

_TRUSS: Final = r"\d{1,10}(?:/\d{1,8})?:\s{1,20}\d{1,9}\.\d{1,9}\s{1,20}[a-z]\w{1,30}\("
_TRUSS_ROW = re.compile(
    r"(\d{1,10})(?:/\d{1,8})?:\s{1,20}(\d{1,9}\.\d{1,9})\s{1,20}([a-z]\w{1,30})\(.{0,4000}\)\s{1,40}=\s{1,"
    r"8}(-?\w{1,20})"
)
_TRUSS_FAILED = re.compile(
    r"(\d{1,10})(?:/\d{1,8})?:\s{1,20}(\d{1,9}\.\d{1,9})\s{1,20}([a-z]\w{1,30})\(.{0,4000}\s(Err#\d{1,5})"
)
_MOVES: Final = frozenset(("read", "write", "pread", "pwrite", "pread64", "pwrite64", "readv", "writev"))


def _integer(text: str) -> int:
    """A decimal number, or a hexadecimal one behind ``0x``."""
    return int(text, 16) if text[:2].lower() == "0x" else int(text)


def _call_words(call: str, returned: int, failed: bool) -> str:
    """What a call did: the bytes of a read or write."""
    return f"{call} failed" if failed else f"{call} {returned} B" if call in _MOVES and returned >= 0 else call


@parser("tnf_calls", version=1, product="", claims=_CALL_CLAIM)
def tnf_calls(section: OpenSection, out: Output) -> None:
    """System calls of a TNF trace with their duration."""
    for line in section:
        text = line.text.strip()
        if match := _CALL.match(text):
            words = _call_words(match[3], _integer(match[4]), match[5] != "0")
            _measured(section, out, line, "tnf", words, float(match[1]), f"pid {match[2]}")
        elif not re.match(_CALL_HEAD, text):
            out.skip(line, "no call with its duration and result")


@parser("truss", version=1, product="", claims=_TRUSS, commands=("truss",))
def truss(section: OpenSection, out: Output) -> None:
    """``truss`` with a time in front of each call."""
    for line in section:
        text = line.text.strip()
        if match := _TRUSS_FAILED.match(text):
            _measured(
                section, out, line, "truss", _call_words(match[3], 0, True), float(match[2]) * 1000, f"pid {match[1]}"
            )
        elif match := _TRUSS_ROW.match(text):
            returned = _integer(match[4]) if re.fullmatch(r"-?\d{1,19}|0x[0-9A-Fa-f]{1,16}", match[4]) else -1
            _measured(
                section,
                out,
                line,
                "truss",
                _call_words(match[3], returned, False),
                float(match[2]) * 1000,
                f"pid {match[1]}",
            )
        else:
            out.skip(line, "no call with its result")


def _measured(
    section: OpenSection, out: Output, line: Line, tool: str, what: str, milliseconds: float, command: str
) -> None:
    out.add(
        Measurement(
            line=line.number,
            node=section.node,
            tool=tool,
            what=what,
            value=round(milliseconds, 6),
            unit="ms",
            command=command,
        )
    )


@dataclass(frozen=True, slots=True)
class _Request:
    """A ``strategy`` that waits for its ``biodone``."""

    time_ms: float
    device: str
    size: int | None
    flags: str | None
    sector: int | None
    pid: int


@dataclass(slots=True)
class _Trace:
    """What is known of a trace over all its sections."""

    waiting: dict[tuple[str, str], _Request] = field(default_factory=dict)
    seen: set[tuple[float, str, str]] = field(default_factory=set)


def _event_owns(text: str, before: str) -> bool:
    stripped = text.strip()
    return (
        re.match(_EVENT, stripped) is not None
        or ("stack:" in before and _WRAPPED.match(stripped) is not None)
        or (" biodone " in before and _WORKED_OUT.match(stripped) is not None)
    )


@parser("tnfdump", version=1, product="", claims=_EVENT, owns=_event_owns, commands=("tnfdump",))
def tnfdump(section: OpenSection, out: Output) -> None:
    """``tnfdump``: disk requests and when they were done."""
    trace: _Trace = out.interned.setdefault("tnfdump", _Trace())
    for line in section:
        text = line.text.strip()
        match = _EVENT_ROW.match(text)
        if match is None:
            _beside(section, out, line, text)
            continue
        fields = dict(_FIELD.findall(match[4] or ""))
        if match[3] == "strategy":
            _request(section, out, line, trace, match, fields)
        elif match[3] == "biodone":
            _done(section, out, line, trace, float(match[1]), fields)


def _beside(section: OpenSection, out: Output, line: Line, text: str) -> None:
    """A wrapped stack, which is not kept, or a time that somebody worked out."""
    if match := _WORKED_OUT.match(text):
        out.add(
            Claim(
                line=line.number,
                speaker="author",
                what="time of the request above",
                value=float(match[1]),
                unit="ms",
                text=text,
            )
        )
    elif not _WRAPPED.match(text):
        out.skip(line, "no event with its time")


def _device(text: str) -> str:
    """``273,4015``, also from the one number that holds both: major in the upper half, minor in the lower."""
    if not text.startswith("0x"):
        return text
    number = int(text, 16)
    return f"{number >> 32},{number & 0xFFFFFFFF}" if number >> 32 else text


def _request(
    section: OpenSection, out: Output, line: Line, trace: _Trace, match: re.Match[str], fields: dict[str, str]
) -> None:
    if not {"device", "buf"} <= set(fields):
        out.skip(line, "a request without device and buffer")
        return
    size = (
        _integer(fields["size"])
        if fields.get("size", "").startswith("0x") or is_whole(fields.get("size", ""))
        else None
    )
    flags = hex(_integer(fields["flags"])) if "flags" in fields and "," not in fields["flags"] else None
    sector = int(fields["block"]) if is_whole(fields.get("block", "")) else None
    request = _Request(float(match[1]), _device(fields["device"]), size, flags, sector, int(match[2]))
    key = (fields["buf"], request.device)
    if len(trace.waiting) < _WAITING_KEPT:
        trace.waiting[key] = request
    if (once := (request.time_ms, *key)) in trace.seen:
        return  # the same request in the other layout
    if len(trace.seen) < _SEEN_KEPT:
        trace.seen.add(once)
    out.add(_row(section, line, "tnf strategy", request, None))


def _done(section: OpenSection, out: Output, line: Line, trace: _Trace, time_ms: float, fields: dict[str, str]) -> None:
    request = trace.waiting.pop((fields.get("buf", ""), _device(fields.get("device", ""))), None)
    if request is None or time_ms < request.time_ms:
        return  # asked for before the trace began
    elapsed = round(time_ms - request.time_ms, 6)
    out.add(_row(section, line, "tnf biodone", request, elapsed))
    size = f", {request.size} B" if request.size is not None else ""
    _measured(section, out, line, "strategy/biodone", f"device {request.device}{size}", elapsed, f"pid {request.pid}")


def _row(section: OpenSection, line: Line, source: str, request: _Request, elapsed_ms: float | None) -> DiskIo:
    op = "" if request.flags is None else "read" if int(request.flags, 16) & _IS_READ else "write"
    return DiskIo(
        line=line.number,
        node=section.node,
        source=source,
        device=request.device,
        op=op,
        count=1,
        bytes=request.size,
        mean_ms=elapsed_ms,
        sector=request.sector,
        pid=request.pid,
        flags=request.flags,
    )
