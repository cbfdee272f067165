"""Rule on a text that contradicts itself or the data in it, always of severity info.

It rests on two typed quantities that exclude each other, or on a claim against a record; and it finds nothing where no
record of the case shows a product. A claim never outweighs a measurement.
"""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.facts.claims import Claims
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.gfs2.disputes import Disputes
from apps.diagnosis.engine.gfs2.glocks import GlockFacts
from apps.diagnosis.engine.gfs2.profiles import Profiles
from apps.diagnosis.engine.prose.presence import ProductShown
from apps.diagnosis.engine.prose.rules.dump_disputes import ViewWords, lock_views, node_views
from apps.diagnosis.engine.prose.rules.stated_figures import (
    FrameWords,
    HeadingWords,
    RecordWords,
    RemarkWords,
    ShareWords,
    labels_against_counters,
    packets_too_small,
    remarks_against_rows,
    share_of_what,
    values_against_records,
)
from apps.diagnosis.engine.veritas.lock_samples import LockRoles


@rule(
    "CONTRADICTION",
    needs=(ProductShown, GlockFacts, Disputes, LockRoles, Claims, Records, Profiles),
    words=(ViewWords, HeadingWords, FrameWords, RemarkWords, ShareWords, RecordWords),
)
def contradiction(
    product: ProductShown,
    glocks: GlockFacts,
    disputes: Disputes,
    roles: LockRoles,
    claims: Claims,
    records: Records,
    profiles: Profiles,
    limits: Limits,
) -> Iterator[Seen]:
    """Symptom: a sentence says what the data beside it, another figure of the same sentence, or another dump excludes.

    Reasoning: data wins over what people state, which is shown with it; of two dumps none is taken for the truth.
    Source: the text itself.
    """
    if product.any:
        yield from lock_views(glocks)
        yield from node_views(disputes)
        yield from labels_against_counters(roles)
        yield from packets_too_small(claims, limits)
        yield from remarks_against_rows(claims, records, limits)
        yield from share_of_what(claims, profiles)
        yield from values_against_records(claims, records)
