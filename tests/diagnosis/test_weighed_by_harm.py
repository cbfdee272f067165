"""What a listing or a log calls wrong weighs as much as the harm that it shows: each case with the severity of the
finding that names it, with what its words must say and must not say, and with a calm twin.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TEXTS: Final[list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "weighed_by_harm.toml").read_text(encoding="utf-8")
)["text"]
ALARMS: Final = ("critical", "high", "medium")


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_a_finding_weighs_as_much_as_its_harm(case: dict[str, Any], tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, **case["files"])
    shown = [
        (one.severity, f"{one.title} / {one.explanation}".replace("\xa0", " ").replace("\u202f", " "))
        for one in diagnosis.findings
    ]
    for row in case.get("says", []):
        severity, _, words = row.partition(": ")
        assert any(level == severity and re.search(words, text) for level, text in shown), (row, shown)
    for words in case.get("never", []):
        assert not any(re.search(words, text) for _, text in shown), (words, shown)
    if "says" not in case:
        assert [text for level, text in shown if level in ALARMS] == []
