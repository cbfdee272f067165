"""The taxonomy of waits: which kind a wait is, how harmful that kind is, what it means and what to do next.

Each product that has waits describes their kinds in its ``waiter_kinds.toml`` and says what its patterns look like
(``Form``). Support engineers edit that file, so every fault is named with its row and key, and nothing starts with a
faulty file: an unknown key, a category outside 1 to 4, a basis nobody defined, a row that could never fit. What no row
describes has no kind and no category: it is unknown, never hidden.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, fields
from pathlib import Path
from typing import Any, Final, Generic, Protocol, TypeVar

from apps.diagnosis.engine.core.model import BASES
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.patterns.kept_start import toml


class Pattern(Protocol):
    """One way in which a wait can fit a row."""

    @property
    def literals(self) -> tuple[str, ...]:
        """Words one of which a wait must show to fit, for people who look a kind up; none where it goes by other
        signs.
        """


P = TypeVar("P", bound=Pattern)

SCHEMA: Final = 1
CATEGORY_NAMES: Final[dict[int | None, str]] = {
    1: "normal",
    2: "legitimately long",
    3: "never long",
    4: "overload indicator",
    None: "unknown",
}
UNKNOWN_MEANING: Final = phrase("wait-kinds.unknown")
SITUATION: Final = "situation"
FLAG: Final = "flag"
FLAGS: Final = ("ignored", "long")
FIELD_LIMIT: Final = 512  # a hostile line may hold a name of a megabyte; what identifies a kind stands at the front
NOT_ALNUM: Final = re.compile(r"[^0-9a-z]+")

TEXT_KEYS: Final = ("meaning", "resource", "next_step", "suggests", "source")
KIND_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(("kind_id", "detect", "basis", "category_note", "flag", *TEXT_KEYS), str),
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
KIND_REQUIRED: Final = ("kind_id", "category", "detect", "basis", *TEXT_KEYS)


class TaxonomyError(ValueError):
    """The file of waiter kinds has a fault; the message names the row and the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WaiterKind(Generic[P]):
    """A row of the taxonomy; ``patterns`` are those of its product."""

    kind_id: str
    product: str
    category: int | None  # None where the reference leaves it open
    detect: str  # by a pattern of its product | flag | situation (needs more than one line: no text alone shows it)
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
    patterns: tuple[P, ...] = field(default=(), repr=False)

    @property
    def category_name(self) -> str:
        return CATEGORY_NAMES[self.category]


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Generic[P]):
    """How a product writes its file: the word of ``detect`` for rows with patterns, how one is read, and further
    tables beside ``kind``.
    """

    product: str
    detect: str
    read: Callable[[Mapping[str, Any], str], P]
    tables: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Classification:
    """The kind of a wait, and the category that its flags or its age leave it."""

    kind: WaiterKind[Any] | None
    category: int | None
    meaning: str
    resource: str
    by_flag: bool = False
    later_after_s: float | None = None
    later: Classification | None = None

    @property
    def kind_id(self) -> str | None:
        return self.kind.kind_id if self.kind else None

    @property
    def category_name(self) -> str:
        return CATEGORY_NAMES[self.category]

    def at(self, seconds: float | None) -> Classification:
        """The classification of a wait of this age; an unknown age changes nothing."""
        if self.later is None or self.later_after_s is None or seconds is None:
            return self
        return self.later if seconds > self.later_after_s else self


def read_kinds(path: Path, form: Form[P]) -> tuple[list[WaiterKind[P]], dict[str, Any]]:
    """All kinds of a file, and its further tables."""
    try:
        data = toml(path)
    except (OSError, ValueError) as error:
        raise TaxonomyError(f"{path.name}: {error}") from error
    check_types(data, {"schema": int, "kind": list, **dict.fromkeys(form.tables, list)}, path.name)
    need(data.get("schema") == SCHEMA, path.name, f"schema must be {SCHEMA}")
    kinds = [_kind(row, form) for row in data.get("kind", [])]
    check_unique((kind.kind_id for kind in kinds), path.name)
    return kinds, {name: data.get(name, []) for name in form.tables}


def _kind(row: Mapping[str, Any], form: Form[P]) -> WaiterKind[P]:
    where = str(row.get("kind_id", "a row without kind_id"))
    check_types(row, KIND_TYPES, where, KIND_REQUIRED)
    _check_choices(row, where, (form.detect, FLAG, SITUATION))
    _check_category(row, where)
    _check_detection(row, where, form.detect)
    category = row["category"]
    taken = {f.name for f in fields(WaiterKind)} - {"category", "inherits", "patterns", "product"}
    return WaiterKind(
        **{key: value for key, value in row.items() if key in taken},
        product=form.product,
        category=row.get("otherwise") if category == "inherit" else None if category == "?" else category,
        inherits=category == "inherit",
        patterns=tuple(form.read(match, where) for match in row.get("match", [])),
    )


def fold(text: str) -> str:
    """Lower case, letters and digits only: the form in which all spellings of a text meet."""
    return NOT_ALNUM.sub("", text[:FIELD_LIMIT].lower())


def glob_name(glob: str, value: str | None) -> bool:
    """A plain name, or one that starts with what stands before a closing star; case counts."""
    if value is None:
        return False
    return value.startswith(glob[:-1]) if glob.endswith("*") else value == glob


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


def _check_choices(row: Mapping[str, Any], where: str, detects: tuple[str, ...]) -> None:
    for key, choices in (("detect", detects), ("basis", BASES)):
        need(row[key] in choices, where, f"{key} must be one of {', '.join(choices)}")
    for key in ("kind_id", *TEXT_KEYS):
        need(bool(row[key].strip()), where, f"{key} is empty")


def _check_category(row: Mapping[str, Any], where: str) -> None:
    category = row["category"]
    need(category in (1, 2, 3, 4, "?", "inherit"), where, 'category must be 1 to 4, "?" or "inherit"')
    need(("otherwise" in row) == (category == "inherit"), where, 'otherwise goes with category = "inherit"')
    need(("escalate_to" in row) == ("escalate_after_s" in row), where, "escalate_after_s and escalate_to go together")
    for key in ("otherwise", "escalate_to"):
        need(row.get(key) in (None, 1, 2, 3, 4), where, f"{key} must be 1 to 4")
    for key in ("escalate_after_s", "only_after_s"):
        need(row.get(key, 1) > 0, where, f"{key} must be above 0")


def _check_detection(row: Mapping[str, Any], where: str, by_pattern: str) -> None:
    detect = row["detect"]
    need(
        bool(row.get("match")) == (detect == by_pattern),
        where,
        f"match and detect = {detect!r} do not go together",
    )
    need((row.get("flag") in FLAGS) == (detect == FLAG), where, "flag (ignored or long) goes with detect = 'flag'")


def check_unique(ids: Iterable[str], where: str) -> None:
    seen: set[str] = set()
    for name in ids:
        need(name not in seen, where, f"{name} stands twice")
        seen.add(name)


def need(is_good: bool, where: str, fault: str) -> None:
    if not is_good:
        raise TaxonomyError(f"{where}: {fault}")
