"""What IBM Storage Scale adds to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.facts.case import Product
from apps.diagnosis.engine.scale.clock_pairs import clock_pairs
from apps.diagnosis.engine.scale.harm import harm
from apps.diagnosis.engine.scale.missing import missing
from apps.diagnosis.engine.scale.rows import span_rows, waiter_rows
from apps.diagnosis.engine.scale.steps import next_steps
from apps.diagnosis.engine.scale.taxonomy import Taxonomy
from apps.diagnosis.engine.scale.waits import ScaleWaits

SCALE = Product(
    name="spectrum-scale",
    rules="apps.diagnosis.engine.scale.rules",
    wait_kinds=lambda: Taxonomy.load().kinds.values(),
    kinds=lambda case: case.get(ScaleWaits).kinds,
    edges=lambda case: case.get(ScaleWaits).edges,
    roots=lambda case: case.get(ScaleWaits).roots,
    cycles=lambda case: case.get(ScaleWaits).cycles,
    clock_pairs=clock_pairs,
    harm=harm,
    missing=lambda case, judged: missing(case, judged.roots),
    next_steps=lambda case, judged: next_steps(case, judged.findings),
    rows={"waiters": waiter_rows, "spans": span_rows},
    span_parts=lambda case: case.get(ScaleWaits).span_parts(),
    dump_frames=lambda case: case.get(ScaleWaits).dump_frames(),
)
