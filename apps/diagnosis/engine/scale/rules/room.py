"""Rules on disks and room: disks that are not up (SC-27), little space (SC-25), few inodes or little room for metadata (SC-31)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, rule
from apps.diagnosis.engine.core.wording import count, listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Group
from apps.diagnosis.engine.scale.evidence import lines_of, nodes_of, span_of
from apps.diagnosis.engine.scale.nsds import Nsd, ScaleNsds
from apps.diagnosis.engine.scale.room import Room, ScaleRoom
from apps.diagnosis.engine.scale.settings import ScaleSettings
from apps.diagnosis.engine.scale.waits import ScaleWaits

KB_PER_GIB: Final = 1 << 20
METADATA, DATA = ("-m", "defaultMetadataReplicas"), ("-r", "defaultDataReplicas")
CREATES: Final = ("allocMsg", "InodeAlloc", "CreateHandler")


@rule("SC-27")
def nsd_down(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: I/O to part of a file system fails or hangs.

    Reasoning: mmlsdisk shows a disk that is not up or not ready, or mmgetstate shows that no server of a disk is active.
    Source: IBM Storage Scale documentation, mmlsdisk and mmgetstate.
    """
    by_fs: dict[str | None, list[Nsd]] = defaultdict(list)
    for nsd in facts.get(ScaleNsds).states:
        by_fs[nsd.fs].append(nsd)
    for fs, nsds in by_fs.items():
        down = [nsd for nsd in nsds if not nsd.is_up]
        if down:
            yield _down(facts, fs, down)
        waiting = [nsd for nsd in nsds if nsd.is_up and not nsd.is_ready]
        if waiting:
            yield draft("low", [nsd.ref for nsd in waiting], _names(fs, waiting), variant="status", times=[nsd.at for nsd in waiting])
    yield from _without_server(facts)


def _names(fs: str | None, nsds: list[Nsd]) -> dict[str, str]:
    return {
        "disks": f"{plural(len(nsds), 'disk')} {'is' if len(nsds) == 1 else 'are'}",
        "fs": fs or "a file system that is not named",
        "names": listed(nsd.name for nsd in nsds),
        "states": "; ".join(f"{nsd.name} is {nsd.state}" for nsd in nsds[:6]),
    }


def _down(facts: CaseFacts, fs: str | None, down: list[Nsd]) -> Draft:
    copies, replicas, refs = _replicas(facts, fs, down)
    severity: Severity = "critical" if copies == 1 else "high"
    waits = _waits(facts)
    return draft(
        severity, [*(nsd.ref for nsd in down), *refs, *lines_of(_waits_for(facts, {nsd.name for nsd in down}), most=2)],
        {**_names(fs, down), "replicas": replicas}, times=[nsd.at for nsd in down],
        lacks="" if copies is not None else "how many copies the file system keeps is not shown",
        figures=(Figure("Disks not up", len(down)), Figure("Long waits in the files", waits) if waits else None), weight=float(waits),
    )  # fmt: skip


def _replicas(facts: CaseFacts, fs: str | None, down: list[Nsd]) -> tuple[int | None, str, list[Ref]]:
    """The fewest copies of what these disks hold, in words, with the lines; None where it is not shown."""
    flags = [flag for flag, kinds in ((METADATA, ("metadata", "both")), (DATA, ("data", "both"))) if any(n.usage in kinds for n in down)]
    held = [facts.get(ScaleSettings).attribute(fs, *flag) for flag in flags]
    known = [one for one in held if one is not None and one.value.isdigit()]
    if not known or len(known) < len(flags):
        return None, "How many copies are kept is not shown (mmlsfs -m -r): without a second copy what is on them cannot be read.", []
    fewest = min(int(one.value) for one in known)
    text = (
        "There is no second copy: what is on them cannot be read until they are back."
        if fewest == 1
        else f"{fewest} copies are kept: I/O goes on with what is left."
    )
    return fewest, text, [one.ref for one in known]


def _without_server(facts: CaseFacts) -> Iterator[Draft]:
    """NSDs whose servers are all known not to be active."""
    nsds, states = facts.get(ScaleNsds), facts.get(ScaleNsds).node_states
    found = {
        name: (servers, ref)
        for name, (servers, ref) in nsds.servers.items()
        if servers and all(server in states and states[server].standing != "up" for server in servers)
    }
    if not found:
        return
    servers = list(dict.fromkeys(server for names, _ in found.values() for server in names))
    groups = _waits_for(facts, set(found) | set(servers))
    start, end = span_of(groups)
    yield draft(
        "high" if groups else "medium",
        [*(ref for _, ref in list(found.values())[:2]), *(states[server].ref for server in servers[:3]), *lines_of(groups, most=3)],
        {
            "names": listed(found), "states": listed([f"{server} {states[server].state}" for server in servers]),
            "waits": _waiting(groups),
        },
        variant="servers", nodes=(*servers, *nodes_of(groups)), times=(start, end), basis="inferred",
        figures=(Figure("NSDs without a server", len(found)),),
    )  # fmt: skip


def _waiting(groups: list[Group]) -> str:
    if not groups:
        return ""
    waits, longest = sum(group.waits for group in groups), max(group.longest_s for group in groups)
    return f" The dumps show {plural(waits, 'wait')} for them, the longest {seconds(longest)}."


def _waits_for(facts: CaseFacts, names: set[str]) -> list[Group]:
    """Long waits for one of some disks or servers."""
    if not facts.get(ScaleWaits).any:
        return []
    return [group for group in facts.get(ScaleWaits).chains.groups if group.to.name in names or group.to.node in names]


def _waits(facts: CaseFacts) -> int:
    return sum(group.waits for group in facts.get(ScaleWaits).chains.groups) if facts.get(ScaleWaits).any else 0


@rule("SC-25")
def capacity(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: writes and creates get slow as a file system fills.

    Reasoning: mmdf shows hardly any free blocks.
    Source: IBM Storage Scale documentation names it among the causes of delays; the limit is proposed.
    """
    for room in facts.get(ScaleRoom).space:
        if room.what not in ("data", "total") or room.free_share > limits.free:
            continue
        if room.what == "total" and any(one.fs == room.fs and one.what == "data" for one in facts.get(ScaleRoom).space):
            continue  # the row for data says it
        waits = _waits(facts)
        yield draft(
            "medium" if waits else "low", room.refs,
            {**_room_words(facts, room), "what": f"{_place(room)}: room for data"}, figures=_room_figures(room, limits.words("free")),
            lacks="" if waits else "no dump shows that anybody waits",
        )  # fmt: skip


@rule("SC-31")
def inodes_or_metadata_full(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: creating files fails or hangs although the file system has room.

    Reasoning: nearly all inodes up to the limit are used, or the disks for metadata are full.
    Source: tables of mmdf, mmlsfileset, mmlspool; the limits are proposed.
    """
    tables = facts.get(ScaleRoom)
    severity: Severity = "high" if _creates_wait(facts) else "medium"
    for room in tables.inodes:
        if room.free_share < limits.inodes:
            yield draft(
                severity, room.refs,
                {
                    **_room_words(facts, room), "what": _place(room), "free": count(room.free), "size": f"{count(room.size)} inodes",
                    "used": count(room.size - room.free),
                },
                figures=(Figure("Inodes left", room.free), Figure("Share left", round(room.free_share, 4), "", limits.words("inodes"))),
                harm="no inode is left, so that no file can be made" if room.free <= 0 else "",
            )  # fmt: skip
    for room in tables.space:
        if _is_metadata(room) and room.free_share < limits.metadata and _data_has_room(facts, room):
            yield draft(
                severity, room.refs, {**_room_words(facts, room), "what": _place(room, start=False)}, variant="metadata",
                figures=_room_figures(room, limits.words("metadata")),
            )  # fmt: skip


def _is_metadata(room: Room) -> bool:
    return room.what == "metadata"


def _data_has_room(facts: CaseFacts, room: Room) -> bool:
    """Where data is full too, that is the finding (SC-25)."""
    least = limits_of("SC-25").free
    shares = [one.free_share for one in facts.get(ScaleRoom).space if one.fs == room.fs and one.what == "data"]
    return not shares or max(shares) > least


def _creates_wait(facts: CaseFacts) -> bool:
    if not facts.get(ScaleWaits).any:
        return False
    severe = limits_of("scale-bands").serious_s
    return any(
        group.longest_s > severe and any(word in f"{group.want.name} {group.text.shape.thread or ''}" for word in CREATES)
        for group in facts.get(ScaleWaits).chains.groups
    )


def _place(room: Room, *, start: bool = True) -> str:
    fs = f"file system {room.fs}" if room.fs else "a file system that is not named"
    if room.what == "inodes" and room.name:
        return f"Fileset {room.name} of {fs}"
    place = f"pool {room.name} of {fs}" if room.name else fs
    return place[0].upper() + place[1:] if start else place


def _room_words(facts: CaseFacts, room: Room) -> dict[str, str]:
    waits = _waits(facts)
    data = [one for one in facts.get(ScaleRoom).space if one.fs == room.fs and one.what == "data"]
    return {
        "full": f"{100 * (1 - room.free_share):.0f} %",
        "free": f"{count(room.free / KB_PER_GIB)} GiB",
        "size": f"{count(room.size / KB_PER_GIB)} GiB",
        "waits": f"; the dumps show {plural(waits, 'long wait')}" if waits else "",
        "data": f" ({100 * data[0].free_share:.0f} % of the room for data is free)" if data else "",
    }


def _room_figures(room: Room, limit: str) -> tuple[Figure, ...]:
    return (Figure("Free", round(room.free / KB_PER_GIB, 1), "GiB"), Figure("Share free", round(room.free_share, 4), "", limit))
