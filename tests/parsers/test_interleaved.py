"""Outputs of several nodes mixed line by line, as ``pdsh`` prints them, give what each node's output gives alone."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

import pytest

from parsers.layouts.interleaved import apart
from parsers.layouts.prefixes import MOST_HOSTS
from parsers.reading import Hints
from parsers.records import Counter as CounterRow
from parsers.records import DiskIo, Section
from parsers.records.locks import Glock, GlockHolder
from parsers.sections.above import Above
from parsers.sections.lines import LineSource
from parsers.text import Block, Line
from tests.parsers.golden import FIXTURES, Reading
from tests.parsers.test_wrapped import records

NODES = ("carp1", "carp2", "carp10")
TABLES = (
    "scale_config", "scale_state", "scale_df", "glmstat", "glmdump", "lltstat_config", "cman_status", "ethtool", "df",
    "free", "netstat_i",
    "vxtask", "gfs2_glocks", "dlm_locks", "cvm", "fence_domain",
)  # fmt: skip


def outputs(sample: str) -> Iterator[list[str]]:
    """What each command of a sample printed."""
    lines: list[str] = []
    for line in (FIXTURES / sample / "typical.txt").read_text().splitlines():
        if "# " in line[:60] and not line.startswith(("#", " ")):
            yield lines
            lines = []
        else:
            lines.append(line)
    yield lines


def lines_from(node: str, lines: Sequence[str]) -> list[str]:
    """The lines as a node prints them, which calls itself by its own name."""
    return [re.sub(r"(?<=Node name: )\S+", node, line) for line in lines]


def mixed(lines: Sequence[str], nodes: Sequence[str], seed: int) -> str:
    rng = random.Random(seed)
    waiting = {node: lines_from(node, lines) for node in nodes}
    text = ""
    while waiting:
        node = rng.choice(sorted(waiting))
        for _ in range(rng.choice((1, 1, 2, 5))):
            text += f"{node}: {waiting[node].pop(0)}\n"
            if not waiting[node]:
                del waiting[node]
                break
    return text


@pytest.mark.parametrize("sample", TABLES)
def test_mixed_outputs_give_the_records_of_each_node(sample: str) -> None:
    for seed, lines in enumerate(found for found in outputs(sample) if len(found) > 1):
        expected: Counter[tuple[object, ...]] = Counter()
        for node in NODES:
            expected.update(records("".join(f"{node}: {line}\n" for line in lines_from(node, lines))))
        assert records(mixed(lines, NODES, seed)) == expected


def test_a_holder_stays_with_the_glock_of_its_own_node() -> None:
    first = [
        "G:  s:EX n:2/2c1f0 f:yq t:EX d:EX/0 a:0 v:0 r:3 m:200",
        " H: s:EX f:W e:0 p:4711 [imapd] gfs2_write+0x1/0x2 [gfs2]",
    ]
    second = [
        "G:  s:SH n:2/9999 f:q t:SH d:EX/0 a:0 v:0 r:3 m:200",
        " H: s:SH f:W e:0 p:42 [backup] gfs2_read+0x1/0x2 [gfs2]",
    ]
    text = f"carp1: {first[0]}\ncarp2: {second[0]}\ncarp1: {first[1]}\ncarp2: {second[1]}\n"
    reading = Reading(text)
    assert [(row.node, row.object) for row in reading.of(Glock)] == [("carp1", "2/2c1f0"), ("carp2", "2/9999")]
    assert [(row.line, row.node, row.glock, row.pid) for row in reading.of(GlockHolder)] == [
        (3, "carp1", "2/2c1f0", 4711),
        (4, "carp2", "2/9999", 42),
    ]
    assert reading.adds_up


def test_parts_that_stand_on_their_own_keep_their_order() -> None:
    table = [
        "Filesystem     1K-blocks      Used Available Use% Mounted on",
        "/dev/vx/dsk/a    1000000    900000    100000  90% /srv/a",
    ]
    text = "".join(f"{node}: {line}\n" for _ in range(2) for node in NODES for line in table)
    assert [node for node, _ in groupby(row.node for row in Reading(text).of(Section))] == [*NODES, *NODES]


def test_lines_keep_their_numbers_and_each_is_given_once() -> None:
    lines = [
        Line(n, "", text, host=f"carp{n % 3}")
        for n, text in enumerate(["head 1"] * 3 + ["row of words", "x", "1 2 3"] * 20, 1)
    ]
    found = apart(lines)
    assert sorted(line.number for line in found) == list(range(1, 64))
    assert [host for host, _ in groupby(line.host for line in found)] == ["carp1", "carp2", "carp0"]
    for host in ("carp0", "carp1", "carp2"):
        numbers = [line.number for line in found if line.host == host]
        assert numbers == sorted(numbers)


def test_a_node_that_printed_blank_lines_only_costs_nothing() -> None:
    reading = Reading("carp1: vxi_hlockgrant   17\ncarp2:\ncarp1: vxi_glockgrant   18\ncarp3: \n")
    assert reading.adds_up
    assert [(row.line, row.node) for row in reading.of(CounterRow)] == [(1, "carp1"), (3, "carp1")]


def test_lines_above_a_broken_place_are_given_before_it_is_reported() -> None:
    def broken() -> Iterator[Block]:
        yield Block(b"carp1: vxi_hlockgrant   17\ncarp2: vxi_hlockgrant   18\n", 1)
        raise EOFError("cut")

    source = LineSource(broken())
    assert [line.number for line in (source.next(), source.next()) if line is not None] == [1, 2]
    for _ in range(2):
        with pytest.raises(EOFError, match="cut"):
            source.next()


def test_contexts_of_ever_new_nodes_are_not_kept_without_end() -> None:
    above = Above(Hints())
    for n in range(MOST_HOSTS + 100):
        above.turn_to(f"carp{n}")
    assert len(above._by_host) <= MOST_HOSTS


def test_the_time_that_one_node_reported_is_not_that_of_another() -> None:
    date, row = "Tue Mar  9 14:20:03 CET 2027", "vxi_hlockgrant   17"
    times = {row.node: row.at for row in Reading(f"carp1: {date}\ncarp1: {row}\ncarp2: {row}\n").of(CounterRow)}
    assert times == {"carp1": 1_804_602_003_000_000, "carp2": None}


def test_a_date_above_all_nodes_holds_for_each() -> None:
    row = "vxi_hlockgrant   17"
    times = {
        row.node: row.at
        for row in Reading(f"Tue Mar  9 14:20:03 CET 2027\ncarp1: {row}\ncarp2: {row}\n").of(CounterRow)
    }
    assert set(times.values()) == {1_804_602_003_000_000}


def test_totals_of_a_second_node_are_no_interval() -> None:
    table = (
        "                      OPERATIONS          BLOCKS        AVG TIME(ms)\n"
        "TYP  NAME          READ     WRITE      READ     WRITE    READ  WRITE\n\n"
        "Wed Sep 17 08:12:00 2025\nvol  rolls       918273    401122  73461840  12835904    12.4    3.1\n\n"
        "Wed Sep 17 08:12:05 2025\nvol  rolls         3000         0    750000         0    44.0    0.0\n"
    )
    found = [
        (row.node, row.interval_s)
        for row in Reading(f"Node: carp1\n{table}\nNode: carp2\n{table}").of(DiskIo)
        if row.op == "read"
    ]
    assert found == [("carp1", None), ("carp1", 5.0), ("carp2", None), ("carp2", 5.0)]


@pytest.mark.parametrize("rule", ["----------------", "===================="])
def test_the_first_line_below_the_name_of_a_node_between_rules_is_read(rule: str) -> None:
    table = (
        "mmlsmgr::HEADER:version:reserved:reserved:filesystem:manager:managerIP:\n"
        "mmlsmgr::0:1:::orsa1:carp1:10.0.0.1:\n"
    )
    reading = Reading(f"{rule}\ncarp1\n{rule}\n{table}")
    assert reading.result.not_understood == 0
    assert reading.adds_up


@pytest.mark.parametrize(
    "left", ["--More--", "--More--(37%)", "(END)", "lines 1-40", "lines 21-60/104 57%", "lines 80-104/104 (END)"]
)
def test_what_a_pager_left_in_a_copied_screen_costs_nothing(left: str) -> None:
    waiters = [
        f"Waiting {n}.5000 sec since 10:15:07, monitored, thread {n} NSDThread: for I/O completion" for n in (1, 2, 3)
    ]
    plain, paged = (
        Reading("carp1# mmdiag --waiters\n" + mark.join(f"{line}\n" for line in waiters)) for mark in ("", f"{left}\n")
    )
    assert paged.result.not_understood == 0
    assert paged.result.records == plain.result.records


@pytest.mark.parametrize(
    ("head", "tail"),
    [
        ("[1] 14:20:03 [SUCCESS] carp1", ""),
        ("[2] 14:20:04 [FAILURE] root@carp1:22 Exited with error code 1", ""),
        ("carp1 | CHANGED | rc=0 >>", ""),
        ('carp1 | CHANGED => {\n    "stdout_lines": [', "    ]\n}\n"),
    ],
)
def test_heads_of_tools_that_run_a_command_on_many_nodes(head: str, tail: str) -> None:
    row = '        "vxi_hlockgrant   17",' if tail else "vxi_hlockgrant   17"
    reading = Reading(f"{head}\n{row}\n{tail}")
    assert [(found.node, found.value) for found in reading.of(CounterRow)] == [("carp1", 17)]
