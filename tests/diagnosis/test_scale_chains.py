"""Who waits for whom on Spectrum Scale, and where the chains end."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.node_clocks import Clocks
from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.core.findings.registry import RuleNotes
from apps.diagnosis.engine.core.model import Edge
from apps.diagnosis.engine.products import PRODUCTS, run_rules
from apps.diagnosis.engine.scale.chains import Chains
from apps.diagnosis.engine.scale.steps import next_steps
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.output import Output
from parsers.records import NodeAlias
from parsers.records.waits import Waiter, WaiterShape
from tests.diagnosis.scale_pictures import NOON_US, ends, spans_frame, wait, write_case
from tests.part import tries

WHO = {"10.0.0.1": "mgr1", "10.0.0.2": "nsd2", "10.0.0.3": "cn3", "10.0.0.9": "cn9"}
DISK = """
    nsd2 | NSDThread 11      | disk dm-7    | 12  22  32
    nsd2 | NSDThread 12      | disk dm-8    | .  0.02  .
    cn3  | PrefetchWorker 21 | nsd 10.0.0.2 | 12  22  32
    cn4  | PrefetchWorker 22 | nsd 10.0.0.2 | .   13  23
"""


def roots(tmp_path: Path, *pictures: str) -> list[tuple[str, str, str | None, int, int]]:
    return ends(write_case(tmp_path, *pictures, aliases=WHO).get(ScaleWaits).roots)


def edges(tmp_path: Path, *pictures: str) -> list[tuple[str, str, str, int, bool]]:
    found: tuple[Edge, ...] = write_case(tmp_path, *pictures, aliases=WHO).get(ScaleWaits).edges
    return [(e.frm, e.to, e.via, e.count, e.resolved) for e in found]


def test_waits_for_a_server_end_at_the_disk_its_threads_wait_for(tmp_path: Path) -> None:
    assert roots(tmp_path / "a", DISK) == [("disk", "dm-7", "nsd2", 3, 3)]
    assert edges(tmp_path / "b", DISK) == [
        ("cn3", "nsd2", "NSD I/O completion", 1, True),
        ("nsd2", "dm-7", "I/O completion", 1, True),
        ("cn4", "nsd2", "NSD I/O completion", 1, True),
    ]


def test_a_healthy_disk_of_the_same_name_on_another_server_stays_out(tmp_path: Path) -> None:
    assert roots(tmp_path, DISK, "nsd1 | NSDThread 5 | disk dm-7 | 0.01 0.02 0.01") == [("disk", "dm-7", "nsd2", 3, 3)]


def test_two_bad_disks_of_one_name_are_two_ends_and_distinguished_in_the_edges(tmp_path: Path) -> None:
    picture = DISK + "nsd1 | NSDThread 5 | disk dm-7 | 15 25 35"
    assert roots(tmp_path / "a", picture) == [("disk", "dm-7", "nsd2", 3, 3), ("disk", "dm-7", "nsd1", 1, 1)]
    assert {to for _, to, via, _, _ in edges(tmp_path / "b", picture) if via == "I/O completion"} == {
        "dm-7 of nsd1",
        "dm-7 of nsd2",
    }


def test_a_wait_with_two_ends_is_relieved_by_neither_alone(tmp_path: Path) -> None:
    picture = DISK + "nsd2 | NSDThread 13 | disk dm-9 | 14 24 34"
    assert roots(tmp_path, picture) == [("disk", "dm-7", "nsd2", 3, 1), ("disk", "dm-9", "nsd2", 3, 1)]


def test_a_message_goes_on_with_its_handler_and_the_log_with_the_io_that_began_with_its_write(tmp_path: Path) -> None:
    picture = (
        DISK
        + """
    cn9  | OpenHandlerThread 31                  | rpc mnMsgForceInodeFlags 10.0.0.1 | .  11.00 21.00
    mgr1 | Msg handler mnMsgForceInodeFlags 41   | mutex LogFile instance            | .  11.00 21.00
    mgr1 | SG Exception LogBufferFull 42         | mutex LogFile instance            | .  17.99 27.99
    mgr1 | Sync handler 43                       | log write                         | .  18.00 28.00
    mgr1 | FlushBufferWorkerThread 44            | nsd 10.0.0.2                      | .  17.99 27.99
    mgr1 | QuotaHandler 45                       | mutex QuotaMutex                  | .  12.00 22.00
"""
    )
    assert roots(tmp_path / "a", picture) == [("disk", "dm-7", "nsd2", 8, 8), ("lock", "QuotaMutex", "mgr1", 1, 1)]
    found = edges(tmp_path / "b", picture)
    assert ("mgr1", "LogFile", "ThMutex LogFile instance", 2, True) in found
    assert ("LogFile", "nsd2", "log write", 1, True) in found
    assert ("cn9", "mgr1", "mnMsgForceInodeFlags", 1, True) in found


def test_an_io_that_began_at_another_time_is_not_the_log_write(tmp_path: Path) -> None:
    picture = (
        DISK
        + """
    mgr1 | SG Exception LogBufferFull 42 | mutex LogFile instance | .  17.99 27.99
    mgr1 | Sync handler 43               | log write              | .  18.00 28.00
    mgr1 | FlushBufferWorkerThread 44    | nsd 10.0.0.2           | .  16.00 26.00
"""
    )
    assert ("lock", "LogFile", "mgr1", 2, 2) in roots(tmp_path, picture)


def test_a_revoke_goes_on_with_the_revoke_threads_of_the_holder(tmp_path: Path) -> None:
    picture = (
        DISK
        + """
    cn9 | CreateHandlerThread 31     | rpc tmMsgRevoke 10.0.0.3 | .  11 21
    cn3 | InodeRevokeWorkerThread 32 | nsd 10.0.0.2             | .  11 21
    cn3 | SomeThread 33              | mutex Other              | .  15 25
"""
    )
    assert roots(tmp_path, picture)[0] == ("disk", "dm-7", "nsd2", 5, 5)


def test_the_token_server_is_not_blamed_for_an_acquire(tmp_path: Path) -> None:
    picture = """
        cn9  | SharedHashTabFetchHandlerThread 31 | rpc tmMsgTellAcquire1 10.0.0.1 | 11 21
        mgr1 | SomeThread 33                      | mutex Other                    | 15 25
    """
    assert roots(tmp_path, picture) == [("lock", "Other", "mgr1", 1, 1), ("lock", "token", "cn9", 1, 1)]


def test_an_acquire_goes_on_with_the_revoke_that_the_same_node_sent(tmp_path: Path) -> None:
    picture = """
        cn9 | SharedHashTabFetchHandlerThread 31 | rpc tmMsgTellAcquire1 10.0.0.1 | 11 21
        cn9 | SharedHashTabFetchHandlerThread 32 | rpc tmMsgRevoke 10.0.0.3       | 12 22
        cn3 | InodeRevokeWorkerThread 33         | mutex BufferDescriptor         | 12 22
    """
    assert roots(tmp_path, picture) == [("lock", "BufferDescriptor", "cn3", 3, 3)]


def test_a_node_without_a_dump_leaves_the_data(tmp_path: Path) -> None:
    found = (
        write_case(tmp_path, "cn3 | BRT handler 1 | rpc tmMsgRevoke 10.1.11.51 | 28", aliases=WHO).get(ScaleWaits).roots
    )
    assert [(root.kind, root.what, root.node, root.leaves_data) for root in found] == [
        ("node", "10.1.11.51", None, True)
    ]


def test_a_node_whose_dumps_show_nothing_is_an_end_that_does_not_leave_the_data(tmp_path: Path) -> None:
    found = (
        (
            write_case(
                tmp_path, "cn3 | A 1 | rpc tmMsgRevoke 10.0.0.9 | 28 38\ncn9 | B 2 | disk a | 0.01 0.02", aliases=WHO
            )
        )
        .get(ScaleWaits)
        .roots
    )
    assert [(root.kind, root.what, root.node, root.leaves_data) for root in found] == [("node", "cn9", "cn9", False)]


def test_dumps_without_a_time_are_of_one_collection(tmp_path: Path) -> None:
    files = (
        "cn3 | A 1 | rpc oddMsg 10.0.0.1 | 28",
        "mgr1 | B 2 | mutex Some | 29",
        "cn9 | C 3 | rpc oddMsg 10.9.9.9 | 27",
    )
    found = write_case(tmp_path / "a", *files, aliases=WHO, dated=False).get(ScaleWaits).roots
    assert [(root.what, root.waiters, root.leaves_data) for root in found] == [
        ("Some", 2, False),
        ("10.9.9.9", 1, True),
    ]
    quiet = (
        write_case(tmp_path / "b", files[0], "mgr1 | B 2 | mutex Some | 0.1", aliases=WHO, dated=False)
        .get(ScaleWaits)
        .roots
    )
    assert [(root.what, root.leaves_data) for root in quiet] == [("mgr1", False)]


def test_nodes_that_wait_for_each_other_are_never_called_a_deadlock(tmp_path: Path) -> None:
    case = write_case(
        tmp_path, "cn3 | A 1 | rpc msgOne 10.0.0.9 | 28 38\ncn9 | B 2 | rpc msgTwo 10.0.0.3 | 28 38", aliases=WHO
    )
    (root,) = case.get(ScaleWaits).roots
    assert (root.kind, root.waiters, root.relieves, root.leaves_data) == ("node", 2, 2, False)
    assert "deadlock" not in root.why


@pytest.mark.parametrize(
    "harmless",
    [
        "mgr1 | PitMainThread 1      | cond PitCondvar: Waiting until pit work is complete | 500 510",
        "cn1  | FsyncHandlerThread 1 | cond QosIoTbtCondvar: tbtGetTokens                  | 500 510",
        "cn1  | Anything 1           | cond StrangeCondvar: unheard of                     | 500 510",
        "cn1  | MMFSADMDumpCmdThread 1 | for mercy                                         | 500 510",
        "cn1  | NSDThread 1          | disk a                                              | 0.4 0.9",
    ],
)
def test_what_may_last_what_is_held_back_and_what_is_short_makes_no_chain(tmp_path: Path, harmless: str) -> None:
    case = write_case(tmp_path, harmless, aliases=WHO)
    assert case.get(ScaleWaits).roots == ()
    assert case.get(ScaleWaits).edges == ()


def test_waits_of_seconds_count_only_while_none_is_serious(tmp_path: Path) -> None:
    slow = "nsd2 | NSDThread 1 | disk a | 2 .\nnsd2 | NSDThread 2 | disk b | 3 ."
    assert [row[1] for row in roots(tmp_path / "a", slow)] == ["a", "b"]
    assert [row[1] for row in roots(tmp_path / "b", slow + "\nnsd2 | NSDThread 3 | disk c | 11 21")] == ["c"]


def test_events_that_are_far_apart_do_not_join(tmp_path: Path) -> None:
    pause = " . " * 12
    picture = f"cn9 | A 1 | rpc msgOne 10.0.0.1 | 12 {pause} .\nmgr1 | B 2 | mutex Late | . {pause} 12"
    assert [(row[0], row[1]) for row in roots(tmp_path, picture)] == [("lock", "Late"), ("node", "mgr1")]


def test_an_rpc_inherits_the_category_of_the_wait_at_the_node_requested(tmp_path: Path) -> None:
    picture = "cn9 | A 1 | rpc oddMsg 10.0.0.1 | 12\nmgr1 | Msg handler oddMsg 2 | mutex Some | 12"
    kinds = {
        kind.kind_id: kind.category for kind in write_case(tmp_path / "a", picture, aliases=WHO).get(ScaleWaits).kinds
    }
    assert kinds == {"scale-W53": 3, "scale-W16": 3}
    alone = write_case(tmp_path / "b", "cn9 | A 1 | rpc oddMsg 10.0.0.1 | 12", aliases=WHO)
    assert [kind.category for kind in alone.get(ScaleWaits).kinds] == [4]


def test_kinds_count_lines_and_gather_many_disks(tmp_path: Path) -> None:
    case = write_case(tmp_path, "\n".join(f"nsd1 | NSDThread {k} | disk dm-{k} | 2 3 4" for k in range(20)))
    (kind,) = case.get(ScaleWaits).kinds
    assert (kind.count, kind.longest_s, kind.wait_on, kind.nodes) == (60, 4.0, "20 disks", ("nsd1",))


def test_a_kind_that_changes_with_age_counts_old_and_young_lines_apart(tmp_path: Path) -> None:
    case = write_case(tmp_path, "n1 | SG mgr log migrate 1 | open dm-1 | 4 14 24")
    assert sorted((kind.category or 0, kind.count, kind.longest_s) for kind in case.get(ScaleWaits).kinds) == [
        (3, 2, 24.0),
        (4, 1, 4.0),
    ]


def test_a_case_without_scale_has_nothing(tmp_path: Path) -> None:
    case = write_case(tmp_path)
    assert not any(
        (case.get(ScaleWaits).kinds, case.get(ScaleWaits).edges, case.get(ScaleWaits).roots, next_steps(case, ()))
    )
    assert spans_frame(case).is_empty()
    assert list(case.get(ScaleWaits).span_frames()) == []


SHAPES = [
    wait("disk dm-1"),
    wait("nsd 10.0.0.2"),
    wait("nsd 10.9.9.9"),
    wait("rpc tmMsgRevoke 10.0.0.3"),
    wait("rpc tmMsgTellAcquire1 10.0.0.1"),
    wait("mutex LogFile instance"),
    wait("log write"),
    wait("open D1"),
    wait("cond LkObjCondvar: waiting for LX lock"),
    wait("for mercy"),
    WaiterShape(),
    WaiterShape(style="note", reason="Waiting until pit work is complete"),
    WaiterShape(style="deadlock", thread="A"),
]
WAITERS = st.builds(
    Waiter,
    node=st.sampled_from([None, "mgr1", "nsd2", "nsd2.lab", "cn3", "10.0.0.9"]),
    at=st.sampled_from([None, 0, 43_200_000_000, NOON_US, NOON_US + 10_000_000, NOON_US + 900_000_000]),
    since=st.sampled_from([None, 43_190_000_000, NOON_US - 5_000_000]),
    seconds=st.sampled_from([None, 0.0, 0.02, 3.0, 12.5, 12.52, 22.5, 999_999_999_999.0]),
    thread_id=st.sampled_from([None, 0, 1, 2]),
    address=st.sampled_from([None, 0, 4096]),
    shape=st.integers(-1, len(SHAPES) + 2),
)


@settings(max_examples=tries(60, 30), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(WAITERS, max_size=25))
def test_any_waiters_give_a_diagnosis_that_counts_them_all(tmp_path: Path, waiters: list[Waiter]) -> None:
    with TemporaryDirectory(dir=tmp_path) as folder:
        out = Output(FactsWriter(Path(folder)))
        for line, waiter in enumerate(waiters, start=1):
            out.add(replace(waiter, line=line))
        for number, shape in enumerate(SHAPES, start=1):
            out.structure(replace(shape, shape=number))
        out.add(NodeAlias(line=1, node="nsd2", alias="10.0.0.2", kind="address"))
        out.close()
        case = Case(Facts([Source(0, "a.txt", Path(folder))]), PRODUCTS)
        notes = RuleNotes()
        run_rules(case, notes)
        assert notes.failed == []
        assert sum(kind.count for kind in case.get(ScaleWaits).kinds) == len(waiters)
        spans = spans_frame(case)
        assert (int(spans["lines"].sum()) if spans.height else 0) == len(waiters)
        for root in case.get(ScaleWaits).roots:
            assert 0 <= root.relieves <= root.waiters <= len(waiters)
        assert all(edge.count >= 1 for edge in case.get(ScaleWaits).edges)


def test_a_hundred_thousand_long_waits_are_followed_in_seconds(tmp_path: Path) -> None:
    rng = Random(3)
    lines = []
    for k in range(50_000):
        node = k % 100
        target = f"10.9.0.{rng.randrange(100)}"
        waits = (f"nsd {target}", f"rpc tmMsgRevoke {target}", f"disk dm-{k % 7}", "mutex LogFile instance")[k % 4]
        lines.append(f"n{node} | Thread {k} | {waits} | {rng.uniform(10, 900):.4f} {rng.uniform(1000, 2000):.4f}")
    case = write_case(tmp_path, "\n".join(lines), aliases={f"10.9.0.{k}": f"n{k}" for k in range(100)})
    assert len(case.get(ScaleWaits).chains.columns) == 100_000
    began = time.process_time()
    chains = Chains(case.get(ScaleWaits).spans, case.store, case.get(Nodes), case.get(Clocks))
    assert sum(end.relieves for end in chains.behind) <= 100_000
    assert chains.deadlocks is not None
    assert (
        time.process_time() - began < 10.0
    )  # ten times what it takes: a guard against work that grows with the square
