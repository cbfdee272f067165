"""The short way to the parser of a line finds the same as asking every claim in turn."""

from __future__ import annotations

import re
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

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
    assert dispatch.find(text) == next((pattern for pattern in PATTERNS if re.match(pattern, text)), None)
