"""All spellings of a node joined by evidence: first labels, and aliases that a table states. Never on a guess.

Short and full name are one node by their first label, unless two full names share it. So are a host and its name in
another network, where two hosts and more have a name with the same ending that stands for a network (``lund1`` and
``lund1-hs``, ``lund2`` and ``lund2-hs``). All else needs a row of a table: address, admin or daemon name, ``c0n4``,
node id. An alias that rows give to two nodes is taken for neither, and told as a clash.
"""

from __future__ import annotations

import ipaddress
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import chain
from typing import Final, NamedTuple, Protocol

import polars as pl

from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import NodeName, Ref, Spelling
from apps.diagnosis.engine.core.words.phrases import phrase
from parsers.dataclass import dataclass
from parsers.headings.network_names import NETWORK_NAME
from parsers.records import CommandRun, DiskName, NodeAlias, Record, Section
from parsers.records.kinds import RECORD_TYPES
from parsers.records.locks import GlmLock
from parsers.records.waits import WaiterShape


class OfNode(Protocol):
    """Whatever a node printed."""

    @property
    def node(self) -> str | None: ...


def nodes_in(*groups: Iterable[OfNode]) -> tuple[str, ...]:
    """Nodes that some rows name, in the order of their names."""
    return tuple(sorted({one.node for one in chain(*groups) if one.node}))


FEW_ROWS: Final = 1_000
HEADING: Final = "node"
_HEADINGS: Final = ("heading", "ordinal")
_OF_OTHERS: Final = (NodeAlias, DiskName)
_NODE_RECORDS: Final[tuple[type[Record], ...]] = tuple(
    kind for kind in RECORD_TYPES if "node" in kind.columns() and kind not in _OF_OTHERS
)
"""Records whose ``node`` is the one that speaks; tables of disks and of spellings name nodes that may have sent
nothing.
"""

_NODES_NAMED: Final = {
    kind: named for kind in RECORD_TYPES if (named := tuple(c for c in kind.node_columns() if c != "node"))
} | {GlmLock: ("holder", "waiter", "last_locker")}
_NAME: Final = re.compile(
    r"(?![0-9a-f]{8,16}$)(?:[A-Za-z]|\d{1,7}[A-Za-z]\w{0,5}-(?=[A-Za-z])|\d{1,4}[A-Za-z]{4})[\w-]{0,62}(?:\.[\w-]{1,62}){0,8}$"
)
_LEAST_HOSTS: Final = 2
_NO_NODES: Final = frozenset(
    ("all", "any", "local", "localhost", "member", "node", "none", "null", "other", "qdevice", "unknown")
)
"""What tables print in a column of nodes where there is none."""


class AliasRow(NamedTuple):
    """A row that states another spelling, with its place. A kind that is not told follows from the spelling."""

    node: str
    alias: str
    kind: str = ""
    artifact: int = 0
    line: int = 0

    @property
    def ref(self) -> Ref | None:
        """Where it stands."""
        return Ref(self.artifact, self.line) if self.line else None


@dataclass(frozen=True, slots=True)
class Clash:
    """An alias that rows give to several nodes: it is taken for none of them."""

    alias: str
    kind: str
    names: tuple[str, ...]
    refs: tuple[Ref, ...]

    @property
    def message(self) -> str:
        """One sentence for the reader of the case."""
        return phrase("missing.clash", alias=self.alias, names=" and for ".join(self.names))


@lru_cache(maxsize=50_000)
def is_address(text: str) -> bool:
    """An IPv4 or IPv6 address."""
    try:
        ipaddress.ip_address(text)
    except ValueError:
        return False
    return True


def is_index(text: str) -> bool:
    """``c0n4``: the position in the view of one daemon, not a name."""
    cluster, mark, index = text[1:].partition("n")
    return text.startswith("c") and mark == "n" and cluster.isdigit() and index.isdigit()  # cn142 is a host name


def _kind(row: AliasRow) -> str:
    if row.alias.isdigit():
        return "id"
    if is_index(row.alias):
        return "index"
    return "address" if is_address(row.alias) else "name"


class Nodes:
    """Resolver of one case. ``name`` gives the canonical name of any spelling; an unknown one stays as it is.

    ``headings``: names such as ``node0`` that only headings gave; they stand for the node with that id where a table
    tells it.
    """

    def __init__(
        self,
        seen: Iterable[str],
        aliases: Iterable[tuple[str, ...] | AliasRow] = (),
        headings: Iterable[str] = (),
        spoken_of: Iterable[str] = (),
    ) -> None:
        seen, spoken_of = sorted({name for name in seen if name}), set(spoken_of)
        rows = _rows(aliases)
        rows += _of_networks({name.partition(".")[0] for name in (*seen, *spoken_of, *_names_in(rows))}, rows)
        of_kind = {kind: [row for row in rows if row.kind == kind] for kind in ("name", "id", "address", "index")}
        self._short = _short_names(
            n for n in [*seen, *spoken_of, *_names_in(rows)] if not is_address(n) and not is_index(n)
        )
        self.clashes: tuple[Clash, ...] = ()
        self._rows: list[AliasRow] = []
        self._listed = _listed(rows, self._label)
        self._alias: dict[str, str] = {}
        self._in_file: dict[tuple[int, str], str] = {}
        self._group = self._joined(of_kind["name"], {self._label(name) for name in seen})
        self._link(of_kind["id"])
        self._from_headings({h for h in headings if h in seen and h not in self._group})
        self._link(of_kind["address"])
        self._link(of_kind["index"])  # last: they lead over addresses
        self._seen = {self.name(name) for name in seen}
        self._spoken_of = {self.name(name) for name in spoken_of}

    @classmethod
    def gather(cls, store: Facts) -> Nodes:
        """The resolver of a case, from all records that name nodes."""
        seen: set[str] = set()
        for kind in _NODE_RECORDS:
            if store.has(kind):
                # A counted heading ("Node 1") names a node only where what stands below it does not name its own.
                basis = ("node_basis",) if kind is CommandRun else ()
                rows = store.distinct(kind, "node", *basis)
                seen.update(node for node, *by in rows if node is not None and None not in by and "ordinal" not in by)
        return cls(seen, alias_rows(store), heading_names(store), spoken_of(store))

    def _label(self, name: str) -> str:
        return self._short.get(name, name)

    # names that a table joins

    def _joined(self, rows: list[AliasRow], seen: set[str]) -> dict[str, str]:
        """The canonical name of each name that a row joins with another."""
        groups: dict[str, set[str]] = {}
        for alias, given in sorted(_by_alias(rows, self._label).items()):
            names = {self._label(row.node) for row in given} - {alias}
            if len(names) > 1 or self._are_apart(alias, given):
                self._clash(alias, "name", given)
            elif names:
                self._rows.extend(given)
                self._unite(groups, alias, names.pop())
        canonical: dict[str, str] = {}
        for members in groups.values():
            best = min(members, key=lambda name: (name not in seen, len(name), name))
            canonical |= dict.fromkeys(members, best)
        return canonical

    def _are_apart(self, alias: str, given: list[AliasRow]) -> bool:
        """Whether a table that gives the alias lists it as a node of its own, with an address of its own, beside the
        other.
        """
        for row in given:
            own, other = (self._listed.get((row.artifact, name)) for name in (alias, self._label(row.node)))
            if own and other and not own & other:
                return True
        return False

    @staticmethod
    def _unite(groups: dict[str, set[str]], one: str, other: str) -> None:
        members = groups.get(one, {one}) | groups.get(other, {other})
        for name in members:
            groups[name] = members

    # addresses, positions, ids

    def _link(self, rows: list[AliasRow]) -> None:
        for alias, given in sorted(_by_alias(rows, str).items()):
            names = {self.name(row.node) for row in given}
            if len(names) == 1:
                self._alias[alias] = names.pop()
                self._rows.extend(given)
                continue
            by_file = self._by_file(given)
            if given[0].kind != "index" or any(len(names) > 1 for names in by_file.values()):
                self._clash(alias, given[0].kind, given)
            if given[0].kind == "id":
                self._in_file |= {(file, alias): names.pop() for file, names in by_file.items() if len(names) == 1}

    def _by_file(self, given: list[AliasRow]) -> dict[int, set[str]]:
        """What each file says. Positions differ from daemon to daemon: only what one file says twice is a clash."""
        names_by_file: dict[int, set[str]] = defaultdict(set)
        for row in given:
            names_by_file[row.artifact].add(self.name(row.node))
        return names_by_file

    def _from_headings(self, headings: set[str]) -> None:
        for heading in sorted(headings):
            number = heading.removeprefix(HEADING)
            if number.isdigit() and (name := self._alias.get(str(int(number)))) is not None and name != heading:
                self._alias = {
                    alias: name if target == heading else target for alias, target in self._alias.items()
                } | {heading: name}
                self._short.pop(heading, None)
                self._rows.extend(
                    AliasRow(name, heading, "id", row.artifact, row.line) for row in self._rows if row.alias == number
                )

    def _clash(self, alias: str, kind: str, given: list[AliasRow]) -> None:
        names = tuple(
            sorted(
                {self._label(row.node) for row in given}
                | ({alias} if kind == "name" and alias in self._short else set())
            )
        )
        refs = tuple(row.ref for row in given if row.ref is not None)
        self.clashes = (*self.clashes, Clash(alias, kind, names, refs[:8]))

    # what others ask

    def _canonical(self, text: str) -> str:
        label = self._label(text)
        return self._group.get(label, label)

    def name(self, text: str) -> str:
        """Canonical name of a spelling."""
        if text in self._short or text in self._group:
            return self._canonical(text)
        if text in self._alias:
            return self._alias[text]
        return text if is_address(text) else self._canonical(text.lower()) if text.lower() in self._short else text

    def named(self, frame: pl.DataFrame, column: str = "node") -> pl.DataFrame:
        """The frame with canonical node names."""
        if frame.is_empty():
            return frame
        spellings = frame[column] if frame.height < FEW_ROWS else frame[column].unique()
        changed = {text: name for text in {*spellings} - {None} if (name := self.name(text)) != text}
        own = self._in_file if "artifact" in frame.columns else {}
        return frame.with_columns(self._spelt(column, changed, own)) if changed or own else frame

    def spelt(self, column: str, changed: Mapping[str, str]) -> pl.Expr:
        """A column of nodes with canonical names, beside the column ``artifact``. ``changed``: those by ``name``.

        An id that stands for two nodes, as two clusters count theirs, means in each file the node that this file says.
        """
        return self._spelt(column, changed, self._in_file)

    @staticmethod
    def _spelt(column: str, changed: Mapping[str, str], own: Mapping[tuple[int, str], str]) -> pl.Expr:
        names = pl.col(column).replace(changed)
        if not own:
            return names
        files = {f"{file} {alias}": name for (file, alias), name in own.items()}
        place = pl.concat_str(pl.col("artifact").cast(pl.String), column, separator=" ")
        return place.replace_strict(files, default=names).alias(column)

    @property
    def has_twice_given_ids(self) -> bool:
        """Whether an id stands for two nodes, and a file says which one it means."""
        return bool(self._in_file)

    def known(self, text: str) -> bool:
        """Whether dumps or tables of this case speak of that node by name."""
        name = self.name(text)
        return not is_address(name) and not is_index(name) and (name in self._seen or name in self._alias.values())

    def has_dump(self, text: str) -> bool:
        """Whether records of that node itself are in the case."""
        return self.name(text) in self._seen

    def all(self) -> tuple[NodeName, ...]:
        """Nodes that records speak for, with all spellings."""
        return self._with_spellings(self._seen)

    def only_listed(self) -> tuple[NodeName, ...]:
        """Nodes that tables of the cluster name and no record speaks for."""
        names = {self.name(row.node) for row in self._rows} | self._spoken_of
        return self._with_spellings(
            {n for n in names - self._seen if not (is_address(n) or is_index(n) or n.isdigit())}
        )

    def _with_spellings(self, names: set[str]) -> tuple[NodeName, ...]:
        spellings: dict[str, set[str]] = defaultdict(set)
        for full in self._short:
            spellings[self._canonical(full)].add(full)
        for alias, name in (*self._group.items(), *self._alias.items()):
            spellings[name].add(alias)
        return tuple(
            NodeName(name, tuple(sorted(spellings[name] - {name})), self._spellings.get(name, ()))
            for name in sorted(names)
        )

    @cached_property
    def _spellings(self) -> dict[str, tuple[Spelling, ...]]:
        """Of each node the first row that states each spelling."""
        first: dict[tuple[str, str], AliasRow] = {}
        for row in sorted(self._rows, key=lambda row: (row.alias, row.artifact, row.line)):
            first.setdefault((self.name(row.node), row.alias), row)
        found: dict[str, list[Spelling]] = defaultdict(list)
        for (name, alias), row in first.items():
            if alias != name:
                found[name].append(Spelling(alias, row.kind, row.ref))
        return {name: tuple(rows) for name, rows in found.items()}

    def evidence(self, name: str) -> tuple[AliasRow, ...]:
        """Rows that gave the node its other spellings, by spelling; those by first label need none."""
        return tuple(sorted(row for row in set(self._rows) if self.name(row.node) == name))


def _rows(aliases: Iterable[tuple[str, ...] | AliasRow]) -> list[AliasRow]:
    """Rows with a kind, each once, in an order that does not depend on the input's."""
    rows = (AliasRow(*row) for row in aliases)
    full = {
        row._replace(kind=_kind(row), alias=_plain_id(row.alias))
        for row in rows
        if row.node and row.alias and row.node != row.alias
    }
    return sorted(full)


def _of_networks(labels: set[str], rows: list[AliasRow]) -> list[AliasRow]:
    """Hosts beside their names in one network, of which there are several of the same ending. A table that gives both
    a number lists two nodes.
    """
    numbered: dict[str, set[int]] = defaultdict(set)
    for row in rows:
        if row.kind == "id":
            numbered[row.node.partition(".")[0]].add(row.artifact)
    by_network: dict[str, list[AliasRow]] = defaultdict(list)
    for label in sorted(labels):
        match = NETWORK_NAME.match(label)
        if match is not None and match["host"] in labels and not numbered[label] & numbered[match["host"]]:
            by_network[match["network"]].append(AliasRow(match["host"], label, "name"))
    return [row for found in by_network.values() if len(found) >= _LEAST_HOSTS for row in found]


def _plain_id(alias: str) -> str:
    return str(int(alias)) if alias.isdigit() and alias.isascii() and len(alias) < 12 else alias


def _names_in(rows: list[AliasRow]) -> Iterator[str]:
    for row in rows:
        yield row.node
        if row.kind == "name":
            yield row.alias


def _by_alias(rows: list[AliasRow], label: Callable[[str], str]) -> dict[str, list[AliasRow]]:
    found: dict[str, list[AliasRow]] = defaultdict(list)
    for row in rows:
        found[label(row.alias)].append(row)
    return found


def _listed(rows: list[AliasRow], label: Callable[[str], str]) -> dict[tuple[int, str], set[str]]:
    """Addresses that each file gives to each name."""
    found: dict[tuple[int, str], set[str]] = defaultdict(set)
    for row in rows:
        if row.kind == "address":
            found[row.artifact, label(row.node)].add(row.alias)
    return dict(found)


def _short_names(names: Iterable[str]) -> dict[str, str]:
    """First label for each name; the full name where two different full names share a first label."""
    by_label: dict[str, set[str]] = defaultdict(set)
    for name in names:
        by_label[name.split(".", 1)[0]].add(name)
    short: dict[str, str] = {}
    for label, full in by_label.items():
        long = {name for name in full if "." in name}
        for name in full:
            short[name] = label if len(long) <= 1 or name == label else name
    return short


def alias_rows(facts: Facts) -> Iterator[AliasRow]:
    """What tables state, and positions that waiters print beside an address."""
    if facts.has(NodeAlias):
        for row in facts.frame(NodeAlias).select("node", "alias", "kind", "artifact", "line").iter_rows():
            yield AliasRow(*row)
    if not facts.has(WaiterShape):
        return
    printed = pl.col("target").is_not_null() & pl.col("target_index").is_not_null()
    shapes = facts.scan(WaiterShape).filter(printed).select("target", "target_index", "artifact", "line")
    first = shapes.group_by("target", "target_index", "artifact").agg(pl.col("line").min()).collect()
    for target, index, artifact, line in first.iter_rows():
        yield AliasRow(target, index, "index", artifact, line)


def spoken_of(facts: Facts) -> set[str]:
    """Names in columns that hold nodes: members, managers, peers, systems of a service, holders and waiters
    of locks, servers of disks, and nodes that messages name.
    """
    names: set[str] = set()
    for kind, columns in _NODES_NAMED.items():
        if facts.has(kind):
            for column in columns:
                names |= facts.texts(kind, column)
    if facts.has(DiskName):
        rows = facts.distinct(DiskName, "node", "servers")
        names.update(name for row in rows for cell in row if cell for name in cell.split())
    return {name for name in names if _NAME.match(name) and name.lower() not in _NO_NODES and not is_index(name)}


def heading_names(facts: Facts) -> set[str]:
    """Names that sections have from a heading, and from nothing better."""
    rows = [row for row in facts.distinct(Section, "node", "node_basis") if None not in row]
    names = {name for name, basis in rows if basis in _HEADINGS}
    return names - {name for name, basis in rows if basis not in (*_HEADINGS, "unknown")}
