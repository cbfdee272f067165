"""Spectrum Scale clusters made by a seeded generator, as the text that their nodes would print, with the truth beside
it.

    make(7, kind="disk", nodes=12)      files by name, and what a right diagnosis says of them

Kinds: one slow disk, one lock without a visible holder, one node that the network lost, overload without a single end,
a deadlock of so many nodes, nothing wrong: waits of every day, thousands of them, a restripe or a check that takes
hours, idle nodes, file systems that are just being mounted. Dumps may be missing, clocks may differ by minutes, and
every node prints waits that mean nothing.
"""

from __future__ import annotations

import io
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from apps.diagnosis.engine.analysis import Input, analyse
from apps.diagnosis.engine.report import Clock, Report

QUIET: Final = ("busy", "restripe", "idle", "mounting")
KINDS: Final = ("disk", "lock", "network", "overload", "deadlock", "healthy")
VERDICTS: Final = {
    "SC-01": "disk", "SC-36": "disk", "SC-04": "lock", "SC-21": "lock", "SC-24": "lock", "SC-03": "network",
    "SC-28": "network",
    "SC-06": "overload", "SC-10": "deadlock", "SC-26": "healthy", "SC-09": "healthy", "SC-11": "leaves",
    "SC-05": "lock",
}  # fmt: skip
DUMPS: Final = 3
PAUSE_S: Final = 20.0
LONG_JOBS: Final = (
    ("RestripeHandlerThread", "on ThCond 0x{lock:X} (PitCondvar), reason 'Waiting until pit work is complete'"),
    ("PitThread", "on ThCond 0x{lock:X} (PitCondvar), reason 'Waiting until pit work is complete'"),
    ("FsckClientReaperThread", "on ThCond 0x{lock:X} (FsckReaperCondvar), reason 'Waiting to reap fsck pointer'"),
)
NOON_S: Final = 43_200.0
NOISE: Final = (
    ("EventsExporterSenderThread", "for poll on sock 42", 5000.0),
    ("EEWatchDogThread", "delaying for 12.5 more seconds", 30.0),
    ("PrefetchWorkerThread", "for NSD I/O completion on node {ip}", 0.02),
    (
        "WritebehindWorkerThread",
        "on ThCond 0x{lock:X} (MsgRecordCondvar), reason 'RPC wait' for nsdMsgWriteExt on node {ip}",
        0.03,
    ),
    ("NSDThread", "for I/O completion on disk dm-{n}", 0.01),
    (
        "SharedHashTabFetchHandlerThread",
        "on ThCond 0x{lock:X} (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node {ip}",
        0.05,
    ),
    ("InodePrefetchWorkerThread", "on ThMutex 0x{lock:X} (InodeCacheObjMutex)", 0.002),
)


@dataclass(frozen=True, slots=True)
class Truth:
    """What a right diagnosis says. ``kind`` is "leaves" where the dump that decides is missing."""

    kind: str
    root: tuple[str, str, str | None] | None = None
    cycle: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Cluster:
    """A generated cluster: its files and its truth."""

    seed: int
    made_as: str
    files: dict[str, str]
    truth: Truth


@dataclass(slots=True)
class _Wait:
    """A waiting thread from ``start`` on (seconds of true time); one that is young in every dump has an ``age``
    instead.
    """

    thread: str
    detail: str
    start: float | None = None
    age: float = 0.0
    number: int = 0


@dataclass(slots=True)
class _Node:
    name: str
    address: str
    ahead_s: float
    waits: list[_Wait] = field(default_factory=list)


class _Maker:
    """One cluster while it is made."""

    def __init__(self, seed: int, nodes: int, *, skew_s: float) -> None:
        self.links: list[_Node] = []
        self.rng = random.Random(f"scale cluster {seed}")
        self.nodes = [
            _Node(
                f"lund{k:03d}", f"10.61.{k // 250}.{k % 250 + 1}", self.rng.uniform(-skew_s, skew_s) if skew_s else 0.0
            )
            for k in range(nodes)
        ]
        self._thread = 20_000

    def wait(self, node: _Node, thread: str, detail: str, *, start: float | None = None, age: float = 0.0) -> None:
        self._thread += 1
        node.waits.append(_Wait(thread, detail, start, age, self._thread))

    def began(self, low: float = 40.0, high: float = 260.0) -> float:
        """So many seconds before the first dump."""
        return NOON_S - self.rng.uniform(low, high)

    def lock(self) -> int:
        return 0x7F0000000000 + self.rng.getrandbits(30) * 16

    def rpc(self, message: str, to: _Node) -> str:
        target = f"{to.address} <c0n{self.nodes.index(to)}>"
        return f"on ThCond 0x{self.lock():X} (MsgRecordCondvar), reason 'RPC wait' for {message} on node {target}"

    def others(self, *but: _Node) -> list[_Node]:
        return [node for node in self.nodes if node not in but]

    def some(self, nodes: list[_Node], most: int) -> list[_Node]:
        return self.rng.sample(nodes, min(len(nodes), self.rng.randint(1, most))) if nodes else []

    def noise(self) -> None:
        for node in self.nodes:
            for _ in range(self.rng.randint(2, 6)):
                thread, detail, age = self.rng.choice(NOISE)
                words = detail.format(
                    ip=self.rng.choice(self.nodes).address, lock=self.lock(), n=self.rng.randrange(30)
                )
                self.wait(node, thread, words, age=age * self.rng.uniform(0.2, 3))

    # kinds

    def disk(self) -> tuple[Truth, _Node | None]:
        server, disk = self.rng.choice(self.nodes), f"dm-{self.rng.randrange(40)}"
        began = self.began()
        for k in range(self.rng.randint(2, 6)):
            self.wait(server, "NSDThread", f"for I/O completion on disk {disk}", start=began + k * 0.3)
        clients = self.some(self.others(server), 8)
        for client in clients:
            for _ in range(self.rng.randint(1, 4)):
                thread = self.rng.choice(("PrefetchWorkerThread", "WritebehindWorkerThread"))
                self.wait(
                    client,
                    thread,
                    f"for NSD I/O completion on node {server.address}",
                    start=began + self.rng.uniform(0.5, 8),
                )
        self.links = clients[:1]
        if clients:
            self._behind(clients[0], server, began)
        return Truth("disk", ("disk", disk, server.name)), server

    def _behind(self, holder: _Node, server: _Node, began: float) -> None:
        """The holder of a token can't give it up before its data is written; others wait for it."""
        self.wait(
            holder, "InodeRevokeWorkerThread", f"for NSD I/O completion on node {server.address}", start=began + 9
        )
        for k, asker in enumerate(self.some(self.others(holder, server), 3)):
            self.wait(
                asker,
                "CreateHandlerThread",
                self.rpc("tmMsgRevoke", holder),
                start=began + 8.99 + k * self.rng.uniform(0, 2),
            )

    def locked(self) -> tuple[Truth, _Node | None]:
        manager, address = self.rng.choice(self.nodes), self.lock()
        began = self.began()
        self.wait(
            manager,
            "Msg handler mnMsgForceInodeFlags",
            f"on ThMutex 0x{address:X} (InodeCacheObjMutex)",
            start=began + 1,
        )
        for k in range(self.rng.randint(1, 4)):
            self.wait(manager, "OpenHandlerThread", f"on ThMutex 0x{address:X} (InodeCacheObjMutex)", start=began + k)
        clients = self.some(self.others(manager), 8)
        self.links = clients[:1]
        for client in clients:
            self.wait(client, "OpenHandlerThread", self.rpc("mnMsgForceInodeFlags", manager), start=began + 0.9)
        return Truth("lock", ("lock", "InodeCacheObjMutex", manager.name)), manager

    def network(self) -> tuple[Truth, _Node | None]:
        lost = self.rng.choice(self.nodes)
        for client in self.rng.sample(self.others(lost), min(len(self.nodes) - 1, self.rng.randint(2, 8))):
            for message in self.rng.sample(("nsdMsgReadExt", "nsdMsgWriteExt", "commMsgCheckMessages"), 2):
                self.wait(client, "PrefetchWorkerThread", self.rpc(message, lost), start=self.began())
        return Truth("network", ("node", lost.name, lost.name)), lost

    def overload(self) -> tuple[Truth, _Node | None]:
        for node in self.nodes:
            for _ in range(self.rng.randint(8, 14)):
                self.wait(
                    node,
                    "NSDThread",
                    f"for I/O completion on disk dm-{self.rng.randrange(200)}",
                    start=NOON_S - self.rng.uniform(1, 9),
                )
        return Truth("overload"), None

    def deadlock(self, size: int) -> tuple[Truth, _Node | None]:
        ring = self.rng.sample(self.nodes, min(size, len(self.nodes)))
        message, handler = self.rng.choice(
            (("tmMsgRevoke", "InodeRevokeWorkerThread"), ("tmMsgBRRevoke", "Msg handler tmMsgBRRevoke"))
        )
        began = self.began(60, 300)
        for k, (node, after) in enumerate(zip(ring, (*ring[1:], ring[0]), strict=True)):
            self.wait(node, handler, self.rpc(message, after), start=began + k * 0.2)
        for victim in self.some(self.others(*ring), 12):
            self.wait(
                victim,
                "CreateHandlerThread",
                self.rpc(message, self.rng.choice(ring)),
                start=began + self.rng.uniform(1, 20),
            )
        return Truth("deadlock", None, frozenset(node.name for node in ring)), None

    def healthy(self) -> tuple[Truth, _Node | None]:
        return Truth("healthy"), None

    def busy(self) -> tuple[Truth, _Node | None]:
        """Thousands of waits, none of them a second old."""
        for node in self.nodes:
            for _ in range(self.rng.randint(60, 120)):
                thread, detail, age = self.rng.choice(NOISE[2:])
                words = detail.format(
                    ip=self.rng.choice(self.nodes).address, lock=self.lock(), n=self.rng.randrange(30)
                )
                self.wait(node, thread, words, age=age * self.rng.uniform(0.2, 2))
        return Truth("healthy"), None

    def restripe(self) -> tuple[Truth, _Node | None]:
        """Jobs that may take hours."""
        node = self.rng.choice(self.nodes)
        for thread, detail in self.rng.sample(LONG_JOBS, self.rng.randint(1, len(LONG_JOBS))):
            self.wait(node, thread, detail.format(lock=self.lock()), start=self.began(2000, 9000))
        return Truth("healthy"), None

    def idle(self) -> tuple[Truth, _Node | None]:
        """Nodes that wait for work."""
        for node in self.nodes:
            for thread, detail, age in NOISE[:2]:
                self.wait(node, thread, detail, age=age)
        return Truth("healthy"), None

    def mounting(self) -> tuple[Truth, _Node | None]:
        """A file system that is being mounted everywhere asks its manager, for a moment."""
        manager = self.rng.choice(self.nodes)
        for node in self.others(manager):
            self.wait(node, "MountHandlerThread", self.rpc("sgmMsgSGMount", manager), age=self.rng.uniform(0.05, 0.5))
        return Truth("healthy"), None

    # text

    def text(self, node: _Node) -> str:
        """What the node prints: three dumps, each below the clock of the node."""
        return "".join(self._dump(node, NOON_S + dump * PAUSE_S) for dump in range(DUMPS))

    def _dump(self, node: _Node, true_s: float) -> str:
        shown_s = true_s + node.ahead_s
        prompt = f"[root@{node.name} ~]#"
        lines = [
            f"{prompt} date",
            f"Tue Mar  4 {_clock(shown_s)} CET 2031",
            f"{prompt} mmdiag --waiters",
            "",
            "=== mmdiag: waiters ===",
        ]
        ages = [
            (true_s - wait.start if wait.start is not None else wait.age * self.rng.uniform(0.5, 1.5), wait)
            for wait in node.waits
        ]
        for age, wait in sorted(ages, key=lambda pair: -pair[0]):
            lines.append(
                f"Waiting {age:.4f} sec since {_clock(shown_s - age)}, monitored, thread {wait.number} "
                f"{wait.thread}: {wait.detail}"
            )
        return "\n".join(lines) + "\n"

    def table(self) -> str:
        """``mmlscluster``: which address is which node."""
        head = "GPFS cluster information\n========================\n  GPFS cluster name:         lund.lab\n\n"
        head += " Node  Daemon node name  IP address  Admin node name  Designation\n" + "-" * 66 + "\n"
        return head + "".join(
            f"   {k + 1}   {node.name}.lund.lab  {node.address}  {node.name}.lund.lab\n"
            for k, node in enumerate(self.nodes)
        )


def _clock(seconds: float) -> str:
    whole = int(seconds) % 86_400
    return f"{whole // 3600:02d}:{whole // 60 % 60:02d}:{whole % 60:02d}"


def make(
    seed: int,
    *,
    kind: str,
    nodes: int = 12,
    members: int = 3,
    missing: float = 0.0,
    hide_root: bool = False,
    skew_s: float = 0.0,
) -> Cluster:
    """One cluster. missing: share of the dumps left out, never one that decides; hide_root: that one is left out."""
    maker = _Maker(seed, nodes, skew_s=skew_s)
    makers: dict[str, Callable[[], tuple[Truth, _Node | None]]] = {
        "disk": maker.disk,
        "lock": maker.locked,
        "network": maker.network,
        "overload": maker.overload,
        "healthy": maker.healthy,
        "deadlock": lambda: maker.deadlock(members),
        "busy": maker.busy,
        "restripe": maker.restripe,
        "idle": maker.idle,
        "mounting": maker.mounting,
    }
    truth, decisive = makers[kind]()
    if kind != "idle":
        maker.noise()
    known = set(truth.cycle) | ({decisive.name} if decisive else set())
    if hide_root:  # then the chain is told by who waits for the hidden node, and for whom others wait
        known |= {node.name for node in maker.links}
    dropped = {n.name for n in maker.nodes if n.name not in known and maker.rng.random() < missing}
    if hide_root and decisive is not None:
        dropped.add(decisive.name)
        truth = Truth("leaves", ("node", decisive.name, decisive.name))
    files = {f"{node.name}/waiters.txt": maker.text(node) for node in maker.nodes if node.name not in dropped}
    return Cluster(seed, kind, {"mmlscluster.txt": maker.table(), **files}, truth)


@dataclass(frozen=True, slots=True)
class Judged:
    """What the program said about a cluster."""

    kind: str
    root: tuple[str, str, str | None] | None
    cycles: tuple[frozenset[str], ...]
    title: str

    def is_right(self, truth: Truth) -> bool:
        """The kind, and exactly the disk, lock, node or members of it."""
        if self.kind != truth.kind or self.cycles != ((truth.cycle,) if truth.cycle else ()):
            return False
        return truth.root is None or self.root == truth.root


def judge(cluster: Cluster) -> Judged:
    """From the text of the files to the verdict, by the code that everybody runs."""
    with TemporaryDirectory() as folder:
        report = analyse([_input(name, text) for name, text in cluster.files.items()], Path(folder), clock=Clock())
        return _judged(report)


def _input(name: str, text: str) -> Input:
    return Input(name, lambda: io.BytesIO(text.encode()))


def _judged(report: Report) -> Judged:
    diagnosis = report.diagnosis
    verdict, roots = diagnosis.verdict, diagnosis.roots
    kind = VERDICTS.get(verdict.ref, verdict.ref) if verdict else ""
    first = roots[0] if roots else None
    root = (first.kind, first.what, first.node) if first else None
    return Judged(kind, root, tuple(frozenset(c) for c in diagnosis.cycles), verdict.title if verdict else "")


def plan(seed: int, *, most_nodes: int = 200) -> dict[str, Any]:
    """Parameters of the cluster of a seed: every kind, size and damage comes in its turn."""
    rng = random.Random(f"plan {seed}")
    kind = KINDS[seed % len(KINDS)]
    if kind == "healthy":
        kind = ("healthy", *QUIET)[seed // len(KINDS) % (1 + len(QUIET))]
    members = (2, 3, 50)[seed // len(KINDS) % 3]
    least = {"overload": 6, "network": 4, "deadlock": members + 1, "healthy": 2, "idle": 1}.get(kind, 3)
    nodes = max(least, min(most_nodes, round(2 * 100 ** rng.random())))
    return {
        "kind": kind,
        "nodes": nodes,
        "members": members,
        "missing": rng.choice((0.0, 0.0, 0.2)),
        "skew_s": rng.choice((0.0, 0.0, 100.0)),
        "hide_root": kind in ("disk", "lock") and rng.random() < 0.15,
    }


@dataclass(frozen=True, slots=True)
class Score:
    """Of one kind: clusters of it, those named so, and those named so rightly with all particulars."""

    kind: str
    clusters: int
    named: int
    right: int

    @property
    def precision(self) -> float | None:
        """Share of the clusters named so that are rightly named; None where none is."""
        return self.right / self.named if self.named else None

    @property
    def recall(self) -> float | None:
        """Share of the clusters of this kind that are rightly named."""
        return self.right / self.clusters if self.clusters else None


def scores(runs: Iterator[tuple[Cluster, Judged]]) -> list[Score]:
    """Precision and recall by kind."""
    pairs = list(runs)
    found = []
    for kind in (*KINDS, "leaves"):
        own = [(cluster, judged) for cluster, judged in pairs if cluster.truth.kind == kind]
        named = [judged for _, judged in pairs if judged.kind == kind]
        found.append(Score(kind, len(own), len(named), sum(judged.is_right(cluster.truth) for cluster, judged in own)))
    return found


def run(count: int, *, first: int = 0, most_nodes: int = 200) -> Iterator[tuple[Cluster, Judged]]:
    """Make and judge so many clusters."""
    for seed in range(first, first + count):
        cluster = make(seed, **plan(seed, most_nodes=most_nodes))
        yield cluster, judge(cluster)
