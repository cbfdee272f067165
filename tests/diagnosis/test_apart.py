"""Faults that no single line shows, each beside a healthy twin (``pairs_apart.toml``)."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from apps.diagnosis.engine.core.model import SEVERITIES
from tests.diagnosis.cluster_texts import diagnosis_of

PAIRS: Final = tomllib.loads((Path(__file__).parent / "pairs_apart.toml").read_text(encoding="utf-8"))["pair"]
EITHER: Final = re.compile(r"\{\{(?P<sick>.*?)\|\|(?P<well>.*?)\}\}", re.DOTALL)
FILE: Final = re.compile(r"^--- (\S+)\n", re.MULTILINE)
RULES: Final = (
    "ST-28",
    "ST-30",
    "ST-42",
    "ST-45",
    "ST-47",
    "ST-60",
    "ST-61",
    "ST-63",
    "ST-64",
    "ST-65",
    "ST-66",
    "ST-68",
    "ST-69",
    "ST-70",
    "ST-71",
    "ST-72",
    "ST-73",
    "ST-75",
    "ST-86",
    "VX-04",
)
CALM: Final = "info"
LEAST: Final = "low"


def found(folder: Path, pair: Mapping[str, Any], which: str) -> Iterator[tuple[str, str, str]]:
    """Severities, rules and titles of what is found in the sick or the healthy one of a pair."""
    _, *parts = FILE.split(EITHER.sub(lambda match: match[which], pair["text"]))
    files = {
        name.replace("/", "__").replace(".", "_dot_"): text for name, text in zip(parts[::2], parts[1::2], strict=True)
    }
    for one in diagnosis_of(folder, **files).findings:
        if one.severity != CALM:
            yield one.severity, one.ref, one.title


@pytest.mark.parametrize("pair", PAIRS, ids=[pair["name"] for pair in PAIRS])
def test_what_no_single_line_shows_is_named(tmp_path: Path, pair: Mapping[str, Any]) -> None:
    sick = list(found(tmp_path / "sick", pair, "sick"))
    worst = SEVERITIES.index(pair["severity"])
    loud = [one for one in sick if SEVERITIES.index(one[0]) <= worst and one[1] in RULES]
    assert any(re.search(pair["says"], title.replace("\xa0", " ")) for _, _, title in loud), sick
    well = found(tmp_path / "well", pair, "well")
    assert [one for one in well if one[1] in RULES or one[0] != LEAST] == []
