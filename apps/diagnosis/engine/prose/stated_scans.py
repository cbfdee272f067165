"""Scans of whole trees as people tell of them: how many files, how long, and how long elsewhere. Claims, never measurements.

Figures belong together only where one person says them: in one sentence, or in the sentences around it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from apps.diagnosis.engine.core.model import Ref
from parsers.records import Claim

if TYPE_CHECKING:
    from apps.diagnosis.engine.facts import CaseFacts

_SECONDS: Final = {"s": 1.0, "min": 60.0, "h": 3600.0, "days": 86400.0, "d": 86400.0, "ms": 0.001}
_SCAN: Final = re.compile(r"\b(?P<what>backups?|du|find|ls -l\w*|rsync|tar|indexer|indexing|virus scan|scan|walk)\b", re.IGNORECASE)
_REFERENCE: Final = re.compile(r"\b(?P<what>ext[234]|xfs|lock_nolock|nolock|local disk|local file ?system)\b", re.IGNORECASE)
_WARM: Final = re.compile(
    r"\b(?:first (?:time|run).{0,80}\b(?:later|afterwards|subsequent|following)|(?:later|second|subsequent) "
    r"\w{0,20} ?.{0,40}much faster)\b",
    re.IGNORECASE,
)
NEAR_LINES: Final = 6
GFS: Final = re.compile(r"\bgfs2?\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Span:
    """A time as stated: one figure, or a range."""

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
    warm_later: Ref | None

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


def claim_rows(facts: CaseFacts) -> list[dict[str, Any]]:
    """Claims in the order of the text."""
    return list(facts.facts.frame(Claim).sort("artifact", "line").iter_rows(named=True)) if facts.facts.has(Claim) else []


def stated_scans(facts: CaseFacts) -> Iterator[StatedScan]:
    """Scans with files and time, in the order of the text."""
    rows = claim_rows(facts)
    seen: set[tuple[int, str]] = set()
    for row in rows:
        scan = _SCAN.search(row["text"])
        if (
            row["unit"] not in _SECONDS
            or not row["value"]
            or scan is None
            or _REFERENCE.search(row["what"])
            or (row["artifact"], row["text"]) in seen
        ):
            continue
        near = [other for other in rows if _near(row, other)]
        files = _files(row, near)
        if files is None:
            continue
        seen.add((row["artifact"], row["text"]))
        yield _scan(row, scan["what"], files, near)


def _scan(row: dict[str, Any], what: str, files: dict[str, Any], near: Sequence[dict[str, Any]]) -> StatedScan:
    elsewhere = next((o for o in near if o["unit"] in _SECONDS and o["value"] and _REFERENCE.search(o["what"]) and o is not row), None)
    warm = next((o for o in near if _WARM.search(o["text"])), None)
    named = _REFERENCE.search(elsewhere["what"]) if elsewhere else None
    refs = [Ref(o["artifact"], o["line"]) for o in (files, row, elsewhere) if o is not None]
    return StatedScan(
        speaker=row["speaker"], what=what.lower(), files=files["value"], seconds=_span(row),
        reference=_span(elsewhere) if elsewhere else None,
        reference_name=named["what"] if named else "", refs=tuple(dict.fromkeys(refs)),
        warm_later=Ref(warm["artifact"], warm["line"]) if warm else None,
    )  # fmt: skip


def _near(row: dict[str, Any], other: dict[str, Any]) -> bool:
    same = (row["artifact"], row["speaker"]) == (other["artifact"], other["speaker"])
    return same and abs(row["line"] - other["line"]) <= NEAR_LINES


def _files(row: dict[str, Any], near: Sequence[dict[str, Any]]) -> dict[str, Any] | None:
    """The number of files: of the same sentence, else of the nearest sentence above."""
    counted = [other for other in near if other["unit"] == "files" and (other["value"] or 0) > 0]
    same = [other for other in counted if other["text"] == row["text"]]
    above = [other for other in counted if other["line"] <= row["line"]]
    return same[0] if same else above[-1] if above else None


def _span(row: dict[str, Any]) -> Span:
    scale = _SECONDS[row["unit"]]
    return Span(row["value"] * scale, (row["high"] or row["value"]) * scale)
