"""Rules on what is done with a GFS2 file system: scans of whole trees, huge directories, mail on several nodes, cold and warm runs.

What people say is a claim: it counts only with its figures and where records of the case show GFS2, such a finding asks as much as it
says, and figures of one person are never put together with another's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.claims import Claims, place
from apps.diagnosis.engine.core.model import Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.runs import TimedRun
from apps.diagnosis.engine.core.wording import count, listed
from apps.diagnosis.engine.gfs2.presence import Presence
from apps.diagnosis.engine.gfs2.stated_scans import StatedScan, StatedScans
from parsers.records import Claim, CommandRun, Glock, GlockHolder

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SCANNERS: Final = ("du", "find", "ls", "rsync", "tar", "bacula-fd", "bpbkar", "dsmc", "updatedb", "clamscan")
MAILERS: Final = ("imap", "imapd", "dovecot", "pop3", "lmtp", "deliver", "exim", "courier", "maildrop", "qmail-local", "cyrus", "local")
_MAIL: Final = re.compile(r"\b(?:imap|maildir|dovecot|courier|exim|mail ?spool|mailbox(?:es)?)\b", re.IGNORECASE)
_LISTS: Final = re.compile(r"\s*\\?ls\b")
_IN_DIRECTORY: Final = re.compile(
    r"\bfiles? (?:in|into|per) (?:an?|one|the same|a single|each|every|this) (?:director|folder)", re.IGNORECASE
)
_SERVERS: Final = ("nodes", "servers")
CLAIMED: Final = Part("completeness", 0.5, "stated by a person, not measured")


@rule("WL-01")
def full_tree_scan(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: du, find, a backup or an indexer takes hours.

    Reasoning: each inode that is new to the node needs two locks and a read; seen as scanners among the waiters of two nodes, or stated
    with files and time against the same files elsewhere.
    Source: GFS2 maintainers on the linux-cluster list; Red Hat guide to GFS2; limits proposed.
    """
    yield from _scanning_now(facts, limits)
    if not facts.get(Presence).shown:
        return
    for scan in facts.get(StatedScans).all:
        factor = scan.factor
        slow = factor is not None and factor[1] >= limits.factor
        if slow or (factor is None and scan.per_s[1] < limits.files_per_s):
            yield _stated(scan, limits)


def _range(low: float, high: float) -> str:
    one, other = _rounded(low), _rounded(high)
    return one if one == other else f"{one} to {other}"


def _rounded(value: float) -> str:
    return count(value) if value >= 100 else f"{value:.1f}" if value >= 1 else f"{value:.2g}"


def _stated(scan: StatedScan, limits: Limits) -> Draft:
    factor = scan.factor
    overlong = scan.seconds.low >= limits.window_s
    per_file = scan.ms_per_file
    each = " That is the size of a seek or of a lock fetched from another node." if per_file[0] > limits.seek_ms else ""
    each = " That is too quick for seeks or for locks fetched from another node: CPU and cache." if per_file[1] < limits.cpu_ms else each
    return Draft(
        severity="high" if overlong else "medium",
        variant="stated",
        evidence=scan.refs,
        words={
            "command": scan.what,
            "speaker": scan.speaker or "a person who is not named",
            "files": count(scan.files),
            "seconds": scan.seconds.text,
            "rate": _range(*scan.per_s),
            "ms": _range(*per_file),
            "each": each,
            "against": _against(scan),
        },
        figures=(
            Figure("Files per second, at most", round(scan.per_s[1], 2), "/s", "" if factor else limits.words("files_per_s")),
            Figure("Time per file, at least", round(per_file[0], 4), "ms"),
            Figure("Time per file, at most", round(per_file[1], 4), "ms"),
            *_slower(factor, limits),
        ),
        parts=(evidence_part(len(scan.refs), 1), CLAIMED),
        weight=scan.seconds.high if overlong else scan.seconds.high / 1000,
    )  # fmt: skip


def _against(scan: StatedScan) -> str:
    factor = scan.factor
    if factor is None or scan.reference is None:
        return ""
    return f", {_range(*factor)} times slower than {scan.reference_name} ({scan.reference.text})"


def _slower(factor: tuple[float, float] | None, limits: Limits) -> tuple[Figure, ...]:
    if factor is None:
        return ()
    most = Figure("Slower, times, at most", round(factor[1], 1), "", limits.words("factor"))
    return Figure("Slower, times, at least", round(factor[0], 1)), most


def _holders(facts: CaseFacts, programs: Sequence[str]) -> dict[str | None, list[dict[str, Any]]]:
    """Processes of some programs that hold or want an inode's lock, by node."""
    found: dict[str | None, list[dict[str, Any]]] = defaultdict(list)
    if facts.facts.has(GlockHolder):
        rows = (
            facts.facts.scan(GlockHolder)
            .filter(pl.col("command").is_in(list(programs)) & pl.col("glock").str.contains(r"^[25]/"))
            .collect()
        )
        for row in facts.named(rows).sort("artifact", "line").iter_rows(named=True):
            found[row["node"]].append(row)
    return found


def _scanning_now(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Scanners among those who wait, on two nodes."""
    by_node = _holders(facts, SCANNERS)
    waiting = {(row["node"], row["pid"], row["command"]) for rows in by_node.values() for row in rows if row["waiting"]}
    if len(by_node) < limits.nodes or not waiting:
        return
    names = sorted({row["command"] for rows in by_node.values() for row in rows})
    shown = [next((row for row in rows if row["waiting"]), rows[0]) for rows in by_node.values()]
    yield Draft(
        severity="medium",
        evidence=tuple(Ref(row["artifact"], row["line"]) for row in shown[:8]),
        words={
            "commands": listed(names),
            "nodes": listed(sorted(str(node) for node in by_node if node)) or "several nodes",
            "waiting": len(waiting),
        },
        nodes=tuple(sorted(node for node in by_node if node)),
        figures=(Figure("Nodes that scan", len(by_node), "", limits.words("nodes")), Figure("Scanners that wait", len(waiting))),
        parts=(evidence_part(len(shown), len(by_node)), Part("completeness", 0.9, "seen in the lock dumps")),
        weight=float(len(waiting)),
    )


@rule("WL-02")
def huge_directory(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: work in one directory slows everybody.

    Reasoning: ten thousand entries and more, counted by ls or stated with their number, while several processes wait for the lock of a
    directory.
    Source: GFS2 maintainers on the linux-cluster list; limits proposed.
    """
    if not _directory_wanted(facts):
        return
    for run in facts.records.of(CommandRun):
        if (run.output_count or 0) >= limits.entries and _LISTS.match(run.command):
            yield _directory(
                run.output_count or 0, Ref(run.artifact, run.line), Part("completeness", 0.75, "counted by a command"), "as counted"
            )
    for claim in facts.get(Claims).all:
        if claim.unit == "files" and (claim.value or 0) >= limits.entries and _IN_DIRECTORY.search(claim.text):
            yield _directory(claim.value or 0, place(claim), CLAIMED, f"as {claim.speaker or 'a person'} says")


def _directory_wanted(facts: CaseFacts) -> bool:
    """Whether two or more wait for the lock of one directory."""
    wanted = (pl.col("inode_type") == 4) & (pl.col("waiters") >= 2)
    return facts.facts.has(Glock) and bool(facts.facts.scan(Glock).filter(wanted).head(1).collect().height)


def _directory(entries: float, ref: Ref, part: Part, how: str) -> Draft:
    return Draft(
        severity="medium",
        evidence=(ref,),
        words={"entries": count(entries), "how": how},
        figures=(Figure("Entries", entries),),
        parts=(evidence_part(1, 1), part),
        weight=3.0,
    )


@rule("WL-03")
def active_active_mail(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a mail cluster is slow although each server is idle.

    Reasoning: mailboxes served by several nodes: each delivery moves the locks of directory and index, unless a user stays on one node.
    Source: GFS2 maintainers on the linux-cluster list; Red Hat guide to GFS2.
    """
    rows = _mail_against_mail(facts)
    nodes = sorted({str(row["node"]) for row in rows if row["node"]})
    if rows:
        refs = [Ref(row["artifact"], row["line"]) for row in rows[:6]]
        yield _mail(f"on {listed(nodes)}", refs, tuple(nodes), Part("completeness", 0.85, "seen in the lock dumps"))
        return
    if facts.get(Presence).shown:
        yield from _stated_mail(facts, limits)


def _mail_against_mail(facts: CaseFacts) -> list[dict[str, Any]]:
    """A mail program that holds an inode's lock, and mail programs of other nodes that wait for the same one."""
    by_lock: dict[tuple[Any, Any], list[dict[str, Any]]] = defaultdict(list)
    for rows in _holders(facts, MAILERS).values():
        for row in rows:
            by_lock[row["fs"], row["glock"]].append(row)
    for rows in by_lock.values():
        holding = [row for row in rows if row["granted"] and row["node"]]
        waiting = [row for row in rows if row["waiting"] and any(other["node"] != row["node"] for other in holding)]
        if holding and waiting:
            return [holding[0], *waiting]
    return []


def _stated_mail(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """One finding for each person who states how many nodes serve mail."""
    stated: dict[tuple[int, str | None], list[Claim]] = defaultdict(list)
    for claim in facts.get(Claims).all:
        if _MAIL.search(claim.text):
            stated[claim.artifact, claim.speaker].append(claim)
    for some in stated.values():
        nodes = next((claim for claim in some if claim.unit in _SERVERS and (claim.value or 0) >= limits.nodes), None)
        if nodes is not None:
            files = next((claim for claim in some if claim.unit == "files" and claim.value), None)
            where = f"on {nodes.value:g} nodes" + (f", {_files_of(files)}" if files else "")
            yield _mail(where, [place(claim) for claim in (nodes, files) if claim is not None], (), CLAIMED)


def _files_of(claim: Claim) -> str:
    low, high = claim.value or 0.0, claim.high or claim.value or 0.0
    return f"{count(low)} to {count(high)} files" if high != low else f"{count(low)} files"


def _mail(where: str, refs: Sequence[Ref], nodes: tuple[str, ...], part: Part) -> Draft:
    return Draft(
        severity="medium",
        evidence=tuple(dict.fromkeys(refs)),
        words={"where": where},
        nodes=nodes,
        parts=(evidence_part(len(refs), max(1, len(nodes))), part),
        weight=2.0,
    )


@rule("WL-04")
def cold_warm(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the first run is slow, every later one quick.

    Reasoning: the same command on the same node, timed more than once: the cache was filled; nobody else was in the way.
    Source: inferred from how inodes and locks are kept.
    """
    runs: dict[tuple[str, str | None], list[TimedRun]] = defaultdict(list)
    for run in facts.timed_runs:
        if run.command:
            runs[run.command, run.node].append(run)
    for (command, node), some in runs.items():
        later = min((run.seconds for run in some[1:]), default=0.0)
        if later > 0 and some[0].seconds / later >= limits.ratio and facts.get(Presence).shown:
            yield _warmed(f"{command[:120]} took {some[0].seconds:.1f} s, later {later:.1f} s", [run.ref for run in some[:4]], node)


def _warmed(what: str, refs: Sequence[Ref], node: str | None) -> Draft:
    return Draft(
        severity="info",
        evidence=tuple(refs),
        words={"what": what},
        nodes=(node,) if node else (),
        parts=(evidence_part(len(refs), 1), Part("completeness", 0.8, "timed")),
        weight=0.1,
    )
