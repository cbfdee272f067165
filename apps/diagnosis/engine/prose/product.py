"""What people write about a case: notes on it, and no product."""

from __future__ import annotations

from apps.diagnosis.engine.core.facts.case import Product

PROSE = Product(name="", rules="apps.diagnosis.engine.prose.rules")
