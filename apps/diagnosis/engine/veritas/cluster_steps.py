"""What to ask for and what to do next where the interconnect, GAB, logs or hosts of a slow Veritas cluster are not
shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.events import Events
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.model import SEVERITIES, Finding, Missing, NextStep
from apps.diagnosis.engine.core.words.steps import lacking, step
from apps.diagnosis.engine.veritas.cluster import CRASHES, GAB_FLOW, LOAD, ClusterFacts
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits
from apps.diagnosis.engine.veritas.llt_facts import CONFIGURATION, COUNTERS, FLOW_CONTROL, INTERFACES, tails
from parsers.records.states import ClusterMember, Membership, ServiceState


def missing(case: Case) -> Iterator[Missing]:
    """Causes that the files neither show nor rule out, where nodes of a cluster were slowed."""
    cluster = case.get(ClusterFacts)
    if not cluster.applies or not (cluster.storms or cluster.glm):
        return
    for key, shown in _shown(cluster).items():
        if absent := [name for name, is_shown in shown.items() if not is_shown]:
            yield lacking(key, parts=absent)
    if not any(row.message for row in cluster.events):
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


_STEPS: Final[Mapping[str, str]] = {
    "R9": "llt-delay", "R10": "llt-delay", "R11": "llt-packets", "R13": "llt-delay", "R14": "llt-packets",
    "R15": "llt-lost-link", "R16": "llt-lost-link", "R18": "host-load", "R28": "cfs-writers", "R29": "vxfen-keys",
    "R30": "cvm-master", "R35": "host-load", "R36": "llt-network", "VX-01": "vxfs-disabled",
    "VX-03": "vxfs-blocked", "VX-04": "vxfen-modes", "VX-05": "vxfen-keys", "VX-07": "cvm-disks",
    "VX-08": "two-hosts", "VX-09": "cvm-master", "VX-10": "two-hosts", "VX-12": "vcs-twice",
}  # fmt: skip
"""What to do about what a rule found, where it is always the same."""


def next_steps(case: Case, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """About each finding that weighs, the gravest first."""
    weighty = [one for one in findings if one.severity in ("critical", "high", "medium")]
    for ref in dict.fromkeys(one.ref for one in sorted(weighty, key=lambda one: SEVERITIES.index(one.severity))):
        if ref == "VX-01" and all(one.severity == "medium" for one in weighty if one.ref == ref):
            yield step("vxfs-full", about=(ref,), scope=None)
        elif ref == "R16" and (node := _crashed(case, [one for one in weighty if one.ref == ref])):
            yield step("node-crashed", about=(ref,), node=node)
        elif ref in _STEPS:
            yield step(_STEPS[ref], about=(ref,))
        elif ref == "R23":
            yield from _stuck(case.get(GlmWaits))
        elif ref == "R17":
            yield step("llt-lost-link" if _is_in_jeopardy(case) else "gab-client", about=(ref,))
        elif ref == "VX-02":
            yield step(_of_status(case.get(Records)), about=(ref,))
    if any(one.ref == "VX-02" and one.severity == "low" for one in findings):
        yield step(_of_low_status(case.get(Records)), about=("VX-02",))


def _crashed(case: Case, findings: Sequence[Finding]) -> str | None:
    """The node whose crash all of them are behind."""
    crashed = {line.node for line in case.get(Events).lines(*CRASHES)}
    first = {one.nodes[0] for one in findings if one.nodes}
    return next(iter(first)) if first and first <= crashed else None


def _is_in_jeopardy(case: Case) -> bool:
    return any(one.standing == "jeopardy" for one in case.get(Records).of(Membership)) or any(
        row.kind == "port-jeopardy" for row in case.get(ClusterFacts).events
    )


def _of_low_status(records: Records) -> str:
    """Whether something is under way, or set aside or not mounted without a fault."""
    is_going = any(one.standing == "changing" and one.sort in ("group", "resource") for one in records.of(ServiceState))
    is_going = is_going or any(
        one.standing == "joining" and one.layer == "services" for one in records.of(ClusterMember)
    )
    return "vcs-under-way" if is_going else "vcs-aside"


def _of_status(records: Records) -> str:
    """Whether a node left the cluster of volumes for want of a disk, left the cluster, or a service failed on it."""
    out = [one for one in records.of(ClusterMember) if one.standing == "down"]
    if any(" disk" in (one.state or "") for one in out if one.layer == "volumes"):
        return "cvm-disks"
    return "vcs-logs" if any(one.layer in ("services", "volumes") for one in out) else "vcs-services"


def _stuck(waits: GlmWaits) -> Iterator[NextStep]:
    locks = [lock for lock in waits.locks if lock.inode]
    if locks:
        worst = max(locks, key=lambda lock: (waits.seconds(lock), lock.waits))
        if worst.holding:
            yield step("glm-stuck-held", about=("R23",), inode=worst.inode, node=worst.holding[0])
        else:
            yield step("glm-stuck", about=("R23",), inode=worst.inode)
