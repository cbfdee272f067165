"""Rules on nodes that take the inodes of a VxFS mount from each other: pulls (R5, R6), ping-pong (R7)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import LockRole, Ref
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.before_after import History
from apps.diagnosis.engine.veritas.harm import Harm, harm_of
from apps.diagnosis.engine.veritas.lock_evidence import Effects, doubts, each_once, lost, rate, sample_lines
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts, is_before, lazy_change, span
from apps.diagnosis.engine.veritas.lock_roles import Lazy, names
from parsers.dataclass import dataclass

REGIMES: Final[tuple[Lazy, ...]] = ("off", "on", "unknown")
Names = tuple[str | None, ...]


def _pullers(mount: Mount, limits: Limits) -> list[LockRole]:
    return [role for role in mount.roles if role.role == "puller" and rate(role, "pull") >= limits.pull_per_s]


def _moves_g(role: LockRole, victims: Sequence[LockRole], tolerance: float) -> bool:
    """g grants follow the pulls one to one, or the victim loses g locks, or, where g rows are not shown, the tunable is
    off.
    """
    pull, granted = rate(role, "pull"), role.per_s.get("g_grant")
    follows = granted is not None and abs(granted - pull) <= tolerance * pull
    return (
        follows
        or any(rate(victim, "g_revoke") > 0 for victim in victims)
        or (granted is None and role.lazy_isize == "off")
    )


@dataclass(frozen=True, slots=True)
class PullWords:
    """Rates per second; g: g locks that moved, None where no sample shows them. others: how many more nodes pull, of
    which none is seen to lose. since: from when on lazy_isize_enable is on.
    """

    puller: str | None
    others: int | None
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
        hits = [
            role
            for role in _pullers(mount, limits)
            if _moves_g(role, mount.victims(role, limits.pair_s), limits.g_tolerance)
        ]
        if not hits:
            continue
        hits = mount.inside(hits)
        peak = max(hits, key=lambda role: rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        g = max(rate(peak, "g_grant"), *(rate(victim, "g_revoke") for victim in victims), 0.0)
        shown = (
            sample_lines(peak, "g_grant", "pull"),
            *(sample_lines(victim, "h_revoke", "g_revoke") for victim in victims),
        )
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
        peak = max(hits, key=lambda role: rate(role, "pull"))
        victims = mount.victims(peak, limits.pair_s)[:1]
        shown = (sample_lines(peak, "h_grant", "pull"), *(sample_lines(victim, "h_revoke") for victim in victims))
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
    others = [node for node in names(hits) if node not in involved]
    change = lazy_change(history.settings, mount, involved)
    over = change is not None and peak.lazy_isize != "on" and is_before(hits, change)
    evidence = each_once(*shown, harm.refs)
    words = PullWords(
        puller=peak.node,
        others=len(others) or None,
        victims=tuple(victim.node for victim in victims),
        pull=rate(peak, "pull"),
        g=g,
        scope=mount.name,
        harm=harm.sentence(),
        since=change.words if change else "",
        swapped=peak.label_conflict,
        effect=history.sentence([peak]),
        slowed_by=harm.slowed_by,
        effects=history.figures([peak]),
        given=lost(victims[0]) if victims and not victims[0].first_time else 0.0,
    )
    return Seen(
        level=f"{harm.level()}_before" if over else harm.level(),
        words=words,
        lines=evidence,
        nodes=(*involved, *others),
        times=span(hits),
        zone_min=peak.zone_min,
        borne_by=(len(evidence), 1 + bool(victims)),
        parts=("both" if victims else "one_side", *doubts([peak, *victims], words.pull, words.given)),
        weight=0.0 if over else harm.seconds,  # what is over stands behind what goes on
    )


@dataclass(frozen=True, slots=True)
class PingPongWords:
    """Rates per second. gain: the most that a node pulled before and after the change; alone_s: seconds of a pull of
    one node alone.
    """

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

    Reasoning: one node is granted and loses h locks in the same sample, or pullers alternate within a minute. A finding
    for the time with lazy_isize_enable off, and one for the time with it on. Source: Veritas InfoScale article
    100031805.
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
    peak = max(hits, key=lambda role: max(rate(role, "pull"), rate(role, "h_grant")))
    harm = harm_of(history.runs, hits, mount.roles, key="h_grant", peak=peak)
    nearest = sorted(
        (role for role in hits if role.node != peak.node), key=lambda role: abs((role.at or 0) - (peak.at or 0))
    )[:1]
    evidence = each_once(*(sample_lines(role, "h_grant", "h_revoke", "pull") for role in (peak, *nearest)), harm.refs)
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
        h_grant=rate(peak, "h_grant"),
        h_revoke=lost(peak),
        scope=mount.name,
        regime=peak.lazy_isize,
        harm=harm.sentence(),
        since=change.words if change else "",
        gain=gain,
        gain_was=max((rate(role, "pull") for role in before), default=0.0),
        gain_now=max(rate(role, "pull") for role in hits),
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
        parts=("both" if words.several else "one_side", *doubts(hits)),
        weight=0.5 if over else harm.seconds + 1,  # before a pull of one node that harms as much
    )


def _against_pull(history: History, peak: LockRole) -> tuple[float | None, float | None]:
    """How many times as long both nodes at once took as one node alone under the same settings, and the seconds of that
    one.
    """
    both = history.phase_of(peak)
    alone = next(
        (one for one in history.phases if both is not None and one.period == both.period and one.sort == "pull"), None
    )
    if both is None or alone is None or both.slowest is None or alone.slowest is None or not alone.slowest.seconds:
        return None, None
    return both.slowest.seconds / alone.slowest.seconds, alone.slowest.seconds


def _ping_pong_level(harm: Harm, hits: Sequence[LockRole], limits: Limits) -> str:
    """The ladder; critical where g locks move too, at a high rate, and the harm is measured."""
    off = hits[0].lazy_isize == "off"
    fast = max(rate(role, "pull") for role in hits) > limits.critical_pull_per_s
    return "critical" if off and fast and harm.measured else harm.level()
