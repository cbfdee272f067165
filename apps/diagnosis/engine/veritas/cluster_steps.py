"""What to ask for and what to do next where the interconnect, GAB, logs or hosts of a slow Veritas cluster are not
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from apps.diagnosis.engine.core.case import Case
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.core.records import Records
from apps.diagnosis.engine.core.steps import lacking, step
from apps.diagnosis.engine.veritas.cluster import GAB_FLOW, LOAD, ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from apps.diagnosis.engine.veritas.llt_facts import CONFIGURATION, COUNTERS, FLOW_CONTROL, INTERFACES, tails
from parsers.records import ClusterMember


def missing(case: Case) -> Iterator[Missing]:
    """Causes that the files neither show nor rule out, where nodes of a cluster were slowed."""
    cluster = case.get(ClusterFacts)
    if not cluster.applies or not (cluster.storms or cluster.glm):
        return
    for key, shown in _shown(cluster).items():
        if absent := [name for name, is_shown in shown.items() if not is_shown]:
            yield lacking(key, parts=absent)
    if not any(row["message"] for row in cluster.events):
        yield lacking("veritas-logs")
    if not cluster.captures(LOAD):
        yield lacking("veritas-load")


def _shown(cluster: ClusterFacts) -> Mapping[str, Mapping[str, object]]:
    """What the files show of the cluster, true where they do, by the parts of what is missing otherwise."""
    return {
        "llt-interconnect": {
            "links": cluster.links,
            "counters": cluster.captures(COUNTERS),
            "tails": any(tail.is_difference for tail in tails(cluster)),
            "flow_control": cluster.set_as(FLOW_CONTROL),
        },
        "gab-membership": {
            "ports": cluster.ports,
            "flow_control": cluster.captures(GAB_FLOW),
            "masters": cluster.masters,
        },
        "llt-private-links": {
            "configuration": cluster.set_as(CONFIGURATION),
            "interfaces": cluster.captures(INTERFACES),
        },
    }


def next_steps(case: Case, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """The inode behind a stuck lock, the adapter behind lost packets, lost links, and why a node left."""
    refs = {finding.ref for finding in findings}
    if "R23" in refs:
        yield from _stuck(case.get(GlmWaits))
    if refs & {"R11", "R14"}:
        yield step("llt-packets")
    if refs & {"R15", "R17"}:
        yield step("llt-lost-link")
    if "VX-04" in refs:
        yield step("vxfen-modes")
    if "VX-03" in refs:
        yield step("vxfs-blocked")
    if "VX-02" in refs:
        out = [one for one in case.get(Records).of(ClusterMember) if one.layer == "volumes" and one.standing == "down"]
        yield step("cvm-disks" if any(" disk" in (one.state or "") for one in out) else "vcs-logs")


def _stuck(waits: GlmWaits) -> Iterator[NextStep]:
    locks = [lock for lock in waits.locks if lock.inode]
    if locks:
        worst = max(locks, key=lambda lock: (waits.seconds(lock), lock.waits))
        if worst.holding:
            yield step("glm-stuck-held", inode=worst.inode, node=worst.holding[0])
        else:
            yield step("glm-stuck", inode=worst.inode)
