"""What Veritas VxFS and CFS add to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.facts.case import Product
from apps.diagnosis.engine.veritas import cfs_steps, cluster_steps, page_locks, vxfs_steps
from apps.diagnosis.engine.veritas.clock_pairs import lock_pairs
from apps.diagnosis.engine.veritas.glm_waits import GlmWaits, lock_rows
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from apps.diagnosis.engine.veritas.shown_harm import harm
from apps.diagnosis.engine.veritas.vxfs_release import Releases

VERITAS = Product(
    name="veritas",
    rules="apps.diagnosis.engine.veritas.rules",
    edges=lambda case: case.get(GlmWaits).edges(),
    roots=lambda case: case.get(GlmWaits).roots(),
    cycles=lambda case: case.get(GlmWaits).circles,
    lock_roles=lambda case: case.get(LockRoles).all,
    clock_pairs=lambda case: lock_pairs(case.get(LockRoles).all),
    harm=harm,
    knows=lambda case, tuning: case.get(Releases).knows(tuning),
    missing=lambda case, judged: (
        *cfs_steps.missing(case),
        *cluster_steps.missing(case),
        *vxfs_steps.missing(case, judged.findings),
    ),
    next_steps=lambda case, judged: (
        *cfs_steps.next_steps(case, judged.findings),
        *cluster_steps.next_steps(case, judged.findings),
        *vxfs_steps.next_steps(case, judged.findings),
    ),
    rows={"locks": lock_rows},
    tables={
        "objects": page_locks.objects,
        "flows": page_locks.flows,
        "locks": page_locks.samples,
        "links": page_locks.links,
    },
)
