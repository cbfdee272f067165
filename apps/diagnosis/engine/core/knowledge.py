"""Words, limits and tunings: TOML that support engineers edit, loaded once into frozen records. An unknown key stops the start."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from pathlib import Path
from typing import Any

from apps.diagnosis.engine.core.model import AT_STAKE, BASES, AtStake, Basis

FOLDER = Path(__file__).resolve().parents[2] / "knowledge"


@dataclass(frozen=True, slots=True)
class Words:
    """What a finding says; ``{names}`` are filled by the rule. ``verdict`` is the sentence for the top of the case."""

    title: str
    explanation: str
    verdict: str = ""


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as people see it. ``variants`` are other wordings that the rule chooses by name."""

    ref: str
    rule: str
    product: str
    basis: Basis
    source: str
    words: Words
    disproved_by: str
    tunings: tuple[str, ...]
    variants: dict[str, Words]
    at_stake: AtStake = "speed"


@dataclass(frozen=True, slots=True)
class Limit:
    """A threshold: its value, its unit, and how sure it is."""

    value: float
    unit: str
    basis: Basis
    source: str


class Limits:
    """The limits of one rule by name: ``limits.pull_per_s``. A name that is not in the file is an error."""

    def __init__(self, group: str, limits: dict[str, Limit]) -> None:
        self._group = group
        self._limits = limits

    def __getattr__(self, name: str) -> float:
        try:
            return self._limits[name].value
        except KeyError:
            raise AttributeError(f"the thresholds have no limit {name} for {self._group}") from None

    def all(self) -> dict[str, Limit]:
        """The limits with their basis and source."""
        return dict(self._limits)

    def words(self, name: str) -> str:
        """The limit as shown under a figure."""
        limit = self._limits[name]
        return f"limit {limit.value:g} {limit.unit}".strip()


@dataclass(frozen=True, slots=True)
class TuningText:
    """A tuning as people see it; ``{scope}`` and other names are filled in.

    not_offered: why no rule recommends it; such a one is for people who look it up.
    """

    id: str
    parameter: str
    recommended: str
    commands: tuple[str, ...]
    persist: str
    caution: str
    way_back: str
    verify: str
    since: str
    why: str
    basis: Basis
    sources: tuple[str, ...]
    default: str = ""
    not_offered: str = ""


@cache
def _load(kind: str) -> dict[str, dict[str, Any]]:
    """All rows of ``<product>/<kind>*.toml``; a row that two files define is an error."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted(FOLDER.glob(f"*/{kind}*.toml")):
        with path.open("rb") as file:
            found = tomllib.load(file)
        if twice := set(found) & set(rows):
            raise ValueError(f"{path.name}: defined before: {', '.join(sorted(twice))}")
        rows |= found
    return rows


def _basis(value: str, where: str) -> Basis:
    for basis in BASES:
        if basis == value:
            return basis
    raise ValueError(f"{where}: basis {value!r} is none of {', '.join(BASES)}")


def _at_stake(value: str, where: str) -> AtStake:
    for stake in AT_STAKE:
        if stake == value:
            return stake
    raise ValueError(f"{where}: at_stake {value!r} is none of {', '.join(AT_STAKE)}")


def _only(row: dict[str, Any], allowed: set[str], where: str) -> None:
    if unknown := set(row) - allowed:
        raise ValueError(f"{where}: unknown keys {', '.join(sorted(unknown))}")


_RULE_KEYS = {
    "rule", "product", "basis", "source", "title", "explanation", "verdict", "disproved_by", "tunings", "variants", "at_stake",
}  # fmt: skip


@cache
def rule_texts() -> dict[str, RuleText]:
    """Texts of all rules by ref."""
    texts = {}
    for ref, row in _load("findings").items():
        _only(row, _RULE_KEYS, ref)
        variants = {name: Words(**words) for name, words in row.get("variants", {}).items()}
        words = Words(row["title"], row["explanation"], row.get("verdict", ""))
        texts[ref] = RuleText(
            ref,
            row["rule"],
            row["product"],
            _basis(row["basis"], ref),
            row["source"],
            words,
            row["disproved_by"],
            tuple(row.get("tunings", ())),
            variants,
            _at_stake(row.get("at_stake", "speed"), ref),
        )
    return texts


def limit_groups() -> tuple[str, ...]:
    """Rules and shared facts that have limits."""
    return tuple(_load("thresholds"))


@cache
def limits(group: str) -> Limits:
    """Limits of a rule or of a shared fact (such as ``lock-roles``)."""
    found = {}
    for name, row in _load("thresholds").get(group, {}).items():
        _only(row, {"value", "unit", "basis", "source"}, f"{group}.{name}")
        found[name] = Limit(float(row["value"]), row["unit"], _basis(row["basis"], f"{group}.{name}"), row["source"])
    return Limits(group, found)


@cache
def tuning_texts() -> dict[str, TuningText]:
    """Texts of all tunings by id."""
    allowed = {f.name for f in fields(TuningText)} - {"id"}
    texts = {}
    for key, row in _load("tunings").items():
        _only(row, allowed, key)
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
        values["basis"] = _basis(row["basis"], key)
        texts[key] = TuningText(id=key, **values)
    return texts
