"""Rules on the cluster locks of a VxFS mount: first access (R4), pulls (R5, R6), ping-pong (R7), give-back (R8), version gate (R26)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from apps.diagnosis.engine.core.knowledge import Limits
from apps.diagnosis.engine.core.knowledge import limits as limits_of
from apps.diagnosis.engine.core.model import LockRole, Ref
from apps.diagnosis.engine.core.registry import rule
from apps.diagnosis.engine.core.runs import TimedRuns
from apps.diagnosis.engine.core.seen import Seen
from apps.diagnosis.engine.core.settings import Settings
from apps.diagnosis.engine.veritas.before_after import History
from apps.diagnosis.engine.veritas.harm import Harm, harm_of
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts, is_before, lazy_change, span
from apps.diagnosis.engine.veritas.lock_roles import Lazy, names
from apps.diagnosis.engine.veritas.lock_samples import LazyStates
from apps.diagnosis.engine.veritas.vxfs_release import LAZY_TUNING, Releases

REGIMES: Final[tuple[Lazy, ...]] = ("off", "on", "unknown")
Effects = tuple[tuple[str, float], ...]
Names = tuple[str | None, ...]


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


def _agreement(roles: Sequence[LockRole], taken: float = 0.0, given: float = 0.0) -> tuple[str, ...]:
    """What speaks against the samples. taken, given: two rates that count the same thing on both sides; 0 where one side is not here."""
    if any(role.label_conflict for role in roles):
        return ("labels",)
    if any(role.node_inferred for role in roles):
        return ("inferred",)
    apart = taken and given and abs(taken - given) > limits_of("lock-roles").both_sides * taken
    return ("counts",) if apart else ()


@dataclass(frozen=True, slots=True)
class FirstWords:
    """Rates per second. cold: seconds of a first run that no lock traffic explains; taken, given: pulls and new locks of the puller."""

    normalize: float
    h_revoke: float
    victim: str | None
    pullers: Names
    scope: str
    harm: str
    against_cold: float | None
    cold: float | None
    effect: str
    slowed_by: float | None
    effects: Effects
    taken: float
    given: float


@rule("R4", needs=(Mounts, TimedRuns, Settings), words=FirstWords)
def normalise_storm(mounts: Mounts, runs: TimedRuns, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: a first walk from a second node is many times slower than a cold one.

    Reasoning: vxi_normalize_locks rises on the node that used the inodes alone, while the other node initialises h locks and pulls.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        storms = [role for role in mount.roles if _rate(role, "normalize") >= limits.normalize_per_s]
        if not storms:
            continue
        peak = max(storms, key=lambda role: _rate(role, "normalize"))
        pullers = [role for role in mount.near(peak, limits.pair_s) if role.role == "puller"][:1]
        forecasts = [role for storm in storms for role in mount.near(storm, limits.pair_s) if role.role == "puller"]
        harm = harm_of(runs, [*storms, *forecasts], mount.roles, key="normalize", peak=pullers[0] if pullers else peak)
        history = History(settings, runs, mount)
        evidence = _lines(_refs(peak, "h_revoke", "normalize"), *(_refs(role, "h_init", "pull") for role in pullers), harm.refs)
        words = FirstWords(
            normalize=_rate(peak, "normalize"),
            h_revoke=_rate(peak, "h_revoke"),
            victim=peak.node,
            pullers=tuple(role.node for role in pullers),
            scope=mount.name,
            harm=harm.sentence(),
            against_cold=(cold := _against_cold(history, harm))[0],
            cold=cold[1],
            effect=history.sentence(pullers),
            slowed_by=harm.slowed_by,
            effects=history.figures(pullers),
            taken=_rate(pullers[0], "pull") if pullers else 0.0,
            given=_rate(pullers[0], "h_init") if pullers else 0.0,
        )
        yield Seen(
            level=harm.level(),
            words=words,
            lines=evidence,
            nodes=names([peak, *pullers]),
            times=span([*storms, *forecasts]),
            zone_min=peak.zone_min,
            borne_by=(len(evidence), 1 + bool(pullers)),
            parts=("both" if pullers else "one_side", *_agreement([peak, *pullers], words.taken, words.given)),
            weight=harm.seconds,
        )


def _against_cold(history: History, harm: Harm) -> tuple[float | None, float | None]:
    """How many times as long the slowed run took as one that read the inodes from disk and moved no locks, and its seconds."""
    cold = history.cold_run(harm.run)
    if cold is None or harm.run is None or cold.seconds >= harm.run.seconds:
        return None, None
    return harm.run.seconds / cold.seconds, cold.seconds


def _pullers(mount: Mount, limits: Limits) -> list[LockRole]:
    return [role for role in mount.roles if role.role == "puller" and _rate(role, "pull") >= limits.pull_per_s]


def _moves_g(role: LockRole, victims: Sequence[LockRole], tolerance: float) -> bool:
    """g grants follow the pulls one to one, or the victim loses g locks, or, where g rows are not shown, the tunable is off."""
    pull, granted = _rate(role, "pull"), role.per_s.get("g_grant")
    follows = granted is not None and abs(granted - pull) <= tolerance * pull
    return follows or any(_rate(victim, "g_revoke") > 0 for victim in victims) or (granted is None and role.lazy_isize == "off")


@dataclass(frozen=True, slots=True)
class PullWords:
    """Rates per second; g: g locks that moved, None where no sample shows them. since: from when on lazy_isize_enable is on."""

    puller: str | None
    victims: Names
    pull: float
    g: float | None
    scope: str
    harm: str
    since: str
    swapped: bool
    effect: str
    slowed_by: float | None
    effects: Effects
    given: float


@rule("R5", needs=(Mounts, TimedRuns, Settings), words=PullWords)
def ownership_pull_lazy_off(mounts: Mounts, runs: TimedRuns, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: ls, find, du or stat over files that another node used last is slow.

    Reasoning: vxi_strong_pullowner and vxi_glockgrant rise together on one node, h and g revokes on the other.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        hits = [role for role in _pullers(mount, limits) if _moves_g(role, mount.victims(role, limits.pair_s), limits.g_tolerance)]
        if not hits:
            continue
        hits = mount.inside(hits)
        peak = max(hits, key=lambda role: _rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        g = max(_rate(peak, "g_grant"), *(_rate(victim, "g_revoke") for victim in victims), 0.0)
        shown = (_refs(peak, "g_grant", "pull"), *(_refs(victim, "h_revoke", "g_revoke") for victim in victims))
        yield _pulled(History(settings, runs, mount), hits, peak, victims, shown, g or None)


@rule("R6", needs=(Mounts, TimedRuns, Settings), words=PullWords)
def ownership_pull_lazy_on(mounts: Mounts, runs: TimedRuns, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: a walk over another node's files still takes a message per inode although lazy_isize_enable is on.

    Reasoning: vxi_strong_pullowner rises, g-lock counters stay at 0.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        hits = [role for role in _pullers(mount, limits) if role.lazy_isize == "on"]
        if not hits:
            continue
        hits = mount.inside(hits)
        peak = max(hits, key=lambda role: _rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        shown = (_refs(peak, "h_grant", "pull"), *(_refs(victim, "h_revoke") for victim in victims))
        yield _pulled(History(settings, runs, mount), hits, peak, victims, shown, None)


def _pulled(
    history: History,
    hits: Sequence[LockRole],
    peak: LockRole,
    victims: Sequence[LockRole],
    shown: tuple[tuple[Ref, ...], ...],
    g: float | None,
) -> Seen:
    """What R5 and R6 share. ``shown``: the lines that decide, beside those of the slowed command."""
    mount = history.mount
    harm = harm_of(history.runs, hits, mount.roles, key="pull", peak=peak)
    involved = names([peak, *victims])
    change = lazy_change(history.settings, mount, involved)
    over = change is not None and peak.lazy_isize != "on" and is_before(hits, change)
    evidence = _lines(*shown, harm.refs)
    words = PullWords(
        puller=peak.node,
        victims=tuple(victim.node for victim in victims),
        pull=_rate(peak, "pull"),
        g=g,
        scope=mount.name,
        harm=harm.sentence(),
        since=change.words if change else "",
        swapped=peak.label_conflict,
        effect=history.sentence([peak]),
        slowed_by=harm.slowed_by,
        effects=history.figures([peak]),
        given=_lost(victims[0]) if victims and not victims[0].first_time else 0.0,
    )
    return Seen(
        level=f"{harm.level()}_before" if over else harm.level(),
        words=words,
        lines=evidence,
        nodes=involved,
        times=span(hits),
        zone_min=peak.zone_min,
        borne_by=(len(evidence), 1 + bool(victims)),
        parts=("both" if victims else "one_side", *_agreement([peak, *victims], words.pull, words.given)),
        weight=0.0 if over else harm.seconds,  # what is over stands behind what goes on
    )


@dataclass(frozen=True, slots=True)
class PingPongWords:
    """Rates per second. gain: the most that a node pulled before and after the change; alone_s: seconds of a pull of one node alone."""

    nodes: tuple[str, ...]
    several: bool
    node: str | None
    peak: Literal["pulls", "grants"]
    pull: float | None
    h_grant: float
    h_revoke: float
    scope: str
    regime: Lazy
    harm: str
    since: str
    gain: bool
    gain_was: float
    gain_now: float
    against_pull: float | None
    alone_s: float | None
    effect: str
    slowed_by: float | None
    effects: Effects


@rule("R7", needs=(Mounts, TimedRuns, Settings), words=PingPongWords)
def ping_pong(mounts: Mounts, runs: TimedRuns, settings: Settings, limits: Limits) -> Iterator[Seen]:
    """Symptom: the same walk from two nodes at once is slow on both.

    Reasoning: one node is granted and loses h locks in the same sample, or pullers alternate within a minute. A finding for the time
    with lazy_isize_enable off, and one for the time with it on.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        found = [role for role in mount.roles if role.role == "ping_pong"] or mount.alternating(limits.alternate_s)
        for regime in REGIMES:
            if hits := [role for role in found if role.lazy_isize == regime]:
                before = [role for role in found if role.lazy_isize == "off"]
                yield _ping_pong(History(settings, runs, mount), hits, before, limits)


def _ping_pong(history: History, hits: Sequence[LockRole], before: Sequence[LockRole], limits: Limits) -> Seen:
    """``hits``: samples of one regime; ``before``: those with lazy_isize_enable off."""
    mount = history.mount
    peak = max(hits, key=lambda role: max(_rate(role, "pull"), _rate(role, "h_grant")))
    harm = harm_of(history.runs, hits, mount.roles, key="h_grant", peak=peak)
    nearest = sorted((role for role in hits if role.node != peak.node), key=lambda role: abs((role.at or 0) - (peak.at or 0)))[:1]
    evidence = _lines(*(_refs(role, "h_grant", "h_revoke", "pull") for role in (peak, *nearest)), harm.refs)
    involved = names(hits)
    change = lazy_change(history.settings, mount, involved)
    over = peak.lazy_isize == "off" and change is not None and is_before(hits, change)
    gain = peak.lazy_isize == "on" and change is not None and bool(before) and is_before(before, change)
    against_pull, alone_s = _against_pull(history, peak)
    words = PingPongWords(
        nodes=involved,
        several=len(involved) > 1,
        node=peak.node,
        peak="pulls" if "pull" in peak.per_s else "grants",
        pull=peak.per_s.get("pull"),
        h_grant=_rate(peak, "h_grant"),
        h_revoke=_lost(peak),
        scope=mount.name,
        regime=peak.lazy_isize,
        harm=harm.sentence(),
        since=change.words if change else "",
        gain=gain,
        gain_was=max((_rate(role, "pull") for role in before), default=0.0),
        gain_now=max(_rate(role, "pull") for role in hits),
        against_pull=against_pull,
        alone_s=alone_s,
        effect=history.sentence([peak]),
        slowed_by=harm.slowed_by,
        effects=history.figures([peak]),
    )
    return Seen(
        level=f"{_ping_pong_level(harm, hits, limits)}_{'before' if over else peak.lazy_isize}",
        words=words,
        lines=evidence,
        most_lines=len(evidence),
        nodes=involved,
        times=span(hits),
        zone_min=peak.zone_min,
        borne_by=(len(evidence), len(involved)),
        parts=("both" if words.several else "one_side", *_agreement(hits)),
        weight=0.5 if over else harm.seconds + 1,  # before a pull of one node that harms as much
    )


def _against_pull(history: History, peak: LockRole) -> tuple[float | None, float | None]:
    """How many times as long both nodes at once took as one node alone under the same settings, and the seconds of that one."""
    both = history.phase_of(peak)
    alone = next((one for one in history.phases if both is not None and one.period == both.period and one.sort == "pull"), None)
    if both is None or alone is None or both.slowest is None or alone.slowest is None or not alone.slowest.seconds:
        return None, None
    return both.slowest.seconds / alone.slowest.seconds, alone.slowest.seconds


def _ping_pong_level(harm: Harm, hits: Sequence[LockRole], limits: Limits) -> str:
    """The ladder; critical where g locks move too, at a high rate, and the harm is measured."""
    off = hits[0].lazy_isize == "off"
    fast = max(_rate(role, "pull") for role in hits) > limits.critical_pull_per_s
    return "critical" if off and fast and harm.measured else harm.level()


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
        quiet = [role for role in mount.roles if role.role == "drain" and _rate(role, "h_revoke") >= limits.least_per_s]
        quiet = [role for role in quiet if not any(o.role in ("puller", "ping_pong") for o in mount.near(role, limits.peer_s))]
        if not quiet:
            continue
        peak = max(quiet, key=lambda role: _rate(role, "h_revoke"))
        others = {role.node: role for role in reversed(quiet) if role.node != peak.node}
        shown = [peak, *(others[node] for node in sorted(others, key=str))][:3]
        involved = names(quiet)
        yield Seen(
            level="several" if len(involved) > 1 else "one",
            words=DrainWords(peak.node, involved, mount.name, _rate(peak, "h_revoke")),
            lines=_lines(*(_refs(role, "h_revoke") for role in shown)),
            nodes=involved,
            times=span(quiet),
            zone_min=peak.zone_min,
            parts=_agreement(shown),
        )


@dataclass(frozen=True, slots=True)
class GateWords:
    """Releases that are too old, with the node that shows each."""

    scope: str
    releases: tuple[tuple[str, str | None], ...]


@rule("R26", needs=(Mounts, LazyStates, Releases), words=GateWords)
def version_gate(mounts: Mounts, lazy: LazyStates, releases: Releases, limits: Limits) -> Iterator[Seen]:
    """Symptom: lazy_isize_enable would help, and nothing shows that this release knows it.

    Reasoning: the parameter is visible in vxtunefs output where it exists; a version of VxFS from 6.1 on knows it as well.
    Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        needing = [role for role in mount.roles if role.lazy_isize != "on" and role.role in ("puller", "ping_pong")]
        if not needing or lazy.of(mount.scope) or releases.knows(LAZY_TUNING):
            continue
        old = releases.too_old
        peak = max(needing, key=lambda role: max(_rate(role, "pull"), _rate(role, "h_grant")))
        evidence = _lines(_refs(peak, "pull", "g_grant"), tuple(release.ref for release in old[:3]))
        yield Seen(
            level="old" if old else "unknown",
            words=GateWords(mount.name, tuple((release.version, release.node) for release in old)),
            lines=evidence,
            nodes=names([peak]),
            times=(peak.at,),
            zone_min=peak.zone_min,
            borne_by=(len(evidence), 1),
            parts=_agreement([peak]),
        )
