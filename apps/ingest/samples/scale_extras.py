"""Files beside the waiters of the Scale sample: deadlock and network output, cluster tables, log, notes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from apps.ingest.samples.scale_story import ADDRESS, CLOCK, DISK, DOMAIN, MANAGER, NODES, SERVER, SERVERS, Wait

CLUSTER: Final = f"fen7.{DOMAIN}"
_DEADLOCK_MOMENTS: Final = (793.318, 1_112.604)
_MEDIUM_S: Final = 300
_SHORT_S: Final = 180
# disk of scratch7 and home7 -> (first server, second server, device on the first)
_NSDS: Final = {
    "scr7_01": ("nsd01", "nsd02", "dm-12"), "scr7_02": ("nsd01", "nsd02", "dm-13"), "scr7_03": (SERVER, "nsd01", DISK),
    "scr7_04": ("nsd02", "nsd01", "dm-14"), "scr7_05": ("nsd02", "nsd01", "dm-15"),
    "scr7_06": ("nsd01", "nsd02", "dm-17"),
    "scr7_07": ("nsd03", "nsd04", "dm-12"), "scr7_08": ("nsd03", "nsd04", "dm-17"),
    "scr7_09": ("nsd04", "nsd03", "dm-11"),
    "scr7_10": ("nsd04", "nsd03", "dm-13"), "home7_01": ("nsd03", "nsd04", "dm-22"),
    "home7_02": ("nsd04", "nsd03", "dm-23"),
}  # fmt: skip
_NOTES: Final = """\
Ticket from the service desk, copied by hand

- all jobs that write to /scratch7 hang, ls in /home7 is fine
- no reboot, no switch work, no software change this week
- the users say it began shortly before half past two
- one of us suspects cn142 because everybody "waits for it"; not checked

Collected: waiters on all nodes, deadlock output and tables from mgr01, network output.
"""
_INVENTORY: Final = """\
rack;unit;host;serial;role
R7;11;nsd01;A7K2201;storage
R7;13;nsd02;A7K2202;storage
R7;15;nsd03;A7K2203;storage
R7;17;nsd04;A7K2204;storage
R7;21;mgr01;A7K2231;management
"""


def files(blocked: Sequence[Wait]) -> dict[str, list[str]]:
    out = {f"{node}/mmdiag_network.txt": _network(node, blocked) for node in NODES}
    out[f"{MANAGER}/mmdiag_deadlock.txt"] = _deadlock(blocked)
    out[f"{MANAGER}/mmlscluster.txt"] = _mmlscluster()
    out[f"{MANAGER}/mmlsnsd.txt"] = _mmlsnsd()
    out[f"{SERVER}/mmfs.log.latest"] = _daemon_log(blocked)
    out["README-first.txt"] = _NOTES.splitlines()
    out["inventory.csv"] = _INVENTORY.splitlines()
    return out


def _deadlock(blocked: Sequence[Wait]) -> list[str]:
    text: list[str] = []
    for now in _DEADLOCK_MOMENTS:
        text += [f"[root@{MANAGER} ~]# date", CLOCK.date_output(now), f"[root@{MANAGER} ~]# mmdiag --deadlock", ""]
        text += ["=== mmdiag: deadlock ===", ""]
        own = [wait for wait in blocked if wait.node == MANAGER]
        for wait in own:
            if now - wait.start > (_SHORT_S if wait.short else _MEDIUM_S):
                since = f"Waiting {now - wait.start:.4f} sec since {CLOCK.hms(wait.start)}, on node {MANAGER}"
                text += [f"{since}, thread {wait.tid} {wait.thread}: {wait.detail}"]
        text += ["", "Nodes the deadlock waiters depend on:", "", SERVER, ""]
        limit = f"Effective deadlock detection threshold on {MANAGER} is"
        text += [f"{limit} {_MEDIUM_S} seconds", "", f"{limit} {_SHORT_S} seconds for short waiters", ""]
        text += [f"Cluster {CLUSTER} is not overloaded. The overload index on {MANAGER} is 0.00214", ""]
    return text


def _network(node: str, blocked: Sequence[Wait]) -> list[str]:
    now = 900.0 + 3.0 * NODES.index(node)
    text = [
        f"[root@{node} ~]# date",
        CLOCK.date_output(now),
        f"[root@{node} ~]# mmdiag --network",
        "",
        "=== mmdiag: network ===",
        "",
    ]
    text += [
        "Pending messages:",
        *(_pending(node, now, blocked) or ["  (none)"]),
        "Inter-node communication configuration:",
    ]
    text += ["  tscConnMode     single", "  tscTcpPort      1191"]
    text += [
        f"  my address      {ADDRESS[node]}/24 (bond0) <c0n{NODES.index(node)}>",
        f"  my node number  {NODES.index(node) + 1}",
    ]
    text += ["TCP Connections between nodes:"]
    text += [
        (
            "    hostname                            node     destination     status     err  sock  sent(MB) "
            " recvd(MB)  ostype"
        )
    ]
    text += [_connection(node, peer) for peer in NODES if peer != node]
    return text


def _connection(node: str, peer: str) -> str:
    i, sock = NODES.index(peer), 40 + 7 * NODES.index(peer) + NODES.index(node)
    sent = 900 + 131 * i + 37 * NODES.index(node)
    return (
        f"    {peer:<35} {f'<c0n{i}>':<8} {ADDRESS[peer]:<15} connected  0    {sock:<5} {sent:<9} "
        f"{sent * 3:<10} Linux/L"
    )


def _pending(node: str, now: float, blocked: Sequence[Wait]) -> list[str]:
    """Open RPCs; the condition variable of the waiter lies 0xB8 behind the message record."""
    text: list[str] = []
    own = [wait for wait in blocked if wait.node == node and wait.rpc and wait.start < now]
    for k, wait in enumerate(own):
        message, address = wait.rpc.split(" ", 1)[0], wait.rpc.split()[3]
        number = {"tmMsgRevoke": 21, "tmMsgTellAcquire1": 53, "mnMsgForceInodeFlags": 77}[message]
        text += [
            f"  msg_id {48_211 + 17 * k}, service 13.1, msg_type {number} '{message}', n_dest 1, n_pending 1",
            f"  this 0x{wait.address - 0xB8:X}, n_xhold 1, ccP 0x{0x18005BB548 + 0x900 * k:X} cbFn 0x0",
            f"  sent by '{wait.thread}' (0x{0x71000000 + wait.tid * 0x40:X})",
            f"  dest {address}      status pending , err 0, reply len 0",
        ]
    return text


def _mmlscluster() -> list[str]:
    text = [f"[root@{MANAGER} ~]# mmlscluster", "", "GPFS cluster information", "========================"]
    text += [f"  GPFS cluster name:         {CLUSTER}", "  GPFS cluster id:           7231884019283745566"]
    text += [
        "  Remote shell command:      /usr/bin/ssh",
        "  Remote file copy command:  /usr/bin/scp",
        "  Repository type:           CCR",
        "",
    ]
    text += [" Node  Daemon node name  IP address     Admin node name   Designation", "-" * 69]
    for i, node in enumerate(NODES):
        role = "quorum" if node in SERVERS[:2] else "quorum-manager" if node == MANAGER else ""
        text.append(
            f"{i + 1:4d}   {node + '.' + DOMAIN:<17} {ADDRESS[node]:<14} {node + '.' + DOMAIN:<17} {role}".rstrip()
        )
    text += ["", f"[root@{MANAGER} ~]# mmlsmgr", "file system      manager node", "---------------- ------------------"]
    text += [f"{system:<16} {ADDRESS[MANAGER]} ({MANAGER})" for system in ("scratch7", "home7")]
    return [*text, "", f"Cluster manager node: {ADDRESS['nsd01']} (nsd01)"]


def _mmlsnsd() -> list[str]:
    text = [f"[root@{MANAGER} ~]# mmlsnsd", "", " File system   Disk name       NSD servers", "-" * 75]
    for disk, (first, second, _) in _NSDS.items():
        system = "scratch7" if disk.startswith("scr7") else "home7"
        text.append(f" {system:<13} {disk:<15} {first}.{DOMAIN},{second}.{DOMAIN}")
    text += ["", f"[root@{MANAGER} ~]# mmlsnsd -X", ""]
    text += [" Disk name       NSD volume ID      Device          Devtype  Node name          Remarks", "-" * 89]
    for i, (disk, (first, _, device)) in enumerate(_NSDS.items()):
        volume = f"0A1F080C67A31B{0x40 + i:02X}"
        text.append(f" {disk:<15} {volume:<18} /dev/{device:<10} dmm      {first + '.' + DOMAIN:<18} server node")
    return text


def _daemon_log(blocked: Sequence[Wait]) -> list[str]:
    """The detector reports the two oldest waits of the server when they pass its limit."""
    text = [
        (
            f"{CLOCK.at(-86_000):%Y-%m-%d}_{CLOCK.hms(-86_000)}.118{CLOCK.offset}: [I] Enabled automated "
            "deadlock detection."
        ),
        (
            f"{CLOCK.at(-3_201):%Y-%m-%d}_{CLOCK.hms(-3_201)}.402{CLOCK.offset}: [N] Connecting to "
            f"{ADDRESS['cn145']} cn145 <c0n9>:[0]"
        ),
        (
            f"{CLOCK.at(-3_201):%Y-%m-%d}_{CLOCK.hms(-3_201)}.409{CLOCK.offset}: [I] Connected to "
            f"{ADDRESS['cn145']} cn145 <c0n9>:[0]"
        ),
    ]
    for wait in [wait for wait in blocked if wait.node == SERVER][:2]:
        noticed = wait.start + 311.25
        since = f"{CLOCK.at(wait.start):%Y-%m-%d} {CLOCK.hms(wait.start)}"
        stamp = f"{CLOCK.at(noticed):%Y-%m-%d}_{CLOCK.millis(noticed)}{CLOCK.offset}"
        text.append(f"{stamp}: [A] Unexpected long waiter detected: Waiting 311.2500 sec since")
        text += [f"{since}, on node {SERVER},", f"{wait.thread} {wait.tid}: {wait.detail}"]
    return text
