"""Each rule of Veritas speaks with each input by which it is known, alone (``veritas_rules.toml``)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.products import rules
from parsers.messages.catalogue import meanings
from tests.diagnosis.cluster_texts import diagnosis_of

HERE: Final = Path(__file__).parent
TABLE: Final = tomllib.loads((HERE / "veritas_rules.toml").read_text(encoding="utf-8"))
INPUTS: Final[list[dict[str, Any]]] = TABLE["input"]


@pytest.mark.parametrize("one", INPUTS, ids=lambda one: f"{one['rule']} {one['of']}")
def test_an_input_alone_makes_the_rule_speak(one: dict[str, Any], tmp_path: Path) -> None:
    worst = SEVERITIES.index(one.get("least", "info"))
    diagnosis = diagnosis_of(tmp_path, one["text"])
    found = [(finding.ref, finding.severity, len(finding.title)) for finding in diagnosis.findings]
    by = one.get("by", one["rule"])
    assert [ref for ref, severity, _ in found if ref == by and SEVERITIES.index(severity) <= worst], found
    weighty = any(SEVERITIES.index(severity) <= SEVERITIES.index("medium") for _, severity, _ in found)
    assert diagnosis.next_steps or not weighty


def test_every_message_of_weight_leads_somewhere() -> None:
    of_veritas = [
        one for one in meanings().values() if one.product == "veritas" and one.weight in ("trouble", "disaster")
    ]
    assert len(of_veritas) > 200
    assert [one.kind for one in of_veritas if not one.next] == []


def test_every_rule_of_veritas_stands_in_the_table() -> None:
    of_veritas = {ref for ref in rules() if rule_texts()[ref].product == "veritas"}
    assert {one["rule"] for one in (*INPUTS, *TABLE["elsewhere"])} == of_veritas


def test_the_tests_that_the_table_names_exist() -> None:
    for one in TABLE["elsewhere"]:
        file, _, name = one["test"].partition("::")
        assert f"def {name}(" in (HERE / file).read_text(encoding="utf-8"), one["test"]
