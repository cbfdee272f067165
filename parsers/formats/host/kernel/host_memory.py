"""``vmstat``, ``free`` and ``/proc/meminfo`` of Linux, ``vmstat`` of Solaris, AIX and HP-UX: memory, blocked processes,
waiting for I/O.

    procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu----- -----timestamp-----
     r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st                 UTC
     2  0      0 279471 295968 312724    0    0     1     3   29   57  0  0 99  0  0 2031-03-16 20:33:13
    System configuration: lcpu=8 mem=32768MB                                                         AIX
     r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa
                  total        used        free      shared  buff/cache   available
    Mem:       32780480     2133440    18220032       10020    12427008    30151236
    MemAvailable:   30151236 kB                                                                      /proc/meminfo

Yields ``Counter`` (gauge), names by the header. The first row of ``vmstat`` tells about the time since boot: its source
says so. Memory of ``vmstat`` is KiB, bi and bo are KiB/s; ``free`` is in the unit asked for; ``/proc/meminfo`` has its
names of memory and swap. Times: from ``-t``, else
by the interval of the command. On AIX and HP-UX, where ``pi`` and ``po`` are moves of the paging space, the source
names the system; the first row of AIX counts like the others. Tolerated: headers printed again, cut rows, other
columns, wide ones (``-w``). Source: vmstat(8), free(1), vmstat(1M); the columns of AIX and HP-UX are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.dataclass import dataclass
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.stretches import read_table
from parsers.times.clock import Instant, find_instant

_PROCS: Final = r"-{0,8}(?:procs|kthr)-{0,8} ?-{0,24} {0,12}-{0,48} ?memory|procs -{6,12}[^\W\d_]{4,12}-{6,12} ?-"
_NAMES: Final = r"r {1,24}b {1,24}(?:w {1,24})?(?:swpd|swap|avm) {1,40}free?\s"
_NAMES_ELSEWHERE: Final = r"r {1,24}b {1,24}swpd(?: {1,40}[^\W\d]{3,12}){3} {1,20}si {1,20}so\s"
_SYSTEM: Final = r"System configuration: lcpu=\d"
_AIX_COLUMNS: Final = "fre"
_VM_ROW: Final = (
    r"\d{1,6}\s{1,24}\d{1,6}\s{1,24}\d{1,16}(?:\s{1,40}-?\d{1,16}(?:[.,]\d{1,3})?){3,24}"
    r"(?:\s{1,40}\d{4}-\d\d-\d\d \S{1,24}|\s{1,40}\d\d:\d\d:\d\d){0,1}\s{0,8}$"
)
_FIGURE: Final = re.compile(r"-?\d{1,19}(?:[.,]\d{1,3})?")
"""A cell: shared processors of AIX are printed in parts (``pc``, ``ec``)."""
_MEMORY: Final = frozenset(("swpd", "free", "buff", "cache", "inact", "active", "swap"))
_CLOCK: Final = ("hr", "mi", "se")
_OF_MEMORY: Final = ("free", "buff", "cache")
_FREE_HEAD: Final = (
    r"(?:total|totale|totaal|gesamt|insgesamt|razem|celkem|\u0432\u0441\u0435\u0433\u043e|\u5408\u8a08|\u603b\u8ba1)\s{1,20}"
    r"(?:used|usado|usada|utilizado|benutzt|belegt|utilis\u00e9|usata|usato|gebruikt|u\u017cyte|pou\u017eito"
    r"|\u0437\u0430\u043d\u044f\u0442\u043e|\u4f7f\u7528|\u5df2\u7528)\s{1,20}\S"
)
_FREE_ROW: Final = r"(?:[^\W\d][\w.]{1,12})\s{0,2}:\s{1,30}\d[\d.,]{0,16}[BKMGTPi]{0,3}\s{1,30}\d|-/\+ buffers/cache:"
_FREE_NAMES: Final = ("total", "used", "free", "shared", "buff/cache", "available")
_FREE_ROWS: Final = ("Mem", "Swap")
"""What the columns and rows are called where a host speaks another language: their order is the same in all."""


@dataclass(slots=True)
class _Vmstat:
    """Rows of vmstat below their names."""

    section: OpenSection
    out: Output
    names: list[str]
    rows: int = 0
    at: int | None = None
    interval_s: float | None = None

    def feed(self, number: int, text: str) -> bool:
        """Whether the line was understood."""
        words = text.split()
        if words[0] in ("kthr", "System") or words[0].startswith(("procs", "---", "--procs")):
            return True
        if words[:2] == ["r", "b"]:
            self.names = [name for name in words if not (len(name) > 2 and name.isupper())]
            if tuple(self.names[-3:]) == _CLOCK:  # one cell in the rows: 10:11:05
                del self.names[-3:]
            if words[2:3] == ["swpd"] and words[6:8] == ["si", "so"]:
                self.names[3:6] = _OF_MEMORY  # in the words of any language
            return True
        if (
            len(words) < len(self.names)
            or not self.names
            or not all(_FIGURE.fullmatch(word) for word in words[: len(self.names)])
        ):
            return False
        self._row(number, text, words)
        return True

    def _row(self, number: int, text: str, words: list[str]) -> None:
        self.rows += 1
        self._time(text, len(words) > len(self.names))
        system = " of AIX" if _AIX_COLUMNS in self.names else " of HP-UX" if "avm" in self.names else ""
        source = "vmstat (since boot)" if self.rows == 1 and system != " of AIX" else f"vmstat{system}"
        section = self.section
        self.out.extend(
            Counter,
            line=number,
            node=section.node,
            source=source,
            name=[*dict.fromkeys(self.names)],
            kind="gauge",
            unit=[
                "KiB" if name in _MEMORY else "KiB/s" if name in ("bi", "bo") else ""
                for name in dict.fromkeys(self.names)
            ],
            value=[
                *{name: float(word.replace(",", ".")) for name, word in zip(self.names, words, strict=False)}.values()
            ],
            at=self.at,
            zone_min=section.zone_min,
            interval_s=None if self.rows == 1 else self.interval_s,
            sample=number,
        )

    def _time(self, text: str, stamped: bool) -> None:
        found = find_instant(text[-40:]) if stamped else None
        if found is None:
            first = self.section.at if self.rows == 1 else self.at
            step = self.interval_s if self.rows > 1 else 0.0
            self.at = first + round(step * 1e6) if first is not None and step is not None else None
            return
        if self.at is not None and found[0].us > self.at:
            self.interval_s = (found[0].us - self.at) / 1e6
        self.at = found[0].us
        self.section.stamp(Instant(found[0].us, found[0].zone_min))


@parser(
    "vmstat",
    version=2,
    product="",
    claims=rf"(?:{_PROCS}|{_NAMES}|{_NAMES_ELSEWHERE}|{_SYSTEM})",
    owns=rf"(?:{_PROCS}|{_NAMES}|{_NAMES_ELSEWHERE}|{_SYSTEM}|{_VM_ROW}|-{{3,40}}(?: -{{3,40}}){{3,8}}\s{{0,8}}$)",
    commands=("vmstat",),
)
def vmstat(section: OpenSection, out: Output) -> None:
    """``vmstat``: a row per interval."""
    state = section.state
    reader = state.setdefault("reader", _Vmstat(section, out, [], interval_s=_interval(section)))
    reader.section = section
    read_table(section, out, reader.feed, "no row of vmstat")


def _interval(section: OpenSection) -> float | None:
    command = section.command
    figures = (
        [word for word in command.args if re.fullmatch(r"\d{1,6}", word)]
        if command and command.program == "vmstat"
        else []
    )
    return float(figures[0]) if figures and float(figures[0]) > 0 else None


@parser("free", version=2, product="", claims=_FREE_HEAD, owns=rf"(?:{_FREE_HEAD}|{_FREE_ROW})", commands=("free",))
def free(section: OpenSection, out: Output) -> None:
    """``free``: memory and swap as printed, in any language under the English names."""
    names: list[str] = []
    rows: list[str] = []
    for line in section:
        words = line.text.replace(" :", ":").split()
        if re.match(_FREE_HEAD, line.text.strip()):
            is_english = words[:3] == ["total", "used", "free"]
            names = words if is_english else [*_FREE_NAMES[: len(words)]]
            rows = [] if is_english else [*_FREE_ROWS]
        elif words[0] == "-/+" or not names or len(words) > len(names) + 1:
            out.ignore()
        elif kept := _figures(rows.pop(0) if rows else words[0].rstrip(":"), names, words[1:]):
            out.extend(
                Counter,
                line=line.number,
                node=section.node,
                source="free",
                name=[*kept],
                kind="gauge",
                unit=_unit(section),
                value=[*kept.values()],
                at=section.at,
                zone_min=section.zone_min,
                sample=line.number,
            )
        else:
            out.skip(line, "no figures of memory")


def _figures(row: str, names: list[str], words: list[str]) -> dict[str, float]:
    """The amounts of a row that can be read, by the names of row and column."""
    amounts = {f"{row} {name}": _amount(word) for name, word in zip(names, words, strict=False)}
    return {name: amount for name, amount in amounts.items() if amount is not None}


def _amount(text: str) -> float | None:
    match = re.fullmatch(r"(\d{1,16}(?:[.,]\d{1,4})?)(?:([BKMGTP])i?B?)?", text)
    if match is None:
        return None
    scale = {"B": 1 / 1024, "K": 1.0, "M": 1024.0, "G": 1024.0**2, "T": 1024.0**3, "P": 1024.0**4}
    return float(match[1].replace(",", ".")) * scale.get(match[2] or "K", 1.0)


def _unit(section: OpenSection) -> str:
    options = " ".join(section.command.args) if section.command and section.command.program == "free" else ""
    return "MiB" if "-m" in options else "GiB" if "-g" in options else "B" if "-b" in options else "KiB"


_KERNEL_ROW: Final = r"[A-Z][A-Za-z_]{1,24}(?:\([a-z]{2,8}\))?:\s{1,30}\d{1,16}(?: kB)?\s{0,4}$"
_KERNEL: Final = {
    "MemTotal": "Mem total",
    "MemFree": "Mem free",
    "MemAvailable": "Mem available",
    "Buffers": "Mem buffers",
    "Cached": "Mem cached",
    "SwapTotal": "Swap total",
    "SUnreclaim": "Mem unreclaimable",
    "HugePages_Total": "Huge pages",
}
_KERNEL_FIRST: Final = (
    rf"(?:(?:{'|'.join(_KERNEL)}|SwapFree|Committed_AS|Dirty):\s{{1,30}}\d{{1,16}} kB"
    r"|HugePages_Total:\s{1,30}\d{1,12}$)"
)


@parser("meminfo", version=4, product="", claims=_KERNEL_FIRST, owns=_KERNEL_ROW)
def meminfo(section: OpenSection, out: Output) -> None:
    """``/proc/meminfo``: what ``free`` shows of it, under the names that it has there; the rest is everyday."""
    for line in section:
        name, _, rest = line.text.strip().partition(":")
        value = float(rest.split()[0])
        if name == "SwapTotal":
            section.state["swap"] = value
        if name == "SwapFree" and (swap := section.state.get("swap")) is not None:
            name, value = "Swap used", swap - value
        if name == "HardwareCorrupted" and value > 0:
            state = f"{value:.0f} KiB taken out of use after errors"
            section.add(
                ListedState,
                line.number,
                source="/proc/meminfo",
                name="memory",
                state=state,
                standing="wrong",
                row=state,
            )
        if (shown := _KERNEL.get(name, name if name == "Swap used" else None)) is None:
            out.everyday()
            continue
        if name == "HugePages_Total":
            section.add(Setting, line.number, source="sysctl", name="vm.nr_hugepages", value=f"{value:.0f}")
        section.add(
            Counter,
            line.number,
            source="/proc/meminfo",
            name=shown,
            kind="gauge",
            unit="KiB",
            value=value,
            sample=line.number,
        )
