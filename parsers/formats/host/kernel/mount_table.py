"""Mounted file systems and those to be mounted: ``mount``, ``/proc/mounts``, ``mnttab``, ``fstab``, ``vfstab``,
``cfsmntadm display -v``.

    /dev/vx/dsk/rollsdg/rolls on /srv/rolls type vxfs (rw,cluster,noatime)                     mount of Linux
    /dev/vx/dsk/rollsdg/rolls on /srv/rolls type vxfs rw/cluster/delaylog on Tue Mar  5 ...    mount -v of Solaris,
    HP-UX
    /srv/rolls on /dev/vx/dsk/rollsdg/rolls rw/cluster/delaylog on Tue Mar  5 ...              mount of Solaris, HP-UX
    /dev/vx/dsk/rollsdg/rolls /srv/rolls vxfs cluster,noatime 0 2                              fstab, /proc/mounts,
    mnttab
    /dev/vx/dsk/rollsdg/rolls /dev/vx/rdsk/rollsdg/rolls /srv/rolls vxfs 2 yes cluster         vfstab
    /srv/rolls  Regular  rolls  rollsdg  MOUNTED  cluster,noatime                              cfsmntadm display -v

Yields for each VxFS mount a ``Setting`` per option with the mount as scope (``on`` where it has no value, and
``type``), and a ``DiskName`` that joins volume, device and mount. Source ``mount``: in force, and a
``ServiceState`` of a cluster mount, which may be for reading alone; ``fstab``: set at the next mount, with a
``status`` where ``cfsmntadm`` says that it is not mounted; ``mount table``: one of the two. Rows of
other file systems in the forms of Solaris and HP-UX are read over; ``mounts`` reads those of Linux. Order of the
columns of ``mount`` on AIX and of ``cfsmntadm`` is recalled. Tolerated: cut rows. Source: mount_vxfs(1M), vfstab(4),
cfsmntadm(1M), fstab(5), proc(5).
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.formats.host.kernel.mount_options import tell_shared
from parsers.headings.paths import normal_mount
from parsers.output import Output
from parsers.records import DiskName, Setting
from parsers.records.states import ServiceStanding, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_OPTIONS: Final = r"(?:read only[/,])?[A-Za-z0-9_=,.:/+%@-]{1,2000}"
_LINUX: Final = r"\S{1,1024} on /\S{0,1023} type vxfs \("
_TYPED: Final = rf"\S{{1,1024}} on /\S{{0,1023}} type \w{{1,40}} {_OPTIONS} on [A-Z]"
_READ_ONLY: Final = "read only"
"""As Solaris writes it."""
_POOLED: Final = r"(?:read only|read|remote|rw|ro)[/,][A-Za-z0-9_=,.:/+%@-]{1,2000}"
"""Options of a data set or of what a server exports, whose devices look like any word."""
_SOLARIS: Final = (
    rf"/\S{{0,1023}} on (?:/dev/\S{{1,1000}} {_OPTIONS}|[\w.:/@-]{{1,1000}} {_POOLED}) on [A-Z][a-z]{{2}} "
)
_TABLE: Final = r"\S{1,1024}\s{1,80}/\S{0,1023}\s{1,80}vxfs\s{1,80}[^\s\d]\S{0,2000}\s{1,80}\d{1,12}(?:\s|$)"
_MNTTAB: Final = r"\S{1,1024}\s{1,80}/\S{0,1023}\s{1,80}[a-z]{2,12}\s{1,80}\S{1,2000}\s{1,80}\d{9,11}$"
_VFSTAB: Final = (
    r"\S{1,1024}\s{1,80}(?:/dev/\S{1,1000}|-)\s{1,80}(?:/\S{0,1023}"
    r"|-)\s{1,80}[a-z]{2,12}\s{1,80}[\d-]\s{1,80}(?:yes|no)(?:\s|$)"
)
_AIX: Final = r"/dev/\S{1,1000}\s{1,80}/\S{0,1023}\s{1,80}vxfs\s{1,40}[A-Z][a-z]{2} \d\d \d\d:\d\d\s"
_CLUSTERED: Final = (
    r"/\S{0,1023}\s{1,80}(?:\S{1,60}\s{1,80})?\S{1,200}\s{1,80}\S{1,200}\s{1,80}(?:NOT "
    r")?(?:MOUNTED|REMOUNTED|ERROR)(?:\s{1,80}\S|$)"
)
_CLUSTER_TITLE: Final = (
    r"(?:MOUNT POINT\s(?:[A-Z ]{1,160}MOUNT OPTIONS|\s{0,60}TYPE\s[A-Z ]{1,120}STATUS)\s{0,8}$"
    r"|Cluster Configuration for Node: )"
)
_OF_NODE: Final = re.compile(r"Cluster Configuration for Node: {1,8}(?P<node>[A-Za-z0-9][\w.-]{0,126})$")
_VFSTAB_TITLE: Final = r"#device\s{1,40}device\s"
_CLAIMS: Final = rf"(?:{_LINUX}|{_TYPED}|{_SOLARIS}|{_TABLE}|{_VFSTAB}|{_AIX}|{_CLUSTER_TITLE}|{_VFSTAB_TITLE})"
_OWNS: Final = rf"(?:{_CLAIMS}|{_MNTTAB}|{_CLUSTERED}|#|Cluster Configuration for Node)"

_ROWS: Final = (
    (
        "mount",
        re.compile(
            r"(?P<device>\S{1,1024}) on (?P<mount>/\S{0,1023}) type (?P<type>\w{1,40}) \((?P<options>[^()]{0,4000})\)"
        ),
    ),
    (
        "mount",
        re.compile(
            r"(?P<device>\S{1,1024}) on (?P<mount>/\S{0,1023}) type (?P<type>\w{1,40}) "
            rf"(?P<options>{_OPTIONS}) on [A-Z]"
        ),
    ),
    (
        "mount",
        re.compile(
            rf"(?P<mount>/\S{{0,1023}}) on (?P<device>/dev/\S{{1,1000}}) (?P<options>{_OPTIONS}) on [A-Z][a-z]{{2}} "
        ),
    ),
    (
        "mount",
        re.compile(
            rf"(?P<mount>/\S{{0,1023}}) on (?P<device>[\w.:/@-]{{1,1000}}) (?P<options>{_POOLED}) on [A-Z][a-z]{{2}} "
        ),
    ),
    (
        "mount",
        re.compile(
            r"(?P<device>/dev/\S{1,1000})\s{1,80}(?P<mount>/\S{0,1023})\s{1,80}(?P<type>vxfs)\s{1,40}[A-Z]"
            r"[a-z]{2} \d\d \d\d:\d\d(?:\s{1,40}(?P<options>\S{1,2000}))?"
        ),
    ),
    (
        "fstab",
        re.compile(
            r"(?P<device>\S{1,1024})\s{1,80}\S{1,1024}\s{1,80}(?P<mount>/\S{0,1023}"
            r"|-)\s{1,80}(?P<type>[a-z]\w{1,40})\s{1,80}[\d-]\s{1,80}(?:yes"
            r"|no)(?:\s{1,80}(?P<options>\S{1,2000}))?"
        ),
    ),
    (
        "",
        re.compile(
            r"(?P<device>\S{1,1024})\s{1,80}(?P<mount>/\S{0,1023}|none"
            r"|-)\s{1,80}(?P<type>[a-z][\w.]{1,40})\s{1,80}(?P<options>\S{1,2000})\s{1,80}\d{1,12}(?:\s|$)"
        ),
    ),
)
_CLUSTER_ROW = re.compile(
    r"(?P<mount>/\S{0,1023})\s{1,80}(?:(?P<sort>\S{1,60})\s{1,80})?(?P<volume>\S{1,200})\s{1,80}(?P<group>"
    r"\S{1,200})\s{1,80}(?P<status>(?:NOT "
    r")?(?:MOUNTED|REMOUNTED|ERROR))(?:\s{1,80}(?P<options>\S{1,2000}))?\s{0,8}$"
)
_STANDINGS: Final[dict[str, ServiceStanding]] = {"MOUNTED": "online", "REMOUNTED": "online", "NOT MOUNTED": "offline"}
_VOLUME: Final = re.compile(r"/dev/vx/dsk/(?:([^/\s]{1,200})/)?([^/\s]{1,200})$")


class _Mount(NamedTuple):
    """One VxFS mount: its device where shown, its options, and its status where it is not mounted."""

    mount: str
    device: str | None
    options: str
    source: str
    status: str = ""
    state: str = ""


@parser("mount_table", version=6, product="", claims=_CLAIMS, owns=_OWNS, commands=("mount", "cfsmntadm"), priority=-1)
def mount_table(section: OpenSection, out: Output) -> None:
    """Mounts of VxFS with their options; all other file systems are read over."""
    for line in section:
        text = line.text.strip()
        found = _clustered(text) or _row(section, text)
        if found is not None:
            _add(section, out, line.number, found)
        elif heading := _OF_NODE.match(text):
            section.state["of"] = heading["node"]
            out.ignore()
        elif not _other(text):
            out.skip(line, "no device, mount point, type and options")
        else:
            out.ignore()


def _row(section: OpenSection, text: str) -> _Mount | None:
    """A row of a mount table, where it is one of VxFS."""
    for source, pattern in _ROWS:
        match = pattern.match(text)
        if match is None:
            continue
        groups = match.groupdict()
        device = groups["device"]
        if groups.get("type", "vxfs" if device.startswith("/dev/vx/") else "") == "vxfs" and groups["mount"].startswith(
            "/"
        ):
            return _Mount(
                normal_mount(groups["mount"]) or "/", device, groups["options"] or "", source or _place(section)
            )
        return None
    return None


def _place(section: OpenSection) -> str:
    """Whether a table lists what is mounted or what is to be mounted: by the command or the path."""
    where = section.command.text if section.command is not None else section.path
    if "fstab" in where:
        return "fstab"
    return "mount" if any(word in where for word in ("mounts", "mnttab", "mtab", "mountinfo")) else "mount table"


def _clustered(text: str) -> _Mount | None:
    """A row of ``cfsmntadm display -v``."""
    match = _CLUSTER_ROW.match(text)
    if match is None:
        return None
    stated = match["options"]  # a table without the column of options says nothing of them
    options = ",".join(part for part in ("cluster", stated) if part != "-") if stated else ""
    mounted = match["status"] in ("MOUNTED", "REMOUNTED")
    return _Mount(
        normal_mount(match["mount"]) or "/",
        f"/dev/vx/dsk/{match['group']}/{match['volume']}",
        options,
        "mount" if mounted else "fstab",
        "" if mounted else match["status"],
        match["status"],
    )


def _other(text: str) -> bool:
    """A title, a remark, or a whole row of another file system."""
    return text.startswith(("#", "MOUNT POINT", "Cluster Configuration")) or any(
        pattern.match(text) for _, pattern in _ROWS
    )


def _add(section: OpenSection, out: Output, line: int, found: _Mount) -> None:
    node = section.state.get("of") or section.node  # cfsmntadm speaks of each node of the cluster
    options = _options(found.options)
    pairs = [("type", "vxfs"), *options]
    if found.status:
        pairs.append(("status", found.status))
    if found.state:
        section.add(
            ServiceState,
            line,
            node=node,
            source="cfsmntadm display",
            sort="mount",
            group=found.mount,
            on=node,
            state=found.state,
            standing=_STANDINGS.get(found.state, "unknown"),
        )
    elif found.source == "mount" and ("cluster", "on") in options:
        tell_shared(section, line, found.mount, "vxfs", ",".join(name for name, _ in options), "mount")
    out.extend(
        Setting,
        line=[line] * len(pairs),
        node=node,
        scope=found.mount,
        source=found.source,
        name=[name for name, _ in pairs],
        value=[value for _, value in pairs],
        at=section.at,
        zone_min=section.zone_min,
    )
    volume = _VOLUME.match(found.device or "")
    if volume is not None:
        out.add(
            DiskName(
                line=line,
                name=volume[2],
                device=found.device,
                node=node,
                fs=found.mount,
                pool=volume[1],
                at=section.at,
            )
        )


def _options(text: str) -> list[tuple[str, str]]:
    """``rw,mincache=direct``, or with slashes: name and value; ``on`` where it stands alone."""
    text = text.replace(_READ_ONLY, "ro")
    parts = text.replace("/", ",").split(",") if "," not in text else text.split(",")
    named = (part.strip().partition("=") for part in parts)
    return list(dict.fromkeys((name, value or "on") for name, _, value in named if name and name not in ("-", "dev")))
