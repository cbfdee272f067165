"""Settings, messages, connections and tables of Spectrum Scale; and the talk that shows them damaged."""

from __future__ import annotations

from parsers.records import Counter, DiskIo, DiskName, Event, Setting, Version
from parsers.records.states import ClusterMember, Connection
from parsers.records.waits import PendingRpc
from tests.parsers.golden import Reading
from tests.references import article

TALK = "scale-performance-talk.txt"


def settings(text: str) -> list[tuple[str | None, str | None, str, str]]:
    return [(row.node, row.scope, row.name, row.value) for row in Reading(text).of(Setting)]


def test_brackets_open_a_scope_and_common_closes_it() -> None:
    text = (
        "Configuration data for cluster a.lab:\nworkerThreads 512\n[s1,s2]\npagepool 64G\n[common]\n"
        "tiebreakerDisks d1;d2\n"
    )
    assert settings(text) == [
        (None, None, "workerThreads", "512"),
        (None, "s1,s2", "pagepool", "64G"),
        (None, None, "tiebreakerDisks", "d1;d2"),
    ]


def test_names_outside_the_known_families_count_only_below_a_command_that_prints_settings() -> None:
    row = "someOwnName 17"
    assert settings(f"{row}\n") == []
    assert settings(f"[root@c4 ~]# mmdiag --config\n{row}\n") == [("c4", None, "someOwnName", "17")]


def test_a_prompt_that_ends_in_an_angle_names_the_node() -> None:
    text = "root@c4 /home/lib>mmdiag --config | grep dio\n# dioSmallSeqWriteBatching 0\nroot@c4 /home/lib> ./fsperf\n"
    assert settings(text) == [("c4", None, "dioSmallSeqWriteBatching", "0")]


def test_prose_is_no_setting() -> None:
    text = (
        "workerThreads 512\nplease change it on all of the nodes soon\ndioSmallSeqWriteBatching is a setting "
        "of clients, so to say\n"
    )
    assert len(settings(text)) == 1


def test_what_was_set_and_who_does_not_know_it() -> None:
    reading = Reading(
        "[root@m1 ~]# mmchconfig linuxStatfsUnits=posix,dioSmallSeqWriteBatching='yes' -i -N c4\n"
        "mmchconfig: Command successfully completed\ns1.lab: Unknown config name: dioSmallSeqWriteBatching\n"
    )
    assert [(row.scope, row.name, row.value, row.set_here) for row in reading.of(Setting)] == [
        ("c4", "linuxStatfsUnits", "posix", True),
        ("c4", "dioSmallSeqWriteBatching", "yes", True),
    ]
    assert [(row.node, row.about) for row in reading.of(Event)] == [("s1.lab", "dioSmallSeqWriteBatching")]


def test_a_message_with_two_destinations_is_two_rows_and_an_index_is_resolved_by_the_table_below() -> None:
    text = """Pending messages:
  msg_id 7, service 13.1, msg_type 20 'tmMsgRevoke', n_dest 2, n_pending 1
  this 0x7F31C40A2DA0, n_xhold 1, cl 0, cbFn 0x0, age 37 sec
     sent by 'X' (0x7F31C40A1000)
     dest <c0n0>          status pending   , err 0, reply len 0 by TCP connection
     dest 10.0.0.9        status success   , err 0, reply len 4 by TCP connection
TCP Connections between nodes:
    hostname   node     idx destination     status     err  sock  sent(MB)  recvd(MB)  ostype
    s1         <c0n0>     0 10.0.0.1        broken     79   -1    4         9          Linux/L
"""
    reading = Reading(text)
    first, second = reading.of(PendingRpc)
    assert (first.peer, first.state, first.seconds, first.message_id, first.thread) == (
        "s1",
        "pending",
        37.0,
        7,
        0x7F31C40A1000,
    )
    assert (second.peer, second.state, second.record) == ("10.0.0.9", "success", 0x7F31C40A2DA0)
    assert [(row.peer, row.link, row.state) for row in reading.of(Connection)] == [("s1", "tcp 0", "broken err 79")]


def test_columns_of_a_disk_table_follow_its_header() -> None:
    text = """ Disk name       NSD volume ID      Device          Node name or Class       Remarks
---------------------------------------------------------------------------------------
 d1              0A3C020761D4F0A8   /dev/mapper/d1  s1                       server node
 d2              0A3C020761D4F0AC   -               s2                       (not found) server node
"""
    rows = [(row.name, row.device, row.node, row.uid, row.state) for row in Reading(text).of(DiskName)]
    assert rows == [
        ("d1", "/dev/mapper/d1", "s1", "0A3C0207:61D4F0A8", None),
        ("d2", None, "s2", "0A3C0207:61D4F0AC", "(not found) server node"),
    ]


def test_a_table_for_programs_without_its_header_is_read_where_its_columns_are_known() -> None:
    known = Reading("mmgetstate::0:1:::s1:1:active:2:3:4::\n")
    assert (known.result.records, known.result.not_understood) == (4, 0)
    unknown = Reading("mmlsfileset::0:1:::fs7:root:0:1:::\n")
    assert (unknown.result.records, unknown.result.not_understood) == (0, 1)


def test_the_talk_settings_histories_and_levels() -> None:
    reading = Reading(article(TALK).read_bytes(), path=TALK)
    shown = {(row.name, row.value) for row in reading.of(Setting)}
    assert {
        ("dioSmallSeqWriteBatching", "0"),
        ("dioSmallSeqWriteBatching", "1"),
        ("dioSmallSeqWriteBatching", "yes"),
        ("aioSyncDelay", "10"),
        ("linuxStatfsUnits", "fullblock"),
        ("linuxStatfsUnits", "subblock"),
        ("linuxStatfsUnits", "posix"),
        ("deadlockBreakupDelay", "0"),
        ("deadlockDetectionThreshold", "300"),
        ("deadlockDetectionThresholdIfOverloaded", "1800"),
        ("deadlockDataCollectionMinInterval", "600"),
        ("deadlockDataCollectionDailyLimit", "10"),
        ("f_bsize", "16777216"),
        ("f_frsize", "16384"),
    } <= shown
    (implicit, *_) = [row for row in reading.of(Setting) if row.name == "aioSyncDelay"]
    assert (implicit.note, implicit.node) == ("implicit via dioSmallSeqWriteBatching", "newNode")
    requests = reading.of(DiskIo)
    assert [row.line for row in requests] == [*range(76, 83), *range(123, 131)]
    assert {row.device for row in requests} == {f"C0A82D14:5E4C4BB{end}" for end in "89AB"}
    assert {(row.bytes, row.where, row.peer) for row in requests} == {
        (32768.0, "cli", "10.10.10.121"),
        (1048576.0, "cli", "10.10.10.121"),
    }
    levels = {row.product: row.version for row in reading.of(Version)}
    assert (levels["format 1800"], levels["format 2200"], levels["format 1103"]) == ("5.0.0.0", "5.0.4.0", "3.3.0.0")
    assert [(row.message_id, row.rpc, row.peer, row.thread) for row in reading.of(PendingRpc)][:1] == [
        (32, "sgmMsgSGMount", "192.168.1.4", 0x855E3B0)
    ]


def test_nodes_that_were_not_reached_are_members_and_a_row_of_interfaces_is_none() -> None:
    text = (
        "[root@owl1 ~]# mmgetstate -a\n\n Node number  Node name        GPFS state\n"
        "-------------------------------------------\n       1      owl1            active\n\n"
        "mmgetstate: The following nodes could not be reached:\nowl5\nowl6\n[root@owl1 ~]# mmdiag "
        "--network\n      idx iface           status ping_cnt source          destination     subnet\n   "
        "     0 eth7              down       22 10.9.1.11       10.9.1.14       10.9.1.0/24\n"
    )
    members = [(row.member, row.state) for row in Reading(text).of(ClusterMember)]
    assert members == [("owl1", "active"), ("owl5", "not reached"), ("owl6", "not reached")]


def test_room_is_in_kb_whatever_unit_was_printed() -> None:
    heading = "name                    in {} group metadata data        in full blocks        in fragments\n"
    rows = "[root@owl1 ~]# mmdf nest --block-size {}\n{}(total)  {}  {} (  2%)  34.42M ( 0%)\n"
    for how, head, size, free in (
        ("auto", "", "24G", "512.5M"),
        ("G", heading.format("GB"), "24", "0"),
        ("K", "", "25165824", "524800"),
    ):
        found = {row.name: row.value for row in Reading(rows.format(how, head, size, free)).of(Counter)}
        assert found["total size"] == 24 * 1024 * 1024
        assert found["total free"] == (0 if how == "G" else 512.5 * 1024)


def test_disks_of_old_releases_have_a_state() -> None:
    row = "lvowl04      disk        512      -1 yes      yes   ready         down\n"
    [disk] = Reading(f"[root@owl1 ~]# mmlsdisk nest\n{row}").of(DiskName)
    assert (disk.name, disk.state) == ("lvowl04", "ready down")
