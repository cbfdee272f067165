"""Words that this program does not write: of them a reader of the field asks what is meant. Texts of the knowledge, of
pages, of scripts in the browser and of messages are looked through; keys, ids and quoted lines of tools are not.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from tests.syntax import nodes

ROOT: Final = Path(__file__).resolve().parent.parent
PLAINER: Final = {
    r"\banew\b": "again",
    r"\bmend(?:s|ed|ing)?\b": "repair, fix",
    r"\blet(?:s|ting)? go\b": "release, is free",
    r"\b(?:is|are|was|were|be) told\b": "is reported, shown",
    r"\btold (?:of|by)\b": "reported",
    r"\bcan(?:no|')t be told\b": "is unknown",
    r"\bamong them\b": "with",
    r"\bWho sets\b": "when you set",
    r"\bbreaks? off\b": "is interrupted",
    r"\bdoes not get written\b": "cannot be written",
    r"\bis not seen\b": "the dumps do not show",
    r"\ba mere \w+": "even a ...",
    r"\bstands? still\b": "is blocked",
    r"\bstands? (?:in|at|there|on|behind|beside|before|first|below|elsewhere|with)\b": "is",
    r"\b(?:goes|go) on where\b": "resumes",
    r"\bSpectrum Scale\b": "IBM Storage Scale",
    r"\bas told\b": "given",
    r"\banswers? no more\b": "does not answer",
    r"\bwithout a word\b": "silently",
    r"\b(?:is|are) put out\b": "is expelled, evicted",
    r"\bthose that vote\b": "quorum nodes",
}
QUOTED: Final = frozenset(
    (
        "source",
        "sources",
        "pattern",
        "patterns",
        "match",
        "regex",
        "texts",
        "text",
        "reason",
        "example",
        "examples",
        "id",
        "state",
    )
)
"""Keys of the knowledge whose texts are others' words."""
OF_MESSAGES: Final = frozenset(("title", "meaning", "next"))
"""Keys of the messages of tools whose texts are ours."""
TAG: Final = re.compile(
    r"\{% comment %\}.*?\{% endcomment %\}|\{[%#].*?[%#]\}|<(script|style)\b.*?</\1>|<!--.*?-->", re.DOTALL
)
WORDS_IN_SCRIPT: Final = re.compile(r"`[^`\n]*\s[^`\n]*`|\"[^\"\n]*\s[^\"\n]*\"")


def of_knowledge(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key not in QUOTED:
        yield value
    elif isinstance(value, dict):
        for inner, held in value.items():
            yield from of_knowledge(held, inner)
    elif isinstance(value, list):
        for held in value:
            yield from of_knowledge(held, key)


def of_messages(path: Path) -> Iterator[str]:
    kinds = tomllib.loads(path.read_text(encoding="utf-8")).get("kind", {})
    for kind in kinds.values():
        yield from (kind[key] for key in OF_MESSAGES & kind.keys())


def of_code(path: Path) -> Iterator[str]:
    """Texts with a blank in them that are no docstring."""
    docs = {id(node.value) for node in nodes(path, ast.Expr)}
    for node in nodes(path, ast.Constant):
        if isinstance(node.value, str) and id(node) not in docs and " " in node.value:
            yield node.value


def of_comments_removed(path: Path) -> Iterator[str]:
    lines = (line for line in path.read_text(encoding="utf-8").splitlines() if not line.lstrip().startswith("//"))
    yield from WORDS_IN_SCRIPT.findall("\n".join(lines))


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted((ROOT / "apps/diagnosis/knowledge").rglob("*.toml")):
        yield from (
            (str(path.relative_to(ROOT)), text)
            for text in of_knowledge(tomllib.loads(path.read_text(encoding="utf-8")))
        )
    for path in sorted((ROOT / "parsers/messages").rglob("*.toml")):
        yield from ((str(path.relative_to(ROOT)), text) for text in of_messages(path))
    for path in sorted((ROOT / "templates").rglob("*.*")):
        yield str(path.relative_to(ROOT)), re.sub(r"\s+", " ", TAG.sub(" ", path.read_text(encoding="utf-8")))
    for path in sorted((ROOT / "static/js").rglob("*.js")):
        yield from ((str(path.relative_to(ROOT)), text) for text in of_comments_removed(path))
    for path in sorted((ROOT / "apps").rglob("*.py")):
        if "migrations" not in path.parts and "samples" not in path.parts:
            yield from ((str(path.relative_to(ROOT)), text) for text in of_code(path))


def test_no_text_has_a_word_of_the_list() -> None:
    found = [
        f"{path}: {match[0]!r}, write {plainer!r}: \u2026{text[max(0, match.start() - 40) : match.end() + 40]}\u2026"
        for path, text in texts()
        for word, plainer in PLAINER.items()
        for match in re.finditer(word, text)
    ]
    assert not found, "\n".join(found)


@pytest.mark.parametrize("text", ["The log is told of it", "begin it anew", "once it lets go", "Spectrum Scale 5.1"])
def test_the_list_finds_what_it_names(text: str) -> None:
    assert any(re.search(word, text) for word in PLAINER)


@pytest.mark.parametrize("text", ["renewed", "amend the text", "outlets got", "the toldot", "IBM Storage Scale"])
def test_the_list_finds_no_part_of_another_word(text: str) -> None:
    assert not any(re.search(word, text) for word in PLAINER)


OF_CODE: Final = {r"\banew\b": "again", r"\bsaid so\b": "reported", r"\bas told\b": "as logged", r"\bdear\b": "costly"}
"""Words of other times that engineers would not write in a docstring, in a comment or in a document."""


def remarks(path: Path) -> Iterator[str]:
    """Docstrings and comments of a module; a document whole."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        yield text
        return
    written = "\n".join(line.partition("# ")[2] for line in text.splitlines() if "# " in line)
    for node in nodes(path, ast.Expr):
        if isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            written += f"\n{node.value.value}"
    yield written


def test_no_remark_has_a_word_of_other_times() -> None:
    places = [path for folder in ("apps", "config", "parsers", "scripts") for path in (ROOT / folder).rglob("*.py")]
    found = [
        f"{path.relative_to(ROOT)}: {match[0]!r}, write {plainer!r}"
        for path in [*places, *(ROOT / "docs").rglob("*.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
        for text in remarks(path)
        for word, plainer in OF_CODE.items()
        for match in re.finditer(word, text, re.IGNORECASE)
    ]
    assert found == []


MOST_WORDS: Final = 14
"""Of a verdict, each placeholder as one: what it says besides stands in the explanation."""


def verdicts(value: Any, key: str = "") -> Iterator[str]:
    if isinstance(value, str) and key == "verdict":
        yield value
    elif isinstance(value, dict):
        for inner, held in value.items():
            yield from verdicts(held, inner)


def test_a_verdict_is_a_sentence_of_fourteen_words() -> None:
    found = [
        f"{path.name}: {len(words)} words: {text}"
        for path in sorted((ROOT / "apps/diagnosis/knowledge").rglob("findings*.toml"))
        for text in verdicts(tomllib.loads(path.read_text(encoding="utf-8")))
        if len(words := re.sub(r"\{[^}]*\}", "X", text).split()) > MOST_WORDS
    ]
    assert not found, "\n".join(found)
