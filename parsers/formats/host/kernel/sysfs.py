"""Values that somebody printed out of ``/sys``: cards, adapters, sessions, arrays, memory controllers, slots.

    /sys/class/net/eth7/operstate:down                            # cat /sys/class/fc_host/host9/speed
    /sys/class/infiniband/mlx5_9/ports/1/state:1: DOWN            8 Gbit
    /sys/block/md9/md/degraded = 1                                # cat /sys/class/net/eth7/carrier
    /sys/devices/system/edac/mc/mc0/ue_count: 2                   0

A value behind or below the path of its file, or the only line of a file or of a command that prints one. Yields
``Interface`` for the link of a card, ``Setting`` for speeds and sizes of packets, ``Counter`` for errors of adapters,
``StorageState`` for sessions and arrays, ``HealthState`` for ports of InfiniBand, memory controllers and slots that run
narrower than they can. Other values below these folders are everyday. States of disks and their ports are read by
``scsi_devices``. Source: the kernel's Documentation/ABI.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from parsers.grammars.cells import is_whole
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import HealthStanding, HealthState, Interface, StorageStanding, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_SOURCE: Final = "sysfs"
_NO_COUNT: Final = (2**32 - 1, 2**64 - 1)
"""Of a counter that the adapter does not have."""


def _setting(section: OpenSection, line: Line, of: str, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=of, source=_SOURCE, name=name, value=value)


def _card(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    """The link of a card; ``carrier`` can only be read where somebody switched the card on."""
    card, file = path["card"], path["file"]
    is_up, is_down = value in ("up", "1"), value in ("down", "lowerlayerdown", "notpresent", "0")
    if file in ("operstate", "carrier") and (is_up or is_down):
        section.add(
            Interface,
            line.number,
            source=_SOURCE,
            name=card,
            state=f"{file} {value}",
            standing="up" if is_up else "down",
        )
    elif file == "speed" and is_whole(value) and value != "0":
        _setting(section, line, card, "Speed", f"{value}Mb/s")
    elif file == "duplex":
        _setting(section, line, card, "Duplex", value)
    elif file == "mtu":
        _setting(section, line, card, "mtu", value)


def _adapter(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    if path["file"] == "speed" and (speed := re.match(r"\d{1,4} Gbit\b", value)):
        _setting(section, line, path["host"], "Speed", f"{speed[0]}/s")
    elif path["statistics"] and (number := _number(value)) is not None and number not in _NO_COUNT:
        _count(section, line, path["host"], path["file"], number)


def _count(section: OpenSection, line: Line, of: str, name: str, number: int) -> None:
    section.add(
        Counter,
        line.number,
        scope=of,
        source=_SOURCE,
        name=name,
        kind="cumulative",
        value=float(number),
        sample=line.number,
    )


def _number(value: str) -> int | None:
    """Statistics of adapters are hexadecimal."""
    if re.fullmatch(r"0x[\da-f]{1,16}", value):
        return int(value, 16)
    return int(value) if is_whole(value) else None


def _port(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    port, file = f"{path['device']}/{path['port']}", path["file"]
    if file == "rate":
        _setting(section, line, port, "rate", value)
    elif file == "state" and (state := re.match(r"(?:\d: )?([A-Z_]{3,20})$", value)):
        standing: HealthStanding = "healthy" if state[1] == "ACTIVE" else "hint" if state[1] == "DOWN" else "degraded"
        _health(section, line, f"port {port}", state[1].lower(), standing)
    elif path["counters"] and (number := _number(value)) is not None:
        _count(section, line, port, file, number)


def _health(section: OpenSection, line: Line, component: str, state: str, standing: HealthStanding) -> None:
    section.add(HealthState, line.number, source=_SOURCE, component=component, state=state, standing=standing)


def _session(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    if path["file"] == "state":
        standing: StorageStanding = "healthy" if value == "LOGGED_IN" else "degraded"
        section.add(
            StorageState,
            line.number,
            source=_SOURCE,
            sort="session",
            name=path["session"],
            state=f"iSCSI session {value}",
            standing=standing,
        )


def _array(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    file = path["file"]
    standing: StorageStanding | None = None
    if file == "degraded" and is_whole(value):
        standing = "degraded" if int(value) else "healthy"
    elif file == "array_state":
        standing = "failed" if value in ("inactive", "broken") else "healthy"
    if standing is not None:
        shown = f"{value} of its members missing" if file == "degraded" else value
        section.add(
            StorageState,
            line.number,
            source=_SOURCE,
            sort="array",
            name=path["array"],
            state=shown,
            standing=standing,
        )


def _memory(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    """Errors of memory since the start: ``ue_count`` could not be corrected, ``ce_count`` could."""
    file = path["file"]
    if file in ("ue_count", "ce_count") and is_whole(value):
        standing: HealthStanding = "healthy" if value == "0" else "degraded" if file == "ue_count" else "hint"
        sort = "not corrected" if file == "ue_count" else "corrected"
        _health(section, line, f"memory {path['controller']}", f"{value} errors {sort}", standing)


def _slot(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    """A card with fewer lanes than it and its slot can: both files are needed, in either order."""
    known = section.state.setdefault(f"slot {path['slot']}", {})
    if path["file"] in ("current_link_width", "max_link_width") and is_whole(value, 3):
        known[path["file"]] = int(value)
        now, most = known.get("current_link_width"), known.get("max_link_width")
        if now is not None and most is not None:
            standing: HealthStanding = "degraded" if 0 < now < most else "healthy"
            _health(section, line, f"PCIe card {path['slot']}", f"x{now} of x{most} lanes", standing)


def _disk(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    """What a disk is set to, and requests of it that ended in an error since the start."""
    if path["file"] in _ENDED:
        if (number := _number(value)) is not None:
            _count(section, line, path["disk"], path["file"], number)
    else:
        _setting(section, line, path["disk"], path["file"], value)


def _parameter(section: OpenSection, line: Line, path: re.Match[str], value: str) -> None:
    _setting(section, line, path["module"], f"parameter {path['file']}", value)


_ENDED: Final = ("ioerr_cnt", "iotmo_cnt")
_OF_DISK: Final = (
    r"ioerr_cnt|iotmo_cnt|timeout|eh_timeout|queue_type|max_sectors_kb|rq_affinity|nomerges|wbt_lat_usec|io_timeout"
    r"|write_cache|rotational|add_random"
)
_Put = Callable[[OpenSection, Line, "re.Match[str]", str], None]
_SORTS: Final[tuple[tuple[str, _Put], ...]] = (
    (r"class/net/(?P<card>[\w.@:-]{1,40})/(?P<file>[a-z]\w{1,40})", _card),
    (
        r"class/fc_host/(?P<host>host\d{1,4})/(?P<statistics>statistics/)?(?P<file>(?!port_state)[a-z]\w{1,40})",
        _adapter,
    ),
    (
        r"class/infiniband/(?P<device>[\w.-]{1,40})/ports/(?P<port>\d{1,3})/(?P<counters>(?:hw_)?counters/)?"
        r"(?P<file>[a-z]\w{1,40})",
        _port,
    ),
    (r"class/iscsi_session/(?P<session>session\d{1,5})/(?P<file>[a-z]\w{1,40})", _session),
    (r"(?:block|devices/virtual/block)/(?P<array>md[\w-]{1,20})/md/(?P<file>[a-z]\w{1,40})", _array),
    (rf"block/(?P<disk>[\w!.-]{{1,40}})/(?:device|queue)/(?P<file>(?:{_OF_DISK}))\b", _disk),
    (r"module/(?P<module>\w{1,40})/parameters/(?P<file>\w{1,60})", _parameter),
    (r"devices/system/edac/mc/(?P<controller>mc\d{1,3})/(?P<file>[a-z]\w{1,40})", _memory),
    (r"bus/pci/devices/(?P<slot>[\da-f]{4,8}:[\da-f:.]{4,11})/(?P<file>[a-z]\w{1,40})", _slot),
)
_PATHS: Final = tuple((re.compile(rf"/sys/{path}(?![\w/*?\[{{])"), put) for path, put in _SORTS)
_UNNAMED: Final = "|".join(re.sub(r"\?P<\w+>", "?:", path) for path, _ in _SORTS)
_PLACE: Final = rf"/sys/(?:{_UNNAMED})(?![\w/*?\[{{])"


_COUNT: Final = r"0x[\da-f]{1,16}|\d{1,20}"
_FORMS: Final = {
    "operstate": re.compile(r"up|down|unknown|lowerlayerdown|dormant|notpresent|testing"),
    "carrier": re.compile(r"[01]"),
    "speed": re.compile(r"-1|\d{1,7}|\d{1,4} Gbit|[Uu]nknown|Not Negotiated|\d{1,4} Gbit, .{1,60}"),
    "degraded": re.compile(r"\d{1,4}"),
    "ue_count": re.compile(r"\d{1,18}"),
    "ce_count": re.compile(r"\d{1,18}"),
    "state": re.compile(r"(?:\d: )?[A-Z_]{3,20}"),
}
"""What a file can hold; any other one anything."""


_SENT: Final = re.compile(r"(?:\S{0,60}/)?(?:pdsh|xdsh|dsh|mmdsh|clush|updatenode|parallel-ssh|pssh|tentakel|for)\b")
_OF_NODE: Final = re.compile(r"(?P<node>[A-Za-z][\w.-]{1,80}):[ \t]{1,8}")
"""In front of a value that a remote shell printed."""


def _put(section: OpenSection, line: Line, path: str, value: str) -> bool:
    """Whether the file can hold the value."""
    value = value.strip().strip('"')
    for pattern, put in _PATHS:
        if match := pattern.match(path):
            groups = match.groupdict()
            is_count = groups.get("statistics") or groups.get("counters")
            form = re.compile(_COUNT) if is_count else _FORMS.get(groups["file"])
            if form is not None and form.fullmatch(value) is None:
                return False
            put(section, line, match, value)
            return True
    return False


def _path_alone(section: OpenSection) -> str | None:
    """The file that a loop named above its value, or the one that was printed; of several it is not known which."""
    text = section.command.text if section.command is not None else section.path or ""
    found = [one[0] for one in re.finditer(_PLACE, text)]
    path: str | None = section.state.pop("path", found[0] if len(found) == 1 else None)
    return path


def _alone(section: OpenSection, text: str) -> str:
    """A value without the node that a shell of many put in front of it."""
    if section.command is not None and _SENT.match(section.command.text):
        sent = _OF_NODE.match(text)
        if sent is not None:
            section.speaks_of(node=sent["node"])
            return text[sent.end() :]
    return text


_BEHIND: Final = rf"(?P<path>{_PLACE})(?:: ?| ?= ?|\s{{1,8}})(?P<value>\S.{{0,120}})$"
_ABOVE: Final = rf"(?P<path>{_PLACE}):?$"
_ROWS: Final = Rows(
    Row("value of a file", _BEHIND),
    Row("path above a value", _ABOVE),
    Row("value alone", r"[\w\"-][\w .:()\"/-]{0,60}$", opens=False),
)


@parser("sysfs", version=4, product="", rows=_ROWS, places=_PLACE)
def sysfs(section: OpenSection, out: Output) -> None:
    """Values of files below ``/sys``."""
    for line in section:
        text, before = line.text.strip(), out.rows
        if above := re.match(_ABOVE, text):
            section.state["path"] = above["path"]
            out.frame()
            continue
        behind = re.match(_BEHIND, text)
        path, value = (behind["path"], behind["value"]) if behind else (_path_alone(section), _alone(section, text))
        if path is None or not _put(section, line, path, value):
            out.skip(line, "no value of a file")
        elif out.rows == before:
            out.everyday()
