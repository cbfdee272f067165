"""Records that a parser yields, one name per thing over all products: what is common to all, and those of files,
figures, settings, events and names. Locks, waits and states have modules of their own; ``kinds`` lists all.

A record is a row of columns. Each field states its unit, its meaning and what it ``discloses`` when shown to an
outsider (``nothing``, ``host``, ``address``, ``user``, ``path``, ``disk`` or ``text``); masking for share links follows
from that alone.

Times are integers: microseconds of the wall clock as printed, counted from 1970-01-01T00:00 *without* conversion to
another zone. A value below ``DAY_US`` is a time of day whose date is unknown; one within ``OPEN_YEARS_US`` is a moment
whose year is unknown (see ``parsers.times.years``). ``zone_min`` is the offset from UTC in minutes where the text gives
it, else None.
"""

from __future__ import annotations

from dataclasses import field, fields
from functools import cache
from typing import Any, Final, Literal

from parsers.dataclass import dataclass

DAY_US: Final = 86_400_000_000
OPEN_YEARS_US: Final = (730 * DAY_US, 3652 * DAY_US)  # 1972 to 1979
Discloses = Literal["nothing", "host", "address", "user", "path", "disk", "text"]


def col(
    meaning: str,
    *,
    unit: str = "",
    discloses: Discloses = "nothing",
    default: Any = None,
    is_node: bool = False,
    added: bool = False,
) -> Any:
    """A column of a record: its meaning, its unit, what it gives away, and whether it names a node by any of its
    spellings.

    added: facts that an older release has put down lack it; they are read with its default.
    """
    metadata = {"meaning": meaning, "unit": unit, "discloses": discloses, "is_node": is_node, "added": added}
    return field(default=default, metadata=metadata)


@dataclass(frozen=True, slots=True)
class Ref:
    """Lines of an artifact that a claim rests on."""

    artifact: int
    line: int
    last_line: int | None = None


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Record:
    """Common to all records. ``line`` counts from 1 in the artifact; 0 means "the artifact as a whole".

    ``artifact`` is the number of the artifact in its case: no parser knows it; it is filled in where a record is read
    back. Nobody changes one once it is made; they are not frozen, as making a frozen one takes three times as long.
    """

    line: int = 0
    artifact: int = 0

    @classmethod
    @cache
    def columns(cls) -> tuple[str, ...]:
        """Field names in the order of definition, without ``artifact``; the columns of its Parquet file."""
        return tuple(f.name for f in fields(cls) if f.name != "artifact")

    @classmethod
    def node_columns(cls) -> tuple[str, ...]:
        """Columns that name a node, by whichever of its spellings."""
        return tuple(f.name for f in fields(cls) if f.name == "node" or f.metadata.get("is_node"))

    @property
    def ref(self) -> Ref:
        """Where it stands, once it is read back."""
        return Ref(self.artifact, self.line)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Section(Record):
    """A stretch of a file with one format, node and capture time. ``line`` is its first line."""

    index: int = col("ordinal inside the artifact, from 0", default=0)
    format: str = col("name of the parser that read it; empty when nothing claimed it", default="")
    last_line: int = col("last line, inclusive", default=0)
    node: str | None = col("node the section speaks about", discloses="host")
    node_basis: str = col(
        "how the node is known: line prefix | prompt | heading | ordinal | header | path | content | unknown",
        default="unknown",
    )
    command: str | None = col("command at the prompt or in the banner that produced it", discloses="text")
    scope: str | None = col("mount point, cluster, link or disk the section speaks about", discloses="path")
    at: int | None = col("time of capture, wall clock as printed; of the first one where there are several", unit="us")
    last_at: int | None = col("time of the last capture in it", unit="us")
    zone_min: int | None = col("offset of the printed clock from UTC", unit="min")
    zone_name: str | None = col("zone as printed, such as AEDT")
    resolution_us: int = col("how exact the time of capture is", unit="us", default=1_000_000)
    records: int = col("records read from it", default=0)
    understood: int = col("lines understood", unit="lines", default=0)
    ignored: int = col("lines that carry no data (blank, prose, headings)", unit="lines", default=0)
    not_understood: int = col("lines a parser should have understood and did not", unit="lines", default=0)
    last_zone_min: int | None = col("offset of the last capture where it is another one", unit="min", added=True)
    foreign: bool | None = col("log of which nobody here listens to any program", added=True)
    quoted: int | None = col("how deep it is quoted in a mail or post", added=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Repeat(Record):
    """Lines ``line`` to ``last_line`` say again what stands from ``of`` on: a page exported twice. Records there do not
    count.
    """

    last_line: int = col("last repeated line, inclusive", default=0)
    of: int = col("first line of the earlier text", default=0)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Skipped(Record):
    """One line that was not understood (kept up to a limit per artifact; all are counted in the section)."""

    reason: str = col("why, in a few words", default="")
    shape: str = col("the line with numbers and addresses blanked, to group by", discloses="text", default="")
    text: str = col("the line itself where its words sound like trouble", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Problem(Record):
    """What could not be read, or only in part, with what to do about it."""

    message: str = col("one sentence for the reader", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Counter(Record):
    """One value of one named counter or gauge in one sample."""

    node: str | None = col("node", discloses="host")
    scope: str | None = col("mount point, port, link; None for the whole node", discloses="path")
    source: str = col("tool and report, such as 'vxfsstat -s'", default="")
    name: str = col("name as the tool prints it", default="")
    kind: str = col("gauge | cumulative | delta", default="gauge")
    unit: str = col("unit of the value", default="")
    value: float | None = col("value; None where the text shows it has no meaning (a rate of nothing)")
    at: int | None = col("end of the sample", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    interval_s: float | None = col("length of a delta sample", unit="s")
    sample: int = col("line of the sample's header: rows of one sample share it", default=0)
    filtered: bool = col("absent rows of this sample are unknown or zero by a filter, see `zero_filter`", default=False)
    zero_filter: bool = col("a filter dropped exactly the rows whose counters were all zero", default=False)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Setting(Record):
    """A tunable in force, or one set by a command in a transcript."""

    node: str | None = col("node", discloses="host")
    scope: str | None = col("mount point, cluster, link, disk", discloses="path")
    source: str = col("tool", default="")
    name: str = col("name as printed", default="")
    value: str = col("value as printed", default="")
    default: str | None = col("default, where the text states it")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    set_here: bool = col("True when a command at a prompt set it and the tool confirmed", default=False)
    mark: str | None = col("sign in front of the name, as printed: '!', '#' or '*'")
    note: str | None = col("remark in parentheses behind the value, as printed", discloses="text")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Measurement(Record):
    """A figure that a measuring tool printed (time, dd, fio ...)."""

    node: str | None = col("node", discloses="host")
    tool: str = col("tool", default="")
    what: str = col("what was measured, such as 'real'", default="")
    value: float | None = col("value")
    unit: str = col("unit", default="")
    command: str | None = col("the command measured", discloses="text")
    at: int | None = col("when, if known", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    scope: str | None = col("what the figure is of: the image of a symbol, the target of a copy", discloses="path")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class CommandRun(Record):
    """A command at a prompt, with its place: what later lines are to be read by (its output's count, its filter)."""

    node: str | None = col("node", discloses="host")
    node_basis: str = col("how the node is known", default="unknown")
    command: str = col("the command", discloses="text", default="")
    output_count: int | None = col("the number it printed when it ends in `wc -l`")
    at: int | None = col("when, if known", unit="us")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class NodeAlias(Record):
    """Another spelling of a node that a table states: address, full name, admin name, cNnM index, id."""

    node: str = col("name of the node", discloses="host", default="")
    alias: str = col("the other spelling", discloses="address", default="")
    kind: str = col("address | name | index | id", default="name")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class NodeNamed(Record):
    """A node of which a message speaks besides what it is about: the first line of a section that names it."""

    node: str | None = col("node that wrote it", discloses="host")
    named: str | None = col("the node that is named", discloses="host", is_node=True)


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DiskIo(Record):
    """I/O of one device: one request of an I/O history (count 1), or what a tool counted over an interval."""

    node: str | None = col("node that counted it", discloses="host")
    at: int | None = col("start of the request, or end of the interval", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("tool and report, such as 'iohist' or 'iostat -x'", default="")
    device: str | None = col("disk, NSD, volume or path as printed", discloses="disk")
    op: str = col("read | write | other; empty where both are counted together", default="")
    count: float | None = col(
        "requests; requests per second where interval_s is set and the tool prints rates: see `per_s`"
    )
    per_s: bool = col("count and bytes are per second", default=False)
    bytes: float | None = col("bytes moved", unit="B")
    mean_ms: float | None = col("mean service time; the time itself for one request", unit="ms")
    max_ms: float | None = col("longest service time", unit="ms")
    queue_ms: float | None = col("time in the queue of the program before the device", unit="ms")
    util: float | None = col("share of time busy", unit="%")
    queue: float | None = col("mean length of the queue", unit="requests")
    interval_s: float | None = col("length of the sample; None for one request or since the start", unit="s")
    what: str | None = col("kind of buffer of one request: data, metadata, inode, logData ...")
    where: str | None = col("cli | srv | lcl | dsk: where one request was seen")
    peer: str | None = col("node at the other end (NSD server or client)", discloses="address")
    disk_number: int | None = col("number of the disk inside its file system")
    sector: int | None = col("first sector of the request, of 512 bytes")
    tag1: int | None = col("first number of the request: the inode for data and directories")
    tag2: int | None = col("second number: the block inside the file, or the inode where an inode is read or written")
    context: str | None = col("part of the program that asked for it")
    thread: str | None = col("name of the thread, which may be cut")
    pid: int | None = col("process that asked for it")
    flags: str | None = col("flags of the request in hexadecimal")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Version(Record):
    """Release of a product, kernel or format."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    product: str = col("spectrum-scale | veritas | gfs2 | kernel | file system format ...", default="")
    version: str = col("as printed", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Event(Record):
    """A log line that matters, or a trace point."""

    node: str | None = col("node", discloses="host")
    at: int | None = col("time of the line", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
    source: str = col("log: mmfs.log, kernel, corosync, gab, llt, vcs ...", default="")
    kind: str = col("what it means, in words with hyphens: long-waiter, expel, link-down ...", default="")
    about: str | None = col("node, disk, link or thread it is about", discloses="host")
    value: float | None = col("figure of the line, such as the seconds of a waiter")
    unit: str = col("unit of the figure", default="")
    weight: str = col(
        "everyday | notice | trouble | disaster, by its kind or its own level; empty where neither says",
        default="",
        added=True,
    )
    text: str = col("the line without its time", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Claim(Record):
    """A figure that a person states in prose: never a measurement."""

    speaker: str | None = col(
        "who says it: the author of the text, or quoted/<depth> for a quoted one", discloses="user"
    )
    what: str = col("what it is about, in a few words of the text", discloses="text", default="")
    value: float | None = col("figure; the lower one of a range")
    high: float | None = col("upper figure of a range")
    unit: str = col("unit as understood", default="")
    text: str = col("the sentence", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Quotation(Record):
    """Words that a person puts in quotation marks in prose: what a program printed, as somebody tells of it."""

    speaker: str | None = col("who quotes, as in Claim", discloses="user")
    words: str = col("what stands between the marks", discloses="text", default="")
    text: str = col("the sentence", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class Narration(Record):
    """A sentence of a manual, or of somebody to whom it happened: whether what stands between is an example. One that
    tells of a fault comes once more as such.
    """

    sort: Literal["example", "manual", "own", "fault"] = col(
        "example (a manual announces one) | manual (how things are done) | own (somebody tells what happened) | fault "
        "(what goes wrong)",
        default="own",
    )
    text: str = col("the sentence", discloses="text", default="")


@dataclass(slots=True, kw_only=True, unsafe_hash=True)
class DiskName(Record):
    """Which disk is called what on which node, and who serves it."""

    name: str = col("NSD, volume or LUN", discloses="disk", default="")
    device: str | None = col("device on that node", discloses="disk")
    node: str | None = col("node", discloses="host")
    fs: str | None = col("file system", discloses="path")
    servers: str = col("server nodes as printed, parted by one blank, first preferred", discloses="host", default="")
    state: str | None = col("state and availability as printed")
    uid: str | None = col("volume id; of an NSD two groups of eight hexadecimal digits with a colon", discloses="disk")
    number: int | None = col("number of the disk inside its file system")
    pool: str | None = col("storage pool")
    usage: str | None = col("metadata | data | both | none: what may be kept on it")
    failure_group: str | None = col("failure group as printed")
    thin: str | None = col("sort of thin provisioning or NVMe, as printed")
    at: int | None = col("time of capture", unit="us")
    zone_min: int | None = col("offset from UTC", unit="min")
