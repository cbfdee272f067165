"""The list of cases: what its address asks for, the rows of one page, and how many each choice at the left
would leave.
"""

from __future__ import annotations

import base64
import binascii
import json
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from django.db.models import Case as Switch
from django.db.models import CharField, Count, F, IntegerField, Q, QuerySet, Value, When
from django.db.models.functions import Coalesce, Lower
from django.http import QueryDict
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.http import urlencode

from apps.accounts.models import User
from apps.cases.models import Artifact, ArtifactQuerySet, Case, CaseQuerySet, Severity
from apps.cases.overview.sparkline import spark_of
from apps.cases.page.product_names import PRODUCTS, product_names
from apps.cases.page.wallclock import window_text, zone_text
from apps.web import kept
from parsers.dataclass import dataclass

PAGE: Final = 50
TERMS: Final = 8
TEXT_CHARS: Final = 200
NOT_READ: Final = "none"
SEVERITY_RANK: Final = {severity: rank for rank, severity in enumerate(reversed(Severity.values), start=1)}

ASSIGNED: Final = {"me": "To me", "others": "To others", "nobody": "To nobody"}
UPDATED: Final = {"today": ("Today", 1), "week": ("Last 7 days", 7), "month": ("Last 30 days", 30)}
"""Label, and how many days back; the day that is on counts as one."""
LARGEST_NUMBER: Final = 10**18
COLUMNS: Final = {"state": "state", "team": "team__slug", "assigned": "assigned"}

Cursor = tuple[Any, int]


@dataclass(frozen=True, slots=True)
class Sort:
    label: str
    expression: Any
    read: Any
    """Turns the value in a cursor back into what the database compares."""
    is_descending: bool = True


def _time(value: object) -> datetime | None:
    found = parse_datetime(value) if isinstance(value, str) else None
    return found.astimezone(UTC) if found is not None and found.tzinfo is not None else None


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if abs(value) < LARGEST_NUMBER else None


def _words(value: object) -> str | None:
    return value if isinstance(value, str) and "\0" not in value and _is_text(value) else None


def _is_text(value: str) -> bool:
    """No half of a pair, which no database takes."""
    return value.encode(errors="replace").decode() == value


_RANK = Switch(
    *(When(severity=name, then=Value(rank)) for name, rank in SEVERITY_RANK.items()),
    default=Value(0),
    output_field=IntegerField(),
)
SORTS: Final[dict[str, Sort]] = {
    "case": Sort("Case", F("pk"), _number),
    "title": Sort("Title and verdict", Lower("title"), _words, is_descending=False),
    "severity": Sort("Severity", _RANK, _number),
    "nodes": Sort("Nodes", Coalesce("nodes_n", Value(-1)), _number),
    "window": Sort("Window of the data", Coalesce("window_end_us", Value(-1)), _number),
    "longest": Sort("Longest", Coalesce("longest_s", Value(-1.0)), _number),
    "updated": Sort("Updated", F("updated_at"), _time),
}


@dataclass(frozen=True, slots=True)
class Choice:
    value: str
    label: str
    count: int
    is_on: bool
    share: int
    """Per cent of the largest count of its facet, for the bar below it."""


@dataclass(frozen=True, slots=True)
class Facet:
    name: str
    label: str
    choices: list[Choice]


@dataclass(frozen=True, slots=True)
class Progress:
    done: int
    total: int


@dataclass(frozen=True, slots=True)
class Row:
    case: Case
    url: str
    updated_iso: str
    updated_text: str
    cells: str
    """All but state and progress, as text of the page."""
    progress: Progress | None


def _chosen(query: QueryDict, facet: str, offered: Mapping[str, tuple[str, Mapping[str, str]]]) -> tuple[str, ...]:
    chosen = query.getlist(facet)
    return tuple(value for value in offered[facet][1] if value in chosen)


@dataclass(frozen=True, slots=True)
class ListQuery:
    """The address of the list, read leniently: what makes no sense is left out."""

    text: str = ""
    chosen: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    sort: str = "updated"
    is_descending: bool = True
    after: str = ""
    before: str = ""
    is_archive: bool = False
    """The cases in the archive instead of those at hand."""

    @classmethod
    def from_query(cls, query: QueryDict, offered: Mapping[str, tuple[str, Mapping[str, str]]]) -> ListQuery:
        sort = query.get("sort", "")
        name = sort.removeprefix("-")
        known = name in SORTS
        return cls(
            text=query.get("q", "").replace("\0", "")[:TEXT_CHARS].strip(),
            chosen={facet: values for facet in offered if (values := _chosen(query, facet, offered))},
            sort=name if known else "updated",
            is_descending=sort.startswith("-") if known else True,
            after=query.get("after", ""),
            before=query.get("before", ""),
            is_archive=query.get("archive", "") == "1",
        )

    @property
    def is_filtered(self) -> bool:
        return bool(self.text or self.chosen)

    @property
    def sort_word(self) -> str:
        return f"-{self.sort}" if self.is_descending else self.sort

    def address(self, **changes: Any) -> str:
        """Query string of the same list, changed; without changes of place it begins at its first page."""
        other = replace(self, **({"after": "", "before": ""} | changes))
        pairs: list[tuple[str, str]] = [("q", other.text)] if other.text else []
        pairs += [(facet, value) for facet, values in other.chosen.items() for value in values]
        if other.is_archive:
            pairs.append(("archive", "1"))
        if other.sort_word != "-updated":
            pairs.append(("sort", other.sort_word))
        pairs += [(name, value) for name, value in (("after", other.after), ("before", other.before)) if value]
        return f"?{urlencode(pairs)}"


def _facet_values(teams: Mapping[str, str]) -> dict[str, tuple[str, dict[str, str]]]:
    severities = {value: value.capitalize() for value in Severity.values} | {NOT_READ: "Not read yet"}
    facets = {
        "severity": ("Severity", severities),
        "product": ("Product", PRODUCTS),
        "state": ("State", {value: str(label).capitalize() for value, label in Case.State.choices}),
        "assigned": ("Assigned", ASSIGNED),
    }
    of_teams = {"team": ("Team", dict(teams))} if len(teams) > 1 else {}
    return facets | of_teams | {"updated": ("Updated", {value: label for value, (label, _) in UPDATED.items()})}


def _since(value: str) -> datetime:
    """The midnight from which on a choice of ``UPDATED`` counts."""
    midnight = timezone.now().astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    return midnight - timedelta(days=UPDATED[value][1] - 1)


def _condition(facet: str, values: Sequence[str]) -> Q:
    """Any of the values."""
    if facet == "severity":
        return Q(severity__in=["" if value == NOT_READ else value for value in values])
    if facet == "product":
        # A list in JSON is text to both databases; the quotes keep one name from matching inside another.
        found = Q()
        for value in values:
            found |= Q(products__icontains=f'"{value}"')
        return found
    if facet == "updated":
        return Q(updated_at__gte=min(map(_since, values)))
    return Q(**{f"{COLUMNS[facet]}__in": values})


def _all_of(chosen: Mapping[str, tuple[str, ...]]) -> Q:
    condition = Q()
    for facet, values in chosen.items():
        condition &= _condition(facet, values)
    return condition


def _matching(cases: CaseQuerySet, text: str) -> CaseQuerySet:
    for term in text.lower().split()[:TERMS]:
        cases = cases.filter(search_text__contains=term)
    return cases


@dataclass(frozen=True, slots=True)
class Listing:
    query: ListQuery
    rows: list[Row]
    facets: list[Facet]
    matching: int
    total: int
    newer: str
    older: str
    columns: dict[str, dict[str, str]]
    has_teams: bool


Teams = list[tuple[int, str, str]]


def requested_list(user: User, address: QueryDict) -> tuple[ListQuery, dict[str, tuple[str, dict[str, str]]], Teams]:
    """The address, what it may choose from, and the teams of the reader by number, slug and name."""
    teams = list(user.teams.order_by("name").values_list("pk", "slug", "name"))
    offered = _facet_values({slug: name for _, slug, name in teams})
    return ListQuery.from_query(address, offered), offered, teams


def _cases_of(user: User, query: ListQuery) -> CaseQuerySet:
    visible = Case.objects.visible_to(user).live()
    return _with_assigned(visible.archived() if query.is_archive else visible.at_hand(), user)


def found_cases(user: User, address: QueryDict) -> QuerySet[Any]:
    """All cases that the address finds, in its order."""
    query, _, _ = requested_list(user, address)
    sort = SORTS[query.sort]
    matching = _matching(_cases_of(user, query), query.text).filter(_all_of(query.chosen))
    found: QuerySet[Any] = matching.annotate(sort_value=sort.expression)
    return found.order_by(*(("-sort_value", "-pk") if query.is_descending else ("sort_value", "pk")))


def list_cases(user: User, address: QueryDict) -> Listing:
    query, offered, teams = requested_list(user, address)
    cases = _cases_of(user, query)
    searched = _matching(cases, query.text)
    updated = {facet: values for facet, values in query.chosen.items() if facet == "updated"}
    others = {facet: values for facet, values in query.chosen.items() if facet != "updated"}
    recent = searched.filter(_all_of(updated))
    matching, counts = _counts(_groups(recent, user, {pk: slug for pk, slug, _ in teams}), others)
    counts.update(_updated_counts(searched.filter(_all_of(others))))
    page, newer, older = _page(searched.filter(_all_of(query.chosen)), query)
    return Listing(
        query=query,
        rows=_rows(page),
        facets=_facets(query, offered, counts),
        matching=matching,
        total=cases.count() if query.is_filtered else matching,
        newer=newer,
        older=older,
        columns=_columns(query),
        has_teams=bool(teams),
    )


def _with_assigned(cases: CaseQuerySet, reader: User) -> CaseQuerySet:
    """`assigned` says it as the reader would: to me, to others, to nobody."""
    words = Switch(
        When(assignee__isnull=True, then=Value("nobody")),
        When(assignee=reader, then=Value("me")),
        default=Value("others"),
        output_field=CharField(),
    )
    return cases.annotate(assigned=words)


@dataclass(frozen=True, slots=True)
class Group:
    """Cases that are alike in everything one can choose by."""

    values: Mapping[str, Sequence[str]]
    n: int

    def misses(self, chosen: Mapping[str, tuple[str, ...]]) -> list[str]:
        return [facet for facet, values in chosen.items() if not set(values) & set(self.values.get(facet, ()))]


def _groups(cases: CaseQuerySet, reader: User, slugs: Mapping[int, str]) -> list[Group]:
    """One pass of the database over all cases found, or over the index of these columns; a few hundred groups at most
    come back.
    """
    columns = ("severity", "state", "assignee", "team", "products")
    counted = cases.order_by().values(*columns).annotate(n=Count("pk")).values_list(*columns, "n")
    groups = []
    for severity, state, assignee, team, products, n in counted:
        to = "nobody" if assignee is None else "me" if assignee == reader.pk else "others"
        values = {"severity": [severity or NOT_READ], "state": [state], "assigned": [to], "product": products}
        groups.append(Group(values | {"team": [slugs[team]] if team in slugs else []}, n))
    return groups


def _counts(groups: Iterable[Group], chosen: Mapping[str, tuple[str, ...]]) -> tuple[int, Counter[tuple[str, str]]]:
    """How many match, and how many each choice would leave: it counts with what is chosen in the other facets, its own
    being free.
    """
    matching = 0
    counts: Counter[tuple[str, str]] = Counter()
    for group in groups:
        missed = group.misses(chosen)
        matching += 0 if missed else group.n
        for facet, values in group.values.items():
            if missed in ([], [facet]):
                counts.update({(facet, value): group.n for value in values})
    return matching, counts


def _updated_counts(cases: CaseQuerySet) -> dict[tuple[str, str], int]:
    """How many of them changed of late: by the index of their changes, over the longest of the stretches."""
    since = {value: _since(value) for value in UPDATED}
    counted = {value: Count("pk", filter=Q(updated_at__gte=at)) for value, at in since.items()}
    found = cases.order_by().filter(updated_at__gte=min(since.values())).aggregate(**counted)
    return {("updated", value): count for value, count in found.items()}


def _facets(
    query: ListQuery, offered: Mapping[str, tuple[str, Mapping[str, str]]], counts: Counter[tuple[str, str]]
) -> list[Facet]:
    facets = []
    for name, (label, values) in offered.items():
        found = [counts[name, value] for value in values]
        most = max(found, default=0) or 1
        choices = [
            Choice(value, words, count, value in query.chosen.get(name, ()), round(100 * count / most))
            for (value, words), count in zip(values.items(), found, strict=True)
        ]
        facets.append(Facet(name, label, choices))
    return facets


def _page(cases: CaseQuerySet, query: ListQuery) -> tuple[list[Case], str, str]:
    """One page and the addresses of those beside it. A page is found by the values of the row before it, not by
    counting rows.
    """
    sort = SORTS[query.sort]
    backwards = bool(query.before)
    cursor = _cursor(query.before or query.after, sort)
    rising = query.is_descending == backwards
    sorted_cases: QuerySet[Any] = cases.annotate(sort_value=sort.expression)
    if cursor is not None:
        sorted_cases = _beyond(sorted_cases, cursor, rising=rising)
    order = ("sort_value", "pk") if rising else ("-sort_value", "-pk")
    found = list(sorted_cases.select_related("assignee").defer("search_text").order_by(*order)[: PAGE + 1])
    has_more = len(found) > PAGE
    page = found[:PAGE]
    if backwards:
        page.reverse()
    has_newer, has_older = (has_more, cursor is not None) if backwards else (cursor is not None, has_more)
    if not page:
        return [], "", ""
    newer = query.address(before=_cursor_text(page[0])) if has_newer else ""
    older = query.address(after=_cursor_text(page[-1])) if has_older else ""
    return page, newer, older


def _beyond(cases: QuerySet[Any], cursor: Cursor, *, rising: bool) -> QuerySet[Any]:
    word = "gt" if rising else "lt"
    value, pk = cursor
    return cases.filter(Q(**{f"sort_value__{word}": value}) | Q(sort_value=value, **{f"pk__{word}": pk}))


def _cursor_text(case: Any) -> str:
    value = case.sort_value
    plain = value.isoformat() if isinstance(value, datetime) else value
    return base64.urlsafe_b64encode(json.dumps([plain, case.pk]).encode()).decode().rstrip("=")


def _cursor(text: str, sort: Sort) -> Cursor | None:
    try:
        value, pk = json.loads(base64.urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        read = sort.read(value)
    except (ValueError, TypeError, OverflowError, RecursionError, binascii.Error):
        return None
    return None if read is None or not isinstance(pk, int) or not 0 <= pk < 1 << 63 else (read, pk)


def _columns(query: ListQuery) -> dict[str, dict[str, str]]:
    columns = {}
    for name, sort in SORTS.items():
        is_on = name == query.sort
        descending = not query.is_descending if is_on else sort.is_descending
        state = ("descending" if query.is_descending else "ascending") if is_on else ""
        columns[name] = {"label": sort.label, "url": query.address(sort=name, is_descending=descending), "state": state}
    return columns


def _rows(cases: Sequence[Case]) -> list[Row]:
    progress = _progress([case.pk for case in cases])
    rows = []
    for case in cases:
        url = reverse("diagnosis:timeline", args=[case.key])
        rows.append(
            Row(
                case=case,
                url=url,
                updated_iso=case.updated_at.isoformat(timespec="seconds"),
                updated_text=f"{case.updated_at:%Y-%m-%d %H:%M} UTC",
                cells=kept.pages.part(("cells", url, *_shown(case)), partial(_cells, case, url)),
                progress=progress.get(case.pk),
            )
        )
    return rows


def _shown(case: Case) -> tuple[Hashable, ...]:
    """All that the cells are made from; a case that was changed gets new ones."""
    words = (case.key, case.title, case.customer, case.ticket, case.verdict, case.severity, case.zone_name)
    figures = (case.zone_min, case.nodes_n, case.window_start_us, case.window_end_us, case.longest_s)
    return (*words, *figures, repr(case.products), repr(case.spark))


def _cells(case: Case, url: str) -> str:
    date, times = window_text(case.window_start_us, case.window_end_us, zone_text(case.zone_name, case.zone_min))
    shown = {"case": case, "url": url, "products": product_names(case.products), "date": date, "times": times}
    return render_to_string("cases/_case_cells.html", {**shown, "spark": spark_of(case.spark)})


def _progress(cases: Sequence[int]) -> dict[int, Progress]:
    """Only for cases that are still being read, so that the files of all others need not be counted."""
    left = _files_by_case(Artifact.objects.unsettled().filter(case__in=cases))
    if not left:
        return {}
    totals = _files_by_case(Artifact.objects.originals().filter(case__in=left))
    return {case: Progress(max(0, totals.get(case, n) - n), totals.get(case, n)) for case, n in left.items()}


def _files_by_case(artifacts: ArtifactQuerySet) -> dict[int, int]:
    counted = artifacts.values("case").annotate(n=Count("pk")).values_list("case", "n")
    return {int(case or 0): int(n or 0) for case, n in counted}
