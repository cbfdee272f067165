"""Texts of Storage Scale as people send them: each fault is named and weighed, and its healthy twin is silent."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES
from tests.diagnosis.cluster_texts import diagnosis_of

TEXTS: Final = tomllib.loads((Path(__file__).parent / "scale_own_texts.toml").read_text(encoding="utf-8"))["text"]
ALARMS: Final = ("critical", "high", "medium")
LONGEST_VERDICT: Final = 140


@pytest.mark.parametrize("case", [one for one in TEXTS if "says" in one], ids=lambda one: one["name"])
def test_a_fault_is_named(case: dict[str, Any], tmp_path: Path) -> None:
    worst = SEVERITIES.index(case.get("least", "medium"))
    diagnosis = diagnosis_of(tmp_path, **case["files"])
    said = [
        f"{one.title} {one.explanation}".replace("\xa0", " ")
        for one in diagnosis.findings
        if SEVERITIES.index(one.severity) <= worst
    ]
    assert set(case.get("refs", ())) <= {one.ref for one in diagnosis.findings}
    assert diagnosis.verdict is not None
    assert len(diagnosis.verdict.title) <= LONGEST_VERDICT
    assert diagnosis.next_steps
    for words in case["says"]:
        assert any(re.search(words, text, re.IGNORECASE) for text in said), (words, said)
    assert len(said) <= case.get("only", len(said)), said


@pytest.mark.parametrize("case", [one for one in TEXTS if "says" not in one], ids=lambda one: one["name"])
def test_a_healthy_twin_is_silent(case: dict[str, Any], tmp_path: Path) -> None:
    found = [one.title for one in diagnosis_of(tmp_path, **case["files"]).findings if one.severity in ALARMS]
    assert found == []


def test_a_disk_without_a_name_is_not_called_by_one(tmp_path: Path) -> None:
    waiter = "Waiting 811.1003 sec since 10:00:02, monitored, thread 40120 NSDThread: for I/O completion"
    found = diagnosis_of(tmp_path, f"[root@kestrel ~]# mmdiag --waiters\n=== mmdiag: waiters ===\n{waiter}\n")
    lacking = [one.why for one in found.missing if "I/O history" in one.what]
    assert lacking
    assert not any("unnamed" in one for one in lacking)
