"""Rules on settings and writes of Scale: where each fires and where it stays silent, and what is advised behind which
gate.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.words.knowledge import tuning_texts
from tests.diagnosis.scale_pictures import fires, write_case
from tests.diagnosis.scale_texts import advice, at, found, history, read_case, requests


def version(number: str, node: str = "cn3") -> str:
    return at(node, "mmdiag --version", f'Current GPFS build: "{number} ".')


def config(*rows: str, node: str = "cn3") -> str:
    return at(node, "mmdiag --config", *rows)


def small(
    count: int = 6, milliseconds: float = 0.9, *, sectors: int = 64, node: str = "cn3", tail: str = "41207 7"
) -> str:
    where = f"cli 0A3C0207:61D4F0A8 10.0.0.2 {tail} MBHandler AioWorkerThread"
    return history(node, *requests(count, milliseconds, where, op="W", sectors=sectors))


# --- SC-12 ------------------------------------------------------------------------------------------------------------


def test_small_direct_writes_are_advised_to_be_batched_from_5_0_4_2_on(tmp_path: Path) -> None:
    case = read_case(tmp_path, small() + version("5.0.4.2") + config("# dioSmallSeqWriteBatching 0"))
    (finding,) = found(case, "SC-12")
    assert (finding.severity, finding.nodes) == ("medium", ("cn3",))
    assert "32 KiB" in finding.title
    assert "0.90 ms" in finding.explanation
    change = advice(case, "SC-12")["diosmallseqwritebatching"]
    assert change.commands == ("mmchconfig dioSmallSeqWriteBatching=yes -i -N cn3",)
    assert (change.since, change.current, change.status) == ("5.0.4.2", "0", "recommended")


def test_an_older_release_gets_no_advice(tmp_path: Path) -> None:
    case = read_case(tmp_path, small() + version("5.0.4.1"))
    (finding,) = found(case, "SC-12")
    assert finding.severity == "info"
    change = advice(case, "SC-12")["diosmallseqwritebatching"]
    assert (change.status, change.commands) == ("not_applicable", ())
    assert "Not applicable here: the node runs 5.0.4.1, and it came with 5.0.4.2." in change.why


def test_without_a_release_the_finding_says_so_and_is_less_sure(tmp_path: Path) -> None:
    (unknown,) = found(read_case(tmp_path / "a", small()), "SC-12")
    (known,) = found(read_case(tmp_path / "b", small() + version("5.1.8.1")), "SC-12")
    assert "mmdiag --version tells" in unknown.explanation
    assert unknown.confidence < known.confidence


def test_where_it_is_on_it_was_mended_and_on_another_node_it_still_lacks(tmp_path: Path) -> None:
    (over,) = found(read_case(tmp_path / "a", small() + config("# dioSmallSeqWriteBatching 1")), "SC-12")
    assert over.severity == "info"
    case = read_case(tmp_path / "b", small() + config("# dioSmallSeqWriteBatching 1", node="cn9"))
    assert found(case, "SC-12")[0].severity == "medium"
    assert advice(case, "SC-12")["diosmallseqwritebatching"].status == "recommended"
    (cluster,) = found(
        read_case(tmp_path / "c", small() + at("m1", "mmlsconfig", "dioSmallSeqWriteBatching yes")), "SC-12"
    )
    assert cluster.severity == "info"


def test_writes_above_the_threshold_need_it_raised_too(tmp_path: Path) -> None:
    case = read_case(tmp_path, small(sectors=256) + version("5.1.8.1"))
    changes = advice(case, "SC-12")
    assert changes["diosmallseqwritethreshold"].commands == ("mmchconfig dioSmallSeqWriteThreshold=262144",)


READ_AHEAD = "cli 0A3C0207:61D4F0A8 10.0.0.2 41207 7 Prefetch PrefetchWorkerThread"


@pytest.mark.parametrize(
    "text",
    [small(2), small(6, 40.0), small(sectors=2048), history("cn3", *requests(6, 0.9, READ_AHEAD))],
    ids=["two writes", "a slow disk", "whole blocks", "read ahead"],
)
def test_other_requests_are_no_small_direct_writes(tmp_path: Path, text: str) -> None:
    assert found(read_case(tmp_path, text), "SC-12") == []


# --- SC-07 ------------------------------------------------------------------------------------------------------------

THROTTLED = at(
    "cn3",
    "mmdiag --waiters",
    "=== mmdiag: waiters ===",
    "Waiting 12.0000 sec since 11:00:00, monitored, thread 11 FsyncHandlerThread: on ThCond 0x7F00AA "
    "(QosIoTbtCondvar), reason 'tbtGetTokens'",
)


def test_throttled_io_is_named_as_that(tmp_path: Path) -> None:
    case = read_case(tmp_path, THROTTLED + at("m1", "mmlsqos fs1", "QOS values::    pool=system,other=inf,misc=1Iops"))
    (finding,) = found(case, "SC-07")
    assert finding.severity == "medium"
    assert "Limited classes: system misc 1Iops." in finding.explanation
    assert not found(case, "SC-06")
    assert advice(case, "SC-07")["qos-classes"].commands[0] == "mmlsqos fs1 --seconds 60"


def test_without_a_limited_class_it_is_doubtful_and_without_such_waits_silent(tmp_path: Path) -> None:
    open_ = at("m1", "mmlsqos fs1", "QOS values::    pool=system,other=inf,misc=inf")
    (doubted,) = found(read_case(tmp_path / "a", THROTTLED + open_), "SC-07")
    (plain,) = found(read_case(tmp_path / "b", THROTTLED), "SC-07")
    assert doubted.confidence < plain.confidence
    assert found(read_case(tmp_path / "c", open_), "SC-07") == []


# --- SC-13 ------------------------------------------------------------------------------------------------------------


def statfs(block: int, unit: int) -> str:
    return at("cn3", "./a.out", "/gpfs/fs1, mounted on /gpfs/fs1:", f"f_bsize: {block}", f"f_frsize: {unit}")


def test_the_whole_block_as_smallest_unit(tmp_path: Path) -> None:
    case = read_case(tmp_path, statfs(16 << 20, 16 << 20) + config("# linuxStatfsUnits fullblock"))
    (finding,) = found(case, "SC-13")
    assert (finding.severity, "16 MiB" in finding.title) == ("low", True)
    assert advice(case, "SC-13")["linuxstatfsunits"].commands == ("mmchconfig linuxStatfsUnits=posix -i",)


def test_once_it_is_posix_the_change_is_reported_as_applied(tmp_path: Path) -> None:
    mended = (
        statfs(16 << 20, 16 << 20)
        + config("# linuxStatfsUnits fullblock")
        + config("# linuxStatfsUnits posix")
        + statfs(16 << 20, 1 << 14)
    )
    [finding] = found(read_case(tmp_path / "a", mended), "SC-13")
    assert (finding.severity, "until linuxStatfsUnits was set to posix" in finding.title) == ("info", True)
    assert advice(read_case(tmp_path / "b", mended), "SC-13")["linuxstatfsunits"].status == "applied"
    assert (
        found(read_case(tmp_path / "c", statfs(16 << 20, 1 << 14) + config("# linuxStatfsUnits posix")), "SC-13") == []
    )
    assert found(read_case(tmp_path / "d", statfs(4096, 4096) + config("# linuxStatfsUnits fullblock")), "SC-13") == []


# --- SC-14 ------------------------------------------------------------------------------------------------------------


def test_detection_that_is_off(tmp_path: Path) -> None:
    case = read_case(tmp_path / "a", config("deadlockDetectionThreshold 0"))
    (finding,) = found(case, "SC-14")
    assert finding.title == "Deadlock detection is switched off on cn3"
    assert advice(case, "SC-14")["deadlockdetectionthreshold"].recommended == "300"
    assert found(read_case(tmp_path / "b", config("deadlockDetectionThreshold 300")), "SC-14") == []


def test_the_thresholds_in_force_are_reported_as_printed(tmp_path: Path) -> None:
    printed = at(
        "cn3",
        "mmdiag --deadlock",
        "Effective deadlock detection threshold on cn3 is 1033 seconds",
        "Effective deadlock detection threshold on cn3 is 655 seconds for short waiters",
    )
    (finding,) = found(read_case(tmp_path, config("deadlockDetectionThreshold 0") + printed), "SC-14")
    assert "17 m 13 s and 10 m 55 s for short waiters" in finding.explanation


def test_a_break_up_before_debug_data_is_collected(tmp_path: Path) -> None:
    case = read_case(tmp_path / "a", config("deadlockBreakupDelay 60"))
    assert [f.title for f in found(case, "SC-14")] == [
        "A deadlock would be broken up after 60 s on cn3, before its cause is known"
    ]
    assert advice(case, "SC-14")["deadlockbreakupdelay"].commands == ("mmchconfig deadlockBreakupDelay=300 -i",)
    assert (
        found(read_case(tmp_path / "b", config("deadlockBreakupDelay 0", "deadlockDetectionThreshold 300")), "SC-14")
        == []
    )
    assert found(read_case(tmp_path / "c", config("deadlockBreakupDelay 300")), "SC-14") == []


# --- SC-18 ------------------------------------------------------------------------------------------------------------


def attributes(level: str, block: int, part: int) -> str:
    return at(
        "m1",
        "mmlsfs fs1",
        "flag                value                    description",
        f" -f                 {part}                    Minimum fragment size in bytes",
        f" -B                 {block}                  Block size",
        f" -V                 {level}          Current file system version",
    )


def test_large_blocks_at_an_old_level(tmp_path: Path) -> None:
    case = read_case(tmp_path, attributes("17.00 (4.2.3.0)", 16 << 20, 1 << 19))
    (finding,) = found(case, "SC-18")
    assert (finding.severity, "18.00" in finding.title) == ("info", True)
    change = advice(case, "SC-18")["format-level"]
    assert change.commands == ("mmlsfs fs1 -V", "mmchfs fs1 -V full")
    assert "One way" in change.caution


def test_thin_disks_need_level_22(tmp_path: Path) -> None:
    table = at(
        "m1",
        "mmlsdisk fs1 -Y",
        "mmlsdisk::HEADER:version:reserved:reserved:nsdName:metadata:data:status:availability:thinDiskType:",
        "mmlsdisk::0:1:::d1:Yes:Yes:ready:up:nvme:",
    )
    assert len(found(read_case(tmp_path / "a", table + attributes("18.00 (5.0.0.0)", 4 << 20, 8192)), "SC-18")) == 1
    assert found(read_case(tmp_path / "b", table + attributes("22.00 (5.0.4.0)", 4 << 20, 8192)), "SC-18") == []


def test_an_old_level_that_nothing_asks_more_of_is_no_finding(tmp_path: Path) -> None:
    assert found(read_case(tmp_path, attributes("17.00 (4.2.3.0)", 1 << 18, 8192)), "SC-18") == []


# --- SC-19, SC-20 -----------------------------------------------------------------------------------------------------


def test_a_value_that_differs_between_nodes(tmp_path: Path) -> None:
    case = read_case(
        tmp_path,
        config("tscTcpPort 1191", "maxblocksize 4194304")
        + config("tscTcpPort 1191", "maxblocksize 16777216", node="cn4"),
    )
    (finding,) = found(case, "SC-19")
    assert "maxblocksize: 4194304 on cn3 and 16777216 on cn4." in finding.explanation


def test_equal_values_wanted_differences_and_settings_that_may_differ(tmp_path: Path) -> None:
    two = config("deadlockBreakupDelay 0") + config("deadlockBreakupDelay 300", node="cn4")
    wanted = at("m1", "mmlsconfig", "[cn4]", "deadlockBreakupDelay 300")
    assert found(read_case(tmp_path / "a", two + wanted), "SC-19") == []
    assert (
        found(read_case(tmp_path / "b", config("tscTcpPort 1191") + config("tscTcpPort 1191", node="cn4")), "SC-19")
        == []
    )
    assert found(read_case(tmp_path / "c", config("pagepool 1G") + config("pagepool 64G", node="cn4")), "SC-19") == []


def test_disable_dio_is_advised_away_and_never_on(tmp_path: Path) -> None:
    case = read_case(tmp_path / "a", at("m1", "mmlsconfig", "disableDIO yes"))
    (finding,) = found(case, "SC-20")
    assert finding.severity == "low"
    assert advice(case, "SC-20")["disabledio"].commands[0] == "mmchconfig disableDIO=DEFAULT"
    assert found(read_case(tmp_path / "b", config("disableDIO 0")), "SC-20") == []
    commands = [command for text in tuning_texts().values() for command in text.commands]
    assert not any(f"disableDIO={value}" in command for command in commands for value in ("yes", "1", "true"))


# --- SC-23, buffers ---------------------------------------------------------------------------------------------------


def test_no_room_for_nsd_buffers(tmp_path: Path) -> None:
    log = (
        "2031-06-03_22:48:15.207+0200: [E] GPFS: 6027-1808 Unable to reserve space for NSD buffers. Increase "
        "pagepool size.\n"
    )
    case = read_case(
        tmp_path, at("nsd2", "cat /var/adm/ras/mmfs.log.latest") + log + config("pagepool 1073741824", node="nsd2")
    )
    assert [(finding.severity, finding.title) for finding in found(case, "SC-23")] == [
        ("medium", "nsd2 had no room for NSD buffers 1 time")
    ]
    changes = advice(case, "SC-23")
    assert changes["nsdbufspace"].commands == ("mmchconfig nsdBufSpace=40 -N nsd2 -i",)
    assert changes["pagepool"].commands[1] == "mmchconfig pagepool=2147483648 -N nsd2 -i"


# --- SC-33 ------------------------------------------------------------------------------------------------------------

BACK_AND_FORTH = """
    cn3 | AcquireBRTHandlerThread 21 | rpc tmMsgBRRevoke 10.0.0.4 | 12 22
    cn4 | AcquireBRTHandlerThread 22 | rpc tmMsgBRRevoke 10.0.0.3 | 11 21
"""
WHO = {"10.0.0.3": "cn3", "10.0.0.4": "cn4"}


def test_nodes_that_take_the_token_from_each_other(tmp_path: Path) -> None:
    (finding,) = fires(write_case(tmp_path, BACK_AND_FORTH, aliases=WHO), "SC-33")
    assert (finding.severity, finding.nodes) == ("high", ("cn3", "cn4"))
    assert "cn3 and cn4 ask each other to give up tokens" in finding.explanation


def test_one_dump_or_one_asker_is_no_hot_spot(tmp_path: Path) -> None:
    once = BACK_AND_FORTH.replace("12 22", "12 .").replace("11 21", "11 .")
    assert fires(write_case(tmp_path / "a", once, aliases=WHO), "SC-33") == []
    single = "cn3 | OpenHandlerThread 21 | rpc tmMsgRevoke 10.0.0.4 | 12 22"
    assert fires(write_case(tmp_path / "b", single, aliases=WHO), "SC-33") == []


def test_a_holder_that_waits_for_its_disk_is_no_hot_spot(tmp_path: Path) -> None:
    picture = """
    cn3  | AcquireBRTHandlerThread 21 | rpc tmMsgBRRevoke 10.0.0.4 | 12 22
    cn5  | AcquireBRTHandlerThread 23 | rpc tmMsgBRRevoke 10.0.0.4 | 12 22
    cn4  | RangeRevokeWorkerThread 24 | disk dm-7                  | 12 22
    """
    assert fires(write_case(tmp_path, picture, aliases=WHO), "SC-33") == []


def writes(node: str, count: int, block: int, inode: int = 41207) -> str:
    where = f"cli 0A3C0207:61D4F0A8 10.0.0.2 {inode} {block} MBHandler WritebehindWorkerThread"
    return history(node, *requests(count, 1.0, where, op="W", sectors=2048))


def test_two_histories_with_writes_to_one_inode_are_a_hint(tmp_path: Path) -> None:
    (hint,) = found(read_case(tmp_path / "a", writes("cn3", 4, 7) + writes("cn4", 4, 7)), "SC-33")
    assert (hint.severity, hint.basis) == ("low", "proposed")
    assert "same block" in hint.explanation
    (apart,) = found(read_case(tmp_path / "b", writes("cn3", 4, 7) + writes("cn4", 4, 8)), "SC-33")
    assert "different blocks" in apart.explanation


def test_one_writer_or_two_files_are_no_hint(tmp_path: Path) -> None:
    assert found(read_case(tmp_path / "a", writes("cn3", 8, 7)), "SC-33") == []
    assert found(read_case(tmp_path / "b", writes("cn3", 4, 7) + writes("cn4", 4, 7, inode=99)), "SC-33") == []


# --- SC-04 and the size of the log ------------------------------------------------------------------------------------

LOG = at(
    "mgr1",
    "mmdiag --waiters",
    "=== mmdiag: waiters ===",
    "Waiting 28.0000 sec since 11:00:00, monitored, thread 43 SyncHandlerThread: on ThCond 0x7F00AA "
    "(LogFile buffer state), reason 'force wait for write complete'",
    "Waiting 27.9900 sec since 11:00:00, monitored, thread 42 SGExceptionLogBufferFullThread: on ThMutex "
    "0x7F00AB (LogFile instance)",
)
SMALL_LOG = at(
    "m1",
    "mmlsfs fs1",
    "flag                value                    description",
    " -L                 4194304                  Logfile size",
)


def test_a_larger_log_is_advised_only_where_its_disks_are_quick(tmp_path: Path) -> None:
    quick = history(
        "mgr1", *requests(40, 0.5, "cli 0A3C0207:61D4F0B1 10.0.0.2 0 0 LogFile LogWrapThread", op="W", what="logData")
    )
    slow = history(
        "mgr1", *requests(40, 90.0, "cli 0A3C0207:61D4F0B1 10.0.0.2 0 0 LogFile LogWrapThread", op="W", what="logData")
    )
    case = read_case(tmp_path / "a", LOG + SMALL_LOG + quick)
    assert advice(case, "SC-04")["logfilesize"].commands == ("mmlsfs fs1 -L", "mmchfs fs1 -L 16777216")
    assert advice(read_case(tmp_path / "b", LOG + SMALL_LOG + slow), "SC-04") == {}
    assert advice(read_case(tmp_path / "c", LOG + SMALL_LOG), "SC-04") == {}
