"""A listing says what is broken and not why: where the logs beside it tell what came first, the verdict goes on with
that, and both are one incident.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.verdicts.incidents import incidents
from tests.diagnosis.cluster_texts import diagnosis_of

STATUS = """# hastatus -sum

-- SYSTEM STATE
-- System               State                Frozen

A  {one}                RUNNING              0
A  {other}              RUNNING              0

-- GROUP STATE
-- Group           System               Probed     AutoDisabled    State

B  {group}         {one}                Y          N               OFFLINE|FAULTED
B  {group}         {other}              Y          N               OFFLINE

-- RESOURCES FAILED
-- Group           Type                 Resource             System

C  {group}         {sort}               {resource}           {one}
"""
IMPORTED_ELSEWHERE = """2031/03/07 02:31:10 VCS INFO V-16-1-10301 Initiating Online of Resource {resource} \
(Owner: Unspecified, Group: {group}) on System {one}
2031/03/07 02:31:22 VCS ERROR V-16-10001-1010 ({one}) DiskGroup:{resource}:online:** \
VxVM vxdg ERROR V-5-1-10978 Disk group tolldg: import failed: Disk is in use by another host
2031/03/07 02:33:25 VCS ERROR V-16-1-10303 Resource {resource} \
(Owner: Unspecified, Group: {group}) is FAULTED (timed out) on sys {one}
"""
ADDRESS = """2031/03/07 02:31:22 VCS ERROR V-16-10001-5013 ({one}) IP:{resource}:online:The address answers already
2031/03/07 02:33:25 VCS ERROR V-16-1-10303 Resource {resource} \
(Owner: Unspecified, Group: {group}) is FAULTED (timed out) on sys {one}
"""

CLEANED = """2031/03/07 02:31:22 VCS ERROR V-16-2-13067 ({one}) Agent is calling clean for resource({resource}) \
because the resource became OFFLINE unexpectedly, on its own.
"""
OF_THE_GROUP = """2031/03/07 02:31:22 VCS ERROR V-16-1-10303 Resource purse (Owner: Unspecified, Group: {group}) is \
FAULTED (timed out) on sys {one}
"""


def texts(log: str, *, when: str = "", **names: str) -> dict[str, str]:
    """The status, and a log whose day may be another."""
    given = {"one": "wren1", "other": "wren2", "group": "toll_sg", "sort": "DiskGroup", "resource": "toll_dg"} | names
    found = {"status_dot_txt": STATUS.format(**given)}
    if log:
        found["engine_A_dot_log"] = log.format(**given).replace("2031/03/07", when or "2031/03/07")
    return found


@pytest.mark.parametrize(
    ("files", "first"),
    [
        (texts(IMPORTED_ELSEWHERE), r"logged first: Disk group tolldg could not be imported: another host has it"),
        (
            texts(IMPORTED_ELSEWHERE, one="prd-db-a", other="prd-db-b", group="erp7", resource="erp7dg"),
            r"logged first: Disk group tolldg could not be imported: another host has",
        ),
        (
            texts(ADDRESS, one="larch", other="rowan", group="ledger", sort="IP", resource="desk"),
            r"logged first: The engine reports an error: .*desk",
        ),
        (
            texts(CLEANED, one="larch", other="rowan", group="ledger", sort="Application", resource="till"),
            r"logged first: Resource till failed",
        ),
        (
            texts(OF_THE_GROUP, one="larch", other="rowan", group="ledger", sort="Application", resource="till"),
            r"logged first: Resource purse failed",
        ),
        (
            texts(ADDRESS, one="knot9", sort="IP", resource="toll_ip"),
            r"logged first: The engine reports an error: .*toll_ip",
        ),
    ],
    ids=[
        "another host has the disks",
        "names with digits",
        "names that are words",
        "a resource alone",
        "another resource of the group",
        "an address",
    ],
)
def test_the_verdict_of_a_status_goes_on_with_what_the_log_tells_first(
    files: dict[str, str], first: str, tmp_path: Path
) -> None:
    diagnosis = diagnosis_of(tmp_path, **files)
    assert diagnosis.verdict is not None
    assert re.search(first, diagnosis.verdict.title), diagnosis.verdict.title
    assert re.match(r"Group \S+ is faulted on ", diagnosis.verdict.title)
    assert len(diagnosis.verdict.title) <= 140
    grave = [place for place, one in enumerate(diagnosis.findings) if one.severity in ("critical", "high", "medium")]
    assert set(grave) <= set(incidents(diagnosis.findings)[0].members)


def test_a_status_without_a_log_says_that_the_reason_is_not_known(tmp_path: Path) -> None:
    verdict = diagnosis_of(tmp_path, **texts("")).verdict
    assert verdict is not None
    assert verdict.title.endswith("; its status does not say why")


def test_the_log_of_another_resource_on_another_system_is_no_reason(tmp_path: Path) -> None:
    other = texts(IMPORTED_ELSEWHERE, one="rook4", group="mail_sg", resource="mail_dg")["engine_A_dot_log"]
    verdict = diagnosis_of(tmp_path, **texts(""), engine_A_dot_log=other).verdict
    assert verdict is not None
    assert "logged first" not in verdict.title


def test_what_an_agent_passes_on_is_reported_once_and_on_its_system(tmp_path: Path) -> None:
    log = texts(IMPORTED_ELSEWHERE)["engine_A_dot_log"].splitlines()[1]
    found = [one for one in diagnosis_of(tmp_path, engine_A_dot_log=log + "\n").findings if one.severity == "medium"]
    assert [(one.title, one.nodes) for one in found] == [
        ("Disk group tolldg could not be imported on wren1: another host has it", ("wren1",))
    ]


def test_an_error_of_an_agent_that_nobody_knows_is_still_reported(tmp_path: Path) -> None:
    log = "2031/03/07 02:31:22 VCS ERROR V-16-77001-9 (wren1) Lamp:toll_lamp:online:It did not burn\n"
    found = [one.title for one in diagnosis_of(tmp_path, engine_A_dot_log=log).findings]
    assert any("The engine reports an error" in title for title in found), found


def test_the_log_of_a_word_that_is_another_group_is_no_reason(tmp_path: Path) -> None:
    listed = texts("", one="larch", other="rowan", group="ledger", resource="till")
    log = texts(OF_THE_GROUP, one="rowan", group="mail")["engine_A_dot_log"]
    verdict = diagnosis_of(tmp_path, **listed, engine_A_dot_log=log).verdict
    assert verdict is not None
    assert "logged first" not in verdict.title


PACEMAKER = """[root@larch ~]# crm_mon -1
Cluster Summary:
  * Stack: corosync
  * Current DC: rowan (version 2.1.2-4.el9) - partition with quorum
  * 2 nodes configured
  * 2 resource instances configured

Node List:
  * Online: [ larch rowan ]

Active Resources:
  * fencer\t(stonith:fence_ipmilan):\tStarted rowan
  * {resource}\t(ocf::heartbeat:{sort}):\tFAILED larch

[root@larch ~]# tail -2 /var/log/messages
Mar  7 02:31:02 larch {sort}({agent})[2211]: {said}
Mar  7 02:31:02 larch pacemaker-controld[1801]:  notice: Result of start operation for {agent} on larch: error
"""


@pytest.mark.parametrize(
    ("sort", "resource", "message", "reason"),
    [
        ("pgsql", "orders", "ERROR: Can not start the server", "Can not start the server"),
        ("Filesystem", "share", "ERROR: Couldn't mount device [/dev/ledger/share]", "Couldn't mount device"),
        ("LVM-activate", "vg-desk", "CRIT: the volume group is not there", "the volume group is not there"),
    ],
)
def test_what_an_agent_of_pacemaker_says_is_the_reason_of_its_resource(
    sort: str, resource: str, message: str, reason: str, tmp_path: Path
) -> None:
    text = PACEMAKER.format(sort=sort, resource=resource, agent=resource, said=message)
    verdict = diagnosis_of(tmp_path, out_dot_txt=text).verdict
    assert verdict is not None
    assert verdict.title.startswith(f"Resource {resource} on larch: FAILED; logged first: ")
    assert reason in verdict.title


def test_words_of_an_agent_that_are_no_error_raise_no_alarm(tmp_path: Path) -> None:
    text = PACEMAKER.format(sort="pgsql", resource="orders", agent="orders", said="INFO: server is up")
    text = text.replace("FAILED larch", "Started larch").replace("on larch: error", "on larch: ok")
    verdict = diagnosis_of(tmp_path, out_dot_txt=text).verdict
    assert verdict is not None
    assert verdict.form == "healthy"


def test_the_agent_of_another_resource_is_no_reason(tmp_path: Path) -> None:
    text = PACEMAKER.format(sort="pgsql", resource="orders", agent="share", said="ERROR: no room").replace(
        "Mar  7 02:31:02 larch", "Mar  7 02:31:02 rowan"
    )
    verdict = diagnosis_of(tmp_path, out_dot_txt=text).verdict
    assert verdict is not None
    assert "logged first" not in verdict.title


PATHS = """[root@app04 ~]# multipath -ll
mptoll (360060e801234560000123456000004a1) dm-7 HITACHI,OPEN-V
size=1.0T features='0' hwhandler='0' wp=rw
`-+- policy='service-time 0' prio=0 status=enabled
  |- 1:0:0:5 sdf 8:80   failed faulty running
  `- 1:0:1:5 sdn 8:208  failed faulty running
[root@app04 ~]# dmesg -T
[Fri Mar  7 06:12:40 2031] device-mapper: multipath: Failing path 8:80.
[Fri Mar  7 06:15:01 2031] INFO: task oracle:22107 blocked for more than 120 seconds.
"""


def test_paths_listed_without_a_moment_and_paths_that_a_log_lost_are_one_incident(tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, app04__out_dot_txt=PATHS)
    grave = [place for place, one in enumerate(diagnosis.findings) if one.severity in ("critical", "high", "medium")]
    assert len(grave) > 2
    assert incidents(diagnosis.findings)[0].members == tuple(grave)


FAULTED = (
    "Mar  7 02:31:22 {by} had[2201]: VCS ERROR V-16-1-10322 System {of} (Node '1') "
    "changed state from RUNNING to FAULTED"
)


@pytest.mark.parametrize(
    ("line", "title", "nodes"),
    [
        (
            FAULTED.format(by="prod-a", of="prod-b"),
            "System prod-b went to FAULTED, as prod-a logged",
            ["prod-a", "prod-b"],
        ),
        (FAULTED.format(by="prod-a", of="prod-a"), "System prod-a went to FAULTED", ["prod-a"]),
        (FAULTED.format(by="ulm07", of="ulm11"), "System ulm11 went to FAULTED, as ulm07 logged", ["ulm07", "ulm11"]),
        (
            "2031-03-07T02:31:22+01:00 larch mmfs: [E] Node 172.16.9.13 (knot113) failed.",
            "Node knot113 failed, as larch logged",
            ["knot113", "larch"],
        ),
        ("2031-03-07_02:31:22.800+0000: [E] Node 172.16.9.13 (knot113) failed.", "Node knot113 failed", ["knot113"]),
    ],
    ids=["of another one", "of itself", "names with digits", "the daemon in a system log", "its own log, unnamed"],
)
def test_what_a_node_logs_of_another_one_is_of_both(line: str, title: str, nodes: list[str], tmp_path: Path) -> None:
    diagnosis = diagnosis_of(tmp_path, messages=line + "\n")
    found = [one for one in diagnosis.findings if one.ref == "AL-01"]
    assert [(one.title, sorted(one.nodes)) for one in found] == [(title, nodes)]
    assert set(nodes) <= {name for one in diagnosis.nodes for name in (one.name, *one.aliases)}
