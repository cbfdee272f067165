"""What tools put in front of each line: it goes, and its node and moment stay."""

from __future__ import annotations

import time

import pytest

from parsers.layouts.prefixes import Prefixes
from parsers.records import Event, Measurement, Section, Setting, Version
from parsers.records.waits import Waiter
from parsers.text import make_line
from parsers.times.clock import format_instant
from tests.parsers.golden import Reading

WAITER = "Waiting 22.4170 sec since 03:14:02, monitored, thread 51201 FsyncHandlerThread: for I/O completion"
DUMP = f"=== mmdiag: waiters ===\n{WAITER}\n"


def prefixed(prefix: str, text: str = DUMP) -> Reading:
    return Reading(
        "".join(f"{prefix.replace('#', str(number))}{line}\n" for number, line in enumerate(text.splitlines(), 1))
    )


@pytest.mark.parametrize(
    ("prefix", "node", "at"),
    [
        ("Mar  5 03:14:24 ", None, None),
        ("2024-03-05T03:14:24+0100 ", None, "2024-03-05T03:14:24+01:00"),
        ("[2024-03-05 03:14:24.220] ", None, "2024-03-05T03:14:24.220"),
        ("03:14:24.220 | ", None, "03:14:24.220"),
        ("2024-03-05T03:14:24+0100 tarn-c01 collect[4711]: ", "tarn-c01", "2024-03-05T03:14:24+01:00"),
        ("2024-03-05T03:14:24+0100 tarn-c01 root: ", "tarn-c01", "2024-03-05T03:14:24+01:00"),
        ("[storage/tarn1-core mmfs] ", "tarn1-core", None),
        ("coll/tarn3/waiters.txt:12:", "tarn3", None),
        ("tarn4_waiters.txt:", "tarn4", None),
        ("mmfs.log.latest.tarn:", "tarn", None),
        ("/var/log/mmfs.log.previous.tarn2:12:", "tarn2", None),
        ("messages.tarn:", "tarn", None),
        ("messages-20270301:", None, None),
        ("[09:14] anna: ", None, None),
        ("01.03.27, 09:14 - Ana-María López: ", None, None),
        ("9:14 PM tom: ", None, None),
        ("[9:14 AM] Li Wei: ", None, None),
        ("<jo_2> ", None, None),
        ("> | ", None, None),
        ("     #\t", None, None),
        ("12: ", None, None),
    ],
)
def test_a_dump_is_read_below_any_prefix(prefix: str, node: str | None, at: str | None) -> None:
    reading = prefixed(prefix)
    assert reading.result.not_understood == 0
    assert reading.adds_up
    assert [waiter.seconds for waiter in reading.of(Waiter)] == [22.417]
    assert {section.node for section in reading.of(Section)} == {node}
    if at is not None:
        assert {format_instant(section.at, section.zone_min) for section in reading.of(Section)} == {at}


def test_rows_of_a_table_follow_their_head() -> None:
    table = "Configuration data for cluster tarn.lab:\n-----------------\nworkerThreads 768\n[common]\nmaxMBpS 18000\n"
    for prefix in ("10:15:07.220 ", "  #\t", "out/tarn7/mmlsconfig.txt:", "| "):
        reading = prefixed(prefix, table)
        assert {(row.name, row.value) for row in reading.of(Setting)} >= {
            ("workerThreads", "768"),
            ("maxMBpS", "18000"),
        }, prefix
        assert reading.result.not_understood == 0, prefix


def test_nodes_one_after_the_other() -> None:
    text = "".join(
        f'{node}:\n{node}:  === mmdiag: version ===\n{node}:  Current GPFS build: "5.1.{level}.1 ".\n'
        for node, level in (("tarn1.lab", 8), ("tarn2.lab", 9))
    )
    reading = Reading(f"[root@ems ~]# mmdsh -N all mmdiag --version\n{text}")
    assert {(row.node, row.version) for row in reading.of(Version)} == {
        ("tarn1.lab", "5.1.8.1"),
        ("tarn2.lab", "5.1.9.1"),
    }


def test_a_list_of_lines_below_the_heading_of_its_node() -> None:
    lines = "".join(f'        "{line}",\n' for line in DUMP.splitlines())
    head = 'ok: [{}] => {{\n    "out.stdout_lines": [\n'
    reading = Reading(
        f"{head.format('tarn1')}{lines}    ]\n}}\n{head.format('tarn2.lab')}{lines}    ]\n}}\ntarn3 | "
        f"CHANGED | rc=0 >>\n{DUMP}"
    )
    assert [section.node for section in reading.of(Section) if section.format == "scale_waiters_new"] == [
        "tarn1",
        "tarn2.lab",
        "tarn3",
    ]


def test_dumps_of_a_loop_keep_their_moments() -> None:
    text = "".join(f"2024-03-05T03:{minute}:24+0100 {WAITER}\n" for minute in (14, 15, 16))
    assert [format_instant(section.at) for section in Reading(text).of(Section)] == [
        f"2024-03-05T03:{minute}:24" for minute in (14, 15, 16)
    ]


@pytest.mark.parametrize(
    "text",
    [
        "2024-03-05_10:15:00.123+0100: [N] Connecting to 10.7.1.6 tarn6 <c0n11>:[0]",
        "Mar  5 10:15:00 tarn2 kernel: INFO: task imapd:7312 blocked for more than 120 seconds.",
        "Note: the cluster was slow",
        "12 monkeys",
        '3100005 0 0 7312 0 8 0 2 3 5 1 0 24 "       5           2c1f0"',
    ],
)
def test_what_is_part_of_the_line_stays(text: str) -> None:
    line = make_line(1, text.encode())
    assert Prefixes().peel(line).text == line.text


def test_hostile_lines_take_linear_time() -> None:
    began = time.process_time()
    for part in ("a", "a/", "a.", "1", "1:", "[a/", '"', '\\"', "| ", "03:14:24 ", "a: ", " ", "Mar  5 "):
        for text in (part * 8_000, part * 8_000 + "x: y", '"' + part * 8_000):
            Prefixes().peel(make_line(1, text.encode()))
    assert time.process_time() - began < 15.0


def test_a_prompt_behind_a_stamp_is_known_by_any_program_whose_output_is_read() -> None:
    reading = Reading(
        "2026-05-20T09:15:01+0200 web7# ping_pong /srv/pp.dat 4\n2026-05-20T09:15:02+0200       98 locks/sec\n"
    )
    (measured,) = reading.of(Measurement)
    assert (measured.node, measured.command) == ("web7", "ping_pong /srv/pp.dat 4")
    assert reading.result.not_understood == 0


@pytest.mark.parametrize("prefix", ["[pod/carp1/gpfs] ", "[storage/carp1-core mmfs] ", "Line 12: ", "Zeile 7: "])
def test_kubectl_and_finders_of_editors_leave_the_line_and_the_pod(prefix: str) -> None:
    reading = Reading(
        f"{prefix}Waiting 2.5000 sec since 10:15:07, monitored, thread 11 NSDThread: for I/O completion\n"
    )
    (waiter,) = reading.of(Waiter)
    assert waiter.node == {"[p": "carp1", "[s": "carp1-core"}.get(prefix[:2])


@pytest.mark.parametrize(
    "prefix", ["09:12:04\t[root@carp1 1][NORMAL] ", "09:12:04 [admin@carp1 2@node=carp1/2][ERROR] "]
)
def test_a_runner_of_jobs_leaves_the_line_and_the_node(prefix: str) -> None:
    text = "Waiting 2.5000 sec since 10:15:07, monitored, thread 11 NSDThread: for I/O completion\n"
    (waiter,) = Reading(f"{prefix}{text}").of(Waiter)
    assert waiter.node == "carp1"
    prompt = Reading(f"[root@carp1 1]# mmdiag --waiters\n{text}")
    assert prompt.result.not_understood == 0


def test_a_date_behind_the_first_pod_is_the_time_of_capture() -> None:
    text = (
        "Sat May 16 12:00:00 UTC 2026\nWaiting 2.5000 sec since 11:59:57, monitored, thread 11 NSDThread: "
        "for I/O completion\n"
    )
    reading = Reading("".join(f"[pod/carp1/gpfs] {line}\n" for line in text.splitlines()))
    assert [row.at for row in reading.of(Section)] == [1_778_932_800_000_000]
    assert reading.result.not_understood == 0


COMMENTED = """Configuration data for cluster lund.lab:
----------------------------------------
clusterId 4711{mark}unique
maxMBpS 16000{mark}limit of prefetch
{line}tuning part
pagepool 48G
"""


@pytest.mark.parametrize(("mark", "line"), [(" ## ", "## "), (" # ", "## "), ("   #### ", "### ")])
def test_remarks_behind_settings_are_no_part_of_their_values(mark: str, line: str) -> None:
    reading = Reading(COMMENTED.format(mark=mark, line=line))
    assert reading.result.not_understood == 0
    assert {row.name: row.value for row in reading.of(Setting)} == {
        "clusterId": "4711",
        "maxMBpS": "16000",
        "pagepool": "48G",
    }


@pytest.mark.parametrize("front", ["kern.crit: ", "daemon.notice: ", "local3.err: "])
def test_what_a_relay_of_logs_puts_in_front_is_no_node(front: str) -> None:
    line = "Nov  3 12:14:08 fen3 corosync[811]: [TOTEM ] A processor failed, forming new configuration."
    assert [one.node for one in Reading(f"{front}{line}\n").of(Event)] == ["fen3"]


TALK = ("[09:14] anna: is it back?", *(f"[09:15] tom: {line}" for line in DUMP.splitlines()), "[09:16] anna: thanks")


def test_what_people_say_between_outputs_of_a_chat_is_no_output() -> None:
    reading = Reading("\n".join(TALK) + "\n")
    assert [waiter.seconds for waiter in reading.of(Waiter)] == [22.417]
    assert (reading.result.not_understood, reading.adds_up) == (0, True)


@pytest.mark.parametrize(
    "line",
    [
        "09:15 ERROR: queue gone",
        "[09:15] kernel: paths gone",
        "<warning> queue gone",
        "[09:15] tom: zq 81 7f",
    ],
)
def test_a_level_says_nothing_in_a_chat_and_figures_are_no_remark(line: str) -> None:
    assert Reading(f"{line}\n").result.not_understood == 1


def test_a_long_ruler_of_a_box_takes_linear_time() -> None:
    text = "| Node number | Node name | GPFS state |\n" + "|" + "-" * 400 + "x\n" + "|---" * 80 + "x\n"
    began = time.process_time()
    for _ in range(20):
        Reading(text)
    assert time.process_time() - began < 15


@pytest.mark.parametrize(
    ("front", "node"),
    [("tarn5 ", "tarn5"), ("lake-2.example.org ", "lake-2.example.org"), ("guest ", None), ("qemu-system   ", None)],
)
def test_a_machine_in_front_of_its_console_is_taken_off(front: str, node: str | None) -> None:
    message = "[  740.316315] watchdog: BUG: soft lockup - CPU#2 stuck for 41s! [rsync:911]"
    reading = prefixed(front, f"{message}\n{message.replace('41s', '67s')}\n")
    assert reading.result.not_understood == 0
    assert {(event.kind, event.node) for event in reading.of(Event)} == {("soft-lockup", node)}


@pytest.mark.parametrize("head", ["Mar 22 01:00:01 carp1", "2026-03-22T01:00:01+01:00 carp1", "Mar 22 01:00:01 larch"])
@pytest.mark.parametrize("word", ["dbus-daemon[990]: [system]", "php-fpm[12]: [pool]", "myd: [main]", "x[3]: [own]"])
def test_a_word_in_brackets_that_a_program_logs_first_is_no_node(head: str, word: str) -> None:
    fault = "kernel: blk_update_request: I/O error, dev sdg, sector 88 op 0x1:(WRITE) flags 0x4200"
    reading = Reading(f"{head} {word} Successfully activated 'org.nothing'\n{head} {fault}\n")
    assert {one.node for one in reading.of(Event)} == {head.split()[-1]}
    assert {row.node for row in reading.of(Section)} <= {head.split()[-1], None}


def test_a_node_in_brackets_that_a_program_logs_is_one() -> None:
    line = "Waiting 2.5000 sec since 10:15:07, monitored, thread 11 NSDThread: for I/O completion"
    reading = Reading(f"Mar 22 01:00:01 carp1 relay[3]: [pod/tench7/gpfs] {line}\n")
    assert {one.node for one in reading.of(Waiter)} == {"tench7"}
