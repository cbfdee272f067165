"""Nodes that are set up otherwise than the others (ST-47), and what two nodes share (ST-48)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import by_folder, diagnosis_of

NODES = ("crane1", "crane2", "crane3")
Found = list[tuple[str, tuple[str, ...]]]
LINK = "7: {0}@bond0: <BROADCAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP\n    vlan protocol 802.1Q id {1} <>"
ZONE = "System clock synchronized: yes\n       Time zone: {}"
MULTIPATH = (
    "{0} (360050768018087e3c80000000000a1b2) dm-3 KESTREL,ARRAY-9\nsize={1} features='0' hwhandler='1 alua' wp=rw\n"
    "`-+- policy='service-time 0' prio=50 status=active\n  `- 1:0:0:1 sdb 8:16 active ready running"
)
USUAL = {
    "ulimit -a": (
        "open files                          (-n) 65536\nmax user processes                  (-u) 61000",
        "open files                          (-n) 1024\nmax user processes                  (-u) 61000",
    ),
    "cat /etc/security/limits.conf": ("* soft nofile 65536", "*\tsoft\tnofile\t1024"),
    "cat /etc/gabtab": ("/sbin/gabconfig -c -n3", "/sbin/gabconfig -c -n2"),
    "getenforce": ("Disabled", "Enforcing"),
    "uname -r; cat /sys/kernel/mm/transparent_hugepage/enabled": ("always madvise [never]", "[always] madvise never"),
    "tuned-adm active": ("Current active profile: throughput-performance", "Current active profile: powersave"),
    "cat /sys/block/sdb/queue/scheduler": ("[none] mq-deadline kyber bfq", "none mq-deadline kyber [bfq]"),
    "sysctl -a": ("net.core.rmem_max = 134217728", "net.core.rmem_max = 212992"),
    "systemctl is-enabled corosync": ("enabled", "disabled"),
    "cat /proc/net/bonding/bond0": (
        "Ethernet Channel Bonding Driver: v5.15.0\nBonding Mode: load balancing (xor)\nMII Status: up",
        "Ethernet Channel Bonding Driver: v5.15.0\nBonding Mode: fault-tolerance (active-backup)\nMII Status: up",
    ),
    "cat /etc/multipath.conf": ("defaults {\n\tno_path_retry fail\n}", "defaults {\n\tno_path_retry queue\n}"),
    "vxtunefs -p /srv/fen": (
        "Filesystem i/o parameters for /srv/fen\nread_pref_io = 1048576\nread_nstream = 4",
        "Filesystem i/o parameters for /srv/fen\nread_pref_io = 65536\nread_nstream = 4",
    ),
    "timedatectl": (ZONE.format("Europe/Berlin (CET, +0100)"), ZONE.format("Asia/Tokyo (JST, +0900)")),
}
HARMFUL = {
    "cat /etc/lvm/lvm.conf": ("global {\n\tuse_lvmlockd = 1\n}", "global {\n\tuse_lvmlockd = 0\n}"),
    "cat /etc/dlm/dlm.conf": ("enable_fencing=1\nprotocol=tcp", "enable_fencing=1\nprotocol=sctp"),
    "cat /etc/vxfenmode": ("vxfen_mode=scsi3", "vxfen_mode=disabled"),
    "ip -d link": (LINK.format("store", 210), LINK.format("store", 211)),
    "multipath -ll": (MULTIPATH.format("pots1", "2.0T"), MULTIPATH.format("pots1", "1.0T")),
}
ALONE = {
    "cat /etc/iscsi/initiatorname.iscsi": "InitiatorName=iqn.1994-05.com.example:8f2d11c4a7b{}",
    "cat /etc/machine-id": "1f0c9a7be4d84b0f9b1a2c3d4e5f607{}",
    "cat /etc/lvm/lvmlocal.conf": "local {{\n\thost_id = {}\n}}",
}


def typed(command: str, *outputs: str) -> str:
    return "".join(f"[root@{node} ~]# {command}\n{text}\n" for node, text in zip(NODES, outputs, strict=False))


def found(folder: Path, ref: str, text: str) -> Found:
    diagnosis = diagnosis_of(folder, text)
    return [(one.severity, tuple(one.nodes)) for one in diagnosis.findings if one.ref == ref]


@pytest.mark.parametrize(
    ("command", "usual", "odd", "severity"),
    [(command, *values, "low") for command, values in USUAL.items()]
    + [(command, *values, "medium") for command, values in HARMFUL.items()],
)
def test_a_node_that_is_set_up_otherwise_is_named(
    tmp_path: Path, command: str, usual: str, odd: str, severity: str
) -> None:
    assert found(tmp_path / "sick", "ST-47", typed(command, usual, odd, usual)) == [(severity, ("crane2",))]
    assert found(tmp_path / "well", "ST-47", typed(command, usual, usual, usual)) == []
    sent = f"[root@adm ~]# clush -bw crane[1-3] '{command}'\n" + "".join(
        f"---------------\n{node}\n---------------\n{text}\n"
        for node, text in zip(NODES, (usual, usual, odd), strict=True)
    )
    assert found(tmp_path / "sent", "ST-47", sent) == [(severity, ("crane3",))]


def test_what_a_remote_shell_puts_in_front_of_a_word_is_its_node(tmp_path: Path) -> None:
    text = "[root@adm ~]# pdsh -w crane[1-3] getenforce\ncrane1: Enforcing\ncrane3: Disabled\ncrane2: Enforcing\n"
    assert found(tmp_path, "ST-47", text) == [("low", ("crane3",))]


def test_what_ansible_sent_is_known_below_the_names_of_its_nodes(tmp_path: Path) -> None:
    rows = zip(NODES, (65536, 1024, 65536), strict=True)
    text = "$ ansible all -m shell -a 'ulimit -n'\n" + "".join(
        f"{node} | CHANGED | rc=0 >>\n{one}\n" for node, one in rows
    )
    assert found(tmp_path, "ST-47", text) == [("low", ("crane2",))]


def test_two_generations_of_machines_may_differ(tmp_path: Path) -> None:
    rows = {"old1": 32, "old2": 32, "new1": 64, "new2": 64}
    text = "".join(
        f"[root@{node} ~]# lscpu\nArchitecture:        x86_64\nCPU(s):              {count}\n"
        for node, count in rows.items()
    )
    assert found(tmp_path, "ST-47", text) == []


def test_a_service_that_moves_between_nodes_runs_on_one_of_them(tmp_path: Path) -> None:
    assert found(tmp_path / "moves", "ST-47", typed("systemctl is-active nfs-server", "active", "inactive")) == []
    assert found(tmp_path / "each", "ST-47", typed("systemctl is-active multipathd", "active", "inactive")) != []


def test_disks_that_each_node_names_in_its_own_order_may_differ(tmp_path: Path) -> None:
    maps = [MULTIPATH.format("mpatha", size) for size in ("2.0T", "1.0T")]
    others = [maps[0], maps[1].replace("360050768018087e3c80000000000a1b2", "360050768018087e3c80000000000a1bz")]
    assert found(tmp_path / "other", "ST-47", typed("multipath -ll", *others)) == []
    assert [one for one, _ in found(tmp_path / "one", "ST-47", typed("multipath -ll", *maps))] == ["medium"]


def test_options_of_a_mount_in_another_order_are_the_same(tmp_path: Path) -> None:
    row = "/dev/mapper/tide-shared /tide gfs2 {} 0 0"
    well = typed("cat /proc/mounts", *(row.format(one) for one in ("rw,noatime,hostdata=jid=0", "noatime,rw")))
    assert found(tmp_path / "well", "ST-47", well) == []
    sick = typed("cat /proc/mounts", *(row.format(one) for one in ("rw,errors=panic", "rw,errors=withdraw")))
    assert [severity for severity, _ in found(tmp_path / "sick", "ST-47", sick)] == ["low"]


@pytest.mark.parametrize(("command", "form"), ALONE.items())
def test_what_two_nodes_share_and_each_ought_to_have_alone_is_named(tmp_path: Path, command: str, form: str) -> None:
    sick = typed(command, form.format(1), form.format(2), form.format(2))
    assert found(tmp_path / "sick", "ST-48", sick) == [("medium", ("crane2", "crane3"))]
    assert found(tmp_path / "well", "ST-48", typed(command, *(form.format(at) for at in (1, 2, 3)))) == []
    files = by_folder(sick.replace("cat ", ""))
    assert len(files) == len(NODES)


def addresses(*last: int) -> str:
    card = "bond0            UP             10.31.0.{}/24\nib0              UP             10.32.0.{}/24"
    return typed("ip -br a", *(card.format(at, one) for at, one in enumerate(last, 11)))


def test_an_address_on_two_nodes_is_named(tmp_path: Path) -> None:
    assert found(tmp_path / "sick", "ST-48", addresses(11, 12, 12)) == [("medium", ("crane2", "crane3"))]
    assert found(tmp_path / "well", "ST-48", addresses(11, 12, 13)) == []


def test_networks_inside_of_each_host_and_addresses_of_services_may_be_the_same(tmp_path: Path) -> None:
    card = "bond0      UP      10.31.0.{}/24 10.31.0.90/24\nvirbr0     UP      192.168.122.1/24"
    assert found(tmp_path, "ST-48", typed("ip -br a", card.format(11), card.format(12))) == []


CARD = {"ifname": "ens2f0", "operstate": "UP", "mtu": 9000, "addr_info": [{"family": "inet", "prefixlen": 24}]}
TOOLS = {
    "ip_-j_addr": ("ST-41", {"mtu": 1500}, CARD),
    "ethtool_--json_ens2f0": ("ST-44", {"speed": 1000}, {"ifname": "ens2f0", "speed": 100000, "duplex": "Full"}),
    "redfish_nic1": ("ST-44", {"SpeedMbps": 100}, {"Id": "NIC1", "SpeedMbps": 25000, "LinkStatus": "LinkUp"}),
}


@pytest.mark.parametrize(("name", "ref", "change", "card"), [(name, *rest) for name, rest in TOOLS.items()])
def test_cards_in_objects_of_json_are_compared(
    tmp_path: Path, name: str, ref: str, change: dict[str, object], card: dict[str, object]
) -> None:
    def files(odd: int) -> dict[str, str]:
        shown = {}
        for at, node in enumerate(NODES):
            address = {"family": "inet", "local": f"10.44.0.{at + 1}", "prefixlen": 24}
            one = card | (change if at == odd else {}) | ({"addr_info": [address]} if "addr_info" in card else {})
            shown[f"{node}_dot_{name}_dot_json"] = json.dumps([one])
        return shown

    sick = diagnosis_of(tmp_path / "sick", **files(1))
    assert [tuple(one.nodes) for one in sick.findings if one.ref == ref] == [("crane2",)]
    well = diagnosis_of(tmp_path / "well", **files(-1))
    assert [one.severity for one in well.findings if one.severity != "info"] == []
