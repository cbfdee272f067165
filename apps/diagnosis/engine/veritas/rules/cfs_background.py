"""Rules beside storms of locks: locks that are given back (R8), and whether a release knows what would help (R26)."""

from __future__ import annotations

from collections.abc import Iterator

from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.lock_evidence import doubts, each_once, rate, sample_lines
from apps.diagnosis.engine.veritas.lock_mounts import Mounts, span
from apps.diagnosis.engine.veritas.lock_roles import names
from apps.diagnosis.engine.veritas.lock_samples import LazyStates
from apps.diagnosis.engine.veritas.vxfs_release import LAZY_TUNING, Releases
from parsers.dataclass import dataclass


@dataclass(frozen=True, slots=True)
class DrainWords:
    """h_revoke: per second in the busiest sample."""

    node: str | None
    nodes: tuple[str, ...]
    scope: str
    h_revoke: float


@rule("R8", needs=(Mounts,), words=DrainWords)
def drain(mounts: Mounts, limits: Limits) -> Iterator[Seen]:
    """Symptom: a walk that was quick gets slower over hours without another node in sight.

    Reasoning: a few h revokes per second, no grants, and no peer that pulls at the same time.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        quiet = [role for role in mount.roles if role.role == "drain" and rate(role, "h_revoke") >= limits.least_per_s]
        quiet = [
            role
            for role in quiet
            if not any(o.role in ("puller", "ping_pong") for o in mount.near(role, limits.peer_s))
        ]
        if not quiet:
            continue
        peak = max(quiet, key=lambda role: rate(role, "h_revoke"))
        others = {role.node: role for role in reversed(quiet) if role.node != peak.node}
        shown = [peak, *(others[node] for node in sorted(others, key=str))][:3]
        involved = names(quiet)
        yield Seen(
            level="several" if len(involved) > 1 else "one",
            words=DrainWords(peak.node, involved, mount.name, rate(peak, "h_revoke")),
            lines=each_once(*(sample_lines(role, "h_revoke") for role in shown)),
            nodes=involved,
            times=span(quiet),
            zone_min=peak.zone_min,
            parts=doubts(shown),
        )


@dataclass(frozen=True, slots=True)
class GateWords:
    """Releases that are too old, with the node that shows each."""

    scope: str
    releases: tuple[tuple[str, str | None], ...]


@rule("R26", needs=(Mounts, LazyStates, Releases), words=GateWords)
def version_gate(mounts: Mounts, lazy: LazyStates, releases: Releases, limits: Limits) -> Iterator[Seen]:
    """Symptom: lazy_isize_enable would help, and nothing shows that this release knows it.

    Reasoning: the parameter is visible in vxtunefs output where it exists; a version of VxFS from 6.1 on knows it as
    well. Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        needing = [role for role in mount.roles if role.lazy_isize != "on" and role.role in ("puller", "ping_pong")]
        if not needing or lazy.of(mount.scope) or releases.knows(LAZY_TUNING):
            continue
        old = releases.too_old
        peak = max(needing, key=lambda role: max(rate(role, "pull"), rate(role, "h_grant")))
        evidence = each_once(sample_lines(peak, "pull", "g_grant"), tuple(release.ref for release in old[:3]))
        yield Seen(
            level="old" if old else "unknown",
            words=GateWords(mount.name, tuple((release.version, release.node) for release in old)),
            lines=evidence,
            nodes=names([peak]),
            times=(peak.at,),
            zone_min=peak.zone_min,
            borne_by=(len(evidence), 1),
            parts=doubts([peak]),
        )
