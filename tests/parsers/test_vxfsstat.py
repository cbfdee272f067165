"""``vxfsstat``: the fast way through a recording reads what the slow one reads; clocks, filters and options."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from parsers.formats.veritas.vxfs import vxfsstat
from parsers.formats.veritas.vxfs.vxfsstat_header import match_stamp, parse_invocation
from parsers.headings.transcript import parse_command
from parsers.records import Counter, Problem, Repeat
from parsers.text import Line
from tests.parsers.golden import Reading

NAMES = ["vxi_hlockgrant", "vxi_hlockrevoke", "vxi_icache_curino", "vxi_icache_maxino", "vxi_iaccess", "vxi_staleowner"]


def recording(samples: int, *, remark: str = "", seed: int = 1, names: list[str] = NAMES) -> str:
    """Dense samples; a remark behind every row forces the way line by line."""
    rng = random.Random(seed)
    lines = []
    for n in range(samples):
        clock = f"{10 + n // 360:02d}:{n // 6 % 60:02d}:{n % 6 * 10:02d}"
        lines.append(
            f"{clock}.120 Tue 05 Mar 2024 {clock} CET -- {'delta (10.000 sec sample)' if n else 'absolute sample'}"
        )
        lines.append("")
        for a, b in zip(names[::2], names[1::2], strict=True):
            lines.append(
                f"{a:<22}{rng.randrange(10 ** rng.randrange(1, 9)):>10}    {b:<22}{rng.randrange(-3, 99):>10}{remark}"
            )
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("names", [NAMES, ["vxi_lock2_a", "vxi_lock3_b"]], ids=["plain names", "names with digits"])
@pytest.mark.parametrize(
    "command", ["", "a1# vxfsstat -s -t 10 /m/\n", "a1# vxfsstat -v -t 10 /m | awk '$2 != 0 || $4 != 0 {print}'\n"]
)
def test_the_fast_way_reads_what_the_slow_way_reads(command: str, names: list[str]) -> None:
    fast, slow = (
        Reading(command + recording(300, names=names)),
        Reading(command + recording(300, names=names, remark="   <<< 77")),
    )
    assert fast.of(Counter) == slow.of(Counter)
    assert len(fast.of(Counter)) == 300 * len(names)
    assert fast.result == replace(slow.result)
    assert fast.of(Repeat) == slow.of(Repeat) == []


@pytest.mark.parametrize("block_bytes", [500, 4_096, 70_000])
def test_blocks_and_windows_may_end_anywhere(block_bytes: int) -> None:
    text = "a1# vxfsstat -s -t 10 /m\n" + recording(200)
    assert Reading(text, block_bytes=block_bytes).of(Counter) == Reading(text).of(Counter)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("vxi_staleowner", "vxi_staleowmer"),
        ("vxi_staleowner", "vxi_stale owner"),
        (":00.120 Tue", ":00.120 Tue Tue"),
        ("vxi_hlockrevoke   ", "vxi_hlockrevoke 1 "),
        ("vxi_hlockgrant ", "\tvxi_hlockgrant "),
        ("vxi_hlockgrant  ", "vxi_hlockgrant\u00a0\u00a0"),
        ("vxi_iaccess", "7 vxi_iaccess"),
        ("delta (10.000", "delta (10.0x0"),
        ("\nvxi_icache_curino", "\na1# date\nvxi_icache_curino"),
        ("\nvxi_icache_curino", "\n....\nvxi_icache_curino"),
        ("\nvxi_icache_curino", "\n2024-03-05\nvxi_icache_curino"),
        ("\nvxi_icache_curino", "\n12\nvxi_icache_curino"),
    ],
)
def test_damage_deep_in_a_recording_is_read_as_it_is_line_by_line(old: str, new: str) -> None:
    def damaged(remark: str) -> Reading:
        text = recording(60, remark=remark)
        middle = text.index("10:06:00.120")
        return Reading("a1# vxfsstat -s -t 10 /m\n" + text[:middle] + text[middle:].replace(old, new, 1))

    fast, slow = damaged(""), damaged("   <<< 77")
    assert fast.of(Counter) == slow.of(Counter)
    assert fast.result == slow.result


def test_a_recording_twice_in_one_text_counts_once() -> None:
    text = "a1# vxfsstat -s -t 10 /m\n" + recording(100)
    reading = Reading(text + "a1# date\nTue Mar  5 10:06:00 CET 2024\n" + text)
    half = text.count("\n") + 2
    fresh = [
        row for row in reading.of(Counter) if not any(r.line <= row.line <= r.last_line for r in reading.of(Repeat))
    ]
    assert {row.line > half for row in fresh} == {False}
    assert len(fresh) == len(reading.of(Counter)) / 2


@pytest.mark.parametrize(
    ("command", "reports", "mount", "repeats"),
    [
        ("vxfsstat -s /m -t 10", "s", "/m", True),
        ("vxfsstat -s -t 10 /m/", "s", "/m", True),
        ("vxfsstat /m/ -bi", "bi", "/m", False),
        ("/opt/VRTS/bin/vxfsstat -svt10 -c1 /", "sv", "/", False),
        ("vxfsstat -v -e 4 /m > /tmp/out 2>&1", "v", "/m", False),
        ("vxfsstat -w /tmp/record -t 5 /m", "", "/m", True),
        ("vxfsstat", "", None, False),
        ("iostat -s /m", "", None, False),
    ],
)
def test_options_and_the_mount_in_any_order(command: str, reports: str, mount: str | None, repeats: bool) -> None:
    call = parse_invocation(parse_command(command))
    assert (call.reports, call.mount, call.repeats) == (reports, mount, repeats)


@pytest.mark.parametrize(
    ("filters", "filtered", "zero_filter"),
    [
        ("", False, False),
        ("| tee out", False, False),
        ("| awk '$2 != 0 || $4 != 0 {print}'", False, True),
        ("| awk '$4!=0||$2!=0'", False, True),
        ('| gawk "($2 != 0 || $4 != 0){print $0}"', False, True),
        ("| awk '$2 != 0 {print}'", True, False),
        ("| awk '$2 != 0 || $4 != 0 {print $1}'", True, False),
        ("| awk '$2 > 5 || $4 > 5'", True, False),
        ("| grep lock", True, False),
        ("| awk '$2 != 0 || $4 != 0 {print}' | head -40", True, False),
        ("| more", True, False),
    ],
)
def test_what_a_filter_says_about_missing_rows(filters: str, filtered: bool, zero_filter: bool) -> None:
    call = parse_invocation(parse_command(f"vxfsstat -s /m {filters}"))
    assert (call.filtered, call.zero_filter) == (filtered, zero_filter)


@pytest.mark.parametrize(
    ("words", "differs"),
    [
        ("Tue 05 Mar 2024 01:14:45 PM CET", False),
        ("Tue 05 Mar 2024 01:14:46 PM CET", False),
        ("Tue 05 Mar 2024 01:14:45 AM CET", True),
        ("Tue 05 Mar 2024 13:14:49 CET", True),
        ("Tue Mar 05 13:14:45 2024", False),
        ("Tue Mar 5 2024", False),
    ],
)
def test_two_clocks_that_disagree_are_a_problem(words: str, differs: bool) -> None:
    reading = Reading(f"13:14:45.833 {words} -- delta (10.000 sec sample)\nvxi_hlockgrant 1\n" * 2)
    assert len(reading.of(Problem)) == differs
    assert {row.at for row in reading.of(Counter)} == {1709644485833000}


def test_a_header_without_a_date_it_can_read_keeps_the_time_of_day() -> None:
    stamp = match_stamp("09:02:11.040 2024ko mar. 5a -- absolute sample")
    assert stamp is not None
    assert (stamp.instant.us, stamp.instant.dated) == (32_531_040_000, False)


@pytest.mark.parametrize(
    "text",
    [
        "25:00:00.000 Tue 05 Mar 2024 -- absolute sample",
        "10:00:00.000 Tue 05 Mar 2024 -- delta (0.000 sec sample)",
        "10:00:00.000 Tue 05 Mar 2024 -- d",
    ],
)
def test_a_header_that_makes_no_sense_is_none(text: str) -> None:
    assert match_stamp(text) is None


def test_pairs_in_wide_columns_are_read() -> None:
    gap = " " * 130
    reading = Reading(f"ash1# vxfsstat -v /srv/pots\nvxi_icache_curino{gap}4711{gap}vxi_iaccess{gap}81234\n")
    assert [(one.name, one.value) for one in reading.of(Counter)] == [
        ("vxi_icache_curino", 4711),
        ("vxi_iaccess", 81234),
    ]


REPORT = """Lookup, DNLC & Directory Cache Statistics
{0:9d} maximum entries in dnlc
{1:9d} total lookups {2:16.2f}% fast lookup
{3:9d} total dnlc lookup {4:12.2f}% dnlc hit rate

inode cache statistics
{5:9d} inodes current {6:9d} peak {7:18d} maximum
{8:9d} lookups {9:22.2f}% hit rate
{10:9d} sec recycle age [{11}limited by maximum]
"""
BUFFERS = """buffer cache statistics
{0:9d} Kbyte current {1:9d} maximum
{2:9d} lookups {3:22.2f}% hit rate
{4:9d} sec recycle age [{11}limited by maximum]
"""


def reports(samples: int, *bodies: str, seed: int = 1) -> str:
    """Samples of the reports of caches, one every ten seconds."""
    rng = random.Random(seed)
    text = ""
    for n in range(samples):
        clock = f"{10 + n // 360:02d}:{n // 6 % 60:02d}:{n % 6 * 10:02d}"
        kind = "delta (10.000 sec sample)" if n else "absolute sample"
        text += f"{clock}.120 Tue 05 Mar 2024 {clock} CET -- {kind}\n\n"
        for body in bodies:
            counts = [rng.choice((0, rng.randrange(10 ** rng.randrange(1, 9)))) for _ in range(11)]
            text += body.format(*counts, rng.choice(("", "not "))) + "\n"
    return text


def slow_and_fast(text: str, monkeypatch: pytest.MonkeyPatch) -> tuple[Reading, Reading, int]:
    """A text read line by line, and in samples; and how many lines were still seen one by one."""
    seen: list[int] = []
    line = vxfsstat._Reading.line

    def counted(self: vxfsstat._Reading, one: Line) -> None:
        seen.append(one.number)
        line(self, one)

    monkeypatch.setattr(vxfsstat, "_BULK_FROM", 1 << 30)
    slow = Reading(text)
    monkeypatch.setattr(vxfsstat, "_BULK_FROM", 12)
    monkeypatch.setattr(vxfsstat._Reading, "line", counted)
    return slow, Reading(text), len(seen)


@pytest.mark.parametrize("bodies", [(REPORT,), (BUFFERS,), (REPORT, BUFFERS), (REPORT.replace("\n\n", "\n"),)])
def test_reports_of_caches_are_read_in_samples_as_they_are_line_by_line(
    bodies: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    slow, fast, seen = slow_and_fast("a1# vxfsstat -i -t 10 /m\n" + reports(200, *bodies), monkeypatch)
    assert fast.of(Counter) == slow.of(Counter)
    assert fast.result == slow.result
    assert fast.of(Repeat) == slow.of(Repeat) == []
    assert seen < 20 * 30
    assert any(row.value is None for row in fast.of(Counter))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("total lookups", "total look-ups"),
        ("sec recycle age", "sec recycled age"),
        ("inode cache statistics", "inode cache statistics of yesterday"),
        ("inode cache statistics", "....\ninode cache statistics"),
        ("inode cache statistics", "a1# date\ninode cache statistics"),
        ("maximum entries", "-maximum entries"),
        (" inodes current", " 7 inodes current"),
        ("limited by", "limited  by"),
        (" peak", " peak\n"),
        ("inode cache", "buffer cache"),
        ("inode cache statistics\n", ""),
        ("Lookup, DNLC", "  Lookup,  DNLC"),
        ("%", ""),
        ("% hit rate", "% hit rate <-- 71 too few"),
    ],
)
def test_damage_deep_in_reports_is_read_as_it_is_line_by_line(
    old: str, new: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "a1# vxfsstat -i -t 10 /m\n" + reports(60, REPORT)
    middle = text.index("10:06:00.120")
    slow, fast, _ = slow_and_fast(text[:middle] + text[middle:].replace(old, new, 1), monkeypatch)
    assert fast.of(Counter) == slow.of(Counter)
    assert fast.result == slow.result
