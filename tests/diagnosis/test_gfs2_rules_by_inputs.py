"""Each rule on GFS2, the DLM and the cluster speaks on each input that can give it its facts, alone, and is silent on
the same input in order.

A run looks at a part of the table; ``--matrix`` at all.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES, Finding
from apps.diagnosis.engine.products import rules
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.part import part

_FILE: Final[dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "gfs2_rules_by_inputs.toml").read_text(encoding="utf-8")
)
CASES: Final[list[dict[str, Any]]] = _FILE["case"]
ELSEWHERE: Final[dict[str, str]] = _FILE["elsewhere"]
GROUPS: Final = 3
IN_A_RUN: Final = 15


def _own(case: dict[str, Any], which: str, folder: Path) -> list[Finding]:
    return [one for one in diagnosis_of(folder, **case[which]).findings if one.ref == case["rule"]]


def wrong(case: dict[str, Any], folder: Path) -> list[str]:
    """What is wrong with a rule on an input."""
    findings = _own(case, "files", folder / "sick")
    if not findings:
        return ["silent"]
    least = SEVERITIES.index(case.get("least", "info"))
    found: list[str] = (
        [] if any(SEVERITIES.index(one.severity) <= least for one in findings) else [findings[0].severity]
    )
    if "words" in case and not any(re.search(case["words"], one.title) for one in findings):
        found.append(findings[0].title)
    loud = [one.title for one in _own(case, "calm", folder / "calm") if one.severity != "info"]
    return found + loud


@pytest.mark.parametrize("group", range(GROUPS))
def test_a_rule_speaks_on_each_of_its_inputs(group: int, tmp_path: Path) -> None:
    own = part(CASES[group::GROUPS], IN_A_RUN // GROUPS, "rules by inputs", group)
    faults = {
        f"{case['rule']} on {case['input']}": fault
        for number, case in enumerate(own)
        if (fault := wrong(case, tmp_path / str(number)))
    }
    assert faults == {}


def test_every_rule_of_the_cluster_is_in_the_table() -> None:
    refs = {ref for ref in rules() if ref.startswith(("GL-", "NW-", "PL-", "DH-", "MT-", "RC-", "WL-", "FR-"))}
    shown = {case["rule"] for case in CASES}
    assert refs - shown - set(ELSEWHERE) == set()
    assert not shown & set(ELSEWHERE)
    assert shown | set(ELSEWHERE) <= refs
    assert all((Path(__file__).parents[2] / name).is_file() for name in ELSEWHERE.values())
    pairs = [(case["rule"], case["input"]) for case in CASES]
    assert len(set(pairs)) == len(pairs)
