"""What nobody judged: messages, lines and waits that neither a rule nor an entry speaks of, over all cases that
somebody may see. The list of what is worth learning next.
"""

from __future__ import annotations

from typing import Any, Final, cast

from django.db.models import Case as SqlCase
from django.db.models import Count, IntegerField, Max, QuerySet, Sum, Value, When
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from apps.accounts.models import Role, TeamMembership, User
from apps.cases.models import Case
from apps.diagnosis.pages.learning.starts import wait_token
from apps.learning.in_force import in_force
from apps.learning.models import CaseShape
from parsers.dataclass import dataclass
from parsers.messages.catalogue import entries_in_force
from parsers.messages.site_entries import Entries, EntryOf, key_of

PAGE: Final = 50
DEEPEST: Final = 10_000
Source = CaseShape.Source
GRAVITY: Final = {"": 0, "notice": 1, "trouble": 2, "disaster": 3}
WEIGHTS: Final = ("", "notice", "trouble", "disaster")
SEVERITIES: Final = {"disaster": "high", "trouble": "medium", "notice": "low", "": None}
PARTS: Final[dict[str, tuple[str, tuple[str, ...]]]] = {
    "all": ("All", (Source.LOG, Source.OUTPUT, Source.WAITS)),
    "log": ("Messages", (Source.LOG,)),
    "output": ("Lines without a reader", (Source.OUTPUT,)),
    "waits": ("Kinds of waits", (Source.WAITS,)),
}


@dataclass(frozen=True, slots=True)
class UnjudgedRow:
    """One sort of text. url: the newest of them; means: the form, where the reader may write in its team."""

    source: str
    source_words: str
    told_by: str
    text: str
    weight: str
    severity: str | None
    lines: int
    cases: int
    example: str
    url: str
    means: str
    known: str
    """Name of the entry that speaks of it by now."""


@dataclass(frozen=True, slots=True)
class Unjudged:
    """A page of them."""

    rows: list[UnjudgedRow]
    tabs: list[dict[str, Any]]
    words: str
    part: str
    with_quiet: bool
    case: str
    newer: str
    older: str
    cases_n: int


def unjudged(user: User, query: QueryDict) -> Unjudged:
    """The gravest first, then those of most cases. ``part``: one sort of text; ``q``: with these words; ``quiet``:
    also what does not sound like trouble.
    """
    part = query.get("part", "all")
    part = part if part in PARTS else "all"
    words = query.get("q", "").strip()[:160]
    with_quiet = query.get("quiet") == "1"
    start = _start(query.get("from", ""))
    visible = Case.objects.visible_to(user).live()
    key = query.get("case", "")[:40]
    if key:
        visible = visible.filter(key=key)
    rows = CaseShape.objects.filter(case__in=visible, source__in=PARTS[part][1], is_cited=False)
    if words:
        rows = rows.filter(text__icontains=words)
    if not with_quiet:
        rows = rows.exclude(source=Source.LOG, weight="")
    found = list(_grouped(rows)[start : start + PAGE + 1])
    given = {"part": part if part != "all" else "", "q": words, "quiet": "1" if with_quiet else "", "case": key}
    return Unjudged(
        rows=_rows(user, rows, found[:PAGE]),
        tabs=[_tab(name, label, part, given) for name, (label, _) in PARTS.items()],
        words=words,
        part=part,
        with_quiet=with_quiet,
        case=key,
        newer=_address(given, max(0, start - PAGE)) if start else "",
        older=_address(given, start + PAGE) if len(found) > PAGE else "",
        cases_n=rows.values("case").distinct().count(),
    )


def _start(text: str) -> int:
    return min(int(text), DEEPEST) if text.isascii() and text.isdigit() and len(text) < 9 else 0


def _tab(name: str, label: str, part: str, given: dict[str, str]) -> dict[str, Any]:
    values = given | {"part": name if name != "all" else ""}
    return {"label": label, "url": _address(values, 0), "is_current": name == part}


def _address(given: dict[str, str], start: int) -> str:
    values = given | {"from": str(start) if start else ""}
    return f"?{urlencode({key: value for key, value in values.items() if value})}"


def _grouped(rows: QuerySet[CaseShape]) -> QuerySet[CaseShape, dict[str, Any]]:
    gravity = SqlCase(
        *(When(weight=weight, then=Value(number)) for weight, number in GRAVITY.items()),
        default=Value(0),
        output_field=IntegerField(),
    )
    counted = rows.values("source", "told_by", "shape").annotate(
        gravity=Max(gravity), cases_n=Count("case", distinct=True), lines_n=Sum("lines"), newest=Max("pk")
    )
    ordered = counted.order_by("-gravity", "-cases_n", "-lines_n", "shape")
    return cast("QuerySet[CaseShape, dict[str, Any]]", ordered)


def _rows(user: User, rows: QuerySet[CaseShape], found: list[dict[str, Any]]) -> list[UnjudgedRow]:
    """Each with the place of the newest one: a file that the reader of the page may open."""
    newest = rows.filter(pk__in=[row["newest"] for row in found]).select_related("case__team", "artifact")
    examples = {one.pk: one for one in newest}
    memberships = TeamMembership.objects.filter(user=user)
    writes = {one.team_id for one in memberships if Role(one.role).reaches(Role.EDITOR)}
    known = {one.case.team_id: _known(one.case.team_id) for one in examples.values()}
    return [
        _row(row, one, known[one.case.team_id], may_write=one.case.team_id in writes)
        for row in found
        if (one := examples.get(row["newest"])) is not None
    ]


def _known(team_id: int) -> Entries:
    return Entries((*entries_in_force().all, *in_force(team_id).entries.all))


def _row(row: dict[str, Any], one: CaseShape, known: Entries, *, may_write: bool) -> UnjudgedRow:
    weight = WEIGHTS[row["gravity"]]
    hit = known.find(key_of(cast("EntryOf", one.source), one.told_by), one.text)
    at = f"?line={one.line}#L{one.line}"
    name = one.artifact.path.rsplit("/", 1)[-1] if one.artifact is not None else ""
    return UnjudgedRow(
        source=one.source,
        source_words=one.get_source_display(),
        told_by=one.told_by,
        text=one.text,
        weight=weight,
        severity=SEVERITIES[weight],
        lines=row["lines_n"],
        cases=row["cases_n"],
        example=f"{one.case.key} \u00b7 {name}:{one.line}",
        url=reverse("cases:file", args=[one.case.key, one.artifact_id]) + at if one.artifact_id else "",
        means=means_url(one) if may_write and hit is None and not one.case.is_archived else "",
        known=hit.entry.name if hit is not None else "",
    )


def means_url(one: CaseShape) -> str:
    """The form that the text fills; empty where its file is gone."""
    if one.source == Source.WAITS:
        return reverse("learning:means_wait", args=[one.case.key, wait_token(one.text)])
    if one.artifact_id is None:
        return ""
    return f"{reverse('learning:means', args=[one.case.key, one.artifact_id])}?line={one.line}"
