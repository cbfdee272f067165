"""Listings of the cluster's own tools: what they show as wrong is a finding, and their healthy twins are silent."""

from __future__ import annotations

from typing import Any

import pytest

from tests.diagnosis.test_alarms import report

RINGS = """[root@{host} ~]# corosync-cfgtool -s
Printing ring status.
Local node ID 2
RING ID 0
	id	= 192.0.2.12
	status	= {state}
"""
LINKS = """[root@{host} ~]# corosync-cfgtool -s
Local node ID 1, transport knet
LINK ID 0 udp
        addr    = 192.0.2.11
        status:
                nodeid:          1:     localhost
                nodeid:          2:     {state}
"""
CLUSTAT = """[root@{host} ~]# clustat
Cluster Status for pond @ Tue Mar  4 03:12:10 2031
Member Status: {quorum}

 Member Name                             ID   Status
 ------ ----                             ---- ------
 {host}                                     1 Online, Local, rgmanager
 smelt                                      2 {state}

 Service Name                   Owner (Last)                   State
 ------- ----                   ----- ------                   -----
 service:mail                   ({host})                        {service}
"""
PROPERTY = """[root@{host} ~]# pcs property
Cluster Properties: cib-bootstrap-options
  no-quorum-policy=freeze
  stonith-enabled={state}
"""
DEVICE = """[root@{host} ~]# pcs status
Cluster name: pond
Full List of Resources:
  * roach_ipmi\t(stonith:fence_ipmilan):\t {state}
"""
ALONE = "[root@{host} ~]# pcs stonith status\n  * roach_ipmi\t(stonith:fence_ipmilan):\t {state}\n"
SICK: list[tuple[str, tuple[str, ...]]] = [
    (RINGS.format(host="gudgeon", state="Marking ringid 0 interface 192.0.2.12 FAULTY"), ("link 0", "gudgeon")),
    (LINKS.format(host="gudgeon", state="disconnected"), ("link 0 to node 2", "gudgeon")),
    (CLUSTAT.format(host="gudgeon", quorum="Inquorate", state="Offline", service="stopped"), ("quorum",)),
    (CLUSTAT.format(host="gudgeon", quorum="Quorate", state="Offline", service="started"), ("smelt",)),
    (CLUSTAT.format(host="gudgeon", quorum="Quorate", state="Online", service="failed"), ("service:mail",)),
    (PROPERTY.format(host="gudgeon", state="false"), ("Fencing", "off")),
    (DEVICE.format(host="gudgeon", state="Stopped"), ("roach_ipmi",)),
    (ALONE.format(host="gudgeon", state="Stopped"), ("roach_ipmi",)),
]
CALM = [
    RINGS.format(host="gudgeon", state="ring 0 active with no faults"),
    LINKS.format(host="gudgeon", state="connected"),
    CLUSTAT.format(host="gudgeon", quorum="Quorate", state="Online, rgmanager", service="started"),
    PROPERTY.format(host="gudgeon", state="true"),
    DEVICE.format(host="gudgeon", state="Started gudgeon"),
    ALONE.format(host="gudgeon", state="Started gudgeon"),
]


@pytest.mark.parametrize(("text", "words"), SICK)
def test_what_a_listing_shows_as_wrong_is_a_finding(text: str, words: tuple[str, ...]) -> None:
    found: dict[str, Any] = report(text)
    assert found["verdict"]["severity"] in ("medium", "high", "critical")
    titles = " ".join([found["verdict"]["title"], *(one["title"] for one in found["findings"])])
    assert all(word in titles for word in words), titles
    assert found["inputs"][0]["lines"]["not_understood"] == 0
    assert "gudgeon" in {node["name"] for node in found["nodes"]}


@pytest.mark.parametrize("text", CALM)
def test_a_healthy_listing_is_silent(text: str) -> None:
    found = report(text)
    assert found["findings"] == []
    assert found["inputs"][0]["lines"]["not_understood"] == 0


PCS = """[root@rowan1 ~]# pcs status
Cluster name: grove
Node List:
  * Online: [ rowan1 rowan2 ]
{nodes}
Full List of Resources:
  * Clone Set: locking-clone [locking]:
    * Started: [ rowan1 rowan2 ]
  * fence-a	(stonith:fence_ipmilan):	 Started rowan2
  * web	(ocf:heartbeat:apache):	 {web}
{more}
"""


@pytest.mark.parametrize(
    ("nodes", "web", "more", "title"),
    [
        ("", "FAILED rowan2 (blocked)", "", "Resource web on rowan2: FAILED (blocked)"),
        ("", "FAILED Promoted rowan2", "", "Resource web on rowan2: FAILED Promoted"),
        ("", "ORPHANED FAILED rowan1 (disabled)", "", "Resource web on rowan1: ORPHANED FAILED (disabled)"),
        ("", "Started (blocked) [ rowan1 rowan2 ]", "", "resource web on rowan2: Started (blocked)"),
        ("", "Stopped", "", "Resource web: Stopped"),
        ("  * RemoteOFFLINE: [ far1 ]\n", "Started rowan1", "", "Node far1: offline"),
        ("  * GuestNode box-0: UNCLEAN (offline)\n", "Started rowan1", "", "Fencing of box-0"),
        ("", "Started rowan1", "  * Clone Set: pool-clone [pool]:\n    * Stopped: [ rowan2 ]\n",
         "Resource pool-clone on rowan2: Stopped"),
    ],
)  # fmt: skip
def test_what_pacemaker_does_not_run_as_it_ought_to_is_named(nodes: str, web: str, more: str, title: str) -> None:
    result = report(PCS.format(nodes=nodes, web=web, more=more))
    titles = [finding["title"] for finding in result["findings"]]
    assert any(title in one for one in titles), titles
    assert {node["name"] for node in result["nodes"]} <= {"rowan1", "rowan2", "far1", "box-0"}


@pytest.mark.parametrize(
    ("nodes", "web", "more"),
    [
        ("", "Started rowan1", ""),
        ("", "Promoted rowan1 (Monitoring)", ""),
        ("", "Stopped (disabled)", ""),
        ("", "Stopped (unmanaged)", ""),
        (
            "  * Node rowan3: standby\n",
            "Started rowan1",
            "  * Clone Set: pool-clone [pool]:\n    * Stopped: [ rowan3 ]\n",
        ),
        ("", "Migrating rowan1", ""),
    ],
)
def test_what_pacemaker_runs_or_was_put_aside_raises_no_alarm(nodes: str, web: str, more: str) -> None:
    result = report(PCS.format(nodes=nodes, web=web, more=more))
    assert [one["title"] for one in result["findings"] if one["severity"] not in ("info", "low")] == []


def test_the_next_look_is_with_the_tool_that_showed_it() -> None:
    result = report(PCS.format(nodes="", web="FAILED rowan2", more=""))
    commands = [command for step in result["next_steps"] for command in step["commands"]]
    assert "pcs status --full" in commands
    assert "hastatus -sum" not in commands
