"""Rules on the cluster locks of a VxFS mount: first access (R4), pulls (R5, R6), ping-pong (R7), give-back (R8), version gate (R26)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import pairwise

from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.harm import harm_of
from apps.diagnosis.engine.knowledge import Limits
from apps.diagnosis.engine.model import Figure, LockRole, Part, Ref
from apps.diagnosis.engine.registry import Draft, evidence_part, rule
from apps.diagnosis.engine.wording import names, per_s


def _by_mount(roles: Sequence[LockRole]) -> dict[str | None, list[LockRole]]:
    mounts: dict[str | None, list[LockRole]] = defaultdict(list)
    for role in roles:
        mounts[role.scope].append(role)
    return mounts


def _near(role: LockRole, others: Sequence[LockRole], within_s: float) -> list[LockRole]:
    return [
        o
        for o in others
        if o.node != role.node and o.at is not None and role.at is not None and abs(o.at - role.at) <= within_s * 1_000_000
    ]


def _refs(role: LockRole, *keys: str) -> tuple[Ref, ...]:
    """Header of the sample and the lines of the named counters."""
    return (role.ref, *(role.refs[key] for key in keys if key in role.refs))


def _rate(role: LockRole, key: str) -> float:
    return role.per_s.get(key, 0.0)


def _completeness(pairs: bool) -> Part:
    return (
        Part("completeness", 1.0, "both nodes are here for that moment")
        if pairs
        else Part("completeness", 0.85, "only one side of the exchange is here")
    )


def _agreement(roles: Sequence[LockRole]) -> Part:
    if any(role.label_conflict for role in roles):
        return Part("agreement", 0.9, "node labels contradict the counters; the counters decide")
    if any(role.node_inferred for role in roles):
        return Part("agreement", 0.95, "one sample's node is inferred from overlapping windows")
    return Part("agreement", 1.0, "nothing contradicts it")


def _seen(name: str | None) -> str:
    return name or "a node whose name is not shown"


def _span(roles: Sequence[LockRole]) -> tuple[int | None, int | None]:
    known = [r for r in roles if r.at is not None]
    starts = [(r.at or 0) - round(r.interval_s * 1_000_000) for r in known]
    return (min(starts), max(r.at or 0 for r in known)) if known else (None, None)


@rule("R4")
def normalise_storm(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a first walk from a second node is many times slower than a cold one.

    Reasoning: vxi_normalize_locks rises on the node that used the inodes alone, while the other node initialises h locks and pulls.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, roles in _by_mount(facts.lock_roles).items():
        storms = [r for r in roles if _rate(r, "normalize") >= limits.normalize_per_s]
        if not storms:
            continue
        peak = max(storms, key=lambda r: _rate(r, "normalize"))
        pullers = [r for r in _near(peak, roles, limits.pair_s) if r.role == "puller"]
        harm = harm_of(facts, [*pullers, *storms], key="normalize")
        start, end = _span([*storms, *pullers])
        evidence = _refs(peak, "h_revoke", "normalize", "g_revoke")
        for puller in pullers[:1]:
            evidence += _refs(puller, "h_init", "h_grant", "pull")
        yield Draft(
            severity=harm.severity(),
            evidence=evidence + harm.refs,
            words={
                "normalize": per_s(_rate(peak, "normalize")),
                "h_revoke": per_s(_rate(peak, "h_revoke")),
                "victim": _seen(peak.node),
                "puller": _seen(pullers[0].node) if pullers else "another node",
                "scope": scope or "the file system",
            },
            nodes=names([peak, *pullers]),
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(
                Figure("Locks normalised", _rate(peak, "normalize"), "/s", limits.words("normalize_per_s")),
                Figure("h revokes", _rate(peak, "h_revoke"), "/s"),
                *harm.figures(),
            ),
            parts=(evidence_part(len(evidence), 1 + bool(pullers)), _completeness(bool(pullers)), _agreement([peak, *pullers])),
            weight=harm.seconds,
        )


def _pulls(facts: CaseFacts, limits: Limits) -> Iterator[tuple[str | None, list[LockRole], list[LockRole]]]:
    """Per mount: pullers at or above the limit, and all samples of the mount."""
    for scope, roles in _by_mount(facts.lock_roles).items():
        pullers = [r for r in roles if r.role == "puller" and _rate(r, "pull") >= limits.pull_per_s]
        if pullers:
            yield scope, pullers, roles


def _moves_g(role: LockRole, victims: Sequence[LockRole], tolerance: float) -> bool:
    """g grants follow the pulls one to one, or the victim loses g locks, or the tunable is known to be off."""
    pull, granted = _rate(role, "pull"), role.per_s.get("g_grant")
    if granted is not None and granted > 0:
        return abs(granted - pull) <= tolerance * pull
    return role.lazy_isize == "off" or any(_rate(v, "g_revoke") > 0 for v in victims)


@rule("R5")
def ownership_pull_lazy_off(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: ls, find, du or stat over files that another node used last is slow.

    Reasoning: vxi_strong_pullowner and vxi_glockgrant rise together on one node, h and g revokes on the other.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, pullers, roles in _pulls(facts, limits):
        hits = []
        for role in pullers:
            victims = [v for v in _near(role, roles, limits.pair_s) if v.role == "victim"]
            if _moves_g(role, victims, limits.g_tolerance):
                hits.append((role, victims))
        if not hits:
            continue
        peak, victims = max(hits, key=lambda hit: _rate(hit[0], "pull"))
        harm = harm_of(facts, [role for role, _ in hits], key="pull", peak=peak)
        g_rate = max(_rate(peak, "g_grant"), *(_rate(v, "g_revoke") for v in victims), 0.0)
        evidence = _refs(peak, "h_grant", "g_grant", "pull")
        for victim in victims[:1]:
            evidence += _refs(victim, "h_revoke", "g_revoke")
        start, end = _span([role for role, _ in hits])
        yield Draft(
            severity=harm.severity(),
            evidence=evidence + harm.refs,
            words={
                "puller": _seen(peak.node),
                "victim": _seen(victims[0].node) if victims else "another node",
                "pull": per_s(_rate(peak, "pull")),
                "g_rate": per_s(g_rate),
                "scope": scope or "the file system",
                "harm": harm.sentence(),
            },
            nodes=names([peak, *victims]),
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(
                Figure("Ownership pulls", _rate(peak, "pull"), "/s", limits.words("pull_per_s")),
                Figure("g locks moved", g_rate, "/s", "limit above 0"),
                *harm.figures(),
            ),
            parts=(evidence_part(len(evidence), 1 + bool(victims)), _completeness(bool(victims)), _agreement([peak, *victims])),
            weight=harm.seconds,
        )


@rule("R6")
def ownership_pull_lazy_on(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a walk over another node's files still takes a message per inode although lazy_isize_enable is on.

    Reasoning: vxi_strong_pullowner rises, g-lock counters stay at 0.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, pullers, roles in _pulls(facts, limits):
        hits = [r for r in pullers if r.lazy_isize == "on" and _rate(r, "g_grant") == 0 and _rate(r, "g_revoke") == 0]
        if not hits:
            continue
        peak = max(hits, key=lambda r: _rate(r, "pull"))
        victims = [v for v in _near(peak, roles, 15) if v.role == "victim"]
        harm = harm_of(facts, hits, key="pull", peak=peak)
        evidence = _refs(peak, "h_grant", "pull") + tuple(ref for v in victims[:1] for ref in _refs(v, "h_revoke"))
        start, end = _span(hits)
        yield Draft(
            severity="medium",
            evidence=evidence + harm.refs,
            words={
                "puller": _seen(peak.node),
                "victim": _seen(victims[0].node) if victims else "another node",
                "pull": per_s(_rate(peak, "pull")),
                "scope": scope or "the file system",
            },
            nodes=names([peak, *victims]),
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(Figure("Ownership pulls", _rate(peak, "pull"), "/s", limits.words("pull_per_s")), *harm.figures()),
            parts=(evidence_part(len(evidence), 1 + bool(victims)), _completeness(bool(victims)), _agreement([peak, *victims])),
            weight=harm.seconds,
        )


def _alternating(roles: Sequence[LockRole], within_s: float) -> list[LockRole]:
    """Pullers of different nodes that follow each other within seconds: they take the same inodes in turn."""
    pullers = [r for r in roles if r.role == "puller" and r.at is not None]
    hits: list[LockRole] = []
    for before, after in pairwise(pullers):
        if before.node != after.node and (after.at or 0) - (before.at or 0) <= within_s * 1_000_000:
            hits.extend(r for r in (before, after) if r not in hits)
    return hits


@rule("R7")
def ping_pong(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: the same walk from two nodes at once is slow on both.

    Reasoning: one node is granted and loses h locks in the same sample, or pullers alternate within a minute.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, roles in _by_mount(facts.lock_roles).items():
        hits = [r for r in roles if r.role == "ping_pong"] or _alternating(roles, limits.alternate_s)
        if not hits:
            continue
        peak = max(hits, key=lambda r: max(_rate(r, "pull"), _rate(r, "h_grant")))
        harm = harm_of(facts, hits, key="h_grant", peak=peak)
        lazy_off = any(r.lazy_isize == "off" for r in hits)
        severity = harm.severity()
        if lazy_off and severity == "high" and harm.measured and max(_rate(r, "pull") for r in hits) > limits.critical_pull_per_s:
            severity = "critical"
        others = [r for r in hits if r.node != peak.node]
        shown = [peak, *others[:1]]
        evidence = tuple(ref for r in shown for ref in _refs(r, "h_grant", "h_revoke", "pull"))
        start, end = _span(hits)
        involved = names(hits)
        yield Draft(
            severity=severity,
            evidence=evidence + harm.refs,
            words={
                "nodes": " and ".join(involved) if len(involved) > 1 else f"{_seen(peak.node)} and another node",
                "node": _seen(peak.node),
                "pull": per_s(max(_rate(peak, "pull"), 0.0)),
                "h_grant": per_s(_rate(peak, "h_grant")),
                "h_revoke": per_s(_rate(peak, "h_revoke")),
                "scope": scope or "the file system",
                "lazy": " With lazy_isize_enable off a g lock moves beside each h lock." if lazy_off else "",
                "harm": harm.sentence(),
            },
            nodes=involved,
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(
                Figure("Ownership pulls", _rate(peak, "pull"), "/s"),
                Figure("h grants", _rate(peak, "h_grant"), "/s", "limit 100 /s"),
                Figure("h revokes", _rate(peak, "h_revoke"), "/s", "limit 100 /s"),
                *harm.figures(),
            ),
            parts=(evidence_part(len(evidence), len(involved)), _completeness(len(involved) > 1), _agreement(hits)),
            tunings=("one-node-per-tree", "lazy-isize-enable") if lazy_off else ("one-node-per-tree",),
            weight=harm.seconds + 1,
        )


@rule("R8")
def drain(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: a walk that was quick gets slower over hours without another node in sight.

    Reasoning: a few h revokes per second, no grants, and no peer that pulls at the same time.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, roles in _by_mount(facts.lock_roles).items():
        quiet = [r for r in roles if r.role == "drain" and not any(o.role in ("puller", "ping_pong") for o in _near(r, roles, 30))]
        if not quiet:
            continue
        peak = max(quiet, key=lambda r: _rate(r, "h_revoke"))
        start, end = _span(quiet)
        yield Draft(
            severity="info",
            evidence=_refs(peak, "h_revoke"),
            words={"node": _seen(peak.node), "scope": scope or "the file system", "h_revoke": per_s(_rate(peak, "h_revoke"))},
            nodes=names([peak]),
            start=start,
            end=end,
            zone_min=peak.zone_min,
            figures=(Figure("h revokes", _rate(peak, "h_revoke"), "/s", limits.words("drain_per_s")),),
            parts=(evidence_part(2, 1), Part("completeness", 1.0, "no other side is needed"), _agreement([peak])),
        )


@rule("R26")
def version_gate(facts: CaseFacts, limits: Limits) -> Iterator[Draft]:
    """Symptom: lazy_isize_enable would help, and nothing shows that this release knows it.

    Reasoning: the parameter is visible in vxtunefs output where it exists.
    Source: Veritas InfoScale article 100031805.
    """
    for scope, pullers in _needing_lazy(facts).items():
        if facts.lazy_states_of(scope):
            continue
        peak = max(pullers, key=lambda r: max(_rate(r, "pull"), _rate(r, "h_grant")))
        yield Draft(
            severity="info",
            evidence=_refs(peak, "pull", "g_grant"),
            words={"scope": scope or "the file system"},
            nodes=names([peak]),
            start=peak.at,
            end=peak.at,
            zone_min=peak.zone_min,
            parts=(evidence_part(1, 1), Part("completeness", 1.0, "all files were searched for it"), _agreement([peak])),
        )


def _needing_lazy(facts: CaseFacts) -> dict[str | None, list[LockRole]]:
    needing: dict[str | None, list[LockRole]] = defaultdict(list)
    for role in facts.lock_roles:
        if role.lazy_isize != "on" and role.role in ("puller", "ping_pong"):
            needing[role.scope].append(role)
    return needing
