"""What to ask for and what to do next where nodes of a cluster file system take inodes from each other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.core.words.knowledge import limits
from apps.diagnosis.engine.core.words.steps import lacking, step
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts
from apps.diagnosis.engine.veritas.lock_samples import LazyStates

TAKES: Final = ("puller", "ping_pong")
SHARED_TREE: Final = frozenset(("R4", "R5", "R6", "R7"))


def missing(case: Case) -> Iterator[Missing]:
    """The other side of a pull, and the state of lazy_isize_enable, where the files show neither."""
    for mount in case.get(Mounts).all:
        takers = [role for role in mount.roles if role.role in TAKES]
        if not takers:
            continue
        if not any(_both_sides(mount)):
            yield lacking("cfs-other-side", mount=mount.name, scope=mount.scope or None)
        if not case.get(LazyStates).of(mount.scope):
            yield lacking("cfs-lazy-isize", mount=mount.name, scope=mount.scope or None)


def _both_sides(mount: Mount) -> Iterator[bool]:
    """For each sample that pulls, whether another node's sample of that moment is in the files."""
    within_s = limits("R5").pair_s
    return (bool(mount.near(role, within_s)) for role in mount.roles if role.role in TAKES)


def next_steps(case: Case, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """Find the jobs that walk the tree: only keeping them on one node ends the pulls."""
    if not any(finding.ref in SHARED_TREE for finding in findings):
        return
    for mount in case.get(Mounts).all:
        takers = [role for role in mount.roles if role.role in TAKES]
        nodes = nodes_in(takers)
        if nodes:
            yield step("cfs-walkers-on", about=SHARED_TREE, mount=mount.name, scope=mount.scope or None, nodes=nodes)
        elif takers:
            yield step("cfs-walkers", about=SHARED_TREE, mount=mount.name, scope=mount.scope or None)
