"""Listings of VCS, CFS and mmhealth: what one node lacks and others have, and words of states that nobody knows."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

ALARMS = ("critical", "high", "medium")
SUM = """[root@dab1 ~]# hastatus -sum
-- SYSTEM STATE
-- System               State                Frozen
A  dab1                 RUNNING              0
A  dab2                 RUNNING              0
-- GROUP STATE
-- Group           System               Probed     AutoDisabled    State
{rows}"""
HEALTH = """[root@dab1 ~]# mmhealth node show

Node name:      dab1.lab
Node status:    {node}
Status Change:  2 days ago

Component      Status        Status Change     Reasons
-------------------------------------------------------------------
GPFS           {gpfs}       2 days ago        -
NETWORK        {network}      1 day ago         -
FILESYSTEM     HEALTHY       2 days ago        -
DISK           HEALTHY       2 days ago        -
"""
MOUNTS = """# cfsmntadm display
  Cluster Configuration for Node: dab1
  MOUNT POINT        TYPE      SHARED VOLUME     DISK GROUP       STATUS
  /srv/pots          Regular   potvol            data_dg          {pots}
  /srv/jars          Regular   jarvol            data_dg          {jars}
"""


def summary(*rows: tuple[str, str, str]) -> str:
    lines = (f"B  {group:<15} {on:<20} Y          N               {state}\n" for group, on, state in rows)
    return SUM.format(rows="".join(lines))


def alarms(folder: Path, text: str) -> list[tuple[str, str]]:
    found = diagnosis_of(folder, text).findings
    return [(one.severity, one.title) for one in found if one.severity in ALARMS]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (summary(("cvm", "dab1", "ONLINE"), ("cvm", "dab2", "OFFLINE")), "group cvm is offline on dab2"),
        (summary(("CVMGroup", "dab1", "OFFLINE"), ("CVMGroup", "dab2", "ONLINE")), "group CVMGroup is offline on dab1"),
        (
            "dab1# hagrp -state\n#Group       Attribute    System     Value\n"
            "vrts_vea_cfs_int_cfsmount1 State  dab1  |ONLINE|\nvrts_vea_cfs_int_cfsmount1 State  dab2  |OFFLINE|\n",
            "cfsmount1 is offline on dab2",
        ),
        (
            "dab1# hares -state\n#Resource    Attribute    System     Value\n"
            "vxfsckd      State        dab1       ONLINE\nvxfsckd      State        dab2       OFFLINE\n",
            "resource vxfsckd is offline on dab2",
        ),
    ],
)
def test_what_all_nodes_share_is_off_on_one(text: str, words: str, tmp_path: Path) -> None:
    [(severity, title)] = alarms(tmp_path, text)
    assert severity == "medium"
    assert words in title.replace("\xa0", " ")


@pytest.mark.parametrize(
    "text",
    [
        summary(("cvm", "dab1", "ONLINE"), ("cvm", "dab2", "ONLINE")),
        summary(("web", "dab1", "ONLINE"), ("web", "dab2", "OFFLINE")),
        summary(("cvm", "dab1", "OFFLINE"), ("cvm", "dab2", "OFFLINE")),
        summary(("cvm", "dab1", "ONLINE"), ("cvm", "dab2", "OFFLINE")).replace(
            "dab2                 RUNNING", "dab2 EXITED"
        ),
        summary(("cvm", "dab1", "ONLINE"), ("cvm", "dab2", "OFFLINE"))
        + "dab2# hastatus -sum\n"
        + summary(("cvm", "dab1", "ONLINE"), ("cvm", "dab2", "ONLINE")),
    ],
    ids=["on both", "a group that fails over", "off on both", "on a node that was stopped", "on again later"],
)
def test_what_is_off_as_it_may_be(text: str, tmp_path: Path) -> None:
    assert alarms(tmp_path, text) == []


def test_a_group_that_runs_twice_is_named_where_it_is_off(tmp_path: Path) -> None:
    rows = [("feeds", "dab1", "ONLINE"), ("feeds", "dab2", "OFFLINE"), ("feeds", "dab3", "ONLINE")]
    [found] = diagnosis_of(tmp_path, summary(*rows)).findings
    assert (found.severity, found.nodes) == ("low", ("dab2",))


@pytest.mark.parametrize(
    ("pots", "jars", "severities"),
    [
        ("MOUNTED", "NOT MOUNTED", ["medium"]),
        ("MOUNTED", "MOUNTED", []),
        ("NOT MOUNTED", "NOT MOUNTED", []),
    ],
)
def test_a_mount_that_is_missing_beside_others(pots: str, jars: str, severities: list[str], tmp_path: Path) -> None:
    assert [severity for severity, _ in alarms(tmp_path, MOUNTS.format(pots=pots, jars=jars))] == severities


def test_a_mount_that_another_node_has(tmp_path: Path) -> None:
    text = MOUNTS.format(pots="MOUNTED", jars="MOUNTED")
    other = MOUNTS.format(pots="NOT MOUNTED", jars="NOT MOUNTED").replace("dab1", "dab2").partition("\n")[2]
    [(severity, title)] = alarms(tmp_path, text + other)
    assert severity == "medium"
    assert "dab2" in title


@pytest.mark.parametrize(
    ("node", "gpfs", "network", "words"),
    [
        ("degraded", "healthy", "Degraded", ["NETWORK"]),
        ("Failed", "failed", "healthy", ["GPFS"]),
        ("HEALTHY", "HEALTHY", "healthy", []),
        ("healthy", "healthy", "disabled", []),
    ],
)
def test_states_of_health_in_small_letters(
    node: str, gpfs: str, network: str, words: list[str], tmp_path: Path
) -> None:
    titles = [title for _, title in alarms(tmp_path, HEALTH.format(node=node, gpfs=gpfs, network=network))]
    assert len(titles) == len(words)
    assert all(word in title for word, title in zip(words, titles, strict=True))


@pytest.mark.parametrize(("state", "form"), [("Broken", "not_judged"), ("SICK", "not_judged"), ("DISABLED", "healthy")])
def test_a_state_of_health_that_nobody_knows_is_no_all_clear(state: str, form: str, tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, HEALTH.format(node="HEALTHY", gpfs="HEALTHY", network=state)).verdict
    assert verdict is not None
    assert verdict.form == form


def test_protocols_that_nobody_enabled(tmp_path: Path) -> None:
    text = "# mmces state show -a\nNODE    AUTH      BLOCK     NETWORK   NFS       SMB       CES\n"
    text += "dab1    HEALTHY   DISABLED  HEALTHY   HEALTHY   DISABLED  HEALTHY\n"
    verdict = diagnosis_of(tmp_path, text).verdict
    assert verdict is not None
    assert verdict.form == "healthy"


def test_a_reason_counts_whatever_its_state_is_called(tmp_path: Path) -> None:
    text = "# mmhealth cluster show threshold\n\nComponent     Node         Status     Reasons\n"
    text += "-----------------------------------------------\nTHRESHOLD     dab1.lab     Healthy    -\n"
    text += "THRESHOLD     dab2.lab     {state}    {reason}\n"
    sick = alarms(tmp_path / "sick", text.format(state="Warning", reason="pool-data_high_error"))
    assert sick
    assert all("dab2" in title or "pool" in title.lower() for _, title in sick)
    assert alarms(tmp_path / "well", text.format(state="Healthy", reason="-")) == []
