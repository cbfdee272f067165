"""States that tools of hosts and storage show: arrays, sessions of iSCSI, and tables of tools without a reader."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.cluster_texts import verdict_in
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
    "session of iSCSI by its portal": (
        "Target: iqn.2030-01.lab.cellar:rack7 (non-flash)\n\tCurrent Portal: 10.7.0.4:3260,1\n"
        "\tiSCSI Connection State: LOGGED IN\n\tiSCSI Session State: LOGGED_IN\n"
        "\tCurrent Portal: 10.7.0.5:3260,2\n\tiSCSI Connection State: IN LOGIN\n\tiSCSI Session State: FREE\n",
        "10.7.0.5:3260",
    ),
    "port of FCoE": (
        "    Symbolic Name:     fcoe v0.1 over ens9f1.77\n    OS Device Name:    host31\n    Speed:  10 Gbit\n"
        "    State:             Offline\n",
        "host31 of ens9f1.77",
    ),
    "port of FCoE at its prompt": (
        "pear:~ # fcoeadm -i\n    Description:      Dual Port Adapter\n    Driver:           ixgbe 5.1\n\n"
        "        Symbolic Name:     bnx2fc (Vendor) v2.12 over p2p1\n        State:             Linkdown\n",
        "p2p1",
    ),
    "port of FCoE without a fabric": (
        "~$ sudo fcoeadm -i\n    Description:      Dual Port Adapter\n    Number of Ports:  1\n\n"
        "        Symbolic Name:     fcoe v0.1 over em1.204-fcoe\n        OS Device Name:    host9\n"
        "        FabricName:        0x0000000000000000\n        Speed:             Unknown\n"
        "        State:             Linkdown\n",
        "host9 of em1.204-fcoe",
    ),
    "daemon of storage in a tree": (
        "ID  CLASS  WEIGHT   TYPE NAME        STATUS  REWEIGHT  PRI-AFF\n-1         1.81940  root default\n"
        "-3         0.90970      host shelf-b\n 7    hdd  0.90970          osd.7      down         0  1.00000\n",
        "osd.7 of shelf-b",
    ),
    "daemon in an old tree": (
        "ID WEIGHT  TYPE NAME       UP/DOWN REWEIGHT PRIMARY-AFFINITY\n-2 0.46499     host jar2\n"
        " 3 0.23249         osd.3      down  1.00000          1.00000\n",
        "osd.3 of jar2",
    ),
    "map without paths": (
        "name   failback  queueing paths dm-st  write_prot\npantry immediate 5 chk    0     active rw\n",
        "pantry",
    ),
    "table of paths": (
        "hcil    dev dev_t pri dm_st  chk_st dev_st  next_check\n"
        "7:0:0:3 sdk 8:160 50  active ready  running XXXXXX.... 12/20\n"
        "8:0:0:3 sdl 8:176 10  failed faulty running X......... 2/20\n",
        "1 of 2",
    ),
    "suspended map": ("Name:              pond-jars\nState:             SUSPENDED\n", "pond-jars"),
    "group without a disk": (
        "  VG     #PV #LV #SN Attr   VSize   VFree\n  vgjars   2   3   0 wz-pn- 200.00g 12.00g\n",
        "vgjars",
    ),
    "missing disk": (
        "  PV         VG     Fmt  Attr PSize   PFree\n  [unknown]  vgjars lvm2 a-m  100.00g    0\n",
        "vgjars",
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
    "session of iSCSI by its portal": (
        "Target: iqn.2030-01.lab.cellar:rack7 (non-flash)\n\tCurrent Portal: 10.7.0.4:3260,1\n"
        "\tiSCSI Connection State: LOGGED IN\n\tiSCSI Session State: LOGGED_IN\n"
    ),
    "port of FCoE": (
        "    Symbolic Name:     fcoe v0.1 over ens9f1.77\n    OS Device Name:    host31\n    State:  Online\n"
    ),
    "daemons of storage in a tree": (
        "ID  CLASS  WEIGHT   TYPE NAME        STATUS  REWEIGHT  PRI-AFF\n-1         1.81940  root default\n"
        "-3         0.90970      host shelf-b\n 7    hdd  0.90970          osd.7        up   1.00000  1.00000\n"
    ),
    "map with paths": (
        "name   failback  queueing paths dm-st  write_prot\npantry immediate -        4     active rw\n"
    ),
    "table of paths": (
        "hcil    dev dev_t pri dm_st  chk_st dev_st  next_check\n"
        "7:0:0:3 sdk 8:160 50  active ready  running XXXXXX.... 12/20\n"
    ),
    "live map": "Name:              pond-jars\nState:             ACTIVE\n",
    "whole group": "  VG     #PV #LV #SN Attr   VSize   VFree\n  vgjars   2   3   0 wz--n- 200.00g 12.00g\n",
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


OFFLINE = """[ 6240.905510] sd 7:0:0:2: rejecting I/O to offline device
[ 6240.905561] blk_update_request: I/O error, dev sdm, sector 4168544 op 0x0:(READ) flags 0x3000 phys_seg 1 prio class 0
"""
MAP = """larder (36001405abcdef0123456789) dm-3 ACME,SHELF-2
size=2.0T features='1 queue_if_no_path' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=50 status=active
  `- 7:0:0:2 sdm 8:192 failed faulty running
"""


def test_a_disk_that_went_offline_is_a_path_only_where_maps_are_shown(tmp_path: Path) -> None:
    alone = diagnosed(tmp_path / "alone", OFFLINE)
    assert "ST-05" not in {one.ref for one in alone.findings}
    assert any("offline" in title or "sdm" in title for title in _severe(alone))
    assert "ST-05" in {one.ref for one in diagnosed(tmp_path / "map", OFFLINE, MAP).findings}


def test_lost_paths_of_a_map_that_queues_have_a_next_step(tmp_path: Path) -> None:
    steps = diagnosed(tmp_path, MAP).next_steps
    assert any("multipath -ll" in command for step in steps for command in step.commands)


@pytest.mark.parametrize("peer", ["heron", "nas-2", "sto.b"])
@pytest.mark.parametrize(
    ("state", "role", "severities"),
    [
        ("StandAlone", "Primary", {"high", "critical"}),
        ("StandAlone", "Secondary", {"medium"}),
        ("Timeout", "Primary", {"medium"}),
    ],
)
def test_a_lost_peer_of_replication_leads_to_it_and_to_no_other_product(
    tmp_path: Path, peer: str, state: str, role: str, severities: set[str]
) -> None:
    judged = diagnosed(tmp_path, f"r-mail role:{role}\n  disk:UpToDate\n  {peer} connection:{state}\n")
    assert f"r-mail: {state} with {peer}" in verdict_in(judged).title
    assert verdict_in(judged).severity in severities
    assert judged.next_steps
    assert not [command for step in judged.next_steps for command in step.commands if command.startswith("mm")]


def test_a_peer_of_replication_that_is_there_is_no_alarm(tmp_path: Path) -> None:
    text = "r-mail role:Primary\n  disk:UpToDate\n  heron role:Secondary\n    peer-disk:UpToDate\n"
    assert not [one for one in diagnosed(tmp_path, text).findings if one.severity != "info"]
