"""No pattern is fitted to a reference text: what the code looks for holds no phrase that somebody wrote there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from parsers.line_kinds import is_prose
from tests.references import reference

ROOT = Path(__file__).resolve().parents[1]
READ_PROSE = (
    "parsers/prose/claims.py", "parsers/prose/figures.py", "parsers/formats/prose",
    "apps/diagnosis/engine/core/facts/claims.py",
    "apps/diagnosis/engine/prose",
    "apps/diagnosis/engine/gfs2/stated_scans.py", "apps/diagnosis/engine/gfs2/rules/workload.py",
    "apps/diagnosis/engine/gfs2/rules/posix.py",
)  # fmt: skip
"""Where people's sentences are read: two words in a row are looked at. Elsewhere in the folders below it
takes three.
"""
NEAR_IT = (
    "parsers/line_kinds.py",
    "parsers/documents/line_marks.py",
    "apps/diagnosis/engine/gfs2",
    "apps/diagnosis/engine/storage",
)
TERMS = frozenset(
    (("file", "system"), ("file", "systems"), ("lock", "nolock"), ("ping", "pong"), ("reads", "writes"),
        ("time", "time"),
     ("times", "faster"), ("more", "than"))
)  # fmt: skip
"""Words of the trade and of grammar that stand side by side in any text."""
SEARCHES = frozenset(("compile", "startswith", "endswith", "contains", "search", "match", "fullmatch", "is_in", "find"))
LEAST_LETTERS = 4


def words_of(text: str) -> list[str]:
    """The longer words of a text, without what makes a pattern of them."""
    plain = re.sub(r"\\[a-zA-Z]|\(\?P?<?\w*[>:!=]?", " ", text)
    return [word.lower() for word in re.findall(r"[A-Za-z]+", plain) if len(word) >= LEAST_LETTERS]


def phrases(text: str, length: int) -> set[tuple[str, ...]]:
    words = words_of(text)
    return {tuple(words[at : at + length]) for at in range(len(words) - length + 1)} - TERMS


def looked_for(source: str) -> Iterator[str]:
    """Texts that are compiled to patterns, searched in a text, compared with one or kept as a constant."""
    for node in ast.walk(ast.parse(source)):
        for part in compared(node):
            yield from (
                one.value for one in ast.walk(part) if isinstance(one, ast.Constant) and isinstance(one.value, str)
            )


def compared(node: ast.AST) -> list[ast.expr]:
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in SEARCHES:
        return list(node.args)
    if isinstance(node, ast.Compare):
        return [node.left, *node.comparators]
    if isinstance(node, ast.AnnAssign) and node.value is not None and ast.unparse(node.annotation).startswith("Final"):
        return [node.value]
    return []


def written(article: str, length: int) -> set[tuple[str, ...]]:
    """Phrases of the sentences of a text; what tools print is left out."""
    lines = (line.lstrip("> \t") for line in article.splitlines())
    return phrases(" ".join(line if is_prose(line) else "0" for line in lines), length)


def test_a_phrase_in_a_pattern_is_seen() -> None:
    pattern = r"\b(?:cluster )?(?:gets|goes) steadily downhill\b"
    assert list(looked_for(f"import re\nX = re.compile(r'{pattern}')\nY = 'plain text in no place'\n")) == [pattern]
    assert ("steadily", "downhill") in phrases(pattern, 2)
    article = (
        "Over the last few weeks it all goes steadily downhill here.\n> > Nobody knows why this is so.\n"
        "/dev/sdb 12 14 0.3\n"
    )
    assert phrases(pattern, 3) & written(article, 3) == {("goes", "steadily", "downhill")}


@pytest.mark.parametrize(
    ("place", "length"), [*((place, 2) for place in READ_PROSE), *((place, 3) for place in NEAR_IT)]
)
def test_no_pattern_holds_a_phrase_of_a_reference_text(place: str, length: int) -> None:
    known = {
        path.name: written(path.read_text(errors="replace"), length)
        for path in sorted(reference("articles").glob("*.txt"))
    }
    assert known
    top = ROOT / place
    found = [
        f"{path.relative_to(ROOT)}: {' '.join(phrase)} ({name})"
        for path in ([top] if top.is_file() else sorted(top.rglob("*.py")))
        for text in looked_for(path.read_text())
        for name, there in known.items()
        for phrase in phrases(text, length) & there
    ]
    assert found == []


FIGURES = re.compile(r"\d{3}")
LEAST_OF_A_LINE = 28


def sample_lines(source: str) -> Iterator[str]:
    """Lines of texts of several lines that hold figures, as they are long enough to be somebody's."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "\n" in node.value:
            lines = (" ".join(line.split()) for line in node.value.splitlines())
            yield from (line for line in lines if len(line) >= LEAST_OF_A_LINE and FIGURES.search(line))


def test_no_sample_is_a_line_of_a_reference_text() -> None:
    """Names and figures of samples in docstrings are invented, as those of fixtures."""
    known = {
        path.name: " ".join(path.read_text(errors="replace").split()) for path in reference("articles").glob("*.txt")
    }
    assert known
    found = [
        f"{path.relative_to(ROOT)}: {line} ({name})"
        for folder in ("parsers", "apps")
        for path in sorted((ROOT / folder).rglob("*.py"))
        for line in sample_lines(path.read_text(encoding="utf-8"))
        for name, text in known.items()
        if line in text
    ]
    assert found == []
