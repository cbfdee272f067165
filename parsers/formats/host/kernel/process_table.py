"""``ps`` and ``top``: which tasks can't be interrupted, what the cluster's daemons use, how loaded the host is.

    USER       PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND          aux, -ef, -eo pid,stat,wchan,comm
    root      2188  1.4  0.1  90112  4100 ?        Ss   03:10   0:12 dlm_controld
    top - 20:33:13 up 3 days,  2:11,  2 users,  load average: 14.20, 9.81, 5.02
    Tasks: 412 total,   3 running, 405 sleeping,   0 stopped,   4 zombie
    %Cpu(s):  1.0 us,  2.0 sy,  0.0 ni, 66.5 id, 30.5 wa,  0.0 hi,  0.0 si,  0.0 st

Yields ``Stack`` for each task in state D (its wait channel as the one frame, where it is printed), with how long it
has been there where it is a command that ends at once by its nature, and for some of those in any sleep; ``Counter``:
``tasks``, ``tasks in state D``, ``tasks picked in state D`` where
nothing else was kept, ``%CPU`` and ``RSS`` of cluster daemons with their name as scope,
``RSS`` also of programs that hold a GiB, and in a list with the first process of the host how many there are of each
daemon that members of a cluster run; load average, tasks
by state and CPU shares of ``top``. Columns by the header, or by the command line where a filter took it; the command is
the last one and may hold blanks. Time: of ``top`` its own clock, else from above. Source: ps(1), top(1) of procps.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.host.kernel.ps_columns import COLUMNS_OF_AUX, PLACE, asks_for_all, columns_of
from parsers.grammars.cells import figure, is_whole
from parsers.output import Output
from parsers.records import DAY_US, Counter
from parsers.records.waits import Stack
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import read_table
from parsers.times.clock import Instant, time_of_day

_PS_HEAD: Final = (
    r"(?:F\s{1,4}S\s{1,8}UID|UID\s{1,12}PID|USER\s{1,16}PID|PID\s{1,12}(?:PPID|TTY?\b|S\b|STAT|TID|LWP|WCHAN"
    r"|LSTART|STARTED|ELAPSED|STIME|TIME|CMD|COMMAND|COMM|%CPU|USER\s{1,12}PR\b)|(?:S|STAT)\s{1,12}(?:UID|PID)|PPID\s{1,8}PID"
    r"|(?:(?:N?WCHAN|STAT|S|R?USER|UID|PPID|LWP|TTY?|TIME|ELAPSED|STARTED|%CPU|%MEM|RSS|VSZ|NI|PRI|CLS|C|PSR"
    r"|CMD|COMMAND)\s{1,60}){1,14}PID)\b"
)
# A row of "ps aux" is known without its header.
_AUX: Final = (
    r"[A-Za-z_][\w.+$-]{0,31}\s{1,20}\d{1,8}\s{1,8}\d{1,4}\.\d\s{1,8}\d{1,3}\.\d\s{1,16}\d{1,10}\s{1,16}\d{1,10}\s{1,8}"
    r"(?:\?|pts/\d{1,5}|tty\w{1,8}|console)\s{1,8}[RSDTtZXWI][<NLsl+]{0,5}\s{1,8}(?:\d\d:\d\d|[A-Z][a-z]{2}\d\d|\d{4})"
    r"\s{1,8}\d{1,6}:\d\d\s{1,4}\S"
)
_TOP: Final = r"top - \d{1,2}:\d\d:\d\d up "
_TOP_REST: Final = (
    r"(?:Tasks|Threads):\s{1,8}\d|%?Cpu(?:\(s\)|\d{1,4})?\s{0,4}:|(?:[KMGT]iB )?(?:Mem|Swap)\s{0,3}:|top - "
    r"\d{1,2}:\d\d:\d\d up "
)
_SHARES: Final = r"%?Cpu\(s\)\s{0,4}:\s{0,4}\d{1,3}[.,]\d{1,3} ?%? ?us,"
"""A line of ``top`` that somebody picked out."""
_STAMPED: Final = r"(?:[A-Z][a-z]{2} {1,2}\d{1,2} \d\d:\d\d:\d\d\s|\d{4}[-/]\d\d[-/]\d\d[T _]\d\d:\d\d:\d\d)"
"""A message of a log that somebody put below the table."""
_ROW: Final = (
    rf"(?!{_STAMPED})"
    r"(?:(?:[\w.+$-]{1,32}\s{1,20}){0,1}\d{1,8}\s{1,20}\S.{0,4000}$|\d\s{1,4}[A-Z]\s{1,8}\S{1,32}\s{1,12}\d.{0,4000}$"
    r"|[RSDTtZXIW][<NLsl+]{0,5}\s{1,12}\S.{0,4000}$"
    r"|(?=.{0,200}\s[RSDTtZXIW][<NLsl+]{0,5}(?:\s|$))(?=.{0,200}\s\d{1,8}(?:\s|$))[\w%-].{0,4000}$)"
)
_DAEMONS: Final = frozenset((
    "gfs_controld", "dlm_controld", "corosync", "aisexec", "fenced", "groupd", "ccsd", "clvmd", "lvmlockd", "sanlock",
    "pacemakerd",
    "mmfsd",
    "vxconfigd", "had", "multipathd", "kswapd0", "kswapd1", "dlm_recoverd", "dlm_send", "dlm_recv", "dlm_scand",
    "dlm_astd", "gfs2_logd",
    "gfs2_quotad", "glock_workqueue", "delete_workqueue", "gfs2_recovery", "dlm_callback", "dlm_recovery",
))  # fmt: skip
_OF_MEMBERS: Final = frozenset(
    (
        *("corosync", "pacemakerd", "dlm_controld", "lvmlockd", "clvmd", "fenced", "gfs_controld", "sanlock", "sbd"),
        *("multipathd", "mmfsd", "mmsysmon", "mmsysmonitor", "mmccrmonitor", "had", "hashadow"),
        *("vxconfigd", "vxfsckd", "vxesd"),
    )
)
"""Daemons that each member of a cluster runs for as long as it is one."""
_INTERPRETERS: Final = frozenset(("python", "python2", "python3", "perl", "sh", "bash", "ksh"))
_FIRST_PID: Final = 1
"""Of the program that starts all others: a list without it was cut or filtered."""
_MUCH_KIB: Final = 1_048_576
"""Memory by which any program counts."""
_SOFT: Final = re.compile(r"\[?ksoftirqd/(\d{1,5})\]?")
"""The thread that does on a processor what follows on its interrupts, where these alone would leave nothing else."""
_BRIEF: Final = frozenset((
    "vxdisk", "vxdg", "vxprint", "vxdctl", "vxdmpadm", "vxstat", "vxtask", "vxclustadm", "vxfenadm", "hastatus",
    "hagrp", "hares", "hasys", "df", "bdf", "ls", "stat", "mount", "umount", "fsck", "fsck.vxfs", "mount.vxfs", "lsblk",
    "blkid", "touch", "multipath", "sg_inq", "pvs", "vgs", "lvs", "pvscan", "vgscan", "mmdf", "mmlsfs", "mmgetstate",
    "mmmount", "mmumount", "gfs2_tool", "findmnt",
))  # fmt: skip
"""Commands that end within seconds where nothing stands in their way."""
_ASKERS: Final = frozenset(("vxdisk", "vxdg", "vxprint", "vxdctl", "vxclustadm", "vxfenadm", "df", "bdf", "umount"))
"""Those that a daemon or the kernel may keep waiting in any sleep, and that nobody leaves running."""
_STUCK_S: Final = 60.0
_LONG_BY_CHOICE: Final = frozenset(("-R", "-lR", "-laR", "-alR", "-lRt", "--recursive", "-i", "-n", "-N"))
_MANY: Final = 2
"""Rows of one state that did not come together by chance."""
_ELAPSED: Final = re.compile(r"(?:(?:(\d{1,5})-)?(\d{1,2}):)?(\d{1,2}):(\d\d)")
_STARTS: Final = ("STARTED", "START")
_LONG_STARTS: Final = (
    (re.compile(r"[A-Z][a-z]{2} [A-Z][a-z]{2} \d{1,2} \d\d:\d\d:\d\d \d{4}"), 5),
    (re.compile(r"[A-Z][a-z]{2} \d{1,2}"), 2),
)
"""Of ``lstart``, and of ``start`` where a day has passed, each with the number of its words."""
_LAST: Final = ("CMD", "COMMAND", "COMM", "UCMD", "Command")
_STATES: Final = ("STAT", "S", "STATE")
_AUX_ROW = re.compile(_AUX)
_MESSAGE: Final = re.compile(_STAMPED)
_WORKER: Final = re.compile(r"[-+]([A-Za-z]\w{2,40})\]?$")
"""What a worker of the kernel works on: ``kworker/2:1H+glock_workqueue``."""
_LOAD = re.compile(r"load average: ([\d.,]{1,12}), ([\d.,]{1,12}), ([\d.,]{1,12})")
_TASKS = re.compile(r"(\d{1,8}) (total|running|sleeping|stopped|zombie)")
_SHARE = re.compile(r"(\d{1,3}(?:[.,]\d{1,3})?) ?%? ?(us|sy|ni|id|wa|hi|si|st)\b")


@dataclass(slots=True)
class _Tasks:
    """Rows of a table of processes below their header."""

    section: OpenSection
    out: Output
    source: str
    names: list[str] = field(default_factory=list)
    head: int = 0
    rows: int = 0
    blocked: int = 0
    has_first: bool = False
    members: dict[str, int] = field(default_factory=dict)
    """How many processes of each daemon that members of a cluster run."""
    is_whole: bool = True
    """Whether all tasks are there: a filter that took the header took tasks too."""

    def feed(self, number: int, text: str) -> bool:
        """Whether the line was understood."""
        if _MESSAGE.match(text.lstrip()) is not None:
            return False
        words = text.split()
        if "PID" in words and self._is_header(words):
            self.close()
            self.names, self.head, self.is_whole = words, number, True
            return True
        if self.source == "top" and self._summary(number, text):
            return True
        if not self.names and self.source == "ps" and _AUX_ROW.match(text.lstrip()) is not None:
            self.names, self.head, self.is_whole = COLUMNS_OF_AUX, number, False
        return bool(self.names) and self._task(number, words)

    def _is_header(self, words: list[str]) -> bool:
        return sum(word.isupper() or word[0] == "%" for word in words) >= 2 and not any(
            word.isdigit() for word in words
        )

    def _task(self, number: int, words: list[str]) -> bool:
        names, section = self.names, self.section
        words = _with_one_start(names, words)
        if len(words) < len(names) - (names[-1] in _LAST):
            return False
        row = dict(zip(names, words, strict=False))
        state = next((row[name] for name in _STATES if name in row), "")
        if not is_whole(row.get("PID", "")) or (state and not (state[0].isupper() or state[0] in "tl")):
            return False
        self.rows += 1
        command = " ".join(words[len(names) - 1 :]) if names[-1] in _LAST else row.get("COMMAND", row.get("CMD", ""))
        stuck = _stuck_s(row, command) if state[:1] in ("D", "S") else None
        if state.startswith("D") or (stuck is not None and stuck >= _STUCK_S and command.split()[0] in _ASKERS):
            self.blocked += state.startswith("D")
            wait = row.get("WCHAN", "-")
            section.add(
                Stack,
                number,
                source=self.source,
                task=command[:200] or None,
                pid=int(row["PID"][:9]),
                state=state,
                seconds=stuck,
                frames="" if wait in ("-", "?") else wait,
            )
        self._daemon(number, row, command)
        self.has_first |= int(row["PID"][:9]) == _FIRST_PID
        if (daemon := _of_members(command)) is not None:
            self.members[daemon] = self.members.get(daemon, 0) + 1
        return True

    def _daemon(self, number: int, row: dict[str, str], command: str) -> None:
        first = command.split(None, 1)[0] if command else ""
        if (thread := _SOFT.fullmatch(first)) is not None and self.source == "top":
            if (value := figure(row.get("%CPU", ""))) is not None:
                self._count(number, "%CPU of ksoftirqd", value, "%", thread[1])
            return
        name = (
            first.rsplit("/", 1)[-1].strip("[]").partition("/")[0]
            if "[" not in first
            else first.strip("[]").partition("/")[0]
        )
        if first.strip("[]").startswith("kworker/") and (worker := _WORKER.search(first)) is not None:
            name = worker[1]
        if name not in _DAEMONS:
            self._large(number, row, name)
            return
        for column in ("%CPU", "RSS", "RES"):
            if (value := figure(row.get(column, ""))) is not None:
                unit = "%" if column == "%CPU" else "KiB"
                self._count(number, "RSS" if column == "RES" else column, value, unit, name)

    def _large(self, number: int, row: dict[str, str], name: str) -> None:
        held = figure(row.get("RSS", row.get("RES", "")))
        if name and held is not None and held >= _MUCH_KIB:
            self._count(number, "RSS", held, "KiB", name)

    def _count(self, number: int, name: str, value: float, unit: str = "", scope: str | None = None) -> None:
        section = self.section
        section.add(
            Counter,
            number,
            scope=scope,
            source=self.source,
            name=name,
            kind="gauge",
            unit=unit,
            value=value,
            sample=self.head or number,
        )

    def close(self) -> None:
        """The table ends: its totals."""
        # Below a heading two such rows may be all that a short list holds.
        if self.rows >= (_MANY + 1 if self.is_whole else _MANY) and self.blocked == self.rows:
            self._count(self.head, "tasks picked in state D", float(self.blocked))
            self.is_whole = False  # no node has but such tasks: a heading may be kept with them
        self.rows = self.rows if self.is_whole else 0
        if self.rows and self.has_first and self.source == "ps" and not _is_filtered(self.section):
            for daemon, count in self.members.items():
                self._count(self.head, "processes of a daemon", float(count), scope=daemon)
        self.members, self.has_first = {}, False
        if self.rows and any(name in self.names for name in _STATES):
            self._count(self.head, "tasks in state D", float(self.blocked))
        if self.rows and self.source == "ps":
            self._count(self.head, "tasks", float(self.rows))
        self.rows = self.blocked = 0

    def _summary(self, number: int, text: str) -> bool:
        stripped = text.lstrip()
        if not re.match(_TOP_REST, stripped):
            return False
        if stripped.startswith("top - "):
            self._top_time(stripped)
        if match := _LOAD.search(text):
            self._load(number, match)
        elif stripped.startswith(("Tasks", "Threads")):
            self._states(number, text)
        elif stripped.lstrip("%").startswith("Cpu"):
            for value, share in _SHARE.findall(text):
                self._count(number, share, float(value.replace(",", ".")), "%")
        return True

    def _states(self, number: int, text: str) -> None:
        for value, state in _TASKS.findall(text):
            self._count(number, f"tasks {state}", float(value))

    def _load(self, number: int, match: re.Match[str]) -> None:
        for minutes, value in zip((1, 5, 15), match.groups(), strict=True):
            load = re.match(r"\d{1,6}(?:[.,]\d{1,4})?", value)
            if load is not None:
                self._count(number, f"load average {minutes} min", float(load[0].replace(",", ".")))

    def _top_time(self, text: str) -> None:
        self.close()
        self.names, self.head = [], 0
        section = self.section
        tod = time_of_day(text[6:14].strip())
        if tod is None:
            return
        before = section.at
        section.stamp(Instant(before // DAY_US * DAY_US + tod if before is not None and before >= DAY_US else tod))


def _of_members(command: str) -> str | None:
    """The daemon of the members of a cluster that a command is, if any; a script stands behind its interpreter."""
    words = [word.rsplit("/", 1)[-1].rstrip(":") for word in command.split(None, 2)[:2]]
    if len(words) > 1 and words[0] in _INTERPRETERS:
        words.pop(0)
    name = words[0].removesuffix(".py") if words else ""
    return name if name in _OF_MEMBERS else None


def _is_filtered(section: OpenSection) -> bool:
    return section.command is not None and bool(section.command.filters)


def _with_one_start(names: Sequence[str], words: list[str]) -> list[str]:
    """The cells of a row below one heading for a start that is printed in several words."""
    place = next((number for number, name in enumerate(names) if name in _STARTS), None)
    if place is None:
        return words
    for pattern, count in _LONG_STARTS:
        start = " ".join(words[place : place + count])
        if pattern.fullmatch(start) is not None:
            return [*words[:place], start, *words[place + count :]]
    return words


def _stuck_s(row: dict[str, str], command: str) -> float | None:
    """How long a command that ends at once by its nature has been there; None for any other."""
    words = command.split()
    names = {word.rsplit("/", 1)[-1] for word in words[:2]}  # the interpreter may stand first
    if not names & _BRIEF or _LONG_BY_CHOICE & set(words) or any("full" in word for word in words[1:]):
        return None
    match = _ELAPSED.fullmatch(row.get("ELAPSED", ""))
    if match is None:
        return None
    days, hours, minutes, seconds = (int(part or 0) for part in match.groups())
    return float(days * 86_400 + hours * 3600 + minutes * 60 + seconds)


@parser(
    "ps",
    version=8,
    product="",
    claims=rf"(?:{_PS_HEAD}|{_AUX})",
    owns=rf"(?:{_PS_HEAD}|{_ROW})",
    commands=("ps",),
    places=PLACE,
)
def ps(section: OpenSection, out: Output) -> None:
    """``ps``: tasks by the header, or by the columns that the command asks for."""
    _read(section, out, "ps")


@parser(
    "top",
    version=3,
    product="",
    claims=rf"(?:{_TOP}|{_SHARES})",
    owns=rf"(?:{_TOP_REST}|{_PS_HEAD}|{_ROW})",
    commands=("top",),
    priority=1,
)
def top(section: OpenSection, out: Output) -> None:
    """``top -b``: the summary, and tasks in state D."""
    _read(section, out, "top")


def _read(section: OpenSection, out: Output, source: str) -> None:
    tasks = section.state.setdefault("tasks", _Tasks(section, out, source))
    tasks.section, tasks.out = section, out
    if not tasks.names and source == "ps" and section.command is not None:
        tasks.names, tasks.head, tasks.is_whole = (
            columns_of(section.command),
            section.prompt_line,
            asks_for_all(section.command),
        )
    read_table(section, out, tasks.feed, "no row of a table of processes")
    tasks.close()
