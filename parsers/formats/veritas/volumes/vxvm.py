"""Veritas Volume Manager: layout (``vxprint -ht``), replication (``vxprint -Pl``, ``-Vl``, ``vxrlink status``), tasks
(``vxtask list``).

    v  rolls        -            ENABLED  ACTIVE   2097152  SELECT    rolls-01 fsgen
    pl rolls-01     rolls        ENABLED  ACTIVE   2097152  STRIPE    4/128    RW

    Rlink:    rlk_ouse_rolls                                               TASKID  PTID TYPE/STATE    PCT   PROGRESS
    state:    state=ACTIVE                                                    162       RDWRBACK/R 06.54%
    0/8388608/548864 RDWRBACK rolls
              synchronous=off latencyprot=off srlprot=autodcm
    flags:    write enabled attached consistent connected asynchronous

    VxVM VVR vxrlink INFO V-5-1-4640 Rlink rlk_ouse_rolls has 16 outstanding writes, occupying 2112 Kbytes (81%) on the
    SRL

Yields ``DiskName`` per volume (with its state), ``Setting`` for columns and width of a stripe (sectors of 512 bytes)
and for what a replication link says of itself, ``Counter`` for the share of the log in use, outstanding writes and the
progress of tasks. Scope: volume or link. Tolerated: cut rows, titles missing. Source: vxprint(1M), vxrlink(1M),
vxtask(1M); all layouts are recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.veritas.command_objects import group_of
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Counter, DiskName, Setting
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_STATE: Final = r"(?:ENABLED|DISABLED|DETACHED|-)"
_TITLE: Final = r"(?:DG|DM|V|PL|SD) NAME\s{1,20}(?:NCONFIG|DEVICE|RVG|VOLUME|PLEX)\b"
_GROUP: Final = r"dg\s{1,12}(?P<group>\S{1,64})\s{1,80}default\s{1,40}default\s"
_CHOSEN: Final = (
    r"v\s{1,8}(?P<group>\S{1,64})\s{1,40}(?P<volume>\S{1,200})\s{1,40}(?P<state>[A-Z]{4,12})\s{1,40}"
    r"(?P<kernel>ENABLED|DISABLED|DETACHED)$"
)
"""The columns that checks of monitors ask for (``vxprint -F``): group, volume and both states."""
_VOLUME_ROW: Final = (
    rf"v\s{{1,8}}(?P<volume>\S{{1,200}})\s{{1,80}}\S{{1,200}}\s{{1,80}}(?P<kernel>{_STATE})\s{{1,40}}(?P<st"
    r"ate>[A-Z]{2,20})\s{1,40}\d{1,20}"
)
_PLEX_ROW: Final = (
    rf"pl\s{{1,8}}(?P<plex>\S{{1,200}})\s{{1,80}}(?P<volume>\S{{1,200}})\s{{1,80}}(?P<kernel>{_STATE})\s{{1"
    r",40}(?P<state>[A-Z]{2,20})\s{1,40}\S{1,20}\s{1,40}(?P<layout>[A-Z]{4,12}5?)\s{1,40}(?:("
    r"?P<columns>\d{1,4})/(?P<width>\d{1,12})|-)"
)

_LINK_CLAIM: Final = (
    r"(?:Rlink|Rvg):\s{1,40}\S|(?:Volume|Plex):\s{2,40}\S{1,200}$|synchronous=(?:off|override|fail)\b|state:\s{1,40}state=[A-Z]"
    r"|flags:\s{1,40}write (?:enabled|disabled) "
)
_LINK_OWNS: Final = (
    rf"(?:{_LINK_CLAIM}|(?:info|type|policies|layout|subdisk|volume|log|state|assoc|protocol|flags|att|perms|device|vvr_tag|checkpoint|logging|apprecov|recovery|recov_id|exports|guid"
    rf"|remote|policies):\s|\w{{2,40}}=\S|Disk group: {{1,8}}\S{{1,64}}$)"
)
_LINK_NAME = re.compile(r"(Rlink|Rvg|Volume|Plex):\s{1,40}(\S{1,200})")
_GROUP_NAME = re.compile(r"Disk group: {1,8}(\S{1,64})$")
_PAIR = re.compile(r"(?<!\S)(state|synchronous|latencyprot|srlprot|rvg|remote_host|srl|last_tag)=(\S{1,200})")
_FLAGS = re.compile(r"flags:\s{1,40}(\S.{0,400})$")

_RLINK: Final = r"(?:[A-Z][a-z]{2} [A-Z][a-z]{2} .{1,40}|\S{0,8}\s?)?VxVM VVR vxrlink INFO V-5-1-\d{1,6}\s"
_STANDS: Final = (
    r"Rlink (?P<link>\S{1,200}) (?P<full>has a full SRL)\b|DCM is in use on [Rr]link (?P<dcm>\S{1,200}?)(?:\.?\s|$)"
    r"|Rlink (?P<off>\S{1,200}) is "
    r"(?P<state>(?:currently )?(?:inactive|detached|disconnected|not connected|paused|stale)\b)"
)
_OUTSTANDING: Final = (
    r"Rlink (?P<link>\S{1,200}) has (?P<writes>\d[\d,]{0,22}) outstanding writes?, occupying "
    r"(?P<size>[\d.,]{1,22}) (?P<unit>[KMGT]?)bytes? \((?P<share>\d{1,3}(?:\.\d{1,3})?)%\)"
)
_FACTORS: Final = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}

_TASK_OBJECT = re.compile(r"(?:\d[\d/]{0,80}\s{1,20})?(?:[A-Z]{2,16}\s{1,20})?(\S{1,200})")


def _group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["group"] = match["group"]


def _group_in_force(section: OpenSection) -> str | None:
    """The disk group of a volume or a disk: the one named above it, else the one that the command asks for."""
    return section.state.get("group") or group_of(section.command)


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(DiskName, line.number, name=match["volume"], state=f"{match['kernel']} {match['state']}")
    _state(section, line, "volume", match["volume"], _group_in_force(section), match["kernel"], match["state"])


def _chosen(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, "volume", match["volume"], match["group"], match["kernel"], match["state"])


_BEING_MADE: Final = ("TEMP", "SNAP")  # beginnings of states of plexes


def _standing(sort: StorageSort, kernel: str, state: str) -> HealthStanding:
    """A volume that is off for want of a start is degraded, one with a worse state failed; a plex lost leaves its
    volume poorer. A plex that is being attached (TEMP, TEMPRM, TEMPRMSD) or copied for a snapshot (SNAPATT, SNAPDONE,
    SNAPTMP) takes writes already: nothing of its volume is lost.
    """
    if kernel == "ENABLED" and sort == "plex" and state == "LOG":
        return "healthy"  # the log of a RAID-5 volume
    if kernel == "ENABLED" and state == "SYNC":
        return "hint"  # its plexes are made alike, or nobody went on with it
    if kernel == "ENABLED" and (state in ("ACTIVE", "-") or state.startswith(_BEING_MADE)):
        return "healthy"
    if kernel == "ENABLED":
        return "degraded"
    if sort == "volume":
        return "degraded" if kernel == "DISABLED" and state in ("CLEAN", "EMPTY") else "failed"
    return "hint" if state in ("CLEAN", "EMPTY", "OFFLINE") or state.startswith(_BEING_MADE) else "degraded"


def _state(
    section: OpenSection, line: Line, sort: StorageSort, name: str, of: str | None, kernel: str, state: str
) -> None:
    is_apart = sort == "plex" and of == "-"  # taken off its volume: no copy of anything is lost with it
    section.add(
        StorageState,
        line.number,
        source="vxprint",
        sort=sort,
        name=name,
        of=None if is_apart else of,
        state=f"{kernel} {state}",
        standing="hint" if is_apart else _standing(sort, kernel, state),
    )


def _plex(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _state(section, line, "plex", match["plex"], match["volume"], match["kernel"], match["state"])
    _setting(section, line, match["volume"], "layout", match["layout"])
    if match["columns"]:
        _setting(section, line, match["volume"], "stripe columns", match["columns"])
        _setting(section, line, match["volume"], "stripe width sectors", match["width"])


_SHORT_ROW: Final = (
    r"(?P<sort>v|pl)\s{1,8}(?P<name>\S{1,200})\s{1,80}(?P<of>\S{1,200})\s{1,80}(?P<kernel>"
    rf"{_STATE})\s{{1,40}}\d{{1,20}}\s{{1,40}}\S{{1,20}}\s{{1,40}}(?P<state>[A-Z]{{2,20}}|-)(?:\s|$)"
)


def _short(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    sort: StorageSort = "volume" if match["sort"] == "v" else "plex"
    of = match["of"] if sort == "plex" else _group_in_force(section)
    _state(section, line, sort, match["name"], of, match["kernel"], match["state"])


_DISK_STANDINGS: Final[dict[str, HealthStanding]] = {
    "FAILING": "degraded", "NODEVICE": "failed", "FAILED": "failed", "REMOVED": "failed",
}  # fmt: skip


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxprint",
        sort="disk",
        name=match["name"],
        of=_group_in_force(section),
        state=match["state"],
        standing=_DISK_STANDINGS.get(match["state"], "healthy"),
    )


def _subdisk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        StorageState,
        line.number,
        source="vxprint",
        sort="subdisk",
        name=match["name"],
        of=match["plex"],
        lies_on=match["disk"],
        state=match["state"],
        standing="degraded",
    )


_DISK_ROW: Final = (
    r"dm\s{1,12}(?P<name>\S{1,200})\s{1,80}\S{1,200}\s{1,80}(?:[a-z]{4,12}(?::\w{1,20})?|-)\s{1,40}(?:\d{1,12}|-)\s{1,40}"
    r"(?:\d{1,20}|-)\s{1,40}(?P<state>NODEVICE|FAILING|FAILED|REMOVED|SPARE|NOHOTUSE|RESERVE|-)$"
)
_LOST_SUBDISK: Final = (
    r"sd\s{1,12}(?P<name>\S{1,200})\s{1,80}(?P<plex>\S{1,200})\s{1,80}"
    r"(?:(?!ENABLED|DISABLED|DETACHED|-)(?P<disk>\S{1,120})\s{1,80}\d{1,20}\s{1,40}\d)?.{1,400}\s"
    r"(?P<state>NDEV|DIS|RLOC|RMOV|FAIL|NODEVICE|REMOVED|IOFAIL|(?:RCOV|d?S|dR)$)\b"
)
_LAYOUT: Final = Rows(
    Row("volume", _VOLUME_ROW, _volume),
    Row("plex", _PLEX_ROW, _plex),
    Row("columns that were asked for", _CHOSEN, _chosen),
    Row("title", _TITLE, fate=Fate.FRAME),
    Row("title of the short form", r"TY NAME\s{1,20}ASSOC\s", fate=Fate.FRAME),
    Row(
        "title of a kind",
        r"(?:SR|VT|DG|ST|DM|RV|RL|CO|CD|V|PL|SD|SV|SC|DC|EX|SP) {1,12}\S",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("disk group of what follows", r"Disk group: {1,8}(?P<group>\S{1,64})$", _group, fate=Fate.FRAME),
    Row("disk group with its defaults", _GROUP, _group, fate=Fate.FRAME),
    Row("disk group", r"dg\s{1,12}(?P<group>\S{1,64})", _group, fate=Fate.EVERYDAY, opens=False),
    Row("short volume or plex", _SHORT_ROW, _short),
    Row("disk in its columns", _DISK_ROW, _disk),
    Row(
        "disk that is gone",
        r"dm\s{1,12}(?P<name>\S{1,200})\s.{1,400}\s(?P<state>NODEVICE|FAILING|FAILED|REMOVED)\b",
        _disk,
        opens=False,
    ),
    Row(
        "subdisk that is gone",
        _LOST_SUBDISK,
        _subdisk,
        opens=False,
    ),
    Row("disk in order", r"dm\s{1,12}\S.{1,400}\s(?:-|SPARE|NOHOTUSE|RESERVE)$", fate=Fate.EVERYDAY, opens=False),
    Row("subdisk in use", r"sd\s{1,12}\S.{1,400}\sENA$", fate=Fate.EVERYDAY, opens=False),
    Row(
        "subdisk of the short form",
        r"sd\s{1,12}\S{1,200}\s{1,80}\S{1,200}\s{1,80}ENABLED\s{1,40}\d{1,20}\s{1,40}\S{1,20}\s{1,40}-(?:\s{1,40}-){0,2}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("data change object", r"dc\s{1,12}\S{1,200}\s{1,80}\S", fate=Fate.EVERYDAY, opens=False),
    also=r"(?:v|pl|dm|sd|sv|sp|sc|rv|rl|co|cd|vt|ex)\s{1,12}\S",
)


@parser("vxprint", version=9, product="veritas", claims=_LAYOUT.claims, owns=_LAYOUT.owns, commands=("vxprint",))
def vxprint(section: OpenSection, out: Output) -> None:
    """``vxprint -ht``: volumes and how they are striped."""
    _LAYOUT.read(section, out, "no volume or plex with its layout")


def _setting(section: OpenSection, line: Line, scope: str | None, name: str, value: str) -> None:
    section.add(Setting, line.number, scope=scope, source="vxprint", name=name, value=value)


@parser("vxprint_links", version=5, product="veritas", claims=_LINK_CLAIM, owns=_LINK_OWNS)
def vxprint_links(section: OpenSection, out: Output) -> None:
    """``vxprint -l``, ``-Pl``, ``-Vl``: volumes, plexes, replication links and groups at length."""
    if "link" not in section.state and (requested := _named_link(section)) is not None:
        section.state["link"], section.state["is_link"] = requested, True
    for line in section:
        text = line.text.strip()
        if name := _LINK_NAME.match(text):
            section.state["link"], section.state["is_link"] = name[2], name[1] == "Rlink"
            section.state["sort"] = _SORTS[name[1]]
        elif group := _GROUP_NAME.match(text):
            section.state["group"] = group[1]
        elif not _property(section, line, text):
            out.skip(line, "no property of a volume or a replication link")


def _property(section: OpenSection, line: Line, text: str) -> bool:
    """A line of what is named above; False where it is none."""
    link = section.state.get("link")
    pairs = _PAIR.findall(text)
    for key, value in pairs:
        _setting(section, line, link, key, value)
    if link is not None and (state := _OWN_STATE.match(text)):
        _object_state(section, line, link, state["state"], state["kernel"])
    flags = _FLAGS.match(text)
    if flags is None:
        return bool(pairs) or "=" in text or ":" in text
    if section.state.get("sort") not in _WITHOUT_FLAGS:
        _setting(section, line, link, "replication flags", " ".join(flags[1].split()))
        if link is not None:
            _link_state(section, line, link, flags[1].split())
    return True


def _named_link(section: OpenSection) -> str | None:
    """The link of which the command asks, for lines of it that were picked out."""
    requested = _NAMED_LINK.search(section.command.text) if section.command is not None else None
    return requested[1] if requested is not None else None


_NAMED_LINK: Final = re.compile(r"\s-(?:P[lq]{1,2}|lP)\s{1,8}([A-Za-z][\w.-]{0,126})")


def _object_state(section: OpenSection, line: Line, name: str, state: str, kernel: str | None) -> None:
    """A link or a group by its own state and that of the kernel: the volumes of a group that is off take no I/O."""
    is_link, sort = section.state.get("is_link"), section.state.get("sort")
    if sort in _WITHOUT_FLAGS:
        _state(section, line, sort, name, _group_in_force(section), kernel or "-", state)
        return
    if is_link and state not in _STATES_FAILED:
        return  # its flags say it
    failed = state in _STATES_FAILED or (kernel in ("DISABLED", "DETACHED") and state != "CLEAN")
    good = state == "ACTIVE" and kernel in (None, "ENABLED")
    section.add(
        StorageState,
        line.number,
        source="vxprint",
        sort="replication link" if is_link else "replicated volume group",
        name=name,
        state=" ".join(word for word in (kernel, state) if word),
        standing="healthy" if good else "failed" if failed else "hint" if state in ("CLEAN", "EMPTY") else "degraded",
    )


_OWN_STATE: Final = re.compile(
    r"state:\s{1,40}state=(?P<state>[A-Z]{2,20})(?: kernel=(?P<kernel>[A-Z]{4,12}))?(?: (?:cdsrecovery|io)=.{1,60})?$"
)
_SORTS: Final[dict[str, StorageSort]] = {
    "Rlink": "replication link", "Rvg": "replicated volume group", "Volume": "volume", "Plex": "plex",
}  # fmt: skip
_WITHOUT_FLAGS: Final = ("volume", "plex")  # theirs tell of no state
_STATES_FAILED: Final = frozenset(("FAIL", "INVALID"))
_LINK_FAILED: Final = frozenset(("inconsistent", "cant_sync", "fail", "needs_recovery"))
_LINK_POORER: Final = frozenset(
    (
        "detached",
        "disconnected",
        "dcm_logging",
        "failback_logging",
        "stale",
        "primary_paused",
        "secondary_paused",
        "resync_paused",
    )
)


def _link_state(section: OpenSection, line: Line, link: str, flags: list[str]) -> None:
    """A link or a group by its flags: where none of them is bad, it replicates."""
    bad = [flag for flag in flags if flag in _LINK_FAILED or flag in _LINK_POORER]
    section.add(
        StorageState,
        line.number,
        source="vxprint",
        sort="replication link" if section.state.get("is_link") else "replicated volume group",
        name=link,
        state=" ".join(bad or flags),
        standing="failed" if _LINK_FAILED & set(bad) else "degraded" if bad else "healthy",
    )


def _waiting(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    link, size = match["link"], match["size"].replace(",", "")
    bytes_waiting = float(size) * _FACTORS[match["unit"]] if size.count(".") <= 1 and size.strip(".") else None
    _put(section, line.number, link, "outstanding writes", float(match["writes"].replace(",", "")), "")
    _put(section, line.number, link, "SRL bytes", bytes_waiting, "B")
    _put(section, line.number, link, "SRL used", float(match["share"]), "%")


def _up_to_date(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line.number, match["link"], "outstanding writes", 0.0, "")
    section.add(
        StorageState,
        line.number,
        source="vxrlink status",
        sort="replication link",
        name=match["link"],
        state="up to date",
        standing="healthy",
    )


def _stands(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A log that ran over, a map in its place, or a link that sends nothing."""
    section.add(
        StorageState,
        line.number,
        source="vxrlink status",
        sort="replication link",
        name=match["link"] or match["dcm"] or match["off"],
        state=match["full"] or match["state"] or "DCM is in use",
        standing="degraded",
    )


def _synchronised(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The first copy of a secondary, which nobody can use before it is whole."""
    section.add(
        StorageState,
        line.number,
        source="vxrlink status",
        sort="replication link",
        name=match["link"],
        state=f"automatic synchronization, {match['left']} kB left",
        standing="hint",
    )


def _behind(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    hours, minutes, seconds = (int(part) for part in match["age"].split(":"))
    _put(section, line.number, match["link"], "behind", float(3600 * hours + 60 * minutes + seconds), "s")


_LINK_STATES: Final = Rows(
    Row("outstanding writes", rf"(?:{_RLINK})?{_OUTSTANDING}", _waiting),
    Row("up to date", rf"(?:{_RLINK})?Rlink (?P<link>\S{{1,200}}) is up to date", _up_to_date),
    Row(
        "behind",
        rf"(?:{_RLINK})?Rlink (?P<link>\S{{1,200}}) is behind by {{1,4}}(?P<age>\d{{1,5}}:\d\d:\d\d)\b",
        _behind,
    ),
    Row(
        "synchronization",
        rf"(?:{_RLINK})?Rlink (?P<link>\S{{1,200}}) is in AUTOSYNC\. {{1,2}}(?P<left>\d{{1,18}}) Kbytes? remaining",
        _synchronised,
    ),
    Row("log or link", rf"(?:{_RLINK})?(?:{_STANDS})", _stands),
    also=_RLINK,
)


_LINK_STATUS: Final = rf"(?:{_RLINK}|{_LINK_STATES.claims})"


@parser("vxrlink", version=6, product="veritas", claims=_LINK_STATUS, owns=_LINK_STATES.owns, commands=("vxrlink",))
def vxrlink(section: OpenSection, out: Output) -> None:
    """``vxrlink status``: how much of the log waits to be sent."""
    _LINK_STATES.read(section, out, "no state of a replication link")


def _begun(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["begun"] = line, match["task"]


def _rest(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What a mail broke off a row."""
    first, task = section.state.pop("begun", (line, ""))
    if task:
        _progress_of(section, first, task, match)


def _task(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _progress_of(section, line, match["task"], match)


def _progress_of(section: OpenSection, line: Line, task: str, match: re.Match[str]) -> None:
    about = _TASK_OBJECT.match(match["progress"] or "")
    name, done = about[1] if about else None, float(match["done"])
    _put(section, line.number, name, task, done, "%")
    if task.endswith(("/P", "/A")):
        section.add(
            StorageState,
            line.number,
            source="vxtask list",
            sort="volume",
            name=name,
            state=f"{task[:-2]} {'paused' if task.endswith('P') else 'aborting'} at {done:g} %",
            standing="degraded",
        )


_TASKS: Final = Rows(
    Row("heading", r"TASKID\s{1,20}PTID\s{1,20}TYPE/STATE\b", fate=Fate.FRAME),
    Row(
        "task",
        r"(?:\d{1,9}|-)\s{1,40}(?:(?:\d{1,9}|-)\s{1,40})?(?P<task>[A-Z]{2,16}/[A-Z])\s{1,40}"
        r"(?P<done>\d{1,3}(?:\.\d{1,3})?)%(?:\s{1,40}(?P<progress>\S.{0,400}))?$",
        _task,
    ),
    Row(
        "task whose rest was broken off",
        r"(?:\d{1,9}|-)\s{1,40}(?:(?:\d{1,9}|-)\s{1,40})?(?P<task>[A-Z]{2,16}/[A-Z])$",
        _begun,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row(
        "rest of a task",
        r"(?P<done>\d{1,3}(?:\.\d{1,3})?)%\s{1,40}(?P<progress>\S.{0,400})$",
        _rest,
        opens=False,
    ),
    also=r"\d{1,9}\s{1,40}(?:(?:\d{1,9}|-)\s{1,40})?[A-Z]{2,16}/[A-Z](?:\s|$)|\d{1,3}(?:\.\d{1,3})?%\s",
)


@parser("vxtask", version=6, product="veritas", rows=_TASKS, commands=("vxtask",))
def vxtask(section: OpenSection, out: Output) -> None:
    """``vxtask list``: resynchronisation and other long tasks."""
    _TASKS.read(section, out, "no task with its type and progress")


def _put(section: OpenSection, line: int, scope: str | None, name: str, value: float | None, unit: str) -> None:
    source = "vxtask list" if "/" in name else "vxrlink status"
    section.add(
        Counter,
        line,
        scope=scope,
        source=source,
        name=name,
        unit=unit,
        value=value,
        sample=section.prompt_line or line,
    )
