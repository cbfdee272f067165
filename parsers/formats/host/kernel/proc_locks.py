"""Locks of files as the kernel of one node keeps them: ``/proc/locks``, with who waits for whom.

    1: POSIX  ADVISORY  WRITE 7312 fd:02:180929 0 EOF
    1: -> POSIX  ADVISORY  WRITE 7402 fd:02:180929 0 EOF
    2: FLOCK  ADVISORY  WRITE 2111 08:03:1311 0 EOF
    3: LEASE  BREAKING  READ  991 fd:00:77 0 EOF

Yields ``PosixLock`` (source proc/locks; POSIX and OFD locks, whose ranges exclude each other; ``fs`` is major:minor of
the device, which holds on this node only) and ``Event`` for each blocked lock of any sort: ``lock-wait``, with the
process that the row of the same number above it names. The process -1 of an OFD lock is not known. ``Counter``: locks
held and waited for in one reading of the file. No times but those from above. Tolerated: cut rows, deeper arrows,
``<none>`` for the device. Source: proc(5), fs/locks.c of Linux 2.6 to 6.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter, Event
from parsers.records.locks import PosixLock
from parsers.registry import parser
from parsers.sections.reader import OpenSection

SOURCE: Final = "proc/locks"
_SORT: Final = r"(?:POSIX|FLOCK|LEASE|OFDLCK|DELEG|LAYOUT|ACCESS)"
CLAIM: Final = (
    rf"\d{{1,12}}: {{1,4}}(?:-> {{0,4}})?{_SORT} "
    r"{1,8}(?:ADVISORY|MANDATORY|MSNFS|\*NOINODE\*|ACTIVE|BREAK(?:ING|ER)|NONE)\b"
)
_OWNS: Final = rf"\d{{1,12}}: {{1,20}}(?:-> {{0,8}})?{_SORT}\b"
_LOCK = re.compile(
    r"(?P<id>\d{1,12}):(?P<blanks> {1,40})(?P<arrow>-> {0,8})?(?P<sort>[A-Z]{4,8}) "
    r"{1,8}(?P<how>[A-Z*]{4,12}) {1,8}(?P<mode>READ|WRITE|RW|NONE|UNLCK) {1,8}(?P<pid>-?\d{1,10}) "
    r"(?:<none>|(?P<major>[0-9a-f]{1,6}):(?P<minor>[0-9a-f]{1,6})):(?P<inode>\d{1,20}) "
    r"(?P<start>\d{1,19}) (?P<end>\d{1,19}|EOF)$"
)
_MODES: Final = {"WRITE": "write", "READ": "read", "RW": "write"}
_OF_RANGES: Final = frozenset(("POSIX", "OFDLCK"))
_NO_INODE: Final = "*NOINODE*"
_END: Final = 2**63 - 1


class _Reading:
    """One reading of the file: holders by their number, and what is counted. It ends where the numbers begin again."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section = section
        self._out = out
        self._first = 0
        self._last = 0
        self._above: list[re.Match[str]] = []
        self._least = 1
        self._held = 0
        self._blocked = 0

    def take(self, line: int, lock: re.Match[str]) -> None:
        """The next row."""
        number, is_blocked = int(lock["id"]), lock["arrow"] is not None
        if number < self._last:
            self.end()
        self._first, self._last = self._first or line, number
        if is_blocked:
            self._blocked += 1
            self._wait(line, lock)
        else:
            self._held += 1
            self._above = [lock]
        if lock["sort"] in _OF_RANGES and lock["mode"] in _MODES:
            self._range(line, lock)

    def _range(self, line: int, lock: re.Match[str]) -> None:
        section = self._section
        section.add(
            PosixLock,
            line,
            source=SOURCE,
            fs=_device(lock),
            inode=None if lock["how"] == _NO_INODE else min(int(lock["inode"]), _END),
            mode=_MODES[lock["mode"]],
            start=min(int(lock["start"]), _END),
            end=_END if lock["end"] == "EOF" else min(int(lock["end"]), _END),
            pid=_pid(lock),
            waiting=lock["arrow"] is not None,
        )

    def _wait(self, line: int, lock: re.Match[str]) -> None:
        """A row with an arrow waits for the row of its number above it that has one blank less before the arrow: a
        holder, or a waiter.
        """
        rows = self._above if self._above and self._above[0]["id"] == lock["id"] else []
        self._least = len(lock["blanks"]) if len(rows) < 2 else self._least
        level = max(len(lock["blanks"]) - self._least + 1, 1)
        before = rows[level - 1] if level <= len(rows) else None
        self._above = [*rows[:level], lock] if before is not None else rows
        by = "what it waits for is not shown"
        if before is not None:
            by = (
                f"process {_pid(before) or 'unknown'} "
                f"{'waits for it before' if before['arrow'] else 'holds it'} ({before['mode'].lower()})"
            )
        device, section = _device(lock), self._section
        where = f"inode {lock['inode']}" + (f" of device {device}" if device else "")
        section.add(
            Event,
            line,
            source=SOURCE,
            kind="lock-wait",
            about=f"process {_pid(before)}" if before is not None and _pid(before) else None,
            text=(
                f"process {_pid(lock) or 'unknown'} waits for a {lock['sort']} lock ({lock['mode'].lower()}) "
                f"on {where}: {by}"
            ),
        )

    def end(self) -> None:
        """The file ends."""
        if not self._first:
            return
        section = self._section
        for name, value in (("locks held", self._held), ("locks waited for", self._blocked)):
            section.add(
                Counter,
                self._first,
                source=SOURCE,
                name=name,
                kind="gauge",
                unit="locks",
                value=float(value),
                sample=self._first,
            )
        self._first = self._last = self._held = self._blocked = 0
        self._above = []


def _pid(lock: re.Match[str]) -> int | None:
    """The process; -1 and 0 stand for one that the kernel does not tell here."""
    pid = int(lock["pid"])
    return pid if pid > 0 else None


def _device(lock: re.Match[str]) -> str | None:
    return f"{lock['major']}:{lock['minor']}" if lock["major"] else None


@parser("proc_locks", version=1, product="", claims=CLAIM, owns=_OWNS)
def proc_locks(section: OpenSection, out: Output) -> None:
    """``/proc/locks``: locks of files on one node, and who waits for whom."""
    reading = _Reading(section, out)
    for line in section:
        lock = _LOCK.match(line.text.strip())
        if lock is None:
            out.skip(line, "the row of a lock is cut or damaged")
        else:
            reading.take(line.number, lock)
    reading.end()
