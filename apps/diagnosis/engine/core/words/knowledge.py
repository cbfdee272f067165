"""Words, limits and tunings: TOML that support engineers edit, loaded once into frozen records. An unknown key stops
the start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, fields
from functools import cache
from pathlib import Path
from typing import Any

from apps.diagnosis.engine.core.model import AT_STAKE, BASES, SEVERITIES, AtStake, Basis, Part, Severity
from apps.diagnosis.engine.core.words.filling import Clauses
from parsers.dataclass import dataclass
from parsers.patterns.kept_start import toml

FOLDER = Path(__file__).resolve().parents[3] / "knowledge"


@dataclass(frozen=True, slots=True)
class Words:
    """What a finding says; ``{names}`` are filled by the rule. ``verdict`` is the sentence for the top of the case,
    ``logged`` how it begins where logs of the same incident tell what came first.
    """

    title: str
    explanation: str
    verdict: str = ""
    logged: str = ""


@dataclass(frozen=True, slots=True)
class Level:
    """How grave a finding is. ``basis`` and ``tunings``: None for those of the rule; ``variant``: the wording, empty
    for the rule's own.
    """

    severity: Severity
    basis: Basis | None = None
    variant: str = ""
    tunings: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class FigureText:
    """A number shown with a finding: ``of`` is the field of the words (a tuple of pairs gives a figure each, named by
    the first; one of numbers a figure for each of the first four, numbered from the second on).

    limit: the limit of the rule that is shown under it, or of a shared fact (``scale-history.slow_ms``). limit_text:
    the same in words, where it depends on the case. share: value and limit are shares, shown in per cent. The name is
    filled as sentences are.
    """

    name: str
    of: str
    unit: str = ""
    digits: int | None = None
    limit: str = ""
    share: bool = False
    limit_text: str = ""


@dataclass(frozen=True, slots=True)
class RuleText:
    """A rule as people see it. ``variants`` are other wordings that the rule chooses by name. ``name``: plain words for
    it in a list of all rules.

    stops: no setting can mend it, and waits that follow from it say nothing on settings. levels: by the name that the
    rule gives. clauses: optional sentences. parts: factors of the confidence, harm and unfit: sentences, all by the
    names that the rule gives. explains: kinds of alarms on its nodes that a finding of the rule accounts for, cited or
    not. one_by_one: a line that it cites speaks for its own thing alone, not for its kind on that node.
    of_absence: it rests on what no file holds, so it is no verdict while files are still read.
    """

    ref: str
    rule: str
    name: str
    product: str
    basis: Basis
    source: str
    words: Words
    disproved_by: str
    tunings: tuple[str, ...]
    variants: dict[str, Words]
    at_stake: AtStake = "speed"
    stops: bool = False
    levels: Mapping[str, Level] = field(default_factory=dict)
    clauses: Clauses = field(default_factory=lambda: Clauses({}, {}))
    figures: tuple[FigureText, ...] = ()
    parts: Mapping[str, Part] = field(default_factory=dict)
    harm: Mapping[str, str] = field(default_factory=dict)
    unfit: Mapping[str, str] = field(default_factory=dict)
    explains: tuple[str, ...] = ()
    one_by_one: bool = False
    of_absence: bool = False

    def sentences(self) -> dict[str, str]:
        """Every text that is filled, by its place in the file; optional sentences are in ``clauses``."""
        found = {"disproved_by": self.disproved_by}
        for name, words in {"": self.words, **self.variants}.items():
            place = f"variants.{name}." if name else ""
            found |= {
                f"{place}title": words.title,
                f"{place}explanation": words.explanation,
                f"{place}verdict": words.verdict,
                f"{place}logged": words.logged,
            }
        found |= {f"parts.{name}": part.why for name, part in self.parts.items()}
        found |= {f"harm.{name}": text for name, text in self.harm.items()}
        for figure in self.figures:
            found |= {f"figures.{figure.name}": figure.name, f"figures.{figure.name}.limit_text": figure.limit_text}
        return found | {f"unfit.{name}": text for name, text in self.unfit.items()}


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

    def of(self, path: str) -> float:
        """A limit by its name, or one of a shared fact: ``lock-roles.busy_per_s``."""
        group, _, name = path.rpartition(".")
        return limits(group).all()[name].value if group else self._limits[name].value

    def names(self) -> set[str]:
        """All that ``of`` knows."""
        return {
            *self._limits,
            *(f"{group}.{name}" for group in limit_groups() for name in rows_of("thresholds")[group]),
        }

    def words(self, name: str) -> str:
        """The limit as shown under a figure."""
        limit = self._limits[name]
        return f"limit {limit.value:g} {limit.unit}".strip()


@dataclass(frozen=True, slots=True)
class TuningText:
    """A tuning as people see it; ``{scope}`` and other names are filled in.

    by_release: only some releases know it: it is recommended where the files show it, or a release that knows it.
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
    by_release: bool = False


@cache
def rows_of(kind: str) -> dict[str, dict[str, Any]]:
    """All rows of ``<product>/<kind>*.toml``; a row that two files define is an error."""
    rows: dict[str, dict[str, Any]] = {}
    for path in sorted(FOLDER.glob(f"*/{kind}*.toml")):
        found = toml(path)
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
    "rule", "name", "product", "basis", "source", "title", "explanation", "verdict", "logged", "disproved_by",
    "tunings", "variants",
    "at_stake",
    "levels", "when", "unless", "figures", "parts", "harm", "unfit", "stops", "explains", "one_by_one", "of_absence",
}  # fmt: skip


@cache
def rule_texts() -> dict[str, RuleText]:
    """Texts of all rules by ref."""
    texts = {}
    for ref, row in rows_of("findings").items():
        _only(row, _RULE_KEYS, ref)
        variants = {name: Words(**words) for name, words in row.get("variants", {}).items()}
        words = Words(row["title"], row["explanation"], row.get("verdict", ""), row.get("logged", ""))
        texts[ref] = RuleText(
            ref,
            row["rule"],
            row["name"],
            row["product"],
            _basis(row["basis"], ref),
            row["source"],
            words,
            row["disproved_by"],
            tuple(row.get("tunings", ())),
            variants,
            _at_stake(row.get("at_stake", "speed"), ref),
            row.get("stops", False),
            {name: _level(level, f"{ref}.levels.{name}") for name, level in row.get("levels", {}).items()},
            Clauses(row.get("when", {}), row.get("unless", {})),
            tuple(FigureText(**figure) for figure in row.get("figures", ())),
            {name: _part(part) for name, part in row.get("parts", {}).items()},
            row.get("harm", {}),
            row.get("unfit", {}),
            tuple(row.get("explains", ())),
            row.get("one_by_one", False),
            row.get("of_absence", False),
        )
    return texts


def _part(row: dict[str, Any] | str) -> Part:
    """A factor of the confidence; a name stands for one in ``parts.toml``, which several rules share."""
    found = rows_of("parts")[row] if isinstance(row, str) else row
    return Part(found["of"], float(found["value"]), found["why"])


def _level(row: dict[str, Any], where: str) -> Level:
    _only(row, {"severity", "basis", "variant", "tunings"}, where)
    severity = next((known for known in SEVERITIES if known == row["severity"]), None)
    if severity is None:
        raise ValueError(f"{where}: severity {row['severity']!r} is none of {', '.join(SEVERITIES)}")
    basis = _basis(row["basis"], where) if "basis" in row else None
    return Level(severity, basis, row.get("variant", ""), tuple(row["tunings"]) if "tunings" in row else None)


def limit_groups() -> tuple[str, ...]:
    """Rules and shared facts that have limits."""
    return tuple(rows_of("thresholds"))


@cache
def limits(group: str) -> Limits:
    """Limits of a rule or of a shared fact (such as ``lock-roles``)."""
    found = {}
    for name, row in rows_of("thresholds").get(group, {}).items():
        _only(row, {"value", "unit", "basis", "source"}, f"{group}.{name}")
        found[name] = Limit(float(row["value"]), row["unit"], _basis(row["basis"], f"{group}.{name}"), row["source"])
    return Limits(group, found)


@cache
def tuning_texts() -> dict[str, TuningText]:
    """Texts of all tunings by id."""
    allowed = {f.name for f in fields(TuningText)} - {"id"}
    texts = {}
    for key, row in rows_of("tunings").items():
        _only(row, allowed, key)
        values: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in row.items()}
        values["basis"] = _basis(row["basis"], key)
        texts[key] = TuningText(id=key, **values)
    return texts
