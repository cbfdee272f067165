"""Stacks of kernel tasks as the kernel prints them: hung tasks, sysrq, ``/proc/<pid>/stack``; no parser of its own.

INFO: task imapd:7312 blocked for more than 120 seconds. imapd         D ffff88 0  7312   2188 0x00000080
task:imapd state:D stack:0 pid:7312 ppid:2188 flags:0x00004000 imapd         D    0  7312   2188 0x00000080
between these two: no address, no words Call Trace:
 [<ffffffffa03c4b1e>] gfs2_glock_holder_wait+0xe/0x20 [gfs2]
 ? __wait_on_bit+0x5f/0x90                                  a question mark: what lies on the stack by chance
 [<ffffffff88b1c2f0>] :gfs2:just_schedule+0x9/0xe            releases before 2.6.25
 <ffffffff8030a3d1>{io_schedule+38} <ffffffffa01b2c3d>{:gfs2:just_schedule+9}        the first releases of 2.6
[<80a88018>] (schedule) from [<8015c138>] (io_schedule+0x14/0x3c)                    the form of ARM, without a title
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records.waits import Stack

FRAMES_KEPT: Final = 64
HUNG: Final = r"INFO: task .{1,64}:\d{1,9} (?:blocked (?:in I/O wait )?|can't die )for more than \d"
TASK: Final = (
    r"task:\S.{0,63}? {1,20}state:[A-Za-z]\b|\S.{0,20}?\s{1,20}[RSDTtZXI] (?:[0-9a-f]{8,16}|running "
    r"task|\? )\s{0,20}\d{1,8}\s{1,12}\d{1,9}\s"
    r"|\S.{0,20}?\s{1,20}[RSDTtZXI]\s{1,20}\d{1,8}\s{1,12}\d{1,9}\s{1,12}\d{1,9}\s{1,4}0x[0-9a-f]"
)
TRACE: Final = r"Call [Tt]race:"
_OF_MODULE: Final = r"(?::\w{1,60}:)?"
"""The module of a function, which stood before it until 2.6.25, and stands behind it since."""
BRACED: Final = rf"<[0-9a-f]{{8,16}}>\{{{_OF_MODULE}[A-Za-z_][\w.]{{1,120}}\+\d{{1,8}}\}}"
"""A frame of the first releases of 2.6, several on a line."""
_FUNCTION: Final = rf"(?:\? )?{_OF_MODULE}[A-Za-z_][\w.]{{1,120}}\+0x[0-9a-f]"
FRAME: Final = rf"(?:\[<[0-9a-f]{{1,16}}>\] )?{_FUNCTION}{{1,8}}/0x[0-9a-f]{{1,8}}(?:\s|$)|{BRACED}"
ADDRESSED: Final = rf"\[<[0-9a-f]{{1,16}}>\] {_FUNCTION}|{BRACED}"
BARE_FRAME: Final = r"[a-z_][a-z0-9_.]{3,80}(?: \S{1,80}:\d{1,6}(?: \[inline\])?)?$"

_HUNG = re.compile(r"INFO: task (.{1,64}):(\d{1,9}) (?:blocked (?:in I/O wait )?|can't die )for more than (\d{1,9})")
_NEW_TASK = re.compile(r"task:(\S.{0,63}?) {1,20}state:([A-Za-z])\b.{0,80}?\bpid:\s{0,8}(\d{1,9})")
_OLD_TASK = re.compile(
    r"(\S.{0,20}?)\s{1,20}([RSDTtZXI]) (?:[0-9a-f]{8,16}|running task|\?)\s{0,20}\d{1,8}\s{1,12}(\d{1,9})\s"
)
_BRIEF_TASK = re.compile(
    r"(\S.{0,20}?)\s{1,20}([RSDTtZXI])\s{1,20}\d{1,8}\s{1,12}(\d{1,9})\s{1,12}\d{1,9}\s{1,4}0x[0-9a-f]"
)
_FRAME = re.compile(
    rf"(?:\[<[0-9a-f]{{1,16}}>\] ?)?(\? )?{_OF_MODULE}"
    r"([A-Za-z_][\w.]{1,120})(?:\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8})?(?:\s|$)"
)
_IS_FRAME = re.compile(FRAME)
_BRACED = re.compile(rf"<[0-9a-f]{{8,16}}>\{{{_OF_MODULE}([A-Za-z_][\w.]{{1,120}})\+")
_CALLED = re.compile(r"\[<[0-9a-f]{1,16}>\] \(([A-Za-z_][\w.]{1,120})(?:\+0x[0-9a-f/x]{1,20})?\) from \[<")
_IS_BARE = re.compile(BARE_FRAME)
_BETWEEN = re.compile(
    r"(?:Not tainted|Tainted: |\"echo 0 > |Workqueue: |</?(?:TASK|IRQ|NMI)>|RIP: |Code: |R[A-Z0-9]{2}: "
    r"|CPU: \d|Hardware name|[0-9a-f]{8,16}(?: [0-9a-f]{8,16}){1,7}\s{0,4}$)"
)
_OF_DETECTOR: Final = '"echo 0 > /proc/sys/kernel/hung_task_timeout_secs"'
"""What the kernel says below each task that it reports as hung, and of no other."""
_CHECKS: Final = frozenset(
    """
    __lock_acquire check_prev_add check_prevs_add lock_acquire lockdep_trace_alloc mark_held_locks mark_lock
    print_circular_bug validate_chain
    """.split()
)
"""Functions of the kernel's checks of locks: they run, and nobody sleeps in them."""
_INNERMOST: Final = 4


@dataclass(slots=True)
class Stacks:
    """The stack that is being read; a new head, or a line that is none of it, puts it out."""

    source: str = "kernel log"
    line: int = 0
    node: str | None = None
    at: int | None = None
    zone_min: int | None = None
    task: str | None = None
    pid: int | None = None
    state: str | None = None
    seconds: float | None = None
    open: bool = False
    trace: bool = False
    is_reported: bool = False
    """Whether the line above is one of a report on a hung task whose first line is not here."""
    frames: list[str] = field(default_factory=list)
    by_chance: list[str] = field(default_factory=list)
    """What lies on the stack by chance: shown where nothing else is."""

    def take(self, out: Output, number: int, text: str, node: str | None, at: int | None, zone_min: int | None) -> bool:
        """Whether a message belongs to a stack."""
        if not self.open and text.startswith(_OF_DETECTOR):
            self.is_reported = True
            return False
        is_reported, self.is_reported = self.is_reported, False
        if match := _HUNG.match(text):
            self._begin(out, number, node, at, zone_min, "hung task")
            self.task, self.pid, self.seconds = match[1], int(match[2]), float(match[3])
            return True
        if match := _NEW_TASK.match(text) or _OLD_TASK.match(text) or _BRIEF_TASK.match(text):
            self._task(out, number, match, node, at, zone_min, "hung task" if is_reported else "sysrq")
            return True
        if text.startswith(("Call Trace:", "Call trace:")):
            if not self.open:
                self._begin(out, number, node, at, zone_min, "kernel log")
            self.trace = True
            self._braced(text)
            return True
        if not self.open:
            return False
        return self._inside(out, text)

    def _task(
        self,
        out: Output,
        number: int,
        match: re.Match[str],
        node: str | None,
        at: int | None,
        zone_min: int | None,
        source: str,
    ) -> None:
        pid = int(match[3])
        if not (self.open and self.pid == pid and not self.frames):
            self._begin(out, number, node, at, zone_min, source)
            self.task, self.pid = match[1].strip(), pid
        self.state = match[2]

    def _inside(self, out: Output, text: str) -> bool:
        if (called := _CALLED.match(text)) is not None:
            if len(self.frames) < FRAMES_KEPT:
                self.frames.append(called[1])
            return True
        if self._braced(text):
            return True
        frame = _FRAME.match(text) if _IS_FRAME.match(text) or (self.trace and _IS_BARE.match(text)) else None
        if frame is not None:
            kept = self.frames if frame[1] is None else self.by_chance
            if len(kept) < FRAMES_KEPT:
                kept.append(frame[2])
            return True
        if _BETWEEN.match(text) or (self.task and not self.frames and text.startswith(self.task)):
            return True  # also a head in words that are new to us
        self.close(out)
        return False

    def _braced(self, text: str) -> bool:
        """Whether frames of the first releases of 2.6 stand on a line."""
        found = _BRACED.findall(text) if "}" in text else []
        self.frames += found[: FRAMES_KEPT - len(self.frames)]
        return bool(found)

    def _begin(
        self, out: Output, number: int, node: str | None, at: int | None, zone_min: int | None, source: str
    ) -> None:
        self.close(out)
        self.source, self.line, self.node, self.at, self.zone_min = source, number, node, at, zone_min
        self.open = True

    def close(self, out: Output) -> None:
        """Put the stack out; not that of a path through the kernel which its checks of locks print below a name."""
        inner = (frame.partition(".")[0] for frame in self.frames[:_INNERMOST])
        is_path = self.source == "proc stack" and bool(_CHECKS.intersection(inner))
        if self.open and (self.frames or self.by_chance or self.task) and not is_path:
            out.add(
                Stack(
                    line=self.line,
                    node=self.node,
                    at=self.at,
                    zone_min=self.zone_min,
                    source=self.source,
                    task=self.task,
                    pid=self.pid,
                    state=self.state,
                    seconds=self.seconds,
                    frames=" ".join(self.frames or self.by_chance),
                )
            )
        self.task, self.pid, self.state, self.seconds = None, None, None, None
        self.open = self.trace = False
        self.frames, self.by_chance = [], []
