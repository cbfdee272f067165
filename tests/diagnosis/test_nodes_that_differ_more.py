"""Nodes whose own views are in order and differ from each other: ST-41, ST-42, NW-15 and NW-16."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import by_folder, diagnosis_of

IP = """[root@{node} ~]# ip addr show {card}
3: {card}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP group default qlen 1000
    link/ether 52:54:00:aa:00:0{host} brd ff:ff:ff:ff:ff:ff
    inet {network}.1{host}/24 brd {network}.255 scope global {card}
"""
IFCONFIG = """[root@{node} ~]# ifconfig {card}
{card}: flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu {mtu}
        inet {network}.1{host}  netmask 255.255.255.0  broadcast {network}.255
"""
LINK = """[root@{node} ~]# ip link show {card}
3: {card}: <BROADCAST,MULTICAST,MASTER,UP,LOWER_UP> mtu {mtu} qdisc noqueue state UP mode DEFAULT group default
    link/ether 52:54:00:aa:00:0{host} brd ff:ff:ff:ff:ff:ff
"""
ONE_LINE = (
    LINK.replace("ip link show", "ip -o link show").replace(" default\n    link", " default\\    link")
    + """[root@{node} ~]# ip -o -4 addr show {card}
3: {card}    inet {network}.{host}/24 brd {network}.255 scope global {card}\\       valid_lft forever
"""
)
NETSTAT = """[root@{node} ~]# netstat -i
Kernel Interface table
Iface       MTU Met    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
{card}      {mtu}   0   845265      0      0      0     1753      0      0      0 BMmRU
"""
POOL = """[root@{node} ~]# gluster pool list
UUID					Hostname	State
{peers}1b2c3d4e-0000-1111-2222-333344445509	localhost	Connected
"""
PEERS = """[root@{node} ~]# gluster peer status
Number of Peers: {count}
{peers}"""
MONITOR = """[root@{node} ~]# crm_mon -1
  * Stack: corosync
  * Current DC: {node} (version 2.1.6-9.el9-6fdc9deea29) - partition with quorum
  * {count} nodes configured
  * 1 resource instance configured

Node List:
  * Online: [ {nodes} ]

Active Resources:
  * fence_a	(stonith:fence_ipmilan):	 Started {node}
"""
COROSYNC = """[root@{node} ~]# cat /etc/corosync/corosync.conf
totem {{
    version: 2
    cluster_name: barley
    transport: {transport}
    token: {token}
}}
nodelist {{
{nodes}}}
quorum {{
    provider: corosync_votequorum
}}
"""


def typed(folder: Path, text: str, ref: str) -> list[str]:
    return [one.severity for one in diagnosis_of(folder, text).findings if one.ref == ref]


def severities(folder: Path, text: str, ref: str) -> list[str]:
    """The same by a transcript and by files in folders of the nodes."""
    own = typed(folder / "typed", text, ref)
    if len(files := by_folder(text)) > 1:
        assert [one.severity for one in diagnosis_of(folder / "files", **files).findings if one.ref == ref] == own
    return own


def cards(form: str, *mtus: int, card: str = "eth1", network: str = "10.7.0") -> str:
    rows = [
        form.format(node=f"larch{host}", card=card, mtu=mtu, host=host, network=network)
        for host, mtu in enumerate(mtus, 1)
    ]
    return "".join(rows)


@pytest.mark.parametrize(
    ("form", "card", "mtus", "severity"),
    [
        (IP, "eth1", (9000, 1500), "medium"),
        (IP, "ens3f0", (9000, 9000, 1500), "medium"),
        (IFCONFIG, "bond0", (1500, 9000), "medium"),
        (LINK, "bond1", (9000, 1500), "low"),
        (ONE_LINE, "bond1", (9000, 1500), "medium"),
        (NETSTAT, "bond0", (9000, 1500), "low"),
    ],
)
def test_cards_of_one_network_with_different_mtus_are_named(
    tmp_path: Path, form: str, card: str, mtus: tuple[int, ...], severity: str
) -> None:
    assert severities(tmp_path / "sick", cards(form, *mtus, card=card), "ST-41") == [severity]
    assert severities(tmp_path / "well", cards(form, *[mtus[0]] * len(mtus), card=card), "ST-41") == []


def test_cards_of_different_networks_may_differ(tmp_path: Path) -> None:
    first = cards(IP, 9000) + cards(IP, 1500, card="eth0", network="192.168.5")
    second = IP.format(node="larch2", card="eth1", mtu=1500, host=2, network="192.168.5") + IP.format(
        node="larch2", card="eth0", mtu=9000, host=2, network="10.7.0"
    )
    assert severities(tmp_path, first + second, "ST-41") == []
    inside = cards(IP, 1500, card="docker0", network="172.17.0") + cards(IP, 1400, card="docker0", network="172.17.0")
    assert severities(tmp_path / "inside", inside.replace("larch1", "larch2", 1), "ST-41") == []


def maps(node: str, *names: str) -> str:
    rows = [
        f"{name} (36006016022b037004c6f7d8e1c5ce61{at}) dm-{at} DGC,VRAID\nsize=500G features='0' hwhandler='0' wp=rw\n"
        "`-+- policy='service-time 0' prio=50 status=active\n"
        f"  `- 1:0:0:{at} sd{'bcdefg'[at]} 8:16 active ready running\n"
        for at, name in enumerate(names)
    ]
    return f"[root@{node} ~]# multipath -ll\n" + "".join(rows)


def groups(node: str, *names: str, attributes: str = "wz--nc") -> str:
    rows = [f"  {name:8}     2   4   0 {attributes}   2.00t 10.00g\n" for name in names]
    heading = "  VG         #PV #LV #SN Attr   VSize   VFree\n  rootvg       1   3   0 wz--n-  99.00g  9.00g\n"
    return f"[root@{node} ~]# vgs\n{heading}" + "".join(rows)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (maps("larch1", "data1", "data2") + maps("larch2", "data1"), ["low"]),
        (maps("larch1", "a1", "a2") + maps("larch2", "a1", "a2") + maps("larch3", "a1"), ["medium"]),
        (maps("larch1", "data1", "boot1") + maps("larch2", "data1", "boot2"), []),
        (maps("larch1", "data1", "data2") + maps("larch2", "data1", "data2"), []),
        (maps("larch1", "mpatha", "mpathb") + maps("larch2", "mpatha"), ["low"]),  # by their numbers
        (maps("larch1", "mpatha", "mpathb") + maps("larch2", "mpathb", "mpatha"), []),
        (groups("larch1", "tide") + groups("larch2"), ["medium"]),
        (groups("larch1", "tide", attributes="wz--ns") + groups("larch2"), ["medium"]),
        (groups("larch1", "tide") + groups("larch2", "tide"), []),
        (groups("larch1", "tide", attributes="wz--n-") + groups("larch2"), []),
    ],
)
def test_what_one_node_does_not_list_is_named(tmp_path: Path, text: str, found: list[str]) -> None:
    assert severities(tmp_path, text, "ST-42") == found


def members(node: str, *names: str, group: str = "tide", command: str = "pvs") -> str:
    rows = [f"  {name:46} {group:6} lvm2 a--  250.00g    0\n" for name in names]
    return f"[root@{node} ~]# {command}\n  {'PV':46} {'VG':6} Fmt  Attr PSize   PFree\n" + "".join(rows)


FIRST = "/dev/mapper/mpatha"
SECOND = "/dev/mapper/mpathb"
WWID = "/dev/mapper/360060160a1b2c3d4e5f60718293a4b5c"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (members("larch1", FIRST, SECOND) + members("larch2", FIRST), ["medium"]),
        (members("larch1", WWID, SECOND) + members("larch2", WWID), ["medium"]),
        (members("larch1", "/dev/emcpowera", "/dev/emcpowerb") + members("larch2", "/dev/emcpowera"), ["medium"]),
        (members("larch1", FIRST, SECOND) + members("larch2", SECOND, FIRST), []),
        (members("larch1", FIRST, SECOND) + members("larch2", FIRST, command=f"pvs {FIRST}"), []),
        (members("larch1", FIRST, SECOND) + members("larch2", FIRST, command="pvs | head -2"), []),
        (members("larch1", FIRST, SECOND, group="rootvg") + members("larch2", FIRST, group="rootvg"), []),
        (members("larch1", "/dev/sdb1", "/dev/sdc1") + members("larch2", "/dev/sdb1"), []),
        (members("larch1", "/dev/mapper/luks-a", "/dev/mapper/luks-b") + members("larch2", "/dev/mapper/luks-a"), []),
    ],
)
def test_a_disk_of_a_shared_group_that_one_node_lacks_is_named(tmp_path: Path, text: str, found: list[str]) -> None:
    assert severities(tmp_path, text, "ST-42") == found


@pytest.mark.parametrize(
    "command", ["vgs rootvg", "vgs --noheadings -o name rootvg", "vgs -S vg_name=rootvg", "vgs | grep rootvg"]
)
def test_a_list_of_one_named_group_lacks_nothing(tmp_path: Path, command: str) -> None:
    single = groups("larch2").replace("# vgs", f"# {command}")
    assert typed(tmp_path / "one", groups("larch1", "tide") + single, "ST-42") == []
    both = groups("larch1", "tide") + single + groups("larch2")
    assert typed(tmp_path / "both", both, "ST-42") == ["medium"]
    units = groups("larch2").replace("# vgs", "# vgs --units g -o +vg_tags")
    assert typed(tmp_path / "units", groups("larch1", "tide") + units, "ST-42") == ["medium"]


def test_different_mtus_of_three_nodes_are_one_finding(tmp_path: Path) -> None:
    text = "".join(
        IP.format(node=f"larch{at}", card="bond0", mtu=mtu, host=at, network="10.7.0")
        for at, mtu in ((1, 9000), (2, 1500), (3, 9000))
    )
    refs = [one.ref for one in diagnosis_of(tmp_path, text).findings]
    assert refs.count("ST-41") == 1
    assert "SC-29" not in refs


def pool(node: str, *peers: str) -> str:
    rows = [f"1b2c3d4e-0000-1111-2222-33334444550{at}	{peer}	Connected\n" for at, peer in enumerate(peers)]
    return POOL.format(node=node, peers="".join(rows))


def peers(node: str, *names: str) -> str:
    rows = [
        f"\nHostname: {name}\nUuid: 1b2c3d4e-0000-1111-2222-33334444550{at}\nState: Peer in Cluster (Connected)\n"
        for at, name in enumerate(names)
    ]
    return PEERS.format(node=node, count=len(names), peers="".join(rows))


@pytest.mark.parametrize("make", [pool, peers])
def test_a_peer_that_one_node_alone_knows_is_named(tmp_path: Path, make: object) -> None:
    assert callable(make)
    sick = make("larch1", "larch2", "larch3") + make("larch2", "larch1")
    [found] = [one for one in diagnosis_of(tmp_path / "sick", sick).findings if one.ref == "NW-15"]
    assert (found.severity, found.title) == ("medium", "larch1 lists larch3, which larch2 does not know")
    well = make("larch1", "larch2", "larch3") + make("larch2", "larch1", "larch3")
    assert severities(tmp_path / "well", well, "NW-15") == []


def test_members_of_pacemaker_that_one_node_alone_lists_are_named(tmp_path: Path) -> None:
    sick = MONITOR.format(node="larch1", count=3, nodes="larch1 larch2 larch3")
    sick += MONITOR.format(node="larch2", count=2, nodes="larch1 larch2")
    assert severities(tmp_path, sick, "NW-15") == ["medium"]


@pytest.mark.parametrize(("count", "found"), [(3, ["medium"]), (2, [])])
def test_nodes_that_are_configured_and_not_listed_are_counted(tmp_path: Path, count: int, found: list[str]) -> None:
    text = MONITOR.format(node="larch1", count=count, nodes="larch1 larch2")
    assert [one.severity for one in diagnosis_of(tmp_path, text).findings if "configured nodes" in one.title] == found


def corosync(node: str, *hosts: int, token: int = 3000, transport: str = "knet") -> str:
    nodes = "".join(
        f"    node {{\n        ring0_addr: 10.7.0.{host}\n        nodeid: {host}\n    }}\n" for host in hosts
    )
    return COROSYNC.format(node=node, nodes=nodes, token=token, transport=transport)


@pytest.mark.parametrize(
    ("second", "words"),
    [
        (corosync("larch2", 1, 2, 3, token=10000), "totem.token (3000 on larch1, 10000 on larch2)"),
        (corosync("larch2", 1, 2), "nodelist (3 on larch1, 2 on larch2)"),
        (corosync("larch2", 1, 2, 3, transport="udpu"), "totem.transport (knet on larch1, udpu on larch2)"),
        (corosync("larch2", 1, 2, 3), None),
        (corosync("larch2", 3, 2, 1), None),
    ],
)
def test_files_of_corosync_that_differ_are_compared(tmp_path: Path, second: str, words: str | None) -> None:
    found = [one for one in diagnosis_of(tmp_path, corosync("larch1", 1, 2, 3) + second).findings if one.ref == "NW-16"]
    assert [words is not None and words in one.title for one in found] == ([True] if words else [])
