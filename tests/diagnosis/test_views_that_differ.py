"""Nodes whose listings are in order alone and contradict each other: NW-14, SC-43, SC-44, ST-30, VX-07, VX-08,
VX-09.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import DATE, by_folder, diagnosis_of

LLT = """{node}# lltstat -nvv active
LLT node information:
    Node                 State    Link  Status  Address
{rows}"""
STATE = """[root@{node} ~]# mmgetstate -aL

 Node number  Node name  Quorum  Nodes up  Total nodes  GPFS state   Remarks
-------------------------------------------------------------------------------------
       1      plum1        1        2          2        {one}       quorum node
       2      plum2        1        2          2        {other}       quorum node
"""
MANAGERS = """[root@{node} ~]# mmlsmgr
file system      manager node
---------------- ------------------
ripe             10.4.0.{fs} (plum{fs})

Cluster manager node: 10.4.0.{cluster} (plum{cluster})
"""
GROUPS = """{node}# vxdg list
NAME         STATE           ID
rootdg       enabled         10649317{number}.14.{node}
potdg        {state}         1466114230.44.plum1
"""
DISKS = """{node}# vxdisk {options}list
DEVICE          TYPE            DISK         GROUP        STATUS
disk_0          auto:LVM        -            -            LVM
{rows}"""
MODE = "{node}# vxdctl -c mode\nmode: enabled: cluster active - {role}\nmaster: {master}\n"


def llt(node: str, *names: str) -> str:
    rows = (
        f"   {'*' if name == node else ' '} {name[-1]} {name}              OPEN\n"
        f"                                  eth1   UP      08:00:20:93:0E:3{name[-1]}\n"
        for name in names
    )
    return LLT.format(node=node, rows="".join(rows))


def disks(node: str, *names: str, options: str = "", status: str = "online shared") -> str:
    rows = (f"emc0_{name}         auto:cdsdisk    {name}      potdg        {status}\n" for name in names)
    return DISKS.format(node=node, options=options, rows="".join(rows))


def found(folder: Path, ref: str, text: str) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, text).findings if one.ref == ref]


def dated(*looks: tuple[int, str]) -> str:
    return "".join(f"plum0# date\n{DATE.format(second=second)}\n{text}" for second, text in looks)


MIXED = '[root@plum{node} ~]# mmdiag --version\n=== mmdiag: version ===\nCurrent GPFS build: "{release} ".\n'
PACKAGES = "plum1: VRTSvxfs-{one}-RHEL7.x86_64\nplum2: VRTSvxfs-{other}-RHEL7.x86_64\n"
FENCING = """{node}# vxfenadm -d

I/O Fencing Cluster Information:
================================
 Fencing Mode: SCSI3
 Cluster Members:
{members}
 RFSM State Information:
{states}"""


def fencing(node: str, *names: str) -> str:
    members = (f"        {'*' if name == node else ' '} {name[-1]} ({name})\n" for name in names)
    states = (f"        node   {name[-1]} in state  8 (running)\n" for name in names)
    return FENCING.format(node=node, members="".join(members), states="".join(states))


MOUNT = (
    "{node}# mount | grep vx/dsk\n/dev/vx/dsk/{group}/potvol on /srv/pots type vxfs ({options},delaylog,largefiles)\n"
)
TABLE = "{node}# cat /etc/llttab\nset-node {node}\nset-cluster {id}\nlink eth1 eth-00:1b:21:3c:9d:f8 - ether - -\n"


def mounts(options: str, other: str, group: str = "potdg") -> str:
    shown = (("plum1", options), ("plum2", other))
    return "".join(MOUNT.format(node=node, options=words, group=group) for node, words in shown)


KIND = """plum1# hagrp -state
#Group       Attribute             System     Value
feeds        State                 plum1      |ONLINE|
feeds        State                 plum2      |{state}|
plum1# hagrp -display feeds
#Group       Attribute             System     Value
feeds        Parallel              global     {parallel}
"""
TABLES = """{node}# cat /etc/llthosts
0 {first}
1 {second}
{node}# cat /etc/llttab
set-node {node}
link net1 /dev/net:0 - ether - -
{link}{node}# cat /etc/gabtab
/sbin/gabconfig -c {seed}
"""
LINK = "link net2 /dev/net:1 - ether - -\n"


def tables(node: str, first: str = "plum1", second: str = "plum2", link: str = LINK, seed: str = "-n2") -> str:
    return TABLES.format(node=node, first=first, second=second, link=link, seed=seed)


def mounted(active: int, mounting: int) -> str:
    """The states of so many daemons and the list of mounts of so many nodes."""
    states = "".join(f"       {i}      plum{i}            active\n" for i in range(1, active + 1))
    mounts = "".join(f"  10.3.0.{i}        plum{i}                     plum.example\n" for i in range(1, mounting + 1))
    return (
        "# mmgetstate -a\n Node number  Node name        GPFS state\n------------------------------------------\n"
        f"{states}# mmlsmount ripe -L\n\nFile system ripe is mounted on {mounting} nodes:\n{mounts}"
    )


SICK = [
    (
        "VX-02",
        MODE.format(node="plum1", role="MASTER", master="plum1")
        + "plum2# vxdctl -c mode\nmode: enabled: cluster inactive\n",
        "high",
    ),
    ("VX-13", tables("plum1") + tables("plum2", "plum2", "plum1"), "medium"),
    ("VX-13", tables("plum1") + tables("plum2", second="plum7.lab"), "medium"),
    ("VX-13", tables("plum1") + tables("plum2", link=""), "low"),
    ("VX-13", tables("plum1") + tables("plum2", seed="-x"), "medium"),
    ("VX-13", tables("plum1", seed="-cx") + tables("plum2"), "medium"),
    ("VX-12", KIND.format(state="ONLINE", parallel=0), "high"),
    ("VX-12", KIND.format(state="PARTIAL", parallel=0), "high"),
    ("VX-10", mounts("rw", "rw"), "medium"),
    ("VX-10", mounts("rw,cluster", "rw"), "medium"),
    ("VX-11", TABLE.format(node="plum1", id=101) + TABLE.format(node="plum2", id=110), "low"),
    ("NW-14", fencing("plum1", "plum1", "plum2") + fencing("plum2", "plum2"), "medium"),
    ("VX-08", disks("plum1", "12", status="online") + disks("plum2", "12", status="online"), "medium"),
    ("NW-14", llt("plum1", "plum1", "plum2", "plum3") + llt("plum3", "plum2", "plum3"), "medium"),
    (
        "NW-14",
        STATE.format(node="plum1", one="active", other="active")
        + STATE.format(node="plum2", one="unknown", other="active"),
        "medium",
    ),
    (
        "NW-14",
        dated(
            (2, STATE.format(node="plum1", one="active", other="active")),
            (40, STATE.format(node="plum2", one="down", other="active")),
        ),
        "high",
    ),
    (
        "SC-43",
        MANAGERS.format(node="plum1", fs=1, cluster=1) + MANAGERS.format(node="plum2", fs=1, cluster=2),
        "medium",
    ),
    (
        "SC-43",
        MANAGERS.format(node="plum1", fs=1, cluster=1) + MANAGERS.format(node="plum2", fs=2, cluster=1),
        "medium",
    ),
    ("SC-43", MANAGERS.format(node="plum1", fs=2, cluster=1) + MANAGERS.format(node="plum2", fs=1, cluster=1), "low"),
    ("SC-44", mounted(4, 3), "info"),
    ("ST-30", MIXED.format(node=1, release="5.1.9.4") + MIXED.format(node=2, release="4.2.3.10"), "medium"),
    ("ST-30", PACKAGES.format(one="7.4.1.2800", other="7.4.2.100"), "low"),
    ("VX-07", disks("plum1", "pot01", "pot02") + disks("plum2", "pot01"), "medium"),
    ("VX-07", disks("plum1", "pot02", options="-e ") + disks("plum2", "pot01", "pot02", options="-e "), "medium"),
    (
        "VX-08",
        GROUPS.format(node="plum1", number=12, state="enabled,cds")
        + GROUPS.format(node="plum2", number=98, state="enabled,cds"),
        "high",
    ),
    (
        "VX-08",
        GROUPS.format(node="plum1", number=12, state="enabled,shared,cds")
        + GROUPS.format(node="plum2", number=98, state="enabled,cds"),
        "high",
    ),
    (
        "VX-09",
        MODE.format(node="plum1", role="MASTER", master="plum1")
        + MODE.format(node="plum2", role="MASTER", master="plum2"),
        "medium",
    ),
]
WELL = [
    ("VX-13", tables("plum1") + tables("plum2")),
    ("VX-13", tables("plum1") + tables("plum2", "plum1.lab", "plum2.lab")),
    ("VX-13", tables("plum1", seed="-x") + tables("plum2", seed="-x")),
    ("VX-13", tables("plum1", second="plum3")),
    ("VX-12", KIND.format(state="OFFLINE", parallel=0)),
    ("VX-12", KIND.format(state="ONLINE", parallel=1)),
    ("VX-10", mounts("rw,cluster", "rw,cluster")),
    ("VX-10", mounts("rw", "ro")),
    ("VX-10", mounts("rw", "rw", "rootdg")),
    ("VX-11", TABLE.format(node="plum1", id=101) + TABLE.format(node="plum2", id=101)),
    ("NW-14", fencing("plum1", "plum1", "plum2") + fencing("plum2", "plum1", "plum2")),
    (
        "VX-08",
        disks("plum1", "12", status="online")
        + disks("plum2", "12", status="online").replace("12      potdg", "-      (potdg)"),
    ),
    ("VX-08", disks("plum1", "12", status="online") + disks("plum2", "14", status="online")),
    ("NW-14", llt("plum1", "plum1", "plum3") + llt("plum3", "plum1", "plum3")),
    ("NW-14", llt("plum1", "plum1", "plum2") + llt("plum2", "plum2")),
    (
        "NW-14",
        STATE.format(node="plum1", one="active", other="active") * 2
        + STATE.format(node="plum2", one="active", other="active"),
    ),
    ("SC-43", MANAGERS.format(node="plum1", fs=1, cluster=1) + MANAGERS.format(node="plum2", fs=1, cluster=1)),
    ("SC-43", MANAGERS.format(node="plum1", fs=1, cluster=1) + MANAGERS.format(node="plum1", fs=2, cluster=2)),
    ("SC-44", mounted(3, 3)),
    ("SC-44", mounted(5, 3)),
    ("ST-30", MIXED.format(node=1, release="5.1.9.4") + MIXED.format(node=2, release="5.1.9.4")),
    ("ST-30", PACKAGES.format(one="7.4.1.2800", other="7.4.1.2800")),
    ("VX-07", disks("plum1", "pot01", "pot02") + disks("plum2", "pot01", "pot02")),
    ("VX-07", disks("plum1", "pot01", status="online") + disks("plum2", "pot02", status="online")),
    (
        "VX-08",
        GROUPS.format(node="plum1", number=12, state="enabled,shared,cds")
        + GROUPS.format(node="plum2", number=98, state="enabled,shared,cds"),
    ),
    ("VX-08", GROUPS.format(node="plum1", number=12, state="enabled,cds") * 2),
    (
        "VX-09",
        MODE.format(node="plum1", role="MASTER", master="plum1")
        + MODE.format(node="plum2", role="SLAVE", master="plum1"),
    ),
]


@pytest.mark.parametrize(("ref", "text", "severity"), SICK)
def test_listings_that_contradict_each_other(ref: str, text: str, severity: str, tmp_path: Path) -> None:
    severities = found(tmp_path, ref, text)
    assert severities
    assert set(severities) == {severity}


@pytest.mark.parametrize(("ref", "text"), WELL)
def test_listings_that_agree(ref: str, text: str, tmp_path: Path) -> None:
    assert found(tmp_path, ref, text) == []


def test_looks_of_two_moments_are_no_contradiction(tmp_path: Path) -> None:
    text = GROUPS.format(node="plum1", number=12, state="enabled,cds")
    later = GROUPS.format(node="plum2", number=98, state="enabled,cds")
    hour = "plum0# date\nTue Mar  9 {hour}:20:02 CET 2027\n"
    assert found(tmp_path, "VX-08", hour.format(hour=14) + text + hour.format(hour=15) + later) == []


IN_FOLDERS = [case for case in SICK if len(by_folder(case[1])) > 1 and "# date\n" not in case[1]]


@pytest.mark.parametrize(("ref", "text", "severity"), IN_FOLDERS)
def test_listings_that_contradict_each_other_in_folders_of_nodes(
    ref: str, text: str, severity: str, tmp_path: Path
) -> None:
    findings = diagnosis_of(tmp_path, **by_folder(text)).findings
    assert {one.severity for one in findings if one.ref == ref} == {severity}
