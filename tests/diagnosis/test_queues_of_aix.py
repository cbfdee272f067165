"""Disks of a cluster that one host of AIX reserves (ST-80), and queues of adapters and disks that are full (ST-81)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import found

SHOWN = "hdisk0          00c7a1e2d0a1b2c3                    rootvg          active\n"
NAMED = "hdisk7          none                                dusk_d7\n"
POLICY = "reserve_policy  {policy}                                Reserve Policy                  True+\n"


@pytest.mark.parametrize(
    ("policy", "disk", "listed", "is_named"),
    [
        ("single_path", "hdisk7", SHOWN + NAMED, True),
        ("PR_exclusive", "hdisk7", SHOWN + NAMED, True),
        ("no_reserve", "hdisk7", SHOWN + NAMED, False),
        ("PR_shared", "hdisk7", SHOWN + NAMED, False),
        ("single_path", "hdisk0", SHOWN + NAMED, False),
        ("single_path", "hdisk7", SHOWN, False),
        ("single_path", "hdisk7", SHOWN + NAMED.replace("dusk_d7", "None"), False),
    ],
)
def test_a_disk_is_reserved_where_it_belongs_to_a_cluster(
    tmp_path: Path, policy: str, disk: str, listed: str, is_named: bool
) -> None:
    text = f"[root@smew1 /]# lspv\n{listed}[root@smew1 /]# lsattr -El {disk}\n{POLICY.format(policy=policy)}"
    assert [one.severity for one in found(tmp_path, "ST-80", text)] == (["medium"] if is_named else [])


@pytest.mark.parametrize(
    ("name", "count", "is_named"),
    [
        ("No Command Resource Count", 91_233, True),
        ("No DMA Resource Count", 10_000, True),
        ("No Adapter Elements Count", 912, False),
        ("Loss of Sync Count", 91_233, False),
    ],
)
def test_an_adapter_that_is_often_full(tmp_path: Path, name: str, count: int, is_named: bool) -> None:
    text = f"smew1 # fcstat fcs1\nFIBRE CHANNEL STATISTICS REPORT: fcs1\n  {name}: {count}\n"
    assert [one.severity for one in found(tmp_path, "ST-81", text)] == (["low"] if is_named else [])
