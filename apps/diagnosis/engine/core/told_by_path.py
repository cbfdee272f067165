"""The node of a file whose text names none, from its path: where the path holds the name of a node that the case knows.

``snap/node-alpha/waiters.out`` comes from alpha if a table or another file of the case names a node alpha. Weaker than all the
text says: only files in which no other node speaks, and only where the path holds one such name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

SHORTEST_NAME: Final = 2
MOST_NAMES: Final = 5_000
_WORDS = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")
# Names of folders and files that say nothing about a node, even if a node is called so.
_GENERIC: Final = frozenset(
    ("cluster", "data", "dump", "etc", "files", "gpfs", "home", "log", "logs", "messages", "node", "out", "tmp", "var", "waiters")
)


def nodes_of_paths(paths: Mapping[int, str], names: Iterable[str]) -> dict[int, str]:
    """Artifact -> node, for paths that hold the short name of exactly one node in their innermost part that holds any."""
    known: dict[str, set[str]] = {}
    for name in sorted(set(names))[:MOST_NAMES]:
        known.setdefault(name.split(".", 1)[0].lower(), set()).add(name)
    found = {artifact: _node_of(path, known) for artifact, path in paths.items()}
    return {artifact: node for artifact, node in found.items() if node is not None}


def _node_of(path: str, known: Mapping[str, set[str]]) -> str | None:
    for part in reversed(path.replace("!", "/").split("/")):
        held = {word for word in _words(part) if word in known and word not in _GENERIC and len(word) >= SHORTEST_NAME}
        held = {word for word in held if not any(word != other and word in other for other in held)}
        if held:
            names = known[held.pop()] if len(held) == 1 else set()
            full = {name for name in names if "." in name}
            return max(names, key=len) if names and len(full) < 2 else None
    return None


def _words(part: str) -> set[str]:
    """Words of a name, and what is left of one joined by hyphens without its first or last piece: ``node-alpha`` holds ``alpha``."""
    words: set[str] = set()
    for match in _WORDS.finditer(part.lower()[:500]):
        pieces = match[0].split("-")
        for start in range(len(pieces)):
            words.update("-".join(pieces[start:end]) for end in range(start + 1, len(pieces) + 1) if end - start <= 6 and len(pieces) <= 12)
    return words
