"""One printed waiter of Spectrum Scale, old or new style, and how a wrapped one is put together again.

0x1104A2C30 waiting 3.012345678 seconds, Sync handler: on ThMutex 0x1104A2D90 (0x1104A2D90) (LogFile instance)
lund03: Waiting 0.0316 sec since 18:14:55, monitored, thread 40777 NSDThread: for I/O completion
Waiting 367.6 sec since 18:19:49, on node lund03, thread 16077 MountHandlerThread: for mercy
2031-06-02_21:17:44.3+0200: [A] Unexpected long waiter detected: Waiting 9.4 sec since 2031-06-02 21:17:34, on node lund03, NSDThread 52: for I/O completion
waiting on ThCond 0x1110C0D60 (0x1110C0D60) (PitCondvar), reason 'Waiting until pit work is complete' (Long)
"""  # noqa: E501  the sample shows a line as long as it is printed

from __future__ import annotations

import re
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.scale.waits.detail import NUMBER, Detail, Shape, plain, read_detail
from parsers.records import DAY_US
from parsers.times.clock import Instant, find_instant, time_of_day, wall, zone_offset

ALIKE_KEPT: Final = 4_096
BULLETS: Final = r"(?:[-*•·–—|>+]{1,3} {1,4}){0,2}"
_BARE_NODE: Final = r"[A-Za-z][\w.-]{0,252} {1,24}(?=0x[0-9A-Fa-f]{1,16} {1,8}waiting {1,8}\d)"
"""A node in a column of its own, without a colon."""
NODE: Final = rf"(?:[A-Za-z0-9][\w.-]{{0,252}}: {{0,8}}|{_BARE_NODE})?"
LOGGED: Final = (
    r"(?!(?:\{\s{0,4})?\x22[\w .-]{1,60}\x22\s{0,4}:)[^\[\]]{0,120}(?:\[A\] {1,4})?Unexpected long waiter detected:"
)
"""Not in front of a value of JSON: what its string holds is taken out of it first."""

OLD_ID: Final = r"(?:\( {0,12}\d{1,18}\) {1,8})?"
OLD_CLAIM: Final = (
    rf"{BULLETS}{NODE}0x[0-9A-Fa-f]{{1,16}} {{1,8}}{OLD_ID}waiting {{1,8}}\d|{BULLETS}waiting {{1,8}}on "
    r"{1,8}Th(?:Cond|Mutex)\b"
)
NEW_CLAIM: Final = rf"{BULLETS}{NODE}Waiting {{1,8}}{NUMBER} {{1,8}}sec(?: {{1,8}}since\b|$)|{LOGGED}"
DEADLOCK_CLAIM: Final = (
    rf"{BULLETS}{NODE}Waiting {{1,8}}{NUMBER} {{1,8}}sec {{1,8}}since {{1,8}}[^,]{{1,40}}, {{0,8}}"
    r"on {1,8}node {1,8}[^\s,]{1,253}, {0,8}thread\b"
)

_START = re.compile(f"(?:{OLD_CLAIM}|{NEW_CLAIM})")
_PREFIX = re.compile(
    rf"{BULLETS}(?:([A-Za-z0-9][\w.-]{{0,252}})(?:: {{0,1}}| (?=0x)))?"
    rf"(?=0x[0-9A-Fa-f]{{1,16}} {OLD_ID}waiting |Waiting \d|waiting on )"
)
_LOGGED = re.compile(LOGGED)
_DEADLOCK = re.compile(r"[^\[\]]{0,120}(?:\[A\] {1,4})?Deadlock (?:detected|found):")
_GLUED = re.compile(rf"{NODE}(?:0x[0-9A-Fa-f]{{1,16}} {OLD_ID}waiting {NUMBER} sec|Waiting {NUMBER} sec since \d)")
_OLD = re.compile(rf"0x([0-9A-Fa-f]{{1,16}}) (?:\( ?(\d{{1,18}})\) )?waiting ({NUMBER}) ?sec\w{{0,4}} ?,? ?(.*)$")
_NEW = re.compile(
    rf"Waiting ({NUMBER}) sec\w{{0,4}}(?: since(?: (?:(\d{{4}})-(\d\d)-(\d\d)[ "
    r"_T])?(\d{1,2}:\d\d:\d\d(?:\.\d{1,9})?)(?: ?([+-]\d\d:?\d\d))?)?)?[ ,]*(.*)$"
)
_STARTED = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[ _T](\d{1,2}:\d\d:\d\d(?:\.\d{1,9})?)(?: ?[+-]\d\d:?\d\d)?:? "
    rf"[Ww]aiting ({NUMBER}) sec\w{{0,4}},? on node ([^\s,:]{{1,253}})[ ,:]*(.*)$"
)
_DATED = re.compile(r"\d{4}-\d\d-\d\d[ _T]\d{1,2}:\d\d:\d\d(?:\.\d{1,9})?: {1,4}(?=Waiting \d)")
_MONITORED = re.compile(r"((?:NOT |not )?monitored|ignored)\b[ ,]*")
_ON_NODE = re.compile(r"on node ([^\s,]{1,253})[ ,]*")
_THREAD = re.compile(r"thread (\d{1,18})\b ?(.*)$")
_LOST: Final = Detail(complete=False)
_THREAD_WORD = re.compile(r"\bthread \d")
_NAME_FIRST = re.compile(r"([A-Za-z]\w{0,80}) (\d{1,18}) ?(?=:|$)(.*)$")
_INSIDE = re.compile(r"\bon (?:Th(?:Cond|Mutex)\b|\w{1,80}(?:Condvar|Mutex))|\breason:? ?'")
ADDRESSED = re.compile(r"\bon Th(?:Cond|Mutex) 0x([0-9A-Fa-f]{1,16})( \(0x\1\))?(?= \([A-Za-z])")
_FOR = re.compile(r"(?:^|[ ,])(?=for |calling |delaying )")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiterLine:
    """One waiter as printed. ``since`` below ``DAY_US`` is a time of day; ``logged`` is the log's clock in
    front of it.
    """

    style: str
    node: str | None = None
    on_node: str | None = None
    logged: Instant | None = None
    seconds: float | None = None
    since: int | None = None
    zone_min: int | None = None
    monitored: bool | None = None
    thread: str | None = None
    thread_id: int | None = None
    address: int | None = None
    detail: Detail = _LOST

    @property
    def shape(self) -> Shape:
        """What many waiters share."""
        own = self.detail
        return Shape(
            self.style,
            self.thread,
            own.wait_kind,
            own.wait_name,
            own.reason,
            own.aux,
            own.rpc,
            own.target,
            own.target_index,
            own.object,
            self.monitored,
            own.long,
            own.delay_s,
            own.complete,
        )


def is_start(text: str) -> bool:
    """Whether a line begins a waiter."""
    return _START.match(text.lstrip()) is not None


def parts(text: str) -> list[str]:
    """The waiters on a line: two where a line end was lost between them."""
    if text.count("aiting ") < 2:
        return [text]
    starts = [match.start() for match in _GLUED.finditer(text)]
    return (
        [text[start:end].rstrip() for start, end in pairwise([0, *starts[1:], len(text)])]
        if len(starts) > 1
        else [text]
    )


def only_waiter(text: str) -> WaiterLine | None:
    """The waiter of a line; None where there is none, and where a lost line end glued two: the line loop tells them
    apart.
    """
    return read_waiter(text) if len(parts(text)) == 1 else None


_BEYOND: Final = re.compile(r"(?: on disk [\w./-]{1,64}|'|<c\d{1,6}n\d{1,6}>) ([a-z]\w{0,40} [^<>()',]{4,400})$")
_WORDS_BEHIND: Final = frozenset(
    "reason reason: on for node disk delaying calling thread monitored, since until".split()
)
"""One of them stands in what may follow the disk, the node or the reason of a waiter."""


def read_waiter(text: str) -> WaiterLine | None:
    """Read a whole (joined) waiter; None where the text is none after all."""
    body = plain(text)
    if (beyond := _BEYOND.search(body)) is not None and _WORDS_BEHIND.isdisjoint(beyond[1].split()):
        return None  # put together with a line that is none of it
    logged = _LOGGED if "long waiter" in body[:200] else _DEADLOCK if "Deadlock " in body[:120] else None
    if logged is not None and (match := logged.match(body)):
        rest = body[match.end() :].lstrip()
        dated = _DATED.match(rest)  # the newer form of a wait may stand behind the date that the older one begins with
        rest = rest[dated.end() :] if dated is not None else rest
        instants = (find_instant(part) for part in match[0].split(": "))
        at = next((instant[0] for instant in instants if instant), None)
        if new := _NEW.match(rest):
            return _new_style(new, None, at)
        found = _read_body(rest, None)
        return replace(found, logged=at) if found else None
    prefix = _PREFIX.match(body)
    return _read_body(body[prefix.end() :], prefix[1]) if prefix else None


def _read_body(body: str, node: str | None) -> WaiterLine | None:
    if match := _NEW.match(body):
        return _new_style(match, node)
    if match := _OLD.match(body):
        thread, detail = _split_thread(match[4])
        return WaiterLine(
            style="old",
            node=node,
            address=int(match[1], 16),
            seconds=_seconds(match[3]),
            thread=thread,
            thread_id=int(match[2]) if match[2] else None,
            detail=detail,
        )
    if match := _STARTED.match(body):
        return _started(match, node)
    if body.startswith("waiting on "):
        return WaiterLine(style="note", node=node, detail=read_detail(body.removeprefix("waiting ")))
    return None


def _started(match: re.Match[str], node: str | None) -> WaiterLine:
    """The start first: ``2031-06-02 21:17:34.3: waiting 9.4 seconds on node lund03: NSDThread 52: for I/O``."""
    year, month, day, clock, seconds, on_node, rest = match.groups()
    tod = time_of_day(clock)
    thread_id, thread, detail, _ = _thread(rest)
    return WaiterLine(
        style="new",
        node=node,
        on_node=on_node,
        seconds=_seconds(seconds),
        since=wall(int(year), int(month), int(day), tod) if tod is not None else None,
        thread=thread,
        thread_id=thread_id,
        detail=detail,
    )


def _seconds(text: str) -> float:
    return float(text.replace(",", "."))


def _new_style(match: re.Match[str], node: str | None, logged: Instant | None = None) -> WaiterLine:
    seconds, year, month, day, clock, zone, rest = match.groups()
    since = time_of_day(clock) if clock else None
    if since is not None and year:
        since = wall(int(year), int(month), int(day), since)
    monitored, on_node = None, None
    if found := _MONITORED.match(rest):
        monitored, rest = found[1] == "monitored", rest[found.end() :]
    if found := _ON_NODE.match(rest):
        on_node, rest = found[1], rest[found.end() :]
    if clock is None:
        rest = (
            rest[at.start() :] if (at := _THREAD_WORD.search(rest)) else ""
        )  # a start that is cut is no thread's name
    thread_id, thread, detail, named_first = _thread(rest)
    return WaiterLine(
        style="deadlock" if on_node and not named_first and (since is None or since < DAY_US) else "new",
        node=node,
        on_node=on_node,
        logged=logged,
        seconds=_seconds(seconds),
        since=since,
        zone_min=zone_offset(zone),
        monitored=monitored,
        thread=thread,
        thread_id=thread_id,
        detail=detail,
    )


def _thread(rest: str) -> tuple[int | None, str | None, Detail, bool]:
    """``thread ID NAME: ...``, or ``NAME ID: ...`` as logs print it, which the last value tells."""
    if match := _THREAD.match(rest):
        return int(match[1]), *_split_thread(match[2]), False
    if match := _NAME_FIRST.match(rest):
        return int(match[2]), match[1], _detail(match[3].lstrip(": ")), True
    thread, detail = _split_thread(rest)
    return None, None if thread and thread.startswith("thread") else thread, replace(detail, complete=False), True


def _split_thread(text: str) -> tuple[str | None, Detail]:
    """The thread's name and what follows. What many lines say alike is read once: all but the address of the lock."""
    match = ADDRESSED.search(text)
    if match is None:
        return _split_alike(text)
    thread, detail = _split_alike(_without_address(text, match))
    return thread, detail.at(int(match[1], 16))


def _detail(text: str) -> Detail:
    """The same of what stands behind the name of a thread."""
    match = ADDRESSED.search(text)
    if match is None:
        return _detail_alike(text)
    return _detail_alike(_without_address(text, match)).at(int(match[1], 16))


def _without_address(text: str, lock: re.Match[str]) -> str:
    again = " (0x0)" if lock[2] else ""
    return f"{text[: lock.start(1)]}0{again}{text[lock.end() :]}"


_detail_alike = lru_cache(maxsize=ALIKE_KEPT)(read_detail)


@lru_cache(maxsize=ALIKE_KEPT)
def _split_alike(text: str) -> tuple[str | None, Detail]:
    """A lost colon or name leaves the detail incomplete."""
    inside = _INSIDE.search(text)
    colon = text.find(":")
    if colon >= 0 and (inside is None or colon < inside.start()):
        thread = text[:colon].strip()
        detail = read_detail(text[colon + 1 :].strip())
        return (thread[:128], detail) if thread else (None, replace(detail, complete=False))
    at = inside or _FOR.search(text)
    if at is None:
        return None, _LOST  # nothing says that the name is whole
    return text[: at.start()].strip(" ,:")[:128] or None, replace(
        read_detail(text[at.start() :].strip(" ,:")), complete=False
    )
