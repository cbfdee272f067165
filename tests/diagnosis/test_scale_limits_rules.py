"""Limits of mmfsd that are reached: where the rules fire, and that no change is offered without its gate."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.scale_texts import advice, at, found, read_case

TURN = (
    "SendWorkerThread: on ThCond 0x7F01 (SomeCondvar), reason 'waiting for exclusive use of connection for sending msg'"
)
RDMA = "NSDThread: on ThCond 0x7F02 (VERBSConnCondvar), reason 'waiting for conn rdmas < conn maxrdmas'"
AHEAD = "PrefetchWorkerThread: for NSD I/O completion on node 10.0.0.2"


def config(*rows: str) -> str:
    return at("cn3", "mmdiag --config", *rows)


def waiters(count: int, what: str, seconds: float = 12.0) -> str:
    rows = [
        f"Waiting {seconds + n / 100:.4f} sec since 10:00:01, monitored, thread {900 + n} {what}" for n in range(count)
    ]
    return at("cn3", "mmdiag --waiters", "=== mmdiag: waiters ===", *rows)


def release(number: str) -> str:
    return at("cn3", "mmlsconfig minReleaseLevel", f"minReleaseLevel {number}")


@pytest.mark.parametrize(
    ("level", "tuning", "wanted"),
    [("5.1.2.0", "workerthreads", "mmchconfig workerThreads=256 -N cn3"), ("4.2.3.0", None, None), (None, None, None)],
)
def test_all_threads_that_read_ahead_are_in_use(
    level: str | None, tuning: str | None, wanted: str | None, tmp_path: Path
) -> None:
    text = (
        waiters(24, AHEAD, 0.02) + config("prefetchThreads 24", "workerThreads 128") + (release(level) if level else "")
    )
    (finding,) = found(read_case(tmp_path, text), "SC-37")
    assert (finding.severity, finding.title.endswith("24 threads of 24")) == ("low", True)
    offered = advice(read_case(tmp_path / "again", text), "SC-37")
    assert (list(offered), [t.commands[-1] for t in offered.values()]) == (
        [tuning] if tuning else [],
        [wanted] if wanted else [],
    )


def test_an_old_release_gets_the_old_setting(tmp_path: Path) -> None:
    old = at("cn3", "mmdiag --version", "=== mmdiag: version ===", 'Current GPFS build: "4.2.3.4 ".')
    offered = advice(read_case(tmp_path, waiters(24, AHEAD, 0.02) + config("prefetchThreads 24") + old), "SC-37")
    assert offered["prefetchthreads"].commands[-1] == "mmchconfig prefetchThreads=48 -N cn3"
    assert (offered["prefetchthreads"].current, offered["prefetchthreads"].status) == ("24", "recommended")


def test_free_threads_or_a_number_that_is_not_shown_are_nothing(tmp_path: Path) -> None:
    assert found(read_case(tmp_path / "a", waiters(20, AHEAD, 0.02) + config("prefetchThreads 24")), "SC-37") == []
    assert found(read_case(tmp_path / "b", waiters(24, AHEAD, 0.02)), "SC-37") == []


def test_waits_for_a_turn_on_the_connection(tmp_path: Path) -> None:
    gated = waiters(4, TURN) + config("maxTcpConnsPerNodeConn 1") + release("5.1.2.0")
    (finding,) = found(read_case(tmp_path / "a", gated), "SC-38")
    assert (finding.severity, finding.nodes) == ("medium", ("cn3",))
    assert (
        advice(read_case(tmp_path / "b", gated), "SC-38")["maxtcpconnspernodeconn"].commands[-1]
        == "mmchconfig maxTcpConnsPerNodeConn=2"
    )
    old = advice(
        read_case(tmp_path / "old", waiters(4, TURN) + config("maxTcpConnsPerNodeConn 1") + release("5.0.5.0")), "SC-38"
    )
    assert (old["maxtcpconnspernodeconn"].status, old["maxtcpconnspernodeconn"].commands) == ("not_applicable", ())
    assert "minReleaseLevel is 5.0.5.0, and all nodes need 5.1" in old["maxtcpconnspernodeconn"].why
    for number, without in enumerate(
        (
            waiters(4, TURN) + release("5.1.2.0"),
            waiters(4, TURN) + config("maxTcpConnsPerNodeConn 2") + release("5.1.2.0"),
            waiters(4, TURN) + config("maxTcpConnsPerNodeConn 1"),
        )
    ):
        case = read_case(tmp_path / f"c{number}", without)
        assert found(case, "SC-38")
        assert advice(case, "SC-38") == {}
    assert found(read_case(tmp_path / "d", waiters(2, TURN)), "SC-38") == []


def test_waits_for_a_free_rdma_transfer(tmp_path: Path) -> None:
    case = read_case(tmp_path / "a", waiters(5, RDMA) + config("verbsRdmasPerNode 32"))
    (finding,) = found(case, "SC-38")
    assert (finding.basis, finding.severity, "threads wait for up to" in finding.harm) == ("recalled", "medium", True)
    assert advice(case, "SC-38")["verbsrdmaspernode"].commands[-1] == "mmchconfig verbsRdmasPerNode=64 -N cn3"
    assert advice(read_case(tmp_path / "b", waiters(5, RDMA)), "SC-38") == {}
