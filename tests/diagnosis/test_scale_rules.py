"""The Scale rules: where each fires and where it stays silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.facts.nodes import Nodes
from apps.diagnosis.engine.core.words.knowledge import rule_texts
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import rules
from apps.diagnosis.engine.scale.waits import ScaleWaits
from parsers.records.waits import DeadlockFact, Waiter
from tests.diagnosis.scale_pictures import NOON_US, findings, fires, overloaded, write_case

WHO = {"10.0.0.1": "mgr1", "10.0.0.2": "nsd2", "10.0.0.3": "cn3", "10.0.0.9": "cn9"}
DISK = """
    nsd2 | NSDThread 11      | disk dm-7    | 12   22   32
    nsd2 | NSDThread 12      | disk dm-8    | 0.01 0.02 .
    cn3  | PrefetchWorker 21 | nsd 10.0.0.2 | 12   22   32
    cn4  | PrefetchWorker 22 | nsd 10.0.0.2 | .    13   23
"""
LOG = """
    cn9  | OpenHandlerThread 31                | rpc mnMsgForceInodeFlags 10.0.0.1 | .  11.00 21.00
    mgr1 | Msg handler mnMsgForceInodeFlags 41 | mutex LogFile instance            | .  11.00 21.00
    mgr1 | SG Exception LogBufferFull 42       | mutex LogFile instance            | .  17.99 27.99
    mgr1 | Sync handler 43                     | log write                         | .  18.00 28.00
"""
LOG_IO = "mgr1 | FlushBufferWorkerThread 44 | nsd 10.0.0.2 | . 17.99 27.99\n"
QUIET = (
    "nsd2 | NSDThread 11 | disk dm-7 | 0.01 0.02\ncn3 | EventsExporterSenderThread 2 | for poll on sock 9 | 5000 5010"
)


# --- SC-01 ------------------------------------------------------------------------------------------------------------


def test_a_disk_at_the_end_of_the_chains_is_the_verdict(tmp_path: Path) -> None:
    case = write_case(tmp_path, DISK + LOG + LOG_IO, aliases=WHO)
    found = findings(case)
    disk = found["SC-01"]
    assert (disk.severity, disk.start, disk.end) == ("high", NOON_US - 12_000_000, NOON_US + 20_000_000)
    assert disk.verdict == "mgr1's log cannot flush: disk dm-7 behind nsd2 does not answer; 1 node waits"
    assert disk.nodes == ("cn3", "cn4", "cn9", "mgr1", "nsd2")
    assert {figure.name: figure.value for figure in disk.figures}["Waits behind the disk"] == 8
    assert 3 <= len(disk.evidence) <= 8
    result = diagnose(case.store, case)
    assert result.verdict is not None
    assert result.verdict.title == disk.verdict
    assert [f.ref for f in result.findings] == ["SC-01", "SC-04"]
    assert "mmdiag --iohist" in result.next_steps[0].commands


def test_without_a_log_the_verdict_names_disk_and_server(tmp_path: Path) -> None:
    found = findings(write_case(tmp_path, DISK, aliases=WHO))
    assert found["SC-01"].verdict == "Threads on 2 nodes wait for disk dm-7 behind nsd2, which does not answer"
    assert "1 other disk of the same server answered quickly" in found["SC-01"].explanation


def test_a_disk_that_nobody_else_waits_for_is_less_severe(tmp_path: Path) -> None:
    alone = fires(write_case(tmp_path / "a", "nsd2 | NSDThread 11 | disk dm-7 | 12 22"), "SC-01")
    assert [(f.severity, f.verdict) for f in alone] == [
        ("medium", "Threads of nsd2 wait for disk dm-7, which does not answer")
    ]
    once = fires(write_case(tmp_path / "b", "nsd2 | NSDThread 11 | disk dm-7 | 2"), "SC-01")
    assert [f.severity for f in once] == ["low"]


def test_a_disk_that_does_not_answer_is_a_finding_though_most_waits_end_elsewhere(tmp_path: Path) -> None:
    many = "\n".join(f"cn{n} | NSDThread {100 + n} | disk dm-{20 + n} | 0.2 0.3" for n in range(12))
    hangs = fires(write_case(tmp_path / "a", f"{many}\nnsd2 | NSDThread 11 | disk dm-7 | 120 130"), "SC-01")
    assert [(f.severity, f.verdict) for f in hangs] == [
        ("medium", "Threads of nsd2 wait for disk dm-7, which does not answer")
    ]
    quick = fires(write_case(tmp_path / "b", f"{many}\nnsd2 | NSDThread 11 | disk dm-7 | 0.2 0.3"), "SC-01")
    assert quick == []


def test_a_disk_whose_waits_end_answers_slowly(tmp_path: Path) -> None:
    (slow,) = fires(write_case(tmp_path, "nsd2 | NSDThread 11 | disk dm-7 | 12 . 2"), "SC-01")
    assert "answers slowly" in slow.verdict


def test_other_slow_disks_of_the_server_lower_the_confidence(tmp_path: Path) -> None:
    (alone,) = fires(write_case(tmp_path / "a", DISK, aliases=WHO), "SC-01")
    both = fires(write_case(tmp_path / "b", DISK + "nsd2 | NSDThread 13 | disk dm-8 | 15 25 35", aliases=WHO), "SC-01")
    assert len(both) == 2
    assert all(finding.confidence < alone.confidence for finding in both)
    assert (
        "The other disk of the server is slow too: its path or the server itself may be the cause."
        in both[0].explanation
    )


def test_disks_beside_a_much_larger_end_are_left_to_the_list_of_ends(tmp_path: Path) -> None:
    crowd = "\n".join(f"cn{k} | A {k} | mutex Some | 12 22" for k in range(20))
    assert fires(write_case(tmp_path, crowd + "\nnsd2 | NSDThread 11 | disk dm-7 | 12 22"), "SC-01") == []


def test_many_waits_below_a_second_are_only_a_hint(tmp_path: Path) -> None:
    old = "\n".join(f"nsd2 | NSDThread {k} | disk dm-7 | 0.{k % 3 + 2}" for k in range(40))
    (hint,) = fires(write_case(tmp_path / "a", old), "SC-01")
    assert (hint.severity, hint.basis) == ("low", "proposed")
    young = "\n".join(f"nsd2 | NSDThread {k} | disk dm-7 | 0.0{k % 3 + 2}" for k in range(40))
    assert fires(write_case(tmp_path / "b", young), "SC-01") == []
    few = "\n".join(f"nsd2 | NSDThread {k} | disk dm-7 | 0.2" for k in range(20))
    assert fires(write_case(tmp_path / "c", few), "SC-01") == []


def test_old_io_waits_are_shown_by_lines_of_their_own_node(tmp_path: Path) -> None:
    """A device name says nothing about the disk of the same name on another node."""
    alike = [f"nsd{n} | NSDThread {k} | disk dm-7 | 0.{k % 3 + 2 + n}" for n in (1, 2) for k in range(40)]
    case = write_case(tmp_path, "\n".join(alike))
    own = {name: finding.evidence for finding in fires(case, "SC-01") for name in finding.nodes}
    waiters = case.get(Nodes).named(case.store.scan(Waiter).select("node", "artifact", "line").collect())
    for name, (ref,) in own.items():
        assert (name, ref.artifact, ref.line) in set(waiters.iter_rows())
    assert sorted(own) == ["nsd1", "nsd2"]


# --- SC-04 ------------------------------------------------------------------------------------------------------------


def test_mutex_waits_behind_one_log_write_without_its_io(tmp_path: Path) -> None:
    case = write_case(tmp_path, LOG + "mgr1 | SG mgr log migrate 45 | open lund_D1 | . . 2.8", aliases=WHO)
    found = findings(case)
    assert found["SC-04"].severity == "high"
    assert found["SC-04"].verdict == "mgr1 cannot write its recovery log: one write has hung for 28.0 s"
    assert "lund_D1 does not open there (2.8 s)" in found["SC-04"].explanation
    assert "SC-01" not in found
    assert "SC-21" not in found
    assert [(r.kind, r.what, r.node, r.waiters) for r in case.get(ScaleWaits).roots] == [("lock", "LogFile", "mgr1", 4)]


def test_short_waits_behind_the_log_are_medium(tmp_path: Path) -> None:
    picture = (
        "mgr1 | SG Exception LogBufferFull 42 | mutex LogFile instance | 2\nmgr1 | Sync handler 43 | log write | 2.01"
    )
    assert findings(write_case(tmp_path, picture))["SC-04"].severity == "medium"


def test_a_mutex_that_was_waited_for_before_the_write_began_has_another_holder(tmp_path: Path) -> None:
    picture = (
        "mgr1 | SG Exception LogBufferFull 42 | mutex LogFile instance | 60 70\nmgr1 | Sync handler 43 | log "
        "write | 20 30"
    )
    assert fires(write_case(tmp_path, picture), "SC-04") == []


def test_a_log_write_that_holds_up_nobody_is_no_log_mutex(tmp_path: Path) -> None:
    assert fires(write_case(tmp_path, "mgr1 | Sync handler 43 | log write | 20 30"), "SC-04") == []


# --- SC-05 ------------------------------------------------------------------------------------------------------------

REVOKE = """
    cn3 | CreateHandlerThread 1     | rpc tmMsgRevoke 10.0.0.9 | 11 21
    cn4 | CreateHandlerThread 2     | rpc tmMsgRevoke 10.0.0.9 | 12 22
"""


def test_a_holder_without_a_disk_behind_it_is_contended(tmp_path: Path) -> None:
    case = write_case(
        tmp_path, REVOKE + "cn9 | InodeRevokeWorkerThread 3 | mutex BufferDescriptor | 11 21", aliases=WHO
    )
    (finding,) = fires(case, "SC-05")
    assert finding.severity == "high"
    assert finding.nodes == ("cn3", "cn4", "cn9")
    assert finding.verdict == "cn9 does not give up a token that cn3 and cn4 asked for 22.0 s ago"


@pytest.mark.parametrize(
    "better",
    [
        "cn9 | InodeRevokeWorkerThread 3 | disk dm-1 | 11 21",
        "cn9 | InodeRevokeWorkerThread 3 | rpc oddMsg 10.7.7.7 | 11 21",
        "",
    ],
)
def test_contention_is_not_claimed_where_something_else_explains_it_or_the_holder_is_not_here(
    tmp_path: Path, better: str
) -> None:
    assert fires(write_case(tmp_path, REVOKE + better, aliases=WHO), "SC-05") == []


def test_contention_needs_two_dumps(tmp_path: Path) -> None:
    picture = "cn3 | A 1 | rpc tmMsgRevoke 10.0.0.9 | 11\ncn9 | InodeRevokeWorkerThread 3 | mutex Some | 11"
    assert fires(write_case(tmp_path, picture, aliases=WHO), "SC-05") == []


# --- SC-06 ------------------------------------------------------------------------------------------------------------


def many(nodes: int, waits: int, age: str, disks: int = 100) -> str:
    return "\n".join(f"n{k % nodes} | NSDThread {k} | disk dm-{k % disks} | {age}" for k in range(waits))


def test_long_waits_on_most_nodes_without_a_single_end_are_overload(tmp_path: Path) -> None:
    (finding,) = fires(write_case(tmp_path, many(6, 60, "12 22")), "SC-06")
    assert (finding.severity, finding.title) == ("medium", "6 of 6 nodes wait for I/O and network, 22.0 s on average")


@pytest.mark.parametrize(
    "picture",
    [
        many(6, 20, "12 22"),
        many(2, 60, "12 22"),
        many(6, 60, "0.2 0.3"),
        many(6, 60, "12 22") + "\n" + "\n".join(f"m{k} | A {k} | mutex Some | 0.1" for k in range(20)),
        "\n".join(f"n{k % 6} | FsyncHandlerThread {k} | cond QosIoTbtCondvar: tbtGetTokens | 12 22" for k in range(60)),
        "\n".join(f"n{k % 6} | PrefetchWorker {k} | nsd 10.0.0.2 | 12 22" for k in range(60))
        + "\nnsd2 | NSDThread 1 | disk a | 12 22",
        "\n".join(f"n{k % 6} | PrefetchWorker {k} | nsd 10.7.0.{k % 9} | 12 22" for k in range(60)),
    ],
    ids=[
        "few waits",
        "two nodes",
        "short",
        "most nodes are idle",
        "held back on purpose",
        "one end",
        "ends outside the files",
    ],
)
def test_no_overload(tmp_path: Path, picture: str) -> None:
    assert fires(write_case(tmp_path, picture, aliases=WHO), "SC-06") == []


def test_the_products_own_verdict_counts_and_the_index_does_not(tmp_path: Path) -> None:
    (finding,) = fires(write_case(tmp_path / "a", QUIET, more=(overloaded(1.0),)), "SC-06")
    assert (finding.basis, finding.title) == ("stated", "lund.lab called itself overloaded 1 time")
    index = DeadlockFact(line=9, at=NOON_US, what="overload_index", value=7.5)
    assert fires(write_case(tmp_path / "b", QUIET, more=(overloaded(0.0), index)), "SC-06") == []


# --- SC-11, SC-16, SC-21, SC-26 ---------------------------------------------------------------------------------------


def test_a_chain_that_leaves_the_files_says_what_to_collect(tmp_path: Path) -> None:
    case = write_case(tmp_path, "cn3 | BRT handler 1 | rpc tmMsgRevoke 10.1.11.51 | 28", aliases=WHO)
    (finding,) = fires(case, "SC-11")
    title = "1 wait leads to 10.1.11.51, and there is no dump from that node"
    assert (finding.severity, finding.title) == ("info", title)
    assert "mmdiag --waiters" in finding.explanation
    missing = diagnose(case.store, case).missing
    assert [(row.node, row.commands[0]) for row in missing] == [("10.1.11.51", "mmdiag --waiters")]
    assert fires(write_case(tmp_path / "b", DISK, aliases=WHO), "SC-11") == []


def test_an_acquire_alone_asks_for_the_next_dump_of_the_requester(tmp_path: Path) -> None:
    picture = (
        "cn9 | SharedHashTabFetchHandlerThread 31 | rpc tmMsgTellAcquire1 10.0.0.1 | 11 21\nmgr1 | A 2 | "
        "disk a | 0.01 0.01"
    )
    (finding,) = fires(write_case(tmp_path, picture, aliases=WHO), "SC-11")
    assert "no dump shows its holder" in finding.title
    assert "mgr1" not in finding.title + finding.verdict


def test_a_test_waiter_is_named_as_one(tmp_path: Path) -> None:
    found = findings(write_case(tmp_path, "cn3 | MMFSADMDumpCmdThread 1 | for mercy | 367.6"))
    assert found["SC-16"].severity == "info"
    assert "SC-21" not in found
    assert fires(write_case(tmp_path / "b", QUIET), "SC-16") == []


def test_a_mutex_without_a_holder(tmp_path: Path) -> None:
    threshold = DeadlockFact(line=8, node="cn3", at=NOON_US, what="threshold_short", value=90.0)
    found = findings(write_case(tmp_path / "a", "cn3 | A 1 | mutex InodeCacheObjMutex | 20 30", more=(threshold,)))
    assert found["SC-21"].severity == "high"
    assert "InodeCacheObjMutex" in found["SC-21"].title
    assert "from 90.0 s on" in found["SC-21"].explanation
    assert (
        findings(write_case(tmp_path / "b", "cn3 | A 1 | mutex Some | 2 . .\ncn3 | B 2 | disk a | 0.1 0.1 0.1")).keys()
        == set()
    )
    lasting = fires(write_case(tmp_path / "c", "cn3 | A 1 | mutex Some | . 9.5\ncn3 | B 1 | mutex Some | 3 ."), "SC-21")
    assert [finding.severity for finding in lasting] == ["low"]


def test_health_is_stated_with_what_was_checked(tmp_path: Path) -> None:
    case = write_case(tmp_path, QUIET)
    found = findings(case)
    assert list(found) == ["SC-26"]
    assert found["SC-26"].severity == "info"
    result = diagnose(case.store, case)
    assert result.verdict is not None
    assert result.verdict.title.startswith("Nothing wrong found among 4 waiters of 2 nodes")
    assert result.verdict.severity == "info"
    assert result.next_steps == ()


@pytest.mark.parametrize(
    "picture",
    [
        DISK,
        "cn3 | A 1 | cond StrangeCondvar: unheard of | 50 60",
        "cn3 | FsyncHandlerThread 1 | cond QosIoTbtCondvar: tbtGetTokens | 50 60",
        "\n".join(f"nsd2 | NSDThread {k} | disk dm-7 | 0.2" for k in range(40)),
    ],
    ids=["a slow disk", "unknown and long", "held back", "old for I/O"],
)
def test_health_is_not_claimed(tmp_path: Path, picture: str) -> None:
    assert "SC-26" not in findings(write_case(tmp_path / "a", picture, aliases=WHO))


def test_health_is_not_claimed_when_the_product_says_overloaded(tmp_path: Path) -> None:
    assert "SC-26" not in findings(write_case(tmp_path, QUIET, more=(overloaded(1.0),)))


def test_every_scale_rule_has_words_and_no_rule_speaks_without_waiters(tmp_path: Path) -> None:
    own = {ref for ref in rules() if ref.startswith("SC-")}
    assert own == {ref for ref, text in rule_texts().items() if text.product == "spectrum-scale"}
    assert findings(write_case(tmp_path)) == {}
