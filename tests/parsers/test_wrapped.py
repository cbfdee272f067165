"""Outputs that a mail cut at blanks, or a terminal at its last column, give the same records as whole ones."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import asdict

import pytest

from parsers.layouts.wrapped import Tried
from parsers.records import CommandRun, Record, Repeat, Section, Skipped
from parsers.records.kinds import RECORD_TYPES
from parsers.records.states import Room
from parsers.records.waits import Waiter
from parsers.sections import reader as sections
from tests.parsers.golden import FIXTURES, Reading

ABOUT_TEXT: tuple[type[Record], ...] = (Section, Repeat, Skipped, CommandRun)
PLACES = frozenset(("line", "last_line", "index", "glock_line", "dump", "sample", "lock_line"))
PROMPT = re.compile(r"\S*[#$>] |\[")
SAMPLES = (
    "scale_waiters_new", "scale_waiters_old", "scale_waiters_y", "scale_deadlock", "scale_deadlock_y", "scale_tables_y",
    "gfs2_glocks", "dlm_locks", "dlm_plocks", "vxfsstat", "glmstat",
)  # fmt: skip


def at_blanks(line: str, width: int) -> Iterator[str]:
    """As a mail does it: the blank goes, and what has none stays whole."""
    while len(line) > width:
        at = line.rfind(" ", 0, width + 1)
        at = at if line[:at].strip() else line.find(" ", width)
        if at < 0:
            break
        yield line[:at]
        line = line[at + 1 :]
    yield line


def at_column(line: str, width: int) -> Iterator[str]:
    """As a terminal does it."""
    for at in range(0, max(len(line), 1), width):
        yield line[at : at + width]


def records(text: str) -> Counter[tuple[object, ...]]:
    reading = Reading(text)
    assert reading.adds_up
    kinds = [kind for kind in RECORD_TYPES if kind not in ABOUT_TEXT]
    return Counter(
        (kind.__name__, *((name, value) for name, value in asdict(record).items() if name not in PLACES))
        for kind in kinds
        for record in reading.of(kind)
    )


@pytest.mark.parametrize(("cut", "width"), [(at_blanks, 72), (at_blanks, 76), (at_blanks, 80), (at_column, 80)])
@pytest.mark.parametrize("sample", SAMPLES)
def test_a_wrapped_output_gives_the_same_records(sample: str, cut: object, width: int) -> None:
    whole = (FIXTURES / sample / "typical.txt").read_text()
    way = at_blanks if cut is at_blanks else at_column
    wrapped = "\n".join(
        part for line in whole.split("\n") for part in ([line] if PROMPT.match(line) else way(line, width))
    )
    assert records(wrapped) == records(whole)


@pytest.mark.parametrize("sample", SAMPLES)
def test_the_samples_are_wide_enough_to_be_wrapped(sample: str) -> None:
    assert any(
        len(line) > 72 and not PROMPT.match(line)
        for line in (FIXTURES / sample / "typical.txt").read_text().split("\n")
    )


DF = (
    "Filesystem                               1K-blocks      Used Available Use% Mounted on",
    "/dev/mapper/vg_data-lv_projects_of_2030  524288000 521000000   3288000 100% /srv/projects",
    "/dev/mapper/vg_data-lv_scratch           262144000  12000000 250144000   5% /srv/scratch",
)
IOSTAT = (
    "Device            r/s     w/s     rkB/s     wkB/s   rrqm/s   wrqm/s  %rrqm  %wrqm r_await w_await aqu-sz  %util",
    "sda              1.00    4.00      8.00     40.00     0.00     1.00   0.00  20.00    0.40    0.60   0.01   0.30",
    "sdq            210.00  120.00  26880.00  15360.00     0.00     0.00   0.00   0.00  180.20  240.70  42.10 100.00",
)


@pytest.mark.parametrize("lines", [DF, IOSTAT])
@pytest.mark.parametrize("mark", ["", "> "])
@pytest.mark.parametrize(("cut", "width"), [(at_blanks, 72), (at_blanks, 78), (at_column, 80), (at_column, 100)])
def test_rows_below_a_heading_that_was_broken_too_are_read(
    lines: tuple[str, ...], mark: str, cut: object, width: int
) -> None:
    way = at_blanks if cut is at_blanks else at_column
    broken = "".join(f"{mark if cut is at_blanks else ''}{part}\n" for line in lines for part in way(line, width))
    reading = Reading(broken)
    assert records(broken) == records("".join(f"{line}\n" for line in lines))
    assert (reading.result.not_understood, reading.result.understood) == (0, broken.count("\n"))


def test_a_row_that_was_cut_stays_named_above_one_that_is_whole() -> None:
    reading = Reading(f"{DF[0]}\n{DF[1][:70]}\n{DF[2]}\n")
    assert [one.name for one in reading.of(Room)] == ["/srv/scratch"]
    assert [one.line for one in reading.of(Skipped)] == [2]


def test_an_output_that_nobody_knows_is_not_understood_line_by_line() -> None:
    lines = [part for line in DF for part in at_blanks(line.replace("Use%", "Share").lower(), 72)]
    reading = Reading("".join(f"{line}\n" for line in lines))
    assert reading.result.not_understood == len(lines)


def test_a_stretch_is_looked_at_a_bounded_number_of_times(monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[int] = []
    alone = sections.read_alone

    def counted(lines: Sequence[str]) -> Tried:
        looked.append(len(lines))
        return alone(lines)

    monkeypatch.setattr(sections, "read_alone", counted)
    text = "".join(f"{'word ' * (3 + number % 11)}end{number}\n" for number in range(4000))
    assert Reading(text).result.total == 4000
    assert sum(looked) < 40 * 4000


@pytest.mark.parametrize("heading", ["==== elm2 ====", "--- elm2 ---", "=== elm2 ==="])
def test_a_heading_that_names_a_node_is_no_rest_of_the_row_above(heading: str) -> None:
    row = "0x7F00{:04X} waiting {}.459354167 seconds, NSDThread: for I/O completion on disk sdd\n"
    other = heading.replace("elm2", "elm1")
    text = "".join(
        f"{head}\n" + "".join(row.format(number, number * 7) for number in range(3)) for head in (other, heading) * 3
    )
    waiters = Reading(text).of(Waiter)
    assert (len(waiters), {one.node for one in waiters}) == (18, {"elm1", "elm2"})


def test_rows_of_one_width_below_the_dates_of_their_dumps_stay_apart() -> None:
    """By their dates such dumps look like a log, and their rows like what a terminal broke off its messages."""
    date, title = "Tue Mar  9 11:0{}:15 UTC 2027\n", "=== mmdiag: waiters ===\n"
    row = "Waiting 2{}.5{}85 sec since 11:00:5{}, monitored, thread 91{} NSDThread: for I/O completion on disk sde\n"
    text = "".join(
        date.format(dump) + title + "".join(row.format(at, dump, at, at) for at in range(5)) for dump in range(6)
    )
    found = Reading(text)
    assert [one.line for one in found.of(Waiter)] == [7 * dump + at for dump in range(6) for at in range(3, 8)]
    assert {one.understood for one in found.of(Section)} == {5}


def test_a_heading_that_nobody_reads_in_a_stretch_alone_is_no_reason_to_look_further(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    tried = []
    alone = sections.read_alone

    def counted(lines: Sequence[str]) -> Tried:
        tried.append(len(lines))
        return alone(lines)

    monkeypatch.setattr(sections, "read_alone", counted)
    row = "Waiting 2{}.5{}85 sec since 11:00:5{}, monitored, thread 91{} NSDThread: for I/O completion on disk sd{}\n"
    dump = "==== elm{} ====\nTue Mar  9 11:0{}:15 UTC 2027\n=== mmdiag: waiters ===\n"
    text = "".join(
        dump.format(number % 4, number % 10)
        + "".join(row.format(at, number % 10, at, at, "abcdefgh"[at] * (1 + at % 2)) for at in range(8))
        for number in range(20)
    )
    assert {one.node for one in Reading(text).of(Waiter)} == {"elm0", "elm1", "elm2", "elm3"}
    assert len(tried) <= 4


SETTINGS = [
    line
    for at in range(40)
    for line in (
        "# the limit of open files of a server, and what the manual says of its default value and",
        f"max_open_files_{at} = {1024 * at}",
        "# see also the page of the service",
        f"service_{at % 7}_listens_on_every_address_that_the_host_has_of_both_families = {'yes' if at % 2 else 'no'}",
    )
]


def test_text_that_is_nobodys_is_not_tried_in_every_way(monkeypatch: pytest.MonkeyPatch) -> None:
    trials = 0

    def counted(lines: Sequence[str]) -> Tried:
        nonlocal trials
        trials += 1
        return tried(lines)

    tried = sections.read_alone
    monkeypatch.setattr(sections, "read_alone", counted)
    for way in (SETTINGS, [line.replace("#", ";") for line in SETTINGS], [line.title() for line in SETTINGS]):
        assert not Reading("\n".join(way)).of(Waiter)
        assert trials == 0
    row = (FIXTURES / "scale_waiters_new" / "typical.txt").read_text()
    Reading("\n".join(piece for line in (*SETTINGS[:20], *row.splitlines()) for piece in at_blanks(line, 80)))
    assert trials > 0


OF_AN_HOUR = """\
===== Mon Mar  2 07:{at}:00 CET 2026 =====
# df
Filesystem            1K-blocks      Used Available Use% Mounted on
/dev/mapper/vg0-data   51343840  15{at}897  35775943  30% /srv/d0
/dev/mapper/vg1-data   51343840  44{at}476   6475116  87% /srv/d1
"""
OTHER_HOURS = {
    "title": OF_AN_HOUR,
    "date": OF_AN_HOUR.replace("===== ", "").replace(" =====", ""),
    "node": OF_AN_HOUR.replace("Mon Mar  2 07:{at}:00 CET 2026", "heron{at}"),
}


@pytest.mark.parametrize("form", OTHER_HOURS)
def test_headings_between_the_outputs_of_a_watch_are_no_reason_to_try(
    monkeypatch: pytest.MonkeyPatch, form: str
) -> None:
    trials: list[int] = []
    alone = sections.read_alone

    def counted(lines: Sequence[str]) -> Tried:
        trials.append(len(lines))
        return alone(lines)

    monkeypatch.setattr(sections, "read_alone", counted)
    text = "".join(OTHER_HOURS[form].format(at=at) for at in range(10, 58))
    assert len(Reading(text).of(Room)) == 96
    assert not trials


@pytest.mark.parametrize("form", OTHER_HOURS)
@pytest.mark.parametrize("width", [72, 80])
def test_an_output_that_was_broken_between_such_headings_is_whole_again(form: str, width: int) -> None:
    sample = (FIXTURES / "scale_waiters_new" / "typical.txt").read_text()
    watch = "".join(OTHER_HOURS[form].format(at=at) for at in range(10, 14))
    whole = watch + sample + watch
    broken = watch + "".join(f"{piece}\n" for line in sample.splitlines() for piece in at_blanks(line, width)) + watch
    assert len(Reading(broken).of(Waiter)) == len(Reading(whole).of(Waiter)) > 0


def test_a_prompt_with_an_unknown_command_is_no_reason_to_try(monkeypatch: pytest.MonkeyPatch) -> None:
    trials: list[int] = []
    alone = sections.read_alone

    def counted(lines: Sequence[str]) -> Tried:
        trials.append(len(lines))
        return alone(lines)

    monkeypatch.setattr(sections, "read_alone", counted)
    prompted = OF_AN_HOUR.replace("===== Mon Mar  2 07:{at}:00 CET 2026 =====", "heron{at}# quux --all")
    assert len(Reading("".join(prompted.format(at=at) for at in range(10, 58))).of(Room)) == 96
    assert len(trials) <= 3
