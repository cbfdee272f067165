"""What a host is made of, as bundles list it: packages, accounts, releases, hardware, files. Nothing of it is judged.

    ii  adduser       3.134   all   add and remove users and groups        Architecture:        x86_64
    kernel-5.14.0-362.el9.x86_64     Tue 07 Oct 2031 10:12:44              CPU(s):              64
    drwxr-xr-x  2 root root 4096 Nov 28 01:19 selinux                      PRETTY_NAME="Example Linux 9"
    0x0052e2c1 163843   postgres   600   17                                driver: virtio_net

``dpkg -l`` and its log, ``rpm -qa``, ``apt list``, ``os-release``, ``passwd`` and ``group``, ``ls -l``, ``find -ls``,
``du``, ``lscpu``, ``lspci``, ``dmidecode``, ``ipcs``, ``locale``, ``ulimit -a``, ``xfs_info``, ``sestatus``, ``last``,
``w``, ``/etc/hosts``, ``ethtool`` with ``-i``, ``-T`` and ``-k``, ``ip neigh``, ``journalctl --header``, ``vxdctl
license``, ``nproc``. Yields ``Version`` for packages of a cluster, ``Setting`` for the name of a release, the number of
processors, the address of a host and what programs may take; every other row is everyday: whoever sends such a list
shows what there is. Source: the manual pages of these programs.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.ledger import Fate
from parsers.records import Setting, Version
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line


def _release(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="os-release", name="PRETTY_NAME", value=match["value"].strip())


def _limit(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """What programs of a user may take: ``ulimit -a``, or a row of ``limits.conf`` with its user or group."""
    of = match.groupdict().get("of")
    source = "node answer" if of is None else "limits.conf"
    section.add(
        Setting, line.number, scope=of, source=source, name=" ".join(match["name"].split()), value=match["value"]
    )


def _host(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A row of ``/etc/hosts``; what is on the host itself says nothing of others."""
    if not match["address"].startswith(("127.", "0.", "255.")):
        section.add(Setting, line.number, scope=match["host"], source="hosts", name="address", value=match["address"])


def _package(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Version, line.number, product=match["name"], version=match["version"])


_ARCH: Final = r"(?:x86_64|noarch|i[3-6]86|aarch64|ppc64(?:le)?|s390x?|amd64|arm64|all|src|ia64|\(none\))"
_VERSION: Final = r"[\w.+~^:]{1,60}"
_TOGETHER: Final = (
    r"corosync|pacemaker|dlm|gfs2-utils|lvm2(?:-lockd|-cluster)?|pcs|sbd|libqb|kronosnet|resource-agents(?:-\w{2,20})?"
    r"|fence-agents-\w{2,30}|device-mapper(?:-\w{2,20})?|multipath-tools|iscsi-initiator-utils|open-iscsi"
    r"|nfs-utils|nfs-ganesha(?:-\w{2,20})?|ctdb|samba|rdma-core|mlnx-ofa_kernel|mft|kmod-[\w-]{2,40}|drbd-utils|sanlock"
    r"|gpfs\.\w{2,30}|linux-firmware|chrony"
)
"""Packages that the nodes of a cluster run in one release."""
_PACKAGES: Final = (
    heading(
        "heading of packages",
        r"Desired=Unknown/Install",
        r"\| Status=Not/Inst/",
        r"\|/ Err\?=\(none\)",
        r"\|\|/ Name\s",
        r"\+{3}-=+-",
        r"Listing\.\.\.(?: Done)?$",
        r"Installed Packages$",
    ),
    everyday(
        "progress of packages",
        r"(?:Verifying|Preparing|Updating / installing|Cleaning up / removing)\.\.\."
        r"(?:\s{1,60}#{1,80} {1,8}\[\s?\d{1,3}%\])?$",
        r"\d{1,5}:[\w.+~-]{2,160}\s{1,60}#{1,80} {1,8}\[ {0,4}\d{1,3}%\]$",
    ),
    Row(
        "package of a cluster",
        rf"(?P<name>{_TOGETHER})-(?P<version>{_VERSION}-{_VERSION})\.{_ARCH}(?:\s.{{0,120}})?$",
        _package,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "package of a cluster as Debian lists it",
        rf"ii  (?P<name>{_TOGETHER})(?::[a-z\d]{{3,8}})? {{1,60}}(?P<version>\d[\w.+~^:-]{{1,60}}) {{1,60}}{_ARCH}"
        r"(?:\s.{0,200})?$",
        _package,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "package of a cluster as dnf lists it",
        rf"(?P<name>{_TOGETHER})\.{_ARCH} {{1,80}}(?P<version>{_VERSION}-{_VERSION}) {{1,60}}@?[\w./@-]{{2,60}}$",
        _package,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "package",
        rf"[uirph][ncHUFWti][ R]? {{1,3}}\S{{1,80}}\s{{1,80}}\S{{1,80}}\s{{1,80}}{_ARCH}\s",
        rf"[a-z\d][\w.+-]{{1,80}}/\S{{1,80}} \S{{1,80}} {_ARCH} \[",
        rf"[a-zA-Z\d][\w.+-]{{1,100}}-{_VERSION}-{_VERSION}\.{_ARCH}(?:\s|$)",
        rf"[\w.+-]{{2,80}}\.{_ARCH} {{1,80}}\S{{1,60}}-\S{{1,60}} {{1,60}}@?[\w./@-]{{2,60}}$",
        r"gpg-pubkey-[0-9a-f]{8}-[0-9a-f]{8}(?:\.\(none\))?(?:\s|$)",
    ),
    everyday(
        "change of a package",
        r"status (?:half-)?(?:installed|unpacked|configured|triggers-\w{5,9}|config-files|not-installed) \S+:\w+ ",
        r"(?:install|upgrade|remove|purge|configure|trigproc|disappear) [a-z\d][\w.+-]{0,80}:[a-z\d]{3,8} \S{1,80} \S",
        r"startup (?:archives|packages) (?:unpack|configure|remove|install|purge)$",
        r"(?:Setting up|Unpacking) \S{1,80} \(\S{1,80}\) (?:over \(\S{1,80}\) )?\.\.\.$",
        r"Selecting previously unselected package \S{1,200}$",
        r"(?:Preparing to unpack|Processing triggers for|Removing|Purging configuration files for) \S.{0,200} \.\.\.$",
        r"\(Reading database \.\.\. \d",
    ),
)


_MODE: Final = r"[-dlbcpsD](?:[-r][-w][-xsStT]){3}[.+@]?"
_FILES: Final = (
    everyday(
        "file",
        rf"{_MODE} {{1,8}}\d{{1,9}} {{1,4}}\S{{1,64}}(?: {{1,40}}\S{{1,64}})? {{1,40}}(?:\d{{1,5}}, {{0,6}})?"
        r"[\d.,]{1,20}[KMGTP]? \S",
        rf"\d{{1,20}} {{1,12}}\d{{1,14}} {_MODE} {{1,8}}\d{{1,9}} \S",
    ),
    heading("sum of blocks", r"total \d[\d.,]{0,14}[KMGTP]?$"),
    everyday("size of a folder", r"\d[\d.]{0,14}[KMGTP]?\s{1,8}/[a-z]\S{0,400}$", opens=False),
)


def _account(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """The numbers of an account of people or programs; those of the system are given out by each host."""
    if _FIRST_OF_PEOPLE <= int(match["user"]) < _NOBODY:
        value = f"{match['user']}:{match['group']}"
        section.add(Setting, line.number, scope=match["of"], source="passwd", name="account", value=value)


_FIRST_OF_PEOPLE: Final = 1000
_NOBODY: Final = 65_534
_ACCOUNTS: Final = (
    Row(
        "account of people",
        r"(?P<of>[a-z_][\w.-]{0,40}\$?):[x*!]{0,2}:(?P<user>\d{4,10}):(?P<group>\d{1,10}):[^:]{0,200}:/[^:]{0,200}:(?:/\S{0,200})?$",
        _account,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "account",
        r"[a-z_][\w.-]{0,40}\$?:[x*!]{0,2}:\d{1,10}:\d{1,10}:[^:]{0,200}:/[^:]{0,200}:(?:/\S{0,200})?$",
        r"[a-z_][\w.-]{0,40}:[x*!]{0,2}:\d{1,10}:(?:[\w.,-]{0,2000})$",
        r"uid=\d{1,10}(?:\([\w.-]{1,64}\))? gid=\d{1,10}(?:\([\w.-]{1,64}\))?(?: groups=\d| context=|$)",
    ),
    heading("heading of sessions", r"USER\s{1,20}TTY\s{1,20}(?:FROM\s{1,20})?LOGIN@\s"),
    everyday("session", r"\S{1,32} {1,20}(?:pts/\d{1,5}|tty\w{1,4}|:\d{1,3}) {1,20}\S.{0,200}$", opens=False),
)


def _name_server(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """By its place: a host asks the first one before all others."""
    place = section.state["name servers"] = section.state.get("name servers", 0) + 1
    section.add(Setting, line.number, source="resolv.conf", name=f"name server {place}", value=match["value"])


_RESOLVER: Final = (
    Row(
        "name server",
        r"nameserver\s{1,20}(?P<value>[\da-fA-F.:]{3,45}(?:%\w{1,16})?)$",
        _name_server,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "setting of the resolver",
        r"(?:search|domain)\s{1,20}[\w.-]{1,200}(?:\s{1,8}[\w.-]{1,200}){0,8}$",
        r"options\s{1,20}(?:timeout|attempts|ndots|rotate|edns0|trust-ad|single-request|inet6|no-\w)\S{0,40}(?:\s{1,8}\S{1,40}){0,8}$",
        opens=False,
    ),
)


def _selinux(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Under the name that the short answer has, which begins with a capital letter."""
    section.add(Setting, line.number, source="node answer", name="SELinux", value=match["value"].capitalize())


_RELEASES: Final = (
    Row("name of the release", r'PRETTY_NAME="?(?P<value>[^"\n]{1,120})"?$', _release, fate=Fate.EVERYDAY),
    everyday(
        "release",
        r'NAME="?[A-Z][^"=\n]{2,80}"?$',
        r"(?:VERSION(?:_ID|_CODENAME)?|ID(?:_LIKE)?|ANSI_COLOR|LOGO|CPE_NAME|(?:HOME|BUG_REPORT|"
        r"SUPPORT|PRIVACY_POLICY|DOCUMENTATION|VENDOR)_URL|BUILD_ID|VARIANT(?:_ID)?|PLATFORM_ID|REDHAT_[A-Z_]+|"
        r'[A-Z]+_CODENAME|SUPPORT_END|DISTRIB_[A-Z]+)="?(?:[\w#:/.<]|$)',
        r"(?:LSB Version|Distributor ID|Codename):\s{1,8}\S",
        r"(?:Red Hat Enterprise|CentOS|Rocky|AlmaLinux|Oracle|Fedora|SUSE Linux)[ \w]{0,40} (?:release )?\d[\d.]{0,8}"
        r"[ \w()-]{0,40}$",
    ),
    everyday("language", r'(?:LANG(?:UAGE)?|LC_[A-Z]{3,14})=(?:"?[\w.@-]{0,40}"?)$'),
    Row(
        "limit of a shell",
        r"(?P<name>[a-z][a-z() -]{3,30}?) {1,24}\((?:[a-z]+, )?-[a-zA-Z]\) (?P<value>unlimited|\d{1,20})$",
        _limit,
        fate=Fate.EVERYDAY,
    ),
    Row(
        "limit of a file",
        r"(?P<of>[*@\w.-]{1,64})\s{1,40}(?P<name>(?:soft|hard|-)\s{1,40}(?:nofile|nproc|memlock|core|stack|data|as|rss|"
        r"fsize|cpu|locks|sigpending|msgqueue|nice|rtprio|priority|maxlogins))\s{1,40}(?P<value>unlimited|-?\d{1,20})$",
        _limit,
        fate=Fate.EVERYDAY,
    ),
    Row("mode of SELinux", r"Current mode: {1,30}(?P<value>enforcing|permissive)$", _selinux, fate=Fate.EVERYDAY),
    Row("SELinux off", r"SELinux status: {1,30}(?P<value>disabled)$", _selinux, fate=Fate.EVERYDAY),
    everyday(
        "state of SELinux",
        r"(?:SELinux (?:status|root directory)|SELinuxfs mount|Loaded policy name|Current mode|Mode from config file|"
        r"Policy (?:MLS status|deny_unknown status|version|from config file)|Memory protection checking|Max kernel "
        r"policy version): {1,20}\S",
    ),
    heading("heading of policies", r"Policy booleans:$"),
    everyday("policy", r"[a-z]\w{3,60} {1,60}(?:on|off)$", opens=False),
)


def _processors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="lscpu", name="processors", value=match["value"])


_OF_PROCESSORS: Final = {
    "Thread(s) per core": "threads of a core",
    "Core(s) per socket": "cores of a socket",
    "Socket(s)": "sockets",
    "NUMA node(s)": "NUMA nodes",
    "Model name": "model",
}


def _of_processors(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    name = _OF_PROCESSORS[match["name"]]
    section.add(Setting, line.number, source="lscpu", name=name, value=" ".join(match["value"].split()))


def _memory(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(Setting, line.number, source="dmidecode", name="speed of the memory", value=match["value"])


_HARDWARE: Final = (
    Row("processors", r"CPU\(s\): {1,40}(?P<value>\d{1,5})$", _processors, fate=Fate.EVERYDAY, opens=False),
    everyday(
        "architecture",
        r"Architecture: {1,40}(?:x86_64|i[3-6]86|aarch64|ppc64\w{0,4}|s390x?|arm\w{1,5})$",
        r"CPU op-mode\(s\): {1,40}\S",
    ),
    Row(
        "shape of the processors",
        r"(?P<name>(?:Thread|Core)\(s\) per (?:core|socket)|Socket\(s\)|NUMA node\(s\)|Model name): {1,40}"
        r"(?P<value>\S.{0,120})$",
        _of_processors,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    everyday(
        "property of a processor",
        r"(?:Address sizes|Byte Order|CPU\(s\)|(?:On|Off)-line CPU\(s\) list|Vendor ID|Model(?: name)?|CPU (?:family|"
        r"(?:max |min |static |dynamic )?MHz)|BIOS (?:Vendor ID|Model name|CPU family)|CPU\(s\) scaling MHz|Frequency "
        r"boost|Thread\(s\) per core|Core\(s\) per (?:socket|cluster)|(?:Socket|Cluster|Book|Drawer)\(s\)(?: per \w+)?|"
        r"Stepping|BogoMIPS|Flags|Hypervisor(?: vendor)?|Virtualization(?: type)?|Dispatching mode|Machine type|"
        r"L\d[di]? cache|NUMA node\(s\)|NUMA node\d{1,4} CPU\(s\)|Vulnerability [\w ]{3,40}|Physical (?:sockets|chips|"
        r"cores/chip)):(?: |$)",
        opens=False,
    ),
    everyday(
        "card",
        r"(?:[0-9a-f]{4}:)?[0-9a-f]{2}:[0-9a-f]{2}\.\d (?:\"[^\"]{3,80}\"|[A-Z][\w /-]{3,60}(?: \[[0-9a-f]{4}\])?:) "
        r"\S?",
    ),
    Row(
        "speed of the memory",
        r"Configured (?:Memory|Clock) Speed: (?P<value>\d{3,6} M(?:T/s|Hz))$",
        _memory,
        fate=Fate.EVERYDAY,
    ),
    everyday(
        "property of a module of memory",
        r"(?:Size: (?:\d{1,6} [KMGT]B|No Module Installed)|Speed: (?:\d{3,6} M(?:T/s|Hz)|Unknown)"
        r"|Configured (?:Memory|Clock) Speed: Unknown|(?:Bank )?Locator: \S.{0,60}|Part Number: \S.{0,60}|Rank: \d{1,2}"
        r"|Configured Voltage: \S.{0,12})$",
        opens=False,
    ),
    heading(
        "heading of dmidecode",
        r"# dmidecode \d",
        r"SMBIOS \d[\d.]{0,8} present\.",
        r"Getting SMBIOS data",
        r"Table at 0x[0-9A-F]+\.",
        r"Handle 0x[0-9A-Fa-f]{4}, DMI type \d{1,3}, \d{1,4} bytes",
    ),
)


_FEATURES: Final = (
    heading("heading of licensed features", r"(?:All|Enabled|Available) features(?: are available)?:$"),
    everyday(
        "licensed feature",
        r"(?:(?:Root |Remote )?Mirroring|Concatenation|Disk-spanning|Striping|RAID-5|CVM|VVR|FMR|CDS|FastResync"
        r"|Fast Mirror Resync|Volume Replicator|Dynamic Multi-?[pP]athing|DMP|Storage Expert|SmartIO|Vx[A-Z]\w{1,20}"
        r"|Site Awareness|Reserved|Instant Snapshots?|Object Data Migration)(?: \([\w /,-]{1,60}\))?$",
        opens=False,
    ),
)
_ALONE: Final = (
    everyday("what gathered it", r"openshift/must-gather$"),
    everyday("its release", r"\d{1,2}\.\d{1,3}\.\d{1,6}-[\w.-]{4,80}$", opens=False),
    everyday("number of processors", r"\d{1,5}$", opens=False),
    everyday("sort of processor", r"(?:x86_64|aarch64|ppc64(?:le)?|s390x)$", opens=False),
)


_PARTS: Final = (
    heading(
        "heading of shared memory",
        r"-{6} (?:Message Queues|Messages?|Shared Memory|Semaphore)[\w /-]{0,30} -{6,8}$",
        r"(?:key|shmid|msqid|semid)\s{1,20}(?:shmid|msqid|semid|owner|perms)\s{1,20}\w",
    ),
    everyday("piece of shared memory", r"0x[0-9a-f]{8} {1,4}\d{1,12} {1,14}\S{1,40} {1,14}\d{3,4} {1,10}\d"),
    everyday(
        "owner of shared memory",
        r"\d{1,12} {1,14}[a-z_][\w.-]{0,30} {1,14}\d{1,10} {1,14}\d{1,10}$",
        opens=False,
    ),
    everyday(
        "form of a file system",
        r"meta-data=\S{1,200}\s{1,80}isize=\d",
        r"(?:data|naming|log|realtime) {1,8}=(?:version \d|\S{0,200}) {1,30}\w{1,12}=\d",
    ),
    everyday("further form of a file system", r"= {1,30}\w{1,12}=\d", opens=False),
    everyday("head of a journal", r"File Path: /\S{1,200}\.journal$"),
    everyday(
        "property of a journal",
        r"(?:File ID|Machine ID|Boot ID|State|(?:Inc|C)ompatible Flags|Header size|Arena size|Rotate Suggested|"
        r"(?:Data|Field) Hash Table (?:Size|Fill)|(?:Head|Tail) (?:Sequential Number|Realtime Timestamp|Monotonic "
        r"Timestamp)|Sequential Number ID|(?:Entry |Data |Field |Tag |Entry Array )?Objects|Deepest (?:Field|Data) "
        r"Hash Chain|Disk usage):(?: |$)",
        opens=False,
    ),
)


_OF_CARD: Final = re.compile(r"\bethtool[ _](?:-i|--driver)[ _](?P<card>[\w.@-]{1,32}?)(?:\.txt)?(?=[\s\"'|;&)]|$)")


def _driver(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """Driver, release and firmware of a card, of which the command or the path tells the name."""
    where = section.command.text if section.command is not None else section.path
    value = match["value"].strip()
    if (of := _OF_CARD.search(where)) is not None and value not in ("", "N/A"):
        section.add(Setting, line.number, scope=of["card"], source="ethtool -i", name=match["name"], value=value)


_CARDS: Final = (
    Row("driver of a card", r"(?P<name>driver):(?P<value> [a-z][\w-]{1,30})$", _driver, fate=Fate.EVERYDAY),
    Row(
        "release of a driver",
        r"(?P<name>version|firmware-version):(?P<value>(?: \S.{0,80})?)$",
        _driver,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    everyday(
        "property of a driver",
        r"(?:expansion-rom-version|bus-info|supports-[a-z-]{3,24}):(?: \S.{0,80})?$",
        opens=False,
    ),
    heading("heading of features", r"(?:Time stamping parameters|Private flags) for [\w.@-]{1,32}:$"),
    everyday(
        "feature of a card",
        r"[a-z\d][\w-]{1,48}: (?:on|off)(?: \[[a-z ]{4,20}\])?$",
        r"(?:hard|soft)ware-[a-z-]{3,30}(?:\s{1,20}\(SOF_\w{4,40}\)?)?$",
        r"Capabilities:$|PTP Hardware Clock: \w{1,12}$",
        r"Hardware (?:Transmit Timestamp|Receive Filter) Modes:(?: none)?$",
        r"(?:off|on|none|all|some|ptpv[12]-[\w-]{3,24})\s{1,20}\(HWTSTAMP_\w{3,40}\)$",
        opens=False,
    ),
    everyday(
        "neighbour",
        r"(?:\d{1,3}(?:\.\d{1,3}){3}|[0-9a-f]{1,4}:[0-9a-f:]{2,40}) dev [\w.@-]{1,32} {1,2}(?:lladdr [0-9a-f:]{17} )?"
        r"(?:router |proxy |extern_learn ){0,3}(?:REACHABLE|STALE|DELAY|PROBE|PERMANENT|NOARP|FAILED|INCOMPLETE)$",
    ),
)
_NAMES: Final = (
    everyday("the host itself in a table of hosts", r"(?:127\.0\.\d\.1|::1)\s{1,60}[\w.-]{0,120}localhost(?:\s|$)"),
    Row(
        "host of a table",
        r"(?P<address>(?:\d{1,3}\.){3}\d{1,3})\s{1,60}(?P<host>[A-Za-z][\w.-]{0,120})"
        r"(?:\s{1,20}[A-Za-z][\w.-]{0,120}){0,8}(?:\s{1,8}#.{0,200})?$",
        _host,
        fate=Fate.EVERYDAY,
        opens=False,
    ),
    everyday(
        "host of a table at an address of IPv6",
        r"[0-9a-f]{0,4}(?::[0-9a-f]{0,4}){1,8}\s{1,60}[A-Za-z][\w.-]{0,120}(?:\s{1,20}[A-Za-z][\w.-]{0,120}){0,8}$",
        opens=False,
    ),
)
_ROWS: Final = Rows(
    *_NAMES, *_RESOLVER, *_PACKAGES, *_FILES, *_ACCOUNTS, *_RELEASES, *_HARDWARE, *_PARTS, *_CARDS, *_FEATURES, *_ALONE
)


@parser(
    "inventory",
    version=7,
    product="",
    rows=_ROWS,
    priority=-1,
    commands=("dpkg", "rpm", "lscpu", "lspci", "ipcs", "getent", "xfs_info"),
    places=r"^(?:sudo )?(?:/\S{1,20}/)?(?:du|nproc|arch)\b|(?:^|/)(?:du|nproc|arch)(?:_|$)|(?:^|/)etc/hosts$",
)
def inventory(section: OpenSection, out: Output) -> None:
    """Lists of what a host has."""
    _ROWS.read(section, out, "no row of the list")
