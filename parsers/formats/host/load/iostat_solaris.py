"""``iostat -x`` and ``iostat -xn`` of Solaris, and ``iostat -x`` of FreeBSD: I/O per device and second.

                        extended device statistics
        r/s    w/s   kr/s   kw/s wait actv wsvc_t asvc_t  %w  %b device
        0.0    2.3    0.5   18.2  0.0  0.0    0.0    5.1   0   1 c2t3d0
    device    r/s    w/s   kr/s   kw/s wait actv  svc_t  %w  %b
    ssd4     12.0    0.0   96.0    0.0  0.0  0.4   33.1   0  40
    device       r/s     w/s     kr/s     kw/s  ms/r  ms/w  ms/o  ms/t qlen  %b
    da1           12      50    110.2   1900.1   410   902     0   806   44 100

Yields ``DiskIo`` per second, reads and writes together (the tool gives one service time): ``mean_ms`` is asvc_t, svc_t
or ms/t, ``queue_ms`` is wsvc_t, ``queue`` is qlen or waiting plus active. kr/s are 1024 bytes. The first report tells
about the time since boot: its source says so. Time: from a line of ``-T d`` or above, else by the interval of the
command. Tolerated: error columns of ``-e``, processor tables of ``-c``, decimal commas, cut rows. Source: iostat(1M)
of Solaris 8 to 11, iostat(8) of FreeBSD.
"""

from __future__ import annotations

import re
from typing import Any, Final

from parsers.formats.host.load.sysstat_tables import figure
from parsers.output import Output
from parsers.records import DiskIo
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_TITLE: Final = r"extended device statistics(?:\s{1,80}(?:cpu|tty|errors)\b.{0,60})?\s{0,20}$"
_HEADER: Final = r"(?:device\s{1,20})?r/s\s{1,12}w/s\s{1,12}kr/s\s{1,12}kw/s\s"
_CLAIMS: Final = rf"(?:{_TITLE}|{_HEADER})"
_NUMBERS: Final = r"\d[\d.,]{0,14}(?:\s{1,20}\d[\d.,]{0,14}){3,20}"
_OWNS: Final = (
    rf"(?:{_CLAIMS}|(?:\S{{1,128}}\s{{1,40}})?{_NUMBERS}(?:\s{{1,20}}\S{{1,200}})?\s{{0,20}}$|(?:tty|cpu)\b"
    r"|us\s+sy\s|tin\s+tout\s)"
)
_INTERVAL = re.compile(r"\d{1,6}")


@parser("iostat_solaris", version=4, product="storage", claims=_CLAIMS, owns=_OWNS, commands=("iostat",))
def iostat_solaris(section: OpenSection, out: Output) -> None:
    """``iostat -x`` of Solaris: rows by the words of the header."""
    names: list[str] | None = None
    run = _run_of(section, out)
    for line in section:
        words = line.text.split()
        if words[0] == "extended":
            names = None
        elif "r/s" in words and "kw/s" in words:
            names = words
            run["reports"] += 1
        elif (
            names is None
            or len(words) != len(names)
            or not _add(section, out, run, line, dict(zip(names, words, strict=True)))
        ):
            if words[0] in ("tty", "cpu", "us", "tin") or names is None:
                out.ignore()
            else:
                out.skip(line, "no row of a table of iostat")


def _run_of(section: OpenSection, out: Output) -> dict[str, Any]:
    """A run goes on over the date lines between its reports: then the time of the section moved on."""
    run = out.interned.get("iostat_solaris")
    later = run is not None and section.at is not None and run["at"] is not None and section.at > run["at"]
    place = (section.prompt_line, section.node)
    if not isinstance(run, dict) or run["place"] != place or not later:
        run = {"place": place, "reports": 0, "at": None, "interval": _interval(section)}
    elif run["at"] is not None and section.at is not None:
        run["interval"] = (section.at - run["at"]) / 1e6
    run["at"] = section.at
    run["base"] = run["reports"] + 1
    out.interned["iostat_solaris"] = run
    return run


def _interval(section: OpenSection) -> float | None:
    command = section.command
    if command is None or command.program != "iostat":
        return None
    figures = [float(word) for word in command.args if _INTERVAL.fullmatch(word)]
    return figures[0] if figures and figures[0] > 0 else None


def _add(section: OpenSection, out: Output, run: dict[str, Any], line: Line, row: dict[str, str]) -> bool:
    reads, writes = figure(row.get("r/s", "")), figure(row.get("w/s", ""))
    if "device" not in row or reads is None or writes is None:
        return False
    first = run["reports"] == 1
    source = "iostat -xn" if "asvc_t" in row else "iostat -x"
    section.add(
        DiskIo,
        line.number,
        at=_at(section, run),
        source=f"{source} (since boot)" if first else source,
        device=row["device"],
        per_s=True,
        count=reads + writes,
        bytes=_total(row, "kr/s", "kw/s", 1024.0),
        mean_ms=figure(row.get("asvc_t", row.get("svc_t", row.get("ms/t", "")))),
        queue_ms=figure(row.get("wsvc_t", "")),
        util=figure(row.get("%b", "")),
        queue=figure(row["qlen"]) if "qlen" in row else _total(row, "wait", "actv", 1.0),
        interval_s=None if first else run["interval"],
    )
    return True


def _at(section: OpenSection, run: dict[str, Any]) -> int | None:
    steps = run["reports"] - run["base"]
    if section.at is None or steps == 0:
        return section.at
    return section.at + round(steps * run["interval"] * 1e6) if run["interval"] else None


def _total(row: dict[str, str], one: str, other: str, unit: float) -> float | None:
    a, b = figure(row.get(one, "")), figure(row.get(other, ""))
    return None if a is None or b is None else round((a + b) * unit, 3)
