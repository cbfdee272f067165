"""The node of a file whose text names none, from its path: where a second witness bears the path out.

``snap/node-alpha/waiters.out`` comes from alpha if a table or another file of the case names a node alpha.
``glocks.home.alpha`` beside ``glocks.home.beta``, and ``alpha/lltstat.txt`` beside ``beta/lltstat.txt``, bear each
other out: paths that tell the tool and differ in nothing but one name. A name of one file or folder alone is somebody's
label. Weaker than all the text says: only files in which no node speaks, or the one that the path names.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from typing import Final

from apps.diagnosis.engine.core.words.knowledge import rows_of
from parsers.formats.host.kernel.uname import HOST_FILE
from parsers.headings.paths import is_name_of_node, is_node_of_moment, name_beside_tool, plain_path
from parsers.lookup import programs

SHORTEST_NAME: Final = 2
MOST_NAMES: Final = 5_000
_MOST_PARTS: Final = 24
_MOST_CHARS: Final = 500
_TREES: Final = frozenset(("etc", "proc", "sys", "var"))
"""Folders at the root of a host: what stands above is a copy of a host's own tree."""
_TREE: Final = "/"
_DATED: Final = re.compile(
    r"(?<!\d)(?:19|20)\d\d[-_.]?\d\d[-_.]?\d\d(?:[-_.T ]?\d\d[-_.:]?\d\d(?:[-_.:]?\d\d)?)?(?!\d)"
)
"""A moment in the name of a folder above: each node was asked at its own."""
_HOST_FILE: Final = re.compile(rf"(?:^|/){HOST_FILE}$")
_IN_FRONT: Final = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]{1,40}\d{1,6})(?P<rest>\.[\w ./=-]{5,300})$")
_DIGITS: Final = re.compile(r"\d+")
"""Names in front of equal ends of files, which differ in a number alone."""
_WORDS = re.compile(r"[A-Za-z0-9]+(?:-[A-Za-z0-9]+)*")


@cache
def _generic() -> frozenset[str]:
    """Names of folders and files that say nothing about a node, even if a node is called so."""
    return frozenset(word for row in rows_of("folders").values() for word in row["words"])


def nodes_of_paths(paths: Mapping[int, str], names: Iterable[str], beside: Iterable[str] = ()) -> dict[int, str]:
    """Artifact -> node, for paths that hold the short name of exactly one node in their innermost part that holds any.

    beside: paths of the other files of the case, which bear witness too.
    """
    found = _holding(paths, names)
    siblings = _siblings([*paths.values(), *beside]) if len(paths) > 1 else {}
    borne_out = {
        artifact: name
        for artifact, path in paths.items()
        if found[artifact] is None
        and (name := next((name for mould, name in _moulds(path) if len(siblings.get(mould, ())) > 1), None))
    }
    found |= borne_out
    # Names that files of one tool bear out are names of nodes in those of other tools too.
    open_ones = {artifact: path for artifact, path in paths.items() if found[artifact] is None} if borne_out else {}
    found |= _holding(open_ones, borne_out.values())
    return {artifact: node for artifact, node in found.items() if node is not None}


def _holding(paths: Mapping[int, str], names: Iterable[str]) -> dict[int, str | None]:
    """The node of each path that holds the short name of exactly one of the names."""
    known: dict[str, set[str]] = {}
    for name in sorted(set(names))[:MOST_NAMES]:
        known.setdefault(name.split(".", 1)[0].lower(), set()).add(name)
    return {artifact: _node_of(path, known) for artifact, path in paths.items()}


def nodes_of_trees(paths: Mapping[int, str], spoken: Mapping[int, Collection[str]]) -> dict[int, str]:
    """Artifact -> node, for files of at most one node, beside or below the file which holds the name of their host.

    spoken: the nodes that each text names. Of several such files the nearest counts; two names in one place are none.
    """
    roots: dict[str, set[str]] = defaultdict(set)
    plain = {artifact: plain_path(path) for artifact, path in paths.items()}
    for artifact, path in plain.items():
        if len(names := spoken[artifact]) == 1 and (match := _HOST_FILE.search(path)):
            roots[path[: match.start()]].update(names)
    found: dict[int, str] = {}
    for artifact, folder in plain.items() if roots else ():
        if len(spoken[artifact]) < 2 and not _HOST_FILE.search(folder):
            while (at := folder.rfind("/")) >= 0 and folder[:at] not in roots:
                folder = folder[:at]
            held = roots.get(folder[: max(at, 0)], set())
            if len(held) == 1:
                found[artifact] = next(iter(held))
    return found


def same_host(one: str, other: str) -> bool:
    """Whether two names have the same first label."""
    return one.split(".", 1)[0].lower() == other.split(".", 1)[0].lower()


def _siblings(paths: Iterable[str]) -> dict[tuple[str, str], set[str]]:
    """The names that stand in one place of paths which are equal but for it."""
    found: dict[tuple[str, str], set[str]] = defaultdict(set)
    for path in paths:
        for mould, name in _moulds(path):
            found[mould].add(name.lower())
    return found


def _moulds(path: str) -> Iterator[tuple[tuple[str, str], str]]:
    """What stands before and behind each name of a path that may be a node's: those of folders from within, then those
    of the file.
    """
    *folders, file = plain_path(path).rsplit("/", _MOST_PARTS)
    file = file[-_MOST_CHARS:]
    for at in range(len(folders) - 1, -1, -1):
        if is_name_of_node(folders[at]) or is_node_of_moment(folders[at], folders[at - 1] if at else ""):
            around = ("/".join(folders[:at]), "/".join((*folders[at + 1 :], file)))
            yield (_DATED.sub("#", around[0]), around[1]), folders[at]
    for at in range(1, len(folders)):
        if folders[at] in _TREES and is_name_of_node(folders[at - 1]):
            yield ("/".join(folders[: at - 1]), _TREE), folders[at - 1]
            break
    place = name_beside_tool(file, programs())
    if place is not None and is_name_of_node(name := file[slice(*place)]):
        yield ("/".join((*folders, file[: place[0]])), file[place[1] :]), name
    elif (one := _IN_FRONT.match(file)) is not None and is_name_of_node(one["name"]):
        yield ("/".join((*folders, _DIGITS.sub("#", one["name"]))), one["rest"]), one["name"]


def _node_of(path: str, known: Mapping[str, set[str]]) -> str | None:
    for part in reversed(plain_path(path).split("/")):
        held = {
            word for word in _words(part) if word in known and word not in _generic() and len(word) >= SHORTEST_NAME
        }
        held = {word for word in held if not any(word != other and word in other for other in held)}
        if held:
            names = known[held.pop()] if len(held) == 1 else set()
            full = {name for name in names if "." in name}
            return max(names, key=len) if names and len(full) < 2 else None
    return None


def _words(part: str) -> set[str]:
    """Words of a name, and what is left of one joined by hyphens without its first or last piece: ``node-alpha`` holds
    ``alpha``.
    """
    words: set[str] = set()
    for match in _WORDS.finditer(part.lower()[:500]):
        pieces = match[0].split("-")
        for start in range(len(pieces)):
            words.update(
                "-".join(pieces[start:end])
                for end in range(start + 1, len(pieces) + 1)
                if end - start <= 6 and len(pieces) <= 12
            )
    return words
