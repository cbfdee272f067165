"""The lines of a GFS2 glock dump, one by one: what each says, however it is prefixed, wrapped or cut. No parser of its
own.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.times.clock import Instant, find_instant

STATE: Final = r"(?:UN|SH|DF|EX|IV|\?\?)"
PREFIX: Final = (
    r"(?:(?:[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,20}) [\w.-]{1,128} kernel: ?)?"
    r"(?:<\d{1,3}>)?(?:\[ {0,8}\d{1,9}\.\d{1,6}\] ?)?(?:[Gg][Ff][Ss]2: )?(?:fsid=[^\s=]{1,100}: ?)?"
)
GLOCKTOP: Final = r"@ \S{1,64} +[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4} +@\S"

_PREFIX = re.compile(
    r"(?:(?P<when>[A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S{0,20}) "
    r"(?P<host>[\w.-]{1,128}) kernel: ?)?(?:<\d{1,3}>)?(?:\[ {0,8}\d{1,9}\.\d{1,6}\] ?)?(?:[Gg][Ff][Ss]2: "
    r")?(?:fsid=(?P<fsid>[^\s=]{1,100}): ?)? {0,6}"
)
_GLOCK = re.compile(
    rf"G: {{1,12}}s:(?P<state>{STATE}) n:(?P<type>\d{{1,4}})/(?P<number>[0-9a-fA-F]{{1,15}}) "
    r"f:(?P<flags>\S{0,64})(?P<rest>(?: (?!.*\bH: s:).*)?)$"  # no holder that came on its line
)
_TARGETS = re.compile(rf" t:(?P<target>{STATE})(?: d:(?P<demote>{STATE})(?:/(?P<age>\d{{1,18}}))?)?(?!\S)")
_FIELD = re.compile(r" {1,4}(?P<name>[a-z]):(?P<value>-?\d{1,18})(?!\S)")
_HOLDER = re.compile(
    rf"H: s:(?P<state>{STATE}) f:(?P<flags>\S{{0,64}})(?: e:(?P<error>-?\d{{1,10}})(?: "
    r"p:(?P<pid>-?\d{1,10})(?P<rest>(?: .*)?))?)?$"
)
_CALLER = re.compile(
    r"\] (?P<function>[A-Za-z_][\w.$]{0,127}|0x[0-9a-f]{1,16})(?P<offset>\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{0,8})?)?"
    r"(?: \[\w{1,64}\]?| [\w./-]{1,200}\.[ch]:\d{1,7})?$"
)
_REMARKED = re.compile(r"\] (?P<function>[A-Za-z_][\w.$]{0,127})(?P<offset>\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8})(?!\S)")
_INODE = re.compile(
    r"I: n:\d{1,20}/(?P<number>\d{1,18}) t:(?P<type>\d{1,4}) f:0x(?:[0-9a-f]{1,16} d:0x[0-9a-f]{1,16} "
    r"s:(?P<size>\d{1,18}))?"
)
_GROUP = re.compile(r"R: n:(?P<number>\d{1,18}) f:")
_GROUP_PART = re.compile(r"(?:L: f:[0-9a-f]|B: n:\d)")
_HEADER = re.compile(
    r"@ (?P<fs>\S{1,64}) +(?P<date>[A-Z][a-z]{2} [A-Z][a-z]{2} +\d{1,2} \d\d:\d\d:\d\d \d{4}) +@(?P<host>[\w.-]{1,128})"
)
_GLOCK_GOES_ON = re.compile(r"[ftdlavrmp]:[-\w?]")
_HOLDER_GOES_ON = re.compile(
    r"(?:[ep]:-?\d|[A-Za-z_][\w.$]{0,127}\+0x[0-9a-f]|\[[^\[\]]{0,64}\](?: |$)|[^\[\]:]{0,40}\](?: |$))"
)
_JOURNAL = re.compile(r"\.(?:\d{1,4}|[a-z])$")
_FS_IN_PATH = re.compile(r"gfs2[/.](?P<fs>[^/\s'\"|;]{1,100})[/.]glocks\b")
_QUIET_TYPES: Final = frozenset((1, 4, 5, 9))
_PROCESSLESS: Final = frozenset(("(ended)", "(none)"))
_BUSY_FLAGS: Final = frozenset("DlFiP")


@dataclass(frozen=True, slots=True)
class Prefix:
    """What stands in front of a glock line: host and time of a kernel log, file system, and the text behind."""

    text: str
    host: str | None = None
    instant: Instant | None = None
    fs: str | None = None


def split_prefix(text: str) -> Prefix:
    """Take log prefixes and indentation off a line."""
    stripped = text.lstrip()
    if len(stripped) > 1 and stripped[1] == ":":
        return Prefix(stripped)
    match = _PREFIX.match(stripped)
    if match is None or not match.end():
        return Prefix(stripped)
    found = find_instant(match["when"]) if match["when"] else None
    fs = _JOURNAL.sub("", match["fsid"]) if match["fsid"] else None
    return Prefix(stripped[match.end() :], match["host"], found[0] if found else None, fs)


def fs_in_path(text: str) -> str | None:
    """The file system that a path or a command names (``.../gfs2/<cluster>:<fs>/glocks``)."""
    match = _FS_IN_PATH.search(text)
    return match["fs"] if match and match["fs"] not in ("*", "$fs") else None


@dataclass(frozen=True, slots=True)
class Header:
    """The line in front of each report of glocktop."""

    fs: str
    host: str
    instant: Instant | None


def read_header(text: str) -> Header | None:
    """``@ <fs>   <date>   @<host>``."""
    match = _HEADER.match(text)
    if match is None:
        return None
    found = find_instant(match["date"])
    return Header(match["fs"], match["host"], found[0] if found else None)


@dataclass(frozen=True, slots=True)
class HolderLine:
    """An H line."""

    line: int
    state: str
    flags: str
    error: int
    pid: int
    command: str | None
    function: str | None
    complete: bool

    @property
    def granted(self) -> bool:
        """Holder rather than waiter."""
        return "H" in self.flags

    def quiet(self, type_: int) -> bool:
        """A holder that every mounted file system has and that no process is behind; the freeze lock held EX is none of
        them.
        """
        if not self.granted or "W" in self.flags or self.error:
            return False
        if type_ == 5 and self.state == "SH" and set(self.flags) == {"E", "H"}:
            return True
        return type_ in _QUIET_TYPES and self.command in _PROCESSLESS and (self.state == "SH" or type_ == 9)


@dataclass(slots=True, eq=False)
class GlockLine:
    """A G line with the lines below it. ``number`` is text: its base is a matter of the whole dump.

    The last four say how far its records are: ``waiting`` for the base, ``written``, holders written, and ``done`` once
    all its lines were there (a stray line may come between, so more can follow).
    """

    line: int
    type: int
    number: str
    state: str
    flags: str
    target: str
    demote: str
    age: int | None
    age_is_whole: bool
    fields: dict[str, int]
    host: str | None = None
    at: int | None = None
    zone_min: int | None = None
    object_number: int | None = None
    inode_type: int | None = None
    inode_size: int | None = None
    holders: list[HolderLine] = field(default_factory=list)
    waiting: bool = False
    written: bool = False
    written_holders: int = 0
    done: bool = False

    @property
    def idle(self) -> bool:
        """Nobody waits, nobody was asked for anything, and the holders are those of every mount."""
        if self.age or not _BUSY_FLAGS.isdisjoint(self.flags):
            return False
        return all(holder.quiet(self.type) for holder in self.holders)

    @property
    def complete(self) -> bool:
        """Whether the line goes on to the reference count, which every generation prints."""
        return bool(self.demote) and "r" in self.fields

    @property
    def demote_us(self) -> int | None:
        """Age of the demote request; unknown where the line is cut in it, none where nothing was asked."""
        if not self.age_is_whole or (not self.age and "D" not in self.flags and "d" not in self.flags):
            return None
        return self.age

    @property
    def generation(self) -> str:
        """Layout of the line: G0 has l:, G2 adds v:, G3 m:, G4 p:."""
        if "l" in self.fields:
            return "G0"
        return "G4" if "p" in self.fields else "G3" if "m" in self.fields else "G2" if "v" in self.fields else "G1"


def read_glock(line: int, text: str) -> GlockLine | None:
    """A G line; None where it is no glock line or is cut before its flags."""
    match = _GLOCK.match(text)
    if match is None:
        return None
    rest = match["rest"]
    targets = _TARGETS.match(rest)
    at = targets.end() if targets else 0
    age = int(targets["age"]) if targets and targets["age"] else None
    fields: dict[str, int] = {}
    while found := _FIELD.match(rest, at):
        fields.setdefault(found["name"], int(found["value"]))
        at = found.end()
    return GlockLine(
        line,
        int(match["type"]),
        match["number"],
        match["state"],
        match["flags"],
        targets["target"] if targets else "",
        (targets["demote"] or "") if targets else "",
        age,
        bool(fields),
        fields,
    )


def read_holder(line: int, text: str) -> HolderLine | None:
    """An H line; None where it is none or is cut before its flags."""
    match = _HOLDER.match(text)
    if match is None:
        return None
    rest = match["rest"]
    pid = int(match["pid"]) if match["pid"] and rest else 0
    command, function, complete = _read_caller(rest.lstrip() if rest else "")
    return HolderLine(line, match["state"], match["flags"], int(match["error"] or 0), pid, command, function, complete)


def _read_caller(rest: str) -> tuple[str | None, str | None, bool]:
    """Process name, function, and whether the line is whole. A name may hold blanks, brackets and colons."""
    if not rest.startswith("["):
        return None, None, False
    match = _CALLER.search(rest) or _REMARKED.search(rest)
    if match is None:
        name, closed, _ = rest[1:].rpartition("]")
        return (name if closed else rest[1:]) or None, None, False
    whole = match["offset"] is not None or match["function"].startswith("0x")
    return rest[1 : match.start()], match["function"], whole


def read_object(glock: GlockLine, text: str) -> bool:
    """Add an I, R, L or B line to its glock; False where it is not understood."""
    if text.startswith("I:"):
        match = _INODE.match(text)
        if match is None:
            return False
        glock.object_number = int(match["number"])
        glock.inode_type = int(match["type"])
        glock.inode_size = int(match["size"]) if match["size"] else None
        return True
    if text.startswith("R:"):
        match = _GROUP.match(text)
        if match is None:
            return False
        glock.object_number = int(match["number"])
        return True
    return _GROUP_PART.match(text) is not None


def goes_on(text: str, following: str) -> bool:
    """Whether a mail program wrapped this line, so that ``following`` is its end."""
    if text.startswith(("G:", "I:", "R:")):
        return _GLOCK_GOES_ON.match(following) is not None
    if not text.startswith("H:") or (match := _HOLDER_GOES_ON.match(following)) is None:
        return False
    rest = text[2:]
    if following.startswith("["):
        return "[" not in rest or (following.endswith("]") and "+0x" in rest and not rest.endswith("]"))
    if match[0].endswith(("]", "] ")):
        return "[" in rest and "]" not in rest
    return "+0x" not in rest and (rest.endswith("]") if "+0x" in match[0] else "[" not in rest)


def stated_base(number: str, object_number: int | None) -> int | None:
    """The base in which a dump prints glock numbers, as far as one glock tells: a letter, or its object's decimal
    number.
    """
    if not number.isdigit():
        return 16
    if object_number is None:
        return None
    by_sixteen, by_ten = int(number, 16) == object_number, int(number) == object_number
    if by_sixteen == by_ten:
        return None
    return 16 if by_sixteen else 10
