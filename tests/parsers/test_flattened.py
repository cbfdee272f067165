"""Outputs on one physical line: behind their prompt, and inside a JSON string."""

from __future__ import annotations

import json
import re
from random import Random

import pytest

from parsers.layouts.flattened import _again
from parsers.records import DiskIo, Event, Record
from parsers.records.locks import DlmLock
from parsers.records.states import HeartbeatLink, Membership, Room, StorageState
from parsers.records.waits import Stack, Waiter, WaiterShape
from tests.parsers.golden import Reading

GAB = (
    "GAB Port Memberships",
    "===============================================================",
    "Port a gen   7c1104 membership 01",
    "Port h gen   7c1109 membership 01",
    "Port h gen   7c1109 jeopardy   ;1",
)
LINKS = (
    "LLT node information: Node State Link Status Address * 0 elm OPEN net2 UP 02:1B:5C:00:00:01 1 yew OPEN net2 DOWN"
)


def flat(*lines: str) -> str:
    return " ".join(" ".join(lines).split())


def members(reading: Reading) -> list[tuple[str | None, str, str, str]]:
    return [(one.node, one.group, one.members, one.state) for one in reading.sink.records(Membership)]


@pytest.mark.parametrize("prompt", ["[root@elm ~]# ", "elm# ", "# ", "root@elm:~# ", "> [root@elm ~]# "])
def test_rows_behind_a_prompt_are_read(prompt: str) -> None:
    reading = Reading((prompt + flat("gabconfig -a", *GAB) + "\n").encode())
    assert [row[1:] for row in members(reading)] == [
        ("a", "0 1", "membership"),
        ("h", "0 1", "membership"),
        ("h", "1", "jeopardy"),
    ]
    assert reading.result.total == reading.result.understood == 1


def test_two_prompts_and_their_outputs_may_share_a_line() -> None:
    text = f"[root@elm ~]# {flat('gabconfig -a', *GAB)} [root@yew ~]# lltstat -nvv {LINKS}\n"
    reading = Reading(text.encode())
    assert {row[0] for row in members(reading)} == {"elm"}
    links = reading.sink.records(HeartbeatLink)
    assert [(one.node, one.peer, one.state) for one in links] == [("yew", "elm", "UP"), ("yew", "yew", "DOWN")]


def test_lines_of_a_json_string_are_read_and_its_node_is_known() -> None:
    text = json.dumps({"host": "elm", "cmd": "gabconfig -a", "out": "\n".join(GAB) + "\n"})
    reading = Reading(f"{text}\n".encode())
    assert [row[:2] for row in members(reading)] == [("elm", "a"), ("elm", "h"), ("elm", "h")]
    assert reading.result.total == reading.result.understood == 1


def test_an_output_that_cannot_be_taken_apart_is_not_understood() -> None:
    words = " ".join(f"word{number} value" for number in range(12))
    reading = Reading(f"[root@elm ~]# gabconfig -a {words}\n".encode())
    assert (reading.result.total, reading.result.not_understood) == (1, 1)


@pytest.mark.parametrize(
    "command",
    [
        "gabconfig -a | grep -E 'Port (a|b|h) gen' | sort -k 2 | head -20 > /tmp/ports of all the nodes",
        "mmchconfig pagepool=16G,maxFilesToCache=50000,maxStatCache=1000 -N nsdNodes,clientNodes -i",
        "cat /etc/llttab /etc/gabtab /etc/vxfenmode /etc/llthosts /etc/VRTSvcs/conf/config/main.cf",
    ],
)
def test_a_long_command_is_no_output(command: str) -> None:
    reading = Reading(f"[root@elm ~]# {command}\n".encode())
    assert reading.result.not_understood == 0


def test_the_lines_below_a_flattened_one_are_read_as_ever() -> None:
    text = f"[root@elm ~]# {flat('gabconfig -a', *GAB)}\n" + "[root@yew ~]# gabconfig -a\n" + "\n".join(GAB) + "\n"
    reading = Reading(text.encode())
    assert [row[0] for row in members(reading)] == ["elm"] * 3 + ["yew"] * 3
    assert reading.result.total == 7
    assert reading.adds_up


@pytest.mark.parametrize("mark", ["", "> ", "&gt; "])
def test_marks_and_backslashes_inside_a_json_string_cost_no_row(mark: str) -> None:
    lines = (r"C:\temp\yew \* \u005b \"open\" <here>", *GAB)
    text = json.dumps({"node": "elm", "stdout": "\n".join(f"{mark}{line}" for line in lines)})
    reading = Reading(f"{text}\n".encode())
    assert [row[:2] for row in members(reading)] == [("elm", "a"), ("elm", "h"), ("elm", "h")]
    assert reading.adds_up


def test_a_json_string_without_an_output_gives_no_record() -> None:
    text = json.dumps({"node": "elm", "message": 'a "word" of\nC:\\temp\\yew\nand no output\n'})
    assert members(Reading(f"{text}\n".encode())) == []


@pytest.mark.parametrize(
    "text",
    [
        "zpool status pears pool: pears state: ONLINE Scan: none errors: No known data errors Name State Read Write",
        "df -k Filesystem 1K-blocks Used Available Capacity Mounted /dev/sda2 1048576 3001 Root",
        "cat /etc/llthosts 0 elm 1 yew 2 ash",
        "mdadm --detail /dev/md7 /dev/md7: Version: 1.2 Creation Time: Mon Raid Level: raid1 Array Size: 1048576",
    ],
)
def test_what_a_tool_printed_on_the_line_of_its_prompt_is_read_or_not_understood(text: str) -> None:
    reading = Reading(f"[root@elm ~]# {text}\n")
    assert reading.result.not_understood == 1 or reading.result.records > 2


@pytest.mark.parametrize(
    ("text", "kind", "count"),
    [
        (
            "vxdg list NAME STATE ID rolls enabled,shared,cds 16735.16.elm barns disabled 16741.21.yew",
            StorageState,
            2,
        ),
        (
            "vxdmpadm listctlr all CTLR-NAME ENCLR-TYPE STATE ENCLR-NAME PATH_COUNT ===== c1 KESTREL DISABLED reed0 64"
            " c2 KESTREL ENABLED reed0 64 c0 Disk ENABLED disk 2",
            StorageState,
            3,
        ),
        (
            "cat /sys/kernel/debug/dlm/pots_waiters 200c4 1 4 2 2c1f0 200c5 2 4 5 2c1f0",
            DlmLock,
            2,
        ),
        (
            "df -k Filesystem 1K-blocks Used Available Use% Mounted on /dev/sda2 51343840 20111000 28601728 42% /"
            " /dev/mapper/vg-pots 104857600 104857600 0 100% /srv/pots",
            Room,
            2,
        ),
        (
            "iostat -x Device r/s w/s rkB/s wkB/s await %util sda 1.00 2.00 12.00 18.00 0.40 0.30 sdb 150.00 40.00"
            " 9000.00 8000.00 640.20 99.80",
            DiskIo,
            6,
        ),
        (
            "dmesg Mar 9 14:21:07 elm kernel: LLT INFO V-14-1-10205 link 1 (igb3) node 2 in trouble Mar 9 14:21:09 elm"
            " kernel: LLT INFO V-14-1-10032 link 1 (igb3) node 2 inactive 8 sec (21211)",
            Event,
            2,
        ),
    ],
)
@pytest.mark.parametrize("prompt", ["[root@elm ~]# ", "elm# "])
def test_tables_numbers_and_logs_on_one_line_are_cut_by_what_reads_them(
    text: str, kind: type[Record], count: int, prompt: str
) -> None:
    reading = Reading(f"{prompt}{text}\n")
    assert len(reading.of(kind)) == count
    assert reading.result.understood == reading.result.total == 1


@pytest.mark.parametrize(
    ("text", "kind", "count"),
    [
        (
            "CTLR-NAME ENCLR-TYPE STATE ENCLR-NAME PATH_COUNT ===== c1 KESTREL DISABLED reed0 64 c2 KESTREL ENABLED"
            " reed0 64 c0 Disk ENABLED disk 2",
            StorageState,
            3,
        ),
        (
            "Filesystem 1K-blocks Used Available Use% Mounted on /dev/sda2 51343840 20111000 28601728 42% /"
            " /dev/mapper/vg-pots 104857600 104857600 0 100% /srv/pots",
            Room,
            2,
        ),
        (
            "Mar 9 14:21:07 elm kernel: LLT INFO V-14-1-10205 link 1 (igb3) node 2 in trouble Mar 9 14:21:09 elm"
            " kernel: LLT INFO V-14-1-10032 link 1 (igb3) node 2 inactive 8 sec (21211)",
            Event,
            2,
        ),
    ],
)
def test_an_output_on_one_line_needs_no_prompt(text: str, kind: type[Record], count: int) -> None:
    reading = Reading(f"{text}\n")
    assert len(reading.of(kind)) == count
    assert reading.result.understood == reading.result.total == 1


def test_an_output_on_one_line_below_its_own_heading_is_read() -> None:
    text = (
        "=== mmdiag: waiters === Waiting 412.6127 sec since 02:11:08, monitored, thread 20312 FetchHandlerThread: on "
        "ThCond 0x7F12 (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node 10.44.1.21 <c0n4> Waiting "
        "12.2 sec since 02:17:49, monitored, thread 20417 FsckClient: on ThMutex 0x11, reason 'waiting for lock'"
    )
    reading = Reading(f"{text}\n")
    assert [round(one.seconds or 0) for one in reading.of(Waiter)] == [413, 12]


@pytest.mark.parametrize(
    "text",
    [
        "Node Number Node Name Node Groups Node Flags Remarks",
        "Mar 9 14:21:07 elm rsyslogd: relayed Mar 9 14:21:01 something of another host that nobody knows",
        "Device r/s w/s rkB/s wkB/s await aqu-sz rareq-sz svctm %util",
    ],
)
def test_a_line_of_several_words_is_one(text: str) -> None:
    reading = Reading(f"{text}\n")
    assert reading.result.records <= 1
    assert Reading(f"elm# date\n{text}\n").result.records == reading.result.records


def test_lines_that_may_be_flattened_are_looked_at_a_bounded_number_of_times() -> None:
    row = "Waiting 12.2 sec since 02:17:49, thread 20417 A: reason 'Waiting 7.0 sec since 02:17:49, thread 4 B:'\n"
    reading = Reading(row * 3000)
    assert reading.result.total == 3000
    assert reading.adds_up


@pytest.mark.parametrize(
    "typed",
    [
        "vxassist -g potsdg make pots 10g layout=mirror nmirror=2 init=active alloc=enc0 user=root group=root",
        "for n in elm yew ash; do ssh $n 'Waiting for: Node State Read Write Errors Total'; done",
        "cat /etc/hosts /etc/llthosts | grep Elm | sort -u > Elm.txt 2> Errors.txt",
        "kill -9 4711 4712 4713 4714 4715 4716 4717 4718 4719 4720 4721 4722",
        "tar cf Logs.tar messages messages.1 messages.2 messages.3 cluster.log pacemaker.log corosync.log dmesg",
        "mmchnsd lock1:elm,yew lock2:yew,elm lock3:ash,elm",
    ],
)
def test_a_long_command_is_one(typed: str) -> None:
    reading = Reading(f"[root@elm ~]# {typed}\n[root@elm ~]# uptime\n")
    assert reading.result.not_understood == 0


OLD = "waiting {}.442190000 seconds, NSDThread: for I/O completion"


def waiting(thread: int) -> str:
    return (
        f"Waiting 8{thread}.4 sec since 09:12:04, monitored, thread {thread} PrefetchWorkerThread: for NSD I/O "
        "completion on node 10.9.3.4 <c0n2>"
    )


@pytest.mark.parametrize(
    ("text", "threads"),
    [
        (
            f"[root@tarn ~]# mmdiag --waiters === mmdiag: waiters === {waiting(11)} {waiting(12)}",
            ["11", "12"],
        ),
        (
            f"=== mmdiag: waiters === {waiting(11)} {waiting(12)} {waiting(13)}",
            ["11", "12", "13"],
        ),
        (
            f"tarn: {waiting(11)} beck.lab: {waiting(12)}",
            ["11", "12"],
        ),
    ],
)
def test_waiters_on_one_line_keep_their_reasons(text: str, threads: list[str]) -> None:
    reading = Reading(f"{text}\n".encode())
    found = reading.sink.records(Waiter)
    assert [str(one.thread_id) for one in found] == threads
    assert {one.target for one in reading.sink.records(WaiterShape)} == {"10.9.3.4"}
    assert reading.result.not_understood == 0


def test_old_waiters_on_one_line_keep_their_reasons() -> None:
    reading = Reading(f"0x7F88A40012F0 {OLD.format(91)} 0x7F88A40012F1 {OLD.format(90)}\n".encode())
    assert [int(one.seconds or 0) for one in reading.sink.records(Waiter)] == [91, 90]
    assert reading.result.not_understood == 0


def test_lines_of_the_log_of_corosync_that_lost_their_ends() -> None:
    first = "Mar 09 10:31:44 [1221] tansy corosync notice  [TOTEM ] A new membership (10.4.1.1:41) was formed."
    second = "Mar 09 10:31:45 [1221] tansy corosync error   [TOTEM ] FAILED TO RECEIVE"
    assert len(Reading(f"{first} {second}\n").of(Event)) == len(Reading(f"{first}\n{second}\n").of(Event))


def one_line(text: str) -> str:
    """As a client of a chat makes it of several lines: blanks stay, ends of lines are blanks."""
    return " ".join(text.strip("\n").split("\n")) + "\n"


HEALTH = """
elm# mmhealth node show
Node name:      elm.yard.example
Node status:    DEGRADED
Status Change:  3 min. ago

Component      Status        Status Change     Reasons & Notices
-------------------------------------------------------------------------------
GPFS           HEALTHY       2 days ago        -
NETWORK        DEGRADED      3 min. ago        network_link_down(ib1)
FILESYSTEM     HEALTHY       2 days ago        -
DISK           FAILED        3 min. ago        disk_down(grain_n7)
"""
CONTROLLERS = """
# vxdmpadm listctlr all
CTLR_NAME       ENCLR_TYPE      STATE        ENCLR_NAME      PATH_COUNT
=========================================================================
c0              Disk            ENABLED      disk            1
c1              EMC_CLARiiON    DISABLED     emc0            12
c2              EMC_CLARiiON    ENABLED      emc0            12
"""
PATHS = """
elm# multipathd show paths
hcil    dev dev_t pri dm_st  chk_st dev_st  next_check
1:0:0:4 sdb 8:16  50  failed faulty running XXXX...... 4/20
2:0:0:4 sdf 8:80  10  active ready  running XXXXXXXX.. 16/20
"""
PATH_EVENTS = """
Mon Mar  9 10:31:22.116: Lost connectivity to dmpnode emc0_03 sdj
Mon Mar  9 10:31:22.220: Disabled Path sdj belonging to Dmpnode emc0_03
Mon Mar  9 10:31:22.311: Disabled Dmpnode emc0_03
"""
STATE = """
<?xml version="1.0"?>
<crm_mon version="2.1.5">
  <nodes>
    <node name="elm" id="1" online="true" standby="false" maintenance="false" pending="false" unclean="false"/>
    <node name="yew" id="2" online="false" standby="false" maintenance="false" pending="false" unclean="true"/>
  </nodes>
</crm_mon>
"""
STACK = """
[12345.678901] [  T4411] task:postgres        state:D stack:0     pid:4411  ppid:1      flags:0x00000002
[12345.678912] [  T4411] Call Trace:
[12345.678918] [  T4411]  __schedule+0x2e1/0x790
[12345.678920] [  T4411]  gfs2_glock_wait+0x3a/0xa0 [gfs2]
"""


def _stated(record: Record) -> tuple[type[Record], object, object]:
    return type(record), getattr(record, "state", None), getattr(record, "name", None)


ROOM = """
elm# df -h
Filesystem            Size  Used Avail Use% Mounted on
/dev/mapper/vg0-root   50G   21G   30G  42% /
/dev/mapper/vg0-var    20G   20G   20K 100% /var
grain                 120T   80T   40T  67% /gpfs/grain
"""


@pytest.mark.parametrize("text", [ROOM, HEALTH, CONTROLLERS, PATHS, PATH_EVENTS, STATE, STACK])
@pytest.mark.parametrize("is_sick", [True, False])
def test_a_text_of_wide_gaps_on_one_line_tells_what_it_tells_on_several(text: str, is_sick: bool) -> None:
    if not is_sick:
        for word, other in (
            ("DEGRADED", "HEALTHY"),
            ("FAILED", "HEALTHY"),
            ("DISABLED", "ENABLED "),
            ("failed faulty", "active ready "),
            ('online="false"', 'online="true"'),
            ('unclean="true"', 'unclean="false"'),
        ):
            text = text.replace(word, other)
    several, flattened = Reading(text), Reading(one_line(text))
    for kind in (StorageState, Event, Membership, Stack, Room):
        assert [_stated(one) for one in flattened.of(kind)] == [_stated(one) for one in several.of(kind)]
    assert flattened.adds_up


FENCING = """
# vxfenadm -d

I/O Fencing Cluster Information:
================================

 Fencing Protocol Version: 201
 Fencing Mode: SCSI3
 Fencing SCSI3 Disk Policy: dmp
 Cluster Members:

        * 0 (elm)
          1 (yew)

 RFSM State Information:
        node   0 in state  8 (running)
        node   1 in state  1 (started)
"""


def test_rows_that_are_set_in_keep_their_last_words() -> None:
    several, flattened = Reading(FENCING), Reading(one_line(FENCING))
    assert members(flattened) == members(several)
    assert [(one.group, one.members, one.state) for one in flattened.of(Membership)][-1][2] == "started"


NODES = """
elm# mmgetstate -aLs

 Node number  Node name       Quorum  Nodes up  Total nodes  GPFS state   Remarks
------------------------------------------------------------------------------------
       1      elm                2        2          3       active       quorum node
       2      yew                2        2          3       {}  quorum node
       3      ash                2        2          3       active
"""


@pytest.mark.parametrize("state", ["arbitrating", "down       ", "active     "])
@pytest.mark.parametrize("has_gaps", [True, False])
def test_rows_of_different_lengths_are_cut_where_they_end(state: str, has_gaps: bool) -> None:
    text = NODES.format(state)
    flattened = one_line(text) if has_gaps else flat(*text.split("\n")) + "\n"
    assert [(one.node, one.state) for one in Reading(flattened).of(Membership)] == [
        (one.node, one.state) for one in Reading(text).of(Membership)
    ]


def test_the_description_of_an_event_on_one_line_is_no_state() -> None:
    text = """
elm# mmhealth event show disk_down
Event Name:              disk_down
Event ID:                999637
Description:             A disk is down.
Cause:                   A disk is down. This can be due to hardware or network issues.
User Action:             Recover the disk or remove it permanently.
Severity:                WARNING
State:                   DEGRADED
"""
    assert Reading(one_line(text)).of(StorageState) == Reading(text).of(StorageState) == []


@pytest.mark.parametrize("front", ["    ", "\t", "        "])
@pytest.mark.parametrize("address", ["d4:f5:ef:1:1a:3c", "52:54:0:9:2b:7"])
def test_a_long_line_that_is_set_in_goes_on_with_the_entry_above_it(front: str, address: str) -> None:
    link = "3: eth2: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc mq master br0 state UP mode DEFAULT"
    switches = " ".join(f"{name} off" for name in ("hairpin", "guard", "root_block", "fastleave", "proxy_arp", "flood"))
    port = (
        f"bridge_slave state forwarding priority 32 cost 100 {switches} port_id 0x8001 port_no 0x1 "
        f"designated_port 32769 designated_cost 0 designated_bridge 8000.{address} designated_root 8000.{address} "
        "hold_timer    0.00 message_age_timer    0.00 forward_delay_timer    0.00 topology_change_ack 0 "
        "config_pending 0 mcast_router 1 neigh_suppress off group_fwd_mask 0x0 vlan_tunnel off addrgenmode none "
        "numtxqueues 16 numrxqueues 16"
    )
    text = f"carp2# ip -d link\n{link}\n    link/ether 52:54:00:1a:2b:3c brd ff:ff:ff:ff:ff:ff\n{front}{port}\n"
    assert Reading(text).result.not_understood == 0


def test_stamps_that_stand_again_are_found_as_by_a_pattern() -> None:
    random = Random(56)
    for head in ("Mar  2 07:45:04 elm3 ", "a a ", "aa"):
        for _ in range(200):
            text = "".join(random.choice((head, " ", "\n", "\u00a0", "x", head[:-1])) for _ in range(12))
            assert [*_again(text, head)] == [match.start() for match in re.finditer(rf"(?<=\s){re.escape(head)}", text)]
