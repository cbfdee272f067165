"""Kinds of GFS2 waits: ``knowledge/gfs2/waiter_kinds.toml``.

A pattern is a set of globs and bounds over a lock or holder line, never a regular expression. A wait takes the row of
the gravest category among those that fit, in the order 3, 4, 2, 1, a catch-all last.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, Literal

from apps.diagnosis.engine.core.words.knowledge import FOLDER
from apps.diagnosis.engine.core.words.wait_kinds import (
    UNKNOWN_MEANING,
    Classification,
    Form,
    WaiterKind,
    check_types,
    glob_name,
    globs_of,
    need,
    read_kinds,
)
from parsers.dataclass import dataclass

KNOWLEDGE: Final = FOLDER / "gfs2" / "waiter_kinds.toml"
GRAVITY: Final[dict[int | None, int]] = {3: 0, 4: 1, 2: 2, 1: 3, None: 4}
GLOCK_LISTS: Final = ("glocks", "not_glocks", "states", "functions", "holder_functions", "commands")
GLOCK_PATTERN_TYPES: Final[dict[str, type | tuple[type, ...]]] = {
    **dict.fromkeys(GLOCK_LISTS, (str, list)),
    **dict.fromkeys(("role", "flags", "glock_flags_all", "glock_flags_none", "glock_flags_only"), str),
    **dict.fromkeys(
        ("min_hold", "captures_min", "captures_max", "waiting_nodes_min", "waited_rgrps_min", "lkb_status"), int
    ),
    **dict.fromkeys(("held_somewhere", "lkb_converting"), bool),
}

Role = Literal["holder", "waiter", "idle", "lkb"]


@dataclass(frozen=True, slots=True, kw_only=True)
class GlockView:
    """What is known about one GFS2 holder line, idle lock or DLM lock when it is classified.

    ``captures`` counts the dumps in which the same process stood at the same place in the same function;
    ``held_somewhere`` is None unless the dumps of all nodes are there; ``waited_rgrps`` counts the resource groups of
    the file system that somebody waits for in this dump.
    """

    role: Role
    type: int = 0
    number: int = 0
    state: str = ""
    flags: str = ""
    function: str | None = None
    command: str | None = None
    glock_flags: str = ""
    min_hold: int | None = None
    captures: int = 1
    waiting_nodes: int = 1
    held_somewhere: bool | None = None
    holder_function: str | None = None
    waited_rgrps: int = 0
    lkb_status: int | None = None
    lkb_converting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class GlockPattern:
    """One way in which a GFS2 lock or holder line can fit a row; what a row does not name may be anything."""

    role: str | None = None
    glocks: tuple[str, ...] = ()
    not_glocks: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    holder_functions: tuple[str, ...] = ()
    commands: tuple[str, ...] = ()
    flags: str = ""
    glock_flags_all: str = ""
    glock_flags_none: str = ""
    glock_flags_only: str | None = None
    min_hold: int | None = None
    captures_min: int = 0
    captures_max: int | None = None
    waiting_nodes_min: int = 0
    waited_rgrps_min: int = 0
    held_somewhere: bool | None = None
    lkb_status: int | None = None
    lkb_converting: bool | None = None

    @property
    def literals(self) -> tuple[str, ...]:
        """None: a lock goes by its letters and numbers."""
        return ()

    def fits(self, seen: GlockView) -> bool:
        return (
            self._equal(seen) and self._bounds(seen) and self._lock(seen) and self._names(seen) and self._letters(seen)
        )

    def _equal(self, seen: GlockView) -> bool:
        pairs = (
            (self.role, seen.role),
            (self.held_somewhere, seen.held_somewhere),
            (self.lkb_status, seen.lkb_status),
            (self.lkb_converting, seen.lkb_converting),
        )
        return all(want is None or want == have for want, have in pairs)

    def _bounds(self, seen: GlockView) -> bool:
        if self.captures_max is not None and seen.captures > self.captures_max:
            return False
        # Older kernels do not print the minimum hold time: unknown is no sign that it was shortened.
        if self.min_hold is not None and seen.min_hold not in (None, self.min_hold):
            return False
        enough = seen.captures >= self.captures_min and seen.waiting_nodes >= self.waiting_nodes_min
        return enough and seen.waited_rgrps >= self.waited_rgrps_min

    def _lock(self, seen: GlockView) -> bool:
        if self.states and seen.state not in self.states:
            return False
        name = f"{seen.type}/{seen.number:x}"
        if any(glob_name(g, name) for g in self.not_glocks):
            return False
        return not self.glocks or any(glob_name(g, name) for g in self.glocks)

    def _names(self, seen: GlockView) -> bool:
        wanted = (
            (self.functions, seen.function),
            (self.holder_functions, seen.holder_function),
            (self.commands, seen.command),
        )
        return all(not globs or any(glob_name(g, bare_function(have)) for g in globs) for globs, have in wanted)

    def _letters(self, seen: GlockView) -> bool:
        if self.glock_flags_only is not None and set(seen.glock_flags) != set(self.glock_flags_only):
            return False
        held = set(self.flags) <= set(seen.flags) and set(self.glock_flags_all) <= set(seen.glock_flags)
        return held and not set(self.glock_flags_none) & set(seen.glock_flags)


def bare_function(name: str | None) -> str | None:
    """A function without the offset that stack lines append."""
    return None if name is None else name.partition("+")[0]


Kind = WaiterKind[GlockPattern]


class Taxonomy:
    """All rows of GFS2, the gravest first."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self.kinds: Final = {kind.kind_id: kind for kind in kinds}
        self._in_order: Final = sorted(
            (kind for kind in self.kinds.values() if kind.patterns),
            key=lambda kind: (kind.catch_all, GRAVITY[kind.category]),
        )

    @staticmethod
    def load(path: Path = KNOWLEDGE) -> Taxonomy:
        """The taxonomy of a file, read once; raises ``TaxonomyError`` where the file has a fault."""
        return _load(path)

    def kind(self, kind_id: str) -> Kind:
        return self.kinds[kind_id]

    def classified(self, seen: GlockView) -> Classification:
        """Kind and category of a lock, holder or waiter: the gravest row of those that fit, a catch-all last."""
        kind = next((k for k in self._in_order if any(pattern.fits(seen) for pattern in k.patterns)), None)
        if kind is None:
            return Classification(kind=None, category=None, meaning=UNKNOWN_MEANING, resource="")
        return Classification(kind=kind, category=kind.category, meaning=kind.meaning, resource=kind.resource)


def read_pattern(row: Mapping[str, Any], where: str) -> GlockPattern:
    check_types(row, GLOCK_PATTERN_TYPES, where)
    need(bool(row), where, "a pattern without a condition would fit everything")
    need(
        row.get("role") in (None, "holder", "waiter", "idle", "lkb"), where, "role must be holder, waiter, idle or lkb"
    )
    values: dict[str, Any] = {
        key: globs_of(row, key, where) if key in GLOCK_LISTS else value for key, value in row.items()
    }
    return GlockPattern(**values)


FORM: Final = Form(product="gfs2", detect="glock", read=read_pattern)


@lru_cache(maxsize=4)
def _load(path: Path) -> Taxonomy:
    return Taxonomy(read_kinds(path, FORM)[0])
