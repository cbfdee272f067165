"""Files that say how a cluster of VCS is built: ``/etc/gabtab``, ``main.cf``; and the volboot file of VxVM (``vxdctl
list``).

    /sbin/gabconfig -c -n4                      cluster shop (
                                                    UseFence = SCSI3
    Volboot file                                    )
    version: 3/1                                system carp1 (
    hostid:  carp1                                  )
    cluster protocol version: 140               group web_sg (
    defaultdg: datadg                               SystemList = { carp1 = 0, carp2 = 1 }
                                                    )
                                                DiskGroup web_dg (
                                                    DiskGroup = webdg
                                                    )
                                                web_ip requires web_nic

Yields ``Setting``: flags of ``gabconfig``, lines of the volboot file, and of main.cf each attribute with the cluster,
group or resource that it is of (of a resource also its group); ``NodeAlias`` of each system. A value that goes over
several lines is kept with its first one; comments and the tree of dependencies are passed over. No times, and no node
but that of the place. Source: gabconfig(1M), vxdctl(1M), Cluster Server administrator's guide 7 and 8.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records import NodeAlias, Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_NAME: Final = r"[A-Za-z0-9_][\w.-]{0,126}"
_GABTAB: Final = r"(?:/sbin/|/usr/sbin/)?gabconfig -[a-zA-Z]"
_FLAG = re.compile(r"-(?P<flag>[nmtfi]) ?(?P<value>\d{1,9})(?!\S)|-(?P<lone>[cxkKerRdsCEUu]{1,4})(?!\S)")


def _setting(section: OpenSection, line: Line, source: str, name: str, value: str, scope: str | None = None) -> None:
    section.add(Setting, line.number, source=source, name=name, value=value, scope=scope)


@parser(
    "gabtab",
    version=1,
    product="veritas",
    claims=r"(?!)",
    owns=rf"(?:{_GABTAB}|#)",
    places=r"(?:^|[\s/!_.-])gabtab(?![\w])",
)
def gabtab(section: OpenSection, out: Output) -> None:
    """``/etc/gabtab``: how many systems have to be there before the cluster forms."""
    for line in section:
        text = line.text.partition("#")[0].strip()
        found = list(_FLAG.finditer(text))
        if not found:
            if text:
                out.skip(line, "no flags of gabconfig")
            else:
                out.ignore()
            continue
        for flag in found:
            if flag["flag"]:
                _setting(section, line, "gabtab", f"gabconfig -{flag['flag']}", flag["value"])
            else:
                _setting(section, line, "gabtab", f"gabconfig -{flag['lone']}", "on")


_VOLBOOT: Final = "Volboot file"
_OF_VOLBOOT: Final = re.compile(
    r"(?P<name>version|seqno|cluster protocol version|hostid|hostguid|defaultdg|bootdg|disk|dgname|reconfig state)"
    r" {0,4}: {0,12}(?P<value>\S.{0,200})$"
)


@parser(
    "volboot",
    version=1,
    product="veritas",
    claims=rf"{_VOLBOOT}$",
    owns=rf"(?:{_VOLBOOT}$|{_OF_VOLBOOT.pattern})",
    places=r"\bvxdctl list\b|(?:^|/)volboot$",
)
def volboot(section: OpenSection, out: Output) -> None:
    """``vxdctl list``: what the volume manager reads at its start."""
    for line in section:
        text = line.text.strip()
        if (match := _OF_VOLBOOT.match(text)) is not None:
            _setting(section, line, "vxdctl list", match["name"], match["value"])
            if match["name"] == "hostid" and re.fullmatch(r"[A-Za-z][\w.-]{0,126}", match["value"]):
                section.is_on(match["value"], stays=False)
        elif text == _VOLBOOT:
            out.frame()
        else:
            out.skip(line, "no setting of the volboot file")


_HEAD: Final = re.compile(rf"(?P<sort>cluster|system|group|[A-Z]\w{{1,60}}) +(?P<name>\"[^\"]{{1,120}}\"|{_NAME}) *\($")
_ATTRIBUTE: Final = re.compile(r"(?P<name>[A-Za-z]\w{0,60})(?: ?@[\w.-]{1,127})? *= *(?P<value>\S.{0,2000})$")
_TREE: Final = re.compile(
    rf"{_NAME} requires (?:group )?{_NAME}(?: .{{0,60}})?$|requires group {_NAME}(?: .{{0,60}})?$"
)
_MAIN: Final = (
    r"include \"[\w./-]{1,120}\"|(?:cluster|system|group) +(?:\"[^\"]{1,120}\"|[\w.-]{1,127}) *\($"
    r"|[A-Z]\w{1,60} +[\w.-]{1,127} *\($"
)
_OF_MAIN: Final = re.compile(
    rf"(?:{_MAIN}|{_HEAD.pattern.replace('?P<sort>', '?:').replace('?P<name>', '?:')}"
    rf"|{_ATTRIBUTE.pattern.replace('?P<name>', '?:').replace('?P<value>', '?:')}"
    rf"|{_TREE.pattern}|[\s){{}}]*$|//|/\*|\*|[\"\w.\-/]{{1,200}}(?: = [\w.-]{{1,200}})?[,\s}}]{{0,8}}$)"
)


def _is_of_main(text: str, before: str) -> bool:
    return _OF_MAIN.match(text.strip()) is not None


@parser(
    "main_cf",
    version=1,
    product="veritas",
    claims=r"include \"(?:types|\w{2,40}[Tt]ypes)\.cf\"$",
    owns=_is_of_main,
    places=r"(?:^|[\s/!_.-])main\.cf(?![\w])",
)
def main_cf(section: OpenSection, out: Output) -> None:
    """``main.cf``: cluster, systems, groups and resources with their attributes."""
    state = section.state
    for line in section:
        text = line.text.strip()
        if state.get("open"):
            state["open"] = state["open"] + _depth(text)
            out.frame()
        elif (head := _HEAD.match(text)) is not None:
            _head(section, out, line, head)
        elif (match := _ATTRIBUTE.match(text)) is not None and state.get("thing"):
            _setting(section, line, "main.cf", match["name"], match["value"], state["thing"])
            state["open"] = max(0, _depth(match["value"]))
        elif _TREE.match(text) or text.startswith(("include ", "//", "/*", "*")) or not text.strip("(){} "):
            out.frame()
        else:
            out.skip(line, "no attribute of the cluster")


def _head(section: OpenSection, out: Output, line: Line, head: re.Match[str]) -> None:
    """A cluster, system, group or resource begins."""
    sort, name = head["sort"], head["name"].strip('"')
    if sort == "system":
        section.add(NodeAlias, line.number, node=name, alias=name, kind="name")
        section.state["thing"] = f"system {name}"
        return
    section.state["thing"] = f"{sort} {name}"
    if sort == "group":
        section.state["group"] = name
        out.frame()
    elif sort == "cluster":
        _setting(section, line, "main.cf", "cluster", name)
    else:
        _setting(section, line, "main.cf", "group", section.state.get("group") or "unknown", f"{sort} {name}")


def _depth(text: str) -> int:
    return text.count("{") - text.count("}")
