"""Whether a note has anything to rest on: a record of a cluster product, not what people write about it."""

from __future__ import annotations

from functools import cached_property
from typing import Final

from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.products import records_by_product
from apps.diagnosis.engine.gfs2.presence import Presence

_ON_ANY_HOST: Final = frozenset(("storage",))
"""Products that show no cluster."""


class ProductShown:
    """Cluster products in one case."""

    def __init__(self, store: Facts, gfs2: Presence) -> None:
        self._store = store
        self._gfs2 = gfs2

    @cached_property
    def any(self) -> bool:
        """Records of a format of Spectrum Scale, Veritas or GFS2."""
        return bool(set(records_by_product(self._store)) - _ON_ANY_HOST) or self._gfs2.shown
