"""Listings that disagree: the later one holds, and where nobody knows which that is, the worse."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

DISKS = """disk         driver   sector     failure holds    holds                            storage
name         type       size       group metadata data  status        availability pool
------------ -------- ------ ----------- -------- ----- ------------- ------------ ------------
"""
DAEMONS = """ Node number  Node name        GPFS state
------------------------------------------
"""


def disks(availability: str) -> str:
    rows = ((1, "up"), (2, availability), (3, "up"))
    return DISKS + "".join(
        f"lun{n}         nsd         512           1 Yes      Yes   ready         {state:12s} system\n"
        for n, state in rows
    )


def daemons(state: str) -> str:
    rows = ((1, "oak1", "active"), (2, "oak2", "active"), (3, "elm1", state))
    return DAEMONS + "".join(f"{n:8d}      {name:14s}   {one}\n" for n, name, one in rows)


def refs(folder: Path, files: dict[str, str]) -> list[str]:
    return [one.ref for one in diagnosis_of(folder, **files).findings if one.severity in ("medium", "high", "critical")]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"oak1__disks": disks("down"), "oak2__disks": disks("up")}, ["SC-27"]),
        ({"oak1__disks": disks("up"), "oak2__disks": disks("unrecovered"), "oak3__disks": disks("up")}, ["SC-27"]),
        ({"x__mmlsdisk_dot_txt": disks("recovering"), "y__mmlsdisk_dot_txt": disks("up")}, ["SC-27"]),
        ({"mmlsdisk_dot_1": disks("down"), "mmlsdisk_dot_2": disks("up")}, []),
        ({"before__mmlsdisk": disks("down"), "after__mmlsdisk": disks("up")}, []),
        ({"all": "mmlsdisk arc\n\n" + disks("down") + "\nmmlsdisk arc\n\n" + disks("up")}, []),
        ({"oak1__disks": disks("up"), "oak2__disks": disks("up")}, []),
    ],
)
def test_disks_of_listings_without_an_order(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert refs(tmp_path, files) == expected


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"oak1__state": daemons("arbitrating"), "oak2__state": daemons("active")}, True),
        ({"oak1__state": daemons("active"), "oak2__state": daemons("unknown")}, True),
        ({"state_dot_1": daemons("arbitrating"), "state_dot_2": daemons("active")}, False),
        ({"oak1__state": daemons("active"), "oak2__state": daemons("active")}, False),
    ],
)
def test_daemons_of_listings_without_an_order(tmp_path: Path, files: dict[str, str], expected: bool) -> None:
    assert bool(refs(tmp_path, files)) is expected
