"""What else than waiters tells of trouble under Spectrum Scale: log lines, connections, paths, counters, settings of
the network.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from operator import itemgetter
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.records import Records, cells, grouped, in_order
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.facts.store import Facts
from apps.diagnosis.engine.core.model import Ref, comparable
from apps.diagnosis.engine.core.times.line_order import Stand, is_behind
from apps.diagnosis.engine.core.times.open_years import apart
from apps.diagnosis.engine.core.words.metrics import log, metric
from parsers.dataclass import dataclass
from parsers.records import Counter, Event, Setting
from parsers.records.states import Connection, DiskPath, Interface, Manager

KERNEL: Final = log("kernel")
DAEMON: Final = log("scale-daemon")
OTHERS: Final = log("other-clusters")
LONG: Final = ("long-waiter", "long-waiter-ended")
EXPELS: Final = ("expel", "expelled-itself")
EXPEL_REQUESTS: Final = ("expel-asked",)
LOSSES: Final = ("membership-lost", "quorum-lost", "lease-lost", "lease-expired")
TAKEOVERS: Final = ("manager-takeover", "cluster-manager-takeover", "manager-lost")
CLOSED: Final = ("connection-closed", "connection-unanswered")
BREAKS: Final = (
    *CLOSED,
    "reconnect",
    "reconnected",
    "connecting",
    "lease-overdue",
    "node-failed",
    "tcp-trouble",
)
LATE_LEASES: Final = ("lease-lost", "lease-overdue", "lease-expired")
RENEWAL: Final = "lease-regained"
RENEWED_US: Final = 60_000_000
"""A lease that came back within this time put nobody out: I/O stood still for some seconds."""
MARKS_READ: Final = 100
RECOVERIES: Final = ("recovery-started",)
RDMA: Final = ("rdma-closed", "rdma-error", "checksum-error")
STARVED: Final = ("hung-task", "soft-lockup", "cpu-stall", "out-of-memory")
PATHS: Final = (
    "path-failed", "path-offline", "io-error", "buffer-error", "rport-lost", "command-aborted", "paths-remaining",
    "path-checker-timeout",
)  # fmt: skip
LOOKUPS: Final = ("name-lookup-failed",)
LINKS: Final = ("link-down", "link-up")
DISKS: Final = ("disk-failed", "disk-path-lost", "long-disk-io", "disk-io-error")
KERNEL_ERRORS: Final = ("io-error", "buffer-error", "path-offline")
"""What the kernel says of a disk that gives no data."""
MEMBERSHIP: Final = (*EXPELS, *LOSSES, *TAKEOVERS, *BREAKS)
STARTS: Final = ("daemon-starting", "mounted", "manager-resigned")
READY: Final = ("daemon-ready",)
STOPS: Final = ("daemon-stop-asked",)
"""The log of a node says that somebody stopped its daemon."""
UNMOUNTS: Final = ("fs-unmounted", "unmounted-with-node")
FAILED: Final = ("disk-failed", "nsd-unserved")
BACK: Final = ("health-disk-up",)
LOST: Final = ("fs-unmounted", "fs-panic", "disks-unavailable", "recovery-log-failed")
"""What becomes of a file system whose disks fail."""
_KINDS: Final = (
    *LONG,
    *EXPELS,
    *EXPEL_REQUESTS,
    *LOSSES,
    *TAKEOVERS,
    *BREAKS,
    RENEWAL,
    *RECOVERIES,
    *RDMA,
    *STARVED,
    *PATHS,
    *LOOKUPS,
    *LINKS,
    *STARTS,
    *READY,
    *STOPS,
    *UNMOUNTS,
    *FAILED,
    *LOST,
    *BACK,
    *DISKS,
)
_SYMPTOM: Final = ("node", "at", "kind", "about", "value", "text")
EVENTS_KEPT: Final = 50_000
MAPPER_MAJORS: Final = (252, 253, 254)
"""Major numbers that the device mapper has on Linux."""
_PAUSES: Final = metric("link-flow-control")
_RETRANSMITS: Final = metric("connection-retransmits")
_SWAPPED_OUT: Final = metric("swapped-out")
_STOLEN: Final = metric("processor-time-stolen")


@dataclass(frozen=True, slots=True)
class Symptom:
    """A line of a log, or a row of a table."""

    node: str | None
    at: int | None
    kind: str
    about: str | None
    value: float | None
    text: str
    ref: Ref

    def is_near(self, start: int | None, end: int | None, slack_us: int) -> bool:
        """Whether it is of the time of some waits; where one of the two has no date the other cannot contradict."""
        if self.at is None or start is None or end is None or not comparable(self.at, start):
            return True
        return start - slack_us <= self.at <= end + slack_us


def _without_renewed(found: dict[str, list[Symptom]]) -> dict[str, list[Symptom]]:
    """Without late leases that the same log calls renewed right after, before it tells that anybody was put out."""
    if not found.get(RENEWAL):
        return found
    by_log: dict[int, list[tuple[int, bool, Symptom]]] = defaultdict(list)
    for kind in (RENEWAL, *EXPELS, "membership-lost", "quorum-lost"):
        for one in found.get(kind, ()):
            by_log[one.ref.artifact].append((one.ref.line, kind == RENEWAL, one))
    for marks in by_log.values():
        marks.sort(key=itemgetter(0))
    return found | {
        kind: [one for one in found[kind] if not _is_renewed(one, by_log[one.ref.artifact])]
        for kind in LATE_LEASES
        if kind in found
    }


def _is_renewed(late: Symptom, marks: Sequence[tuple[int, bool, Symptom]]) -> bool:
    first = bisect_right(marks, late.ref.line, key=itemgetter(0))
    for _, is_renewal, one in marks[first : first + MARKS_READ]:
        if not is_renewal:
            return False
        if one.about is None or late.about is None or one.about == late.about:
            return late.at is None or one.at is None or apart(late.at, one.at) <= RENEWED_US
    return False


class Symptoms:
    """Symptoms of one case, each sort read once."""

    def __init__(self, store: Facts, nodes: Nodes, records: Records, settings: Settings) -> None:
        self._store = store
        self._nodes = nodes
        self._records = records
        self._settings = settings

    @cached_property
    def _by_kind(self) -> dict[str, list[Symptom]]:
        found: dict[str, list[Symptom]] = defaultdict(list)
        if not self._records.has_any(Event, "kind", _KINDS):
            return found
        foreign = OTHERS.rows & pl.col("kind").is_in(MEMBERSHIP)  # members, but of another cluster
        wanted = pl.col("kind").is_in(_KINDS) & ~foreign.fill_null(value=False)
        rows = self._store.scan(Event).filter(wanted).head(EVENTS_KEPT).collect()
        named = self._nodes.named(rows).sort("artifact", "line").select(*_SYMPTOM, "artifact", "line")
        for node, at, kind, about, value, text, *place in named.iter_rows():
            found[kind].append(Symptom(node, at, kind, self._named(about), value, text, Ref(*place)))
        return _without_renewed(found)

    def _named(self, about: str | None) -> str | None:
        return self._nodes.name(about) if about and " " not in about else about

    def events(self, kinds: Iterable[str]) -> list[Symptom]:
        """Log lines of some kinds, in the order of files and lines."""
        found = [symptom for kind in kinds for symptom in self._by_kind.get(kind, ())]
        return sorted(found, key=lambda symptom: (symptom.ref.artifact, symptom.ref.line))

    @cached_property
    def ended_waits(self) -> frozenset[Ref]:
        """Lines about long waiters whose end a later line of the same log tells."""
        last_end: dict[tuple[int, str | None], Symptom] = {}
        for symptom in self.events(LONG):
            if symptom.kind == "long-waiter-ended":
                last_end[symptom.ref.artifact, symptom.about] = symptom
        ends = ((symptom, last_end.get((symptom.ref.artifact, symptom.about))) for symptom in self.events(LONG))
        return frozenset(symptom.ref for symptom, end in ends if end is not None and is_later(end, symptom))

    @cached_property
    def has_kernel_log(self) -> bool:
        """Whether the kernel's own messages are among the files: only then does their silence say something."""
        if not self._records.has(KERNEL):
            return False
        return not self._store.scan(Event).filter(KERNEL.rows).head(1).collect().is_empty()

    @cached_property
    def daemon_log_kinds(self) -> set[str]:
        """All kinds of lines that the log of mmfsd and the changes of its settings hold."""
        if not self._records.has(DAEMON):
            return set()
        rows = self._store.scan(Event).filter(DAEMON.rows).select(pl.col("kind").unique())
        return set(rows.collect()["kind"].to_list())

    # connections of the daemon

    @cached_property
    def connections(self) -> list[Connection]:
        """Connections as each daemon sees them."""
        return [one for one in self._records.of(Connection) if one.peer is not None]

    def broken_to(self, peer: str, nodes: Iterable[str]) -> list[Ref]:
        """Rows in which one of some nodes shows its connection to a peer as broken."""
        own = set(nodes)
        return [one.ref for one in self.connections if one.peer == peer and one.node in own and one.standing == "down"]

    def breaks_with(self, peer: str, nodes: Iterable[str]) -> list[Symptom]:
        """Log lines of some nodes about a broken connection to a peer, or of the peer about one of them."""
        own = set(nodes)
        about = self.events((*CLOSED, "reconnect", "reconnected", "lease-overdue", "node-failed"))
        return [
            s
            for s in about
            if (s.about == peer and (s.node is None or s.node in own)) or (s.node == peer and s.about in own)
        ]

    # paths, hosts, network

    @cached_property
    def bad_paths(self) -> list[Symptom]:
        """Paths of LUNs that are not in order."""
        return [
            Symptom(one.node, one.at, "path", one.map, None, one.state or "", one.ref)
            for one in self._records.of(DiskPath)
            if one.standing == "down"
        ]

    def maps_of(self, device: str) -> set[str]:
        """Names of the multipath maps behind a device, and how the kernel calls it by its numbers."""
        number = device.removeprefix("dm-")
        names = {device, *(f"{major}:{number}:" for major in MAPPER_MAJORS if number != device)}
        if not self._store.has(Setting):
            return names
        rows = self._settings.all.filter((pl.col("name") == "dm") & (pl.col("value") == device))
        return {*names, *rows["scope"].drop_nulls().to_list()}

    @cached_property
    def strained(self) -> list[Symptom]:
        """Samples that show a host without memory or processor time: swapping out, time taken by the hypervisor."""
        if not self._store.has(Counter):
            return []
        wanted = (_SWAPPED_OUT.rows & (pl.col("value") > 0)) | (_STOLEN.rows & (pl.col("value") >= STEAL_PERCENT))
        return [_symptom(one, one.name, None, one.name) for one in self._counters(wanted, 2_000)]

    @cached_property
    def flow_control(self) -> list[Symptom]:
        """Counters of network cards that rise when a switch or a host holds the sender back, from zero or between two
        readings.
        """
        if not self._store.has(Counter):
            return []
        counters = self._counters(_PAUSES.rows & (pl.col("value") > 0), 20_000)
        rising = grouped(counters, lambda one: (one.node, one.scope, one.name)).values()
        return [
            _symptom(
                looks[-1],
                "rising" if (looks[-1].value or 0.0) > (looks[0].value or 0.0) else "counted",
                looks[-1].scope,
                looks[-1].name,
            )
            for looks in rising
        ]

    def _counters(self, wanted: pl.Expr, most: int) -> Iterator[Counter]:
        """So many counters at most, in the order of files and lines."""
        rows = in_order(self._nodes.named(self._store.scan(Counter).filter(wanted).head(most).collect()))
        yield from (Counter(**row) for row in rows.iter_rows(named=True))

    @cached_property
    def dead_links(self) -> list[Symptom]:
        """Interfaces that went down and are not seen to come up again."""
        down: dict[tuple[str | None, str | None], Symptom] = {}
        for symptom in self.events(LINKS):
            if symptom.kind == "link-down" and symptom.node is not None:
                down[symptom.node, symptom.about] = symptom
            else:
                down.pop((symptom.node, symptom.about), None)
        return list(down.values())

    @cached_property
    def retransmits(self) -> list[Symptom]:
        """Segments sent again, by connection of the daemon; ``about`` is the peer."""
        if not self._store.has(Counter):
            return []
        counters = self._counters(_RETRANSMITS.rows & pl.col("scope").is_not_null(), 20_000)
        return [_symptom(one, "retrans", self._nodes.name(one.scope or ""), "retrans") for one in counters]

    @cached_property
    def mtus(self) -> dict[str, dict[str, tuple[str, Ref]]]:
        """MTU by interface and node; the loopback is left out."""
        found: dict[str, dict[str, tuple[str, Ref]]] = defaultdict(dict)
        named = (pl.col("name") == "mtu") & pl.col("node").is_not_null() & pl.col("scope").is_not_null()
        rows = cells(in_order(self._settings.all, named), "scope", "node", "value", "artifact", "line")
        for interface, node, mtu, artifact, line in rows:
            if not interface.startswith(("lo", "docker", "virbr", "veth")):
                found[interface][node] = (mtu, Ref(artifact, line))
        return found

    def in_one_network(self, interface: str, nodes: Iterable[str]) -> bool:
        """Whether all of these nodes show an address of the interface, of one network of 24 bits."""
        by_node = {
            self._nodes.name(one.node): one.address.rpartition(".")[0]
            for one in self._records.of(Interface)
            if one.name == interface and one.address and one.node
        }
        found = {by_node.get(node, "") for node in nodes}
        return len(found) == 1 and found != {""}

    @cached_property
    def managers(self) -> dict[str, Ref]:
        """Nodes that manage a file system or the cluster, as a table states."""
        roles = ("cluster manager", "file system manager")
        return {one.manager: one.ref for one in self._records.of(Manager) if one.role in roles and one.manager}

    def setting(self, name: str) -> list[str]:
        """Values of a setting over all nodes, in lower case."""
        if self._settings.all.is_empty():
            return []
        rows = self._settings.all.filter(pl.col("name").str.to_lowercase() == name.lower())
        return [value.strip().lower() for value in rows["value"].to_list()]


STEAL_PERCENT: Final = 10.0


def _symptom(one: Counter, kind: str, about: str | None, text: str) -> Symptom:
    return Symptom(one.node, one.at, kind, about, one.value, text, one.ref)


def refs_of(symptoms: Iterable[Symptom], most: int = 4) -> tuple[Ref, ...]:
    """Places of the first symptoms."""
    return tuple(symptom.ref for _, symptom in zip(range(most), symptoms, strict=False))


def when(symptoms: Iterable[Symptom]) -> tuple[int | None, int | None]:
    """First and last time of some symptoms that have a date."""
    times = [symptom.at for symptom in symptoms if symptom.at is not None]
    return min(times, default=None), max(times, default=None)


def is_later(one: Symptom, other: Symptom) -> bool:
    """By their moments; the order of the lines decides where a moment is not known."""
    return is_behind(_stand(one), _stand(other))


def _stand(one: Symptom) -> Stand:
    return Stand(one.at, None, one.ref.artifact, one.ref.line)
