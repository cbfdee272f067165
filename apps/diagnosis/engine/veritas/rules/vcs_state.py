"""Rule on what the tools of the cluster say is not running: systems, groups, nodes of CVM, mounts (VX-02)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.things import Thing, things_of
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.sentences import render, sentence
from apps.diagnosis.engine.core.words.wording import node_words
from apps.diagnosis.engine.veritas.files import VeritasFiles
from parsers.dataclass import dataclass
from parsers.records import DiskName, Event
from parsers.records.locks import GlmLock
from parsers.records.states import ClusterMember, Manager, Membership, ServiceState, StorageState

NO_CONFIGURATION: Final = "ADMIN_WAIT"  # also as STALE_ADMIN_WAIT
SHOWN: Final = 3
IDLE: Final = ("offline", "online", "disabled")
OWN_SORTS: Final = ("group", "resource", "mount")
SHARED_PORTS: Final = ("f", "u", "v", "w", "y")  # those that a cluster of volumes or of file systems opens
NOT_JOINED: Final = "UNKNOWN"
TELLS_WHY: Final = "CVM is out: "
SHARED_TYPES: Final = ("CVM", "CFS")  # what the types of its resources begin with
# What the tools of the cluster file system call what they make; it is to run on all nodes at once.
SHARED_NAMES: Final = re.compile(
    r"cvm(?:$|_|\d|group|vol|grp)|vxfsckd$|vrts_vea_cfs|cfs(?:mount|fsckd|_|\d|$)", re.IGNORECASE
)


@sentence("systems-out")
@dataclass(frozen=True, slots=True)
class OutWords:
    """Systems that left the cluster; one: a single one; volumes: they are out of the cluster of volumes alone."""

    names: tuple[str, ...]
    one: bool
    volumes: bool = False


@sentence("service-state")
@dataclass(frozen=True, slots=True)
class ServiceWords:
    """A group, a mount or a resource that does not run on a node. failed: the resource that failed in a group."""

    sort: Literal["group", "mount", "resource"]
    name: str | None
    on: str | None
    failed: str | None = None


@dataclass(frozen=True, slots=True)
class StatusWords:
    """what: states of systems and services; resources: those that failed, with their type and node; states: of nodes
    that do not run in a layer of the cluster, as printed; nowhere: groups that failed and run on no system; reasons:
    why nodes are out, where that is said.
    """

    what: tuple[str, ...]
    states: tuple[str, ...]
    resources: tuple[tuple[str, str | None], ...]
    rows: int
    systems: int
    groups: int
    nowhere: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()


@sentence("set-aside")
@dataclass(frozen=True, slots=True)
class AsideWords:
    """Something that the cluster does not start or move by itself."""

    sort: Literal[
        "exited",
        "not joined",
        "cvm stopped",
        "not running",
        "cvm inactive",
        "frozen system",
        "frozen group",
        "autodisabled",
        "resource goes online",
        "resource goes offline",
        "group goes online",
        "group goes offline",
        "group changes",
        "system joins",
        "group off",
        "resource off",
    ]
    name: str | None
    on: str | None = None


@dataclass(frozen=True, slots=True)
class AsideStatus:
    """what: systems and groups that are set aside."""

    what: tuple[str, ...]
    rows: int


def _members(records: Records) -> dict[tuple[str, str | None, str | None, bool], ClusterMember]:
    """The last look at each member of a layer; that it is frozen is a row of its own."""
    return {
        (one.layer, one.node, one.member, (one.state or "").endswith(" frozen")): one
        for one in records.of(ClusterMember)
        if one.layer in ("services", "volumes")
    }


def _names_of(systems: Sequence[ClusterMember]) -> tuple[str, ...]:
    named = [one for one in systems if one.member]  # what printed no name is one of those, if there are any
    return tuple(sorted({node_words([one.member]) for one in named or systems}))


@rule("VX-02", needs=(VeritasFiles, Records), words=(StatusWords, AsideStatus))
def cluster_state(files: VeritasFiles, records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: a node, a service or a mount is gone.

    Reasoning: the last status shows a system or a group as FAULTED, a node out of the CVM cluster, a cluster mount that
    is not mounted. Source: hastatus(1M), vxclustadm(1M), cfscluster(1M): their own words.
    """
    if not files.are_read:
        # a table of mounts alone shows no product
        yield from _unmounted(_of_volumes(records), _mounted(_services(records).values()))
        return
    members = _members(records)
    services = _services(records)
    systems, inactive = _gone(records, members.values())
    mounts = [one for one in services.values() if one.sort == "mount" and one.standing == "offline"]
    yield from _under_way(records)
    if systems or any(one.standing == "faulted" for one in services.values()):
        yield _out(records, members.values(), services.values(), systems, mounts)
        yield from _set_aside(
            [one for one in members.values() if one.standing in ("up", "unknown")],
            [one for one in services.values() if one.standing != "faulted"],
        )
    else:
        yield from _unmounted([one for one in mounts if one.on], _mounted(services.values()))
        yield from _apart(members.values(), services.values(), inactive)


def _out(
    records: Records,
    members: Iterable[ClusterMember],
    services: Collection[ServiceState],
    systems: Sequence[ClusterMember],
    mounts: Sequence[ServiceState],
) -> Seen:
    """Systems that are out of the cluster, and what failed, with the mounts that are missing beside it."""
    faulted = [one for one in services if one.standing == "faulted"]
    groups, failed = ([one for one in faulted if one.sort == sort] for sort in ("group", "resource"))
    names = _names_of(systems)
    left = [one for one in members if one.standing == "leaving"]
    rows = [*systems, *groups, *mounts, *failed, *left]
    lines, nodes, times = (
        [one.ref for one in rows],
        {*(one.on for one in (*groups, *mounts, *failed)), *(one.member for one in systems)},
        [one.at for one in rows],
    )
    groups, mounts, failed = (_once(own) for own in (groups, mounts, failed))
    reasons = tuple(dict.fromkeys(_reasons(records)))
    return Seen(
        level="told" if reasons else "unbuilt" if _lack_configuration(systems) else "out",
        words=StatusWords(
            what=tuple(_states(names, groups, mounts, failed, volumes=all(one.layer == "volumes" for one in systems))),
            states=_looks(records, (*systems, *left)),
            resources=tuple((_typed(one), one.on) for one in failed[:SHOWN]),
            rows=len(rows),
            systems=len(names),
            groups=len(groups),
            nowhere=tuple(_nowhere(services)),
            reasons=reasons,
        ),
        lines=lines,
        nodes=nodes,
        times=times,
        weight=1.0,
        things=_things(groups, [*mounts, *failed], services),
    )


def _once(services: Sequence[ServiceState]) -> list[ServiceState]:
    """Each once, though several nodes print it."""
    return list({(one.group, one.resource, one.on): one for one in services}.values())


def _things(
    groups: Collection[ServiceState], others: Collection[ServiceState], services: Iterable[ServiceState]
) -> frozenset[Thing]:
    """What does not run, with all resources that are listed below a group that failed."""
    names = {one.group for one in groups}
    return frozenset(things_of([*groups, *others, *(one for one in services if one.group in names)]))


def _lack_configuration(systems: Collection[ClusterMember]) -> bool:
    """Whether every system that is out waits for somebody to say which configuration counts."""
    return bool(systems) and all(NO_CONFIGURATION in (one.state or "") for one in systems)


def _reasons(records: Records) -> Iterator[str]:
    """Why nodes are out, as the volume manager says it in a row of its own."""
    for one in records.of(ClusterMember):
        if one.layer == "volumes" and one.standing == "down" and (one.state or "").startswith(TELLS_WHY):
            yield (one.state or "").removeprefix(TELLS_WHY)


def _nowhere(services: Iterable[ServiceState]) -> Iterator[str]:
    """Groups that failed and are online on none of several systems, by all that is listed of them."""
    by_group: dict[str, list[ServiceState]] = {}
    for one in services:
        if one.sort == "group" and one.group and one.on:
            by_group.setdefault(one.group, []).append(one)
    for group, states in by_group.items():
        standings = {one.standing for one in states}
        is_off = "faulted" in standings and standings <= {"faulted", "offline", "missing"}
        if is_off and len({one.on for one in states}) > 1:
            yield group


def _gone(records: Records, members: Collection[ClusterMember]) -> tuple[list[ClusterMember], list[ClusterMember]]:
    """Systems that are out of the cluster; and those of which nobody knows whether they should share volumes."""
    inactive = [one for one in members if _is_inactive(one)]
    down = [one for one in members if one.standing == "down"]
    if inactive and _shares_volumes(records):
        return [*down, *inactive], []
    return down, inactive


def _is_inactive(member: ClusterMember) -> bool:
    """A node on which CVM is not active, by a tool that does not say whether it should be."""
    return member.layer == "volumes" and member.standing == "unknown" and (member.state or "").endswith("inactive")


def _shares_volumes(records: Records) -> bool:
    """Whether anything shows that disk groups or file systems are shared there: members, a master, ports, resources,
    disks, locks or messages of it.
    """
    return (
        any(one.layer == "volumes" and not _is_inactive(one) for one in records.of(ClusterMember))
        or any(one.role in ("volume master", "file system primary") for one in records.of(Manager))
        or any(one.sort == "volumes" or one.group in SHARED_PORTS for one in records.of(Membership))
        or any(_is_shared(one) for one in records.of(ServiceState))
        or any("shared" in (one.state or "").split() for one in records.of(StorageState))
        or records.has(GlmLock)
        or not records.frame(Event, pl.col("kind").str.starts_with("cvm-")).is_empty()
    )


def _is_shared(service: ServiceState) -> bool:
    return _is_of_volumes(service) or service.sort == "mount"


def _is_of_volumes(service: ServiceState) -> bool:
    """A group or a resource of the cluster of volumes or of its file systems, by its type or its own name."""
    if (service.resource_type or "").startswith(SHARED_TYPES):
        return True
    return SHARED_NAMES.match(service.resource or service.group or "") is not None


def _does_not_run(member: ClusterMember) -> bool:
    """Whether a service does not run on a node, without a word about who stopped it."""
    return member.standing == "leaving" and (member.state or "").endswith(("not-running", ": offline"))


def _not_running(members: Iterable[ClusterMember]) -> Iterator[Seen]:
    """Nodes on which neither the cluster manager nor CVM runs: stopped on purpose, or gone."""
    gone = [one for one in members if _does_not_run(one)]
    names = tuple(sorted({node_words([one.member]) for one in gone}))
    if gone:
        yield Seen(
            level="not_running",
            words=AsideStatus(
                tuple(render(AsideWords("not running", name, name)) for name in names[:SHOWN]), len(gone)
            ),
            lines=[one.ref for one in gone],
            nodes=[one.member for one in gone],
            times=[one.at for one in gone],
            parts=("purpose_unknown",),
        )


def _unused(inactive: Sequence[ClusterMember]) -> Iterator[Seen]:
    """Hosts without an active CVM on which nothing else shows that it is used."""
    if inactive:
        names = tuple(node_words([one.member]) for one in inactive)
        yield Seen(
            level="unused",
            words=AsideStatus(
                tuple(render(AsideWords("cvm inactive", one, one)) for one in names[:SHOWN]), len(inactive)
            ),
            lines=[one.ref for one in inactive],
            nodes=[one.member for one in inactive],
            times=[one.at for one in inactive],
        )


def _typed(one: ServiceState) -> str:
    return f"{one.resource} ({one.resource_type})" if one.resource_type else str(one.resource)


def _services(records: Records) -> dict[tuple[str | None, ...], ServiceState]:
    """The last state of each group, resource and mount on each node: units of the system are none of them. That a group
    is set aside stands beside its state.
    """
    own = (one for one in records.of(ServiceState) if one.sort in OWN_SORTS)
    return {
        (one.sort, one.node, one.group, one.resource, one.on, "aside" if one.standing == "disabled" else None): one
        for one in own
    }


def _of_volumes(records: Records) -> list[ServiceState]:
    """Mounts of volumes of VxVM that are not there."""
    mounts = {one.fs for one in records.of(DiskName) if (one.device or "").startswith("/dev/vx/")}
    services = (one for one in _services(records).values() if one.sort == "mount" and one.standing == "offline")
    return [one for one in services if one.on and one.group in mounts]


def _mounted(services: Iterable[ServiceState]) -> frozenset[str | None]:
    """Mounts that are there, and the nodes that have one."""
    online = [one for one in services if one.sort == "mount" and one.standing == "online"]
    return frozenset(name for one in online for name in (one.group, one.on) if name)


def _unmounted(missing: Sequence[ServiceState], mounted: frozenset[str | None] = frozenset()) -> Iterator[Seen]:
    """Cluster mounts that are not there: not made yet, taken away on purpose, or lost; the last is likelier where
    another node has it, or the same node has others.
    """
    if missing:
        yield Seen(
            level="apart" if any(one.group in mounted or one.on in mounted for one in missing) else "unmounted",
            words=StatusWords(tuple(_states((), (), missing, ())), (), (), len(missing), 0, 0),
            lines=[one.ref for one in missing],
            nodes={one.on for one in missing},
            times=[one.at for one in missing],
            things=things_of(missing),
        )


def _apart(
    members: Collection[ClusterMember], services: Iterable[ServiceState], inactive: Sequence[ClusterMember]
) -> Iterator[Seen]:
    """What takes no part without a fault that is shown."""
    services = list(services)
    yield from _not_running(members)
    yield from _set_aside(members, services)
    yield from _off_here(members, services)
    yield from _unused(inactive)


def _off_here(members: Iterable[ClusterMember], services: Sequence[ServiceState]) -> Iterator[Seen]:
    """What runs on several nodes at once and is off on one whose engine runs: nobody starts it there by itself."""
    off = list(_off_beside_others(services, {one.member for one in members if one.standing != "up"}))
    shared = [one for one, _ in off if _is_of_volumes(one)]
    groups = [one for one in shared if one.sort == "group"]
    if shared:
        yield replace(_seen_aside("off_here", [_off(one) for one in groups or shared]), things=things_of(shared))
    # of the others only that which is online twice is known to be made for several nodes
    spread = [one for one, online in off if one.sort == "group" and online > 1 and not _is_of_volumes(one)]
    if spread:
        yield _seen_aside("off_there", [_off(one) for one in spread])


def _off_beside_others(
    services: Sequence[ServiceState], out: Collection[str | None]
) -> Iterator[tuple[ServiceState, int]]:
    """Groups and resources that are offline on a system, with the number of those on which they are online."""
    last = {(one.sort, one.resource or one.group, one.on): one for one in services if one.standing != "disabled"}
    online = Counter((sort, name) for (sort, name, _), one in last.items() if one.standing == "online")
    frozen = {one.group for one in services if one.state == "frozen"}
    for (sort, name, on), one in last.items():
        is_off = sort != "mount" and one.state == "OFFLINE" and on is not None and on not in out
        if is_off and online[sort, name] and one.group not in frozen:
            yield one, online[sort, name]


def _off(one: ServiceState) -> _Aside:
    is_group = one.sort == "group"
    return (
        AsideWords("group off" if is_group else "resource off", one.group if is_group else one.resource, one.on),
        one,
        one.on,
    )


def _set_aside(members: Iterable[ClusterMember], services: Iterable[ServiceState]) -> Iterator[Seen]:
    """What was stopped or frozen, or may not start: on purpose more often than not."""
    found: list[_Aside] = []
    for one in members:
        state = one.state or ""
        if one.layer == "services" and state.startswith("EXIT"):
            found.append((AsideWords("exited", one.member), one, one.member))
        elif one.layer == "services" and state.partition(" ")[0] == NOT_JOINED:
            found.append((AsideWords("not joined", one.member), one, one.member))
        elif one.layer == "services" and state.endswith(" frozen"):
            found.append((AsideWords("frozen system", one.member), one, one.member))
        elif one.layer == "volumes" and one.standing == "leaving" and not _does_not_run(one):
            found.append((AsideWords("cvm stopped", one.member, one.member), one, one.member))
    for service in services:
        state = service.state or ""
        if service.sort == "group" and state == "frozen":
            found.append((AsideWords("frozen group", service.group), service, None))
        elif service.sort == "group" and state.endswith("autodisabled") and service.standing in IDLE:
            found.append((AsideWords("autodisabled", service.group, service.on), service, service.on))
    if found:
        yield _seen_aside("aside", found)


# What is said of a thing, the thing, and the node it is on.
_Aside = tuple[AsideWords, ClusterMember | ServiceState, str | None]


def _seen_aside(level: str, found: Sequence[_Aside]) -> Seen:
    return Seen(
        level=level,
        words=AsideStatus(tuple(render(words) for words, _, _ in found[:SHOWN]), len(found)),
        lines=[one.ref for _, one, _ in found],
        nodes={node for _, _, node in found if node},
        times=[one.at for _, one, _ in found],
    )


def _under_way(records: Records) -> Iterator[Seen]:
    """Systems that join, resources and groups that are asked to start or stop and are not there yet."""
    found: list[_Aside] = [(AsideWords("system joins", one.member), one, one.member) for one in _joining(records)]
    found += ((_going(one), one, one.on) for one in _changing(records))
    if found:
        yield replace(_seen_aside("under_way", found), things=things_of(one for _, one, _ in found))


def _joining(records: Records) -> list[ClusterMember]:
    last = {(one.node, one.member): one for one in records.of(ClusterMember) if one.layer == "services"}
    return [one for one in last.values() if one.standing == "joining"]


def _changing(records: Records) -> list[ServiceState]:
    """Resources between two states, and groups; a group only where none of its resources on that node is shown."""
    last: dict[tuple[str | None, ...], ServiceState] = {}
    for one in records.of(ServiceState):
        if one.sort in ("group", "resource") and one.on:
            last[one.source, one.sort, one.group, one.resource, one.on] = one
    groups = {(one.group, one.on): one for one in last.values() if one.sort == "group"}
    going = [one for one in last.values() if one.standing == "changing"]
    waits = {
        (one.resource, one.on): one
        for one in going
        if one.sort == "resource" and not _has_arrived(one, groups.get((one.group, one.on)))
    }
    shown = {on for _, on in waits}
    return [*waits.values(), *(one for one in going if one.sort == "group" and one.on not in shown)]


def _has_arrived(resource: ServiceState, group: ServiceState | None) -> bool:
    """Whether a later status shows the group of a resource where it was to go: it lists no more what waits there."""
    if group is None or group.standing == "changing" or resource.ref.artifact != group.ref.artifact:
        return False
    return group.ref.line > resource.ref.line


def _going(one: ServiceState) -> AsideWords:
    state = (one.state or "").upper()
    is_to_stop = any(word in state for word in ("OFFLIN", "STOPPING"))
    is_to_start = any(word in state for word in ("ONLIN", "STARTING"))
    if one.sort == "resource":
        return AsideWords("resource goes offline" if is_to_stop else "resource goes online", one.resource, one.on)
    if is_to_stop == is_to_start:
        return AsideWords("group changes", one.group, one.on)
    return AsideWords("group goes offline" if is_to_stop else "group goes online", one.group, one.on)


def _looks(records: Records, members: Sequence[ClusterMember]) -> tuple[str, ...]:
    """All states of some nodes that are not up, as printed: one tool says that a node is out, another one why."""
    gone = {(one.layer, one.node, one.member) for one in members}
    own = (one for one in records.of(ClusterMember) if (one.layer, one.node, one.member) in gone)
    return tuple(dict.fromkeys(_state_of(one) for one in own if one.standing != "up"))


def _state_of(one: ClusterMember) -> str:
    """Node, layer and state as printed."""
    layer = "CVM on " if one.layer == "volumes" else ""
    return f"{layer}{node_words([one.member])}: {(one.state or '').removeprefix('CVM ')}"


def _states(
    names: tuple[str, ...],
    groups: Sequence[ServiceState],
    mounts: Sequence[ServiceState],
    failed: Sequence[ServiceState],
    *,
    volumes: bool = False,
) -> Iterator[str]:
    """What does not run; resources only where nothing larger shows it."""
    if names:
        yield render(OutWords(names, len(names) == 1, volumes))
    for one in groups[:SHOWN]:
        below = {each.resource for each in failed if each.on == one.on and each.group in (None, one.group)}
        yield render(ServiceWords("group", one.group, one.on, below.pop() if len(below) == 1 else None))
    for one in mounts[:SHOWN]:
        if one.on:
            yield render(ServiceWords("mount", one.group, one.on))
    if not names and not groups and not any(one.on for one in mounts[:SHOWN]):
        for one in failed[:SHOWN]:
            yield render(ServiceWords("resource", one.resource, one.on))
