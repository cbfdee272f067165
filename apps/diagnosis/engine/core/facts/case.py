"""A case as the rules meet it: facts by their class, each worked out once, and the products that judge them."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, fields, is_dataclass
from functools import cache
from typing import Any, NamedTuple, Protocol, TypeVar, get_type_hints

import polars as pl

from apps.diagnosis.engine.core.facts.clocks import Pair
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Edge, Finding, Kind, LockRole, Missing, NextStep, Root, Shown
from apps.diagnosis.engine.core.words.wait_kinds import WaiterKind
from parsers.dataclass import dataclass

F = TypeVar("F")
Row = dict[str, Any]


@cache
def needs_of(kind: Any) -> tuple[type[Any], ...]:
    """The facts that a fact is made of: the types of the parameters of its ``gather``, else of its constructor."""
    if not hasattr(kind, "gather") and is_dataclass(kind):
        hints = get_type_hints(kind)
        return tuple(hints[field.name] for field in fields(kind) if field.init)
    maker = kind.gather if hasattr(kind, "gather") else kind.__init__
    hints = get_type_hints(maker)
    return tuple(hints[name] for name in inspect.signature(maker).parameters if name != "self")


class Case:
    """Facts of one case. ``get`` gives an instance of the class asked for, made of the facts that its constructor
    names.
    """

    def __init__(self, store: Facts, products: Sequence[Product]) -> None:
        self.store = store
        self.products = tuple(products)
        self._made: dict[type[Any], Any] = {Facts: store, Case: self}

    def get(self, kind: type[F]) -> F:
        """The one instance of a fact in this case."""
        wanted: Any = kind
        if wanted not in self._made:
            maker = getattr(wanted, "gather", wanted)
            self._made[wanted] = maker(*(self.get(need) for need in needs_of(wanted)))
        found: F = self._made[kind]
        return found


@dataclass(frozen=True, slots=True)
class Judged:
    """What was concluded before next steps are chosen: findings, most severe first, and the ends of the wait chains."""

    findings: tuple[Finding, ...]
    roots: tuple[Root, ...]


def _nothing(*_: Any) -> Iterator[Any]:
    return iter(())


def _knows_nothing(*_: Any) -> bool:
    return False


class _Clock(Protocol):
    def text(self, us: int | None, zone_min: int | None) -> str | None: ...


class Printer(Protocol):
    """What rows of the JSON need of the report: instants and paths as it prints them."""

    @property
    def clock(self) -> _Clock:
        """Instants, in us, to ISO 8601."""

    def path(self, artifact: int) -> str | None:
        """The path of an artifact."""


RowsOf = Callable[[Any, Any], Iterator[Row]]
"""From a case and the report that prints it (paths and clock) to rows of the JSON."""


class SpanPart(NamedTuple):
    """Spans of a part of a case, in so many tables, which are made when they are asked for."""

    tables: int
    made: Callable[[], Iterable[pl.DataFrame]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product:
    """All that one product adds to a diagnosis; what it has nothing of is left out.

    name: as in ``products`` of the output; empty where what it finds speaks of no product. rules: the package that
    registers its rules. wait_kinds: all that it knows. kinds: those that a case shows. knows: whether the releases
    that the files show know a tuning, by its id: asked for tunings whose text says that releases lack them. rows:
    further rows of the JSON by key (``waiters``, ``spans``, ``locks``). parts of spans and frames of dumps feed the
    pages, and so do tables by the name of their file; those of one name that several products have hold the same
    columns.
    """

    name: str
    rules: str = ""
    wait_kinds: Callable[[], Iterable[WaiterKind[Any]]] = _nothing
    kinds: Callable[[Any], Iterable[Kind]] = _nothing
    edges: Callable[[Any], Iterable[Edge]] = _nothing
    roots: Callable[[Any], Iterable[Root]] = _nothing
    cycles: Callable[[Any], Iterable[tuple[str, ...]]] = _nothing
    lock_roles: Callable[[Any], Iterable[LockRole]] = _nothing
    clock_pairs: Callable[[Any], Iterable[Pair]] = _nothing
    harm: Callable[[Any], Iterable[Shown]] = _nothing
    knows: Callable[[Any, str], bool] = _knows_nothing
    missing: Callable[[Any, Judged], Iterable[Missing]] = _nothing
    next_steps: Callable[[Any, Judged], Iterable[NextStep]] = _nothing
    rows: Mapping[str, RowsOf] = field(default_factory=dict)
    span_parts: Callable[[Any], Iterable[SpanPart]] = _nothing
    """Each table with the longest first: by seconds, node, start and line, what is unknown last."""
    dump_frames: Callable[[Any], Iterator[pl.DataFrame]] = _nothing
    tables: Mapping[str, Callable[[Any], pl.DataFrame]] = field(default_factory=dict)
