"""How far the reading of a case is, in bytes and files, for the upload page."""

from __future__ import annotations

from collections import Counter
from typing import Any, Final

from django.conf import settings
from django.db.models import Case as When
from django.db.models import Count, IntegerField, Q, Value
from django.db.models import When as Branch

from apps.cases.models import Artifact, Bundle, BundleProblem, Case
from apps.ingest.scheduling import diagnoses, speed
from apps.ingest.scheduling.speed import OPEN, Tally
from parsers.archives.wording import size
from parsers.dataclass import dataclass

FILES_SHOWN: Final = 200
BUNDLES_SHOWN: Final = 50
STATES: Final = (
    ("", "All"),
    ("parsed", "Read"),
    ("partly", "Partly"),
    ("failed", "Failed"),
    ("skipped", "Skipped"),
    ("reading", "Reading"),
    ("queued", "Waiting"),
)
_ORDER: Final = {"reading": 0, "failed": 1, "partly": 2, "skipped": 3, "parsed": 4, "queued": 5}


@dataclass(frozen=True, slots=True)
class Reading:
    """State of all files of a case."""

    bundles: list[dict[str, Any]]
    bundles_left_out: int
    files: list[Artifact]
    tabs: list[dict[str, Any]]
    counts: Counter[str]
    total: int
    read_bytes: int
    total_bytes: int
    rate: float | None
    left_s: float | None
    is_read: bool
    """All files are settled."""
    is_settled: bool
    """... and nothing more will change: the diagnosis is there too, or failed."""
    failure: str
    state: str
    parts: list[dict[str, Any]]

    @property
    def files_left_out(self) -> int:
        """Files that match and are not listed here; the files page has them all."""
        return max(0, (self.counts[self.state] if self.state else self.total) - len(self.files))


def of_case(case: Case, state: str = "") -> Reading:
    """``state`` filters the list of files. What is counted is counted by the database: a bundle may hold
    200,000 files.
    """
    tallies = speed.tallies(case.pk)
    counts: Counter[str] = Counter()
    for tally in tallies:
        counts[tally.state] += tally.files
    total = sum(counts.values())
    is_read = not any(counts[key] for key in OPEN) and not case.bundles.unsettled().exists()
    rate, left_s = (None, None) if is_read else speed.rate_and_left(case.pk, tallies)
    wanted = state if state in _ORDER else ""
    bundles, left_out = _bundles(case, tallies)
    return Reading(
        bundles=bundles,
        bundles_left_out=left_out,
        files=_files(case, wanted),
        tabs=[
            {"state": key, "label": label, "count": counts[key] if key else total, "is_on": key == wanted}
            for key, label in STATES
        ],
        counts=counts,
        total=total,
        read_bytes=sum(tally.done_bytes for tally in tallies),
        total_bytes=sum(tally.bytes for tally in tallies),
        rate=rate,
        left_s=left_s,
        is_read=is_read,
        is_settled=is_read and not diagnoses.is_awaited(case.pk),
        failure=diagnoses.failure_of(case.pk),
        state=wanted,
        parts=_parts(counts, total),
    )


def _files(case: Case, state: str) -> list[Artifact]:
    """Files in work and files with problems first."""
    order = When(
        *(Branch(state=key, then=Value(rank)) for key, rank in _ORDER.items()),
        default=Value(9),
        output_field=IntegerField(),
    )
    rows = case.artifacts.annotate(rank=order).order_by("rank", "path", "pk").select_related("duplicate_of")
    return list(rows.filter(Q(state=state) if state else Q())[:FILES_SHOWN])


def _bundles(case: Case, tallies: list[Tally]) -> tuple[list[dict[str, Any]], int]:
    """The newest ones, in the order of their coming; and how many are not shown."""
    newest = list(case.bundles.order_by("-pk").select_related("duplicate_of")[:BUNDLES_SHOWN])
    shown = sorted(newest, key=lambda bundle: bundle.pk)
    problems = (
        BundleProblem.objects.filter(bundle__in=shown).order_by().values_list("bundle_id").annotate(n=Count("pk"))
    )
    counts = dict(problems)
    of_bundle: dict[int, list[Tally]] = {}
    for tally in tallies:
        of_bundle.setdefault(tally.bundle, []).append(tally)
    rows = [_bundle(bundle, of_bundle.get(bundle.pk, []), counts.get(bundle.pk, 0)) for bundle in shown]
    return rows, case.bundles.count() - len(rows)


def _bundle(bundle: Bundle, tallies: list[Tally], problems: int) -> dict[str, Any]:
    files = sum(tally.files for tally in tallies)
    done = sum(tally.files for tally in tallies if tally.state not in OPEN)
    expanded = bundle.state in ("expanded", "skipped", "failed")
    is_read = expanded and done == files
    return {
        "row": bundle,
        "files": files,
        "done": done,
        "is_expanded": expanded,
        "is_read": is_read,
        "problems": problems,
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
        *([{"label": "Uploads of a team together", "bytes": limits.team_bytes}] if limits.team_bytes else []),
        {"label": "Unpacked total of a bundle", "bytes": limits.expanded_bytes},
        {
            "label": f"Unpacked against uploaded size, above {size(limits.ratio_free_bytes)}",
            "text": f"{limits.expanded_ratio} \u00d7",
        },
        {"label": "One file in a bundle", "bytes": limits.member_bytes},
        {"label": "Files in a bundle", "number": limits.members},
        {"label": "Archives inside archives", "text": f"{limits.depth} levels"},
        {"label": "One line, the rest is counted", "bytes": limits.line_bytes},
    ]
