"""Rules on nodes whose own tables are in order and differ: the MTU on one network, and what only some of them see."""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

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
from apps.diagnosis.engine.storage.rules.uneven_paths import OWN_NAMES
from parsers.dataclass import dataclass
from parsers.headings.transcript import Command, parse_command
from parsers.records import CommandRun, Setting
from parsers.records.states import DiskPath, Interface, StorageState

# Networks inside of a host, of which each host has one of its own.
INSIDE: Final = re.compile(r"(?:lo|docker|virbr|veth|vnet|br-|cni|flannel|cali|podman|tun|tap|ovs|kube|dummy|sit|lxc)")
USUAL_MASK: Final = 24
MOST: Final = 8
SHARED: Final = re.compile(r"\bshared\b")
CLUSTERED: Final = re.compile(r"wz.{3}[cs]$")
OFTEN: Final = 3
OF_CLUSTER: Final = setting("disks-of-a-cluster")
NUMBERS: Final = setting("maps-there")
# By what is listed the commands that list it whole where they name nothing, and their options that take a word.
LISTERS: Final[Mapping[str, frozenset[str]]] = {
    "disk": frozenset(("multipath", "lspv")),
    "group": frozenset(("vgs", "vgdisplay")),
    "shared": frozenset(),
    "member": frozenset(("pvs", "pvdisplay")),
}
WITH_WORD: Final = re.compile(r"-[oOSvbpRC]$|--(?:options|sort|units|separator|config|reportformat|profile|devices)$")
CHOSEN: Final = re.compile(r"-S|--select")
PICKED: Final = re.compile(r"(?:e|f|z)?grep\b|awk\b|gawk\b|head\b|tail\b|sed\b")
# Devices that lead to a disk of several nodes, and groups of which each node has its own.
SHARED_DEVICE: Final = re.compile(r"/dev/(?:mapper/(?!luks|crypt|\w{1,40}_crypt)[\w.+-]{1,80}$|emcpower|vx/|drbd)")
OWN_GROUP: Final = re.compile(
    r"\w{0,20}(?:root|sys|boot|local|os)(?:vg|_vg|-vg)?\d{0,2}$|(?:centos|rhel|rl|ol|almalinux|fedora|ubuntu|debian|vg00)\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class MtuWords:
    """odd: each node with a smaller MTU than the largest one, with its value; network: or the name of the cards."""

    network: str
    odd: tuple[tuple[str, int], ...]
    most: int
    alike: tuple[str, ...]


@rule("ST-41", needs=(Records, Nodes, Settings), words=MtuWords)
def uneven_mtu(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: small messages pass, and large ones hang or are sent again.

    Reasoning: cards of several nodes that are in one network have different MTUs.
    Source: ip-link(8); RFC 1191.
    """
    mtus = _mtus(settings)
    networks = _networks(records, names, mtus)
    networks.update(_namesakes(mtus, networks))
    for network, cards in networks.items():
        values = {node: mtus[node, card][0] for node, card in cards.items()}
        most = max(values.values())
        odd = sorted((value, node) for node, value in values.items() if value != most)
        if not odd:
            continue
        alike = sorted(node for node, value in values.items() if value == most)
        shown = [node for _, node in odd[:MOST]]
        yield Seen(
            level="named" if network.startswith("cards") else "network",
            words=MtuWords(network, tuple((node, value) for value, node in odd[:MOST]), most, tuple(alike)),
            lines=[mtus[node, cards[node]][1] for node in (*shown, *alike[:2])],
            nodes=shown,
            borne_by=(len(cards), len(cards)),
            parts=("switch",),
            weight=float(most - odd[0][0]),
        )


def _mtus(settings: Settings) -> Mapping[tuple[str, str], tuple[int, Ref]]:
    """By node and card, as shown last."""
    named = (pl.col("name") == "mtu") & pl.col("node").is_not_null() & pl.col("scope").is_not_null()
    rows: tuple[Setting, ...] = settings.shown(None, named) if settings.all.height else ()
    return {
        (one.node, one.scope): (int(one.value), one.ref)
        for one in rows
        if one.node and one.scope and one.value.isdecimal() and INSIDE.match(one.scope) is None
    }


def _namesakes(
    mtus: Mapping[tuple[str, str], tuple[int, Ref]], networks: Mapping[str, Mapping[str, str]]
) -> dict[str, dict[str, str]]:
    """Cards of one name on two nodes, where nothing shows their network; a rule on more of them counts most."""
    placed = {(node, card) for cards in networks.values() for node, card in cards.items()}
    found: dict[str, dict[str, str]] = defaultdict(dict)
    for node, card in mtus:
        if (node, card) not in placed:
            found[phrase("uneven-nodes.namesakes", card=card)][node] = card
    return {name: nodes for name, nodes in sorted(found.items()) if 1 < len(nodes) < OFTEN}


def _networks(
    records: Records, names: Nodes, mtus: Mapping[tuple[str, str], tuple[int, Ref]]
) -> dict[str, dict[str, str]]:
    """By network the card of each node in it; none in which two nodes have the same address, for each has its own."""
    cards: dict[str, dict[str, str]] = defaultdict(dict)
    owners: dict[str, set[str]] = defaultdict(set)
    found: dict[str, set[str]] = defaultdict(set)
    for one in records.of(Interface):
        if not one.node or not one.name or not one.address:
            continue
        place = names.name(one.node), one.name
        network = _network(one.address) if place in mtus else None
        if network is None:
            continue
        cards[network][place[0]] = place[1]
        address = one.address.partition("/")[0]
        owners[address].add(place[0])
        found[network].add(address)
    return {
        network: dict(sorted(nodes.items()))
        for network, nodes in sorted(cards.items())
        if len(nodes) > 1 and all(len(owners[address]) == 1 for address in found[network])
    }


def _network(address: str) -> str | None:
    """Of an address of IPv4, which is in a network of 24 bits where no mask is shown."""
    try:
        one = ipaddress.IPv4Interface(address if "/" in address else f"{address}/{USUAL_MASK}")
    except ValueError:
        return None
    return None if one.is_loopback or one.is_link_local or one.network.prefixlen > 30 else str(one.network)


@dataclass(frozen=True, slots=True)
class UnseenWords:
    """lacking: nodes that do not list what the others do; sort: what it is; count: how many of them."""

    lacking: tuple[str, ...]
    having: tuple[str, ...]
    sort: str
    name: str
    count: int


@rule("ST-42", needs=(Records, Nodes, Settings), words=UnseenWords)
def seen_by_some(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: a service or a file system does not start on one node.

    Reasoning: nodes list the same shared disks, clustered volume groups, or disks of one group, and one lacks some
    that the others list. Nodes of which somebody listed single things are left out.
    Source: multipath(8), vgs(8), pvs(8).
    """
    runs = [(names.name(run.node), parse_command(run.command)) for run in records.of(CommandRun) if run.node]
    members = (("member", nodes) for nodes in _members(settings))
    groups = (("group", _groups(settings)), ("shared", _shared_groups(records, names)))
    shown = (("disk", _disks(records, names, settings)), *groups, *members)
    for kind, all_listed in shown:
        listed = {node: rows for node, rows in all_listed.items() if not names_some(runs, node, LISTERS[kind])}
        having = _by_name(listed)
        missed = [name for name in sorted(having) if _is_missed(kind, listed, having, name)]
        if not missed:
            continue
        name = missed[0]
        lacking = sorted(listed.keys() - having[name])
        yield Seen(
            level="several" if len(having[name]) > 1 or kind != "disk" else "one",
            words=UnseenWords(
                tuple(lacking[:MOST]),
                tuple(having[name][:MOST]),
                phrase(f"uneven-nodes.{kind}"),
                name,
                len(missed),
            ),
            lines=[listed[node][name] for node in having[name][:MOST]]
            + [next(iter(listed[node].values())) for node in lacking[:2] if listed[node]],
            nodes=lacking[:MOST],
            borne_by=(len(having[name]), len(listed)),
            parts=("listed",),
            weight=float(len(having[name])),
        )


def names_some(runs: Iterable[tuple[str, Command]], node: str, programs: frozenset[str]) -> bool:
    """Whether the commands that list such things on a node are known, and each of them asked for some alone."""
    choices = [_is_choosy(command) for where, command in runs if where == node and command.program in programs]
    return bool(choices) and all(choices)


def _is_choosy(command: Command) -> bool:
    """Whether it names what it lists, or what follows it picks lines."""
    if any(CHOSEN.match(word) for word in command.args) or any(PICKED.match(one) for one in command.filters):
        return True
    before = ("", *command.args)
    return any(
        not word.startswith(("-", "+")) and WITH_WORD.match(last) is None
        for last, word in zip(before, command.args, strict=False)
    )


def _by_name(listed: Mapping[str, Mapping[str, Ref]]) -> dict[str, list[str]]:
    """By what is listed the nodes that list it."""
    found: dict[str, list[str]] = defaultdict(list)
    for node in sorted(listed):
        for name in listed[node]:
            found[name].append(node)
    return found


def _is_missed(kind: str, listed: Mapping[str, Mapping[str, Ref]], having: Mapping[str, list[str]], name: str) -> bool:
    """Whether nodes lack what others list. Of disks: nodes that see shared ones, and have none for themselves."""
    lacking = listed.keys() - having[name]
    if kind != "disk" or not lacking:
        return bool(lacking)
    if len(having[name]) < len(lacking):
        return False
    return all(
        any(len(having[one]) > 1 for one in listed[node]) and all(len(having[one]) > 1 for one in listed[node])
        for node in lacking
    )


def _disks(records: Records, names: Nodes, settings: Settings) -> dict[str, dict[str, Ref]]:
    """By node the disks under names that hold on all nodes, a map whose name each node gives under its number: of AIX
    those that a cluster file system has named.
    """
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    numbers = {(one.node, one.scope): one.value for one in settings.shown(NUMBERS)}
    for one in records.of(DiskPath):
        if not one.node or not one.map:
            continue
        node, name = names.name(one.node), one.map
        if OWN_NAMES.match(name) is not None:
            name = numbers.get((node, name), "")
        if name:
            found[node].setdefault(name, one.ref)
    for row in settings.shown(OF_CLUSTER):
        if row.node:
            found[row.node].setdefault(row.value, row.ref)
    return found


def _groups(settings: Settings) -> dict[str, dict[str, Ref]]:
    """By node that lists volume groups those that are clustered or shared."""
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    rows = settings.shown(None, pl.col("name") == "Attr") if settings.all.height else ()
    for one in rows:
        if one.node and one.scope:
            groups = found[one.node]
            if CLUSTERED.match(one.value):
                groups.setdefault(one.scope, one.ref)
    return found


def _shared_groups(records: Records, names: Nodes) -> dict[str, dict[str, Ref]]:
    """By node that lists disk groups of VxVM those that are shared: each member of the cluster imports them."""
    found: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(StorageState):
        if one.node and one.name and one.sort == "disk group" and SHARED.search(one.state or ""):
            found[names.name(one.node)].setdefault(one.name, one.ref)
    return found


def _members(settings: Settings) -> Iterator[dict[str, dict[str, Ref]]]:
    """By volume group, and in it by node, its disks: of groups of which two nodes list one under a name that holds on
    both.
    """
    groups: dict[str, dict[str, dict[str, Ref]]] = defaultdict(lambda: defaultdict(dict))
    named = (pl.col("name") == "VG") & pl.col("scope").str.starts_with("/dev/")
    rows = settings.shown(None, named) if settings.all.height else ()
    for one in rows:
        if one.node and one.scope and SHARED_DEVICE.match(one.scope) and OWN_GROUP.match(one.value) is None:
            groups[one.value][one.node].setdefault(phrase("compared.one-of", name=one.scope, whole=one.value), one.ref)
    for _, nodes in sorted(groups.items()):
        common = set.intersection(*(set(disks) for disks in nodes.values()))
        counts = {len(disks) for disks in nodes.values()}
        if common and len(counts) > 1:
            most = max(counts)
            full = {name for disks in nodes.values() if len(disks) == most for name in disks}
            yield {node: {name: ref for name, ref in disks.items() if name in full} for node, disks in nodes.items()}
