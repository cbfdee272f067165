"""Whatever is booked, the fates of all lines add up to the lines taken."""

from __future__ import annotations

import random

import pytest

from parsers.ledger import Account, Fate, Ledger


@pytest.mark.parametrize("seed", range(20))
def test_the_fates_add_up_whatever_is_booked(seed: int) -> None:
    chance, ledger, taken = random.Random(seed), Ledger(), 0
    for _ in range(200):
        lines, fate = chance.randrange(5), chance.choice(list(Fate))
        match chance.randrange(4):
            case 0:
                ledger.section = chance.choice([None, Account()])
            case 1:
                ledger.change(lines, fate)
            case 2:
                ledger.take_inside(lines, fate)
                taken += lines
            case _:
                ledger.take(lines, fate)
                taken += lines
        assert ledger.understood + ledger.ignored + ledger.not_understood == ledger.total == taken


def test_what_a_parser_gives_back_leaves_the_section_that_is_open() -> None:
    ledger, section = Ledger(), Account()
    ledger.take(2, Fate.FRAME)
    ledger.section = section
    ledger.take_inside(5, Fate.FACT)
    ledger.change(1, Fate.UNREAD)
    ledger.change(2, Fate.ASIDE)
    assert (section.understood, section.ignored, section.not_understood) == (2, 2, 1)
    assert (ledger.understood, ledger.ignored, ledger.not_understood) == (4, 2, 1)


def test_every_fate_counts_once() -> None:
    for fate, counted in zip(Fate, [(1, 0, 0), (1, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, 0, 1)], strict=True):
        account = Account()
        account.take(1, fate)
        assert (account.understood, account.ignored, account.not_understood) == counted
