"""Traces of system calls with the time of each: ``strace -T`` and ``truss -dD`` of AIX.

    14:02:12.309200 newfstatat(AT_FDCWD, "/srv/pots/b", {st_mode=S_IFREG|0644, ...}, 0) = 0 <3.418812>
    [pid 20114] <... getdents64 resumed> /* 412 entries */, 32768) = 19776 <2.811240>
    7.4120: 7.4001: statx("/srv/pots/in", 0x2FF22950, 176, 021)    = 0

Yields ``Measurement`` (ms, scope: the path that the call names) of each call on files that took a tenth of a second
or longer, and of the longest one where all were quicker; calls that wait by their nature (for time, children, other
programs, the network) are left out. A call that waits for a lock of a file (``fcntl`` with ``F_SETLKW``, ``flock``),
or for the answer of a daemon of the cluster or the storage over the socket that it connected to, counts from a second
on; its scope is that file or socket. The second figure of truss is the time since the call before of the same thread.
Quick calls are understood and not kept. Source: strace(1), truss(1).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Measurement
from parsers.registry import parser
from parsers.sections.reader import OpenSection

LEAST_MS: Final = 100.0
_LEAD: Final = r"(?:\[pid\s{1,8}\d{1,10}\] |\d{1,10}\s{1,8}(?=\d\d:|\d{10}\.|[a-z<]))?"
_CLOCK: Final = r"(?:\d\d:\d\d:\d\d(?:\.\d{1,9})? |\d{10}\.\d{1,9} |\d{1,6}\.\d{6} )?"
_CALL: Final = r"(?:<\.\.\. [a-z]\w{1,30} resumed>|[a-z]\w{1,30}\()"
_TIMED: Final = rf"{_LEAD}{_CLOCK}{_CALL}.{{0,3000}}\s<\d{{1,9}}\.\d{{3,9}}>$"
_TRUSS: Final = r"(?:\d{1,10}:\s{1,8})?\d{1,9}\.\d{4}:\s{1,20}\d{1,9}\.\d{4}:\s{1,20}[a-z_]\w{1,30}\("
_OTHER: Final = (
    rf"{_LEAD}{_CLOCK}(?:{_CALL}.{{0,3000}}(?:<unfinished \.\.\.>|\)\s{{1,80}}=\s)|\+\+\+ |--- SIG|strace: )"
)
_ROW = re.compile(
    rf"(?:\[pid\s{{1,8}}(?P<pid>\d{{1,10}})\] |(?P<pid2>\d{{1,10}})\s{{1,8}}(?=\d\d:|\d{{10}}\.|[a-z<]))?{_CLOCK}"
    r"(?:<\.\.\. )?(?P<call>[a-z]\w{1,30})(?: resumed>|\().{0,3000}\s<(?P<seconds>\d{1,9}\.\d{3,9})>$"
)
_TRUSS_ROW = re.compile(
    r"(?:(?P<pid>\d{1,10}):\s{1,8})?\d{1,9}\.\d{4}:\s{1,20}(?P<seconds>\d{1,9}\.\d{4}):\s{1,20}(?P<call>[a-z_]\w{1,30})\("
)
_PATH = re.compile(r'"(/[^"]{1,300})"')
_WAITS: Final = re.compile(
    r"_?(?:select|pselect|poll|ppoll|epoll|nanosleep|clock_|usleep|nsleep|sleep|wait|kwait|futex|accept|recv|send|connect"
    r"|pause|sigsuspend|rt_sig|sig|read|kread|write|kwrite|ioctl|kioctl|fcntl|kfcntl|flock|lockf|exec|thread_|yield|_?exit"
    r"|clone|fork|kfork|vfork|shm|sem|msg|io_getevents|socket|shutdown|restart_syscall|lwp_|park|door)"
)
"""Calls that may wait for something else than a file."""
_OPENED = re.compile(r"(?:open|openat|openat2|creat)\(.{0,400}\)\s{1,80}= (?P<fd>\d{1,6})(?:<|\s|$)")
_CONNECTED = re.compile(r"connect\((?P<fd>\d{1,6}), .{0,80}sun_path=@?\"(?P<path>[^\"]{1,200})\"")
_USED = re.compile(r"(?P<call>read|recv\w{0,8}|fcntl|flock|ioctl|write)\((?P<fd>\d{1,6})[,)<]")
_LOCKED = re.compile(r"flock\(|fcntl\(.{0,80}\bF_(?:OFD_)?SETLKW")
_ANSWERS: Final = frozenset(("read", "recv", "recvfrom", "recvmsg", "recvmmsg"))
_DAEMONS = re.compile(
    r"lvm|dlm|cman|corosync|cpg|cib|pcmk|crm|fenced|groupd|gfs|multipath|sanlock|wdmd|vx|gab|mmfs|mm[a-z]*sdr|iscsi|drbd"
)
"""Of sockets: who asks them and waits long waits for a daemon of the cluster or the storage."""
LEAST_ANSWER_S: Final = 1.0
MOST_FILES: Final = 4096


@parser(
    "strace",
    version=2,
    product="",
    claims=rf"(?:{_TIMED}|{_TRUSS})",
    owns=rf"(?:{_TIMED}|{_TRUSS}|{_OTHER})",
    commands=("strace", "truss"),
)
def strace(section: OpenSection, out: Output) -> None:
    """System calls on files that took long."""
    longest: Measurement | None = None
    has_long = False
    files = _Files()
    for line in section:
        text = line.text.strip()
        match = _ROW.match(text) or _TRUSS_ROW.match(text)
        waited_for = files.waited_for(text, float(match["seconds"])) if match is not None else None
        if match is None or (waited_for is None and _WAITS.match(match["call"])):
            out.everyday()
            continue
        fields = match.groupdict()
        pid = fields["pid"] or fields.get("pid2")
        path = _PATH.search(text)
        one = Measurement(
            line=line.number,
            node=section.node,
            tool="strace",
            what=match["call"],
            value=float(match["seconds"]) * 1000,
            unit="ms",
            command=f"pid {pid}" if pid else None,
            at=section.at,
            zone_min=section.zone_min,
            scope=waited_for or (path[1] if path else None),
        )
        if (one.value or 0.0) >= LEAST_MS:
            out.add(one)
            has_long = True
            continue
        out.everyday()
        if longest is None or (one.value or 0.0) > (longest.value or 0.0):
            longest = one
    if longest is not None and not has_long:
        out.add(longest)


class _Files:
    """What the numbers of open files of a trace stand for: a file, or the socket of a daemon."""

    def __init__(self) -> None:
        self._files: dict[str, str] = {}
        self._sockets: dict[str, str] = {}

    def waited_for(self, text: str, seconds: float) -> str | None:
        """The file whose lock, or the socket whose answer, a call waited for; None for any other call."""
        if len(self._files) + len(self._sockets) > MOST_FILES:
            self._files.clear()
            self._sockets.clear()
        if (connected := _CONNECTED.search(text)) is not None:
            self._sockets[connected["fd"]] = connected["path"]
        elif (opened := _OPENED.search(text)) is not None and (path := _PATH.search(text)) is not None:
            self._files[opened["fd"]] = path[1]
            self._sockets.pop(opened["fd"], None)
        used = _USED.search(text)
        if used is None or seconds < LEAST_ANSWER_S:
            return None
        if _LOCKED.search(text) is not None:
            return self._files.get(used["fd"]) or f"file {used['fd']}"
        socket = self._sockets.get(used["fd"], "")
        return socket if used["call"] in _ANSWERS and _DAEMONS.search(socket) else None
