"""Writes apps/sharing/words.txt: the words that the program itself knows, which a masked text may keep.

They come from the knowledge files and from the texts inside parsers and engine, never from a dump. `python -m scripts.vocabulary`.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

BASE = Path(__file__).resolve().parent.parent
TARGET = BASE / "apps" / "sharing" / "words.txt"
WORD = re.compile(r"[A-Za-z][A-Za-z0-9]*")
ESCAPE = re.compile(r"\\[A-Za-z]|\(\?P?<\w+>|\(\?[a-z]+[:)]")
LEAST = 2
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
NOT_OURS = frozenset(("source",))
"""Values that quote where something was read: they may name people and sites."""


def texts_of_toml(value: Any, name: str = "") -> Iterator[str]:
    """Keys and texts, without what only says where a row comes from."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            yield from texts_of_toml(inner, key)
    elif isinstance(value, list):
        for inner in value:
            yield from texts_of_toml(inner, name)
    elif isinstance(value, str) and name not in NOT_OURS:
        yield value


def texts_of_code(path: Path) -> Iterator[str]:
    """String constants, without docstrings: those show samples of real dumps."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    docs = {id(node.body[0].value) for node in ast.walk(tree) if isinstance(node, DOCUMENTED) and _has_docstring(node)}  # type: ignore[attr-defined]
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs:
            yield ESCAPE.sub(" ", node.value)


def _has_docstring(node: Any) -> bool:
    return bool(node.body) and isinstance(node.body[0], ast.Expr) and isinstance(node.body[0].value, ast.Constant)


def words(texts: Iterable[str]) -> set[str]:
    """Each word as it stands, and the parts of words put together."""
    found: set[str] = set()
    for text in texts:
        for word in WORD.findall(text):
            found.add(word.casefold())
            found.update(part.casefold() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word))
    return {word for word in found if LEAST <= len(word) <= 40}


def main() -> None:
    """Write the file anew; read the difference before keeping it."""
    knowledge = [
        text for path in (BASE / "apps/diagnosis/knowledge").glob("*.toml") for text in texts_of_toml(tomllib.loads(path.read_text()))
    ]
    folders = ("parsers", "apps/diagnosis")
    code = [
        text
        for folder in folders
        for path in (BASE / folder).rglob("*.py")
        if "migrations" not in path.parts
        for text in texts_of_code(path)
    ]
    TARGET.write_text("\n".join(sorted(words([*knowledge, *code]))) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
