"""What the row of a file says once it has been read."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import field
from typing import Any, Final

import polars as pl
from django.utils import timezone

from apps.cases.models import Artifact, BundleProblem, SkippedShape
from apps.ingest.reading.failures import NOT_FAILED
from apps.privacy.credentials import CredentialScan
from apps.web.templatetags.lockscope import thousands
from parsers.dataclass import dataclass
from parsers.lookup import parsers
from parsers.output import PROBLEMS_KEPT
from parsers.reading import STRUCTURE_VERSION
from parsers.sections.reader import ReadResult

NOT_RECOGNISED: Final = "Unknown format. Stored and searchable, not analysed."
TOO_MANY_WORDS: Final = (
    "Not all of its lines were looked at for passwords and keys: there are too many that could hold one."
)
NODES_SHOWN: Final = 50
SHAPES_KEPT: Final = 200
NO_LONGER_READ: Final[dict[str, Any]] = dict.fromkeys(
    ("lines_total", "lines_understood", "lines_ignored", "lines_not_understood", "records", "captured_us", "sections_n")
)


def parser_version() -> str:
    """Stamp of the parsers' state: number of parsers and the sum of their versions, with that of what structures a
    text.
    """
    known = parsers().values()
    return f"{len(known)}.{sum(parser.version for parser in known) + STRUCTURE_VERSION}"


@dataclass(slots=True)
class Noticed:
    """Of one file: nodes and first capture time of what was recognised; problems, and lines not understood by shape."""

    nodes: list[str] = field(default_factory=list)
    captured_us: int | None = None
    problems: list[tuple[int | None, str]] = field(default_factory=list)
    shapes: list[tuple[str, int, int, str]] = field(default_factory=list)


def noticed(
    sections: Sequence[pl.LazyFrame], skipped: Sequence[pl.LazyFrame], problems: Sequence[pl.LazyFrame]
) -> dict[int, Noticed]:
    """By file; each table has its number as ``artifact``."""
    found: dict[int, Noticed] = defaultdict(Noticed)
    for lazy in sections:
        known = lazy.filter(pl.col("format") != "unknown").group_by("artifact")
        rows = known.agg(pl.col("node").drop_nulls().unique(), pl.col("at").min()).collect()
        for artifact, nodes, at in rows.select("artifact", "node", "at").iter_rows():
            names = sorted({name.replace("\x00", "") for name in nodes})
            found[artifact].nodes, found[artifact].captured_us = names[:NODES_SHOWN], at
    for lazy in skipped:
        for artifact, *shape in _shapes(lazy).iter_rows():
            if len(found[artifact].shapes) < SHAPES_KEPT:
                found[artifact].shapes.append((shape[0], shape[1], shape[2], shape[3] or ""))
    for lazy in problems:
        for artifact, line, message in lazy.select("artifact", "line", "message").collect().iter_rows():
            if len(found[artifact].problems) < PROBLEMS_KEPT:
                found[artifact].problems.append((line or None, message))
    return found


def _shapes(lazy: pl.LazyFrame) -> pl.DataFrame:
    """Lines not understood by file and shape, the most frequent ones first."""
    lines = lazy.filter(pl.col("line") > 0).with_columns(
        pl.col("shape").str.replace_all("\x00", "\ufffd", literal=True)
    )
    grouped = lines.group_by("artifact", "shape").agg(pl.len(), pl.col("line").min(), pl.col("reason").first())
    return grouped.sort(["artifact", "len", "line"], descending=[False, True, False]).collect()


def outcome(artifact: Artifact, result: ReadResult, seen: Noticed, facts: str) -> dict[str, Any]:
    """Columns of the row of a file that was read."""
    state, message = _judged(result)
    return {
        **NOT_FAILED,
        "state": state,
        "message": message,
        "finished_at": timezone.now(),
        "lines_total": result.total,
        "lines_understood": result.understood,
        "lines_ignored": result.ignored,
        "lines_not_understood": result.not_understood,
        "records": result.records,
        "formats": sorted(result.formats),
        "nodes": seen.nodes,
        "captured_us": seen.captured_us,
        "sections_n": result.sections,
        "parser_version": parser_version(),
        "facts": facts,
        "facts_generation": artifact.facts_generation + 1,
        "read_bytes": artifact.size,
    }


def outcome_of_failure(why: dict[str, str]) -> dict[str, Any]:
    """The same for one that could not be read: facts of half a file could contradict themselves."""
    return {
        "state": Artifact.State.FAILED,
        **why,
        "finished_at": timezone.now(),
        "facts": "",
        "formats": [],
        "nodes": [],
        **NO_LONGER_READ,
    }


def _judged(result: ReadResult) -> tuple[str, str]:
    if not result.recognised:
        return Artifact.State.SKIPPED, NOT_RECOGNISED
    if result.not_understood:
        verb = "is" if result.not_understood == 1 else "are"
        return (
            Artifact.State.PARTLY,
            f"{thousands(result.not_understood)} of {thousands(result.total)} lines {verb} not understood.",
        )
    return Artifact.State.PARSED, ""


def problem_rows(artifact: Artifact, seen: Noticed, scan: CredentialScan | None = None) -> list[BundleProblem]:
    """Problems that reading found."""
    cut = [problem(artifact, None, TOO_MANY_WORDS)] if scan is not None and scan.is_cut else []
    return [*(problem(artifact, line, message) for line, message in seen.problems), *cut]


def problem(artifact: Artifact, line: int | None, message: str) -> BundleProblem:
    plain = message.replace("\x00", "\ufffd")[:500]
    return BundleProblem(bundle_id=artifact.bundle_id, artifact=artifact, path=artifact.path, line=line, message=plain)


def shape_rows(artifact: Artifact, seen: Noticed) -> Iterable[SkippedShape]:
    """Lines not understood by shape, the most frequent ones."""
    return [
        SkippedShape(artifact=artifact, shape=shape[:160], lines=count, first_line=line, reason=reason[:120])
        for shape, count, line, reason in seen.shapes
    ]
