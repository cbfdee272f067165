"""What holds where listings disagree on one thing: the later one, and where nobody knows which that is, the worse."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Protocol, TypeVar

from apps.diagnosis.engine.core.facts.look_order import by_names
from parsers.records import DAY_US


class _Placed(Protocol):
    """A record. at: in us."""

    @property
    def artifact(self) -> int: ...

    @property
    def line(self) -> int: ...

    @property
    def at(self) -> int | None: ...


R = TypeVar("R", bound=_Placed)
K = TypeVar("K", bound=Hashable)


def prevailing(
    rows: Iterable[R], paths: Mapping[int, str], key: Callable[[R], K], is_bad: Callable[[R], bool]
) -> dict[K, R]:
    """Of each thing the row that holds. Rows come in the order of the files, which among files says nothing of time."""
    found: dict[K, R] = {}
    for row in rows:
        name = key(row)
        if (held := found.get(name)) is None or _holds(row, held, paths, is_bad):
            found[name] = row
    return found


def _holds(new: R, held: R, paths: Mapping[int, str], is_bad: Callable[[R], bool]) -> bool:
    """Whether a row takes the place of one that stands before it in the order of the files."""
    if is_bad(new) == is_bad(held):
        return True
    order = _order(new, held, paths)
    return is_bad(new) if order is None else order > 0


def _order(new: R, held: R, paths: Mapping[int, str]) -> int | None:
    """Above 0 where the first is the later one; None where that is not known."""
    if new.at is not None and held.at is not None and (new.at < DAY_US) == (held.at < DAY_US) and new.at != held.at:
        return new.at - held.at
    if new.artifact == held.artifact:
        return 1
    return by_names(paths[new.artifact], paths[held.artifact])
