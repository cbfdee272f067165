"""Fencing devices that do not run (RC-06): the nodes behind them can't be fenced when they fail."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.events import Events, LogLine
from apps.diagnosis.engine.core.facts.nodes import Nodes, nodes_in
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.cluster import Cluster
from parsers.dataclass import dataclass
from parsers.records.states import ClusterMember, ServiceState

SHOWN: Final = 3
TEXT_SHOWN: Final = 160
LINES_MOST: Final = 12
TYPE: Final = "stonith:"
_SERVED: Final = re.compile(r"\b(?:pcmk_host_(?:list|map)|hostlist|hostname|nodename)=[\"']?([^\s\"']{1,400})")
_SERVED_KEYS: Final = ("pcmk_host_list", "pcmk_host_map", "hostlist", "hostname", "nodename")
_WHY: Final = re.compile(r"exitreason='[^']|\([A-Za-z]{3}|: [a-z]{2,20} [a-z]")
_BAD: Final = ("offline", "missing", "faulted")


@dataclass(frozen=True, slots=True)
class DeviceWords:
    """devices: those that do not run; served: the nodes that they fence; attempt: the last attempt to run one in the
    words of the log or listing. is_all: none of the devices runs; is_short: nodes are down, and no attempt failed.
    aside: devices that somebody put aside.
    """

    devices: tuple[str, ...]
    several: bool
    agents: tuple[str, ...]
    served: tuple[str, ...]
    attempt: str | None
    is_all: bool
    is_short: bool
    aside: tuple[str, ...]


def _failures(events: Events, devices: tuple[str, ...]) -> list[LogLine]:
    return [line for line in events.lines("resource-failed") if (line.about or "").partition(":")[0] in devices]


@rule("RC-06", needs=(Records, Cluster, Events, Nodes), words=DeviceWords)
def fence_device_down(
    records: Records, cluster: Cluster, events: Events, names: Nodes, limits: Limits
) -> Iterator[Seen]:
    """Symptom: none until a node fails; then its fencing fails, and the lock spaces wait for it.

    Reasoning: the last listing shows a fencing device that is stopped or failed, and not put aside. Source: crm_mon.
    """
    last = {one.resource: one for one in records.of(ServiceState) if one.resource and _is_device(one)}
    bad, aside = _not_running(last.values())
    if not bad:
        yield from _all_aside(aside) if len(aside) == len(last) else ()
        return
    failed = _failures(events, devices := _names(bad))
    members = {one.member: one for one in records.of(ClusterMember) if one.member}
    is_short = not failed and not {"down", "unclean"}.isdisjoint(one.standing for one in members.values())
    words = DeviceWords(
        devices[:SHOWN],
        len(devices) > 1,
        _agents(bad),
        _served(cluster, names, devices, tuple(members)),
        _attempt(failed),
        len(bad) == len(last) and len(devices) > 1,
        is_short,
        _names(aside)[:SHOWN],
    )
    yield Seen(
        level="short" if is_short else "down",
        words=words,
        lines=[*(one.ref for one in bad), *(line.ref for line in failed)],
        most_lines=LINES_MOST,
        nodes=nodes_in(bad),
        times=[line.at for line in failed],
        zone_min=failed[0].zone_min if failed else None,
        goes_on=True,
        borne_by=(len(bad), 1),
        parts=("listed",),
    )


def _not_running(devices: Collection[ServiceState]) -> tuple[list[ServiceState], list[ServiceState]]:
    """Devices that do not run although they should, and those that somebody stopped."""
    running = {_base(one) for one in devices if one.standing == "online"}
    others = [one for one in devices if _base(one) not in running]
    return [one for one in others if one.standing in _BAD], [one for one in others if _is_aside(one)]


def _all_aside(aside: Sequence[ServiceState]) -> Iterator[Seen]:
    """Every device of a listing was put aside: nobody can be fenced."""
    if not aside:
        return
    devices = _names(aside)
    yield Seen(
        level="aside",
        words=DeviceWords(devices[:SHOWN], len(devices) > 1, _agents(aside), (), None, True, False, devices[:SHOWN]),
        lines=[one.ref for one in aside],
        most_lines=LINES_MOST,
        nodes=nodes_in(aside),
        goes_on=True,
        borne_by=(len(aside), 1),
        parts=("listed",),
    )


def _is_aside(one: ServiceState) -> bool:
    """Whether somebody stopped it; what the cluster only leaves alone for a while goes on running."""
    return one.standing == "disabled" and "Stopped" in (one.state or "").split()


def _is_device(one: ServiceState) -> bool:
    return (one.resource_type or "").startswith(TYPE)


def _base(one: ServiceState) -> str:
    """The device of which a row shows one copy: ``ipmi`` of ``ipmi:1``."""
    return str(one.resource).partition(":")[0]


def _names(devices: Iterable[ServiceState]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(_base, devices)))


def _agents(devices: Iterable[ServiceState]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(str(one.resource_type).rpartition(":")[2] for one in devices))[:SHOWN]


def _served(cluster: Cluster, names: Nodes, devices: Collection[str], members: Sequence[str]) -> tuple[str, ...]:
    """Nodes that devices fence: by their settings, else the one whose name is at the end of the device's."""
    found: list[str] = []
    for value in cluster.values((*_SERVED_KEYS, "Attributes")):
        if value.scope in devices:
            listed = [value.value] if value.name in _SERVED_KEYS else _SERVED.findall(value.value)
            found += [name.partition(":")[0] for text in listed for name in re.split(r"[;,\s]+", text) if name]
    if not found:
        found = [name for name in members if any(_is_called_after(device, name) for device in devices)]
    return tuple(dict.fromkeys(names.name(name) for name in found))[:SHOWN]


def _is_called_after(device: str, node: str) -> bool:
    before, last = device[: -len(node)], device[-len(node) :]
    return last == node and before[-1:] in ("_", "-", ".")


def _attempt(failed: Sequence[LogLine]) -> str | None:
    """The words of the last failure; of one that says why before one that does not."""
    if not failed:
        return None
    telling = [line for line in failed if _WHY.search(line.text)]
    text = (telling or list(failed))[-1].text.strip().lstrip("* ")
    return text[:TEXT_SHOWN]
