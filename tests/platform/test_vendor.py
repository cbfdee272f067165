"""The vendored front-end files are the ones named in VENDOR.md, byte for byte."""

from __future__ import annotations

import hashlib
import re
from pathlib import Path

import pytest

VENDOR = Path(__file__).resolve().parents[2] / "static" / "vendor"
ROW = re.compile(
    r"^\| (?P<package>\S+) \| (?P<version>\d\S*) \| (?P<licence>\S+) \| `(?P<file>\S+)` \| "
    r"`(?P<sha256>[0-9a-f]{64})` \|$"
)


def _rows() -> list[dict[str, str]]:
    lines = (VENDOR / "VENDOR.md").read_text(encoding="utf-8").splitlines()
    return [match.groupdict() for line in lines if (match := ROW.match(line))]


@pytest.mark.parametrize("row", _rows(), ids=lambda row: row["file"])
def test_file_has_its_checksum(row: dict[str, str]) -> None:
    assert hashlib.sha256((VENDOR / row["file"]).read_bytes()).hexdigest() == row["sha256"]


def test_every_file_is_in_the_table() -> None:
    present = {path.relative_to(VENDOR).as_posix() for path in VENDOR.rglob("*") if path.is_file()}
    licences = {name for name in present if name.startswith("licences/")}
    assert present - licences - {"VENDOR.md"} == {row["file"] for row in _rows()}


def test_every_package_has_its_licence_text() -> None:
    names = {row["package"].rsplit("/", 1)[-1] for row in _rows()}
    assert {f"{name}.txt" for name in names} == {path.name for path in (VENDOR / "licences").iterdir()}


def test_no_file_points_at_a_source_map() -> None:
    """The manifest storage stops at a reference to a file that is absent."""
    for path in VENDOR.glob("*.js"):
        assert b"sourceMappingURL=" not in path.read_bytes(), path.name
