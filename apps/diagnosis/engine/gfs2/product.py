"""What GFS2 and the Linux cluster stack add to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.case import Product
from apps.diagnosis.engine.gfs2 import waits
from apps.diagnosis.engine.gfs2.harm import harm

GFS2 = Product(
    name="gfs2",
    rules="apps.diagnosis.engine.gfs2.rules",
    kinds=waits.kinds,
    edges=waits.edges,
    roots=waits.roots,
    cycles=waits.cycles,
    harm=harm,
    missing=lambda case, judged: waits.missing(case, judged.roots, judged.findings),
    next_steps=lambda case, judged: waits.next_steps(case, judged.findings, judged.roots),
    rows={"waiters": waits.waiter_rows, "spans": waits.span_rows, "locks": waits.lock_rows},
    span_frames=lambda case: iter((waits.spans_frame(case),)),
    dump_frames=lambda case: iter((waits.dump_rows(case),)),
)
