"""The long run (``make soak``) makes the same bundles each time, and tells what it is there to tell."""

from __future__ import annotations

from typing import Any

import pytest

from scripts.soak import __main__ as soak
from scripts.soak.bundles import bundle


def test_a_bundle_is_made_from_its_number_alone() -> None:
    made = [bundle(number) for number in range(40)]
    assert made == [bundle(number) for number in range(40)]
    assert len({content for _, content in made}) > 35
    assert {name.split("-", 1)[1] for name, _ in made} == {
        "snap.tar.gz",
        "snap.zip",
        "snap.tar",
        "dump.txt",
        "dump.txt.gz",
    }


def run(**changes: Any) -> dict[str, Any]:
    samples = [
        {"bundles": at, "programs": {"web": {"mib": 150.0, "files": 25, "processes": 2}}, "connections": {"queue": 28}}
        for at in range(20)
    ]
    return {
        "first": ["a", "b", "c"],
        "again": ["a", "b"],
        "left": [],
        "ended": [],
        "answers": {"('page', 200)": 9, "('upload', 201)": 3},
        "samples": samples,
    } | changes


def growing(key: str) -> list[dict[str, Any]]:
    samples: list[dict[str, Any]] = run()["samples"]
    for at, sample in enumerate(samples):
        sample["programs"]["web"][key] += 5 * at
    return samples


def test_a_run_in_which_all_held_has_no_fault() -> None:
    assert list(soak._faults({"embedded": run(), "server": run()})) == []


@pytest.mark.parametrize(
    ("changes", "fault"),
    [
        ({"first": ["a", "x", "c"]}, "the two shapes: 1 bundles were read differently: 1"),
        ({"again": ["a", "x"]}, "begin and end (server): 1 bundles were read differently: 1"),
        ({"left": ["missing file 3"]}, "server: left over: missing file 3"),
        ({"ended": ["worker"]}, "server: worker had ended by itself"),
        ({"answers": {"('page', 500)": 2}}, "server: 2 answers ('page', 500)"),
        ({"samples": growing("mib")}, "server: web went from 185 to 235 mib"),
        ({"samples": growing("files")}, "server: web went from 60 to 110 files"),
    ],
)
def test_each_fault_is_reported(changes: dict[str, Any], fault: str) -> None:
    assert fault in list(soak._faults({"embedded": run(), "server": run(**changes)}))
