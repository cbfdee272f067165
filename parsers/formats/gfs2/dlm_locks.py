"""``/sys/kernel/debug/dlm/<lockspace>_locks``: one line per lock, and ``..._waiters``: requests that no node has
answered yet.

::

    id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name
    3100004 1 2af0007 7312 0 0 0 2 5 -1 0 1 24 "       2           2c1f0"
    2450009 3 1be0011 0 0 0 10000 1 -1 5 48214 0 24 "       2           2c1f0"

    200c4 1 4        2           2c1f0

Yields ``DlmLock``, and one ``Counter`` per section for locks, resources and unanswered requests. The column ``time_ms``
holds microseconds since the lock was queued; it is kept for waiting and converting locks only, as is the mode asked for
(a granted lock may still show that of a conversion that failed). ``nodeid`` of a copy at the master is its owner, else
the master; 0 is the node itself. No times. Tolerated: no heading, cut last line, names in hexadecimal.
Source: fs/dlm/debug_fs.c.
"""

from __future__ import annotations

import re
from operator import ne
from typing import Final

from parsers.formats.gfs2.dlm_names import MESSAGES, MODES, QUEUES, decoded, lockspace_in, resource_name
from parsers.output import Output
from parsers.records import Counter
from parsers.records.locks import DlmLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.sections.stretch import Patience, TextRow, TextStretch
from parsers.tables.rows import lines_of

_HEX: Final = r"[0-9a-f]{1,8}"
_FIXED: Final = (
    rf"({_HEX}) (-?\d{{1,10}}) ({_HEX}) (\d{{1,10}}) \d{{1,20}} {_HEX} ({_HEX}) (-?\d{{1,2}}) (-?\d) "
    r"(-?\d) (\d{1,18}) (-?\d{1,10}) \d{1,3} "
)
_LINE: Final = _FIXED + r'("[^"\n<&\\\x00-\x1f\x7f-\xff]{0,80}"|[0-9a-f]{1,160})'
_STRETCH: Final = TextStretch(_LINE)
_ROW = re.compile(_LINE + "$", re.ASCII)
_HEAD: Final = r"id nodeid remid pid xid exflags flags sts grmode rqmode"
_SHAPE: Final = (
    r"[0-9a-f]{1,8} -?\d{1,10} [0-9a-f]{1,8} \d{1,10} \d{1,20} [0-9a-f]{1,8} [0-9a-f]{1,8} -?\d{1,2} -?[0-5] "
    r"-?[0-5] \d{1,18} -?\d"
)
_STATES: Final = {str(number): name for number, name in QUEUES.items()}
_IS_GRANTED: Final = "2"
_WAITS: Final = frozenset(("1", "3"))
_MODES: Final = {str(number): name for number, name in MODES.items()}
_CUT: Final = re.compile(r' " {0,8}[0-9a-f]{1,8}$')
_REST: Final = re.compile(r'([0-9a-f]{1,16}) {0,16}"$')
_WAITING: Final = re.compile(r"([0-9a-f]{1,8}) (\d{1,2}) (\d{1,10}) (\S.{0,80}|[ ]{1,10}\S.{0,80})$")


def _seen_space(section: OpenSection) -> str | None:
    """The lock space named above the section or in the path of the text."""
    space = (lockspace_in(section.command.text) if section.command else None) or lockspace_in(section.path)
    if space is not None and section.scope is None:
        section.speaks_of(scope=space)
    return space


class _Locks:
    """Columns of the locks of one section, and how many resources they are on."""

    def __init__(self, section: OpenSection) -> None:
        self.space = _seen_space(section)
        self.first = 0
        self.locks = 0
        self.resources = 0
        self._last = ""

    def put(self, section: OpenSection, out: Output, first: int, rows: list[TextRow]) -> None:
        """Rows of consecutive lines. All lines of a resource stand together."""
        lkb, node, remote, pid, flags, status, granted, requested, age, master, name = zip(*rows, strict=True)
        self.first = self.first or first
        self.locks += len(rows)
        self.resources += (name[0] != self._last) + sum(map(ne, name, name[1:]))
        self._last = name[-1]
        nodes, masters = list(map(int, node)), list(map(int, master))
        waits = [one in _WAITS for one in status] if set(status) != {_IS_GRANTED} else None
        out.extend(
            DlmLock,
            line=range(first, first + len(rows)),
            node=section.node,
            at=section.at,
            zone_min=section.zone_min,
            source="locks",
            lockspace=self.space,
            resource=[one[1:-1].strip() if one[:1] == '"' else decoded(one) for one in name],
            lkb=[int(one, 16) for one in lkb],
            remote_lkb=[int(one, 16) or None for one in remote],
            master=[one if one >= 0 else None for one in masters],
            owner_node=[0 if m else one for one, m in zip(nodes, masters, strict=True)],
            pid=list(map(int, pid)),
            granted=list(map(_MODES.get, granted)),
            requested=[_MODES.get(one) if w else None for one, w in zip(requested, waits, strict=True)]
            if waits
            else None,
            queue=list(map(_STATES.get, status)),
            age_s=[int(one) / 1e6 if w else None for one, w in zip(age, waits, strict=True)] if waits else None,
            flags=flags,
        )

    def close(self, section: OpenSection, out: Output) -> None:
        """How many there are: chains in the lock manager's tables grow with these."""
        for name, value in (("locks", self.locks), ("resources", self.resources)):
            if self.locks:
                section.add(
                    Counter,
                    self.first,
                    scope=self.space,
                    source="dlm locks",
                    name=name,
                    unit=name,
                    value=float(value),
                    sample=self.first,
                )
        self.locks = self.resources = 0


def _wrapped(section: OpenSection, text: str) -> re.Match[str] | None:
    """A row that a mail cut inside the padding of its name: the padding is known, the number fills sixteen places."""
    below = section.peek() if _CUT.search(text) else None
    rest = _REST.match(below.text.strip()) if below is not None else None
    joined = _ROW.match(f'{text}{rest[1]:>16}"') if rest is not None else None
    if joined is not None:
        section.beyond()
    return joined


@parser(
    "dlm_locks",
    version=2,
    product="gfs2",
    claims=rf"(?:{_HEAD}|{_SHAPE})",
    owns=rf"(?:{_HEAD}|{_SHAPE}|[0-9a-f]{{6,8}} -?\d)",
)
def dlm_locks(section: OpenSection, out: Output) -> None:
    """``<lockspace>_locks``: every lock that the node owns or is master of."""
    locks: _Locks = section.state.setdefault("locks", _Locks(section))
    patience, of_few = Patience(), Patience()
    for line in section:
        text = line.text.strip()
        if match := _ROW.match(text) or _wrapped(section, text):
            locks.put(section, out, line.number, [match.groups()])
        elif text.startswith("id "):
            out.ignore()
        else:
            out.skip(line, "the line of a lock is cut or damaged")
        for first, rows in patience.stretches(section, _STRETCH.take):
            locks.put(section, out, first, rows)
        for first, rows in of_few.stretches(section, _STRETCH.take_few):
            locks.put(section, out, first, rows)
    locks.close(section, out)


@parser(
    "dlm_waiters",
    version=1,
    product="gfs2",
    claims=r"[0-9a-f]{1,8} (?:[1-9]|1[0-4]) \d{1,10} {8}[0-9a-f] {1,15}[0-9a-f]{1,16}$",
    owns=r"[0-9a-f]{1,8} \d{1,2} \d{1,10} {1,10}\S",
    places=r"dlm/\S{1,130}_waiters\b",
)
def dlm_waiters(section: OpenSection, out: Output) -> None:
    """``<lockspace>_waiters``: requests sent to another node and not answered yet. The kernel cuts the list at 4096
    bytes.
    """
    space = _seen_space(section)
    first = count = 0
    for line, match in lines_of(section, out, _WAITING, "no request with its node"):
        first, count = first or line.number, count + 1
        section.add(
            DlmLock,
            line.number,
            source="waiters",
            lockspace=space,
            resource=resource_name(match[4]),
            lkb=int(match[1], 16),
            master=int(match[3]),
            owner_node=0,
            flags=MESSAGES.get(int(match[2]), f"message {match[2]}"),
        )
    if count:
        section.add(
            Counter,
            first,
            scope=space,
            source="dlm waiters",
            name="requests without reply",
            unit="requests",
            value=float(count),
            sample=first,
        )
