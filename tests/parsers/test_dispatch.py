"""The short way to the parser of a line finds the same as asking every claim in turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers import dispatch as module
from parsers.alternatives import Alternative, alternatives
from parsers.dispatch import Dispatch
from parsers.registry import claimed, parsers
from tests.every import every
from tests.parsers.golden import case_id, cases


def in_turn(text: str) -> str | None:
    stripped = text.lstrip()
    return next((p.name for p in parsers().values() if stripped and re.match(p.claims, stripped)), None)


@every(cases(), case_id)
def test_every_line_of_the_samples_goes_to_the_same_parser(sample: Path) -> None:
    for line in sample.read_text(encoding="utf-8", errors="replace").splitlines()[:400]:
        found = claimed(line)
        assert (found.name if found else None) == in_turn(line), line


PIECES = st.lists(st.sampled_from(["ab", "abc", "b", "x1", " ", "Z", "c:", "é", "7"]), max_size=5).map("".join)
PATTERNS = (
    r"abc?:|Z\d",
    r"(?:ab|b){1,3} x",
    r"[a-c]{0,2}7",
    r"(?i:AB)c",
    r"\w+ 7",
    r"(?:x1|Z)(?: |c:)",
    r"(?=ab)\S+",
    r"é",
)


@given(PIECES.filter(bool))
def test_patterns_of_every_build_are_tried_where_they_match(text: str) -> None:
    dispatch = Dispatch((pattern, pattern) for pattern in PATTERNS)
    for _ in range(3):
        assert dispatch.find(text) == next((pattern for pattern in PATTERNS if re.match(pattern, text)), None)


@pytest.fixture
def _frequent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line goes the way of lines that begin like many others."""
    monkeypatch.setattr(module, "FREQUENT", 1)


@pytest.mark.usefixtures("_frequent_at_once")
def test_frequent_lines_go_to_the_same_parser() -> None:
    dispatch = Dispatch((p.claims, p.name) for p in parsers().values())
    lines = [line.lstrip() for path in cases() for line in path.read_text("utf-8", "replace").splitlines()[:200]]
    for line in filter(None, lines):
        first, again = dispatch.find(line), dispatch.find(line)
        assert first == again == in_turn(line), line


def begins(one: Alternative) -> str:
    return "".join(sorted(one.begins)) if len(one.begins) < 20 else "many"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (r"(?:ab|c)|\d x", [("ab", "a", ()), ("c", "c", ()), (r"\d x", "0123456789", ())]),
        (r"(?:[|)]|\(x)y", [(r"(?:[|)]|\(x)y", "()|", ())]),
        (r"(?:a|b)(?:c|d)", [(r"(?:a|b)(?:c|d)", "ab", ())]),
        (r"\S{1,80} (?:ENABLED|off-line)\b", [(r"\S{1,80} (?:ENABLED|off-line)\b", "many", ("enabled", "off-line"))]),
        (r"\S{1,80} (?:ENABLED)?", [(r"\S{1,80} (?:ENABLED)?", "many", ())]),
        (r"(?=Name|Open)(?=.{0,9}Stat)\S", [(r"(?=Name|Open)(?=.{0,9}Stat)\S", "NO", ("stat",))]),
        (r"(?!x)[yz]?", [(r"(?!x)[yz]?", "many", ())]),
        (r"(?i:k)no", [(r"(?i:k)no", "Kk", ("kno",))]),
        (r"[^\n]{0,5}tail", [(r"[^\n]{0,5}tail", "many", ("tail",))]),
    ],
)
def test_what_is_known_of_a_pattern(pattern: str, expected: list[tuple[str, str, tuple[str, ...]]]) -> None:
    assert [(one.pattern, begins(one), one.needles) for one in alternatives(pattern)] == expected
