"""What to ask for and what to do next where the interconnect, GAB, logs or hosts of a slow Veritas cluster are not shown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.veritas.cluster import GAB_FLOW, LOAD, ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from apps.diagnosis.engine.veritas.llt_facts import CONFIGURATION, COUNTERS, FLOW_CONTROL, INTERFACES, tails

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts
    from apps.diagnosis.engine.veritas.cluster import ClusterFacts


def missing(case: CaseFacts) -> Iterator[Missing]:
    """Causes that the files neither show nor rule out, where nodes of a cluster were slowed."""
    cluster = case.get(ClusterFacts)
    if not cluster.applies or not (cluster.storms or cluster.glm):
        return
    for what, why, commands in (_interconnect(cluster), _ports(cluster), _configuration(cluster), _logs(cluster), _load(cluster)):
        if commands:
            yield Missing(what=what, why=why, node=None, commands=tuple(commands))


Ask = tuple[str, str, list[str]]


def _interconnect(cluster: ClusterFacts) -> Ask:
    commands = [] if cluster.links else ["lltstat -nvv active"]
    commands += [] if cluster.captures(COUNTERS) else ["lltstat (twice, 60 s apart)"]
    commands += [] if any(tail.is_difference for tail in tails(cluster)) else ["/opt/VRTSllt/lltshow -p 5 (twice during the slow command)"]
    commands += [] if cluster.set_as(FLOW_CONTROL) else ["lltconfig -F query"]
    why = "links that are down, packets sent again and late packets are not shown; to exclude them collect these on all nodes"
    return "state and latency of the interconnect", why, commands


def _ports(cluster: ClusterFacts) -> Ask:
    commands = [] if cluster.ports else ["gabconfig -a"]
    commands += [] if cluster.captures(GAB_FLOW) else ["/opt/VRTSgab/gabshow.pl -port f flowcontrol (twice)"]
    commands += [] if cluster.masters else ["vxdctl -c mode", "vxclustadm -v nodestate"]
    why = "jeopardy, missing ports, flow control, and a change of the CVM master are not shown; to exclude them collect these on all nodes"
    return "membership of the cluster", why, commands


def _configuration(cluster: ClusterFacts) -> Ask:
    commands = [] if cluster.set_as(CONFIGURATION) else ["cat /etc/llttab /etc/llthosts"]
    commands += [] if cluster.captures(INTERFACES) else ["netstat -i (twice)"]
    why = "which interfaces LLT uses, their MTU and errors are not shown; to exclude a shared or damaged path collect these on all nodes"
    return "the private links", why, commands


def _logs(cluster: ClusterFacts) -> Ask:
    shown = any(row["message"] for row in cluster.events)
    why = "lost heartbeats, a late engine, I/O fencing and lack of memory stand in the logs; to exclude them collect these of all nodes"
    return "logs of the slow time", why, [] if shown else ["/var/log/messages", "/var/VRTSvcs/log/engine_A.log"]


def _load(cluster: ClusterFacts) -> Ask:
    why = "a starved node delays the locks of the healthy ones; to exclude it collect these on ALL nodes during the slow command"
    return "processor and memory load", why, [] if cluster.captures(LOAD) else ["vmstat 5 12", "mpstat -P ALL 5 12"]


def next_steps(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """The inode behind a stuck lock, the adapter behind lost packets, the links behind a jeopardy."""
    refs = {finding.ref for finding in findings}
    if "R23" in refs:
        yield from _stuck(case)
    if refs & {"R11", "R14"}:
        yield NextStep(
            "See on both sides of the private links whether packets are lost, and where: twice, some minutes apart.",
            ("ethtool -S IF", "ethtool IF", "netstat -i", "lltstat"),
        )
    if refs & {"R15", "R17"}:
        yield NextStep(
            "Bring the lost link back before anything else: with one link left the loss of it may cost a node.",
            ("lltstat -nvv active", "gabconfig -a", "ethtool IF"),
        )


def _stuck(case: CaseFacts) -> Iterator[NextStep]:
    locks = [lock for lock in case.get(GlmWaits).locks if lock.inode]
    if locks:
        worst = max(locks, key=lambda lock: (case.get(GlmWaits).seconds(lock), lock.waits))
        on = f" On {worst.holding[0]} see which thread holds it." if worst.holding else ""
        yield NextStep(
            f"Take a second dump a minute later, and find the name of inode {worst.inode}.{on}",
            ("glmdump -d 30", f"find MOUNT -xdev -inum {worst.inode}", "echo t > /proc/sysrq-trigger"),
        )
