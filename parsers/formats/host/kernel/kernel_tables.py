"""Tables of the kernel below ``/proc`` that bundles carry beside everything else, of which no figure is judged.

    Node 0, zone   Normal   1046    527    128 ...      253       0 sda 18211 1200 911102 8123 ...
               CPU0       CPU1                          cpu  8812345 1200 991234 77123456 81234 0 12345 0 0 0
      24:   1234567          0   PCI-MSI 524288-edge  nvme0q0
    nr_free_pages 812345
    processor       : 0                                 major minor  #blocks  name

``buddyinfo``, ``pagetypeinfo``, ``zoneinfo``, ``vmstat``, ``diskstats``, ``partitions``, ``interrupts``, ``softirqs``,
``stat``, ``cpuinfo``, ``cgroups``, ``filesystems``, ``swaps``, ``devices``, ``iomem`` and the
``status`` of a process. Yields ``Counter``
``procs_blocked`` of ``stat``, and ``Room`` for each space of ``swaps``, also as ``swapon -s`` prints it; every other
row is everyday: counts since the start of the machine say nothing without a second look. Source: proc(5), the kernel's
documentation of its file systems and of its disk statistics.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from parsers.filling import paging_standing
from parsers.records import Counter
from parsers.records.states import Room
from parsers.registry import parser
from parsers.tables.rows import Row, Rows, everyday, heading

if TYPE_CHECKING:
    from parsers.output import Output
    from parsers.sections.open_section import OpenSection
    from parsers.text import Line

_BIG: Final = r"\d{1,20}"
_FILES: Final = (
    r"/proc/(?:buddyinfo|pagetypeinfo|zoneinfo|vmstat|diskstats|partitions|interrupts|softirqs|stat|cpuinfo|cgroups|"
    r"filesystems|swaps|devices|iomem|ioports|net/snmp6|(?:\d{1,10}|self)/status)\b|"
    r"(?:^|/)(?:buddyinfo|zoneinfo|vmstat|diskstats|cpuinfo|interrupts|softirqs)(?:\.txt|\.out)?$"
)


def _blocked(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    section.add(
        Counter, line.number, source="/proc/stat", name="procs_blocked", kind="gauge", value=float(match["value"]),
        sample=line.number,
    )  # fmt: skip


def _swap(section: OpenSection, line: Line, match: re.Match[str]) -> None:
    """A full space of Linux alone ends no program: what is free in memory says more."""
    size, used = int(match["size"]), int(match["used"])
    if size:
        share = 100 * used / size
        section.add(
            Room,
            line.number,
            source="swaps",
            sort="paging space",
            name=match["name"],
            share=share,
            state=f"{share:.0f} % used",
            standing="tight" if paging_standing(share) in ("spent", "full") else "free",
        )


_MEMORY: Final = (
    Row("processes that wait for a disk", r"procs_blocked (?P<value>\d{1,7})$", _blocked, opens=False),
    everyday(
        "free blocks of a zone", rf"Node\s{{1,40}}\d{{1,5}}, zone\s{{1,40}}\w{{2,12}}(?:\s{{1,40}}{_BIG}){{1,24}}$"
    ),
    everyday("zone", r"Node {1,4}\d{1,5}, zone {1,12}\w{2,12}(?:, type {1,20}\w{3,20}(?: {1,12}>?\d{1,20}){1,24})?$"),
    heading("heading of pages by type", r"Free pages count per migrate type at order |Number of blocks type "),
    heading("size of a block", r"Page block order: \d{1,4}$|Pages per block: {1,8}\d{1,9}$"),
    everyday("pages free", rf"pages free {{1,12}}{_BIG}$", opens=False),
    everyday("mark of a zone", rf"(?:per-node stats|pagesets|[a-z][a-z_]{{2,40}}:?) {{0,40}}(?:{_BIG})?$", opens=False),
    everyday("processor of a zone", rf"(?:cpu|count|high|batch|vm stats threshold): {{1,12}}{_BIG}$", opens=False),
    everyday("protection", rf"protection: \((?:{_BIG}(?:, )?){{1,12}}\)$", opens=False),
    everyday(
        "count of memory",
        rf"(?:nr|numa|pg(?:pg|scan|steal|alloc)|pswp|thp|workingset|zone|compact)_?\w{{2,40}} {_BIG}$",
    ),
)


_DISKS: Final = (
    everyday("disk", rf"\d{{1,5}} {{1,8}}\d{{1,7}} [a-zA-Z][\w!.-]{{1,60}}(?: {_BIG}){{4,20}}$"),
    heading("heading of partitions", r"major minor {1,4}#blocks {1,4}name"),
    everyday("partition", rf"\d{{1,5}} {{1,8}}\d{{1,7}} {{1,12}}{_BIG} [a-zA-Z][\w!.-]{{1,60}}$", opens=False),
    heading("heading of swap space", r"Filename\s{1,60}Type\s{1,40}Size\s{1,40}Used\s{1,40}Priority$"),
    Row(
        "swap space",
        rf"(?P<name>/\S{{1,200}})\s{{1,60}}(?:partition|file)\s{{1,40}}(?P<size>{_BIG})\s{{1,40}}(?P<used>{_BIG})\s{{1,40}}"
        r"-?\d{1,7}$",
        _swap,
    ),
    everyday("file system", r"nodev\s{1,8}[a-z]\w{1,30}$"),
    everyday("file system of a disk", r"[a-z][a-z\d]{1,30}$", opens=False),
    heading("heading of devices", r"(?:Character|Block) devices:$"),
    everyday("device", r"\d{1,5} [a-zA-Z/][\w/!.-]{0,60}$", opens=False),
    everyday("range of addresses", r"[0-9a-f]{4,16}-[0-9a-f]{4,16} : \S"),
)


_PROCESSORS: Final = (
    heading("processors", r"CPU\d{1,5}(?:\s{1,40}CPU\d{1,5}){0,8000}$"),
    everyday(
        "interrupt",
        rf"(?:\d{{1,5}}|[A-Z][A-Z\d_]{{1,9}}): {{1,20}}{_BIG}(?: {{1,20}}{_BIG}){{0,8000}}(?: {{1,40}}\S.{{0,200}})?$",
        opens=False,
    ),
    everyday("processor", rf"cpu\d{{0,5}}\s{{1,40}}{_BIG}(?:\s{{1,40}}{_BIG}){{3,12}}$"),
    everyday("interrupts since the start", rf"(?:intr|softirq)\s{{1,40}}{_BIG}(?:\s{{1,40}}{_BIG}){{3,20000}}$"),
    everyday("number of a processor", r"processor\s{0,12}: \d{1,5}$|vendor_id\s{1,12}: \S|# processors {1,8}: \d"),
    everyday(
        "property of a processor",
        r"(?:model(?: name)?|cpu(?: family| MHz| cores|id level)?|stepping|microcode|cache size|physical id|siblings|"
        r"core id|(?:initial )?apicid|fpu(?:_exception)?|wp|flags|vmx flags|bugs|[bB]ogo[mM][iI][pP][sS](?: per cpu)?|"
        r"clflush size|cache_alignment|address sizes|power management|TLB size|clock|revision|timebase|platform|"
        r"machine|firmware|MMU|[Ff]eatures|CPU (?:implementer|architecture|variant|part|revision)|Hardware|Revision|"
        r"Serial|max thread id|facilities|cache\d|processor \d{1,4}|cpu (?:number|MHz (?:dynamic|static)))\s{0,20}:"
        r"(?: |$)",
        opens=False,
    ),
)


_REST: Final = (
    everyday("count of IPv6", rf"(?:Ip6|Icmp6|Udp6|UdpLite6)[A-Z]\w{{2,60}}\s{{1,60}}{_BIG}$"),
    heading("heading of control groups", r"#subsys_name\s{1,20}hierarchy\s"),
    everyday("control group", r"[a-z_]{2,24}\s{1,24}\d{1,5}\s{1,8}\d{1,7}\s{1,8}[01]$", opens=False),
    everyday("state of a process", r"State:\s{1,8}[A-Z] \([a-z ]{3,30}\)$"),
    everyday("number of a process", r"(?:Umask:\s{1,8}0\d{3}|Tgid:\s{1,8}\d{1,10}|Threads:\s{1,8}\d{1,7})$"),
    everyday("name of a process", r"Name:\s{1,8}\S.{0,63}$", opens=False),
    everyday(
        "property of a process",
        r"(?:Umask|Tgid|Ngid|P?Pid|TracerPid|Uid|Gid|FDSize|Groups|NS(?:tg|p|pg|s)id|Kthread|Vm\w{2,6}|Rss\w{3,6}|"
        r"HugetlbPages|CoreDumping|THP_enabled|untag_mask|Threads|SigQ|S(?:hd|ig)\w{3}|Cap\w{3}|NoNewPrivs|Seccomp\w{0,12}|"
        r"Speculation\w{3,30}|Cpus_allowed(?:_list)?|Mems_allowed(?:_list)?|(?:non)?voluntary_ctxt_switches|x86_Thread_\w+)"
        r":(?:\s|$)",
        opens=False,
    ),
    everyday("count of memory more", rf"[a-z][a-z\d_]{{3,60}} {_BIG}$", opens=False),
)
_ROWS: Final = Rows(*_MEMORY, *_DISKS, *_PROCESSORS, *_REST)


@parser("kernel_tables", version=1, product="", rows=_ROWS, places=_FILES, commands=("swapon",))
def kernel_tables(section: OpenSection, out: Output) -> None:
    """Counts and properties that the kernel shows below ``/proc``."""
    _ROWS.read(section, out, "no row of the table")
