"""A manual shows a sick table as an example; somebody sends the same table because it is theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

PATHS = """# vxdmpadm getsubpaths dmpnodename=emc0_17
NAME         STATE[A]   PATH-TYPE[M] CTLR-NAME  ENCLR-TYPE   ENCLR-NAME    ATTRS
================================================================================
c4t9d17s2    DISABLED   -            c4         EMC          emc0          -
c5t9d17s2    ENABLED(A) -            c5         EMC          emc0          -
"""
DISKS = """# mmlsdisk reef -L
disk         driver   sector     failure holds    holds                                    storage
name         type       size       group metadata data  status        availability disk id pool
------------ -------- ------ ----------- -------- ----- ------------- ------------ ------- ------------
reef_a       nsd         512           1 Yes      Yes   ready         up                 1 system
reef_b       nsd         512           2 Yes      Yes   ready         down               2 system
"""
GROUPS = """# hastatus -sum

-- SYSTEM STATE
-- System               State                Frozen

A  heron1               RUNNING              0
A  heron2               FAULTED              0

-- GROUP STATE
-- Group           System               Probed     AutoDisabled    State

B  larder          heron1               Y          N               ONLINE
"""
VOLUMES = """# vxprint -ht -g shelfdg
v  larder       -            DISABLED ACTIVE   204800   SELECT    -        fsgen
pl larder-01    larder       DISABLED IOFAIL   204800   CONCAT    -        RW
"""
TAUGHT = [
    (
        "To list the paths of one disk only, name its node. For example, to list the paths of emc0_17,\n"
        "use the following command:\n",
        PATHS,
        "The listing above shows that one of the two paths is disabled.\n",
    ),
    (
        "Use the mmlsdisk command to see the availability of disks. The following is an example of its output:\n\n",
        DISKS,
        "\nThe availability column shows that a disk is down. To start it, run the mmchdisk command.\n",
    ),
    (
        "Checking the cluster\n\nThe hastatus command displays a summary of all systems and groups.\n"
        "Its output is similar to the following:\n\n",
        GROUPS,
        "",
    ),
    (
        "Die folgende Ausgabe zeigt ein Volume, das nicht gestartet ist. Beispielausgabe eines defekten Plex:\n\n",
        VOLUMES,
        "",
    ),
]
FAULT = """SUNW-MSG-ID: ZFS-8000-D3, TYPE: Fault, VER: 1, SEVERITY: Major
EVENT-TIME: Sat Nov 15 08:12:27 CET 2031
PLATFORM: T5-2, CSN: -, HOSTNAME: heron
SOURCE: zfs-diagnosis, REV: 1.0
EVENT-ID: 7c1e0b42-93d5-4f6a-a208-1b5de7704c9f
DESC: A ZFS device failed.
"""
LOGGED = "A pool whose disk was pulled out makes the daemon for faults write a message similar to the following:\n\n"
TAUGHT.append((LOGGED, FAULT, ""))
OWN = [
    ("Hi all,\nsince this morning one of our hosts is slow, I ran the following command:\n", PATHS, ""),
    ("The listing below shows what we see on reef. Please help.\n\n", DISKS, ""),
    ("heron2 crashed at noon. Output from the other one:\n\n", GROUPS, ""),
    ("Hallo, seit gestern startet unser Volume nicht mehr, die folgende Ausgabe kommt:\n\n", VOLUMES, ""),
    ("", DISKS, ""),
    ("The spare isn't in use, and a message similar to the following comes each minute. Please check.\n\n", FAULT, ""),
    (
        "Ticket 4711: a disk of reef is down.\nFor example, to list the disks, use the following command:\n",
        DISKS,
        "The listing above shows that a disk is down.\n",
    ),
    (
        "Users report that mounts hang on the nodes of the hall. To see the disks, run the command mmlsdisk.\n"
        "The following is an example of its output:\n",
        DISKS,
        "",
    ),
    (
        "heron2 went down at 03:12 and is not back. The hastatus command displays a summary of all systems.\n"
        "Its output is similar to the following:\n\n",
        GROUPS,
        "",
    ),
    (
        "The customer states that a volume of the shelf is not started. The following output shows it, use the\n"
        "following command:\n\n",
        VOLUMES,
        "",
    ),
    ("Can you tell why this disk is down? For example, the output is similar to the following:\n", DISKS, ""),
]


@pytest.mark.parametrize(("above", "table", "below"), TAUGHT)
def test_an_example_of_a_manual_is_in_doubt(above: str, table: str, below: str, tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, f"{above}{table}{below}")
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.severity not in ("critical", "high")
    grave = [one for one in diagnosis.findings if one.severity in ("critical", "high", "medium")]
    assert all("reads like a manual" in one.explanation for one in grave)
    assert diagnosis.verdict.title.startswith(("Perhaps an example", "Not judged"))


@pytest.mark.parametrize(("above", "table", "below"), OWN)
def test_the_same_table_of_somebody_alarms(above: str, table: str, below: str, tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, f"{above}{table}{below}")
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.severity in ("critical", "high", "medium")
    assert not any("reads like a manual" in one.explanation for one in diagnosis.findings)


def test_a_manual_beside_a_log_takes_nothing_from_the_log(tmp_path: Path) -> None:
    above, table, below = TAUGHT[0]
    alarm = "Mar  5 10:00:00 heron1 vxio: [ID 1 kern.warning] V-5-0-6 object larder-01 detached from volume larder\n"
    diagnosis = diagnosis_of(tmp_path, messages=alarm, manual_dot_txt=f"{above}{table}{below}")
    doubted = {"reads like a manual" in one.explanation for one in diagnosis.findings if one.severity != "info"}
    assert False in doubted
