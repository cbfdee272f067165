"""GFS2 ``glocks`` (debugfs, ``gfs2_tool lockdump``, kernel log after a withdraw, glocktop): every glock one node knows.

::

    [root@mail1 ~]# cat /sys/kernel/debug/gfs2/post:spool/glocks
    G:  s:EX n:2/1b3a f:DlIqob t:EX d:UN/4210000 a:0 v:0 r:5 m:20 p:3
     H: s:EX f:H e:0 p:4121 [imapd] gfs2_readdir+0x4f/0xd0 [gfs2]
     H: s:EX f:W e:0 p:4377 [lmtpd] gfs2_create_inode+0x9b/0x11d0 [gfs2]
     I: n:14/6970 t:4 f:0x00 d:0x00000003 s:3864 p:1
    G:  s:SH n:5/1b3a f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:0
     H: s:SH f:EH e:0 p:4120 [(ended)] gfs2_inode_lookup+0x14e/0x2a0 [gfs2]

Yields ``Glock`` and ``GlockHolder`` for glocks that somebody holds, waits for or was asked to give up; all others,
among them those held by what every mount holds, are counted (``GlockCount``, summed over rows of one ``dump``). One
section is one dump, save that each report of glocktop is one, and that a glock which stands there again begins the next
one. What glocktop adds is in ``gfs2_glocktop_lines.py``. ``d:`` is in microseconds, ``m:`` in jiffies. No line carries
a time: it comes from a date line, a log prefix or glocktop's header. Numbers are hexadecimal, in some old kernels
decimal: told by the I and R lines.

Tolerated: layouts G0 to G4, fields missing or in another order, prefixes of syslog and dmesg, indentation, wrapped and
cut lines, remarks behind a line. Source: kernel documentation of gfs2-glocks; fs/gfs2/glock.c.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import Any, Final

from parsers.formats.gfs2.glock_lines import (
    GLOCKTOP,
    PREFIX,
    STATE,
    GlockLine,
    Header,
    HolderLine,
    Prefix,
    fs_in_path,
    goes_on,
    read_glock,
    read_header,
    read_holder,
    read_object,
    split_prefix,
    stated_base,
)
from parsers.formats.gfs2.glocktop_lines import LINES, Report
from parsers.output import Output
from parsers.patterns.digits import shape_of
from parsers.records.locks import Glock, GlockCount, GlockHolder
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import PlainRun
from parsers.text import Line
from parsers.times.clock import Instant

BASE_LINES: Final = 2_000
STRETCH_BYTES: Final = 64 << 10  # less is read line by line, so that a page printed twice is seen to be that
_HEAD: Final = re.compile(r"G: {1,12}s:\S\S n:(\d{1,4})/([0-9a-fA-F]{1,15}) f:")
_WRAPS: Final = 3
_ROWS: Final = 20_000
_WINDOW: Final = 256 << 10
_RETRY_MOST: Final = 256

_OWNED: Final = re.compile(rf"{PREFIX} {{0,6}}(?:[GHIRLB]: {{1,12}}[sfn]:)|{LINES}|{GLOCKTOP}")

# Idle glocks of the usual layout, each followed by another glock: counted without looking at each. It asks no less of a
# line than the slow way does, and allows no character that cleaning or a note could change.
_OBJECT: Final = (
    rb"(?: I: n:\d{1,18}/\d{1,18} t:\d{1,4} f:0x[a-z0-9:/ ]{0,120}\n| R: n:\d{1,18} f:[a-z0-9:/ ]{0,120}\n)?"
)
_IDLE: Final = (
    rb"/[0-9a-f]{1,15} f:[A-CEGHIJ-OQ-Za-hjkm-z]{0,60} t:(?:UN|SH|DF|EX) d:(?:UN|SH|DF|EX)/0 [a-z0-9: -]{0,120}\n"
)
_OPEN_INODE: Final = rb"(?: H: s:SH f:EH e:0 p:\d{1,10} \[[\w()./:+\[\] -]{1,200}\n)?"
_IDLE_RUN: Final = re.compile(
    rb"(?:G:  s:(?:UN|SH|DF|EX) n:(?:[1-46-9]"
    + _IDLE
    + rb"|5"
    + _IDLE
    + _OPEN_INODE
    + rb")"
    + _OBJECT
    + rb"(?=G:  s:))++"
)
_IDLE_HEAD: Final = re.compile(rb"\nG:  s:(.. n:\d)/")
# Any other glock whose lines hold no character that cleaning or a note could change.
_PLAIN: Final = rb"[ !-\"'-;=?-\[\]-~]{0,200}\n"
_BELOW: Final = rb"(?: {1,2}[HIRLB]: " + _PLAIN + rb"){0,2000}+(?=G:  s:)"
_BLOCK: Final = re.compile(rb"G:  s:" + _PLAIN + _BELOW)
_REST: Final = re.compile(_BELOW)
# Lines of a report of glocktop that are whole, and hold no character that cleaning or a note could change, no sign of
# a prompt and no time.
_NAME_OF_TASK: Final = r"\[(?!/?(?:code|noformat)|\d\d:)[\w ()./:+-]{1,64}\]"
_ADDRESS: Final = r"[A-Za-z_][\w.$]{0,127}\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}(?: \[(?!code|noformat)\w{1,64}\])? {0,80}"
_REPORTED: Final = re.compile(
    rf" {{0,4}}(?:G: {{1,12}}s:{STATE} n:\d{{1,4}}/[0-9a-f]{{1,15}} f:[A-Za-z]{{0,60}} t:{STATE} d:{STATE}/\d{{1,18}}"
    r"(?: [a-z]:\d{1,9}){1,8}(?: \([a-z]{1,20}\))?"
    rf"|H: s:{STATE} f:[A-Za-z]{{1,60}} e:-?\d{{1,9}} p:\d{{1,9}} {_NAME_OF_TASK} {_ADDRESS}"
    r"|I: n:\d{1,18}/\d{1,18} t:\d{1,4} f:0x[0-9a-f]{1,16} d:0x[0-9a-f]{1,16} s:\d{1,18}(?: p:\d{1,9})?"
    r"|D: (?:Granted|Converting) (?:NL|CR|CW|PR|PW|EX) on (?:this node|node \d{1,9}) to pid \d{1,9}"
    rf" {_NAME_OF_TASK}"
    r"|U: {1,4}[WH] {1,4}[a-z]{1,12} {1,8}[0-9a-f]{1,16} {1,8}Is:[A-Za-z]{1,20}, Want:[A-Za-z]{1,20}"
    r"(?: {1,8}\[[A-Za-z]{1,20}(?:, [A-Za-z]{1,20}){0,8}\])?"
    rf"|C: {{1,40}}{_ADDRESS})"
    r"|S {1,40}(?:(?:[GP] Waiting|Held [A-Z]{2}|Unlocked|Locked|Total):(?: {1,20}\d{1,12}){1,16}|-{3,80}) {0,80}"
    r"|@ [\w.:-]{1,64} {1,40}[A-Z][a-z]{2} [A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d \d{4} {1,4}@[\w.-]{1,128} {1,8}"
    r"dlm: \d{0,12}/\d{0,12}/\d{0,12} {1,8}(?:\[\*{0,2000} {0,12}\])? {0,80}",
    re.ASCII,
)
_SHAPES: Final = 4_096
"""Of lines of a report, of which it is remembered that the section owns them."""


class _Dump:
    """One section while it is read. It outlives a stray line in the section."""

    def __init__(self, section: OpenSection) -> None:
        self.line = 0
        self.fs = fs_in_path(section.command.text) if section.command else None
        self.fs = self.fs or fs_in_path(section.path)
        self.node: str | None = None
        self.instant: Instant | None = None
        self.base: int | None = None
        self.report = Report()
        self._known: set[tuple[int, str]] = set()
        self._first_mark = b""
        self._knows_first_mark = True
        self._section = section
        self._open: GlockLine | None = None
        self._waiting: list[GlockLine] = []
        self._lines = 0
        self._idle: Counter[tuple[int, str]] = Counter()
        self._heads: list[bytes] = []
        self._glocks: list[tuple[Any, ...]] = []
        self._holders: list[tuple[Any, ...]] = []

    def resume(self, section: OpenSection) -> None:
        """Go on in the same section, perhaps behind a stray line: what comes then may quote what was there before."""
        self._section = section
        self._knows_first_mark = not self.line

    # lines

    def feed(self, number: int, text: str, prefix: Prefix) -> str:
        """Take one line, its prefix apart; what was wrong with it, or nothing."""
        self._lines += 1
        kind = text[:2]
        if kind == "G:":
            return self._begin(number, text, prefix)
        if self._open is None:
            return "the glock that this line belongs to is not there"
        if kind == "H:":
            if (holder := read_holder(number, text)) is None:
                return "the holder line is cut or damaged"
            self._open.holders.append(holder)
            return "" if holder.pid or holder.complete else "the holder line is cut: its process is not known"
        return "" if read_object(self._open, text) else "the object line is cut or damaged"

    def _begin(self, number: int, text: str, prefix: Prefix) -> str:
        self.finish()
        self._open = read_glock(number, text)
        if self._open is None:
            return "the glock line is cut before its flags"
        self._open.host = prefix.host
        self._date(self._open, prefix.instant)
        self.line = self.line or number
        self._know(self._open)
        return "" if self._open.demote else "the glock line is cut before the state that is wanted of it"

    def _know(self, glock: GlockLine) -> None:
        """A dump shows each glock once: the first one, or one that was in use, seen again begins the next dump."""
        if not self._first_mark:
            self._first_mark = b" n:%d/%s f:" % (glock.type, glock.number.encode())
            self._known.add((glock.type, glock.number))

    def begins_again(self, text: str) -> bool:
        """Whether a G line begins another dump that stands right behind this one."""
        if not self._knows_first_mark or not text.startswith("G:") or (head := _HEAD.match(text)) is None:
            return False
        key = (int(head[1]), head[2])
        last = (self._open.type, self._open.number) if self._open is not None else None
        return key in self._known and key != last

    def finish(self) -> None:
        """The open glock has all its lines, unless the section resumes behind a stray one."""
        glock = self._open
        if glock is None:
            return
        if self.base is None:
            self.base = stated_base(glock.number, glock.object_number) or (16 if self._lines > BASE_LINES else None)
        if not glock.done or len(glock.holders) > glock.written_holders:
            self._settle(glock)
        glock.done = True

    def _settle(self, glock: GlockLine) -> None:
        if glock.idle:
            self._idle[glock.type, glock.state] += not glock.done
            return
        self._known.add((glock.type, glock.number))
        if self.base is None:
            if not glock.waiting:
                self._waiting.append(glock)
                glock.waiting = True
            return
        for earlier in self._waiting:
            self._write(earlier)
        self._waiting.clear()
        self._write(glock)

    # records

    def _write(self, glock: GlockLine) -> None:
        section = self._section
        number = int(glock.number, self.base or 16) if glock.number.isdigit() else int(glock.number, 16)
        name = f"{glock.type}/{number:x}"
        common = (glock.host or self.node or section.node, glock.at, glock.zone_min, self.fs, self.line)
        granted = sum(holder.granted for holder in glock.holders)
        if not glock.written:
            self._glocks.append(
                (
                    glock.line,
                    *common,
                    name,
                    glock.type,
                    number,
                    glock.state,
                    glock.target,
                    glock.demote,
                    glock.demote_us,
                    glock.flags,
                    glock.fields.get("m"),
                    glock.fields.get("p"),
                    glock.inode_type,
                    glock.inode_size,
                    glock.generation,
                    granted,
                    len(glock.holders) - granted,
                    glock.complete,
                )
            )
        for position, holder in enumerate(glock.holders):
            if position >= glock.written_holders:
                self._holders.append(
                    (
                        holder.line,
                        *common,
                        name,
                        glock.line,
                        position,
                        holder.state,
                        holder.flags,
                        holder.error,
                        holder.pid,
                        holder.command,
                        holder.function,
                        not holder.granted,
                        holder.granted,
                        holder.complete,
                    )
                )
        glock.written, glock.written_holders = True, len(glock.holders)

    def _date(self, glock: GlockLine, instant: Instant | None) -> None:
        """The time of its own line, or what was known of the dump when it came."""
        glock.at, glock.zone_min = (instant.us, instant.zone_min) if instant else self._when()

    def _when(self) -> tuple[int | None, int | None]:
        if self.instant is not None:
            return self.instant.us, self.instant.zone_min
        return self._section.at, self._section.zone_min

    def flush(self, out: Output, *, force: bool = False) -> None:
        """Hand rows over when there are many."""
        for kind, rows in ((Glock, self._glocks), (GlockHolder, self._holders)):
            if rows and (force or len(rows) >= _ROWS):
                out.extend(kind, **dict(zip(kind.columns(), zip(*rows, strict=True), strict=True)))
                rows.clear()

    def close(self, out: Output) -> None:
        """The section ends, or a stray line interrupts it."""
        self.finish()
        for glock in self._waiting:
            self._write(glock)
        self._waiting.clear()
        self.flush(out, force=True)
        section = self._section
        at, zone_min = self._when()
        for (type_, state), count in sorted(self._idle.items()):
            out.add(
                GlockCount(
                    line=self.line,
                    node=self.node or section.node,
                    at=at,
                    zone_min=zone_min,
                    fs=self.fs,
                    dump=self.line,
                    type=type_,
                    state=state,
                    count=count,
                )
            )
        self._idle.clear()

    def renew(self, out: Output, line: int, header: Header) -> None:
        """A header of glocktop: the next dump begins."""
        self.restart(out)
        self.line, self.fs, self.node, self.instant = line, header.fs, header.host, header.instant
        at, zone_min = self._when()
        self.report = Report(header.host, at, zone_min, header.fs, line)

    def restart(self, out: Output) -> None:
        """The next dump begins; file system, node and time are those of the one before."""
        self.close(out)
        self._open = None
        self.line = 0
        self._known.clear()
        self._first_mark = b""
        self._knows_first_mark = True

    @property
    def glock(self) -> str | None:
        """Name of the open glock."""
        return f"{self._open.type}/{int(self._open.number, 16):x}" if self._open is not None else None

    # stretches

    def take_stretch(self, out: Output) -> bool:
        """Read as many whole, plain glocks as the next stretch of bytes holds."""
        if self.base is None:
            return False
        data = b"\n" + self._section.window(_WINDOW)
        if len(data) < STRETCH_BYTES:
            return False
        at = 1
        line = first = self._section.line_number + 1
        while (end := self._take_glocks(data, at, line)) > at:
            line += data.count(b"\n", at, end)
            at = end
        if at == 1:
            return False
        self._count_heads()
        self._section.take(line - first, size=at - 1)
        self.flush(out)
        return True

    def _take_glocks(self, data: bytes, at: int, line: int) -> int:
        """A run of idle glocks, one other glock, or the rest of the open one; where it ends."""
        if run := _IDLE_RUN.match(data, at):
            end = self._end_of_dump(data, at, run.end())
            if end > at:
                self._pass_idle(data, at, end, line)
            return end
        if block := _BLOCK.match(data, at):
            return block.end() if self._feed_block(block[0].decode("ascii"), line) else at
        if at == 1 and self._open is not None and (rest := _REST.match(data, at)):
            return rest.end() if self._feed_below(self._open, _lines(rest[0].decode("ascii")), line) else at
        return at

    def _end_of_dump(self, data: bytes, at: int, end: int) -> int:
        """Where the first glock of the dump stands again in a run of idle ones; else the end of the run."""
        again = data.find(self._first_mark, at, end) if self._knows_first_mark and self._first_mark else -1
        return end if again < 0 else data.rfind(b"\n", 0, again) + 1

    def _pass_idle(self, data: bytes, start: int, end: int, line: int) -> None:
        self.finish()
        self._open = None
        self.line = self.line or line
        self._heads += _IDLE_HEAD.findall(data, start - 1, end)

    def _count_heads(self) -> None:
        for head, count in Counter(self._heads).items():
            self._idle[int(head[5:]), head[:2].decode("ascii")] += count
        self._heads.clear()

    def _feed_block(self, text: str, line: int) -> bool:
        """A glock with all its lines, unless one of them is damaged: those are for the slow way."""
        lines = _lines(text)
        glock = read_glock(line, lines[0])
        if (
            glock is None
            or not glock.demote
            or self.begins_again(lines[0])
            or not self._feed_below(glock, lines[1:], line + 1)
        ):
            return False
        self.finish()
        self._date(glock, None)
        self._open, self.line = glock, self.line or line
        return True

    def _feed_below(self, glock: GlockLine, lines: list[str], line: int) -> bool:
        """The lines below a G line; False where one is damaged: then the slow way reads all of them again."""
        holders: list[HolderLine] = []
        for number, text in enumerate(lines, line):
            if text.startswith("H:"):
                if (holder := read_holder(number, text)) is None or not (holder.pid or holder.complete):
                    return False
                holders.append(holder)
            elif not read_object(glock, text):
                return False
        glock.holders += holders
        return True


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.split("\n")[:-1]]


def _owns(text: str, before: str) -> bool:
    return _OWNED.match(text.lstrip()) is not None


@parser(
    "gfs2_glocks",
    messages=True,
    version=2,
    product="gfs2",
    claims=rf"(?:{PREFIX} {{0,6}}(?:G: {{1,12}}s:{STATE} n:\d|H: s:{STATE} f:\S{{0,64}} e:)|{GLOCKTOP})",
    owns=_owns,
    commands=("gfs2_tool", "glocktop"),
    cuts=True,
)
def gfs2_glocks(section: OpenSection, out: Output) -> None:
    """GFS2 ``glocks`` of debugfs: idle glocks are counted, all others become records."""
    dump: _Dump = section.state.setdefault("dump", _Dump(section))
    dump.resume(section)
    patience = wait = 1
    report = _ReportRun(section, out, dump)
    plain = PlainRun(report.fits, report.read)
    for line in section:
        _take(section, out, dump, line)
        if dump.report.line:
            plain.take(section)
            report.close()
        wait -= 1
        if wait <= 0:
            patience = 1 if dump.take_stretch(out) else min(2 * patience, _RETRY_MOST)
            wait = patience
    dump.close(out)
    dump.report.flush(out)


class _ReportRun:
    """Plain lines of a report of glocktop, one after the other. The last one is held: what is wrapped behind it is not
    plain.
    """

    def __init__(self, section: OpenSection, out: Output, dump: _Dump) -> None:
        self._section = section
        self._out = out
        self._dump = dump
        self._held: tuple[int, str] | None = None
        self._shapes: dict[bytes, bool] = {}

    def fits(self, text: str) -> bool:
        """Whether a line is plain and the section owns it."""
        if _REPORTED.fullmatch(text) is None:
            return False
        shape = shape_of(text)
        if (owned := self._shapes.get(shape)) is None:
            if len(self._shapes) >= _SHAPES:
                self._shapes.clear()
            owned = self._shapes[shape] = self._section.owns(Line(0, text, text), self._section.previous)
        return owned

    def read(self, number: int, text: str) -> None:
        """The next line of a run."""
        self._read_held()
        self._held = (number, text.strip())

    def _read_held(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            _read(self._section, self._out, self._dump, held[0], Prefix(held[1]), held[1])

    def close(self) -> None:
        """The run is over: the line that was held may go on below."""
        held, self._held = self._held, None
        if held is not None:
            text = _joined(self._section, held[1]) if held[1][0] in "GHIR" else held[1]
            _read(self._section, self._out, self._dump, held[0], Prefix(held[1]), text)


def _read(section: OpenSection, out: Output, dump: _Dump, number: int, prefix: Prefix, text: str) -> None:
    """A line of a report of glocktop, with what was wrapped behind it."""
    if header := read_header(prefix.text):
        _renew(section, out, dump, number, header, text)
        return
    if prefix.text[0] in "DUCS":
        if not dump.report.take(out, number, text, dump.glock):
            out.skip(Line(number, text, text), "what glocktop adds to the glocks is cut or damaged")
        return
    _tell(section, dump, prefix, "line prefix")
    if dump.begins_again(prefix.text):
        dump.restart(out)
    if wrong := dump.feed(number, text, prefix):
        out.skip(Line(number, text, text), wrong)


def _renew(section: OpenSection, out: Output, dump: _Dump, number: int, header: Header, text: str) -> None:
    """The next report of glocktop begins."""
    dump.report.flush(out)
    dump.renew(out, number, header)
    dump.report.header(out, text)
    _tell(section, dump, Prefix("", header.host, header.instant, header.fs), "header")


def _take(section: OpenSection, out: Output, dump: _Dump, line: Line) -> None:
    """One line with what was wrapped behind it."""
    prefix = split_prefix(line.text)
    if header := read_header(prefix.text):
        _renew(section, out, dump, line.number, header, prefix.text)
    elif prefix.text[:2] in ("G:", "H:", "I:", "R:", "L:", "B:"):
        _tell(section, dump, prefix, "line prefix")
        if dump.begins_again(prefix.text):
            dump.restart(out)
        if wrong := dump.feed(line.number, _joined(section, prefix.text), prefix):
            out.skip(line, wrong)
    elif not dump.report.take(out, line.number, prefix.text, dump.glock):
        out.skip(line, "what glocktop adds to the glocks is cut or damaged")


def _joined(section: OpenSection, text: str) -> str:
    """A line with the ends of it that a mail program moved to the next lines."""
    for _ in range(_WRAPS):
        following = section.peek()
        if following is None or not goes_on(text, following.text.strip()):
            break
        section.beyond()
        text = f"{text} {following.text.strip()}"
    return text


def _tell(section: OpenSection, dump: _Dump, prefix: Prefix, basis: str) -> None:
    """Host, time and file system that the lines themselves name."""
    if prefix.host is not None and section.node != prefix.host:
        section.speaks_of(node=prefix.host, basis=basis)
    if prefix.instant is not None:
        section.stamp(prefix.instant)
    if prefix.fs is not None:
        dump.fs = prefix.fs
    if dump.fs is not None and section.scope is None:
        section.speaks_of(scope=dump.fs)
