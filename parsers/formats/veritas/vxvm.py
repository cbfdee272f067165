"""Veritas Volume Manager: layout (``vxprint -ht``), replication (``vxprint -Pl``, ``-Vl``, ``vxrlink status``), tasks (``vxtask list``).

    v  rolls        -            ENABLED  ACTIVE   2097152  SELECT    rolls-01 fsgen
    pl rolls-01     rolls        ENABLED  ACTIVE   2097152  STRIPE    4/128    RW

    Rlink:    rlk_ouse_rolls                                               TASKID  PTID TYPE/STATE    PCT   PROGRESS
    state:    state=ACTIVE                                                    162       RDWRBACK/R 06.54% 0/8388608/548864 RDWRBACK rolls
              synchronous=off latencyprot=off srlprot=autodcm
    flags:    write enabled attached consistent connected asynchronous

    VxVM VVR vxrlink INFO V-5-1-4640 Rlink rlk_ouse_rolls has 16 outstanding writes, occupying 2112 Kbytes (81%) on the SRL

Yields ``DiskName`` per volume (with its state), ``Setting`` for columns and width of a stripe (sectors of 512 bytes) and for what a
replication link says of itself, ``Counter`` for the share of the log in use, outstanding writes and the progress of tasks. Scope: volume or
link. Tolerated: cut rows, titles missing. Source: vxprint(1M), vxrlink(1M), vxtask(1M); all layouts are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import Counter, DiskName, Setting
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.text import Line

_STATE: Final = r"(?:ENABLED|DISABLED|DETACHED|-)"
_TITLE: Final = r"(?:DG|DM|V|PL|SD) NAME\s{1,20}(?:NCONFIG|DEVICE|RVG|VOLUME|PLEX)\b|dg\s{1,8}\S{1,200}\s{1,80}default\s{1,40}default\s"
_VOLUME: Final = rf"v\s{{1,8}}\S{{1,200}}\s{{1,80}}\S{{1,200}}\s{{1,80}}{_STATE}\s{{1,40}}[A-Z]{{2,20}}\s{{1,40}}\d"
_NAMES: Final = r"\S{1,200}\s{1,80}\S{1,200}\s{1,80}"
_PLEX: Final = rf"pl\s{{1,8}}{_NAMES}{_STATE}\s{{1,40}}[A-Z]{{2,20}}\s{{1,40}}\S{{1,20}}\s{{1,40}}[A-Z]{{4,12}}5?\s"
_TAGS: Final = r"dg|dm|sd|sv|sp|sc|dc|v|pl|rv|rl|co|cd|vt|ex|SR|VT|DG|ST|DM|RV|RL|CO|CD|V|PL|SD|SV|SC|DC|EX|SP"
_LAYOUT_OWNS: Final = rf"(?:{_TITLE}|{_VOLUME}|{_PLEX}|(?:{_TAGS})\s{{1,12}}\S)"
_VOLUME_ROW = re.compile(
    rf"v\s{{1,8}}(\S{{1,200}})\s{{1,80}}\S{{1,200}}\s{{1,80}}({_STATE})\s{{1,40}}([A-Z]{{2,20}})\s{{1,40}}(\d{{1,20}})"
)
_PLEX_ROW = re.compile(
    rf"pl\s{{1,8}}\S{{1,200}}\s{{1,80}}(\S{{1,200}})\s{{1,80}}{_STATE}\s{{1,40}}[A-Z]{{2,20}}\s{{1,40}}\S{{1,20}}\s{{1,40}}([A-Z]{{4,12}}5?)"
    r"\s{1,40}(?:(\d{1,4})/(\d{1,12})|-)"
)

_LINK_CLAIM: Final = r"(?:Rlink|Rvg):\s{1,40}\S|synchronous=(?:off|override|fail)\b"
_LINK_OWNS: Final = rf"(?:{_LINK_CLAIM}|(?:info|state|assoc|protocol|flags|att|perms|checkpoint):\s|\w{{2,40}}=\S)"
_LINK_NAME = re.compile(r"(?:Rlink|Rvg):\s{1,40}(\S{1,200})")
_PAIR = re.compile(r"(?<!\S)(state|synchronous|latencyprot|srlprot|rvg|remote_host|srl|last_tag)=(\S{1,200})")
_FLAGS = re.compile(r"flags:\s{1,40}(\S.{0,400})$")

_RLINK: Final = r"(?:[A-Z][a-z]{2} [A-Z][a-z]{2} .{1,40}|\S{0,8}\s?)?VxVM VVR vxrlink INFO V-5-1-\d{1,6}\s"
_OUTSTANDING = re.compile(
    r"Rlink (\S{1,200}) has (\d{1,18}) outstanding writes?, occupying ([\d.]{1,18}) ([KMGT]?)bytes? \((\d{1,3}(?:\.\d{1,3})?)%\)"
)
_UP_TO_DATE = re.compile(r"Rlink (\S{1,200}) is up to date")
_FACTORS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_TASK_TITLE: Final = r"TASKID\s{1,20}PTID\s{1,20}TYPE/STATE"
_TASK: Final = r"\d{1,9}\s{1,40}(?:\d{1,9}\s{1,40})?[A-Z]{2,16}/[A-Z]\s{1,20}\d{1,3}(?:\.\d{1,3})?%"
_TASK_ROW = re.compile(
    r"\d{1,9}\s{1,40}(?:\d{1,9}\s{1,40})?([A-Z]{2,16}/[A-Z])\s{1,20}(\d{1,3}(?:\.\d{1,3})?)%(?:\s{1,20}\d[\d/]{0,80})?"
    r"(?:\s{1,20}[A-Z]{2,16})?(?:\s{1,20}(\S{1,200}))?"
)


@parser("vxprint", version=1, product="veritas", claims=rf"(?:{_TITLE}|{_VOLUME}|{_PLEX})", owns=_LAYOUT_OWNS, commands=("vxprint",))
def vxprint(section: OpenSection, out: Output) -> None:
    """``vxprint -ht``: volumes and how they are striped."""
    for line in section:
        text = line.text.strip()
        if match := _VOLUME_ROW.match(text):
            state = f"{match[2]} {match[3]}"
            section.add(DiskName, line.number, name=match[1], state=state)
        elif match := _PLEX_ROW.match(text):
            _setting(section, out, line, match[1], "layout", match[2])
            if match[3]:
                _setting(section, out, line, match[1], "stripe columns", match[3])
                _setting(section, out, line, match[1], "stripe width sectors", match[4])
        elif text.startswith(("v ", "pl ")):
            out.skip(line, "no volume or plex with its layout")
        else:
            out.ignore()


def _setting(section: OpenSection, out: Output, line: Line, scope: str | None, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=scope, source="vxprint", name=name, value=value)


@parser("vxprint_links", version=1, product="veritas", claims=_LINK_CLAIM, owns=_LINK_OWNS)
def vxprint_links(section: OpenSection, out: Output) -> None:
    """``vxprint -Pl``, ``-Vl``: replication links and groups."""
    for line in section:
        text = line.text.strip()
        if name := _LINK_NAME.match(text):
            section.state["link"] = name[1]
            continue
        link = section.state.get("link")
        pairs = _PAIR.findall(text)
        for key, value in pairs:
            _setting(section, out, line, link, key, value)
        if flags := _FLAGS.match(text):
            _setting(section, out, line, link, "replication flags", " ".join(flags[1].split()))
        elif not pairs and "=" not in text and ":" not in text:
            out.skip(line, "no property of a replication link")


@parser("vxrlink", version=1, product="veritas", claims=_RLINK, commands=("vxrlink",))
def vxrlink(section: OpenSection, out: Output) -> None:
    """``vxrlink status``: how much of the log waits to be sent."""
    for line in section:
        if match := _OUTSTANDING.search(line.text):
            size = float(match[3]) * _FACTORS[match[4]] if match[3].count(".") <= 1 and match[3].strip(".") else None
            _put(section, out, line, match[1], "outstanding writes", float(match[2]), "")
            _put(section, out, line, match[1], "SRL bytes", size, "B")
            _put(section, out, line, match[1], "SRL used", float(match[5]), "%")
        elif match := _UP_TO_DATE.search(line.text):
            _put(section, out, line, match[1], "outstanding writes", 0.0, "")
        else:
            out.skip(line, "no state of a replication link")


@parser("vxtask", version=1, product="veritas", claims=rf"(?:{_TASK_TITLE}|{_TASK})", commands=("vxtask",))
def vxtask(section: OpenSection, out: Output) -> None:
    """``vxtask list``: resynchronisation and other long tasks."""
    for line in section:
        text = line.text.strip()
        if match := _TASK_ROW.match(text):
            _put(section, out, line, match[3], match[1], float(match[2]), "%")
        elif not re.match(_TASK_TITLE, text):
            out.skip(line, "no task with its type and progress")


def _put(section: OpenSection, out: Output, line: Line, scope: str | None, name: str, value: float | None, unit: str) -> None:
    source = "vxtask list" if "/" in name else "vxrlink status"
    section.add(
        Counter, line.number, scope=scope, source=source, name=name, unit=unit, value=value,
        sample=section.prompt_line or line.number,
    )  # fmt: skip
