"""Mails that the product itself writes: of the daemon that moves failed parts of volumes, and of the engine's notifier.

    Failures have been detected by the VERITAS Volume Manager:      Event Time: Wed Jun 18 03:22:11 2031
    failed disks:                                                   Entity Name: ouse_mnt
     rolls01                                                        Entity Type: Resource
    failed plexes:                                                  Entity Subtype: Mount
     rolls-02                                                       Entity State: Resource state is unknown
                                                                    System Name: ouse1

Yields ``StorageState`` of each failed object, ``ServiceState`` or ``ClusterMember`` of what a notice is about, with the
words as printed. Times: of the notice from its own line. Tolerated: further lines, cut mails. Source: vxrelocd(1M) and
the notices of VCS 4 to 7 as printed.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.output import Output
from parsers.records.states import (
    ClusterMember,
    HealthStanding,
    NodeStanding,
    ServiceStanding,
    ServiceState,
    StorageSort,
    StorageState,
)
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import find_instant

_FAILED: Final = (
    r"(?:failed|failing|detached) (?:disks?|(?:log )?plexes|(?:log )?subdisks|(?:RAID-5 )?volumes|dcos?):\s{0,8}$"
)
_HEAD: Final = r"Failures have been detected by the \S{1,20} ?Volume(?: Manager|\s{0,8}$)"
_NAME: Final = r"[A-Za-z][\w.-]{0,126}$"
_OBJECT = re.compile(rf"(?:\s{{1,16}}|(?=\S{{0,60}}[\d_-])){_NAME}")
"""An object is set in, or has a figure, for a word alone may end the mail."""
_MOVED: Final = (
    r"Volume (?P<volume>[\w.-]{1,120}) Subdisk (?P<moved>[\w.-]{1,120}) relocated to (?P<to>[\w.-]{1,120}),?(?=\s|$)"
)
_MOVING: Final = (
    r"Attempting to relocate subdisk (?P<moving>[\w.-]{1,120}) from(?: plex(?: (?P<plex>[\w.-]{1,120}?)\.?)?)?\s{0,8}$"
)
_UNMOVED: Final = (
    r"Relocation was not successful for subdisks on disk (?P<disk>[\w.-]{1,120})"
    r"(?: in volume (?P<unmoved>[\w.-]{1,120}))?"
)
_GOES_ON = re.compile(
    r"(?:but not yet recovered\.|Manager:$|data\.$|[\w.-]{1,120}\.$|Dev_offset \d"
    r"|The available plex \S{1,120} will be used)"
)
"""What a narrow mail folds of its sentences, and the details of a part that is moved."""
_ALONE: Final = r"(?:but )?have data on (?P<alone>[\w.-]{1,120}) but have no other usable mirrors"
_SUBJECT: Final = (
    r"Subject: {0,8}(?:Volume Manager failures|(?:Attempting|Completed?|Failed) (?:\S{2,8}|Volume Manager) relocation)"
    r" on host (?P<host>[\w.-]{1,128})\s{0,8}$"
)
_ABOUT: Final = (
    r"(?:The Volume Manager will attempt|subdisks and then recover|Relocation was|No (?:further|data)|Volume \S{1,120} "
    r"in disk ?group|The following volumes|These volumes are|have data on)"
)
_RELOCATION_CLAIMS: Final = rf"(?:{_HEAD}|{_FAILED})"
_LIST = re.compile(_FAILED)
_SORTS: Final[tuple[tuple[str, StorageSort], ...]] = (
    ("plex", "plex"), ("subdisk", "subdisk"), ("volume", "volume"), ("dco", "plex"), ("disk", "disk"),
)  # fmt: skip

_SENTENCES: Final = rf"(?:{_MOVED}|{_MOVING}|{_UNMOVED}|{_SUBJECT}|{_ALONE})"
_SENTENCE = re.compile(_SENTENCES)
_UNNAMED: Final = re.sub(r"\?P<\w+>", "?:", _SENTENCES)
_OWNED = re.compile(rf"(?:{_RELOCATION_CLAIMS}|{_ABOUT})")


def _owns_relocation(text: str, before: str) -> bool:
    stripped = text.strip()
    return (
        _OBJECT.match(text) is not None
        or _OWNED.match(stripped) is not None
        or _SENTENCE.match(stripped) is not None
        or _GOES_ON.match(stripped) is not None
    )


@parser(
    "vxrelocd_mail",
    version=4,
    product="veritas",
    claims=rf"(?:{_RELOCATION_CLAIMS}|{_UNNAMED})",
    owns=_owns_relocation,
)
def vxrelocd_mail(section: OpenSection, out: Output) -> None:
    """What the mail of the relocation daemon lists as failed, and what it moves."""
    for line in section:
        text = line.text.strip()
        if _LIST.match(text):
            section.state["list"] = text.rstrip(": ")
            out.frame()
        elif sentence := _SENTENCE.match(text):
            section.state.pop("list", None)
            _sentence(section, line.number, sentence.groupdict())
        elif _GOES_ON.match(text) is None and _OBJECT.match(line.text) and "list" in section.state:
            _object(section, line.number, text)
        else:
            section.state.pop("list", None)
            out.frame()


def _put_disk(section: OpenSection, number: int, disk: str) -> None:
    """A disk of which some volumes had no other copy."""
    state = "not relocated, and no other copy is usable"
    section.add(StorageState, number, source="vxrelocd mail", sort="disk", name=disk, state=state, standing="failed")


def _sentence(section: OpenSection, number: int, groups: dict[str, str | None]) -> None:
    """What a sentence says of one object: it is on its way to another disk, has no data there yet, or stays lost."""
    if groups["host"] is not None:
        section.is_on(groups["host"])
        return
    if groups["alone"] is not None:
        _put_disk(section, number, groups["alone"])
        return
    standing: HealthStanding = "failed" if groups["disk"] else "degraded"
    state = "not relocated" if groups["disk"] else "relocated, not yet recovered" if groups["moved"] else "relocating"
    section.add(
        StorageState,
        number,
        source="vxrelocd mail",
        sort="mirrored disk" if groups["disk"] else "subdisk",  # parts of mirrors and of RAID-5 alone are moved
        name=groups["disk"] or groups["moved"] or groups["moving"],
        of=groups["unmoved"] or groups["volume"] or groups["plex"],
        state=state,
        standing=standing,
    )


def _object(section: OpenSection, number: int, name: str) -> None:
    listed: str = section.state["list"]
    sort = next(sort for word, sort in _SORTS if word in listed)
    standing: HealthStanding = "failed" if listed.startswith("failed") and sort in ("disk", "volume") else "degraded"
    section.add(
        StorageState,
        number,
        source="vxrelocd mail",
        sort=sort,
        name=name,
        state=listed.partition(" ")[0],
        standing=standing,
    )


_KEYS: Final = (
    r"(?:Event Time|Entity (?:Name|Type|Subtype|State)|Traps? Origin|System Name|Entities Container Name"
    r"|Entities Container Type|Entities Owner|Entities Under|Entity (?:System|Container Name|Container Type|Owner)"
    r"|Message|Cluster Name|Severity(?:Id)?)"
)
_PAIR = re.compile(rf"({_KEYS})\s{{0,20}}[:=]\s{{0,20}}(\S.{{0,200}})?$")
_BAD: Final[tuple[tuple[str, ServiceStanding], ...]] = (
    ("fault", "faulted"), ("concurrency", "faulted"), ("unknown", "unsure"), ("timed out", "unsure"),
    ("not going offline", "unsure"), ("unable", "unsure"), ("failed", "faulted"), ("declined", "partial"),
    ("offline", "offline"), ("online", "online"), ("switch", "changing"), ("restart", "changing"),
    ("brought", "online"),
)  # fmt: skip
_GONE = re.compile(r"fault|jeopardy|ddna|daemon down|not (?:alive|responding|running)|left the cluster|lost\b")
_UP = re.compile(r"\bup\b|running|regular membership|joined|cleared|first time")
_CONTAINERS: Final = ("Entities Container Name", "Entities Under", "Entity Container Name")


@parser(
    "vcs_notice",
    version=2,
    product="veritas",
    claims=r"(?:Entity (?:Name|State|Type|Subtype)|Event Time)\s{0,20}[:=]\s{0,20}\S",
    owns=rf"{_KEYS}\s{{0,20}}[:=]",
)
def vcs_notice(section: OpenSection, out: Output) -> None:
    """What a notice of the engine says of one entity."""
    found: dict[str, tuple[int, str]] = {}
    for line, match in lines_of(section, out, _PAIR, "no name and value of a notice"):
        if match[1] in found:  # the next notice
            _entity(section, found)
            found = {}
        found[match[1]] = (line.number, (match[2] or "").strip())
    _entity(section, found)


def _entity(section: OpenSection, found: dict[str, tuple[int, str]]) -> None:
    number, state = found.get("Entity State", (0, ""))
    name, sort = (found.get(key, (0, ""))[1] for key in ("Entity Name", "Entity Type"))
    if not number or not name:
        return
    on = (found.get("System Name") or found.get("Entity System") or (0, ""))[1] or None
    instant = find_instant(found["Event Time"][1]) if "Event Time" in found else None
    if instant is not None:
        section.stamp(instant[0])
    lower = state.lower()
    if sort.lower() == "system":
        section.add(
            ClusterMember,
            number,
            source="notice of VCS",
            member=name,
            layer="services",
            state=state,
            standing=_standing_of_system(lower),
        )
        return
    is_resource = sort.lower() == "resource"
    section.add(
        ServiceState,
        number,
        source="notice of VCS",
        sort="resource" if is_resource else "group",
        group=next((found[key][1] for key in _CONTAINERS if key in found), "") or None if is_resource else name,
        resource=name if is_resource else None,
        resource_type=found.get("Entity Subtype", (0, ""))[1] or None,
        on=on,
        state=state,
        standing=next((standing for word, standing in _BAD if word in lower), "unknown"),
    )


def _standing_of_system(state: str) -> NodeStanding:
    if _GONE.search(state):
        return "down"
    if "exit" in state:
        return "leaving"
    return "up" if _UP.search(state) else "unknown"
