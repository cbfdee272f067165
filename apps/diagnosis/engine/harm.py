"""Measured harm behind a lock storm: a slowed command, or a high rate that lasts. The rate alone is not harm."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from apps.diagnosis.engine.facts import CaseFacts, TimedRun
from apps.diagnosis.engine.knowledge import Limits, limits
from apps.diagnosis.engine.model import Figure, LockRole, Ref, Severity
from apps.diagnosis.engine.wording import seconds


@dataclass(frozen=True, slots=True)
class Harm:
    """What a phase cost: the slowed run of a command and its fastest one, or how many samples in a row were a storm."""

    run: TimedRun | None
    fastest_s: float | None
    storm_samples: int
    storm_needed: int
    samples: int

    @property
    def measured(self) -> bool:
        """A command was timed and slowed."""
        return self.run is not None

    @property
    def seconds(self) -> float:
        """Seconds of the slowed command; 0 when none was timed."""
        return self.run.seconds if self.run else 0.0

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The line of the timing."""
        return (self.run.ref,) if self.run else ()

    def severity(self) -> Severity:
        """The ladder: high needs a slowed command or a lasting storm; one sample alone is low."""
        if self.measured or self.storm_samples >= self.storm_needed:
            return "high"
        return "medium" if self.samples > 1 else "low"

    def sentence(self) -> str:
        """What made it high, for the explanation; with a leading blank."""
        if self.run and self.fastest_s and self.run.seconds >= 1.5 * self.fastest_s:
            return f" One pass took {seconds(self.run.seconds)}; its fastest run took {seconds(self.fastest_s)}."
        if self.run:
            return f" One pass took {seconds(self.run.seconds)}, as the pull rate forecasts."
        if self.storm_samples >= self.storm_needed:
            return f" It lasted {self.storm_samples} samples in a row."
        return " No slowed command was timed in these files."

    def figures(self) -> tuple[Figure, ...]:
        """The slowed command against its fastest run."""
        if not self.run or not self.fastest_s or self.run.seconds < 1.5 * self.fastest_s:
            return ()
        return (Figure("Against the fastest run", round(self.run.seconds / self.fastest_s, 1), "×", "limit 3 ×"),)


def harm_of(facts: CaseFacts, roles: Sequence[LockRole], *, key: str, peak: LockRole | None = None) -> Harm:
    """Harm of a phase: ``key`` is the counter whose rate makes a storm; the slowed command nearest to the peak's forecast is shown."""
    ladder = limits("ladder")
    scope = roles[0].scope if roles else None
    runs = facts.timed_runs_on(scope)
    forecasts = [role.forecast_s for role in roles if role.forecast_s]
    slowed = [run for run in runs if _slowed(run, runs, forecasts, ladder)]
    aimed = [peak.forecast_s] if peak is not None and peak.forecast_s else forecasts
    best = min(slowed, key=lambda run: (_distance(run.seconds, aimed), -run.seconds), default=None)
    fastest = min((run.seconds for run in runs if best and run.command == best.command), default=None)
    return Harm(best, fastest, _longest_storm(roles, key, ladder.storm_per_s), int(ladder.storm_samples), len(roles))


def _distance(value: float, forecasts: Sequence[float]) -> float:
    return min((abs(value - f) / f for f in forecasts), default=0.0)


def _slowed(run: TimedRun, runs: Sequence[TimedRun], forecasts: Sequence[float], ladder: Limits) -> bool:
    """At least three times its fastest run, or as long as the forecast; where a forecast exists, it must be of that order."""
    fastest = min(other.seconds for other in runs if other.command == run.command)
    near = bool(forecasts) and _distance(run.seconds, forecasts) <= ladder.forecast_within
    return near or (run.seconds >= ladder.slowed_factor * fastest and (not forecasts or _distance(run.seconds, forecasts) <= 1.0))


def _longest_storm(roles: Sequence[LockRole], key: str, storm_per_s: float) -> int:
    """Most samples in a row, of one node, at storm rate."""
    longest = 0
    for node in {role.node for role in roles}:
        row = 0
        for role in roles:
            if role.node == node:
                row = row + 1 if role.per_s.get(key, 0.0) >= storm_per_s else 0
                longest = max(longest, row)
    return longest
