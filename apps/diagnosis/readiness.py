"""What reading and judging look into, made before the first text comes: modules that are imported late elsewhere, and
tables of knowledge.
"""

from __future__ import annotations

from apps.diagnosis.engine.core.verdicts.checks import check_texts
from apps.diagnosis.engine.core.words.knowledge import rows_of, tuning_texts
from apps.diagnosis.engine.products import PRODUCTS, rules
from parsers.lookup import claimed
from parsers.messages.catalogue import catalogue


def import_all() -> None:
    """Some seconds of a core."""
    claimed("a line")
    rules()
    catalogue()
    tuning_texts()
    for kind in ("states", "looks", "phrases", "thresholds", "parts", "sentences"):
        rows_of(kind)
    check_texts()
    for product in PRODUCTS:
        product.wait_kinds()
