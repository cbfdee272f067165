"""Texts of Storage Scale, InfoScale and old Unixes in seldom forms: each fault is told, each healthy twin is not."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import judged

TEXTS: Final = tomllib.loads((Path(__file__).parent / "seldom_texts.toml").read_text(encoding="utf-8"))["text"]
ALARMS: Final = ("critical", "high", "medium")


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_the_verdict_is_of_that_form_and_says_so(case: dict[str, Any], tmp_path: Path) -> None:
    diagnosis = judged(case, tmp_path)
    if "says" not in case:
        assert [one.title for one in diagnosis.findings if one.severity in ALARMS] == []
