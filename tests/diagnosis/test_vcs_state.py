"""What the tools of a Veritas cluster say is not running: where it is reported and where it is silent."""

from __future__ import annotations

from pathlib import Path

from tests.diagnosis.cluster_texts import diagnosis_of

STATUS = """ash-1:/ # hastatus -sum

-- SYSTEM STATE
-- System               State                Frozen

A  ash-1                RUNNING              0
A  ash-2                {system}              0

-- GROUP STATE
-- Group           System               Probed     AutoDisabled    State

B  cvm             ash-1                Y          N               ONLINE
B  data            ash-1                Y          N               {group}
"""
FAILED = """
-- RESOURCES FAILED
-- Group           Type                 Resource             System

D  data            CFSMount             cfsmount_data        ash-1
"""
MOUNT = """ash-1:/ # cfscluster status

  Node             :  ash-1
  Cluster Manager  :  running
  CVM state        :  running
  MOUNT POINT    SHARED VOLUME  DISK GROUP        STATUS
  /data          vol1           dg1               {mount}
"""


def test_vx_02_a_faulted_system_and_what_failed_with_it_are_the_verdict(tmp_path: Path) -> None:
    text = STATUS.format(system="FAULTED", group="PARTIAL|FAULTED") + FAILED + MOUNT.format(mount="NOT MOUNTED")
    diagnosis = diagnosis_of(tmp_path, text)
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.ref == "VX-02"
    assert diagnosis.verdict.title == (
        "ash-2 is out of the cluster; group data is faulted on ash-1 (resource cfsmount_data)"
    )
    (finding,) = (one for one in diagnosis.findings if one.ref == "VX-02")
    assert "Failed resources: cfsmount_data (CFSMount) on ash-1." in finding.explanation
    assert [ref.line for ref in finding.evidence] == [7, 13, 25, 18]


def test_vx_02_what_was_stopped_weighs_little(tmp_path: Path) -> None:
    for name, text, words in (
        ("stopped", STATUS.format(system="EXITED", group="OFFLINE"), "the engine on ash-2 was stopped (EXITED)"),
        ("unmounted", MOUNT.format(mount="NOT MOUNTED"), "/data is not mounted on ash-1"),
    ):
        [finding] = [one for one in diagnosis_of(tmp_path / name, text).findings if one.ref == "VX-02"]
        assert (finding.severity, finding.title) == ("low", f"The cluster's status: {words}")


def test_vx_02_what_runs_and_what_came_back_is_silent(tmp_path: Path) -> None:
    for name, text in {
        "well": STATUS.format(system="RUNNING", group="ONLINE") + MOUNT.format(mount="MOUNTED"),
        "back": STATUS.format(system="FAULTED", group="ONLINE") + STATUS.format(system="RUNNING", group="ONLINE"),
    }.items():
        assert "VX-02" not in [one.ref for one in diagnosis_of(tmp_path / name, text).findings], name


def test_states_of_nodes_are_shown_as_printed(tmp_path: Path) -> None:
    text = (
        "# hastatus -sum\n\n-- SYSTEM STATE\n-- System               State                Frozen\n\n"
        "A  wolf1                STALE_ADMIN_WAIT     0\nA  wolf2                EXITED               0\n"
        "A  wolf3                RUNNING              0\n"
    )
    [finding] = [one for one in diagnosis_of(tmp_path, text).findings if one.ref == "VX-02"]
    assert "wolf1: STALE_ADMIN_WAIT" in finding.explanation
    assert "wolf2: EXITED" in finding.explanation
    assert "wolf3" not in finding.explanation


def test_a_node_without_a_name_is_no_node(tmp_path: Path) -> None:
    text = "# vxclustadm -v nodestate\nstate: out of cluster\nreason: Cannot find disk on slave node\n"
    diagnosis = diagnosis_of(tmp_path, text)
    assert diagnosis.nodes == ()
    assert {node for one in diagnosis.findings for node in one.nodes} == set()
    assert "out of the cluster" in diagnosis.findings[0].title
