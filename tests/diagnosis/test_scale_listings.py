"""Listings of Spectrum Scale as people paste them, each beside a twin in order."""

from __future__ import annotations

import pytest

from tests.diagnosis.test_scale_pasted import judged, severity_of, title_of

STATES = """# mmgetstate -aLs

 Node number  Node name       Quorum  Nodes up  Total nodes  GPFS state    Remarks
-------------------------------------------------------------------------------------
       1      oven1              {up}        {up}          3       {state}        quorum node
       2      oven2              {up}        {up}          3       {state}        quorum node

 Summary information
---------------------
Number of quorum nodes active in the cluster:      {up}
Quorum = 2, Quorum {word}achieved
"""


def test_a_lost_quorum_of_the_daemon_is_critical_and_no_matter_of_fencing() -> None:
    lost = judged(STATES.format(up=0, state="arbitrating", word="not "))
    assert severity_of(lost) == "critical"
    assert "quorum" in title_of(lost).lower()
    assert lost["products"] == ["spectrum-scale"]
    held = judged(STATES.format(up=3, state="active", word=""))
    assert severity_of(held) == "info"


HEALTH = """mmhealth cluster show

Component     Total         Failed       Degraded        Healthy          Other
-------------------------------------------------------------------------------
NODE             24              {0}              0             {1}              0
DISK             48              0              0             48              0
"""


def test_a_command_typed_above_a_blank_line_is_the_command_of_what_follows() -> None:
    fine = judged(HEALTH.format(0, 24))
    assert fine["verdict"]["form"] == "healthy", title_of(fine)
    assert severity_of(judged(HEALTH.format(2, 22))) == "high"


WAIT = (
    "Waiting 58.2293 sec since 11:00:04, monitored, thread 3342 FooThread: on ThCond 0x2 (RevokeCondvar), reason 'x'\n"
)


@pytest.mark.parametrize(
    "heading", ["Server list:", "Node status:", "Host names:", "=== node list ===", "Server role:"]
)
def test_a_word_of_a_tool_behind_server_or_node_is_no_node(heading: str) -> None:
    analysis = judged(f" {heading}\n   10.2.0.11\n=== mmdiag: waiters ===\n{WAIT}")
    assert [node["name"] for node in analysis["nodes"]] in ([], ["10.2.0.11"])
    named = judged(f"=== node larch ===\n=== mmdiag: waiters ===\n{WAIT}")
    assert [node["name"] for node in named["nodes"]] == ["larch"]
