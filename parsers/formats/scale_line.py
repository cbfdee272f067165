"""One printed waiter of Spectrum Scale, old or new style, and how a wrapped one is put together again.

0x1104A2C30 waiting 3.012345678 seconds, Sync handler: on ThMutex 0x1104A2D90 (0x1104A2D90) (LogFile instance)
lund03: Waiting 0.0316 sec since 18:14:55, monitored, thread 40777 NSDThread: for I/O completion
Waiting 367.6 sec since 18:19:49, on node lund03, thread 16077 MountHandlerThread: for mercy
2031-06-02_21:17:44.3+0200: [A] Unexpected long waiter detected: Waiting 9.4 sec since 2031-06-02 21:17:34, on node lund03, NSDThread 52: for I/O completion
waiting on ThCond 0x1110C0D60 (0x1110C0D60) (PitCondvar), reason 'Waiting until pit work is complete' (Long)
"""  # noqa: E501  the sample shows a line as long as it is printed

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from parsers.clock import Instant, find_instant, time_of_day, wall, zone_offset
from parsers.formats.scale_detail import NUMBER, Detail, Shape, plain, read_detail
from parsers.records import DAY_US
from parsers.text import Line, is_prose

BULLETS: Final = r"(?:[-*•·–—|>+]{1,3} {1,4}){0,2}"
NODE: Final = r"(?:[A-Za-z0-9][\w.-]{0,252}: {0,8})?"
LOGGED: Final = r"[^\[\]]{0,120}(?:\[A\] {1,4})?Unexpected long waiter detected:"

OLD_CLAIM: Final = rf"{BULLETS}{NODE}0x[0-9A-Fa-f]{{1,16}} {{1,8}}waiting {{1,8}}\d|{BULLETS}waiting {{1,8}}on {{1,8}}Th(?:Cond|Mutex)\b"
NEW_CLAIM: Final = rf"{BULLETS}{NODE}Waiting {{1,8}}{NUMBER} {{1,8}}sec(?: {{1,8}}since\b|$)|{LOGGED}"
DEADLOCK_CLAIM: Final = (
    rf"{BULLETS}{NODE}Waiting {{1,8}}{NUMBER} {{1,8}}sec {{1,8}}since {{1,8}}[^,]{{1,40}}, {{0,8}}"
    r"on {1,8}node {1,8}[^\s,]{1,253}, {0,8}thread\b"
)

_START = re.compile(f"(?:{OLD_CLAIM}|{NEW_CLAIM})")
_PREFIX = re.compile(rf"{BULLETS}(?:([A-Za-z0-9][\w.-]{{0,252}}): {{0,1}})?(?=0x[0-9A-Fa-f]{{1,16}} waiting |Waiting \d|waiting on )")
_LOGGED = re.compile(LOGGED)
_OLD = re.compile(rf"0x([0-9A-Fa-f]{{1,16}}) waiting ({NUMBER}) ?sec\w{{0,4}} ?,? ?(.*)$")
_NEW = re.compile(
    rf"Waiting ({NUMBER}) sec\w{{0,4}}"
    r"(?: since(?: (?:(\d{4})-(\d\d)-(\d\d)[ _T])?(\d{1,2}:\d\d:\d\d(?:\.\d{1,9})?)(?: ?([+-]\d\d:?\d\d))?)?)?[ ,]*(.*)$"
)
_MONITORED = re.compile(r"(monitored|ignored)\b[ ,]*")
_ON_NODE = re.compile(r"on node ([^\s,]{1,253})[ ,]*")
_THREAD = re.compile(r"thread (\d{1,18})\b ?(.*)$")
_LOST: Final = Detail(complete=False)
_THREAD_WORD = re.compile(r"\bthread \d")
_NAME_FIRST = re.compile(r"([A-Za-z]\w{0,80}) (\d{1,18}) ?(?=:|$)(.*)$")
_INSIDE = re.compile(r"\bon (?:Th(?:Cond|Mutex)\b|\w{1,80}(?:Condvar|Mutex))|\breason:? ?'")
_FOR = re.compile(r"(?:^|[ ,])(?=for |calling |delaying )")


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiterLine:
    """One waiter as printed. ``since`` below ``DAY_US`` is a time of day; ``logged`` is the log's clock in front of it."""

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
            self.style, self.thread, own.wait_kind, own.wait_name, own.reason, own.aux, own.rpc, own.target, own.target_index, own.object,
            self.monitored, own.long, own.delay_s, own.complete,
        )  # fmt: skip


def is_start(text: str) -> bool:
    """Whether a line begins a waiter."""
    return _START.match(text.lstrip()) is not None


def read_waiter(text: str) -> WaiterLine | None:
    """Read a whole (joined) waiter; None where the text is none after all."""
    body = plain(text)
    if "long waiter" in body[:200] and (match := _LOGGED.match(body)):
        found = _read_body(body[match.end() :].lstrip(), None)
        instants = (find_instant(part) for part in match[0].split(": "))
        return replace(found, logged=next((instant[0] for instant in instants if instant), None)) if found else None
    prefix = _PREFIX.match(body)
    return _read_body(body[prefix.end() :], prefix[1]) if prefix else None


def _read_body(body: str, node: str | None) -> WaiterLine | None:
    if match := _NEW.match(body):
        return _new_style(match, node)
    if match := _OLD.match(body):
        thread, detail = _split_thread(match[3])
        return WaiterLine(style="old", node=node, address=int(match[1], 16), seconds=_seconds(match[2]), thread=thread, detail=detail)
    if body.startswith("waiting on "):
        return WaiterLine(style="note", node=node, detail=read_detail(body.removeprefix("waiting ")))
    return None


def _seconds(text: str) -> float:
    return float(text.replace(",", "."))


def _new_style(match: re.Match[str], node: str | None) -> WaiterLine:
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
        rest = rest[at.start() :] if (at := _THREAD_WORD.search(rest)) else ""  # a start that is cut is no thread's name
    thread_id, thread, detail, named_first = _thread(rest)
    return WaiterLine(
        style="deadlock" if on_node and not named_first and (since is None or since < DAY_US) else "new",
        node=node, on_node=on_node, seconds=_seconds(seconds), since=since, zone_min=zone_offset(zone), monitored=monitored,
        thread=thread, thread_id=thread_id, detail=detail,
    )  # fmt: skip


def _thread(rest: str) -> tuple[int | None, str | None, Detail, bool]:
    """``thread ID NAME: ...``, or ``NAME ID: ...`` as logs print it, which the last value tells."""
    if match := _THREAD.match(rest):
        return int(match[1]), *_split_thread(match[2]), False
    if match := _NAME_FIRST.match(rest):
        return int(match[2]), match[1], read_detail(match[3].lstrip(": ")), True
    thread, detail = _split_thread(rest)
    return None, None if thread and thread.startswith("thread") else thread, replace(detail, complete=False), True


def _split_thread(text: str) -> tuple[str | None, Detail]:
    """The thread's name and what follows; a lost colon or name leaves the detail incomplete."""
    inside = _INSIDE.search(text)
    colon = text.find(":")
    if colon >= 0 and (inside is None or colon < inside.start()):
        thread = text[:colon].strip()
        detail = read_detail(text[colon + 1 :].strip())
        return (thread[:128], detail) if thread else (None, replace(detail, complete=False))
    at = inside or _FOR.search(text)
    if at is None:
        return text[:128].strip(" ,") or None, _LOST
    return text[: at.start()].strip(" ,:")[:128] or None, replace(read_detail(text[at.start() :].strip(" ,:")), complete=False)


# Wrapped lines. Terminals cut at about 150 columns, in the middle of words; mail and tickets at about 65, between words.

LINE_LIMIT: Final = 400
WRAP_COLUMNS: Final = 60
HARD_COLUMNS: Final = 118
_OPEN_END = re.compile(
    r"(?:[,:<-]|\b(?:thread(?: \d{1,18})?|reason:?|for|on|node|disk|since(?: \d{4}-\d\d-\d\d)?|sec|seconds|waiting|detected:"
    r"|Th(?:Cond|Mutex)|0x[0-9A-Fa-f]{0,16}))$"
)
_REMNANT = re.compile(r"(?:(?:o?n )?(?:node|ode|de|e) )?[0-9A-Fa-f]{1,4}(?:[.:][0-9A-Fa-f]{0,4}){2,8}(?: ?<c\d{1,6}n\d{1,6}>?)?$")
_ADDRESS = re.compile(r"\bnode [0-9.]{1,14}$")
_ADDRESS_END = re.compile(r"[0-9.]{1,14}(?: ?<c\d{1,6}n\d{1,6}>?)?$")
_WORDED_REMNANT = re.compile(r"(?:o?n )?(?:node|ode|de) [0-9A-Fa-f]")
_GOES_ON = re.compile(
    r"thread \d|on (?:Th(?:Cond|Mutex)\b|\w{1,80}(?:Condvar|Mutex)|disk \S|node [^\s,]{1,253}(?:,| <c\d|$))|reason:? ?'|'|<c\d"
    r"|\((?:0x|[A-Z])|I/O\b|completion\b"
    r"|for (?:NSD|I/O|open disk|poll|mercy|RDMA|verbs|getData|\w{0,60}Msg\w)|(?:monitored|ignored),"
)
_FRAGMENT = re.compile(r"[a-z][\w/]{0,40}(?:[)':,.]|$| (?:on node|on disk|node|disk|for) \S| dm-\d| I/O)")
_SHELL_WORDS: Final = frozenset(("done", "exit", "fi", "do", "ok", "logout"))
_GRAMMAR: Final = frozenset(
    (
        "thread", "on", "reason", "for", "node", "monitored", "ignored", "sec", "since", "seconds", "waiting", "wait", "rpc",
        "replies", "completion", "i/o", "nsd", "disk", "open", "device", "until", "is", "to", "of", "in", "a", "the", "connection",
        "sending", "msg", "exclusive", "use", "complete", "work", "pit", "force", "write", "buffer", "state", "handler", "calling",
        "delaying", "more", "with", "from", "and", "not", "be", "by", "instance",
    )
)  # fmt: skip


def is_open(text: str) -> bool:
    """Whether a waiter's text stops in the middle."""
    if text.count("(") > text.count(")") or text.count("<") > text.count(">") or text.count("'") % 2:
        return True
    return _OPEN_END.search(text[-60:]) is not None or _lacks_detail(text)


def _lacks_detail(text: str) -> bool:
    """Whether no colon stands behind the thread: the thread's name or what it waits for is missing."""
    start, _, behind = text.partition("aiting ")
    if start.endswith("W"):
        thread = behind.rpartition("thread ")[2]
        return thread[:1].isdigit() and ":" not in thread
    return start.endswith(" w") and ":" not in behind


def continues(before: str, text: str) -> bool:
    """Whether a line that begins no waiter goes on with the one above it."""
    above, body = before.rstrip(), text.strip()
    if not above or not body or len(body) > LINE_LIMIT or body in _SHELL_WORDS or is_start(body):
        return False
    if _REMNANT.match(body) or _GOES_ON.match(body) or (_ADDRESS.search(above[-24:]) and _ADDRESS_END.match(body)):
        return True
    if is_open(above):
        return _closes(above, body)
    return body[0].islower() and above[-1:].isalnum() and len(above) >= WRAP_COLUMNS and _FRAGMENT.match(body) is not None


def goes_on(before: str, text: str, distance: int) -> bool:
    """The same for a line so many lines further down: one blank line may stand between, if the waiter above is open."""
    return continues(before, text) and (distance == 1 or (distance == 2 and is_open(before.rstrip())))


def _closes(above: str, body: str) -> bool:
    """A line below an open one must bring what is missing; a sentence of a person does not."""
    if above.count("'") % 2:
        return "'" in body or not is_prose(body)
    if above.count("(") > above.count(")"):
        return ")" in body
    if above.count("<") > above.count(">"):
        return ">" in body[:12]
    return not is_prose(body) or "'" in body or ": " in body


def join(before: str, text: str, *, width: int, blank: bool = False) -> str:
    """Put a continuation behind its waiter: with a blank, unless the cut went through a word.

    ``width`` is the length of the line above as it stood in the text; ``blank`` says that it ended with one.
    """
    above, body = before.rstrip(), text.strip()
    if _WORDED_REMNANT.match(body) and above.count("(") > above.count(")") and not above.endswith("("):
        above += ")"  # the closing bracket is among the letters that the cut ate
    if blank or text[:1].isspace() or _parted(above, body, hard=width >= HARD_COLUMNS or width == 80):
        return f"{above} {body}"
    return above + body


def joined(text: str, above: Line, line: Line) -> str:
    """The text of a waiter with one more line; ``above`` is the line that was wrapped."""
    return join(text, line.text, width=len(above.raw), blank=above.raw[-1:].isspace())


def _parted(above: str, body: str, *, hard: bool) -> bool:
    """Whether a blank belongs between the two. Only terminals (``hard``) cut words."""
    last, first = above[-1:], body[:1]
    if last == "-" or first in "),:.>":
        return False
    if last in ",:')>" or first in "(<'":
        return True
    if (last.isdigit() or last == ".") and first.isdigit():
        return False
    return not (hard and _inside_word(above, body))


def _inside_word(above: str, body: str) -> bool:
    end = above.rsplit(" ", 1)[-1].lstrip("('<")
    start = body.split(" ", 1)[0].rstrip("),':>")
    if end[:2] == "0x":
        return re.fullmatch(r"[0-9A-Fa-f]{1,12}", start) is not None and re.fullmatch(r"0x[0-9A-Fa-f]{0,15}", end) is not None
    if not (end[-1:].isalnum() or end[-1:] == "_") or end.isdigit() or end.lower() in _GRAMMAR or start.lower() in _GRAMMAR:
        return False
    return start[:1].islower() or "(" in above.rsplit(" ", 1)[-1] or re.search(r"\bthread \d{1,18} \w{1,80}$", above[-100:]) is not None
