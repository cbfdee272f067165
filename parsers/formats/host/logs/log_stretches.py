"""Reads whole stretches of a system log at once: programs that tell nothing here in one step, lines of others one by
one. No parser.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from functools import cache
from typing import TYPE_CHECKING, Final

from parsers.formats.host.logs.fault_manager import PARTS
from parsers.formats.host.logs.kernel_log_kinds import GRAVE
from parsers.formats.host.logs.known_lines import DULL, QUIET, KnownLines
from parsers.formats.host.logs.log_heads import HOSTED, NAME, SPLIT, STAMP
from parsers.formats.host.logs.log_reader import LogReader
from parsers.formats.host.logs.quiet_lines import QuietLines, remember
from parsers.lookup import claimed, parsers
from parsers.messages.catalogue import entries_in_force, program_names
from parsers.patterns.digits import ALL_ALIKE
from parsers.patterns.kept_start import compiled
from parsers.patterns.line_masks import HAS_MASKS, LEAST_BYTES, LineMasks, coarser, literal
from parsers.sections.reader import OpenSection
from parsers.times.clock import MONTH

if TYPE_CHECKING:
    from parsers.patterns.line_masks import Mask

_FIGURES: Final = re.compile(r"0x[0-9a-f]{1,16}|\b[0-9a-f]{8,16}\b|\d{1,20}")
"""Numbers and addresses in the first words of a message."""
_PROGRAMS: Final = (
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
    *PARTS,
)
_WINDOW: Final = 256 << 10
_FIRST_WINDOW: Final = 4 << 10
LEAST_KNOWN: Final = 8 << 10
"""Of less, which a program that takes turns may end with its first line, shapes are not made."""
_MANAGER: Final = "systemd"
_MANAGED: Final = f" {_MANAGER}[".encode()
_FAILED_REQUEST: Final = (
    b"put/output error",
    b"I/O error",
    b"ead-only file system",
    b"No space left",
    b"oo many open files",
    b"EMFILE",
    b"ENFILE",
    b"tale file handle",
    b"tale NFS file",
    b"ransport endpoint is",
    b"ure needs cleaning",
    b"EIO",
    b"EROFS",
    b"ENOSPC",
    b"ESTALE",
    b"db_ctdb_fetch_locked",
    b"Lockspace resource '",
    b"Failed to acquire lock: ",
    b'Failed to get "',
    b'Failed to get shared "',
    b"ystem is ",
    b"ystem will ",
    b"xiting on signal 15",
    b"hutting down for system",
    b"Health check failed: ",
    b"Switching to runlevel",
    b"Sending SIGTERM to remaining",
    b"imeout on replica ",
    b"ould not insert ",
    b"device node to appear: ",
    b"able to attach any ",
)
"""Words of which the rows for any program (the group "any" in parsers/messages) ask for one."""
_FAILED_BY_NUMBER: Final = tuple(
    words.translate(ALL_ALIKE) for words in _FAILED_REQUEST if words.translate(ALL_ALIKE) != words
)
"""Those of them that tell one digit from another, with all digits alike."""
_FAILED: Final = "|".join(literal(words.decode("ascii")) for words in _FAILED_REQUEST)
_LONGEST: Final = 20_000
"""A longer line is not passed over without a look at it."""
_CLEAN_LINE: Final = re.compile(
    rb"((?:"
    + STAMP.encode()
    + rb") [\x20-%'-;=-\[\]-~]{1,4000}(?:(?<=\[)<(?=[0-9a-f]{8,16}>\])[\x20-%'-;=-\[\]-~]{1,400}){0,2})\n"
)
"""A line that reading leaves as it is: no mark of the web in it, but the address of a frame may be."""
# Whether another parser claims messages of a program that start so: asked once, for asking costs more than reading the
# line.
_KNOWN_STARTS: dict[tuple[str, str], bool] = {}


def read_stretches(section: OpenSection, reader: LogReader) -> None:
    """Whole stretches of a log: programs that tell nothing here in one step, lines of others one by one."""
    limit = _FIRST_WINDOW
    while data := section.window(limit):
        if not data.endswith(b"\n"):
            return
        walk = _Walk(data, section.line_number, reader)
        walk.go()
        used, lines, dull = walk.at, walk.lines, walk.dull
        if lines:
            section.take(lines, size=used)
            section.previous = data[data.rfind(b"\n", 0, used - 1) + 1 : used - 1].decode("ascii", "replace")
            reader.out.everyday(dull)
            reader.is_listened = reader.is_listened or _MANAGED in data[:used]
        if used < len(data):
            return
        limit = min(_WINDOW, limit * 4)


@cache
def _listened_to(listened: frozenset[str]) -> frozenset[str]:
    """Programs of this parser and of others, but for the manager of services."""
    names = {*listened, *_PROGRAMS, *(name for p in parsers().values() for name in p.commands)}
    return frozenset(names - {_MANAGER})


@cache
def _stretch(listened: frozenset[str], *, is_manager_dull: bool) -> re.Pattern[bytes]:
    """Lines of programs that neither this parser nor another one listens to, where they begin with no level of errors,
    and of the manager of services those that hold no word of a failure. listened: programs of this parser.
    is_manager_dull: not so, where the site has words of its own for it.
    """
    rests: dict[str, list[str]] = {}
    for name in sorted(_listened_to(listened)):  # one comparison passes over all that begin with another letter
        rests.setdefault(name[0], []).append(re.escape(name[1:]))
    programs = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items()).encode()
    failing = (
        rb"(?:\[\d{1,9}\])?: [^\n]{0,400}?(?:[Ff]ail|imed out|imeout|too quickly|exited"
        rb"|hutting down\.|Reached target [^\n]{0,60}(?:Reboot|Power|Halt))"
        if is_manager_dull
        else rb"[\[:]"
    )
    line = (
        STAMP.encode()
        + rb" [A-Za-z0-9][\w.-]{0,127}+ (?!(?:"
        + programs
        + rb")[\[:]|"
        + _MANAGER.encode()
        + failing
        + rb")[A-Za-z_][\w./@-]{0,63}+(?:\[\d{1,9}+\])?: (?!"
        + GRAVE.encode()
        + rb")[^\n]{0,20000}+\n"
    )
    return compiled(rb"(?:" + line + rb")++")


@cache
def _coarse(listened: frozenset[str], *, is_manager_dull: bool) -> tuple[str, str, str]:
    """For masks: what each line of such a stretch fits; what no line of one fits; and what fits all others of the same
    form that belong to none, and some that do.
    """
    head = (
        rf"^(?:{MONTH} {{1,2}}[0-9]{{1,2}} [0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:\.[0-9]{{1,6}})?"
        r"|[0-9]{4}-[0-9][0-9]-[0-9][0-9]T[0-9][0-9]:[0-9][0-9]:[0-9][0-9](?:[.,][0-9]{1,9})?"
        r"(?:Z|[+-][0-9][0-9]:?[0-9][0-9])) [A-Za-z0-9][A-Za-z0-9_.-]{0,127} "
    )
    program = r"[A-Za-z_][A-Za-z0-9_./@-]{0,63}(?:\[[0-9]{1,9}\])?: "
    programs = "|".join(map(literal, sorted(_listened_to(listened))))
    failing = (
        r"[\[:].*(?:[Ff]ail|imed out|imeout|too quickly|exited|hutting down\.|Reboot|Power|Halt)"
        if is_manager_dull
        else r"[\[:]"
    )
    return head + program, rf"{head}(?:{programs})[\[:]", f"{head}(?:{_MANAGER}{failing}|{program}{coarser(GRAVE)})"


def _is_manager_dull() -> bool:
    return _MANAGER not in entries_in_force().programs


def _by_masks(data: bytes) -> tuple[LineMasks, Mask, Mask]:
    """Which of many lines are no dull ones, and which of them are to be looked at, those among them."""
    masks = LineMasks(data)
    has_failed, is_plain, is_listened, is_doubtful = masks.fits(
        _FAILED, *_coarse(program_names(), is_manager_dull=_is_manager_dull())
    )
    sure = has_failed | is_listened
    return masks, sure, sure | ~is_plain | is_doubtful | (masks.ends - masks.begins > _LONGEST)


def _doubts(lines: list[bytes]) -> set[int]:
    """Which of some lines are no dull ones."""
    line = _stretch(program_names(), is_manager_dull=_is_manager_dull())
    found = {at for at, text in enumerate(lines) if line.fullmatch(text) is None}
    data = b"".join(lines)
    for words in _FAILED_REQUEST:
        if words in data:
            found.update(at for at, text in enumerate(lines) if words in text)
    return found


class _Foreign:
    """Lines of programs that tell nothing here, but for those that say that a request to a file failed."""

    def __init__(self, data: bytes, known: KnownLines | None = None) -> None:
        """``known``: of these lines those that need no look."""
        self._data = data
        self._known = known
        self._line = _stretch(program_names(), is_manager_dull=_is_manager_dull())
        self._is_large = HAS_MASKS and len(data) >= LEAST_BYTES and not (known is not None and known.is_mostly_known)
        self._halts: list[int] | None = None
        """Of a large window: where the lines begin that may be none of them."""
        self._passed = 0
        """How many of these lie behind."""
        self._sure: set[int] = set()
        """Where those of them begin that are none, or that say so."""
        self._end = 0
        self._failing: list[int] = []
        """Where such lines of the stretch begin, the last one first."""

    def end(self, at: int) -> int:
        """Where the lines end that may be passed over from a place on; the place itself, if none may."""
        if self._is_large:
            return self._end_by_masks(at)
        if at >= self._end:
            stretch = self._line.match(
                self._data, at, self._known.limit(at) if self._known is not None else len(self._data)
            )
            if stretch is None:
                return at
            self._end = stretch.end()
            self._failing = self._lines_with_failures(at)
        while self._failing and self._failing[-1] < at:
            self._failing.pop()
        return self._failing[-1] if self._failing else self._end

    def _end_by_masks(self, at: int) -> int:
        """The same: from one line that may be none of them to the next."""
        halts = self._halts if self._halts is not None else self._find_halts()
        while (number := bisect_left(halts, at, self._passed)) < len(halts):
            self._passed, halt = number, halts[number]
            if halt in self._sure:
                return halt
            line = self._line.match(self._data, halt, self._data.find(b"\n", halt) + 1)
            if line is None:
                return halt
            at = line.end()
        return len(self._data)

    def _find_halts(self) -> list[int]:
        masks, sure, halts = _by_masks(self._data)
        self._sure = set(masks.begins[sure].tolist())
        self._halts = masks.begins[halts].tolist()
        return self._halts

    def _lines_with_failures(self, begin: int) -> list[int]:
        data, end, begins = self._data, self._end, set[int]()
        for words in _FAILED_REQUEST:
            at = data.find(words, begin, end)
            while at >= 0:
                begins.add(max(begin, data.rfind(b"\n", begin, at) + 1))
                at = data.find(words, data.find(b"\n", at, end), end)
        return sorted(begins, reverse=True)


class _Walk:
    """Goes through whole lines of a log; ``at`` is where the next one begins."""

    def __init__(self, data: bytes, number: int, reader: LogReader) -> None:
        self.at = self.lines = self.dull = 0
        """Bytes and lines that were read, and how many of these lines are of programs that tell nothing here."""
        self._data = data
        self._above = number
        self._reader = reader
        self._known = KnownLines(data, reader, _FAILED_BY_NUMBER, _doubts) if len(data) > LEAST_KNOWN else None
        self._foreign = _Foreign(data, self._known)
        self._dull_to = 0
        self._passed: tuple[int, int] | None = None
        """Number and place of the last line that was passed over for its shape."""

    def go(self) -> None:
        """To the first line that is none of this log."""
        data, reader = self._data, self._reader
        while self.at < len(data) and (self._is_known() or self._is_dull() or self._is_own()):
            pass
        if self._passed is not None:  # the last line may go on below
            _read_again(data, *self._passed, reader)
        if self.at and self._dull_to == self.at:
            reader.place(data[data.rfind(b"\n", 0, self.at - 1) + 1 : self.at])

    def _is_known(self) -> bool:
        run, reader = self._known.run(self.at) if self._known is not None else None, self._reader
        if run is None:
            return False
        reader.is_full = reader.is_full or run.dull > 0
        if run.quiet is not None:
            self._passed = self._above + self.lines + run.quiet[0], run.quiet[1]
        self.lines, self.dull, self.at = self.lines + run.lines, self.dull + run.dull, run.end
        self._dull_to = self.at if run.ends_dull else self._dull_to
        return True

    def _is_dull(self) -> bool:
        begin, end = self.at, self._foreign.end(self.at)
        if end == begin:
            return False
        count = self._data.count(b"\n", begin, end)
        is_placed = self._reader.pass_over(self._data, begin, end, count)
        if self._known is not None:
            self._known.learn(begin, end, DULL)
        self.lines, self.dull, self.at = self.lines + count, self.dull + count, end
        self._dull_to = 0 if is_placed else end
        return True

    def _is_own(self) -> bool:
        data, reader, at = self._data, self._reader, self.at
        known_by = None
        if (head := HOSTED.match(data, at)) is not None:
            shape = reader.quiet.shape_of(data, head.end(), data.find(b"\n", at) + 1)
            count, end = reader.pass_quiet(data, at, head, shape)
            if count:
                if self._known is not None:
                    self._known.learn(at, end, QUIET)
                self.lines, self.at = self.lines + count, end
                self._passed = self._above + self.lines, data.rfind(b"\n", 0, end - 1) + 1
                return True
            known_by = shape, head[1]
        number, end = self._above + self.lines + 1, data.find(b"\n", at) + 1
        if head is None or not reader.again(number, data[at : head.start(1)], data[head.start(1) : end], known_by):
            if (own := _own_line(data, at, known_by, reader.quiet)) is None:
                return False
            reader.stamped(number, own[1], known_by)
            if head is not None:
                reader.keep(number, data[at : head.start(1)], data[head.start(1) : end])
        self.lines, self._passed, self.at = self.lines + 1, None, end
        return True


def _own_line(
    data: bytes, at: int, known_by: tuple[bytes, bytes] | None, quiet: QuietLines
) -> tuple[re.Match[bytes], re.Match[str]] | None:
    """A clean line that no other parser claims, and its parts. known_by: its shape and host, where it has them."""
    if known_by is not None and known_by[0] in quiet.foreign:
        return None
    match = _CLEAN_LINE.match(data, at)
    text = match[1].decode("ascii").rstrip() if match is not None else ""
    parts = SPLIT.match(text)
    if match is None or parts is None or _is_foreign_line(text, parts, known_by, quiet):
        return None
    return match, parts


def _read_again(data: bytes, number: int, at: int, reader: LogReader) -> None:
    """Read a line that was passed over, so that all is as if none had been."""
    match = _CLEAN_LINE.match(data, at)
    parts = SPLIT.match(match[1].decode("ascii").rstrip()) if match is not None else None
    if parts is not None:
        reader.stamped(number, parts)


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    program, start = (
        match["program"] or match["lone"] or ("kernel" if match["host"] else "corosync"),
        _FIGURES.sub("0", " ".join(match["text"][:120].split()[:4])),
    )
    known = _KNOWN_STARTS.get((program, start))
    if known is None:
        if len(_KNOWN_STARTS) > 8192:
            _KNOWN_STARTS.clear()
        owner = claimed(text)
        known = _KNOWN_STARTS[program, start] = owner is not None and owner.name != NAME
    return known


def _is_foreign_line(text: str, match: re.Match[str], known_by: tuple[bytes, bytes] | None, quiet: QuietLines) -> bool:
    """The same, asked once of a shape."""
    if known_by is not None and known_by[0] in quiet.own:
        return False
    is_foreign = _is_foreign(text, match)
    if known_by is not None and known_by[0]:
        remember(quiet.foreign if is_foreign else quiet.own, known_by[0])
    return is_foreign
