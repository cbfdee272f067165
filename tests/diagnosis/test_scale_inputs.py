"""Every rule of Storage Scale speaks by each input that the reference names for it: the table stands in
``scale_inputs.toml``, and a rule without a row fails.
"""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES
from apps.diagnosis.engine.products import rules
from tests.diagnosis.cluster_texts import diagnosis_of

HERE: Final = Path(__file__).parent
INPUTS: Final = tomllib.loads((HERE / "scale_inputs.toml").read_text(encoding="utf-8"))["input"]
TEXTS: Final = tomllib.loads((HERE / "scale_own_texts.toml").read_text(encoding="utf-8"))["text"]


def test_every_rule_has_its_inputs() -> None:
    assert {one["rule"] for one in INPUTS} == {ref for ref in rules() if ref.startswith("SC-")}
    twice = [pair for pair, times in Counter((one["rule"], one["input"]) for one in INPUTS).items() if times > 1]
    assert twice == []


def test_a_text_reported_elsewhere_is_held_to_the_rule_there() -> None:
    held = {one["name"]: one.get("refs", []) for one in TEXTS}
    assert [one for one in INPUTS if "text" in one and one["rule"] not in held.get(one["text"], [])] == []


@pytest.mark.parametrize(
    "case", [one for one in INPUTS if "files" in one], ids=lambda one: f"{one['rule']} {one['input']}"
)
def test_a_rule_speaks_by_an_input(case: dict[str, Any], tmp_path: Path) -> None:
    findings = [one for one in diagnosis_of(tmp_path, **case["files"]).findings if one.ref == case["rule"]]
    assert [one.severity for one in findings if SEVERITIES.index(one.severity) <= SEVERITIES.index(case["least"])]
    text = " ".join(f"{one.title} {one.explanation}" for one in findings)
    assert [words for words in case.get("says", ()) if re.search(words, text) is None] == []
