"""Logs of the backup client and of mmbackup, crashes with what they say, expels in place of another node, jobs of a
benchmark on several nodes.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.reports import report_on_texts

RULER = "-" * 56 + "\n"


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            "03/04/2031 20:00:41 ANS5216E Could not establish a TCP/IP connection with address 'vault:1500'.\n"
            "03/04/2031 20:00:41 ANS1017E Session rejected: TCP/IP connection failure.\n",
            "vault:1500",
        ),
        ("04.03.2031 20:00:41 ANS1029E Communication with the server is lost.\n", "backup server"),
        ("2031-03-04 20:00:41 ANS1353E Session rejected: Unknown or incorrect ID entered\n", "refuses"),
        ("03/04/31   20:00:41 ANS1311E Server out of data storage space\n", "no room"),
        ("ANS1999E Incremental processing of '/srv/pots' stopped.\n", "/srv/pots"),
        ("03/04/2031 9:00:41 PM ANS1512E Scheduled event 'NIGHTLY' failed. Return code = 12.\n", "NIGHTLY"),
        ("03/04/2031 20:00:41 ANS9084E dsmmigrate: /srv/pots is not managed by space management.\n", "/srv/pots"),
        ("03/04/2031 20:00:41 ANS2250E Cannot connect to a remote recall daemon on node 7.\n", "brought back"),
        ("Total number of objects inspected:  1.200\nTotal number of objects failed:  431\n", "431"),
        ("Total number of objects inspected:  12 000\nTotal number of objects failed:  6,431\n", "6431"),
    ],
)
def test_a_backup_that_fails_is_reported(tmp_path: Path, text: str, says: str) -> None:
    verdict = verdict_in(diagnosis_of(tmp_path, text))
    assert says in verdict.title
    assert verdict.severity == "medium"


@pytest.mark.parametrize(
    "text",
    [
        "03/04/2031 20:41:12 ANS4037E Object '/srv/pots/a' changed during processing.  Object skipped.\n",
        "03/04/2031 20:41:12 ANS1228E Sending of object '/srv/pots/a' failed.\n"
        "03/04/2031 20:44:50 ANS1802E Incremental backup of '/srv/pots' finished with 1 failure(s)\n",
        "03/04/2031 20:41:12 ANS1898I ***** Processed     1,000 files *****\n",
        "Total number of objects inspected:  49,501\nTotal number of objects failed:  3\n",
    ],
)
def test_single_files_that_a_backup_skips_are_no_alarm(tmp_path: Path, text: str) -> None:
    judged = diagnosis_of(tmp_path, text)
    assert verdict_in(judged).severity in {"info", "low"}


@pytest.mark.parametrize(
    ("end", "says", "form"),
    [
        ("completed successfully", "Nothing wrong found", "healthy"),
        ("completed with some skipped files", "Nothing wrong found", "healthy"),
        ("completed with severe errors", "The backup of /srv/pots did not come to its end", "unexplained"),
        ("failed", "The backup of /srv/pots did not come to its end", "unexplained"),
    ],
)
def test_the_end_of_mmbackup_decides(tmp_path: Path, end: str, says: str, form: str) -> None:
    text = (
        f"{RULER}mmbackup: Backup of /srv/pots begins at Wed May  7 02:00:03 CEST 2031.\n{RULER}"
        "Wed May  7 02:00:11 2031 mmbackup:Scanning file system pots\n"
        "Wed May  7 02:34:07 2031 mmbackup:changed=48211, expired=1290, failed=0 for server [vault]\n"
        f"{RULER}mmbackup: Backup of /srv/pots {end} at Wed May  7 04:12:31 CEST 2031.\n{RULER}"
    )
    judged = diagnosis_of(tmp_path, text)
    assert verdict_in(judged).title.startswith(says)
    assert verdict_in(judged).form == form
    assert judged.products == ("spectrum-scale",)


def test_a_step_of_mmbackup_that_failed_is_reported_with_its_file_system(tmp_path: Path) -> None:
    text = (
        "mmbackup: Backup of /srv/jars begins at Wed May  7 02:00:03 CEST 2031.\n"
        "Wed May  7 03:02:55 2031 mmbackup:Command dsmc selective failed with rc 12\n"
    )
    assert "/srv/jars" in verdict_in(diagnosis_of(tmp_path, text)).title


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("[X] logAssertFailed: potP->lids == potP->jars", "potP->lids == potP->jars"),
        ("[X] *** Assert exp(lid != nil) in line 88 of file /b/src/pots.C", "lid != nil"),
        ("[X] Assertion failed: lid != nil", "lid != nil"),
        ("[X] *** Signal 11 at location 0x55D0A3F2C2E4 in process 18221, link reg 0x0.", "Signal 11"),
        ("Signal 6 at location 0x55D0A3F2C2E4 in process 18221", "Signal 6"),
    ],
)
def test_a_crash_says_what_it_met(tmp_path: Path, line: str, says: str) -> None:
    judged = diagnosis_of(tmp_path, f"2031-06-14_03:44:10.117+0200: {line}\n")
    assert verdict_in(judged).title == f"The daemon crashed: {says}"
    assert verdict_in(judged).severity in {"high", "critical"}


def _expel(second: int, target: str, asker: str, gone: str) -> str:
    return (
        f"Fri May 23 16:34:{second:02}.249 2031: Expel 10.5.0.78 ({target}) request from 10.5.0.9 ({asker}). "
        f"Expelling: 10.5.0.8 ({gone})\n"
    )


def test_who_stayed_while_the_requesters_went_is_named(tmp_path: Path) -> None:
    spared = verdict_in(
        diagnosis_of(tmp_path / "a", _expel(1, "jar68", "pot2", "pot2") + _expel(4, "jar68", "pot1", "pot1"))
    )
    assert spared.title.endswith("as they asked to expel jar68")
    usual = verdict_in(diagnosis_of(tmp_path / "b", _expel(1, "jar68", "pot2", "jar68")))
    assert "asked" not in usual.title
    assert "jar68" in usual.title


def test_a_lost_membership_names_the_connections_that_broke(tmp_path: Path) -> None:
    text = (
        "Wed Jun 25 16:11:16 2031: Close connection to 10.5.0.81 jar01\n"
        "Wed Jun 25 16:11:21 2031: Lost membership in cluster shelf.lake. Unmounting file systems.\n"
    )
    judged = diagnosis_of(tmp_path, text)
    [finding] = [one for one in judged.findings if one.ref == "SC-22"]
    assert "to jar01" in finding.explanation


def _job(node: str, mib: int) -> str:
    return (
        f"== node {node} ==\nfio-3.19\nseqread: (groupid=0, jobs=8): err= 0: pid=4411: Tue Mar 11 10:10:10 2031\n"
        f"  read: IOPS={mib}, BW={mib}MiB/s ({mib}MB/s)(60.0GiB/60002msec)\n"
    )


def test_one_job_is_compared_between_the_nodes_that_ran_it(tmp_path: Path) -> None:
    slow = diagnosis_of(tmp_path / "a", _job("pot1", 5120) + _job("pot2", 5088) + _job("pot3", 612))
    assert verdict_in(slow).ref == "ST-15"
    assert "on pot3" in verdict_in(slow).title
    for name, text in (
        ("alike", _job("pot1", 5120) + _job("pot2", 5088) + _job("pot3", 4612)),
        ("again", _job("pot1", 5120) + _job("pot1", 612)),
        ("alone", _job("pot1", 612)),
    ):
        assert all(one.ref != "ST-15" for one in diagnosis_of(tmp_path / name, text).findings), name


PADDED = "2031-09-25 13:11:01,152 - bridgeLogger - MainThread" + " " * 46 + "- {level:8} - {text}\n"


def test_columns_with_wide_blanks_are_read_as_levels(tmp_path: Path) -> None:
    down = "".join(PADDED.format(level=level, text=text) for level, text in (
        ("INFO", "*** bridge starts ***"),
        ("MOREINFO", "Perfmon RESTcall error __ Server responded: 503 Connection refused from server"),
        ("ERROR", "QueryHandler: getTopology returns no data."),
    ))  # fmt: skip
    assert "collector of performance data" in verdict_in(diagnosis_of(tmp_path / "a", down)).title
    well = PADDED.format(level="INFO", text="Successfully retrieved the metadata") * 3
    assert verdict_in(diagnosis_of(tmp_path / "b", well)).severity == "info"


def test_the_log_of_ctdb_has_a_window(tmp_path: Path) -> None:
    judged = diagnosis_of(tmp_path, "2031/03/26 14:43:43.997318 ctdbd[25187]: Recovery mode set to ACTIVE\n" * 2
                          + "2031/03/26 14:43:47.112240 ctdbd[25187]: Banning this node for 300 seconds\n")  # fmt: skip
    assert judged.start is not None
    assert judged.products == ("storage",)


def test_the_log_of_the_scheduler_of_backups_is_read(tmp_path: Path) -> None:
    at = "05/07/2031 22:44:02 "
    head = f"{at}--- SCHEDULEREC STATUS BEGIN\n{at}Total number of objects inspected:    1,214,002\n"
    well = f"{head}{at}Total number of objects failed:   0\n{at}Scheduled event 'NIGHTLY' completed successfully.\n"
    assert verdict_in(diagnosis_of(tmp_path / "a", well)).form == "healthy"
    ill = f"{head}{at}Total number of objects failed:   388,104\n{at}--- SCHEDULEREC STATUS END\n"
    assert "388104" in verdict_in(diagnosis_of(tmp_path / "b", ill)).title


@pytest.mark.parametrize("place", ["", "nfs_health.c:112 :", "<no-file>:0 :"])
def test_the_nfs_server_is_heard_with_and_without_its_place(tmp_path: Path, place: str) -> None:
    head = "2031-02-07T12:12:01.000001+0000 : epoch 67a38840 : pot4 : ganesha.nfsd-2592[dbus] "
    ill = f"{head}{place}nfs_health :DBUS :WARN :Health status is unhealthy. enq new: 12, old: 11\n"
    assert verdict_in(diagnosis_of(tmp_path / "a", ill)).title.endswith("on pot4")
    well = f"{head}{place}nfs_lift_grace :STATE :EVENT :NFS Server Now NOT IN GRACE\n"
    calm = diagnosis_of(tmp_path / "b", well)
    assert verdict_in(calm).severity == "info"
    assert [one.name for one in calm.nodes] == ["pot4"]


def test_an_entry_of_the_error_log_gives_the_window(tmp_path: Path) -> None:
    text = (
        "LABEL:          MMFS_PHOENIX\nIDENTIFIER:     AB429E38\n\nDate/Time:       Mon Feb  2 03:11:20 2032\n"
        "Node Id:         pot9\nClass:           S\nType:            UNKN\n\nDescription\nSOFTWARE PROGRAM ERROR\n"
    )
    assert diagnosis_of(tmp_path, text).start is not None


_EXPELLED = (
    "2031-10-03_04:11:43.530+0200: [E] Node 10.40.1.3 (pot3) lease renewal is overdue. Pinging to check if"
    " it is alive\n"
    "2031-10-03_04:12:02.002+0200: [N] Disk lease period expired 18.470 seconds ago in cluster shelf.lake for node"
    " 10.40.1.3 (pot3)\n"
    "2031-10-03_04:12:07.611+0200: [E] Node 10.40.1.3 (pot3) is being expelled because of an expired lease.\n"
)


@pytest.mark.parametrize(
    ("kernel", "says"),
    [
        ("Oct  3 04:11:07 pot3 kernel: mlx5_core 0000:3b:00.0 ib0: Link down\n", "after ib0 of pot3 went down"),
        ("Oct  3 04:10:50 pot3 kernel: i40e 0000:18:00.0 ens1f0: NIC Link is Down\n", "after ens1f0 of pot3 went down"),
        ("Oct  3 04:11:07 pot3 kernel: watchdog: BUG: soft lockup - CPU#3 stuck for 23s! [jar:311]\n", "pot3 starved"),
        ("Oct  3 04:31:07 pot3 kernel: mlx5_core 0000:3b:00.0 ib0: Link down\n", ""),
        ("Oct  3 04:11:07 pot5 kernel: mlx5_core 0000:3b:00.0 ib0: Link down\n", ""),
    ],
)
def test_what_the_kernel_stated_before_stands_with_the_expel(tmp_path: Path, kernel: str, says: str) -> None:
    judged = diagnosis_of(tmp_path, **{"pot1/mmfs.log.latest": _EXPELLED, "host/messages": kernel})
    [left] = [one for one in judged.findings if one.ref == "SC-22"]
    title = verdict_in(judged).title if verdict_in(judged).ref == "SC-22" else (left.verdict or left.title)
    assert "(pot3)" in title
    assert says in title
    assert ("went down" in title or "starved" in title) == bool(says)


NODE_LIST = """\
[root@willow7 ~]# mmces node list
Node Number   Node Name    Node Groups  Node Flags
-------------------------------------------------
 1            willow7                   {}
 2            willow9                   none
"""


@pytest.mark.parametrize(
    ("flags", "title"),
    [
        ("none", "Nothing wrong found: 2 components healthy"),
        ("Suspended", "Nothing wrong found: 1 component healthy and 1 suspended or with a tip"),
    ],
)
def test_a_protocol_node_that_is_suspended_is_not_counted_as_healthy(flags: str, title: str) -> None:
    verdict = report_on_texts(one=NODE_LIST.format(flags))["verdict"]
    assert (verdict["form"], verdict["title"]) == ("healthy", title)
