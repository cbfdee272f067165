"""Every sample gives exactly the records beside it, all its lines are accounted for, and every parser has two."""

from __future__ import annotations

from pathlib import Path

import pytest

from parsers.lookup import parsers
from tests.every import every
from tests.parsers.golden import FIXTURES, Reading, case_id, cases


@pytest.mark.parametrize("path", cases(), ids=case_id)
def test_a_sample_gives_the_expected_records(path: Path, pytestconfig: pytest.Config) -> None:
    reading = Reading(path.read_bytes(), path=path.name)
    assert reading.adds_up, "lines of the sample are not accounted for"
    found = reading.as_json()
    expected = path.with_suffix(".json")
    if pytestconfig.getoption("--update-golden"):
        expected.write_text(found, encoding="utf-8")
    assert expected.exists(), "no expected output: run `make golden` and read what it writes"
    assert found == expected.read_text(encoding="utf-8")


@every([(name, case) for name in sorted(parsers()) for case in ("typical", "damaged")])
def test_every_parser_has_samples_that_it_alone_reads(named: tuple[str, str]) -> None:
    name, case = named
    path = FIXTURES / name / f"{case}.txt"
    assert path.exists(), f"a {case} sample of {name} is missing"
    reading = Reading(path.read_bytes(), path=path.name)
    assert set(reading.result.formats) == {name}
    assert reading.result.records > 0
    if case == "typical":
        assert 10 * reading.result.not_understood <= reading.result.total


def test_every_folder_of_samples_belongs_to_a_parser() -> None:
    assert {path.name for path in FIXTURES.iterdir()} == set(parsers())


def test_every_expected_output_has_its_sample() -> None:
    assert {path.with_suffix("") for path in FIXTURES.glob("*/*.json")} == {path.with_suffix("") for path in cases()}
