"""Reading ``knowledge/waiter_kinds.toml`` into frozen rows.

Support engineers edit that file, so every fault is named with its row and key, and nothing starts with a faulty file:
an unknown key, a category outside 1 to 4, a basis nobody defined, a row that could never fit.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Final

from apps.diagnosis.engine.core.taxonomy_patterns import (
    FIELD_LIMIT,
    FOLDS,
    GlockPattern,
    TextPattern,
    compile_glob,
    fold,
)

SCHEMA: Final = 1
CATEGORY_NAMES: Final[dict[int | None, str]] = {
    1: "normal",
    2: "legitimately long",
    3: "never long",
    4: "overload indicator",
    None: "unknown",
}
BASES: Final = ("stated", "derived", "inferred", "proposed", "recalled")
PRODUCTS: Final = ("spectrum-scale", "gfs2")
DETECTS: Final = ("waiter", "flag", "glock", "situation")
FLAGS: Final = ("ignored", "long")
WAIT_KINDS: Final = ("ThCond", "ThMutex")
WORDS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z][a-z0-9]*|[a-z0-9]+")

TEXT_KEYS: Final = ("meaning", "resource", "next_step", "suggests", "source")
KIND_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("kind_id", "product", "detect", "basis", "category_note", "flag", *TEXT_KEYS), str),
    "category": (int, str),
    "otherwise": int,
    "escalate_after_s": (int, float),
    "escalate_to": int,
    "only_after_s": (int, float),
    "throttling": bool,
    "resource_from_name": bool,
    "catch_all": int,
    "match": list,
}
KIND_REQUIRED: Final = ("kind_id", "product", "category", "detect", "basis", *TEXT_KEYS)
NAME_TYPES: Final[dict[str, type | tuple[type, ...]]] = dict.fromkeys(("word", "resource", "source", "basis"), str)
GLOB_FIELDS: Final = tuple(FOLDS)
TEXT_PATTERN_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys((*GLOB_FIELDS, "object"), (str, list)),
    **dict.fromkeys(("wait_kind", "spelling"), str),
    **dict.fromkeys(("delaying", "target", "text_may_be_lost"), bool),
}
GLOCK_LISTS: Final = ("glocks", "not_glocks", "states", "functions", "holder_functions", "commands")
GLOCK_PATTERN_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(GLOCK_LISTS, (str, list)),
    **dict.fromkeys(("role", "flags", "glock_flags_all", "glock_flags_none", "glock_flags_only"), str),
    **dict.fromkeys(
        ("min_hold", "captures_min", "captures_max", "waiting_nodes_min", "waited_rgrps_min", "lkb_status"), int
    ),
    **dict.fromkeys(("held_somewhere", "lkb_converting"), bool),
}


class TaxonomyError(ValueError):
    """The file of waiter kinds has a fault; the message names the row and the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiterKind:
    """A row of the taxonomy."""

    kind_id: str
    product: str
    category: int | None  # None where the reference leaves it open
    detect: str  # waiter | flag | glock | situation (needs more than one line: no text alone shows it)
    meaning: str
    resource: str
    next_step: str
    suggests: str
    source: str
    basis: str
    category_note: str = ""
    inherits: bool = False  # the category is that of what is waited for; `category` stands where that is unknown
    escalate_after_s: float | None = None
    escalate_to: int | None = None
    only_after_s: float | None = None
    throttling: bool = False  # held back on purpose: left out of every count that leads to "overloaded"
    resource_from_name: bool = False  # a known word in the name of the condition variable or mutex says more
    catch_all: int = 0  # 0 for an ordinary row, else its place among the catch-alls
    flag: str = ""
    patterns: tuple[TextPattern, ...] = field(default=(), repr=False)
    glock_patterns: tuple[GlockPattern, ...] = field(default=(), repr=False)

    @property
    def category_name(self) -> str:
        return CATEGORY_NAMES[self.category]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameWord:
    """A word inside the name of a condition variable or mutex, and the resource it stands for."""

    word: str
    resource: str
    source: str
    basis: str
    parts: tuple[str, ...]


def camel_words(name: str) -> tuple[str, ...]:
    """``LkObjCondvar`` as ``("lk", "obj", "condvar")``."""
    return tuple(word.lower() for word in WORDS.findall(name[:FIELD_LIMIT]))


def read_rows(path: Path) -> tuple[list[WaiterKind], list[NameWord]]:
    """All kinds and name words of a file."""
    try:
        data = tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise TaxonomyError(f"{path.name}: {error}") from error
    check_types(data, {"schema": int, "kind": list, "name": list}, path.name)
    need(data.get("schema") == SCHEMA, path.name, f"schema must be {SCHEMA}")
    kinds = [read_kind(row) for row in data.get("kind", [])]
    check_unique((kind.kind_id for kind in kinds), path.name)
    names = [read_name(row) for row in data.get("name", [])]
    check_unique((name.word for name in names), path.name)
    return kinds, names


def read_kind(row: Mapping[str, Any]) -> WaiterKind:
    where = str(row.get("kind_id", "a row without kind_id"))
    check_types(row, KIND_TYPES, where, KIND_REQUIRED)
    check_choices(row, where)
    check_category(row, where)
    check_detection(row, where)
    category = row["category"]
    taken = {f.name for f in fields(WaiterKind)} - {"category", "inherits", "patterns", "glock_patterns"}
    matches = row.get("match", [])
    return WaiterKind(
        **{key: value for key, value in row.items() if key in taken},
        category=row.get("otherwise") if category == "inherit" else None if category == "?" else category,
        inherits=category == "inherit",
        patterns=tuple(read_text_pattern(m, where) for m in matches) if row["detect"] == "waiter" else (),
        glock_patterns=tuple(read_glock_pattern(m, where) for m in matches) if row["detect"] == "glock" else (),
    )


def read_name(row: Mapping[str, Any]) -> NameWord:
    where = f"name {row.get('word', '?')}"
    check_types(row, NAME_TYPES, where, tuple(NAME_TYPES))
    need(row["basis"] in BASES, where, f"basis must be one of {', '.join(BASES)}")
    need(all(row.values()), where, "a text is empty")
    return NameWord(**row, parts=camel_words(row["word"]))


def read_text_pattern(row: Mapping[str, Any], where: str) -> TextPattern:
    check_types(row, TEXT_PATTERN_TYPES, where)
    need(bool(row), where, "a pattern without a condition would fit everything")
    need(row.get("wait_kind") in (None, *WAIT_KINDS), where, "wait_kind must be ThCond or ThMutex")
    need(row.get("spelling") in (None, "old", "new"), where, "spelling must be old or new")
    globs = {name: globs_of(row, name, where) for name in GLOB_FIELDS}
    objects = globs_of(row, "object", where)
    firsts = [g[0] for g in (*globs.values(), objects) if g]
    literal = sum(len(first.replace("*", "")) for first in firsts)
    return TextPattern(
        weight=literal + len(row.get("wait_kind", "")) + (len("delaying") if row.get("delaying") else 0),
        wait_kind=row.get("wait_kind"),
        spelling=row.get("spelling"),
        delaying=row.get("delaying", False),
        target=row.get("target", False),
        text_may_be_lost=row.get("text_may_be_lost", False),
        objects=objects,
        keys=index_keys(globs),
        **{name: tuple(compile_glob(g, name) for g in globs[name]) for name in GLOB_FIELDS},
    )


def index_keys(globs: Mapping[str, tuple[str, ...]]) -> tuple[tuple[str, str], ...]:
    """The literals of the first field that is spelled out without stars."""
    for name, folding in FOLDS.items():
        if globs[name] and not any("*" in glob for glob in globs[name]):
            return tuple(dict.fromkeys((name, folding(glob)) for glob in globs[name]))
    return ()


def read_glock_pattern(row: Mapping[str, Any], where: str) -> GlockPattern:
    check_types(row, GLOCK_PATTERN_TYPES, where)
    need(bool(row), where, "a pattern without a condition would fit everything")
    need(
        row.get("role") in (None, "holder", "waiter", "idle", "lkb"), where, "role must be holder, waiter, idle or lkb"
    )
    values: dict[str, Any] = {
        key: globs_of(row, key, where) if key in GLOCK_LISTS else value for key, value in row.items()
    }
    return GlockPattern(**values)


def globs_of(row: Mapping[str, Any], name: str, where: str) -> tuple[str, ...]:
    """A string or a list of strings as a tuple; stars only where the matching understands them."""
    value = row.get(name, [])
    globs = (value,) if isinstance(value, str) else tuple(value)
    need(all(isinstance(g, str) and g for g in globs), where, f"{name} must hold texts that are not empty")
    for glob in globs:
        inside = glob.startswith("*") and glob.endswith("*")
        need(
            glob == "*" or glob.count("*") <= (2 if inside else 1),
            where,
            f"{name}: stars in {glob!r} are not understood",
        )
        need(
            inside or bool(fold(glob.partition("*")[0])),
            where,
            f"{name}: {glob!r} must start with letters, or have stars at both ends",
        )
    return globs


def check_types(
    row: Any, types: Mapping[str, type | tuple[type, ...]], where: str, required: Iterable[str] = ()
) -> None:
    need(isinstance(row, Mapping), where, "must be a table")
    for key, value in row.items():
        need(key in types, where, f"unknown key {key!r}")
        is_truth = isinstance(value, bool)  # True is an int to Python
        need(isinstance(value, types[key]) and is_truth == (types[key] is bool), where, f"{key} has the wrong type")
    for key in required:
        need(key in row, where, f"{key} is missing")


def check_choices(row: Mapping[str, Any], where: str) -> None:
    for key, choices in (("product", PRODUCTS), ("detect", DETECTS), ("basis", BASES)):
        need(row[key] in choices, where, f"{key} must be one of {', '.join(choices)}")
    for key in ("kind_id", *TEXT_KEYS):
        need(bool(row[key].strip()), where, f"{key} is empty")


def check_category(row: Mapping[str, Any], where: str) -> None:
    category = row["category"]
    need(category in (1, 2, 3, 4, "?", "inherit"), where, 'category must be 1 to 4, "?" or "inherit"')
    need(("otherwise" in row) == (category == "inherit"), where, 'otherwise goes with category = "inherit"')
    need(("escalate_to" in row) == ("escalate_after_s" in row), where, "escalate_after_s and escalate_to go together")
    for key in ("otherwise", "escalate_to"):
        need(row.get(key) in (None, 1, 2, 3, 4), where, f"{key} must be 1 to 4")
    for key in ("escalate_after_s", "only_after_s"):
        need(row.get(key, 1) > 0, where, f"{key} must be above 0")


def check_detection(row: Mapping[str, Any], where: str) -> None:
    detect = row["detect"]
    need(
        bool(row.get("match")) == (detect in ("waiter", "glock")),
        where,
        f"match and detect = {detect!r} do not go together",
    )
    need((row.get("flag") in FLAGS) == (detect == "flag"), where, "flag (ignored or long) goes with detect = 'flag'")


def check_unique(ids: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in ids:
        need(name not in seen, where, f"{name} stands twice")
        seen.add(name)


def need(is_good: bool, where: str, fault: str) -> None:
    if not is_good:
        raise TaxonomyError(f"{where}: {fault}")
