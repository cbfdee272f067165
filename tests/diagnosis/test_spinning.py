"""Profiles in which processors wait for locks of the kernel (ST-50)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

TOP = """
  55,13%  [kernel]                 [k] osq_lock
  24,07%  [kernel]                 [k] mutex_spin_on_owner
  17,44%  [kernel]                 [k] jars_cache_scan
"""
REPORT = """
# Samples: 12K of event 'cycles'
# Overhead  Command  Shared Object      Symbol
    31.20%  du       [kernel.kallsyms]  [k] native_queued_spin_lock_slowpath
     8.20%  du       [kernel.kallsyms]  [k] shrink_inactive_list
     4.20%  cp       [kernel.kallsyms]  [k] _raw_spin_lock_irqsave
"""
BUSY = """
   9.11%  [kernel]                  [k] copy_user_enhanced_fast_string
   7.47%  jarsd                     [.] read_frame
   2.94%  [kernel]                  [k] _raw_spin_unlock_irqrestore
   2.42%  [kernel]                  [k] _raw_spin_lock
"""


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (TOP, [("medium", "79 % of the profile, most in osq_lock")]),
        (TOP.replace(",", "."), [("medium", "79 % of the profile, most in osq_lock")]),
        (REPORT, [("low", "35 % of the profile, most in native_queued_spin_lock_slowpath")]),
        (BUSY, []),
        (BUSY + TOP, [("medium", "79 % of the profile, most in osq_lock")]),
    ],
    ids=["perf top with commas", "perf top", "perf report", "busy with its work", "two profiles"],
)
def test_a_profile_full_of_locks_is_named(tmp_path: Path, text: str, expected: list[tuple[str, str]]) -> None:
    found = diagnosis_of(tmp_path, text).findings
    assert [(one.severity, one.title.partition(": ")[2]) for one in found if one.ref == "ST-50"] == expected
