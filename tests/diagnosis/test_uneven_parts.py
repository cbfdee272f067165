"""Parts of one storage that are not like their sisters: a pdisk with fewer paths (ST-69), a port of InfiniBand that is
down on one node (ST-67), a full disk beside disks with room (SC-60); and thresholds of the deadlock detector without a
node.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, found, verdict_in

PDISKS = """
                                          declustered
recovery group  pdisk                  array     paths  capacity  free space  FRU (type)       state
--------------  -------------------  -----------  -----  --------  ----------  ---------------  -----
rg_a            e1d1s01               DA1              2    12 TiB      912 GiB  01LU844          ok
rg_a            e1d1s02               DA1              {paths}    12 TiB      912 GiB  01LU844          ok
rg_a            e1d1s03               DA1              2    12 TiB      912 GiB  01LU844          ok
"""
IBSTAT = """CA 'mlx5_2'
	CA type: MT4123
	Port 1:
		State: {state}
		Physical state: {physical}
		Rate: 100
		Link layer: InfiniBand
"""
MMDF = """
disk                disk size  failure holds    holds           free in KB          free in KB
name                    in KB    group metadata data        in full blocks        in fragments
--------------- ------------- -------- -------- ----- -------------------- -------------------
Disks in storage pool: system (Maximum disk size allowed is 912 TB)
d1               85899345920        1 Yes      Yes     {first} ( 60%)      1233122 ( 0%)
d2               85899345920        2 Yes      Yes     {second} (  0%)      1233122 ( 0%)
                -------------                         -------------------- -------------------
(pool total)    171798691840                          51539607552 ( 30%)      2466244 ( 0%)
"""
DEADLOCK = """
=== mmdiag: deadlock ===
Effective deadlock detection threshold on node is 300 seconds
Effective deadlock detection threshold for short waiters is 60 seconds
Cluster dusk.example is {word}overloaded. The overload index on the local node is {index}
"""


@pytest.mark.parametrize(("paths", "is_named"), [(1, True), (2, False)])
def test_a_pdisk_over_fewer_paths(tmp_path: Path, paths: int, is_named: bool) -> None:
    named = found(tmp_path, "ST-69", "# mmvdisk pdisk list --rg all" + PDISKS.format(paths=paths))
    assert [one.severity for one in named] == (["medium"] if is_named else [])


@pytest.mark.parametrize("state", ["Down", "Active"])
def test_a_port_without_a_link_on_one_node(tmp_path: Path, state: str) -> None:
    physical = "LinkUp" if state == "Active" else "Polling"
    files = {f"crane{node}__ibstat_dot_txt": IBSTAT.format(state="Active", physical="LinkUp") for node in (1, 2)}
    files["crane3__ibstat_dot_txt"] = IBSTAT.format(state=state, physical=physical)
    assert [one.nodes for one in found(tmp_path, "ST-67", **files)] == ([("crane3",)] if state == "Down" else [])


@pytest.mark.parametrize(
    ("first", "second", "is_named"),
    [("51539607552", "41233", True), ("51539607552", "51539607552", False), ("41233", "41233", False)],
)
def test_a_full_disk_beside_one_with_room(tmp_path: Path, first: str, second: str, is_named: bool) -> None:
    named = found(tmp_path, "SC-60", "# mmdf dusk" + MMDF.format(first=first, second=second))
    assert [one.severity for one in named] == (["low"] if is_named else [])


@pytest.mark.parametrize(("word", "index", "form"), [("not ", "0.11", "healthy"), ("", "8.11", "explained")])
def test_thresholds_of_the_local_node(tmp_path: Path, word: str, index: str, form: str) -> None:
    diagnosis = diagnosis_of(tmp_path, "# mmdiag --deadlock" + DEADLOCK.format(word=word, index=index))
    assert verdict_in(diagnosis).form == form, verdict_in(diagnosis)
