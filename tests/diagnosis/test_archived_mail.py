"""Sessions in the archive of a mailing list, runs that stand still, sums over a cluster, ports that lost their link."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in


def test_waits_below_such_a_prompt_are_those_of_its_host(tmp_path: Path) -> None:
    text = (
        "carp3:~ # mmdiag --waiters\n\n=== mmdiag: waiters ===\n"
        "Waiting 47.0190 sec since 16:04:12, monitored, thread 29735 NSDThread: for I/O completion\n\n"
        "[root at carp4 ~]# mmdiag --waiters\n\n=== mmdiag: waiters ===\n"
        "Waiting 0.0114 sec since 16:04:59, monitored, thread 11120 NSDThread: for I/O completion\n"
    )
    judged = diagnosis_of(tmp_path, text)
    assert {one.name for one in judged.nodes} == {"carp3", "carp4"}
    assert verdict_in(judged).title.startswith("Threads of carp3")


PROGRESS = " {share} % complete on {when} 2031  (  {files} inodes with total    {mb} MB data processed)\n"


@pytest.mark.parametrize(
    ("rows", "stands"),
    [
        ([("0.55", "Sun Mar  9 09:37:46", 5391, 4812), ("0.55", "Sun Mar  9 11:37:46", 5391, 4812)], True),
        ([("98.10", "Sun Mar  9 23:37:46", 9, 1), ("98.10", "Mon Mar 10 00:08:46", 9, 1)], True),
        ([("0.55", "Sun Mar  9 09:37:46", 5391, 4812), ("0.55", "Sun Mar  9 11:37:46", 6022, 5100)], False),
        ([("0.55", "Sun Mar  9 09:37:46", 5391, 4812), ("0.55", "Sun Mar  9 09:39:46", 5391, 4812)], False),
        ([("100.00", "Sun Mar  9 09:37:46", 5391, 4812), ("100.00", "Sun Mar  9 11:37:46", 5391, 4812)], False),
    ],
)
def test_a_run_that_stands_still_is_reported(
    tmp_path: Path, rows: list[tuple[str, str, int, int]], stands: bool
) -> None:
    text = "[root@carp4 ~]# mmrestripefs pots -r\nScanning user file metadata ...\n" + "".join(
        PROGRESS.format(share=share, when=when, files=files, mb=mb) for share, when, files, mb in rows
    )
    judged = diagnosis_of(tmp_path, text)
    assert ("pots makes no progress" in verdict_in(judged).title) is stands
    assert (verdict_in(judged).severity == "medium") is stands


def test_sums_over_a_cluster_name_no_node(tmp_path: Path) -> None:
    text = (
        "[root@carp1 ~]# mmhealth cluster show\n\n"
        "Component           Total         Failed       Degraded        Healthy          Other\n"
        + "-"
        * 85
        + "\nNODE                   50              0              1             49              0\n"
        "GPFS                   50              0              1             49              0\n\n"
        "[root@carp1 ~]# mmhealth cluster show node\n\n"
        "Component     Node                Status            Reasons\n" + "-" * 70 + "\n"
        "NODE          carp7               DEGRADED          mmfsd_abort_warn\n"
        "NODE          carp1               HEALTHY           -\n"
    )
    judged = diagnosis_of(tmp_path, text)
    assert {node for one in judged.findings for node in one.nodes} == {"carp7"}


PORT = (
    "CA '{ca}'\n\tNumber of ports: 1\n\tPort 1:\n\t\tState: {state}\n\t\tPhysical state: {physical}\n\t\tRate: 10\n"
    "\t\tBase lid: {lid}\n\t\tLMC: 0\n\t\tSM lid: {manager}\n\t\tLink layer: InfiniBand\n"
)


@pytest.mark.parametrize(
    ("state", "physical", "lid", "manager", "severity"),
    [
        ("Down", "Polling", "868", "334", "medium"),
        ("Down", "Disabled", "12", "1", "medium"),
        ("Down", "Polling", "0", "0", "info"),
        ("Down", "Polling", "65535", "0", "info"),
        ("Active", "LinkUp", "868", "334", "info"),
    ],
)
def test_a_port_that_lost_its_link_is_reported(
    tmp_path: Path, state: str, physical: str, lid: str, manager: str, severity: str
) -> None:
    text = PORT.format(ca="mlx5_2", state=state, physical=physical, lid=lid, manager=manager)
    assert verdict_in(diagnosis_of(tmp_path, text)).severity == severity


@pytest.mark.parametrize(
    ("steps", "severity"),
    [
        ("mmbackup:Done with 3 failures.", "info"),
        ("mmbackup:changed=48211, expired=1290, failed=7 for server [vault]", "info"),
        ("mmbackup:changed=400, expired=12, failed=390 for server [vault]", "medium"),
        ("mmbackup:Command dsmc selective failed with rc 12, 3 failures", "medium"),
    ],
)
def test_single_files_of_a_step_are_no_alarm(tmp_path: Path, steps: str, severity: str) -> None:
    text = (
        "mmbackup: Backup of /srv/jars begins at Wed May  7 02:00:03 CEST 2031.\n"
        f"Wed May  7 03:02:55 2031 {steps}\n"
        "mmbackup: Backup of /srv/jars completed with some skipped files at Wed May  7 04:12:31 CEST 2031.\n"
    )
    assert verdict_in(diagnosis_of(tmp_path, text)).severity == severity


@pytest.mark.parametrize(
    "message",
    [
        "Unable to create fileset [pvc-4b] in FS [pots]. Error [EFSSG0740C There are not enough resources available]",
        "fileset pvc-4b: the sum of the max inodes for all independent file sets may not exceed the maximum of pots",
    ],
)
def test_a_volume_that_finds_no_inodes_says_so(tmp_path: Path, message: str) -> None:
    text = (
        "  Warning  ProvisioningFailed  0s  spectrumscale.csi.ibm.com_pod-0_c5ba  "
        f"failed to provision volume: {message}\n"
    )
    assert "no inodes left" in verdict_in(diagnosis_of(tmp_path, text)).title


WAITS = (
    "0x7FA5B0012340 waiting 1934.221003410 seconds, LogWrapThread: on ThCond 0x1801E6F5A8 (0x1801E6F5A8) "
    "(LogWrapThreadCondvar), reason 'waiting to wrap log'\n"
)


@pytest.mark.parametrize(
    ("lead", "nodes"),
    [
        ("ls hangs since 08:40. mmdiag --waiters on the FS manager (carp7):", {"carp7"}),
        ("Output from our second NSD server (carp-s2):", {"carp-s2"}),
        ("This is of the other protocol node (host carp12):", {"carp12"}),
        ("This is what is left on the big disk (disk7):", set()),
        ("We saw this on the new release (beta):", set()),
    ],
)
def test_a_name_in_brackets_behind_what_a_host_does_places_an_output(
    tmp_path: Path, lead: str, nodes: set[str]
) -> None:
    judged = diagnosis_of(tmp_path, f"Hello,\n\n{lead}\n\n{WAITS}\nRegards\n")
    assert {one.name for one in judged.nodes} == nodes


HEAD = (
    "mmhealth:State:HEADER:version:reserved:reserved:node:component:entityname:entitytype:status:laststatuschange:\n"
    "mmhealth:Event:HEADER:version:reserved:reserved:node:component:entityname:entitytype:event:arguments:activesince:"
    "identifier:ishidden:\n"
)
STATE = "mmhealth:State:0:1:::carp3:{component}:{name}:{sort}:{state}:2031-03-09 16%3A32%3A11.509018 CET:\n"
EVENT = "mmhealth:Event:0:1:::carp3:{component}:{name}:{sort}:{event}:{name}:2031-03-09 16%3A32%3A11.4 CET:{name}:no:\n"


@pytest.mark.parametrize(
    ("component", "name", "sort", "event", "says"),
    [
        ("FILESYSTEM", "pots", "FILESYSTEM", "unmounted_fs_check", "pots is not mounted"),
        ("DISK", "nsd7", "NSD", "disk_down", "nsd7"),
        ("NETWORK", "ib1", "NIC", "network_link_down", "ib1"),
    ],
)
def test_a_state_goes_with_the_event_that_names_its_part(
    tmp_path: Path, component: str, name: str, sort: str, event: str, says: str
) -> None:
    part = {"component": component, "name": name, "sort": sort, "event": event}
    whole = {"component": component, "name": "carp3", "sort": "NODE"}
    text = (
        HEAD
        + STATE.format(**whole, state="DEGRADED")
        + STATE.format(**part, state="DEGRADED")
        + EVENT.format(**part)
        + STATE.format(component="DISK", name="nsd2", sort="NSD", state="HEALTHY")
    )
    judged = diagnosis_of(tmp_path, text)
    assert says in verdict_in(judged).title
    assert not [one for one in judged.findings if one.ref == "AL-02"]


def test_a_state_of_another_part_stays_a_finding_of_its_own(tmp_path: Path) -> None:
    text = (
        HEAD
        + STATE.format(component="FILESYSTEM", name="lids", sort="FILESYSTEM", state="DEGRADED")
        + STATE.format(component="FILESYSTEM", name="pots", sort="FILESYSTEM", state="DEGRADED")
        + EVENT.format(component="FILESYSTEM", name="pots", sort="FILESYSTEM", event="unmounted_fs_check")
    )
    [state] = [one for one in diagnosis_of(tmp_path, text).findings if one.ref == "AL-02"]
    assert "lids" in state.title


SUMS = (
    "[root@carp1 ~]# mmhealth cluster show\n\n"
    "Component           Total         Failed       Degraded        Healthy          Other\n" + "-" * 85 + "\n"
    "NODE                   50              1              0             49              0\n"
)


def test_a_node_that_failed_goes_before_the_sum_that_counts_it(tmp_path: Path) -> None:
    rows = "\nComponent     Node                Status            Reasons\n" + "-" * 70 + "\n"
    text = f"{SUMS}{rows}NODE          carp7               FAILED            gpfs_down\n"
    judged = diagnosis_of(tmp_path / "a", text)
    assert "carp7" in verdict_in(judged).title
    assert not [one for one in judged.findings if one.ref == "AL-02"]
    alone = diagnosis_of(tmp_path / "b", SUMS)
    assert "1 of 50" in verdict_in(alone).title
    lighter = diagnosis_of(tmp_path / "c", f"{SUMS}{rows}NODE          carp7               DEGRADED          -\n")
    assert "1 of 50" in verdict_in(lighter).title
