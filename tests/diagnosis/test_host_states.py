"""States that tools of hosts and storage show: arrays, sessions of iSCSI, and tables of tools without a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.host_tools_cases import diagnosed

TROUBLE = {
    "array with one member": (
        "md3 : active raid1 sdc1[0]\n      523712 blocks super 1.2 [2/1] [U_]\n",
        "md3",
    ),
    "array that does not run": ("md8 : inactive sdf1[0](S)\n      976631512 blocks super 1.2\n", "md8"),
    "details of an array": ("/dev/md9:\n        State : clean, degraded\n", "md9"),
    "session of iSCSI": (
        "Target: iqn.2030-01.lab.cellar:rack7 (non-flash)\n\tiSCSI Connection State: TRANSPORT WAIT\n"
        "\tiSCSI Session State: FAILED\n",
        "rack7",
    ),
    "table of a pool": ("NAME     STATE     READ WRITE CKSUM\ncellar   FAULTED      0     0     0\n", "cellar"),
    "table with bars": (
        "| Shelf | Health  | Disks |\n|-------+---------+-------|\n| oak   | Failed  | 12    |\n",
        "oak",
    ),
    "lower case": ("name      type     operational state\nctl-a     fc       unreachable\n", "ctl-a"),
    "named value": ("Controller B Status: Needs maintenance\n", "Controller B"),
}
HEALTHY = {
    "array with all members": "md3 : active raid1 sdd1[1] sdc1[0]\n      523712 blocks super 1.2 [2/2] [UU]\n",
    "striped array": "md2 : active raid0 sdd1[1] sdc1[0]\n      523712 blocks super 1.2 512k chunks\n",
    "checked array": (
        "md3 : active raid1 sdd1[1] sdc1[0]\n      523712 blocks super 1.2 [2/2] [UU]\n"
        "      [==>....]  check = 12.6% (66000/523712) finish=1.5min speed=33440K/sec\n"
    ),
    "details of an array": "/dev/md9:\n        State : active\n   Failed Devices : 0\n",
    "session of iSCSI": (
        "Target: iqn.2030-01.lab.cellar:rack7 (non-flash)\n\tiSCSI Connection State: LOGGED IN\n"
        "\tiSCSI Session State: LOGGED_IN\n"
    ),
    "table of a pool": "NAME     STATE     READ WRITE CKSUM\ncellar   ONLINE       0     0     0\n",
    "counts of errors": "Failed: 0\nErrors: none\nState changes: 3\n",
    "port without a cable": (
        "Port     Media     State     Speed\npa3      copper    down      -\npa4      copper    up        10G\n"
    ),
    "services": "UNIT              LOAD     ACTIVE     SUB\nprinter.service   loaded   inactive   dead\n",
    "prose": "The status of the disk is failed, he said, and the health of the pool is fine.\n",
}


def _severe(case: Diagnosis) -> list[str]:
    return [one.title for one in case.findings if one.severity in ("medium", "high", "critical")]


@pytest.mark.parametrize("text", TROUBLE)
def test_what_a_tool_calls_wrong_is_named(tmp_path: Path, text: str) -> None:
    shown, name = TROUBLE[text]
    assert any(name.lower() in title.lower() for title in _severe(diagnosed(tmp_path, shown)))


@pytest.mark.parametrize("text", HEALTHY)
def test_a_healthy_state_is_no_alarm(tmp_path: Path, text: str) -> None:
    assert _severe(diagnosed(tmp_path, HEALTHY[text])) == []
