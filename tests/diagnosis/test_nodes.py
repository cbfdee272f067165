"""Spellings of a node are joined by evidence, never on a guess."""

from __future__ import annotations

import pytest

from apps.diagnosis.engine.nodes import Nodes, is_address


def test_a_short_name_and_its_full_name_are_one_node() -> None:
    nodes = Nodes(["carp1", "carp1.lab.example"])
    assert nodes.name("carp1.lab.example") == nodes.name("carp1") == "carp1"
    assert [(node.name, node.aliases) for node in nodes.all()] == [("carp1", ("carp1.lab.example",))]


def test_two_full_names_of_one_short_name_stay_apart() -> None:
    nodes = Nodes(["carp1.east.example", "carp1.west.example"])
    assert nodes.name("carp1.east.example") == "carp1.east.example"
    assert [node.name for node in nodes.all()] == ["carp1.east.example", "carp1.west.example"]


def test_addresses_ids_and_indices_that_a_table_states_are_aliases() -> None:
    nodes = Nodes(["carp1"], [("carp1", "10.2.0.7"), ("carp1", "c0n3"), ("carp1", "fe80::7")])
    assert [nodes.name(text) for text in ("10.2.0.7", "c0n3", "fe80::7")] == ["carp1"] * 3
    assert nodes.all()[0].aliases == ("10.2.0.7", "c0n3", "fe80::7")


def test_what_no_table_states_stays_as_it_is() -> None:
    nodes = Nodes(["carp1", "carp10"])
    assert [nodes.name(text) for text in ("10.2.0.7", "c0n3", "carp", "CARP1")] == ["10.2.0.7", "c0n3", "carp", "carp1"]
    assert not nodes.known("10.2.0.7")
    assert not nodes.known("c0n3")


def test_an_alias_that_two_nodes_claim_is_a_clash_and_the_first_keeps_it() -> None:
    nodes = Nodes(["carp1", "carp2"], [("carp1", "10.2.0.7"), ("carp2", "10.2.0.7")])
    assert nodes.name("10.2.0.7") == "carp1"
    assert nodes.clashes == [("10.2.0.7", "carp1", "carp2")]


def test_a_node_that_only_a_table_names_is_known_but_has_no_dump() -> None:
    nodes = Nodes(["carp1"], [("carp9", "10.2.0.9")])
    assert (nodes.known("carp9"), nodes.has_dump("10.2.0.9"), nodes.has_dump("carp1")) == (True, False, True)
    assert [node.name for node in nodes.all()] == ["carp1"]


def test_the_order_of_input_does_not_matter() -> None:
    names, pairs = ["b", "a.x", "a", "c.y"], [("a", "10.0.0.1"), ("b", "10.0.0.1"), ("c", "c0n1")]
    one, other = Nodes(names, pairs), Nodes(reversed(names), reversed(pairs))
    assert one.all() == other.all()
    assert one.clashes == other.clashes


@pytest.mark.parametrize(("text", "address"), [("10.0.0.1", True), ("::1", True), ("10.0.0.256", False), ("node1", False), ("", False)])
def test_addresses(text: str, address: bool) -> None:
    assert is_address(text) is address


def test_a_host_name_that_looks_like_an_index_is_a_name() -> None:
    assert [node.name for node in Nodes(["cn142", "c1n"]).all()] == ["c1n", "cn142"]
