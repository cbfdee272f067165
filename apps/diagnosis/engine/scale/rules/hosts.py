"""Rules on hosts below Spectrum Scale: maintenance (SC-09), a daemon without time or memory (SC-30), paths and adapters (SC-36)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import listed, plural, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.scale.chains import Behind
from apps.diagnosis.engine.scale.evidence import lines_of, shown, span_of, zone_of
from apps.diagnosis.engine.scale.shapes import Text
from apps.diagnosis.engine.scale.signs import EXPELS, LOSSES, PATHS, STARVED, Sign, Signs, refs_of, when
from apps.diagnosis.engine.scale.waits import ScaleWaits

JOBS: Final = {
    "scale-W08": "a restripe, a disk being removed or a policy run",
    "scale-W22": "a file system check",
    "scale-W23": "a file system check",
    "scale-W26": "a rebuild of the native RAID",
    "scale-W27": "a rebuild of the native RAID",
}
_PATH_WORDS: Final = {
    "path-failed": "failed path", "path-offline": "device offline", "io-error": "I/O error", "rport-lost": "remote port lost",
    "command-aborted": "aborted command", "paths-remaining": "path lost", "path-checker-timeout": "path check timed out",
    "path": "bad path",
}  # fmt: skip
_STARVED_WORDS: Final = {
    "hung-task": "hung task", "soft-lockup": "soft lockup", "cpu-stall": "stalled processor", "out-of-memory": "out of memory",
    "pswpout/s": "swapping out", "so": "swapping out", "%steal": "processor taken by the hypervisor",
    "st": "processor taken by the hypervisor",
}  # fmt: skip


@rule("SC-09")
def maintenance(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: old waiters of a maintenance job, and nothing else waits long.

    Reasoning: their kinds belong to restripe, check, rebuild or are marked Long; the detector tolerates them and no chain is behind them.
    Source: IBM Spectrum Scale performance talk (waiters that may be long).
    """
    if not facts.get(ScaleWaits).any or facts.get(ScaleWaits).chains.groups:
        return
    table = facts.get(ScaleWaits).spans
    own = [t for t in table.tallies if (t.longest_s or 0.0) >= limits.age_s and _job(table.texts.texts[t.text]) is not None]
    if not own:
        return
    jobs = sorted({job for t in own if (job := _job(table.texts.texts[t.text]))})
    nodes = tuple(sorted({name for t in own for code in t.nodes if (name := table.nodes.name(code))}))
    longest = max(t.longest_s or 0.0 for t in own)
    evidence = tuple(Ref(t.artifact, t.line) for t in sorted(own, key=lambda t: -(t.longest_s or 0.0))[:5])
    yield Draft(
        severity="info",
        evidence=evidence,
        words={
            "jobs": listed(jobs), "waits": plural(sum(t.lines for t in own), "waiter line"), "longest": seconds(longest),
            "nodes": listed(nodes) or shown(None),
        },
        nodes=nodes,
        figures=(
            Figure("Waiter lines of such jobs", sum(t.lines for t in own)),
            Figure("Oldest", round(longest, 4), "s", limits.words("age_s")),
        ),
        parts=(evidence_part(len(evidence), len(nodes)), Part("completeness", 0.9, "whether the job makes progress is not in one dump")),
    )  # fmt: skip


def _job(text: Text) -> str | None:
    kind = text.by_age.kind_id
    long: bool = text.shape.long
    return JOBS.get(kind or "") or ("work that may last, as the product marks it" if long else None)


@rule("SC-30")
def daemon_starved(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one node answers nobody for a while, then goes on, or is expelled.

    Reasoning: its kernel tells of hung tasks, lockups or lack of memory, or samples show swapping or stolen time, where chains end.
    Source: the kernel's own messages; the limits of the samples are proposed.
    """
    signs = facts.get(Signs)
    starved = [s for s in (*signs.events(STARVED), *signs.strained) if s.node]
    if not starved:
        return
    ends = _ends(facts)
    lost = {
        name for s in signs.events((*EXPELS, *LOSSES, "lease-overdue")) for name in (s.about, s.node if s.kind != "expel" else None) if name
    }
    for node in sorted({s.node for s in starved if s.node}):
        behind = ends.get(node)
        start, end = span_of(behind.groups) if behind else (None, None)
        own = [s for s in starved if s.node == node and s.is_near(start, end, round(limits.slack_s * 1e6))]
        if own and (behind is not None or node in lost):
            yield _starved(node, own, behind, limits, is_lost=node in lost)


def _ends(facts: CaseFacts) -> dict[str, Behind]:
    """Nodes in which chains end, by name; a disk says more than the host around it."""
    if not facts.get(ScaleWaits).any:
        return {}
    own = [
        b for b in facts.get(ScaleWaits).chains.behind if b.end.node and b.end.kind in ("node", "thread", "lock") and not b.end.in_circle
    ]
    return {b.end.node: b for b in reversed(own) if b.end.node}


def _starved(node: str, own: Sequence[Sign], behind: Behind | None, limits: Limits, *, is_lost: bool) -> Draft:
    is_kernel = any(s.kind in STARVED for s in own)
    longest = behind.longest_s if behind else 0.0
    severity: Severity = "high" if is_kernel and (longest >= limits.severe_s or is_lost) else "medium" if is_kernel else "low"
    start, end = when(own)
    return Draft(
        severity=severity,
        variant="" if behind else "lost",
        evidence=(*refs_of(own, 4), *(lines_of(behind.groups, most=3) if behind else ())),
        words={
            "node": node,
            "signs": listed(sorted({_STARVED_WORDS.get(s.kind, s.kind) for s in own})),
            "lines": plural(len(own), "line"),
            "waits": plural(behind.waiters, "wait") if behind else "",
            "longest": seconds(longest),
        },
        nodes=(node,) if behind is None else tuple(sorted({*behind.nodes, node})),
        start=start,
        end=end,
        figures=(
            Figure("Lines of the kernel or samples", len(own)),
            Figure("Longest wait that ends there", round(longest, 4), "s", limits.words("severe_s")),
        ),
        parts=(evidence_part(len(own), 1), Part("completeness", 0.9, "what takes memory or time is not in the files")),
        causes=("SC-03", "SC-21", "SC-22", "SC-28") if severity == "high" else (),
        basis="derived" if is_kernel else "proposed",
        weight=longest,
    )


@rule("SC-36")
def path_or_hba(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: one disk or one server is slow, and every application behind it.

    Reasoning: on that server the kernel or the multipath tool shows a failed path, resets, aborted commands or I/O errors at that time.
    Source: messages of kernel and multipath as printed; taking a path out is recalled practice.
    """
    signs = facts.get(Signs)
    shown_signs = [s for s in (*signs.events(PATHS), *signs.bad_paths) if s.node]
    if not shown_signs or not facts.get(ScaleWaits).any:
        return
    for behind in [b for b in facts.get(ScaleWaits).chains.behind if b.end.kind == "disk" and b.end.node][: int(limits.most)]:
        start, end = span_of(behind.groups)
        own = [s for s in shown_signs if s.node == behind.end.node and s.is_near(start, end, round(limits.slack_s * 1e6))]
        if own:
            yield _bad_path(facts, behind, own, limits)


def _bad_path(facts: CaseFacts, behind: Behind, own: Sequence[Sign], limits: Limits) -> Draft:
    disk, server = behind.end.what, behind.end.node
    names = facts.get(Signs).maps_of(disk)
    same = [s for s in own if s.about in names or any(name in s.text.split() for name in names)]
    start, end = span_of(behind.groups)
    harm = behind.longest_s >= limits.severe_s
    return Draft(
        severity="high" if same and harm else "medium" if harm else "low",
        variant="" if same else "server",
        evidence=(*refs_of(same or own, 4), *lines_of(behind.groups, most=4)),
        words={
            "disk": disk,
            "server": shown(server),
            "signs": listed(_counted(same or own)),
            "waits": plural(behind.waiters, "wait"),
            "nodes": plural(len(behind.nodes) or 1, "node"),
            "longest": seconds(behind.longest_s),
        },
        nodes=behind.nodes,
        start=start,
        end=end,
        zone_min=zone_of(behind.groups),
        figures=(
            Figure("Signs on the path", len(same or own)),
            Figure("Longest wait behind the disk", round(behind.longest_s, 4), "s", limits.words("severe_s")),
        ),
        parts=(
            evidence_part(len(own), len(behind.nodes)),
            Part(
                "completeness",
                1.0 if same else 0.7,
                "the signs name that disk" if same else "the signs are of the same server; which disk they concern is not printed",
            ),
        ),
        causes=("SC-01",) if same else (),
        basis="derived" if same else "inferred",
        weight=float(behind.waiters) + behind.longest_s,
    )


def _counted(signs: Sequence[Sign]) -> list[str]:
    tally: dict[str, int] = {}
    for sign in signs:
        words = _PATH_WORDS.get(sign.kind, sign.kind)
        tally[words] = tally.get(words, 0) + 1
    return [f"{number} \u00d7 {words}" for words, number in sorted(tally.items(), key=lambda item: (-item[1], item[0]))]
