"""Rules on what is done with a GFS2 file system: scans of whole trees, huge directories, mail on several nodes, cold
and warm runs.

What people say is a claim: it counts only with its figures and where records of the case show GFS2, such a finding asks
as much as it says, and figures of one person are never put together with another's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final, Literal

import polars as pl

from apps.diagnosis.engine.core.facts.claims import Claims, place
from apps.diagnosis.engine.core.facts.nodes import nodes_in
from apps.diagnosis.engine.core.facts.records import Records, groups
from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.core.words.metrics import metric
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.programs import LOCK_THREADS, MAIL, WALKS
from apps.diagnosis.engine.gfs2.stated_scans import Span, StatedScan, StatedScans
from parsers.dataclass import dataclass
from parsers.records import Claim, CommandRun, Counter
from parsers.records.locks import Glock, GlockHolder

_MAIL: Final = re.compile(r"\b(?:imap|maildir|dovecot|courier|exim|mail ?spool|mailbox(?:es)?)\b", re.IGNORECASE)
_SCANS: Final = re.compile(r"(?:^|[\s/;&|])(?:find|ls\s{1,4}-\w{0,6}R\w{0,6}|du|rsync)\s")
_LISTS: Final = re.compile(r"\s*\\?ls\b")
_IN_DIRECTORY: Final = re.compile(
    r"\bfiles? (?:in|into|per) (?:an?|one|the same|a single|each|every|this) (?:director|folder)", re.IGNORECASE
)
_SERVERS: Final = ("nodes", "servers")
BUSY: Final = metric("processor-time-of-a-program")


@dataclass(frozen=True, slots=True)
class BusyWords:
    """Threads that take a whole processor, and the largest share of one of them."""

    node: str | None
    threads: tuple[str, ...]
    percent: float
    rows: int


@rule("WL-05", needs=(Records,), words=BusyWords)
def busy_lock_threads(records: Records, limits: Limits) -> Iterator[Seen]:
    """Symptom: all that needs a lock of the cluster is slow on that node, and its processors are not short.

    Reasoning: a thread that passes locks on does one thing after the other on one processor. Where it is always busy,
    requests queue up before it, or it turns in a circle. Source: ps(1), top(1); limits proposed.
    """
    if not records.has(Counter):
        return
    rows = records.frame(BUSY, pl.col("scope").is_in(LOCK_THREADS) & (pl.col("value") >= limits.busy))
    for _, frame in groups(rows, "node"):
        first = frame.row(0, named=True)
        yield Seen(
            level="busy",
            words=BusyWords(
                first["node"],
                tuple(dict.fromkeys(frame["scope"].to_list())),
                max(frame["value"].to_list()),
                frame.height,
            ),
            lines=[Ref(row["artifact"], row["line"]) for row in frame.head(8).iter_rows(named=True)],
            nodes=(first["node"],),
            times=frame["at"].to_list(),
            zone_min=first["zone_min"],
            parts=("which",),
        )


@dataclass(frozen=True, slots=True)
class WalkersWords:
    """commands that walk whole trees; scanning: how many nodes, of which those with a name are listed; waiting:
    processes.
    """

    commands: tuple[str, ...]
    nodes: tuple[str, ...]
    scanning: int
    waiting: int


@dataclass(frozen=True, slots=True)
class StatedScanWords:
    """took: for so many files; elsewhere_took on elsewhere, and it is factor times slower here. Ranges are lower and
    upper.

    per_file: what the time of a file compares with.
    """

    command: str
    speaker: str | None
    files: float
    took: Span
    files_per_s: tuple[float, float]
    most_per_s: float
    ms: tuple[float, float]
    least_ms: float
    most_ms: float
    per_file: Literal["seek", "cache"] | None
    factor: tuple[float, float] | None
    least_factor: float | None
    most_factor: float | None
    elsewhere: str
    elsewhere_took: Span | None


@dataclass(frozen=True, slots=True)
class TimedScanWords:
    """A walk that was timed and whose result was counted; per_s, ms: files a second, and the time of one."""

    command: str
    node: str | None
    files: int
    seconds: float
    per_s: float
    ms: float


@rule("WL-01", needs=(Records, Presence, StatedScans, TimedRuns), words=(WalkersWords, StatedScanWords, TimedScanWords))
def full_tree_scan(
    records: Records, presence: Presence, scans: StatedScans, runs: TimedRuns, limits: Limits
) -> Iterator[Seen]:
    """Symptom: du, find, a backup or an indexer takes hours.

    Reasoning: each inode that is new to the node needs two locks and a read; seen as scanners among the waiters of two
    nodes, or stated with files and time against the same files elsewhere. Source: GFS2 maintainers on the linux-cluster
    list; Red Hat guide to GFS2; limits proposed.
    """
    yield from _scanning_now(records, limits)
    if presence.shown:
        yield from _timed_scans(records, runs, limits)
    for scan in scans.all if presence.shown else ():
        slow = scan.factor[1] >= limits.factor if scan.factor else scan.per_s[1] < limits.files_per_s
        if slow:
            overlong = scan.seconds.low >= limits.window_s
            yield Seen(
                level="overlong" if overlong else "stated",
                words=_stated_words(scan, limits),
                lines=scan.refs,
                borne_by=(len(scan.refs), 1),
                parts=("stated",),
                weight=scan.seconds.high if overlong else scan.seconds.high / 1000,
            )


def _timed_scans(records: Records, runs: TimedRuns, limits: Limits) -> Iterator[Seen]:
    """Walks that were timed, with the number of files that they printed."""
    counts = {(run.node, " ".join(run.command.split())): run for run in records.of(CommandRun) if run.output_count}
    for run in runs.all:
        counted = counts.get((run.node, run.command)) or counts.get((run.node, f"time {run.command}"))
        files = counted.output_count if counted is not None else None
        if not files or run.seconds < limits.least_s or _SCANS.search(run.command) is None:
            continue
        per_s = files / run.seconds
        if per_s < limits.files_per_s:
            yield Seen(
                level="timed",
                words=TimedScanWords(run.command, run.node, files, run.seconds, per_s, 1000 / per_s),
                lines=(run.ref,),
                nodes=(run.node,),
                times=(run.at,),
                borne_by=(1, 1),
                parts=("timed",),
                weight=run.seconds / 1000,
            )


def _stated_words(scan: StatedScan, limits: Limits) -> StatedScanWords:
    least_ms, most_ms = scan.ms_per_file
    least, most = scan.factor or (None, None)
    return StatedScanWords(
        command=scan.what,
        speaker=scan.speaker,
        files=scan.files,
        took=scan.seconds,
        files_per_s=scan.per_s,
        most_per_s=scan.per_s[1],
        ms=scan.ms_per_file,
        least_ms=least_ms,
        most_ms=most_ms,
        per_file="cache" if most_ms < limits.cpu_ms else "seek" if least_ms > limits.seek_ms else None,
        factor=scan.factor,
        least_factor=least,
        most_factor=most,
        elsewhere=scan.reference_name,
        elsewhere_took=scan.reference,
    )


def _scanning_now(records: Records, limits: Limits) -> Iterator[Seen]:
    """Scanners among those who wait, on two nodes."""
    by_node = _holders(records, WALKS)
    everybody = [one for rows in by_node.values() for one in rows]
    waiting = {(one.node, one.pid, one.command) for one in everybody if one.waiting}
    if len(by_node) < limits.nodes or not waiting:
        return
    shown = [next((one for one in rows if one.waiting), rows[0]) for rows in by_node.values()]
    commands, nodes = (
        sorted({one.command for one in everybody if one.command}),
        sorted(node for node in by_node if node),
    )
    yield Seen(
        level="waiting",
        words=WalkersWords(tuple(commands), tuple(nodes), len(by_node), len(waiting)),
        lines=[Ref(one.artifact, one.line) for one in shown],
        nodes=nodes,
        borne_by=(len(shown), len(by_node)),
        parts=("dumps",),
        weight=float(len(waiting)),
    )


def _holders(records: Records, programs: Sequence[str]) -> dict[str | None, list[GlockHolder]]:
    """Processes of some programs that hold or want an inode's lock, by node."""
    found: dict[str | None, list[GlockHolder]] = defaultdict(list)
    if not records.has_any(GlockHolder, "command", programs):
        return found
    for one in records.of(
        GlockHolder, pl.col("command").is_in(list(programs)), pl.col("glock").str.contains(r"^[25]/")
    ):
        found[one.node].append(one)
    return found


@dataclass(frozen=True, slots=True)
class DirectoryWords:
    """entries of a directory, and how their number is known."""

    entries: float
    how: Literal["counted", "stated"]
    speaker: str | None


@rule("WL-02", needs=(Records, Claims), words=DirectoryWords)
def huge_directory(records: Records, claims: Claims, limits: Limits) -> Iterator[Seen]:
    """Symptom: work in one directory slows everybody.

    Reasoning: ten thousand entries and more, counted by ls or stated with their number, while several processes wait
    for the lock of a directory. Source: GFS2 maintainers on the linux-cluster list; limits proposed.
    """
    wanted = (pl.col("inode_type") == 4) & (pl.col("waiters") >= 2)
    if not records.has(Glock) or records.scan(Glock).filter(wanted).head(1).collect().is_empty():
        return
    for run in records.of(CommandRun):
        if (run.output_count or 0) >= limits.entries and _LISTS.match(run.command):
            yield _directory(DirectoryWords(run.output_count or 0, "counted", None), Ref(run.artifact, run.line))
    for claim in claims.all:
        if claim.unit == "files" and (claim.value or 0) >= limits.entries and _IN_DIRECTORY.search(claim.text):
            yield _directory(DirectoryWords(claim.value or 0, "stated", claim.speaker), place(claim))


def _directory(words: DirectoryWords, line: Ref) -> Seen:
    return Seen(level="large", words=words, lines=(line,), borne_by=(1, 1), parts=(words.how,), weight=3.0)


@dataclass(frozen=True, slots=True)
class MailWords:
    """nodes that serve mail as seen, or how many as stated, with so many files (most where a range is stated)."""

    nodes: tuple[str, ...]
    stated: float | None
    files: float | None
    most: float | None


@rule("WL-03", needs=(Records, Presence, Claims), words=MailWords)
def active_active_mail(records: Records, presence: Presence, claims: Claims, limits: Limits) -> Iterator[Seen]:
    """Symptom: a mail cluster is slow although each server is idle.

    Reasoning: mailboxes served by several nodes: each delivery moves the locks of directory and index, unless a user
    stays on one node. Source: GFS2 maintainers on the linux-cluster list; Red Hat guide to GFS2.
    """
    rows = _mail_against_mail(records)
    nodes = nodes_in(rows)
    if rows:
        yield _mail(MailWords(nodes, None, None, None), [Ref(one.artifact, one.line) for one in rows[:6]], "dumps")
    elif presence.shown:
        yield from _stated_mail(claims, limits)


def _mail_against_mail(records: Records) -> list[GlockHolder]:
    """A mail program that holds an inode's lock, and mail programs of other nodes that wait for the same one."""
    by_lock: dict[tuple[str | None, str | None], list[GlockHolder]] = defaultdict(list)
    for rows in _holders(records, MAIL).values():
        for row in rows:
            by_lock[row.fs, row.glock].append(row)
    for rows in by_lock.values():
        holding = [row for row in rows if row.granted and row.node]
        waiting = [row for row in rows if row.waiting and any(other.node != row.node for other in holding)]
        if holding and waiting:
            return [holding[0], *waiting]
    return []


def _stated_mail(claims: Claims, limits: Limits) -> Iterator[Seen]:
    """One for each person who states how many nodes serve mail."""
    stated: dict[tuple[int, str | None], list[Claim]] = defaultdict(list)
    for claim in claims.all:
        if _MAIL.search(claim.text):
            stated[claim.artifact, claim.speaker].append(claim)
    for some in stated.values():
        servers = next((claim for claim in some if claim.unit in _SERVERS and (claim.value or 0) >= limits.nodes), None)
        if servers is not None:
            yield _mail_of(servers, next((claim for claim in some if claim.unit == "files" and claim.value), None))


def _mail_of(servers: Claim, files: Claim | None) -> Seen:
    if files is None:
        return _mail(MailWords((), servers.value, None, None), [place(servers)], "stated")
    most = files.high if files.high != files.value else None
    return _mail(MailWords((), servers.value, files.value, most), [place(servers), place(files)], "stated")


def _mail(words: MailWords, lines: Sequence[Ref], part: str) -> Seen:
    borne_by = (len(lines), max(1, len(words.nodes)))
    return Seen(
        level="served", words=words, lines=lines, nodes=words.nodes, borne_by=borne_by, parts=(part,), weight=2.0
    )


@dataclass(frozen=True, slots=True)
class WarmedWords:
    """first_s: the first run of a command; later_s: the quickest of the others."""

    command: str
    first_s: float
    later_s: float


@rule("WL-04", needs=(TimedRuns, Presence), words=WarmedWords)
def cold_warm(timed: TimedRuns, presence: Presence, limits: Limits) -> Iterator[Seen]:
    """Symptom: the first run is slow, every later one quick.

    Reasoning: the same command on the same node, timed more than once: the cache was filled; nobody else was in the
    way. Source: inferred from how inodes and locks are kept.
    """
    runs: dict[tuple[str, str | None], list[TimedRun]] = defaultdict(list)
    for run in timed.all if presence.shown else ():
        if run.command:
            runs[run.command, run.node].append(run)
    for (command, node), some in runs.items():
        later = min((run.seconds for run in some[1:]), default=0.0)
        if later > 0 and some[0].seconds / later >= limits.ratio:
            yield Seen(
                level="warmed",
                words=WarmedWords(command[:120], some[0].seconds, later),
                lines=[run.ref for run in some[:4]],
                nodes=(node,),
                borne_by=(len(some[:4]), 1),
                parts=("timed",),
                weight=0.1,
            )
