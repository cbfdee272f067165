"""The first row of vmstat tells about the time since boot: it is no look at the host, but a bad average is told."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

if TYPE_CHECKING:
    from pathlib import Path

HEAD = """# vmstat
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa
"""
ROW = " 0  {b}      0 510792   8296 474316    0    0     2     5  161   98  2  1 {idle} {wait}\n"
PATHS = """hcil    dev dev_t pri dm_st  chk_st dev_st  next_check
2:0:0:1 sda 8:0   1   active ready  running XX........ 4/20
"""
CALM = ROW.format(b=0, idle=96, wait=1)


@pytest.mark.parametrize(
    ("rows", "form"),
    [
        pytest.param(CALM, "not_judged", id="one calm row"),
        pytest.param(CALM * 3, "healthy", id="samples"),
        pytest.param(ROW.format(b=0, idle=30, wait=67) + CALM * 3, "healthy", id="a bad average, and calm samples"),
    ],
)
def test_an_average_alone_is_no_all_clear(rows: str, form: str, tmp_path: Path) -> None:
    assert verdict_in(diagnosis_of(tmp_path, HEAD + rows)).form == form


@pytest.mark.parametrize("wait", [43, 71, 98])
def test_a_bad_average_is_a_hint_beside_a_healthy_list(wait: int, tmp_path: Path) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, HEAD + ROW.format(b=1, idle=97 - wait, wait=wait), PATHS))
    assert verdict.severity == "low"
    assert f"{wait}\xa0%" in verdict.title.replace(" ", "\xa0")
