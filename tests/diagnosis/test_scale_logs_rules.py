"""The Scale rules on logs, connections and hosts: where each fires, with its figures, and where it stays silent."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.findings.tunings import tunings_for
from apps.diagnosis.engine.core.model import Finding
from apps.diagnosis.engine.diagnose import diagnose
from parsers.formats.scale.network import carries
from parsers.records import Counter, Event, Record, Setting
from parsers.records.states import Connection, DiskPath, LinkStanding, Manager
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.diagnosis.scale_pictures import NOON_US, fires, write_case
from tests.reports import bundle, text_on

WHO = {"10.0.0.1": "mgr1", "10.0.0.2": "nsd2", "10.0.0.3": "cn3", "10.0.0.9": "cn9"}
SILENT = """
    cn3 | A 1 | rpc nsdMsgReadExt 10.0.0.2 | 28 38
    cn9 | A 2 | rpc nsdMsgReadExt 10.0.0.2 | 28 38
    nsd2 | B 3 | disk dm-1 | 0.01 0.02
"""
PAIR = """
    cn3 | A 1 | rpc tmMsgRevoke 10.0.0.9 | 28 38
    cn9 | B 3 | disk dm-1 | 0.01 0.02
    mgr1 | B 4 | disk dm-1 | 0.01 0.02
"""
DISK = """
    nsd2 | NSDThread 11      | disk dm-7    | 12  22  32
    cn3  | PrefetchWorker 21 | nsd 10.0.0.2 | 12  22  32
    cn4  | PrefetchWorker 22 | nsd 10.0.0.2 | .   13  23
"""
QUIET = "nsd2 | NSDThread 11 | disk dm-7 | 0.01 0.02\n"


def event(
    kind: str,
    *,
    node: str | None = None,
    about: str | None = None,
    after_s: float = 0,
    value: float | None = None,
    line: int = 50,
    source: str = "mmfs.log",
    text: str = "",
) -> Event:
    return Event(
        line=line,
        node=node,
        at=NOON_US + round(after_s * 1e6),
        source=source,
        kind=kind,
        about=about,
        value=value,
        text=text or kind,
    )


def link(node: str, peer: str, state: str, *, line: int = 60) -> Connection:
    standing: LinkStanding = "up" if carries(state) else "down"
    return Connection(line=line, node=node, at=NOON_US, peer=peer, link="tcp", state=state, standing=standing)


def found(tmp_path: Path, ref: str, picture: str = "", *more: Record) -> list[Finding]:
    return fires(write_case(tmp_path, *([picture] if picture else ["\n"]), aliases=WHO, more=more), ref)


# --- SC-03, SC-28 -----------------------------------------------------------------------------------------------------


def test_a_node_that_does_not_answer_over_a_broken_connection(tmp_path: Path) -> None:
    more = (link("cn3", "nsd2", "broken err 733"), event("connection-closed", node="cn9", about="nsd2"))
    (finding,) = found(tmp_path, "SC-03", SILENT, *more)
    assert (finding.severity, finding.basis) == ("high", "derived")
    assert finding.verdict == "Threads of cn3 and cn9 wait up to 38.0 s for nsd2, whose connection breaks"
    assert [figure.value for figure in finding.figures] == [2, 38.0, 2]


def test_without_a_sign_of_the_connection_it_is_less_sure(tmp_path: Path) -> None:
    (finding,) = found(tmp_path, "SC-03", SILENT)
    assert (finding.severity, finding.basis) == ("medium", "inferred")
    assert finding.confidence < 0.5


@pytest.mark.parametrize(
    "picture",
    [
        SILENT.replace("0.01 0.02", "29 39"),
        (
            "cn3 | SharedHashTabFetchHandlerThread 1 | rpc tmMsgTellAcquire1 10.0.0.2 | 28 38\nnsd2 | B 3 | "
            "disk dm-1 | 0.01 0.02"
        ),
        "cn3 | A 1 | rpc nsdMsgReadExt 10.7.7.7 | 28 38",
        QUIET,
    ],
    ids=["the server waits for a disk", "an acquire alone", "no dump of the node", "nothing waits"],
)
def test_no_network_peer(tmp_path: Path, picture: str) -> None:
    assert found(tmp_path, "SC-03", picture) == []


def test_a_node_without_a_dump_counts_when_its_connections_are_broken(tmp_path: Path) -> None:
    picture = "cn3 | A 1 | rpc nsdMsgReadExt nsd8 | 28 38\ncn4 | A 1 | rpc nsdMsgReadExt nsd8 | 28 38"
    (finding,) = found(
        tmp_path, "SC-03", picture, link("cn3", "nsd8", "broken"), link("cn4", "nsd8", "broken", line=61)
    )
    assert finding.severity == "high"


def test_one_pair_that_fails_while_the_other_connections_work(tmp_path: Path) -> None:
    more = (link("cn3", "cn9", "broken"), link("cn3", "mgr1", "connected", line=61))
    (finding,) = found(tmp_path / "a", "SC-28", PAIR, *more)
    assert (finding.severity, finding.nodes) == ("high", ("cn3", "cn9"))
    assert found(tmp_path / "b", "SC-03", PAIR, *more) == []
    (hint,) = found(tmp_path / "c", "SC-28", PAIR)
    assert (hint.severity, hint.verdict) == ("low", "")
    assert hint.confidence <= 0.2


@pytest.mark.parametrize(
    "also", ["mgr1 | A 9 | rpc tmMsgRevoke 10.0.0.9 | 28 38", "cn9 | Msg handler tmMsgRevoke 9 | disk dm-3 | 28 38"]
)
def test_no_blocked_pair_where_others_wait_too_or_the_handler_is_there(tmp_path: Path, also: str) -> None:
    assert found(tmp_path, "SC-28", PAIR + also) == []


# --- SC-08, SC-32 -----------------------------------------------------------------------------------------------------

VERBS = "cn3 | VerbsDeleteConnThread 1 | for verbsPutCT calling ibv_destroy_qp | 90000 90010"
ERRORS = tuple(event("rdma-closed", node="cn3", about="nsd2", value=733, line=50 + k) for k in range(3))


def test_waits_for_rdma_and_errors_of_it(tmp_path: Path) -> None:
    (finding,) = found(tmp_path / "a", "SC-08", VERBS, *ERRORS)
    assert (finding.severity, finding.basis) == ("high", "derived")
    assert "3 RDMA errors" in finding.explanation
    (only,) = found(tmp_path / "b", "SC-08", QUIET, *ERRORS)
    assert (only.severity, only.title) == ("medium", "3 RDMA errors in the log, with nsd2")
    (hanging,) = found(tmp_path / "c", "SC-08", "cn3 | PrefetchWorker 21 | nsd 10.0.0.2 | 28 38", *ERRORS)
    assert hanging.severity == "high"


def test_no_rdma_finding_over_tcp_or_for_single_errors(tmp_path: Path) -> None:
    off = Setting(line=70, node="cn3", name="verbsRdma", value="disable")
    assert found(tmp_path / "a", "SC-08", VERBS, *ERRORS, off) == []
    assert found(tmp_path / "b", "SC-08", QUIET, *ERRORS[:2]) == []
    plain = tuple(replace(error, value=None) for error in ERRORS)
    assert found(tmp_path / "c", "SC-08", QUIET, *plain) == []


def pauses(value: float, line: int) -> Counter:
    return Counter(
        line=line, node="cn3", scope="ens1", source="ethtool -S", name="rx_prio3_pause", kind="cumulative", value=value
    )


def test_pauses_that_rise_beside_rdma_trouble(tmp_path: Path) -> None:
    (finding,) = found(tmp_path / "a", "SC-32", VERBS, *ERRORS, pauses(10, 80), pauses(900, 81))
    assert finding.severity == "high"
    (hint,) = found(tmp_path / "b", "SC-32", VERBS, *ERRORS, pauses(10, 80))
    assert (hint.severity, hint.verdict) == ("low", "")
    assert hint.confidence <= 0.2
    assert found(tmp_path / "c", "SC-32", QUIET, pauses(10, 80), pauses(900, 81)) == []
    assert found(tmp_path / "d", "SC-32", VERBS, pauses(0, 80)) == []


# --- SC-09 ------------------------------------------------------------------------------------------------------------

PIT = "mgr1 | PitMainThread 1 | cond PitCondvar: Waiting until pit work is complete | 500 510"


def test_maintenance_alone(tmp_path: Path) -> None:
    (finding,) = found(tmp_path / "a", "SC-09", PIT)
    assert (finding.severity, finding.nodes) == ("info", ("mgr1",))
    assert found(tmp_path / "b", "SC-09", PIT + "\n" + DISK) == []
    assert found(tmp_path / "c", "SC-09", PIT.replace("500 510", "5 15")) == []
    assert found(tmp_path / "d", "SC-09", QUIET) == []


# --- SC-15, SC-22, SC-35 ----------------------------------------------------------------------------------------------

LONG = event("long-waiter", node="cn3", about="thread 5214", value=902.4, text="long")


def test_a_long_waiter_of_the_log_with_and_without_its_end(tmp_path: Path) -> None:
    other = event("long-waiter", node="cn3", about="thread 99", value=400, line=52)
    end = event("long-waiter-ended", about="thread 5214", value=1322, line=55, after_s=60)
    (finding,) = found(tmp_path / "a", "SC-15", "", LONG, other, end)
    assert finding.severity == "medium"
    assert finding.title == "The log reports 2 unexpected long waiters; 1 never cleared, the longest 22 m 02 s"
    (gone,) = found(tmp_path / "b", "SC-15", "", LONG, end)
    assert (gone.severity, gone.verdict) == (
        "low",
        "A wait of 22 m 02 s on cn3 ended by itself; nobody waits now",
    )
    (short,) = found(tmp_path / "e", "SC-15", "", replace(LONG, value=200), replace(end, value=220))
    assert short.severity == "info"
    (newest_first,) = found(tmp_path / "f", "SC-15", "", replace(end, line=40), LONG)
    assert newest_first.severity == "low"
    earlier = event("long-waiter-ended", about="thread 5214", value=1322, line=55, after_s=-60)
    (again,) = found(tmp_path / "c", "SC-15", "", earlier, LONG)
    assert again.severity == "medium"
    assert found(tmp_path / "d", "SC-15", "", end) == []


def test_membership(tmp_path: Path) -> None:
    expel = event("expel", node="mgr1", about="cn3", line=51)
    (finding,) = found(tmp_path / "a", "SC-22", QUIET, expel, event("lease-lost", node="cn3", line=52))
    assert (finding.severity, finding.tunings) == ("high", ())
    assert finding.verdict == "Nodes left the cluster (cn3); expel and loss of the lease"
    tcp = (
        event("tcp-trouble", node="mgr1", about="cn3", line=40),
        event("tcp-trouble", node="mgr1", about="cn9", line=41),
    )
    (after,) = found(tmp_path / "e", "SC-22", QUIET, *tcp, expel)
    assert after.verdict == "Nodes left the cluster (cn3), after trouble of TCP with cn3; expel"
    (takeover,) = found(tmp_path / "b", "SC-22", QUIET, event("manager-takeover", node="mgr1", about="mgr1"))
    assert takeover.severity == "medium"
    closed = tuple(event("connection-closed", node="cn3", about="cn9", line=50 + k) for k in range(4))
    (breaks,) = found(tmp_path / "c", "SC-22", QUIET, *closed)
    assert (breaks.severity, breaks.verdict) == ("low", "")
    assert (
        found(tmp_path / "d", "SC-22", QUIET, *closed[:3], event("connected", node="cn3", about="cn9", line=70)) == []
    )


def states(folder: Path, **nodes: str) -> list[tuple[str, str]]:
    rows = "".join(f"       {k}      {node}          {state}\n" for k, (node, state) in enumerate(nodes.items(), 1))
    text = f" Node number  Node name        GPFS state\n-------------------------------------------\n{rows}"
    return [(one.severity, one.verdict) for one in diagnosis_of(folder, text).findings if one.ref == "SC-22"]


def test_without_quorum_the_first_step_is_on_the_quorum_nodes(tmp_path: Path) -> None:
    text = (
        " Node number  Node name        GPFS state\n-------------------------------------------\n"
        "       1      io1          arbitrating\n       2      io2          down\n"
        "Waiting 431.2211 sec since 06:00:12, monitored, thread 22114 FsckWorker: on ThCond 0x1 (C), reason 'odd'\n"
    )
    (first, *_) = diagnosis_of(tmp_path, text).next_steps
    assert "io1 and io2" in first.why
    assert first.commands[0] == "mmgetstate -aL"


def test_nodes_that_are_not_active_are_reported_by_their_state(tmp_path: Path) -> None:
    assert states(tmp_path / "a", io1="active", io2="down") == [
        ("medium", "GPFS is not active everywhere: io2 is down")
    ]
    (arbitrating,) = states(tmp_path / "b", io1="arbitrating", io2="down")
    assert arbitrating == (
        "critical",
        "GPFS has no quorum, no file system is mounted; io1 is arbitrating; io2 is down",
    )
    assert states(tmp_path / "e", io1="arbitrating", io2="active") == [
        ("high", "GPFS is not active everywhere: io1 is arbitrating")
    ]
    assert states(tmp_path / "c", io1="active", io2="active") == []
    assert states(tmp_path / "d", io1="down", io2="down") == [
        ("high", "GPFS is active on no node: io1 and io2 are down")
    ]


def test_a_longer_ping_limit_is_offered_only_when_the_kernel_log_shows_no_other_cause(tmp_path: Path) -> None:
    expels = tuple(event("expel", node="mgr1", about="cn3", line=50 + k) for k in range(2))
    closed = tuple(event("connection-closed", node="mgr1", about="cn3", line=60 + k) for k in range(4))
    kernel = event("dlm-connecting", source="kernel", line=80)
    case = write_case(tmp_path / "a", QUIET, aliases=WHO, more=(*expels, *closed, kernel))
    (finding,) = fires(case, "SC-22")
    assert finding.tunings == ("minmissedpingtimeout",)
    (tuning,) = tunings_for(case, [finding])
    assert (tuning.recommended, tuning.basis) == ("60", "recalled")
    assert "quorum" in tuning.caution
    assert "failureDetectionTime" not in " ".join(tuning.commands)
    hung = event("hung-task", source="kernel", node="cn3", line=81)
    for folder, more, why in (
        ("b", (), "the kernel's logs are not in these files"),
        ("c", (kernel, hung), "a host starves"),
    ):
        other = write_case(tmp_path / folder, QUIET, aliases=WHO, more=(*expels, *closed, *more))
        (unfit,) = tunings_for(other, fires(other, "SC-22"))
        assert (unfit.status, unfit.commands, f"Not applicable here: {why}" in unfit.why) == (
            "not_applicable",
            (),
            True,
        )
    assert found(tmp_path / "d", "SC-22", QUIET, expels[0], *closed, kernel)[0].tunings == ()


def test_how_long_recovery_waits_is_shown_and_never_offered_lower(tmp_path: Path) -> None:
    lost = event("expel", node="mgr1", about="cn3", line=50)
    wait = Setting(line=70, node="mgr1", source="mmlsconfig", name="leaseRecoveryWait", value="10")
    case = write_case(tmp_path, QUIET, aliases=WHO, more=(lost, wait))
    (tuning,) = tunings_for(case, fires(case, "SC-22"))
    assert (tuning.id, tuning.status, tuning.commands, tuning.current) == (
        "leaserecoverywait",
        "not_applicable",
        (),
        "10",
    )
    assert "late writes of an expelled node" in tuning.why


def test_slow_lookups_while_nothing_waits(tmp_path: Path) -> None:
    lookups = tuple(event("name-lookup-failed", node="ces1", line=50 + k) for k in range(3))
    (finding,) = found(tmp_path / "a", "SC-35", QUIET, *lookups)
    assert finding.severity == "medium"
    (hint,) = found(tmp_path / "b", "SC-35", QUIET, lookups[0])
    assert (hint.severity, hint.confidence <= 0.2) == ("low", True)
    assert found(tmp_path / "c", "SC-35", DISK, *lookups) == []


# --- SC-24, SC-34 -----------------------------------------------------------------------------------------------------

MOUNTS = """
    cn3  | Mount handler 1              | rpc sgmMsgSGMount 10.0.0.1 | 28 38
    cn4  | Mount handler 2              | rpc sgmMsgSGMount 10.0.0.1 | 27 37
    cn5  | Mount handler 3              | rpc sgmMsgSGMount 10.0.0.1 | 26 36
    mgr1 | Msg handler sgmMsgSGMount 4  | mutex SGMgmtMutex          | 29 39
"""


def as_category_4(picture: str) -> str:
    return (
        picture.replace("Mount handler ", "QuotaThread ")
        .replace("sgmMsgSGMount", "quotaMsgRequestShare")
        .replace("Msg handler quota", "Msg handler quota")
    )


def test_a_busy_manager(tmp_path: Path) -> None:
    (finding,) = found(
        tmp_path / "a",
        "SC-24",
        as_category_4(MOUNTS),
        Manager(line=70, role="file system manager", of="fs1", manager="mgr1"),
    )
    assert finding.severity == "medium"
    assert finding.verdict == "mgr1 is busy as manager: 3 waits on 3 nodes, the longest 38.0 s"
    assert found(tmp_path / "b", "SC-24", as_category_4(MOUNTS).replace("mutex SGMgmtMutex", "disk dm-1")) == []
    assert found(tmp_path / "c", "SC-24", MOUNTS.replace("sgmMsgSGMount", "tmMsgRevoke")) == []


def test_a_chain_into_another_cluster(tmp_path: Path) -> None:
    (finding,) = found(tmp_path / "a", "SC-34", "cn3 | A 1 | rpc nsdMsgReadExt c1n4 | 28 38")
    assert (finding.severity, finding.title) == ("info", "The chain goes on in another cluster: 1 wait for c1n4")
    assert found(tmp_path / "b", "SC-34", "cn3 | A 1 | rpc nsdMsgReadExt c0n4 | 28 38") == []
    assert found(tmp_path / "c", "SC-34", DISK) == []


# --- SC-29, SC-30, SC-36 ----------------------------------------------------------------------------------------------


def mtu(node: str, value: str, line: int) -> Setting:
    return Setting(line=line, node=node, scope="bond0", source="ip -s link", name="mtu", value=value)


def test_unequal_mtu(tmp_path: Path) -> None:
    rows = (mtu("cn3", "1500", 70), mtu("nsd2", "9000", 71), mtu("cn9", "9000", 72))
    (finding,) = found(tmp_path / "a", "SC-29", SILENT, *rows)
    assert (finding.severity, finding.nodes) == ("high", ("cn3",))
    (hint,) = found(tmp_path / "b", "SC-29", QUIET, *rows)
    assert (hint.severity, hint.verdict) == ("low", "")
    assert found(tmp_path / "c", "SC-29", SILENT, *rows[1:], mtu("cn3", "9000", 73)) == []
    assert found(tmp_path / "d", "SC-29", SILENT, *rows[:2]) == []


def test_a_link_that_stays_down(tmp_path: Path) -> None:
    down = event("link-down", node="nsd2", about="ens1", source="kernel", after_s=-60)
    (finding,) = found(tmp_path / "a", "SC-29", SILENT, down)
    assert (finding.severity, "ens1 of nsd2 went down" in finding.title) == ("high", True)
    assert (
        found(
            tmp_path / "b", "SC-29", SILENT, down, event("link-up", node="nsd2", about="ens1", source="kernel", line=51)
        )
        == []
    )
    assert found(tmp_path / "c", "SC-29", SILENT, replace(down, node="mgr1")) == []
    assert found(tmp_path / "d", "SC-29", QUIET, down) == []


def retrans(peer: str, value: float, line: int) -> Counter:
    return Counter(
        line=line, node="cn3", scope=peer, source="mmdiag --network", name="retrans", kind="gauge", value=value
    )


def test_one_path_that_loses_segments(tmp_path: Path) -> None:
    rows = (retrans("nsd2", 52_000, 70), retrans("mgr1", 12, 71), retrans("cn9", 40, 72))
    (finding,) = found(tmp_path / "a", "SC-29", SILENT, *rows)
    assert (
        finding.title == "The connection of cn3 to nsd2 sends again what was lost: 52\u2009000 segments, its others 40"
    )
    assert found(tmp_path / "b", "SC-29", SILENT, retrans("nsd2", 60, 70), *rows[1:]) == []
    assert found(tmp_path / "c", "SC-29", SILENT, retrans("mgr1", 52_000, 70), retrans("nsd2", 12, 71), rows[2]) == []


def test_a_starved_host_at_the_end_of_the_chains(tmp_path: Path) -> None:
    hung = event("hung-task", node="nsd2", about="mmfsd:811", value=120, source="kernel", after_s=5)
    (finding,) = found(tmp_path / "a", "SC-30", SILENT, hung)
    assert (finding.severity, finding.verdict) == (
        "high",
        "Nodes wait up to 38.0 s for nsd2, whose host starves (hung task)",
    )
    assert found(tmp_path / "b", "SC-30", SILENT, replace(hung, node="cn77")) == []
    assert found(tmp_path / "c", "SC-30", SILENT, replace(hung, at=NOON_US - 86_400_000_000)) == []
    assert found(tmp_path / "d", "SC-30", QUIET, hung) == []
    swap = Counter(line=70, node="nsd2", source="sar -W", name="pswpout/s", kind="gauge", value=812.0, at=NOON_US)
    (sample,) = found(tmp_path / "e", "SC-30", SILENT, swap)
    assert sample.severity == "low"
    (lost,) = found(tmp_path / "f", "SC-30", QUIET, hung, event("expel", node="mgr1", about="nsd2", line=51))
    assert (lost.severity, lost.verdict) == ("high", "nsd2 left the cluster while its host starved (hung task)")


def test_a_failed_path_below_the_disk_is_the_cause(tmp_path: Path) -> None:
    failed = event("io-error", node="nsd2", about="dm-7", source="kernel", after_s=-30)
    case = write_case(tmp_path / "a", DISK, aliases=WHO, more=(failed,))
    result = diagnose(case.store, case)
    assert [f.ref for f in result.findings][:2] == ["SC-36", "SC-01"]
    assert result.verdict is not None
    assert result.verdict.title == "Disk dm-7 behind nsd2 has a failing path; threads on 3 nodes wait"
    (other,) = found(tmp_path / "b", "SC-36", DISK, replace(failed, about="sdq"))
    assert (other.severity, other.verdict) == ("medium", "")
    assert found(tmp_path / "c", "SC-36", DISK, replace(failed, node="cn3")) == []
    assert found(tmp_path / "d", "SC-36", QUIET, failed) == []


def test_a_map_of_multipath_is_the_disk_by_its_device(tmp_path: Path) -> None:
    more = (
        DiskPath(line=70, node="nsd2", map="mpathb", device="sdf", state="failed faulty offline", standing="down"),
        Setting(line=69, node="nsd2", scope="mpathb", source="multipath -ll", name="dm", value="dm-7"),
    )
    (finding,) = found(tmp_path / "a", "SC-36", DISK, *more)
    assert (finding.severity, "bad path" in finding.title) == ("high", True)
    good = replace(more[0], state="active ready running", standing="up")
    assert found(tmp_path / "b", "SC-36", DISK, good, more[1]) == []


def test_health_is_not_claimed_beside_an_expel(tmp_path: Path) -> None:
    assert found(tmp_path / "a", "SC-26", QUIET) != []
    assert found(tmp_path / "b", "SC-26", QUIET, event("expel", node="mgr1", about="cn3")) == []


WAIT = "Waiting {age:.4f} sec since 02:44:20, {watched}, thread 66301 {thread}: {reason}\n"


@pytest.mark.parametrize(
    ("thread", "reason", "watched", "age", "severity"),
    [
        ("OwlWorkerThread", "on ThCond 0x1803C1D0A8 (OwlCondvar), reason 'wait for an owl'", "monitored", 4210, "high"),
        ("OwlWorkerThread", "on ThCond 0x1803C1D0A8 (OwlCondvar), reason 'wait for an owl'", "monitored", 42, "low"),
        ("OwlWorkerThread", "on ThCond 0x1803C1D0A8 (OwlCondvar), reason 'wait for an owl'", "monitored", 9, ""),
        ("OwlWorkerThread", "on ThCond 0x1803C1D0A8 (OwlCondvar), reason 'wait for an owl'", "NOT monitored", 4210, ""),
        ("RebuildWorkThread", "for I/O completion", "monitored", 712, "high"),
        ("RebuildWorkThread", "for I/O completion", "monitored", 72, "medium"),
        ("RebuildWorkThread", "for I/O completion", "monitored", 42, ""),
    ],
)
def test_sc_39_a_wait_beyond_the_limit_is_high_whatever_its_reason(
    tmp_path: Path, thread: str, reason: str, watched: str, age: float, severity: str
) -> None:
    text = "=== mmdiag: waiters ===\n" + WAIT.format(thread=thread, reason=reason, watched=watched, age=age)
    report = json.loads(text_on(bundle(text.encode(), "owl1.txt")))
    found = [finding["severity"] for finding in report["findings"] if finding["ref"] == "SC-39"]
    assert found == ([severity] if severity else [])
    assert not found or "SC-26" not in {finding["ref"] for finding in report["findings"]}, "healthy beside harm"
    assert not severity or any("mmdiag --waiters" in step["commands"] for step in report["next_steps"])


def test_managers_that_a_start_brings_are_everyday() -> None:
    start = "2031-06-03_22:48:10.207+0200: [I] mmfsd initializing. {Version: 5.1.9.2   Built: Feb  1 2031} ...\n"
    role = "2031-06-03_22:48:{:02}.207+0200: [N] This node (10.9.8.7 (owl3)) is now Cluster Manager for wood.lan.\n"
    for text, refs in ((start + role.format(20), []), (role.format(20), ["SC-22"])):
        report = json.loads(text_on(bundle(text.encode(), "mmfs.log")))
        assert [finding["ref"] for finding in report["findings"] if finding["ref"] == "SC-22"] == refs
