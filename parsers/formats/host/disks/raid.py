"""Tools of RAID controllers: MegaCli, StorCLI and perccli, hpacucli and ssacli, arcconf, tw_cli, sas2ircu, omreport,
cciss_vol_status, mpt-status, cli64, mvcli, megarc, afacli, and what the driver ``gdth`` says in ``/proc``.

    Virtual Drive: 2 (Target Id: 2)             Smart Array P520i in Slot 3 (Embedded)
    State               : Degraded                 logicaldrive 2 (1.8 TB, RAID 5, Interim Recovery Mode)
    Enclosure Device ID: 17                        physicaldrive 2I:1:4 (port 2I:box 1:bay 4, SAS, 600 GB, Failed)
    Slot Number: 4
    Firmware state: Unconfigured(bad)           EID:Slt DID State DG     Size Intf Med SED PI SeSz Model     Sp Type
    Predictive Failure Count: 3                 17:4      9 UBad   -  1.8 TB  SAS  HDD N   N  512B ST2000NX  U  -
    Logical device number 1                     Unit  UnitType  Status    %RCmpl  %V/I/M  Stripe  Size(GB)  Cache
       Status of logical device : Degraded      u2    RAID-5    DEGRADED  -       -       64K     5587.9    RiW

Yields ``StorageState`` of arrays (failed where they are offline, degraded where a disk is missing or a rebuild runs),
of disks (degraded where they failed, are bad, or say that they soon will; a hint where media errors were counted or a
rebuild runs), of batteries, of write caches that are off though set on, and of controllers. A place without a disk is
no state. All that these lists print besides is everyday. Tolerated: other columns, parts of an output, several
controllers. Source: the manuals of the tools, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.disks.raid_words import standing_of_raid
from parsers.ledger import Fate
from parsers.lookup import claimed
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_TOOLS: Final = (
    "MegaCli",
    "MegaCli64",
    "megacli",
    "megacli64",
    "MegaCLI",
    "CmdTool2",
    "storcli",
    "storcli64",
    "storcli2",
    "perccli",
    "perccli64",
    "hpacucli",
    "hpssacli",
    "ssacli",
    "arcconf",
    "tw_cli",
    "tw-cli",
    "sas2ircu",
    "sas3ircu",
    "cciss_vol_status",
    "mpt-status",
    "cli64",
    "mvcli",
    "omreport",
    "megarc",
    "afacli",
    "aaccli",
)
_NAME: Final = r"[A-Za-z/][\w #/.'()&,%+-]{0,70}?"
_SIGN: Final = r"\s{0,60}[:=]\s{0,60}"
_RULE: Final = re.compile(r"[-=+*]{3,400}$")
_PLAIN: Final = re.compile(r"[A-Za-z][\w .()/&-]{2,60}$")


def _state(
    section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, standing: HealthStanding
) -> None:
    of = section.state.get("of")
    if name is None and of is not None:
        name, of = of.removeprefix("controller ") if sort == "controller" else f"of {of}", None
    section.add(
        StorageState,
        line.number,
        source="raid controller",
        sort=sort,
        name=name or "of the controller",
        of=of,
        state=" ".join(state.split()),
        standing=standing,
        node=section.state.get("node") or section.node,
    )


def _stands(section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str) -> bool:
    """Put how a thing stands, where its word says so."""
    standing = standing_of_raid(sort, state)
    if standing is not None:
        _state(section, line, sort, name, state, standing)
    return standing is not None


def _thing(section: OpenSection) -> tuple[StorageSort, str | None]:
    """What the lines speak of: its sort, and its name below its controller."""
    found: tuple[StorageSort, str | None] = section.state.get("thing") or ("controller", None)
    return found


def _of(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A controller by its slot, else by all that it is called."""
    slot = re.search(r" in Slot (\w+)$", match["of"])
    name = f"controller slot {slot[1]}" if slot else " ".join(match["of"].split())
    section.state["of"], section.state["thing"] = name, ("controller", None)


def _numbered(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["of"], section.state["thing"] = f"controller {match['number']}", ("controller", None)


def _battery(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["number"]:
        section.state["of"] = f"controller {match['number']}"
    section.state["thing"] = ("battery", None)


def _array(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["thing"] = ("array", match["name"])


def _disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["thing"] = ("disk", match["name"])


def _enclosure(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["thing"] = ("disk", match["name"])
    section.state["enclosure"] = match["name"]


def _slot(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    enclosure = section.state.get("enclosure")
    section.state["thing"] = ("disk", f"{enclosure}:{match['name']}" if enclosure else f"slot {match['name']}")


def _some_disk(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What a device is: some tools number it on the line above, others name its place below."""
    above = _thing(section)[1] or ""
    sort = "disk" if match["what"].startswith("Hard") else "controller"
    section.state["thing"] = (sort, above if above.startswith("Device #") else None)
    section.state.pop("enclosure", None)


def _list(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["sort"] = "disk" if match["sort"] == "Physical" else "array"


def _identity(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["thing"] = (section.state.get("sort", "disk"), match["name"])


def _host(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["node"] = match["host"]


_NO_HEALTH: Final = re.compile(
    r"(?:.*\b(?:power|ncq|speaker|cache (?:read|write)|(?:read|write)[ -]cache|dirty|port|foreign"
    r"|transformation|learn"
    r"|charging|charger system|relative|absolute|encryption|lock|link|patrol|bga|rebuild|command|secure\w*"
    r"|supported power|locate|media|conversion|sanitize|drive authentication|predictive|ssd)\b.*|status|status code)",
    re.IGNORECASE,
)
_BACKED: Final = re.compile(r"batter|capacitor|backup|bbu|pack ", re.IGNORECASE)


def _about(section: OpenSection, name: str) -> tuple[StorageSort, str | None]:
    """What a name in a list speaks of."""
    return ("battery", None) if _BACKED.search(name) else _thing(section)


def _warning(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What is wrong where the answer is yes."""
    if match["value"].lower().startswith("yes"):
        _state(section, line, *_about(section, match["name"]), f"{match['name'].strip()}: {match['value']}", "degraded")


def _foreign(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A disk that carries what another controller, or this one before, wrote of an array: it serves none here."""
    _state(section, line, "disk", _thing(section)[1], _FOREIGN, "degraded")


def _of_script(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A row of ``megaclisas-status``: of an array, or of a disk of one."""
    sort: StorageSort = "disk" if "p" in match["name"] else "array"
    _stands(section, line, sort, match["name"], match["state"].strip())


def _count(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What is wrong where there is one of it."""
    if match["value"].isdigit() and int(match["value"]):
        _state(section, line, *_thing(section), f"{match['name'].strip()}: {match['value']}", "degraded")


def _errors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Errors that the array made up for."""
    if int(match["value"]):
        _state(section, line, "disk", _thing(section)[1], f"{match['name']}: {match['value']}", "hint")


def _media(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Blocks that no copy of an array holds any more."""
    if match["value"].strip().lower() not in ("none", "no", "0"):
        _state(section, line, *_thing(section), f"{match['name']}: {match['value']}", "degraded")


def _affected(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Arrays that a warning of the controller names, of which some blocks can't be read any more."""
    for name in match["names"].replace(" ", "").rstrip(",").split(",")[:64]:
        _state(section, line, "array", f"logicaldrive {name}", "unrecoverable media errors", "degraded")


def _segment(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _stands(section, line, "disk", match["name"].lower(), match["state"])


def _arrays(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    lost, less = int(match["lost"]), int(match["less"])
    state = f"{lost} failed, {less} degraded" if lost or less else "none failed or degraded"
    _state(section, line, "array", "on it", state, "failed" if lost else "degraded" if less else "healthy")


def _release(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What a controller runs: nodes of a cluster have it alike."""
    value = match["value"].strip()
    section.add(Setting, line.number, source="storcli", name=match["name"], value=value)


def _value(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A name of a state, and the state: of what is named above, or of what the name says."""
    name, value = match["name"].strip(), match["value"].strip()
    sort, of = _about(section, name)
    is_own = name.lower() in ("status", "state") and sort != "controller"
    if is_own or _NO_HEALTH.fullmatch(name) is None:
        _stands(section, line, sort, of, value if is_own or sort == "array" else f"{name}: {value}")


def _logical(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _stands(section, line, "array", " ".join(match["name"].split()), match["state"])


def _physical(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _stands(section, line, "disk", match["name"], match["state"])


def _in_group(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A disk with the group of its array: ``F`` where that is of another controller."""
    if match["group"] == "F":
        _state(section, line, "disk", match["name"], _FOREIGN, "degraded")
    else:
        _physical(section, line, match)


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _stands(section, line, "controller", match["name"], match["state"])


def _guarded(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _stands(section, line, "battery", match["name"], match["state"])


def _topology(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    if match["type"] == "DRIVE":
        _stands(section, line, "disk", match["place"], match["state"])
    else:
        _stands(section, line, "array", f"of disk group {match['group']}", match["state"])


def _overview(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    bad = ", ".join(f"{match[name]} {name}" for name in ("groups", "arrays") if match[name] != "0")
    state = f"{match['health']} (not optimal: {bad})" if bad else match["health"]
    section.state["of"] = None
    _stands(section, line, "controller", f"{match['number']} {match['model']}", state)


def _volume(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    sort: StorageSort = "controller" if match["what"].startswith("Enclosure") else "array"
    name = f"{match['what'].split(' (')[0]} on {match['device']}"
    _stands(section, line, sort, name, match["state"])
    if "spare drive has failed" in (match["more"] or ""):
        _state(section, line, "disk", "spare", "has failed", "degraded")


def _failed_list(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["is_failed"] = match["which"] == "Failed"


def _connected(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    state = "failed" if section.state.get("is_failed") else match["state"]
    if state:
        _stands(section, line, "disk", " ".join(match["name"].split()), state)


def _ioc(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    sort: StorageSort = "array" if match["sort"] == "vol_id" else "disk"
    flags = "" if match["flags"] in ("NONE", "ENABLED") else f" {match['flags']}"
    section.state["of"] = match["of"].replace(":", "")
    _stands(section, line, sort, match["name"], match["state"] + flags)


def _units(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    bad, name = match["bad"], f"{match['name']} {match['model']}"
    state = f"{bad} units not optimal" if bad != "0" else "OK"
    _state(section, line, "controller", name, state, "degraded" if bad != "0" else "healthy")
    _stands(section, line, "battery", f"of {match['name']}", match["battery"])


def _used(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What a disk is used for, by the name of its set; a word for its state stands there where it is lost."""
    standing = standing_of_raid("disk", match["state"])
    name = " ".join(match["name"].split())
    if standing == "degraded" or standing == "unknown":
        _state(section, line, "disk", name, match["state"], standing)
    else:
        _state(section, line, "disk", name, f"used by {match['state']}", "healthy")


def _listed(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Of the driver ``gdth``: of which list the numbers are that follow."""
    section.state["listed"] = match["what"].removesuffix("s").lower()


def _cache_set(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """How an array is to write, by its setting."""
    section.state["to_write"] = match["mode"]


def _cache_used(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """How an array writes: each write waits for its disks where the cache ought to take it and does not."""
    to_write = section.state.pop("to_write", None)
    if to_write == "WriteBack" and match["mode"] == "WriteThrough":
        sort, name = _thing(section)
        _state(section, line, "write cache", f"of {sort} {name}", "off, though set on", "degraded")


def _counted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = f"{section.state.get('listed', 'drive')} {match['name']}"
    section.state["thing"] = ("array", name)
    _stands(section, line, "array", name, match["state"])


def _absent(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    missing, invalid = match["missing"], match["invalid"]
    standing: HealthStanding = "degraded" if missing != "0" or invalid != "0" else "healthy"
    _state(section, line, *_thing(section), f"drives missing: {missing}, invalid: {invalid}", standing)


_FOREIGN: Final = "foreign: no array here uses it"
_DASHES: Final = r"(?:\d{1,4}|-)\s{1,12}"
_ROWS: Final = (
    Row("ruler", _RULE.pattern, fate=Fate.FRAME, opens=False),
    # names of things
    Row(
        "controller by name",
        r"(?P<of>(?:Smart (?:Array|HBA)|MSA\d{3,4}|Dynamic Smart Array) .{0,60}? in "
        r"(?:Slot \w{1,30}|.{3,40}?))"
        r"(?: \(.{3,40}\)){0,3}(?:\s{1,8}\(sn: .{1,30}\))?$",
        _of,
        fate=Fate.FRAME,
    ),
    Row("battery", r"BBU status for Adapter: (?P<number>\d{1,3})$", _battery, fate=Fate.FRAME),
    Row(
        "battery of a controller",
        r"Controller (?:Battery|Backup Unit|ZMM|Cache Backup Unit)"
        r"(?P<number>)\b.{0,30}$",
        _battery,
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("controller", r"Adapter(?: #|: ?| )(?P<number>\d{1,3})(?: -- .{3,60})?:?$", _numbered, fate=Fate.FRAME),
    Row("controller by number", r"Controller = (?P<number>\d{1,3})$", _numbered, fate=Fate.FRAME),
    Row("host", r"Host Name = (?P<host>[A-Za-z][\w.-]{0,126})$", _host, fate=Fate.FRAME),
    Row(
        "array",
        r"(?:CacheCade )?Virtual (?:Drive|Disk): (?P<name>\d{1,4})(?: \(Target Id: \d{1,4}\))?$",
        _array,
        fate=Fate.FRAME,
    ),
    Row(
        "array by number",
        r"(?:Logical [Dd](?:evice|rive)(?: number|:)|IR [Vv]olume|Logical Drive:) "
        r"(?P<name>\d{1,4})$",
        _array,
        fate=Fate.FRAME,
    ),
    Row("enclosure of a disk", r"Enclosure (?:Device ID|#)\s{0,40}: ?(?P<name>\S{1,8})$", _enclosure, fate=Fate.FRAME),
    Row("slot of a disk", r"Slot (?:Number|#)\s{0,40}: ?(?P<name>\d{1,4})$", _slot, fate=Fate.FRAME),
    Row("disk by its path", r"Drive (?P<name>/c\d{1,3}(?:/e\d{1,4})?/s\d{1,4})\b[^:]{0,60}:$", _disk, fate=Fate.FRAME),
    Row("disk by number", r"(?P<name>Device #\d{1,4})$", _disk, fate=Fate.FRAME),
    Row("disk alone", r"physicaldrive (?P<name>[\w:]{3,20})$", _disk, fate=Fate.FRAME),
    everyday(
        "patrol and check of a controller",
        r"(?:PR|CC) (?:Mode|Execution Delay|[Ii]terations completed|Next Start time|on SSD|Current State|Excluded VDs"
        r"|MaxConcurrent\w{2,4}|Delay|Number of iterations)\s{1,40}\S.{0,60}$",
        opens=False,
    ),
    Row("some disk", r"Device is an? (?P<what>\w.{3,60})$", _some_disk, fate=Fate.FRAME, opens=False),
    everyday(
        "words of megarc",
        r"(?:Finding Devices On|Scanning Ha \d|By LSI Logic|\[Note: For SATA|Ch=0 Id=|Type \? as command"
        r"|Existing Logical Drive"
        r"|MEGARC |SpanDepth :|StripSz |Logical Drive \d{1,3} : SpanLevel|Chnl {1,4}Target ).{0,120}$",
        opens=False,
    ),
    # lines that say it all
    Row(
        "logical drive of megarc",
        r"Logical Drive : (?P<name>\d{1,3})\( ?Adapter: \d{1,3} ?\):\s{1,8}Status: (?P<state>[A-Z][A-Z ]{2,20})$",
        _logical,
    ),
    Row(
        "target of megarc",
        r"\d{1,2}\s{1,12}(?P<name>\d\d)\s{1,12}0x[0-9a-f]{8}\s{1,12}0x[0-9a-f]{8}\s{1,12}(?P<state>[A-Z][A-Z ]{1,20})$",
        _physical,
    ),
    Row(
        "container of afacli",
        r"(?P<name>\d{1,3} {1,4}\w[\w-]{2,10}|/dev/\w{2,12}).{1,60}?\b\d:\d\d:\d\s{1,6}"
        r"[\d.]{1,7}[KMGT]B: ?[\d.]{1,7}[KMGT]B "
        r"(?P<state>[A-Z][A-Za-z]{2,10})\b.{0,80}$",
        _logical,
    ),
    Row("list of gdth", r"(?P<what>Logical Drives|Array Drives):$", _listed, fate=Fate.FRAME),
    Row(
        "number of gdth",
        r"(?:Slave )?Number:\s{1,40}(?P<name>\d{1,4})\s{1,40}Status:\s{1,40}(?P<state>[a-z]\w{1,20})$",
        _counted,
    ),
    Row(
        "drives of gdth",
        r"Missing Drv\.:\s{1,40}(?P<missing>\d{1,4})\s{1,40}Invalid Drv\.:\s{1,40}(?P<invalid>\d{1,4})$",
        _absent,
    ),
    Row(
        "logical drive",
        r"(?P<name>logicaldrive \d{1,4}) \(.{2,60}, (?P<state>[A-Z][A-Za-z ]{1,60}"
        r"(?:, \d{1,3}(?:\.\d)?% \w{3,20})?)\)$",
        _logical,
    ),
    Row(
        "physical drive",
        r"(?:physicaldrive )(?P<name>[\w:]{3,20}) \(.{4,120}?\bbay [^,]{1,8}, [^,()]{2,20}, [^,()]{2,20}, "
        r"(?P<state>[A-Z][A-Za-z ]{1,40})(?:, .{3,60})?\)$",
        _physical,
    ),
    Row(
        "state of a logical drive",
        r"(?P<name>logicaldrive \d{1,4}) \(.{2,100}\)\s?: (?P<state>[A-Z].{1,60})$",
        _logical,
    ),
    Row(
        "state of a drive", r"physicaldrive (?P<name>[\w:]{3,20}) \(.{2,100}\)\s?: (?P<state>[A-Z].{1,60})$", _physical
    ),
    Row("list of disks", r"List of (?P<sort>Physical|Virtual) Disks ", _list, fate=Fate.FRAME),
    Row("controller of the list", r"Controller [A-Z].{3,60}\(.{3,20}\)$", fate=Fate.FRAME, opens=False),
    Row("disk of the list", r"ID\s{1,60}: (?P<name>[\d:]{1,16})$", _identity, fate=Fate.FRAME, opens=False),
    Row(
        "group of disks",
        r"[Aa]rray (?P<name>[A-Z]{1,2}) \((?P<state>Failed|Interim Recovery Mode|Degraded)\)$",
        _logical,
    ),
    Row(
        "volume",
        r"(?P<device>/dev/[\w/-]{2,60}): \((?P<of>Smart Array[^()]{0,30})\) (?P<what>.{4,100}?) status: "
        r"(?P<state>[^.]{2,100})\.(?P<more>.{0,300})$",
        _volume,
    ),
    Row(
        "disks of a volume",
        r"'?(?P<which>Failed|Replacement|Physical)'? drives:(?: \d{1,4})?$"
        r"|Total of \d{1,4} failed physical drives? detected\b.{0,60}$",
        _failed_list,
        fate=Fate.FRAME,
    ),
    Row(
        "disk at a connector",
        r"(?P<name>connector \S{1,8}\s{1,4}box \d{1,4}\s{1,4}bay \d{1,4})\s{1,80}\S.{0,160}?"
        r"(?:\s(?P<state>OK|[A-Z][a-z]{3,20}(?: [a-z]{2,20}){0,4}\.?))?\s{0,4}$",
        _connected,
    ),
    Row(
        "of an adapter of LSI",
        r"(?P<of>ioc:?\d{1,3}) (?P<sort>vol_id|phy|phys_id)[ :]"
        r"(?P<name>\d{1,4})\b.{5,200}?\bstate:? "
        r"(?P<state>[A-Z_]{4,30}),? flags:? (?P<flags>[A-Z_ ]{2,60}?)(?: sync_state.{0,100})?$",
        _ioc,
    ),
    # tables
    Row(
        "disk or group in the topology",
        rf"(?P<group>\d{{1,4}})\s{{1,12}}{_DASHES}{_DASHES}"
        rf"(?P<place>\d{{0,4}}:\d{{1,4}}|-)"
        r"\s{1,12}(?:\d{1,4}|-)\s{1,12}(?P<type>DRIVE|RAID\w{1,3}|\S{3,8})\s{1,12}"
        r"(?P<state>[A-Z][A-Za-z]{2,7})\s",
        _topology,
    ),
    Row(
        "row of an array",
        r"(?P<name>(?:\d{1,4}|-)/\d{1,4})\s{1,12}(?:RAID\w{1,3}|Cac\d)\s{1,12}"
        r"(?P<state>[A-Z][A-Za-z]{2,7})\s{1,12}"
        r"(?:RW|RO|HD|B|TRANS|WO|Blkd)\s",
        _logical,
    ),
    Row(
        "row of a disk",
        r"(?P<name>\d{0,4}:\d{1,4})\s{1,12}(?:\d{1,4}|-)\s{1,12}"
        r"(?P<state>[A-Z][A-Za-z]{2,7})\s{1,12}"
        r"(?P<group>\d{1,4}|-|F)\s{1,20}[\d.]{1,9} [KMGTP]B\s",
        _in_group,
    ),
    Row(
        "row of a controller",
        r"(?P<number>\d{1,3})\s{1,12}(?P<model>\S.{2,40}?)\s{1,20}(?:\d{1,4}"
        r"\s{1,12}){3}(?P<groups>\d{1,4})\s{1,12}"
        r"\d{1,4}\s{1,12}(?P<arrays>\d{1,4})\s{1,12}\S{1,8}\s{1,12}.{3,60}?\s"
        r"(?P<health>Opt|Optimal|NdAtn|Need Attention|Dgd|Fld|Msng|Unkwn|Safe)$",
        _overview,
    ),
    Row(
        "row of a battery",
        r"(?P<name>CVPM\w{1,6}|BBU\S{0,8}|iBBU\S{0,8}|TMM\S{0,8})\s{1,12}"
        r"(?P<state>[A-Z][A-Za-z]{2,20})\s{1,12}(?:\d|-)",
        _guarded,
    ),
    Row(
        "unit",
        r"(?P<name>u\d{1,3}(?:-\d{1,3}){0,2})\s{1,12}(?:RAID-\w{1,3}|SPARE|JBOD|SINGLE|Single|DISK"
        r"|CBOD)\s{1,12}"
        r"(?P<state>[A-Z][A-Z-]{1,24})(?:\s|$)",
        _logical,
    ),
    Row("port", r"(?P<name>p\d{1,3})\s{1,12}(?P<state>[A-Z][A-Z-]{1,24})\s{1,20}(?:u\d{1,3}|[-?*])\s", _physical),
    Row(
        "battery of 3ware",
        r"(?P<name>bbu\d{0,2})\s{1,12}(?:On|Off|-)\s{1,20}(?:Yes|No|-)\s{1,20}"
        r"(?P<state>[A-Z][\w-]{1,24})\s",
        _guarded,
    ),
    Row(
        "part of an enclosure",
        r"(?P<name>(?:fan|temp|pwrs|slot|alm)\d{1,3}|/c\d{1,3}/e\d{1,3})\s{1,12}"
        r"(?P<state>OK|[A-Z][A-Z-]{2,24})\b",
        _part,
    ),
    Row(
        "controller of 3ware",
        r"(?P<name>c\d{1,3})\s{1,12}(?P<model>\d[\w-]{3,20})\s{1,12}(?:\d{1,4}\s{1,12}){3}(?P<bad>\d{1,4})\s{1,12}"
        r"\d{1,4}\s{1,12}\d{1,4}\s{1,12}(?P<battery>\S{1,20})$",
        _units,
    ),
    Row(
        "disk of Areca",
        r"(?P<name>\d{1,4}\s{1,8}\d{1,4}(?:\s{1,8}(?:Slot|SLOT)[ #]{0,2}\d{1,4})?)\s{1,8}\S.{0,40}?"
        r"\s{1,40}[\d.]{1,12}[KMGTP]B"
        r"\s{1,20}(?P<state>\S.{0,40})$",
        _used,
    ),
    Row(
        "set of Areca",
        r"(?P<name>\d{1,4}\s{1,8}\S.{0,30}?)\s{1,20}\d{1,4}\s{1,20}[\d.]{1,12}[KMGTP]B"
        r"\s{1,20}[\d.]{1,12}[KMGTP]B\s{1,20}"
        r"\S{1,24}\s{1,20}(?P<state>[A-Z][A-Za-z ()]{2,30})$",
        _logical,
    ),
    # what holds no state
    Row(
        "heading",
        r"(?:DG(?:/VD)? .{0,40}\bState\b|EID:Slt\s|Ctl\s{1,12}Model\b|EID\s{1,8}State\b|Model\s{1,12}State"
        r"\s{1,12}Retention"
        r"|Unit\s{1,12}UnitType\b|V?Port\s{1,12}Status\b|Name\s{1,12}OnlineState\b|Encl(?:osure)?\s{1,12}"
        r"(?:Status|Slots)\b"
        r"|(?:Fan|TempSensor|PowerSupply|Slot|Alarm)\s{1,12}Status\s{2}|#\s{1,12}Name\s{1,20}Disks\b"
        r"|-{2,8}Speed-{2,8}$"
        r"|#\s{1,4}(?:Enc|Ch)# .{0,40}ModelName\b)",
        fate=Fate.FRAME,
    ),
    Row(
        "caption",
        r"(?:/c\d{1,3}(?:/\w{1,8}){0,2} (?:Vendor|Product|SEP|Driver Version|Model)\b.{0,80}$|(?:TOPOLOGY"
        r"|[VP]D LIST|System Overview|BBU_Info|Cachevault_Info|Enclosure LIST|JBOD LIST) ?:$"
        r"|(?:Logical|Physical) [Dd](?:evice|rive) information$|Controllers [Ff]ound: \d"
        r"|Command completed successfully\.$"
        r"|(?:LSI|Avago|Broadcom).{0,40}SAS\d IR Configuration Utility\.|SAS\dIRCU: |GuiErrMsg<0x|Exit Code: 0x"
        r"|Generating detailed summary of the adapter|Virtual (?:Drive|Disk) Information:?$|IR Volume information$"
        r"|Initiator at ID #\d)",
        fate=Fate.FRAME,
    ),
    Row("version", r"(?:CLI Version = |SG driver version \d|Controller: Smart (?:Array|HBA)\b)", fate=Fate.FRAME),
    Row(
        "other caption",
        r"(?:[\w(][\w./()-]{0,30} ){0,5}(?:[Ii]nformation|Counters?|Properties|Recorded|Data|Status|Info|Flash"
        r"|Present"
        r"|Configuration|Operations|Settings|services device|[Dd]rives?|#\d{1,4}|Number \d{1,4}|ID \d{1,4}):?$"
        r"|(?:SEP|Expander|Enclosure|Port Name|Internal Drive Cage|Mirror Group|[Aa]rray|Unassigned|unassigned)"
        r"\b[^:=]{0,120}$|Read configuration has been|Copyright \(c\)|Version \d|Drive /c\d.{3,60}:?$"
        r"|/c\d{1,3}(?:/\w{1,8}){0,3} :?$|\w{1,8}[=-][^|]{1,60}\|.{3,200}$"
        r"|[\w/]{1,10}[=-][A-Z][\w ]{2,40}(?:\(.{2,20}\))?$|Check Consistency$|No (?:Controller|Virtual"
        r"|Non)\b.{3,60}$"
        r"|Flash backed cache present|FIRMWARE UPGRADE REQUIRED|Found SCSI id=|Checking for SCSI ID"
        r"|scsi_id:\d{1,3} \d{1,3}%|Error: (?:The specified device does not|No controllers)\b"
        r"|cciss_vol_status version",
        fate=Fate.FRAME,
        opens=False,
    ),
    Row("name without a value", rf"{_NAME}\s{{0,60}}[:=]$", fate=Fate.FRAME, opens=False),
    Row(
        "cache as set",
        rf"Default Cache Policy{_SIGN}(?P<mode>Write\w{{4,12}}),",
        _cache_set,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "cache in use",
        rf"Current Cache Policy{_SIGN}(?P<mode>Write\w{{4,12}}),",
        _cache_used,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "state",
        r"(?P<name>Firmware state|Status of [Ll]ogical [Dd](?:evice|rive)|Status of volume|S\.M\.A\.R\.T\. alert)"
        rf"{_SIGN}(?P<value>\S.{{0,200}})$",
        _value,
    ),
    Row("foreign disk", rf"Foreign State{_SIGN}Foreign$", _foreign, opens=False),
    Row(
        "row of a script",
        r"(?P<name>c\d{1,3}u[\d*x]{1,4}(?:p\d{1,4})?)\s{0,12}\|(?:[^|\n]{1,80}\|){1,8}\s{0,12}"
        r"(?P<state>(?:Optimal|Partially Degraded|Degraded|Offline|Failed|Online|Rebuild|Hot ?spare|Copyback|Missing"
        r"|Unconfigured ?\((?:good|bad)\)|JBOD)\b[^|\n]{0,40}?)\s{0,20}(?:\||$)",
        _of_script,
    ),
    everyday(
        "words of a script",
        r"-- (?:Controller|Array|Disk|Unconfigured Disk) information --$",
        r"-- ID\s{1,8}\|",
        r"c\d{1,3}\s{1,12}\| .{3,80}\|",
        r"There (?:is|are) at least one (?:disk|array)/(?:disk|array) in a NOT OPTIMAL state",
        opens=False,
    ),
    Row(
        "state of what is named above",
        rf"(?P<name>State|Battery [Ss]tate){_SIGN}(?P<value>\S.{{0,200}})$",
        _value,
        opens=False,
    ),
    Row(
        "warning",
        r"(?P<name>(?i:battery replacement required|battery pack missing|pack is about to fail.{0,40}?"
        r"|.{0,40}s\.m\.a\.r\.t\.? alert.{0,40}?|s\.m\.a\.r\.t\.|failure predicted|failed stripes))"
        rf"{_SIGN}(?P<value>\S.{{0,200}})$",
        _warning,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "count",
        r"(?P<name>(?i:predictive failure count|s\.m\.a\.r\.t\. warnings|defunct disk drive count"
        r"|(?:/c\d{1,3} )?not optimal units|memory uncorrectable errors|critical disks|failed disks|degraded"
        r"|offline))"
        rf"{_SIGN}(?P<value>\S.{{0,200}})$",
        _count,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "errors of a disk",
        rf"(?P<name>Media Error Count){_SIGN}(?P<value>\d{{1,9}})$",
        _errors,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "blocks lost",
        rf"(?P<name>Unrecoverable Media Errors){_SIGN}(?P<value>\S.{{0,100}})$",
        _media,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "arrays of a warning",
        r".{0,80}\b(?:following )?logical drives are affected: (?P<names>\d{1,4}(?:, ?\d{1,4}){0,63},?)$",
        _affected,
    ),
    Row(
        "words of a warning",
        r"Warning: Unrecoverable Media Errors Detected on Drives\b.{0,400}$"
        r"|or Background Surface Analysis \(ARM\) scan\.|when the sector\(s\) are overwritten\.",
        fate=Fate.FRAME,
    ),
    Row(
        "segment",
        rf"(?P<name>(?:\w.{{1,30}}, )?Segment \d{{1,4}}){_SIGN}(?P<state>[^(]{{1,100}})",
        _segment,
        opens=False,
    ),
    Row(
        "arrays of a controller",
        rf"Logical \w{{1,8}}/Failed/Degraded{_SIGN}\d{{1,4}}/(?P<lost>\d{{1,4}})/(?P<less>\d{{1,4}})$",
        _arrays,
    ),
    Row(
        "other state",
        rf"(?P<name>(?:.{{0,60}}[ /])?(?i:state|status|status \d{{1,2}}|status of .{{3,40}}?)){_SIGN}"
        rf"(?P<value>\S.{{0,200}})$",
        _value,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "release of a controller",
        r"(?P<name>(?:FW|Firmware) Package Build|(?:FW|Firmware) Version|(?:Boot |Ctrl-R )?B(?:IOS|ios) Version"
        r"|Driver Version|Current Personality)"
        rf"{_SIGN}(?P<value>\S.{{0,80}})$",
        _release,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("value", rf"{_NAME}{_SIGN}\S.{{0,300}}$", fate=Fate.EVERYDAY, opens=False),
)
_TITLE: Final = Row("title between two rules", _PLAIN.pattern, fate=Fate.FRAME, opens=False)
_RAID: Final = Rows(*_ROWS, _TITLE)
_OWNED: Final = Rows(*_ROWS)
_OF_ANYBODY: Final = ("value", "other state", "name without a value", "other caption")
_OWN: Final = Rows(*(row for row in _ROWS if row.name not in _OF_ANYBODY))
_GUESSED: Final = -40


def _owns(text: str, before: str) -> bool:
    """Whether a line is one of these; any few words are a title right below a rule. A name with a value may be of
    anybody: who claims it goes first.
    """
    if _OWN.owns(text, before):
        return True
    owner = claimed(text)
    if owner is not None and owner.name != "raid" and owner.priority > _GUESSED:
        return False
    return _OWNED.owns(text, before) or (
        _RULE.match(before.strip()) is not None and _PLAIN.match(text.strip()) is not None
    )


@parser(
    "raid",
    version=3,
    product="storage",
    claims=_RAID.claims,
    owns=_owns,
    commands=_TOOLS,
    places=rf"(?:^|[/\s])(?:{'|'.join(_TOOLS)})(?:\s|$)",
)
def raid(section: OpenSection, out: Output) -> None:
    """Lists and tables of one controller or several."""
    _RAID.read(section, out, "no state of a RAID controller")
