"""Rules on disks and room: disks that are not up (SC-27), little space (SC-25), few inodes or little room for metadata
(SC-31).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.knowledge import limits as limits_of
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.scale.evidence import lines_of, longest_of, nodes_of, span_of, waits_in
from apps.diagnosis.engine.scale.groups import Group
from apps.diagnosis.engine.scale.nsds import Nsd, ScaleNsds
from apps.diagnosis.engine.scale.room import Room, ScaleRoom
from apps.diagnosis.engine.scale.settings import ScaleSettings
from apps.diagnosis.engine.scale.symptoms import BACK, FAILED, LOST, Symptom, Symptoms, is_later, refs_of, when
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.dataclass import dataclass

KB_PER_GIB: Final = 1 << 20
METADATA, DATA = ("-m", "defaultMetadataReplicas"), ("-r", "defaultDataReplicas")
CREATES: Final = ("allocMsg", "InodeAlloc", "CreateHandler")
STATES_SHOWN: Final = 6
AVAILABILITIES: Final = ("up", "down", "recovering", "unrecovered")
LOST_WITHIN_US: Final = 120_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DiskWords:
    """number: disks spoken of; down, idle: how many are not up, or have no server. copies: of what they hold, fewest
    the number.

    waits, longest: for them; file_waits: all long waits in the files. several: more than one; where: nodes whose logs
    tell it; lost: file systems that went with them; within: the one that they are of.
    """

    number: int = 0
    fs: str | None = None
    names: tuple[str, ...] = ()
    states: str = ""
    servers: tuple[str, ...] = ()
    copies: Literal["one", "several", "unknown"] = "unknown"
    fewest: int | None = None
    waits: int = 0
    longest: float = 0.0
    down: int | None = None
    file_waits: int | None = None
    idle: int | None = None
    several: bool = False
    where: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()
    within: str | None = None


@rule("SC-27", needs=(ScaleNsds, ScaleSettings, ScaleWaits, Symptoms), words=DiskWords)
def nsd_down(
    nsds: ScaleNsds, settings: ScaleSettings, waits: ScaleWaits, symptoms: Symptoms, limits: Limits
) -> Iterator[Seen]:
    """Symptom: I/O to part of a file system fails or hangs.

    Reasoning: mmlsdisk shows a disk that is not up or not ready, the log tells that a disk or its last server failed,
    or mmgetstate shows that no server of a disk is active. Source: IBM Storage Scale documentation, mmlsdisk and
    mmgetstate.
    """
    failed = [s for s in symptoms.events(FAILED) if s.about]
    yield from _listed(nsds, settings, waits, failed)
    yield from _without_server(nsds, waits)
    listed = {nsd.name for nsd in nsds.states}
    unlisted = [s for s in failed if s.about not in listed]
    returned = symptoms.events(BACK)
    back = [s for s in unlisted if any(one.about == s.about and is_later(one, s) for one in returned)]
    if away := [s for s in unlisted if s not in back]:
        yield _logged(away, symptoms.events(LOST), nsds)
    elif back:
        yield _logged(back, symptoms.events(LOST), nsds, came_back=True)


def _listed(nsds: ScaleNsds, settings: ScaleSettings, waits: ScaleWaits, failed: list[Symptom]) -> Iterator[Seen]:
    """Disks that a table shows down, or not ready."""
    by_fs: dict[str | None, list[Nsd]] = defaultdict(list)
    for nsd in nsds.states:
        by_fs[nsd.fs].append(nsd)
    in_files, by_target = waits_in(waits.groups), _by_target(waits)
    for fs, own in by_fs.items():
        down, waiting = [nsd for nsd in own if not nsd.is_up], [nsd for nsd in own if nsd.is_up and not nsd.is_ready]
        if down:
            behind = [group for name in _names(down) for group in by_target.get(name, ())]
            yield _down(settings, behind, in_files, fs, down, failed)
        if waiting:
            words = DiskWords(number=len(waiting), fs=fs, names=_names(waiting), states=_states(waiting))
            yield Seen(
                level="status", words=words, lines=[nsd.ref for nsd in waiting], times=[nsd.at for nsd in waiting]
            )


def _logged(failed: list[Symptom], lost: list[Symptom], nsds: ScaleNsds, *, came_back: bool = False) -> Seen:
    """Disks that only the log calls failed, with the file systems that went at that time."""
    start, end = when(failed)
    gone = [s for s in lost if s.is_near(start, end, LOST_WITHIN_US)]
    names = tuple(dict.fromkeys(s.about or "" for s in failed))
    where = nodes_in(failed)
    volumes = {nsds.file_systems.get(name) for name in names}
    return Seen(
        level="logged_lost" if gone else "logged_back" if came_back else "logged",
        words=DiskWords(
            number=len(names),
            names=names,
            several=len(names) > 1,
            where=where,
            lost=tuple(sorted({s.about for s in gone if s.about})),
            within=volumes.pop() if len(volumes) == 1 and not gone else None,
        ),
        lines=(*refs_of(failed, 6), *refs_of(gone, 6)),
        nodes=where,
        times=when([*failed, *gone]),
        borne_by=(len(failed), len(where)),
        parts=("copies_unknown",),
        weight=float(len(failed)),
    )


def _names(nsds: list[Nsd]) -> tuple[str, ...]:
    return tuple(nsd.name for nsd in nsds)


def _states(nsds: list[Nsd]) -> str:
    return "; ".join(map(_state, nsds[:STATES_SHOWN]))


def _state(nsd: Nsd) -> str:
    """A disk with its status and its availability, which a listing shows in two columns."""
    status, _, availability = (nsd.state or "").rpartition(" ")
    if status and availability in AVAILABILITIES:
        return phrase("scale-states.disk", name=nsd.name, status=status, availability=availability)
    return phrase("scale-states.is", name=nsd.name, state=nsd.state)


def _down(
    settings: ScaleSettings,
    behind: list[Group],
    in_files: int,
    fs: str | None,
    down: list[Nsd],
    failed: list[Symptom],
) -> Seen:
    logged = [s for s in failed if s.about in _names(down)]
    fewest, refs = _replicas(settings, fs, down)
    copies: Literal["one", "several", "unknown"] = "unknown" if fewest is None else "one" if fewest == 1 else "several"
    return Seen(
        level="lost" if copies == "one" else "down",
        words=DiskWords(
            number=len(down),
            fs=fs,
            names=_names(down),
            states=_states(down),
            copies=copies,
            fewest=fewest,
            down=len(down),
            file_waits=in_files or None,
        ),
        lines=[*(nsd.ref for nsd in down), *refs, *lines_of(behind, most=2), *refs_of(logged, 4)],
        times=[nsd.at for nsd in down],
        parts=() if fewest is not None else ("copies_unknown",),
        weight=float(in_files),
    )


def _replicas(settings: ScaleSettings, fs: str | None, down: list[Nsd]) -> tuple[int | None, list[Ref]]:
    """The fewest copies of what these disks hold, with the lines; None where it is not shown."""
    flags = [
        flag
        for flag, kinds in ((METADATA, ("metadata", "both")), (DATA, ("data", "both")))
        if any(n.usage in kinds for n in down)
    ]
    held = [settings.attribute(fs, *flag) for flag in flags]
    known = [one for one in held if one is not None and one.value.isdigit()]
    if not known or len(known) < len(flags):
        return None, []
    return min(int(one.value) for one in known), [one.ref for one in known]


def _without_server(nsds: ScaleNsds, waits: ScaleWaits) -> Iterator[Seen]:
    """NSDs whose servers are all known not to be active."""
    states = nsds.node_states
    found = {
        name: (servers, ref)
        for name, (servers, ref) in nsds.servers.items()
        if servers and all(server in states and states[server].standing != "up" for server in servers)
    }
    if not found:
        return
    servers = list(dict.fromkeys(server for names, _ in found.values() for server in names))
    groups = _waits_for(waits, set(found) | set(servers))
    yield Seen(
        level="unserved_waited" if groups else "unserved",
        words=DiskWords(
            names=tuple(found),
            servers=tuple(f"{server} {states[server].state}" for server in servers),
            waits=waits_in(groups),
            longest=longest_of(groups),
            idle=len(found),
        ),
        lines=[
            *(ref for _, ref in list(found.values())[:2]),
            *(states[server].ref for server in servers[:3]),
            *lines_of(groups, most=3),
        ],
        nodes=(*servers, *nodes_of(groups)),
        times=span_of(groups),
    )


def _by_target(waits: ScaleWaits) -> dict[str, list[Group]]:
    """Long waits by the disk or the server that they are for."""
    found: dict[str, list[Group]] = defaultdict(list)
    for group in waits.groups:
        for name in {group.to.name, group.to.node} - {None}:
            found[name].append(group)
    return found


def _waits_for(waits: ScaleWaits, names: set[str]) -> list[Group]:
    """Long waits for one of some disks or servers."""
    return [group for group in waits.groups if group.to.name in names or group.to.node in names]


@dataclass(frozen=True, slots=True, kw_only=True)
class RoomWords:
    """free, size, used: in GiB, or inodes; full, data_free: per cent; share: free of the whole. left, left_share: of
    inodes.
    """

    place: Literal["fileset", "pool", "fs"]
    name: str | None
    fs: str | None
    full: float
    free: float
    size: float
    used: float
    waits: int
    has_data: bool
    data_free: float
    free_gib: float | None = None
    share: float | None = None
    left: float | None = None
    left_share: float | None = None


def _words(room: Room, rooms: ScaleRoom, waits: ScaleWaits) -> RoomWords:
    is_inodes = room.what == "inodes"
    unit = 1 if is_inodes else KB_PER_GIB
    data = [one.free_share for one in rooms.space if one.fs == room.fs and one.what == "data"]
    free, size = room.free / unit, room.size / unit
    return RoomWords(
        place="fs" if not room.name else "fileset" if is_inodes else "pool",
        name=room.name,
        fs=room.fs,
        full=100 * (1 - room.free_share),
        free=free,
        size=size,
        used=size - free,
        waits=waits_in(waits.groups),
        has_data=bool(data),
        data_free=100 * data[0] if data else 0.0,
        free_gib=None if is_inodes else free,
        share=None if is_inodes else room.free_share,
        left=free if is_inodes else None,
        left_share=room.free_share if is_inodes else None,
    )


@rule("SC-25", needs=(ScaleRoom, ScaleWaits), words=RoomWords)
def capacity(rooms: ScaleRoom, waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: writes and creates get slow as a file system fills.

    Reasoning: mmdf shows hardly any free blocks.
    Source: IBM Storage Scale documentation names it among the causes of delays; the limit is proposed.
    """
    spoken_of = set[str | None]()
    for room in _rooms_for_data(rooms):
        is_full = room.free_share <= (limits.little if room.what == "pool" else limits.free)
        if is_full and not (room.what == "pool" and room.fs in spoken_of):
            spoken_of.update({room.fs} if room.what != "pool" else ())
            is_waited = bool(waits_in(waits.groups))
            yield Seen(
                level=_level_of(room, limits, is_waited=is_waited),
                variant="pool" if room.what == "pool" else "",
                words=_words(room, rooms, waits),
                lines=room.refs,
                harm=_harm_of(room, limits),
                parts=() if is_waited else ("nobody_waits",),
            )


def _rooms_for_data(rooms: ScaleRoom) -> Iterator[Room]:
    """What tells the room of a file system: the row for data, else the total. Then its pools, each of which may be full
    by itself; a pool that shares its disks with the metadata alone is reported by the row for these.
    """
    with_data, with_metadata = ({room.fs for room in rooms.space if room.what == what} for what in ("data", "metadata"))
    yield from (
        room for room in rooms.space if room.what == "data" or (room.what == "total" and room.fs not in with_data)
    )
    sizes = {(room.fs, room.size) for room in rooms.space if room.what == "metadata"}
    yield from (
        room
        for room in rooms.space
        if room.what == "pool" and not (room.fs in with_metadata and (room.fs, room.size) in sizes)
    )


def _level_of(room: Room, limits: Limits, *, is_waited: bool) -> str:
    if room.free_share <= limits.none:
        return "none"
    return "waited" if is_waited else "tight" if room.what == "pool" else "full"


def _harm_of(room: Room, limits: Limits) -> str:
    if room.free_share <= limits.none:
        return "no_room"
    return "little_room" if room.free_share <= limits.little else ""


@rule("SC-31", needs=(ScaleRoom, ScaleWaits), words=RoomWords)
def inodes_or_metadata_full(rooms: ScaleRoom, waits: ScaleWaits, limits: Limits) -> Iterator[Seen]:
    """Symptom: creating files fails or hangs although the file system has room.

    Reasoning: nearly all inodes up to the limit are used, or the disks for metadata are full.
    Source: tables of mmdf, mmlsfileset, mmlspool; the limits are proposed.
    """
    level = "waited" if _creates_wait(waits) else "full"
    for room in rooms.inodes:
        if room.free_share < limits.inodes:
            is_out = room.free_share < limits.inodes_none
            harm = "none_left" if room.free <= 0 else "few_left" if is_out else ""
            yield Seen(
                level="waited" if is_out else level, words=_words(room, rooms, waits), lines=room.refs, harm=harm
            )
    for room in rooms.space:
        if room.what == "metadata" and room.free_share < limits.metadata and _data_has_room(rooms, room):
            harm = "few_blocks" if room.free_share < limits.metadata_none else ""
            yield Seen(level=level, variant="metadata", words=_words(room, rooms, waits), lines=room.refs, harm=harm)


def _data_has_room(rooms: ScaleRoom, room: Room) -> bool:
    """Where data is full too, that is the finding (SC-25)."""
    shares = [one.free_share for one in rooms.space if one.fs == room.fs and one.what == "data"]
    return not shares or max(shares) > limits_of("SC-25").free


def _creates_wait(waits: ScaleWaits) -> bool:
    severe = limits_of("scale-bands").serious_s
    return any(
        group.longest_s > severe
        and any(word in f"{group.awaited.name} {group.text.shape.thread or ''}" for word in CREATES)
        for group in waits.groups
    )
