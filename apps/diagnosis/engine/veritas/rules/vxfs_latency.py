"""Rule on the latency under a Veritas file system: volumes, disks and paths that answer slowly (R27)."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.model import Figure, Part, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.wording import count, plural
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.storage.disk_latency import Device, DiskTimes, peers
from apps.diagnosis.engine.veritas.files import VeritasFiles
from apps.diagnosis.engine.veritas.slow_commands import SlowRuns


@rule("R27")
def volume_latency(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: commands are slow on one node, or locks move slowly because their holder waits for its disk.

    Reasoning: mean times of a volume, disk or path over intervals under load, above the limit or far above its peers.
    Source: vxstat(1M); the limits are proposed, that slow disks are the commonest cause is recalled.
    """
    if not facts.get(VeritasFiles).are_there:
        return
    found = facts.get(DiskTimes).devices(limits)
    drafts = [draft for one in found if (draft := _slow(facts, one, limits) or _apart(found, one, limits)) is not None]
    yield from drafts[: int(limits.most)]


def _severity(facts: CaseFacts, one: Device, limits: Limits) -> Severity:
    """Several intervals are medium; high needs measured harm beside a very slow device."""
    if one.since_start or one.slow < 2:
        return "low"
    harmed = one.very_slow_in_a_row >= limits.in_a_row or bool(facts.get(SlowRuns).all)
    return "high" if one.worst_ms > limits.very_slow_ms and harmed else "medium"


def _slow(facts: CaseFacts, one: Device, limits: Limits) -> Draft | None:
    if not one.slow:
        return None
    slow = facts.get(SlowRuns).all
    severity = _severity(facts, one, limits)
    evidence = (*one.refs, *(run.run.ref for run in slow[:1] if severity == "high"))
    return Draft(
        severity=severity,
        variant="since_start" if one.since_start else "",
        evidence=evidence,
        words=_words(one) | {"slow": plural(one.slow, "interval"), "of": count(one.intervals), "shared": SHARED if _volume(one) else ""},
        nodes=(one.node,) if one.node else (),
        start=one.at,
        end=one.at,
        zone_min=one.zone_min,
        figures=(
            Figure("Longest mean time", one.worst_ms, "ms", limits.words("slow_ms")),
            Figure("Intervals above the limit", one.slow),
            *((Figure("Mean request", round(one.size), "B"),) if one.size else ()),
        ),
        parts=(evidence_part(len(evidence), 1), Part("completeness", 0.6 if one.since_start or one.slow < 2 else 0.9, _seen(one))),
        weight=one.worst_ms / 1000,
    )


def _words(one: Device) -> dict[str, str]:
    size = f" for requests of {count(one.size)} bytes" if one.size else ""
    return {
        "device": one.device,
        "node": f" on {one.node}" if one.node else "",
        "worst": f"{one.worst_ms:.1f}",
        "source": one.source,
        "size": size,
    }


SHARED = " In a shared disk group these figures add up all nodes, unless vxstat was called with -n."


def _volume(one: Device) -> bool:
    return one.source.startswith("vxstat")


def _seen(one: Device) -> str:
    if one.since_start:
        return "one report that counts since the start"
    return f"{one.slow} of {one.intervals} intervals under load"


def _apart(found: list[Device], one: Device, limits: Limits) -> Draft | None:
    """Far slower than its peers under like load, though below the limit."""
    others = [] if one.since_start else peers(found, one, limits)
    if not others or one.mean_ms < limits.least_ms:
        return None
    usual = median(other.mean_ms for other in others)
    if not usual or one.mean_ms < limits.apart * usual:
        return None
    evidence = (*one.refs[:2], *(other.refs[0] for other in others[:2]))
    return Draft(
        severity="medium" if one.intervals > 1 else "low",
        variant="apart",
        evidence=evidence,
        words=_words(one) | {"mean": f"{one.mean_ms:.1f}", "usual": f"{usual:.1f}", "others": plural(len(others), "other device")},
        nodes=(one.node,) if one.node else (),
        start=one.at,
        end=one.at,
        zone_min=one.zone_min,
        figures=(
            Figure("Mean time", round(one.mean_ms, 2), "ms"),
            Figure("Median of its peers", round(usual, 2), "ms"),
            Figure("Against its peers", round(one.mean_ms / usual, 1), "\u00d7", limits.words("apart")),
        ),
        parts=(
            evidence_part(len(evidence), 1),
            Part("completeness", 0.8, f"{one.intervals} intervals; that they serve one volume is not shown"),
        ),
        weight=one.mean_ms / 1000,
    )
