"""Rules on what is done with a GFS2 file system: scans of whole trees, huge directories, mail on several nodes, cold and warm runs.

What people say is a claim: such a finding asks as much as it tells, and figures of one person are never put together with another's.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, listed
from apps.diagnosis.engine.prose.stated_scans import GFS, StatedScan, claim_rows, stated_scans
from parsers.records import CommandRun, Glock, GlockHolder

if TYPE_CHECKING:
    from apps.diagnosis.engine.core.knowledge import Limits
    from apps.diagnosis.engine.facts import CaseFacts

SCANNERS: Final = ("du", "find", "ls", "rsync", "tar", "bacula-fd", "bpbkar", "dsmc", "updatedb", "clamscan")
MAILERS: Final = ("imap", "imapd", "dovecot", "pop3", "lmtp", "deliver", "exim", "courier", "maildrop", "qmail-local", "cyrus", "local")
_MAIL: Final = re.compile(r"\b(?:imap|maildir|dovecot|courier|exim|mail ?spool|mailbox(?:es)?)\b", re.IGNORECASE)
_COMPLAINT: Final = re.compile(r"\b(?:slow\w*|performance|downhill|hangs?|appalling|takes?|stuck|freez\w+)\b", re.IGNORECASE)
_IN_DIRECTORY: Final = re.compile(r"\bfiles? (?:in|into|per) (?:a|one|the same|a single|each) director", re.IGNORECASE)
_WARM: Final = re.compile(r"\bfirst (?:time|run)\b.{0,120}\b(?:later|afterwards|subsequent)\b.{0,80}\bfaster\b", re.IGNORECASE)
CLAIMED: Final = Part("completeness", 0.5, "told by a person, not measured")


def on_gfs(facts: CaseFacts) -> bool:
    """Whether the case is about GFS2 at all: its locks, its mounts, or people who speak of it."""
    if facts.facts.has(Glock) or facts.settings.filter(pl.col("source").is_in(["gfs2 sysfs", "dlm configfs"])).height:
        return True
    return any(GFS.search(row["text"]) for row in claim_rows(facts))


@rule("WL-01")
def full_tree_scan(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: du, find, a backup or an indexer takes hours.

    Reasoning: each inode that is new to the node needs two locks and a read; seen as scanners among the waiters of two nodes, or stated
    with files and time against the same files elsewhere.
    Source: GFS2 maintainers on the linux-cluster list; Red Hat guide to GFS2; limits proposed.
    """
    yield from _scanning_now(facts, limits)
    if not on_gfs(facts):
        return
    for scan in stated_scans(facts):
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
        evidence=(*scan.refs, *((scan.warm_later,) if scan.warm_later else ())),
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

    Reasoning: ten thousand entries and more, in a directory whose lock is wanted, or that people complain of.
    Source: GFS2 maintainers on the linux-cluster list; limits proposed.
    """
    if on_gfs(facts):
        for row in claim_rows(facts):
            if (
                row["unit"] == "files"
                and (row["value"] or 0) >= limits.entries
                and _IN_DIRECTORY.search(row["text"])
                and _COMPLAINT.search(row["text"])
            ):
                yield _directory(row["value"], Ref(row["artifact"], row["line"]), CLAIMED, f"as {row['speaker'] or 'a person'} says", "")
    yield from _counted(facts, limits)


def _counted(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """``ls DIRECTORY | wc -l`` beside a directory whose lock several processes want."""
    if not facts.facts.has(Glock) or not facts.facts.has(CommandRun):
        return
    wanted = (
        facts.facts.scan(Glock).filter((pl.col("inode_type") == 4) & (pl.col("waiters") >= 2)).select("artifact", "line").head(3).collect()
    )
    runs = facts.facts.frame(CommandRun).filter(
        (pl.col("output_count") >= limits.entries) & pl.col("command").str.contains(r"^\s*(?:\\?ls)\b")
    )
    for row in runs.iter_rows(named=True) if wanted.height else ():
        draft = _directory(
            row["output_count"], Ref(row["artifact"], row["line"]), Part("completeness", 0.75, "counted by a command"), "as counted", ""
        )
        yield draft


def _directory(entries: float, ref: Ref, part: Part, how: str, variant: str) -> Draft:
    return Draft(
        severity="medium",
        variant=variant,
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
    if on_gfs(facts):
        yield from _told_of_mail(facts, limits)


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


def _told_of_mail(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """One finding for each person who tells of mail on two or more nodes."""
    told: dict[tuple[int, str | None], list[dict[str, Any]]] = defaultdict(list)
    for row in claim_rows(facts):
        told[row["artifact"], row["speaker"]].append(row)
    for (artifact, _), rows in told.items():
        mail = [row for row in rows if _MAIL.search(row["text"])]
        nodes = [row for row in rows if row["unit"] == "nodes" and (row["value"] or 0) >= limits.nodes and _MAIL.search(row["text"])]
        if mail and nodes:
            files = next((row for row in mail if row["unit"] == "files" and row["value"]), None)
            where = f"on {nodes[0]['value']:g} nodes" + (f", {_files_of(files)}" if files else "")
            refs = [Ref(artifact, row["line"]) for row in (nodes[0], files) if row is not None]
            yield _mail(where, refs, (), CLAIMED)


def _files_of(row: dict[str, Any]) -> str:
    high = row["high"] or row["value"]
    return f"{count(row['value'])} to {count(high)} files" if high != row["value"] else f"{count(row['value'])} files"


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

    Reasoning: the same command on the same node, timed more than once, or told so: the cache was filled; nobody else was in the way.
    Source: inferred from how inodes and locks are kept.
    """
    if not on_gfs(facts):
        return
    runs: dict[tuple[str, str | None], list[Any]] = defaultdict(list)
    for run in facts.timed_runs:
        if run.command:
            runs[run.command, run.node].append(run)
    for (command, node), some in runs.items():
        later = min((run.seconds for run in some[1:]), default=0.0)
        if later > 0 and some[0].seconds / later >= limits.ratio:
            yield _warmed(
                f"{command[:120]} took {some[0].seconds:.1f} s, later {later:.1f} s",
                [run.ref for run in some[:4]],
                node,
                Part("completeness", 0.8, "timed"),
            )
    seen: set[str] = set()
    for row in claim_rows(facts):
        if row["text"] not in seen and _WARM.search(row["text"]):
            seen.add(row["text"])
            yield _warmed(f"told by {row['speaker'] or 'a person'}", [Ref(row["artifact"], row["line"])], None, CLAIMED)


def _warmed(what: str, refs: Sequence[Ref], node: str | None, part: Part) -> Draft:
    severity: Severity = "info"
    return Draft(
        severity=severity,
        evidence=tuple(refs),
        words={"what": what},
        nodes=(node,) if node else (),
        parts=(evidence_part(len(refs), 1), part),
        weight=0.1,
    )
