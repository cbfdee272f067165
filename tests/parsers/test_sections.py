"""One pass over a text: what begins and ends a section, what its lines count as, and what is known about it."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from itertools import pairwise

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from parsers.lookup import claimed, parsers
from parsers.output import Output
from parsers.records import CommandRun, Counter, Measurement, Problem, Repeat, Section, Skipped
from parsers.records.waits import WaiterShape
from parsers.sections.lines import LineSource
from parsers.sections.open_section import OpenSection
from parsers.text import Block, blocks
from tests.parsers.golden import Reading
from tests.part import tries

ROW = "vxi_hlockgrant                    1    vxi_hlockrevoke                   2"
HEADER = "10:00:10.000 Tue 05 Mar 2024 10:00:10 AM CET -- delta (10.000 sec sample)"
TIME = "real\t0m2.202s\nuser\t0m0.771s\nsys\t0m1.367s"


def sections(text: str, *, path: str = "", node: str | None = None) -> list[Section]:
    found = Reading(text, path=path, node=node).of(Section)
    return [section for section in found if section.format != "unknown"]


class TestWhereASectionEnds:
    def test_at_a_prompt(self) -> None:
        found = sections(f"a1# vxfsstat -s /m\n{ROW}\na1# vxfsstat -s /m\n{ROW}\n")
        assert [(s.line, s.last_line) for s in found] == [(1, 2), (3, 4)]

    def test_at_a_heading(self) -> None:
        found = sections(f"{ROW}\nNode 1:\n{ROW}\n")
        assert [(s.line, s.node) for s in found] == [(1, None), (3, "node1")]

    def test_at_a_date(self) -> None:
        found = sections(f"{ROW}\nTue Mar  5 10:00:00 CET 2024\n{ROW}\n")
        assert [(s.line, s.at) for s in found] == [(1, None), (3, 1709632800000000)]

    def test_at_a_line_that_another_reader_claims(self) -> None:
        found = sections(f"{ROW}\n{TIME}\n{ROW}\n")
        assert [s.format for s in found] == ["vxfsstat", "time_command", "vxfsstat"]

    def test_not_at_a_stray_line_or_a_blank_one(self) -> None:
        reading = Reading(
            f"a1# vxfsstat -s /m\n{HEADER}\n{ROW}\n\n**** lost 3 messages ****\n{ROW.replace('hlock', 'glock')}\n"
        )
        assert [(s.line, s.last_line, s.not_understood) for s in reading.of(Section)] == [(1, 6, 1)]
        assert len({row.sample for row in reading.of(Counter)}) == 1
        assert [row.line for row in reading.of(Skipped)] == [5]

    def test_sections_never_overlap_and_stand_in_the_order_of_lines(self) -> None:
        text = f"{ROW}\nx\ny\n{TIME}\nNode 3:\nq\n{ROW}\n# date\nTue Mar  5 10:00:00 CET 2024\n{ROW}\n" * 5
        found = Reading(text).of(Section)
        assert [s.index for s in found] == list(range(len(found)))
        for before, after in pairwise(found):
            assert before.line <= before.last_line < after.line <= after.last_line


class TestWhatIsKnown:
    def test_a_named_host_lasts_until_the_next_prompt(self) -> None:
        found = sections(f"a1# vxfsstat -s /m\n{ROW}\nb2# vxfsstat -s /m\n{ROW}\n")
        assert [(s.node, s.node_basis) for s in found] == [("a1", "prompt"), ("b2", "prompt")]

    def test_a_bare_prompt_inherits_the_node_above(self) -> None:
        found = sections(
            f"a1# date\nTue Mar  5 10:00:00 CET 2024\n# vxfsstat -s /m\n{ROW}\nNode 7\n# vxfsstat -s /m\n{ROW}\n"
        )
        assert [(s.node, s.node_basis) for s in found] == [("a1", "prompt"), ("node7", "ordinal")]

    def test_a_comment_is_no_prompt(self) -> None:
        found = sections(f"a1# vxfsstat -s /m\n{ROW}\n# this is what they sent us\n{ROW.replace('hlock', 'glock')}\n")
        assert [(s.node, s.command) for s in found] == [("a1", "vxfsstat -s /m")]

    def test_a_path_may_name_the_node(self) -> None:
        assert [(s.node, s.node_basis) for s in sections(ROW, path="sosreport-curlew7-20240305101500/out.txt")] == [
            ("curlew7", "path")
        ]

    def test_the_node_given_by_the_user_wins(self) -> None:
        found = sections(f"a1# vxfsstat -s /m\n{ROW}\nNode 3:\n{ROW}\n", path="case/curlew7/out.txt", node="given1")
        assert {(s.node, s.node_basis) for s in found} == {("given1", "given")}

    def test_the_clock_above_is_the_time_of_capture(self) -> None:
        reading = Reading(f"Tue Mar  5 10:00:00 CET 2024\na1# vxfsstat -s /m\n{ROW}\n")
        assert {(row.at, row.zone_min, row.kind) for row in reading.of(Counter)} == {
            (1709632800000000, 60, "cumulative")
        }
        assert [(s.at, s.zone_name) for s in reading.of(Section)] == [(1709632800000000, "CET")]

    def test_a_heading_forgets_the_command(self) -> None:
        found = sections(f"# vxfsstat -s /m\n{ROW}\nNode 2:\n{ROW}\n")
        assert [s.command for s in found] == ["vxfsstat -s /m", None]

    def test_a_loop_over_several_lines_is_one_command(self) -> None:
        text = f"a1# while true\n> do\n> date\n> vxfsstat -s /m | grep hlock\n> sleep 5\n> done\n{ROW}\n"
        reading = Reading(text)
        assert [s.command for s in reading.of(Section)] == ["while true; date; vxfsstat -s /m | grep hlock"]
        assert {(row.scope, row.filtered) for row in reading.of(Counter)} == {("/m", True)}
        assert reading.result.not_understood == 0

    def test_a_quoted_mail_is_read_like_the_text_in_it(self) -> None:
        text = f"a1# vxfsstat -s /m\n{HEADER}\n{ROW}\n"
        plain, quoted = Reading(text), Reading("".join(f"> {line}\n" for line in text.splitlines()))
        assert [row.value for row in quoted.of(Counter)] == [row.value for row in plain.of(Counter)]
        assert {row.scope for row in quoted.of(Counter)} == {"/m"}

    @pytest.mark.parametrize("filter_text", ["wc -l", "wc -l "])
    def test_the_number_that_a_count_prints_belongs_to_its_command(self, filter_text: str) -> None:
        reading = Reading(f"a1# time find /m -ls | {filter_text}\n393604\n\n{TIME}\n")
        assert [(run.output_count, run.node) for run in reading.of(CommandRun)] == [(393604, "a1")]
        assert {row.command for row in reading.of(Measurement)} == {f"time find /m -ls | {filter_text.strip()}"}
        assert reading.result.not_understood == 0

    def test_a_number_below_another_command_is_no_count(self) -> None:
        reading = Reading("a1# find /m -ls\n393604\n")
        assert [run.output_count for run in reading.of(CommandRun)] == [None]
        assert reading.result.not_understood == 1


class TestRepeats:
    PAGE = "We looked at the locks of the file system for a while.\n" + "".join(
        f"a1# vxfsstat -s /m{n}\n{ROW}\nThe node number {n} does not take any locks here.\n" for n in range(10)
    )

    def test_a_page_exported_twice_is_a_repeat(self) -> None:
        assert [
            (r.line, r.last_line, r.of)
            for r in Reading(self.PAGE + "In between, something else.\n" + self.PAGE).of(Repeat)
        ] == [(33, 63, 1)]

    def test_a_loop_that_prints_the_same_again_is_no_repeat(self) -> None:
        assert Reading(f"a1# vxfsstat -s /m\n{ROW}\n" * 100).of(Repeat) == []

    def test_other_times_make_other_samples(self) -> None:
        text = "".join(
            f"10:{m:02d}:00.000 Tue 05 Mar 2024 10:{m:02d}:00 AM CET -- delta (10.000 sec sample)\n{ROW}\n"
            for m in range(60)
        )
        assert Reading(text).of(Repeat) == []
        again = Reading(text + text).of(Repeat)
        assert min(r.line for r in again) == 121
        assert max(r.last_line for r in again) == 240


class TestCounts:
    def test_every_line_counts_once(self) -> None:
        reading = Reading(
            f"a1# vxfsstat -s /m\n\n{HEADER}\n....\n{ROW}\nThis is a sentence of somebody about it.\n%%% "
            f"unknown row 12\n{ROW}"
        )
        result = reading.result
        assert (result.total, result.understood, result.ignored, result.not_understood) == (8, 4, 3, 1)

    def test_sections_account_for_what_stands_in_them(self) -> None:
        reading = Reading(f"a1# vxfsstat -s /m\n{HEADER}\n....\n{ROW}\nvxi_cut\n")
        assert [(s.records, s.understood, s.ignored, s.not_understood) for s in reading.of(Section)] == [(2, 2, 1, 1)]

    def test_a_text_that_nobody_knows_is_not_recognised(self) -> None:
        reading = Reading("alpha=1\nbeta=2\n")
        assert not reading.result.recognised
        assert reading.result.not_understood == 2

    def test_an_empty_text(self) -> None:
        result = Reading("").result
        assert (result.total, result.records, result.recognised) == (0, 0, False)

    def test_only_so_many_skipped_lines_are_kept_but_all_are_counted(self) -> None:
        reading = Reading("".join(f"row {n} = {n}\n" for n in range(5_000)))
        assert reading.result.not_understood == 5_000
        assert len(reading.of(Skipped)) == 2_000


@settings(max_examples=tries(80, 40), deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                ROW,
                HEADER,
                TIME,
                "",
                "....",
                "Node 1:",
                "a1# date",
                "# vxfsstat -s /m",
                "garbage 12 = 3",
                "vxi_cut",
                "      7",
            ]
        ),
        max_size=30,
    ),
    st.integers(1, 200),
)
@example(["vxi_cut", "      7", "", ROW, "Node 1:", ROW], 1)
def test_the_size_of_blocks_changes_nothing(lines: list[str], block_bytes: int) -> None:
    text = "\n".join(lines)
    assert Reading(text, block_bytes=block_bytes).as_json() == Reading(text).as_json()


class TestRegistry:
    def test_claims_are_made_of_groups_that_do_not_capture(self) -> None:
        assert claimed(ROW) is parsers()["vxfsstat"]
        assert claimed("an ordinary sentence") is None

    def test_products_are_known_ones(self) -> None:
        assert {p.product for p in parsers().values()} <= {"", "spectrum-scale", "veritas", "gfs2", "storage"}

    def test_every_parser_says_in_its_docstring_what_it_reads(self) -> None:
        for parser in parsers().values():
            module = __import__(parser.read.__module__, fromlist=["__doc__"])
            assert module.__doc__ is not None
            assert "Source" in module.__doc__
            assert parser.read.__doc__


@pytest.mark.parametrize(("end", "problems"), [("", 1), ("\n", 0)])
def test_a_last_line_that_is_cut_is_reported(end: str, problems: int) -> None:
    text = (
        "[root@ash1 ~]# cat /sys/kernel/debug/gfs2/pond:nets/glocks\nG:  s:SH n:2/3c44 f:Iqob t:SH d:EX/0 a:0 v:0 r:3"
    )
    reading = Reading(f"{text} m:200\n H: s:SH f:W e:0 p:12{end}")
    assert [one.line for one in reading.of(Problem)] == [3] * problems


WAITER = "Waiting 0.41 sec since 10:00:01, monitored, thread 7 NSDThread: for I/O completion"
HOLDER = " H: s:EX f:H e:0 p:4411 [rsync] gfs2_permission+0x74/0x110 [gfs2]"


@pytest.mark.parametrize(
    ("text", "problems"),
    [
        (f"=== mmdiag: waiters ===\n{WAITER}\n{WAITER.partition('ead: ')[0]}", 1),
        (f"=== mmdiag: waiters ===\n{WAITER}\n{WAITER}", 0),
        (f"G:  s:SH n:2/3c44 f:q t:SH d:EX/0 a:0\n{HOLDER}\n{HOLDER.partition('ission')[0]}", 1),
        (f"G:  s:SH n:2/3c44 f:q t:SH d:EX/0 a:0\n{HOLDER}\n{HOLDER.partition(' gfs2_')[0]}", 0),
    ],
)
def test_a_last_row_that_stops_within_a_word_is_reported(text: str, problems: int) -> None:
    assert len(Reading(text).of(Problem)) == problems


def test_the_name_of_a_thread_that_may_be_cut_is_none() -> None:
    whole = "Waiting 0.4121 sec since 10:00:01, monitored, thread 40119 NSDThread: for I/O completion\n"
    reading = Reading(
        f"=== mmdiag: waiters ===\n{whole}{whole.replace('40119 NSDThread: for I/O completion', '40120 NSDTh')}"
    )
    assert [one.thread for one in reading.of(WaiterShape)] == ["NSDThread", None]


def test_a_line_that_is_pushed_back_is_not_made_anew() -> None:
    source = LineSource(blocks(io.BytesIO(b"Mar  5 10:15:07 carp1 Waiting 2.5 sec\n\nnode: cn1\n")))
    for _ in range(3):
        line = source.next()
        source.push_back()
        assert line is not None
        assert source.next() is line
        assert source.number == line.number
    assert source.next() is None


@pytest.mark.parametrize("error", [pl.exceptions.ShapeError("a name"), re.error("a name"), RecursionError("a name")])
def test_what_a_parser_reads_with_costs_its_section_only(monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    parser = claimed(ROW)
    assert parser is not None

    def breaks(section: OpenSection, out: Output) -> None:
        raise error

    monkeypatch.setattr(
        "parsers.sections.reader.claimed",
        lambda text: replace(parser, read=breaks) if "hlock" in text else claimed(text),
    )
    reading = Reading(
        f"{ROW}\n\nWaiting 2.5000 sec since 10:00:01, monitored, thread 40119 NSDThread: for I/O completion\n"
    )
    assert [type(error).__name__ in one.message for one in reading.of(Problem)] == [True]
    assert len(reading.of(WaiterShape)) == 1


@pytest.mark.parametrize("shown", ["[<0>] a", "  [<ffff>] b", "[&lt;0>] c", "[\x1b[1m<0>] e", "n1: [<0>] f"])
def test_letters_of_the_line_below_are_found_in_its_bytes(shown: str) -> None:
    source = LineSource(iter([Block(f"one\nplain\n{shown}\n".encode(), 1)]))
    source.next()
    assert not source.may_show_below(b"[<")
    source.next()
    below = source.peek()
    assert below is not None
    assert "[<" in below.text
    assert source.may_show_below(b"[<")
    source.next()
    assert not source.may_show_below(b"[<")
    assert source.peek() is None
