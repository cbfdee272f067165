"""Rules on writes: small direct ones (SC-12), held back on purpose (SC-07), several nodes on one object (SC-33)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import polars as pl

from apps.diagnosis.engine.core.drafts import draft
from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Advice, Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, milliseconds, node_words, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Group
from apps.diagnosis.engine.scale.evidence import dumps_part, lines_of, nodes_of, span_of, zone_of
from apps.diagnosis.engine.scale.io import ScaleIo, SharedInode, SmallWrites
from apps.diagnosis.engine.scale.settings import Held, Release, ScaleSettings, shell_word
from apps.diagnosis.engine.scale.spans import Tally
from apps.diagnosis.engine.scale.waits import ScaleWaits

BATCHING: Final = "dioSmallSeqWriteBatching"
GATE: Final = "5.0.4.2"
KIB: Final = 1024
HOT_KINDS: Final = frozenset(("scale-R05", "scale-R07", "scale-R14", "scale-R37", "scale-W44"))
REVOKE: Final = "Revoke"


@rule("SC-12")
def small_direct_writes(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a data base or a log writes large files slowly although each request is quick.

    Reasoning: the I/O history shows small direct writes of AioWorkerThread, one behind the other in one block of a file.
    Source: IBM Spectrum Scale performance talk, user group, about 2020.
    """
    seen: set[str | None] = set()
    for writes in facts.get(ScaleIo).small_writes(limits.wider_bytes, limits.writes):
        if writes.node in seen or not writes.rising or writes.median_ms > limits.good_ms:
            continue
        seen.add(writes.node)
        yield _small_writes(facts, writes, limits)


def _small_writes(facts: CaseFacts, writes: SmallWrites, limits: Limits) -> Draft:
    settings = facts.get(ScaleSettings)
    held, reaches = settings.of_node(BATCHING, writes.node), settings.reaches(GATE, writes.node, BATCHING)
    is_on = held is not None and held.is_on
    variant = "before" if is_on else "release" if reaches is False else ""
    wide = writes.bytes > limits.most_bytes
    known = settings.release(writes.node)
    parts = [evidence_part(len(writes.refs), 1)]
    parts.append(
        Part("completeness", 0.6, "whose history it is, is not shown") if writes.node is None
        else Part("completeness", 0.7, "the release of the node is not shown") if reaches is None
        else Part("completeness", 1.0, "release and setting are shown")
    )  # fmt: skip
    evidence = (*writes.refs[:5], *((held.ref,) if held else ()), *((known[1],) if known else ()))
    return Draft(
        severity="medium" if not variant else "info",
        variant=variant,
        evidence=evidence,
        words={
            "node": writes.node or "A node that is not named",
            "size": f"{writes.bytes // KIB} KiB" if writes.bytes >= KIB else f"{writes.bytes} B",
            "count": writes.count,
            "inode": writes.inode,
            "median": milliseconds(writes.median_ms),
            "setting": _setting(held),
            "release": _release(reaches, known[0] if known else None),
        },
        nodes=(writes.node,) if writes.node else (),
        start=writes.first,
        end=writes.last,
        figures=(
            Figure("Writes to one block", writes.count, "", limits.words("writes")),
            Figure("Bytes each", writes.bytes, "B", limits.words("most_bytes")),
            Figure("Median", round(writes.median_ms, 3), "ms", limits.words("good_ms")),
        ),
        parts=tuple(parts),
        tunings=_batching(variant, wide=wide),
        advice=_too_old(known[0] if known else None) if variant == "release" else _batching_advice(writes, held),
        weight=float(writes.count),
    )


def _batching(variant: str, *, wide: bool) -> tuple[str, ...]:
    """Writes above the threshold need that one raised too; a release that cannot do it is told so."""
    if variant == "release":
        return ("diosmallseqwritebatching",)
    return ("diosmallseqwritebatching", "diosmallseqwritethreshold") if wide else ("diosmallseqwritebatching",)


def _too_old(release: Release | None) -> tuple[Advice, ...]:
    """The gate: releases that do not know the setting."""
    unfit = f"the node runs {'.'.join(map(str, release)) if release else 'an older release'}, and it came with {GATE}"
    return (Advice("diosmallseqwritebatching", None, (("where", ""), ("bytes", "")), unfit=unfit),)


def _batching_advice(writes: SmallWrites, held: Held | None) -> tuple[Advice, ...]:
    """For the node that writes; one that shows no value is known to lack it."""
    words = (("where", _where(writes.node)), ("bytes", str(max(2 * writes.bytes, 1 << 17))))
    lacking = (writes.node,) if held is None and writes.node else ()
    return tuple(Advice(key, None, words, lacking) for key in ("diosmallseqwritebatching", "diosmallseqwritethreshold"))


def _where(node: str | None) -> str:
    return f" -N {shell_word(node)}" if node else ""


def _setting(held: Held | None) -> str:
    if held is None:
        return f" No file shows {BATCHING}."
    return f" The last value of {BATCHING} shown for {held.holder or 'the cluster'} is {held.value}."


def _release(reaches: bool | None, release: tuple[int, ...] | None) -> str:
    number = ".".join(map(str, release)) if release else ""
    if reaches is None:
        return " Which release the node runs is not shown: mmdiag --version tells."
    return f" Its release is {number}." if number else " Its release knows the parameter."


@rule("SC-07")
def qos_throttle(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: fsync, write-behind or a snapshot hangs while the disks idle.

    Reasoning: the threads wait for tokens of the quality-of-service budget, not for a disk.
    Source: IBM APAR IJ27087; meaning of the classes from the mmlsqos documentation.
    """
    if not facts.get(ScaleWaits).any:
        return
    table = facts.get(ScaleWaits).spans
    rows = [tally for tally in table.tallies if _is_throttled(facts, tally)]
    if not rows:
        return
    longest = max(tally.longest_s or 0.0 for tally in rows)
    names = tuple(sorted({name for tally in rows for code in tally.nodes if (name := table.nodes.name(code))}))
    lines = sum(tally.lines for tally in rows)
    ranked = sorted(rows, key=lambda tally: -(tally.longest_s or 0.0))
    limited, shown, refs = _limited(facts)
    evidence = (*(Ref(tally.artifact, tally.line) for tally in ranked[:5]), *refs[:3])
    contradicted = shown and not limited
    yield Draft(
        severity="medium",
        evidence=evidence,
        words={
            "waits": plural(lines, "wait"),
            "nodes": plural(len(names) or 1, "node"),
            "longest": seconds(longest),
            "limited": f" Limited classes: {listed(limited, 6)}." if limited else "",
        },
        nodes=names,
        figures=(Figure("Throttled waiter lines", lines), Figure("Longest of them", round(longest, 4), "s")),
        parts=(evidence_part(len(evidence), len(names)), _qos_part(contradicted=contradicted)),
        advice=(Advice("qos-classes", None, (("fs", _file_system(facts)),)),),
        weight=longest,
    )


def _is_throttled(facts: CaseFacts, tally: Tally) -> bool:
    kind = facts.get(ScaleWaits).spans.texts.texts[tally.text].at(float("inf") if tally.aged else None).kind
    return kind is not None and kind.throttling


def _limited(facts: CaseFacts) -> tuple[list[str], bool, list[Ref]]:
    """Classes with a limit, whether any class is shown at all, and the lines."""
    rows = facts.in_force.filter(
        (pl.col("source") == "mmlsqos") & pl.col("name").str.starts_with("qos ") & pl.col("name").str.contains(" .* ")
    )
    last = {(row["scope"], row["name"]): row for row in rows.iter_rows(named=True)}
    limited = [row for row in last.values() if row["value"].lower() not in ("inf", "unlimited")]
    words = [f"{row['name'].removeprefix('qos ')} {row['value']}" for row in limited]
    return words, bool(last), [Ref(row["artifact"], row["line"]) for row in limited]


def _file_system(facts: CaseFacts) -> str:
    """The file system of the limits, quoted for a shell; a placeholder where it is not shown."""
    rows = facts.in_force.filter((pl.col("source") == "mmlsqos") & pl.col("scope").is_not_null())
    return shell_word(rows["scope"][-1]) if rows.height else "FILESYSTEM"


def _qos_part(*, contradicted: bool) -> Part:
    if contradicted:
        return Part("agreement", 0.6, "mmlsqos shows no class with a limit")
    return Part("agreement", 1.0, "nothing contradicts it")


@rule("SC-33")
def write_hot_spot(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: jobs that write one file or one directory from several nodes crawl, and revokes go back and forth.

    Reasoning: over several dumps the same nodes ask each other to give up tokens, or several histories show writes to one inode.
    Source: wordings of the waits partly recalled; that parting the work is the remedy follows from how tokens work.
    """
    shared = [one for one in facts.get(ScaleIo).shared_inodes() if len(one.nodes) >= limits.nodes and one.writes >= limits.writes]
    groups = _hot_groups(facts) if facts.get(ScaleWaits).any else []
    pairs = _pairs(groups)
    dumps = max((group.dumps for group in groups), default=0)
    nodes = tuple(sorted({node for pair in pairs for node in pair})) or nodes_of(groups)
    if len(nodes) >= limits.nodes and (pairs or len(nodes_of(groups)) >= limits.nodes) and dumps >= limits.dumps:
        yield _hot_spot(groups, pairs, nodes, shared, limits)
        return
    if shared:
        yield _shared_inode(shared[0], limits)


def _hot_groups(facts: CaseFacts) -> list[Group]:
    """Waits for tokens of one object whose chains end at no disk."""
    chains = facts.get(ScaleWaits).chains
    found = []
    for group in chains.groups:
        kind_id = group.text.at(group.longest_s).kind_id
        if (kind_id in HOT_KINDS or (group.want.is_rpc and REVOKE in group.want.name)) and not any(
            end.kind == "disk" or end.leaves_data for end in chains.ends[group.to]
        ):
            found.append(group)
    return found if any(group.text.at(group.longest_s).kind_id in HOT_KINDS for group in found) or _pairs(found) else []


def _pairs(groups: list[Group]) -> list[tuple[str, str]]:
    """Nodes that ask each other to give up tokens."""
    asked = {(group.node, group.to.node) for group in groups if group.want.is_rpc and REVOKE in group.want.name and group.node}
    return sorted({(str(a), b) for a, b in asked if str(a) < b and (b, a) in asked})


def _hot_spot(
    groups: list[Group], pairs: list[tuple[str, str]], nodes: tuple[str, ...], shared: list[SharedInode], limits: Limits
) -> Draft:
    longest = max(group.longest_s for group in groups)
    waits = sum(group.waits for group in groups)
    evidence = (*lines_of(groups, most=6), *(ref for one in shared[:1] for ref in one.refs[:2]))
    start, end = span_of(groups)
    return Draft(
        severity="high" if longest > limits.severe_s else "medium",
        evidence=evidence,
        words={
            "nodes": node_words(nodes),
            "waits": plural(waits, "wait"),
            "longest": seconds(longest),
            "pairs": _told(pairs, nodes),
            "shared": f" The I/O histories show inode {shared[0].inode} written by {node_words(shared[0].nodes)}." if shared else "",
        },
        nodes=nodes,
        start=start,
        end=end,
        zone_min=zone_of(groups),
        figures=(Figure("Waits for tokens", waits), Figure("Longest of them", round(longest, 4), "s", limits.words("severe_s"))),
        parts=(evidence_part(len(evidence), len(nodes)), dumps_part(groups)),
        causes=("SC-05",),
        weight=longest,
    )  # fmt: skip


def _told(pairs: list[tuple[str, str]], nodes: tuple[str, ...]) -> str:
    if not pairs:
        return f"{node_words(nodes)} wait for tokens of one object, dump after dump."
    told = listed([f"{a} and {b} ask each other" for a, b in pairs], 3)
    return f"{told} to give up tokens, dump after dump."


def _shared_inode(one: SharedInode, limits: Limits) -> Draft:
    thing = "directory" if one.what == "metadata" else "file"
    block = " Some of them hit the same block: false sharing, or the same records." if one.same_block else " They hit different blocks."
    return draft(
        "low", one.refs,
        {
            "nodes": node_words(one.nodes), "thing": thing, "inode": one.inode, "writes": plural(one.writes, "write"), "disk": one.device,
            "block": block,
        },
        variant="history", nodes=one.nodes, lacks="no dump of waiters shows that anybody waits for it", basis="proposed",
        figures=(
            Figure("Nodes that write it", len(one.nodes), "", limits.words("nodes")),
            Figure("Writes", one.writes, "", limits.words("writes")),
        ),
    )  # fmt: skip
