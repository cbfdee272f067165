"""What the makers' agents for disks, controllers and power write into the system log, and what they write every day."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reports import bundle, text_on


def report(*messages: str) -> dict[str, Any]:
    text = "".join(f"Mar  9 20:33:{10 + n} smew4 {message}\n" for n, message in enumerate(messages))
    found: dict[str, Any] = json.loads(text_on(bundle(text.encode(), "messages")))
    return found


_CRON = "CROND[71]: (root) CMD (run-parts /etc/cron.hourly)"


@pytest.mark.parametrize(
    ("message", "seen", "severity"),
    [
        (
            "Server Administrator: Storage Service EventID: 2048  Device failed:  Physical Disk 0:0:7 Controller 1",
            "gave up a disk on smew4: Physical Disk 0:0:7",
            "medium",
        ),
        (
            "Server_Administrator[81]: 2094 2094 - Storage Service Predictive Failure reported.:  Physical Disk 0:0:7",
            "predicts its own failure on smew4: Physical Disk 0:0:7",
            "medium",
        ),
        (
            "Server Administrator: Storage Service EventID: 2057  Virtual disk degraded:  Virtual Disk 3",
            "without",
            "medium",
        ),
        (
            "Server Administrator: Storage Service EventID: 2056  Virtual disk failed:  Virtual Disk 3",
            "lost an array",
            "critical",
        ),
        ("MR_MONITOR[9]: <MRMON252> Controller ID:  1   VD is now OFFLINE   VD   5", "lost an array", "critical"),
        (
            "MR_MONITOR[9]: <MRMON251> Controller ID:  1   VD is now DEGRADED   VD   5",
            "without one of its disks",
            "medium",
        ),
        (
            "MR_MONITOR[9]: <MRMON114> Controller ID:  1   State change:   PD   =   e0:s3  Previous  =   Online   "
            "Current  =   Failed",
            "gave up a disk on smew4: e0:s3",
            "medium",
        ),
        (
            "MR_MONITOR[9]: <MRMON195> Controller ID:  1   BBU disabled; changing WB virtual disks to WT",
            "it writes through",
            "medium",
        ),
        (
            "cmaidad[77]: Physical drive status change: failed on Slot 1 controller, drive bay 2",
            "gave up a disk",
            "medium",
        ),
        ("cmaidad[77]: Logical drive 2 of slot 1: status is now degraded, interim recovery", "without one", "medium"),
        ("ipmievd: Memory sensor DIMM 4 uncorrectable ECC asserted", "uncorrectable", "medium"),
    ],
)
def test_what_an_agent_reports_is_named(message: str, seen: str, severity: str) -> None:
    verdict = report(_CRON, message)["verdict"]
    assert seen in verdict["title"], verdict
    assert verdict["severity"] == severity


@pytest.mark.parametrize(
    "message",
    [
        "Server Administrator: Storage Service EventID: 2242  The Patrol Read has started.:  Controller 0",
        "Server Administrator: Storage Service EventID: 2065  Physical disk Rebuild started:  Physical Disk 0:0:7",
        "Server_Administrator[81]: 1304 1304 - Instrumentation Service Redundancy regained. Redundancy unit: fans",
        "MR_MONITOR[9]: <MRMON110> Controller ID:  1   Patrol Read complete",
        "MR_MONITOR[9]: <MRMON114> Controller ID:  1   State change:   PD   =   e0:s3  Previous  =   Rebuild   "
        "Current  =   Online",
        "MR_MONITOR[9]: <MRMON249> Controller ID:  1   VD is now OPTIMAL   VD   5",
        "cmaidad[77]: Physical drive status change: OK on Slot 1 controller, drive bay 2",
        "ipmievd: Power Supply sensor PS2 Presence detected asserted",
    ],
)
def test_what_an_agent_reports_every_day_is_no_alarm(message: str) -> None:
    found = report(_CRON, message)
    assert found["verdict"]["form"] == "healthy", found["verdict"]
