"""T13: each regular expression with the texts that cost it most."""

from __future__ import annotations

import re

import pytest

import parsers
from apps.diagnosis import engine
from apps.privacy import credentials
from apps.sharing import shapes, textmask
from tests.parsers import worst_cases
from tests.parsers.worst_cases import modules_of, patterns_in, slow, worst


def test_t13_each_pattern_of_parsers_and_engine_takes_its_worst_texts_at_once() -> None:
    found = patterns_in([*modules_of(parsers), *modules_of(engine)])
    assert len(found) > 1_000
    assert slow(found, "match") == []


def test_t13_patterns_that_search_lines_of_customers_do_so_at_once() -> None:
    found = patterns_in([shapes, textmask, credentials])
    assert len(found) > 40
    assert slow(found, "search") == []


def test_a_pattern_that_takes_too_long_would_be_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also on shorter texts, of which it takes a hundredth of the time."""
    monkeypatch.setattr(worst_cases, "CHARS", 800)
    monkeypatch.setattr(worst_cases, "LIMIT_S", 0.002)
    bad = re.compile(r"tag\s*[.=]*\s*[\"']?(?=\S*\d)\S+")
    assert any(text.startswith("tag    ") for text in worst(bad))
    assert "bad " + repr("tag" + 37 * " ") in slow({bad: "bad"}, "match")
    assert slow({re.compile(r"tag\s*(?:[.=]+\s*)?\d"): "good"}, "match") == []
