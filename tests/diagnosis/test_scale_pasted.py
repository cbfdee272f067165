"""Texts of Spectrum Scale as people paste them: what the verdict says of them, each beside a twin in order."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reports import report_on_texts


def judged(*texts: str) -> dict[str, Any]:
    """The analysis of some texts, each a file of its own."""
    return report_on_texts(**{f"part{number}.txt": text for number, text in enumerate(texts)})


def severity_of(analysis: dict[str, Any]) -> str:
    return str(analysis["verdict"]["severity"])


def title_of(analysis: dict[str, Any]) -> str:
    return str(analysis["verdict"]["title"])


ALARMS = ("medium", "high", "critical")

FULL = {
    "df": "# df -h /loft\nFilesystem Size  Used Avail Use% Mounted on\nloft       40T   40T   12M 100% /loft\n",
    "df of inodes": "# df -i /loft\nFilesystem Inodes IUsed IFree IUse% Mounted on\nloft 100000 99999 1 100% /loft\n",
    "pool": "# mmapplypolicy loft\nPool_Name KB_Occupied KB_Total Percent_Occupied\nslow 1999 2000 99.950000000%\n",
    "quota": (
        "# mmlsquota -j pans loft\n"
        "                         Block Limits                                    |     File Limits\n"
        "Filesystem type             KB      quota      limit   in_doubt    grace |    files   quota    limit in_doubt"
        "    grace  Remarks\n"
        "loft       FILESET     2000000    1000000    2000000          0  expired |      10       0        0        0"
        "     none lab\n"
    ),
    "inodes of a fileset": (
        "# mmlsfileset loft -i\nFilesets in file system 'loft':\n"
        "Name    Status    Path        InodeSpace  MaxInodes  AllocInodes  UsedInodes\n"
        "pans    Linked    /loft/pans           1      70000        70000       70000\n"
    ),
}
ROOM = {
    "df": FULL["df"].replace("40T   12M 100%", "20T   20T  50%"),
    "df of an image": "# df -h\nFilesystem Size Used Avail Use% Mounted on\n/dev/loop3 64M 64M 0 100% /snap/core/1\n",
    "pool": FULL["pool"].replace("1999 2000 99.950000000%", "100 2000 5.000000000%"),
    "quota": FULL["quota"].replace("2000000    1000000    2000000          0  expired", "1000  1000000 2000000 0 none"),
    "inodes of a fileset": FULL["inodes of a fileset"].replace("70000\n", "300\n"),
}


@pytest.mark.parametrize("text", FULL.values(), ids=FULL)
def test_what_is_full_is_no_low_matter(text: str) -> None:
    analysis = judged(text)
    assert severity_of(analysis) in ALARMS
    assert analysis["next_steps"]
    assert len(title_of(analysis)) <= 140


@pytest.mark.parametrize("text", ROOM.values(), ids=ROOM)
def test_where_there_is_room_nothing_is_stated(text: str) -> None:
    assert severity_of(judged(text)) == "info"


WAIT = (
    "2031-06-03_22:52:10.318+0200: [A] Unexpected long waiter detected: Waiting 902.4160 sec since 2031-06-03 "
    "22:37:07, on node lund07, SharedHashTabFetchHandlerThread 5214: on MsgRecordCondvar, "
    "reason 'RPC wait' for tmMsgTellAcquire1\n"
)
GONE = "2031-06-03_22:59:10.000+0200: [N] The unexpected long waiter on thread 5214 has disappeared in 1323 seconds.\n"


@pytest.mark.parametrize("text", [WAIT + GONE, GONE + WAIT], ids=["oldest first", "newest first"])
def test_a_wait_that_the_log_calls_over_holds_up_nobody(text: str) -> None:
    analysis = judged(text)
    assert severity_of(analysis) == "low"
    assert "ended by itself" in title_of(analysis)
    assert analysis["roots"] == []
    assert [span["state"] for span in analysis["spans"]] == ["finished"]


def test_the_end_of_another_thread_ends_nothing() -> None:
    assert severity_of(judged(WAIT + GONE.replace("5214", "77"))) == "high"


def _history(slow_ms: float) -> str:
    head = (
        "[root@lund01 ~]# mmdiag --iohist\n\n=== mmdiag: iohist ===\n\nI/O history:\n\n"
        " I/O start time RW    Buf type disk:sectorNum     nSec  time ms  Type      Device/NSD ID        NSD node\n"
        "--------------- -- ----------- ----------------- -----  -------  ---- ------------------ ---------------\n"
    )
    rows = [
        f"06:20:{at:02}.100000  W        data    {disk}:{at * 1000 + disk}    16384 {ms:.3f}  cli  "
        f"0A1E0126:5A95880{disk}    10.88.3.38\n"
        for at in range(40)
        for disk, ms in ((2, slow_ms + at), (3, 7.0), (4, 6.0))
    ]
    return head + "".join(rows)


def test_a_disk_is_held_against_its_sisters_as_the_client_sees_them() -> None:
    slow = judged(_history(1500.0))
    assert severity_of(slow) == "medium"
    assert "0A1E0126:5A958802" in title_of(slow)
    assert any("mmlsnsd -X" in step["commands"] for step in slow["next_steps"])
    assert severity_of(judged(_history(5.0))) == "info"


def test_the_log_names_the_disk_that_the_waiter_does_not() -> None:
    row = "Waiting 44.1190 sec since 15:31:21, monitored, thread 101445 NSDThread: for I/O completion"
    wait = f"=== mmdiag: waiters ===\n{row}\n"
    log = "2031-02-04_15:31:44.371+0100: [E] Disk failure. Volume nest. rc = 5. Physical volume pot21.\n"
    named = judged(f"[root@lund02 ~]# mmdiag --waiters\n{wait}[root@lund02 ~]# tail mmfs.log\n{log}")
    assert any("pot21" in f["title"] for f in named["findings"] if f["ref"] == "SC-01")
    assert "unnamed" not in json.dumps([named["findings"], named["next_steps"], named["verdict"]])
    alone = judged(f"[root@lund02 ~]# mmdiag --waiters\n{wait}")
    assert "unnamed" not in json.dumps([alone["findings"], alone["next_steps"], alone["verdict"]])


def test_a_row_for_programs_names_its_target_inside_the_reason() -> None:
    head = (
        "mmdiag:waiters:HEADER:version:reserved:reserved:threadId:threadAddr:threadName:waitStartTime:waitTime:"
        "isMonitored:condVarAddr:condVarName:condVarReason:mutexAddr:mutexName:auxReason:delayTime:delayReason:\n"
    )
    row = (
        "mmdiag:waiters:0:1:::7002:00000000F57FC501:PrefetchWorkerThread:2031-02-04_15%3A31%3A34+0100:{s}:monitored:"
        "00003FF9FFD6D8C0:MsgRecordCondvar:RPC wait for {what} on node 10.88.2.8 <c0n7>::::::\n"
    )
    for what, rpc in (("NSD I/O completion", None), ("tmMsgRevoke", "tmMsgRevoke")):
        analysis = judged(head + row.format(s=522.1, what=what))
        (waiter,) = analysis["waiters"]
        assert (waiter["target"], waiter["rpc"], waiter["reason"]) == ("10.88.2.8", rpc, "RPC wait")
        assert severity_of(analysis) == "high"
    assert severity_of(judged(head + row.format(s=0.2, what="NSD I/O completion"))) == "info"


NETWORK = """[root@lund01 ~]# mmdiag --network

=== mmdiag: network ===

Pending messages:
  msg_id 4711, service 13.1, msg_type 20 'tmMsgRevoke', n_dest 1, n_pending 1
  this 0x7F31C40A2DA0, n_xhold 1, cl 0, cbFn 0x0, age {age} sec
    sent by 'RevokeHandlerThread' (0x7F31C40A1000)
    dest <c0n2>          status {state}   , err 0, reply len 0 by TCP connection
TCP Connections between nodes:
    hostname                            node     idx destination     status     err  sock  sent(MB)  recvd(MB)  ostype
    lund02                              <c0n1>     0 10.88.1.12      connected  0    88    120       44         Linux/L
    lund04                              <c0n2>     0 10.88.1.14      {link}  {err}    91    0         0          Linux/L
"""


def test_a_peer_without_a_connection_is_named_with_what_waits_for_it() -> None:
    cut = judged(NETWORK.format(age=52, state="pending", link="broken", err=233))
    assert (severity_of(cut), cut["verdict"]["ref"]) == ("high", "SC-40")
    assert "lund01 has no working connection to lund04; 1 message waits up to 52.0 s" in title_of(cut)
    assert any("both ends" in step["why"] for step in cut["next_steps"])
    slow = judged(NETWORK.format(age=52, state="pending", link="connected", err=0))
    assert (severity_of(slow), title_of(slow)) == ("medium", "lund04 has not answered lund01 for 52.0 s (tmMsgRevoke)")
    long = judged(NETWORK.format(age=520, state="pending", link="connected", err=0))
    assert severity_of(long) == "high"
    for age, state in ((1, "pending"), (52, "replied")):
        assert severity_of(judged(NETWORK.format(age=age, state=state, link="connected", err=0))) == "info"


EXPELLED = (
    "[root@lund01 ~]# cat /var/adm/ras/mmfs.log.latest\n"
    "2031-01-12_05:31:44.220+0100: [E] Node 10.88.0.33 (lund33) is being expelled because of an expired lease. "
    "Pings sent: 60. Replies received: {replies}.\n"
)


def test_answered_pings_point_to_the_host_and_silence_to_the_network() -> None:
    answered = judged(EXPELLED.format(replies=58))
    assert any("Look at lund33 itself" in step["why"] for step in answered["next_steps"])
    assert any("lund33 answered the pings" in finding["explanation"] for finding in answered["findings"])
    silent = judged(EXPELLED.format(replies=0))
    assert not any("itself" in step["why"] for step in silent["next_steps"])
    assert any("lund33 answered no ping" in finding["explanation"] for finding in silent["findings"])


def test_a_finding_begins_and_ends_with_the_offsets_that_its_lines_print() -> None:
    before = (
        "lund61: 2031-10-26_02:49:30.115+0200: [N] Disk lease period expired 0.730 seconds ago in cluster lund.lab.\n"
    )
    after = "lund61: 2031-10-26_02:11:30.902+0100: [E] Lost membership in cluster lund.lab. Unmounting file systems.\n"
    for text in (before + after, after + before):
        found = judged(text)["findings"][0]
        assert (found["start"], found["end"]) == ("2031-10-26T02:49:30.115+02:00", "2031-10-26T02:11:30.902+01:00")
        assert "lund.lab" not in found["title"]


ILL = {
    "recovery group": (
        "# mmvdisk recoverygroup list\n\n                          needs    user\n"
        "recovery group  active   current or master server  service  vdisks  remarks\n"
        "--------------  -------  ------------------------  -------  ------  -------\n"
        "rg_2            {active}     {server}          {service}  4\n",
        {"active": "no", "server": "-", "service": "unknown"},
        {"active": "yes", "server": "lund01.lab", "service": "no"},
    ),
    "pdisk": (
        "# mmvdisk pdisk list --rg all\n\n"
        "recovery group  pdisk        array   paths  capacity  free space  FRU (type)       state\n"
        "rg_2            e1d1s07      DA1     {paths}  7452 GiB  7452 GiB    01XX060         {state}\n",
        {"paths": "0", "state": "missing/drained"},
        {"paths": "2", "state": "ok"},
    ),
    "protocol service": (
        "# mmces service list -a\nEnabled services: NFS SMB\nlund03:  NFS is {word}running, SMB is running\n",
        {"word": "not "},
        {"word": ""},
    ),
    "protocol node": (
        "# mmces state show -a\nNODE      AUTH      BLOCK     NETWORK   AUTH_OBJ  NFS       CES\n"
        "lund03    DISABLED  DISABLED  HEALTHY   DISABLED  {nfs}    HEALTHY\n",
        {"nfs": "FAILED"},
        {"nfs": "HEALTHY"},
    ),
    "table for programs that nobody knows": (
        "# mmces state show -Y\nmmces:stateShow:HEADER:version:reserved:reserved:NODE:NFS:CES:\n"
        "mmces:stateShow:0:1:::lund03:{nfs}:HEALTHY:\n",
        {"nfs": "FAILED"},
        {"nfs": "HEALTHY"},
    ),
    "quota for programs": (
        "# mmlsquota -Y\nmmlsquota::HEADER:version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:"
        "blockQuota:blockLimit:blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:\n"
        "mmlsquota::0:1:::loft:USR:7:ines:{used}:900:1000:0:none:1:0:0:0:none:\n",
        {"used": "1000"},
        {"used": "10"},
    ),
}


@pytest.mark.parametrize(("text", "ill", "well"), ILL.values(), ids=ILL)
def test_a_listing_of_states_is_judged_by_what_it_says(text: str, ill: dict[str, str], well: dict[str, str]) -> None:
    assert severity_of(judged(text.format(**ill))) in ALARMS
    healthy = judged(text.format(**well))
    assert severity_of(healthy) == "info"
    assert [row["lines"]["not_understood"] for row in healthy["inputs"]] == [0]


FAILED = {
    "no quorum of the configuration": (
        "# mmlscluster\nmmlscluster: [E] The command was unable to reach the CCR service on the majority of quorum "
        "nodes to form CCR quorum.\n",
        "# mmlscluster\nmmlscluster: Command successfully completed\n",
    ),
    "a node behind the remote shell": (
        "# mmdsh -N all date\nmmdsh: lund03.lab remote shell process had return code 255.\n",
        "# mmdsh -N all date\nmmdsh: lund03.lab remote shell process had return code 0.\n",
    ),
    "a check with damage": (
        '# mmfsck nest -n\nChecking "nest"\nChecking inodes\nFile system contains unrepaired damage.\n',
        '# mmfsck nest -n\nChecking "nest"\nChecking inodes\nFile system is clean.\nExit status 0:0:0.\n',
    ),
    "a move of data that stops": (
        "# mmrestripefs nest -b\nScanning file system metadata, phase 1 ...\n"
        "There are not enough free disk blocks to complete.\n",
        "# mmrestripefs nest -b\nScanning file system metadata, phase 1 ...\nScan completed successfully.\n",
    ),
    "a disk without a server": (
        "2031-03-03_10:00:01.300+0100: [E] NSD pot12 has no available servers\n",
        "2031-03-03_10:00:01.300+0100: [N] Rediscovered NSD server access to pot12.\n",
    ),
    "no inodes by the log": (
        "2031-03-03_10:00:01.300+0100: [E] File system nest is out of inodes.\n",
        "2031-03-03_10:00:01.300+0100: [N] mmfsd ready\n",
    ),
    "a tiebreaker disk": (
        "2031-03-03_10:00:01.300+0100: [E] Unable to access tiebreaker disk pot1\n",
        "2031-03-03_10:00:01.300+0100: [N] Quorum achieved\n",
    ),
    "home of a cache": (
        "2031-03-03_10:00:01.300+0100: [E] AFM: Home server is down\n",
        "2031-03-03_10:00:01.300+0100: [N] Connected to 10.88.0.3 lund03 <c0n2>:[0]\n",
    ),
    "an expel that another node asked for": (
        "2031-03-03_10:00:01.300+0100: [E] The node 10.88.0.3 (lund03) has been expelled from the cluster.\n",
        "2031-03-03_10:00:01.300+0100: [N] Node 10.88.0.3 (lund03) joined the cluster.\n",
    ),
}


@pytest.mark.parametrize(("ill", "well"), FAILED.values(), ids=FAILED)
def test_what_a_command_or_the_log_calls_failed_is_reported(ill: str, well: str) -> None:
    assert severity_of(judged(ill)) in ALARMS
    assert severity_of(judged(well)) == "info"


def test_a_queue_that_no_disk_can_have_is_no_figure() -> None:
    head = "Device            r/s     w/s     rkB/s     wkB/s   r_await w_await aqu-sz  %util\n"
    text = f"{head}vdb  1.00 1.00 4.00 4.00 0.50 0.70 {{queue}} 1.00\n"
    odd = judged("# iostat -x\n" + text.format(queue="911404001221000.00"))
    assert [row["queue"] for row in odd["disk_io"] if row["op"] == ""] == [None]
    plain = judged("# iostat -x\n" + text.format(queue="2.50"))
    assert [row["queue"] for row in plain["disk_io"] if row["op"] == ""] == [2.5]


def test_an_awaited_reply_is_no_held_lock() -> None:
    reply = judged(WAIT)
    assert title_of(reply) == ("Threads of lund07 wait 15 m 02 s for another node's reply to tmMsgTellAcquire1")
    assert "who holds" not in json.dumps([reply["findings"], reply["next_steps"]])
    lock = judged(WAIT.replace("MsgRecordCondvar, reason 'RPC wait' for tmMsgTellAcquire1", "DirMutex"))
    assert "holds" in json.dumps([lock["findings"], lock["next_steps"]])


@pytest.mark.parametrize("waits", [1, 3])
def test_an_acquire_leads_to_the_node_that_is_requested_and_says_how_many_wait(waits: int) -> None:
    acquire = "on ThCond 0x7F8A2C1 (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node 10.88.0.3 <c0n3>"
    rows = (
        f"Waiting {902 + n}.44 sec since 2031-03-03_10:00:01, monitored, thread {20342 + n} ReadThread: {acquire}\n"
        for n in range(waits)
    )
    analysis = judged(f"[root@lund07 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n{''.join(rows)}")
    behind = f"{waits} wait{'s' * (waits > 1)} behind it"
    reasons = [step["why"] for step in analysis["next_steps"]]
    assert any(f"lund07 which node it asks to give the token up ({behind})" in why for why in reasons)
    [request] = [one for one in analysis["missing"] if one["what"] == "the next waiters of lund07"]
    assert request["why"].endswith(f"(waits for tokens that end there: {waits})")


def test_mounts_of_the_product_stand_in_tables_of_mounts() -> None:
    analysis = judged("[root@lund01 ~]# cat /proc/mounts\nnest /nest gpfs rw,relatime 0 0\n")
    assert [row["value"] for row in analysis["settings"]] == ["nest", "rw,relatime", "gpfs"]
    assert severity_of(analysis) == "info"
