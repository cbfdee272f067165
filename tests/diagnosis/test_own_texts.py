"""Texts as people send them: each fault is named and weighed, no all-clear is over what nobody judged, and each
healthy, everyday or planned twin is silent. A further table beside this module needs no further module
(``own_texts``).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, get_args

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES, Diagnosis, Form
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.diagnosis.own_texts import KEYS, Table, tables
from tests.parsers.golden import Reading

LONGEST_VERDICT: Final = 140
CALM_SHARE: Final = 0.3
FORMS: Final = get_args(Form)
LOUD: Final = "medium"
"""From here on a finding is an alarm."""
BLANKS: Final = str.maketrans(dict.fromkeys("\xa0\u202f\u2009", " "))


def cases() -> Iterator[Any]:
    for key, table in tables().items():
        marks = [pytest.mark.part(f"{key} texts", table.in_a_run)] if table.in_a_run else []
        for case in table.texts:
            yield pytest.param(table, case, id=f"{key}: {case['name']}", marks=marks)


def at_least(diagnosis: Diagnosis, severity: str, *, whole: bool) -> list[str]:
    """What findings as grave as this say: their titles, or all of it."""
    worst = SEVERITIES.index(severity)
    grave = (one for one in diagnosis.findings if SEVERITIES.index(one.severity) <= worst)
    return [(f"{one.title} {one.explanation}" if whole else one.title).translate(BLANKS) for one in grave]


def unmet(patterns: list[str], texts: list[str]) -> list[str]:
    """Patterns that no text meets."""
    return [words for words in patterns if not any(re.search(words, text, re.IGNORECASE) for text in texts)]


@pytest.mark.parametrize(("table", "case"), list(cases()))
def test_a_fault_is_named_and_its_twin_is_silent(table: Table, case: Mapping[str, Any], tmp_path: Path) -> None:
    texts = [case["text"]] if "text" in case else []
    diagnosis = diagnosis_of(tmp_path, *texts, **case.get("files", {}))
    verdict = verdict_in(diagnosis)
    sentence = verdict.title.translate(BLANKS)
    least = case.get("least", table.least)
    grave = at_least(diagnosis, least, whole=table.says_in == "finding")
    if "says" not in case:
        assert at_least(diagnosis, LOUD, whole=False) == []
    elif table.says_in == "verdict":
        assert unmet(case["says"], [sentence]) == [], (sentence, grave)
        assert SEVERITIES.index(verdict.severity) <= SEVERITIES.index(least), sentence
    else:
        assert unmet(case["says"], grave) == [], grave
        assert len(grave) <= case.get("only", len(grave)), grave
    assert len(sentence) <= LONGEST_VERDICT
    assert set(case.get("refs", ())) <= {one.ref for one in diagnosis.findings}
    assert verdict.severity == case.get("severity", verdict.severity), (verdict, grave)
    assert verdict.form in forms_of(case), (verdict, grave)
    assert unmet([case[key] for key in ("doubt", "noted") if key in case], [sentence]) == [], verdict
    names = {node.name for node in diagnosis.nodes}
    assert names >= set(case.get("nodes", ()))
    assert not names & set(case.get("no_nodes", ()))
    assert "text" not in case or is_whole(case)


def forms_of(case: Mapping[str, Any]) -> Sequence[str]:
    """How the verdict may end: in any way, unless the text states it."""
    return ["healthy"] if "calm" in case else ["not_judged"] if "doubt" in case else case.get("forms", FORMS)


def is_whole(case: Mapping[str, Any]) -> bool:
    """Whether all lines of a text are understood, but for those of which the case states it."""
    reading = Reading(case["text"])
    return reading.adds_up and reading.result.not_understood == case.get("unread", 0)


@pytest.mark.parametrize("table", tables().values(), ids=lambda one: one.name)
def test_a_table_states_what_is_known_of_each_text(table: Table) -> None:
    assert {case["name"]: sorted(case.keys() - KEYS) for case in table.texts if case.keys() - KEYS} == {}
    assert [name for name, count in Counter(case["name"] for case in table.texts).items() if count > 1] == []
    assert sum("says" not in case for case in table.texts) >= CALM_SHARE * len(table.texts)
