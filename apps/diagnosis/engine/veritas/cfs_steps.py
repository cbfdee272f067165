"""What to ask for and what to do next where nodes of a cluster file system take inodes from each other."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from apps.diagnosis.engine.core.knowledge import limits
from apps.diagnosis.engine.core.model import Finding, Missing, NextStep
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts
from apps.diagnosis.engine.veritas.lock_samples import LazyStates

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

TAKES: Final = ("puller", "ping_pong")
SHARED_TREE: Final = frozenset(("R4", "R5", "R6", "R7"))


def missing(case: CaseFacts) -> Iterator[Missing]:
    """The other side of a pull, and the state of lazy_isize_enable, where the files show neither."""
    for mount in case.get(Mounts).all:
        takers = [role for role in mount.roles if role.role in TAKES]
        if not takers:
            continue
        place = shlex.quote(mount.scope) if mount.scope else "MOUNT"
        if not any(_both_sides(mount)):
            yield Missing(
                what=f"lock samples of {mount.name} on the other nodes, at the same time",
                why="inodes are pulled here, and no file shows from whom",
                node=None,
                commands=(f"vxfsstat -s -t 10 {place}",),
            )
        if not case.get(LazyStates).of(mount.scope):
            yield Missing(
                what=f"lazy_isize_enable of {mount.name}",
                why="whether g locks have to move, and whether this release knows the parameter, is not shown",
                node=None,
                commands=(f"vxtunefs {place} | grep lazy_isize", "rpm -q VRTSvxfs"),
            )


def _both_sides(mount: Mount) -> Iterator[bool]:
    """For each sample that pulls, whether another node's sample of that moment is in the files."""
    within_s = limits("R5").pair_s
    return (bool(mount.near(role, within_s)) for role in mount.roles if role.role in TAKES)


def next_steps(case: CaseFacts, findings: Sequence[Finding]) -> Iterator[NextStep]:
    """Find the jobs that walk the tree: only keeping them on one node ends the pulls."""
    if not any(finding.ref in SHARED_TREE for finding in findings):
        return
    for mount in case.get(Mounts).all:
        nodes = sorted({role.node for role in mount.roles if role.role in TAKES and role.node})
        if any(role.role in TAKES for role in mount.roles):
            where = f" on {' and '.join(nodes)}" if nodes else ""
            place = shlex.quote(mount.scope) if mount.scope else "MOUNT"
            yield NextStep(
                why=f"See which jobs walk {mount.name}{where}, and let one node walk each tree.",
                commands=(f"fuser -vm {place}", "ps -eo pid,ppid,user,lstart,args --sort=lstart"),
            )
