"""The part of a large matrix that one run looks at.

Cases are chosen by ``part``; tests that carry the marker ``part(group, most)`` by their group, where more of it than so
many were asked for. ``--part NUMBER`` looks at another one than the usual, ``--matrix`` at all of it; what Hypothesis
tries follows from the same number. The usual one stays: a change is judged by what it changes, and never by what chance
finds that day. Finding is the work of ``make explore``, which takes another number each time and prints it.
"""

from __future__ import annotations

import os
import random
import secrets
from collections import defaultdict
from collections.abc import Generator, Sequence
from typing import Any, Final, TypeVar
from unittest.mock import patch

import hypothesis.core
import pytest
from hypothesis import HealthCheck
from hypothesis.internal.conjecture import providers

CHOSEN: Final = "LOCKSCOPE_TEST_PART"
"""In the environment, so that all workers of a run look at the same part."""
ALL: Final = "all"
USUAL: Final = 1
"""Of `make test`; each release takes the next one."""
PARTS: Final = 10**6
TRIES: Final = 100
"""Of a test of Hypothesis that says no number itself; half of them in a run that looks at a part."""
Case = TypeVar("Case")


def part(cases: Sequence[Case], most: int, *key: object) -> list[Case]:
    """At most ``most`` of the cases in their order, by the number of this run and by ``key``."""
    number = os.environ.get(CHOSEN, ALL)
    if number == ALL or len(cases) <= most:
        return list(cases)
    rng = random.Random(" ".join(map(str, (number, *key))))
    return [cases[index] for index in sorted(rng.sample(range(len(cases)), most))]


def tries(most: int, few: int) -> int:
    """Of a test of Hypothesis that says a number itself: so many with ``--matrix``, else so few."""
    return most if os.environ.get(CHOSEN, ALL) == ALL else few


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--matrix", action="store_true", help="look at all of the large matrices, not at a part of each")
    parser.addoption("--part", type=int, default=USUAL, help="the part to look at, or -1: any")


def pytest_configure(config: pytest.Config) -> None:
    """A test of Hypothesis fails by what it tries, and not because other programs keep the cores busy."""
    if not hasattr(config, "workerinput"):
        number = config.getoption("--part")
        chosen = secrets.randbelow(PARTS) if number < 0 else number
        os.environ[CHOSEN] = ALL if config.getoption("--matrix") else str(chosen)
    hypothesis.settings.register_profile(
        "busy", max_examples=tries(TRIES, TRIES // 2), deadline=None, suppress_health_check=[HealthCheck.too_slow]
    )
    hypothesis.settings.load_profile("busy")
    if (shared := os.environ.get(CHOSEN, ALL)) != ALL:
        hypothesis.core.global_force_seed = int(shared)  # type: ignore[assignment]  # it is None until it is set


def left_out(items: Sequence[pytest.Item]) -> set[pytest.Item]:
    """Tests of groups that this run does not look at."""
    groups: dict[tuple[str, int], list[pytest.Item]] = defaultdict(list)
    for item in items:
        if marker := item.get_closest_marker("part"):
            group, most = marker.args
            groups[group, most].append(item)
    return {item for (group, most), own in groups.items() for item in set(own) - set(part(own, most, group))}


@pytest.hookimpl(wrapper=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> Generator[None, Any, Any]:
    """Hypothesis takes all modules apart to try their words and figures too. It does so with its first test, and not in
    each process while the others do the same: what the first one found is kept for them.
    """
    if further := left_out(items):
        config.hook.pytest_deselected(items=list(further))
        items[:] = [item for item in items if item not in further]
    with patch.object(providers, "_get_local_constants"):
        return (yield)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if (number := os.environ[CHOSEN]) != ALL:
        terminalreporter.write_line(f"Of the large matrices: part {number}. --part {number} looks at the same again.")
