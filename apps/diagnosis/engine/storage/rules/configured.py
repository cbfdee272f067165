"""Rules on a file of the configuration that the node itself contradicts: what is not there (ST-64), a host by another
address (ST-65), and parameters of the kernel that are not in force (ST-66).
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import setting
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.storage.rules.uneven_nodes import INSIDE, names_some
from parsers.dataclass import dataclass
from parsers.headings.transcript import parse_command
from parsers.records import CommandRun, NodeAlias, Section, Setting
from parsers.records.states import ClusterMember, HeartbeatLink, Interface, Membership, Quorum

HOSTS: Final = setting("addresses-of-hosts")
LINKS: Final = setting("links-of-the-heartbeat")
WANTED: Final = setting("parameters-of-the-kernel-to-set")
IN_FORCE: Final = setting("parameters-of-the-kernel")
PAIRS: Final = ((WANTED, IN_FORCE), (setting("tunables-of-mounts-to-set"), setting("tunables-of-mounts")))
# By the format of a table of the nodes of a cluster, the layer whose members are all of them.
LAYERS: Final[Mapping[str, str]] = {
    "scale_cluster": "daemon",
    "main_cf": "services",
    "llthosts": "services",
    "corosync_conf": "membership",
    "cluster_conf": "membership",
}
LISTERS: Final = frozenset(("mmgetstate", "hastatus"))
PORTS: Final = frozenset(("llthosts",))
_Table = tuple[str, bool, dict[str, Ref]]
MOST: Final = 8
TWO: Final = 2


@dataclass(frozen=True, slots=True)
class AbsentWords:
    """sort: what is configured and not there; name: the first of them, further: how many beside it; there: how many
    are; wanted: how many are configured.
    """

    node: str | None
    sort: str
    name: str
    further: int
    there: int
    wanted: int


@rule("ST-64", needs=(Records, Nodes, Settings), words=AbsentWords)
def configured_and_absent(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: what is listed is up, and less is listed than there ought to be.

    Reasoning: a table of the configuration names nodes, or links of the heartbeat, that the list of what is there
    leaves out.
    Source: gabconfig(1M), hastatus(1M), mmgetstate, lltstat(1M), corosync-quorumtool(8).
    """
    yield from _absent_members(records, names)
    yield from _absent_links(records, names, settings)


def _absent_members(records: Records, names: Nodes) -> Iterator[Seen]:
    ports = [("member", *one) for one in _ports(records, names)]
    quorum = [("member", *one) for one in _voters(records, names)]
    lists = {layer: [("listed", *one) for one in _members(records, names, layer)] for layer in {*LAYERS.values()}}
    for layer, is_port, wanted in _unlike(_tables(records, names)):
        whole = ports if is_port else quorum if layer == "membership" else ()
        for level, node, there in (*whole, *lists[layer]):  # people cut lists
            absent = sorted(wanted.keys() - there.keys())
            if absent and len(there) >= TWO and there.keys() <= wanted.keys() and len(absent) < len(there):
                yield replace(_absent("member", node, absent, wanted, there), level=level)
                break


def _unlike(tables: Iterator[_Table]) -> Iterator[_Table]:
    """Of tables that name the same nodes the first: each node and each moment has its copy. Beyond some they are of
    clusters that change, which no list is held against.
    """
    shown: set[tuple[str, frozenset[str]]] = set()
    for table in tables:
        key = (table[0], frozenset(table[2]))
        if key not in shown and len(shown) < MOST:
            shown.add(key)
            yield table


def _absent_links(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    shown: dict[str, dict[str, Ref]] = defaultdict(dict)
    for link in records.of(HeartbeatLink):
        if link.node and link.link and link.protocol == "llt":
            shown[names.name(link.node)].setdefault(link.link, link.ref)
    configured: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(LINKS):
        if one.node and one.scope:
            configured[one.node][one.scope] = one.ref
    for node, links in sorted(configured.items()):
        absent = sorted(links.keys() - shown[node].keys())
        if absent and links.keys() & shown[node].keys():
            yield _absent("link", node, absent, links, shown[node])


def _absent(
    sort: Literal["member", "link"],
    node: str | None,
    absent: list[str],
    wanted: Mapping[str, Ref],
    there: Mapping[str, Ref],
) -> Seen:
    return Seen(
        level=sort,
        words=AbsentWords(node, phrase(f"configured.{sort}"), absent[0], len(absent) - 1, len(there), len(wanted)),
        lines=list(dict.fromkeys([*(wanted[one] for one in absent[:MOST]), *list(there.values())[:2]])),
        nodes=tuple(absent[:MOST]) if sort == "member" else (node,),
        borne_by=(len(there), len(wanted)),
        parts=("meant",),
        weight=float(len(absent)),
    )


def _tables(records: Records, names: Nodes) -> Iterator[_Table]:
    """Tables of the nodes of a cluster: the layer in which all of them are to be, whether they are numbers of ports
    too, and the nodes with their lines.
    """
    if not records.has(NodeAlias):
        return
    sections = records.frame(Section, pl.col("format").is_in(list(LAYERS)))
    listed: dict[int, list[NodeAlias]] = defaultdict(list)
    for row in records.of(NodeAlias, pl.col("artifact").is_in(sections["artifact"].unique().to_list())):
        listed[row.artifact].append(row)
    for rows in listed.values():
        rows.sort(key=_line)
    for artifact, first, last, kind in sections.select("artifact", "line", "last_line", "format").iter_rows():
        rows = listed[artifact]
        inside = rows[bisect_left(rows, first, key=_line) : bisect_right(rows, last, key=_line)]
        nodes = {names.name(row.node): row.ref for row in inside}
        if len(nodes) > TWO:
            yield LAYERS[kind], kind in PORTS, nodes


def _line(row: NodeAlias) -> int:
    return row.line


def _members(records: Records, names: Nodes, layer: str) -> list[tuple[str | None, dict[str, Ref]]]:
    """By node the members of a layer that it lists; none of a node that was asked for some of them."""
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    found: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ClusterMember):
        if one.layer == layer and one.member and one.of is None:
            found[one.node][names.name(one.member)] = one.ref
    return [(node, rows) for node, rows in found.items() if not names_some(runs, names.name(node or ""), LISTERS)]


def _ports(records: Records, names: Nodes) -> list[tuple[str | None, dict[str, Ref]]]:
    return [
        (one.node, {names.name(member): one.ref for member in one.members.split()})
        for one in records.of(Membership)
        if one.sort == "port" and one.group == "a" and one.standing == "normal"
    ]


def _voters(records: Records, names: Nodes) -> list[tuple[str | None, dict[str, Ref]]]:
    """Members as the service of the quorum counts them."""
    return [
        (one.node, {names.name(member): one.ref for member in one.members.split()})
        for one in records.of(Quorum)
        if one.layer == "membership" and one.quorate is not False
    ]


@dataclass(frozen=True, slots=True)
class AddressWords:
    """host: by a table of hosts at an address; shown: what it has itself; nodes: whose table it is."""

    host: str
    address: str
    shown: str
    nodes: tuple[str, ...]


@rule("ST-65", needs=(Records, Nodes, Settings), words=AddressWords)
def hosts_elsewhere(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: a node does not reach another one by its name, or reaches a stranger.

    Reasoning: a table of hosts gives a node an address in a network in which the node itself shows another one alone.
    Source: hosts(5), ip-address(8).
    """
    own: dict[str, dict[str, Interface]] = defaultdict(dict)
    for card in records.of(Interface):
        if card.node and card.name and card.address and INSIDE.match(card.name) is None:
            own[names.name(card.node)][card.address.partition("/")[0]] = card
    wrong: dict[tuple[str, str], list[Setting]] = defaultdict(list)
    for one in settings.shown(HOSTS):
        host = _node_of(names.name(one.scope or ""), own)
        if host is not None and one.value not in own[host] and _beside(one.value, own[host]):
            wrong[host, one.value].append(one)
    for (host, address), rows in sorted(wrong.items()):
        beside = _beside(address, own[host])
        yield Seen(
            level="elsewhere",
            words=AddressWords(host, address, beside[0], tuple(dict.fromkeys(row.node or "" for row in rows))[:MOST]),
            lines=[rows[0].ref, own[host][beside[0]].ref],
            nodes=(host,),
            borne_by=(len(rows), len(rows)),
            parts=("moved",),
            weight=float(len(rows)),
        )


def _node_of(host: str, own: Mapping[str, object]) -> str | None:
    """The node of a name in a table, by its whole name or its first label; None of any other host."""
    return next((name for name in (host, host.partition(".")[0]) if name in own), None)


def _beside(address: str, own: Mapping[str, Interface]) -> list[str]:
    """Addresses in the network of 24 bits of another one."""
    network = address.rpartition(".")[0]
    return [one for one in own if network and one.rpartition(".")[0] == network]


@dataclass(frozen=True, slots=True)
class ForceWords:
    """name: of a parameter; wanted: by its file; value: in force; further: how many more there are."""

    node: str | None
    name: str
    wanted: str
    value: str
    further: int


@rule("ST-66", needs=(Settings,), words=ForceWords)
def not_in_force(settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: a node behaves as if it had not been tuned.

    Reasoning: a parameter of the kernel has another value in force than each of the files that set it on that node.
    Source: sysctl.conf(5), sysctl(8).
    """
    for meant, in_force in PAIRS:
        yield from _apart(settings.shown(meant), settings.shown(in_force))


def _apart(meant: Iterable[Setting], in_force: Iterable[Setting]) -> Iterator[Seen]:
    """Values of a node that none of its own files sets; a file that no node is known of is of the one that has its
    mount.
    """
    wanted: dict[tuple[str | None, str | None], dict[str, dict[str, Setting]]] = defaultdict(lambda: defaultdict(dict))
    for one in meant:
        wanted[one.node, one.scope][one.name][one.value] = one
    apart: dict[tuple[str | None, str | None], dict[str, Setting]] = defaultdict(dict)
    for one in in_force:
        place = (one.node, one.scope) if (one.node, one.scope) in wanted or not one.scope else (None, one.scope)
        values = wanted[place].get(one.name) if place in wanted else None
        if values and one.value not in values:
            apart[place][one.name] = one
    for place, rows in apart.items():
        name, row = next(iter(sorted(rows.items())))
        value, source = next(iter(wanted[place][name].items()))
        yield Seen(
            level="apart",
            words=ForceWords(row.node, name, value, row.value, len(rows) - 1),
            lines=(source.ref, row.ref),
            nodes=(row.node,),
            borne_by=(len(rows), len(rows)),
            weight=float(len(rows)),
        )
