"""Every state that weighs trouble or disaster, in two layouts of its tools and in each word for it, is named in a
healthy bundle; the same outputs in order are silent. Beyond the table: every row of a sample that a parser calls so.

A run looks at a part of them; ``--matrix`` at all.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

import pytest

from apps.diagnosis.engine.core.words.standings import state_texts
from tests.diagnosis import ordinary_logs as ordinary
from tests.diagnosis.test_completeness import ALARMING, HOST, LEAST_NAMED, PEER
from tests.part import part
from tests.reports import bundle, text_on

SHOWN: Final[list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "states_shown.toml").read_text(encoding="utf-8")
)["shown"]
SAMPLES: Final = Path(__file__).parents[1] / "fixtures" / "parsers"
GRAVE: Final = {of for of, text in state_texts().items() if text.weight in ("trouble", "disaster")}
LAYOUTS_OF_EACH: Final = 2
WORDS_A_RUN: Final = 30
SAMPLES_A_RUN: Final = 12
NAMED: Final = (*ALARMING, "low")
QUIET: Final = ordinary.syslog(ordinary.DAEMONS, host=HOST)


class Case(NamedTuple):
    """A state in a layout of its tool, and the same in order."""

    of: str
    word: str
    named: str
    sick: str
    well: str
    name: str

    def __str__(self) -> str:
        return f"{self.of} {self.word!r}"


def _cases() -> Iterator[Case]:
    for row in SHOWN:
        for word in row["sick"]:
            sick, well = (_filled(row["text"], state) for state in (word, row["well"]))
            yield Case(row["of"], word, row["named"], sick, well, row.get("name", "output.txt"))


def _filled(text: str, state: str) -> str:
    return text.replace("{state}", state).replace("{host}", HOST).replace("{peer}", PEER).lstrip("\n")


CASES: Final = list(_cases())


def judged(text: str, name: str) -> dict[str, Any]:
    """The report on an output beside ordinary lines of a log."""
    found: dict[str, Any] = json.loads(text_on(bundle(QUIET.encode(), "var/log/messages"), bundle(text.encode(), name)))
    return found


def test_every_grave_state_stands_in_two_layouts() -> None:
    shown = Counter(row["of"] for row in SHOWN)
    few = {f"{kind}.{standing}" for kind, standing in GRAVE if shown[f"{kind}.{standing}"] < LAYOUTS_OF_EACH}
    few -= set(ONE_LAYOUT)
    assert few == set()
    assert set(shown) <= {f"{kind}.{standing}" for kind, standing in GRAVE}
    assert all(shown[one] == 1 for one in ONE_LAYOUT)


ONE_LAYOUT: Final = ("Membership.visible",)
"""Only one tool prints it, in one way."""


def _check(cases: list[Case]) -> None:
    missed = [case for case in cases if not _is_named(case)]
    assert len(missed) <= (1 - LEAST_NAMED) * len(cases), [str(case) for case in missed]


def _is_named(case: Case) -> bool:
    report = judged(case.sick, case.name)
    titles = [finding["title"] for finding in report["findings"] if finding["severity"] in NAMED]
    return any(re.search(case.named, one) for one in [report["verdict"]["title"], *titles]) and bool(titles)


def test_a_grave_state_is_named_in_a_healthy_bundle() -> None:
    _check(part(CASES, WORDS_A_RUN, "states"))


@pytest.mark.matrix
def test_all_grave_states_are_named_in_a_healthy_bundle() -> None:
    _check(CASES)


WELL: Final = sorted({(case.well, case.name) for case in CASES})


@pytest.mark.parametrize("number", range(4))
def test_the_same_output_in_order_is_silent(number: int) -> None:
    for text, name in part(WELL, 8, "well", number):
        findings = judged(text, name)["findings"]
        assert [one["title"] for one in findings if one["severity"] in ALARMING] == [], text


# --- rows of samples --------------------------------------------------------------------------------------------------


class Row(NamedTuple):
    """A row of a sample that its parser calls grave."""

    sample: Path
    kind: str
    standing: str
    line: int

    def __str__(self) -> str:
        return f"{self.sample.parent.name}/{self.sample.stem}:{self.line} {self.kind}.{self.standing}"


def _rows(sample: Path) -> list[Row]:
    golden = json.loads(sample.with_suffix(".json").read_text(encoding="utf-8"))
    kinds = {kind for kind, _ in GRAVE} & set(golden)
    rows = [(kind, _standing(kind, row), row["line"]) for kind in sorted(kinds) for row in golden[kind]]
    return [Row(sample, kind, standing, line) for kind, standing, line in rows if (kind, standing) in GRAVE]


def _standing(kind: str, row: dict[str, Any]) -> str:
    if kind == "Quorum":
        return {True: "held", False: "lost", None: "unknown"}[row.get("quorate")]
    return str(row.get("standing", "unknown"))


def _samples() -> dict[Path, list[Row]]:
    found = {sample: _rows(sample) for sample in sorted(SAMPLES.glob("*/*.txt"))}
    return {sample: rows for sample, rows in found.items() if rows}


WITH_STATES: Final = _samples()


def unnamed(sample: Path) -> list[Row]:
    """Grave rows of a sample whose kind no finding of weight cites by any of its lines."""
    report = judged(sample.read_text(encoding="utf-8", errors="replace"), f"{sample.parent.name}.txt")
    cited = {
        line["line"]
        for finding in report["findings"]
        if finding["severity"] in NAMED
        for line in finding["evidence"]
        if line["path"] != "var/log/messages"
    }
    rows = WITH_STATES[sample]
    spoken = {(row.kind, row.standing) for row in rows if row.line in cited}
    return [row for row in rows if (row.kind, row.standing) not in spoken]


def _look(samples: list[Path]) -> None:
    missed = [row for sample in samples for row in unnamed(sample)]
    assert len(missed) <= (1 - LEAST_NAMED) * sum(len(WITH_STATES[one]) for one in samples), [
        str(row) for row in missed
    ]


def test_grave_rows_of_samples_are_cited() -> None:
    _look(part(sorted(WITH_STATES), SAMPLES_A_RUN, "samples"))


@pytest.mark.matrix
def test_all_grave_rows_of_samples_are_cited() -> None:
    _look(sorted(WITH_STATES))
