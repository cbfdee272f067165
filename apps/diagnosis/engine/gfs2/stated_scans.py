"""Scans of whole trees as people state them: how many files, how long, and how long elsewhere. Claims, never
measurements.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Final

from apps.diagnosis.engine.core.facts.claims import Claims, near, place
from apps.diagnosis.engine.core.model import Ref
from parsers.dataclass import dataclass
from parsers.records import Claim

_SECONDS: Final = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0, "d": 86400.0, "ms": 0.001}
_SCAN: Final = re.compile(r"\b(?P<what>backups?|du|find|ls|rsync|tar|indexer|indexing|scan|walk)\b", re.IGNORECASE)
ELSEWHERE: Final = re.compile(
    r"\b(?P<what>ext[234]|xfs|btrfs|zfs|ufs|ntfs|lock_nolock|nolock|local (?:disk|file ?system))\b", re.IGNORECASE
)
"""Names of file systems without cluster locks: what is said of them is not said of the cluster's."""


@dataclass(frozen=True, slots=True)
class Span:
    """A time as stated, in seconds: one figure, or a range."""

    low: float
    high: float

    @property
    def text(self) -> str:
        """``300 s``, ``10 to 20 s`` or ``20 to 28 h``."""
        scale, unit = (3600.0, "h") if self.low >= 7200 else (1.0, "s")
        low, high = self.low / scale, self.high / scale
        return f"{low:g} {unit}" if low == high else f"{low:g} to {high:g} {unit}"


@dataclass(frozen=True, slots=True)
class StatedScan:
    """A scan of a tree: its files, its time, and the time of the same files elsewhere."""

    speaker: str | None
    what: str
    files: float
    seconds: Span
    reference: Span | None
    reference_name: str
    refs: tuple[Ref, ...]

    @property
    def per_s(self) -> tuple[float, float]:
        """Files per second, lower and upper."""
        return self.files / self.seconds.high, self.files / self.seconds.low

    @property
    def ms_per_file(self) -> tuple[float, float]:
        """Milliseconds per file, lower and upper."""
        return 1000 * self.seconds.low / self.files, 1000 * self.seconds.high / self.files

    @property
    def factor(self) -> tuple[float, float] | None:
        """How many times slower than the reference."""
        if self.reference is None or not self.reference.low:
            return None
        return self.seconds.low / self.reference.high, self.seconds.high / self.reference.low


class StatedScans:
    """Scans with files and time."""

    def __init__(self, claims: Claims) -> None:
        self._claims = claims

    @cached_property
    def all(self) -> tuple[StatedScan, ...]:
        """In the order of the text, one for each sentence."""
        return tuple(self._read())

    def _read(self) -> Iterator[StatedScan]:
        everything = self._claims.all
        seen: set[tuple[int, str]] = set()
        for claim in everything:
            scan = _SCAN.search(claim.text)
            if (
                scan is None
                or not _is_time(claim)
                or ELSEWHERE.search(claim.what)
                or (claim.artifact, claim.text) in seen
            ):
                continue
            around = near(claim, everything)
            files = _files(claim, around)
            if files is not None:
                seen.add((claim.artifact, claim.text))
                yield _scan(claim, scan["what"], files, around)


def _is_time(claim: Claim) -> bool:
    return claim.unit in _SECONDS and bool(claim.value)


def _scan(claim: Claim, what: str, files: Claim, around: Sequence[Claim]) -> StatedScan:
    elsewhere = next((other for other in around if _is_time(other) and ELSEWHERE.search(other.what)), None)
    named = ELSEWHERE.search(elsewhere.what) if elsewhere else None
    return StatedScan(
        speaker=claim.speaker,
        what=what.lower(),
        files=files.value or 0.0,
        seconds=_span(claim),
        reference=_span(elsewhere) if elsewhere else None,
        reference_name=named["what"] if named else "",
        refs=tuple(dict.fromkeys(place(one) for one in (files, claim, elsewhere) if one is not None)),
    )


def _files(claim: Claim, around: Sequence[Claim]) -> Claim | None:
    """The number of files: of the same sentence, else of the nearest sentence above."""
    counted = [other for other in around if other.unit == "files" and (other.value or 0) > 0]
    same = [other for other in counted if other.text == claim.text]
    above = [other for other in counted if other.line <= claim.line]
    return same[0] if same else above[-1] if above else None


def _span(claim: Claim) -> Span:
    scale, low = _SECONDS[claim.unit], claim.value or 0.0
    return Span(low * scale, (claim.high or low) * scale)
