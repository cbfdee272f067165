"""The article on slow inode access in a cluster file system: every figure that the rules build on is read from it."""

from __future__ import annotations

import re

import pytest

from parsers.records import CommandRun, Counter, Measurement, Problem, Repeat, Section, Setting
from parsers.times.clock import format_instant
from tests import references
from tests.parsers.golden import Reading

ARTICLE = "cfs-slow-inode-access.txt"
MOUNT = "/volmanyfiles"


@pytest.fixture(scope="module")
def article() -> Reading:
    return Reading(references.article(ARTICLE).read_bytes(), path=ARTICLE)


def repeated(article: Reading, line: int) -> bool:
    return any(repeat.line <= line <= repeat.last_line for repeat in article.of(Repeat))


def counters(article: Reading, clock: str) -> dict[str, Counter]:
    """Counters by name of the sample whose end reads so, outside repeated text."""
    rows = [
        row
        for row in article.of(Counter)
        if clock in (format_instant(row.at, row.zone_min) or "") and not repeated(article, row.line)
    ]
    assert len({row.sample for row in rows}) == 1
    return {row.name: row for row in rows}


def untimed(article: Reading, name: str) -> list[Counter]:
    return [
        row for row in article.of(Counter) if row.name == name and row.at is None and not repeated(article, row.line)
    ]


def test_it_is_recognised_and_all_lines_are_accounted_for(article: Reading) -> None:
    assert {"vxfsstat", "lltshow", "vxtunefs", "time_command"} <= set(article.result.formats)
    assert article.adds_up


def test_of_38_sample_headers_16_stand_outside_repeated_text(article: Reading) -> None:
    headers = [
        n for n, line in enumerate(article.data.decode().split("\n"), 1) if re.search(r"-- (absolute|delta)", line)
    ]
    fresh = [line for line in headers if not repeated(article, line)]
    assert (len(headers), len(fresh)) == (38, 16)


def test_thirteen_of_those_samples_hold_rows(article: Reading) -> None:
    samples = {
        (row.sample, row.at)
        for row in article.of(Counter)
        if row.source.startswith("vxfsstat") and row.at and not repeated(article, row.line)
    }
    assert len(samples) == 13  # the three absolute ones are left out by the author


EXPECTED = [
    ("13:14:45", "node0", 10.0, {"vxi_hlockgrant": 0, "vxi_hlockrevoke": 46064, "vxi_masterless_locks": 0,
        "vxi_normalize_locks": 23043,
                                 "vxi_glockrevoke": 23022, "vxi_glockgrant_pbhit": 0}),
    ("13:14:57", "node1", 10.0, {"vxi_recv_open_mbr": 0, "vxi_hlock_init": 23875, "vxi_hlockgrant": 47725,
        "vxi_hlockrevoke": 0,
                                 "vxi_rwlockgrant": 23875, "vxi_rwlockrevoke": 0, "vxi_rwlock_iupdat": 0,
                                 "vxi_glockgrant": 23850,
                                 "vxi_staleowner": 0, "vxi_strong_pullowner": 23850}),
    ("14:48:38", "node1", 10.0, {"vxi_hlockgrant": 0, "vxi_hlockrevoke": 50, "vxi_rwlockgrant": 0,
        "vxi_rwlockrevoke": 50}),
    ("14:52:35", "node0", 10.0, {"vxi_hlockgrant": 0, "vxi_hlockrevoke": 32296, "vxi_glockrevoke": 32296,
        "vxi_glockgrant_pbhit": 0}),
    ("14:52:49", "node1", 10.0, {"vxi_recv_open_mbr": 0, "vxi_hlock_init": 30652, "vxi_hlockgrant": 61305,
        "vxi_hlockrevoke": 30652,
                                 "vxi_inode_btranidflush": 0, "vxi_hlock_deinit": 30652, "vxi_rwlockgrant": 30653,
                                 "vxi_rwlockrevoke": 30652, "vxi_rwlock_iupdat": 0, "vxi_glockgrant": 30653,
                                 "vxi_glockrevoke": 0,
                                 "vxi_glockgrant_pbhit": 30653, "vxi_staleowner": 0, "vxi_strong_pullowner": 30653}),
    ("18:08:50", "node0", 10.0, {"vxi_hlockgrant": 0, "vxi_hlockrevoke": 97190}),
    ("18:08:41", "node1", 10.0, {"vxi_hlockgrant": 95810, "vxi_hlockrevoke": 0, "vxi_staleowner": 0,
        "vxi_strong_pullowner": 95840}),
    ("18:21:26", "node0", 10.0, {"vxi_hlockgrant": 73310, "vxi_hlockrevoke": 72645, "vxi_staleowner": 0,
        "vxi_strong_pullowner": 73310}),
    ("18:21:28", "node1", 10.0, {"vxi_hlockgrant": 72432, "vxi_hlockrevoke": 72661, "vxi_staleowner": 0,
        "vxi_strong_pullowner": 72443}),
    ("18:25:56", "node0", 10.0, {"vxi_hlockgrant": 73358, "vxi_hlockrevoke": 38365, "vxi_glockrevoke": 38364,
        "vxi_glockgrant_pbhit": 0,
                                 "vxi_staleowner": 0, "vxi_strong_pullowner": 73358}),
    ("18:25:57", "node0", 10.001, {"vxi_hlockgrant": 38436, "vxi_hlockrevoke": 73576, "vxi_rwlock_iupdat": 0,
        "vxi_glockgrant": 38436,
                                   "vxi_staleowner": 0, "vxi_strong_pullowner": 38436}),
]  # fmt: skip


@pytest.mark.parametrize(("clock", "node", "interval_s", "values"), EXPECTED, ids=[row[0] for row in EXPECTED])
def test_a_delta_sample_holds_exactly_its_printed_counters(
    article: Reading, clock: str, node: str, interval_s: float, values: dict[str, int]
) -> None:
    found = counters(article, clock)
    assert {name: row.value for name, row in found.items()} == values
    assert {(row.node, row.interval_s, row.kind, row.source, row.zone_min) for row in found.values()} == {
        (node, interval_s, "delta", "vxfsstat -s", 660)
    }


def test_the_mount_comes_from_the_command_on_either_side_of_the_options(article: Reading) -> None:
    assert {row.scope for clock in ("13:14:45", "14:52:49") for row in counters(article, clock).values()} == {MOUNT}
    assert {row.scope for row in counters(article, "14:48:38").values()} == {None}


def test_an_awk_filter_says_zero_only_where_nothing_was_left_out_by_hand(article: Reading) -> None:
    assert not any(row.zero_filter for row in article.of(Counter))
    assert all(row.filtered for row in counters(article, "13:14:45").values())


def test_no_figure_comes_from_a_remark(article: Reading) -> None:
    assert 24996 not in {row.value for row in article.of(Counter)}
    assert {row.value for row in untimed(article, "vxi_icache_inuseino")} >= {100, 373167, 103, 373158, 310772, 373166}


def test_a_rate_over_no_lookups_has_no_value(article: Reading) -> None:
    idle, busy = counters(article, "11:22:56"), counters(article, "11:30:41")
    assert (idle["lookups"].value, idle["hit rate"].value, idle["dnlc hit rate"].value) == (0, None, None)
    assert (busy["lookups"].value, busy["hit rate"].value, busy["dnlc hit rate"].value) == (57010, 100.0, 85.64)
    assert (busy["total lookups"].value, busy["total dnlc lookup"].value, busy["hit per enter"].value) == (
        56622,
        394380,
        None,
    )


def test_the_inode_cache_was_not_limited_by_its_maximum(article: Reading) -> None:
    for clock, age in (("11:22:56", 36594), ("11:30:41", 442)):
        found = counters(article, clock)
        assert (
            found["recycle age"].value,
            found["free age"].value,
            found["recycle age not limited by maximum"].value,
        ) == (age, 600, 1)
        assert (found["inodes current"].value, found["inodes peak"].value, found["inodes maximum"].value) == (
            393710,
            398044,
            398044,
        )
        assert {row.scope for row in found.values()} == {None}


def test_masterless_and_normalised_locks_are_read_even_where_the_value_is_wrapped(article: Reading) -> None:
    rows = [
        (row.line, row.value, row.kind, row.scope)
        for name in ("vxi_masterless_locks", "vxi_normalize_locks")
        for row in untimed(article, name)
    ]
    by_line: dict[int, list[float | None]] = {}
    for line, value, kind, scope in rows:
        assert (kind, scope) == ("cumulative", MOUNT)
        by_line.setdefault(line, []).append(value)
    assert list(by_line.values()) == [[393641, 31], [2, 0], [393641, 31], [2, 0], [393641, 393635], [2, 0]]


def test_pulls_since_the_mount_are_read_on_both_nodes(article: Reading) -> None:
    assert [(row.node, row.value) for row in untimed(article, "vxi_strong_pullowner")] == [
        ("node0", 2),
        ("node1", 393228),
    ]


def test_the_two_samples_of_the_node_cache_before_and_after_the_cold_walk(article: Reading) -> None:
    assert [row.value for row in untimed(article, "vxi_iaccess")] == [2156902, 2551685]
    assert [row.value for row in untimed(article, "vxi_bcache_recycleage")] == [114442, 2171]
    assert {row.kind for row in untimed(article, "vxi_bcache_recycleage")} == {"gauge"}
    assert [row.node for row in untimed(article, "vxi_iaccess")] == ["rhel7vm10", "rhel7vm10"]


TIMES = [40.047, 2.202, 1.870, 163.470, 1.663, 109.765, 1.720, 4.379, 40.971, 54.465, 54.356, 54.747, 89.402]


def test_all_timed_walks_are_read_in_order(article: Reading) -> None:
    rows = [row for row in article.of(Measurement) if row.what == "real" and not repeated(article, row.line)]
    assert [row.value for row in rows] == TIMES
    assert {(row.tool, row.unit, row.command) for row in rows} == {
        ("time", "s", "time find /volmanyfiles/manyfiles -ls | wc -l")
    }


def test_user_and_system_time_are_read_beside_them(article: Reading) -> None:
    rows = [row for row in article.of(Measurement) if not repeated(article, row.line)]
    assert [(row.what, row.value) for row in rows[:3]] == [("real", 40.047), ("user", 1.572), ("sys", 9.643)]
    assert len(rows) == 3 * len(TIMES)


def test_every_walk_counted_its_files(article: Reading) -> None:
    walks = [
        run for run in article.of(CommandRun) if run.command.startswith("time find") and not repeated(article, run.line)
    ]
    assert len(walks) == len(TIMES)
    assert {run.output_count for run in walks} == {393604}


def test_lazy_isize_is_shown_and_set_in_order(article: Reading) -> None:
    rows = [row for row in article.of(Setting) if row.source == "vxtunefs" and not repeated(article, row.line)]
    assert {(row.name, row.scope, row.source) for row in rows} == {("lazy_isize_enable", MOUNT, "vxtunefs")}
    shown = [(row.value, row.set_here) for row in rows]
    assert shown == [("0", False), ("1", True), ("1", False), ("1", True), ("1", False), ("0", True), ("0", True)]


def test_link_rates_of_the_loop_are_read_for_the_port_of_the_command(article: Reading) -> None:
    rows = [row for row in article.of(Counter) if row.name == "txrate pkts 1s" and not repeated(article, row.line)]
    assert [(row.scope, row.value, row.unit) for row in rows] == [
        ("LLT port 5", 3, "pkts/s"),
        ("LLT port 5", 13868, "pkts/s"),
        ("LLT port 5", 12956, "pkts/s"),
    ]
    assert [row.value for row in article.of(Counter) if row.name == "rxrate KB 10s"][:2] == [0, 2997]


def test_latency_histograms_are_whole(article: Reading) -> None:
    rows = [row for row in article.of(Counter) if "latency" in row.name and not repeated(article, row.line)]
    assert {row.unit for row in rows} == {"packets"}
    total = {
        direction: sum(row.value or 0 for row in rows if row.name.startswith(direction)) for direction in ("tx", "rx")
    }
    assert total == {"tx": 7783804, "rx": 7651167}
    assert [row.value for row in rows if row.name.endswith(" >=16 ms")] == [3, 936]
    assert len(rows) == 34


def test_clocks_agree_and_nothing_is_a_problem(article: Reading) -> None:
    assert article.of(Problem) == []


def test_prose_about_a_node_does_not_switch_the_node(article: Reading) -> None:
    lines = article.data.decode().split("\n")
    heading = next(number for number, line in enumerate(lines, 1) if line.startswith("Node 0 has the inodes cached"))
    below = next(section for section in article.of(Section) if section.line > heading)
    assert below.node == "node1"
