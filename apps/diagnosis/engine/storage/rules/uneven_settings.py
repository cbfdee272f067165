"""Rules on what nodes show of how they are set up: what differs and ought to be alike (ST-47), and what two nodes share
and each ought to have alone (ST-48).
"""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, setting
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.storage.rules.uneven_mounts import how_many
from apps.diagnosis.engine.storage.rules.uneven_nodes import INSIDE
from apps.diagnosis.engine.storage.rules.uneven_paths import OWN_NAMES
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import Interface

ALIKE: Final = setting("alike-on-nodes")
HARMFUL: Final = setting("alike-or-harm")
NUMBERS: Final = setting("maps-there")
AMONG_MANY: Final = setting("alike-among-many")
ALONE: Final = setting("of-one-node-alone")
MOST: Final = 8
MOST_NAMES: Final = 3
TWO: Final = 2
LONGEST: Final = 40
MOST_WORDS: Final = 3
# A number in brackets is a part of its word: ``IB(1)``.
PARTS: Final = re.compile(r",|\((?!\d{1,2}\))|(?<!\(\d)(?<!\(\d\d)\)")
PARTS_OF_LINE: Final = re.compile(r"[,()\s]")
# Options of a mount that each node has for itself, or that another rule compares.
OWN_OPTION: Final = re.compile(r"hostdata=|jid=|first=|id=|r[ow]$|dev=")


@dataclass(frozen=True, slots=True)
class OddWords:
    """name: of the setting; odd: nodes that have value, where others have usual; more: further settings that differ."""

    name: str
    odd: tuple[str, ...]
    value: str
    others: tuple[str, ...]
    usual: str
    more: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class _Parted:
    """A setting that differs: the nodes with another value than most, and the others."""

    name: str
    odd: Mapping[str, Setting]
    others: Mapping[str, Setting]


@rule("ST-47", needs=(Settings,), words=OddWords)
def uneven_settings(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: one node behaves otherwise than its like, at its next start or under load.

    Reasoning: nodes show different values of what a cluster has alike. Where halves differ, as two generations of
    machines do, nobody is odd, unless the difference itself does harm.
    Source: documentation of each tool named in the table of settings.
    """
    for level, meaning in (("harm", HARMFUL), ("differs", ALIKE)):
        parted = [*_parted(settings, meaning), *(_parted(settings, AMONG_MANY) if meaning is ALIKE else ())]
        found = sorted(parted, key=lambda one: -how_many(one.others) / how_many(one.odd))
        if not found:
            continue
        first = found[0]
        value, usual = apart(*(next(iter(rows.values())).value for rows in (first.odd, first.others)))
        shown = [
            rows[node] for one in found[:MOST_NAMES] for rows in (one.odd, one.others) for node in sorted(rows)[:2]
        ]
        odd = tuple(sorted({node for one in found for node in one.odd}))[:MOST]
        yield Seen(
            level=level,
            words=OddWords(
                first.name,
                tuple(sorted(first.odd))[:MOST],
                value,
                tuple(sorted(first.others))[:MOST],
                usual,
                tuple(one.name for one in found[1:]),
            ),
            lines=list(dict.fromkeys(one.ref for one in shown)),
            nodes=odd,
            times=[one.at for one in shown if one.at is not None],
            borne_by=(len(first.others), len(first.others) + len(first.odd)),
            parts=("meant",),
            weight=float(len(found)),
        )


def _parted(settings: Settings, meaning: Meaning) -> Iterator[_Parted]:
    for (name, scope), nodes in sorted(_by_name(settings, meaning).items()):
        groups: dict[str, dict[str, Setting]] = defaultdict(dict)
        for node, row in nodes.items():
            groups[plain(row.value)][node] = row
        if len(groups) < TWO:
            continue
        most = max(groups, key=lambda value: (how_many(groups[value]), min(groups[value])))
        odd = {node: row for value, rows in groups.items() if value != most for node, row in rows.items()}
        if meaning is AMONG_MANY:
            if how_many(odd) == 1 and how_many(groups[most]) >= TWO:
                yield _Parted(named(name, scope), odd, groups[most])
        elif meaning is HARMFUL or how_many(odd) < how_many(groups[most]) or how_many(nodes) == TWO:
            yield _Parted(named(name, scope), odd, groups[most])


def named(name: str, scope: str) -> str:
    return phrase("compared.one-of", name=name, whole=scope) if scope else name


def _by_name(settings: Settings, meaning: Meaning) -> dict[tuple[str, str], dict[str, Setting]]:
    """What each node shows last, by its name and by what it is set on. A map whose name each node gives in its own
    order is known by the number of its disk; where only one and the same disk is to be alike, each map is, and such
    other names are left out.
    """
    found: dict[tuple[str, str], dict[str, Setting]] = defaultdict(dict)
    numbers = {
        (one.node, one.scope): one.value
        for one in settings.shown(NUMBERS)
        if meaning is HARMFUL or OWN_NAMES.match(one.scope or "")
    }
    for one in settings.shown(meaning):
        scope = numbers.get((one.node, one.scope), one.scope or "")
        if one.node and (meaning is not HARMFUL or OWN_NAMES.match(scope) is None):
            found[one.name, scope][one.node] = one
    return found


def apart(one: str, other: str) -> tuple[str, str]:
    """Two values as they are shown: of lists what only one of them holds, cut where they are long."""
    # What a kernel starts with is a list with blanks between its parts.
    marks = PARTS_OF_LINE if all("=" in value for value in (one, other)) else PARTS
    lists = [[part.strip() for part in marks.split(value)] for value in (one, other)]
    if min(len(parts) for parts in lists) > 1:
        own = [
            [part for part in parts if part and part not in beside]
            for parts, beside in zip(lists, lists[::-1], strict=True)
        ]
        if any(own):
            lacks = phrase("compared.nothing")
            one, other = (",".join(parts) or lacks for parts in own)
    return _cut(*_own_words(one, other))


def _cut(one: str, other: str) -> tuple[str, str]:
    """Two values as long as there is room: their ends where they begin alike."""
    if one[:LONGEST] == other[:LONGEST]:
        return one[-LONGEST:], other[-LONGEST:]
    return one[:LONGEST], other[:LONGEST]


def _own_words(one: str, other: str) -> tuple[str, str]:
    """Of two values of many words those that only one of them has, and few of them."""
    words = [value.split() for value in (one, other)]
    if max(map(len, words)) <= MOST_WORDS:
        return one, other
    own = [[word for word in held if word not in beside] for held, beside in zip(words, words[::-1], strict=True)]
    short = [" ".join((few or held)[:MOST_WORDS]) for few, held in zip(own, words, strict=True)]
    return (short[0], short[1]) if short[0] != short[1] else (one, other)


def plain(value: str) -> str:
    """A value however it is padded, quoted and ordered, without what each node has for itself."""
    words = " ".join(value.replace('"', "").lower().split())
    if "," not in words:
        return words
    return ",".join(sorted(one for one in words.split(",") if OWN_OPTION.match(one.strip()) is None))


@dataclass(frozen=True, slots=True)
class SharedWords:
    """name: what it is; value: what nodes share."""

    nodes: tuple[str, ...]
    name: str
    value: str


@rule("ST-48", needs=(Settings, Records, Nodes), words=SharedWords)
def shared_identity(settings: Settings, records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: nodes throw each other out: sessions end, leases and answers reach the wrong one.

    Reasoning: two nodes show one value of what each has for itself, an address or a number by which others know it, as
    after a machine was cloned.
    Source: iscsid(8), lvmlocal.conf of lvm(8), machine-id(5), arping(8).
    """
    owners: dict[tuple[str, str], dict[str, Setting | Interface]] = defaultdict(dict)
    for one in settings.shown(ALONE):
        if one.node:
            owners[one.name, one.value][one.node] = one
    for address, cards in _addresses(records, names).items():
        owners[phrase("uneven-nodes.address"), address] = dict(cards)
    for (name, value), rows in sorted(owners.items()):
        looks = Looks(rows.values())
        if len(rows) < TWO or looks.are_of_two_times:
            continue
        nodes = tuple(sorted(rows))[:MOST]
        yield Seen(
            level="shared",
            words=SharedWords(nodes, name, value),
            lines=[rows[node].ref for node in nodes],
            nodes=nodes,
            times=looks.times,
            borne_by=(len(nodes), len(nodes)),
            parts=looks.parts,
            weight=float(len(nodes)),
        )


def _addresses(records: Records, names: Nodes) -> dict[str, dict[str, Interface]]:
    """By address the nodes that have it on a card, each as its first one there; of nodes that tell each other apart by
    another address.
    """
    by_node: dict[str, dict[str, Interface]] = defaultdict(dict)
    first: set[tuple[str, str]] = set()
    for one in records.of(Interface, pl.col("address").is_not_null()):
        if not one.node or not one.name or not one.address or INSIDE.match(one.name) or not _is_own(one.address):
            continue
        node = names.name(one.node)
        if (node, one.name) not in first:
            first.add((node, one.name))
            by_node[node].setdefault(one.address.partition("/")[0], one)
    found: dict[str, dict[str, Interface]] = defaultdict(dict)
    for node, cards in by_node.items():
        for address, card in cards.items():
            found[address][node] = card
    return {address: cards for address, cards in found.items() if len(cards) > 1 and _differ(cards, by_node)}


def _differ(nodes: Sequence[str] | Mapping[str, Interface], by_node: Mapping[str, Mapping[str, Interface]]) -> bool:
    """Whether each of some nodes has an address that no other one of them has."""
    return all(set(by_node[node]) - {at for other in nodes if other != node for at in by_node[other]} for node in nodes)


def _is_own(address: str) -> bool:
    """Whether it is one of IPv4 that a host has for itself."""
    try:
        one = ipaddress.IPv4Interface(address)
    except ValueError:
        return False
    return not (one.is_loopback or one.is_link_local or one.is_unspecified)
