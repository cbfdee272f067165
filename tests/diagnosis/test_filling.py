"""Sentences filled from typed words: formats, optional sentences, and what is found wrong before a case is read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from apps.diagnosis.engine.core.words.filling import Clauses, Given, faults, fill, headed, printed


@dataclass(frozen=True, slots=True)
class HeronWords:
    node: str | None
    waits: int
    since: int | None
    what: Literal["gone", "late"] | None


NONE = Clauses({}, {})


@pytest.mark.parametrize(
    ("value", "spec", "shown"),
    [
        (12345, "count", "12\u2009345"),
        (163.0, "seconds", "2 m 43 s"),
        (300, "time", "five minutes"),
        (3600, "time", "an hour"),
        (90, "time", "90 s"),
        (1, "plural blocked task", "1 blocked task"),
        (2, "plural process|processes", "2 processes"),
        (None, "nodes", "an unnamed node"),
        ("heron1", "nodes", "heron1"),
        (("heron2", "heron1"), "nodes", "heron1 and heron2"),
        (["a", "b", "c", "d"], "list 3", "a, b and 2 more"),
        (0.25, "percent", "25.0\u00a0%"),
        (2.5, ".0f", "2"),
        (4500, "size", "4 KiB"),
        (512, "size", "512 B"),
        (0.756, "milliseconds", "0.76 ms"),
        (1234.0, "milliseconds", "1.2 s"),
        ((41.667, 1200.0), "range", "41.7 to 1\u2009200"),
        ((0.2501, 0.2502), "range", "0.25"),
        (("heron2", "heron1"), "names 4", "heron2 and heron1"),
        ((), "names", "an unnamed node"),
        (("heron1", None), "names", "heron1 and an unnamed node"),
        (("heron1", "3"), "members", "heron1 and node 3"),
        ("heron1 waits", "first", "Heron1 waits"),
        ("heron1", "first nodes", "heron1"),
        (None, "first nodes", "An unnamed node"),
        (None, "count", "not shown"),
        (None, "or a process", "a process"),
        ("", "or a process", "a process"),
        ("tar", "or a process", "tar"),
        (None, "", "not shown"),
    ],
)
def test_a_value_is_printed_as_its_format_asks(value: object, spec: str, shown: str) -> None:
    assert printed(value, spec) == shown


def test_optional_sentences_follow_their_field_and_may_hold_others() -> None:
    clauses = Clauses(
        {"since": " since {since}{what}", "what": {"gone": ", it is gone", "late": ", it is late"}},
        {"since": " at no known time"},
    )
    text = "{waits} wait{since}."
    assert fill(text, {"waits": 3, "since": 7, "what": "late"}, clauses) == "3 wait since 7, it is late."
    assert fill(text, {"waits": 3, "since": 7, "what": None}, clauses) == "3 wait since 7."
    assert fill(text, {"waits": 3, "since": None, "what": "gone"}, clauses) == "3 wait at no known time."


def test_one_field_may_decide_about_several_sentences() -> None:
    clauses = Clauses(
        {"what": {"gone": "it is gone", "late": "it is late"}, "what.why": {"gone": " (no dump)", "late": ""}}, {}
    )
    assert fill("{what:first}{what.why}.", {"what": "gone"}, clauses) == "It is gone (no dump)."


def test_braces_in_a_customers_text_are_text() -> None:
    assert fill("{what}", {"what": "{node} {0} {waits:count}"}, NONE) == "{node} {0} {waits:count}"


GIVEN = Given((HeronWords,), frozenset({"least"}), frozenset({"high", "low"}))


@pytest.mark.parametrize(
    ("text", "clauses", "fault"),
    [
        ("{nodes}", NONE, "{nodes} is no field"),
        ("{limit.most}", NONE, "{limit.most} is no limit"),
        ("{waits:cuont}", NONE, "'cuont' is no format"),
        ("{what}", Clauses({"what": {"gone": "x"}}, {}), "no sentence for what = late"),
        ("{what}", Clauses({"what": {"gone": "x", "late": "y", "lost": "z"}}, {}), "what is never lost"),
        ("{level}", Clauses({"level": {"high": "x"}}, {}), "no sentence for level = low"),
        ("", Clauses({"whom": "x"}, {}), "a sentence hangs on whom"),
        ("", Clauses({"node": "on {host}"}, {}), "{host} is no field"),
    ],
)
def test_what_can_not_be_filled_is_found_before_any_case(text: str, clauses: Clauses, fault: str) -> None:
    assert any(fault in found for found in faults({"title": text}, clauses, GIVEN))


def test_a_sound_text_has_no_fault() -> None:
    clauses = Clauses(
        {"what": {"gone": "gone", "late": "late after {limit.least:g} s"}, "since": "{since:moment}"},
        {"node": "nobody"},
    )
    assert list(faults({"title": "{node:nodes} {waits:count} {what}{since}{level}"}, clauses, GIVEN)) == []


@pytest.mark.parametrize(
    ("text", "words", "title"),
    [
        ("an unnamed node waits", {"node": None}, "An unnamed node waits"),
        ("an interface drops frames", {"name": ""}, "An interface drops frames"),
        ("the node of the table waits", {"node": "the node of the table"}, "The node of the table waits"),
        ("the waits for disk dm-4", {"node": "the"}, "the waits for disk dm-4"),
        ("a waits for disk dm-4", {"node": "a"}, "a waits for disk dm-4"),
        ("a, b and c wait", {"nodes": ["a", "b", "c"]}, "a, b and c wait"),
        ("a and b wait", {"nodes": ("a", "b")}, "a and b wait"),
        ("alder7 waits", {"node": "alder7"}, "alder7 waits"),
    ],
)
def test_a_title_begins_with_a_large_letter_unless_with_a_name(text: str, words: dict[str, Any], title: str) -> None:
    assert headed(text, words) == title
