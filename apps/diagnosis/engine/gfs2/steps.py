"""GFS2: what to look at next, and which dumps and tables are missing."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case, Judged
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep, Root
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.core.words.steps import lacking, step
from apps.diagnosis.engine.core.words.wording import node_words
from apps.diagnosis.engine.gfs2.cluster import Cluster
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.waits import WaitEnds, doing

MOST = 3
STEP_OF: Final = {
    "RC-01": "cluster-recovery",
    "RC-02": "cluster-stands",
    "RC-03": "gfs2-withdrawn",
    "RC-04": "lvm-lock",
    "RC-05": "fence-storage",
    "RC-06": "fence-device",
    **dict.fromkeys(("NW-04", "NW-11", "NW-12", "NW-13", "NW-14", "NW-15", "NW-16", "NW-17"), "cluster-membership"),
    "GL-04": "gfs2-room",
    "GL-12": "gfs2-freeze",
    "GL-13": "gfs2-memory",
    "GL-14": "gfs2-tasks",
    "GL-17": "gfs2-blocked",
    "GL-18": "gfs2-manager",
    "PL-04": "plock-holder",
    "MT-05": "gfs2-mounts",
    **dict.fromkeys(("GL-01", "GL-02", "GL-03", "GL-07", "GL-08", "GL-11"), "gfs2-queue"),
    **dict.fromkeys(("GL-09", "GL-15", "GL-16"), "gfs2-users"),
    **dict.fromkeys(("GL-10", "DH-01", "DH-02"), "dlm-hashes"),
    "ST-07": "gfs2-log",
    "MT-03": "gfs2-mounts",
    "FR-01": "gfs2-pieces",
    **dict.fromkeys(("NW-01", "NW-02", "NW-09", "NW-10"), "dlm-network"),
    **dict.fromkeys(("NW-03", "NW-05", "NW-06", "NW-07", "NW-08"), "totem-host"),
    **dict.fromkeys(("PL-01", "PL-02", "PL-03"), "plock-users"),
    **dict.fromkeys(("WL-01", "WL-02", "WL-03"), "gfs2-walkers"),
    "WL-05": "gfs2-threads",
}
"""The step of each rule whose findings may weigh medium or more; GL-05 has its own."""
OF_HOLDERS: Final = tuple(ref for ref, key in STEP_OF.items() if key == "gfs2-queue")
OLDER: Final = {"cluster-stands": "cluster-stands-cman", "cluster-membership": "cluster-membership-cman"}
"""Of clusters under CMAN, where the tools of Corosync and Pacemaker answer nothing."""
_OF_CMAN: Final = frozenset(("cman_status", "cman_nodes", "clustat", "fence_domain", "fenced_dump", "cluster_groups"))
_OF_PACEMAKER: Final = frozenset(("pacemaker_status", "pacemaker_xml", "corosync_quorum", "knet_links"))
UNNAMED: Final = phrase("gfs2-ends.unnamed")


def missing(case: Case, judged: Judged) -> Iterator[Missing]:
    """Dumps that would show who holds a glock, and what would decide on the lock manager's tables."""
    yield from _holders(case.get(GlockFacts), judged.roots)
    if any(
        finding.ref == "DH-01" for finding in judged.findings
    ):  # a profile alone does not tell how long the chains are
        cluster = case.get(Cluster)
        if not cluster.values(("rsbtbl_size",)) or not cluster.kernels:
            yield lacking("gfs2-lock-tables")


def _holders(glocks: GlockFacts, roots: tuple[Root, ...]) -> Iterator[Missing]:
    unseen = [root for root in roots if root.kind == "lock" and root.leaves_data] if glocks.any else []
    spaces = sorted({(fs or "").rsplit(":", 1)[-1] for _, fs in glocks.captures if fs})
    tables = tuple(f"dlm_tool lockdebug {shlex.quote(space)}" for space in spaces[:MOST])
    for root in unseen[:MOST]:
        yield lacking("gfs2-holder", glock=root.what, waits=root.waiters, more=tables)


def next_steps(case: Case, judged: Judged) -> Iterator[NextStep]:
    """What to look at in the cluster, on the node that holds, and how to find the inode of the worst glock by name."""
    if any(finding.ref == "GL-05" for finding in judged.findings):
        yield step("gfs2-deadlock", about=("GL-05",))
    yield from _of_holders(case, judged.roots)
    for key, finding in _of_cluster(judged.findings):
        where = node_words(finding.nodes) if any(finding.nodes) else UNNAMED
        about = tuple(ref for ref, own in STEP_OF.items() if own == key)
        yield step(OLDER.get(key, key) if _is_older(case.get(Facts)) else key, about=about, where=where)
    glocks = case.get(GlockFacts)
    if any(finding.ref in ("GL-01", "GL-11") for finding in judged.findings) and glocks.contentions:
        worst = glocks.contentions[0]
        yield step("gfs2-inode", about=("GL-01", "GL-11"), glock=worst.glock, inode=worst.inode)


def _of_holders(case: Case, roots: tuple[Root, ...]) -> Iterator[NextStep]:
    """What the processes do that hold the glocks most wait for, where no stack shows it."""
    if not case.get(GlockFacts).any:
        return
    threads = [(root, pid) for root in roots if root.kind == "thread" and root.node and (pid := _pid(root)) is not None]
    shown = {(task.node, task.pid) for task in case.get(Cluster).tasks if task.frames}
    for root, pid in threads[:MOST]:
        if (root.node, pid) in shown:  # its stack is here and says what it does
            continue
        entry = case.get(WaitEnds).process(root)
        does = doing(entry) if entry else root.why
        yield step("gfs2-process", about=OF_HOLDERS, pid=pid, node=root.node, doing=does)


def _is_older(facts: Facts) -> bool:
    """Whether what the cluster's own tools print is that of CMAN alone."""
    shown = {one.name for one in facts.formats}
    return bool(shown & _OF_CMAN) and not shown & _OF_PACEMAKER


def _of_cluster(findings: Sequence[Finding]) -> Iterator[tuple[str, Finding]]:
    """Steps for a cluster that stands still or changed its members, each once."""
    found: dict[str, Finding] = {}
    for finding in findings:
        key = STEP_OF.get(finding.ref)
        if key and finding.severity not in ("info", "low"):
            found.setdefault(key, finding)
    yield from found.items()


def _pid(root: Root) -> int | None:
    pid = root.what.rsplit(":", 1)[-1]
    return int(pid) if pid.isdigit() and int(pid) > 0 else None
