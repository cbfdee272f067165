"""Texts of Storage Scale, InfoScale and old Unixes in seldom forms: each fault is told, each healthy twin is not."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TEXTS: Final = tomllib.loads((Path(__file__).parent / "seldom_texts.toml").read_text(encoding="utf-8"))["text"]
ALARMS: Final = ("critical", "high", "medium")


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_the_verdict_is_of_that_form_and_says_so(case: dict[str, Any], tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **case["files"])
    verdict, found = diagnosis.verdict, [(one.severity, one.title) for one in diagnosis.findings]
    assert verdict is not None
    assert verdict.form in case["forms"], (verdict, found)
    assert verdict.severity == case.get("severity", verdict.severity), (verdict, found)
    title = verdict.title.replace("\xa0", " ")
    for words in case.get("says", []):
        assert re.search(words, title, re.IGNORECASE), (words, title, found)
    if "says" not in case:
        assert [one for one in found if one[0] in ALARMS] == []
