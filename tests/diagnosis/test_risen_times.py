"""Two looks at counts since the start: what a volume took between them, against the time before."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Finding
from tests.diagnosis.cluster_texts import found

HEAD = """                      OPERATIONS          BLOCKS           AVG TIME(ms)
TYP NAME              READ     WRITE      READ     WRITE   READ  WRITE
"""


def look(moment: str, *rows: tuple[str, int, float]) -> str:
    """A report at a moment: volumes with their writes and the mean time of these."""
    lines = [f"vol {name}  0  {count}  0  {count * 16}  0.0  {mean:.1f}" for name, count, mean in rows]
    return "\n".join((f"{HEAD}{moment}", *lines, ""))


MORNING, NOON = "Tue Mar  9 08:00:00 2027", "Tue Mar  9 12:00:00 2027"


def risen(folder: Path, *texts: str) -> list[Finding]:
    return [one for one in found(folder, "R27", *texts) if "between two looks" in one.title]


def test_counts_that_go_on_are_taken_apart(tmp_path: Path) -> None:
    """10,000 writes of 2 ms and 11,000 of 10 ms on average: the last thousand took 90 ms."""
    [finding] = risen(
        tmp_path,
        look(MORNING, ("payvol", 10_000, 2.0), ("logvol", 500, 1.0)),
        look(NOON, ("payvol", 11_000, 10.0), ("logvol", 900, 1.1)),
    )
    assert finding.title.startswith("payvol took 90.0 ms")
    assert finding.severity == "medium"
    assert len(finding.evidence) == 2


def test_counts_that_were_reset_are_taken_as_they_stand(tmp_path: Path) -> None:
    [finding] = risen(tmp_path, look(MORNING, ("payvol", 10_000, 2.0)), look(NOON, ("payvol", 400, 61.0)))
    assert finding.title.startswith("payvol took 61.0 ms")


def test_the_order_of_the_files_does_not_matter(tmp_path: Path) -> None:
    [finding] = risen(tmp_path, look(NOON, ("payvol", 400, 61.0)), look(MORNING, ("payvol", 10_000, 2.0)))
    assert finding.title.startswith("payvol took 61.0 ms")


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ((10_000, 2.0), (11_000, 2.1)),  # as quick as before
        ((10_000, 30.0), (11_000, 31.0)),  # slow, and no slower than before
        ((10_000, 0.2), (400, 9.0)),  # many times as long, and nobody notices
        ((10_000, 2.0), (10_010, 2.1)),  # too few to tell
        ((10_000, 61.0), (400, 2.0)),  # quicker
    ],
)
def test_no_rise_is_none(earlier: tuple[int, float], later: tuple[int, float], tmp_path: Path) -> None:
    assert risen(tmp_path, look(MORNING, ("payvol", *earlier)), look(NOON, ("payvol", *later))) == []


def test_looks_of_one_moment_or_of_none_are_in_no_order(tmp_path: Path) -> None:
    quick, slow = ("payvol", 10_000, 2.0), ("payvol", 400, 61.0)
    assert risen(tmp_path / "same", look(NOON, quick), look(NOON, slow)) == []
    assert risen(tmp_path / "undated", look("", quick), look("", slow)) == []
