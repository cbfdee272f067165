"""Rules on LLT, GAB, VCS and logs of a Veritas cluster: each where it fires and where it stays silent."""

from __future__ import annotations

from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Finding
from tests.diagnosis.cluster_texts import diagnosis_of, found, one, prompt, slowed, storm

DATE = "Tue Mar  9 14:{:02d}:{:02d} CET 2027"


def figures(finding: Finding) -> dict[str, float]:
    return {figure.name: figure.value for figure in finding.figures}


# --- R9: latency ------------------------------------------------------------------------------------------------------


def histogram(way: str, *cells: int) -> str:
    """Cells of 0, 1 and 16 ms and above; the others hold nothing."""
    zero, one_ms, late = cells
    counts = [zero, one_ms, *[0] * 14]
    rows = [" ".join(f"{counts[ms]:9d} ({ms}ms)" for ms in range(row, row + 4)) for row in range(0, 16, 4)]
    return f"{way}latency dist (in millisec):\n" + "\n".join(rows) + f"\n{late:9d} (>=16ms)\n"


SLOWED = (
    "[root@mill2 ~]# time find /srv/rolls\nreal    0m2.000s\n[root@mill2 ~]# time find /srv/rolls\nreal    0m20.000s\n"
)


def lltshow(node: str, second: int, *, tx: tuple[int, int, int], rx: tuple[int, int, int]) -> str:
    body = "=== LLT port 5:\n" + histogram("tx", *tx) + histogram("rx", *rx)
    return prompt(node, "/opt/VRTSllt/lltshow -p 5", body, DATE.format(20, second))


def test_r9_late_packets_between_two_samples_are_reported_by_their_share(tmp_path: Path) -> None:
    text = lltshow("mill1", 1, tx=(1000, 0, 0), rx=(1000, 0, 500)) + lltshow(
        "mill1", 41, tx=(101_000, 10, 0), rx=(101_000, 10, 800)
    )
    finding = one(tmp_path / "a", "R9", text)
    assert finding.severity == "low"  # the limit is a proposal, and nobody is seen to wait
    assert one(tmp_path / "b", "R9", text + SLOWED).severity == "high"
    assert "receive latency of mill1" in finding.title
    assert figures(finding)["Packets of 16 ms or longer"] == pytest.approx(100 * 300 / 100_310, abs=1e-4)
    assert "look at the host" in finding.explanation


def test_r9_counts_since_the_start_weigh_one_step_less(tmp_path: Path) -> None:
    finding = one(tmp_path, "R9", lltshow("mill1", 1, tx=(100_000, 0, 0), rx=(100_000, 0, 300)) + SLOWED)
    assert finding.severity == "medium"
    assert "since LLT started" in finding.explanation


def test_r9_a_short_tail_is_no_finding(tmp_path: Path) -> None:
    assert not found(tmp_path / "a", "R9", lltshow("mill1", 1, tx=(7_744_097, 39_704, 3), rx=(7_606_116, 44_115, 936)))
    assert not found(tmp_path / "b", "R9", lltshow("mill1", 1, tx=(500, 0, 90), rx=(500, 0, 90)))
    quiet = lltshow("mill1", 1, tx=(1000, 0, 0), rx=(1000, 0, 50)) + lltshow(
        "mill1", 41, tx=(91_000, 0, 0), rx=(91_000, 0, 50)
    )
    assert not found(tmp_path / "c", "R9", quiet)


# --- R5: many nodes pull ----------------------------------------------------------------------------------------------


def test_r5_counts_the_nodes_that_pull_at_the_same_time(tmp_path: Path) -> None:
    many = one(tmp_path / "a", "R5", *(storm(f"mill{n}", pull=9000 + n) for n in range(1, 8)))
    assert many.verdict.startswith("mill7 and 6 more take inodes of /srv/pots from another node one by one")
    assert len(many.nodes) == 7
    two = one(tmp_path / "b", "R5", storm("mill1"), storm("mill2", pull=900))
    assert two.verdict.startswith("mill1 takes inodes of /srv/pots")
    alone = one(tmp_path / "c", "R5", storm("mill1"))
    assert alone.verdict.startswith("mill1 takes inodes of /srv/pots")
    assert alone.nodes == ("mill1",)


# --- R10: round trips -------------------------------------------------------------------------------------------------


def rates(node: str, second: int, packets: tuple[int, int, int], kib: int = 4363) -> str:
    row = f"txrate={'/'.join(map(str, packets))} pkts, {kib}/{kib}/{kib} KB per s/10s/30s (0.03 Gb/sec)"
    return prompt(
        node,
        "/opt/VRTSllt/lltshow -p 5",
        f"=== LLT port 5:\n{row}\n{row.replace('tx', 'rx')}\n",
        DATE.format(20, second),
    )


def test_r10_a_busy_and_nearly_empty_link_during_a_storm_is_bound_by_round_trips(tmp_path: Path) -> None:
    finding = one(tmp_path, "R10", rates("mill1", 28, (13_868, 12_683, 12_171)) + storm("mill1"))
    assert finding.severity == "medium"
    assert figures(finding) == {
        "LLT packets": 13_868,
        "Share of the link": 3.57,
        "Bytes a packet": 322,
        "Packets for each inode": 4.6,
    }
    assert "Possibly the window" in finding.explanation
    assert "3.6 ms" in finding.explanation
    assert finding.tunings == ()


def test_r10_with_window_and_latency_known_the_packets_in_flight_decide(tmp_path: Path) -> None:
    flow = prompt("mill1", "lltconfig -F query", "Current LLT flow control values (in packets):\n  window    = {}\n")
    tails = lltshow("mill1", 1, tx=(1000, 0, 0), rx=(1000, 0, 0)) + lltshow(
        "mill1", 21, tx=(1000, 90_000, 0), rx=(91_000, 0, 0)
    )
    busy = tails + rates("mill1", 28, (20_000, 20_000, 20_000)) + storm("mill1")
    small = one(tmp_path / "a", "R10", flow.format(50) + busy)
    assert figures(small)["Packets in flight"] == 30
    assert small.tunings == ("window",)
    wide = one(tmp_path / "b", "R10", flow.format(5000) + busy)
    assert "brings nothing" in wide.explanation
    assert wide.tunings == ()


def test_r10_is_silent_without_a_storm_or_on_a_full_or_uneven_link(tmp_path: Path) -> None:
    assert not found(tmp_path / "a", "R10", rates("mill1", 28, (13_868, 12_683, 12_171)))
    assert not found(tmp_path / "b", "R10", rates("mill1", 28, (13_868, 2000, 900)) + storm("mill1"))
    assert not found(tmp_path / "c", "R10", rates("mill1", 28, (13_868, 12_683, 12_171), kib=90_000) + storm("mill1"))
    assert not found(tmp_path / "d", "R10", rates("mill1", 28, (13_868, 12_683, 12_171)) + storm("mill1", minute=50))


# --- R11: retransmits -------------------------------------------------------------------------------------------------


def lltstat(node: str, minute: int, sent: int, again: int, extra: str = "") -> str:
    body = f"LLT statistics:\n    {sent}    Snd data packets\n    {again}    Snd retransmit data\n{extra}"
    return prompt(node, "lltstat", body, DATE.format(minute, 1))


def test_r11_the_difference_of_two_samples_counts_not_the_life_of_the_node(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R11", lltstat("mill1", 1, 10_000_000, 50) + lltstat("mill1", 9, 10_100_000, 2050))
    assert (finding.severity, figures(finding)) == ("high", {"Sent again": 2.0})
    assert not found(tmp_path / "b", "R11", lltstat("mill1", 1, 100_000, 5000) + lltstat("mill1", 9, 300_000, 5001))


def test_r11_a_raised_window_is_to_be_lowered_and_a_default_one_left_alone(tmp_path: Path) -> None:
    bad = lltstat("mill1", 1, 100_000, 500)
    flow = prompt("mill1", "lltconfig -F query", "Current LLT flow control values (in packets):\n  window    = {}\n")
    raised = diagnosis_of(tmp_path / "a", flow.format(5000) + bad)
    [tuning] = raised.tunings
    assert (tuning.id, tuning.current, tuning.recommended) == ("window-lower", "5000", "2500")
    assert tuning.commands == ("lltconfig -F window:2500",)
    assert not diagnosis_of(tmp_path / "b", flow.format(50) + bad).tunings


def test_r11_one_in_a_thousand_is_the_limit(tmp_path: Path) -> None:
    assert not found(tmp_path / "a", "R11", lltstat("mill1", 1, 10_189_592, 4))
    assert not found(tmp_path / "b", "R11", lltstat("mill1", 1, 100_000, 99))
    assert not found(tmp_path / "c", "R11", lltstat("mill1", 1, 900, 90))
    assert one(tmp_path / "d", "R11", lltstat("mill1", 1, 100_000, 100)).severity == "medium"


# --- R12: flow control ------------------------------------------------------------------------------------------------


def flows(node: str, *values: int) -> str:
    names = ("lowwater", "highwater", "rportlowwater", "rporthighwater", "window")
    body = "\n".join(f"  {name} = {value}" for name, value in zip(names, values, strict=True))
    return prompt(node, "lltconfig -F query", f"Current LLT flow control values (in packets):\n{body}\n")


LLTTAB = "set-node mill1\nlink igb2 igb2 - ether - -\nlink igb3 igb3 - ether - -\n"


def ethtool(node: str, link: str, speed: str) -> str:
    return prompt(node, f"ethtool {link}", f"Settings for {link}:\n        Speed: {speed}\n        Duplex: Full\n")


def test_r12_defaults_during_a_storm_bring_five_changes_with_their_gate(tmp_path: Path) -> None:
    found_here = diagnosis_of(tmp_path, flows("mill1", 100, 200, 100, 200, 50) + storm("mill1") + storm("mill1", 50))
    finding = next(f for f in found_here.findings if f.ref == "R12")
    assert finding.severity == "low"
    assert "The speed of the links is not shown" in finding.explanation
    assert finding.tunings == ("highwater", "lowwater", "rporthighwater", "rportlowwater", "window")
    changes = {tuning.id: tuning for tuning in found_here.tunings}
    assert changes["highwater"].current == "200"
    assert changes["highwater"].commands == ("lltconfig -F highwater:10000",)
    assert "1 Gb/s or faster" in changes["highwater"].caution
    assert "leave it alone" in changes["lowwater"].caution
    assert all(tuning.way_back and tuning.persist and tuning.verify for tuning in changes.values())


def test_r12_weighs_more_where_speed_and_harm_are_shown_and_is_silent_on_slow_links(tmp_path: Path) -> None:
    tab = prompt("mill1", "cat /etc/llttab", LLTTAB)
    common = flows("mill1", 100, 200, 100, 200, 50) + tab + slowed("mill1") + storm("mill1")
    fast = common + ethtool("mill1", "igb2", "10000Mb/s") + ethtool("mill1", "igb3", "10000Mb/s")
    assert one(tmp_path / "a", "R12", fast).severity == "medium"
    assert not found(tmp_path / "b", "R12", common + ethtool("mill1", "igb2", "100Mb/s"))


def test_r12_changes_nothing_without_a_storm_is_silent_with_good_values_and_keeps_the_window_where_packets_are_lost(
    tmp_path: Path,
) -> None:
    calm = one(tmp_path / "a", "R12", flows("mill1", 100, 200, 100, 200, 50))
    assert (calm.severity, calm.tunings) == ("info", ())
    assert not found(tmp_path / "b", "R12", flows("mill1", 8000, 10000, 8000, 10000, 5000) + storm("mill1"))
    lossy = one(
        tmp_path / "c",
        "R12",
        flows("mill1", 100, 200, 100, 200, 50) + storm("mill1") + lltstat("mill1", 1, 100_000, 500),
    )
    assert "window" not in lossy.tunings


# --- R13: flow control of GAB -----------------------------------------------------------------------------------------


def gabshow(node: str, minute: int, state: int, done: int, cleared: int) -> str:
    rows = (
        f"Send side\n gp_xm_flwctl  {state}\n gp_xm_flwsetcnt  {done}\n gp_xm_flwclrcnt  {cleared}\nReceive "
        "side\n gp_rv_flwsetcnt 0\n"
    )
    return prompt(node, "/opt/VRTSgab/gabshow.pl -port f flowcontrol", rows, DATE.format(minute, 1))


def test_r13_from_once_in_a_life_to_stopped_for_minutes(tmp_path: Path) -> None:
    assert one(tmp_path / "a", "R13", gabshow("mill1", 1, 0, 14, 14)).severity == "low"
    grown = one(tmp_path / "b", "R13", gabshow("mill1", 1, 0, 14, 14) + gabshow("mill1", 3, 0, 40, 40))
    assert grown.severity == "high"
    assert "26 of them between two readings" in grown.title
    assert one(tmp_path / "c", "R13", gabshow("mill1", 1, 1, 14, 13)).severity == "high"
    held = one(tmp_path / "d", "R13", gabshow("mill1", 1, 1, 14, 13) + gabshow("mill1", 3, 1, 14, 13))
    assert held.severity == "critical"
    assert "send side" in held.title


def test_r13_is_silent_where_nothing_was_ever_set(tmp_path: Path) -> None:
    assert not found(tmp_path, "R13", gabshow("mill1", 1, 0, 0, 0))


# --- R14: adapters ----------------------------------------------------------------------------------------------------

NETSTAT = """Kernel Interface table
Iface      MTU      RX-OK    RX-ERR RX-DRP    RX-OVR        TX-OK TX-ERR TX-DRP TX-OVR Flg
igb2      1500   90000000  10000000      0  10000000     90000000      0      0      0 BMRU
pub0      1500   90000000  10000000      0         0     90000000      0      0      0 BMRU
lo       65536      21149     21149      0         0        21149      0      0      0 LRU
"""


def test_r14_errors_of_a_private_link_are_capped_unless_llt_loses_packets_too(tmp_path: Path) -> None:
    tab, table = prompt("mill1", "cat /etc/llttab", LLTTAB), prompt("mill1", "netstat -i", NETSTAT)
    private, public = found(tmp_path / "a", "R14", tab + table)
    assert (private.severity, figures(private)) == ("low", {"RX errors of igb2": 10.0})
    assert "As many overruns as errors" in private.explanation
    assert (public.severity, figures(public)) == ("low", {"RX errors of pub0": 10.0})
    assert "LLT does not run over it" in public.title
    losing = tab + table + lltstat("mill1", 1, 100_000, 0) + lltstat("mill1", 9, 200_000, 500)
    assert [finding.severity for finding in found(tmp_path / "b", "R14", losing)] == ["high", "low"]


def test_r14_without_the_names_of_the_links_says_if(tmp_path: Path) -> None:
    both = found(tmp_path / "a", "R14", prompt("mill1", "netstat -i", NETSTAT) + storm("mill1"))
    assert {finding.severity for finding in both} == {"low"}
    slowed = found(tmp_path / "c", "R14", prompt("mill1", "netstat -i", NETSTAT) + storm("mill1") + SLOWED)
    assert {finding.severity for finding in slowed} == {"medium"}
    assert all("if it is a private link" in finding.title for finding in both)
    assert not found(tmp_path / "b", "R14", prompt("mill1", "netstat -i", NETSTAT))  # no Veritas format in the case


# --- R15: links -------------------------------------------------------------------------------------------------------


def nodes_table(node: str, *links: str, state: str = "OPEN") -> str:
    rows = "".join(f"                             {link}\n" for link in links)
    body = (
        f"LLT node information:\n    Node          State      Link    Status      Address\n    *0 {node}       OPEN\n"
    )
    return prompt(node, "lltstat -nvv active", f"{body}     1 mill9       {state}\n{rows}")


UP2, DOWN2, UP3, UP4 = (
    "igb2 UP     02:1B:5C:40:7A:06",
    "igb2 DOWN",
    "igb3 UP     02:1B:5C:40:7A:07",
    "igb4 UP     02:1B:5C:40:7A:08",
)


def test_r15_a_link_down_is_worse_where_one_is_left(tmp_path: Path) -> None:
    last = one(tmp_path / "a", "R15", nodes_table("mill1", DOWN2, UP3))
    assert (last.severity, figures(last)) == ("high", {"Links down": 1, "Links left": 1})
    assert "jeopardy" in last.explanation
    assert one(tmp_path / "b", "R15", nodes_table("mill1", DOWN2, UP3, UP4)).severity == "medium"


def test_r15_a_named_node_without_a_connection_is_reported(tmp_path: Path) -> None:
    finding = one(tmp_path, "R15", nodes_table("mill1", DOWN2, "igb3 DOWN", state="CONNWAIT"))
    assert (finding.severity, finding.nodes) == ("high", ("mill1", "mill9"))


def test_r15_is_silent_when_all_links_are_up_or_came_up_again(tmp_path: Path) -> None:
    assert not found(tmp_path / "a", "R15", nodes_table("mill1", UP2, UP3))
    assert not found(tmp_path / "b", "R15", nodes_table("mill1", DOWN2, UP3) + nodes_table("mill1", UP2, UP3))


def test_r15_other_numbers_of_links_are_low(tmp_path: Path) -> None:
    finding = one(tmp_path, "R15", nodes_table("mill1", UP2, UP3) + nodes_table("mill2", UP2, UP3, UP4))
    assert finding.severity == "low"
    assert "mill1 2, mill2 3" in finding.title


@pytest.mark.parametrize(
    "row",
    ["    0    Rcv bad dest address     {}    Snd no links up\n", "    {}\tSnd no links up\n", "{} Snd no links up\n"],
)
def test_r15_packets_that_found_no_link_up(tmp_path: Path, row: str) -> None:
    finding = one(tmp_path / "sick", "R15", lltstat("mill4", 1, 10_000_000, 50, f"LLT errors:\n{row.format(412)}"))
    assert (finding.severity, finding.nodes, "412" in finding.title) == ("low", ("mill4",), True)
    for count in (0, 3):
        assert not found(tmp_path / str(count), "R15", lltstat("mill4", 1, 10_000_000, 50, row.format(count)))


# --- R16: messages ----------------------------------------------------------------------------------------------------


def llt(at: str, text: str, host: str = "mill1") -> str:
    return f"Mar  9 {at} {host} kernel: LLT INFO {text}\n"


def trouble(at: str, link: int = 0) -> str:
    return llt(at, f"V-14-1-10205 link {link} (igb{link + 2}) node 1 in trouble") + llt(
        at, f"V-14-1-10024 link {link} (igb{link + 2}) node 1 active"
    )


def test_r16_a_few_short_losses_are_a_note_and_a_flood_is_not(tmp_path: Path) -> None:
    few = one(tmp_path / "a", "R16", "".join(trouble(f"14:{minute:02d}:07") for minute in range(0, 40, 10)))
    assert few.severity == "info"
    flood = one(tmp_path / "b", "R16", "".join(trouble(f"14:21:{second:02d}") for second in range(0, 48, 8)))
    assert flood.severity == "medium"
    assert figures(flood) == {"Most within an hour": 6, "Most within a minute": 6}
    assert flood.tunings == ("peertrouble",)
    hourly = "".join(trouble(f"{14 + minute // 60:02d}:{minute % 60:02d}:07") for minute in range(0, 120, 1))
    assert one(tmp_path / "c", "R16", hourly).severity == "medium"


def test_r16_midnight_is_no_jump_back(tmp_path: Path) -> None:
    text = "".join(trouble(at) for at in ("23:59:50", "00:00:05", "00:00:12"))
    assert figures(one(tmp_path, "R16", text))["Most within a minute"] == 3


def silence(at: str, link: int, seconds: int) -> str:
    return llt(at, f"V-14-1-10032 link {link} (igb{link + 2}) node 1 inactive {seconds} sec ({seconds}00)")


def test_r16_silence_on_all_links_is_critical_and_on_one_link_not(tmp_path: Path) -> None:
    both = one(
        tmp_path / "a",
        "R16",
        silence("14:21:07", 0, 9) + silence("14:21:08", 1, 10),
        mill1__etc__llthosts="0 mill1\n1 mill2\n",
    )
    assert (both.severity, figures(both)) == ("critical", {"Silence on all links": 9})
    assert "mill2" in both.title
    assert not found(tmp_path / "b", "R16", silence("14:21:07", 0, 9))
    table = nodes_table("mill1", UP2, UP3, UP4).replace("mill9", "mill2")
    assert not found(tmp_path / "c", "R16", table + silence("14:21:07", 0, 9) + silence("14:21:08", 1, 10))
    assert not found(tmp_path / "d", "R16", silence("14:21:07", 0, 9) + silence("14:41:08", 1, 10))


def test_r16_last_requests_are_critical_and_raise_no_timer(tmp_path: Path) -> None:
    text = llt("14:21:10", "V-14-1-10510 sent hbreq (NULL) on link 0 (igb2) node 1. 2 more to go.")
    finding = one(tmp_path, "R16", text)
    assert (finding.severity, finding.tunings) == ("critical", ())


def test_r16_no_longer_trouble_time_where_links_were_really_silent_or_the_end_is_near(tmp_path: Path) -> None:
    flood = "".join(trouble(f"14:21:{second:02d}") for second in range(0, 48, 8))
    assert not [f for f in found(tmp_path / "a", "R16", flood + silence("14:21:50", 0, 9)) if f.tunings]
    timer = prompt("mill1", "lltconfig -T query", "Current LLT timer values (.01 sec units):\n  peerinact   = 500\n")
    assert not [f for f in found(tmp_path / "b", "R16", timer + flood) if f.tunings]


# --- R17, R29: GAB ports and fencing ----------------------------------------------------------------------------------


def ports(node: str, *rows: str, command: str = "gabconfig -a") -> str:
    return prompt(node, command, "GAB Port Memberships\n====================\n" + "\n".join(rows) + "\n")


A, B, F = "Port a gen 3b7e02 membership 01", "Port b gen 3b7e05 membership 01", "Port f gen 3b7e0c membership 01"


def test_r17_jeopardy_names_ports_and_nodes(tmp_path: Path) -> None:
    text = ports("mill1", A, F, "Port f gen 3b7e0c jeopardy   ;1")
    finding = one(tmp_path, "R17", text, mill1__etc__llthosts="0 mill1\n1 mill2\n")
    assert finding.severity == "high"
    assert finding.title == "GAB reports jeopardy on port f for mill2"
    assert finding.nodes == ("mill1", "mill2")


def test_jeopardy_and_the_last_link_stand_before_retransmits(tmp_path: Path) -> None:
    again = lltstat("mill1", 1, 10_000_000, 50) + lltstat("mill1", 9, 10_100_000, 2050)
    text = again + nodes_table("mill1", DOWN2, UP3) + ports("mill1", A, F, "Port f gen 3b7e0c jeopardy   ;1")
    found_all = diagnosis_of(tmp_path, text)
    assert [one.ref for one in found_all.findings if one.severity == "high"] == ["R17", "R15", "R11"]
    assert found_all.verdict is not None
    assert found_all.verdict.title == "One link is left to mill9 (igb2 from mill1 is down)"


def test_a_port_that_is_visible_only_says_nothing_of_links(tmp_path: Path) -> None:
    finding = one(
        tmp_path,
        "R17",
        ports("mill1", A, F, "Port f gen 3b7e0c visible   ;1"),
        mill1__etc__llthosts="0 mill1\n1 mill2\n",
    )
    assert finding.verdict == "A client of GAB on mill2 is gone; visible on port f"
    assert "link" not in finding.explanation


def test_r17_a_port_missing_on_one_node_is_reported_unless_a_filter_hid_it(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R17", ports("mill1", A, F) + ports("mill2", A))
    assert finding.title == "No GAB port f on mill2"
    assert "f is the cluster file system" in finding.explanation
    assert not found(
        tmp_path / "b", "R17", ports("mill1", A, F) + ports("mill2", A, command="gabconfig -a | grep 'Port a'")
    )
    assert not found(tmp_path / "c", "R17", ports("mill1", A, F) + ports("mill2", A, F))


def test_r17_other_generations_are_a_split_only_where_the_members_differ(tmp_path: Path) -> None:
    same = one(tmp_path / "a", "R17", ports("mill1", A) + ports("mill2", A.replace("3b7e02", "3b7e09")))
    assert same.severity == "info"
    split = one(tmp_path / "b", "R17", ports("mill1", A) + ports("mill2", "Port a gen 3b7e09 membership ;1"))
    assert split.severity == "high"
    alone = one(
        tmp_path / "c", "R17", ports("mill1", A.replace("01", "0")) + ports("mill2", "Port a gen 3b7e09 membership ;1")
    )
    assert alone.severity == "critical"


def test_r29_fencing_by_what_is_stated(tmp_path: Path) -> None:
    eject = "Mar  9 14:21:43 mill1 kernel: VXFEN vxfen WARNING V-11-1-65 Could not eject node 1 from disk\n"
    assert one(tmp_path / "a", "R29", eject).severity == "critical"
    conflict = "Mar  9 14:21:42 mill1 kernel: sd 3:0:0:12: [sdk] reservation conflict\n"
    assert one(tmp_path / "b", "R29", storm("mill1") + conflict).severity == "medium"
    assert one(tmp_path / "c", "R29", ports("mill1", A) + ports("mill2", A, B) + conflict).severity == "high"
    assert not found(tmp_path / "d", "R29", conflict)  # a host of another product
    assert not found(tmp_path / "e", "R29", storm("mill1"))


# --- R18, R30, R35, R36 -----------------------------------------------------------------------------------------------


def late(second: int) -> str:
    return f"2027/03/09 14:21:{second:02d} VCS CRITICAL V-16-1-51100 VCS heartbeat to GAB delayed (9 seconds)\n"


def test_r18_a_late_engine_weighs_more_the_second_time_and_no_timeout_is_raised(tmp_path: Path) -> None:
    first = one(tmp_path / "a", "R18", mill1__engine_A_dot_log=late(1))
    assert (first.severity, first.nodes) == ("medium", ())  # one folder alone names no node
    again = one(tmp_path / "b", "R18", mill1__engine_A_dot_log=late(1) + late(31))
    assert (again.severity, again.tunings) == ("high", ())
    assert "The longest was 9 s." in again.explanation


VMSTAT = """procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----
 r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st
 1  0      0 223464   2068 311000    0    0     1     2   40   80  1  1 98  0  0
 1  0      0 223464   2068 311000    0    0     1     2   40   80  1  1 98  0  0
"""


def test_r18_a_longer_timeout_only_for_delays_near_it_on_a_node_that_is_shown_not_to_be_starved(tmp_path: Path) -> None:
    log = (late(1) + late(31)).replace("9 seconds", "22 seconds")
    load = prompt("mill1", "vmstat 5", VMSTAT)
    assert one(tmp_path / "a", "R18", load, mill1__engine_A_dot_log=log).tunings == ("vcs-gab-timeout",)
    assert one(tmp_path / "b", "R18", mill1__engine_A_dot_log=log).tunings == ()
    assert one(tmp_path / "c", "R18", load, mill1__engine_A_dot_log=late(1) + late(31)).tunings == ()
    assert one(tmp_path / "d", "R18", load + OOM, mill1__engine_A_dot_log=log).tunings == ()


def test_r18_only_heartbeats_beyond_the_first_bucket_count(tmp_path: Path) -> None:
    body = "Port h Information:\nheartbeat statistics:\n     0 ~   4000 (msec): 2963\n  4000 ~   8000 (msec): {}\n"
    assert not found(tmp_path / "a", "R18", prompt("mill1", "gabport -p h", body.format(0)))
    assert one(tmp_path / "b", "R18", prompt("mill1", "gabport -p h", body.format(1))).severity == "medium"


def mode(node: str, master: str, minute: int) -> str:
    return prompt(
        node, "vxdctl -c mode", f"mode: enabled: cluster active - SLAVE\nmaster: {master}\n", DATE.format(minute, 32)
    )


def test_r30_a_new_master_in_the_slow_time_is_medium_and_of_another_time_a_note(tmp_path: Path) -> None:
    inside = one(tmp_path / "a", "R30", mode("mill1", "mill2", 20) + storm("mill1") + mode("mill1", "mill3", 21))
    assert inside.severity == "medium"
    assert "mill2 is named first, mill3 later" in inside.explanation
    outside = one(tmp_path / "b", "R30", mode("mill1", "mill2", 50) + mode("mill2", "mill3", 51))
    assert outside.severity == "info"
    assert outside.title == "Captures name different CVM masters"
    assert not found(tmp_path / "c", "R30", mode("mill1", "mill2", 20) + mode("mill3", "mill2", 21))


def test_r30_the_volume_daemon_that_is_not_enabled(tmp_path: Path) -> None:
    finding = one(tmp_path, "R30", prompt("mill1", "vxdctl mode", "mode: disabled\n"))
    assert "not enabled" in finding.title


OOM = "Mar  9 14:21:41 mill1 kernel: java invoked oom-killer: gfp_mask=0x201da, order=0\n"


def test_r35_a_kernel_without_memory_is_critical_before_a_membership_change(tmp_path: Path) -> None:
    assert one(tmp_path / "a", "R35", storm("mill1") + OOM).severity == "high"
    change = "Mar  9 14:23:41 mill2 kernel: GAB INFO V-15-1-20036 Port h gen 4c21f membership 0\n"
    assert one(tmp_path / "b", "R35", OOM + change).severity == "critical"
    assert not found(tmp_path / "c", "R35", OOM)  # no Veritas format


def test_r36_links_that_are_silent_together_twice_share_a_path(tmp_path: Path) -> None:
    twice = "".join(silence(at, link, 6) for at in ("14:21:07", "14:31:07") for link in (0, 1))
    finding = one(tmp_path / "a", "R36", twice)
    assert (finding.severity, figures(finding)) == ("high", {"Times together": 2})
    assert not found(tmp_path / "b", "R36", silence("14:21:07", 0, 6) + silence("14:21:07", 1, 6))
    apart = "".join(silence(at, link, 6 + link) for at in ("14:21:07", "14:31:07") for link in (0, 1))
    assert not found(tmp_path / "c", "R36", apart)


def test_r36_mtu_and_devices_come_from_the_configuration(tmp_path: Path) -> None:
    tab = "set-node {}\nlink l1 /dev/udp - udp 50001 {} 10.9.1.1 10.9.1.255\n"
    files = {"mill1__etc__llttab": tab.format("mill1", 1500), "mill2__etc__llttab": tab.format("mill2", 9000)}
    both = found(tmp_path / "a", "R36", **files)
    assert [(f.severity, f.title) for f in both] == [
        ("low", "The MTU of l1 differs: 1500 on mill1, 9000 on mill2"),
        ("info", "LLT runs over UDP"),
    ]
    shared = "set-node mill1\nlink a igb2 - ether - -\nlink b igb2 - ether 0xcafe -\n"
    assert "run over one device" in one(tmp_path / "b", "R36", mill1__etc__llttab=shared).title
    assert not found(tmp_path / "c", "R36", mill1__etc__llttab=LLTTAB)


# --- R15: tables without their links, and counters of links -----------------------------------------------------------


def number_of_links(mine: int, peer: int) -> str:
    return (
        "[root@mill1 ~]# lltstat -n\nLLT node information:\n    Node                 State    Links\n"
        f"   * 0 mill1             OPEN        {mine}\n     1 mill2             OPEN        {peer}\n"
    )


def counters_of_links(late: int, checksums: int) -> str:
    return (
        "[root@mill1 ~]# lltstat -l\nLLT link information:\nlink 0  igb2 on ether hipri\n"
        "        mtu 1500, sap 0xcafe, broadcast FF:FF:FF:FF:FF:FF, addrlen 6\n"
        "        txpkts 30110271  txbytes 2377392342\n        rxpkts 8221340  rxbytes 2177221100\n"
        f"        latehb {late}  badcksum {checksums}  errors 0\n"
    )


def test_a_node_behind_its_last_link_is_named(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R15", number_of_links(2, 1))
    assert finding.severity == "high"
    assert finding.nodes == ("mill1", "mill2")
    assert one(tmp_path / "b", "R15", number_of_links(3, 2)).severity == "medium"
    assert not found(tmp_path / "c", "R15", number_of_links(2, 2))


def test_a_link_that_damages_packets_is_named_with_its_counts(tmp_path: Path) -> None:
    finding = one(tmp_path / "a", "R15", counters_of_links(late=610, checksums=0))
    assert "igb2" in finding.title
    assert "610 late heartbeats" in finding.title
    assert finding.severity == "medium"
    assert not found(tmp_path / "b", "R15", counters_of_links(late=3, checksums=2))
