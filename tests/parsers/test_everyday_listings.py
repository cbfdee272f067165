"""Everyday outputs of hosts are read to their last line, in each form that their tools print."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Final

import pytest

from parsers.sections.reader import tried

TEXTS: Final = tomllib.loads((Path(__file__).parent / "everyday_listings.toml").read_text(encoding="utf-8"))["text"]


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_no_line_is_left(case: dict[str, str]) -> None:
    result = tried(case["text"].lstrip("\n"))
    assert result.understood > 0
    assert result.not_understood == case.get("left", 0)
