"""Readers of GLM, LLT, GAB and VCS: what the samples do not show."""

from __future__ import annotations

import pytest

from parsers.formats.veritas.cluster.gab import ids_of
from parsers.formats.veritas.cluster.lltstat import label_of
from parsers.formats.veritas.log import _Log
from parsers.records import Event, NodeAlias, Section, Setting
from parsers.records.locks import GlmLock
from parsers.records.states import ClusterMember, HeartbeatLink, Membership
from parsers.times.clock import format_instant
from tests.parsers.golden import Reading


@pytest.mark.parametrize(
    ("printed", "ids"),
    [
        ("01", "0 1"),
        (";1", "1"),
        ("12", "1 2"),
        ("0123456789012", "0 1 2 3 4 5 6 7 8 9 10 11 12"),
        ("0 ;1", "0 11"),
        ("", ""),
        (";", ""),
    ],
)
def test_each_character_of_a_membership_is_a_node(printed: str, ids: str) -> None:
    assert ids_of(printed) == ids


@pytest.mark.parametrize(
    ("printed", "name"),
    [
        ("Snd piggyback NAKCs", "Snd piggyback NACKs"),
        ("Snd pigyback ACKs", "Snd piggyback ACKs"),
        ("snd retransmit  data", "Snd retransmit data"),
        ("Rcv out of windw", "Rcv out of window"),
        ("Snd things", "Snd things"),
        ("Snd piggyback XCKs", "Snd piggyback ACKs"),
    ],
)
def test_a_misspelt_label_gets_its_right_name(printed: str, name: str) -> None:
    assert label_of(printed) == name


def test_the_starred_row_names_the_node_where_no_prompt_does() -> None:
    table = "LLT node information:\n    Node   State    Links\n     0 reed1   OPEN   2\n    *1 reed2   OPEN   2\n"
    found = Reading(table)
    assert {row.node for row in found.of(ClusterMember)} == {"reed2"}
    assert {row.node for row in Reading("moss9# lltstat -n\n" + table).of(ClusterMember)} == {"moss9"}


def test_links_of_ids_that_nobody_uses_are_no_links() -> None:
    text = "    *0 reed1   OPEN\n      igb2 UP  02:1B:5C:40:7A:06\n     9       CONNWAIT\n      igb2 DOWN\n"
    found = Reading(text)
    assert [(row.peer, row.link, row.state) for row in found.of(HeartbeatLink)] == [("reed1", "igb2", "UP")]
    assert [row.member for row in found.of(ClusterMember)] == ["reed1"]


def test_a_file_of_a_report_is_known_by_its_path_alone() -> None:
    rows = "0 reed1\n1 reed2\n"
    assert Reading(rows, path="reed1/etc/llthosts").of(NodeAlias) == [
        NodeAlias(line=1, node="reed1", alias="0", kind="id"),
        NodeAlias(line=2, node="reed2", alias="1", kind="id"),
    ]
    assert Reading(rows, path="reed1/etc/hosts").of(NodeAlias) == []


def test_two_dumps_of_locks_are_two() -> None:
    lock = "lockname 0x1 0x2 0x3e7 0x10\n  holder node=reed1 level=EX count=1\n  waiter node=reed2 level=SH count=1\n"
    found = Reading(f"Tue Mar  9 14:20:03 CET 2027\n{lock}Tue Mar  9 14:22:03 CET 2027\n{lock}").of(GlmLock)
    assert len({row.dump for row in found}) == 2
    assert {row.inode for row in found} == {16}
    assert len({row.at for row in found}) == 2


def test_a_title_without_ports_means_that_gab_does_not_run_unless_a_filter_took_them() -> None:
    title = "GAB Port Memberships\n====================\n"
    assert [row.state for row in Reading("reed1# gabconfig -a\n" + title).of(Membership)] == ["not running"]
    assert Reading("reed1# gabconfig -a | grep -v Port\n" + title).of(Membership) == []


SYSLOG = "Dec 30 23:59:58 reed1 kernel: LLT INFO V-14-1-10024 link 0 (igb2) node 1 active\n"


@pytest.mark.parametrize(
    ("above", "path", "printed"),
    [
        ("", "messages", "23:59:58"),
        ("", "messages-20270103", "2026-12-30T23:59:58"),
        ("Tue Mar  9 14:20:03 CET 2027\n", "messages", "2026-12-30T23:59:58"),
        ("", "messages-2026-12-31", "2026-12-30T23:59:58"),
    ],
)
def test_the_year_of_a_system_log_comes_from_beside_it_or_is_unknown(above: str, path: str, printed: str) -> None:
    [event] = Reading(above + SYSLOG, path=path).of(Event)
    assert format_instant(event.at) == printed


def test_messages_run_together_are_distinguished() -> None:
    link, port = "LLT INFO V-14-1-10205 link 1 (a) node 2 in trouble", "GAB INFO V-15-1-20037 Port a gen 4c jeopardy ;1"
    text = f"{link} {port} VCS ERROR V-16-1-10205 Group x faulted"
    assert [(row.source, row.kind) for row in Reading(text).of(Event)] == [
        ("llt", "link-trouble"),
        ("gab", "port-jeopardy"),
        ("vcs", "vcs-fault"),
    ]


def test_everyday_lines_of_the_engine_are_understood_and_not_kept() -> None:
    found = Reading("2027/03/09 14:21:31 VCS INFO V-16-1-50135 User root fired command: hagrp -state mail\n" * 50)
    assert (found.result.understood, found.result.records) == (50, 0)
    assert found.of(Section)[0].at == found.of(Section)[0].last_at


def test_a_log_of_several_hosts_names_each() -> None:
    text = SYSLOG + SYSLOG.replace("reed1", "reed2")
    assert [row.node for row in Reading(text).of(Event)] == ["reed1", "reed2"]


def test_a_link_over_udp_shows_its_type_and_mtu() -> None:
    found = Reading("link l1 /dev/udp - udp 50001 1472 10.9.1.1 10.9.1.255\n").of(Setting)
    assert {(row.scope, row.name, row.value) for row in found} >= {
        ("l1", "link type", "udp"),
        ("l1", "link MTU", "1472"),
    }


ENGINE = (
    "ERROR V-16-1-10205 Group sg_pots is faulted on system reed1",
    "NOTICE V-16-1-10301 Initiating Online of Resource mnt_1 (Owner: Unspecified, Group: sg_pots) on System reed2",
    "ERROR V-16-1-10322 System reed2 (Node '1') changed state from RUNNING to FAULTED",
    "ERROR V-16-2-13067 (reed1) Agent is calling clean for resource(mnt_1) because it became OFFLINE unexpectedly",
    "WARNING V-16-10001-5004 (reed1) mnt_1: monitor did not return within 240 seconds",
    "ERROR V-16-10001-5004 (reed1) Mount:mnt_1:online:",
    "WARNING V-16-1-10205 V-16-1-10322 are looked up",
    "ERROR V-16-1-10205 Group sg_pots is faulted VCS ERROR V-16-1-10322 System reed2 (Node '1') changed state",
    "CRITICAL V-16-1-51100",
    "ERROR V-16-1-10205: [Error] Group sg_pots is faulted on system reed1",
    "CRITICAL V-16-1-50086 CPU usage on reed1 is 98% ",
    "ERROR V-5-1-7830 cannot find disk 1180613450.92.reed1",
)
CLOCKS = ("00:00:00", "23:59:59", "23:59:60", "24:10:00", "12:61:00")


def test_whole_messages_of_the_engine_are_read_as_all_others_are(monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [f"2031/{month:02d}/28 {clock} VCS {text}" for text in ENGINE for clock in CLOCKS for month in (1, 13, 2)]
    text, kept = "\n".join(lines) + "\n", _Log._feed_engine
    whole: list[bool] = []

    def feed(log: _Log, number: int, line: str) -> bool:
        whole.append(kept(log, number, line))
        return whole[-1]

    monkeypatch.setattr(_Log, "_feed_engine", feed)
    found = Reading(text, path="engine_A.log").as_json()
    assert 0 < sum(whole) < len(whole)
    monkeypatch.setattr(_Log, "_feed_engine", lambda *_: False)
    assert Reading(text, path="engine_A.log").as_json() == found
