"""The floors of coverage: how they are held, and that none is ever lowered."""

from __future__ import annotations

import json
import subprocess

from scripts import coverage_floor
from scripts.coverage_floor import FLOORS, ROOT, below, raised, shares

MEASURED = {
    "files": {
        "parsers/a.py": {"summary": {"num_statements": 30, "covered_lines": 30}},
        "parsers/formats/b.py": {"summary": {"num_statements": 10, "covered_lines": 5}},
        "apps/cases/models.py": {"summary": {"num_statements": 10, "covered_lines": 9}},
        "apps/diagnosis/models.py": {"summary": {"num_statements": 10, "covered_lines": 10}},
        "apps/diagnosis/engine/core/facts/case.py": {"summary": {"num_statements": 3, "covered_lines": 2}},
        "apps/cases/migrations/__init__.py": {"summary": {"num_statements": 0, "covered_lines": 0}},
    }
}


def test_packages_are_the_parsers_the_engine_and_each_app() -> None:
    found = shares(MEASURED)
    assert {name: round(share, 1) for name, share in found.items()} == {
        "apps/cases": 90.0,
        "apps/diagnosis": 100.0,
        "apps/diagnosis/engine": 66.7,
        "parsers": 87.5,
    }


def test_a_package_below_its_floor_or_gone_is_named() -> None:
    found = shares(MEASURED)
    assert below(found, {"parsers": 87, "apps/cases": 90}) == []
    assert below(found, {"parsers": 88, "apps/gone": 1}) == [
        "parsers: 87.5 % is below its floor of 88 %",
        "apps/gone: 0.0 % is below its floor of 1 %",
    ]


def test_raising_never_lowers() -> None:
    assert raised({"parsers": 87.9, "config": 50.2}, {"parsers": 90}) == {"parsers": 90, "config": 50}


def test_no_floor_is_lower_than_in_any_earlier_commit() -> None:
    path = FLOORS.relative_to(ROOT).as_posix()
    now = json.loads(FLOORS.read_text(encoding="utf-8"))
    commits = _git("log", "--format=%H", "--", path).split()
    for commit in commits:
        if not (earlier := _git("show", f"{commit}:{path}")):
            continue  # the commit took the file away
        lowered = {package: floor for package, floor in json.loads(earlier).items() if now.get(package, 0) < floor}
        assert {package for package in lowered if (ROOT / package).is_dir()} == set(), commit


def _git(*arguments: str) -> str:
    """Nothing where the tree is no clone."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False).stdout


def test_the_floors_are_those_of_folders_that_are_there() -> None:
    floors = json.loads(coverage_floor.FLOORS.read_text(encoding="utf-8"))
    assert {"parsers", coverage_floor.ENGINE} <= set(floors)
    assert [package for package in floors if not (ROOT / package).is_dir()] == []
