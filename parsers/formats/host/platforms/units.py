"""Units of systemd by what rests on them: how grave it is that one of them failed."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.messages.catalogue import group_of
from parsers.records.states import ListedState, ServiceStanding, ServiceState

if TYPE_CHECKING:
    from parsers.sections.open_section import OpenSection

_OF_CLUSTER: Final = re.compile(
    r"(?:corosync|pacemaker|dlm|lvmlock|sanlock|wdmd|sbd|pcsd|cman|clvmd|gfs2|fence|rgmanager|ricci|multipathd|iscsi|gpfs"
    r"|mmsdrserv|mmautoload|nfs-ganesha|ctdb|vcs|vx|amf\b|gab|llt|sfcache|veritas)"
)
"""A unit of another sort that failed says nothing of the cluster."""
_OF_MONITOR: Final = re.compile(r"(?:gpfsgui|pmsensors|pmcollector|mmsysmon|gpfs\.?zimon)")
"""Units that only watch: one that failed takes no file system with it, and what it would have told is missing."""
_UNIT_STATES: Final[dict[str, ServiceStanding]] = {
    "active": "online", "reloading": "online", "failed": "faulted", "inactive": "disabled", "activating": "changing",
    "deactivating": "changing",
}  # fmt: skip
_OF_CLUSTERS: Final = frozenset((
    "pacemaker", "pcsd", "dlm", "sbd", "gpfs", "mmsdrserv", "mmautoload", "vcs", "vxodm", "llt", "gab", "lvmlockd",
    "drbd", "ctdb", "nfs-server", "nfs-ganesha", "smb", "ocfs2", "o2cb", "iscsi",
))  # fmt: skip
"""Services whose messages have other names than they themselves."""


def unit_standing(unit: str, state: str) -> ServiceStanding:
    """How the state of a unit of the cluster stands; of another one it says nothing."""
    if _OF_MONITOR.match(unit):
        return "missing" if state == "failed" else _UNIT_STATES.get(state, "unknown")
    return _UNIT_STATES.get(state, "unknown") if _OF_CLUSTER.match(unit) else "unknown"


def add_unit(
    section: OpenSection, line: int, source: str, unit: str, state: str, detail: str, on: str | None = None
) -> None:
    """A unit as systemd shows it; one on which nothing of a cluster rests is a hint where it failed. detail: what
    stands beside the state, or nothing. on: its node, where that is not the one of the section.
    """
    standing, shown = unit_standing(unit, state), f"{state} ({detail})" if detail not in ("", state) else state
    if standing == "unknown" and state == "failed":
        section.add(
            ListedState,
            line,
            source=source,
            name=f"unit {unit}",
            on=on or section.node,
            state=shown,
            standing="wrong" if is_of_cluster(unit) else "hint",
            row=shown,
        )
        return
    section.add(
        ServiceState,
        line,
        source=source,
        sort="unit",
        group=unit,
        on=on or section.node,
        state=shown,
        standing=standing,
    )


def is_of_cluster(name: str) -> bool:
    """Whether a service of the host is one that clusters and storage rest on."""
    unit, _, sort = name.lstrip("●*-> ").rpartition(".")
    service = unit.partition("@")[0]
    return sort == "mount" or (sort == "service" and (service in _OF_CLUSTERS or group_of(service) is not None))
