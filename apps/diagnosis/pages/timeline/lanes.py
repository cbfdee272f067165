"""The lanes of a case as its page and its scripts take them, kept from one reader to the next."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Hashable
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.http import QueryDict
from django.urls import reverse

from apps.cases.models import Case, Note
from apps.cases.notes.markdown import first_words
from apps.diagnosis.models import Diagnosis
from apps.diagnosis.pages.context import line_urls
from apps.diagnosis.pages.kept_parts import html, of_diagnosis
from apps.diagnosis.pages.timeline.clock_shift import shift_context
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from apps.diagnosis.pages.timeline.untimed import untimed
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class Answer:
    """JSON, and the mark by which a browser asks whether it is still the same."""

    text: str
    etag: str


def lanes_card(case: Case, diagnosis: Diagnosis, query: QueryDict) -> str:
    """diagnosis/_timeline_card.html of the window that the address names; empty where there is nothing to draw."""
    notes = _notes(case)
    words = _words(notes)
    return of_diagnosis(
        case, diagnosis, "lanes", query, lambda: _card(case, diagnosis, query, notes), case.may_edit, words
    )


def lanes_answer(case: Case, diagnosis: Diagnosis, query: QueryDict) -> Answer:
    """Lanes of a window, for the scripts of the page."""
    notes = _notes(case)
    return of_diagnosis(
        case, diagnosis, "lanes.json", query, lambda: _answer(case, diagnosis, query, notes), _words(notes)
    )


def _notes(case: Case) -> list[Note]:
    return list(Note.objects.filter(case=case).pinned_to_moments())


def _words(notes: list[Note]) -> Hashable:
    """What lanes show of notes; they are written and changed while the diagnosis stays."""
    return tuple((note.pk, note.at_us, first_words(note.text)) for note in notes)


def _card(case: Case, diagnosis: Diagnosis, query: QueryDict, notes: list[Note]) -> str:
    first = _lanes(case, diagnosis, query, notes)
    ends = ("start", "end")
    without = untimed(diagnosis, line_urls(case))
    if without is None and not first["lanes"] and all(first["window"][end] == first["whole"][end] for end in ends):
        return ""
    context = {
        "first": first,
        "untimed": without,
        "may_note": case.may_edit,
        "lanes_url": reverse("diagnosis:timeline_json", args=[case.key]),
        "evidence_url": reverse("diagnosis:evidence", args=[case.key]),
        **shift_context(diagnosis, query),
    }
    return html("diagnosis/_timeline_card.html", context)


def _answer(case: Case, diagnosis: Diagnosis, query: QueryDict, notes: list[Note]) -> Answer:
    text = json.dumps(_lanes(case, diagnosis, query, notes), cls=DjangoJSONEncoder)
    return Answer(text, f'"{hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:32]}"')


def _lanes(case: Case, diagnosis: Diagnosis, query: QueryDict, notes: list[Note]) -> dict[str, Any]:
    return timeline(case, diagnosis, window_from(query, diagnosis), line_url=line_urls(case), notes=notes)
