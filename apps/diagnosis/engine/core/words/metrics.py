"""What figures, settings, log lines, requests and stacks mean, whichever tool printed them:
``knowledge/<product>/metrics*.toml`` (counters), ``settings*.toml``, ``logs*.toml`` (events), ``disk_io*.toml``,
``stacks*.toml``, ``dlm_locks*.toml`` and ``posix_locks*.toml``.

    [connection-retransmits]
    means = "segments that a daemon sent again to a peer"
    unit = "segments"
    of = [{ tool = "mmdiag --network", name = "retrans" }]

``tool`` and ``name`` are exact, a glob (``*``, ``?``, ``[0-9]``; letters of either case) or a list of both; without
``name`` all names of the tool belong to it. ``but`` leaves tools out. A setting may say when what the tool prints comes
into force (``holds``), and that its scope is a list of nodes (``lists_nodes``). So a tool read again reaches the
rules by a row here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, reduce
from operator import or_
from typing import Any, Final, Literal, cast, get_args

import polars as pl

from apps.diagnosis.engine.core.words.knowledge import rows_of
from parsers.dataclass import dataclass
from parsers.records import Counter, DiskIo, Event, Record, Setting
from parsers.records.locks import DlmLock, PosixLock
from parsers.records.waits import Stack

FILES: Final[Mapping[type[Record], str]] = {
    Counter: "metrics", Setting: "settings", Event: "logs", DiskIo: "disk_io", Stack: "stacks", DlmLock: "dlm_locks",
    PosixLock: "posix_locks",
}  # fmt: skip
Holds = Literal["now", "unknown", "next mount", "configured"]
"""When a setting is in force; ``unknown``: the tool shows it, but not whether it is; ``configured``: what the cluster
is to have.
"""
HOLDS: Final[tuple[Holds, ...]] = get_args(Holds)
_SPECIAL: Final = re.compile(r"[*?\[]")
_PIECE: Final = re.compile(r"\*|\?|\[[0-9a-z-]{1,20}\]|[^*?\[\]]+")
_KEYS: Final = {"tool", "name", "but"}
_SETTING_KEYS: Final = _KEYS | {"holds", "lists_nodes"}


@dataclass(frozen=True, slots=True)
class Carrier:
    """A tool that prints it, by which names; patterns as in the file. ``names`` is empty for all names."""

    tools: tuple[str, ...]
    names: tuple[str, ...] = ()
    but: tuple[str, ...] = ()
    holds: Holds = "now"
    lists_nodes: bool = False

    @property
    def rows(self) -> pl.Expr:
        """Whether a row is of this tool and name."""
        found = _fits("source", self.tools)
        found = found & _fits("name", self.names) if self.names else found
        return found & ~_fits("source", self.but) if self.but else found

    def carries(self, source: str | None, name: str | None) -> bool:
        """The same of one row."""
        return (
            _is_one_of(self.tools, source)
            and (not self.names or _is_one_of(self.names, name))
            and not (self.but and _is_one_of(self.but, source))
        )


@dataclass(frozen=True, slots=True)
class Entry:
    """A row of the catalogue. unit: of the values, empty where it has none or each name has its own."""

    means: str
    unit: str
    carriers: tuple[Carrier, ...]


@dataclass(frozen=True, slots=True)
class Meaning:
    """Records of one kind that mean the same. Made by ``metric``, ``setting``, ``log`` and the like, which check the
    key.
    """

    kind: type[Record]
    key: str

    @property
    def rows(self) -> pl.Expr:
        """Whether a row of the kind means this."""
        return _rows_of(self)

    @property
    def columns(self) -> tuple[str, ...]:
        """What tells whether a row means this."""
        return ("source", "name") if "name" in self.kind.columns() else ("source",)

    def is_among(self, present: Iterable[tuple[str | None, ...]]) -> bool:
        """Whether some row means this; told: what its columns hold."""
        carriers = catalogue(self.kind)[self.key].carriers
        return any(one.carries(values[0], values[-1]) for values in present for one in carriers)


@cache
def _rows_of(meaning: Meaning) -> pl.Expr:
    return reduce(or_, (carrier.rows for carrier in catalogue(meaning.kind)[meaning.key].carriers))


def metric(key: str) -> Meaning:
    """Counters of a meaning. Raises KeyError where no ``metrics*.toml`` has it."""
    return _meaning(Counter, key)


def setting(key: str) -> Meaning:
    """Settings of a meaning. Raises KeyError where no ``settings*.toml`` has it."""
    return _meaning(Setting, key)


def log(key: str) -> Meaning:
    """Events of a sort of log. Raises KeyError where no ``logs*.toml`` has it."""
    return _meaning(Event, key)


def disk_io(key: str) -> Meaning:
    """Requests and samples that were measured at one layer. Raises KeyError where no ``disk_io*.toml`` has it."""
    return _meaning(DiskIo, key)


def stack(key: str) -> Meaning:
    """Stacks of a sort of list. Raises KeyError where no ``stacks*.toml`` has it."""
    return _meaning(Stack, key)


def dlm_lock(key: str) -> Meaning:
    """Locks of one sort of table of the lock manager. Raises KeyError where no ``dlm_locks*.toml`` has it."""
    return _meaning(DlmLock, key)


def posix_lock(key: str) -> Meaning:
    """POSIX locks by who keeps them. Raises KeyError where no ``posix_locks*.toml`` has it."""
    return _meaning(PosixLock, key)


def _meaning(kind: type[Record], key: str) -> Meaning:
    if key not in catalogue(kind):
        raise KeyError(f"{FILES[kind]}*.toml: no {key}")
    return Meaning(kind, key)


def holds() -> pl.Expr:
    """When a setting is in force, by the tool that shows it: one of ``HOLDS``, ``now`` where the catalogue names no
    other.
    """
    found: pl.Expr = pl.lit("now")
    for carrier in _setting_carriers():
        if carrier.holds != "now":
            found = pl.when(carrier.rows).then(pl.lit(carrier.holds)).otherwise(found)
    return found


def lists_nodes() -> pl.Expr:
    """Whether the scope of a setting is a list of nodes or a class of them."""
    return reduce(or_, (carrier.rows for carrier in _setting_carriers() if carrier.lists_nodes), pl.lit(False))


def _setting_carriers() -> list[Carrier]:
    return [carrier for entry in catalogue(Setting).values() for carrier in entry.carriers]


def catalogue(kind: type[Record]) -> Mapping[str, Entry]:
    """All meanings of a kind of record by key. Raises ValueError for a row that cannot be read, or a tool with two
    ``holds``.
    """
    return _read(FILES[kind])


@cache
def _read(file: str) -> Mapping[str, Entry]:
    kind = next(kind for kind, name in FILES.items() if name == file)
    found = {key: _entry(kind, row, f"{file} {key}") for key, row in rows_of(file).items()}
    kept: dict[tuple[tuple[str, ...], tuple[str, ...]], Carrier] = {}
    for key, entry in found.items():
        for carrier in entry.carriers:
            other = kept.setdefault((carrier.tools, carrier.names), carrier)
            if (other.holds, other.lists_nodes) != (carrier.holds, carrier.lists_nodes):
                raise ValueError(
                    f"{file} {key}: {', '.join(carrier.tools)} has another value of holds or lists_nodes before"
                )
    return found


def _entry(kind: type[Record], row: Mapping[str, Any], where: str) -> Entry:
    if set(row) - {"unit"} != {"means", "of"} or not str(row["means"]).strip() or not row["of"]:
        raise ValueError(f"{where}: a meaning has means, of, and perhaps a unit")
    return Entry(row["means"], row.get("unit", ""), tuple(_carrier(kind, one, where) for one in row["of"]))


def _carrier(kind: type[Record], row: Mapping[str, Any], where: str) -> Carrier:
    known = _SETTING_KEYS if kind is Setting else _KEYS if "name" in kind.columns() else _KEYS - {"name"}
    if "tool" not in row or set(row) - known:
        raise ValueError(
            f"{where}: a carrier has a tool, perhaps {', '.join(sorted(known - {'tool'}))}, and nothing else"
        )
    value = row.get("holds", "now")
    if value not in HOLDS:
        raise ValueError(f"{where}: holds {value!r} is none of {', '.join(HOLDS)}")
    tools, names, but = (_patterns(row.get(key, ()), where) for key in ("tool", "name", "but"))
    return Carrier(tools, names, but, cast("Holds", value), bool(row.get("lists_nodes", False)))


def _patterns(value: str | list[str], where: str) -> tuple[str, ...]:
    found = (value,) if isinstance(value, str) else tuple(value)
    if wrong := [one for one in found if not one or (_SPECIAL.search(one) and "".join(_PIECE.findall(one)) != one)]:
        raise ValueError(f"{where}: no pattern: {', '.join(map(repr, wrong))}")
    return found


def _fits(column: str, patterns: tuple[str, ...]) -> pl.Expr:
    exact = [one for one in patterns if not _SPECIAL.search(one)]
    globs = [_regex(one) for one in patterns if _SPECIAL.search(one)]
    found = [pl.col(column).is_in(exact)] if exact else []
    found += [pl.col(column).str.contains(f"(?is)^(?:{'|'.join(globs)})$")] if globs else []
    return reduce(or_, found)


def _is_one_of(patterns: tuple[str, ...], value: str | None) -> bool:
    """Whether a value fits one of some patterns: as ``_fits``, of one value."""
    exact, globs = _matchers(patterns)
    return value is not None and (value in exact or (globs is not None and globs.fullmatch(value) is not None))


@cache
def _matchers(patterns: tuple[str, ...]) -> tuple[frozenset[str], re.Pattern[str] | None]:
    globs = [_regex(one) for one in patterns if _SPECIAL.search(one)]
    exact = frozenset(one for one in patterns if not _SPECIAL.search(one))
    return exact, re.compile("|".join(globs), re.IGNORECASE | re.DOTALL) if globs else None


def _regex(glob: str) -> str:
    """A glob for the engine of Polars, and for Python's."""
    wildcards = {"*": ".*", "?": "."}
    return "".join(
        wildcards.get(piece) or (piece if piece[0] == "[" else re.escape(piece)) for piece in _PIECE.findall(glob)
    )
