"""The waits of the Scale sample: ten nodes, one disk that stops answering six minutes in.

application on a client ── NSD I/O, token revoke ──┐
manager: handlers ── LogFile mutex ── log write ───┴─→ nsd02: NSDThread ── dm-17
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Final

from apps.ingest.samples.clock import clock
from parsers.dataclass import dataclass

SEED: Final = 41_709
CLOCK: Final = clock("2025-02-11T14:20:00", "CET", "+0100")
DOMAIN: Final = "fen.lab"
INTERVAL_S: Final = 10.0
DUMPS: Final = 120
FAULT_S: Final = 367.412  # 14:26:07, the first request that never returns
DISK: Final = "dm-17"
SERVER: Final = "nsd02"
MANAGER: Final = "mgr01"
HOLDER: Final = "cn142"  # holds the token that other clients ask for
SERVERS: Final = ("nsd01", "nsd02", "nsd03", "nsd04")
CLIENTS: Final = ("cn141", "cn142", "cn143", "cn144", "cn145")
NODES: Final = (*SERVERS, MANAGER, *CLIENTS)
ADDRESS: Final = {
    "nsd01": "10.31.8.11", "nsd02": "10.31.8.12", "nsd03": "10.31.8.13", "nsd04": "10.31.8.14", "mgr01": "10.31.8.21",
    "cn141": "10.31.8.141", "cn142": "10.31.8.142", "cn143": "10.31.8.143", "cn144": "10.31.8.144",
    "cn145": "10.31.8.145",
}  # fmt: skip
LOG_MUTEX: Final = 0x7F3A4C117830
LOG_BUFFER: Final = LOG_MUTEX + 0x68  # both lie in the one LogFile object
_BLOCKED_IO: Final = (
    "WritebehindWorkerThread", "PrefetchWorkerThread", "WritebehindWorkerThread", "AioWorkerThread",
    "FsyncHandlerThread",
)  # fmt: skip
_QUIET_DISKS: Final = {
    "nsd01": (
        "dm-12",
        "dm-13",
        "dm-17",
        "dm-21",
    ),  # names of devices are local: this dm-17 is another disk, and healthy
    "nsd02": ("dm-14", "dm-15", "dm-16", "dm-18"),
    "nsd03": ("dm-12", "dm-17", "dm-19", "dm-22"),
    "nsd04": ("dm-11", "dm-13", "dm-20", "dm-23"),
}


@dataclass(frozen=True, slots=True)
class Wait:
    """One waiting thread. ``start`` is in seconds of the story; none of the blocked ones ever ends."""

    node: str
    start: float
    tid: int
    thread: str
    aux: str = ""
    sync: str = ""
    address: int = 0
    name: str = ""
    reason: str = ""
    rpc: str = ""
    flag: str = "monitored"
    short: bool = False  # counted against the lower limit of the deadlock detector

    @property
    def detail(self) -> str:
        if self.aux:
            return self.aux
        reason = f", reason '{self.reason}'" if self.reason else ""
        rpc = f" for {self.rpc}" if self.rpc else ""
        return f"on {self.sync} 0x{self.address:X} ({self.name}){reason}{rpc}"


def target(node: str) -> str:
    """``10.31.8.12 <c0n1>``: how a daemon names a peer."""
    return f"{ADDRESS[node]} <c0n{NODES.index(node)}>"


def dump_moments(node: str) -> list[float]:
    """When the collector of ``node`` dumped; each loop starts on the full ten seconds and takes a moment."""
    rng = Random(f"{SEED} moments {node}")
    return [k * INTERVAL_S + rng.uniform(0.06, 0.46) for k in range(DUMPS)]


class _Plan:
    """Collects the blocked waits; every request to the bad disk gets its thread on the server."""

    def __init__(self) -> None:
        self.rng = Random(SEED)
        self.waits: list[Wait] = []
        self._next_tid = {node: 20_000 + 2_500 * i for i, node in enumerate(NODES)}

    def tid(self, node: str) -> int:
        self._next_tid[node] += self.rng.randrange(1, 9)
        return self._next_tid[node]

    def address(self) -> int:
        return 0x7F0000000000 + self.rng.randrange(1 << 32, 1 << 36) * 16

    def blocked_io(self, node: str, start: float, thread: str) -> None:
        self.waits.append(
            Wait(node, start, self.tid(node), thread, aux=f"for NSD I/O completion on node {target(SERVER)}")
        )
        arrival = start + self.rng.uniform(0.002, 0.008)
        self.waits.append(
            Wait(SERVER, arrival, self.tid(SERVER), "NSDThread", aux=f"for I/O completion on disk {DISK}")
        )

    def rpc(self, node: str, start: float, thread: str, message: str, to: str) -> None:
        rpc = f"{message} on node {target(to)}"
        wait = Wait(
            node,
            start,
            self.tid(node),
            thread,
            sync="ThCond",
            address=self.address(),
            name="MsgRecordCondvar",
            reason="RPC wait",
            rpc=rpc,
        )
        self.waits.append(wait)

    def log_mutex(self, start: float, thread: str) -> None:
        wait = Wait(
            MANAGER,
            start,
            self.tid(MANAGER),
            thread,
            sync="ThMutex",
            address=LOG_MUTEX,
            name="LogFile instance",
            short=True,
        )
        self.waits.append(wait)


def _recovery_log(plan: _Plan) -> None:
    """The manager's log write hangs; what needs the log queues for its mutex."""
    start = FAULT_S + 1.803
    plan.blocked_io(MANAGER, start, "FlushBufferWorkerThread")
    sync = Wait(
        MANAGER,
        start - 0.006,
        plan.tid(MANAGER),
        "Sync handler",
        sync="ThCond",
        address=LOG_BUFFER,
        name="LogFile buffer state",
        reason="force wait for write complete",
    )
    plan.waits.append(sync)
    plan.log_mutex(start + 0.009, "SG Exception LogBufferFull")
    for client, after in (("cn141", 22.4), ("cn143", 39.7), ("cn145", 66.2), ("cn142", 131.5), ("cn144", 214.9)):
        plan.rpc(client, start + after, "OpenHandlerThread", "mnMsgForceInodeFlags", MANAGER)
        plan.log_mutex(start + after + 0.0021, "Msg handler mnMsgForceInodeFlags")
    for client, after in (("cn143", 58.8), ("cn144", 97.3), ("cn141", 176.6)):
        plan.rpc(client, start + after, "SharedHashTabFetchHandlerThread", "tmMsgTellAcquire1", MANAGER)
        plan.log_mutex(start + after + 0.0018, "Msg handler tmMsgTellAcquire1")


def _revokes(plan: _Plan) -> None:
    """Three clients want what cn142 holds; it can't give it up before its dirty data is on the disk."""
    for client, after in (("cn141", 12.6), ("cn143", 31.2), ("cn145", 88.4)):
        start = FAULT_S + after
        plan.rpc(client, start, "CreateHandlerThread", "tmMsgRevoke", HOLDER)
        plan.blocked_io(HOLDER, start + 0.0034, "InodeRevokeWorkerThread")


def blocked_waits() -> list[Wait]:
    """All waits that hang, in order of their start."""
    plan = _Plan()
    plan.blocked_io("cn142", FAULT_S, "WritebehindWorkerThread")
    for client in CLIENTS:
        start = FAULT_S
        for k in range(plan.rng.randrange(9, 13)):
            start += plan.rng.expovariate(1 / 26.0) + 0.35
            plan.blocked_io(client, start, _BLOCKED_IO[k % len(_BLOCKED_IO)])
    _recovery_log(plan)
    _revokes(plan)
    return sorted(plan.waits, key=lambda wait: wait.start)


def stuck_waits() -> list[Wait]:
    """Old and harmless: a monitoring socket, a policy run on the other file system, timers."""
    policy = Wait(
        MANAGER,
        -212.7,
        19_204,
        "PitMainThread",
        sync="ThCond",
        address=0x7F3A4C9CDD60,
        name="PitCondvar",
        reason="Waiting until pit work is complete",
        flag="ignored",
    )
    sockets = [
        Wait(node, -5_400.0 - 17.3 * i, 3_391 + i, "EventsExporterSenderThread", aux="for poll on sock 379")
        for i, node in enumerate((*SERVERS, MANAGER))
    ]
    return [policy, *sockets]


class Everyday:
    """The short waits of a busy, healthy cluster, new ones in every dump."""

    def __init__(self, node: str, purpose: str) -> None:
        self.node = node
        self._rng = Random(f"{SEED} everyday {node} {purpose}")
        self._first_tid = 60_000 + 900 * NODES.index(node)

    def at(self, now: float) -> Iterator[Wait]:
        rng = self._rng
        make = self._server_wait if self.node in SERVERS else self._client_wait
        for tid in rng.sample(range(self._first_tid, self._first_tid + 400), rng.randrange(2, 8)):
            yield make(now - round(rng.uniform(0.0003, 0.0290), 4), tid)
        if rng.random() < 0.06:
            seconds = rng.uniform(2.0, 58.0)
            aux = f"delaying for {seconds:.4f} more seconds"
            yield Wait(
                self.node,
                now - rng.uniform(0.2, 2.0),
                self._first_tid + 500,
                "EEWatchDogThread",
                aux=aux,
                flag="ignored",
            )

    def _server_wait(self, start: float, tid: int) -> Wait:
        disk = self._rng.choice(_QUIET_DISKS[self.node])
        return Wait(self.node, start, tid, "NSDThread", aux=f"for I/O completion on disk {disk}")

    def _client_wait(self, start: float, tid: int) -> Wait:
        rng = self._rng
        server = target(rng.choice(SERVERS))
        thread = rng.choice(("PrefetchWorkerThread", "WritebehindWorkerThread", "InodePrefetchWorkerThread"))
        if rng.random() < 0.75:
            return Wait(self.node, start, tid, thread, aux=f"for NSD I/O completion on node {server}")
        return Wait(
            self.node,
            start,
            tid,
            thread,
            sync="ThCond",
            address=0x7FD800000000 + rng.randrange(1 << 30) * 16,
            name="MsgRecordCondvar",
            reason="RPC wait",
            rpc=f"nsdMsgReadExt on node {server}",
        )
