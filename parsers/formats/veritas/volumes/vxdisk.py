"""Disks, disk groups and what leads to them: ``vxdisk list``, ``vxdg list``, ``vxdmpadm getdmpnode``, ``listctlr``
and ``listenclosure``.

    DEVICE          TYPE            DISK         GROUP        STATUS             NAME         STATE           ID
    reed0_0b21   auto:cdsdisk    rolls01      rolls        online dgdisabled  rolls        disabled,cds
    1673574122.16.ouse5
    -            -         rolls03      rolls        failed was:reed0_0b25

    NAME                 STATE        ENCLR-TYPE   PATHS  ENBL  DSBL  ENCLR-NAME       CTLR-NAME  ENCLR-TYPE  STATE
    ENCLR-NAME
    reed0_0b22           DISABLED     KESTREL      4      0     4     reed0            c1         KESTREL     DISABLED
    reed0

Yields ``StorageState``: a disk of a group that failed or lost its group has failed, one that is failing is degraded,
and one of no group is only noted; a DMP node without an enabled path has failed, with some lost it is degraded. Groups
in parentheses are imported elsewhere. No times. Source: vxdisk(1M), vxdg(1M), vxdmpadm(1M).
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.command_objects import object_of
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, Setting
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_TYPE: Final = r"(?:auto|sliced|simple|nopriv|cdsdisk|thinrclm)(?::[\w-]{1,24})?"
_OF_ARRAY: Final = re.compile(r"(?!disk_|hdisk)[A-Za-z][A-Za-z0-9-]{1,40}\d_[0-9A-Za-z]{1,40}$", re.IGNORECASE)
_FORMATTED: Final = re.compile(r"\sauto:(?:cdsdisk|hpdisk|simple|sliced)\s")
_STATUS: Final = (
    r"(?:online|offline|error|failed|removed|nolabel|LVM|ZFS|SVM|invalid|ghostdisk|udid|clone|altused)\b.{0,120}"
)


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = match["disk"] if match["disk"] != "-" else match["device"] or "-"
    group = match["group"].strip("()") if match["group"] != "-" else None
    status = re.split(r"\s{2,}|\s(?=hdisk\d|sd[a-z]{1,4}\b|c\dt)", match["status"].strip(), maxsplit=1)[0]
    section.add(
        StorageState,
        line.number,
        source="vxdisk list",
        sort="disk",
        name=name,
        of=group,
        state=status,
        standing=disk_standing(status, in_group=group is not None, has_format=_FORMATTED.search(line.text) is not None),
        identity=_identity(match["device"], match["group"]),
    )


def _identity(device: str | None, group: str) -> str | None:
    """The name that the array gives a disk of a group that is open here: in parentheses stands one that is not."""
    is_open = group != "-" and not group.startswith("(")
    return device if is_open and device is not None and _OF_ARRAY.match(device) is not None else None


def disk_standing(status: str, *, in_group: bool, has_format: bool = False) -> HealthStanding:
    """By the words of a disk's status or of its flags. An error on a disk that nobody has prepared is everyday; one
    whose format is known was read once, and is not any more.
    """
    words = set(re.split(r"[ ,]+", status))
    if "failed" in words or ("error" in words and in_group) or "dgdisabled" in words:
        return "failed"
    if "failing" in words or words & {"udid_mismatch", "iofail", "lfailed", "lmissing"} or "removed was:" in status:
        return "degraded"
    if "error" in words and has_format:
        return "degraded"
    if words & {"error", "offline", "nolabel", "invalid"}:
        return "hint"
    return "healthy"


def _group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = match["state"]
    standing: HealthStanding = "failed" if state.startswith("disabled") else "healthy"
    section.add(
        StorageState,
        line.number,
        source="vxdg list",
        sort="disk group",
        name=match["name"],
        state=state,
        standing=standing,
        identity=match["identity"],
    )


def _title(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["group"] = match["name"]


def _flags(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    flags = (match["flags"] or "").split()
    section.add(
        StorageState,
        line.number,
        source="vxdg list",
        sort="disk group",
        name=section.state.get("group") or object_of(section.command),
        state=" ".join(flags) or "no flags",
        standing="failed" if "disabled" in flags else "healthy",
    )


def _copy(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A copy of the configuration or of the log of a group that is old, or can't be read or written on a disk."""
    section.add(
        StorageState,
        line.number,
        source="vxdg list",
        name=match["disk"],
        of=section.state.get("group") or object_of(section.command),
        state=f"{match['kind']} copy {match['copy']}: {match['state']}",
        standing="degraded",
    )


_SORTS: Final[dict[str, StorageSort]] = {"disk": "disk", "dg": "disk group", "vol": "volume"}
_LISTED_STATES: Final[dict[str, HealthStanding]] = {
    "imported": "healthy", "enabled": "healthy", "healthy": "healthy", "started": "healthy", "free": "healthy",
    "uninitialized": "hint", "deported": "hint", "foreign": "hint", "other": "hint", "stopped": "degraded",
    "degraded": "degraded", "failing": "degraded", "error": "hint", "failed": "failed", "disabled": "failed",
}  # fmt: skip


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state, fields = match["state"].strip(), match.groupdict()
    standing = _LISTED_STATES.get(re.split(r"[ ,]", state)[0], "unknown")
    group = fields.get("of")
    section.add(
        StorageState,
        line.number,
        source="vxlist",
        sort=_SORTS[match["type"]],
        name=match["name"],
        of=group if group not in (None, "-") else None,
        state=state,
        standing="failed" if state.startswith("error") and group not in (None, "-") else standing,
    )


def _stretch(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter,
        line.number,
        scope=match["second"] or match["disk"],
        source="vxdg free",
        name="free",
        unit="sectors",
        value=float(match["length"]),
    )


def _errors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    reads, writes = int(match["reads"]), int(match["writes"])
    section.add(
        StorageState,
        line.number,
        source="vxdmpadm iostat -e",
        sort="disk",
        name=match["name"],
        state=f"{reads} reads and {writes} writes failed",
        standing="degraded" if reads + writes else "healthy",
    )


def _node(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    enabled, disabled = int(match["enabled"]), int(match["disabled"])
    standing: HealthStanding = (
        "failed" if match["state"] == "DISABLED" or not enabled else "degraded" if disabled else "healthy"
    )
    state = f"{match['state']}, {enabled} of {enabled + disabled} paths are enabled"
    section.add(
        StorageState,
        line.number,
        source="vxdmpadm getdmpnode",
        sort="map",
        name=match["name"],
        state=state,
        standing=standing,
    )
    section.add(
        Setting,
        line.number,
        scope=match["name"],
        source="vxdmpadm getdmpnode",
        name="paths",
        value=str(enabled + disabled),
    )


def _controller(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    standing: HealthStanding = "degraded" if match["state"].startswith("DISABLED") else "healthy"
    section.add(
        StorageState,
        line.number,
        source="vxdmpadm listctlr",
        sort="controller",
        name=match["name"],
        of=match["enclosure"],
        state=match["state"],
        standing=standing,
    )


_RULER: Final = Row("ruler", r"={10,200}$", fate=Fate.FRAME, opens=False)
_DISKS: Final = Rows(
    Row(
        "heading", r"DEVICE\s{1,40}TYPE\s{1,40}(?:DISK|DM_NAME|DISKNAME)\s{1,40}GROUP\s{1,40}STATUS\b", fate=Fate.FRAME
    ),
    Row(
        "disk",
        # A disk that is away has neither device nor type; what has only one of them is a sentence with a dash.
        rf"(?:(?P<device>\S{{1,120}})\s{{1,60}}(?:{_TYPE})|-\s{{1,60}}-)\s{{1,60}}"
        r"(?P<disk>\S{1,120})\s{1,60}(?P<group>"
        rf"\S{{1,120}})\s{{1,60}}(?P<status>{_STATUS})$",
        _disk,
    ),
)
_GROUPS: Final = Rows(
    Row("heading", r"NAME\s{1,40}STATE\s{1,40}ID$", fate=Fate.FRAME),
    Row(
        "group",
        r"(?P<name>\S{1,120})\s{1,40}(?P<state>(?:enabled|disabled"
        r"|deported)[\w,_]{0,120})\s{1,40}(?P<identity>[\d.]{6,40}\.\S{1,128})$",
        _group,
    ),
    Row("title", r"Group:\s{1,40}(?P<name>\S{1,120})$", _title, fate=Fate.FRAME),
    Row("flags", r"flags:(?:\s{1,40}(?P<flags>\S.{0,200}))?$", _flags, opens=False),
    Row(
        "property",
        r"(?:dgid|import-id|version|alignment|ssb|autotagging|detach-policy|dg-fail-policy|ioship|copies|config|log|minor"
        r"|local-activation|cluster-actv-modes|clusterid|cluster-name|storage-class|base-minor|disk-fail\S{0,20}"
        r"|[a-z]{2,20}(?:[-_][a-z]{2,20}){1,3}):\s",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "copy that failed or is old",
        r"(?P<kind>config|log) disk\s{1,20}(?P<disk>\S{1,120})\s{1,20}copy\s{1,8}(?P<copy>\d{1,3})\s{1,8}"
        r"(?=.{0,80}\b(?:failed|stale)\b).{0,60}\bstate=(?P<state>[a-z].{0,60})$",
        _copy,
        opens=False,
    ),
    Row("copy", r"(?:config|log) disk\s{1,20}\S{1,120}\s{1,20}copy\s{1,8}\d", fate=Fate.EVERYDAY, opens=False),
    Row("transactions", r"config-tid=\S{1,40}\spending-tid=", fate=Fate.EVERYDAY, opens=False),
    Row("why", r"Error: error=\S.{0,120}$", fate=Fate.EVERYDAY, opens=False),
)
_LISTED: Final = Rows(
    Row(
        "heading", r"TY\s{1,40}(?:DEVICE|DISKGROUP|VOLUME|PLEX|FS|TARGET_ID|HBA_ID|HOST)\s{1,60}[A-Z]", fate=Fate.FRAME
    ),
    Row(
        "disk",
        r"(?P<type>disk)\s{1,40}(?P<name>\S{1,120})\s{1,60}\S{1,120}\s{1,60}(?P<of>\S{1,120})\s{1,60}\S{1,20}\s{1,40}\S{1,20}\s{1,40}"
        r"(?P<state>[a-z][\w ]{2,40})$",
        _listed,
        opens=False,
    ),
    Row(
        "group",
        r"(?P<type>dg)\s{1,40}(?P<name>\S{1,120})\s{1,60}\S{1,20}\s{1,60}(?P<state>[a-z][\w,]{2,40})\s{1,60}\S{1,120}$",
        _listed,
        opens=False,
    ),
    Row(
        "volume",
        r"(?P<type>vol)\s{1,40}(?P<name>\S{1,120})\s{1,60}(?P<of>\S{1,120})\s{1,60}[\d.]{1,12}[a-z]?\s{1,60}(?P<state>[a-z]\w{2,40})\s",
        _listed,
        opens=False,
    ),
    also=r"(?:fs|pl|targ|hba|host|plex)\s{1,40}\S",
)
_FREE: Final = Rows(
    Row(
        "heading",
        r"(?:GROUP\s{1,40})?DISK\s{1,40}DEVICE\s{1,40}TAG\s{1,40}OFFSET\s{1,40}LENGTH\s{1,40}FLAGS$",
        fate=Fate.FRAME,
    ),
    Row(
        "stretch",
        r"(?P<disk>\S{1,120})\s{1,60}(?:(?P<second>\S{1,120})\s{1,60})?\S{1,120}\s{1,60}\S{1,120}\s{1,60}\d{1,20}\s{1,40}"
        r"(?P<length>\d{1,20})\s{1,40}[\w-]{1,8}$",
        _stretch,
        opens=False,
    ),
)
_ERRORS: Final = Rows(
    Row("title", r"ERROR I/Os$", fate=Fate.FRAME),
    Row(
        "heading",
        r"(?:PATHNAME|DMPNODENAME|CTLRNAME|ENCLRNAME)\s{1,40}READS\s{1,40}WRITES$",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("counts", r"(?P<name>\S{1,120})\s{1,60}(?P<reads>\d{1,18})\s{1,40}(?P<writes>\d{1,18})$", _errors, opens=False),
)
_NODES: Final = Rows(
    Row("heading", r"NAME\s{1,60}STATE(?:\[\S{1,4}\])?\s{1,40}ENCLR-TYPE\s{1,40}PATHS\s", fate=Fate.FRAME),
    _RULER,
    Row(
        "node",
        r"(?P<name>\S{1,120})\s{1,60}(?P<state>ENABLED"
        r"|DISABLED)\S{0,8}\s{1,60}\S{1,60}\s{1,60}\d{1,5}\s{1,40}(?P<enabled>\d{1,5})\s{1,40}(?P<disabled"
        r">\d{1,5})\s",
        _node,
    ),
)
_CONTROLLERS: Final = Rows(
    Row("heading", r"CTLR-NAME\s{1,40}ENCLR-TYPE\s{1,40}STATE\b", fate=Fate.FRAME),
    _RULER,
    Row(
        "controller",
        r"(?P<name>\S{1,40})\s{1,40}\S{1,60}\s{1,40}(?P<state>(?:ENABLED"
        r"|DISABLED)\S{0,8})\s{1,40}(?P<enclosure>\S{1,80})(?:\s{1,40}\d{1,6}(?:\s{1,40}\S{1,40})?)?$",
        _controller,
    ),
)


@parser("vxdisk", version=6, product="veritas", rows=_DISKS, commands=("vxdisk",))
def vxdisk(section: OpenSection, out: Output) -> None:
    """``vxdisk list`` in its short form: disks with group and status."""
    _DISKS.read(section, out, "no disk with its status")


@parser("vxlist", version=1, product="veritas", rows=_LISTED, commands=("vxlist",))
def vxlist(section: OpenSection, out: Output) -> None:
    """``vxlist``: disks, groups and volumes with one word for each."""
    _LISTED.read(section, out, "no disk, group or volume with its status")


@parser("vxdg_free", version=1, product="veritas", rows=_FREE)
def vxdg_free(section: OpenSection, out: Output) -> None:
    """``vxdg free``: stretches of disks that nothing uses."""
    _FREE.read(section, out, "no stretch of a disk")


@parser("dmp_errors", version=1, product="veritas", rows=_ERRORS)
def dmp_errors(section: OpenSection, out: Output) -> None:
    """``vxdmpadm iostat show -e``: requests that failed, by path."""
    _ERRORS.read(section, out, "no path with its failed requests")


@parser("vxdg", version=4, product="veritas", rows=_GROUPS, commands=("vxdg",))
def vxdg(section: OpenSection, out: Output) -> None:
    """``vxdg list``: imported disk groups."""
    _GROUPS.read(section, out, "no disk group with its state")


@parser("dmp_nodes", version=1, product="veritas", rows=_NODES)
def dmp_nodes(section: OpenSection, out: Output) -> None:
    """``vxdmpadm getdmpnode``: DMP nodes with their paths counted."""
    _NODES.read(section, out, "no DMP node with its paths")


def _enclosure(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxdmpadm listenclosure",
        sort="array",
        name=match["name"],
        state=match["state"],
        standing="healthy" if match["state"] == "CONNECTED" else "failed",
    )


_ENCLOSURES: Final = Rows(
    Row("section of a monitor", r"<<<vxvm_enclosures(?::[\w()]{1,40})?>>>$", fate=Fate.FRAME),
    Row("heading", r"ENCLR_NAME\s{1,40}ENCLR_TYPE\s{1,40}ENCLR_SNO\s{1,40}STATUS\b", fate=Fate.FRAME),
    _RULER,
    Row(
        "enclosure",
        r"(?P<name>[\w.-]{1,80})\s{1,60}[\w.-]{1,80}\s{1,60}\S{1,80}\s{1,60}"
        r"(?P<state>(?:DIS)?CONNECTED)\s{1,40}\S{1,40}(?:\s{1,40}\S{1,40}){0,4}$",
        _enclosure,
    ),
)


@parser("dmp_enclosures", version=1, product="veritas", rows=_ENCLOSURES)
def dmp_enclosures(section: OpenSection, out: Output) -> None:
    """``vxdmpadm listenclosure``: arrays as DMP reaches them."""
    _ENCLOSURES.read(section, out, "no enclosure with its status")


@parser("dmp_controllers", version=2, product="veritas", rows=_CONTROLLERS)
def dmp_controllers(section: OpenSection, out: Output) -> None:
    """``vxdmpadm listctlr``: controllers with their state."""
    _CONTROLLERS.read(section, out, "no controller with its state")
