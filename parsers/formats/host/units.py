"""Units of systemd by what rests on them: how grave it is that one of them failed."""

from __future__ import annotations

import re
from typing import Final

from parsers.state_records import ServiceStanding

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


def unit_standing(unit: str, state: str) -> ServiceStanding:
    """How the state of a unit of the cluster stands; of another one it says nothing."""
    if _OF_MONITOR.match(unit):
        return "missing" if state == "failed" else _UNIT_STATES.get(state, "unknown")
    return _UNIT_STATES.get(state, "unknown") if _OF_CLUSTER.match(unit) else "unknown"
