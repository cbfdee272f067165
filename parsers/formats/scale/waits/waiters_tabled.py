"""Waiters of Spectrum Scale in tables that scripts and exports make of dumps, and on lines of their own wording.

    time,node,wait_s,thread,reason
    2031-06-02 08:55:20,lund03,412.3,SyncHandlerThread,"on ThCond 0x180C4 (LkObjCondvar), reason 'waiting for WA lock'"

    | Node   | Waiting | Thread    | Waiting on                      |
    | lund04 | 398 s   | NSDThread | for I/O completion on disk dm-4 |

    398.8 s  lund05  tid 11201 RcvWorker: on ThCond 0x18000D4 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke

Yields Waiter (seconds; time of the row where it has one) and WaiterShape. The heading says what a cell is
(``wait_fields``); cells are parted by commas, semicolons, bars, tabs or two blanks and more. A line without a heading
has an age with its unit, and a thread or a lock in the words of ``mmdiag``. Other readers go first. Source: scripts and
exports, as recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.waits.detail import plain
from parsers.formats.scale.waits.line import WaiterLine
from parsers.formats.scale.waits.rows import Rows
from parsers.formats.scale.waits.wait_fields import age_in, columns_of, waiter_in, waiter_of_fields
from parsers.grammars.marked_tables import HEADING, ROW, RULER, cells_of, mark_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_NEEDED: Final = (
    r"(?=\D{8,500}$)(?=[^\n]{0,400}(?i:wait|warte|secs?\b|seconds|\bage(?![a-z])|elapsed|dur[ae]|dauer|espera"
    r"|attente|attesa))"
    r"(?=[^\n]{0,400}(?i:thread|waiter|handler|hilo))"
    r"(?=[^\n]{0,400}(?i:reason|wait|warte|cond|mutex|aux|detail|grund|what|why|text|info|descr|msg|message|moti[fv]"
    r"|raison|razon))"
)
_HEADING: Final = rf"{_NEEDED}{HEADING}"
_WORDED: Final = (
    # No line of a dump behind a prefix.
    r"(?![^\n]{0,300}(?:\bWaiting \d|\b\dx[0-9A-Fa-f]{1,16} (?:\( {0,12}\d{1,18}\) )?waiting \d))"
    r"(?=[^\n]{0,300}(?:\bon Th(?:Cond|Mutex)\b|\b[A-Z]\w{0,80}Condvar\b|\breason '|'RPC wait'"
    r"|\bfor (?:NSD )?I/O completion\b|\bwaiting for [A-Za-z]{2} lock\b))"
    r"(?=[^\n]{0,300}\b\d{1,9}(?:[.,]\d{1,9})? ?(?:s|sec|secs|seconds)\b)"
    r"(?=[^\n]{0,300}\b(?:[A-Z]\w{0,60}(?:Thread|Worker|Handler)|thread \d))[^\[{<]"
)
_SIGNS: Final = ("Cond", "Mutex", "reason '", "RPC wait", "I/O comp", " lock")
"""One of them stands in every such line."""
_IS_HEADING: Final = re.compile(_HEADING)
_IS_WORDED: Final = re.compile(_WORDED)
_OWNS: Final = re.compile(rf"(?:{_HEADING}|{ROW})")
_AGE: Final = re.compile(r"\b(\d{1,9}(?:[.,]\d{1,9})? ?(?:s|sec|secs|seconds))\b")
_THREAD: Final = re.compile(
    r"\b(?:thread (?P<id>\d{1,18})[ ,:]{1,3})?(?P<name>[A-Z]\w{0,60}(?:Thread|Worker\w{0,20}|Handler))\b[ ,:]{0,3}"
)
_TID: Final = re.compile(r"\b(?:tid|thread|lwp)[ =:#]{1,3}(\d{1,18})\b[ ,:]{0,3}", re.IGNORECASE)
_DETAIL: Final = re.compile(
    r"\bon Th(?:Cond|Mutex)\b|\bon [A-Z]\w{0,80}Condvar\b|\breason '|\(?\b[A-Z]\w{0,80}Condvar\b|'RPC wait'"
    r"|\bfor (?:NSD )?I/O completion\b|\bwaiting for [A-Za-z]{2} lock\b"
)
_UNPAIRED: Final = re.compile(r"(?<![\w)])\)|(?<=')\)|(?<=\w)\)(?=[,;]? (?:and )?\d)")
"""Where a bracket closes that was opened in front of what is waited for."""
_NODE: Final = re.compile(r"(?:(?:node|host|on)[ =:]{1,3})?([A-Za-z][\w-]{0,62}(?:\.[\w-]{1,62}){0,8})[ :,]{0,3}")
_NO_NODES: Final = frozenset(
    ("longest", "oldest", "waiter", "waiters", "waiting", "waits", "wait", "since", "for", "is", "max", "thread", "tid",
     "time", "age", "on", "of", "has", "the", "a", "and", "with", "was", "there", "we", "one", "now", "found", "top")
)  # fmt: skip


def _is_worded(text: str) -> bool:
    """Whether a line tells of a waiter in words of its own."""
    return any(map(text.__contains__, _SIGNS)) and _IS_WORDED.match(text) is not None


def _is_unworded(text: str) -> bool:
    """Whether no line of the shape of one is such a line."""
    return not any(map(text.__contains__, _SIGNS))


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    return _OWNS.match(body) is not None or _is_worded(body)


@parser(
    "scale_waiters_tabled",
    version=1,
    product="spectrum-scale",
    claims=_HEADING,
    owns=_owns,
    priority=-48,
    alone=_is_worded,
    alone_alike=_is_unworded,
)
def scale_waiters_tabled(section: OpenSection, out: Output) -> None:
    """Rows of waiters, and lines that tell of one."""
    rows = Rows(section, out)
    names: tuple[str, ...] = ()
    mark = ""
    for line in section:
        text = line.text.strip()
        if _IS_HEADING.match(text) and columns_of(heading := tuple(cells_of(text, mark_of(text)))):
            names, mark = heading, mark_of(text)
            out.frame()
        elif RULER.match(text):
            out.frame()
        elif (waiter := _waiter(text, names, mark)) is not None:
            rows.add(line.number, waiter)
        else:
            out.skip(line, "no waiter with its time")
    rows.settle()
    rows.flush()


def _waiter(text: str, names: tuple[str, ...], mark: str) -> WaiterLine | None:
    if names and len(cells := cells_of(text, mark, len(names))) == len(names):
        found = waiter_in(names, cells)
        if found is not None:
            return found
    return _worded(text) if _is_worded(text) else None


def _worded(text: str) -> WaiterLine | None:
    """A line in words: its age, its thread and what it waits on; what is left in front may name the node."""
    body = plain(text)
    age, inside = _AGE.search(body), _DETAIL.search(body)
    if age is None or inside is None:
        return None
    seconds = age_in(age[1], "s")
    wait = _UNPAIRED.split(body[inside.start() :], maxsplit=1)[0]
    head = f"{body[: age.start()]} {body[age.end() : inside.start()]}" if age.end() <= inside.start() else ""
    thread = _THREAD.search(head)
    tid = _TID.search(head)
    for found in (thread, tid):
        if found is not None:
            head = head.replace(found[0], " ", 1)
    thread_id = (thread["id"] if thread is not None else None) or (tid[1] if tid is not None else None)
    fields = {
        "node": _node(head) or "",
        "thread": thread["name"] if thread is not None else "",
        "thread_id": thread_id or "",
        "text": wait,
    }
    return waiter_of_fields(fields, seconds)


def _node(head: str) -> str | None:
    """The first word in front that can name a node."""
    for match in _NODE.finditer(head):
        if match[1].lower() not in _NO_NODES and not match[1].isupper():
            return match[1]
    return None
