"""Replicas of DRBD, links of corosync, fencing and daemons of a cluster, as people paste them: what is lost is told
with its node, what is set up so or came back raises no alarm.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis, Verdict
from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in
from tests.diagnosis.test_report import analysed

GRAVE = ("critical", "high", "medium")


def judged(folder: Path, text: str) -> tuple[Diagnosis, Verdict, set[str]]:
    """The diagnosis of one text, its verdict and its nodes."""
    diagnosis = diagnosis_of(folder, text)
    return diagnosis, verdict_in(diagnosis), {node.name for node in diagnosis.nodes}


def spoken_of(folder: Path, text: str) -> set[str]:
    """The nodes of the report, with those that only others name."""
    path = folder / "post.txt"
    path.write_text(text, encoding="utf-8")
    return {node["name"] for node in analysed(path, workspace=folder / "facts")["nodes"]}


DISKLESS = """[root@{me} ~]# drbdadm status
{resource} role:{role}
  disk:Diskless{word}
  {one} role:Secondary
    peer-disk:{first}
  {other} role:Secondary
    peer-disk:{second}
"""


@pytest.mark.parametrize(
    ("word", "first", "second", "severity"),
    [
        (" client:yes", "UpToDate", "UpToDate", "info"),
        (" client:yes", "UpToDate", "Outdated", "medium"),
        ("", "UpToDate", "UpToDate", "info"),
        ("", "UpToDate", "Inconsistent", "medium"),
        ("", "DUnknown", "Outdated", "critical"),
    ],
    ids=["a client", "a client, one copy old", "the keeper of a quorum", "one good copy left", "no good copy"],
)
@pytest.mark.parametrize(
    "names",
    [
        {"me": "otter", "one": "stoat", "other": "vole", "resource": "vm7", "role": "Primary"},
        {"me": "kvm-a1", "one": "kvm-a2.lab.example", "other": "kvm-a3", "resource": "pvc-12ab", "role": "Secondary"},
    ],
    ids=["words", "numbers"],
)
def test_a_node_without_a_disk_is_weighed_by_the_copies_that_are_left(
    word: str, first: str, second: str, severity: str, names: dict[str, str], tmp_path: Path
) -> None:
    text = DISKLESS.format(word=word, first=first, second=second, **names)
    _, verdict, nodes = judged(tmp_path, text)
    assert verdict.severity == severity, verdict.title
    assert names["me"] in nodes


@pytest.mark.parametrize("role", ["Primary", "Secondary"])
def test_a_resource_of_drbd_without_quorum_is_reported(role: str, tmp_path: Path) -> None:
    text = (
        f"root@otter:~# drbdadm status vm7\nvm7 role:{role}\n  disk:UpToDate quorum:no\n  stoat connection:Connecting\n"
    )
    diagnosis, _, _ = judged(tmp_path, text)
    assert any(re.search(rf"vm7: no quorum, {role} here", one.title) for one in diagnosis.findings)
    healthy, verdict, _ = judged(
        tmp_path / "other", text.replace(":no", ":yes").replace("connection:Connecting", "role:Secondary")
    )
    assert verdict.severity == "info"
    assert not any("quorum" in one.title for one in healthy.findings)


OVERVIEW = """ 0:{resource}  Connected Primary/Secondary UpToDate/{other} C r-----
 1:{resource}  Connected Primary/Secondary UpToDate/UpToDate C r-----
"""


@pytest.mark.parametrize("resource", ["??not-found??", "vm7/0"])
def test_devices_that_the_configuration_does_not_know_are_read_as_others(resource: str, tmp_path: Path) -> None:
    _, verdict, _ = judged(tmp_path, OVERVIEW.format(resource=resource, other="UpToDate"))
    assert verdict.form == "healthy"
    _, verdict, _ = judged(tmp_path / "old", OVERVIEW.format(resource=resource, other="Outdated"))
    assert verdict.form == "unexplained"


@pytest.mark.parametrize("head", ["drbd854", "block drbd2", "drbd vm7/0 drbd1004"])
def test_a_device_of_drbd_with_no_copy_left_is_reported_as_that(head: str, tmp_path: Path) -> None:
    text = f"Feb 18 00:21:25 otter kernel: {head}: IO ERROR: neither local nor remote data, sector 102408+8\n"
    _, verdict, _ = judged(tmp_path, text)
    assert verdict.severity == "critical"
    assert "reaches no copy" in verdict.title


def test_peers_that_messages_name_are_among_the_nodes(tmp_path: Path) -> None:
    text = (
        "Feb 18 00:20:23 otter kernel: drbd vm7 stoat: conn( Connecting -> Connected ) peer( Unknown -> Secondary )\n"
        "Feb 18 00:20:23 otter kernel: drbd vm7/0 drbd1004: disk( Attaching -> UpToDate )\n"
        "Feb 18 00:20:25 otter pacemaker-fenced[1550]: notice: Requesting that vole perform 'reboot' "
        "action targeting marten\n"
        "Feb 18 00:20:26 otter pacemaker-controld[1552]: crit: We were allegedly just fenced by badger for badger!\n"
    )
    assert {"otter", "stoat", "vole", "marten", "badger"} <= (names := spoken_of(tmp_path, text))
    assert not any("drbd" in name for name in names)


def test_a_resource_failed_on_the_node_that_the_scheduler_names(tmp_path: Path) -> None:
    text = (
        "Apr 17 10:03:34 otter pengine[12480]: warning: Processing failed op monitor for purse:1 on "
        "stoat: unknown error (1)\n"
        "Apr 17 10:03:34 otter pacemaker-schedulerd[12480]: warning: Unexpected result (error) was "
        "recorded for start of"
        " till on vole at Apr 17 10:03:30 2031\n"
    )
    diagnosis, _, _ = judged(tmp_path, text)
    reported = {node for one in diagnosis.findings if one.severity in GRAVE for node in one.nodes}
    assert reported == {"stoat", "vole"}


LINK = "Feb  7 16:{minute:02d}:{second:02d} otter corosync[758]:   [KNET  ] {text}\n"


def knet(*events: tuple[int, int, str]) -> str:
    """Lines of corosync of one hour."""
    return "".join(LINK.format(minute=minute, second=second, text=text) for minute, second, text in events)


def test_a_link_is_not_over_because_another_one_came_back(tmp_path: Path) -> None:
    down = [(31, 0, "link: host: 4 link: 0 is down"), (31, 5, "link: host: 4 link: 1 is down")]
    _, verdict, _ = judged(tmp_path, knet(*down, (31, 9, "rx: host: 4 link: 1 is up")))
    assert verdict.severity == "medium"
    assert "4 over link 0" in verdict.title
    assert "over link 1" not in verdict.title
    both = knet(
        *down,
        (31, 9, "rx: host: 4 link: 1 is up"),
        (31, 10, "link: Resetting MTU for link 0"),
        (31, 11, "rx: host: 4 link: 0 is up"),
    )
    _, verdict, _ = judged(tmp_path / "both", both)
    assert verdict.severity in ("low", "info")


def test_any_link_brings_a_node_back_that_none_was_left_to(tmp_path: Path) -> None:
    gone = [(31, 0, "link: host: 4 link: 1 is down"), (31, 0, "host: host: 4 has no active links")]
    _, verdict, _ = judged(tmp_path, knet(*gone))
    assert verdict.severity == "high"
    _, verdict, _ = judged(tmp_path / "back", knet(*gone, (45, 0, "rx: host: 4 link: 1 is up")))
    assert verdict.severity in ("medium", "low")


STATUS = """[root@otter ~]# pcs status
Cluster name: purse
Cluster Summary:
  * Stack: corosync (Pacemaker is running)
  * Current DC: otter (version 2.1.10-2.el9) - partition with quorum
  * Last updated: Tue May  5 19:55:28 2026 on otter
  * 2 nodes configured

Node List:
  * Online: [ otter stoat ]

Full List of Resources:
  * till_fence	(stonith:fence_redfish):	 Started otter
  * till	(ocf:heartbeat:pgsql):	 Started otter
"""
FAILED = """
Failed Fencing Actions:
  * reboot of stoat by otter for pacemaker-controld.54319@otter last failed at 2026-05-05 19:54:50Z
"""


@pytest.mark.parametrize(
    ("part", "state"),
    [
        (FAILED, r"Fencing of stoat failed"),
        (FAILED[:100], r"Fencing of stoat failed"),
        (
            "\nFailed Resource Actions:\n  * till 30s-interval monitor on otter returned 'error' (no "
            "standby) at Tue May  5 19:52:45"
            " 2026\n",
            r"Resource till failed on otter",
        ),
        (
            "\nFailed Resource Actions:\n  * till 1m-interval monitor on stoat returned 'not "
            "running' at Tue May  5 19:52:45 2026\n",
            r"Resource till failed on stoat",
        ),
    ],
    ids=["fencing for a daemon", "a row that was cut", "a monitor with seconds", "a monitor with minutes"],
)
def test_rows_of_failures_are_read_in_every_release(part: str, state: str, tmp_path: Path) -> None:
    diagnosis, verdict, _ = judged(tmp_path, STATUS + part)
    assert any(re.search(state, one.title) for one in diagnosis.findings), [one.title for one in diagnosis.findings]
    assert verdict.severity in GRAVE


def test_fencing_that_did_its_work_is_no_failure(tmp_path: Path) -> None:
    history = FAILED.replace("Failed Fencing Actions", "Fencing History").replace("last failed", "last successful")
    _, verdict, _ = judged(tmp_path, STATUS + history)
    assert verdict.severity == "info"


@pytest.mark.parametrize(
    "head",
    ["corosync[6423]: ", "Apr 06 17:56:17 otter corosync[6423]: "],
    ids=["as the program wrote it", "behind the head of the journal"],
)
def test_a_level_behind_a_stamp_of_its_own_is_heard(head: str, tmp_path: Path) -> None:
    rows = "crit    [QUORUM] Quorum provider: corosync_votequorum failed to initialize."
    _, verdict, _ = judged(tmp_path, f"{head}Apr 06 17:56:17 {rows}\n")
    assert verdict.severity == "critical"
    _, verdict, _ = judged(
        tmp_path / "calm",
        f"{head}Apr 06 17:56:17 notice  [MAIN  ] Completed service synchronization, ready to provide service.\n",
    )
    assert verdict.severity == "info"


@pytest.mark.parametrize(
    "line",
    [
        "pve-ha-crm[1251]: ERROR: unable to open watchdog socket - No such file or directory",
        "watchdog-mux[259]: watchdog open: Device or resource busy",
        "pve-ha-lrm[743]: ERROR: something that no catalogue knows went wrong",
        "systemd[1]: pve-ha-crm.service: Failed with result 'exit-code'.",
        "systemd[1]: watchdog-mux.service: Failed with result 'exit-code'.",
    ],
)
def test_a_manager_of_services_without_its_watchdog_is_reported(line: str, tmp_path: Path) -> None:
    _, verdict, nodes = judged(tmp_path, f"May 02 17:04:01 otter {line}\n")
    assert verdict.form == "unexplained"
    assert verdict.severity == "medium"
    assert nodes == {"otter"}


@pytest.mark.parametrize(
    "heading",
    [
        "How to stop LLT INFO V-14-1-10205 / LLT INFO V-14-1-10024 messages",
        "Understanding VCS ERROR V-16-1-10205",
        "What to do about VxVM vxio WARNING V-5-0-4, V-5-0-2",
    ],
)
def test_a_heading_that_names_a_message_says_it_of_nothing(heading: str, tmp_path: Path) -> None:
    _, verdict, _ = judged(tmp_path, f"{heading}\n\nUpdated last year.\n")
    assert verdict.severity == "info"
    _, verdict, _ = judged(
        tmp_path / "said", f"{heading}\n\nVxVM vxio WARNING V-5-0-4 Plex till-02 detached from volume till\n"
    )
    assert verdict.severity in GRAVE


SERVER = """May 17 16:36:49 witness corosync-qnetd[247]: Client 192.0.2.{one}:34 sent membership node list.
May 17 16:36:57 witness corosync-qnetd[247]: Algorithm result vote is ACK
"""


@pytest.mark.parametrize("client", ["::ffff:192.0.2.7:55488", "192.0.2.8:4012", "[2001:db8::9]:55"])
def test_a_client_that_the_server_of_the_quorum_device_drops_is_reported(client: str, tmp_path: Path) -> None:
    lost = f"Client {client} doesn't sent any message during 10000ms. Disconnecting"
    _, verdict, nodes = judged(
        tmp_path, SERVER.format(one=7) + f"May 17 16:36:59 witness corosync-qnetd[247]: {lost}\n"
    )
    assert (verdict.form, verdict.severity) == ("unexplained", "medium")
    assert client in verdict.title
    assert nodes == {"witness"}
    _, verdict, _ = judged(tmp_path / "calm", SERVER.format(one=7))
    assert verdict.severity == "info"


@pytest.mark.parametrize(
    ("row", "is_grave"),
    [
        ("Result of probe operation for till on otter: 7 (not running)", False),
        ("Result of probe operation for till on otter: 8 (promoted)", False),
        ("Result of monitor operation for till on otter: 8 (master)", False),
        ("Result of probe operation for till on otter: 0 (ok)", False),
        ("Result of probe operation for till on otter: 5 (not installed)", True),
        ("Result of start operation for till on otter: 7 (not running)", True),
        ("Result of monitor operation for till on otter: 1 (error)", True),
    ],
)
def test_a_number_before_the_result_of_an_operation_is_read(row: str, is_grave: bool, tmp_path: Path) -> None:
    _, verdict, _ = judged(tmp_path, f"May 02 17:04:01 otter pacemaker-controld[12]: notice: {row}\n")
    assert (verdict.severity in GRAVE) is is_grave


QUORUM = "{stamp} {host} {kernel}drbd {resource}/0 drbd{minor}: quorum( {was} -> {now} )\n"


@pytest.mark.parametrize(
    ("host", "resource", "minor", "kernel"),
    [
        ("otter", "tills", 1000, "kernel: "),
        ("heron", "pvc-0c2f", 7, "kernel: [  460.699329] "),
        ("plover", "orders", 12, " [  460.699329] "),
    ],
)
def test_quorum_that_a_replica_lost_is_over_once_it_is_back(
    host: str, resource: str, minor: int, kernel: str, tmp_path: Path
) -> None:
    words = {"host": host, "resource": resource, "minor": minor, "kernel": kernel}
    lost = QUORUM.format(stamp="Apr 21 13:59:39", was="yes", now="no", **words)
    _, verdict, nodes = judged(tmp_path, lost)
    assert verdict.severity == "medium"
    assert "lost its quorum" in verdict.title
    assert nodes == {host}
    back = QUORUM.format(stamp="Apr 21 13:59:52", was="no", now="yes", **words)
    _, verdict, _ = judged(tmp_path / "back", lost + back)
    assert verdict.severity == "info"


@pytest.mark.parametrize("host", ["otter", "heron-0", "plover.example.net"])
def test_kernel_lines_whose_program_was_left_out_are_read(host: str, tmp_path: Path) -> None:
    calm = f"Mar 17 01:59:55 {host}  [  460.699329] drbd tills heron: Handshake to peer 2 successful\n"
    crash = (
        f"Mar 17 01:59:56 {host}  [  461.140155] BUG: kernel NULL pointer dereference, address: 0000000000000010\n"
        f"Mar 17 01:59:56 {host}  [  461.140201] RIP: 0010:drbd_bm_release_peer+0x41/0x90 [drbd]\n"
    )
    _, verdict, nodes = judged(tmp_path, calm + crash)
    assert verdict.severity == "high"
    assert "drbd_bm_release_peer" in verdict.title
    assert nodes == {host.split(".")[0]}
    _, verdict, _ = judged(tmp_path / "calm", calm)
    assert verdict.severity == "info"


NODES = "# crm_node -l\n{one} {first} {state}\n{two} {second} member\n"


@pytest.mark.parametrize(
    ("one", "two", "first", "second"),
    [("1", "2", "otter", "heron"), ("1084783193", "1084783311", "15sp2-1", "15sp2-2"), ("7", "12", "n07", "n12")],
)
def test_nodes_with_their_ids_are_read_and_one_that_is_lost_is_reported(
    one: str, two: str, first: str, second: str, tmp_path: Path
) -> None:
    words = {"one": one, "two": two, "first": first, "second": second}
    _, verdict, _ = judged(tmp_path, NODES.format(state="lost", **words))
    assert verdict.severity == "medium"
    assert verdict.title == f"Node {first}: lost"
    assert spoken_of(tmp_path, NODES.format(state="lost", **words)) == {first, second}
    _, verdict, _ = judged(tmp_path / "calm", NODES.format(state="member", **words))
    assert (verdict.form, verdict.severity) == ("healthy", "info")


@pytest.mark.parametrize("row", ["3 packets lost", "12 frames lost", "1 node lost", "1 new member"])
def test_counts_of_what_was_lost_are_no_nodes(row: str, tmp_path: Path) -> None:
    _, _, nodes = judged(tmp_path, f"ping\n{row}\n")
    assert not nodes
