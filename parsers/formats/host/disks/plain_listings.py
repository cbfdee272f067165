"""Outputs that list what is there and say nothing of how it stands: devices, mounts, sessions, open files.

    NAME          MAJ:MIN RM  SIZE RO TYPE MOUNTPOINT        Attached devices:
    sda             8:0    0  500G  0 disk                   Host: scsi0 Channel: 00 Id: 01 Lun: 00
    └─sda1          8:1    0  500G  0 part /data               Vendor: CELLAR   Model: SHELF-9   Rev: 8888

    39 0 253:0 / / rw,relatime shared:1 - xfs /dev/sda1 rw     12668  ann  staff  10.9.0.8 (ipv4:10.9.0.8:4437)  SMB3_11

``lsblk`` without a column of states, also as pairs (``-P``), ``blkid``, ``findmnt``, ``/proc/self/mountinfo``,
``/proc/scsi/scsi``, ``smbstatus``, ``lsof``, ``fuser -v``, ``numastat``, ``lsmod``, routes (``route``, ``netstat -r``,
``ip route``), ``showmount``, ``rpcinfo -p``, ``nfsstat -m``, ``ss -s``. Yields ``StorageState`` for a pair STATE of
``lsblk -P``, as its column does, a ``Setting`` for each whole disk, and ``ServiceState`` for a mount whose options say
that the kernel shut it; all else is everyday: whoever sends such a list shows what there is. Source: lsblk(8),
blkid(8), findmnt(8), proc(5), smbstatus(1), lsof(8), fuser(1), numastat(8).
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.formats.host.disks.block_devices import STATES
from parsers.formats.host.kernel.mount_options import tell_failed, tell_shared
from parsers.ledger import Fate
from parsers.records import Setting
from parsers.records.states import StorageState
from parsers.registry import parser
from parsers.tables.rows import Row, Rows

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_TREE: Final = r"[│├└─|`\s-]{0,80}"
_DEVICE: Final = (
    r"(?:(?:sd|hd|vd|xvd)[a-z]{1,3}\d{0,3}|nvme\d\S{0,12}|mmcblk\d\S{0,8}|(?:sr|loop|md|ram|zram|nbd|fd|rbd|drbd|zd)\d"
    r"\S{0,8}|md_d\d{1,4}|dm-\d{1,5}|dasd[a-z]{1,4}\d{0,2}|mpath\w{1,20}|cciss\S{1,20})"
)
_HEADING: Final = (
    r"(?:NAME|KNAME|DEVICE)(?=\s)(?![^\n]{0,300}\s(?:STATE|REFER)\b)"
    r"(?=[^\n]{0,300}\s(?:MAJ:MIN|FSTYPE|ROTA|LABEL|MOUNTPOINTS?|PKNAME|PHY-SEC|DISC-GRAN|ALIGNMENT)\b)"
    r"[A-Z%:\s-]{6,400}$"
)
_PAIRS: Final = r'[A-Z][A-Z0-9:_%-]{1,24}="[^"\n]{0,400}"'
_NO_OTHER_STATE: Final = rf'(?![^\n]{{0,4000}}\bSTATE="(?!(?:{"|".join(STATES)})?"))'
"""A state that nobody knows is unread."""
_NUMBERS: Final = r"\d{1,7} \d{1,7} \d{1,7}:\d{1,7} \S{1,1024} (?P<where>/\S{0,1023}) (?P<options>\S{1,1000})"
_SMB_NAMES: Final = (
    r"PID\s{1,12}Username\s|Service\s{1,40}pid\s{1,20}[Mm]achine\s|Pid\s{1,12}(?:Uid|User\(ID\))\s{1,12}DenyMode\s"
)


def _pairs(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    values = dict(re.findall(r'([A-Z][A-Z0-9:_%-]{1,24})="([^"\n]{0,400})"', match[0]))
    state = values.get("STATE", "")
    if state in STATES:
        section.add(
            StorageState,
            line.number,
            source="lsblk",
            sort="map" if values.get("TYPE") == "mpath" else "disk",
            name=values.get("NAME") or values.get("KNAME"),
            state=state,
            standing=STATES[state],
        )


def _map(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, scope=match["map"], source="lsblk", name="size", value=match["size"])


def _whole(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, scope=match["disk"], source="lsblk", name="device", value="disk")


def _queue(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Under the names that the files of the kernel and ``blockdev`` have."""
    for name, key in (("scheduler", "scheduler"), ("queue depth", "requests"), ("read-ahead", "ahead")):
        section.add(Setting, line.number, scope=match["of"], source="node answer", name=name, value=match[key])


_BLOCKS: Final = (
    Row("heading", _HEADING, fate=Fate.FRAME),
    Row("pairs", rf"{_NO_OTHER_STATE}{_PAIRS}(?: {_PAIRS}){{1,60}}\s{{0,4}}$", _pairs, fate=Fate.EVERYDAY),
    Row("tags of a device", rf"/dev/\S{{1,200}}: {_PAIRS}(?: {_PAIRS}){{0,20}}\s{{0,4}}$", fate=Fate.EVERYDAY),
    Row(
        "map",
        rf"{_TREE}(?P<map>[\w.+-]{{1,120}})(?: \(dm-\d{{1,5}}\))?\s{{1,80}}\d{{1,5}}:\d{{1,8}}\s{{1,20}}\d\s{{1,20}}"
        r"(?P<size>\d[\d.,]{0,12}[KMGTPE])\s{1,20}\d\s{1,20}mpath\b.{0,200}$",
        _map,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "queue of a disk",
        rf"{_TREE}(?P<of>[\w.+-]{{1,80}})(?:\s{{1,40}}\d{{1,12}}){{5}}\s{{1,20}}[01]\s{{1,20}}"
        r"(?P<scheduler>none|noop|mq-deadline|deadline|kyber|bfq|cfq)\s{1,20}(?P<requests>\d{1,9})"
        r"\s{1,20}(?P<ahead>\d{1,12})\s{1,20}\S{1,12}$",
        _queue,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "whole disk",
        r"(?P<disk>sd[a-z]{1,3}|vd[a-z]{1,2}|nvme\d{1,3}n\d{1,3}|dasd[a-z]{1,3})\s{1,40}(?=[^\n]{0,200}\sdisk\b)"
        r"(?!loop)\S.{0,400}$",
        _whole,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "device",
        rf"{_TREE}(?:{_DEVICE}|(?<=[─`|-])[\w.!:+-]{{1,128}})(?: \(dm-\d{{1,5}}\))?(?:\s{{1,80}}\S.{{0,400}})?$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("device that is gone", r"lsblk: [\w.-]{1,80}: failed to get device path", fate=Fate.EVERYDAY, opens=False),
)


def _mounted(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    options = ",".join(filter(None, (match["options"], match["super"])))
    tell_failed(section, line.number, match["where"], options, "mountinfo")


def _found_mount(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    tell_failed(section, line.number, match["found"], match["set"], "findmnt")
    tell_shared(section, line.number, match["found"], match["type"], match["set"], "findmnt")


_MOUNTS: Final = (
    Row(
        "mount",
        rf"{_NUMBERS} (?:[a-z_]{{4,20}}(?::\d{{1,7}})? ){{0,3}}- [\w.]{{1,40}} \S{{1,400}}"
        r"(?: (?P<super>\S{1,1000}))?",
        _mounted,
        fate=Fate.EVERYDAY,
    ),
    Row("heading of findmnt", r"TARGET\s{1,400}SOURCE\s{1,400}FSTYPE\s{1,80}OPTIONS\b", fate=Fate.FRAME),
    Row(
        "mount of findmnt",
        rf"{_TREE}(?P<found>/\S{{0,400}})\s{{1,400}}\S{{1,400}}\s{{1,400}}(?P<type>[\w.]{{2,40}})\s{{1,80}}(?P<set>r[ow](?:,\S{{1,1000}})?)(?:\s|$)",
        _found_mount,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


_SCSI: Final = (
    Row("heading", r"Attached devices:\s{0,8}(?:none)?$", fate=Fate.FRAME),
    Row(
        "address",
        r"Host: scsi\d{1,5} Channel: \d{1,4} Id: \d{1,5} Lun: \d{1,20}$",
        fate=Fate.EVERYDAY,
    ),
    Row("model", r"Vendor: .{1,10} Model: .{1,20} Rev: .{0,8}$", fate=Fate.EVERYDAY, opens=False),
    Row("type", r"Type: {1,8}\S.{1,40} ANSI {1,4}SCSI revision: \S{1,4}", fate=Fate.EVERYDAY, opens=False),
)


_SESSIONS: Final = (
    Row("release", r"Samba version \d\S{1,40}$", fate=Fate.FRAME),
    Row("headings", rf"{_SMB_NAMES}|Locked files:$|No locked files$", fate=Fate.FRAME),
    Row("ruler", r"-{20,400}$", fate=Fate.FRAME, opens=False),
    Row(
        "session",
        r"(?:\d{1,4}:)?\d{1,10}\s{1,20}\S{1,80}\s{1,40}.{1,80}?\s{1,40}\S{1,200} \(\S{1,200}\)",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "share in use",
        r"\S.{0,80}?\s{1,40}(?:\d{1,4}:)?\d{1,10}\s{1,20}\S{1,200}\s{1,20}[A-Z][a-z]{2} {1,2}[A-Z]?[a-z\d]{1,3} ",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "open file",
        r"(?:\d{1,4}:)?\d{1,10}\s{1,20}\S{1,80}\s{1,20}(?:DENY_\w{1,12}|NONE)\s{1,20}0x[0-9a-f]{1,8}\s",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)
_KIND_OF_FILE: Final = r"(?:REG|DIR|CHR|BLK|FIFO|LINK|unknown|unix|IPv[46]|sock|a_inode|VREG|VDIR|VCHR|VBLK|VFIFO|VLNK)"
_OPEN_FILES: Final = (
    Row(
        "heading of lsof", r"COMMAND\s{1,20}PID\s(?=.{0,80}\bUSER\s)(?=.{0,120}\bFD\s).{10,200}\bNAME$", fate=Fate.FRAME
    ),
    Row("warning of lsof", r"lsof: WARNING: |Output information may be incomplete\.$", fate=Fate.EVERYDAY),
    Row(
        "open file of a process",
        r"\S.{0,40}?\s{1,20}\d{1,9}(?:\s{1,12}\d{1,9}(?:\s{1,4}\S{1,40})?)?\s{1,20}\S{1,40}\s{1,20}"
        r"(?:cwd|rtd|txt|mem|err|DEL|NOFD|ltx|mmap|pd|v\d{1,3}|\d{1,7}[rwu -]?[rRwWuUNxX]?)"
        rf"\s{{1,20}}{_KIND_OF_FILE}\s",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("heading of fuser", r"USER\s{1,20}PID\s{1,20}ACCESS\s{1,4}COMMAND$", fate=Fate.FRAME),
    Row(
        "user of a file",
        r"(?:/\S{1,400}:\s{1,80})?[\w.@-]{1,40}\s{1,20}(?:\d{1,9}|kernel)\s{1,20}(?:[cefFrmw.]{4,7}|mount|swap|knfsd)"
        r"\s{1,4}\S",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)


_MEMORY_OF_NODES: Final = (
    Row(
        "heading of numastat",
        r"(?:node\d{1,4}(?:\s{2,20}node\d{1,4}){1,63}|Node \d{1,4}(?:\s{2,20}Node \d{1,4}){1,63}(?:\s{1,20}Total)?)$",
        fate=Fate.FRAME,
    ),
    Row("heading of one node", r"node0$", fate=Fate.FRAME, opens=False),
    Row(
        "figure of numastat",
        r"(?:numa_hit|numa_miss|numa_foreign|interleave_hit|local_node|other_node)(?:\s{1,20}\d{1,20}(?:\.\d{1,4})?){1,65}$",
        fate=Fate.EVERYDAY,
    ),
)


def _route(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Over which gateway a packet leaves, of the network in which that is: other networks have other ones."""
    to, via = match["to"], match["via"] or ""
    if _DEFAULT.match(to) and _GATEWAY.match(via):
        scope = f"{via.rpartition('.')[0]}.0"
        section.add(Setting, line.number, source="ip route", scope=scope, name="default gateway", value=via)


_DEFAULT: Final = re.compile(r"default$|0(?:\.0){3}(?:/0)?$")
_GATEWAY: Final = re.compile(r"(?!0\.)(?:\d{1,3}\.){3}\d{1,3}$")
_HOP: Final = r"(?:default|\*|[\d.]{3,15}|[\w.-]{1,60})"
_KERNEL: Final = (
    Row("heading of modules", r"Module\s{1,60}Size\s{1,8}Used by\b", fate=Fate.FRAME),
    Row(
        "module",
        r"[A-Za-z0-9_]{2,60}\s{1,60}\d{2,9}\s{1,8}-?\d{1,6}(?:\s{1,4}[\w,\[\]-]{1,1000})?$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("heading of routes", r"(?:Kernel IP routing table$|Destination\s{1,20}Gateway\s{1,20}\S)", fate=Fate.FRAME),
    Row(
        "route",
        rf"(?P<to>{_HOP})\s{{1,40}}(?P<via>{_HOP})\s{{1,40}}[\d.]{{7,15}}\s{{1,20}}[A-Z!]{{1,8}}(?:\s{{1,20}}\d{{1,9}}){{3}}"
        r"\s{1,20}[\w.:@-]{1,20}$",
        _route,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row(
        "route of ip",
        r"(?:(?:local|broadcast|unicast|anycast|multicast) )?(?P<to>default|[\d.]{7,15}(?:/\d{1,2})?"
        r"|[0-9a-f]{0,4}:[0-9a-f:]{1,40}(?:/\d{1,3})?) {1,2}(?:via (?P<via>[0-9a-f.:]{2,40}) {1,2})?dev [\w.:@-]{1,20}"
        r"(?: {1,2}(?:proto|scope|src|metric|table|mtu|advmss|hoplimit|pref|expires|initcwnd"
        r"|onlink)(?: \S{1,40})?){0,10}\s*$",
        _route,
        fate=Fate.EVERYDAY,
    ),
)
_EXPORTS: Final = (
    Row(
        "heading of exports",
        r"(?:Export list for [\w.:-]{1,200}:|All mount points on [\w.:-]{1,200}:)$",
        fate=Fate.FRAME,
    ),
    Row("export", r"/\S{0,400}\s{1,80}(?:\(everyone\)|\*|[\w.:/@*?,\[\]-]{1,2000})$", fate=Fate.EVERYDAY, opens=False),
    Row("heading of programs", r"program\s{1,12}vers(?:ion)?\s{1,12}(?:proto|netid)\s{1,20}\S", fate=Fate.FRAME),
    Row(
        "program of RPC",
        r"\d{5,10}\s{1,12}\d{1,4}\s{1,12}(?:tcp6?|udp6?|local|ticlts|ticots|ticotsord)\s{1,12}\S.{0,120}$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    Row("mount of NFS", r"/\S{0,400} from \S{1,400}:/\S{0,400}$", fate=Fate.EVERYDAY),
    Row("its options", r"Flags:\s{1,8}r[ow],\S{1,1000}$", fate=Fate.EVERYDAY, opens=False),
)
_SUM_OF_SOCKETS: Final = (
    Row("sum of sockets", r"Total: \d{1,9}(?: \(kernel \d{1,9}\))?$", fate=Fate.EVERYDAY, opens=False),
    Row(
        "sum of TCP",
        r"TCP:\s{1,8}\d{1,9} \(estab \d{1,9}, closed \d{1,9}, orphaned \d{1,9},(?: synrecv \d{1,9},)? timewait "
        r"\d{1,9}(?:/\d{1,9})?\)(?:, ports \d{1,9})?$",
        fate=Fate.EVERYDAY,
    ),
    Row("heading of transports", r"Transport\s{1,20}Total\s{1,20}IP\s{1,20}IPv6$", fate=Fate.FRAME),
    Row(
        "transport",
        r"(?:\*|RAW|UDP|TCP|INET|FRAG)\s{1,20}(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)\s{1,20}(?:\d{1,9}|-)$",
        fate=Fate.EVERYDAY,
        opens=False,
    ),
)
_ROWS: Final = Rows(
    *_BLOCKS,
    *_MOUNTS,
    *_SCSI,
    *_SESSIONS,
    *_OPEN_FILES,
    *_MEMORY_OF_NODES,
    *_KERNEL,
    *_EXPORTS,
    *_SUM_OF_SOCKETS,
    also=rf"{_PAIRS}(?: {_PAIRS}){{1,60}}",
)


@parser(
    "plain_listings",
    version=6,
    product="",
    rows=_ROWS,
    commands=("route", "smbstatus", "findmnt", "lsof", "fuser", "lsmod", "showmount", "rpcinfo"),
    places=r"(?:^|[\s/])ss[ _]-s\b",
)
def plain_listings(section: OpenSection, out: Output) -> None:
    """Lists of devices, mounts and sessions."""
    _ROWS.read(section, out, "no row of the list")
