"""Rules on the whole picture of Scale: overload (SC-06), chains that leave the data (SC-11), test waiters (SC-16), health (SC-26)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import polars as pl

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, Part, Ref
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.spans import NO_TIME
from apps.diagnosis.engine.core.wording import count, listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind, Chains
from apps.diagnosis.engine.scale.evidence import dumps_part, lines_of, nodes_of, shown, span_of, zone_of
from apps.diagnosis.engine.scale.signs import EXPELS, LOSSES
from apps.diagnosis.engine.scale.spans import TEST_KIND

_FORCE: Final = {"threshold": "Threshold in force", "threshold_short": "Threshold in force for short waiters"}


@rule("SC-06")
def overload(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: everything is slow and nothing in particular hangs.

    Reasoning: waits for I/O and network are many and long on most nodes, and no one end holds most of them; or the product says so itself.
    Source: IBM Spectrum Scale performance talk (category 4, overload index); the deadlock detector's printed sentence.
    """
    if not facts.scale.any and facts.scale.deadlock_facts.is_empty():
        return
    yield from _printed(facts)
    if facts.scale.any:
        yield from _measured(facts, limits)


def _printed(facts: CaseFacts) -> Iterator[Draft]:
    """The product judged the cluster overloaded."""
    rows = facts.scale.deadlock_facts.filter((pl.col("what") == "overloaded") & (pl.col("value") == 1)).sort("artifact", "line")
    if rows.is_empty():
        return
    first = rows.row(0, named=True)
    refs = tuple(Ref(a, line) for a, line in rows.select("artifact", "line").head(4).iter_rows())
    yield Draft(
        severity="medium",
        variant="printed",
        evidence=refs,
        words={"cluster": first["name"] or "The cluster", "times": plural(rows.height, "time")},
        nodes=tuple(sorted(rows["node"].drop_nulls().unique().to_list())),
        start=rows["at"].min(),  # type: ignore[arg-type]
        end=rows["at"].max(),  # type: ignore[arg-type]
        parts=(evidence_part(len(refs), 1), Part("completeness", 1.0, "the product's own verdict")),
        basis="stated",
    )


def _measured(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    chains, table = facts.scale.chains, facts.scale.spans
    waits = sum(n for n, _ in table.load.values())
    if waits < limits.waits or len(table.load) < limits.nodes:
        return
    mean_s = sum(s for _, s in table.load.values()) / waits
    loaded = [node for node, (n, total) in table.load.items() if total / n >= limits.mean_s]
    groups = [g for g in chains.groups if g.category == 4]
    top, beyond = _shares(chains)
    is_spread = len(loaded) >= limits.nodes_share * len(table.nodes.names) and top < limits.one_end and beyond < limits.beyond
    if mean_s < limits.mean_s or not is_spread or not groups:
        return
    evidence = lines_of(groups)
    start, end = span_of(groups)
    yield Draft(
        severity="medium",
        evidence=evidence,
        words={
            "waits": plural(waits, "wait"),
            "mean": seconds(mean_s),
            "loaded": count(len(loaded)),
            "nodes": plural(len(table.nodes.names), "node"),
            "ends": count(len(chains.behind)),
        },
        nodes=nodes_of(groups),
        start=start,
        end=end,
        zone_min=zone_of(groups),
        figures=(
            Figure("Waits for I/O and network", waits, "", limits.words("waits")),
            Figure("Their mean", round(mean_s, 2), "s", limits.words("mean_s")),
            Figure("Share of the end that holds most", round(top, 2), "", limits.words("one_end")),
        ),
        parts=(evidence_part(len(evidence), len(loaded)), Part("completeness", 0.9, "I/O history was not compared"), dumps_part(groups)),
        weight=mean_s,
    )


def _shares(chains: Chains) -> tuple[float, float]:
    """Share of the waits that one end holds at most, and of those whose chains leave the files: a load needs the ends in sight."""
    total = sum(g.waits for g in chains.groups) or 1
    beyond = sum(b.waiters for b in chains.behind if b.end.leaves_data)
    return max((b.waiters for b in chains.behind), default=total) / total, beyond / total


@rule("SC-11")
def leaves_data(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: threads wait for a node that the upload does not show.

    Reasoning: the chain goes to a node without waiters of that time in these files, or to a holder that no dump names.
    Source: the dumps themselves.
    """
    if not facts.scale.any:
        return
    open_ends = [b for b in facts.scale.chains.behind if b.end.leaves_data or b.end.what == "token"]
    for behind in open_ends[: int(limits.most)]:
        yield _open_end(behind)


def _open_end(behind: Behind) -> Draft:
    groups, end = behind.groups, behind.end
    evidence = lines_of([g for g in groups if g.to.node == end.what or end.what == "token"], groups, most=4)
    start, end_at = span_of(groups)
    return Draft(
        severity="info",
        variant="" if end.leaves_data else "holder",
        evidence=evidence,
        words={
            "node": end.what,
            "asker": shown(end.node),
            "waits": plural(behind.waiters, "wait"),
            "longest": seconds(behind.longest_s),
            "messages": listed(sorted({g.want.via for g in groups if g.to.node == end.what})) or "messages",
            "from": listed(behind.nodes) or shown(None),
        },
        nodes=behind.nodes,
        start=start,
        end=end_at,
        zone_min=zone_of(groups),
        figures=(Figure("Waits that end there", behind.waiters), Figure("Longest of them", round(behind.longest_s, 4), "s")),
        parts=(evidence_part(len(evidence), len(behind.nodes)), Part("completeness", 1.0, "all files were searched for that node")),
        weight=behind.longest_s,
    )


@rule("SC-16")
def test_waiter(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a very old waiter of a dump command.

    Reasoning: thread MMFSADMDumpCmdThread waiting for mercy is made by a test command.
    Source: IBM Spectrum Scale performance talk.
    """
    if not facts.scale.any:
        return
    table = facts.scale.spans
    tests = table.kept_of(TEST_KIND)
    if not len(tests):
        return
    nodes = tuple(sorted({name for code in tests.node.tolist() if (name := table.nodes.name(code))}))
    longest = float(tests.seconds.max())
    starts, ends = (times[times != NO_TIME].tolist() for times in (tests.start, tests.end))
    refs = tuple(Ref(artifact, line) for artifact, line in zip(tests.artifact[:4].tolist(), tests.line[:4].tolist(), strict=True))
    force = _in_force(facts)
    yield Draft(
        severity="info",
        evidence=(*refs, *(Ref(row["artifact"], row["line"]) for row in force.values())),
        words={"node": listed(nodes) or shown(None), "longest": seconds(longest), "detected": _detected(force, longest)},
        nodes=nodes,
        start=min(starts, default=None),
        end=max(ends, default=None),
        figures=(
            Figure("Age of the test waiter", round(longest, 4), "s"),
            *(Figure(_FORCE[what], force[what]["value"], "s") for what in force),
        ),
        parts=(evidence_part(len(refs), len(nodes)), Part("completeness", 1.0, "the line itself says it")),
    )


def _in_force(facts: CaseFacts) -> dict[str, dict[str, Any]]:
    """The thresholds of detection that the dumps print last."""
    rows = facts.scale.deadlock_facts.filter(pl.col("what").is_in(list(_FORCE)) & pl.col("value").is_not_null())
    last = {row["what"]: row for row in rows.sort("artifact", "line").iter_rows(named=True)}
    return {what: last[what] for what in _FORCE if what in last}


def _detected(force: dict[str, dict[str, Any]], longest: float) -> str:
    """Whether the detector had to see it; with a leading blank."""
    if "threshold" not in force:
        return ""
    seen = "older than that, so the detector sees it" if longest > force["threshold"]["value"] else "younger than that"
    return f" The threshold in force is printed as {seconds(force['threshold']['value'])}: it is {seen}."


@rule("SC-26")
def healthy(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: none, or a complaint that has another cause.

    Reasoning: no wait that should be short lasts a second, I/O waits pass the check of count and median, nothing says overloaded.
    Source: age bands proposed here; median check of I/O waits proposed here.
    """
    if not facts.scale.any or not _is_quiet(facts):
        return
    table = facts.scale.spans
    judged = [t for t in table.tallies if table.texts.texts[t.text].at(float("inf") if t.aged else None).category in (3, 4)]
    longest = max(judged, key=lambda t: (t.longest_s or 0.0, -t.text), default=None)
    worst_s = (longest.longest_s or 0.0) if longest else 0.0
    some = longest or table.tallies[0]
    moments = table.moments.values()
    bands = limits_of("scale-bands")
    yield Draft(
        severity="info",
        evidence=(Ref(some.artifact, some.line),),
        words={
            "waiters": plural(table.waiters, "waiter"),
            "nodes": plural(max(1, len(table.nodes.names)), "node"),
            "longest": seconds(worst_s) if longest else "none",
        },
        nodes=tuple(table.nodes.names[:50]),
        start=min((first for first, _ in moments), default=None),
        end=max((last for _, last in moments), default=None),
        figures=(
            Figure("Waiter lines", table.waiters),
            Figure("Longest wait that should be short", round(worst_s, 4), "s", bands.words("slow_s")),
        ),
        parts=(
            Part("evidence", 0.7, f"{plural(table.waiters, 'waiter')} looked at"),
            Part("completeness", 0.7, "only what was sent is judged"),
        ),
    )


def _is_quiet(facts: CaseFacts) -> bool:
    scale, table = facts.scale, facts.scale.spans
    bands = limits_of("scale-bands")
    known = np.array([scale.category_of(text, None) is not None for text in table.texts.texts], np.bool_)
    kept = table.kept
    strange = bool(np.any(~known[kept.text] & (kept.seconds >= bands.serious_s)))
    held_back = bool(np.any(np.array([_throttles(text.by_age.kind) for text in table.texts.texts], np.bool_)[kept.text]))
    waits, above = sum(row.waits for row in table.io), sum(row.above for row in table.io)
    slow_io = waits >= bands.io_waits and above * 2 > waits
    overloaded = not scale.deadlock_facts.filter((pl.col("what") == "overloaded") & (pl.col("value") == 1)).is_empty()
    logged = bool(scale.signs.events((*EXPELS, *LOSSES, "long-waiter")))
    return not (scale.chains.groups or strange or held_back or slow_io or overloaded or logged)


def _throttles(kind: object) -> bool:
    return bool(getattr(kind, "throttling", False))
