"""Listings of parts that few tools show: enclosures, devices of AIX, protocol nodes, coordination points, quotas."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

ALARMS = ("critical", "high", "medium")
ENCLOSURE = """# mmlsenclosure all -L
                needs    nodes
 serial number  service
 -------------  -------  ------
 KT21313978     {needs}      gull1.lab,gull2.lab

 component type  serial number  component id  failed value  unit    properties
 --------------  -------------  ------------  ------ -----  ----    ----------
 fan             KT21313978     0_TOP_LEFT    {failed}     4890   RPM
"""
NODES = """# mmces node list
 Node Number   Node Name   CES Groups       CES Flags
------------- ----------- --------------- -----------------------
 4             gull1       none            {flags}
 5             gull2       none            none
"""
ADDRESSES = """# mmces address list --full-list
cesAddress      cesNode       attributes      cesGroup       preferredNode    unhostableNodes
--------------- ------------- --------------- -------------- ---------------- ---------------
10.20.0.31      {node}         none            none           none             none
10.20.0.32      gull2         none            none           none             none
"""
POINTS = """# vxfenconfig -l
I/O Fencing Configuration Information:
======================================
 Single Disk Flag     : 0
 Count                : {count}
 Disk List
 Disk Name          Major  Minor  Serial Number  Policy
 /dev/vx/rdmp/reed_4        201         64    30000000AB10F9C6         dmp
"""
QUOTA = """$ mmlsquota -j hops gs1 --block-size auto
                         Block Limits                                    |     File Limits
Filesystem type         blocks      quota      limit   in_doubt    grace |    files   quota    limit in_doubt    grace
gs1        FILESET         {used}         9T        10T        12G   {grace} |  4100000 4000000 4200000    40   2 days
"""
EVENTS = """Events:
  Type     Reason                Age                From{gap}Message
  ----     ------                ----               ----{gap}-------
  Warning  ProvisioningFailed    66s (x9 over 8m)   spectrumscale.csi.ibm.com_provisioner-0_3e1c  {text}
"""
DRIVER = "{level}0820 22:40:48.254393       1 rest_v2.go:555] {text}\n"
STATE = """# mmgetstate -L

 Node number  Node name       Quorum  Nodes up  Total nodes  GPFS state   Remarks
------------------------------------------------------------------------------------
       1      gull1              2        {up}          6       active       quorum node
"""
NIDS = """# vxclustadm nidmap
Name                             CVM Nid    CM Nid     State
gull1                            1          0          Joined: Slave
gull2                            0          1          Joined: Master
gull3                            {cvm}          2          {state}
"""
SICK = [
    (NIDS.format(cvm="-", state="Out of Cluster"), "gull3 is out of the cluster"),
    (ENCLOSURE.format(needs="yes", failed="yes"), "needs service"),
    (ENCLOSURE.format(needs="no", failed="yes"), "fan 0_TOP_LEFT"),
    (NODES.format(flags="Failed"), "Failed on gull1"),
    (
        NODES.format(flags="Failed")
        .replace("CES Groups", "CES Group ")
        .replace("none            F", "cg1             F"),
        "gull1",
    ),
    (ADDRESSES.format(node="unassigned"), "10.20.0.31: no node serves it"),
    (
        ADDRESSES.replace("cesAddress  ", "Address     ").replace("cesNode", "Node   ").format(node="unassigned"),
        "10.20.0.31",
    ),
    (POINTS.format(count=2), "an even number"),
    (POINTS.format(count=4), "an even number"),
    (QUOTA.format(used="10T", grace="3 days"), "10 TiB of 10 TiB"),
    (QUOTA.format(used="9.5T", grace="expired"), "grace expired"),
    (
        "gull1# lsdev -Cc disk\nhdisk0 Available 00-08-00 SAS Disk Drive\nhdisk7 Defined   C2-T1-01 MPIO FC Disk\n",
        "hdisk7",
    ),
    ("gull1# lsdev -Cc adapter\nfcs0 Available C2-T1 8Gb FC Adapter\nfcs1 Defined   C3-T1 8Gb FC Adapter\n", "fcs1"),
    (
        "# ioscan -fnkC disk\nClass     I  H/W Path       Driver     S/W State   H/W Type     Description\n"
        "disk     13  0/4/1/0.1.2.0.0.0.2  sdisk  SUSPENDED     DEVICE       HP      OPEN-V\n",
        "disk 13",
    ),
    (
        EVENTS.format(
            gap=" " * 90, text="failed to provision volume: rpc error: remote call failed with response &{401 x}"
        ),
        "refuses the login",
    ),
    (
        DRIVER.format(
            level="E", text="Unauthorized GET request to https://10.8.0.4:443/scalemgmt/v2/cluster: 401 Unauthorized"
        ),
        "refuses the login",
    ),
    (
        DRIVER.format(level="E", text="Error in list request: Remote call completed with error [400 Bad Request]"),
        "refused a request",
    ),
    (
        DRIVER.format(level="E", text="linking fileset [pvc-1] in filesystem [gs1] at path [/gs1/pvc-1] failed"),
        "could not be changed",
    ),
]
SICK += [
    (DRIVER.format(level="E", text=f"[80cd] {step} - {word} failed with: exit status 32"), "mount or unmount")
    for step, word in (
        ("NodeUnpublishVolume", "Unmount"),
        ("NodePublishVolume", "mount"),
        ("NodePublishVolume", "Mounting"),
    )
]
WELL = [
    STATE.format(up=3),
    NIDS.format(cvm=2, state="Joined: Slave"),
    ENCLOSURE.format(needs="no", failed="no"),
    NODES.format(flags="none"),
    ADDRESSES.format(node="gull1"),
    POINTS.format(count=3),
    QUOTA.format(used="2T", grace="none"),
    "gull1# lsdev -C\nhdisk0 Available 00-08-00 SAS Disk Drive\ninet0 Defined Internet Network Extension\n",
    DRIVER.format(level="I", text="rest_v2 FormatURL. url: https://gui.brew:443/scalemgmt/v2/cluster") * 12,
]


@pytest.mark.parametrize(("text", "words"), SICK, ids=range(len(SICK)))
def test_a_part_that_is_not_in_order_is_named(text: str, words: str, tmp_path: Path) -> None:
    found = [one for one in diagnosis_of(tmp_path, text).findings if one.severity in ALARMS]
    titles = [f"{one.title} {one.explanation}".replace("\xa0", " ") for one in found]
    assert any(re.search(re.escape(words), title, re.IGNORECASE) for title in titles), titles


@pytest.mark.parametrize("text", WELL, ids=range(len(WELL)))
def test_parts_in_order_are_no_alarm(text: str, tmp_path: Path) -> None:
    assert [one.title for one in diagnosis_of(tmp_path, text).findings if one.severity in ALARMS] == []
