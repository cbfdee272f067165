"""Stacks of threads as ``crash``, ``gdb``, ``pstack``, ``kdb`` of AIX and ``mdb -k`` of Solaris print them, also inside
``kthreads`` files of Spectrum Scale.

    PID: 20951  TASK: ffff8800b2f0a000  CPU: 3   COMMAND: "mmfsd"
     #0 [ffff8800b2f0bd28] schedule at ffffffff8163a879
     #1 [ffff8800b2f0bdf8] cxiWaitEventWait at ffffffffa05e1b1c [mmfslinux]

    Thread 12 (Thread 0x7f31c4fff700 (LWP 20951)):
    #0  0x00007f31d6a1f6d5 in pthread_cond_wait@@GLIBC_2.3.2 () from /lib64/libpthread.so.0
    #1  0x000000000124a1b2 in kThread::condvarWait(int, int) ()

    pvthread+01A200 STACK:
    [F1000000C04A1B5C]vx_svar_sleep_unlock+00021C (??, ??, ??)

    stack pointer for thread 300a1b2c3d0 (imapd): 2a1014c0f41
    [ 000002a1014c0f41 cv_wait+0x38() ]
      000002a1014c0ff1 vxg_svar_sleep_unlock+0x40()

Yields ``Stack``: the thread's id joins a waiter of the new style and a line of ``ps -eLo``. Frames innermost first,
names only. The state of a kernel thread is not printed there. No times. Tolerated: cut frames. Source: crash(8) ``bt``,
gdb manual ("thread apply all bt").
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Stack
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.stretches import PlainRun

FRAMES_KEPT: Final = 60
_CRASH: Final = r"PID: {1,4}\d{1,10} {1,8}TASK: [0-9a-f]{6,16}"
_GDB: Final = r"Thread \d{1,9} \((?:Thread 0x[0-9a-f]{1,16} \()?LWP \d{1,10}\)"
_KDB: Final = r"(?:pvthread|thread)\+[0-9A-Fa-f]{4,8} STACK:"
_MDB: Final = r"stack pointer for thread [0-9a-f]{6,16}(?: \([^)\n]{1,80}\))?: [0-9a-f]{6,16}$"
_HEAD: Final = rf"{_CRASH}|{_GDB}|{_KDB}|{_MDB}"
_TYPED: Final = r"crash(?:32|64)?> (?:bt|foreach|set|ps)\b"
"""What was typed into crash, above what it printed."""
_KDB_FRAME: Final = r"\[[0-9A-Fa-f]{8,16}\]\.?[A-Za-z_]\w{1,120}\+[0-9A-Fa-f]{4,8}(?:\s|$)"
_MDB_FRAME: Final = r"(?:\[ )?[0-9a-f]{8,16} [A-Za-z_][\w.`]{1,120}(?:\+0x[0-9a-f]{1,8})?\(.{0,200}\)(?: \])?$"
_FRAME: Final = rf"#\d{{1,4}} |{_KDB_FRAME}|{_MDB_FRAME}"
_SLOT = re.compile(r"((?:pv)?thread\+\w{4,8}) STACK")
_IN_KDB = re.compile(r"\[[0-9A-Fa-f]{8,16}\]\.?([A-Za-z_]\w{1,120})\+")
_IN_MDB = re.compile(r"(?:\[ )?[0-9a-f]{8,16} (?:\w{1,60}`)?([A-Za-z_][\w.]{1,120})(?:\+0x[0-9a-f]{1,8})?\(")
_IN_BOX = re.compile(r"stack pointer for thread [0-9a-f]{6,16} \(([^)]{1,80})\)")
_THREAD = re.compile(r"stack pointer for thread ([0-9a-f]{6,16})")
_DETAIL: Final = (
    r"(?:RIP|RAX|RDX|RBP|R\d{1,2}|ORIG_RAX|CS|SS|RSP|RDI|RCX): |bt: |\[exception RIP: |--- <[\w ()#]{2,40}> ---$"
)

_PID = re.compile(r"PID: {1,4}(\d{1,10})")
_COMMAND = re.compile(r'COMMAND: "([^"]{1,80})')
_LWP = re.compile(r"LWP (\d{1,10})\)")
_NAMED = re.compile(r'"([^"]{1,80})"')
_FUNCTION = re.compile(r"#\d{1,4} {1,4}(?:\[[0-9a-f]{0,16}\] )?(?:0x[0-9a-f]{1,16} in )?([A-Za-z_~?<(][^\s(+<]{0,200})")
_STARTS: Final = re.compile(_HEAD)
_IS_TYPED: Final = re.compile(_TYPED)
_PLAIN: Final = re.compile(
    r" ?#\d{1,4} {1,4}\[[0-9a-f]{6,16}\] [A-Za-z_][\w.]{0,80} at [0-9a-f]{6,16}(?: \[[a-z_]\w{0,40}\])?$"
    r"|#\d{1,4} {1,4}(?:0x[0-9a-f]{1,16} in )?[A-Za-z_][\w.@:~]{0,200} \([\w =,.*-]{0,200}\)"
    r"(?: from [\w./:+-]{1,200})?$"
    r'|PID: {1,4}\d{1,10} {1,8}TASK: [0-9a-f]{6,16} {1,4}CPU: \d{1,5} {1,4}COMMAND: "[\w.:/-]{1,40}"$'
    r"|    R(?:IP|AX|DX|BP|SP|DI|CX): [0-9a-f]{8,16}(?: {1,4}[A-Z0-9_]{2,10}: [0-9a-f]{2,16}){0,3}$"
)
"""A line that nothing could change or claim."""


@parser(
    "thread_stacks",
    version=4,
    product="",
    claims=rf"{_HEAD}|{_TYPED}",
    owns=rf"{_HEAD}|{_TYPED}|{_FRAME}|{_DETAIL}",
    commands=("crash", "gdb", "kdb", "mdb", "pstack"),
)
def thread_stacks(section: OpenSection, out: Output) -> None:
    """One record per thread."""
    threads = _Threads(section, out)
    run = PlainRun(lambda text: _PLAIN.match(text) is not None, threads.plain)
    for line in section:
        if not threads.take(line.number, line.text):
            out.skip(line, "no frame with its function")
        run.take(section)
    threads.put()


class _Threads:
    """Takes the lines of stacks one after the other."""

    def __init__(self, section: OpenSection, out: Output) -> None:
        self._section, self._out = section, out
        self._head, self._line, self._frames = "", 0, list[str]()

    def take(self, number: int, text: str) -> bool:
        """The next line; whether it was understood."""
        text = text.strip()
        if (frame := _FUNCTION.match(text) or _IN_KDB.match(text) or _IN_MDB.match(text)) is not None:
            if len(self._frames) < FRAMES_KEPT:
                self._frames.append(frame[1].split("@", 1)[0])
        elif _STARTS.match(text) is not None:
            self.put()
            self._head, self._line, self._frames = text, number, []
        elif _IS_TYPED.match(text) is not None:
            self._out.frame()
        elif text.startswith("#"):
            return False
        else:
            self._out.ignore()
        return True

    def plain(self, number: int, text: str) -> None:
        """The next line of a run, each of which is understood."""
        self.take(number, text)

    def put(self) -> None:
        """The thread whose stack is whole now."""
        if self._head:
            _put(self._section, self._out, self._head, self._line, self._frames)


def _put(section: OpenSection, out: Output, head: str, line: int, frames: list[str]) -> None:
    pid = _PID.search(head) or _LWP.search(head)
    names = (_COMMAND.search(head), _NAMED.search(head), _SLOT.match(head), _IN_BOX.match(head), _THREAD.match(head))
    task = next((name for name in names if name is not None), None)
    source = (
        "crash"
        if head.startswith("PID:")
        else "kdb"
        if "STACK:" in head
        else "mdb"
        if head.startswith("stack pointer")
        else "gdb"
    )
    section.add(
        Stack,
        line,
        source=source,
        task=task[1] if task else None,
        pid=int(pid[1]) if pid else None,
        frames=" ".join(frames),
    )
