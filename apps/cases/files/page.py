"""Everything a file page shows beside its lines: sections, marked findings, search, where one can go from here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from apps.cases import storage
from apps.cases.files.line_words import Word, line_words
from apps.cases.files.marks import MarkedFinding, line_marks, mark_starts, marked_findings
from apps.cases.files.sections import SectionRow, not_understood_between, sections_of
from apps.cases.files.window import HITS, LINE_BYTES, WINDOW, FileQuery, search, view_lines
from apps.cases.models import Artifact, Case
from apps.cases.page.wallclock import moment_text
from apps.cases.storage.textblob import Found, TextBlob
from apps.web.templatetags.lockscope import percent, size_text, thousands
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class SectionView:
    section: SectionRow
    marks_n: int
    is_current: bool
    url: str


@dataclass(frozen=True, slots=True)
class SearchView:
    hits: list[int]
    position: int | None
    is_more: bool
    """More hits than are counted, or text left to look through."""
    previous: str
    next: str
    go_on: str


def file_context(case: Case, artifact: Artifact, source: Artifact, query: FileQuery) -> dict[str, Any]:
    sections = sections_of(source)
    findings = marked_findings(case, source)
    context: dict[str, Any] = {
        "query": query,
        "chips": _chips(artifact, source, sections),
        "findings": findings,
        "marks": mark_starts(findings),
        "marks_n": sum(len(finding.marks) for finding in findings),
        "lines_url": _lines_url(case, artifact, query),
        "lines": [],
    }
    if source.blob:
        with storage.open_file(source.blob) as file:
            context |= _text_context(TextBlob.open(file), source, query, findings)
    line = context.get("here", 1)
    context["sections"] = _section_views(sections, findings, line)
    return context


def _text_context(
    blob: TextBlob, source: Artifact, query: FileQuery, findings: Sequence[MarkedFinding]
) -> dict[str, Any]:
    found = search(blob, query)
    here = query if query.first or query.start or not (found and found.lines) else query.at(found.lines[0])
    first = here.window_start(blob.lines_total)
    raw = blob.lines(first, WINDOW, line_bytes=LINE_BYTES)
    last = first + len(raw) - 1
    starts = mark_starts(findings)
    at = here.first or first
    return {
        "lines": view_lines(raw, here, line_marks(findings, first, last), not_understood_between(source, first, last)),
        "first": first,
        "last": last,
        "here": at,
        "lines_total": blob.lines_total,
        "text_bytes": blob.text_bytes,
        "earlier_url": _address(query, start=max(1, first - WINDOW)) if first > 1 else "",
        "later_url": _address(query, start=last + 1) if last < blob.lines_total else "",
        "previous_mark": _line_address(query, max((mark for mark in starts if mark < at), default=None)),
        "next_mark": _line_address(query, min((mark for mark in starts if mark > at), default=None)),
        "search": _search_view(found, query, here.first),
        "chosen": here.range_text,
        "words": _chosen_words(raw, here.first),
    }


def _chosen_words(raw: Sequence[tuple[int, bytes]], line: int | None) -> list[Word]:
    """The chosen line in words, for readers without JavaScript too."""
    text = next((text for number, text in raw if number == line), b"")
    return line_words(text.decode("utf-8", "replace"))


def _search_view(found: Found | None, query: FileQuery, at: int | None) -> SearchView | None:
    if found is None:
        return None
    before = [line for line in found.lines if at is not None and line < at]
    after = [line for line in found.lines if at is None or line > at]
    return SearchView(
        hits=found.lines,
        position=found.lines.index(at) + 1 if at in found.lines else None,
        is_more=found.next_line is not None or len(found.lines) >= HITS,
        previous=_line_address(query, before[-1] if before else None),
        next=_line_address(query, after[0] if after else None),
        go_on=_address(query, search_from=found.next_line) if found.next_line is not None else "",
    )


def _line_address(query: FileQuery, line: int | None) -> str:
    return "" if line is None else f"{_address(query, line=line)}#L{line}"


def _address(query: FileQuery, **place: int | None) -> str:
    pairs: list[tuple[str, str | int]] = [("q", query.needle)] if query.needle else []
    pairs += [("case", "1")] if query.is_case_kept else []
    pairs += [("search_from", query.search_from)] if query.search_from > 1 and "search_from" not in place else []
    pairs += [(name, number) for name, number in place.items() if number is not None]
    return f"?{urlencode(pairs)}"


def _lines_url(case: Case, artifact: Artifact, query: FileQuery) -> str:
    kept = _address(query)
    return f"{reverse('cases:file_lines', args=[case.key, artifact.pk])}{kept if query.needle else ''}"


def _section_views(sections: Sequence[SectionRow], findings: Sequence[MarkedFinding], line: int) -> list[SectionView]:
    starts = mark_starts(findings)
    return [
        SectionView(
            section=section,
            marks_n=sum(section.first_line <= mark <= section.last_line for mark in starts),
            is_current=section.first_line <= line <= section.last_line,
            url=f"?line={section.first_line}#L{section.first_line}",
        )
        for section in sections
    ]


def _chips(artifact: Artifact, source: Artifact, sections: Sequence[SectionRow]) -> list[dict[str, Any]]:
    chips: list[dict[str, Any]] = [{"label": source.get_state_display()}]
    chips += [{"label": "node", "strong": node} for node in source.nodes[:3]]
    zone = next((section.zone_name for section in sections if section.zone_name), "")
    if captured := moment_text(source.captured_us, zone or ""):
        chips.append({"label": "captured", "strong": captured})
    lines = f" · {thousands(source.lines_total)} lines" if source.lines_total is not None else ""
    chips.append({"label": f"{size_text(artifact.size)}{lines}"})
    if source.parser_version:
        chips.append({"label": "read by version", "strong": source.parser_version})
    if source.lines_total and source.lines_not_understood is not None:
        chips.append(
            {
                "label": (
                    f"{percent(1 - source.lines_not_understood / source.lines_total)} of the lines understood "
                    "or without data"
                )
            }
        )
    return chips
