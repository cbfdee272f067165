"""What GFS2 and the Linux cluster stack add to a diagnosis."""

from __future__ import annotations

from itertools import chain

from apps.diagnosis.engine.core.facts.case import Product
from apps.diagnosis.engine.gfs2 import page_locks
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.harm import harm
from apps.diagnosis.engine.gfs2.plocks import PosixLocks
from apps.diagnosis.engine.gfs2.rows import (
    blocked_rows,
    dlm_rows,
    dump_frames,
    lock_rows,
    span_parts,
    span_rows,
    waiter_rows,
)
from apps.diagnosis.engine.gfs2.steps import missing, next_steps
from apps.diagnosis.engine.gfs2.taxonomy import Taxonomy
from apps.diagnosis.engine.gfs2.waits import WaitEnds, cycles, edges, kinds

GFS2 = Product(
    name="gfs2",
    rules="apps.diagnosis.engine.gfs2.rules",
    wait_kinds=lambda: Taxonomy.load().kinds.values(),
    kinds=lambda case: kinds(case.get(GlockFacts)),
    edges=lambda case: edges(case.get(GlockFacts), case.get(PosixLocks)),
    roots=lambda case: case.get(WaitEnds).roots,
    cycles=lambda case: cycles(case.get(GlockFacts)),
    harm=harm,
    missing=missing,
    next_steps=next_steps,
    rows={
        "waiters": lambda case, report: chain(waiter_rows(case, report), blocked_rows(case, report)),
        "spans": span_rows,
        "locks": lambda case, report: chain(lock_rows(case, report), dlm_rows(case, report)),
    },
    span_parts=span_parts,
    dump_frames=dump_frames,
    tables={
        "objects": page_locks.objects,
        "captures": page_locks.captures,
        "holders": page_locks.holders,
        "lock-types": page_locks.lock_types,
        "flows": page_locks.flows,
    },
)
