"""``sysctl``: parameters of the kernel as they are in force.

    vm.dirty_background_ratio = 10
    net.ipv4.tcp_rmem = 4096	131072	6291456
    kern.maxfiles: 12328                                                                      BSD

Yields ``Setting`` for each parameter of memory (``vm.``) and for those of the network and of limits by which nodes of a
cluster are tuned, by its name; all others are everyday. A file that sets them at the next start is a source of its own.
Yields ``Room`` of ``fs.file-nr``: how many files the kernel has open.
No times. Source: sysctl(8) of procps and of BSD.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.filling import room_standing
from parsers.ledger import Fate
from parsers.output import Output
from parsers.records import Setting
from parsers.records.states import Room
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.rows import Row, Rows
from parsers.text import Line

_KEY: Final = r"[a-zA-Z0-9_][\w./:@%*-]{0,160}"
_NO_LOG: Final = r"(?!\w{4,8}\.(?:emerg|panic|alert|crit|err(?:or)?|warn(?:ing)?|notice|info|debug): )"
"""Who wrote a message and its level, which a relay of system logs puts in front, are no parameter."""
_FILES: Final = re.compile(r"(?:^|/)sysctl(?:\.d/|\.conf\b)")


def _parameter(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    where = section.command.text if section.command is not None else section.path
    source = "sysctl" if _FILES.search(where) is None else "sysctl.conf"
    section.add(Setting, line.number, source=source, name=match["name"], value=" ".join(match["value"].split()))


def _handles(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """How many files the kernel has open, of how many it may."""
    most = float(match["most"])
    if 0 < most < _NO_LIMIT:
        taken = float(match["open"]) - float(match["free"])
        share = 100 * taken / most
        section.add(
            Room,
            line.number,
            source="sysctl",
            sort="file handles",
            share=share,
            state=f"{taken:.0f} of {most:.0f} in use",
            standing=room_standing(share),
        )


_NO_LIMIT: Final = 1e15
_ROWS: Final = Rows(
    Row(
        "open files",
        r"fs\.file-nr {0,4}= {0,4}(?P<open>\d{1,18})\s{1,8}(?P<free>\d{1,18})\s{1,8}(?P<most>\d{1,20})$",
        _handles,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "open files alone",
        r"(?P<open>\d{1,18})\s{1,8}(?P<free>\d{1,18})\s{1,8}(?P<most>\d{1,20})$",
        _handles,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("memory", r"(?P<name>vm\.[a-z]\w{1,60}) {0,4}= {0,4}(?P<value>\S.{0,200})$", _parameter, fate=Fate.EVERYDAY),
    Row(
        "network and limits",
        r"(?P<name>net\.core\.(?:[rw]mem_(?:max|default)|netdev_\w{2,30}|somaxconn)|net\.ipv4\.tcp_\w{2,40}"
        r"|net\.ipv4\.conf\.(?:all|default)\.(?:rp_filter|arp_\w{2,20}|accept_\w{3,20})|net\.ipv4\.(?:ip_local_port_range"
        r"|ip_forward|ip_no_pmtu_disc|ipfrag_\w{3,20}|udp_\w{3,20}|neigh\.default\.gc_\w{3,12})"
        r"|net\.core\.(?:busy_\w{4}|default_qdisc|optmem_max|rps_sock_flow_entries)"
        r"|kernel\.(?:hung_task_\w{2,30}|panic\w{0,20}|sem|shm\w{2,8}|msgm\w{2,3}|numa_balancing|sched_\w{3,40}|sysrq"
        r"|(?:nmi_|soft_|hard)?watchdog\w{0,12}|softlockup_\w{5,20}|hardlockup_\w{5,20}|pid_max|threads-max|core_pattern"
        r"|timer_migration|unknown_nmi_panic)|sunrpc\.tcp_\w{5,40}|fs\.nfs\.\w{5,40}"
        r"|fs\.(?:aio-max-nr|file-max|nr_open|suid_dumpable|inotify\.max_\w{5,20})) {0,4}= {0,4}(?P<value>\S.{0,200})$",
        _parameter,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "parameter",
        rf"(?:abi|crypto|debug|dev|fs|fscache|kernel|lnet|net|sunrpc|user|vm|xen)\.{_KEY} {{0,4}}=(?: |$)",
        fate=Fate.EVERYDAY,
    ),
    Row(
        "parameter of BSD",
        rf"{_NO_LOG}(?:debug|dev|hw|kern|kstat|machdep|net|security|user|vfs|vm)\.{_KEY}(?:: |:$| {{0,4}}= )",
        fate=Fate.EVERYDAY,
    ),
)


@parser("sysctl", version=4, product="", rows=_ROWS, commands=("sysctl",), places=r"/?proc/sys/fs/file-nr\b")
def sysctl(section: OpenSection, out: Output) -> None:
    """``sysctl``: a parameter a line."""
    _ROWS.read(section, out, "no parameter of the kernel")
