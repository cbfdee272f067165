"""What Veritas VxFS and CFS add to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.case import Product
from apps.diagnosis.engine.veritas import cfs_steps, cluster_steps, glm_waits, vxfs_steps
from apps.diagnosis.engine.veritas.clock_pairs import lock_pairs
from apps.diagnosis.engine.veritas.shown_harm import harm
from apps.diagnosis.engine.veritas.vxfs_release import knows

VERITAS = Product(
    name="veritas",
    rules="apps.diagnosis.engine.veritas.rules",
    edges=lambda case: case.glm_waits.edges(),
    roots=lambda case: case.glm_waits.roots(),
    cycles=lambda case: case.glm_waits.circles,
    lock_roles=lambda case: case.lock_roles,
    clock_pairs=lambda case: lock_pairs(case.lock_roles),
    harm=harm,
    knows=knows,
    missing=lambda case, judged: (*cfs_steps.missing(case), *cluster_steps.missing(case), *vxfs_steps.missing(case, judged.findings)),
    next_steps=lambda case, judged: (
        *cfs_steps.next_steps(case, judged.findings),
        *cluster_steps.next_steps(case, judged.findings),
        *vxfs_steps.next_steps(case, judged.findings),
    ),
    rows={"locks": glm_waits.lock_rows},
)
