"""The same files in another order give the same result: all that is found is equal, lists in input order hold the same
rows.
"""

from __future__ import annotations

import io
import json
import random
import tarfile
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.reports import bundle, report_on

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "parsers"
FOUND = (
    "verdict",
    "findings",
    "tunings",
    "roots",
    "cycles",
    "nodes",
    "window",
    "products",
    "waiter_kinds",
    "waits_for",
    "missing",
    "next_steps",
)
ROWS = (
    "waiters", "spans", "series", "rates", "settings", "measurements", "claims", "lock_roles", "locks", "disk_io",
    "links", "members",
    "versions", "events", "problems",
)  # fmt: skip
THINNED = 3  # all of them take a minute
MAIL = b"""On Mon, 2024-03-04 at 10:12 +0000, Ann Weaver wrote:
> The nightly backup takes 20-28 hours here, the same tree on ext4 about
> 8 minutes.
"""
TABLE = b"""Node  Daemon node name            IP address       Admin node name             Designation
--------------------------------------------------------------------------------------------------
   1  heron1-ib.lab.example   10.9.0.1     heron1.lab.example     quorum-manager
   2  heron2-ib.lab.example   10.9.0.2     heron2.lab.example     quorum
"""


@cache
def members() -> tuple[tuple[str, bytes], ...]:
    """Samples of every third reader as if four nodes had sent them, a mail, and a table of names."""
    samples = [path.read_bytes() for path in sorted(FIXTURES.glob("*/typical.txt"))][::THINNED]
    files = [(f"case/heron{1 + n % 4}/{n:03d}.txt", text) for n, text in enumerate(samples)]
    return (
        *files,
        ("case/mail.txt", MAIL),
        ("case/heron1/mmlscluster", TABLE),
        ("case/heron2/again.txt", samples[0] + b"\n"),
    )


def result(order: list[int]) -> dict[str, Any]:
    """The analysis of the members in an order."""
    return report_on(bundle(_archive([members()[n] for n in order]), "bundle.tar"))


def _archive(chosen: list[tuple[str, bytes]]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, content in chosen:
            info = tarfile.TarInfo(name)
            info.size, info.mtime = len(content), 1_709_632_800
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


@cache
def in_order() -> dict[str, Any]:
    return result(list(range(len(members()))))


@cache
def shuffled(seed: int) -> dict[str, Any]:
    order = list(range(len(members())))
    random.Random(seed).shuffle(order)
    return result(order)


SEEDS = (1,)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("key", FOUND)
def test_what_is_found_is_equal(key: str, seed: int) -> None:
    assert shuffled(seed)[key] == in_order()[key]


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("key", ROWS)
def test_lists_hold_the_same_rows(key: str, seed: int) -> None:
    assert _sorted(shuffled(seed)[key]) == _sorted(in_order()[key])


def test_files_are_described_the_same() -> None:
    """All but the archive itself, whose bytes differ."""
    one, other = (
        _sorted([row for row in found["inputs"] if "!" in row["path"]]) for found in (shuffled(SEEDS[0]), in_order())
    )
    assert one == other


def test_twice_the_same_is_equal_to_the_letter() -> None:
    assert result(list(range(len(members())))) == in_order()


def _sorted(rows: list[Any]) -> list[str]:
    return sorted(json.dumps(row, sort_keys=True) for row in rows)
