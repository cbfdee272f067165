"""Texts of Linux hosts and clusters as people send them: each fault is named with its object, no all-clear stands over
what nobody weighed, and ordinary twins are silent.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TEXTS: Final = tomllib.loads((Path(__file__).parent / "linux_texts.toml").read_text(encoding="utf-8"))["text"]
ALARMS: Final = ("critical", "high", "medium")


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_a_fault_is_named_and_its_twin_is_silent(case: dict[str, Any], tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **case["files"])
    titles = [one.title.replace("\xa0", " ") for one in diagnosis.findings if one.severity in ALARMS]
    for words in case.get("says", []):
        assert any(re.search(words, text, re.IGNORECASE) for text in titles), (words, titles)
    verdict = diagnosis.verdict
    assert verdict is not None
    if "doubt" in case:
        assert verdict.form == "not_judged", verdict
        assert re.search(case["doubt"], verdict.title.replace("\xa0", " ")), verdict
    elif "calm" in case:
        assert verdict.form == "healthy", verdict
    if "noted" in case:
        assert re.search(case["noted"], verdict.title.replace("\xa0", " ")), verdict
    assert titles == [] or "says" in case
