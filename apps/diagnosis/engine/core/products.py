"""How many records of a case belong to which product, by the formats that were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cache

import polars as pl

from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.verdicts.checks import check_texts
from parsers.lookup import parsers
from parsers.records import Section
from parsers.records.waits import Stack


def records_by_product(facts: Facts) -> dict[str, int]:
    """Products with at least one record; formats of several products count for none."""
    return _by_product((one.name, one.records) for one in facts.formats)


def products_of_stacks(facts: Facts, functions: Mapping[str, str]) -> tuple[str, ...]:
    """Products in whose code tasks stand or CPUs were stuck, most first. functions: what the names of theirs match."""
    if not facts.has(Stack):
        return ()
    sums = [pl.col("frames").str.contains(pattern).sum().alias(name) for name, pattern in functions.items()]
    tally = facts.scan(Stack).select(sums).collect().row(0, named=True)
    return tuple(sorted((name for name, number in tally.items() if number), key=lambda name: (-tally[name], name)))


def empty_dumps_by_product(facts: Facts) -> dict[str, int]:
    """Dumps that were read whole and list nothing, by product: of waiters while nothing waits."""
    dumps = check_texts()["empty_dumps"]["formats"]
    return _by_product((one.name, one.empty) for one in facts.formats if one.name in dumps)


def products_of_commands(facts: Facts) -> tuple[str, ...]:
    """Products whose commands were run, most first: what they printed may hold nothing to keep."""
    if not facts.has(Section):
        return ()
    of, tally = _products_of_programs(), dict[str, int]()
    for command, number in _commands_run(facts):
        products = of.get(command.split(None, 1)[0].rpartition("/")[2], frozenset()) if command.strip() else frozenset()
        if len(products) == 1 and (product := next(iter(products))):
            tally[product] = tally.get(product, 0) + number
    return tuple(sorted(tally, key=lambda name: (-tally[name], name)))


@cache
def _products_of_programs() -> dict[str, frozenset[str]]:
    of = dict[str, set[str]]()
    for parser in parsers().values():
        for name in parser.commands:
            of.setdefault(name, set()).add(parser.product)
    return {name: frozenset(products) for name, products in of.items()}


def _commands_run(facts: Facts) -> Iterable[tuple[str, int]]:
    """Commands that stand above outputs, and above how many."""
    if (few := facts.few(Section)) is not None:
        return Counter(command for command in few["command"].to_list() if command is not None).items()
    return facts.scan(Section).filter(pl.col("command").is_not_null()).group_by("command").len().collect().iter_rows()


def _by_product(numbers: Iterable[tuple[str, int]]) -> dict[str, int]:
    known = parsers()
    tally: dict[str, int] = {}
    for name, found in numbers:
        product = known[name].product if name in known else ""
        if product and found:
            tally[product] = tally.get(product, 0) + found
    return tally
