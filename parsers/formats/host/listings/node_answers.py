"""What a host answers to a short question about how it is set up: a word, a number or an identity.

    [root@carp1 ~]# getenforce                         [root@carp1 ~]# cat /etc/machine-id
    Enforcing                                          1f0c9a7be4d84b0f9b1a2c3d4e5f6071
    always madvise [never]                             InitiatorName=iqn.1994-05.com.example:8f2d11c4a7b
    [none] mq-deadline kyber bfq                       Current active profile: throughput-performance

``getenforce``, ``ulimit -n``, ``blockdev --getra``, ``systemctl is-enabled``, ``dmidecode -s``, ``nproc``, files of
``/sys/block/DISK/queue``, ``lsblk ... | wc -l`` and other lists that are counted, ``md5sum`` of files of which all
nodes have a copy, the link of a slot of ``lspci``, ``modinfo -F version``, files of ``/proc/sys``,
transparent huge pages, ``machine-id``, ``initiatorname.iscsi``, the
UUID of a VCS cluster, ``vxfenmode``, ``tuned-adm active``, ``cpupower frequency-info``. Yields ``Setting``. An answer
without a word of its own is known by its question, in the command or in the path. Source: the manual pages of these
programs; the kernel's documentation of sysfs.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.output import Output
from parsers.records import Setting
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_SOURCE: Final = "node answer"


class _Question(NamedTuple):
    """name: of what is requested; place: in the command or the path; value: of an answer. ``of`` in a place: what it is
    about.
    """

    name: str
    place: re.Pattern[str]
    value: re.Pattern[str]


def _requested(name: str, place: str, value: str) -> _Question:
    return _Question(name, re.compile(place), re.compile(value))


_PARAMETER: Final = "parameter"
_NUMBER: Final = r"\d{1,12}$"
_LISTED: Final = (
    r"(?P<of>lsblk|lsscsi|multipath|dmsetup|vxdisk|vxdmpadm|vxprint|mmlsnsd|mmlsdisk|mmlspdisk|lspci|nvme|lspath|lsdev"
    r"|pvs|vgs|lvs|pvscan|powermt|numactl|systool|ip|ibstat|/dev/disk|/proc/partitions|/proc/mounts|/sys/class|mount)\b"
)
"""What lists the same on nodes that are built alike."""
_SUMS: Final = r"(?:md5|sha1|sha224|sha256|sha384|sha512|b2)sum"
_COPIES: Final = (
    r"(?:corosync\.conf|authkey|cluster\.conf|main\.cf|types\.cf|llthosts|gabtab|vxfenmode|etc/hosts|multipath\.conf"
    r"|mmsdrfs|dlm\.conf|lvm\.conf|chrony\.conf|ntp\.conf|sysctl\.conf|limits\.conf|resolv\.conf|nsswitch\.conf|exports"
    r"|smb\.conf|passwd|group|krb5\.conf|cib\.xml)"
)
"""Files that all nodes of a cluster have a copy of."""
_OWN_WORD: Final = re.compile(r"(?:BOOT_IMAGE|root|resume|rd\.[\w.]{2,20}|ip|ifname|initrd|bootdev|nfsroot|osid)=")
"""What each node has for itself where its kernel starts."""
_SUM: Final = re.compile(r"(?P<sum>[0-9a-f]{32,128})[ ]{1,3}\*?(?P<file>/\S{1,160})$")
_SHOWN_OF_SUM: Final = 12
_UNITS: Final = re.compile(r"systemctl[ _](?:-\w{1,2} )?is-enabled[ _](?P<units>[\w@.: -]{2,400})")
_QUESTIONS: Final = (
    _requested("SELinux", r"\bgetenforce\b", r"(?:Enforcing|Permissive|Disabled)$"),
    _requested("open files", r"\bulimit[ _]-(?:[SH]|H?S?)n\b", r"(?:\d{2,12}|unlimited)$"),
    _requested("read-ahead", r"\bblockdev[ _]--getra[ _]+(?P<of>[\w/.-]{2,80})", _NUMBER),
    _requested("read-ahead", r"/sys/block/(?P<of>[\w!.-]{2,40})/queue/read_ahead_kb\b", _NUMBER),
    _requested("queue depth", r"/sys/block/(?P<of>[\w!.-]{2,40})/(?:queue/nr_requests|device/queue_depth)\b", _NUMBER),
    _requested("processors", r"\bnproc\b", r"\d{1,5}$"),
    _requested(
        "lines",
        rf"\b{_LISTED}[^\n;]{{0,200}}\|[ ]?(?:wc[ ]-l|[ef]?grep[ ](?:-\w{{1,4}}[ ]){{0,3}}-\w{{0,3}}c\w?)\b",
        _NUMBER,
    ),
    _requested("start of the kernel", r"/proc/cmdline\b|(?<![A-Za-z0-9])proc_cmdline\b", r"(?:BOOT_IMAGE=|root=|ro )"),
    _requested("checksum", rf"\b{_SUMS}[ _]", rf"[0-9a-f]{{32,128}}[ ]{{1,3}}\*?/\S{{0,120}}?{_COPIES}$"),
    _requested("link of the slot", r"\blspci\b", r"LnkSta:\s{0,8}Speed [\w./]{3,12}[ ,(]"),
    _requested(
        "BIOS version",
        r"\bdmidecode[ _]-s[ _]bios-version\b",
        r"(?:v?\d[\d.]{1,20}[a-z]?|[A-Z]\d{2,3}(?: v\d[\d._]{1,10})?(?: \([\d/]{8,10}\))?)$",
    ),
    _requested(
        "version of the module", r"\bmodinfo[ _]-F[ _]version[ _](?P<of>\w{2,40})", r"(?:\d:)?v?\d[\w.+~-]{1,40}$"
    ),
    _requested(
        _PARAMETER,
        r"/proc/sys/(?P<of>(?:vm|fs|net|kernel|sunrpc)/(?!file-nr|inode-|dentry-|random/|ns_last)[\w/.-]{2,60})(?![\w*?])",
        r"(?:-?\d{1,20}(?:\s{1,8}-?\d{1,20}){0,3}|cubic|reno|bbr|htcp|vegas|fq|fq_codel|pfifo_fast)$",
    ),
    _requested(
        "clock of the kernel",
        r"\bcurrent_clocksource\b",
        r"(?:tsc|hpet|acpi_pm|kvm-clock|xen|hyperv_clocksource_\w{3,20}|jiffies|refined-jiffies|timebase|tod"
        r"|arch_sys_counter|pit)$",
    ),
    _requested(
        "guest state",
        r"\bvirsh[ _]domstate[ _](?P<of>[\w-][\w.-]{0,60}?)(?=\.txt$|\.out$|[ _]|$)",
        r"(?:running|idle|paused|in shutdown|shut off|crashed|pmsuspended)$",
    ),
    _requested("machine-id", r"\betc/machine-id\b|\bmachine-id(?:\.txt)?$", r"[0-9a-f]{32}$"),
    _requested("UUID of the cluster", r"\bclusuuid\b", r"\{?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\}?$"),
    _requested(
        "unit",
        r"\bsystemctl[ _](?:-\w{1,2} )?is-enabled\b",
        r"(?:enabled|disabled|static|masked|indirect|enabled-runtime)$",
    ),
)
_PLACES: Final = r"\bcpupower[ _]frequency-info\b|" + "|".join(
    one.place.pattern.replace("?P<of>", "").replace("?P<units>", "") for one in _QUESTIONS
)
_VALUES: Final = "|".join(dict.fromkeys(one.value.pattern for one in _QUESTIONS))
_WORDED: Final = (
    ("transparent huge pages", _SOURCE, re.compile(r"(?=[^\n]{0,20}\[)\[?always\]? \[?madvise\]? \[?never\]?$")),
    (
        "scheduler",
        _SOURCE,
        re.compile(r"(?=[^\n]{0,60}\[)(?:\[?(?:none|noop|mq-deadline|deadline|kyber|bfq|cfq)\]? ?){1,5}$"),
    ),
    ("name of the initiator", "iscsi", re.compile(r"InitiatorName {0,2}= {0,2}(?P<value>(?:iqn|eui|naa)\.\S{1,230})$")),
    ("profile", "tuned", re.compile(r"Current active profile: (?P<value>[\w.-]{2,60})$")),
    (
        "",
        "vxfenmode",
        re.compile(r"(?P<name>vxfen_mode|vxfen_mechanism|scsi3_disk_policy) {0,2}= {0,2}(?P<value>\w{2,40})$"),
    ),
    (
        "firmware",
        "fcinfo",
        re.compile(
            r"(?:Emulex|QLE|QLogic|QL|Brocade|Marvell|HPE?|Broadcom)\S{0,20} (?:\S{1,30} ){0,4}?(?:FW: ?|FV)"
            r"(?P<value>v?\d[\w.]{1,24})(?: .{0,120})?$"
        ),
    ),
    ("governor", _SOURCE, re.compile(r'The governor "(?P<value>\w{3,30})" may decide which speed to use$')),
)
"""Answers that are known by their own words: name, tool and pattern."""
_DISK: Final = re.compile(r"/sys/block/([\w!.-]{2,40})/queue/scheduler\b")
_CHOSEN: Final = re.compile(r"\[([\w-]{2,20})\]")
OF_NODE: Final = re.compile(r"(?P<node>[A-Za-z][\w.-]{1,80}):[ \t]{1,8}")
"""In front of a line that a remote shell printed."""
SENT: Final = re.compile(r"/(?:\S{0,60}/)?(?:pdsh|xdsh|dsh|mmdsh|clush|updatenode|parallel-ssh|pssh|tentakel|for)\b")
_REST: Final = re.compile(
    r"analyzing CPU \d{1,4}:$|driver: \w{3,30}$|CPUs which (?:run at|need) |hardware limits: "
    r"|available (?:cpufreq|freq)|current (?:policy|CPU frequency): |within this range\.$|boost state support:$"
    r"|(?:Supported|Active): (?:yes|no)$"
    r"|Unable to call hardware$"
)
"""What stands around the governor."""


def _whole(pattern: str) -> str:
    return pattern.replace("?P<value>", "?:").replace("?P<name>", "?:")


_CLAIMS: Final = "|".join(_whole(pattern.pattern) for _, _, pattern in _WORDED)


@parser(
    "node_answers",
    version=4,
    product="",
    claims=rf"(?:{_CLAIMS}|analyzing CPU \d)",
    owns=rf"(?:{OF_NODE.pattern.replace('?P<node>', '?:')})?(?:{_CLAIMS}|{_REST.pattern}|{_VALUES})",
    commands=("getenforce", "tuned-adm", "cpupower", "blockdev", "ulimit", "nproc"),
    places=_PLACES,
)
def node_answers(section: OpenSection, out: Output) -> None:
    """Short answers, each by its own words or by what was asked."""
    text = f"/{section.command.text if section.command is not None else section.path}"
    place = next(((one, match) for one in _QUESTIONS if (match := one.place.search(text)) is not None), None)
    for line in section:
        value = line.text.strip()
        if _REST.match(value):
            out.everyday()
        elif not _worded(section, line, value, text) and not _answered(section, line, value, text, place):
            out.skip(line, "no answer to what was asked")


def _worded(section: OpenSection, line: Line, text: str, where: str) -> bool:
    """A line whose words tell what it is."""
    for known, source, pattern in _WORDED:
        if (match := pattern.match(text)) is None:
            continue
        groups = match.groupdict()
        value = groups.get("value") or (_CHOSEN.search(text) or match)[1]
        of = _DISK.search(where) if known == "scheduler" else None
        section.add(
            Setting,
            line.number,
            source=source,
            name=groups.get("name") or known,
            value=value,
            scope=of[1] if of is not None else None,
        )
        return True
    return False


def _answered(
    section: OpenSection, line: Line, value: str, text: str, question: tuple[_Question, re.Match[str]] | None
) -> bool:
    if question is None:
        return False
    known, match = question
    sent = OF_NODE.match(value) if SENT.match(text) is not None else None
    value = value[sent.end() :].strip() if sent is not None else value
    if known.value.match(value) is None:
        return False
    name, of = known.name, match.groupdict().get("of")
    if name == "start of the kernel":
        value = " ".join(word for word in value.split() if _OWN_WORD.match(word) is None)
    if (sum_of := _SUM.match(value)) is not None:
        value, of = sum_of["sum"][:_SHOWN_OF_SUM], sum_of["file"]
    source = _SOURCE
    if name == _PARAMETER:
        source, name, of, value = "sysctl", (of or "").replace("/", "."), None, " ".join(value.split())
    section.add(
        Setting,
        line.number,
        source=source,
        name=_unit(section, text) if name == "unit" else name,
        scope=of,
        value=value,
        node=sent["node"] if sent is not None else section.node,
    )
    return True


def _unit(section: OpenSection, text: str) -> str:
    """The unit of the next answer, as ``systemctl`` was asked for several."""
    named = _UNITS.search(text)
    units = re.split(r"[ _]", named["units"].strip(" _")) if named is not None else []
    at = section.state.get("answers", 0)
    section.state["answers"] = at + 1
    unit = units[at % len(units)].removesuffix(".txt").removesuffix(".service") if units else str(at + 1)
    return f"start of unit {unit}"
