"""Cards that run slower than those of the other nodes or than they can (ST-44), parts of a bond with different speeds,
packets that one card breaks (ST-20), and daemons that run with other values than are configured (SC-19).
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.diagnosis.cluster_texts import by_folder, diagnosis_of, verdict_in

ETHTOOL = """[root@{node} ~]# ethtool {card}
Settings for {card}:
	Supported ports: [ FIBRE ]
	Supported link modes:   1000baseT/Full
				{able}baseT/Full
	Supported pause frame use: Symmetric
	Supports auto-negotiation: Yes
	Advertised link modes:  1000baseT/Full
				{able}baseT/Full
	Speed: {speed}Mb/s
	Duplex: Full
	Link detected: yes
"""
PICKED = """[root@{node} ~]# ethtool {card} | grep -E "Speed|Duplex"
	Speed: {speed}Mb/s
	Duplex: Full
"""
IBSTAT = """[root@{node} ~]# ibstat mlx5_0
CA 'mlx5_0'
	CA type: MT4123
	Number of ports: 1
	Port 1:
		State: {state}
		Physical state: LinkUp
		Rate: {speed}
		Base lid: 11
		SM lid: 1
		Link layer: InfiniBand
"""
BOND = """[root@{node} ~]# cat /proc/net/bonding/bond0
Ethernet Channel Bonding Driver: v5.14.0

Bonding Mode: IEEE 802.3ad Dynamic link aggregation
MII Status: up

Slave Interface: {card}
MII Status: up
Speed: 10000 Mbps
Duplex: full
Link Failure Count: 0

Slave Interface: ens9f1
MII Status: up
Speed: {speed} Mbps
Duplex: full
Link Failure Count: 0
"""


def nodes(form: str, *speeds: int, card: str = "ens2f0", able: int = 10000, state: str = "Active") -> str:
    return "".join(
        form.format(node=f"sorrel{at}", card=card, speed=speed, able=able, state=state)
        for at, speed in enumerate(speeds, 1)
    )


def found(folder: Path, text: str, ref: str = "ST-44") -> list[tuple[str, tuple[str, ...]]]:
    """The same by a transcript and by files in folders of the nodes."""
    typed, files = diagnosis_of(folder / "typed", text), by_folder(text)
    own: list[tuple[str, tuple[str, ...]]] = [
        (one.severity, tuple(one.nodes)) for one in typed.findings if one.ref == ref
    ]
    if len(files) > 1:
        again = diagnosis_of(folder / "files", **files)
        assert [(one.severity, tuple(one.nodes)) for one in again.findings if one.ref == ref] == own
    return own


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (nodes(ETHTOOL, 10000, 100, 10000), [("medium", ("sorrel2",))]),
        (nodes(ETHTOOL, 1000, 10000, 10000, 1000), [("medium", ("sorrel1", "sorrel4"))]),
        (nodes(ETHTOOL, 25000, 10000, able=25000), [("low", ("sorrel2",))]),
        (nodes(PICKED, 100, 10000, card="eth4"), [("medium", ("sorrel1",))]),
        (nodes(IBSTAT, 200, 200, 100), [("medium", ("sorrel3",))]),
        (nodes(ETHTOOL, 100), [("medium", ("sorrel1",))]),
        (nodes(ETHTOOL, 1000), []),  # behind a slower switch
        (nodes(ETHTOOL, 10000), []),
        (nodes(ETHTOOL, 1000, able=2500), []),
        (nodes(ETHTOOL, 10000, 10000, 10000), []),
        (nodes(PICKED, 1000), []),
        (nodes(IBSTAT, 200, 200), []),
        (nodes(ETHTOOL, 1000, 10000, 10000, card="docker0"), []),
    ],
)
def test_a_card_slower_than_its_like_is_named(
    tmp_path: Path, text: str, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    assert found(tmp_path, text) == expected


@pytest.mark.parametrize(("speed", "expected"), [(1000, [("medium", ("sorrel2",))]), (25000, [])])
def test_speeds_behind_a_remote_shell_are_compared(
    tmp_path: Path, speed: int, expected: list[tuple[str, tuple[str, ...]]]
) -> None:
    speeds = {1: 25000, 2: speed, 3: 25000}
    rows = "".join(f"sorrel{at}: \tSpeed: {own}Mb/s\n" for at, own in speeds.items())
    for command in ("ethtool bond0 | grep Speed", "ethtool ens5f1"):
        assert found(tmp_path / command[8:13], f"[root@fen ~]# pdsh -a '{command}'\n{rows}") == expected


def test_a_port_without_a_link_has_no_rate(tmp_path: Path) -> None:
    down = IBSTAT.format(node="sorrel3", state="Down", speed=10)
    assert found(tmp_path, nodes(IBSTAT, 200, 200) + down) == []


@pytest.mark.parametrize(("speed", "form"), [(1000, "unexplained"), (10000, "healthy")])
def test_parts_of_one_bond_have_one_speed(tmp_path: Path, speed: int, form: str) -> None:
    diagnosis = diagnosis_of(tmp_path, nodes(BOND, speed))
    assert verdict_in(diagnosis).form == form
    assert ("ens9f1" in verdict_in(diagnosis).title) == (form != "healthy")


IP = """[root@{node} ~]# ip -s link show {card}
4: {card}: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc mq state UP mode DEFAULT group default qlen 1000
    link/ether 52:54:00:ab:00:0{host} brd ff:ff:ff:ff:ff:ff
    RX:  bytes packets errors dropped  missed   mcast
    8811223344 {packets} {errors}       0       0   12211
    TX:  bytes packets errors dropped carrier collsns
    7711223344 {packets}      0       0       0       0
"""
KERNEL = """[root@{node} ~]# netstat -i
Kernel Interface table
Iface             MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg
{card}           9000 {packets} {errors}      0 0      {packets}      0      0      0 BMRU
"""


@pytest.mark.parametrize("form", [IP, KERNEL])
@pytest.mark.parametrize(
    ("packets", "errors", "expected"),
    [
        (812_334_455, 64_111, ["low"]),
        (812_334_455, 911, []),
        (812_334_455_000, 64_111, []),
        (1_233_445, 31_224, ["medium"]),
        (812_334_455, 0, []),
    ],
)
def test_many_broken_packets_are_named_though_their_share_is_small(
    tmp_path: Path, form: str, packets: int, errors: int, expected: list[str]
) -> None:
    text = "".join(
        form.format(node=f"sorrel{host}", card="ens2f0", host=host, packets=packets, errors=errors if host == 2 else 0)
        for host in (1, 2, 3)
    )
    assert [severity for severity, _ in found(tmp_path, text, "ST-20")] == expected


CONFIGURED = """Configuration data for cluster fen.sorrel1:
-------------------------------------------
clusterName fen.sorrel1
autoload yes
{settings}

File systems in cluster fen.sorrel1:
------------------------------------
/dev/fen
"""
RUNNING = """
=== mmdiag: config ===
 ! pagepool {pagepool}
   maxFilesToCache 4000
 ! workerThreads {workers}
"""


@pytest.mark.parametrize(
    ("settings", "pagepool", "workers", "names"),
    [
        ("pagepool 8G\nworkerThreads 512", 1 << 30, 512, ["pagepool"]),
        ("pagepool 8G\nworkerThreads 512", 8 << 30, 48, ["workerThreads"]),
        ("pagepool 8G\nworkerThreads 512", 8 << 30, 512, []),
        ("[sorrel2]\npagepool 1G\n[common]\npagepool 8G\nworkerThreads 512", 1 << 30, 512, []),
        ("workerThreads 512", 1 << 30, 512, []),
    ],
)
def test_a_daemon_that_runs_with_another_value_than_is_configured(
    tmp_path: Path, settings: str, pagepool: int, workers: int, names: list[str]
) -> None:
    files = {
        f"sorrel{host}__mmdiag_config_dot_txt": RUNNING.format(
            pagepool=pagepool if host == 2 else 8 << 30, workers=workers if host == 2 else 512
        )
        for host in (1, 2, 3)
    }
    files["sorrel1__mmlsconfig_dot_txt"] = CONFIGURED.format(settings=settings)
    diagnosis = diagnosis_of(tmp_path, **files)
    differ = [one for one in diagnosis.findings if one.ref == "SC-19"]
    assert [(one.severity, list(one.nodes)) for one in differ] == [("low", ["sorrel2"])] * bool(names)
    assert all(name in one.title for one in differ for name in names)
