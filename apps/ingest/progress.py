"""How far the reading of a case is, in bytes and files, for the upload page."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db.models import Case as When
from django.db.models import IntegerField, Q, Value
from django.db.models import When as Branch
from django.utils import timezone

from apps.cases.models import Artifact, Bundle, Case

FILES_SHOWN = 200
STATES = (
    ("", "All"),
    ("parsed", "Read"),
    ("partly", "Partly"),
    ("failed", "Failed"),
    ("skipped", "Skipped"),
    ("reading", "Reading"),
    ("queued", "Waiting"),
)
_ORDER = {"reading": 0, "failed": 1, "partly": 2, "skipped": 3, "parsed": 4, "queued": 5}


@dataclass(frozen=True, slots=True)
class Reading:
    """State of all files of a case."""

    bundles: list[dict[str, Any]]
    files: list[Artifact]
    tabs: list[dict[str, Any]]
    counts: Counter[str]
    total: int
    read_bytes: int
    total_bytes: int
    rate: float | None
    left_s: float | None
    is_settled: bool
    state: str
    parts: list[dict[str, Any]] = field(default_factory=list)

    @property
    def files_left_out(self) -> int:
        """Files that match and are not listed here; the files page has them all."""
        return max(0, (self.counts[self.state] if self.state else self.total) - len(self.files))


def of_case(case: Case, state: str = "") -> Reading:
    """Read the rows once; ``state`` filters the list of files."""
    rows = list(case.artifacts.values_list("state", "size", "read_bytes", "bundle_id", "started_at"))
    counts: Counter[str] = Counter(row[0] for row in rows)
    total_bytes = sum(row[1] for row in rows)
    read_bytes = sum(row[2] if row[0] == "reading" else row[1] for row in rows if row[0] != "queued")
    bundles = list(case.bundles.order_by("pk").select_related("duplicate_of"))
    settled = not counts["queued"] and not counts["reading"] and not any(b.state in ("received", "expanding") for b in bundles)
    rate = _rate(rows, read_bytes)
    left = (total_bytes - read_bytes) / rate if rate and not settled else None
    wanted = state if state in _ORDER else ""
    return Reading(
        bundles=[_bundle(b, [r for r in rows if r[3] == b.pk]) for b in bundles],
        files=_files(case, wanted),
        tabs=[{"state": key, "label": label, "count": counts[key] if key else len(rows), "is_on": key == wanted} for key, label in STATES],
        counts=counts,
        total=len(rows),
        read_bytes=read_bytes,
        total_bytes=total_bytes,
        rate=rate,
        left_s=left,
        is_settled=settled,
        state=wanted,
        parts=_parts(counts, len(rows)),
    )


def _files(case: Case, state: str) -> list[Artifact]:
    """Files in work and files with problems first."""
    order = When(*(Branch(state=key, then=Value(rank)) for key, rank in _ORDER.items()), default=Value(9), output_field=IntegerField())
    rows = case.artifacts.annotate(rank=order).order_by("rank", "path", "pk").select_related("duplicate_of")
    return list(rows.filter(Q(state=state) if state else Q())[:FILES_SHOWN])


def _rate(rows: list[tuple[Any, ...]], read_bytes: int) -> float | None:
    """Bytes per second since the first file of this reading began; None where nothing runs."""
    running = [row[4] for row in rows if row[0] == "reading" and row[4]]
    if not running:
        return None
    began = min(row[4] for row in rows if row[4])
    seconds = (timezone.now() - began).total_seconds()
    return read_bytes / seconds if seconds > 0.5 and read_bytes else None


def _bundle(bundle: Bundle, rows: list[tuple[Any, ...]]) -> dict[str, Any]:
    done = sum(row[0] not in ("queued", "reading") for row in rows)
    expanded = bundle.state in ("expanded", "skipped", "failed")
    return {
        "row": bundle,
        "files": len(rows),
        "done": done,
        "is_expanded": expanded,
        "is_read": expanded and done == len(rows),
        "problems": bundle.problems.count(),
    }


def _parts(counts: Counter[str], total: int) -> list[dict[str, Any]]:
    """Pieces of the bar by state: where each begins and how wide it is, in per cent of the files."""
    parts: list[dict[str, Any]] = []
    at = 0.0
    for key in ("parsed", "partly", "failed", "skipped", "reading"):
        if counts[key]:
            share = 100 * counts[key] / total
            parts.append({"state": key, "count": counts[key], "at": at, "share": share})
            at += share
    return parts


def limit_rows() -> list[dict[str, Any]]:
    """The limits as shown before anything is sent."""
    limits = settings.LIMITS
    return [
        {"label": "One upload", "bytes": limits.upload_bytes},
        {"label": "Unpacked total of a bundle", "bytes": limits.expanded_bytes},
        {"label": "Unpacked against uploaded size, above 1 GiB", "text": f"{limits.expanded_ratio} \u00d7"},
        {"label": "One file in a bundle", "bytes": limits.member_bytes},
        {"label": "Files in a bundle", "number": limits.members},
        {"label": "Archives inside archives", "text": f"{limits.depth} levels"},
        {"label": "One line, the rest is counted", "bytes": limits.line_bytes},
    ]
