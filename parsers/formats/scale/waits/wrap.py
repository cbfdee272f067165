"""Waiters that a terminal, a mail or a ticket wrapped: which line goes on with which, and how the two are joined.

Terminals cut at a fixed column, in the middle of words; mail and tickets at about 65 columns, between words; slides cut
off what stands beyond their edge, so that the next line begins with what is left of a word:

    Waiting 0.0316 sec since 18:14:55, monitored, thread 40777 WritebehindWorkerThread: on ThCond 0x7FD9640
    (MsgRecordCondvar
    n node 10.20.4.7 <c0n4>
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.waits.line import is_start
from parsers.line_kinds import is_prose
from parsers.text import Line

LINE_LIMIT: Final = 400
JOINED_LIMIT: Final = 2_000
WRAP_COLUMNS: Final = 60
HARD_COLUMNS: Final = 118
TERMINAL_COLUMNS: Final = 80

_OPEN_END = re.compile(
    r"(?:[,:<-]|\b(?:thread(?: \d{1,18})?|reason:?|for|on|node|disk|since(?: "
    r"\d{4}-\d\d-\d\d)?|sec|seconds|waiting|detected:|Th(?:Cond|Mutex)|0x[0-9A-Fa-f]{0,16}))$"
)
_REMNANT = re.compile(
    r"(?:(?:o?n )?(?:node|ode|de|e) )?[0-9A-Fa-f]{1,4}(?:[.:][0-9A-Fa-f]{0,4}){2,8}(?: ?<c\d{1,6}n\d{1,6}>?)?$"
)
_WORDED_REMNANT = re.compile(r"(?:o?n )?(?:node|ode|de) [0-9A-Fa-f]")
_ADDRESS = re.compile(r"\bnode [0-9.]{1,14}$")
_ADDRESS_END = re.compile(r"[0-9.]{1,14}(?: ?<c\d{1,6}n\d{1,6}>?)?$")
_GOES_ON = re.compile(
    r"thread \d|on (?:Th(?:Cond|Mutex)\b|\w{1,80}(?:Condvar|Mutex)|disk \S|node [^\s,]{1,253}(?:,| "
    r"<c\d|$))|(?:, )?reason:? ?'|'|<c\d|\((?:0x|[A-Z])|I/O\b|completion\b|disk device \S|for "
    r"(?:NSD|I/O|open disk|poll|mercy|RDMA|verbs|getData|\w{0,60}Msg\w)|(?:monitored|ignored),"
)
_FRAGMENT = re.compile(r"[a-z][\w/]{0,40}(?:[)':,.]|$| (?:on node|on disk|node|disk|for) \S| dm-\d| I/O)")
_NAME = re.compile(r"\w{0,60}Msg\w{1,60}|\w{1,60}(?:Condvar|Mutex|Thread)|dm-\d{1,6}|dm")
_HEX = re.compile(r"0x[0-9A-Fa-f]{1,12}")
_NEW_THREAD = re.compile(r"\bthread \d{1,18} \w{1,80}$")
_LINKS: Final = frozenset(("for", "on", "reason", "calling", "delaying", "thread", "node", "disk"))
_SHELL_WORDS: Final = frozenset(("done", "exit", "fi", "do", "ok", "logout"))
_WORDS: Final = frozenset(
    """
    thread on reason for node monitored ignored sec since second seconds waiting Waiting wait RPC reply replies
    completion NSD disk open device until Until is to of in a the connection sending msg exclusive use complete work
    pit PIT PG force write buffer state handler calling delaying more with from and not be by instance inode released
    release bundle flow control token tokens revoke reap fsck pointer permission append log space mercy poll sock
    sleep ThCond ThMutex Long Msg SG BRT Sync Mount Exception Prefetch worker Writebehind mgr migrate Quota client
    Worker Fsync Clean Create Open Lookup Truncate Acquire Range Rebuild Events exporter sender Verbs delete conn Dir
    Block read fetch Inode Alloc drain tbtGetTokens helper threads deferred deletion RDMA fast takeover server error
    stateful availability stabilizes getData LogFile MsgRecord session data QoS DM stop start
    """.split()
)


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
    if (
        not above
        or not body
        or len(above) > JOINED_LIMIT
        or len(body) > LINE_LIMIT
        or body in _SHELL_WORDS
        or is_start(body)
    ):
        return False
    if (
        _REMNANT.match(body)
        or _GOES_ON.match(body)
        or (above.endswith(" I") and body.startswith("/O"))
        or (_ADDRESS.search(above[-24:]) and _ADDRESS_END.match(body))
    ):
        return True
    if is_open(above):
        return _closes(above, body)
    if len(above) < WRAP_COLUMNS or not above[-1].isalnum():
        return False
    return _joins_word(above, body) or (body[0].islower() and _FRAGMENT.match(body) is not None)


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
    if blank or text[:1].isspace() or _parted(above, body, hard=width >= HARD_COLUMNS or width == TERMINAL_COLUMNS):
        return f"{above} {body}"
    return above + body


def joined(text: str, above: Line, line: Line) -> str:
    """The text of a waiter with one more line; ``above`` is the line that was wrapped."""
    return join(text, line.text, width=len(above.raw), blank=above.raw[-1:].isspace())


def _parted(above: str, body: str, *, hard: bool) -> bool:
    """Whether a blank belongs between the two."""
    last, first = above[-1:], body[:1]
    if last in "-/" or first in "),:.>/" or _in_figure(above, first):
        return False
    if last in ",:')>" or first in "(<'":
        return True
    if _joins_word(above, body):
        return False
    return not hard or _is_whole(above, body)


def _in_figure(above: str, first: str) -> bool:
    """Whether the cut went through a number, an address or a time of day."""
    last = above[-1:]
    return first.isdigit() and (last.isdigit() or last == "." or (last == ":" and above[-2:-1].isdigit()))


def _ends(above: str, body: str) -> tuple[str, str]:
    """The last word of the one and the first of the other."""
    return above[-130:].rsplit(" ", 1)[-1].lstrip("('<"), body[:130].split(" ", 1)[0].rstrip("),':>")


def _joins_word(above: str, body: str) -> bool:
    """Whether the two make a word that is known, a name of a known sort, or an address."""
    end, start = _ends(above, body)
    if end[:2] == "0x" or (end == "0" and start[:1] == "x"):
        return _HEX.fullmatch(end + start) is not None
    if not end or not start or end.isdigit():
        return False
    if end + start in _WORDS:
        return True
    named = _NAME.fullmatch(end + start) is not None
    if end in _WORDS or start in _WORDS:
        return named and _in_name(above, end, start)
    return named


def _in_name(above: str, end: str, start: str) -> bool:
    """Whether a name without blanks was cut although one half is a word: a thread of the new style, a lock, a
    message.
    """
    if start in _LINKS or end in _LINKS:
        return False
    cut_message = start.startswith("Msg") and end.islower()
    return (
        cut_message or above[-130:].rsplit(" ", 1)[-1].startswith("(") or _NEW_THREAD.search(above[-110:]) is not None
    )


def _is_whole(above: str, body: str) -> bool:
    """Whether the cut of a terminal fell between two words: one of them is a word by itself."""
    end, start = _ends(above, body)
    return not end[-1:].isalnum() or end.isdigit() or end[:2] == "0x" or end in _WORDS or start in _WORDS
