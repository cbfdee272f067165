"""Rule on the first access from a second node to the inodes of a VxFS mount (R4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from apps.diagnosis.engine.core.facts.runs import TimedRuns
from apps.diagnosis.engine.core.facts.settings import Settings
from apps.diagnosis.engine.core.findings.registry import rule
from apps.diagnosis.engine.core.findings.seen import Seen
from apps.diagnosis.engine.core.model import LockRole
from apps.diagnosis.engine.core.words.knowledge import Limits
from apps.diagnosis.engine.veritas.before_after import History
from apps.diagnosis.engine.veritas.harm import Harm, harm_of
from apps.diagnosis.engine.veritas.lock_evidence import Effects, doubts, each_once, rate, sample_lines
from apps.diagnosis.engine.veritas.lock_mounts import Mount, Mounts, span
from apps.diagnosis.engine.veritas.lock_roles import names
from parsers.dataclass import dataclass

Names = tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class FirstWords:
    """Rates per second. cold: seconds of a first run that no lock traffic explains; taken, given: pulls and new locks
    of the puller.
    """

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

    Reasoning: vxi_normalize_locks rises on the node that used the inodes alone, while the other node initialises h
    locks and pulls. Source: Veritas InfoScale article 100031805.
    """
    for mount in mounts.all:
        storms = [role for role in mount.roles if rate(role, "normalize") >= limits.normalize_per_s]
        if not storms:
            continue
        peak = max(storms, key=lambda role: rate(role, "normalize"))
        pullers = [role for role in mount.near(peak, limits.pair_s) if role.role == "puller"][:1]
        forecasts = [role for storm in storms for role in mount.near(storm, limits.pair_s) if role.role == "puller"]
        harm = harm_of(runs, [*storms, *forecasts], mount.roles, key="normalize", peak=pullers[0] if pullers else peak)
        history = History(settings, runs, mount)
        evidence = each_once(
            sample_lines(peak, "h_revoke", "normalize"),
            *(sample_lines(role, "h_init", "pull") for role in pullers),
            harm.refs,
        )
        words = _first_words(mount, peak, pullers, harm, history)
        yield Seen(
            level=harm.level(),
            words=words,
            lines=evidence,
            nodes=names([peak, *pullers]),
            times=span([*storms, *forecasts]),
            zone_min=peak.zone_min,
            borne_by=(len(evidence), 1 + bool(pullers)),
            parts=("both" if pullers else "one_side", *doubts([peak, *pullers], words.taken, words.given)),
            weight=harm.seconds,
        )


def _first_words(mount: Mount, peak: LockRole, pullers: Sequence[LockRole], harm: Harm, history: History) -> FirstWords:
    against_cold, cold = _against_cold(history, harm)
    return FirstWords(
        normalize=rate(peak, "normalize"),
        h_revoke=rate(peak, "h_revoke"),
        victim=peak.node,
        pullers=tuple(role.node for role in pullers),
        scope=mount.name,
        harm=harm.sentence(),
        against_cold=against_cold,
        cold=cold,
        effect=history.sentence(pullers),
        slowed_by=harm.slowed_by,
        effects=history.figures(pullers),
        taken=rate(pullers[0], "pull") if pullers else 0.0,
        given=rate(pullers[0], "h_init") if pullers else 0.0,
    )


def _against_cold(history: History, harm: Harm) -> tuple[float | None, float | None]:
    """How many times as long the slowed run took as one that read the inodes from disk and moved no locks, and its
    seconds.
    """
    cold = history.cold_run(harm.run)
    if cold is None or harm.run is None or cold.seconds >= harm.run.seconds:
        return None, None
    return harm.run.seconds / cold.seconds, cold.seconds
