"""How far the clocks of nodes stand apart: from pairs, with an error bar, and unknown where nothing ties two nodes
together.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.clocks import Offset, Pair, offsets, ordered
from apps.diagnosis.engine.core.facts.event_pairs import event_pairs
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.model import Ref
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.scale.clock_pairs import message_pairs, wait_pairs
from apps.diagnosis.engine.veritas.clock_pairs import lock_pairs
from apps.diagnosis.engine.veritas.lock_samples import LockRoles
from parsers.output import Output
from parsers.records import Event, NodeAlias, Record, Section
from parsers.records.waits import PendingRpc, Waiter, WaiterShape
from tests.diagnosis.pictures import lock_picture

NOON_US = 1_899_028_800_000_000
HERE, THERE = Ref(1, 10), Ref(2, 20)


def case_of(folder: Path, *records: Record) -> Case:
    out = Output(FactsWriter(folder / "drawn"))
    for record in records:
        out.add(record)
    out.close()
    return Case(Facts([Source(1, "drawn.txt", folder / "drawn")]), PRODUCTS)


def pair(one: str, other: str, ahead_s: float, error_s: float = 1.0, basis: str = "events") -> Pair:
    return Pair(one, other, ahead_s, error_s, basis, HERE, THERE)  # type: ignore[arg-type]


def pairs_of_events(case: Case) -> Iterator[Pair]:
    return event_pairs(case.store, case.get(Nodes))


class TestTheEstimate:
    def test_the_median_of_the_pairs_counts_and_its_error_covers_their_spread(self) -> None:
        found = offsets([pair("a", "b", s) for s in (2.0, 2.2, 2.4, 9.0, 2.2)])
        assert [(o.node, o.offset_s, o.error_s, o.reference) for o in found] == [
            ("a", 0.0, 0.0, "a"),
            ("b", 2.2, 1.0, "a"),
        ]
        assert offsets([pair("a", "b", s) for s in (0.0, 3.0, 6.0)])[1].error_s == 6.0

    def test_a_pair_counts_the_same_from_either_side(self) -> None:
        assert offsets([pair("a", "b", 2.0)]) == offsets([pair("b", "a", -2.0)._replace(ref=THERE, other_ref=HERE)])

    def test_offsets_follow_a_chain_and_their_errors_add_up(self) -> None:
        found = {
            o.node: o for o in offsets([pair("a", "b", 2.0, 3.0), pair("b", "c", 1.0, 4.0), pair("b", "c", 1.0, 4.0)])
        }
        assert {name: (o.offset_s, o.error_s) for name, o in found.items()} == {
            "b": (0.0, 0.0),
            "a": (-2.0, 3.0),
            "c": (1.0, 4.0),
        }

    def test_the_sharper_way_is_taken(self) -> None:
        found = {
            o.node: o
            for o in offsets(
                [pair("a", "b", 9.0, 8.0), pair("a", "c", 1.0, 0.5), pair("c", "b", 1.0, 0.5), pair("a", "b", 9.0, 8.0)]
            )
        }
        assert (found["b"].offset_s, found["b"].error_s) == (2.0, 0.707)

    def test_sorts_of_pairs_that_contradict_each_other_widen_the_error(self) -> None:
        found = offsets([pair("a", "b", 2.0, 0.5, "message"), pair("a", "b", 10.0, 1.0, "locks")])
        assert (found[1].offset_s, found[1].error_s, found[1].basis) == (2.0, 7.0, ("locks", "message"))

    def test_two_ways_that_are_equally_sharp_give_one_offset(self) -> None:
        square = [pair("a", "b", 1.0), pair("a", "c", 2.0), pair("b", "d", 1.0), pair("c", "d", 3.0)]
        found = {one.node: one.offset_s for one in offsets(square)}
        assert found == {"a": 0.0, "b": 1.0, "c": 2.0, "d": 2.0}

    def test_nodes_that_nothing_ties_to_the_others_have_none(self) -> None:
        found = offsets([pair("a", "b", 1.0), pair("b", "c", 1.0), pair("x", "y", 5.0)])
        assert [o.node for o in found] == ["a", "b", "c"]

    def test_no_pairs_no_offsets(self) -> None:
        assert offsets([]) == ()
        assert offsets([pair("a", "a", 1.0)]) == ()

    def test_the_order_of_pairs_does_not_matter(self) -> None:
        rng = random.Random(3)
        pairs = [
            pair(rng.choice("abcd"), rng.choice("abcd"), rng.uniform(-5, 5), rng.choice((0.5, 1.0))) for _ in range(60)
        ]
        assert offsets(pairs) == offsets(rng.sample(pairs, len(pairs)))


class TestOrder:
    ONE, TWO = Offset("a", "a", 0.0, 0.0, 3, ()), Offset("b", "a", 5.0, 1.0, 3, ())

    @pytest.mark.parametrize(("second_s", "order"), [(7.0, -1), (5.5, None), (3.0, 1)])
    def test_an_order_is_claimed_only_beyond_the_error(self, second_s: float, order: int | None) -> None:
        assert ordered(NOON_US, self.ONE, NOON_US + round(second_s * 1e6), self.TWO) == order

    def test_unknown_clocks_have_no_order(self) -> None:
        assert ordered(NOON_US, self.ONE, NOON_US + 60_000_000, None) is None


class TestMessages:
    @staticmethod
    def rpc(
        node: str, peer: str, at_s: float, seconds: float, *, incoming: bool, message: int = 77, line: int = 5
    ) -> PendingRpc:
        at = NOON_US + round(at_s * 1e6)
        return PendingRpc(
            line=line,
            node=node,
            peer=peer,
            at=at,
            seconds=seconds,
            message_id=message,
            rpc="tmMsgRevoke",
            incoming=incoming,
        )

    def test_sender_and_receiver_of_a_message_saw_it_at_one_moment(self, tmp_path: Path) -> None:
        case = case_of(
            tmp_path,
            NodeAlias(line=1, node="b1", alias="10.0.0.2", kind="address"),
            self.rpc("a1", "10.0.0.2", 100, 40, incoming=False),
            self.rpc("b1", "a1", 110, 47, incoming=True),
        )
        assert [(p.one, p.other, p.ahead_s) for p in message_pairs(case)] == [("a1", "b1", 3.0)]
        assert {node.name: node.clock_offset_s for node in case.get(Clocks).nodes} == {
            "a1": 0.0,
            "b1": 3.0,
        } or case.get(Nodes).all() == ()

    def test_another_message_is_no_pair(self, tmp_path: Path) -> None:
        case = case_of(
            tmp_path,
            self.rpc("a1", "b1", 100, 40, incoming=False),
            self.rpc("b1", "a1", 110, 47, incoming=True, message=78),
        )
        assert list(message_pairs(case)) == []

    def test_an_age_or_time_that_is_not_known_is_no_pair(self, tmp_path: Path) -> None:
        received = self.rpc("b1", "a1", 110, 47, incoming=True)
        unknown = PendingRpc(line=6, node="a1", peer="b1", message_id=77, rpc="tmMsgRevoke", at=NOON_US)
        assert list(message_pairs(case_of(tmp_path, unknown, received))) == []


class TestWaits:
    SHAPES = (
        WaiterShape(
            line=1, shape=1, thread="BRT handler", reason="waiting for RPC replies", rpc="tmMsgRevoke", target="b1"
        ),
        WaiterShape(line=1, shape=2, thread="Msg handler tmMsgRevoke", reason="waiting"),
    )

    @staticmethod
    def wait(node: str, shape: int, start_s: float, line: int) -> Waiter:
        return Waiter(line=line, node=node, at=NOON_US, seconds=-start_s, thread_id=line, shape=shape)

    def case(self, folder: Path, *waits: Waiter) -> Case:
        sections = [Section(line=1, last_line=99, format="scale_waiters_new", records=len(waits))]
        return case_of(folder, *sections, *self.SHAPES, *waits)

    def test_a_wait_and_its_handler_began_at_one_moment(self, tmp_path: Path) -> None:
        case = self.case(
            tmp_path,
            self.wait("a1", 1, -60, 10),
            self.wait("b1", 2, -55, 20),
            self.wait("a1", 1, -30, 11),
            self.wait("b1", 2, -25, 21),
        )
        assert [(p.one, p.other, p.ahead_s) for p in wait_pairs(case)] == [("a1", "b1", 5.0), ("a1", "b1", 5.0)]
        assert {node.name: node.clock_offset_s for node in case.get(Clocks).nodes} == {"a1": 0.0, "b1": 5.0}

    def test_two_nodes_that_ask_leave_it_open_whose_handler_it_is(self, tmp_path: Path) -> None:
        case = self.case(
            tmp_path,
            self.wait("a1", 1, -60, 10),
            self.wait("c1", 1, -50, 11),
            self.wait("b1", 2, -55, 20),
            self.wait("b1", 2, -45, 21),
        )
        assert list(wait_pairs(case)) == []

    def test_more_waits_than_handlers_are_not_guessed_at(self, tmp_path: Path) -> None:
        case = self.case(
            tmp_path, self.wait("a1", 1, -60, 10), self.wait("a1", 1, -50, 11), self.wait("b1", 2, -55, 20)
        )
        assert list(wait_pairs(case)) == []


class TestLocks:
    TAKEN = "100 900 200 1500 50 700 1200 300"

    def picture(self, folder: Path, taken: str, lost: str, late_s: dict[str | None, float]) -> list[Pair]:
        case = lock_picture(folder, f"a1 h_grant {taken}\nb1 h_revoke {lost}\n", late_s=late_s)
        return list(lock_pairs(case.get(LockRoles).all))

    def test_what_one_takes_is_what_the_other_loses(self, tmp_path: Path) -> None:
        [found] = self.picture(tmp_path, self.TAKEN, self.TAKEN, {"b1": 12})
        assert (found.one, found.other) == ("a1", "b1")
        assert abs(found.ahead_s - 12) <= found.error_s <= 5

    def test_even_rates_tell_nothing(self, tmp_path: Path) -> None:
        even = " ".join(["800"] * 8)
        assert self.picture(tmp_path, even, even, {"b1": 12}) == []

    def test_rates_that_do_not_fit_tell_nothing(self, tmp_path: Path) -> None:
        assert self.picture(tmp_path, self.TAKEN, "100 90 1400 1500 1300 90 50 1500", {}) == []

    def test_a_few_samples_tell_nothing(self, tmp_path: Path) -> None:
        assert self.picture(tmp_path, "100 900 200", "100 900 200", {}) == []


class TestEvents:
    @staticmethod
    def event(
        node: str, at_s: float, line: int, *, kind: str = "membership", text: str = "ring 1.2c formed", about: str = ""
    ) -> Event:
        return Event(
            line=line,
            node=node,
            at=NOON_US + round(at_s * 1e6),
            source="corosync",
            kind=kind,
            text=text,
            about=about or None,
        )

    def test_what_both_log_happened_once(self, tmp_path: Path) -> None:
        case = case_of(tmp_path, self.event("a1", 10, 1), self.event("b1", 13, 2))
        assert [(p.one, p.other, p.ahead_s) for p in pairs_of_events(case)] == [("a1", "b1", 3.0)]

    def test_process_numbers_do_not_make_it_another_event(self, tmp_path: Path) -> None:
        case = case_of(
            tmp_path,
            self.event("a1", 10, 1, text="x[12] ring formed"),
            self.event("b1", 13, 2, text="x[99] ring formed"),
        )
        assert len(list(pairs_of_events(case))) == 1

    def test_what_only_one_of_them_saw_is_no_pair(self, tmp_path: Path) -> None:
        case = case_of(
            tmp_path, self.event("a1", 10, 1, kind="long-waiter"), self.event("b1", 13, 2, kind="long-waiter")
        )
        assert list(pairs_of_events(case)) == []

    def test_a_connection_is_lost_on_both_ends(self, tmp_path: Path) -> None:
        one = self.event("a1", 10, 1, kind="connection-closed", text="to b1", about="b1")
        other = self.event("b1", 12, 2, kind="connection-closed", text="to a1", about="a1")
        assert [(p.one, p.other, p.ahead_s) for p in pairs_of_events(case_of(tmp_path, one, other))] == [
            ("a1", "b1", 2.0)
        ]

    def test_unequal_numbers_are_not_matched(self, tmp_path: Path) -> None:
        case = case_of(tmp_path, self.event("a1", 10, 1), self.event("a1", 700, 3), self.event("b1", 13, 2))
        assert list(pairs_of_events(case)) == []

    def test_clocks_in_different_zones_are_no_pair(self, tmp_path: Path) -> None:
        assert list(pairs_of_events(case_of(tmp_path, self.event("a1", 10, 1), self.event("b1", 3_610, 2)))) == []
