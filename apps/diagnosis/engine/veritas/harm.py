"""Measured harm behind a lock storm: a slowed command, or a high rate that lasts. The rate alone is not harm."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, Literal

from apps.diagnosis.engine.core.facts.runs import TimedRun, TimedRuns
from apps.diagnosis.engine.core.model import LockRole, Ref, comparable
from apps.diagnosis.engine.core.words.knowledge import Limits, limits
from apps.diagnosis.engine.core.words.sentences import render, sentence
from parsers.dataclass import dataclass

Ladder = Literal["high", "medium", "low"]
SLACK_US: Final = 15_000_000  # clocks of two nodes, and the time between a printed date and the command below it


@sentence("storm-harm")
@dataclass(frozen=True, slots=True)
class HarmWords:
    """Seconds of the slowed run and of its fastest one; samples: how many in a row, where that is harm by itself."""

    slowed: float | None
    as_forecast: bool
    fastest: float | None
    samples: int | None


@dataclass(frozen=True, slots=True)
class Harm:
    """What a phase cost: the slowed run of a command and its fastest one, and how many samples in a row were
    a storm.
    """

    run: TimedRun | None
    fastest: TimedRun | None
    as_forecast: bool
    storm_samples: int
    storm_needed: int
    samples: int

    @property
    def measured(self) -> bool:
        """A command was timed and slowed, or the storm lasted."""
        return self.run is not None or self.storm_samples >= self.storm_needed

    @property
    def seconds(self) -> float:
        """Seconds of the slowed command; 0 when none was timed."""
        return self.run.seconds if self.run else 0.0

    @property
    def refs(self) -> tuple[Ref, ...]:
        """The lines of the timings."""
        return tuple(run.ref for run in (self.run, self._compared) if run is not None)

    @property
    def _compared(self) -> TimedRun | None:
        """The fastest run, where the slowed one is clearly longer."""
        return (
            self.fastest
            if self.run and self.fastest and self.run.seconds >= limits("ladder").clearly * self.fastest.seconds
            else None
        )

    def level(self) -> Ladder:
        """The ladder: high needs a slowed command or a lasting storm; one sample alone is low."""
        if self.measured:
            return "high"
        return "medium" if self.samples > 1 else "low"

    @property
    def slowed_by(self) -> float | None:
        """How many times as long as the fastest run; None where none was clearly longer."""
        return self.run.seconds / self._compared.seconds if self.run and self._compared else None

    def sentence(self) -> str:
        """What made it high, for the explanation; with a leading blank."""
        run, quick = self.run, self._compared
        lasted = self.storm_samples if self.storm_samples >= self.storm_needed else None
        return render(
            HarmWords(run.seconds if run else None, self.as_forecast, quick.seconds if quick else None, lasted)
        )


def harm_of(timed: TimedRuns, hits: Sequence[LockRole], mount: Sequence[LockRole], *, key: str, peak: LockRole) -> Harm:
    """Harm of a phase. hits: its samples; mount: all samples of the mount in time order; key: the counter whose rate
    makes a storm.

    Of several slowed commands the one is shown that ran meanwhile, lasted as the peak forecasts, and stands nearest in
    the text.
    """
    ladder = limits("ladder")
    runs = timed.on(peak.scope)
    fastest = _fastest(runs)
    forecasts = [role.forecast_s for role in hits if role.forecast_s]
    slowed = [
        run
        for run in runs
        if run.seconds >= ladder.slowed_factor * fastest[run.command].seconds
        or _near(run.seconds, forecasts, ladder.forecast_within)
    ]
    aimed = [peak.forecast_s] if peak.forecast_s else forecasts
    best = min(slowed, key=lambda run: _distance(run, hits, peak, aimed, ladder), default=None)
    counted = sum(role.per_s.get(key, 0.0) > 0 for role in hits)
    return Harm(
        best,
        fastest[best.command] if best else None,
        best is not None and _near(best.seconds, aimed, ladder.forecast_within),
        _longest_storm(mount, {id(role) for role in hits}, key, ladder.storm_per_s),
        int(ladder.storm_samples),
        counted,
    )


def _fastest(runs: Iterable[TimedRun]) -> dict[str, TimedRun]:
    fastest: dict[str, TimedRun] = {}
    for run in runs:
        if run.command not in fastest or run.seconds < fastest[run.command].seconds:
            fastest[run.command] = run
    return fastest


def _near(value: float, forecasts: Sequence[float], within: float) -> bool:
    return any(abs(value - forecast) <= within * forecast for forecast in forecasts)


def _distance(
    run: TimedRun, hits: Sequence[LockRole], peak: LockRole, forecasts: Sequence[float], ladder: Limits
) -> tuple[int, bool, int, float]:
    """Order of slowed runs, the most telling first."""
    lines = abs(run.ref.line - peak.ref.line) if run.ref.artifact == peak.ref.artifact else 1 << 62
    return _apart(run, hits), not _near(run.seconds, forecasts, ladder.forecast_within), lines, -run.seconds


def _apart(run: TimedRun, hits: Sequence[LockRole]) -> int:
    """0: it ran while the storm went on; 1: its time is not known; 2: it ran at another time."""
    known = [role.at for role in hits if role.at is not None and run.at is not None and comparable(role.at, run.at)]
    if run.at is None or not known:
        return 1
    end = run.at + round(run.seconds * 1e6)
    return 0 if run.at - SLACK_US <= max(known) and end + SLACK_US >= min(known) else 2


def _longest_storm(mount: Sequence[LockRole], hits: set[int], key: str, storm_per_s: float) -> int:
    """Most samples in a row, of one node, that belong to the phase and are at storm rate."""
    rows: dict[str | None, int] = {}
    longest = 0
    for role in mount:
        goes_on = id(role) in hits and role.per_s.get(key, 0.0) >= storm_per_s
        rows[role.node] = rows.get(role.node, 0) + 1 if goes_on else 0
        longest = max(longest, rows[role.node])
    return longest
