"""What hosts and storage add to a diagnosis."""

from __future__ import annotations

from apps.diagnosis.engine.core.facts.case import Product
from apps.diagnosis.engine.storage import steps
from apps.diagnosis.engine.storage.harm import harm
from apps.diagnosis.engine.storage.io_view import io_view

STORAGE = Product(
    name="storage",
    rules="apps.diagnosis.engine.storage.rules",
    harm=harm,
    missing=lambda case, _: steps.missing(case),
    next_steps=lambda case, judged: steps.next_steps(case, judged.findings),
    tables={"io": io_view},
)
