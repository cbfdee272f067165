"""Every message of the catalogue that weighs trouble or disaster is found again in a healthy bundle, in two layouts of
its tool; and healthy bundles alone raise no alarm. The like for every standing of a kind of record.

Each run takes another part of the wordings, by the day; ``--matrix`` takes all of them.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pytest

from parsers.messages.catalogue import Row, catalogue, find
from tests.diagnosis import ordinary_logs as ordinary
from tests.diagnosis.wordings import texts_for
from tests.part import part
from tests.reports import bundle, text_on

HOST: Final = "moth3"
PEER: Final = "wasp8"
LEAST_NAMED: Final = 0.99
IN_ONE_BUNDLE: Final = 30
IN_ONE_CASE: Final = 90
TEXTS_A_ROW: Final = 40
PART_OF_ALL: Final = 20
"""An ordinary run takes one in so many of the texts."""
ALARMING: Final = ("critical", "high", "medium")


# --- healthy bundles --------------------------------------------------------------------------------------------------

HEALTHY: Final[dict[str, tuple[str, str]]] = {
    "a start and daily work": (
        ordinary.syslog(ordinary.BOOT, ordinary.DAEMONS, host=HOST, times=6),
        "var/log/messages",
    ),
    "a ring buffer": (ordinary.dmesg(ordinary.BOOT), "dmesg.txt"),
    "a journal": (ordinary.journal(ordinary.BOOT, ordinary.DAEMONS, host=HOST), "journal.txt"),
    "a cluster that starts, works and stops as planned": (
        ordinary.syslog(ordinary.CLUSTER, ordinary.DAEMONS, host=HOST, names=(HOST, PEER), times=4),
        "var/log/messages",
    ),
    "InfoScale in the system log": (ordinary.syslog(ordinary.VERITAS, ordinary.DAEMONS, host=HOST), "messages"),
    "an engine": (ordinary.engine_log((HOST, PEER), times=20), "engine_A.log"),
    "a daemon of Scale": (ordinary.mmfs_log(times=20), "mmfs.log.latest"),
}


def reported(*files: tuple[str, str]) -> dict[str, Any]:
    """The report on texts, each with its name."""
    found: dict[str, Any] = json.loads(text_on(*(bundle(text.encode(), name) for text, name in files)))
    return found


@pytest.mark.parametrize("name", HEALTHY)
def test_a_healthy_bundle_raises_no_alarm(name: str) -> None:
    report = reported(HEALTHY[name])
    assert [
        (finding["title"], finding["evidence"][:2]) for finding in report["findings"] if finding["severity"] in ALARMING
    ] == []
    assert report["verdict"]["severity"] in ("low", "info")


@pytest.mark.parametrize("seed", range(2, 6))
def test_other_figures_and_names_raise_none_either(seed: int) -> None:
    report = reported(
        (
            ordinary.syslog(ordinary.BOOT, ordinary.CLUSTER, host="linnet", names=("linnet", "wren"), seed=seed),
            "a/messages",
        ),
        (ordinary.engine_log(("linnet", "wren"), seed=seed), "b/engine_A.log"),
        (ordinary.mmfs_log(seed=seed), "c/mmfs.log.latest"),
    )
    assert [finding["title"] for finding in report["findings"] if finding["severity"] in ALARMING] == []


# --- messages ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Logged:
    """A message of the catalogue, written in a layout."""

    kind: str
    line: str
    layout: str


Layout = Callable[[str, str], str]


def _syslog(program: str, front: str = "") -> Layout:
    return lambda code, text: f"Mar  9 20:33:13 {HOST} {program}: {front.format(code=code)}{text}"


def _iso(program: str, front: str = "") -> Layout:
    return lambda code, text: f"2031-03-09T20:33:13+0100 {HOST} {program}: {front.format(code=code)}{text}"


def _front(before: str) -> Layout:
    return lambda code, text: before.format(code=code) + text


def _errpt(code: str, text: str) -> str:
    """A row of the short error log: ``DE3B8540   0412031527 P H hdisk8         PATH HAS FAILED``."""
    of, _, description = text.partition(": ")
    sort, area, resource = of.split(" ", 2)
    kind = sort[0] if sort[0] in "PTIU" else "P"  # a row may be of any kind
    return f"DE3B8540   0412031527 {kind} {area} {resource:<14} {description}"


def _bonded(part: str) -> Layout:
    """A file of /proc/net/bonding that says so of a part, or of the bond itself."""
    title = "Ethernet Channel Bonding Driver: v5.15.0"

    def layout(_: str, text: str) -> str:
        of, _, state = text.partition(": ")
        sort, name = of.split(" ", 1)
        state = state if ": " in state else f"{state}down" if state.endswith(": ") else f"{state}: down"
        return f"{title}\n{part} Interface: {name}\n{state}" if sort == "part" else f"{title}\n{state}"

    return layout


def _event(text: str) -> tuple[str, str]:
    """The reason and the message; words alone are a message."""
    reason, _, message = text.partition(": ")
    return ("ProvisioningFailed", text) if " " in reason else (reason, message)


def _described(code: str, text: str) -> str:
    """An event of Kubernetes below the thing that it is of; the next one as a list of all."""
    reason, message = _event(text)
    return f"  Warning  {reason}  27s (x8 over 1m)  kubelet, {HOST}  {message or WORDS}"


def _shown(code: str, text: str) -> str:
    reason, message = _event(text)
    return f"3m11s       Warning   {reason}         node/{HOST}      {message or WORDS}"


WORDS: Final = "what was said here stands in no row"
_COROSYNC_FILE: Final = f"Mar 09 20:33:13 [2188] {HOST} corosync notice  [TOTEM ] "


def _of_agent(stamp: str) -> Layout:
    """The resource stands in front of the level."""

    def written(_code: str, text: str) -> str:
        resource, _, message = text.partition(": ")
        return f"{stamp} {HOST} Filesystem({resource})[311]: {message}it can not be mounted"

    return written


def _switch(before: str) -> Layout:
    """A switch of a network in front of its facility, one of a fabric by its code, one of a campus by its uptime."""

    def written(_code: str, text: str) -> str:
        head, _, message = text.partition(": ")
        if re.fullmatch(r"[A-Z][A-Z0-9]{1,9}-\d{4}", head):
            return f"2031/03/09-20:33:13, [{head}], 71, SLOT 4 | FID 128, ERROR, {HOST}, {message}"
        facility, _, name = head.rpartition("-")
        return f"{before}%{facility.upper()}-3-{name}: {message or WORDS}" if facility else f"0d00h02m10s:I:{text}"

    return written


def _fencing(log: Callable[[str, str], Layout], program: str) -> Layout:
    """Daemons of Pacemaker write a level and the function in front; what has a function as its beginning is of
    another one.
    """
    of_pacemaker, of_others = log(f"{program}[1736]", " notice: "), log("gfs_controld[1204]", "")

    def written(code: str, text: str) -> str:
        return (of_others if re.match(r"\w+: ", text) else of_pacemaker)(code, text)

    return written


LAYOUTS: Final[dict[str, tuple[Layout, ...]]] = {
    "any": (
        _syslog("potsd[811]"),
        _front("2031-03-09 20:33:13,207 ERROR [worker-3] potsd - "),
    ),
    "kernel": (_syslog("kernel", "[ 8124.120034] "), _iso("kernel"), _front("[ 8124.120034] ")),
    "esx": (
        _front("2031-03-09T20:33:13.104Z cpu14:2097822)"),
        _front("2031-03-09T20:33:13.104Z Wa(180) vmkwarning: cpu14:2097822)WARNING: "),
        _front(f"2031-03-09T20:33:13.104Z {HOST} vobd: "),
    ),
    "totem": (_syslog("corosync[900]", "  [TOTEM ] "), _front(_COROSYNC_FILE)),
    "pacemaker": (
        _syslog("pacemaker-controld[1820]", " notice: "),
        _front(f"Mar 09 20:33:13 {HOST} pacemaker-controld  [1820] (settle) \tnotice: "),
    ),
    "fencing": (_fencing(_syslog, "pacemaker-fenced"), _fencing(_iso, "stonith-ng")),
    "fenceagent": (_syslog("fence_ipmilan[311]"), _iso("fence_apc[311]")),
    "multipath": (_syslog("multipathd[811]"), _iso("multipathd[811]")),
    "iscsi": (_syslog("iscsid[1201]"), _iso("iscsid[1201]")),
    "ocf-agent": (_of_agent("Mar  9 20:33:13"), _of_agent("2031-03-09T20:33:13+01:00")),
    "rgmanager": (_syslog("clurgmgrd[3012]"), _iso("rgmanager[3012]")),
    "pve": (_syslog("pve-ha-lrm[1755]"), _iso("watchdog-mux[1092]")),
    "smart": (_syslog("smartd[1202]"), _iso("smartd[1202]")),
    "hardware": (_syslog("MR_MONITOR[2204]"), _iso("hpasmlited[2204]")),
    "md": (_syslog("mdadm[1203]"), _iso("mdadm[1203]")),
    "systemd": (_syslog("systemd[1]"), _iso("systemd[1]")),
    "cnfs": (_syslog("mmnfsmonitor[88]"), _iso("mmnfsmonitor[88]")),
    "vom": (_syslog("xprtld[88]"), _iso("xprtld[88]")),
    "mpathd": (_syslog("in.mpathd[88]"), _iso("in.mpathd[88]")),
    "memory-watch": (_syslog("systemd-oomd[701]"), _iso("earlyoom[702]")),
    "clock": (_syslog("chronyd[812]"), _iso("ntpd[811]")),
    "syslog": (_syslog("rsyslogd[8]"), _iso("rsyslogd[8]")),
    "team": (_syslog("teamd[81]"), _iso("teamd[81]")),
    "crashes": (_syslog("systemd-coredump[3312]"), _iso("abrt-hook-ccpp[3312]")),
    "etcd": (_syslog("etcd[1205]"), _iso("etcd2[1205]"), _front("2031-03-09 20:33:13.207123 E | etcdserver: ")),
    "volumes": (_syslog("lvm[1206]"), _iso("lvm[1206]"), _front("  ")),
    "kube": (_described, _shown),
    "tcmu": (_syslog("tcmu-runner[1204]"), _iso("tcmu-runner[1204]")),
    "kvm-heartbeat": (_syslog("heartbeat"), _iso("heartbeat")),
    "ctdb": (
        _front("2031/03/09 20:33:13.207123 ctdbd[25187]: "),
        _front("2031/03/09 20:33:13.207123 ctdb-recoverd[25190]: "),
    ),
    "leases": (
        _syslog("sanlock[1833]", "2031-03-09 20:33:13 8124 [1833]: "),
        _front("2031-03-09 20:33:13 8124 [1833]: "),
    ),
    "gulm": (_syslog("lock_gulmd_core[1204]"), _iso("lock_gulmd_core[1204]")),
    "smb": (
        _front("[2031/03/09 20:33:13.120034,  0] ../../source3/smbd/open.c:12(open_file)\n  "),
        _front(
            "[2031/03/09 20:33:13.120034,  1, pid=7312, effective(0, 0), real(0, 0)] ../source3/lib/util.c:81(f)\n  "
        ),
    ),
    "ceph": (
        _front("2031-03-09T20:33:13.207123+0000 mon.carp1 (mon.0) 976 : cluster [WRN] "),
        _front("2031-03-09 20:33:13.207123 osd.3 [ERR] "),
    ),
    "switch": (_switch(f"2031 Mar  9 20:33:13 {HOST} "), _switch("Mar  9 20:33:13.123: ")),
    "zed": (_syslog("zed[30211]"), _iso("zed[30211]")),
    "spdk": (
        _front("[2031-03-09 20:33:13.207123] ctrlr.c: 181:keep_alive_poll: *ERROR*: "),
        _front("[2031-03-09 20:33:13.207123] nvme_ctrlr.c:4193:nvme_ctrlr_process_init: *NOTICE*: "),
    ),
    "gluster": (
        _front("[2031-03-09 20:33:13.207123 +0000] E [rpc-clnt.c:333:saved_frames] "),
        _front("[2031-03-09 20:33:13.207123] C [MSGID: 114058] [client-handshake.c:66:cbk] "),
    ),
    "ganesha": (
        _front(f"09/03/2031 20:33:13 : epoch 0004000c : {HOST} : ganesha.nfsd-407[svc_2] nfs_health :DBUS :WARN :"),
        _front(f"2031-03-09 20:33:13 : epoch 4c : {HOST} : gpfs.ganesha.nfsd-40[main] open_func :FSAL :CRIT :"),
    ),
    "nfs-daemons": (_syslog("rpc.mountd[812]"), _iso("exportfs")),
    "cloudstack": (
        _front("2031-03-09 20:33:13,152 WARN  [kvm.resource.KVMHAMonitor] (Thread-24:null) "),
        _front("2031-03-09 20:33:13,152 WARN  [kvm.resource.KVMHAMonitor] (Thread-24:) (logid:) "),
    ),
    "rpc": (_front("clnt_create: RPC: "), _front("rpcinfo: RPC: ")),
    "backup": (_front("03/09/2031 20:33:13 {code}E "), _front("{code}E ")),
    "oracle": (_front(""), _front("Tue Mar  9 20:33:13 2031\n")),
    "perfmon": (
        _front("2031-03-09 20:33:13,152 - bridgeLogger - MainThread                    - ERROR    - "),
        _front("2031-03-09 20:33:13,152 - bridgeLogger - ERROR    -  "),
    ),
    "mmfs": (_front("2031-03-09_20:33:13.207+0100: [N] {code}"), _syslog("mmfs[2041]", "[N] {code}")),
    "mmhealth": (
        _front("2031-03-09 20:33:13.002771 CET    {code}    ERROR      The node owl4 reports it."),
        lambda code, text: f"{code:<40} GPFS       ERROR       1 hour ago           The part reports it.",
        lambda code, text: f"GPFS           FAILED        3 min. ago        {code}",
    ),
    "vcs": (
        _front("2031/03/09 20:33:13 VCS ERROR {code} "),
        _syslog("Had[2211]", "VCS ERROR {code} "),
    ),
    "vxvm": (_syslog("kernel", "VxVM vxio WARNING {code} "), _syslog("vxvm:vxconfigd", "ERROR {code} ")),
    "installer": (_front("CPI ERROR {code} "), _front("    CPI WARNING {code} ")),
    "vxfen": (_syslog("kernel", "VXFEN vxfen WARNING {code} "), _iso("kernel", "VXFEN vxfen NOTICE {code} ")),
    "infoscale": (_syslog("kernel", "VCS RAC LMX ERROR {code} "), _iso("kernel", "VCS RAC LMX ERROR {code} ")),
    "llt": (_syslog("kernel", "LLT INFO {code} "), _iso("kernel", "LLT INFO {code} ")),
    "gab": (_syslog("kernel", "GAB INFO {code} "), _iso("kernel", "GAB INFO {code} ")),
    "vxfs": (
        _syslog("kernel", "vxfs: msgcnt 3 mesg 099: {code}: vx_settle"),
        _syslog("vxfs", "[ID 702911 kern.warning] WARNING: msgcnt 3 mesg 099: {code}: vx_settle"),
        _front("[ 8124.120034] vxfs: msgcnt 3 mesg 099: {code}: vx_settle"),
    ),
    "errpt": (_errpt,),
    "ems": (_syslog("EMS [6259]", "------ "), _syslog("EMS[6259]", "------ ")),
    "fmd": (_syslog("fmd", "[ID 377184 daemon.error] "), _iso("fmd", "[ID 377184 daemon.error] ")),
    "serviceguard": (_syslog("cmcld[2211]", ""), _iso("cmcld", "")),
    "powerha": (_front("Mar  9 20:33:13 owl4 user:notice PowerHA SystemMirror for AIX: "),),
    "gfs2fsck": (_front(""), _front("")),
    "fsck": (_front("UX:vxfs fsck: ERROR: {code}"), _front("UX:vxfs mount: ERROR: {code}")),
    "old": (
        lambda code, text: (
            f"Mar  9 20:33:13 {HOST} {code[:3].lower()}: [ID 525299 kern.notice] {code}: {text or WORDS}"
        ),
        lambda code, text: f"Mar  9 20:33:13 {HOST} kernel: {code}: {text or WORDS}",
    ),
    "bonding": (_bonded("Slave"), _bonded("Port")),
    "drbdadm": (
        lambda _code, text: f"[root@{HOST} ~]# drbdadm up all\n{text} bad disk",
        lambda _code, text: f"{text} bad disk\nCommand 'drbdsetup-84 primary 1' terminated with exit code 17",
    ),
    "vxnotify": (
        _front("Mon Mar  9 20:33:13 2026: "),
        _front("Tue Mar 10 01:02:03 CET 2026: "),
    ),
    "dmpevents": (
        _front("Mon Mar 09 20:33:13.000: "),
        _front("Tue Mar 10 01:02:03.512: "),
    ),
}
_UNKNOWN_CODES: Final = {
    "backup": "ANS7777",
    "vcs": "V-16-1-99999",
    "vxvm": "V-5-1-99999",
    "vxfen": "V-11-1-99999",
    "llt": "V-14-1-99999",
    "gab": "V-15-1-99999",
    "installer": "V-9-40-99999",
    "infoscale": "V-288-99999",
}
_GROUPS: Final = {
    "V-2": "vxfs", "V-3": "fsck", "V-5": "vxvm", "V-11": "vxfen", "V-14": "llt", "V-15": "gab", "V-16": "vcs",
    "V-35": "vcs", "V-41": "vxvm", "V-97": "vxfen",
}  # fmt: skip
HEADINGS: Final = {
    "errpt/0": "IDENTIFIER TIMESTAMP  T C RESOURCE_NAME  DESCRIPTION",
    "mmhealth/0": "Timestamp                         Event Name         Severity   Details",
    "gfs2fsck/0": "Initializing fsck",
    "gfs2fsck/1": f"[root@{HOST} ~]# fsck.gfs2 -n /dev/nest/roost",
    "mmhealth/1": f"{'Event':<40} Parameter  Severity    Active Since         Event Message",
    "mmhealth/2": f"Node name:      owl4\n\n{'Component':<14} Status        Status Change     Reasons & Notices",
}
"""Lines that a layout begins with."""


WRITTEN: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    kind: (
        ("mmfs/0", f"2031-03-09_20:33:13.207+0100: [{letter}] Volume roost is in a state that nobody listed"),
        ("mmfs/1", f"Mar  9 20:33:13 {HOST} mmfs[2041]: [{letter}] Volume roost is in a state that nobody listed"),
    )
    for kind, letter in (("log-alert", "A"), ("log-error", "E"))
} | {
    kind: (
        ("errors/0", f"Mar  9 20:33:13 {HOST} mmfs: Error=MMFS_{entry}, ID=0x9C6C05FA, Tag=8715361: {text}"),
        ("errors/1", f"2031-03-09T20:33:13.2+01:00 {HOST} mmfs[41]: Error=MMFS_{entry}, ID=0x9C6C05FA: {text}"),
    )
    for kind, entry, text in (
        ("long-disk-io", "LONGDISKIO", "Disk I/O took 61 seconds on volume roost"),
        ("fs-damaged", "FSSTRUCT", "Invalid disk data structure. Error code 1124. Volume roost."),
        ("environment-missing", "ENVIRON", "A part of the environment is missing"),
        ("generic-entry", "GENERIC", "Something general happened"),
    )
} | {
    f"{of}-error": (
        (f"{of}-unlisted/0", f"Mar  9 20:33:13 {HOST} {program} ERROR {code} Nobody has listed what was said here"),
        (f"{of}-unlisted/1", f"{program.rpartition(': ')[2]} ERROR {code} Nobody has listed what was said here"),
    )
    for of, program, code in (
        ("llt", "kernel: LLT", "V-14-1-99999"),
        ("gab", "kernel: GAB", "V-15-1-99999"),
        ("vxfen", "kernel: VXFEN", "V-11-1-99999"),
        ("vxvm", "kernel: VxVM vxio", "V-5-0-99999"),
        ("vcs", "Had[2211]: VCS", "V-16-1-99999"),
        ("installer", "installer: CPI", "V-9-40-99999"),
        ("infoscale", "access: SFS fs", "V-288-99999"),
    )
} | {
    "vcs-links-down": tuple(
        (layout, f"{front} V-16-1-11141 LLT heartbeat link status changed. Current status = eth1 DOWN eth2 DOWN.")
        for layout, front in (
            ("vcs/0", "2031/03/09 20:33:13 VCS ERROR"),
            ("vcs/1", f"Mar  9 20:33:13 {HOST} Had[2211]: VCS ERROR"),
        )
    )
}  # fmt: skip
"""Kinds that a reader gives without a row of the catalogue, as lines of a layout."""


def _group_of(code: str) -> str | None:
    if code.startswith("6027-"):
        return "mmfs"
    if code.startswith("ANS"):
        return "backup"
    if code.startswith("V-"):
        return _GROUPS["-".join(code.split("-")[:2])]
    if ":" in code:
        return "old" if code[:3] in ("LLT", "GAB") else None
    return "mmhealth"


def _coded(code: str, row: Row) -> Iterator[Logged]:
    group = _group_of(code)
    if group is None:
        return
    words = texts_for(row.pattern)[:2] if row.pattern else [""]
    of = "gab" if code.startswith("GAB") else "llt" if group == "old" else group
    if not any(_is_shown(of, text, row.kind, code) for text in words or [""]):
        return  # another row of the code speaks of it
    for text in words or [""]:
        spoken = _fitting_code(group, code)
        for number, layout in enumerate(LAYOUTS[group]):
            message = f" {text}" if group == "fsck" else text or (WORDS if group == "backup" else "")
            yield Logged(row.kind, layout(spoken, message), f"{group}/{number}")


def _fitting_code(group: str, code: str) -> str:
    return {"mmfs": f"{code} ", "fsck": f"{code}:"}.get(group, code)


def _is_shown(group: str, text: str, kind: str, code: str = "") -> bool:
    meant = find(group, text, code=code, level="E" if group == "mmfs" else "")
    return meant is not None and meant.kind == kind


def _worded(group: str, row: Row) -> Iterator[Logged]:
    if not row.pattern:
        return
    for text in texts_for(row.pattern)[:TEXTS_A_ROW]:
        if not _is_shown(group, text, row.kind):
            continue  # another row takes it first
        for number, layout in enumerate(LAYOUTS[group]):
            code = "" if group in ("mmfs", "fsck") else _UNKNOWN_CODES.get(group, "")
            if row.letters and group == "mmfs":
                yield Logged(row.kind, layout(code, text).replace("[N]", "[E]"), f"{group}/{number}")
                continue
            yield Logged(row.kind, layout(code, text), f"{group}/{number}")


def _all() -> Iterator[Logged]:
    book = catalogue()
    grave = {kind for kind, meaning in book.meanings.items() if meaning.weight in ("trouble", "disaster")}
    for code, rows in book.codes.items():
        for row in rows:
            if row.kind in grave:
                yield from _coded(code, row)
    for group, rows in book.groups.items():
        for row in rows:
            if row.kind in grave:
                yield from _worded(group, row)
    for kind, lines in WRITTEN.items():
        yield from (Logged(kind, line, layout) for layout, line in lines)


def _part(logged: Sequence[Logged]) -> Iterator[Logged]:
    """One of each kind, and of the others so many as a run looks at."""
    first = {one.kind: one for one in reversed(logged)}
    kept = {id(one) for one in first.values()}
    others = [one for one in logged if id(one) not in kept]
    yield from first.values()
    yield from part(others, len(others) // PART_OF_ALL, "messages")


def _bundles(logged: Iterable[Logged]) -> Iterator[list[Logged]]:
    """Some messages of different kinds and one layout each."""
    by_layout: dict[str, dict[str, list[Logged]]] = {}
    for one in logged:
        by_layout.setdefault(one.layout, {}).setdefault(one.kind, []).append(one)
    for kinds in by_layout.values():
        while kinds:
            turn = [kinds[kind].pop() for kind in list(kinds)]
            kinds = {kind: rest for kind, rest in kinds.items() if rest}
            yield from (turn[at : at + IN_ONE_BUNDLE] for at in range(0, len(turn), IN_ONE_BUNDLE))


_QUIET: Final = ordinary.syslog(ordinary.DAEMONS, host=HOST)


def unnamed(*files: Sequence[Logged]) -> list[Logged]:
    """Messages that no finding of weight cites, each layout in a file of its own, with ordinary lines around them."""
    paths = [f"{number}/{_name_of(logged[0].layout)}" for number, logged in enumerate(files)]
    report = reported((_QUIET, "var/log/messages"), *zip(map(_text_of, files), paths, strict=True))
    cited = {
        (line["path"], line["line"])
        for finding in report["findings"]
        if finding["severity"] in (*ALARMING, "low")
        for line in finding["evidence"]
    }
    return [
        one
        for path, logged in zip(paths, files, strict=True)
        for one, lines in _places(logged)
        if not any((path, line) in cited for line in lines)
    ]


def _places(logged: Sequence[Logged]) -> Iterator[tuple[Logged, range]]:
    """Where each message stands: some take several lines."""
    begin = _text_of(logged[:0], logged[0].layout).count("\n") + 1
    for one in logged:
        end = begin + one.line.count("\n") + 1
        yield one, range(begin, end)
        begin = end


def _text_of(logged: Sequence[Logged], layout: str = "") -> str:
    head = HEADINGS.get(layout or logged[0].layout)
    return "".join(f"{line}\n" for line in ([head] if head else []) + [one.line for one in logged])


def _name_of(layout: str) -> str:
    return "mmfs.log.latest" if layout == "mmfs/0" else "engine_A.log" if layout == "vcs/0" else f"{layout}.log"


def _cases(logged: Sequence[Logged], most: int) -> Iterator[list[list[Logged]]]:
    """Bundles that are read together."""
    together: list[list[Logged]] = []
    for few in _bundles(logged):
        if together and sum(map(len, together)) + len(few) > most:
            yield together
            together = []
        together.append(few)
    if together:
        yield together


def _missed(logged: Sequence[Logged]) -> list[Logged]:
    """Those of no finding, neither in company, large or small, nor alone."""
    for most in (IN_ONE_CASE, IN_ONE_BUNDLE):
        logged = [one for bundles in _cases(logged, most) for one in unnamed(*bundles)]
    return [one for one in logged if unnamed([one])]


def _check(logged: Sequence[Logged]) -> None:
    missed = _missed(logged)
    shown = "\n".join(f"{one.kind} ({one.layout}): {one.line}" for one in missed[:60])
    assert len(missed) <= (1 - LEAST_NAMED) * len(logged), f"{len(missed)} of {len(logged)} not named:\n{shown}"


def test_a_message_of_trouble_is_named_in_a_healthy_bundle() -> None:
    _check(list(_part(list(_all()))))


UNWRITTEN: Final = {
    "node-unreached": "outputs of commands: no log writes it",
    "fsck-damage": "the output of a check: no log writes it",
    "restripe-failed": "the output of a command: no log writes it",
    "restripe-no-room": "the output of a command: no log writes it",
    "restripe-io-error": "the output of a command: no log writes it",
    "portability-layer-failed": "the output of a command: no log writes it",
    "policy-many-skipped": "the output of a command: no log writes it",
    "restripe-stands": "the output of a command: no log writes it",
    "vxfs-error": "messages of VxFS without a row have no level of their own",
}
"""Grave kinds of Scale and Veritas that no layout of a log holds, with the reason."""


@pytest.mark.parametrize("product", ["spectrum-scale", "veritas"])
def test_each_grave_kind_is_written_in_two_layouts(product: str) -> None:
    layouts: dict[str, set[str]] = {}
    for one in _all():
        layouts.setdefault(one.kind, set()).add(one.layout)
    grave = {
        kind
        for kind, meaning in catalogue().meanings.items()
        if meaning.product == product and meaning.weight in ("trouble", "disaster")
    }
    assert {kind for kind in grave - set(UNWRITTEN) if len(layouts.get(kind, ())) < 2} == set()


@pytest.mark.matrix
def test_all_messages_of_trouble_are_named_in_a_healthy_bundle() -> None:
    _check(list(_all()))
