"""Texts of Storage Scale as people send them, one by one: names, prompts and what forbids an all-clear."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from apps.diagnosis.engine.core.alarms.titles import without_object
from tests.diagnosis.cluster_texts import diagnosis_of

ALARMS: Final = ("critical", "high", "medium")


def test_a_disk_without_a_name_is_not_called_by_one(tmp_path: Path) -> None:
    waiter = "Waiting 811.1003 sec since 10:00:02, monitored, thread 40120 NSDThread: for I/O completion"
    found = diagnosis_of(tmp_path, f"[root@kestrel ~]# mmdiag --waiters\n=== mmdiag: waiters ===\n{waiter}\n")
    lacking = [one.why for one in found.missing if "I/O history" in one.what]
    assert lacking
    assert not any("unnamed" in one for one in lacking)


def test_a_lock_that_is_older_than_the_wait_for_the_disk_stays_the_cause(tmp_path: Path) -> None:
    lock = "stork3: 0x7F63B40034D0 waiting 5761.3 seconds, Msg handler getData: on ThMutex 0x18006A1E3C8 (LkObjMutex)"
    disk = "stork3: 0x7F63B40044D0 waiting 1760.1 seconds, NSDThread: for I/O completion on disk dm-17"
    verdict = diagnosis_of(tmp_path, f"{lock}\n{disk}\n").verdict
    assert verdict is not None
    assert "LkObjMutex" in verdict.title


@pytest.mark.parametrize(
    "command", ["mmrestripefs meadow -b", "mmshutdown -N stork3", "/usr/lpp/mmfs/bin/mmchdisk meadow start -a"]
)
def test_a_command_of_the_product_names_it(tmp_path: Path, command: str) -> None:
    found = diagnosis_of(tmp_path, f"[root@stork3 ~]# {command}\nScanning file system metadata, phase 1 ...\n")
    assert found.products == ("spectrum-scale",)


@pytest.mark.parametrize("prompt", ["[stork3 ~]# ", "[stork3 /var/log]# ", "[stork3:/root]$ ", "[root@stork3 ~]# "])
def test_a_prompt_without_a_user_is_read(tmp_path: Path, prompt: str) -> None:
    found = diagnosis_of(tmp_path, f"{prompt}mmces service list -a\nstork3:  NFS is not running, SMB is running\n")
    assert [node.name for node in found.nodes] == ["stork3"]


def test_a_sort_without_a_name_takes_its_article() -> None:
    assert without_object("The log of file system {about} is gone") == "The log of a file system is gone"
    assert without_object("The queue of AFM fileset {about} was dropped") == "The queue of an AFM fileset was dropped"
    assert without_object("The request failed for {about}") == "The request failed"
    assert (
        without_object("CVM is out of the group of nodes (\u201c{about}\u201d)") == "CVM is out of the group of nodes"
    )
    assert without_object("The engine stopped ({about})") == "The engine stopped"
    assert without_object("Disk {about} failed") == "Disk failed"
    assert without_object("The daemon met a deadlock of \u201c{about}\u201d") == "The daemon met a deadlock"
    assert without_object("The server runs out of open files") == "The server runs out of open files"


@pytest.mark.parametrize(
    "lead",
    [
        "log on gpfs3:",
        "Im Log von gpfs3:",
        "auf gpfs3 steht:",
        "\u0412 \u043b\u043e\u0433\u0435 \u043d\u0430 gpfs3:",
        "Sur gpfs3 :",
    ],
)
def test_a_sentence_names_a_node_that_is_spelt_like_the_one_of_a_prompt(tmp_path: Path, lead: str) -> None:
    lost = "2026-10-10_09:11:52.103+0300: [E] Could not connect to 10.8.0.1 gpfs1: Connection timed out (110)"
    found = diagnosis_of(tmp_path, f"[root@gpfs1 ~]# date\nSat Oct 10 09:20:00 EEST 2026\n\n{lead}\n{lost}\n").findings
    assert [one.nodes for one in found if "connect" in f"{one.title} {one.explanation}"] == [("gpfs3",)]


def test_a_script_that_complains_in_unknown_words_forbids_an_all_clear(tmp_path: Path) -> None:
    start = "2026-09-14_10:22:06.441+0200: [N] mmfsd ready\n2026-09-14_10:22:07.110+0200: mmstartup: "
    verdict = diagnosis_of(tmp_path, f"{start}Could not reach the daemon of stork4\n").verdict
    assert verdict is not None
    assert verdict.form != "healthy"
    twin = diagnosis_of(tmp_path, f"{start}Reached the daemon of stork4\n")
    assert [one for one in twin.findings if one.severity in ALARMS] == []


def test_a_token_server_of_whom_several_nodes_wait_is_missing_with_its_dump(tmp_path: Path) -> None:
    wait = (
        "{}: Waiting {} sec since 01:11:08, monitored, thread 4011 SharedHashTabFetchHandlerThread: on ThCond 0x7F00"
        " (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node 10.9.2.9 <c0n4>\n"
    )
    one, two = wait.format("stork1", "3003.1204"), wait.format("stork2", "3006.1204")
    lacking = [missing.what for missing in diagnosis_of(tmp_path, one + two).missing]
    assert "waiters of the token server 10.9.2.9" in lacking
    assert not [what for what in (m.what for m in diagnosis_of(tmp_path, one).missing) if "token server" in what]


@pytest.mark.parametrize(("replies", "words"), [(0, "answered no ping"), (60, "answered pings")])
def test_an_expelled_node_is_looked_at_by_what_it_answered(tmp_path: Path, replies: int, words: str) -> None:
    line = (
        "2027-03-15_05:31:44.220+0100: [E] Node 10.9.0.8 (stork8) is being expelled because of an expired lease."
        f" Pings sent: 60. Replies received: {replies}.\n"
    )
    assert [one for one in diagnosis_of(tmp_path, line).next_steps if "stork8" in one.why and words in one.why]
