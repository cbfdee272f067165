"""The shared parts of the pages: what they show, what they leave out, and that nothing of a customer's text becomes
markup.
"""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.template import loader


def render_to_string(name: str, context: dict[str, Any] | None = None) -> str:
    """A part with each run of blanks as one blank, as a browser reads it."""
    return re.sub(r"\s+", " ", loader.render_to_string(name, context))


HOSTILE = "<img src=x onerror=alert(1)>\"'{{ 7|add:7 }}"


def _finding(**changes: Any) -> dict[str, Any]:
    finding = {
        "ref": "R5",
        "rule": "OWNERSHIP_PULL",
        "severity": "high",
        "confidence": 0.9,
        "basis": "stated",
        "title": "Node b pulls from node a",
        "explanation": "Each inode moves.",
        "nodes": ["a", "b"],
        "time_text": "09:00:10 – 09:01:00",
        "figures": [],
        "evidence": [],
        "disproved_by": "g stays at 0",
        "confidence_parts": [{"name": "Evidence", "value": 0.9, "why": "two dumps"}],
        "anchor": "finding-1",
    }
    return finding | changes


def _line(**changes: Any) -> dict[str, Any]:
    return {
        "path": "b/dump.txt",
        "line": 41250,
        "last_line": None,
        "text": "vxi_hlockgrant   7",
        "url": "/file/?line=41250#L41250",
    } | changes


def test_evidence_opens_the_line_where_the_reader_may_see_files() -> None:
    page = render_to_string("components/_finding.html", {"finding": _finding(evidence=[_line()])})
    assert (
        '<a class="address" href="/file/?line=41250#L41250" title="b/dump.txt"><bdi>b/dump.txt:41250</bdi></a>' in page
    )


def test_evidence_is_no_link_where_the_reader_may_not() -> None:
    page = render_to_string("components/_finding.html", {"finding": _finding(evidence=[_line(url=None)])})
    assert "b/dump.txt:41250" in page
    assert "href" not in page


def test_a_range_of_lines_is_shown_as_one() -> None:
    page = render_to_string("components/_evidence.html", {"evidence": [_line(last_line=41252), _line(last_line=41250)]})
    assert "b/dump.txt:41250–41252<" in page
    assert "b/dump.txt:41250<" in page


@pytest.mark.parametrize("field", ["title", "explanation", "rule", "basis", "disproved_by", "time_text"])
def test_text_of_a_finding_is_escaped(field: str) -> None:
    page = render_to_string("components/_finding.html", {"finding": _finding(**{field: HOSTILE})})
    assert "<img" not in page
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "{{ 7|add:7 }}" in page


def test_a_command_is_kept_as_it_is_in_text_and_in_the_copy_button() -> None:
    page = render_to_string("components/_command.html", {"command": 'echo "a" > /tmp/b & c'})
    escaped = "echo &quot;a&quot; &gt; /tmp/b &amp; c"
    assert f"<code>{escaped}</code>" in page
    assert f'data-copy="{escaped}"' in page


def test_a_tuning_names_what_is_unknown_instead_of_a_value() -> None:
    tuning = dict.fromkeys(
        ["scope", "current", "status", "persist", "caution", "way_back", "verify", "since", "why", "basis"]
    )
    page = render_to_string(
        "components/_tuning.html",
        {"tuning": tuning | {"id": "t", "parameter": "p", "recommended": 0, "commands": [], "sources": []}},
    )
    assert "not seen" in page
    assert "→ 0" in page
    assert "None" not in page


def test_a_verdict_without_confidence_says_none() -> None:
    verdict = {
        "title": "Nothing waits long",
        "severity": "none",
        "confidence": None,
        "sub": "",
        "tunings_n": 0,
        "applied_n": 0,
    }
    page = render_to_string("components/_verdict.html", {"verdict": verdict})
    assert "Confidence" not in page
    assert "None" not in page
    assert ">ok<" in page


def test_the_case_head_marks_the_present_tab_only() -> None:
    tabs = [
        {"name": name, "label": name, "url": f"/{name}/", "count": None, "is_current": name == "files"}
        for name in ("timeline", "files")
    ]
    page = render_to_string(
        "components/_case_head.html",
        {
            "head": {
                "title": HOSTILE,
                "crumbs": [],
                "chips": [],
                "actions": [],
                "menu": [],
                "tabs": tabs,
                "back_url": "/",
            }
        },
    )
    assert page.count('aria-current="page"') == 1
    assert '<a href="/files/" data-tab="files" aria-current="page">' in page
    assert "<img" not in page


@pytest.mark.parametrize("name", ["404", "403", "500"])
def test_error_pages_need_no_context(name: str) -> None:
    page = render_to_string(f"web/{name}.html")
    assert "<h1>" in page
    assert "Sign out" not in page
