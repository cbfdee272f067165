"""Rules on disks and servers of Scale by their tables and I/O histories: where each fires and where it stays silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.scale.missing import missing
from tests.diagnosis.scale_pictures import fires, write_case
from tests.diagnosis.scale_texts import advice, at, found, history, read_case, requests

NSDS = at(
    "m1",
    "mmlsnsd -X",
    " Disk name  NSD volume ID      Device      Devtype  Node name or Class  Remarks",
    " d1   0A3C020761D4F0A8   /dev/dm-7   dmm   nsd2   server node",
    " d2   0A3C020761D4F0A9   /dev/dm-8   dmm   nsd2   server node",
)
WAITERS = at(
    "nsd2",
    "mmdiag --waiters",
    "=== mmdiag: waiters ===",
    "Waiting 62.0000 sec since 11:00:00, monitored, thread 11 NSDThread: for I/O completion on disk dm-7",
    "Waiting 0.0100 sec since 11:01:02, monitored, thread 12 NSDThread: for I/O completion on disk dm-8",
) + at(
    "cn3",
    "mmdiag --waiters",
    "=== mmdiag: waiters ===",
    "Waiting 61.0000 sec since 11:00:01, monitored, thread 21 PrefetchWorkerThread: for NSD I/O "
    "completion on node nsd2",
)
SLOW, QUICK = requests(40, 812.0, "srv dm-7"), requests(40, 3.1, "srv dm-8")


# --- SC-01 ------------------------------------------------------------------------------------------------------------


def test_the_disk_gets_its_nsd_and_the_history_of_its_server(tmp_path: Path) -> None:
    (disk,) = found(read_case(tmp_path, NSDS + WAITERS, history("nsd2", *SLOW, *QUICK)), "SC-01")
    assert "It is NSD d1." in disk.explanation
    assert "40 requests to it took 812 ms at the median, 40 requests to its other disks 3.10 ms." in disk.explanation
    assert disk.severity == "high"
    assert {figure.name: figure.value for figure in disk.figures}["Median of its requests"] == 812.0


UNNAMED = WAITERS.replace(" on disk dm-7", "").replace(" on disk dm-8", "")


def test_a_disk_that_its_waiters_do_not_name_is_named_by_the_history_alone(tmp_path: Path) -> None:
    few = requests(8, 4100.0, "srv dm-7")
    (named,) = found(read_case(tmp_path / "a", NSDS + UNNAMED, history("nsd2", *few, *QUICK)), "SC-01")
    assert (
        named.verdict
        == "Threads on 1 node wait for a disk (dm-7 by its I/O history) behind nsd2, which does not answer"
    )
    assert "It is NSD d1." in named.explanation
    for name, others in (("both slow", requests(8, 4100.0, "srv dm-9")), ("few", ())):
        slow = few if others else few[:2]
        drafts = found(read_case(tmp_path / name, NSDS + UNNAMED, history("nsd2", *slow, *others, *QUICK)), "SC-01")
        (nameless,) = (draft for draft in drafts if draft.verdict.startswith("Threads"))
        assert nameless.verdict == "Threads on 1 node wait for a disk behind nsd2, which does not answer"
        assert nameless.explanation.endswith("The waiters do not say which disk it is.")


def test_a_history_that_shows_the_disk_fast_lowers_a_finding_about_slow_answers(tmp_path: Path) -> None:
    ended = at(
        "nsd2",
        "mmdiag --waiters",
        "=== mmdiag: waiters ===",
        "Waiting 0.0100 sec since 11:02:02, monitored, thread 12 NSDThread: for I/O completion on disk dm-8",
    )
    quick = history("nsd2", *requests(40, 2.0, "srv dm-7"), *QUICK)
    (doubted,) = found(read_case(tmp_path / "a", WAITERS + ended, quick), "SC-01")
    (plain,) = found(read_case(tmp_path / "b", WAITERS + ended), "SC-01")
    assert doubted.confidence < plain.confidence
    assert (doubted.severity, plain.severity) == ("medium", "high")


def test_the_history_alone_shows_one_disk_slower_than_its_neighbours(tmp_path: Path) -> None:
    (apart,) = found(read_case(tmp_path / "apart", NSDS + history("nsd2", *SLOW, *QUICK)), "SC-01")
    assert (apart.severity, apart.basis) == ("medium", "derived")
    assert "dm-7 of nsd2 took 812 ms" in apart.title
    assert "NSD d1" in apart.explanation
    (few,) = found(read_case(tmp_path / "few", NSDS + history("nsd2", *SLOW[:5], *QUICK[:6])), "SC-01")
    assert few.severity == "medium"
    mixed = history("nsd2", *SLOW, *QUICK, *requests(1, 900.0, "srv dm-8"))
    (hint,) = found(read_case(tmp_path / "mixed", NSDS + mixed), "SC-01")
    assert (hint.severity, hint.basis) == ("low", "proposed")


def test_all_disks_of_a_server_slow_or_too_few_requests_are_no_slow_disk(tmp_path: Path) -> None:
    assert found(read_case(tmp_path / "a", history("nsd2", *SLOW, *requests(40, 700.0, "srv dm-8"))), "SC-01") == []
    assert found(read_case(tmp_path / "b", history("nsd2", *SLOW[:2], *QUICK)), "SC-01") == []


# --- SC-02 ------------------------------------------------------------------------------------------------------------

SERVER = """
    nsd2 | NSDThread 11      | disk dm-7    | 12   22
    nsd2 | NSDThread 12      | disk dm-8    | 12   22
    nsd2 | NSDThread 13      | disk dm-9    | 12   22
    cn3  | PrefetchWorker 21 | nsd 10.0.0.2 | 12   22
    cn4  | PrefetchWorker 22 | nsd 10.0.0.2 | .    13
"""


def test_many_disks_and_clients_at_one_server_make_the_server_the_finding(tmp_path: Path) -> None:
    (server,) = fires(write_case(tmp_path, SERVER, aliases={"10.0.0.2": "nsd2"}), "SC-02")
    assert (server.severity, server.causes) == ("high", ("SC-01",))
    assert server.verdict == "Threads of 2 nodes wait for NSD server nsd2, whose 3 disks are slow"


@pytest.mark.parametrize("lost", ["nsd2 | NSDThread 13", "cn4"])
def test_two_disks_or_one_client_are_not_yet_a_slow_server(tmp_path: Path, lost: str) -> None:
    picture = "\n".join(line for line in SERVER.splitlines() if lost not in line)
    assert fires(write_case(tmp_path, picture, aliases={"10.0.0.2": "nsd2"}), "SC-02") == []


def test_clients_that_see_one_server_slow_on_all_disks_give_a_hint(tmp_path: Path) -> None:
    slow = [
        *requests(20, 400.0, "cli 0A3C0207:61D4F0A8 10.0.0.2"),
        *requests(20, 500.0, "cli 0A3C0207:61D4F0A9 10.0.0.2"),
    ]
    quick = requests(40, 4.0, "cli 0A3C0207:61D4F0AA 10.0.0.3")
    (hint,) = found(read_case(tmp_path / "a", history("cn3", *slow, *quick)), "SC-02")
    assert (hint.severity, hint.basis) == ("low", "proposed")
    even = requests(40, 300.0, "cli 0A3C0207:61D4F0AA 10.0.0.3")
    assert found(read_case(tmp_path / "b", history("cn3", *slow, *even)), "SC-02") == []


# --- SC-17 ------------------------------------------------------------------------------------------------------------


def order(*rows: str) -> str:
    return at("m1", "mmlsnsd", " File system   Disk name    NSD servers", *(f" fs1   {row}" for row in rows))


def test_one_server_first_for_all_disks_with_the_waits_there(tmp_path: Path) -> None:
    case = read_case(tmp_path, order("d1 nsd2,nsd3", "d2 nsd2,nsd3", "d3 nsd2,nsd3") + WAITERS)
    (finding,) = found(case, "SC-17")
    assert finding.severity == "low"
    change = advice(case, "SC-17")["nsd-server-order"]
    assert change.commands[1] == "mmchnsd d2:nsd3,nsd2"
    assert "unmounted on all nodes" in change.persist  # the release is not shown: never online
    assert "unmounted" in change.caution


def test_with_release_5_on_all_nodes_the_order_may_change_online(tmp_path: Path) -> None:
    text = (
        order("d1 nsd2,nsd3", "d2 nsd2,nsd3", "d3 nsd2,nsd3")
        + WAITERS
        + at("m1", "mmlsconfig minReleaseLevel", "minReleaseLevel 5.1.6.0")
    )
    assert "while the file system is mounted" in advice(read_case(tmp_path, text), "SC-17")["nsd-server-order"].persist


def test_a_balanced_order_or_no_waits_is_no_finding(tmp_path: Path) -> None:
    assert (
        found(read_case(tmp_path / "a", order("d1 nsd2,nsd3", "d2 nsd3,nsd2", "d3 nsd2,nsd3") + WAITERS), "SC-17") == []
    )
    assert found(read_case(tmp_path / "b", order("d1 nsd2,nsd3", "d2 nsd2,nsd3", "d3 nsd2,nsd3")), "SC-17") == []


# --- SC-23 ------------------------------------------------------------------------------------------------------------


def threads(count: int) -> str:
    rows = [
        f"Waiting 0.5000 sec since 11:00:00, monitored, thread {n} NSDThread: for I/O completion on disk dm-{n % 4}"
        for n in range(count)
    ]
    return at("nsd2", "mmdiag --waiters", "=== mmdiag: waiters ===", *rows)


def limit(value: int) -> str:
    return at("nsd2", "mmdiag --config", f"nsdMaxWorkerThreads {value}")


def test_as_many_threads_in_io_as_allowed_on_fast_disks(tmp_path: Path) -> None:
    case = read_case(tmp_path, threads(60) + limit(64), history("nsd2", *QUICK))
    (finding,) = found(case, "SC-23")
    assert (finding.severity, finding.nodes) == ("medium", ("nsd2",))
    change = advice(case, "SC-23")["nsdmaxworkerthreads"]
    assert change.commands == ("mmchconfig nsdMaxWorkerThreads=128 -N nsd2",)
    assert (change.current, change.status) == ("64", "recommended")
    assert "Restart node by node" in change.persist


def test_slow_disks_free_threads_or_an_unknown_limit_are_no_shortage_of_threads(tmp_path: Path) -> None:
    assert (
        found(
            read_case(tmp_path / "a", threads(60) + limit(64), history("nsd2", *requests(40, 90.0, "srv dm-1"))),
            "SC-23",
        )
        == []
    )
    assert found(read_case(tmp_path / "b", threads(30) + limit(64), history("nsd2", *QUICK)), "SC-23") == []
    assert found(read_case(tmp_path / "c", threads(60), history("nsd2", *QUICK)), "SC-23") == []


# --- SC-27 ------------------------------------------------------------------------------------------------------------


def disks(*rows: str, command: str = "mmlsdisk fs1") -> str:
    head = "name         type       size       group metadata data  status        availability pool"
    return at(
        "m1",
        command,
        "disk         driver   sector     failure holds    holds                            storage",
        head,
        *rows,
    )


def copies(metadata: int, data: int) -> str:
    return at(
        "m1",
        "mmlsfs fs1",
        "flag                value                    description",
        f" -m                 {metadata}                        Default number of metadata replicas",
        f" -r                 {data}                        Default number of data replicas",
    )


DOWN = "d1 nsd 512 1 Yes Yes ready down system"


@pytest.mark.parametrize(
    ("more", "severity"), [(copies(1, 1), "critical"), (copies(2, 2), "high"), (copies(2, 1), "critical"), ("", "high")]
)
def test_a_disk_that_is_down_is_worse_without_a_second_copy(tmp_path: Path, more: str, severity: str) -> None:
    (finding,) = found(read_case(tmp_path, disks(DOWN, "d2 nsd 512 2 Yes Yes ready up system") + more), "SC-27")
    assert finding.severity == severity
    assert "d1 is down (status: ready)" in finding.explanation
    assert "d2" not in finding.title


def test_a_suspended_disk_is_a_note_and_a_later_table_decides(tmp_path: Path) -> None:
    (note,) = found(read_case(tmp_path / "a", disks("d1 nsd 512 1 Yes Yes suspended up system")), "SC-27")
    assert note.severity == "low"
    assert found(read_case(tmp_path / "b", disks(DOWN) + disks("d1 nsd 512 1 Yes Yes ready up system")), "SC-27") == []


def test_a_disk_without_an_active_server(tmp_path: Path) -> None:
    states = at(
        "m1",
        "mmgetstate -a",
        " Node number  Node name  GPFS state",
        " 1 nsd2 down",
        " 2 nsd3 unknown",
        " 3 nsd4 active",
    )
    (finding,) = found(read_case(tmp_path / "a", order("d1 nsd2,nsd3", "d2 nsd2,nsd4") + states), "SC-27")
    assert finding.title == "No server of d1 is active"
    assert found(read_case(tmp_path / "b", order("d2 nsd2,nsd4") + states), "SC-27") == []


# --- SC-25, SC-31 -----------------------------------------------------------------------------------------------------


def df(
    *,
    data: str = "20971520 14680064 ( 70%)",
    metadata: str = "2097152 1943710 ( 92%)",
    used: int = 4108,
    most: int = 107520,
) -> str:
    return at(
        "m1",
        "mmdf fs1",
        f"(data)     {data}   2832 ( 0%)",
        f"(metadata) {metadata}   22512 ( 1%)",
        "Inode Information",
        f"Number of used inodes:  {used}",
        f"Maximum number of inodes:  {most}",
    )


def test_little_room_for_data(tmp_path: Path) -> None:
    (finding,) = found(read_case(tmp_path / "a", df(data="20971520 419430 (  2%)")), "SC-25")
    assert (finding.severity, finding.title) == ("low", "File system fs1: room for data is 98 % full")
    (full,) = found(read_case(tmp_path / "d", df(data="20971520 1024 (  0%)")), "SC-25")
    assert (full.severity, full.harm) == ("high", "hardly a block is free, so that writes fail or soon will")
    (waited,) = found(read_case(tmp_path / "b", df(data="20971520 419430 (  2%)") + WAITERS), "SC-25")
    assert waited.severity == "medium"
    assert found(read_case(tmp_path / "c", df()), "SC-25") == []


def test_few_inodes_and_full_metadata(tmp_path: Path) -> None:
    (inodes,) = found(read_case(tmp_path / "a", df(used=104508)), "SC-31")
    assert (inodes.severity, inodes.title) == ("low", "File system fs1 has 3\u2009012 of 107\u2009520 inodes left")
    (none,) = found(read_case(tmp_path / "d", df(used=107520)), "SC-31")
    assert (none.severity, none.harm) == ("high", "no inode is left, so that no file can be made")
    (metadata,) = found(read_case(tmp_path / "b", df(metadata="2097152 94371 (  5%)")), "SC-31")
    assert metadata.title == "Room for metadata of file system fs1 is 96 % full"
    assert found(read_case(tmp_path / "c", df()), "SC-31") == []


def test_full_metadata_where_data_is_full_too_is_a_matter_of_capacity(tmp_path: Path) -> None:
    full = read_case(tmp_path, df(data="20971520 419430 (  2%)", metadata="2097152 94371 (  5%)"))
    assert found(full, "SC-31") == []
    assert found(full, "SC-25")


def test_a_fileset_at_its_limit(tmp_path: Path) -> None:
    head = "Name Id RootInode ParentId Created InodeSpace MaxInodes AllocInodes UsedInodes Comment"
    rows = (
        "jobs 1 131075 0 Fri Sep  5 00:14:34 2031 1 20000 20000 19900",
        "home 2 131079 0 Fri Sep  5 00:14:34 2031 2 20000 20000 100",
    )
    (finding,) = found(
        read_case(tmp_path, at("m1", "mmlsfileset fs1 -L -i", "Filesets in file system 'fs1':", head, *rows)), "SC-31"
    )
    assert "Fileset jobs of file system fs1 has 100 of 20\u2009000 inodes left" in finding.title


# --- what the next bundle must hold -----------------------------------------------------------------------------------


def test_a_device_without_its_name_and_a_server_without_its_history_are_requested(tmp_path: Path) -> None:
    alone = (
        "\n".join(line for line in WAITERS.splitlines() if "dm-8" not in line) + "\n"
    )  # no other disk to compare with
    bare = read_case(tmp_path / "a", alone)
    assert [(row.node, row.commands) for row in missing(bare, ())] == [
        ("nsd2", ("mmlsnsd -X",)),
        ("nsd2", ("mmdiag --iohist",)),
    ]
    assert not list(missing(read_case(tmp_path / "b", NSDS + WAITERS, history("nsd2", *SLOW, *QUICK)), ()))
