"""Disks of a cluster that one host of AIX reserves (ST-80), and queues of adapters and disks that are full (ST-81)."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, found

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


def test_what_is_done_first_looks_at_the_reservation(tmp_path: Path) -> None:
    text = (
        f"[root@smew1 /]# lspv\n{SHOWN}{NAMED}[root@smew1 /]# lsattr -El hdisk7\n{POLICY.format(policy='single_path')}"
    )
    commands = [command for step in diagnosis_of(tmp_path, text).next_steps for command in step.commands]
    assert any("reserve_policy" in command for command in commands)


def test_lost_paths_are_looked_at_with_tools_of_the_host(tmp_path: Path) -> None:
    text = "[root@smew1 /]# lspath\nEnabled hdisk7 fscsi0\nFailed  hdisk7 fscsi1\n"
    commands = [command for step in diagnosis_of(tmp_path, text).next_steps for command in step.commands]
    assert "lspath" in commands
    assert not [command for command in commands if "multipath" in command]
