"""Figures and stamps of other languages, and texts whose commas are none."""

from __future__ import annotations

import pytest

from parsers.layouts import local_forms
from parsers.layouts.local_forms import ALL_ENGLISH, LocalForms, forms_of
from parsers.reading import ReadResult
from parsers.records import Counter, DiskIo, Event
from parsers.sections.reader import tried
from tests.parsers.golden import Reading

IOSTAT = """\
Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz rareq-sz wareq-sz  svctm  %util
sdq              2.00    4.00      8.00     16.00     0.00     0.00   0.00   0.00    1.50  842.10  33.70     4.00     4.00  25.00 100.00
sdr              1.00   12.00      4.00     96.00     0.00     0.00   0.00   0.00    0.40    0.92   0.01     4.00     8.00   0.75   0.90
"""  # noqa: E501 - as the tool prints it
LOAD = " 14:20:03 up 12 days,  3:04,  2 users,  load average: {}, {}, {}\n"
LOG = "{} 14:20:03 oak7 kernel: GFS2: fsid=vg:home.1: withdrawn\n"


def test_a_table_with_decimal_commas_gives_the_same_figures() -> None:
    english, local = Reading(IOSTAT), Reading(IOSTAT.replace(".", ","))
    assert [(one.device, one.mean_ms, one.util) for one in local.of(DiskIo)] == [
        (one.device, one.mean_ms, one.util) for one in english.of(DiskIo)
    ]
    assert local.result == english.result


@pytest.mark.parametrize(
    ("text", "figures"),
    [
        (IOSTAT, "plain"),
        ("some avg10=8,52 avg60=4,00 avg300=1,20 total=123456\n", "decimal comma"),
        ("Port a gen 51c001 membership 0,1\nmembers 1,2 votes 1,1\n", "plain"),
        ("110.5 0.7 20311 strategy device: 273,4015 block: 7040\n111.5 0.9 20311 biodone device: 273,4015\n", "plain"),
        ("brw-rw---- 1 root disk 253,2 dm-2\n", "plain"),
    ],
)
def test_a_comma_divides_a_figure_only_where_that_reads_better(text: str, figures: str) -> None:
    assert forms_of(text, tried).figures == figures


@pytest.mark.parametrize(
    "text",
    [
        "".join(f"imapd {at} root {at}u REG 253,{at} 718{at} /var/lib/mail/{at}\n" for at in range(9)),
        "".join(f"<td>seat {at},4</td> <td>paid {at},00</td>\n" for at in range(9)),
        "".join(f"shelf {at},5 row {at},7 box {at},9 of the old archive\n" for at in range(9)),
    ],
)
def test_a_list_that_nobody_reads_is_not_read_to_tell_its_commas(text: str) -> None:
    tries: list[str] = []

    def counting(stretch: str) -> ReadResult:
        tries.append(stretch)
        return tried(stretch)

    assert forms_of(text, counting) == ALL_ENGLISH
    assert not tries


@pytest.mark.parametrize(
    "front", ["", "> ", "# ", "  ", "> > ", "oak7: ", "| ", "- ", "2031-03-09T20:33:13 oak7 cron[7]: "]
)
def test_figures_are_found_behind_what_stands_in_front_of_them_too(front: str) -> None:
    text = f"{front}some avg10=8,52 avg60=4,00 avg300=1,20 total=12\n"
    assert forms_of(text, tried).figures == "decimal comma"


@pytest.mark.parametrize(
    ("text", "english"),
    [
        ("wait 46,5 ms", "wait 46.5 ms"),
        ("1.234,56 ops", " 1234.56 ops"),
        ("a,b 10.1.2.3,4 x", "a,b 10.1.2.3,4 x"),
        ("1,2,3", "1,2,3"),
    ],
)
def test_columns_keep_their_places(text: str, english: str) -> None:
    assert LocalForms("decimal comma").english(text) == english
    assert len(english) == len(text)


def test_thousands_lose_their_signs() -> None:
    assert LocalForms("thousands").english("total 1,234,567 used 12'345") == "total   1234567 used  12345"


@pytest.mark.parametrize("month", ["Mar  9", "Mär  9", "mars 09", "marzo  9", "mrt  9", "3月 09", "мар  9", "mar. 9"])
def test_a_line_of_a_log_is_read_whatever_its_month_is_called(month: str) -> None:
    [event] = Reading(LOG.format(month)).of(Event)
    assert (event.kind, event.node) == ("gfs2-withdraw", "oak7")
    assert event.at == Reading(LOG.format("Mar  9")).of(Event)[0].at


@pytest.mark.parametrize("stamp", ["Do Feb 13 06:41:07 2025", "jeu. févr. 13 06:41:07 2025", "四 2月 13 06:41:07 2025"])
def test_the_day_of_the_week_is_translated_with_the_month(stamp: str) -> None:
    forms = forms_of(f"[{stamp}] blocked\n", None)
    assert forms.english(f"[{stamp}] blocked") == "[Thu Feb 13 06:41:07 2025] blocked"


def test_english_and_words_that_are_no_months_stay() -> None:
    text = "Sat Mar  9 14:20:03 2027\nport 12 10:20 marche 12 10:20\nTue 9 14:20:03\n"
    assert forms_of(text, tried) == ALL_ENGLISH


def test_loads_with_commas_inside_and_between() -> None:
    english, local = (
        Reading(LOAD.format(*loads)).of(Counter) for loads in (("0.52", "0.4", "3.1"), ("0,52", "0,4", "3,1"))
    )
    assert [(one.name, one.value) for one in local] == [(one.name, one.value) for one in english]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mär  9 14:20:03 carp1 kernel: x\nMär 10 14:20:03", ["Mär  9 ", "Mär 10 "]),
        ("seen lun. 3 mars 9 14:20 10:15, 5Mar 1 2:33", ["mars 9 "]),
        ("四 2월 13 06:41:07 and on Fr, Feb 3, 7:05", ["四 2월 13 ", "Fr, Feb 3, "]),
        ("no 9 of 14:20\n9 14:20\n9 Mar 14:20 Jan 5 6 7:08", []),
    ],
)
def test_stamps_are_found_by_their_clocks(text: str, expected: list[str]) -> None:
    assert [found[0] for found in local_forms._stamps(text)] == expected
    assert [found[0] for found in local_forms._STAMP.finditer(text)] == expected


SAR = """Linux 5.14.0-427.el9.x86_64 (oak7) \t{day} \t_x86_64_\t(16 CPU)

{first}     DEV       tps     rkB/s     wkB/s     dkB/s   areq-sz    aqu-sz     await     %util
{second}     sdq      3.20    120.00    256.00      0.00    117.50     17.20   5120.33    100.00
{mean}     sdq      3.20    120.00    256.00      0.00    117.50     17.20   5120.33    100.00
"""


@pytest.mark.parametrize(
    ("day", "first", "second", "mean"),
    [
        ("2031年03月09日", "下午02时30分01秒", "下午02时40分01秒", "平均时间:"),
        ("2031年03月09日", "14時30分01秒", "14時40分01秒", "平均値:"),
        ("2031년 03월 09일", "오후 02시 30분 01초", "오후 02시 40분 01초", "평균값:"),
        ("09.03.2031", "14:30:01", "14:40:01", "Durchschn.:"),
        ("09/03/2031", "14:30:01", "14:40:01", "Moyenne :"),
    ],
)
def test_rows_of_sar_in_other_languages_are_the_english_ones(day: str, first: str, second: str, mean: str) -> None:
    reading = Reading(SAR.format(day=day, first=first, second=second, mean=mean))
    assert [(one.node, one.device, one.mean_ms) for one in reading.of(DiskIo) if one.mean_ms] == [
        ("oak7", "sdq", 5120.33)
    ]
    assert reading.result.not_understood == 0
    assert {(one.at or 0) % 86_400_000_000 for one in reading.of(DiskIo)} == {52_801_000_000}


@pytest.mark.parametrize("names", ["libre tampon   cache", "frei   Puffer  Cache", "libre  búfer  caché"])
def test_vmstat_in_other_languages_has_its_columns_in_the_same_order(names: str) -> None:
    text = (
        f"procs -----------mémoire---------- ---échange-- -----io---- -système-- ------cpu-----\n"
        f" r  b   swpd  {names}   si   so    bi    bo   in   cs us sy id wa st\n"
        " 1 44      0 812304  12044 9120448    0    0    12    40 1200 2400  1  1  2 96  0\n"
    )
    reading = Reading(text)
    figures = {one.name: one.value for one in reading.of(Counter)}
    assert (figures["free"], figures["buff"], figures["wa"]) == (812304, 12044, 96)
    assert reading.result.not_understood == 0


@pytest.mark.parametrize("shared", ["", "    pc    ec"])
@pytest.mark.parametrize("clock", ["", " 10:11:05"])
def test_vmstat_of_aix_has_its_columns_with_or_without_a_clock_and_shared_processors(shared: str, clock: str) -> None:
    text = (
        f"\nSystem configuration: lcpu=4 mem=16384MB{' ent=1.00' if shared else ''}\n\n"
        f"kthr    memory              page              faults              cpu       {'   time  ' if clock else ''}\n"
        f"----- ----------- ------------------------ ------------ -----------------------{' -----' if clock else ''}\n"
        f" r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa{shared}{' hr mi se' if clock else ''}\n"
        "20 11 4211044   944   0 240 412 1104 6020   0 412 5123 2410 61 36  1  2"
        f"{'  1.00 100.1' if shared else ''}{clock}\n"
    )
    reading = Reading(f"heron:/ # vmstat -t 5 3\n{text}")
    figures = {one.name: one.value for one in reading.of(Counter)}
    assert (figures["pi"], figures["po"], figures["wa"], figures.get("ec")) == (240, 412, 2, 100.1 if shared else None)
    assert reading.result.not_understood == 0
