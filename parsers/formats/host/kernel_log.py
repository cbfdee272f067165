"""System logs: syslog, journal, ``dmesg``, ``corosync.log``; and kernel messages without any prefix.

    Mar  9 20:33:13 kite3 kernel: [81234.120034] INFO: task imapd:7312 blocked for more than 120 seconds.
    2031-03-09T20:33:13.120034+01:00 kite3 kernel: device-mapper: multipath: Failing path 8:32.
    Mar 09 20:33:13 corosync [TOTEM ] Retransmit List: 1a2b 1a2c
    Mar 09 20:33:13 [2188] kite3 corosync notice  [TOTEM ] A processor failed, forming new configuration.
    [81234.120034] dlm: projects: recover 5                 [Sun Mar  9 20:33:13 2031] dlm: connecting to 4

Yields ``Event`` for the lines that matter (``parsers/messages``) and ``Stack`` for tasks with their frames. ``message repeated N
times`` counts N times in ``value`` of a retransmit. Other lines are read over. Node from the line. A syslog stamp has no year: it is that
of the file's name or of the capture, the one before where the month has not come yet; without either only the time of day is kept. Seconds
since the start of the system are no time. Lines that another parser claims are left to it. Source: syslog(3), journalctl(1), dmesg(1),
corosync(8).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

from parsers.catalogue import programs
from parsers.clock import Instant, find_instant, parse_instant
from parsers.formats.host.kernel_log_kinds import meaning_of
from parsers.formats.host.kernel_stacks import ADDRESSED, HUNG, TASK, TRACE, Stacks
from parsers.output import Output
from parsers.records import Event
from parsers.registry import claimed, parser, parsers
from parsers.sections import OpenSection
from parsers.years import Years

NAME: Final = "kernel_log"
_BSD: Final = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) [ \d]\d \d\d:\d\d:\d\d(?:\.\d{1,6})?"
_ISO: Final = (
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
    # Without the T or the zone it may be the stamp of a tool in front of any words: then the program must show that it is one.
    r"|(?:[A-Z][a-z]{2} )?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:[+-]\d\d:?\d\d| [A-Z]{3,4}| [+-]\d{4})?"
    r"(?= [A-Za-z0-9][\w.-]{0,127} (?:kernel|[\w./@-]{1,63}\[\d{1,9}\]): ))"
)
_STAMP: Final = rf"(?:{_BSD}|{_ISO})"
_PROGRAM: Final = r"[A-Za-z_][\w./@-]{0,63}(?:\[\d{1,9}\])?: "
_HOST: Final = r"[A-Za-z0-9][\w.-]{0,127} "
_OWN_FILE: Final = (
    r"(?:\[\d{1,9}\] )?(?:[A-Za-z0-9][\w.-]{0,127} )?(?:corosync|openais|aisexec)(?:\[\d{1,9}\]:)? {1,4}(?:"
    r"(?:notice|warning|error|info|debug) {1,4})?\["
)
_LOG: Final = rf"{_STAMP} (?:{_HOST}{_PROGRAM}|{_OWN_FILE})"
_DMESG: Final = r"\[ {0,8}\d{1,9}\.\d{6}\] \S|\[[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}\] \S"
_PLAIN: Final = (
    rf"{HUNG}|{ADDRESSED}|(?:gfs2|GFS2): fsid=\S{{1,128}} (?![ ]{{0,3}}[GHIRLB]: )\S|dlm: (?:connecting to"
    rf"|closing connection to node|got connection from) \d"
    r"|dlm: [\w.-]{1,64}: (?:dlm_recover|recover) \d|device-mapper: (?:multipath|thin): "
)
_CLAIMS: Final = rf"(?:{_LOG}|{_DMESG}|{_PLAIN}|task:\S.{{0,63}} {{1,20}}state:[A-Z] )"
_OWNS = re.compile(rf"(?:{_LOG}|{_DMESG}|{_PLAIN}|{TASK}|{TRACE})")
_SPLIT = re.compile(
    rf"(?:(?P<bsd>{_BSD})|(?P<iso>{_ISO})) (?:\[\d{{1,9}}\] )?"
    rf"(?:(?P<own>(?:[A-Za-z0-9][\w.-]{{0,127}} )?(?:corosync|openais|aisexec)(?: {{1,4}}|\[\d{{1,9}}\]: {{1,4}})(?=\[|notice"
    rf"|warning|error|info|debug))"
    rf"|(?P<host>[A-Za-z0-9][\w.-]{{0,127}}) (?P<program>[A-Za-z_][\w./@-]{{0,63}}?)(?:\[\d{{1,9}}\])?: )(?P<text>.*)$"
)
_UPTIME = re.compile(r"\[ {0,8}\d{1,9}\.\d{6}\] ")
_DATED = re.compile(r"\[([A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4})\] ")
_FOLLOWS = re.compile(
    r"(?:\[<[0-9a-f]{1,16}>\]|\? |[A-Za-z_][\w.]{1,120}\+0x|</?(?:TASK|IRQ)>|\"echo 0 > |Not tainted|Tainted: |Workqueue: )"
)
_ALONE = re.compile(r"[a-z_][a-z0-9_.]{3,80}(?: \S{1,80}:\d{1,6}(?: \[inline\])?)?$")
_DIGITS = re.compile(r"\d+")
_TOLD: Final = (
    "dlm_controld",
    "gfs_controld",
    "mmfs",
    "mmfsd",
    "mmsysmon",
    "Had",
    "had",
    "AgentFramework",
    "vxconfigd",
    "vxfs",
    "vxdmp",
    "llt",
    "gab",
)
_WINDOW: Final = 256 << 10
_FIRST_WINDOW: Final = 4 << 10
_KEPT: Final = 400


def _owns(text: str, before: str) -> bool:
    body = text.lstrip()
    return _OWNS.match(body) is not None or _FOLLOWS.match(body) is not None or (_ALONE.match(body) is not None and _in_trace(before))


def _in_trace(before: str) -> bool:
    body = before.lstrip()
    return body.startswith(("Call Trace", "Call trace", "task:")) or _FOLLOWS.match(body) is not None or _ALONE.match(body) is not None


# Whether another parser claims messages of a program that start so: asked once, for asking costs more than reading the line.
_KNOWN_STARTS: dict[tuple[str, str], bool] = {}


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    program, start = match["program"] or "corosync", _DIGITS.sub("0", " ".join(match["text"][:120].split()[:4]))
    known = _KNOWN_STARTS.get((program, start))
    if known is None:
        if len(_KNOWN_STARTS) > 8192:
            _KNOWN_STARTS.clear()
        owner = claimed(text)
        known = _KNOWN_STARTS[program, start] = owner is not None and owner.name != NAME
    return known


@dataclass(slots=True)
class _Reader:
    """Takes lines one after the other."""

    section: OpenSection
    out: Output
    stacks: Stacks
    years: Years
    above: int | None
    last_stamp: str = ""
    last_us: int | None = None
    zone_min: int | None = None
    hosts: set[str] = field(default_factory=set)

    def line(self, number: int, text: str) -> bool:
        """Whether the line is one of a log."""
        body = text.lstrip()
        match = _SPLIT.match(body)
        if match is None:
            return self._unstamped(number, body)
        self.stamped(number, match)
        return True

    def stamped(self, number: int, match: re.Match[str]) -> None:
        """A line with stamp, host and program."""
        at = self._at(match)
        if match["own"]:
            words = match["own"].split()
            host, program = (words[0] if len(words) > 1 else None), words[-1].split("[")[0].rstrip(":")
        else:
            host, program = match["host"], match["program"].rsplit("/", 1)[-1]
        if host:
            self.hosts.add(host)
        message = match["text"].lstrip() if program != "kernel" else _UPTIME.sub("", match["text"], count=1).lstrip()
        self._message(number, program, message, host or self.section.node, at)

    def _unstamped(self, number: int, body: str) -> bool:
        section, at = self.section, self.above
        if match := _DATED.match(body):
            found = parse_instant(match[1])
            at = found.us if found else None
            body = body[match.end() :].lstrip()
        elif match := _UPTIME.match(body):
            at, body = None, body[match.end() :].lstrip()
        self._message(number, "kernel", body, section.node, at)
        return True

    def _at(self, match: re.Match[str]) -> int | None:
        stamp = match["bsd"] or match["iso"]
        if stamp == self.last_stamp:
            return self.last_us
        if match["bsd"]:
            us, zone = self.years.stamp(stamp[:3], stamp[4:6], stamp[7:]), None
        else:
            found = find_instant(stamp)
            us, zone = (found[0].us, found[0].zone_min) if found else (None, None)
        self.last_stamp, self.last_us, self.zone_min = stamp, us, zone
        if us is not None:
            self.section.stamp(Instant(us, zone))
        return us

    def _message(self, number: int, program: str, text: str, node: str | None, at: int | None) -> None:
        in_stack = program == "kernel" and self._stacked(number, text, node, at)
        if in_stack and not text.startswith("INFO:"):
            return
        meaning = meaning_of(program, text)
        if meaning is None:
            return
        self.out.add(
            Event(
                line=number, node=node, at=at, zone_min=self.zone_min, source=program, kind=meaning.kind, about=meaning.about,
                value=meaning.value, unit=meaning.unit, weight=meaning.weight, text=text[:_KEPT],
            )
        )  # fmt: skip

    def _stacked(self, number: int, text: str, node: str | None, at: int | None) -> bool:
        stacks = self.stacks
        if not stacks.open and text.startswith("[<"):
            self._proc_stack(number, node, at)
        return stacks.take(self.out, number, text, node, at, self.zone_min)

    def _proc_stack(self, number: int, node: str | None, at: int | None) -> None:
        """Frames without a head: a file of one process, whose id stands in the path."""
        stacks = self.stacks
        found = re.search(r"proc/(\d{1,9})/(?:task/(\d{1,9})/)?stack", self.section.path or "") or _stack_of(self.section)
        stacks.open, stacks.line, stacks.node, stacks.at, stacks.source = True, number, node, at, "proc stack"
        stacks.pid = int(found[2] or found[1]) if found else None


def _stack_of(section: OpenSection) -> re.Match[str] | None:
    command = section.command
    return re.search(r"proc/(\d{1,9})/(?:task/(\d{1,9})/)?stack", command.text) if command is not None else None


@parser(NAME, version=4, product="", claims=_CLAIMS, owns=_owns, commands=("dmesg", "journalctl"), priority=-10)
def kernel_log(section: OpenSection, out: Output) -> None:
    """System log: lines that matter, and stacks."""
    state: dict[str, Any] = section.state
    reader = _Reader(section, out, state.setdefault("stacks", Stacks()), section.years,
                     state.setdefault("above", section.at))  # fmt: skip
    while True:
        _read_stretch(section, reader)
        line = next(iter(section), None)
        if line is None:
            break
        reader.line(line.number, line.text)
    reader.stacks.close(out)
    if len(reader.hosts) == 1:
        section.is_on(reader.hosts.pop(), "line prefix", stays=False)


def _read_stretch(section: OpenSection, reader: _Reader) -> None:
    """Whole stretches of a log: programs that tell nothing here in one step, lines of others one by one."""
    limit = _FIRST_WINDOW
    while data := section.window(limit):
        if not data.endswith(b"\n"):
            return
        used, lines, dull = _lines_of(data, section.line_number, reader)
        if lines:
            section.take(lines, size=used)
            reader.out.everyday(dull)
        if used < len(data):
            return
        limit = min(_WINDOW, limit * 4)


@cache
def _stretch() -> re.Pattern[bytes]:
    """Lines of programs that neither this parser nor another one listens to."""
    names = {*programs(), *_TOLD, *(name for p in parsers().values() for name in p.commands)}
    told = b"|".join(re.escape(name.encode()) for name in sorted(names))
    line = (
        _STAMP.encode() + rb" [A-Za-z0-9][\w.-]{0,127} (?!(?:" + told + rb")[\[:])[A-Za-z_][\w./@-]{0,63}(?:\[\d{1,9}\])?: [^\n]{0,20000}\n"
    )
    return re.compile(rb"(?:" + line + rb")+")


_CLEAN_LINE: Final = re.compile(rb"((?:" + _STAMP.encode() + rb") [\x20-%'-;=-\[\]-~]{1,4000})\n")


def _lines_of(data: bytes, number: int, reader: _Reader) -> tuple[int, int, int]:
    """How many bytes and lines were read, and how many of these lines are of programs that tell nothing here."""
    at = lines = dull = 0
    stretch = _stretch()
    while at < len(data):
        foreign = stretch.match(data, at)
        if foreign is not None:
            count = data.count(b"\n", at, foreign.end())
            lines, dull, at = lines + count, dull + count, foreign.end()
            continue
        match = _CLEAN_LINE.match(data, at)
        if match is None:
            break
        text = match[1].decode("ascii").rstrip()
        parts = _SPLIT.match(text)
        if parts is None or _is_foreign(text, parts):
            break
        lines += 1
        reader.stamped(number + lines, parts)
        at = match.end()
    return at, lines, dull
