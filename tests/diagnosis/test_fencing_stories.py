"""Clusters that stand still until a node is fenced, and what its log says before a file system withdraws: who, why, and
what is history.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

SPACE = """[admin@oak-2 ~]$ sudo dlm_tool status
cluster nodeid 2 quorate 1 ring seq 418 418
daemon now 182233 fence_pid 0
fence 3 nodedown pid 0 actor 1 fail 1771200412 fence 0 now 1771201000
node 1 M add 1022 rem 0 fail 0 fence 0 at 0 0
node 3 X add 1024 rem 181622 fail 181622 fence 0 at 0 0
[admin@oak-2 ~]$ sudo dlm_tool ls
dlm lockspaces
name          data01
id            0x5f22a11c
flags         0x00000004 kern_stop
members       1 2 3
new change    member 2 joined 0 remove 1 failed 1 seq 4,4
new status    wait fencing
new members   1 2

"""
STATUS = """[admin@oak-2 ~]$ sudo pcs status
Cluster Summary:
  * Current DC: oak-1 (version 2.1.7-5.el9) - partition {quorum} quorum
  * Last updated: Mon Feb 16 00:36:40 2026 on oak-2
Node List:
  * {state}
  * Online: [ {online} ]
Full List of Resources:
  * fence_oak3\t(stonith:fence_ipmilan):\t {device}
Failed Fencing Actions:
  * reboot of oak-3 failed: delegate=oak-1, client=pacemaker-controld.2211, origin=oak-1, last-failed='2026-02-16 00:35:02Z'
{more}"""  # noqa: E501 - as the tool prints it


def status(
    *, state: str = "Node oak-3: UNCLEAN (offline)", quorum: str = "with", device: str = "Stopped", more: str = ""
) -> str:
    online = "oak-1 oak-2" if "oak-3" in state else "oak-1 oak-2 oak-3"
    return STATUS.format(state=state, quorum=quorum, online=online, device=device, more=more)


def test_the_node_that_cannot_be_fenced_stands_in_the_verdict_by_name(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path / "both", SPACE + status())
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.title.startswith("Lock space data01 waits for fencing of oak-3, which failed")
    failed = next(finding for finding in diagnosis.findings if finding.title == "Fencing of oak-3 failed")
    assert "the last at 16 Feb 2026 00:35:02" in failed.explanation
    assert "fence_oak3 is stopped" in failed.explanation
    assert [ref.line for ref in failed.evidence] == [27, 4, 6, 22, 25]
    alone = diagnosis_of(tmp_path / "alone", SPACE)
    assert alone.verdict is not None
    assert alone.verdict.title.startswith("Lock space data01 waits for fencing of node 3")


def test_a_fencing_that_succeeded_later_or_a_node_that_is_back_is_history(tmp_path: Path) -> None:
    done = (
        "Fencing History:\n  * reboot of oak-3 successful: delegate=oak-1, client=x, origin=oak-1, "
        "last-successful='2026-02-16 00:36:02Z'\n"
    )
    for name, text in {
        "later": status(state="Online: [ oak-1 ]", more=done),
        "back": status(state="Online: [ oak-1 ]"),
    }.items():
        assert "RC-02" not in [finding.ref for finding in diagnosis_of(tmp_path / name, text).findings], name


def test_a_partition_without_quorum_is_reported_by_pacemaker_too(tmp_path: Path) -> None:
    titles = [
        finding.title
        for finding in diagnosis_of(tmp_path, status(state="Online: [ oak-1 ]", quorum="WITHOUT")).findings
    ]
    assert "The cluster has no quorum on oak-2" in titles


LOST = """May  7 03:10:41 ash kernel: qla2xxx [0000:05:00.0]-500b:7: LOOP DOWN detected (2 7 0 0).
May  7 03:10:44 ash kernel: sd 7:0:3:11: [sdk] tag#214 FAILED Result: hostbyte=DID_TRANSPORT_DISRUPTED driverbyte=DRIVER_OK cmd_age=3s
May  7 03:10:49 ash kernel: lpfc 0000:05:00.1: 1:1305 Link Down Event x2 received Data: x2 x20 x800110 x0 x0
May  7 03:10:52 ash multipathd[1811]: mpathf: remaining active paths: {left}
May  7 03:10:53 ash kernel: Buffer I/O error on dev dm-6, logical block 1207733, lost async page write
May  7 {at} ash kernel: gfs2: fsid=farm:docs.1: about to withdraw this file system
"""  # noqa: E501 - as the tool prints it


def test_the_withdraw_names_what_the_same_node_lost_right_before(tmp_path: Path) -> None:
    for name, text, words in (
        (
            "paths",
            LOST.format(left=0, at="03:10:53"),
            "docs withdrew on ash at 03:10:53, after the last path of mpathf was lost",
        ),
        ("errors", LOST.format(left=1, at="03:10:53"), "docs withdrew on ash at 03:10:53, after I/O errors on dm-6"),
        ("unrelated", LOST.format(left=0, at="05:40:00"), "docs withdrew on ash at 05:40:00"),
    ):
        verdict = diagnosis_of(tmp_path / name, text).verdict
        assert verdict is not None
        assert verdict.title.startswith(words)


REQUESTED = """\
Mar 03 08:00:01 pear1 pacemaker-schedulerd[88]:  warning: Cluster node pear2 will be fenced: termination was requested
Mar 03 08:00:01 pear1 pacemaker-fenced[87]:  notice: Requesting peer fencing (off) targeting pear2
Mar 03 08:00:20 pear1 corosync[80]:   [TOTEM ] A processor failed, forming new configuration.
Mar 03 08:00:24 pear1 corosync[80]:   [TOTEM ] A new membership (1.31) was formed. Members left: 2
Mar 03 08:00:25 pear1 pacemaker-fenced[87]:  notice: Operation 'off' targeting pear2 by pear1 for admin.9@pear1: OK
"""
LEFT = "".join(line + "\n" for line in REQUESTED.splitlines() if "corosync" in line)


def test_a_loss_behind_a_request_to_fence_is_its_consequence_however_often_it_is_copied(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, pear1__messages=REQUESTED, merged__messages=REQUESTED)
    assert {finding.severity for finding in diagnosis.findings} <= {"info", "low"}
    assert [f.title for f in diagnosis.findings if f.ref == "NW-04"] == [
        "pear2 was fenced on request, and the membership changed for it"
    ]
    assert diagnosis.tunings == ()


def test_a_loss_that_nobody_requested_names_the_members_that_left(tmp_path: Path) -> None:
    (found,) = (one for one in diagnosis_of(tmp_path, LEFT).findings if one.ref == "NW-04")
    assert found.title == "The cluster lost its token, as pear1 logged; node 2 left"
    assert found.severity == "medium"


def test_a_lost_quorum_of_corosync_is_no_matter_of_another_cluster(tmp_path: Path) -> None:
    line = "Mar 03 08:00:24 pear1 corosync[80]:   [QUORUM] This node is within the {} component{}.\n"
    lost = line.format("non-primary", " and will NOT provide any service")
    back = line.format("primary", " and will provide service")
    diagnosis = diagnosis_of(tmp_path / "lost", LEFT + lost)
    assert not [one for one in diagnosis.findings if one.ref.startswith("SC-")]
    assert diagnosis.verdict is not None
    assert diagnosis.verdict.title.startswith("The cluster has no quorum on pear1, since node 2 left")
    later = back.replace("08:00:24", "08:03:00")
    assert "RC-02" not in [one.ref for one in diagnosis_of(tmp_path / "back", LEFT + lost + later).findings]


HISTORY = """[root@elm ~]# stonith_admin --history '*' --verbose
elm was able to reboot node oak on behalf of pacemaker-controld.2011 from elm at Fri May  8 09:11:02 2026
{who} {tried} {action} node {about} on behalf of pacemaker-controld.2011 from elm at Mon May 11 22:40:31 2026
{later}2 events found
"""
GOOD = "elm was able to reboot node oak on behalf of pacemaker-controld.2011 from elm at Mon May 11 22:44:10 2026\n"


@pytest.mark.parametrize("who", ["elm", "This node", "ash-07.lab"])
@pytest.mark.parametrize(
    ("tried", "outcome"), [("failed to", "failed"), ("was not able to", "failed"), ("wishes to", "not ended")]
)
@pytest.mark.parametrize("action", ["reboot", "turn off"])
def test_attempts_of_the_history_that_did_not_succeed_are_reported(
    tmp_path: Path, who: str, tried: str, outcome: str, action: str
) -> None:
    text = HISTORY.format(who=who, tried=tried, action=action, about="oak", later="")
    verdict = diagnosis_of(tmp_path, text).verdict
    assert verdict is not None
    assert verdict.title.startswith("Fencing of oak ")
    assert outcome in verdict.title
    assert verdict.severity == "critical"


def test_a_history_that_ends_well_is_reported_as_over(tmp_path: Path) -> None:
    text = HISTORY.format(who="elm", tried="failed to", action="reboot", about="oak", later=GOOD)
    assert {one.severity for one in diagnosis_of(tmp_path, text).findings} <= {"info", "low", "medium"}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (
            "  * reboot of oak failed (Timer expired): delegate=elm, client=pacemaker-controld.2, origin=elm",
            "Timer expired",
        ),
        (
            "  * off of oak failed: delegate=elm, client=x.2, origin=elm, exit-reason='Unable to log in'",
            "Unable to log in",
        ),
        (
            "Mar 12 07:20:01 elm pacemaker-fenced[19]:  error: Operation 'reboot' [44] (call 9 from pacemaker.1)"
            " for host 'oak' with device 'ipmi_oak' returned: 1 (Operation not permitted)",
            "Operation not permitted",
        ),
        (
            "Mar 12 07:20:02 elm pacemaker-controld[15]:  notice: Peer oak was not terminated (reboot) by elm on behalf"
            " of pacemaker-controld.1915: No such device",
            "No such device",
        ),
        (
            "Mar 17 19:00:22 elm pacemaker-fenced    [311] (log_operation)   error: Operation 'reboot' [99]"
            " targeting oak using any_dev returned 1 | call 12 from pacemaker.3\n"
            "Mar 17 19:00:22 elm pacemaker-fenced    [311] (log_action)      warning: any_dev[99] stderr:"
            " [ 2026-03-17 19:00:22,101 ERROR: Unable to connect/login to fencing device ]",
            "Unable to connect/login to fencing device",
        ),
        (
            "Mar 17 19:00:22 elm pacemaker-fenced[311]:  error: Operation 'off' [99] targeting oak"
            " using apc.2 returned -62\n"
            "Mar 17 19:00:22 elm pacemaker-fenced[311]:  warning: apc.2[99] stderr: [ Connection timed out ]",
            "Connection timed out",
        ),
        (
            '<pacemaker-result api-version="2.25" request="crm_mon --output-as=xml -1">\n<fence_history>\n'
            '<fence_event action="reboot" target="oak" client="c.1" origin="elm" delegate="elm" status="failed"'
            ' exit-reason="Agent not found" completed="2026-02-13 03:08:41Z"/>\n</fence_history>\n</pacemaker-result>',
            "Agent not found",
        ),
        (
            'Jun 22 11:39:03 elm fenced[5447]: agent "fence_drac" reports: Rebooting machine @ DRAC:192.0.2.7...drac:'
            ' Unable to log in after 30 seconds Failed\nJun 22 11:39:03 elm fenced[5447]: fence "oak" failed',
            "Unable to log in after 30 seconds",
        ),
        (
            'Jun 22 11:39:03 elm fenced[5447]: agent "fence_apc" reports: connection to 192.0.2.8 timed out\n'
            'Jun 22 11:39:03 elm fenced[5447]: fence "oak" failed',
            "connection to 192.0.2.8 timed out",
        ),
    ],
)
def test_why_an_attempt_failed_is_reported(tmp_path: Path, line: str, why: str) -> None:
    text = f"Failed Fencing Actions:\n{line}\n" if line.startswith(" ") else f"{line}\n"
    found = next(one for one in diagnosis_of(tmp_path, text).findings if one.title.startswith("Fencing of oak failed"))
    assert f"Reason given: {why}" in found.explanation


def test_what_the_agent_of_a_failed_attempt_reports_is_no_finding_of_its_own(tmp_path: Path) -> None:
    text = (
        "Jun 22 11:38:54 elm openais[5431]: [TOTEM] The token was lost in the OPERATIONAL state.\n"
        'Jun 22 11:38:58 elm fenced[5447]: fencing node "oak"\n'
        'Jun 22 11:39:03 elm fenced[5447]: agent "fence_ipmilan" reports: Failed to connect after 30 seconds Failed\n'
        'Jun 22 11:39:03 elm fenced[5447]: fence "oak" failed\n'
    )
    findings = {one.ref: one for one in diagnosis_of(tmp_path, text).findings}
    assert set(findings) == {"RC-02", "NW-04"}
    assert "The agent is fence_ipmilan" in findings["RC-02"].explanation
    assert "was fenced behind it" not in findings["NW-04"].explanation


def test_for_how_long_a_request_is_open(tmp_path: Path) -> None:
    found = [one.title for one in diagnosis_of(tmp_path, SPACE).findings]
    assert "Fencing of node 3 has not ended for 9 m 48 s" in found


DEVICES = "Full List of Resources:\n{rows}"


@pytest.mark.parametrize("agent", ["fence_ipmilan", "external/sbd"])
@pytest.mark.parametrize("names", [("ipmi-a",), ("kill", "apc7", "sbd.2")])
def test_devices_that_somebody_stopped_leave_nobody_to_fence(
    tmp_path: Path, agent: str, names: tuple[str, ...]
) -> None:
    rows = "".join(f"  * {name}\t(stonith:{agent}):\t Stopped (disabled)\n" for name in names)
    verdict = diagnosis_of(tmp_path, DEVICES.format(rows=rows)).verdict
    assert verdict is not None
    assert verdict.title.startswith(f"No fencing device runs: {names[0]}")
    assert verdict.severity == "medium"


@pytest.mark.parametrize(
    "rows",
    [
        "  * a1\t(stonith:fence_ipmilan):\t Started elm (unmanaged)\n"
        "  * a2\t(stonith:fence_ipmilan):\t Started oak (maintenance)\n",
        "  * a1\t(stonith:fence_ipmilan):\t Started elm\n  * a2\t(stonith:fence_ipmilan):\t Stopped (disabled)\n",
    ],
)
def test_devices_that_run_beside_or_are_left_alone_are_no_alarm(tmp_path: Path, rows: str) -> None:
    assert not [
        one for one in diagnosis_of(tmp_path, DEVICES.format(rows=rows)).findings if one.severity not in ("info", "low")
    ]


def test_a_stopped_device_beside_one_that_fails_is_named(tmp_path: Path) -> None:
    rows = "  * a1\t(stonith:fence_apc):\t FAILED elm (blocked)\n  * a2\t(stonith:fence_apc):\t Stopped (disabled)\n"
    found = diagnosis_of(tmp_path, DEVICES.format(rows=rows)).findings[0]
    assert "Put aside by somebody" in found.explanation
    assert "a2" in found.explanation


GONE = """Apr 30 22:11:02 {own} corosync[2210]:   [TOTEM ] A processor failed, forming new configuration.
Apr 30 22:11:04 {own} corosync[2210]:   [CMAN  ] quorum lost, blocking activity
Apr 30 22:11:04 {own} corosync[2210]:   [QUORUM] Members[{many}]: {before}
Apr 30 22:11:05 {own} corosync[2210]:   [QUORUM] Members[1]: {after}
"""


@pytest.mark.parametrize(
    ("before", "after", "left"), [("1 2 3", "1", ("2", "3")), ("4 11", "11", ("4",)), ("2 5 9", "2", ("5", "9"))]
)
def test_members_that_the_next_list_lacks_are_named(
    tmp_path: Path, before: str, after: str, left: tuple[str, ...]
) -> None:
    text = GONE.format(own="n1", many=len(before.split()), before=before, after=after)
    title = diagnosis_of(tmp_path, text).findings[0].title
    assert all(f"node {one}" in title for one in left)
    assert f"node {after}" not in title


def test_members_that_join_one_by_one_did_not_leave(tmp_path: Path) -> None:
    text = GONE.format(own="n1", many=1, before="1", after="1 2 3")
    assert "left" not in diagnosis_of(tmp_path, text).findings[0].title


CMAN = """[root@elm ~]# cman_tool status
Cluster Name: marsh
Membership state: Cluster-Member
Nodes: {total}
Expected votes: 3
Total votes: {total}
Quorum: 2 {state}
Node name: elm
"""


def test_the_votes_of_a_cluster_without_quorum_are_reported(tmp_path: Path) -> None:
    blocked = diagnosis_of(tmp_path / "bad", CMAN.format(total=1, state="Activity blocked"))
    assert "1 of 3 votes" in verdict_in(blocked).title
    assert not [
        one
        for one in diagnosis_of(tmp_path / "good", CMAN.format(total=3, state=" ")).findings
        if one.severity != "info"
    ]


@pytest.mark.parametrize("manager", ["dlm", "sanlock"])
@pytest.mark.parametrize(
    "command", ["vgchange --lockstart vgpots", "lvchange -asy vgpots/jars", "lvcreate -L1G vgpots"]
)
def test_a_lock_manager_that_lvm_misses_is_named(tmp_path: Path, manager: str, command: str) -> None:
    text = f"quail# {command}\n  VG vgpots start failed: lock manager {manager} is not running\n"
    judged = diagnosis_of(tmp_path, text)
    assert f"on quail: lock manager {manager} does not run" in verdict_in(judged).title
    assert judged.next_steps


TOKEN_LOST = (
    "Mar 03 10:00:00 tuna1 corosync[12]:   [TOTEM ] A processor failed, forming new configuration.\n"
    "Mar 03 10:00:04 tuna1 corosync[12]:   [TOTEM ] A new membership (10.1.1.1:204) was formed. Members left: 2\n"
)


@pytest.mark.parametrize(
    ("line", "is_proposed"),
    [
        ("", True),
        (
            "Mar 03 10:00:25 tuna1 stonith-ng[8]:  error: Operation 'off' targeting tuna2 by tuna1 for x: Timed out",
            False,
        ),
        ("Mar 03 10:00:25 tuna1 fence_ipmilan: Unable to connect/login to fencing device", False),
        ("Mar 03 10:00:25 tuna1 fenced[8]: fence tuna2 failed", False),
    ],
)
def test_no_longer_token_is_proposed_while_fencing_fails(tmp_path: Path, line: str, *, is_proposed: bool) -> None:
    diagnosis = diagnosis_of(tmp_path, TOKEN_LOST + line)
    assert ("totem-token" in {one.id for one in diagnosis.tunings}) is is_proposed
