"""What rows of ``mm... -Y`` tell of nodes, settings, health and quality of service. No parser of its own."""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.scale.health_events import event_kind
from parsers.formats.scale.tables.table import TableRow
from parsers.grammars.cells import figure
from parsers.output import Output
from parsers.records import Counter, Event, NodeAlias, Setting
from parsers.records.states import ClusterMember, HealthStanding, HealthState, Manager, NodeStanding
from parsers.sections.reader import OpenSection
from parsers.times.clock import find_instant

_FIGURES: Final = ("quorum", "nodesUp", "totalNodes")
_POOL = re.compile(r"pool=([^,]{1,80})(?:,(.{0,2000}))?$")
_QOS_UNITS: Final = {"iops": "/s", "MBs": "MB/s", "ioql": "requests", "qsdl": "requests"}
LATEST_EPOCH: Final = 1e11


_DAEMON: Final[dict[str | None, NodeStanding]] = {"active": "up", "down": "down", "arbitrating": "joining"}
_HEALTH: Final[dict[str, HealthStanding]] = {
    "HEALTHY": "healthy", "TIPS": "hint", "DEGRADED": "degraded", "FAILED": "failed",
    "CRITICAL": "failed", "ERROR": "failed", "UNHEALTHY": "degraded", "DEGRADING": "degraded",
    "WARNING": "degraded",
}  # fmt: skip


def daemon_standing(state: str | None) -> NodeStanding:
    """What ``mmgetstate`` calls the state of a node; one that arbitrates waits for quorum."""
    return _DAEMON.get(state, "unknown")


def health_standing(status: str | None) -> HealthStanding:
    """What ``mmhealth`` calls the status of a component."""
    return _HEALTH.get((status or "").partition(":")[0], "unknown")


def node_state(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmgetstate``: state of a node, and once the counts of the cluster."""
    name = row.text("nodeName", "daemonShortName")
    if name is None:
        return
    section.add(
        ClusterMember,
        row.line,
        node=row.node or section.node,
        source="mmgetstate",
        member=name,
        layer="daemon",
        state=row.text("state"),
        standing=daemon_standing(row.text("state")),
    )
    if "counted" not in section.state:
        section.state["counted"] = True
        for column in _FIGURES:
            if (value := row.number(column)) is not None:
                _count(row, section, out, "mmgetstate", column, value, unit="nodes")


def manager(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsmgr``: who manages the cluster or a file system."""
    name, address = row.text("manager"), row.text("managerIP")
    if name is None:
        return
    of_fs = row.record == "filesystemManager"
    section.add(
        Manager,
        row.line,
        node=row.node or section.node,
        source="mmlsmgr",
        role="file system manager" if of_fs else "cluster manager",
        of=row.text("filesystem") if of_fs else None,
        manager=name,
    )
    if address:
        out.add(NodeAlias(line=row.line, node=name, alias=address, kind="address"))


def cluster_node(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlscluster``: daemon name, address, admin name."""
    name = row.text("daemonNodeName")
    if name is None:
        return
    if address := row.text("ipAddress"):
        out.add(NodeAlias(line=row.line, node=name, alias=address, kind="address"))
    admin = row.text("adminNodeName")
    if admin and admin != name and "." in admin:
        out.add(NodeAlias(line=row.line, node=name, alias=admin, kind="name"))


def config(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmdiag --config -Y`` and ``mmlsconfig -Y``."""
    name = row.text("name", "configParameter")
    if name is None:
        return
    of_cluster = row.command == "mmlsconfig"
    section.add(
        Setting,
        row.line,
        node=None if of_cluster else row.node or section.node,
        scope=row.text("nodeList"),
        source="mmlsconfig" if of_cluster else "mmdiag --config",
        name=name,
        value=row.text("value") or "",
        mark=row.text("changed"),
    )


def health_state(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmhealth``: state of a component or of one of its parts."""
    entity = None if row.text("entitytype") == "NODE" else row.text("entityname")
    group = " ".join(part for part in (row.text("component"), entity) if part)
    section.add(
        HealthState,
        row.line,
        node=row.text("node") or section.node,
        source="mmhealth",
        component=group,
        state=row.text("status"),
        standing=health_standing(row.text("status")),
    )


def health_event(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmhealth``: an event that is active, with its own time."""
    name = row.text("event")
    if name is None:
        return
    found = find_instant(row.text("activesince", "timestamp", "time") or "")
    kind, weight = event_kind(name, row.text("severity") or "")
    text = ": ".join(part for part in (row.text("severity"), row.text("message") or name) if part)
    out.add(
        Event(
            line=row.line,
            node=row.text("node") or section.node,
            at=found[0].us if found else None,
            zone_min=found[0].zone_min if found else None,
            source="mmhealth",
            kind=kind,
            about=_about(row),
            weight=weight,
            text=text,
        )
    )


def _about(row: TableRow) -> str | None:
    """The part that an event names; one of the whole node is about what it identifies, such as the peer."""
    if row.text("entitytype") == "NODE":
        return row.text("identifier")
    return row.text("entityname", "identifier")


def file_system_named(section: OpenSection) -> str | None:
    """The file system that the command names, such as ``mmdf fs1 -Y``."""
    command = section.command
    if command is None:
        return None
    return next((word.removeprefix("/dev/") for word in command.args if not word.startswith("-")), None)


def qos_status(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsqos``: whether it throttles."""
    for column in ("enabled", "throttling", "monitoring"):
        if (value := row.text(column)) is not None:
            qos_setting(row.line, section, out, f"qos {column}", value)


def qos_setting(line: int, section: OpenSection, out: Output, name: str, value: str) -> None:
    """A setting of the quality of service of a file system."""
    out.add(
        Setting(
            line=line,
            scope=file_system_named(section),
            source="mmlsqos",
            name=name,
            value=value,
            at=section.at,
            zone_min=section.zone_min,
        )
    )


def qos_limits(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsqos``: limits in force, class by class."""
    if row.record == "values":
        limits_of_pools(row.line, row.text("values_enc") or "", section, out)


def limits_of_pools(line: int, text: str, section: OpenSection, out: Output) -> None:
    """``pool=system,other=inf,maintenance/all_local=500Iops:pool=...``: a setting per pool and class."""
    for part in text.split(":"):
        match = _POOL.match(part.strip())
        for pair in (match[2] or "").split(",") if match else ():
            name, _, value = pair.partition("=")
            if match and name and value:
                qos_setting(line, section, out, f"qos {match[1]} {name.strip()}", value.strip())


def qos_stats(row: TableRow, section: OpenSection, out: Output) -> None:
    """``mmlsqos``: what a class did in an interval; the time is in seconds of UTC."""
    epoch, interval = row.number("timeEpoch"), row.number("et")
    at = int(epoch * 1e6) if epoch is not None and 0 < epoch < LATEST_EPOCH else None
    for column, unit in _QOS_UNITS.items():
        text = row.text(column)
        if text is not None:
            out.add(
                Counter(
                    line=row.line,
                    scope=row.text("pool"),
                    source="mmlsqos",
                    name=f"{row.text('class') or ''} {column}".strip(),
                    kind="gauge",
                    unit=unit,
                    value=figure(text),
                    at=at or section.at,
                    zone_min=0 if at else section.zone_min,
                    interval_s=interval,
                    sample=row.line,
                )
            )


def _count(
    row: TableRow, section: OpenSection, out: Output, source: str, name: str, value: float, *, unit: str
) -> None:
    section.add(
        Counter,
        row.line,
        node=row.node or section.node,
        source=source,
        name=name,
        kind="gauge",
        unit=unit,
        value=value,
        sample=row.line,
    )
