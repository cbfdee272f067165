"""A verdict has at most fourteen words once names and figures are filled in: a name, a quantity, a quotation is one.

Every text that a test gives to ``cluster_texts.diagnosis_of`` is measured there; here are the samples of all formats.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from apps.diagnosis.engine.core.words.filling import printed
from apps.diagnosis.engine.core.words.wording import brief, words
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.part import part

FIXTURES: Final = Path(__file__).parent.parent / "fixtures" / "parsers"
IN_A_RUN: Final = 80
FORMATS: Final = sorted(path.name for path in FIXTURES.iterdir() if path.is_dir())


@pytest.mark.parametrize("name", part(FORMATS, IN_A_RUN, "verdicts"))
def test_a_sample_of_a_format_has_a_short_verdict(name: str, tmp_path: Path) -> None:
    for path in sorted((FIXTURES / name).glob("typical*.txt")):
        text = path.read_text(encoding="utf-8", errors="replace")
        assert verdict_in(diagnosis_of(tmp_path / path.stem, text)).title


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("c7 waits 4 m 05 s for disk dm-3", 6),
        ("tar [3088] on tern2 holds glock 2/3a (inode 19728)", 7),
        ("a, b, c and d left node 3 at 3 Dec 2025 00:11:32", 7),
        ("no reader for \u201cmmlsdisk all -L\u201d, 25\u2009129 rows (99.1\u00a0% full)", 8),
        ("Requests took 1.6 s, others 6.22 ms \u2192 2 links", 7),
    ],
)
def test_names_and_quantities_are_one_word_each(text: str, length: int) -> None:
    assert words(text) == length, text


@pytest.mark.parametrize(
    ("text", "shorter"),
    [
        ("one two three four five; six seven", "one two three four five"),
        ("one two three four five, which six seven", "one two three four five"),
        ("one two three four five (six seven)", "one two three four five"),
        ("one two three four", "one two three four"),
        ("one two; three four five six", "one two; three four five six"),  # hardly anything would be left
        ("one, two, three four five six", "one, two, three four five six"),  # no clause ends there
    ],
)
def test_clauses_at_the_end_give_way(text: str, shorter: str) -> None:
    assert brief(text, 5) == shorter


def test_a_process_of_a_node_without_a_name_is_its_number() -> None:
    assert printed("post2:28417", "process") == "post2:28417"
    assert printed(":28417", "process") == "pid 28417"
