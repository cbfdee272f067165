"""What people and tools do to a whole text costs no record: every sample in every mutation."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path

import pytest

from tests.parsers.golden import case_id, cases
from tests.parsers.mutations import MUTATIONS, exceptions, found
from tests.part import part

IN_A_RUN = 5
"""Samples of each mutation that one run looks at."""
OF_A_RUN = 60
"""Samples from which those are taken: each must be read as it stands too."""
MOST_EXCEPTIONS = 0.05


def _differs(mutation: str, sample: Path) -> bool:
    whole, expected = _plain(sample)
    return found(MUTATIONS[mutation](whole)) != expected


@cache
def _plain(sample: Path) -> tuple[str, Counter[str]]:
    """A sample and what is read from it as it stands."""
    text = sample.read_bytes().decode("utf-8", "replace")
    whole = text if text.endswith("\n") else f"{text}\n"  # what a cut end is told by, a mutation may end
    return whole, found(whole)


@pytest.mark.parametrize("mutation", MUTATIONS)
def test_a_mutation_costs_no_record(mutation: str) -> None:
    """But for the samples on the list, and none is on it that reads like the plain one."""
    samples = part(part(cases(), OF_A_RUN, "mutations"), IN_A_RUN, "mutations", mutation)
    looked_at = {case_id(sample) for sample in samples}
    differing = {case_id(sample) for sample in samples if _differs(mutation, sample)}
    assert differing == exceptions().get(mutation, frozenset()) & looked_at


def test_the_list_of_exceptions_is_short_and_names_what_is_there() -> None:
    listed, samples = exceptions(), {case_id(sample) for sample in cases()}
    assert set(listed) <= set(MUTATIONS)
    assert all(names <= samples for names in listed.values())
    assert sum(map(len, listed.values())) <= MOST_EXCEPTIONS * len(samples) * len(MUTATIONS)
