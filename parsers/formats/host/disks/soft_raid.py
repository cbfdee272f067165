"""Mirrors and arrays that the host itself keeps on Solaris, and those of a mainboard: ``metastat`` and ``dmraid``.

    d0: Mirror                                       d0    m   10GB d10 d20 (resync-12%)
        Submirror 1: d20                                 d20   s   10GB c1t1d0s0 (maint)
          State: Needs maintenance
    d20: Submirror of d0                             hsp001: 1 hot spare
        State: Needs maintenance                             c3t0d0s0   Broken      12288 blocks
            c1t1d0s0          0     No     Maintenance   Yes
    /dev/sda: jmicron, "jm_shelf", mirror, broken, 781385728 sectors, data@ 0

Yields ``StorageState``: of a metadevice, of the part of one, of a spare; of a set and its disks. A mirror that resyncs
is degraded until it is done, one that is unavailable failed. No times. Tolerated: parts of an output, the short form
(``metastat -c``). Source: metastat(1M) of the Solaris Volume Manager and dmraid(8), recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.ledger import Fate
from parsers.output import Output
from parsers.records.states import HealthStanding, StorageSort, StorageState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows, everyday
from parsers.text import Line

_STANDINGS: Final[tuple[tuple[HealthStanding, str], ...]] = (
    ("failed", r"unavailable|unavail"),
    (
        "degraded",
        r"needs maintenance|maintenance|maint|last[ -]erred|erred|resync|offline|broken|regen\w*|attaching|replac",
    ),
    ("degraded", r"inconsistent|nosync"),
    ("hint", r"in[ -]use|initializing|unknown|inactive"),
    ("healthy", r"ok(?:ay)?|available|active|attached"),
)


def _standing(state: str) -> HealthStanding:
    return next((standing for standing, words in _STANDINGS if re.match(words, state, re.IGNORECASE)), "unknown")


def _put(
    section: OpenSection, line: Line, sort: StorageSort, name: str | None, state: str, of: str | None = None
) -> None:
    standing = _standing(state)
    section.add(
        StorageState, line.number, source="metastat", sort=sort, name=name, of=of, state=state, standing=standing
    )


def _device(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state.update(device=match["name"], sort=match["sort"].split()[0], part=None)


def _part(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["part"] = match["name"]


def _state(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Of the submirror named above, or of the metadevice."""
    state, device, part = section.state, section.state.get("device"), section.state.get("part")
    if part is not None:
        state["part"] = None
        _put(section, line, "plex", part, match["state"], device)
    else:
        _put(section, line, "plex" if state.get("sort") == "Submirror" else "volume", device, match["state"])


def _sync(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "volume", section.state.get("device"), f"resync: {match['done']} % done")


def _slice(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "disk", match["name"], " ".join(match["state"].split()), section.state.get("device"))


def _short(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    sort: StorageSort = "plex" if match["sort"] in ("s", "t") else "volume"
    _put(section, line, sort, match["name"], match["state"] or "ok")


_SORT: Final = r"(?:Mirror|RAID|Concat/Stripe|Soft Partition|Trans|Submirror of d\d{1,6}|Subdevice of \S{1,40}|Stripe)"
_MARK: Final = r"maint|unavail|last-erred|resync-\d{1,3}%|regen-\d{1,3}%|init\w*|spare|erred|offline"
_METASTAT: Final = Rows(
    Row("metadevice", rf"(?P<name>(?:[\w.-]{{1,40}}/)?d\d{{1,6}}): (?P<sort>{_SORT})$", _device, fate=Fate.FRAME),
    Row(
        "spares",
        r"(?P<name>(?:[\w.-]{1,40}/)?hsp\d{1,6}): (?P<sort>\d{1,4} hot spares?|is empty)$",
        _device,
        fate=Fate.FRAME,
    ),
    Row("submirror", r"Submirror \d{1,3}: (?P<name>d\d{1,6})$", _part, fate=Fate.FRAME, opens=False),
    Row("state", r"State: (?P<state>[A-Z][A-Za-z ]{2,40}?)\s{0,8}$", _state, opens=False),
    Row(
        "resync", r"(?:Resync|Initialization) in progress: (?P<done>\d{1,3}(?:\.\d{1,2})?) ?% done$", _sync, opens=False
    ),
    Row(
        "slice",
        r"(?P<name>(?:/dev/(?:md/)?dsk/)?[cd]\d[\w/]{1,60})\s{1,40}\d{1,18}\s{1,24}(?:Yes|No)\s{1,24}"
        r"(?P<state>[A-Z][A-Za-z]{2,20}(?: [A-Za-z]{2,12})?)(?:\s{1,20}(?:Yes|No|-))?(?:\s{1,20}\S{1,60})?$",
        _slice,
        opens=False,
    ),
    Row(
        "spare",
        r"(?P<name>c\d[\w/]{1,60})\s{1,24}(?P<state>Available|In use|Broken)\s{1,24}\d{1,18} blocks?.{0,60}$",
        _slice,
        opens=False,
    ),
    Row(
        "short form",
        rf"(?P<name>(?:[\w.-]{{1,40}}/)?d\d{{1,6}})\s{{1,20}}(?P<sort>[mrspt])\s{{1,8}}[\d.]{{1,8}}[KMGT]?B\s{{1,8}}"
        rf"(?:[\w/.-]{{2,60}}\s?){{1,20}}(?:\((?P<state>{_MARK})\))?.{{0,80}}$",
        _short,
    ),
    everyday(
        "settings",
        r"(?:Pass|Read option|Write option|Size|Stripe \d{1,4}|Invoke|Hot spare pool|Interlace|Interleave"
        r"|Original device"
        r"|Start Block|Device|Extent|Logging device|Debug|Log size|Concat|Component|Submirror)\b ?[:#]? ?.{0,160}$",
        r"(?:Device Relocation Information:|Device\s{1,20}(?:Reloc|Start|Status)\b.{0,80}"
        r"|\d{1,6}\s{1,20}\d{1,18}\s{1,20}\d{1,18})$",
        r"c\d\w{2,30}\s{1,20}(?:Yes|No)\s{1,20}\S.{0,120}$",
        opens=False,
    ),
)


@parser("metastat", version=1, product="storage", rows=_METASTAT, commands=("metastat",))
def metastat(section: OpenSection, out: Output) -> None:
    """``metastat`` of Solaris: mirrors and arrays of the volume manager of the host."""
    _METASTAT.read(section, out, "no part of a metadevice")


def _member(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "disk", match["name"], match["state"], match["set"])


def _set(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.state["set"] = match["name"]


def _of_set(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    _put(section, line, "array", section.state.get("set"), match["state"])


_DMRAID_STATE: Final = r"(?P<state>ok|broken|inconsistent|nosync|init|undef)"
_DMRAID: Final = Rows(
    Row(
        "disk",
        rf"(?P<name>/dev/\S{{1,60}}): \w{{1,20}}, \"(?P<set>[^\"]{{1,80}})\", \w{{1,20}}, {_DMRAID_STATE}, "
        r"\d{1,18} sectors, data@ \d{1,18}$",
        _member,
    ),
    Row(
        "kind of a set",
        r"(?:\*{1,3}|\\?\*|--?>) ?\\?\*? ?(?:Group|[Ss]uperset|Active|Inactive|Raid|Spare)\b.{0,80}$",
        fate=Fate.FRAME,
    ),
    Row("set", r"name\s{1,8}: (?P<name>\S{1,80})$", _set, fate=Fate.FRAME, opens=False),
    Row("state", rf"status\s{{1,4}}: {_DMRAID_STATE}$", _of_set, opens=False),
    everyday("settings", r"(?:size|stride|type|subsets|devs|spares)\s{0,8}: \S{1,40}$", opens=False),
)


@parser("dmraid", version=1, product="storage", rows=_DMRAID, commands=("dmraid",))
def dmraid(section: OpenSection, out: Output) -> None:
    """``dmraid -r`` and ``dmraid -s``: arrays of controllers that leave the work to the host."""
    _DMRAID.read(section, out, "no set or disk with its state")
