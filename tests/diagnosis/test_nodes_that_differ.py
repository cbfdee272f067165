"""Nodes whose own views are in order and differ from each other: ST-29 and NW-13."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

MULTIPATH = """[root@{node} ~]# multipath -ll
{name} (360060e80074e660000304e6600000123) dm-3 HITACHI,OPEN-V
size=500G features='0' hwhandler='1 alua' wp=rw
`-+- policy='service-time 0' prio=50 status=active
{paths}"""
DMP = """{node}# vxdmpadm getsubpaths dmpnodename={name}
NAME         STATE[A]   PATH-TYPE[M] CTLR-NAME  ENCLR-TYPE   ENCLR-NAME    ATTRS
================================================================================
{paths}"""
DLM = """[root@{node} ~]# dlm_tool ls
dlm lockspaces
name          {group}
id            0x12aabd2d
flags         0x00000000
change        member 3 joined 1 remove 0 failed 0 seq 3,3
members       {members}
"""
GROUPS = """[root@{node} ~]# group_tool ls
type             level name     id       state
dlm              1     {group}  00020001 none
[{members}]
"""


def multipath(node: str, name: str, count: int) -> str:
    rows = [
        f"  |- {host}:0:0:1 sd{letter} 8:16 active ready running\n" for host, letter in zip("1234", "bcde", strict=True)
    ]
    return MULTIPATH.format(node=node, name=name, paths="".join(rows[:count]))


def dmp(node: str, name: str, count: int) -> str:
    rows = [
        f"c{host}t0d1s2     ENABLED(A)   -          c{host}         EMC          emc0          -\n" for host in "1234"
    ]
    return DMP.format(node=node, name=name, paths="".join(rows[:count]))


def severities(folder: Path, text: str, ref: str) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, text).findings if one.ref == ref]


@pytest.mark.parametrize(
    ("make", "name", "few", "severity"),
    [
        (multipath, "data1", 2, "medium"),
        (multipath, "360060e80074e660000304e6600000123", 1, "medium"),
        (multipath, "data1", 3, "low"),
        (dmp, "emc0_0042", 2, "medium"),
    ],
)
def test_a_node_with_fewer_paths_than_another_is_named(
    tmp_path: Path, make: object, name: str, few: int, severity: str
) -> None:
    assert callable(make)
    text = make("larch1", name, 4) + make("larch2", name, few)
    [found] = [one for one in diagnosis_of(tmp_path, text).findings if one.ref == "ST-29"]
    assert (found.severity, found.nodes) == (severity, ("larch2",))
    assert f"over {few} path" in found.title


@pytest.mark.parametrize(
    "text",
    [
        multipath("larch1", "data1", 4) + multipath("larch2", "data1", 4),
        multipath("larch1", "mpatha", 4)
        + multipath("larch2", "mpatha", 2).replace(
            "360060e80074e660000304e6600000123", "360060e80074e660000304e6600000129"
        ),
        multipath("larch1", "data1", 4) + multipath("larch2", "data2", 2),
        multipath("larch1", "data1", 4) + multipath("larch1", "data1", 4),
    ],
    ids=["alike", "names of each node's own", "another disk", "one node twice"],
)
def test_nodes_that_see_a_disk_alike_or_other_disks_are_well(tmp_path: Path, text: str) -> None:
    assert severities(tmp_path, text, "ST-29") == []


@pytest.mark.parametrize("group", ["work", "clvmd"])
@pytest.mark.parametrize("form", [DLM, GROUPS], ids=["dlm_tool", "group_tool"])
def test_lists_of_members_that_differ_are_reported(tmp_path: Path, form: str, group: str) -> None:
    text = form.format(node="larch1", group=group, members="1 2 3") + form.format(
        node="larch2", group=group, members="2"
    )
    assert severities(tmp_path / "sick", text, "NW-13") == ["medium"]
    well = form.format(node="larch1", group=group, members="1 2") + form.format(
        node="larch2", group=group, members="1 2"
    )
    assert severities(tmp_path / "well", well, "NW-13") == []


def test_lists_of_one_time_weigh_more_and_of_different_times_say_nothing(tmp_path: Path) -> None:
    date = "[root@{} ~]# date\nTue May  5 10:0{}:11 CEST 2031\n"
    first = date.format("larch1", 1) + DLM.format(node="larch1", group="work", members="1 2 3")
    near = first + date.format("larch2", 2) + DLM.format(node="larch2", group="work", members="2")
    assert severities(tmp_path / "near", near, "NW-13") == ["high"]
    later = first + date.format("larch2", 9) + DLM.format(node="larch2", group="work", members="2")
    assert severities(tmp_path / "later", later, "NW-13") == []
