"""Lines that no reading understood, grouped by shape over all cases that somebody may see: what the next parser is made
from.
"""

from __future__ import annotations

from typing import Any, Final, cast

from django.db.models import Count, Min, Q, QuerySet, Sum
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from apps.accounts.models import User
from apps.cases.models import Artifact, Case, SkippedShape
from parsers.dataclass import dataclass

PAGE: Final = 100
DEEPEST: Final = 100_000


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """One shape with its counts, and a line of the customer's text to look at."""

    shape: str
    reason: str
    lines: int
    files: int
    cases: int
    example: str
    url: str


@dataclass(frozen=True, slots=True)
class ShapeList:
    rows: list[ShapeRow]
    shapes_n: int
    lines_n: int
    """Lines not understood in the files that are counted, also those that reading did not keep."""
    files_n: int
    case: Case | None
    words: str
    first: int
    newer: str
    older: str

    @property
    def last(self) -> int:
        return self.first + len(self.rows) - 1


def list_shapes(user: User, query: QueryDict) -> ShapeList:
    """Most frequent first. ``case`` narrows to one case, ``q`` to shapes with these words."""
    cases = Case.objects.visible_to(user).live()
    key = query.get("case", "")
    case = cases.filter(key=key).first() if key else None
    seen = cases.filter(pk=case.pk) if case else cases.none() if key else cases
    words = query.get("q", "").strip()[:160]
    start = _start(query.get("from", ""))
    shapes = SkippedShape.objects.filter(artifact__case__in=seen).filter(Q(shape__icontains=words) if words else Q())
    grouped = _grouped(shapes)
    found = list(grouped[start : start + PAGE + 1])
    files = Artifact.objects.originals().filter(case__in=seen, lines_not_understood__gt=0)
    totals = files.aggregate(files=Count("pk"), lines=Sum("lines_not_understood"))
    return ShapeList(
        rows=_rows(shapes, found[:PAGE]),
        shapes_n=grouped.count(),
        lines_n=totals["lines"] or 0,
        files_n=totals["files"],
        case=case,
        words=words,
        first=start + 1,
        newer=_address(key, words, max(0, start - PAGE)) if start else "",
        older=_address(key, words, start + PAGE) if len(found) > PAGE else "",
    )


def _start(text: str) -> int:
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _grouped(shapes: QuerySet[SkippedShape]) -> QuerySet[SkippedShape, dict[str, Any]]:
    counted = shapes.values("shape").annotate(
        lines_n=Sum("lines"),
        files_n=Count("artifact", distinct=True),
        cases_n=Count("artifact__case", distinct=True),
        first=Min("pk"),
    )
    return cast("QuerySet[SkippedShape, dict[str, Any]]", counted.order_by("-lines_n", "shape"))


def _rows(shapes: QuerySet[SkippedShape], found: list[dict[str, Any]]) -> list[ShapeRow]:
    """Each with the place of the first one: a file that the reader of the page may open."""
    firsts = shapes.filter(pk__in=[row["first"] for row in found]).select_related("artifact__case")
    examples = {example.pk: example for example in firsts}
    return [_row(row, examples[row["first"]]) for row in found if row["first"] in examples]


def _row(row: dict[str, Any], example: SkippedShape) -> ShapeRow:
    artifact = example.artifact
    address = reverse("cases:file", args=[artifact.case.key, artifact.pk])
    return ShapeRow(
        shape=row["shape"],
        reason=example.reason,
        lines=row["lines_n"],
        files=row["files_n"],
        cases=row["cases_n"],
        example=f"{artifact.case.key} \u00b7 {artifact.path.rsplit('/', 1)[-1]}:{example.first_line}",
        url=f"{address}?line={example.first_line}#L{example.first_line}",
    )


def _address(key: str, words: str, start: int) -> str:
    given = (("case", key), ("q", words), ("from", str(start) if start else ""))
    return f"?{urlencode([(name, value) for name, value in given if value])}"
