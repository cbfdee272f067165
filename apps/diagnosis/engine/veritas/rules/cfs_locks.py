"""Rules on the cluster locks of a VxFS mount: first access (R4), pulls (R5, R6), ping-pong (R7), give-back (R8), version gate (R26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import Figure, LockRole, Part, Ref, Severity
from apps.diagnosis.engine.core.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.core.runs import TimedRuns
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.core.wording import listed, per_s, seconds
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.veritas.before_after import History
from apps.diagnosis.engine.veritas.harm import Harm, harm_of
from apps.diagnosis.engine.veritas.lock_mounts import Change, Mount, Mounts, is_before, lazy_change, span
from apps.diagnosis.engine.veritas.lock_roles import names
from apps.diagnosis.engine.veritas.lock_samples import LazyStates
from apps.diagnosis.engine.veritas.vxfs_release import LAZY_TUNING, Releases

REGIMES: Final = ("off", "on", "unknown")
SWAPPED: Final = " The headings above these samples contradict the counters: the counters decide who pulls."


def _rate(role: LockRole, key: str) -> float:
    return role.per_s.get(key, 0.0)


def _lost(role: LockRole) -> float:
    """h locks taken away, without the book-keeping of the node's own pulls."""
    return max(0.0, _rate(role, "h_revoke") - _rate(role, "h_deinit"))


def _refs(role: LockRole, *keys: str) -> tuple[Ref, ...]:
    """Header of the sample and the lines of the named counters."""
    return (role.ref, *(role.refs[key] for key in keys if key in role.refs))


def _lines(*refs: tuple[Ref, ...]) -> tuple[Ref, ...]:
    """Lines once each: two counters often share a row."""
    return tuple(dict.fromkeys(ref for some in refs for ref in some))


def _seen(roles: Sequence[LockRole], otherwise: str = "another node") -> str:
    """The first node's name in a sentence."""
    return (roles[0].node or "a node whose name is not shown") if roles else otherwise


def _completeness(both: bool) -> Part:
    if both:
        return Part("completeness", 1.0, "both nodes are here for that moment")
    return Part("completeness", 0.85, "only one side of the exchange is here")


def _agreement(roles: Sequence[LockRole], taken: float = 0.0, given: float = 0.0) -> Part:
    """taken, given: two rates that count the same thing on both sides; 0 where one side is not here."""
    if any(role.label_conflict for role in roles):
        return Part("agreement", 0.9, "node labels contradict the counters; the counters decide")
    if any(role.node_inferred for role in roles):
        return Part("agreement", 0.95, "one sample's node is inferred from overlapping windows")
    if taken and given and abs(taken - given) > limits_of("lock-roles").both_sides * taken:
        return Part("agreement", 0.9, f"the two sides count differently: {per_s(taken)}/s and {per_s(given)}/s")
    return Part("agreement", 1.0, "nothing contradicts it")


@rule("R4")
def normalise_storm(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a first walk from a second node is many times slower than a cold one.

    Reasoning: vxi_normalize_locks rises on the node that used the inodes alone, while the other node initialises h locks and pulls.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        storms = [role for role in mount.roles if _rate(role, "normalize") >= limits.normalize_per_s]
        if not storms:
            continue
        peak = max(storms, key=lambda role: _rate(role, "normalize"))
        pullers = [role for role in mount.near(peak, limits.pair_s) if role.role == "puller"][:1]
        forecasts = [role for storm in storms for role in mount.near(storm, limits.pair_s) if role.role == "puller"]
        harm = harm_of(facts.get(TimedRuns), [*storms, *forecasts], mount.roles, key="normalize", peak=pullers[0] if pullers else peak)
        history = History(facts.get(Settings), facts.get(TimedRuns), mount)
        start, end = span([*storms, *forecasts])
        evidence = _lines(_refs(peak, "h_revoke", "normalize"), *(_refs(role, "h_init", "pull") for role in pullers), harm.refs)
        counted = (_rate(pullers[0], "pull"), _rate(pullers[0], "h_init")) if pullers else (0.0, 0.0)
        yield Draft(
            severity=harm.severity(),
            evidence=evidence,
            words={
                "normalize": per_s(_rate(peak, "normalize")),
                "h_revoke": per_s(_rate(peak, "h_revoke")),
                "victim": _seen([peak]),
                "puller": _seen(pullers),
                "scope": mount.name,
                "harm": harm.sentence() + _against_cold(history, harm),
                "effect": history.sentence(pullers),
            },
            nodes=names([peak, *pullers]),
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(
                Figure("Locks normalised", _rate(peak, "normalize"), "/s", limits.words("normalize_per_s")),
                Figure("h revokes", _rate(peak, "h_revoke"), "/s"),
                *harm.figures(),
                *history.figures(pullers),
            ),
            parts=(evidence_part(len(evidence), 1 + bool(pullers)), _completeness(bool(pullers)), _agreement([peak, *pullers], *counted)),
            weight=harm.seconds,
        )


def _against_cold(history: History, harm: Harm) -> str:
    """The slowed run against one that read the inodes from disk and moved no locks."""
    cold = history.cold_run(harm.run)
    if cold is None or harm.run is None or cold.seconds >= harm.run.seconds:
        return ""
    ratio = harm.run.seconds / cold.seconds
    return f" That is {ratio:.1f} times the {seconds(cold.seconds)} of the first run, which no lock traffic explains."


def _pullers(mount: Mount, limits: Limits) -> list[LockRole]:
    return [role for role in mount.roles if role.role == "puller" and _rate(role, "pull") >= limits.pull_per_s]


def _moves_g(role: LockRole, victims: Sequence[LockRole], tolerance: float) -> bool:
    """g grants follow the pulls one to one, or the victim loses g locks, or, where g rows are not shown, the tunable is off."""
    pull, granted = _rate(role, "pull"), role.per_s.get("g_grant")
    follows = granted is not None and abs(granted - pull) <= tolerance * pull
    return follows or any(_rate(victim, "g_revoke") > 0 for victim in victims) or (granted is None and role.lazy_isize == "off")


@rule("R5")
def ownership_pull_lazy_off(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: ls, find, du or stat over files that another node used last is slow.

    Reasoning: vxi_strong_pullowner and vxi_glockgrant rise together on one node, h and g revokes on the other.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        hits = [role for role in _pullers(mount, limits) if _moves_g(role, mount.victims(role, limits.pair_s), limits.g_tolerance)]
        if not hits:
            continue
        hits = mount.inside(hits)
        peak = max(hits, key=lambda role: _rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        g_rate = max(_rate(peak, "g_grant"), *(_rate(victim, "g_revoke") for victim in victims), 0.0)
        shown = (_refs(peak, "g_grant", "pull"), *(_refs(victim, "h_revoke", "g_revoke") for victim in victims))
        figures = (Figure("g locks moved", g_rate, "/s", "limit above 0"),) if g_rate else ()
        g_words = f"{per_s(g_rate)} g locks/s" if g_rate else "g locks"
        yield _pull_draft(facts, limits, mount, hits, peak, victims, shown, {"g_rate": g_words}, figures)


@rule("R6")
def ownership_pull_lazy_on(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a walk over another node's files still takes a message per inode although lazy_isize_enable is on.

    Reasoning: vxi_strong_pullowner rises, g-lock counters stay at 0.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        hits = [role for role in _pullers(mount, limits) if role.lazy_isize == "on"]
        if not hits:
            continue
        hits = mount.inside(hits)
        peak = max(hits, key=lambda role: _rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        shown = (_refs(peak, "h_grant", "pull"), *(_refs(victim, "h_revoke") for victim in victims))
        yield _pull_draft(facts, limits, mount, hits, peak, victims, shown, {}, (), severity="medium")


def _pull_draft(
    facts: CaseFacts,
    limits: Limits,
    mount: Mount,
    hits: Sequence[LockRole],
    peak: LockRole,
    victims: Sequence[LockRole],
    shown: tuple[tuple[Ref, ...], ...],
    words: dict[str, str],
    figures: tuple[Figure, ...],
    severity: Severity | None = None,
) -> Draft:
    """What R5 and R6 share. ``shown``: the lines that decide, beside those of the slowed command."""
    harm = harm_of(facts.get(TimedRuns), hits, mount.roles, key="pull", peak=peak)
    involved = names([peak, *victims])
    change = lazy_change(facts.get(Settings), mount, involved)
    over = change is not None and peak.lazy_isize != "on" and is_before(hits, change)
    evidence = _lines(*shown, harm.refs)
    start, end = span(hits)
    history = History(facts.get(Settings), facts.get(TimedRuns), mount)
    given = _lost(victims[0]) if victims and not victims[0].first_time else 0.0
    return Draft(
        severity=severity or harm.severity(),
        variant="before" if over else "",
        evidence=evidence,
        words={
            "puller": _seen([peak]),
            "victim": _seen(victims),
            "pull": per_s(_rate(peak, "pull")),
            "scope": mount.name,
            "harm": harm.sentence(),
            "since": change.words if change else "",
            "on_since": f", on {change.words}," if change else "",
            "labels": SWAPPED if peak.label_conflict else "",
            "effect": history.sentence([peak]),
            **words,
        },
        nodes=involved,
        start=start,
        end=end,
        zone_min=peak.zone_min,
        figures=(
            Figure("Ownership pulls", _rate(peak, "pull"), "/s", limits.words("pull_per_s")),
            *figures,
            *harm.figures(),
            *history.figures([peak]),
        ),
        parts=(
            evidence_part(len(evidence), 1 + bool(victims)),
            _completeness(bool(victims)),
            _agreement([peak, *victims], _rate(peak, "pull"), given),
        ),
        weight=0.0 if over else harm.seconds,  # what is over stands behind what goes on
    )


@rule("R7")
def ping_pong(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the same walk from two nodes at once is slow on both.

    Reasoning: one node is granted and loses h locks in the same sample, or pullers alternate within a minute. A finding for the time
    with lazy_isize_enable off, and one for the time with it on.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        found = [role for role in mount.roles if role.role == "ping_pong"] or mount.alternating(limits.alternate_s)
        for regime in REGIMES:
            if hits := [role for role in found if role.lazy_isize == regime]:
                yield _ping_pong(facts, limits, mount, hits, before=[role for role in found if role.lazy_isize == "off"])


def _peak(role: LockRole) -> str:
    """Pulls of a sample, or its grants where the sample does not show pulls."""
    return f"{per_s(_rate(role, 'pull'))} pulls/s" if "pull" in role.per_s else f"{per_s(_rate(role, 'h_grant'))} h locks/s"


def _ping_pong(facts: CaseFacts, limits: Limits, mount: Mount, hits: Sequence[LockRole], before: Sequence[LockRole]) -> Draft:
    """``hits``: samples of one regime; ``before``: those with lazy_isize_enable off."""
    peak = max(hits, key=lambda role: max(_rate(role, "pull"), _rate(role, "h_grant")))
    harm = harm_of(facts.get(TimedRuns), hits, mount.roles, key="h_grant", peak=peak)
    nearest = sorted((role for role in hits if role.node != peak.node), key=lambda role: abs((role.at or 0) - (peak.at or 0)))[:1]
    evidence = _lines(*(_refs(role, "h_grant", "h_revoke", "pull") for role in (peak, *nearest)), harm.refs)
    involved = names(hits)
    change = lazy_change(facts.get(Settings), mount, involved)
    history = History(facts.get(Settings), facts.get(TimedRuns), mount)
    regime = peak.lazy_isize
    over = regime == "off" and change is not None and is_before(hits, change)
    start, end = span(hits)
    busy = limits_of("lock-roles").words("busy_per_s")
    return Draft(
        severity=_ping_pong_severity(harm, hits, limits),
        variant="before" if over else "lazy_on" if regime == "on" else "",
        evidence=evidence,
        words={
            "nodes": listed(involved) if len(involved) > 1 else f"{_seen([peak])} and another node",
            "node": _seen([peak]),
            "peak": _peak(peak),
            "h_grant": per_s(_rate(peak, "h_grant")),
            "h_revoke": per_s(_lost(peak)),
            "scope": mount.name,
            "lazy": " With lazy_isize_enable off a g lock moves beside each h lock." if regime == "off" else "",
            "harm": harm.sentence(),
            "since": change.words if change else "",
            "on_since": f", on {change.words}," if change else "",
            "gain": (_gain(before, hits, change) if regime == "on" else "") + _against_pull(history, peak),
            "effect": history.sentence([peak]),
        },
        nodes=involved,
        start=start,
        end=end,
        zone_min=peak.zone_min,
        figures=(
            *((Figure("Ownership pulls", _rate(peak, "pull"), "/s"),) if "pull" in peak.per_s else ()),
            Figure("h grants", _rate(peak, "h_grant"), "/s", busy),
            Figure("h revokes", _lost(peak), "/s", busy),
            *harm.figures(),
            *history.figures([peak]),
        ),
        parts=(evidence_part(len(evidence), len(involved)), _completeness(len(involved) > 1), _agreement(hits)),
        tunings=("one-node-per-tree", "lazy-isize-enable") if regime == "off" else ("one-node-per-tree",),
        weight=0.5 if over else harm.seconds + 1,  # before a pull of one node that harms as much
    )


def _against_pull(history: History, peak: LockRole) -> str:
    """Both nodes at once against one node alone, under the same settings."""
    both = history.phase_of(peak)
    alone = next((one for one in history.phases if both is not None and one.period == both.period and one.sort == "pull"), None)
    if both is None or alone is None or both.slowest is None or alone.slowest is None or not alone.slowest.seconds:
        return ""
    ratio = both.slowest.seconds / alone.slowest.seconds
    return f" The slower node took {ratio:.2f} times as long as a pull of one node alone ({seconds(alone.slowest.seconds)})."


def _ping_pong_severity(harm: Harm, hits: Sequence[LockRole], limits: Limits) -> Severity:
    """The ladder; critical where g locks move too, at a high rate, and the harm is measured."""
    off = hits[0].lazy_isize == "off"
    fast = max(_rate(role, "pull") for role in hits) > limits.critical_pull_per_s
    return "critical" if off and fast and harm.measured else harm.severity()


def _gain(before: Sequence[LockRole], after: Sequence[LockRole], change: Change | None) -> str:
    """What the tunable brought, where both times are in the files."""
    if change is None or not before or not is_before(before, change):
        return ""
    was, now = (per_s(max(_rate(role, "pull") for role in roles)) for roles in (before, after))
    return f" A node pulled up to {was} inodes/s before the change and up to {now} since."


@rule("R8")
def drain(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a walk that was quick gets slower over hours without another node in sight.

    Reasoning: a few h revokes per second, no grants, and no peer that pulls at the same time.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        quiet = [role for role in mount.roles if role.role == "drain" and _rate(role, "h_revoke") >= limits.least_per_s]
        quiet = [role for role in quiet if not any(o.role in ("puller", "ping_pong") for o in mount.near(role, limits.peer_s))]
        if not quiet:
            continue
        peak = max(quiet, key=lambda role: _rate(role, "h_revoke"))
        others = {role.node: role for role in reversed(quiet) if role.node != peak.node}
        shown = [peak, *(others[node] for node in sorted(others, key=str))][:3]
        evidence = _lines(*(_refs(role, "h_revoke") for role in shown))
        involved = names(quiet)
        start, end = span(quiet)
        yield Draft(
            severity="info",
            variant="several" if len(involved) > 1 else "",
            evidence=evidence,
            words={"node": _seen([peak]), "nodes": listed(involved), "scope": mount.name, "h_revoke": per_s(_rate(peak, "h_revoke"))},
            nodes=involved,
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(Figure("h revokes", _rate(peak, "h_revoke"), "/s", limits.words("drain_per_s")),),
            parts=(
                evidence_part(len(evidence), len(involved)),
                Part("completeness", 1.0, "no other side is needed"),
                _agreement(shown),
            ),
        )


@rule("R26")
def version_gate(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: lazy_isize_enable would help, and nothing shows that this release knows it.

    Reasoning: the parameter is visible in vxtunefs output where it exists; a version of VxFS from 6.1 on knows it as well.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in facts.get(Mounts).all:
        needing = [role for role in mount.roles if role.lazy_isize != "on" and role.role in ("puller", "ping_pong")]
        if not needing or facts.get(LazyStates).of(mount.scope) or facts.get(Releases).knows(LAZY_TUNING):
            continue
        old = facts.get(Releases).too_old
        peak = max(needing, key=lambda role: max(_rate(role, "pull"), _rate(role, "h_grant")))
        evidence = _lines(_refs(peak, "pull", "g_grant"), tuple(release.ref for release in old[:3]))
        yield Draft(
            severity="info",
            variant="old" if old else "",
            evidence=evidence,
            words={
                "scope": mount.name,
                "versions": listed(f"{release.version} on {release.node or 'a node not named'}" for release in old),
            },
            nodes=names([peak]),
            start=peak.at,
            end=peak.at,
            zone_min=peak.zone_min,
            parts=(evidence_part(len(evidence), 1), Part("completeness", 1.0, "all files were searched for it"), _agreement([peak])),
        )
