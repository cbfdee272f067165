"""Disks of many servers that hang at once: a few are shown, and all are counted."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

NEW = (
    "[root@{node} ~]# date; mmdiag --waiters\nTue Mar  3 14:00:10 CET 2026\n\n=== mmdiag: waiters ===\n"
    "Waiting {age:.1f} sec since 13:46:00, monitored, thread {thread} {name}: for I/O completion on disk {disk}\n"
)
OLD = (
    "[{node}:~]# date\nTue Mar  3 14:00:10 CET 2026\n[{node}:~]# mmfsadm dump waiters\n"
    "0x7F01{thread} waiting {age:.9f} seconds, {name}: for I/O completion on disk {disk}\n"
)


def hang(folder: Path, layout: str, name: str, disks: int, age: float = 812.0) -> Diagnosis:
    """Each server waits for a disk of its own."""
    texts = (
        layout.format(node=f"{name}{i}", age=age + i * 0.01, thread=4100 + i, disk=f"dm-{i + 3}", name="NSDThread")
        for i in range(disks)
    )
    return diagnosis_of(folder, *texts)


@pytest.mark.parametrize(("layout", "name"), [(NEW, "wren"), (NEW, "essio"), (OLD, "nsd")])
@pytest.mark.parametrize(("disks", "more"), [(5, 4), (24, 23)])
def test_of_many_disks_the_verdict_says_how_many_more_there_are(
    layout: str, name: str, disks: int, more: int, tmp_path: Path
) -> None:
    diagnosis = hang(tmp_path, layout, name, disks)
    verdict = verdict_in(diagnosis)
    assert (verdict.ref, verdict.severity) == ("SC-01", "high")
    assert verdict.title.endswith(f"; {more} more alike")
    [rest] = (one for one in diagnosis.findings if one.title.startswith(f"{disks - 3} more disks do not answer"))
    assert len(rest.nodes) == disks - 3
    assert not [one for one in diagnosis.findings if one.ref == "SC-41"]


def test_three_disks_are_shown_each(tmp_path: Path) -> None:
    diagnosis = hang(tmp_path, NEW, "wren", 3)
    assert len([one for one in diagnosis.findings if one.ref == "SC-01"]) == 3
    assert "more alike" not in verdict_in(diagnosis).title


def test_disks_that_answer_at_once_are_no_finding(tmp_path: Path) -> None:
    diagnosis = hang(tmp_path, NEW, "wren", 12, age=0.01)
    assert not [one for one in diagnosis.findings if one.severity in ("high", "critical")]
