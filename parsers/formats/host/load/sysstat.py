"""``iostat``, ``sar``, ``mpstat`` and ``pidstat`` of sysstat: disks, interfaces, processors and processes over time.

    Linux 4.18.0-372.el8.x86_64 (kite3.lab)   03/09/2031   _x86_64_   (16 CPU)
    avg-cpu:  %user   %nice %system %iowait  %steal   %idle
    Device            r/s     rkB/s   rrqm/s  %rrqm r_await rareq-sz     w/s ... aqu-sz  %util
    sda              0.13      5.27     0.00   0.00    0.53    40.53    0.11 ...   0.00   0.01
    09:34:33 AM     IFACE   rxpck/s   txpck/s    rxkB/s    txkB/s
    09:34:34 AM      eth0      4.90      0.22      0.33      0.02

Yields ``DiskIo`` per second for ``iostat`` and ``sar -d``: a row for all requests and, where they are told apart, one
for reads and one for writes; a mean wait that the release does not print is weighted from the two. All else is
``Counter`` (gauge). The first report of ``iostat`` tells about the time since boot: its source says so and its interval
is unknown. The means that close a run of ``sar`` are read where its rows were not kept. Times: from rows, from ``-t``,
else the command's interval; date from the heading (day and month by the separator; month first with slashes); past
midnight the day goes on. JSON of ``-o JSON`` is read object by object, on one line or over many. Tolerated: extra
columns, decimal commas, cut rows. Source: iostat(1), sar(1), mpstat(1), pidstat(1) of sysstat 9 to 12.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.host.load.sysstat_tables import Place, Table
from parsers.grammars.cells import is_whole
from parsers.grammars.json_walk import Opened, Scalar, Walk
from parsers.output import Output
from parsers.records import DAY_US
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import read_table
from parsers.times.clock import Instant, time_of_day, wall

_LINUX: Final = r"Linux \S{1,80} \([^()\s]{1,128}\)\s{1,40}\d"
_DEVICE: Final = (
    r"Device:?\s{1,40}(?:tps|[rwdf]/s|[rw]rqm/s|%[rw]rqm|(?:[rwdf]_)?await|svctm|%util|a(?:vg)?q[ur]-sz"
    r"|avgrq-sz|(?:[rwd]a)?req-sz|[rw](?:sec|kB|MB)/s|(?:kB|MB|Blk)_(?:read|wrtn)/s)(?:\s|$)"
    r"|(?:tps|r/s)\s{1,40}(?:rkB/s|rMB/s|kB_read/s|MB_read/s|w/s)\s[^\n]{0,300}\sDevice\s{0,8}$"
)
_CPU: Final = r"avg-cpu:\s{1,20}%user"
_FIRST: Final = (
    r"CPU|DEV|IFACE|INTR|BUS|FILESYSTEM|FCHOST|TTY|UID|USER|PID|proc/s|cswch/s|pswpin/s|pgpgin/s|tps"
    r"|frmpg/s|kbmemfree|kbswpfree|kbhugfree|dentunusd|runq-sz|rcvin/s|call/s|scall/s|totsck|tcpsck"
    r"|active/s|irec/s|idgm/s|imsg/s|atmptf/s|intr/s"
)
_TIME: Final = r"\d{1,2}:\d\d:\d\d(?: [AP]M)?"
_SAR: Final = rf"{_TIME}\s{{1,40}}(?:{_FIRST})\s"
_AVERAGE: Final = rf"Average:\s{{1,40}}(?:{_FIRST})\s"
_PIDSTAT: Final = r"#\s{1,8}Time\s{1,40}UID\s"
_JSON: Final = r'(?:\{\s{0,4})?"sysstat"\s{0,4}:\s{0,4}\{'
_JSON_STARTS: Final = tuple('{}[]"')
_JSON_NAME = re.compile(r'"[\w./%-]{1,40}"\s{0,4}:')
_CLAIMS: Final = rf"(?:{_LINUX}|{_DEVICE}|{_CPU}|{_SAR}|{_AVERAGE}|{_PIDSTAT}|{_JSON})"
_STAMP: Final = r"(?:Time: |\d{1,2}/\d{1,2}/\d{2,4} |\d{1,2}\.\d{1,2}\.\d{2,4} )\d{1,2}:\d\d:\d\d(?: [AP]M)?\s{0,4}$"
_ROW: Final = r"(?:\S{1,128}\s{1,80})?-?\d[\d.,]{0,20}[kMGT%]{0,2}(?:\s{1,80}\S{1,128}){2,60}\s{0,8}$"
_OWNS: Final = rf"(?:{_CLAIMS}|{_STAMP}|{_TIME}\s|Average:|Summary:|{_ROW}|[{{}}\]\"])"
_HEAD = re.compile(r"Linux (\S{1,80}) \(([^()\s]{1,128})\)\s{1,40}(\d{1,4})([-./])(\d{1,2})[-./](\d{1,4})\b")
_STAMPED = re.compile(r"(?:Time: |(\d{1,2})([/.])(\d{1,2})[/.](\d{2,4}) )(\d{1,2}:\d\d:\d\d)(?: ([AP]M))?$")
_PROCESS_IDS: Final = ("UID", "USER", "PID", "TGID", "TID")
_NUMBER_STARTS: Final = frozenset("0123456789-.")
_HEADINGS: Final = frozenset(("Device:", "Device", "avg-cpu:", "Average:", "Summary:", "Linux"))


@dataclass(slots=True)
class _Run:
    """One run of a tool: what its heading said, and how far it is."""

    prompt_line: int
    host: str | None = None
    day: int | None = None
    first_day: int | None = None
    first_tod: int | None = None
    reports: int = 0
    own_at: int | None = None
    last_tod: int | None = None
    interval_s: float | None = None
    skips_first: bool = False


@dataclass(slots=True)
class _Reader:
    """Takes lines one after the other."""

    section: OpenSection
    out: Output
    run: _Run
    table: Table | None = None
    place: Place = field(default_factory=Place)
    device: bool = False
    tables: dict[tuple[str, ...], Table] = field(default_factory=dict)
    walk: Walk = field(default_factory=Walk)
    of_host: Opened | None = None
    of_report: Opened | None = None

    def feed(self, number: int, text: str) -> bool:
        """Whether the line was understood."""
        words = text.split()
        first = words[0]
        table = self.table
        if (
            table is not None
            and table.plain
            and len(words) == table.width
            and first not in _HEADINGS
            and _is_row(words, table.key)
        ):
            table.lines.append(number)
            table.cells.append(words)
            return True
        if first[2:3] == ":" or first[1:2] == ":":
            return self._timed(number, text, words)
        if table is not None and table.source == "pidstat" and is_whole(first, 10) and len(first) == 10:
            return self._since_epoch(number, int(first), words[1:])
        return self._heading(number, text, words)

    def _heading(self, number: int, text: str, words: list[str]) -> bool:
        if words[0] in ("Device:", "Device") or words[-1] == "Device":
            return self._disks(number, words)
        if words[0] == "avg-cpu:":
            self._report(number)
            self.device = False
            self._use("iostat", tuple(words[1:]), -1)
            return True
        if words[0] in ("Average:", "Summary:"):
            return self._averaged(number, words[1:])
        if text.startswith("Linux ") and (match := _HEAD.match(text)):
            self._begin(match)
            return True
        return self._stamp(text) or self._json(number, text) or self._pidstat(words)

    def _averaged(self, number: int, rest: list[str]) -> bool:
        """A row or header of means over the whole run: read only where nobody kept the rows themselves."""
        if self.run.last_tod is not None or len(rest) < 2:
            self.table = None
        elif _is_header(rest):
            self._timed_header(rest)
            self.place = Place(self._node(), self.section.at, self.section.zone_min, None, first=False, sample=number)
        elif self.table is not None and self.table.source == "pidstat":
            return self._process(number, None, rest)
        elif self.table is not None and len(rest) == len(self.table.names):
            self._add(self.table, number, None, rest)
        return True

    def _begin(self, match: re.Match[str]) -> None:
        """A heading begins a run."""
        self.run = self.out.interned["sysstat"] = _new_run(self.section)
        self._printed_on(match[2])
        self.run.day = self.run.first_day = _day(match[3], match[4], match[5], match[6])
        self.table = None

    def _printed_on(self, host: str | None) -> None:
        """The host that the tool names. A machine without a name of its own is the one that the prompt or the path
        tells.
        """
        if host and host.split(".", 1)[0] == "localhost" and self.section.node is not None:
            host = None
        self.run.host = host
        if host:
            self.section.is_on(host, "header")
            self.section.speaks_of(node=host, basis="header")

    def _disks(self, number: int, words: list[str]) -> bool:
        if not self.device and self.table is not None and self.table.source == "iostat":
            pass  # the processor lines above belong to the same report
        else:
            self._report(number)
        self.device = True
        extended = any(name == "%util" or name.endswith("await") for name in words)
        self._use(
            "iostat -x" if extended else "iostat -d", tuple(words), len(words) - 1 if words[-1] == "Device" else 0
        )
        return True

    def _use(self, source: str, names: tuple[str, ...], key: int) -> None:
        table = self.tables.get(names)
        if table is None:
            table = self.tables[names] = Table(source, names, key, plain=source.startswith("iostat"))
        if table.full:
            table.flush(self.out)
        self.table = table
        if table.plain:
            table.at_place(self.place)

    def _report(self, number: int) -> None:
        """A report of iostat begins."""
        run = self.run
        run.reports += 1
        first = run.reports == 1 and not run.skips_first
        at = run.own_at if run.own_at is not None else self._section_at()
        self.place = Place(self._node(), at, self.section.zone_min, None if first else run.interval_s, first, number)

    def _section_at(self) -> int | None:
        """The time above holds for the first report; for later ones only by the interval that the command asked for."""
        at, run = self.section.at, self.run
        if at is None or self.section.state.setdefault("reports", run.reports) == run.reports:
            return at
        step = run.reports - int(self.section.state["reports"])
        return at + round(step * run.interval_s * 1e6) if run.interval_s else None

    def _node(self) -> str | None:
        return self.run.host or self.section.node

    def _stamp(self, text: str) -> bool:
        match = _STAMPED.match(text)
        tod = _clock(match[5], match[6]) if match else None
        if match is None or tod is None:
            return False
        if match[1]:
            self._on_day(_day(match[1], match[2], match[3], match[4]))
        self._move_to(tod)
        return True

    def _on_day(self, day: int | None) -> None:
        """The date is printed: nothing is to be inferred from the clock going back."""
        self.run.day, self.run.last_tod = day, None

    def _move_to(self, tod: int) -> None:
        """The clock of the run shows this time of day."""
        run = self.run
        if run.last_tod is not None and tod < run.last_tod - DAY_US // 2 and run.day is not None:
            run.day += 1
        before, run.last_tod = run.own_at, tod
        run.own_at = tod if run.day is None else run.day * DAY_US + tod
        if before is not None and 0 < run.own_at - before < DAY_US:
            run.interval_s = (run.own_at - before) / 1e6
        if run.own_at != before:
            self.section.stamp(Instant(run.own_at))

    def _timed(self, number: int, text: str, words: list[str]) -> bool:
        """A row or header of sar, mpstat or pidstat: the time stands in front."""
        half = words[1] if len(words) > 1 and words[1] in ("AM", "PM") else None
        tod = _clock(words[0], half)
        rest = words[2:] if half else words[1:]
        if tod is None:
            return self._stamp(text)
        if not rest:
            self._move_to(tod)  # of a report, without its date
            return True
        if len(rest) < 2:
            return False
        if _is_header(rest):
            if self.section.state.get("wide") != rest:
                self._restart(tod)
            self._move_to(tod)
            self._timed_header(rest)
            return True
        if "RESTART" in text or rest[0] == "COM":
            return True
        return self._timed_row(number, tod, rest)

    def _restart(self, tod: int) -> None:
        """Another table of the same run begins: at its first day, or the next one where the run began later
        in the day.
        """
        run = self.run
        if run.first_tod is None:
            run.first_tod = tod
        late = tod < run.first_tod
        self._on_day(run.first_day + late if run.first_day is not None else None)

    def _timed_row(self, number: int, tod: int, rest: list[str]) -> bool:
        table = self.table
        if table is None:
            return False
        if table.source == "pidstat":
            return self._process(number, tod, rest)
        if len(rest) != len(table.names) or rest[-1][0] not in _NUMBER_STARTS:
            return False
        self._add(table, number, tod, rest)
        return True

    def _add(self, table: Table, number: int, tod: int | None, words: list[str]) -> None:
        """tod: None where the place of the row is known."""
        if table.full:
            table.flush(self.out)
        if tod is not None:
            self._timed_place(tod, number)
        table.at_place(self.place)
        table.lines.append(number)
        table.cells.append(words)

    def _timed_place(self, tod: int, number: int) -> None:
        run = self.run
        if run.last_tod != tod or self.place.at != run.own_at:
            self._move_to(tod)
            self.place = Place(
                self._node(), run.own_at, self.section.zone_min, run.interval_s, first=False, sample=number
            )

    def _since_epoch(self, number: int, seconds: int, rest: list[str]) -> bool:
        """A row of ``pidstat -h``: all figures of a process on one line, behind seconds since 1970."""
        at = seconds * 1_000_000
        if self.run.own_at != at:
            before, self.run.own_at = self.run.own_at, at
            if before is not None and 0 < at - before < DAY_US:
                self.run.interval_s = (at - before) / 1e6
            self.section.stamp(Instant(at, 0))
        if self.place.at != at:
            self.place = Place(self._node(), at, 0, self.run.interval_s, first=False, sample=number)
        return self._process(number, None, rest)

    def _timed_header(self, rest: list[str]) -> None:
        self.section.state["wide"] = rest
        tool = (
            "sar -d"
            if rest[0] == "DEV"
            else "pidstat"
            if "PID" in rest
            else "mpstat"
            if "%guest" in rest and "%gnice" in rest
            else "sar"
        )
        key = 0 if rest[0].isupper() and rest[0].isalpha() and rest[0] not in _PROCESS_IDS else -1
        if tool == "pidstat":
            rest, key = (
                [name for name in rest if name not in _PROCESS_IDS],
                len([n for n in rest if n not in _PROCESS_IDS]) - 1,
            )
        self._use(tool, tuple(rest), key)

    def _process(self, number: int, tod: int | None, rest: list[str]) -> bool:
        """A row of pidstat: user and process ids in front, the command behind, which may hold blanks."""
        table = self.table
        if table is None:
            return False
        figures = len(table.names) - 1
        ids = 0
        while ids < len(rest) and ids < 3 and (rest[ids].isdigit() or ids == 0 or rest[ids] == "-"):
            ids += 1
        if len(rest) < ids + figures + 1:
            return False
        pid = rest[ids - 1] if rest[ids - 1].isdigit() else rest[max(0, ids - 2)]
        self._add(table, number, tod, [*rest[ids : ids + figures], f"{' '.join(rest[ids + figures :])}:{pid}"])
        return True

    def _pidstat(self, words: list[str]) -> bool:
        if words[:2] == ["#", "Time"]:
            self._timed_header(words[2:])
            return True
        return False

    def _json(self, number: int, text: str) -> bool:
        """A line of ``-o JSON``, however its objects are spread over lines."""
        if text.lstrip()[:1] not in _JSON_STARTS:
            return False
        has_text = bool(text.strip(' \t,{}[]"'))
        seen = False
        for found in self.walk.feed(text, number):
            if found.key == "disk" and "disk_device" in found.values:
                seen = self._json_disk(number, found.values) or seen
        return seen or not has_text or _JSON_NAME.match(text.lstrip(" \t{[")) is not None

    def _json_report(self, number: int) -> None:
        """A new host or a new report, where the objects around are others than those of the disk before."""
        host = next((one for one in reversed(self.walk.around) if "nodename" in one.values), None)
        if host is not None and host is not self.of_host:
            self.of_host = host
            self.run = self.out.interned["sysstat"] = _new_run(self.section)
            self._printed_on(str(host.values["nodename"] or "") or None)
        report = next((one for one in reversed(self.walk.around) if not one.is_list), None)
        if report is not None and report is not self.of_report:
            self.of_report = report
            self._json_stamp(str(report.values.get("timestamp") or ""))
            self._report(number)

    def _json_stamp(self, value: str) -> None:
        day, _, clock = value.replace("T", " ").partition(" ")
        if match := re.match(r"(\d{1,4})([-/.])(\d{1,2})[-/.](\d{1,4})$", day):
            self._on_day(_day(match[1], match[2], match[3], match[4]))
        words = clock[:8].split() + clock[8:].split()
        tod = _clock(words[0], words[1] if len(words) > 1 else None) if words else None
        if tod is not None:
            self._move_to(tod)

    def _json_disk(self, number: int, row: Mapping[str, Scalar]) -> bool:
        self._json_report(number)
        names = ("Device", *("%util" if name == "util" else name for name in row if name != "disk_device"))
        self._use("iostat -x" if "util" in row else "iostat -d", names, 0)
        if self.table is None:
            return False
        self.table.lines.append(number)
        self.table.cells.append([str(row["disk_device"]), *(str(v) for k, v in row.items() if k != "disk_device")])
        return True


def _is_row(words: list[str], key: int) -> bool:
    """Figures at both ends, beside the key."""
    return (
        words[-1][0] in _NUMBER_STARTS and words[1][0] in _NUMBER_STARTS if key == 0 else words[0][0] in _NUMBER_STARTS
    )


def _is_header(rest: list[str]) -> bool:
    is_name = rest[1][0] not in _NUMBER_STARTS or rest[1].endswith("/s")  # an interrupt is named by its number
    return is_name and (rest[-1][0].isalpha() or rest[-1][0] == "%") and not rest[1].isdigit()


def _clock(text: str, half: str | None) -> int | None:
    tod = time_of_day(text)
    if tod is None or half is None:
        return tod
    hours = tod // 3_600_000_000
    return tod + ((hours % 12) + (12 if half == "PM" else 0) - hours) * 3_600_000_000


def _day(first: str, mark: str, second: str, third: str) -> int | None:
    """Days since 1970 of a printed date: year first, or day first with dots, or month first (day first where it can be
    nothing else).
    """
    a, b, c = int(first), int(second), int(third)
    if len(first) == 4:
        year, month, day = a, b, c
    elif mark == "." or a > 12:
        year, month, day = c, b, a
    else:
        year, month, day = c, a, b
    us = wall(year if year >= 100 else 2000 + year, month, day, 0)
    return None if us is None else us // DAY_US


def _new_run(section: OpenSection) -> _Run:
    run = _Run(section.prompt_line)
    command = section.command
    if command is not None and command.program in ("iostat", "sar", "mpstat", "pidstat"):
        figures = [word for word in command.args if re.fullmatch(r"\d{1,6}", word)]
        run.interval_s = float(figures[0]) if figures and float(figures[0]) > 0 else None
        run.skips_first = any(
            word.startswith("-") and not word.startswith("--") and "y" in word for word in command.args
        )
    return run


@parser(
    "sysstat",
    version=3,
    product="storage",
    claims=_CLAIMS,
    owns=_OWNS,
    commands=("iostat", "sar", "mpstat", "pidstat", "sadf"),
)
def sysstat(section: OpenSection, out: Output) -> None:
    """``iostat``, ``sar``, ``mpstat``, ``pidstat``: tables by the words of their headers."""
    run = out.interned.get("sysstat")
    if not isinstance(run, _Run) or run.prompt_line != section.prompt_line:
        run = out.interned["sysstat"] = _new_run(section)
    if run.host and section.node is None:
        section.speaks_of(node=run.host, basis="header")
    reader = _Reader(section, out, run)
    read_table(section, out, reader.feed, "no row of a table of sysstat")
    for table in reader.tables.values():
        table.flush(out)
