"""Outputs of old Unix hosts and of what runs on them: what the verdict says of each, and how it ends."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any, Final

import pytest

from tests.diagnosis.cluster_texts import judged

TEXTS: Final = tomllib.loads((Path(__file__).parent / "unix_texts.toml").read_text(encoding="utf-8"))["text"]


@pytest.mark.parametrize("case", TEXTS, ids=lambda one: one["name"])
def test_the_verdict_is_of_that_form_and_says_so(case: dict[str, Any], tmp_path: Path) -> None:
    judged(case, tmp_path)
