"""Rules on a file of the configuration that the node itself contradicts: what is not there (ST-64), a host by another
address (ST-65), and parameters of the kernel that are not in force (ST-66).
"""

from __future__ import annotations

import re
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
from parsers.records import CommandRun, NodeAlias, Section, Setting, Version
from parsers.records.states import ClusterMember, HeartbeatLink, Interface, Membership, Quorum, ServiceState

HOSTS: Final = setting("addresses-of-hosts")
LINKS: Final = setting("links-of-the-heartbeat")
WANTED: Final = setting("parameters-of-the-kernel-to-set")
IN_FORCE: Final = setting("parameters-of-the-kernel")
PAIRS: Final = (
    ("apart", WANTED, IN_FORCE),
    ("apart", setting("tunables-of-mounts-to-set"), setting("tunables-of-mounts")),
    ("card", setting("mtus-to-be"), setting("mtus-in-force")),
    ("limit", setting("limits-to-be"), setting("limits-in-force")),
)
START_TO_BE: Final = setting("start-to-be")
START: Final = setting("start-in-force")
MODULES: Final = setting("kernel-of-modules")
RESOURCES: Final = setting("addresses-of-resources")
BROUGHT: Final = re.compile(r"(?:^|[\s\"])ip=\"?(?P<address>(?:\d{1,3}\.){3}\d{1,3})\b")
OF_LOADER: Final = re.compile(
    r"(?:root|resume|rd\.[\w.]{2,20}|ip|ifname|initrd|bootdev|nfsroot|osid|BOOT_IMAGE)=|(?:ro|rw|quiet|splash|rhgb)$"
)
ALL_USERS: Final = ("*", "root")
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

    Reasoning: a table of hosts or of the cluster gives a node an address in a network in which the node itself shows
    another one alone, or a resource that brings an address runs where that is missing.
    Source: hosts(5), ip-address(8), mmlscluster, corosync.conf(5).
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
        tables = tuple(dict.fromkeys(row.node or "" for row in rows))[:MOST]
        yield _elsewhere("elsewhere", host, address, own[host], [row.ref for row in rows], tables)
    for host, address, ref in _in_tables(records, names) if own else ():
        if host in own and (host, address) not in wrong and address not in own[host] and _beside(address, own[host]):
            yield _elsewhere("cluster", host, address, own[host], [ref], ())
    yield from _without(records, names, settings, own)


def _elsewhere(
    level: str, host: str, address: str, own: Mapping[str, Interface], rows: list[Ref], tables: tuple[str, ...]
) -> Seen:
    beside = _beside(address, own)
    return Seen(
        level=level,
        words=AddressWords(host, address, beside[0], tables),
        lines=[rows[0], own[beside[0]].ref],
        nodes=(host,),
        borne_by=(len(rows), len(rows)),
        parts=("moved",),
        weight=float(len(rows)),
    )


def _in_tables(records: Records, names: Nodes) -> Iterator[tuple[str, str, Ref]]:
    """Nodes with the addresses that tables of the cluster give them, each once."""
    if not records.has(NodeAlias):
        return
    sections = records.frame(Section, pl.col("format").is_in(list(LAYERS)))
    places = [*sections.select("artifact", "line", "last_line").iter_rows()]
    shown: set[tuple[str, str]] = set()
    for row in records.of(NodeAlias, pl.col("kind") == "address") if places else ():
        host = names.name(row.node)
        if (host, row.alias) not in shown and any(
            artifact == row.artifact and first <= row.line <= last for artifact, first, last in places
        ):
            shown.add((host, row.alias))
            yield host, row.alias, row.ref


def _without(
    records: Records, names: Nodes, settings: Settings, own: Mapping[str, Mapping[str, Interface]]
) -> Iterator[Seen]:
    """Resources that bring an address and run on a node that does not have it."""
    brought = _brought(settings) if own else {}
    for state in records.of(ServiceState) if brought else ():
        address, source = brought.get(state.resource or "", ("", None))
        host = names.name(state.on) if state.on else ""
        if source is None or state.standing != "online" or host not in own or address in own[host]:
            continue
        if _beside(address, own[host]):
            yield Seen(
                level="resource",
                words=AddressWords(host, address, state.resource or "", ()),
                lines=[source, state.ref, *(card.ref for card in list(own[host].values())[:2])],
                nodes=(host,),
                borne_by=(1, 1),
                parts=("moved",),
                weight=1.0,
            )


def _brought(settings: Settings) -> dict[str, tuple[str, Ref]]:
    """By resource the address that it brings."""
    found: dict[str, tuple[str, Ref]] = {}
    for one in settings.shown(RESOURCES):
        match = BROUGHT.search(f"ip={one.value}" if one.name == "ip" else one.value)
        if match is not None and one.scope:
            found.setdefault(one.scope, (match["address"], one.ref))
    return found


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


@rule("ST-66", needs=(Records, Nodes, Settings), words=ForceWords)
def not_in_force(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: a node behaves as if it had not been tuned.

    Reasoning: a parameter of the kernel, a card or a program has another value in force than each of the files that
    set it on that node, the kernel was started without what its loader is to give it, or another kernel runs than the
    modules are built for.
    Source: sysctl.conf(5), sysctl(8), limits.conf(5), proc(5).
    """
    for level, meant, in_force in PAIRS:
        yield from _apart(level, settings.shown(meant), settings.shown(in_force))
    yield from _starts(settings)
    yield from _modules(records, names, settings)


def _apart(level: str, meant: Iterable[Setting], in_force: Iterable[Setting]) -> Iterator[Seen]:
    """Values of a node that none of its own files sets; a file that no node is known of is of the one that has its
    mount.
    """
    wanted: dict[tuple[str | None, str | None], dict[str, dict[str, Setting]]] = defaultdict(lambda: defaultdict(dict))
    for one in meant:
        wanted[one.node, None if one.scope in ALL_USERS else one.scope][one.name.lower()][one.value] = one
    apart: dict[tuple[str | None, str | None], dict[str, Setting]] = defaultdict(dict)
    for one in in_force:
        place = (one.node, one.scope) if (one.node, one.scope) in wanted or not one.scope else (None, one.scope)
        values = wanted[place].get(one.name.lower()) if place in wanted else None
        if values and one.value not in values and (level != "limit" or _is_less(one.value, values)):
            apart[place][one.name.lower()] = one
    for place, rows in apart.items():
        key, row = next(iter(sorted(rows.items())))
        value, source = next(iter(wanted[place][key].items()))
        of_card = level == "card" and row.scope
        name = phrase("compared.one-of", name=row.name, whole=row.scope) if of_card else row.name
        yield Seen(
            level=level,
            words=ForceWords(row.node, name, value, row.value, len(rows) - 1),
            lines=(source.ref, row.ref),
            nodes=(row.node,),
            borne_by=(len(rows), len(rows)),
            weight=float(len(rows)),
        )


def _is_less(value: str, wanted: Iterable[str]) -> bool:
    """Whether a limit is lower than each that files set; what is more was set by what starts the program."""
    return value.isdecimal() and all(
        one == "unlimited" or (one.isdecimal() and int(value) < int(one)) for one in wanted
    )


def _starts(settings: Settings) -> Iterator[Seen]:
    """Parameters that the loader is to give to the kernel, and that it was started without."""
    running = {one.node: one for one in settings.shown(START)}
    lacking: dict[str | None, dict[str, Setting]] = defaultdict(dict)
    for one in settings.shown(START_TO_BE) if running else ():
        if one.node in running:
            lacking[one.node].update(dict.fromkeys(_not_given(one.value, running[one.node].value), one))
    for node, absent in lacking.items():
        if absent:
            yield _started_without(node, absent, running[node])


def _not_given(wanted: str, given: str) -> list[str]:
    """Words of a table that a kernel was started without. Where they have nothing in common one is of another host."""
    words, there = [word for word in wanted.split() if OF_LOADER.match(word) is None], set(given.split())
    return [word for word in words if word not in there] if there.intersection(words) or len(words) == 1 else []


def _started_without(node: str | None, absent: Mapping[str, Setting], running: Setting) -> Seen:
    name, source = next(iter(absent.items()))
    key, _, wanted = name.partition("=")
    value = next((word for word in running.value.split() if word.partition("=")[0] == key), "")
    return Seen(
        level="start",
        words=ForceWords(node, name, wanted, value, len(absent) - 1),
        lines=(source.ref, running.ref),
        nodes=(node,),
        borne_by=(len(absent), len(absent)),
        weight=float(len(absent)),
    )


def _modules(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """Nodes that run a kernel for which no package of modules is there."""
    built: dict[str | None, dict[str, Setting]] = defaultdict(dict)
    for one in settings.shown(MODULES):
        built[one.node][one.value] = one
    running = {
        names.name(one.node) if one.node else None: one
        for one in (records.of(Version, pl.col("product") == "kernel") if built else ())
    }
    for node, kernels in built.items():
        runs = running.get(node)
        if runs is not None and not any(_is_for(kernel, runs.version) for kernel in kernels):
            kernel, source = next(iter(kernels.items()))
            yield Seen(
                level="modules",
                words=ForceWords(node, source.name, kernel, runs.version, 0),
                lines=(source.ref, runs.ref),
                nodes=(node,),
                borne_by=(1, 1),
                weight=1.0,
            )


def _is_for(kernel: str, running: str) -> bool:
    """Whether a package is for a kernel: either may be named without the sort of the machine."""
    return kernel == running or kernel.startswith(f"{running}.") or running.startswith(f"{kernel}.")
