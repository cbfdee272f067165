"""Rules on totem, the lock manager's connections and network cards: where they fire with which figures, and where they
must not.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis
from parsers.records import Counter, Event, Record
from parsers.records.locks import DlmLock
from parsers.records.waits import Stack
from tests.diagnosis.host_tools_cases import diagnosed, figures, found, refs

HARM: list[Record] = [Event(line=1, source="kernel", kind="hung-task", text="task rsync blocked")]
SECOND = 1_000_000
START = 1_930_824_000 * SECOND


def log(*lines: tuple[int, str], node: str = "kite3") -> str:
    """Lines of a log: seconds behind ten o'clock, and the rest."""
    return "".join(
        f"2031-03-09T{10 + second // 3600}:{second // 60 % 60:02d}:{second % 60:02d}+01:00 {node} {what}\n"
        for second, what in lines
    )


AGAIN = "corosync[2188]:   [TOTEM ] Retransmit List: 1a2b"
LOST = "corosync[2188]:   [TOTEM ] A processor failed, forming new configuration."
LATE = "corosync[2188]:   [TOTEM ] Token has not been received in 2250 ms"
STARVED = (
    "corosync[2188]:   [MAIN  ] Corosync main process was not scheduled for {ms} ms (threshold is "
    "2400.0000 ms). Consider token timeout increase."
)
CONF = "totem {{\n    version: 2\n    token: 3000\n    window_size: {window}\n    netmtu: {mtu}\n}}\n"


@pytest.mark.parametrize(
    ("every", "lines", "severity"),
    [(1, 9, "info"), (10, 12, "low"), (2, 70, "medium"), (2, 200, "high"), (400, 2, "info"), (400, 100, "low")],
)
def test_retransmits_by_their_density(tmp_path: Path, every: int, lines: int, severity: str) -> None:
    text = log(*((index * every, AGAIN) for index in range(min(lines, 3600 // every * 10))))
    assert refs(diagnosed(tmp_path / "a", text, records=HARM)).get("NW-03") == severity
    assert refs(diagnosed(tmp_path / "b", text)).get("NW-03") == ("info" if severity == "info" else "low")


def test_a_compressed_line_counts_as_often_as_it_says(tmp_path: Path) -> None:
    text = log((0, AGAIN), (1, "corosync[2188]: message repeated 70 times: [   [TOTEM ] Retransmit List: 1a2d]"))
    [finding] = found(diagnosed(tmp_path, text), "NW-03")
    assert figures(finding)["Lines within five minutes"] == 71


GIVEN_UP = "corosync[2188]:   [TOTEM ] FAILED TO RECEIVE"


@pytest.mark.parametrize(
    "lines",
    [
        ((0, AGAIN), (1, AGAIN), (2, GIVEN_UP)),
        ((0, "corosync[2188]: [TOTEM ] Retransmit List: 67"), (1, "corosync[2188]: [TOTEM ] FAILED TO RECEIVE")),
        ((0, GIVEN_UP),),
    ],
)
def test_a_member_that_gives_up_on_messages_of_the_ring(tmp_path: Path, lines: tuple[tuple[int, str], ...]) -> None:
    diagnosis = diagnosed(tmp_path / "sick", log(*lines))
    [finding] = found(diagnosis, "NW-04")
    assert (finding.severity, finding.nodes) == ("high", ("kite3",))
    assert "did not reach kite3" in finding.title
    calm = diagnosed(tmp_path / "calm", log((0, AGAIN), (1, AGAIN)))
    assert [one.severity for one in calm.findings] == ["info"]


def test_a_smaller_window_is_advised_only_where_it_is_too_large(tmp_path: Path) -> None:
    text = log(*((index, AGAIN) for index in range(20)))
    large = diagnosed(tmp_path / "a", text, CONF.format(window=50, mtu=8982))
    assert "at most 28 fits" in found(large, "NW-03")[0].explanation
    assert "totem-window-size" in [tuning.id for tuning in large.tunings]
    fits = diagnosed(tmp_path / "b", text, CONF.format(window=50, mtu=1500))
    assert "75\u2009000, within 256\u2009000" in found(fits, "NW-03")[0].explanation
    assert "totem-window-size" not in [tuning.id for tuning in fits.tunings]


@pytest.mark.parametrize(
    ("lines", "severity"),
    [
        (((0, LATE),), "low"),
        (((0, LOST),), "medium"),
        (((0, LOST), (1800, LOST)), "high"),
        (((0, LOST), (7200, LOST)), "medium"),
        (((0, LOST), (30, "fenced[311]: fencing node kite4")), "critical"),
        (((0, "corosync[1]:   [TOTEM ] A new membership (10.20.0.3:4412) was formed. Members left: 2"),), None),
    ],
)
def test_lost_tokens(tmp_path: Path, lines: tuple[tuple[int, str], ...], severity: str | None) -> None:
    assert refs(diagnosed(tmp_path, log(*lines))).get("NW-04") == severity


def test_a_longer_token_is_not_advised_where_corosync_got_no_cpu(tmp_path: Path) -> None:
    starved = diagnosed(tmp_path / "a", log((0, LOST), (1, STARVED.format(ms="4120.5"))))
    assert "totem-token" not in [tuning.id for tuning in starved.tunings]
    plain = diagnosed(tmp_path / "b", log((0, LOST)))
    [token] = [tuning for tuning in plain.tunings if tuning.id == "totem-token"]
    assert "consensus" in token.caution
    assert token.recommended.startswith("keep")


@pytest.mark.parametrize(
    ("lines", "severity"),
    [(((0, "1500.0"),), "low"), (((0, "1500.0"), (600, "1400.0")), "medium"), (((0, "4120.5"),), "high")],
)
def test_no_cpu_for_corosync(tmp_path: Path, lines: tuple[tuple[int, str], ...], severity: str) -> None:
    text = log(*((second, STARVED.format(ms=ms)) for second, ms in lines))
    assert refs(diagnosed(tmp_path, text, CONF.format(window=50, mtu=1500))).get("NW-05") == severity


@pytest.mark.parametrize(
    ("pause", "threshold", "severity"),
    [
        ("9123.44", "2400.0000", "medium"),
        ("801.2", "800.0", "low"),
        ("1100", "800", "medium"),
        ("31000", "2920.0", "medium"),
    ],
)
def test_a_pause_is_weighed_by_the_threshold_of_its_message(
    tmp_path: Path, pause: str, threshold: str, severity: str
) -> None:
    text = log((0, STARVED.format(ms=pause).replace("ms", f"ms (threshold is {threshold} ms)", 1)))
    assert refs(diagnosed(tmp_path, text)).get("NW-05") == severity


def test_defaults_bound_posix_locks_only_and_advise_nothing(tmp_path: Path) -> None:
    case = diagnosed(tmp_path, CONF.format(window=50, mtu=1500))
    [finding] = found(case, "NW-06")
    assert (finding.severity, finding.tunings) == ("info", ())
    assert "NW-06" not in refs(diagnosed(tmp_path / "b", CONF.format(window=170, mtu=1500)))


IP = (
    "[root@kite3 ~]# ip -s link\n2: eth1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu {mtu} qdisc mq state UP mode "
    "DEFAULT qlen 1000\n"
)


@pytest.mark.parametrize(
    ("netmtu", "mtu", "severity"), [(8982, 9000, None), (8982, 1500, "high"), (1500, 9000, None), (1490, 1500, "info")]
)
def test_netmtu_against_the_interfaces(tmp_path: Path, netmtu: int, mtu: int, severity: str | None) -> None:
    assert refs(diagnosed(tmp_path, CONF.format(window=20, mtu=netmtu), IP.format(mtu=mtu))).get("NW-07") == severity


def test_with_knet_or_one_fitting_interface_netmtu_is_no_finding(tmp_path: Path) -> None:
    knet = CONF.format(window=20, mtu=8982).replace("version: 2", "transport: knet")
    assert "NW-07" not in refs(diagnosed(tmp_path / "a", knet, IP.format(mtu=1500)))
    both = IP.format(mtu=1500) + IP.format(mtu=9000).split("\n", 1)[1].replace("eth1", "eth2")
    assert "NW-07" not in refs(diagnosed(tmp_path / "b", CONF.format(window=20, mtu=8982), both))


NETSTAT = (
    "[root@kite3 ~]# netstat -i\nKernel Interface table\nIface MTU RX-OK RX-ERR RX-DRP RX-OVR TX-OK "
    "TX-ERR TX-DRP TX-OVR Flg\neth1 1500 {ok} {err} 0 0 1000 0 0 0 BMRU\n"
)


@pytest.mark.parametrize(
    ("ok", "err", "severity"),
    [(1_000_000, 0, None), (1_000_000, 50, None), (1_000_000, 500, "medium"), (1_000_000, 30_000, "high")],
)
def test_errors_of_a_card_between_two_captures(tmp_path: Path, ok: int, err: int, severity: str | None) -> None:
    texts = NETSTAT.format(ok=5_000_000, err=700), NETSTAT.format(ok=5_000_000 + ok, err=700 + err)
    assert refs(diagnosed(tmp_path / "a", *texts, records=HARM)).get("NW-08") == severity
    assert refs(diagnosed(tmp_path / "b", *texts)).get("NW-08") == (severity and "low")


def test_one_capture_counts_since_boot_and_a_reset_counter_says_nothing(tmp_path: Path) -> None:
    assert "NW-08" not in refs(diagnosed(tmp_path / "a", NETSTAT.format(ok=1000, err=900)))
    assert "NW-08" not in refs(
        diagnosed(tmp_path / "b", NETSTAT.format(ok=9000, err=900), NETSTAT.format(ok=100, err=5))
    )


def waiter(line: int, lkb: int, second: int) -> DlmLock:
    return DlmLock(
        line=line,
        node="kite3",
        at=START + second * SECOND,
        source="waiters",
        lockspace="projects",
        resource="2/1b3a",
        lkb=lkb,
        master=5,
    )


def test_the_same_request_in_two_captures_has_no_reply(tmp_path: Path) -> None:
    case = diagnosed(tmp_path / "a", "", records=[waiter(1, 0x100B0, 0), waiter(9, 0x100B0, 122)])
    assert refs(case)["NW-01"] == "critical"
    assert "node 5" in found(case, "NW-01")[0].title
    assert (
        refs(diagnosed(tmp_path / "b", "", records=[waiter(1, 0x100B0, 0), waiter(9, 0x100B0, 30)]))["NW-01"] == "high"
    )
    other = refs(diagnosed(tmp_path / "c", "", records=[waiter(1, 0x100B0, 0), waiter(9, 0x100B1, 122)]))
    once = refs(diagnosed(tmp_path / "d", "", records=[waiter(1, 0x100B0, 0)]))
    assert (other["NW-01"], once["NW-01"]) == ("info", "info")  # one look gives a hint


def queued(line: int, value: float) -> Counter:
    return Counter(line=line, node="kite3", scope="node 4", source="dlm debugfs", name="send_queue_cnt", value=value)


def test_a_send_queue_that_does_not_empty(tmp_path: Path) -> None:
    hung = Event(line=9, node="kite3", source="kernel", kind="hung-task", text="task rsync blocked")
    assert refs(diagnosed(tmp_path / "a", "", records=[queued(1, 3), queued(2, 9)]))["NW-02"] == "low"
    assert refs(diagnosed(tmp_path / "d", "", records=[queued(1, 3), queued(2, 9), hung]))["NW-02"] == "medium"
    assert "NW-02" not in refs(diagnosed(tmp_path / "b", "", records=[queued(1, 3), queued(2, 0)]))
    stacks = [
        Stack(line=line, node="kite3", task="dlm_send", pid=line, frames="schedule send_to_sock worker_thread")
        for line in range(1, 4)
    ]
    assert refs(diagnosed(tmp_path / "c", "", records=[*stacks, hung]))["NW-02"] == "medium"


def mean(line: int, name: str, value: float) -> Counter:
    unit = "requests" if name.endswith("dlm") else "ns"
    return Counter(
        line=line, node="kite3", scope="pond:projects", source="sbstats", name=name, value=value, unit=unit, at=START
    )


TIMED = """[root@kite3 ~]# date; cat /sys/kernel/debug/gfs2/pond:projects/glstats
Wed Jan 14 13:{minute:02}:00 CET 2026
G: n:{glock} rtt:412033/120110 rttb:{rttb}/90110220 irt:40112233/9011 dcnt: {dcnt} qcnt: 91002
G: n:2/61bb1 rtt:301220/90111 rttb:812004/110220 irt:9940112233/9011 dcnt: 512 qcnt: 904
"""


@pytest.mark.parametrize("glock", ["2/61bb0", "3/1f04"])
def test_one_glock_that_others_wait_for(tmp_path: Path, glock: str) -> None:
    def looks(name: str, *dcnt: int, rttb: int = 171_880_112) -> Diagnosis:
        return diagnosed(
            tmp_path / name,
            "".join(TIMED.format(minute=10 * n, glock=glock, rttb=rttb, dcnt=d) for n, d in enumerate(dcnt)),
        )

    (slow,) = found(looks("twice", 50_211, 75_340), "NW-09")
    assert slow.severity == "medium"
    assert f"glock {glock} on kite3 take 172 ms on average, 25\u2009129 of them" in slow.title
    assert "At any time 7.2 of them wait" in slow.explanation
    assert [one.severity for one in found(looks("once", 50_211), "NW-09")] == ["low"]
    for name, twin in {
        "no more of them": looks("still", 50_211, 50_211),
        "quick": looks("quick", 50_211, 75_340, rttb=900_000),
    }.items():
        assert not found(twin, "NW-09"), name


def test_round_trips_tell_the_network_from_contention(tmp_path: Path) -> None:
    busy = [*HARM, mean(1, "inode dlm", 1000), mean(2, "inode dlm", 9000)]
    network = diagnosed(tmp_path / "a", "", records=[*busy, mean(3, "inode srtt", 6e6), mean(4, "inode srttb", 9e6)])
    assert refs(network)["NW-09"] == "medium"
    assert "can't block" in found(network, "NW-09")[0].title
    contended = diagnosed(
        tmp_path / "b", "", records=[*busy, mean(3, "inode srtt", 0.2e6), mean(4, "inode srttb", 150e6)]
    )
    assert refs(contended)["NW-09"] == "high"
    assert "not the reason" in found(contended, "NW-09")[0].explanation
    fine = diagnosed(tmp_path / "c", "", records=[*busy, mean(3, "inode srtt", 0.2e6), mean(4, "inode srttb", 2e6)])
    assert "NW-09" not in refs(fine)
    idle = [mean(1, "inode dlm", 0), mean(3, "inode srtt", 6e6)]
    assert "NW-09" not in refs(diagnosed(tmp_path / "d", "", records=[*idle]))


def test_a_connection_that_is_made_again_and_again(tmp_path: Path) -> None:
    lines = [(second, "kernel: dlm: connecting to 4") for second in (0, 10, 20)]
    assert refs(diagnosed(tmp_path / "a", log(*lines), records=HARM))["NW-10"] == "high"
    assert refs(diagnosed(tmp_path / "e", log(*lines)))["NW-10"] == "low"
    assert found(diagnosed(tmp_path / "b", log(*lines)), "NW-10")[0].confidence <= 0.2
    left = (15, "corosync[1]:   [TOTEM ] A new membership (10.20.0.3:4412) was formed. Members left: 4")
    assert "NW-10" not in refs(diagnosed(tmp_path / "c", log(*sorted([*lines, left]))))
    assert "NW-10" not in refs(diagnosed(tmp_path / "d", log(*lines[:2])))


PINGED = "--- {} ping statistics ---\n{} packets transmitted, {} received, {}% packet loss, time 9ms\n"


@pytest.mark.parametrize("layout", ["{}", "[root@carp1 ~]# ping -c 100 carp2\n{}", "From the other side:\n\n    {}"])
def test_st_20_packets_that_do_not_come_back_are_named_with_their_target(tmp_path: Path, layout: str) -> None:
    lossy = layout.format(PINGED.format("carp2", 100, 71, 29).replace("\n", "\n    " if layout[0] == "F" else "\n"))
    (finding,) = [one for one in diagnosed(tmp_path / "a", lossy).findings if one.ref == "ST-20"]
    assert (finding.severity, "29 % of its packets to carp2" in finding.title) == ("medium", True)
    sound = diagnosed(tmp_path / "b", PINGED.format("carp2", 100, 100, 0))
    assert [one.ref for one in sound.findings] == []


TCP = (
    "Tcp:\n    81223 active connection openings\n    {} segments {}\n    {} segments {}\n    21 bad segments received\n"
)


@pytest.mark.parametrize(("out", "again"), [("sent out", "retransmitted"), ("send out", "retransmited")])
def test_segments_that_tcp_sent_again_are_a_share_of_all(tmp_path: Path, out: str, again: str) -> None:
    def levels(name: str, sent: int, twice: int) -> list[str]:
        text = "[root@n3 ~]# netstat -s\n" + TCP.format(sent, out, twice, again)
        return [one.severity for one in diagnosed(tmp_path / name, text).findings if one.ref == "ST-20"]

    assert levels("much", 70_000_000, 6_000_000) == ["medium"]
    assert levels("some", 70_000_000, 600_000) == ["low"]
    assert levels("healthy", 70_000_000, 6_000) == []
    assert levels("few", 9_000, 900) == []  # no share of so few


LINK = (
    "7: bond1: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 9000 qdisc noqueue state UP mode DEFAULT group default\n"
    "    link/ether 52:54:00:12:34:56 brd ff:ff:ff:ff:ff:ff\n"
    "    RX: bytes  packets  errors  dropped missed  mcast\n"
    "    91231231   812312   {:<7} 91231   0       12\n"
    "    TX: bytes  packets  errors  dropped carrier collsns\n"
    "    91231231   812312   {:<7} 0       0       0\n"
)
TABLE = (
    "Kernel Interface table\n"
    "Iface      MTU    RX-OK RX-ERR RX-DRP RX-OVR    TX-OK TX-ERR TX-DRP TX-OVR Flg\n"
    "bond1     9000   812312  {:<6}      0 0        812312  {:<6}    0      0 BMRU\n"
)


@pytest.mark.parametrize("layout", [LINK, TABLE], ids=["ip -s link", "netstat -i"])
def test_an_interface_with_broken_packets_is_named(tmp_path: Path, layout: str) -> None:
    def levels(name: str, received: int, sent: int) -> list[str]:
        result = diagnosed(tmp_path / name, "[root@n3 ~]# tool\n" + layout.format(received, sent))
        return [one.severity for one in result.findings if one.ref == "ST-20"]

    assert levels("much", 41231, 0) == ["medium"]
    assert levels("some", 0, 4123) == ["low"]
    assert levels("few", 12, 0) == []
    assert levels("none", 0, 0) == []


TOP = (
    "top - 10:15:09 up 41 days,  2:11,  3 users,  load average: {load}\n"
    "Tasks: 901 total,   1 running, 700 sleeping,   0 stopped,   0 zombie\n"
    "%Cpu(s):  {us} us,  1{point}2 sy,  0{point}0 ni,  {idle} id, {wait} wa,  0{point}0 hi,  "
    "0{point}0 si,  0{point}0 st\n"
)


@pytest.mark.parametrize("point", [".", ","])
def test_st_16_one_look_of_top_at_a_node_that_only_waits_for_disks(tmp_path: Path, point: str) -> None:
    def severities(name: str, us: str, idle: str, wait: str, load: int = 12) -> list[str]:
        figures = {"us": us, "idle": idle, "wait": wait}
        printed = {key: value.replace(".", point) for key, value in figures.items()}
        text = TOP.format(load=f"{load}{point}40, {load}{point}11, {load}{point}02", point=point, **printed)
        return [one.severity for one in diagnosed(tmp_path / name, text).findings if one.ref == "ST-16"]

    assert severities("waits", "0.7", "0.1", "98.0", load=212) == ["medium"]
    assert severities("half", "0.7", "50.1", "48.0") == ["low"]  # one look at a half is a moment
    assert severities("works", "91.0", "6.0", "1.8") == []


HEADED = (
    "# ethtool -S {card}\nNIC statistics:\n     rx_packets: 88112331\n     rx_crc_errors: {bad}\n     tx_errors: 0\n"
)
FILTERED = "[root@io7 ~]# ethtool -S {card} | egrep -i 'err|crc' | grep -v ': 0'\n     rx_crc_errors_phy: {bad}\n"
OTHER_DRIVER = "io7# ethtool --statistics {card} | grep fcs\n     rx_fcs_errors: {bad}\n     rx_symbol_err_phy: {bad}\n"


@pytest.mark.parametrize("layout", [HEADED, FILTERED, OTHER_DRIVER])
def test_frames_that_a_card_calls_damaged(tmp_path: Path, layout: str) -> None:
    [finding] = found(diagnosed(tmp_path / "sick", layout.format(card="ens2f0", bad=881233)), "ST-20")
    assert (finding.severity, "ens2f0" in finding.verdict, "881" in finding.verdict) == ("medium", True, True)
    assert not found(diagnosed(tmp_path / "few", layout.format(card="ens2f0", bad=12)), "ST-20")


SAR_ERRORS = """[root@io7 ~]# sar -n EDEV 10 2
10:00:01 AM     IFACE   rxerr/s   txerr/s    coll/s  rxdrop/s  txdrop/s  txcarr/s  rxfram/s  rxfifo/s  txfifo/s
10:00:11 AM      eth0      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00      0.00
10:00:11 AM      eth2      {0}      0.00      0.00      {1}      0.00      0.00      {0}      0.00      0.00
10:00:21 AM      eth0      0.00      0.00      0.00      0.20      0.00      0.00      0.00      0.00      0.00
10:00:21 AM      eth2      {0}      0.00      0.00      {1}      0.00      0.00      {0}      0.00      0.00
"""


@pytest.mark.parametrize(("errors", "drops", "words"), [(33.12, 0.0, "breaks"), (0.0, 1820.21, "drops")])
def test_an_interface_that_breaks_or_drops_packets_each_second(
    tmp_path: Path, errors: float, drops: float, words: str
) -> None:
    [finding] = found(diagnosed(tmp_path / "sick", SAR_ERRORS.format(errors, drops)), "ST-20")
    assert (finding.severity, words in finding.verdict, "eth2" in finding.verdict) == ("medium", True, True)
    german = (
        SAR_ERRORS.replace(" AM ", " ")
        .replace(".", ",")
        .format(f"{errors}".replace(".", ","), f"{drops}".replace(".", ","))
    )
    assert found(diagnosed(tmp_path / "german", german), "ST-20")
    assert not found(diagnosed(tmp_path / "calm", SAR_ERRORS.format(0.0, 1.3)), "ST-20")


@pytest.mark.parametrize(
    ("sick", "healthy"),
    [
        (
            "Reference ID    : 00000000 ()\nLeap status     : Not synchronised",
            "Reference ID    : C0000207\nLeap status     : Normal",
        ),
        ("System time     : 41,22 seconds slow of NTP time", "System time     : 0,000012 seconds slow of NTP time"),
        ("System clock synchronized: no", "System clock synchronized: yes"),
        ("unsynchronised\n  polling server every 8 s", "synchronised to NTP server (192.0.2.7) at stratum 3"),
    ],
)
def test_a_clock_that_nobody_keeps(tmp_path: Path, sick: str, healthy: str) -> None:
    [finding] = [one for one in diagnosed(tmp_path / "sick", sick + "\n").findings if "clock" in one.title]
    assert finding.severity == "medium"
    assert not diagnosed(tmp_path / "healthy", healthy + "\n").findings


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("# ibstat\nCA 'mlx5_0'\n\tPort 1:\n\t\tState: Initializing\n\t\tPhysical state: LinkUp\n", "mlx5_0/1"),
        (
            "# ibstatus\nInfiniband device 'mlx4_1' port 2 status:\n\tstate:\t\t 3: ARMED\n\tphys state:\t 5: LinkUp\n",
            "mlx4_1/2",
        ),
        ("# ibstat\nCA 'mlx5_0'\n\tPort 1:\n\t\tState: Active\n\t\tPhysical state: LinkUp\n", None),
        ("# ibstat\nCA 'mlx5_1'\n\tPort 1:\n\t\tState: Down\n\t\tPhysical state: Polling\n", None),
    ],
)
def test_a_port_of_infiniband_with_a_link_and_no_subnet_manager(tmp_path: Path, text: str, words: str | None) -> None:
    judged = [(one.severity, one.title) for one in diagnosed(tmp_path, text).findings if one.severity != "info"]
    assert len(judged) == bool(words)
    assert not words or (judged[0][0] == "medium" and words in judged[0][1])


SS = "# ss -ti\nESTAB 0 {unsent} 192.0.2.8:1191 192.0.2.9:49121\n\t cubic rto:{rto} {again}rtt:1.5/4 mss:1448 cwnd:1\n"


@pytest.mark.parametrize("again", ["backoff:8 ", "retrans:6/1542 ", "backoff:3 retrans:3/9 "])
def test_a_connection_whose_segments_are_not_answered(tmp_path: Path, again: str) -> None:
    [finding] = diagnosed(tmp_path / "sick", SS.format(unsent=812331, rto=51200, again=again)).findings
    assert (finding.severity, "192.0.2.9:49121" in finding.title) == ("medium", True)
    assert not diagnosed(tmp_path / "calm", SS.format(unsent=0, rto=201, again="retrans:0/2 ")).findings
