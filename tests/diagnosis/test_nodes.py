"""Spellings of a node are joined by evidence, never on a guess."""

from __future__ import annotations

import random
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from apps.diagnosis.engine.core.facts.nodes import AliasRow, Nodes, is_address, spoken_of
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.model import Ref
from parsers.output import Output
from parsers.records.locks import GlmLock
from parsers.records.states import ClusterMember, Connection, ServiceState


def test_a_short_name_and_its_full_name_are_one_node() -> None:
    nodes = Nodes(["carp1", "carp1.lab.example"])
    assert nodes.name("carp1.lab.example") == nodes.name("carp1") == "carp1"
    assert [(node.name, node.aliases) for node in nodes.all()] == [("carp1", ("carp1.lab.example",))]


def test_two_full_names_of_one_short_name_stay_apart() -> None:
    nodes = Nodes(["carp1.east.example", "carp1.west.example"])
    assert nodes.name("carp1.east.example") == "carp1.east.example"
    assert [node.name for node in nodes.all()] == ["carp1.east.example", "carp1.west.example"]


def test_addresses_ids_and_indices_that_a_table_states_are_aliases() -> None:
    nodes = Nodes(["carp1"], [("carp1", "10.2.0.7"), ("carp1", "c0n3"), ("carp1", "fe80::7"), ("carp1", "04")])
    assert [nodes.name(text) for text in ("10.2.0.7", "c0n3", "fe80::7", "4")] == ["carp1"] * 4
    assert nodes.all()[0].aliases == ("10.2.0.7", "4", "c0n3", "fe80::7")


@pytest.mark.parametrize("ending", ["-hs", "-ib0", "-gpfs", "_priv", "-100ge"])
def test_hosts_and_their_names_in_a_network_are_one_each(ending: str) -> None:
    hosts = ("lund1", "lund2", "lund3")
    nodes = Nodes([*hosts, f"lund1{ending}.lab.example"], spoken_of=[f"{host}{ending}" for host in hosts[:2]])
    assert [nodes.name(f"{host}{ending}") for host in hosts[:2]] == ["lund1", "lund2"]
    assert [node.name for node in nodes.all()] == [*hosts]


@pytest.mark.parametrize(
    "names",
    [
        ["lund1", "lund2", "lund1-hs"],
        ["lund1", "lund2", "lund1-a", "lund2-a"],
        ["lund1", "lund2", "lund1-nfs", "lund2-nfs"],
        ["lund1-hs", "lund2-hs"],
        ["lund1", "lund2", "lund1-hs", "lund2-ib"],
    ],
)
def test_an_ending_of_one_host_or_of_no_network_joins_nothing(names: list[str]) -> None:
    assert [node.name for node in Nodes(names).all()] == sorted(names)


def test_hosts_that_a_table_numbers_apart_stay_apart() -> None:
    rows = [("lund1", "1"), ("lund1-hs", "2"), ("lund2", "3"), ("lund2-hs", "4")]
    names = ["lund1", "lund1-hs", "lund2", "lund2-hs"]
    assert [
        node.name for node in Nodes(names, [AliasRow(*row, "id", 1, at) for at, row in enumerate(rows, 1)]).all()
    ] == names


def test_what_no_table_states_stays_as_it_is() -> None:
    nodes = Nodes(["carp1", "carp10"])
    assert [nodes.name(text) for text in ("10.2.0.7", "c0n3", "carp", "CARP1", "7")] == [
        "10.2.0.7",
        "c0n3",
        "carp",
        "carp1",
        "7",
    ]
    assert not nodes.known("10.2.0.7")
    assert not nodes.known("c0n3")


class TestNamesOfOneNode:
    def test_admin_and_daemon_name_are_joined_by_the_row_that_states_both(self) -> None:
        nodes = Nodes(
            ["carp1", "carp1-ib.lab.example"],
            [("carp1-ib.lab.example", "carp1.lab.example"), ("carp1-ib.lab.example", "10.2.0.7")],
        )
        spellings = ("carp1", "carp1.lab.example", "carp1-ib", "carp1-ib.lab.example", "10.2.0.7")
        assert {nodes.name(text) for text in spellings} == {"carp1"}
        assert [node.name for node in nodes.all()] == ["carp1"]

    def test_the_name_that_records_speak_by_is_the_nodes_name(self) -> None:
        assert Nodes(["storage-carp1"], [("storage-carp1", "c1")]).name("c1") == "storage-carp1"

    def test_names_join_over_several_rows(self) -> None:
        nodes = Nodes(["a1"], [("b1", "a1"), ("b1", "d1"), ("b1", "10.0.0.1")])
        assert {nodes.name(text) for text in ("a1", "b1", "d1", "10.0.0.1")} == {"a1"}

    def test_a_table_that_lists_both_with_addresses_of_their_own_does_not_make_them_one(self) -> None:
        rows = [
            AliasRow("a1", "10.0.0.1", "", 3, 5),
            AliasRow("b1", "10.0.0.2", "", 3, 6),
            AliasRow("a1", "b1", "name", 3, 5),
        ]
        nodes = Nodes(["a1", "b1"], rows)
        assert (nodes.name("a1"), nodes.name("b1")) == ("a1", "b1")
        assert [(clash.alias, clash.names) for clash in nodes.clashes] == [("b1", ("a1", "b1"))]


class TestClashes:
    def test_an_alias_that_rows_give_to_two_nodes_stands_for_neither(self) -> None:
        nodes = Nodes(
            ["carp1", "carp2"], [AliasRow("carp1", "10.2.0.7", "", 1, 4), AliasRow("carp2", "10.2.0.7", "", 2, 9)]
        )
        assert nodes.name("10.2.0.7") == "10.2.0.7"
        [clash] = nodes.clashes
        assert (clash.alias, clash.kind, clash.names, clash.refs) == (
            "10.2.0.7",
            "address",
            ("carp1", "carp2"),
            (Ref(1, 4), Ref(2, 9)),
        )
        assert clash.message == "\u201c10.2.0.7\u201d stands for carp1 and for carp2: it is taken for none of them."

    def test_an_id_that_two_clusters_use_stands_for_neither(self) -> None:
        nodes = Nodes(["carp1", "pike1"], [("carp1", "1"), ("pike1", "1"), ("pike1", "2")])
        assert [nodes.name(text) for text in ("1", "2")] == ["1", "pike1"]
        assert [clash.kind for clash in nodes.clashes] == ["id"]

    def test_an_admin_name_of_two_nodes_joins_neither(self) -> None:
        nodes = Nodes(["a1", "b1", "mgmt"], [("a1", "mgmt"), ("b1", "mgmt")])
        assert [nodes.name(text) for text in ("a1", "b1", "mgmt")] == ["a1", "b1", "mgmt"]
        assert [clash.names for clash in nodes.clashes] == [("a1", "b1", "mgmt")]

    def test_daemons_count_differently_and_only_one_that_contradicts_itself_is_reported(self) -> None:
        apart = [AliasRow("10.0.0.1", "c0n1", "", 1, 5), AliasRow("10.0.0.2", "c0n1", "", 2, 5)]
        assert (Nodes([], apart).name("c0n1"), Nodes([], apart).clashes) == ("c0n1", ())
        same = [AliasRow("10.0.0.1", "c0n1", "", 1, 5), AliasRow("10.0.0.2", "c0n1", "", 1, 9)]
        assert (Nodes([], same).name("c0n1"), [clash.kind for clash in Nodes([], same).clashes]) == ("c0n1", ["index"])

    def test_a_position_leads_to_the_name_behind_its_address(self) -> None:
        assert Nodes([], [("10.0.0.1", "c0n1"), ("carp1", "10.0.0.1")]).name("c0n1") == "carp1"


class TestSpokenOf:
    def test_a_node_that_only_tables_name_is_listed(self) -> None:
        nodes = Nodes(["carp1"], [("pike", "2")], spoken_of=["carp1", "pike", "tench.example.org"])
        assert [node.name for node in nodes.only_listed()] == ["pike", "tench"]

    def test_names_in_columns_of_nodes(self, tmp_path: Path) -> None:
        out = Output(FactsWriter(tmp_path))
        out.add(ClusterMember(line=1, member="carp"))
        out.add(ClusterMember(line=2, member="3"))
        out.add(ServiceState(line=3, on="pike"))
        out.add(Connection(line=4, peer="<c0n4>"))
        out.add(Connection(line=5, peer="10.2.0.7"))
        out.add(GlmLock(line=6, holder="tench", waiter="f0a0b0c0d0e0f0a0"))
        out.add(ClusterMember(line=7, member="Qdevice"))
        out.close()
        assert spoken_of(Facts([Source(0, "a.txt", tmp_path)])) == {"carp", "pike", "tench"}


class TestHeadings:
    def test_a_numbered_heading_is_the_node_with_that_id(self) -> None:
        nodes = Nodes(["node0", "carp1"], [AliasRow("carp1", "0", "id", 1, 3)], headings=["node0"])
        assert nodes.name("node0") == "carp1"
        assert [(node.name, node.aliases) for node in nodes.all()] == [("carp1", ("0", "node0"))]

    def test_without_a_table_it_stays_a_number(self) -> None:
        assert Nodes(["node0", "carp1"], [("carp1", "1")], headings=["node0"]).name("node0") == "node0"

    def test_what_is_stated_below_a_heading_is_stated_of_the_node(self) -> None:
        nodes = Nodes(["node0"], [("carp1", "0"), ("node0", "10.2.0.7"), ("node0", "1")], headings=["node0"])
        assert [nodes.name(spelling) for spelling in ("node0", "0", "1", "10.2.0.7")] == ["carp1"] * 4

    def test_a_host_that_is_called_so_is_no_heading(self) -> None:
        assert Nodes(["node0", "carp1"], [("carp1", "0")]).name("node0") == "node0"


def test_every_alias_has_the_row_that_states_it() -> None:
    nodes = Nodes(["carp1"], [AliasRow("carp1", "10.2.0.7", "address", 2, 14), AliasRow("carp1", "3", "id", 5, 1)])
    assert nodes.evidence("carp1") == (
        AliasRow("carp1", "10.2.0.7", "address", 2, 14),
        AliasRow("carp1", "3", "id", 5, 1),
    )
    assert nodes.evidence("pike1") == ()


def test_a_node_that_only_a_table_names_is_known_but_has_no_dump() -> None:
    nodes = Nodes(["carp1"], [("carp9", "10.2.0.9")])
    assert (nodes.known("carp9"), nodes.has_dump("10.2.0.9"), nodes.has_dump("carp1")) == (True, False, True)
    assert [node.name for node in nodes.all()] == ["carp1"]


NAMES = st.sampled_from(["a", "a.x", "a.y", "b", "b.x", "c", "node0", "node1"])
ALIASES = st.sampled_from(["a", "b", "b.x", "d", "10.0.0.1", "10.0.0.2", "c0n1", "0", "1", "node1"])


@given(
    st.lists(NAMES),
    st.lists(st.tuples(NAMES, ALIASES, st.just(""), st.integers(0, 2), st.integers(1, 3))),
    st.randoms(),
)
def test_the_order_of_input_does_not_matter(names: list[str], rows: list[tuple[str, ...]], rng: random.Random) -> None:
    shuffled, others = list(rows), list(names)
    rng.shuffle(shuffled)
    rng.shuffle(others)
    one, other = Nodes(names, rows, names[:2]), Nodes(others, shuffled, names[:2])
    assert one.all() == other.all()
    assert one.clashes == other.clashes
    for spelling in (*names, *(row[1] for row in rows)):
        assert one.name(spelling) == other.name(spelling) == one.name(one.name(spelling))


@pytest.mark.parametrize(
    ("text", "address"), [("10.0.0.1", True), ("::1", True), ("10.0.0.256", False), ("node1", False), ("", False)]
)
def test_addresses(text: str, address: bool) -> None:
    assert is_address(text) is address


def test_a_host_name_that_looks_like_an_index_is_a_name() -> None:
    assert [node.name for node in Nodes(["cn142", "c1n"]).all()] == ["c1n", "cn142"]


def test_nodes_that_only_a_table_names_are_listed_apart() -> None:
    rows = [("cn1", "c0n1"), ("cn2.lab", "10.0.0.2"), ("10.0.0.3", "c0n3"), ("cn1", "1"), ("cn2.lab", "2")]
    nodes = Nodes({"cn1"}, rows)
    assert [node.name for node in nodes.all()] == ["cn1"]
    assert [(node.name, node.aliases) for node in nodes.only_listed()] == [("cn2", ("10.0.0.2", "2", "cn2.lab"))]


def test_an_id_of_two_clusters_is_in_each_file_the_node_of_that_file() -> None:
    nodes = Nodes(
        ["moss1", "fern4"],
        [AliasRow("moss1", "0", "id", 1, 5), AliasRow("fern4", "0", "id", 2, 3), AliasRow("fern5", "1", "id", 2, 4)],
    )
    frame = pl.DataFrame({"artifact": [1, 2, 2, 3], "node": ["0", "0", "1", "0"]})
    assert nodes.named(frame)["node"].to_list() == ["moss1", "fern4", "fern5", "0"]
    assert nodes.name("0") == "0"
    assert [clash.alias for clash in nodes.clashes] == ["0"]
