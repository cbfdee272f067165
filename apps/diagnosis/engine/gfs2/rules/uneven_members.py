"""Rules on members of a Linux cluster that are in order by themselves and differ: who they count as members, and what
their configuration says.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.facts.looks import Looks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.records import Setting
from parsers.records.states import ClusterMember

TOTEM: Final = setting("totem")
LISTED: Final = re.compile(r"nodelist\.node\.\d{1,4}\.ring0_addr$")
ALIKE: Final = re.compile(r"(?:totem|quorum)\.(?!interface\.\d{0,2}\.?bindnetaddr|config_version)[a-z_.\d]{1,60}$")
WHOLE: Final = "totem.version"
MOST: Final = 6
MOST_LOOKS: Final = 32


@dataclass(frozen=True, slots=True)
class ListWords:
    """more, fewer: two nodes that list each other; lacking: whom only the first lists."""

    more: str
    fewer: str
    lacking: tuple[str, ...]


@rule("NW-15", needs=(Records, Nodes), words=ListWords)
def peers(records: Records, names: Nodes, _: Limits) -> Iterator[Seen]:
    """Symptom: what one node does for all does not reach some, or is refused.

    Reasoning: two nodes list each other as members, and one lists further ones that the other does not know.
    Source: crm_mon(8), gluster(8).
    """
    listed: dict[str, dict[str, ClusterMember]] = defaultdict(dict)
    for one in records.of(ClusterMember):
        if one.node and one.member and one.layer == "membership" and one.of is None:
            listed[names.name(one.node)][names.name(one.member)] = one
    listing = sorted(listed.items())[:MOST_LOOKS]
    for fewer, few in listing:
        for more, many in listing:
            if fewer not in many or more not in few or many[fewer].standing != "up" or few[more].standing != "up":
                continue
            known = few.keys() | {fewer}
            lacking = sorted(many.keys() - known - {more})
            looks = Looks((few[more], many[fewer]))
            if not lacking or not known <= many.keys() | {more} or looks.are_of_two_times:
                continue
            yield Seen(
                level="lists",
                words=ListWords(more, fewer, tuple(lacking[:MOST])),
                lines=[many[one].ref for one in lacking[:MOST]] + [few[more].ref],
                nodes=(fewer, more),
                times=looks.times,
                borne_by=(2, 2),
                parts=looks.parts,
                weight=float(len(lacking)),
            )
            return


@dataclass(frozen=True, slots=True)
class ConfigWords:
    """differences: by name of a setting the values of the nodes."""

    nodes: tuple[str, ...]
    differences: tuple[str, ...]


@rule("NW-16", needs=(Settings,), words=ConfigWords)
def configurations(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: nodes that do not find each other after their next start, or lose each other at different times.

    Reasoning: the configuration of corosync differs between nodes.
    Source: corosync.conf(5): the file is to be the same on all nodes.
    """
    by_node: dict[str, dict[str, Setting]] = defaultdict(dict)
    for one in settings.shown(TOTEM):
        if one.node and (ALIKE.match(one.name) or LISTED.match(one.name)):
            by_node[one.node][one.name] = one
    if len(by_node) < 2:
        return
    found = dict(_differing(by_node))
    if not found:
        return
    nodes = sorted({row.node or "" for rows in found.values() for row in rows})
    yield Seen(
        level="differs",
        words=ConfigWords(tuple(nodes[:MOST]), tuple(found)[:MOST]),
        lines=list(dict.fromkeys(row.ref for rows in found.values() for row in rows))[: 2 * MOST],
        nodes=tuple(nodes[:MOST]),
        borne_by=(len(found), len(by_node)),
        weight=float(len(found)),
    )


def _differing(by_node: Mapping[str, Mapping[str, Setting]]) -> Iterator[tuple[str, Sequence[Setting]]]:
    """What differs, in words, with the rows that show it."""
    whole = {node: rows[WHOLE] for node, rows in by_node.items() if WHOLE in rows}
    by_name: dict[str, dict[str, Setting]] = defaultdict(dict)
    listed: dict[str, dict[str, Setting]] = defaultdict(dict)
    for node, rows in sorted(by_node.items()):
        for name, row in rows.items():
            if LISTED.match(name):
                listed[node][row.value] = row
            else:
                by_name[name][node] = row
    for name, values in sorted(by_name.items()):
        if (parts := _apart(values, whole)) is not None:
            missing = [row for node, row in whole.items() if node not in values]
            yield f"{name} ({', '.join(parts)})", [*values.values(), *missing]
    if len({frozenset(rows) for rows in listed.values()}) > 1:
        parts = [phrase("compared.value-on", value=len(rows), node=node) for node, rows in listed.items()][:MOST]
        yield f"nodelist ({', '.join(parts)})", [row for rows in listed.values() for row in rows.values()]


def _apart(values: Mapping[str, Setting], whole: Mapping[str, Setting]) -> list[str] | None:
    """The values of a setting where they differ. One that is left out counts where all files are whole."""
    missing = [node for node in sorted(whole) if node not in values]
    if len({row.value for row in values.values()}) < 2 and not (missing and values.keys() <= whole.keys()):
        return None
    shown = [phrase("compared.value-on", value=row.value, node=node) for node, row in values.items()]
    return shown[:MOST] + [phrase("compared.none-on", node=node) for node in missing][:MOST]
