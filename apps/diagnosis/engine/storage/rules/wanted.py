"""A rule on what the configuration of a node wants and the node itself does not show (ST-68)."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import Meaning, metric, setting
from apps.diagnosis.engine.core.words.phrases import phrase
from apps.diagnosis.engine.storage.rules.uneven_mounts import OF_CLUSTER
from parsers.dataclass import dataclass
from parsers.headings.transcript import Command, parse_command
from parsers.records import CommandRun, Counter, Setting
from parsers.records.states import ClusterMember, HeartbeatLink, Interface, Room, ServiceState, StorageState

Sort = Literal[
    "mount",
    "local",
    "map",
    "group",
    "links",
    "key",
    "unit",
    "session",
    "automount",
    "fence",
    "export",
    "device",
    "card",
    "linkless",
    "lock",
    "votes",
    "two",
    "swap",
    "disks",
]
_ByNode = Mapping[str | None, Mapping[str, Ref]]

TO_MOUNT: Final = setting("places-to-mount")
MOUNTED: Final = setting("places-mounted")
LINKS: Final = setting("links-of-the-heartbeat")
NAMED_MAPS: Final = setting("maps-to-be")
MAPS: Final = setting("maps-there")
GROUPS: Final = setting("groups-to-be")
STARTS: Final = setting("starts-of-units")
STATES: Final = setting("states-of-units")
PORTALS: Final = setting("portals-to-be")
SESSIONS: Final = setting("portals-in-use")
AUTOMATIC: Final = setting("mounts-itself")
FENCES: Final = setting("agents-with-keys")
KEYS: Final = setting("keys-on-a-disk")
TO_EXPORT: Final = setting("exports-to-be")
EXPORTED: Final = setting("exports-there")
FLAGS: Final = setting("flags-of-the-quorum")
DEVICE: Final = "Qdevice"
VOTER: Final = setting("device-of-the-quorum-to-be")
RINGS: Final = setting("rings-to-be")
RING: Final = re.compile(r"nodelist\.node\.\d{1,4}\.ring(?P<ring>\d)_addr$")
CARDS: Final = setting("cards-of-bonds-to-be")
IN_BONDS: Final = setting("cards-in-bonds")
LOCKS: Final = setting("lock-daemon-of-volumes")
SHARED_GROUP: Final = re.compile(r"[wr]z.{3}s$")
VOTES: Final = setting("votes-to-be")
TWO_NODE: Final = setting("mode-of-two-nodes")
PAGING: Final = setting("paging-space-to-be")
DISK_GROUPS: Final = setting("disk-groups-to-be")
SWAP_TOTAL: Final = metric("paging-space-there")
OWN_VOTES: Final = re.compile(r"nodelist\.(?P<node>node\.\d{1,4})\.(?P<key>quorum_votes|ring0_addr|name|nodeid)$")
ATTRIBUTES: Final = setting("attributes-of-agents")
STONITH: Final = re.compile(r"\bclass=stonith\b")
SERVES: Final = re.compile(r"\bpcmk_host_(?:list|map)=(?:\"(?P<quoted>[^\"]{1,400})\"|(?P<plain>[^\s\"]{1,400}))")
WITH_KEYS: Final = re.compile(r"fence_(?:scsi|mpath)\b")
OF_CLUSTERS: Final = frozenset(("gfs", "gfs2", "gpfs", "ocfs2", "vxfs"))
# Who lists what is mounted, and which filters leave the rows of file systems of clusters in.
ALL_ROWS: Final = re.compile(r"\s*(?:sort|column|cat|less|more|tee|grep\s+-v)\b")
WORD: Final = re.compile(r"[a-z]\w{1,20}")
ON_ITS_OWN: Final = re.compile(r"(?:iscsid|iscsi|ntpd|firewalld|cups|rpcbind)$")  # started when needed, or one of two
OF_MAPS: Final = "multipath "  # not of disks that are left out
IDLE: Final = frozenset(("inactive", "deactivating"))
PREFIX: Final = "start of unit "
TWO: Final = 2
MOST: Final = 8


@dataclass(frozen=True, slots=True)
class WantedWords:
    """sort: what is wanted; name: the first that is not there, further: how many more; there, wanted: how many."""

    node: str | None
    sort: str
    name: str
    further: int
    there: int
    wanted: int


@rule("ST-68", needs=(Records, Nodes, Settings), words=WantedWords)
def wanted_and_missing(records: Records, names: Nodes, settings: Settings, _: Limits) -> Iterator[Seen]:
    """Symptom: each list is in order by itself, and what is missing in it is noticed when it is needed.

    Reasoning: a table of the configuration names a mount, a map, a service group, a unit or a portal, and the list of
    what the node has names others of the table and leaves it out.
    Source: fstab(5), multipath.conf(5), hastatus(1M), systemctl(1), iscsiadm(8), sg_persist(8).
    """
    yield from _mounts(records, names, settings)
    pairs: tuple[tuple[Sort, _ByNode, _ByNode], ...] = (
        ("map", _by_value(settings, NAMED_MAPS, OF_MAPS), _by_value(settings, MAPS)),
        ("group", _by_scope(settings, GROUPS), _groups(records, names)),
        ("disks", _by_value(settings, DISK_GROUPS), _disk_groups(records, names)),
        ("export", _by_scope(settings, TO_EXPORT), _by_scope(settings, EXPORTED)),
        ("session", _by_value(settings, PORTALS), _by_value(settings, SESSIONS)),
        ("card", _by_value(settings, CARDS), _by_value(settings, IN_BONDS)),
    )
    for sort, wanted, there in pairs:
        for node, own in wanted.items():
            yield from _missing(sort, node, own, _of(node, there))
    yield from _linkless(records, settings)
    yield from _units(settings)
    yield from _links(records, names, settings)
    yield from _rings(records, names, settings)
    yield from _voter(settings)
    yield from _votes(settings)
    yield from _swap(records, names, settings)
    yield from _locks(settings)
    yield from _keys(records, settings)
    yield from _fences(records, names, settings)
    yield from _automatic(records, settings)


def _linkless(records: Records, settings: Settings) -> Iterator[Seen]:
    """A card that its bond counts as up, and that is shown without a link of its own further down."""
    shown: dict[str | None, dict[str, list[Interface]]] = defaultdict(lambda: defaultdict(list))
    for one in records.of(Interface):
        shown[one.node][one.name or ""].append(one)
    for node, cards in _by_value(settings, IN_BONDS).items():
        gone = {card: rows for card in cards if _lost_its_link(rows := shown[node][card])}
        if gone:
            lines = [ref for rows in list(gone.values())[:MOST] for ref in (rows[0].ref, rows[-1].ref)]
            yield _seen("linkless", node, list(gone), lines, (len(cards) - len(gone), len(cards)))


def _lost_its_link(rows: Sequence[Interface]) -> bool:
    return bool(rows) and rows[-1].standing == "down" and any(one.standing == "up" for one in rows)


def _of(node: str | None, there: _ByNode) -> Mapping[str, Ref]:
    """The list of a node; of a file whose node nobody names the one list that there is."""
    if node is None and node not in there and len(there) == 1:
        return next(iter(there.values()))
    return there.get(node, {})


def _missing(sort: Sort, node: str | None, wanted: Mapping[str, Ref], there: Mapping[str, Ref]) -> Iterator[Seen]:
    """What a list leaves out that names others of the same table; who lists none of them lists something else."""
    absent = [name for name in wanted if name not in there]
    shared = [name for name in wanted if name in there]
    if absent and shared:
        lines = [*(wanted[name] for name in absent[:MOST]), *(there[name] for name in shared[:2])]
        yield _seen(sort, node, absent, lines, (len(shared), len(wanted)))


def _seen(sort: Sort, node: str | None, absent: list[str], lines: list[Ref], counts: tuple[int, int]) -> Seen:
    return Seen(
        level=sort,
        words=WantedWords(node, phrase(f"wanted.{sort}"), absent[0], len(absent) - 1, *counts),
        lines=list(dict.fromkeys(lines)),
        nodes=(node,),
        borne_by=counts,
        parts=("meant",),
        weight=float(len(absent)),
    )


def _by_value(settings: Settings, meaning: Meaning, scopes: str = "") -> _ByNode:
    found: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(meaning):
        if (one.scope or "").startswith(scopes):
            found[one.node][one.value] = one.ref
    return found


def _by_scope(settings: Settings, meaning: Meaning) -> _ByNode:
    found: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(meaning):
        found[one.node].setdefault((one.scope or "").rpartition(" ")[2], one.ref)
    return found


def _groups(records: Records, names: Nodes) -> _ByNode:
    """Service groups by the node that lists them: all of them, but where the command names some."""
    commands = _commands(records, names)
    found: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(ServiceState):
        if one.sort == "group" and one.group and not _is_picked(_above(commands, one)):
            found[names.name(one.node) if one.node else None].setdefault(one.group, one.ref)
    return found


def _units(settings: Settings) -> Iterator[Seen]:
    """Units that start with their node and do not run, of those of which both is shown."""
    states = {(one.node, one.name.rpartition(" ")[2]): one for one in settings.shown(STATES)}
    found: dict[str | None, dict[str, tuple[Setting, Setting]]] = defaultdict(dict)
    for one in settings.shown(STARTS) if states else ():
        unit = one.name.removeprefix(PREFIX)
        if (state := states.get((one.node, unit))) is not None and one.value == "enabled":
            found[one.node][unit] = one, state
    for node, units in found.items():
        absent = [unit for unit, (_, state) in units.items() if state.value in IDLE and not ON_ITS_OWN.match(unit)]
        if absent:
            lines = [row.ref for unit in absent[:MOST] for row in units[unit]]
            yield _seen("unit", node, absent, lines, (len(units) - len(absent), len(units)))


@dataclass(frozen=True, slots=True)
class _Table:
    """What a node is to mount: by place the line, and the type."""

    places: dict[str, Ref]
    types: dict[str, str]


def _mounts(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """What is to be mounted at the start, and is not in what lists mounts whole, or that place by its name."""
    tables = _tables(records, settings)
    there, picked = _mounted(records, names, settings, tables) if tables else ({}, {})
    for node, table in tables.items():
        if node not in there:
            continue
        few = picked[node]
        listed = {at: ref for at, ref in table.places.items() if few is None or at in few}
        yield from _not_mounted("mount", node, [at for at in listed if table.types[at] in OF_CLUSTERS], table, there)
        yield from _not_mounted(
            "local", node, [at for at in listed if table.types[at] not in OF_CLUSTERS], table, there
        )


def _tables(records: Records, settings: Settings) -> dict[str | None, _Table]:
    """By node; rows that tell at once whether it is mounted are judged as states."""
    found: dict[str | None, _Table] = {}
    states = {one.ref for one in records.of(ServiceState) if one.sort == "mount"}
    for one in settings.shown(TO_MOUNT):
        if one.scope and one.scope != "/" and one.ref not in states:
            table = found.setdefault(one.node, _Table({}, {}))
            table.places[one.scope] = one.ref
            table.types[one.scope] = one.value
    return found


def _not_mounted(sort: Sort, node: str | None, places: list[str], table: _Table, there: _ByNode) -> Iterator[Seen]:
    absent = [at for at in places if at not in there[node]]
    if absent:
        lines = [*(table.places[at] for at in absent[:MOST]), *list(there[node].values())[:2]]
        yield _seen(sort, node, absent, lines, (len(places) - len(absent), len(places)))


def _mounted(
    records: Records, names: Nodes, settings: Settings, tables: Mapping[str | None, _Table]
) -> tuple[_ByNode, Mapping[str | None, set[str] | None]]:
    """By node what it lists as mounted, and the places that its commands list alone; None where one lists all."""
    commands = _commands(records, names)
    there: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    picked: dict[str | None, set[str] | None] = {}
    rows: list[tuple[Setting | Room, str]] = [(one, one.scope or "") for one in settings.shown(MOUNTED)]
    rows += [(one, _place(one.name or "")) for one in records.of(Room) if one.sort == "file system"]
    for row, place in rows:
        node = names.name(row.node) if row.node else None
        there[node][place] = row.ref
        command = _above(commands, row)
        few = picked.get(node, set())
        if command is None or not _is_picked(command):
            picked[node] = None
        elif few is not None:
            types = tables[node].types if node in tables else {}
            picked[node] = few | {place} | _named(command, types)
    return there, picked


def _named(command: Command, types: Mapping[str, str]) -> set[str]:
    """Places that a command names, or whose type it names."""
    words = set(WORD.findall(command.text))
    places = {word.rstrip("/") for word in command.args if word.startswith("/")}
    return places | {place for place, kind in types.items() if kind in words}


def _place(name: str) -> str:
    match = OF_CLUSTER.match(name)
    return match["mount"] if match else name


def _commands(records: Records, names: Nodes) -> Mapping[tuple[int, str | None], list[tuple[int, Command]]]:
    """By text and node the commands with their lines."""
    found: dict[tuple[int, str | None], list[tuple[int, Command]]] = defaultdict(list)
    for run in records.of(CommandRun):
        found[run.artifact, names.name(run.node) if run.node else None].append((run.line, parse_command(run.command)))
    return found


def _above(
    commands: Mapping[tuple[int, str | None], list[tuple[int, Command]]],
    row: Setting | Room | ServiceState | StorageState,
) -> Command | None:
    """The last command in front of a row, of few."""
    runs = commands.get((row.artifact, row.node), [])
    return next((command for line, command in reversed(runs) if line < row.line), None)


def _is_picked(command: Command | None) -> bool:
    """Whether it lists some rows alone: it names places, or what follows it picks lines."""
    if command is None:
        return False
    if command.program in ("cat", "more", "less"):
        return not all(ALL_ROWS.match(one) for one in command.filters)
    if command.program in ("grep", "egrep", "awk", "sed", "head", "tail"):
        return True
    return any(not ALL_ROWS.match(one) for one in command.filters) or any(
        word.startswith("/") or word in ("-group", "-sys", "-t") for word in command.args
    )


def _links(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """Fewer links of a node itself than its table names, by a list that only counts them."""
    counted = pl.col("name") == "Links"
    own: dict[str, Counter] = {
        names.name(one.node): one
        for one in (records.of(Counter, counted) if records.has(Counter) else ())
        if one.node and one.scope and names.name(one.scope) == names.name(one.node)
    }
    tables: dict[str, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(LINKS) if own else ():
        if one.node and one.scope:
            tables[one.node][one.scope] = one.ref
    for node, links in tables.items():
        count = int(own[node].value or 0) if node in own else 0
        if 0 < count < len(links):
            yield _seen("links", node, list(links)[count:], [own[node].ref, *links.values()], (count, len(links)))


def _rings(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """Fewer links of corosync than each node has addresses in its table."""
    rings: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(RINGS):
        if match := RING.match(one.name):
            rings[one.node].setdefault(match["ring"], one.ref)
    links: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for link in records.of(HeartbeatLink) if rings else ():
        if link.protocol == "totem" and link.link:
            links[names.name(link.node) if link.node else None].setdefault(link.link.split()[0], link.ref)
    for node, own in rings.items():
        there = links.get(node, {})
        if there and there.keys() < own.keys():
            lines = [*(ref for ring, ref in own.items() if ring not in there), *there.values()]
            yield _seen("links", node, [ring for ring in own if ring not in there], lines, (len(there), len(own)))


def _voter(settings: Settings) -> Iterator[Seen]:
    """A device of the quorum that is configured, and that the count of the votes does not show."""
    flags = {one.node: one for one in settings.shown(FLAGS)}
    for one in settings.shown(VOTER) if flags else ():
        shown = flags.get(one.node)
        if shown is not None and DEVICE not in shown.value.split():
            yield _seen("device", one.node, [one.value], [one.ref, shown.ref], (0, 1))


def _votes(settings: Settings) -> Iterator[Seen]:
    """More votes than the nodes of the same table have, and no device that has the rest; or more than two nodes with
    the mode for two.
    """
    wanted, two = settings.shown(VOTES), [one for one in settings.shown(TWO_NODE) if one.value == "1"]
    tables = _nodes_of_tables(settings) if wanted or two else {}
    with_device = {(one.node, one.artifact) for one in settings.shown(VOTER)}
    for one in wanted:
        nodes = tables.get((one.node, one.artifact), {})
        own = [keys["quorum_votes"].value if "quorum_votes" in keys else "1" for keys in nodes.values()]
        there = sum(int(votes) for votes in own if votes.isdecimal())
        if there and one.value.isdecimal() and int(one.value) > there and (one.node, one.artifact) not in with_device:
            yield _of_table("votes", one, nodes, (there, int(one.value)))
    for one in two:
        nodes = tables.get((one.node, one.artifact), {})
        if len(nodes) > TWO:
            yield _of_table("two", one, nodes, (len(nodes), TWO))


_Nodes = Mapping[str, Mapping[str, Setting]]


def _nodes_of_tables(settings: Settings) -> Mapping[tuple[str | None, int], _Nodes]:
    """By text the nodes that a table of corosync lists, with what it says of each."""
    tables: dict[tuple[str | None, int], dict[str, dict[str, Setting]]] = defaultdict(lambda: defaultdict(dict))
    for one in settings.shown(RINGS):
        if match := OWN_VOTES.match(one.name):
            tables[one.node, one.artifact][match["node"]].setdefault(match["key"], one)
    return tables


def _of_table(sort: Sort, one: Setting, nodes: _Nodes, counts: tuple[int, int]) -> Seen:
    lines = [one.ref, *(next(iter(keys.values())).ref for keys in nodes.values())]
    return _seen(sort, one.node, [one.value], lines[: MOST + 1], counts)


def _swap(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """A table of mounts with paging space, on a node that has none."""
    wanted = {one.node: one for one in settings.shown(PAGING)}
    totals = {
        names.name(one.node) if one.node else None: one
        for one in (records.meant(Counter, SWAP_TOTAL, pl.col("value").is_not_null()) if wanted else ())
    }
    for node, one in wanted.items():
        total = totals.get(node)
        if total is not None and total.value == 0:
            yield _seen("swap", node, [one.value], [one.ref, total.ref], (0, 1))


def _disk_groups(records: Records, names: Nodes) -> _ByNode:
    """Disk groups of VxVM by the node that lists them: all of them, but where the command names some."""
    commands = _commands(records, names)
    found: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in records.of(StorageState):
        if one.sort == "disk group" and one.name and not _is_picked(_above(commands, one)):
            found[names.name(one.node) if one.node else None].setdefault(one.name, one.ref)
    return found


def _locks(settings: Settings) -> Iterator[Seen]:
    """Shared groups of volumes on a node whose LVM does not ask the lock daemon."""
    off = {one.node: one for one in settings.shown(LOCKS) if one.value == "0"}
    groups: dict[str | None, dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(None, pl.col("name") == "Attr") if off else ():
        if one.node in off and one.scope and SHARED_GROUP.match(one.value):
            groups[one.node].setdefault(one.scope, one.ref)
    for node, shared in groups.items():
        yield _seen("lock", node, list(shared), [off[node].ref, *shared.values()], (0, len(shared)))


def _fences(records: Records, names: Nodes, settings: Settings) -> Iterator[Seen]:
    """Members that no fencing device names, where each device names those that it is for."""
    devices = {one.scope: one.ref for one in settings.shown(FENCES) if STONITH.search(one.value)}
    served: dict[str | None, set[str]] = defaultdict(set)
    for one in settings.shown(ATTRIBUTES) if devices else ():
        if one.scope in devices and (match := SERVES.search(one.value)):
            words = (match["quoted"] or match["plain"]).replace(",", " ").replace(";", " ").split()
            served[one.scope].update(names.name(word.partition(":")[0]) for word in words)
    if not devices or served.keys() != devices.keys():
        return
    all_served = set[str]().union(*served.values())
    members = {
        names.name(one.member): one for one in records.of(ClusterMember) if one.layer == "membership" and one.member
    }
    absent = [member for member, one in members.items() if member not in all_served and one.standing == "up"]
    if absent and len(absent) < len(members):
        lines = [*(members[member].ref for member in absent[:MOST]), *list(devices.values())[:MOST]]
        yield _seen("fence", None, absent, lines, (len(members) - len(absent), len(members)))


def _keys(records: Records, settings: Settings) -> Iterator[Seen]:
    """A disk with fewer keys than nodes are members, where fencing goes by them: who has none can't write to it."""
    if not any(WITH_KEYS.search(one.value) for one in settings.shown(FENCES)):
        return
    members = {one.member: one for one in records.of(ClusterMember) if one.layer == "membership" and one.of is None}
    up = {member: one.ref for member, one in members.items() if member and one.standing == "up"}
    keys: dict[tuple[str | None, str | None], dict[str, Ref]] = defaultdict(dict)
    for one in settings.shown(KEYS):
        keys[one.node, one.scope][one.value] = one.ref
    for (node, disk), own in keys.items():
        if len(up) > len(own) and len(up) == len(members):
            yield _seen("key", node, [disk or ""], [*own.values(), *list(up.values())[:2]], (len(own), len(up)))


def _automatic(records: Records, settings: Settings) -> Iterator[Seen]:
    """A file system that is to be mounted with the daemon, which is up, and that no node has mounted."""
    daemons = [one for one in records.of(ClusterMember) if one.layer == "daemon" and one.standing == "up"]
    wanted = {one.scope: one for one in settings.shown(AUTOMATIC) if one.value == "yes"} if len(daemons) >= TWO else {}
    for one in records.of(ServiceState) if wanted else ():
        if one.sort == "mount" and one.standing == "offline" and one.on is None and one.group in wanted:
            lines = [wanted[one.group].ref, one.ref, daemons[0].ref]
            yield _seen("automount", one.node, [one.group or ""], lines, (0, len(daemons)))
