"""Three sample cases with a known answer, generated again from a fixed seed."""

from __future__ import annotations

from apps.ingest.samples.cfs_ping_pong import SAMPLE as CFS
from apps.ingest.samples.gfs2_backup import SAMPLE as GFS2
from apps.ingest.samples.known_answer import KnownAnswer, Phase, Root, Sample
from apps.ingest.samples.scale_hang import SAMPLE as SCALE

SAMPLES: tuple[Sample, ...] = (SCALE, CFS, GFS2)

__all__ = ["SAMPLES", "KnownAnswer", "Phase", "Root", "Sample"]
