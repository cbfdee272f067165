"""JSON of tools whose text has a reader, and states that exporters print: the same facts as of the text."""

from __future__ import annotations

import json
from typing import Any

import pytest

from parsers.records.states import Connection, DiskPath, ListedState, Quorum, StorageState
from tests.parsers.test_plain_shapes import read_of


def rows_of(text: str, kind: type) -> list[dict[str, Any]]:
    _, columns = read_of(text)
    found = columns.get(kind, {})
    return [dict(zip(found, values, strict=True)) for values in zip(*found.values(), strict=True)]


def resource(name: str, role: str, link: str, peer: str, *, own: str = "UpToDate", far: str = "UpToDate") -> Any:
    return {
        "name": name, "node-id": 0, "role": role, "suspended": False, "write-ordering": "flush",
        "devices": [{"volume": 0, "minor": 0, "disk-state": own, "client": False, "quorum": True}],
        "connections": [{
            "peer-node-id": 1, "name": peer, "connection-state": link, "congested": False, "peer-role": "Secondary",
            "peer_devices": [{"volume": 0, "replication-state": "Established", "peer-disk-state": far}],
        }],
    }  # fmt: skip


def states(value: object, *, indent: int | None = None) -> list[tuple[str, str, str, str]]:
    text = json.dumps(value, indent=indent)
    return [(row["sort"], row["name"], row["state"], row["standing"]) for row in rows_of(text, StorageState)]


@pytest.mark.parametrize("indent", [None, 2, 0])
@pytest.mark.parametrize(("name", "peer"), [("r0", "yak"), ("home-data", "ibex.example.org"), ("vm.7", "n2")])
def test_a_replica_in_order_and_one_that_lost_its_peer(name: str, peer: str, indent: int | None) -> None:
    well = [resource(name, "Primary", "Connected", peer)]
    assert {row[3] for row in states(well, indent=indent)} == {"healthy"}
    assert [row["peer"] for row in rows_of(json.dumps(well, indent=indent), Connection)] == [peer]
    lost = [resource(name, "Primary", "StandAlone", peer, far="DUnknown")]
    assert ("replication link", name, f"StandAlone with {peer}, Primary here", "failed") in states(lost, indent=indent)


def test_a_replica_without_quorum_or_disk_and_one_that_is_brought_up_to_date() -> None:
    one = resource("r0", "Primary", "Connected", "yak", own="Failed", far="Inconsistent")
    one["devices"][0]["quorum"] = False
    one |= {"suspended": True, "suspended-quorum": True, "suspended-user": False}
    one["connections"][0]["peer_devices"][0]["replication-state"] = "SyncSource"
    assert states([one]) == [
        ("disk", "r0", "Failed here", "failed"),
        ("replication link", "r0", "no quorum, Primary here", "failed"),
        ("disk", "r0", "Inconsistent on yak", "hint"),
        ("replication link", "r0", "suspended for quorum, Primary", "failed"),
    ]


def map_of(name: str, *paths: tuple[str, str, str, str]) -> Any:
    path_rows = [dict(zip(("dev", "dm_st", "dev_st", "chk_st"), path, strict=True)) for path in paths]
    group = [{"selector": "service-time 0", "dm_st": "active", "group": 1, "paths": path_rows}] if paths else []
    active = sum(path[1] == "active" for path in paths)
    return {"name": name, "uuid": "36005", "sysfs": "dm-2", "paths": active, "dm_st": "active", "path_groups": group}


@pytest.mark.parametrize("indent", [None, 3])
def test_paths_of_maps(indent: int | None) -> None:
    well, sick = ("sdd", "active", "running", "ready"), ("sde", "failed", "running", "faulty")
    text = json.dumps(
        {"maps": [map_of("mpatha", well, sick), map_of("data_lun"), map_of("mpathc", well)]}, indent=indent
    )
    assert [(row["map"], row["device"], row["standing"]) for row in rows_of(text, DiskPath)] == [
        ("mpatha", "sdd", "up"),
        ("mpatha", "sde", "down"),
        ("data_lun", None, "down"),
        ("mpathc", "sdd", "up"),
    ]


def test_objects_that_only_look_alike_are_none() -> None:
    assert states([{"name": "r0", "role": "Primary", "disk-state": "Failed"}]) == []
    assert rows_of('{"dev": "sda", "state": "ready"}', DiskPath) == []


def test_a_series_names_its_thing_and_its_node() -> None:
    text = (
        'ha_cluster_pacemaker_nodes{node="beta",status="unclean",type="member"} 1\n'
        'ha_cluster_pacemaker_nodes{node="alpha",status="online",type="member"} 1\n'
        'gpfs_health_status{component="DISK",entityname="nsd7",status="FAILED",instance="io1:9303"} 1\n'
        'gpfs_mount_status{mount="/gpfs/work",instance="io1:9303"} 0\n'
    )
    assert [(row["name"], row["state"], row["standing"], row["node"]) for row in rows_of(text, ListedState)] == [
        ("node beta", "unclean", "wrong", "beta"),
        ("node alpha", "online", "good", "alpha"),
        ("DISK nsd7", "failed", "wrong", "io1"),
        ("/gpfs/work", "not mounted", "wrong", "io1"),
    ]


@pytest.mark.parametrize(("value", "standing"), [("true", "quorate"), ("false", "inquorate")])
def test_a_summary_on_one_line_is_no_heading(value: str, standing: str) -> None:
    text = (
        '<pacemaker-result api-version="2.30" request="crm_mon">\n'
        f'  <summary><current_dc present="true" version="2.1.7" name="kite1" id="1" with_quorum="{value}"/></summary>\n'
        "</pacemaker-result>"
    )
    assert [row["quorate"] for row in rows_of(text, Quorum)] == [value == "true"], standing
