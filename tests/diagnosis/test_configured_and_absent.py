"""A file of the configuration that the node itself contradicts: ST-64, ST-65 and ST-66."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import by_folder, diagnosis_of

HOSTS = "0 tern1\n1 tern2\n2 tern3\n3 tern4\n"
PORTS = """GAB Port Memberships
===============================================================
Port a gen   a36e0003 membership {0}
Port h gen   fd570002 membership {0}
"""
TABLE = "set-node tern1\nset-cluster 41\nlink eth1 eth-0c:42:a1:5e:00:01 - ether - -\n{0}"
SECOND = "link eth2 eth-0c:42:a1:5e:01:01 - ether - -\n"
LINKS = """LLT node information:
    Node                 State    Link  Status  Address
   * 0 tern1            OPEN
                                  eth1   UP      0C:42:A1:5E:01:00
     1 tern2            OPEN
                                  eth1   UP      0C:42:A1:5E:01:01
"""
SYSTEMS = "-- SYSTEM STATE\n-- System               State                Frozen\n\n"


def main_cf(*names: str) -> str:
    systems = "".join(f"system {name} (\n    )\n" for name in names)
    return f'include "types.cf"\ncluster tide (\n    UserNames = {{ a = b }}\n    )\n{systems}'


def running(*names: str) -> str:
    return SYSTEMS + "".join(f"A  {name}               RUNNING              0\n" for name in names)


def states(count: int) -> str:
    head = "\n Node number  Node name        GPFS state\n-------------------------------------------\n"
    return head + "".join(f"       {at}      tern{at}          active\n" for at in range(1, count + 1))


CLUSTER = """
GPFS cluster information
========================
  GPFS cluster name:         tide.lab
  GPFS cluster id:           7110223344556677

 Node  Daemon node name  IP address   Admin node name  Designation
------------------------------------------------------------------
""" + "".join(f"   {at}   tern{at}           10.31.0.{20 + at}   tern{at}           quorum\n" for at in range(1, 5))


def typed(*outputs: tuple[str, str], node: str = "tern1") -> str:
    return "".join(f"[root@{node} ~]# {command}\n{text}\n" for command, text in outputs)


def found(folder: Path, ref: str, text: str) -> list[str]:
    own: list[str] = [one.severity for one in diagnosis_of(folder / "typed", text).findings if one.ref == ref]
    if len(files := by_folder(text)) > 1 and "etc" not in text and " -N " not in text:
        again = diagnosis_of(folder / "files", **files)
        assert [one.severity for one in again.findings if one.ref == ref] == own
    return own


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (typed(("cat /etc/llthosts", HOSTS), ("gabconfig -a", PORTS.format("012"))), ["medium"]),
        (typed(("cat /etc/llthosts", HOSTS), ("gabconfig -a", PORTS.format("0123"))), []),
        (typed(("cat main.cf", main_cf("t1", "t2", "t3")), ("hastatus -sum", running("t1", "t2"))), ["low"]),
        (typed(("cat main.cf", main_cf("t1", "t2", "t3")), ("hastatus -sum", running("t1", "t2", "t3"))), []),
        (typed(("mmlscluster", CLUSTER), ("mmgetstate -a", states(3))), ["low"]),
        (typed(("mmlscluster", CLUSTER), ("mmgetstate -a", states(4))), []),
        (typed(("mmlscluster", CLUSTER), ("mmgetstate -N tern1,tern2,tern3", states(3))), []),
        (typed(("mmlscluster", CLUSTER), ("mmgetstate", states(1))), []),
        (typed(("cat /etc/llttab", TABLE.format(SECOND)), ("lltstat -nvv active", LINKS)), ["medium"]),
        (typed(("cat /etc/llttab", TABLE.format("")), ("lltstat -nvv active", LINKS)), []),
    ],
)
def test_what_is_configured_and_not_listed_is_named(tmp_path: Path, text: str, expected: list[str]) -> None:
    assert found(tmp_path, "ST-64", text) == expected


def addresses(last: int) -> str:
    table = f"127.0.0.1   localhost\n10.31.0.11  tern1.lab tern1\n10.31.0.{last}  tern2.lab tern2\n"
    card = "2: bond0: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP\n    inet 10.31.0.1{0}/24 scope global bond0"
    return typed(("cat /etc/hosts", table), ("ip addr", card.format(1))) + typed(
        ("ip addr", card.format(2)), node="tern2"
    )


@pytest.mark.parametrize(("last", "expected"), [(33, ["medium"]), (12, [])])
def test_a_host_that_is_elsewhere_by_a_table_is_named(tmp_path: Path, last: int, expected: list[str]) -> None:
    assert found(tmp_path, "ST-65", addresses(last)) == expected


@pytest.mark.parametrize(("value", "expected"), [("10", ["low"]), ("1", [])])
def test_a_parameter_that_is_not_in_force_is_named(tmp_path: Path, value: str, expected: list[str]) -> None:
    text = typed(("cat /etc/sysctl.conf", "vm.swappiness = 1"), ("sysctl -a", f"vm.swappiness = {value}"))
    assert found(tmp_path, "ST-66", text) == expected
