"""Events of a kernel whose further lines say what they are about: crashes, and commands that are given up. No parser.

BUG: unable to handle kernel NULL pointer dereference at 0000000000000028
IP: [<ffffffffa03c4b1e>] gfs2_glock_put+0xe/0x20 [gfs2]          the function of the crash above
qla2xxx [0000:05:00.0]-801c:1: Abort command issued
sd 1:0:3:12: [sdm] CDB: Read(10): 28 00 02                       the disk of the command above
sd 1:0:3:12: [sdm]                                               the disk of the message below
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Event

_CRASHES: Final = ("kernel-oops", "kernel-bug")
_REGISTERS: Final = "kernel-registers"
_CRASH_LINES: Final = 16
"""So many messages at the most from the first line of a crash to the one that names the function."""
_CRASHED_IN: Final = re.compile(
    r"(?:RIP: 0010:|[RE]?IP: |EIP is at |pc : |PC is at |NIP )(?:[0-9a-f]{4}:)?\s{0,8}"
    r"(?:\[<?[0-9a-f]{8,16}>?\]\s{1,8}){0,2}"
    r"(?::(?P<before>\w{1,40}):)?(?P<function>[A-Za-z_][\w.]{1,120})\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?"
    r"(?: \[(?P<module>\w{1,40})\])?"
)
_REPORT_LINES: Final = 120
"""So many messages at the most from the first line of a report to its last register or frame."""
_REPORT: Final = re.compile(
    r"(?:-{4,20}\[ cut here|.{0,40}(?:WARNING|BUG|Oops|Kernel panic|[Ww]atchdog|NMI |rcu|INFO: |SysRq|sysrq"
    r"|Call [Tt]race|Unable to handle|unable to handle|Internal error|general protection|double fault|divide error"
    r"|invalid opcode|Machine [Cc]heck|segfault|stack segment|lockup|page allocation failure|invoked oom-killer"
    r"|Backtrace|lockdep))"
)
"""How a report of the kernel begins that holds registers and a stack."""
_ABORTED: Final = "command-aborted"
_COMMAND_TO: Final = re.compile(r"(?:sd|scsi|sr|ses|st) (?P<disk>\d{1,5}:\d{1,5}:\d{1,5}:\d{1,20}): .{0,40}\bCDB: ")
"""The command that an adapter gave up, in the line below."""

_DISK_ALONE: Final = re.compile(
    r"(?:sd|scsi|sr|ses|st) \d{1,5}:\d{1,5}:\d{1,5}:\d{1,20}: (?:\[\w{1,16}\] ?)?(?:tag#\d{1,6} ?)?$"
)
_OF_DISK: Final = re.compile(r"(?:FAILED )?(?:Result: |Sense Key : |Add\. Sense: |ASC=|<<vendor>>|Unhandled |CDB: )")
"""What kernels of some years print of a disk in two lines: its name, and below it what is wrong."""


@lru_cache(maxsize=2048)
def _begins_report(text: str) -> bool:
    """Messages come again word for word."""
    return _REPORT.match(text) is not None


@dataclass(slots=True)
class HeldEvents:
    """The events of one log, each put out once it is known what it is about, or that no line names it."""

    out: Output
    _crash: Event | None = None
    _crash_node: str | None = None
    _crash_age: int = _CRASH_LINES
    _aborted: Event | None = None
    _report_age: int = _REPORT_LINES + 1
    _disk: tuple[str | None, str] | None = None
    """The node and the disk that the line above names and nothing else."""

    @property
    def is_open(self) -> bool:
        """Whether the next line may belong to an event above."""
        return self._crash is not None or self._aborted is not None or self._disk is not None

    def put(self, event: Event) -> None:
        """An event, its further lines still to come."""
        if event.kind == _REGISTERS and self._report_age <= _REPORT_LINES:
            return
        if event.kind == _ABORTED and event.about is None:
            self._aborted = event
        elif event.kind not in _CRASHES:
            self.out.add(event)
        elif self._crash_age > _CRASH_LINES or self._crash_node != event.node or event.kind == "kernel-bug":
            self._put_crash()
            self._crash, self._crash_node, self._crash_age = event, event.node, 0

    def named(self, node: str | None, text: str) -> str:
        """A message of the kernel, behind the disk that the line above names; empty where it only names one itself."""
        disk, self._disk = self._disk, None
        if _DISK_ALONE.match(text) is not None:
            self._disk = node, text.rstrip()
            return ""
        return f"{disk[1]} {text}" if disk is not None and disk[0] == node and _OF_DISK.match(text) else text

    def below(self, node: str | None, text: str) -> None:
        """A message below them, of any node."""
        self._crash_age += 1
        self._report_age = 0 if _begins_report(text) else self._report_age + 1
        crash, aborted = self._crash, self._aborted
        if crash is not None:
            found = _CRASHED_IN.match(text) if node == crash.node else None
            if found is not None and crash.about is None:
                module = found["module"] or found["before"]
                crash.about = f"{found['function']}{f' [{module}]' if module else ''}"
            if found is not None or self._crash_age > _CRASH_LINES:
                self._put_crash()
        if aborted is not None:
            if node == aborted.node and (command := _COMMAND_TO.match(text)) is not None:
                aborted.about = command["disk"]
            self._put_aborted()

    def end(self) -> None:
        """Nothing comes below."""
        self._put_aborted()
        self._put_crash()

    def _put_crash(self) -> None:
        crash, self._crash = self._crash, None
        if crash is not None:
            self.out.add(crash)

    def _put_aborted(self) -> None:
        aborted, self._aborted = self._aborted, None
        if aborted is not None:
            self.out.add(aborted)
