"""A rule on a cluster that formed again between two looks, in each of which it is whole (ST-70)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from apps.diagnosis.engine.core.facts.look_order import Look, LookOrder
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from parsers.dataclass import dataclass
from parsers.records.states import Membership, Quorum

# A ring of corosync: the node that leads it, and a number that grows by four with each membership.
RING: Final = re.compile(r"(?:[0-9a-f]{1,8}|[\d.]{7,15})(?P<sort>[./])(?P<number>[0-9a-f]{1,16})$")
STEP: Final = 4
PORT: Final = "a"
UNDATED: Final = ("undated",)


@dataclass(frozen=True, slots=True)
class FormedWords:
    """first, last: what the membership was called in both looks; times: how often it formed, where that is known."""

    node: str | None
    first: str
    last: str
    times: int | None


@rule("ST-70", needs=(Records, LookOrder), words=FormedWords)
def formed_again(records: Records, order: LookOrder, limits: Limits) -> Iterator[Seen]:
    """Symptom: work stands still for seconds now and then, and each look shows a whole cluster.

    Reasoning: the number of the membership is another one in the last look than in the first: between them the cluster
    lost a member and took it back, or formed for another reason.
    Source: corosync-quorumtool(8), gabconfig(1M); limits proposed.
    """
    rings: list[Quorum | Membership] = [
        one for one in records.of(Quorum) if one.layer == "membership" and one.generation and one.quorate
    ]
    ports = [one for one in records.of(Membership) if one.sort == "port" and one.group == PORT and one.generation]
    for looks in order.series([*rings, *ports]):
        first, last = looks[0], looks[-1]
        before, after = first.rows[-1].generation or "", last.rows[-1].generation or ""
        if before == after:
            continue
        times = _times(before, after)
        yield Seen(
            level="often" if times is not None and times >= limits.often else "once",
            words=FormedWords(first.node, before, after, times),
            lines=(first.rows[-1].ref, last.rows[-1].ref),
            nodes=(first.node,),
            times=_moments(first, last),
            borne_by=(2, 2),
            parts=() if last.at is not None else UNDATED,
            weight=float(times or 1),
        )


def _moments(*looks: Look[Quorum | Membership]) -> list[int]:
    return [look.at for look in looks if look.at is not None]


def _times(before: str, after: str) -> int | None:
    """How often a ring formed between two of its numbers; None where they do not tell."""
    numbers: list[int] = []
    for one in (before, after):
        match = RING.match(one)
        if match is None or (match["sort"] == "/" and not match["number"].isdecimal()):
            return None
        numbers.append(int(match["number"], 16 if match["sort"] == "." else 10))
    times = (numbers[1] - numbers[0]) // STEP
    return times if times > 0 else None
