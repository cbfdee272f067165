"""Members of a Linux cluster that see each other as gone: NW-12, and votes that are missing."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis, Verdict
from tests.diagnosis.cluster_texts import diagnosis_of

PCS = """[root@{me} ~]# pcs status
Cluster name: pond
Node List:
  * Online: [ {me} ]
  * OFFLINE: [ {other} ] <--- seen from {me}

Full List of Resources:
-----------------8<-----------------
  * db\t(ocf::heartbeat:pgsql):\t Started {me}
"""
CRM_MON = """[root@{me} ~]# crm_mon -1
Stack: corosync
Current DC: {me} (version 1.1.18) - partition {quorum} quorum
Last updated: Tue May  5 10:0{minute}:11 2031
2 nodes configured

Node {other}: UNCLEAN (offline)
Online: [ {me} ]
"""
CLUSTAT = """[root@{me} ~]# clustat
Cluster Status for pond @ Tue May  5 10:0{minute}:11 2031
Member Status: Quorate

 Member Name                             ID   Status
 ------ ----                             ---- ------
 {first}                                     1 {first_state}
 {second}                                     2 {second_state}
"""
VOTES = """[root@{me} ~]# corosync-quorumtool -s
Quorum information
------------------
Date:             Tue May  5 {time} 2031
Quorum provider:  corosync_votequorum
Nodes:            1
Ring ID:          {id}.1f4
Quorate:          Yes

Votequorum information
----------------------
Expected votes:   2
Highest expected: 2
Total votes:      {total}
Quorum:           1
Flags:            2Node Quorate

Membership information
----------------------
    Nodeid      Votes Name
         {id}          1 {me} (local)
"""


def judged(folder: Path, text: str) -> Diagnosis:
    return diagnosis_of(folder, text)


def verdict(found: Diagnosis) -> Verdict:
    assert found.verdict is not None
    return found.verdict


def refs(found: Diagnosis) -> dict[str, str]:
    return {one.ref: one.severity for one in found.findings}


def clustat(me: str, first: str, second: str) -> str:
    states = {name: "Online, Local, rgmanager" if name == me else "Offline" for name in (first, second)}
    return CLUSTAT.format(
        me=me, minute=1, first=first, second=second, first_state=states[first], second_state=states[second]
    )


@pytest.mark.parametrize(("one", "other"), [("alder", "birch"), ("n1", "n2"), ("db-07.ha.example", "db-08.ha.example")])
@pytest.mark.parametrize("tool", ["pcs", "crm_mon", "clustat", "votes"])
def test_two_members_that_each_see_the_other_as_gone_are_a_split(
    tmp_path: Path, tool: str, one: str, other: str
) -> None:
    pairs = ((one, other), (other, one))
    text = {
        "pcs": "".join(PCS.format(me=me, other=you) for me, you in pairs),
        "crm_mon": "".join(CRM_MON.format(me=me, other=you, quorum="with", minute=2) for me, you in pairs),
        "clustat": clustat(one, one, other) + clustat(other, one, other),
        "votes": VOTES.format(me=one, id=1, time="10:02:11", total=1)
        + VOTES.format(me=other, id=2, time="10:02:31", total=1),
    }[tool]
    found = judged(tmp_path, text)
    assert refs(found)["NW-12"] == "critical"
    assert set(found.findings[0].nodes) == {name.partition(".")[0] for name in (one, other)}
    assert "is split" in verdict(found).title
    assert ("Each has quorum" in found.findings[0].explanation) == (tool != "pcs")  # which does not show it here
    if tool == "votes":
        rows = text.splitlines()
        assert {rows[ref.line - 1].partition(":")[0] for ref in found.findings[0].evidence} == {"Quorate"}


@pytest.mark.parametrize("alone", ["alder", "n7", "zander2"])
def test_a_member_that_expects_no_other_is_apart_from_those_that_lack_its_vote(tmp_path: Path, alone: str) -> None:
    lacking = VOTES.format(me="maple", id=1, time="10:02:11", total=1)
    own = VOTES.format(me=alone, id=2, time="10:02:31", total=1)
    expects_none = re.sub(r"((?:Expected votes|Highest expected): +)\d+", r"\g<1>1", own)
    assert expects_none != own
    found = judged(tmp_path / "split", lacking + expects_none)
    assert refs(found)["NW-12"] == "critical"
    another = re.sub(r"((?:Expected votes|Highest expected): +)\d+", r"\g<1>1", lacking)
    assert "NW-12" not in refs(judged(tmp_path / "two clusters", another + expects_none))


def test_without_quorum_it_weighs_less_as_nothing_runs(tmp_path: Path) -> None:
    text = "".join(
        CRM_MON.format(me=me, other=you, quorum="WITHOUT", minute=2)
        for me, you in (("alder", "birch"), ("birch", "alder"))
    )
    assert refs(judged(tmp_path, text))["NW-12"] == "high"


def test_three_parts_are_two_sides(tmp_path: Path) -> None:
    text = "".join(
        CRM_MON.format(me=me, other=you, quorum="with", minute=2)
        for me, you in (("alder", "birch"), ("birch", "alder"), ("cedar", "birch"))
    )
    [found] = [one for one in judged(tmp_path, text).findings if one.ref == "NW-12"]
    assert found.nodes == ("alder", "birch")


@pytest.mark.parametrize(
    "text",
    [
        PCS.format(me="alder", other="birch"),  # the other says nothing
        CRM_MON.format(me="alder", other="birch", quorum="with", minute=1)
        + CRM_MON.format(me="birch", other="alder", quorum="with", minute=1).replace("10:01", "11:01"),
        PCS.format(me="alder", other="birch") + PCS.format(me="birch", other="cedar"),
        CRM_MON.format(me="alder", other="birch", quorum="with", minute=1)
        + CRM_MON.format(me="birch", other="alder", quorum="with", minute=9),
    ],
    ids=["one side", "an hour apart", "a third", "restarted one after the other"],
)
def test_what_is_seen_from_one_side_or_at_another_time_is_no_split(tmp_path: Path, text: str) -> None:
    assert "NW-12" not in refs(judged(tmp_path, text))


def test_one_member_that_lacks_a_vote_is_named_and_one_that_lacks_none_is_well(tmp_path: Path) -> None:
    sick = judged(tmp_path / "sick", VOTES.format(me="alder", id=1, time="10:02:11", total=1))
    assert verdict(sick).form == "unexplained"
    assert "1 of 2" in verdict(sick).title
    well = judged(tmp_path / "well", VOTES.format(me="alder", id=1, time="10:02:11", total=2))
    assert verdict(well).form == "healthy"


@pytest.mark.parametrize(("total", "form"), [("3", "unexplained"), ("4", "healthy")])
def test_votes_of_an_older_cluster_count_alike(tmp_path: Path, total: str, form: str) -> None:
    text = (
        "Version: 6.2.0\nCluster Name: pond\nCluster Member: Yes\nMembership state: Cluster-Member\nNodes: 4\n"
        f"Expected votes: 4\nTotal votes: {total}\nNode votes: 1\nQuorum: 3\nNode name: kite1\nNode ID: 1\n"
    )
    assert verdict(judged(tmp_path, text)).form == form


def test_rows_above_the_member_that_printed_them_are_its_own(tmp_path: Path) -> None:
    text = clustat("birch", "alder", "birch").replace("[root@birch ~]# ", "$ ")
    [state] = [one for one in judged(tmp_path, text).findings if "alder" in one.title]
    assert state.severity == "medium"


HASTATUS = """{me}# hastatus -sum

-- SYSTEM STATE
-- System               State                Frozen

A  {me}                 {mine}              0
A  {other}              {theirs}            0
"""


def test_engines_of_vcs_that_each_call_the_other_stopped_are_apart(tmp_path: Path) -> None:
    looks = [
        HASTATUS.format(me=me, other=you, mine="RUNNING", theirs="EXITED")
        for me, you in (("larch1", "larch2"), ("larch2", "larch1"))
    ]
    assert refs(judged(tmp_path / "split", "".join(looks)))["NW-12"] == "critical"
    assert "NW-12" not in refs(judged(tmp_path / "one", looks[0]))
