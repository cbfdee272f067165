"""Small bundles of Spectrum Scale as customers send them, each with a known answer."""

from __future__ import annotations

import io
import tarfile
from typing import Any

import pytest

from tests.reports import bundle, report_on

CLUSTER = """ Node  Daemon node name  IP address  Admin node name  Designation
------------------------------------------------------------------
   1   cl-a1             10.3.3.1    cl-a1            quorum
   2   cl-b2             10.3.3.2    cl-b2            quorum
"""


def analysis_of(files: dict[str, str]) -> dict[str, Any]:
    """What the analysis says of some files."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w") as archive:
        for name, text in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(text.encode())
            archive.addfile(member, io.BytesIO(text.encode()))
    return report_on(bundle(packed.getvalue(), "bundle.tar"))


def refs(found: dict[str, Any]) -> list[str]:
    return [finding["ref"] for finding in found["findings"]]


def new(age: float, since: str, thread: str, detail: str, number: int = 51201) -> str:
    return f"Waiting {age:.4f} sec since {since}, monitored, thread {number} {thread}: {detail}\n"


def rpc(message: str, peer: str) -> str:
    return f"on ThCond 0x7F12A400C0D8 (MsgRecordCondvar), reason 'RPC wait' for {message} on node {peer}"


def test_a_log_that_waits_for_the_disk_of_its_wrap() -> None:
    """A revoke, behind it a log write, behind it the disk of the log wrap, dumped over ssh from another node."""
    text = (
        "[root@cl-a1 ~]# mmdiag --waiters\n"
        + new(22.417, "03:14:02", "FsyncHandlerThread", rpc("tmMsgRevoke", "10.3.3.2 <c0n7>"))
        + "[root@cl-a1 ~]# ssh cl-b2.lab.example /usr/lpp/mmfs/bin/mmdiag --waiters\n=== mmdiag: waiters ===\n"
        + new(
            22.3901,
            "03:14:02",
            "RangeRevokeWorkerThread",
            "on ThCond 0x7F9930012AA0 (LogFileBufferDescriptorCondvar), reason 'force wait for buffer "
            "write to complete'",
            9921,
        )
        + new(22.395, "03:14:02", "LogWrapThread", "for I/O completion on disk sdq", 9955)
        + "[root@cl-a1 ~]# mmlscluster\n"
        + CLUSTER
    )
    found = analysis_of({"case.txt": text})
    assert [(root["kind"], root["what"], root["node"]) for root in found["roots"]] == [("disk", "sdq", "cl-b2")]
    assert found["verdict"]["ref"] == "SC-01"
    assert "log cannot flush: disk sdq behind cl-b2" in found["verdict"]["title"]


def silent_peer(*, below_banner: str) -> str:
    dump = "date; mmdiag --waiters\nWed Nov 20 09:00:{} CET 2024\n=== mmdiag: waiters ===\n"
    asks = ("08:59:05", "OpenHandlerThread", rpc("tmMsgRevoke", "10.3.3.2 <c0n2>"))
    log = "".join(
        (
            f"2024-11-20_08:59:{second:02d}.100+0100: [N] Close connection to 10.3.3.1 cl-a1 <c0n1>:[0]. "
            "Attempting reconnect.\n"
        )
        for second in (2, 12, 32)
    )
    return (
        "[root@cl-a1 ~]# "
        + dump.format("10")
        + new(65.1, *asks)
        + "[root@cl-a1 ~]# "
        + dump.format("40")
        + new(95.1, *asks)
        + '[root@cl-a1 ~]# ssh cl-b2 "date; mmdiag --waiters"\nWed Nov 20 09:00:41 CET 2024\n=== mmdiag: waiters ===\n'
        + below_banner
        + "[root@cl-a1 ~]# mmlscluster | tail -2\n"
        + "\n".join(CLUSTER.splitlines()[2:])
        + "\n"
        + "[root@cl-a1 ~]# ssh cl-b2 tail -3 /var/adm/ras/mmfs.log.latest\n"
        + log
    )


def test_a_dump_without_a_waiter_is_an_answer() -> None:
    """The holder shows nothing that waits, and its connection breaks: the network, and no chain that leaves
    the data.
    """
    found = analysis_of({"case.txt": silent_peer(below_banner="")})
    assert {
        (s["node"], s["records"])
        for i in found["inputs"]
        for s in i.get("sections", [])
        if s["format"] == "scale_waiters_new"
    } == {
        ("cl-a1", 1),
        ("cl-b2", 0),
    }
    assert found["verdict"]["ref"] == "SC-03"
    assert found["verdict"]["title"].startswith("Threads of cl-a1 wait up to ")
    assert "SC-11" not in refs(found)


@pytest.mark.parametrize(("age", "fires"), [(12.0, True), (2.0, False)])
def test_a_token_fought_for_dump_after_dump(age: float, fires: bool) -> None:
    """Each dump shows another wait for the same holder: contention where they are long; a busy moment where they are
    short.
    """
    text = ""
    for minute in (11, 12, 13):
        stamp, begun = f"2024-11-20 14:{minute}:30 ", f"14:{minute}:{30 - int(age):02d}"
        text += f"{stamp}=== mmdiag: waiters ===\n"
        text += f"{stamp}cl-a1: " + new(
            age, begun, "FileBlockWriteFetchHandlerThread", rpc("tmMsgBRRevoke", "10.3.3.2"), 5000 + minute
        )
        lock = "on ThCond 0x7F00BB (LkObjCondvar), reason 'waiting for WW lock'"
        text += f"{stamp}cl-b2: " + new(age - 0.1, begun, "RangeRevokeWorkerThread", lock, 6000 + minute)
    found = analysis_of({"hosts": CLUSTER, "waiters": text})
    assert ("SC-05" in refs(found)) is fires
    if fires:
        assert (found["verdict"]["ref"], found["verdict"]["title"].split()[0]) == ("SC-05", "cl-b2")
        assert {waiter["captured_at"] for waiter in found["waiters"]} == {
            f"2024-11-20T14:{minute}:30" for minute in (11, 12, 13)
        }


def test_tables_that_grep_left_without_their_heads() -> None:
    prompt = "gpfs-a07:/root # "
    text = (
        f"{prompt}mmgetstate -a | grep -v active\n      4  gpfs-a09         down\n{prompt}mmdiag "
        "--network | grep -v connected\n    gpfs-a09                            <c0n4>   172.16.4.25     "
        f"broken     110  -1    12        9          Linux/L\n{prompt}mmlsmgr | tail -1\nCluster manager "
        f"node: 172.16.4.22 (gpfs-a06)\n{prompt}mmlsdisk fs1 -e | tail -1\nnsd_b_03     nsd         512   "
        "       20 Yes      Yes   ready         down         system\n"
    )
    found = analysis_of({"case.txt": text})
    assert [(link["peer"], link["address"], link["state"]) for link in found["links"]] == [
        ("gpfs-a09", "172.16.4.25", "broken err 110")
    ]
    assert {(member["group"], member["state"]) for member in found["members"]} >= {
        ("gpfs-a09", "down"),
        ("Cluster manager", "manager"),
    }
    assert found["verdict"]["title"] == "1 disk is not up in file system fs1: nsd_b_03"
