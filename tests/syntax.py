"""Modules of the program as their syntax trees: each file is parsed once in a process."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TypeVar

Kind = TypeVar("Kind", bound=ast.AST)


@cache
def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def by_kind(path: Path) -> dict[type[ast.AST], list[ast.AST]]:
    """All nodes of a file. It is gone through once, and each test looks at the kinds that it asks for."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    left: list[ast.AST] = [tree(path)]
    for node in left:
        found[type(node)].append(node)
        for value in vars(node).values():
            if isinstance(value, list):
                left.extend(part for part in value if isinstance(part, ast.AST))
            elif isinstance(value, ast.AST):
                left.append(value)
    return found


def nodes(path: Path, *kinds: type[Kind]) -> Iterator[Kind]:
    return (node for kind in kinds for node in by_kind(path).get(kind, ()) if isinstance(node, kind))
