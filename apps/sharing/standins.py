"""Stand-ins of a case: numbers that are given out once, kept under a keyed hash, and the same on every page and in
every link.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Final

from django.conf import settings

from apps.cases.models import Case
from apps.sharing.models import StandIn

IN_ADVANCE: Final = ("node", "addr", "mac", "disk", "fs", "user")
"""Kinds whose numbers follow the hash, so that they tell nothing of the order of the names."""
MOST_IN_ADVANCE: Final = 20_000
BATCH: Final = 1_000


class StandIns:
    """Hands out stand-ins while a case is masked; ``keep`` writes what is new."""

    def __init__(self, case: Case) -> None:
        self._case = case
        self._key = hmac.new(settings.SECRET_KEY.encode(), f"stand-ins:{case.pk}".encode(), sha256).digest()
        self._numbers: dict[tuple[str, str], int] = {}
        self._next: dict[str, int] = {}
        self._fresh: list[StandIn] = []
        self.used: dict[tuple[str, str], str] = {}
        """What was replaced: (kind, name) and its stand-in. It never leaves the team."""
        for kind, digest, number in StandIn.objects.filter(case=case).values_list("kind", "digest", "number"):
            self._numbers[kind, digest] = number
            self._next[kind] = max(self._next.get(kind, 1), number + 1)

    def prepare(self, known: Mapping[str, tuple[str, str]]) -> None:
        """Give the known names their numbers, in an order that only the key knows."""
        names = sorted({(kind, self._digest(kind, name)) for kind, name in known.values() if kind in IN_ADVANCE})
        for kind, digest in names[:MOST_IN_ADVANCE]:
            self._number(kind, digest)

    def of(self, kind: str, name: str) -> str:
        """``node-3``; the same for every spelling that has one canonical name."""
        folded = name.casefold()
        shown = self.used.get((kind, folded))
        if shown is None:
            shown = self.used[kind, folded] = f"{kind}-{self._number(kind, self._digest(kind, folded))}"
        return shown

    def _digest(self, kind: str, name: str) -> str:
        return hmac.new(self._key, f"{kind}:{name.casefold()}".encode("utf-8", "replace"), sha256).hexdigest()[:32]

    def _number(self, kind: str, digest: str) -> int:
        number = self._numbers.get((kind, digest))
        if number is None:
            number = self._numbers[kind, digest] = self._next.get(kind, 1)
            self._next[kind] = number + 1
            self._fresh.append(StandIn(case=self._case, kind=kind, digest=digest, number=number))
        return number

    def keep(self) -> None:
        """Write the numbers given out since. An IntegrityError says that somebody else did so: begin again."""
        StandIn.objects.bulk_create(self._fresh, batch_size=BATCH)
        self._fresh = []


def counted(used: Iterable[tuple[str, str]]) -> dict[str, int]:
    """How many names of each kind were replaced."""
    counts: dict[str, int] = {}
    for kind, _ in used:
        counts[kind] = counts.get(kind, 0) + 1
    return counts
