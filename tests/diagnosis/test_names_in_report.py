"""Names and clocks as the report shows them: spellings that tables join, clashes as problems, offsets with an error
bar.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from apps.diagnosis.engine.analysis import analyse
from apps.diagnosis.engine.report import Clock
from apps.diagnosis.engine.report_text import report_text
from tests.reports import bundle

TABLE = """[root@heron1 ~]# mmlscluster

GPFS cluster information
========================
  GPFS cluster name:         reeds.lab.example

 Node  Daemon node name          IP address   Admin node name        Designation
----------------------------------------------------------------------------------
   1   heron1-ib.lab.example     10.9.0.1     heron1.lab.example     quorum-manager
   2   heron2-ib.lab.example     {address}     heron2.lab.example     quorum
"""


def waiters(node: str, target: str) -> str:
    line = "Waiting 12.5 sec since 10:15:00, monitored, thread 4711 BRTHandler: on ThCond 0x7F01 (MsgRecordCondvar)"
    return (
        f"[root@{node} ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n{line}, reason 'RPC wait' for "
        f"tmMsgRevoke on node {target} <c0n1>\n"
    )


def report(folder: Path, **files: str) -> tuple[dict[str, Any], str]:
    inputs = [bundle(text.encode(), name) for name, text in files.items()]
    made = analyse(inputs, folder, clock=Clock())
    return json.loads("".join(made.write())), "".join(report_text(made))


def test_a_node_has_one_name_over_prompt_admin_name_daemon_name_and_address(tmp_path: Path) -> None:
    found, _ = report(
        tmp_path,
        table=TABLE.format(address="10.9.0.2"),
        one=waiters("heron1", "10.9.0.2"),
        two=waiters("heron2", "10.9.0.1"),
    )
    nodes = {node["name"]: set(node["aliases"]) for node in found["nodes"]}
    assert set(nodes) == {"heron1", "heron2"}
    assert {"heron2.lab.example", "heron2-ib.lab.example", "10.9.0.2"} <= nodes["heron2"]
    assert found["problems"] == []


def test_an_address_of_two_nodes_is_a_problem_and_not_a_guess(tmp_path: Path) -> None:
    found, text = report(tmp_path, one=TABLE.format(address="10.9.0.1"), two=waiters("heron1", "10.9.0.1"))
    [problem] = [row for row in found["problems"] if "stands for" in row["message"]]
    assert (problem["path"], problem["line"]) == ("one", 9)
    assert "10.9.0.1" in problem["message"]
    assert not any("10.9.0.1" in node["aliases"] for node in found["nodes"])
    assert "10.9.0.1" in text


def test_without_pairs_the_offsets_are_unknown(tmp_path: Path) -> None:
    found, _ = report(tmp_path, one=waiters("heron1", "10.9.0.2"))
    assert [node["clock_offset_s"] for node in found["nodes"]] == [None]


def test_dumps_of_nodes_that_nobody_names_are_no_sign_of_health(tmp_path: Path) -> None:
    """What the one waits for may be held in the other; names of single files are nobody's nodes."""

    def dump(held: str, wanted: str) -> str:
        rows = (("EX", held, "EX", "H"), ("UN", wanted, "EX", "W"))
        return "".join(
            (
                f"G:  s:{state} n:2/{lock} f:Iqob t:EX d:EX/0 a:0 v:0 r:3 m:200\n H: s:{mode} f:{flag} e:0 "
                "p:410 [smbd] gfs2_unlink+0x7e\n"
            )
            for state, lock, mode, flag in rows
        )

    found, _ = report(tmp_path, **{"a1.txt": dump("6a10", "6b20"), "hang2.txt": dump("6b20", "6a10")})
    assert (found["verdict"]["form"], found["nodes"]) == ("not_judged", [])
    named, _ = report(
        tmp_path / "named", **{"glocks.a.larch": dump("6a10", "6b20"), "glocks.a.maple": dump("6b20", "6a10")}
    )
    assert (named["verdict"]["severity"], [node["name"] for node in named["nodes"]]) == ("high", ["larch", "maple"])
