"""Everyday outputs as people send them: what says nothing counts as read, the sick twin is named, and over a word that
nobody knows no all-clear stands.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TEXTS: Final = tomllib.loads((Path(__file__).parent / "everyday_texts.toml").read_text(encoding="utf-8"))["text"]
ALARMS: Final = ("critical", "high", "medium")


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_health_is_earned(case: dict[str, Any], tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **case["files"])
    titles = [one.title.replace("\xa0", " ") for one in diagnosis.findings if one.severity in ALARMS]
    for words in case.get("says", []):
        assert any(re.search(words, text, re.IGNORECASE) for text in titles), (words, titles)
    verdict = diagnosis.verdict
    assert verdict is not None
    sentence = verdict.title.replace("\xa0", " ")
    if "calm" in case:
        assert verdict.form == "healthy", verdict
    if "unread" in case:
        assert verdict.form == "not_judged", verdict
    if "noted" in case:
        assert re.search(case["noted"], sentence), verdict
    assert titles == [] or "says" in case
