"""What commands and monitors of Spectrum Scale answer, with the part that they speak of, beside twins in order."""

from __future__ import annotations

import json

import pytest

from tests.diagnosis.test_scale_pasted import ALARMS, judged, severity_of, title_of

PATHS = """# mmlsdisk {fs} {flag}

Disk name     IO performed on node     Device             Availability
------------  -----------------------  -----------------  ------------
{disk}        localhost                /dev/dm-3          up
pan7          {node:<24} {device:<18} {state}
"""


@pytest.mark.parametrize(
    ("flag", "node", "device", "state"), [("-M", "-", "-", "down"), ("-m", "oven3.lab", "/dev/dm-9", "unrecovered")]
)
def test_a_disk_without_a_path_is_down(flag: str, node: str, device: str, state: str) -> None:
    sick = judged(PATHS.format(fs="loft", flag=flag, disk="pan6", node=node, device=device, state=state))
    assert severity_of(sick) == "high"
    assert "loft: pan7" in title_of(sick)
    text = PATHS.format(fs="loft", flag=flag, disk="pan6", node="oven2", device="/dev/dm-4", state="up")
    well = judged(text)
    assert severity_of(well) == "info"
    assert [row["lines"]["not_understood"] for row in well["inputs"]] == [0]


ATTENTION = "# mmlsdisk nest -e\nAttention: Due to an earlier configuration change the file system\n{0}\n"


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("is no longer properly replicated.", "no longer properly replicated"),
        ("is no longer properly balanced.", "no longer properly replicated"),
        ("may contain data that is at risk of being lost.", "at risk of being lost"),
    ],
)
def test_what_an_earlier_change_left_is_called_what_it_is(words: str, message: str) -> None:
    analysis = judged(ATTENTION.format(words))
    assert message in title_of(analysis)
    assert [row["lines"]["not_understood"] for row in analysis["inputs"]] == [0]


def test_only_the_remote_shell_itself_tells_of_a_node_that_is_not_reached() -> None:
    text = "# mmdsh -N all grep -c x /etc/y\nmmdsh: oven4.lab {shell} process had return code {code}.\n"
    for shell in ("remote shell", "ssh", "/usr/bin/ssh"):
        gone = judged(text.format(shell=shell, code=255))
        assert severity_of(gone) in ALARMS
        for code in ("1", "32", "127"):
            ended = judged(text.format(shell=shell, code=code))
            assert severity_of(ended) in ("low", "info")
            assert not ended["members"]


@pytest.mark.parametrize(
    "text",
    [
        "get file failed: Not enough CCR quorum nodes available (err 809)\n",
        "gpfsClusterInit: Unexpected error from ccr fget mmsdrfs.  Return code: 158\n",
        "mmcommon: Unexpected error from ccr vget. Return code: 809\n",
    ],
)
def test_a_repository_without_quorum_is_reported(text: str) -> None:
    analysis = judged(f"[root@oven4 ~]# mmlscluster\n{text}")
    assert severity_of(analysis) == "high"
    assert "quorum on oven4" in title_of(analysis)


CHECK = (
    "# mmccr check -Y -e\nmmccr::HEADER:version:reserved:reserved:NodeId:CheckMnemonic:ErrorCode:ErrorMsg:"
    "ListOfFailedEntities:ListOfSucceedEntities:Severity:\nmmccr::0:1:::1:FC_COMMITTED_DIR:0::0:7:OK:\n"
    "mmccr::0:1:::1:PC_QUORUM_NODES:{0}:10.88.0.1:{1}:\n"
)


def test_a_check_of_the_repository_names_what_failed() -> None:
    sick = judged(CHECK.format("809:Ping CCR quorum nodes failed:10.88.0.3", "FATAL"))
    assert severity_of(sick) in ALARMS
    assert "10.88.0.3" in title_of(sick)
    well = judged(CHECK.format("0::", "OK"))
    assert severity_of(well) == "info"
    assert [row["lines"]["not_understood"] for row in well["inputs"]] == [0]


ROW = "{0}\t2031-02-10 06:13:20\t{1}\t{2}\t{3}\t{4}\n"
HEAD = "Severity\tTime\tEvent\tComponent\tNode\tMessage\n"


@pytest.mark.parametrize(
    ("event", "component", "message", "part"),
    [
        ("disk_down", "Disk", "Disk pan3 is reported as not up.", "pan3"),
        ("unmounted_fs_check", "File system", "The filesystem loft is probably needed, but not mounted.", "loft"),
        ("network_down", "Network", "Network interface bond1 is down.", "bond1"),
    ],
)
def test_a_row_without_a_column_for_the_part_names_it_in_its_words(
    event: str, component: str, message: str, part: str
) -> None:
    analysis = judged(HEAD + ROW.format("ERROR", event, component, "oven4", message))
    [finding] = [one for one in analysis["findings"] if one["severity"] in ALARMS]
    assert part in finding["title"]
    assert finding["nodes"] == ["oven4"]
    assert "oven4" in {node["name"] for node in analysis["nodes"]}


def test_an_event_of_an_interface_means_the_same_in_small_letters() -> None:
    event = {
        "component": "filesystem",
        "entityName": "loft",
        "entityType": "FILESYSTEM",
        "name": "fs_forced_unmount",
        "severity": "ERROR",
        "reportingNode": "oven4",
        "message": "The filesystem loft was unmounted by force",
    }
    for component in ("filesystem", "FILESYSTEM", "Filesystem"):
        sick = judged(json.dumps({"events": [event | {"component": component}]}))
        assert severity_of(sick) in ("high", "critical")
        assert "loft" in title_of(sick)
    foreign = {"component": "web", "entityName": "cart", "severity": "info", "name": "reload", "message": "reloaded"}
    assert severity_of(judged(json.dumps({"events": [foreign]}))) == "info"


FAILURES = {
    "log": "2031-03-03_10:00:01.300+0100: [E] Disk failure.  Volume {fs}. rc = 5. Physical volume {disk}.\n",
    "system log": "Mar  3 10:00:01 oven4 mmfs: [E] Disk failure. Volume {fs}. rc = 19. Physical volume {disk}.\n",
    "error log": (
        "Mar  3 10:00:01 oven4 mmfs: Error=MMFS_DISKFAIL, ID=0x9C6C05FA, Tag=41:   Disk failure. Volume {fs}. rc = 5. "
        "Physical volume {disk}.\n"
    ),
}


@pytest.mark.parametrize("text", FAILURES.values(), ids=FAILURES)
def test_a_failed_disk_is_reported_with_its_file_system(text: str) -> None:
    analysis = judged(text.format(fs="loft", disk="pan3"))
    assert title_of(analysis).startswith("Disk pan3 of file system loft failed")


def test_a_slow_request_is_reported_with_its_disk() -> None:
    entry = (
        "Mar  3 10:00:01 oven4 mmfs: Error=MMFS_LONGDISKIO, ID=0x9C1E4711, Tag=4: Disk I/O took {0} seconds on {1}\n"
    )
    for seconds, disk in (("74", "pan3"), ("12.5", "pan_4."), ("31", "disk pan5")):
        analysis = judged(entry.format(seconds, disk))
        assert f"disk {disk.removeprefix('disk ').rstrip('.')} took long" in title_of(analysis)


@pytest.mark.parametrize("why", ["due to a request from", "because of a communication problem with node"])
def test_an_expel_names_the_node_on_the_other_side(why: str) -> None:
    line = "2031-03-03_10:00:01.300+0100: [E] Node 10.88.0.3 (oven3) is being expelled {0} 10.88.0.7 (oven7)\n"
    analysis = judged(line.format(why))
    [finding] = [one for one in analysis["findings"] if one["rule"] == "membership"]
    assert "oven3" in finding["title"]
    assert "oven7" not in finding["title"]
    assert "oven7 asked for it" in finding["explanation"]


CELLS = "| node | waiter |\n|------|--------|\n| oven1 | {wait} on node 10.88.0.9 <c0n8> |\n| oven2 | {wait} |\n"
LONG = "Waiting {0} sec since 14:01:02, monitored, thread 4411 NSDThread: for NSD I/O completion"


def test_waiters_in_the_cells_of_a_table_have_their_node() -> None:
    sick = judged(CELLS.format(wait=LONG.format("512.0012")))
    assert severity_of(sick) == "high"
    assert {row["node"] for row in sick["waiters"]} == {"oven1", "oven2"}
    assert severity_of(judged(CELLS.format(wait=LONG.format("0.0012")))) == "info"


CACHE = (
    "# mmafmctl loft getstate\n"
    "Fileset Name    Fileset Target                                Cache State          Gateway Node    Queue Length   "
    "Queue numExec\n"
    "------------    --------------                                -------------        ------------    ------------   "
    "-------------\n"
    "pans            nfs://home/gpfs/pans                          {0:<20} oven1           {1}           771\n"
)


def test_a_cache_that_lost_its_home_says_how_much_waits() -> None:
    for state in ("Disconnected", "Dropped", "NeedsResync"):
        assert "5120 requests" in title_of(judged(CACHE.format(state, 5120)))
    assert "requests" not in title_of(judged(CACHE.format("Disconnected", 0)))
    assert severity_of(judged(CACHE.format("Dirty", 7))) == "info"


def test_a_mount_from_inside_is_a_mount() -> None:
    text = (
        "# mmlsmount loft -L\n\nFile system loft (lund.lab:loft) is mounted on 2 nodes:\n"
        "  10.88.0.1       oven1                     lund.lab\n  10.88.0.2       oven2          {0}\n"
    )
    for mode in ("lund.lab       internal mount", "internal mount", "lund.lab  (internal mount)"):
        analysis = judged(text.format(mode))
        assert [row["lines"]["not_understood"] for row in analysis["inputs"]] == [0]
        assert severity_of(analysis) == "info"


STATES = """[root@oven1 ~]# mmgetstate -a

 Node number  Node name        GPFS state
-------------------------------------------
       1      oven1            {0}
       3      oven3            {1}
"""
SHUT = """[root@oven1 ~]# mmshutdown {0}
Sun Oct  5 09:00:00 CEST 2031: mmshutdown: Starting force unmount of GPFS file systems
Sun Oct  5 09:00:20 CEST 2031: mmshutdown: Finished
"""
START = "[root@oven1 ~]# mmstartup {0}\nSun Oct  5 09:20:00 CEST 2031: mmstartup: Starting GPFS ...\n"


@pytest.mark.parametrize(
    ("given", "states"),
    [("-N oven3", ("active", "down")), ("-N oven2,oven3.lab", ("active", "down")), ("-a", ("down", "down"))],
)
def test_a_node_that_was_shut_down_in_the_session_is_down_on_purpose(given: str, states: tuple[str, str]) -> None:
    down = judged(SHUT.format(given) + STATES.format(*states))
    assert severity_of(down) == "low"
    assert "on purpose" in title_of(down)
    again = judged(SHUT.format(given) + START.format(given) + STATES.format(*states))
    assert severity_of(again) in ALARMS  # it was started, and is down all the same
    other = judged(SHUT.format("-N oven2") + STATES.format(*states))
    assert severity_of(other) in ALARMS
    late = judged(STATES.format(*states) + SHUT.format(given))
    assert severity_of(late) in ALARMS


def test_a_node_that_came_back_after_somebody_acted_is_in_order() -> None:
    down, up = STATES.format("active", "down"), STATES.format("active", "active")
    assert severity_of(judged(down + START.format("-N oven3") + up)) in ("low", "info")
    assert severity_of(judged(up + START.format("-N oven3") + down)) in ALARMS
    assert severity_of(judged(down + "[root@oven1 ~]# mmlsmgr -c\n" + up)) in ALARMS


LEFT = (
    "{link}Oct  5 03:12:40 oven1 mmfs: [N] Disk lease period expired 0.110 seconds ago in cluster nest. Attempting to "
    "reacquire the lease.\nOct  5 03:12:58 oven1 mmfs: [E] Lost membership in cluster nest. Unmounting file systems.\n"
    "Oct  5 {clock} oven1 kernel: {fault}\n"
)
HUNG = "INFO: task rsync:8812 blocked for more than 120 seconds."


@pytest.mark.parametrize(
    ("clock", "fault", "is_cause"),
    [
        ("03:15:32", HUNG, False),
        ("03:20:00", "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [mmfsd:4410]", False),
        ("03:12:50", HUNG, True),
        ("03:13:05", "watchdog: BUG: soft lockup - CPU#3 stuck for 22s! [mmfsd:4410]", True),
    ],
)
def test_a_task_that_stands_still_since_the_node_was_lost_is_no_cause(
    clock: str, fault: str, *, is_cause: bool
) -> None:
    link = "Oct  5 03:12:01 oven1 kernel: mlx5_core 0000:3b:00.0 ib0: Link down\n"
    analysis = judged(LEFT.format(link=link, clock=clock, fault=fault))
    assert ("daemon-starved" in {one["rule"] for one in analysis["findings"]}) == is_cause
    assert is_cause or title_of(analysis).endswith("after ib0 of oven1 went down")
    assert severity_of(analysis) == "high"


def test_a_restart_of_the_daemon_is_reported_by_its_reason() -> None:
    entry = "Mar  3 10:00:01 oven4 mmfs: Error=MMFS_PHOENIX, ID=0xAB429E38, Tag=4: Reason code 668 Failure Reason {0}\n"
    for reason in ("Lost membership in cluster nest. Unmounting file systems.", "Quorum loss"):
        analysis = judged(entry.format(reason))
        assert severity_of(analysis) == "high"
        assert title_of(analysis).startswith("Nodes left the cluster (oven4)")


def test_a_cluster_of_which_no_node_is_active_is_called_that() -> None:
    for states in (("down", "down"), ("down", "unknown"), ("unknown", "unknown")):
        analysis = judged(STATES.format(*states))
        assert title_of(analysis).startswith("GPFS is active on no node: oven1")
        assert severity_of(analysis) == "high"
    one = judged(STATES.format("active", "down"))
    assert title_of(one) == "GPFS is not active everywhere: oven3 is down"


LOGGED = {
    "no port for RDMA": ("[W] VERBS RDMA not enabled: no active ports found.", "[I] VERBS RDMA started."),
    "no port of the settings": ("[E] VERBS RDMA startup failed, no verbsPorts defined.", "[N] VERBS RDMA disabled."),
    "a pool without room": (
        "[E] File system loft: storage pool slow out of disk space.",
        "[I] Command: successful mmlspool loft",
    ),
    "a mount": ("[E] Unable to mount file system loft. The daemon is not up.", "[I] Command: successful mount loft"),
}


@pytest.mark.parametrize(("sick", "well"), LOGGED.values(), ids=LOGGED)
def test_a_line_of_the_log_with_a_level_of_trouble_is_reported(sick: str, well: str) -> None:
    stamp = "2031-03-03_10:00:01.300+0100: "
    assert severity_of(judged(f"{stamp}{sick}\n")) in ALARMS
    assert severity_of(judged(f"{stamp}{well}\n")) == "info"


READ = {
    "figures with a unit": (
        "# mmperfmon query usage\nLegend:\n 1: oven1|CPU|cpu_user\n 2: oven1|Memory|mem_free\n"
        " 3: oven1|Network|lo|net_r\n\nRow           Timestamp cpu_user  mem_free     net_r\n"
        "  1 2031-10-05-10:00:00     0.26 1091.1 MB   24.1 kB\n  2 2031-10-05-10:00:01     null 1.1 GiB 0.3 kB/s\n"
    ),
    "a pdisk with its server in the middle": (
        '# mmlspdisk rgL\npdisk:\n   name = "e1d1s01"\n   recoveryGroup = "rgL"\n   state = "ok"\n'
        '   server = "io1.lan"\n'
        "   reads = 368045\n   pathErrors = 2\n   nPaths = 2 active 4 total\n"
    ),
    "steps of a check in capitals": (
        '# mmfsck loft -n\nChecking "loft"\n   Checking ACL file records\n   Checking directories and files\n'
        "File system is clean.\n"
    ),
    "rows that end in an empty cell": (
        "node,component,status,reasons\noven1,GPFS,HEALTHY,\noven1,DISK,HEALTHY,\noven2,GPFS,HEALTHY,none\n"
    ),
}


@pytest.mark.parametrize("text", READ.values(), ids=READ)
def test_every_line_of_a_text_in_order_is_read(text: str) -> None:
    analysis = judged(text)
    assert [row["lines"]["not_understood"] for row in analysis["inputs"]] == [0]
    assert severity_of(analysis) == "info"


def test_a_figure_keeps_the_unit_that_is_printed_behind_it() -> None:
    analysis = judged(READ["figures with a unit"])
    found = {(row["name"], row["unit"]): [point[1] for point in row["points"]] for row in analysis["series"]}
    assert found["mem_free", "MB"] == [1091.1]
    assert found["mem_free", "GiB"] == [1.1]
    assert found["net_r", "kB/s"] == [0.3]


NETWORK = """=== mmdiag: network ===

Inter-node communication configuration:
  tscTcpPort      1191
  my address      10.88.0.1/24 (bond0) <c0n0>
TCP Connections between nodes:
  Device null:
    hostname                            node     destination     status     err  sock  sent(MB)  recvd(MB)  ostype
    oven2                               <c0n1>   10.88.0.2       connected  0    41    10        10         Linux/L
    oven3                               <c0n2>   10.88.0.3       {0:<10} {1:<4} -1    0         0          Linux/L
"""


def test_a_connection_that_was_never_needed_is_none_that_broke() -> None:
    assert severity_of(judged(NETWORK.format("init", 0))) == "info"
    for state, error in (("init", 110), ("reconnect", 0), ("broken", 79)):
        sick = judged(NETWORK.format(state, error))
        assert severity_of(sick) in ALARMS
        assert "oven3" in title_of(sick)


def history(slow_servers: tuple[int, ...]) -> str:
    rows = (
        f"13:10:{n:02d}.100000  R        data    {1 + n % 4}:{8000 + n:<12d}   2048  "
        f"{900.0 + n if n % 4 // 2 in slow_servers else 4.4:8.3f}  cli  0A4D010{1 + n % 4}:66E1F20{1 + n % 4}    "
        f"10.88.0.{n % 4 // 2}\n"
        for n in range(48)
    )
    return (
        "[root@oven1 ~]# mmdiag --iohist\n\n=== mmdiag: iohist ===\n\nI/O history:\n\n"
        " I/O start time RW    Buf type disk:sectorNum     nSec  time ms  type  Device/NSD ID       NSD node\n"
        "--------------- -- ----------- ----------------- -----  -------  ---- ------------------ ---------------\n"
        f"{''.join(rows)}"
    )


def test_a_server_all_of_whose_disks_are_slow_is_slow_itself() -> None:
    for server in (0, 1):
        sick = judged(history((server,)))
        assert title_of(sick).startswith(f"Server 10.88.0.{server} took ")
        assert severity_of(sick) == "medium"
    assert severity_of(judged(history(()))) == "info"


def test_a_role_that_one_node_hands_over_to_another_was_not_taken() -> None:
    given = "Node 10.88.0.1 (oven1) resigned as manager for loft.\n"
    taken = "Node 10.88.0.2 (oven2) appointed as manager for loft.\n"
    assert severity_of(judged(f"# mmchmgr loft oven2\n{given}{taken}")) in ("low", "info")
    assert severity_of(judged(f"# tail log\n{taken}")) == "medium"
    assert severity_of(judged(f"# tail log\n{taken}{given}")) == "medium"


WITHOUT_HEADER = {
    "health": (
        "mmhealth:State:0:1:::oven4:GPFS:oven4:NODE:{0}:2031-05-05 01%3A00%3A00 CEST:\n",
        ("FAILED", "HEALTHY"),
        "oven4",
    ),
    "state of a node": ("mmgetstate::0:1:::oven4:4:{0}:2:3:4:quorum node:(undefined):\n", ("down", "active"), "oven4"),
    "disk": (
        "mmlsdisk::0:1:::pan3:nsd:512:-1:No:Yes:ready:{0}:4:slow::5:3:3:31210004736:C0A8F6FB5E723054:::\n",
        ("down", "up"),
        "pan3",
    ),
}


@pytest.mark.parametrize(("row", "states", "part"), WITHOUT_HEADER.values(), ids=WITHOUT_HEADER)
def test_a_row_for_programs_is_read_where_a_filter_dropped_its_header(
    row: str, states: tuple[str, str], part: str
) -> None:
    sick = judged(row.format(states[0]))
    assert severity_of(sick) in ALARMS
    assert part in title_of(sick)
    assert severity_of(judged(row.format(states[1]))) == "info"
