"""A card that is down on one node and up on the others: ST-67; a kernel that one node alone runs: ST-30; a service of
every member that is stopped on one of them: ST-74; requests to a disk that are sent again and again: ST-85.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

UP = "<BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP"
DOWN = "<NO-CARRIER,BROADCAST,MULTICAST,UP> mtu 9000 qdisc mq state DOWN"
ADDRESS = "    inet 192.168.7.{at}/24 brd 192.168.7.255 scope global {card}\n"


def cards(states: str, card: str = "ens2f0", *, addressed: bool = True) -> dict[str, str]:
    """The addresses of as many nodes as there are letters, u for up and d for down, each in a folder."""
    return {
        f"tern{at}__ip_addr_dot_txt": (
            "1: lo: <LOOPBACK,UP,LOWER_UP> mtu 65536 qdisc noqueue state UNKNOWN group default qlen 1000\n"
            "    inet 127.0.0.1/8 scope host lo\n"
            f"3: {card}: {UP if state == 'u' else DOWN} group default qlen 1000\n"
            f"    link/ether 52:54:00:21:00:0{at} brd ff:ff:ff:ff:ff:ff\n"
            + (ADDRESS.format(at=10 + at, card=card) if addressed else "")
        )
        for at, state in enumerate(states, start=1)
    }


def severities(folder: Path, ref: str, files: dict[str, str]) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, **files).findings if one.ref == ref]


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (cards("uudu"), ["medium"]),
        (cards("udu", card="bond0"), ["medium"]),
        (cards("duuu", addressed=False), ["low"]),
        (cards("uuuu"), []),
        (cards("uudd"), []),
        (cards("ud"), []),
        (cards("dddd"), []),
        (cards("uuud", card="virbr0"), []),
    ],
)
def test_a_card_that_is_up_on_the_others(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert severities(tmp_path, "ST-67", files) == expected


def kernels(*releases: str) -> dict[str, str]:
    return {
        f"tern{at}__uname_-a_dot_txt": f"Linux tern{at} {release} #1 SMP Wed Sep 11 18:02:00 2030 x86_64 GNU/Linux\n"
        for at, release in enumerate(releases, start=1)
    }


NEWER, OLDER = "4.18.0-553.22.1.el8_10.x86_64", "4.18.0-477.10.1.el8_8.x86_64"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (kernels(NEWER, NEWER, NEWER, OLDER), ["info"]),
        (kernels(OLDER, NEWER, OLDER), ["info"]),
        (kernels(NEWER, NEWER, NEWER), []),
        (kernels(NEWER, NEWER, OLDER, OLDER), []),
        (kernels(NEWER, OLDER), []),
    ],
)
def test_a_kernel_that_one_node_alone_runs(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert severities(tmp_path, "ST-30", files) == expected


def units(*states: str, unit: str = "pacemaker") -> dict[str, str]:
    return {
        f"tern{at}__units_dot_txt": (
            f"tern{at}:~ # systemctl list-units --all\n  UNIT LOAD ACTIVE SUB DESCRIPTION\n"
            f"  {unit}.service  loaded {state} A service of {unit}\n"
        )
        for at, state in enumerate(states, start=1)
    }


RUNS, STOPPED = "active running", "inactive dead"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (units(RUNS, STOPPED, RUNS), ["medium"]),
        (units(RUNS, STOPPED), ["medium"]),
        (units(STOPPED, STOPPED, RUNS), []),
        (units(STOPPED, STOPPED), []),
        (units(RUNS, RUNS), []),
        (units(STOPPED), []),
        (units(RUNS, STOPPED, RUNS, unit="tuned"), []),
    ],
)
def test_st_74_a_service_of_every_member_is_stopped_on_one(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert severities(tmp_path, "ST-74", files) == expected


def daemons(*lists: str) -> dict[str, str]:
    """Whole lists of processes of as many nodes, each with the daemons that are named."""
    head = "UID        PID  PPID  C STIME TTY          TIME CMD\n"
    first = f"{head}root         1     0  0 Nov02 ?        00:01:12 /sbin/init\n"
    row = "root      20{at}1     1  0 Nov02 ?        00:00:11 /usr/sbin/{name}\n".format
    return {
        f"tern{node}__ps_-ef_dot_txt": first + "".join(row(at=at, name=name) for at, name in enumerate(words.split()))
        for node, words in enumerate(lists, start=1)
    }


ALL_OF_THEM = "corosync pacemakerd dlm_controld"


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (daemons(ALL_OF_THEM, ALL_OF_THEM, "corosync pacemakerd"), ["medium"]),
        (daemons(ALL_OF_THEM, "corosync dlm_controld"), ["medium"]),
        (daemons(ALL_OF_THEM, "corosync", "corosync"), []),
        (daemons(ALL_OF_THEM, ALL_OF_THEM), []),
        (daemons("mmfsd", "corosync"), []),
        (daemons("corosync"), []),
    ],
)
def test_st_77_a_daemon_of_every_member_is_missing_on_one(
    tmp_path: Path, files: dict[str, str], expected: list[str]
) -> None:
    assert severities(tmp_path, "ST-77", files) == expected


def links(state: str, beside: str = "up") -> dict[str, str]:
    heading = "LINK                CLASS     MTU    STATE    OVER\n"
    row = "{}                phys      1500   {}       --\n".format
    return {
        f"tern{at}__show-link_dot_out": heading + row("net0", "up") + row("net1", beside) + row("net2", own)
        for at, own in enumerate(("up", state), start=1)
    }


@pytest.mark.parametrize(
    ("files", "expected"),
    [(links("down"), ["low"]), (links("up"), []), (links("unknown"), []), (links("down", beside="unknown"), [])],
)
def test_st_67_of_two_nodes_that_are_alike_else(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    assert severities(tmp_path, "ST-67", files) == expected


def retries(*minutes: int, disk: str = "ssd21", how: str = "timeout") -> dict[str, str]:
    head = "Nov 16 09:{:02}:12 tern1 scsi: [ID 107833 kern.warning] WARNING: /scsi_vhci/ssd@g6000097 ({}):\n".format
    rest = "Nov 16 09:{:02}:12 tern1 \tSCSI transport failed: reason '{}': retrying command\n".format
    return {"messages": "".join(head(at, disk if at < 40 else "ssd44") + rest(at, how) for at in minutes)}


@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (retries(1, 9, 18), ["medium"]),
        (retries(1, 9, 18, how="tran_err"), ["medium"]),
        (retries(1, 9), []),
        (retries(1, 1, 1, 1), []),
        (retries(1, 9, 41, 50), []),
        ({}, []),
    ],
)
def test_st_85_requests_are_sent_again_and_again(tmp_path: Path, files: dict[str, str], expected: list[str]) -> None:
    everyday = {"notes": "Nov 16 09:00:01 tern1 sshd[2211]: [ID 800047 auth.info] Accepted publickey for pat\n"}
    assert severities(tmp_path, "ST-85", files or everyday) == expected
