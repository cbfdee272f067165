"""SAMPLE-SCALE: all writers of a Spectrum Scale cluster hang behind one disk of one NSD server.

Waiters of twenty minutes: eight nodes by ``mmdiag --waiters`` under three kinds of collector, one by ``-Y``, all ten by
``mmlsnode -N waiters -L`` in a terminal of 150 columns (the only source for cn144), and two ``mmdiag --deadlock``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from random import Random
from typing import Final

from apps.ingest.samples import scale_extras
from apps.ingest.samples.bundle import tar_gz
from apps.ingest.samples.known_answer import KnownAnswer, Phase, Root, Sample
from apps.ingest.samples.noise import syslog
from apps.ingest.samples.scale_story import (
    CLIENTS,
    CLOCK,
    DISK,
    DOMAIN,
    DUMPS,
    FAULT_S,
    HOLDER,
    INTERVAL_S,
    MANAGER,
    NODES,
    SEED,
    SERVER,
    SERVERS,
    Everyday,
    Wait,
    blocked_waits,
    dump_moments,
    stuck_waits,
)

COLUMNS: Final = 150
CONTROLLER_MOMENTS: Final = tuple(4.2 + 30.0 * k for k in range(40))
ONLY_IN_CONTROLLER: Final = "cn144"
MACHINE_READABLE: Final = "cn145"
_Y_FIELDS: Final = (
    "version:reserved:reserved:threadId:threadAddr:threadName:waitStartTime:waitTime:isMonitored:condVarA"
    "ddr:condVarName:condVarReason:mutexAddr:mutexName:auxReason:delayTime:delayReason:"
)
_BLOCKED: Final = tuple(blocked_waits())
_STUCK: Final = tuple(stuck_waits())


def human_line(wait: Wait, now: float) -> str:
    age = now - wait.start
    return (
        f"Waiting {age:.4f} sec since {CLOCK.hms(wait.start)}, {wait.flag}, thread {wait.tid} {wait.thread}: "
        f"{wait.detail}"
    )


def machine_line(wait: Wait, now: float) -> str:
    started = f"{CLOCK.at(wait.start):%Y-%m-%d}_{CLOCK.hms(wait.start).replace(':', '%3A')}{CLOCK.offset}"
    fields = [
        "mmdiag:waiters:0:1::",
        f"{wait.tid}",
        f"{0x71000000 + wait.tid * 0x40:016X}",
        wait.thread,
        started,
        f"{now - wait.start:.4f}",
        wait.flag,
        *_lock_fields(wait),
        wait.aux,
        "",
        "",
        "",
    ]
    return ":".join(fields)


def _lock_fields(wait: Wait) -> list[str]:
    reason = f"{wait.reason} for {wait.rpc}" if wait.rpc else wait.reason
    address = f"{wait.address & 0xFFFFFFFF:016X}"
    if wait.sync == "ThCond":
        return [address, wait.name, reason, "", ""]
    if wait.sync == "ThMutex":
        return ["", "", reason, address, wait.name]
    return [""] * 5


def _waits_of(node: str, now: float, everyday: Everyday) -> list[Wait]:
    """What a dump of ``node`` shows at ``now``, the longest first."""
    lasting = [wait for wait in (*_STUCK, *_BLOCKED) if wait.node == node and wait.start < now]
    return sorted((*lasting, *everyday.at(now)), key=lambda wait: wait.start)


def _marker_style(node: str, now: float, lines: list[str]) -> list[str]:
    stamp = f"{CLOCK.at(now):%Y/%m/%d} {CLOCK.hms(now)} {node}"
    begin, end = f"### BEGIN DATA COLLECTION {stamp} ###", f"### END DATA COLLECTION {stamp} ###"
    return [begin, "", "=== mmdiag: waiters ===", *lines, "", end, ""]


def _date_style(_node: str, now: float, lines: list[str]) -> list[str]:
    return [CLOCK.date_output(now), "=====", "", "=== mmdiag: waiters ===", *lines, ""]


def _prompt_style(node: str, now: float, lines: list[str]) -> list[str]:
    return [
        f"[root@{node} ~]# date",
        CLOCK.date_output(now),
        f"[root@{node} ~]# mmdiag --waiters",
        "",
        "=== mmdiag: waiters ===",
        *lines,
        "",
    ]


def _waiters_file(node: str, style: Callable[[str, float, list[str]], list[str]]) -> list[str]:
    everyday = Everyday(node, "dump")
    text: list[str] = []
    for now in dump_moments(node):
        text += style(node, now, [human_line(wait, now) for wait in _waits_of(node, now, everyday)])
    return text


def _machine_file(node: str) -> list[str]:
    everyday = Everyday(node, "dump")
    text: list[str] = []
    for now in dump_moments(node):
        text += [f"[root@{node} ~]# date", CLOCK.date_output(now), f"[root@{node} ~]# mmdiag --waiters -Y"]
        text.append(f"mmdiag:waiters:HEADER:{_Y_FIELDS}")
        text += [machine_line(wait, now) for wait in _waits_of(node, now, everyday)]
    return text


def _controller_file() -> list[str]:
    everyday = [Everyday(node, "controller") for node in NODES]
    text: list[str] = []
    for now in CONTROLLER_MOMENTS:
        text += [f"[root@{MANAGER} ~]# date", CLOCK.date_output(now), f"[root@{MANAGER} ~]# mmlsnode -N waiters -L"]
        waits = [wait for node in everyday for wait in _waits_of(node.node, now, node)]
        for wait in sorted(waits, key=lambda wait: wait.start):
            text += _wrapped(f"{wait.node}.{DOMAIN}: {human_line(wait, now)}")
    return text


def _wrapped(line: str) -> list[str]:
    """Breaks where the terminal does, or at the blank before when that would cut an address in two."""
    if len(line) <= COLUMNS:
        return [line]
    cut = COLUMNS
    if not (line[cut - 1].isalpha() and line[cut].isalpha()):
        cut = line.rfind(" ", 0, COLUMNS)
        return [line[:cut], line[cut + 1 :]]
    return [line[:cut], line[cut:]]


def _damaged(lines: list[str], rng: Random) -> list[str]:
    """Cuts one line of a harmless wait, drops in a line nobody prints, and ends the file inside a word."""
    harmless = [i for i, line in enumerate(lines) if line.startswith("Waiting 0.0") and "MsgRecordCondvar" in line]
    spot = rng.choice(harmless)
    lines[spot] = lines[spot][: lines[spot].index("MsgRecordCondvar") + 11]
    lines.insert(rng.choice(harmless), "collector: previous run still active, output may be late")
    lines[-3:] = ["", CLOCK.date_output(DUMPS * INTERVAL_S + 0.2)[:19]]
    return lines


def _texts() -> dict[str, str]:
    rng = Random(SEED + 1)
    files: dict[str, list[str]] = {f"{node}/waiters.{node}.txt": _waiters_file(node, _marker_style) for node in SERVERS}
    files[f"{MANAGER}/waiters.{MANAGER}.txt"] = _waiters_file(MANAGER, _prompt_style)
    for node in CLIENTS:
        if node not in (ONLY_IN_CONTROLLER, MACHINE_READABLE):
            files[f"{node}/waiters.{node}.txt"] = _waiters_file(node, _date_style)
    files[f"{MACHINE_READABLE}/waiters-Y.{MACHINE_READABLE}.txt"] = _machine_file(MACHINE_READABLE)
    files[f"{MANAGER}/mmlsnode_waiters.txt"] = _controller_file()
    _damaged(files["cn143/waiters.cn143.txt"], rng)
    files |= scale_extras.files(_BLOCKED)
    texts = {path: "\n".join(lines) + "\n" for path, lines in files.items()}
    texts["cn143/messages"] = syslog(rng, CLOCK, "cn143", lines=160, until_s=DUMPS * INTERVAL_S)
    return texts


def build() -> bytes:
    return tar_gz(_texts(), folder="fen7-hang-20250211", written_at=CLOCK.epoch(DUMPS * INTERVAL_S + 95.0))


def _count(waits: Iterable[Wait], **wanted: str) -> int:
    return sum(all(text in getattr(wait, field) for field, text in wanted.items()) for wait in waits)


def _answer() -> KnownAnswer:
    last = dump_moments(SERVER)[-1]
    on_disk = [wait for wait in _BLOCKED if wait.node == SERVER]
    behind_io = [wait for wait in _BLOCKED if wait.node != SERVER and wait.aux]
    figures = {
        "dumps_per_node": DUMPS,
        "controller_dumps": len(CONTROLLER_MOMENTS),
        "blocked_waits": len(_BLOCKED),
        "nsd_threads_on_disk": len(on_disk),
        "nsd_io_waits_on_server": len(behind_io),
        "log_mutex_waits": _count(_BLOCKED, name="LogFile instance"),
        "revoke_rpc_waits": _count(_BLOCKED, rpc="tmMsgRevoke"),
        "acquire_rpc_waits": _count(_BLOCKED, rpc="tmMsgTellAcquire1"),
        "inode_flag_rpc_waits": _count(_BLOCKED, rpc="mnMsgForceInodeFlags"),
        "longest_disk_wait_s": round(last - on_disk[0].start, 4),
        "longest_log_write_wait_s": round(
            dump_moments(MANAGER)[-1] - next(w.start for w in _BLOCKED if w.thread == "Sync handler"), 4
        ),
        "longest_everyday_disk_wait_below_s": 0.0291,
    }
    fault, end = CLOCK.iso(FAULT_S), CLOCK.iso(last)
    return KnownAnswer(
        products=("spectrum-scale",),
        nodes=tuple(sorted(NODES)),
        root=Root(kind="disk", what=DISK, node=SERVER, through="scr7_03"),
        rules=("SC-01", "SC-04"),
        rules_also_true=("SC-09", "SC-15", "SC-21"),
        rules_forbidden=(
            "SC-02",
            "SC-03",
            "SC-05",
            "SC-06",
            "SC-07",
            "SC-08",
            "SC-10",
            "SC-11",
            "SC-16",
            "SC-17",
            "SC-22",
            "SC-23",
            "SC-24",
            "SC-26",
            "SC-27",
            "SC-28",
            "SC-33",
            "SC-34",
        ),
        figures=figures,
        phases=(
            Phase(name="healthy", start=CLOCK.iso(0.0), end=fault),
            Phase(name="disk does not answer", start=fault, end=end),
            Phase(name="recovery log blocked", start=CLOCK.iso(FAULT_S + 1.797), end=end),
        ),
    )


SAMPLE: Final = Sample(
    key="SAMPLE-SCALE",
    title="Cluster hang, all writers stuck",
    customer="Fenland Research Computing",
    description=(
        "Ten nodes of a Storage Scale cluster, waiters every ten seconds for twenty minutes. From 14:26 "
        f"on every write to scratch7 hangs on five clients; {HOLDER} and the file system manager look "
        "guilty at first sight."
    ),
    filename="fen7-hang-20250211.tar.gz",
    answer=_answer(),
    build=build,
)
