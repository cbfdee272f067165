"""The short way to the parser of a line finds the same as asking every claim in turn."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parsers.lookup import claimed, parsers
from parsers.patterns import dispatch as module
from parsers.patterns.alternatives import Alternative, alternatives
from parsers.patterns.digits import loosened, tells_digits
from parsers.patterns.dispatch import Dispatch
from tests.every import every
from tests.parsers.golden import case_id, cases
from tests.part import part

IN_A_RUN = 600
"""Lines of the samples that are asked of every claim in turn once more."""


CLAIMS = [(one.name, re.compile(one.claims)) for one in parsers().values()]
OF_A_SAMPLE = 60
"""Of the lines of each, so many are looked at in a run."""


def in_turn(text: str) -> str | None:
    stripped = text.lstrip()
    return next((name for name, claims in CLAIMS if stripped and claims.match(stripped)), None)


@every(cases(), case_id)
def test_every_line_of_the_samples_goes_to_the_same_parser(sample: Path) -> None:
    lines = sample.read_text(encoding="utf-8", errors="replace").splitlines()[:400]
    for line in part(lines, OF_A_SAMPLE, "lines", case_id(sample)):
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
    r"[07]b",
    r"\w(?!7)\w1",
    r"[^1x] [17]",
)


@given(PIECES.filter(bool))
def test_patterns_of_every_build_are_tried_where_they_match(text: str) -> None:
    dispatch = Dispatch((pattern, pattern) for pattern in PATTERNS)
    for _ in range(3):
        assert dispatch.find(text) == next((pattern for pattern in PATTERNS if re.match(pattern, text)), None)


@given(PIECES.filter(bool))
def test_what_is_prepared_gives_the_same(text: str) -> None:
    prepared = Dispatch((pattern, pattern) for pattern in PATTERNS)
    prepared.prepare("0abxZ")
    assert prepared.find(text) == Dispatch((pattern, pattern) for pattern in PATTERNS).find(text)


@pytest.fixture
def _frequent_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every line goes the way of lines that begin like many others."""
    monkeypatch.setattr(module, "FREQUENT", 1)


@pytest.mark.usefixtures("_frequent_at_once")
def test_frequent_lines_go_to_the_same_parser() -> None:
    dispatch = Dispatch((p.claims, p.name) for p in parsers().values())
    lines = [line.lstrip() for path in cases() for line in path.read_text("utf-8", "replace").splitlines()[:200]]
    for line in part([*filter(None, dict.fromkeys(lines))], IN_A_RUN, "frequent lines"):
        first, again = dispatch.find(line), dispatch.find(line)
        assert first == again == in_turn(line), line


@pytest.mark.usefixtures("_frequent_at_once")
@given(st.lists(PIECES.filter(bool), max_size=12))
def test_lines_of_one_shape_go_each_to_its_own_pattern(texts: list[str]) -> None:
    dispatch = Dispatch((pattern, pattern) for pattern in PATTERNS)
    alike = [other for text in texts for other in (text, text.replace("7", "1"), text.replace("1", "0"))]
    for text in alike:
        assert dispatch.find(text) == next((pattern for pattern in PATTERNS if re.match(pattern, text)), None)


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


@pytest.mark.parametrize(
    ("pattern", "tells", "loose"),
    [
        (r"\d{1,8} [a-z]{2}", False, r"\d{1,8} [a-z]{2}"),
        (r"[a-f\d]{4} \S\w\D", False, r"[a-f\d]{4} \S\w\D"),
        (r"sd[a-z]\d{1,3} [01] v4", True, r"sd[a-z]\d{1,3} [01\d] v\d"),
        (r"(?:ext[234]|x{2})(?=5)", True, r"(?:ext[234\d]|x{2})(?=\d)"),
        (r"(?!0)\d", True, r"\d"),
        (r"a(?!(?:x|(?<!y)2)-)[12](?!z)", True, r"a[12\d](?!z)"),
        (r"(?>1|\d2)", True, None),
        (r"[0-9]\d", False, r"[0-9\d]\d"),
        (r"[^0] 7", True, None),
        (r"\x31", True, None),
        (r"(\w)\1", True, None),
        (r"(?P<node2>\w)x1", True, r"(?P<node2>\w)x\d"),
        (r"(?P<node2>\w)(?P=node2)", True, None),
    ],
)
def test_what_a_pattern_makes_of_digits(pattern: str, tells: bool, loose: str | None) -> None:
    assert (tells_digits(pattern), loosened(pattern)) == (tells, loose)


@pytest.mark.usefixtures("_frequent_at_once")
def test_shapes_of_hostile_lines_are_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_SHAPES", 3)
    dispatch = Dispatch([("a[b-z]", "long"), ("a", "short")])
    for letter in "abcdefgh":
        assert dispatch.find(f"a{letter}") == ("short" if letter == "a" else "long")
        assert len(dispatch._shapes) <= 3


@given(st.lists(st.sampled_from(["a", "ab", "abc", "bc", "b c", "cab", "é"]), max_size=3).map(tuple), PIECES)
def test_the_needles_of_a_text_are_found_in_one_pass(needles: tuple[str, ...], text: str) -> None:
    rows = [needles, ("ab",), ("bc", "x1"), (), ("c:",)]
    held = {row for row, own in enumerate(rows) if any(needle in text for needle in own)}
    assert module._NeedleFinder(rows).rows(text) == held
