"""What IBM Storage Scale adds to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.case import Product
from apps.diagnosis.engine.scale import missing, waits
from apps.diagnosis.engine.scale.clock_pairs import clock_pairs
from apps.diagnosis.engine.scale.dumps import dump_frames
from apps.diagnosis.engine.scale.harm import harm

SCALE = Product(
    name="spectrum-scale",
    rules="apps.diagnosis.engine.scale.rules",
    kinds=waits.kinds,
    edges=waits.edges,
    roots=waits.roots,
    cycles=waits.cycles,
    clock_pairs=clock_pairs,
    harm=harm,
    missing=lambda case, judged: (*missing.open_ends(judged.roots), *waits.missing(case), *missing.missing(case)),
    next_steps=lambda case, judged: waits.next_steps(case, judged.findings, judged.roots),
    rows={"waiters": waits.waiter_rows, "spans": waits.span_rows},
    span_frames=waits.span_frames,
    dump_frames=dump_frames,
)
