"""What a Spectrum Scale waiter waits for: the text behind the thread's name, taken apart, and the table of its shapes.

    on ThCond 0x7F31C40A2E58 (MsgRecordCondvar), reason 'RPC wait' for tmMsgRevoke on node 10.20.4.7 <c0n2>
    on ThMutex 0x1104A2C30 (0x1104A2C30) (LogFile instance)
    for NSD I/O completion on node 10.20.4.7 <c0n2>
    for open disk device on disk lund_nsd07

All styles of waiter text share this part. Addresses stay out of the shape, so that many waiters share one.
"""

from __future__ import annotations

import re
from typing import Any, Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records.waits import WaiterShape

SHAPES_KEPT: Final = 100_000
MEMO_KEPT: Final = 50_000
TEXT_LIMIT: Final = 4_000

NUMBER: Final = r"\d{1,12}(?:[.,]\d{1,12})?"
NAME: Final = r"[A-Za-z0-9][\w.:-]{0,252}"

_SYNC = re.compile(
    r"\bon (Th(?:Cond|Mutex))\b(?: 0x([0-9A-Fa-f]{1,16})(?![0-9A-Fa-f])(?: ?\(0x[0-9A-Fa-f]{0,16}\)?)?)?"
    r"(?: ?\((?!0x)([^(),']{0,200})(\)?))?"
)
_BARE = re.compile(r"\bon ([A-Za-z]\w{0,80}(?:Cond|Mutex)\w{0,20})")
_REASON = re.compile(r",? ?\breason ?:? ?'((?:[^']|'(?=(?:t|s|re|ll|d)\b))*)('?)")
_RPC = re.compile(r" ?,? ?for ([A-Za-z]\w{0,120})(?![\w/])(?: \d{1,9}(?![\w.]))?")
_MESSAGE = re.compile(r"\bfor (\w{0,60}Msg\w{1,60}|getData)(?![\w/])")
_NO_MESSAGE: Final = frozenset(("NSD", "open", "poll", "mercy", "the", "a", "I"))
_TARGET = re.compile(rf"\b(?:on|from|to) node ({NAME})(?: ?<(c\d{{1,6}}n\d{{1,6}})(>?))?")
_LOST_TARGET = re.compile(
    r"(?:^|[ ,)'])(?:o?n )?(?:node|ode|de) ([0-9A-Fa-f][0-9A-Fa-f.:]{2,44})(?: ?<(c\d{1,6}n\d{1,6})(>?))?$"
)
_DISK = re.compile(
    r"\bon disk ([^\s,()']{1,200})|(?:^| )(dm-\d{1,6})$"
    r"|\b(?:on|to|from|for) [pv]disk (?:I/O:? )?((?=[^\s,()']{0,60}\d)[A-Za-z][^\s,()']{1,200})"
)
_LONG = re.compile(r",? ?\(Long\)?(?!\w)")
_DELAY = re.compile(rf"\b(delaying for|sleeping for|delay of) ({NUMBER})(?: more)?(?: sec\w{{0,5}})?")
_RPC_REASON = re.compile(r"(RPC wait|waiting for RPC repl(?:y|ies))(?: for (\S.{0,200}))?$")
_ONE_WORD = re.compile(r"[A-Za-z]\w{0,120}$")
_CUT_END = re.compile(r"(?:[,:(<-]|\b(?:reason:?|for|on|node|disk|calling|0x[0-9A-Fa-f]{0,16}))$")
_NUMBERS = re.compile(r"0x[0-9A-Fa-f]{1,32}|\b\d{6,}\b")
_QUOTES: Final = {ord(char): "'" for char in "‘’‚‛′`´"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Detail:
    """The parts of the text behind the thread's name; see WaiterShape for their meaning."""

    wait_kind: str | None = None
    wait_name: str | None = None
    reason: str | None = None
    aux: str | None = None
    rpc: str | None = None
    target: str | None = None
    target_index: str | None = None
    object: str | None = None
    long: bool = False
    delay_s: float | None = None
    complete: bool = True
    wait_address: int | None = None

    def at(self, address: int | None) -> Detail:
        """The same with another lock."""
        return Detail(
            wait_kind=self.wait_kind,
            wait_name=self.wait_name,
            reason=self.reason,
            aux=self.aux,
            rpc=self.rpc,
            target=self.target,
            target_index=self.target_index,
            object=self.object,
            long=self.long,
            delay_s=self.delay_s,
            complete=self.complete,
            wait_address=address,
        )


class Shape(NamedTuple):
    """What identifies a WaiterShape: its columns behind the number, in their order."""

    style: str
    thread: str | None
    wait_kind: str | None
    wait_name: str | None
    reason: str | None
    aux: str | None
    rpc: str | None
    target: str | None
    target_index: str | None
    object: str | None
    monitored: bool | None
    long: bool
    delay_s: float | None
    complete: bool


def number(text: str) -> float:
    """A figure as printed, with a point or a decimal comma."""
    return float(text.replace(",", "."))


def plain(text: str) -> str:
    """Blanks collapsed, typographic quotes made straight, over-long text cut."""
    shown = text[:TEXT_LIMIT]
    return " ".join((shown if shown.isascii() else shown.translate(_QUOTES)).split())


class _Text:
    """Text from which parts are taken one after the other; what is left is the auxiliary text."""

    def __init__(self, text: str) -> None:
        self.left = text
        self.complete = bool(text) and text.count("(") <= text.count(")") and _CUT_END.search(text[-80:]) is None

    def take(self, pattern: re.Pattern[str], start: int = 0) -> re.Match[str] | None:
        match = pattern.search(self.left, start)
        if match is not None:
            self.left = f"{self.left[: match.start()]} {self.left[match.end() :]}"
        return match


def read_detail(text: str) -> Detail:
    """Take apart a text that ``plain`` has prepared. What is cut or lost leaves ``complete`` False."""
    parts = _Text(text)
    long = "(Long" in text and parts.take(_LONG) is not None
    fields = _sync(parts)
    fields |= _target(parts)
    fields |= _reason(parts)
    disk = parts.take(_DISK) if "disk " in text or "dm-" in text else None
    delay = parts.take(_DELAY) if "elay" in text or "sleep" in text else None
    fields["object"] = (disk[1] or disk[2] or disk[3]).rstrip(".;:") if disk else None
    fields["delay_s"] = number(delay[2]) if delay else None
    aux = _left(parts, has_sync=fields["wait_kind"] is not None)
    if delay:
        aux = f"{aux} {delay[1]} N more seconds".strip() if aux else f"{delay[1]} N more seconds"
    return Detail(**fields, aux=aux, long=long, complete=parts.complete)


def _sync(parts: _Text) -> dict[str, Any]:
    match = parts.take(_SYNC)
    if match is not None:
        parts.complete = parts.complete and bool(match[3]) and match[4] == ")"
        address = int(match[2], 16) if match[2] else None
        return {"wait_kind": match[1], "wait_name": (match[3] or "").strip() or None, "wait_address": address}
    match = parts.take(_BARE)
    if match is None:
        return {"wait_kind": None}
    return {"wait_kind": "ThMutex" if "Mutex" in match[1] else "ThCond", "wait_name": match[1]}


def _target(parts: _Text) -> dict[str, Any]:
    """The node waited for; also where a cut ate the first letters of ``on node``."""
    match = parts.take(_TARGET)
    if match is None:
        match = parts.take(_LOST_TARGET)
        if match is None:
            return {}
        parts.complete = False
    parts.complete = parts.complete and (match[2] is None or match[3] == ">")
    return {"target": match[1].rstrip(".:-"), "target_index": match[2]}


def _reason(parts: _Text) -> dict[str, Any]:
    match = parts.take(_REASON)
    if match is None:
        message = parts.take(_MESSAGE)
        return {"rpc": message[1]} if message else {}
    if not match[2]:
        parts.complete = False
    rpc = _RPC.match(parts.left, match.start() + 1)
    if rpc is None or rpc[1] in _NO_MESSAGE:
        return split_reason(match[1])
    parts.left = f"{parts.left[: rpc.start()]} {parts.left[rpc.end() :]}"
    return {"reason": match[1].strip() or None, "rpc": rpc[1]}


def split_reason(reason: str) -> dict[str, Any]:
    """A reason that names message, node or disk inside itself, as machine output may: ``RPC wait for NSD I/O completion
    on node 10.20.4.7 <c0n2>``.
    """
    text = reason.strip()
    found: dict[str, Any] = {}
    if (target := _TARGET.search(text)) is not None:
        found |= {"target": target[1].rstrip(".:-"), "target_index": target[2]}
        text = text[: target.start()].strip()
    if (disk := _DISK.search(text)) is not None:
        found["object"] = (disk[1] or disk[2] or disk[3]).rstrip(".;:")
    match = _RPC_REASON.match(text)
    if match is None:
        return {"reason": text or None} | found
    found["reason"] = match[1]
    if match[2] is not None:
        found |= {"rpc": match[2]} if _ONE_WORD.match(match[2]) else {"aux": f"for {match[2]}"}
    return found


def _left(parts: _Text, *, has_sync: bool) -> str | None:
    """What no pattern took. Beside a lock, a single fragment is what a cut left over."""
    text = _NUMBERS.sub("#", " ".join(parts.left.split())).strip(" ,;.:'()<>-")
    if not any(char.isalpha() for char in text):
        return None
    if has_sync and " " not in text and len(text) < 12:
        parts.complete = False
        return None
    return text[:400]


class Shapes:
    """Numbers for shapes, over all sections of one artifact. Bounded: a full table begins again, its numbers go on
    rising.
    """

    def __init__(self, first: int = 1) -> None:
        self._numbers: dict[Shape, int] = {}
        self._next = first
        self.memo: dict[Any, int] = {}
        self.bases: dict[tuple[object, ...], Shape] = {}
        self.waiters = 0
        self.tables = 1
        """Counts the tables begun."""

    @classmethod
    def of(cls, out: Output) -> Shapes:
        """The table of the artifact that ``out`` gathers."""
        shapes: Shapes = out.interned.setdefault("scale_shapes", cls(out.numbers_from))
        return shapes

    def number(self, shape: Shape, line: int, out: Output) -> int:
        """The number of a shape; a new one is put out as seen first at ``line``."""
        found = self._numbers.get(shape)
        if found is not None:
            return found
        if len(self._numbers) >= SHAPES_KEPT:
            self._numbers.clear()
            self.tables += 1
            self.memo.clear()
        found = self._numbers[shape] = self._next
        self._next += 1
        out.structure_row(WaiterShape, (line, found, *shape))
        return found
