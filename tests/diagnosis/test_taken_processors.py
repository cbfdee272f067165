"""Processors that the hypervisor or the kernel takes from a node (ST-43), by each tool that shows them."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

VMSTAT: Final = """[root@skua4 ~]# vmstat 5 4
procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 3  0      0 812344  21044 9121044    0    0     0    12  411  812  4  2 94  0  0
"""
ROW: Final = (
    "{r:2d}  0      0 812340  21044 9121044    0    0     0     0  402  800 {us:2d} {sy:2d} {id:2d}  0 {st:2d}\n"
)
TOP: Final = """top - 10:15:01 up 41 days,  2:11,  1 user,  load average: 3.20, 3.10, 3.00
Tasks: 212 total,   2 running, 210 sleeping,   0 stopped,   0 zombie
%Cpu(s):  {us}.1 us,  {sy}.0 sy,  0.0 ni, {id}.1 id,  0.0 wa,  0.0 hi,  0.2 si, {st}.6 st
"""
SAR: Final = """Linux 5.14.0 (skua4) 06/02/2031 _x86_64_ (4 CPU)

10:00:01     CPU     %user     %nice   %system   %iowait    %steal     %idle
10:10:01     all     {us}.10      0.00     {sy}.00      0.10     {st}.20     {id}.60
10:20:01     all     {us}.20      0.00     {sy}.10      0.10     {st}.20     {id}.40
"""
SHARES: Final = {
    "calm": {"us": 20, "sy": 5, "id": 75, "st": 0},
    "busy": {"us": 91, "sy": 8, "id": 1, "st": 0},
    "stolen": {"us": 9, "sy": 4, "id": 2, "st": 85},
    "shared": {"us": 20, "sy": 5, "id": 60, "st": 15},
    "kernel": {"us": 9, "sy": 90, "id": 1, "st": 0},
}


def _text(tool: str, shares: str, tasks: int = 3) -> str:
    of = SHARES[shares]
    return VMSTAT + 3 * ROW.format(r=tasks, **of) if tool == VMSTAT else tool.format(**of)


@pytest.mark.parametrize("tool", [VMSTAT, TOP, SAR])
@pytest.mark.parametrize(
    ("shares", "severity", "who"),
    [("stolen", "medium", "hypervisor"), ("shared", "low", "hypervisor"), ("kernel", "medium", "kernel")],
)
def test_st_43_who_takes_the_processors_is_named(
    tmp_path: Path, tool: str, shares: str, severity: str, who: str
) -> None:
    [finding] = diagnosis_of(tmp_path, _text(tool, shares)).findings
    assert (finding.ref, finding.severity) == ("ST-43", severity)
    assert who in finding.title


@pytest.mark.parametrize("tool", [VMSTAT, TOP, SAR])
@pytest.mark.parametrize("shares", ["calm", "busy"])
def test_a_host_that_works_is_none(tmp_path: Path, tool: str, shares: str) -> None:
    assert diagnosis_of(tmp_path, _text(tool, shares)).findings == ()


@pytest.mark.parametrize(
    ("tasks", "shares", "form"), [(90, "busy", "not_judged"), (90, "calm", "healthy"), (8, "busy", "healthy")]
)
def test_no_all_clear_stands_over_a_crowd(tmp_path: Path, tasks: int, shares: str, form: str) -> None:
    assert verdict_in(diagnosis_of(tmp_path, _text(VMSTAT, shares, tasks))).form == form
