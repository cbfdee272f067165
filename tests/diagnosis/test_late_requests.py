"""Single requests of an I/O history that took many times as long as the rest (SC-42), in each layout of a history."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

QUICK: Final = (2.1, 1.9, 3.4, 2.2, 2.8, 1.7, 2.0, 2.4)
LAYOUTS: Final = {
    "plain": "08:14:{n:02d}.118672 R data {d}:{s} 2048 {ms:.3f} cli 0A4C0{d}1E:66C0A1{d}7 10.81.0.{d}",
    "verbose": "08:14:{n:02d}.118672  W  data  {d}:{s}  2048  {ms:.3f}  cli  0A4C0{d}1E:66C0A1{d}7  10.81.0.{d}"
    "  50211  {n}  Prefetch  WritebehindWorkerThread",
    "dump": "08:14:{n:02d}.118672\tW\tdata\t{d}:{s}\t2048\t{ms:.3f}\t50211\t{n}\t0A4C0{d}1E:66C0A1{d}7\tcli"
    "\t10.81.0.{d}\tMBHandler AioWorkerThread",
    "served": "08:14:{n:02d}.118672 R data {d}:{s} 2048 {ms:.3f} srv sd{l}",
}


def _history(layout: str, times: tuple[float, ...]) -> str:
    rows = (
        LAYOUTS[layout].format(n=n, d=n % 3 + 1, s=70_000_000 + 8192 * n, ms=ms, l="bcd"[n % 3])
        for n, ms in enumerate(times)
    )
    return "[root@dipper2 ~]# mmdiag --iohist\n=== mmdiag: iohist ===\n\nI/O history:\n\n" + "\n".join(rows) + "\n"


@pytest.mark.parametrize("layout", LAYOUTS)
def test_sc_42_a_request_that_took_seconds_among_quick_ones(tmp_path: Path, layout: str) -> None:
    found = diagnosis_of(tmp_path, _history(layout, (*QUICK, 12_400.5, *QUICK))).findings
    assert [(one.ref, one.severity) for one in found] == [("SC-42", "medium")]
    assert found[0].nodes == ("dipper2",)
    assert "1 of 17" in found[0].title


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("times", [(4180.2, 5122.0, 3912.4, 1.0), (3100.0,) * 12, (2400.0, 900.0)])
def test_sc_42_requests_that_take_seconds_throughout(tmp_path: Path, layout: str, times: tuple[float, ...]) -> None:
    found = diagnosis_of(tmp_path, _history(layout, times)).findings
    assert [one.severity for one in found if one.ref in ("SC-42", "SC-01")] == ["medium"], found


@pytest.mark.parametrize("layout", LAYOUTS)
def test_requests_of_a_busy_disk_are_none(tmp_path: Path, layout: str) -> None:
    assert diagnosis_of(tmp_path, _history(layout, (*QUICK, 44.0, 31.5, *QUICK))).findings == ()


def test_where_all_requests_are_slow_no_single_one_is_late(tmp_path: Path) -> None:
    found = diagnosis_of(tmp_path, _history("plain", tuple(180 * one for one in (*QUICK, 3.5, *QUICK)))).findings
    assert "SC-42" not in {one.ref for one in found}
