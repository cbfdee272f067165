"""The search over all cases that one may see: names, sentences, files, notes. Every word must occur; ``node:name``
looks at one kind.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from django.db.models import Count, Q, QuerySet
from django.http import QueryDict
from django.urls import reverse
from django.utils.http import urlencode

from apps.accounts.models import User
from apps.cases.models import Case, Note
from apps.cases.notes.markdown import first_words
from apps.cases.page.wallclock import window_text, zone_text
from apps.diagnosis.models import SearchDocument
from apps.diagnosis.pages.context import line_url
from apps.diagnosis.pages.search.trigrams import containing
from parsers.dataclass import dataclass

Kind = SearchDocument.Kind
NOTE: Final = "note"
CASE: Final = "case"
WORDS: Final = 8
TEXT_CHARS: Final = 200
SHOWN: Final = 100
LEAST_CHARS: Final = 2
NAMES: Final[dict[str, str]] = {
    CASE: "cases", Kind.NODE: "nodes", Kind.FINDING: "findings", Kind.TUNING: "tunings",
    Kind.WAITER_KIND: "waiter kinds", Kind.MESSAGE: "messages",
    Kind.REASON: "wait reasons", Kind.THREAD: "threads", Kind.OBJECT: "locks and disks",
    Kind.EVIDENCE: "evidence lines",
    Kind.FILE: "files", Kind.PROBLEM: "problems", Kind.SHAPE: "lines not understood", NOTE: "notes",
}  # fmt: skip
PREFIXES: Final = {"waiter": Kind.REASON, **{str(name): name for name in NAMES}}


@dataclass(frozen=True, slots=True)
class SearchQuery:
    """What the address asks for."""

    text: str
    words: tuple[str, ...]
    kind: str

    @classmethod
    def from_query(cls, query: QueryDict) -> SearchQuery:
        """A word with a known prefix chooses the kind; any other colon belongs to the word."""
        text = query.get("q", "").replace("\0", "")[:TEXT_CHARS].strip()
        kind = query.get("kind", "")
        words = []
        for word in text.lower().split()[:WORDS]:
            prefix, colon, rest = word.partition(":")
            if colon and prefix in PREFIXES:
                kind, word = PREFIXES[prefix], rest
            if word:
                words.append(word)
        return cls(text, tuple(words), kind if kind in NAMES else "")

    @property
    def is_enough(self) -> bool:
        """One letter alone is in everything."""
        return any(len(word) >= LEAST_CHARS for word in self.words)

    def address(self, kind: str) -> str:
        """The same words in another kind."""
        plain = " ".join(
            word for word in self.text.split() if word.partition(":")[0].lower() not in PREFIXES or ":" not in word
        )
        words = plain or " ".join(self.words)
        return "?" + urlencode({key: value for key, value in {"q": words, "kind": kind}.items() if value})


def search(user: User, query: SearchQuery) -> dict[str, Any]:
    """Results with their addresses, and how many each kind has. Nothing of a case that the user may not see, nor its
    number.
    """
    if not query.is_enough:
        return {"rows": [], "chips": [], "total": 0}
    cases = Case.objects.visible_to(user).live()
    documents = _documents(cases, query)
    notes, found = _notes(cases, query), _cases(cases, query)
    counts: dict[str, int] = dict(documents.order_by().values_list("kind").annotate(n=Count("pk")))
    counts |= {NOTE: notes.count(), CASE: found.count()}
    total = sum(counts.values())
    kinds = [name for name in NAMES if counts.get(name) and query.kind in ("", name)]
    rows = list(_rows(documents, notes, found, kinds, SHOWN if query.kind else SHOWN // 4))
    return {
        "rows": [_with_case(row) for row in rows[:SHOWN]],
        "chips": _chips(query, counts, total),
        "total": counts.get(query.kind, 0) if query.kind else total,
    }


def _with_case(row: dict[str, Any]) -> dict[str, Any]:
    """When the data of its case are from."""
    case: Case = row["case"]
    zone = zone_text(case.zone_name, case.zone_min)
    date, times = window_text(case.window_start_us, case.window_end_us, zone)
    return {**row, "date": date, "times": times}


def _chips(query: SearchQuery, counts: dict[str, int], total: int) -> list[dict[str, Any]]:
    chips = [{"label": "all", "strong": str(total), "url": query.address(""), "is_on": not query.kind}]
    return chips + [
        {"label": label, "strong": str(counts[kind]), "url": query.address(kind), "is_on": kind == query.kind}
        for kind, label in NAMES.items()
        if counts.get(kind) or (kind == query.kind and counts.setdefault(kind, 0) == 0)
    ]


def _documents(cases: Any, query: SearchQuery) -> QuerySet[SearchDocument]:
    rows = SearchDocument.objects.filter(case__in=cases)
    for word in query.words:
        rows = containing(rows, word)
    return rows


def _notes(cases: Any, query: SearchQuery) -> QuerySet[Note]:
    rows = Note.objects.filter(case__in=cases)
    for word in query.words:
        rows = rows.filter(text__icontains=word)
    return rows


def _cases(cases: Any, query: SearchQuery) -> QuerySet[Case]:
    wanted = Q()
    for word in query.words:
        wanted &= Q(search_text__contains=word)
    found: QuerySet[Case] = cases.filter(wanted)
    return found


def _rows(
    documents: QuerySet[SearchDocument], notes: QuerySet[Note], cases: QuerySet[Case], kinds: list[str], most: int
) -> Iterator[dict[str, Any]]:
    """Cases first, then their parts in the order of the kinds, those of the latest case first. Kinds without a find are
    not asked for.
    """
    if CASE in kinds:
        yield from (_case_row(case) for case in cases.defer("search_text").order_by("-updated_at")[:SHOWN])
    for name in kinds:
        if name in (CASE, NOTE):
            continue
        rows = documents.filter(kind=name).select_related("case", "artifact").defer("case__search_text")
        yield from (_document_row(row) for row in rows.order_by("-case__updated_at", "pk")[:most])
    if NOTE in kinds:
        yield from (_note_row(note) for note in notes.select_related("case", "author").order_by("-created_at")[:SHOWN])


def _case_row(case: Case) -> dict[str, Any]:
    return {
        "kind": "case",
        "case": case,
        "text": case.title,
        "sub": case.verdict,
        "url": reverse("diagnosis:timeline", args=[case.key]),
    }


def _document_row(row: SearchDocument) -> dict[str, Any]:
    place = (
        f"{row.artifact.path}:{row.line}" if row.artifact and row.line else row.artifact.path if row.artifact else ""
    )
    sub = place if place and place != row.text else ""
    return {
        "kind": row.get_kind_display(),
        "case": row.case,
        "text": row.text,
        "sub": sub,
        "count": row.count,
        "url": _address(row),
    }


def _address(row: SearchDocument) -> str:
    """The line where there is one; else the page that shows it."""
    key = row.case.key
    if row.kind == Kind.FINDING:
        return f"{reverse('diagnosis:timeline', args=[key])}#{row.anchor}"
    if row.artifact_id:
        return (
            line_url(row.case, row.artifact_id, row.line)
            if row.line
            else reverse("cases:file", args=[key, row.artifact_id])
        )
    if row.kind == Kind.NODE:
        return f"{reverse('diagnosis:waiters', args=[key])}?{urlencode({'node': row.name})}"
    if row.kind == Kind.OBJECT:
        return reverse("diagnosis:graph", args=[key])
    return reverse("cases:files" if row.kind == Kind.PROBLEM else "diagnosis:timeline", args=[key])


def _note_row(note: Note) -> dict[str, Any]:
    who = str(note.author) if note.author else ""
    return {
        "kind": "note",
        "case": note.case,
        "text": first_words(note.text),
        "sub": who,
        "url": f"{reverse('cases:notes', args=[note.case.key])}#note-{note.pk}",
    }
