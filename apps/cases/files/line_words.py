"""A line of a dump in words: each token of a glock, a waiter or a GLM record that the viewer can explain, with where it
stands.

Meanings are those of the kernel's documentation of GFS2 glocks, of the waiter lines of Storage Scale and of glmdump.
What is not known is not explained: no token gets words that are guessed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from parsers.dataclass import dataclass

LINE_CHARS: Final = 4096
MICROSECONDS: Final = 1_000_000

STATES: Final = {
    "UN": "unlocked",
    "SH": "shared",
    "DF": "deferred (shared by direct I/O)",
    "EX": "exclusive",
    "NL": "null",
    "??": "unknown",
}
TYPES: Final = {
    1: "non-disk lock", 2: "inode", 3: "resource group", 4: "file system wide", 5: "open inode (iopen)", 6: "flock",
    7: "POSIX lock",
    8: "quota", 9: "journal",
}  # fmt: skip
GLOCK_FLAGS: Final = {
    "l": "locked: a change of its state is in progress",
    "D": "demote requested: it was asked to release; this starts the clock in d:",
    "d": "a remote request to demote is put off until the minimum hold time has passed",
    "p": "demote in progress",
    "y": "dirty: data or log is still to be written before it can be given up",
    "f": "the log must be flushed before it can be given up",
    "i": "invalidation in progress",
    "r": "the lock manager's reply has come and waits to be processed",
    "R": "a request is with the lock manager, no answer yet",
    "I": "a lock of the lock manager exists: normal",
    "F": "frozen: replies are held back during recovery",
    "q": "has holders queued",
    "L": "on the list of those that may be reclaimed",
    "o": "an object (inode or resource group) is attached in memory",
    "b": "the last request may block",
    "n": "instantiation needed",
    "N": "instantiation in progress",
    "P": "deletion pending",
    "C": "canceling a request",
}
HOLDER_FLAGS: Final = {
    "t": "try lock: fails instead of waiting",
    "T": "try lock that also calls back the other node",
    "e": "used for recovery and mount: allowed while locks are not",
    "A": "any compatible state will do",
    "p": "priority",
    "a": "asynchronous request",
    "E": "exactly this state is required",
    "c": "is not kept cached after release",
    "H": "holder: the lock is granted",
    "W": "waits for the lock",
    "F": "first holder after a change of state",
    "n": "exclusive in the cluster, shared inside the node",
    "D": "may be demoted automatically",
    "s": "no instantiation",
}
ENTRY_TYPES: Final = {
    "4": "directory",
    "8": "regular file",
    "10": "symbolic link",
    "2": "character device",
    "6": "block device",
    "12": "socket",
}


@dataclass(frozen=True, slots=True)
class Word:
    """A token from `start` to `end` of the line, and what it says."""

    start: int
    end: int
    token: str
    words: str
    parts: tuple[tuple[str, str], ...] = ()


Explain = Callable[[re.Match[str]], Iterator[Word]]


def line_words(text: str) -> list[Word]:
    """Explained tokens in the order of the line; empty where the line is of no such kind."""
    line = text[:LINE_CHARS]
    for pattern, explain in KINDS:
        if match := pattern.search(line):
            return sorted(explain(match), key=lambda word: word.start)
    return []


def _word(match: re.Match[str], group: str, words: str, parts: tuple[tuple[str, str], ...] = ()) -> Iterator[Word]:
    if match[group] is not None and words:
        yield Word(match.start(group), match.end(group), match[group], words, parts)


def _letters(token: str, known: dict[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((letter, known.get(letter, "not known here: kept as it stands")) for letter in token.partition(":")[2])


def _state(token: str | None) -> str:
    name = (token or "").partition(":")[2].partition("/")[0]
    return STATES.get(name, "not known here")


# GFS2
# -------------------------------------------------------------------------------------------------------------------

GLOCK: Final = re.compile(
    r"\bG:\s+(?P<s>s:\S\S) (?P<n>n:(?P<type>\d{1,3})/(?P<number>[0-9a-fA-F]{1,16})) (?P<f>f:\S*) (?P<t>t:\S\S)"
    r" (?P<d>d:\S\S/(?P<age>\d{1,20}))"
    r"(?: l:-?\d+)?(?: (?P<a>a:-?\d+))?(?: (?P<v>v:-?\d+))?(?: (?P<r>r:-?\d+))?(?: (?P<m>m:-?\d+))?(?: (?P<p>p:\d+))?"
)
HOLDER: Final = re.compile(
    r"\bH: (?P<s>s:\S\S) (?P<f>f:\S*) (?P<e>e:-?\d{1,6}) (?P<p>p:-?\d{1,10})(?: (?P<comm>\[[^\]]{0,64}\]))?"
    r"(?: (?P<func>[\w.]{1,100})(?:\+0x[0-9a-f]+/0x[0-9a-f]+)?)?"
)
INODE: Final = re.compile(
    r"\bI: (?P<n>n:\d{1,20}/(?P<address>\d{1,20})) (?P<t>t:(?P<type>\d{1,3})) f:0x[0-9a-f]+"
    r" (?P<d>d:0x(?P<flags>[0-9a-f]{1,8})) (?P<s>s:\d{1,20})"
)


def _glock(match: re.Match[str]) -> Iterator[Word]:
    yield from _word(match, "s", f"state of the lock on this node: {_state(match['s'])}")
    kind = TYPES.get(int(match["type"]), "of a type not known here")
    number = int(match["number"], 16)
    yield from _word(
        match,
        "n",
        f"glock of {kind}, number {number} (hexadecimal "
        f"{match['number']}){': the inode number' if match['type'] == '2' else ''}",
    )
    yield from _word(match, "f", "flags of the glock", _letters(match["f"], GLOCK_FLAGS))
    yield from _word(match, "t", f"target: the state that was asked for: {_state(match['t'])}")
    age = int(match["age"]) / MICROSECONDS
    age_text = f"; it was asked {age:.1f} s ago" if age else "; nobody asks for it"
    yield from _word(
        match, "d", f"state to demote to: {_state(match['d'])}{age_text if 'D' in match['f'] or not age else ''}"
    )
    yield from _word(match, "a", "buffers on the list of active items")
    yield from _word(match, "v", "revokes that belong to this glock")
    yield from _word(match, "r", "references to it")
    yield from _word(match, "m", "minimum hold time in ticks of the kernel (200 at 1000 ticks a second is 0.2 s)")
    yield from _word(match, "p", "pages of the page cache under this glock")


def _holder(match: re.Match[str]) -> Iterator[Word]:
    waits = "W" in match["f"]
    yield from _word(match, "s", f"state that is {'wanted' if waits else 'held'}: {_state(match['s'])}")
    yield from _word(
        match,
        "f",
        "flags of the holder" if not waits else "flags of the one who waits",
        _letters(match["f"], HOLDER_FLAGS),
    )
    yield from _word(match, "e", "error given back to it" if match["e"] != "e:0" else "no error")
    yield from _word(match, "p", "process id on this node")
    ended = match["comm"] == "[(ended)]"
    yield from _word(match, "comm", "the process that took it is gone" if ended else "name of the process")
    yield from _word(match, "func", "function of the kernel that asked for the lock")


def _inode(match: re.Match[str]) -> Iterator[Word]:
    yield from _word(
        match, "n", f"formal number / disk address; {match['address']} is the inode number that ls -i prints"
    )
    yield from _word(match, "t", f"kind of file: {ENTRY_TYPES.get(match['type'], 'not known here')}")
    flags = int(match["flags"], 16)
    bits = ((1, "journaled data, normal on directories"), (2, "hashed directory: many entries"), (0x200, "system file"))
    parts = tuple((hex(bit), words) for bit, words in bits if flags & bit)
    yield from _word(match, "d", "flags on disk", parts)
    yield from _word(match, "s", "size in bytes")


# Storage Scale
# ----------------------------------------------------------------------------------------------------------

SCALE: Final = re.compile(
    r"\b(?P<age>Waiting (?P<seconds>\d{1,9}(?:\.\d{1,9})?) sec) (?P<since>since [^,]{8,22}),"
    r"(?: (?P<watch>monitored|ignored),)?(?: on node [^,\s]{1,100},)?"
    r"(?: (?P<thread>thread \d{1,12}) (?P<name>[^:,]{1,80}):)?"
)
OLD_SCALE: Final = re.compile(
    r"\b(?P<thread>0x[0-9A-Fa-f]{4,16}) (?P<age>waiting (?P<seconds>\d{1,9}(?:\.\d{1,9})?) seconds), "
    r"(?P<name>[^:,]{1,80}):"
)
ON: Final = re.compile(
    r"(?P<on>on (?P<what>ThCond|ThMutex) 0x[0-9A-Fa-f]{1,16})(?: \([^)]{0,64}\))?(?: (?P<of>\([A-Z][^)]{0,64}\)))?"
)
REASON: Final = re.compile(r"(?P<reason>reason '[^']{0,200}')")
RPC: Final = re.compile(
    r"(?P<rpc>for (?P<call>[A-Za-z]\w{2,60})) (?P<target>on node (?P<address>\S{1,100})(?: <c\d+[np]\d+>)?)"
)
DISK: Final = re.compile(r"(?P<io>for (?:NSD )?I/O completion)(?: (?P<target>on (?:disk|node) \S{1,100}))?")


def _scale(match: re.Match[str]) -> Iterator[Word]:
    groups = match.groupdict()
    yield from _word(match, "age", "how long it has waited at the moment of the dump")
    if groups.get("since"):
        yield from _word(match, "since", "when the wait began, by this node's clock")
    if groups.get("watch"):
        watched = match["watch"] == "monitored"
        yield from _word(
            match, "watch", "the deadlock detection watches it" if watched else "the deadlock detection leaves it out"
        )
    if groups.get("thread"):
        yield from _word(match, "thread", "the thread that waits; the same one in two dumps is one wait")
    if groups.get("name"):
        yield from _word(match, "name", "what this thread is for, by its name in the program")
    yield from _rest_of_waiter(match.string, match.end())


def _rest_of_waiter(line: str, start: int) -> Iterator[Word]:
    if on := ON.search(line, start):
        what = (
            "a condition: somebody must signal it"
            if on["what"] == "ThCond"
            else "a mutex: another thread of this node holds it"
        )
        yield from _word(on, "on", what)
        yield from _word(on, "of", "name of what it belongs to")
    if reason := REASON.search(line, start):
        yield from _word(reason, "reason", "why it waits, in the program's own words")
    if rpc := RPC.search(line, start):
        yield from _word(rpc, "rpc", "the message whose answer is awaited")
        yield from _word(rpc, "target", "the node that has not answered")
    elif disk := DISK.search(line, start):
        remote = "NSD" in disk["io"]
        yield from _word(
            disk, "io", "an answer of an NSD server is awaited" if remote else "the disk itself has not answered"
        )
        yield from _word(disk, "target", "who has not answered")


# Veritas GLM
# ------------------------------------------------------------------------------------------------------------

GLM_NAME: Final = re.compile(
    r"\blockname (?P<w1>0x[0-9a-f]{1,16}) (?P<w2>0x[0-9a-f]{1,16}) (?P<fset>0x[0-9a-f]{1,16}) "
    r"(?P<inode>0x[0-9a-f]{1,16})"
)
GLM_PART: Final = re.compile(
    r"\b(?P<part>holder|waiter|proxy|last_locker) (?P<node>node=\S{1,100})(?: "
    r"(?P<level>level=(?:SH|EX)))?(?: (?P<count>count=\d{1,9}))?"
)
GLM_INFO: Final = re.compile(
    r"\binfo (?P<vol>vol=\S{1,40}) (?P<type>type=\S{1,40}) (?P<sub>subtype=\S{1,40})(?: (?P<inum>inumber=\d{1,20}))?"
)
PARTS: Final = {
    "holder": "a node that holds the lock", "waiter": "a node that waits for the lock",
    "proxy": "a node that speaks with the lock's master",
    "last_locker": "who took it last",
}  # fmt: skip


def _glm_name(match: re.Match[str]) -> Iterator[Word]:
    yield from _word(match, "fset", f"file set {int(match['fset'], 16)}")
    yield from _word(match, "inode", f"inode {int(match['inode'], 16)}")


def _glm_part(match: re.Match[str]) -> Iterator[Word]:
    yield from _word(match, "part", PARTS[match["part"]])
    yield from _word(match, "node", "name of the node")
    shared = match["level"] == "level=SH"
    yield from _word(match, "level", "shared: others may read too" if shared else "exclusive: nobody else may hold it")
    yield from _word(match, "count", "how many threads of that node")


def _glm_info(match: re.Match[str]) -> Iterator[Word]:
    yield from _word(match, "type", "what the lock protects")
    yield from _word(match, "sub", "which lock of it")
    yield from _word(match, "inum", "inode number: find -inum names the file")


KINDS: Final[tuple[tuple[re.Pattern[str], Explain], ...]] = (
    (GLOCK, _glock), (HOLDER, _holder), (INODE, _inode), (SCALE, _scale), (OLD_SCALE, _scale),
    (GLM_NAME, _glm_name), (GLM_PART, _glm_part), (GLM_INFO, _glm_info),
)  # fmt: skip
