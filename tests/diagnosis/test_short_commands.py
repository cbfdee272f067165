"""Commands that are short by their kind and took long (ST-32): whoever times them, and beside whatever else."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

BASH: Final = "[root@moor3 ~]# time {command}\n\nreal\t{minutes}m{seconds:.3f}s\nuser\t0m0.001s\nsys\t0m{busy:.3f}s\n"
GNU: Final = (
    "[root@moor3 ~]# /usr/bin/time {command}\n"
    "0.00user {busy:.2f}system {minutes}:{seconds:05.2f}elapsed 0%CPU (0avgtext+0avgdata 2048maxresident)k\n"
)
KSH: Final = "moor3:/ # time {command}\n\nreal    {minutes}m{seconds:.2f}s\nuser    0m0.00s\nsys     0m{busy:.2f}s\n"
DISKS: Final = """[root@moor3 ~]# mmlsdisk fs1
disk         driver   sector     failure holds    holds                            storage
name         type       size       group metadata data  status        availability pool
------------ -------- ------ ----------- -------- ----- ------------- ------------ ------------
nsd01        nsd         512           1 Yes      Yes   ready         up           system
"""


@pytest.mark.parametrize("layout", [BASH, GNU, KSH])
@pytest.mark.parametrize("command", ["ls /shared/in", "touch /shared/in/a", "df -h /shared", "vgs"])
def test_st_32_a_short_command_that_took_minutes(tmp_path: Path, layout: str, command: str) -> None:
    text = layout.format(command=command, minutes=2, seconds=14.2, busy=0.01)
    [finding] = diagnosis_of(tmp_path, text).findings
    assert (finding.ref, finding.severity, finding.nodes) == ("ST-32", "medium", ("moor3",))
    assert command in finding.title


def test_it_is_named_beside_tables_in_order(tmp_path: Path) -> None:
    text = DISKS + BASH.format(command="touch /gpfs/fs1/x", minutes=4, seconds=12.0, busy=0.01)
    diagnosis = diagnosis_of(tmp_path, text)
    assert [one.ref for one in diagnosis.findings] == ["ST-32"]


@pytest.mark.parametrize("layout", [BASH, GNU, KSH])
@pytest.mark.parametrize(
    ("command", "minutes", "busy"),
    [
        ("ls /shared/in", 0, 0.01),  # quick
        ("ls -lR /shared", 2, 31.0),  # works
        ("tar xf a.tar -C /shared", 2, 0.01),  # long by its kind
        ("sleep 134", 2, 0.01),
        ("chown -R app /shared/in", 2, 0.01),
        ("vxdisk scandisks", 2, 0.01),
        ("cat /shared/large.img", 2, 0.01),
    ],
)
def test_others_are_none(tmp_path: Path, layout: str, command: str, minutes: int, busy: float) -> None:
    seconds = 14.2 if minutes else 0.4
    assert (
        diagnosis_of(tmp_path, layout.format(command=command, minutes=minutes, seconds=seconds, busy=busy)).findings
        == ()
    )


@pytest.mark.parametrize(("seconds", "refs"), [("21.4821", ["ST-32"]), ("0.00213", [])])
def test_one_block_that_dd_took_long_for(tmp_path: Path, seconds: str, refs: list[str]) -> None:
    text = (
        "[root@moor3 ~]# dd if=/dev/zero of=/shared/t bs=4k count=1 oflag=dsync\n1+0 records in\n1+0 records out\n"
        f"4096 bytes (4.1 kB, 4.0 KiB) copied, {seconds} s, 0.2 kB/s\n"
    )
    found = diagnosis_of(tmp_path, text).findings
    assert [one.ref for one in found if one.severity != "info"] == refs


def test_one_command_on_two_nodes_by_a_remote_shell(tmp_path: Path) -> None:
    text = "".join(
        f"$ ssh moor{node} time stat /shared/in\n\nreal\t0m{seconds}s\nuser\t0m0.001s\nsys\t0m0.001s\n"
        for node, seconds in ((1, "0.004"), (2, "41.004"))
    )
    found = {one.ref: one for one in diagnosis_of(tmp_path, text).findings}
    assert found.keys() == {"ST-14", "ST-32"}
    assert found["ST-32"].nodes == ("moor2",)


@pytest.mark.parametrize(
    "words",
    [
        "auf dem Server dauert jedes ls ewig:",
        "auf dem Knoten braucht ein ls zwei Minuten:",
        "on the server takes ls two minutes now:",
        "sur le serveur prend un ls deux minutes:",
        "en el servidor tarda un ls dos minutos:",
    ],
)
def test_what_a_letter_says_of_a_server_is_no_name_of_it(tmp_path: Path, words: str) -> None:
    run = BASH.format(command="ls /shared/in", minutes=2, seconds=14.2, busy=0.01).replace("[root@moor3 ~]#", "$")
    [finding] = diagnosis_of(tmp_path, f"Hallo,\n{words}\n\n{run}").findings
    assert (finding.ref, finding.nodes) == ("ST-32", ())
