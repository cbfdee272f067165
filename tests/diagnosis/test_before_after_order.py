"""Which changes precede a reading: the same as each change tried by itself, and no more work for a thousand."""

from __future__ import annotations

import random
import time

from apps.diagnosis.engine.core.model import Ref, comparable
from apps.diagnosis.engine.veritas.before_after import Changed, Order
from parsers.records import DAY_US

MOMENTS = (None, 0, 5, 5_000_000, 6_000_000, DAY_US, DAY_US + 7, 20_000 * DAY_US)
LINES = 9
TEXTS = 3


def _precedes(change: Changed, ref: Ref, at: int | None) -> bool:
    if change.at is not None and at is not None and comparable(change.at, at):
        return change.at < at
    return change.ref.artifact == ref.artifact and change.ref.line < ref.line


def test_order_counts_what_each_change_by_itself_would_say() -> None:
    chance = random.Random(4)
    for _ in range(200):
        changes = [
            Changed("n", "1", "2", Ref(chance.randrange(TEXTS), chance.randrange(LINES)), chance.choice(MOMENTS))
            for _ in range(chance.randrange(8))
        ]
        order = Order(changes)
        for artifact in range(TEXTS):
            for line in range(LINES):
                for at in MOMENTS:
                    ref = Ref(artifact, line)
                    assert order.before(ref, at) == sum(_precedes(change, ref, at) for change in changes)


def test_twenty_thousand_samples_are_not_held_against_each_of_as_many_changes() -> None:
    many, most_s = 20_000, 5.0
    order = Order([Changed("n", "1", "2", Ref(0, line), None if line % 2 else line) for line in range(many)])
    began = time.process_time()
    counts = [order.before(Ref(0, line), line) for line in range(many)]
    assert time.process_time() - began < most_s
    assert counts == list(range(many))
