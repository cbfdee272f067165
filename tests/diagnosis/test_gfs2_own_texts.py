"""Texts on Linux clusters as people send them: each fault is named and weighed in the verdict, and its healthy,
everyday or planned twin is silent.

A run looks at a part of them; ``--matrix`` at all.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES, Diagnosis
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.part import part

TEXTS: Final[list[dict[str, Any]]] = tomllib.loads(
    (Path(__file__).parent / "gfs2_texts.toml").read_text(encoding="utf-8")
)["text"]
ALARMS: Final = ("critical", "high", "medium")
ROOM: Final = 140
IN_A_RUN: Final = 24
GROUPS: Final = 4


def faults(case: dict[str, Any], diagnosis: Diagnosis) -> list[str]:
    """What is wrong with a diagnosis of a text."""
    assert diagnosis.verdict is not None
    title = diagnosis.verdict.title.replace("\xa0", " ").replace("\u202f", " ").replace("\u2009", " ")
    found = [f"{len(title)} letters: {title}"] if len(title) > ROOM else []
    if "says" in case:
        least = SEVERITIES.index(case.get("least", "medium"))
        found += [f"no {words!r} in {title!r}" for words in case["says"] if not re.search(words, title, re.IGNORECASE)]
        if SEVERITIES.index(diagnosis.verdict.severity) > least:
            found.append(f"{diagnosis.verdict.severity}: {title}")
    else:
        found += [one.title for one in diagnosis.findings if one.severity in ALARMS]
    return found


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_fault_is_the_verdict_and_a_calm_text_is_silent(group: int, tmp_path: Path) -> None:
    own = part(TEXTS[group::GROUPS], IN_A_RUN // GROUPS, "gfs2 texts", group)
    wrong = {
        case["name"]: found
        for number, case in enumerate(own)
        if (found := faults(case, diagnosis_of(tmp_path / str(number), **case["files"])))
    }
    assert wrong == {}


def test_half_of_the_texts_are_calm() -> None:
    calm = sum("says" not in case for case in TEXTS)
    assert calm >= 0.4 * len(TEXTS)
    assert len({case["name"] for case in TEXTS}) == len(TEXTS)
