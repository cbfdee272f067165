"""I/O histories of Spectrum Scale: four layouts, damage, dates, and the bulk path against the line loop."""

from __future__ import annotations

import pytest

from parsers.records import DAY_US, DiskIo
from tests.parsers.golden import Reading

UID = "0A3C0207:61D4F0A8"
NOON = "Tue Sep  9 12:00:05 CEST 2031"


def one(text: str) -> DiskIo:
    (row,) = Reading(text).of(DiskIo)
    return row


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        (f"cli {UID} 10.60.2.11", ("cli", UID, "10.60.2.11", None, None, None)),
        ("srv dm-17", ("srv", "dm-17", None, None, None, None)),
        (
            f"cli {UID} 10.60.2.11 41207 1893 MBHandler AioWorkerThread",
            ("cli", UID, "10.60.2.11", 41207, 1893, "AioWorkerThread"),
        ),
        ("lcl sdl 41207 1893 Prefetch PrefetchWorkerThread", ("lcl", "sdl", None, 41207, 1893, "PrefetchWorkerThread")),
        (
            f"41207 1893 {UID} cli 10.60.2.11 MBHandler AioWorkerT",
            ("cli", UID, "10.60.2.11", 41207, 1893, "AioWorkerT"),
        ),
        (f"-1 0 {UID} lcl Unknown PaxosChallengeThread", ("lcl", UID, None, -1, 0, "PaxosChallengeThread")),
        ("srv 0A3C0207:61D4", ("srv", "0A3C0207:61D4", None, None, None, None)),
        (
            f"cli {UID} orsa-s1.lab 41207 1893 MBHandler AioWorkerThread",
            ("cli", UID, "orsa-s1.lab", 41207, 1893, "AioWorkerThread"),
        ),
        (f"cli {UID} fd00:60::12:7", ("cli", UID, "fd00:60::12:7", None, None, None)),
        ("", (None, None, None, None, None, None)),
    ],
)
def test_the_columns_behind_the_time_are_distinguished_by_what_they_hold(
    tail: str, expected: tuple[object, ...]
) -> None:
    row = one(f"11:41:58.204117 W data 3:13762240 64 0.912 {tail}")
    assert (row.where, row.device, row.peer, row.tag1, row.tag2, row.thread) == expected
    assert (row.op, row.what, row.bytes, row.mean_ms, row.disk_number, row.sector) == (
        "write",
        "data",
        32768.0,
        0.912,
        3,
        13762240,
    )
    assert row.count == 1


def test_a_letter_o_in_an_id_is_a_zero_and_a_comma_a_point() -> None:
    row = one(
        "07:47:51.038923 W\tdata\t2:483407872\t2048\t0,834\t31510\t2931 COA82D14:5E4C4BBB "
        "cli\t10.10.10.21 Prefetch Writebehind"
    )
    assert (row.device, row.mean_ms, row.bytes) == ("C0A82D14:5E4C4BBB", 0.834, 1048576.0)


def test_a_time_gets_the_date_of_the_dump_and_that_of_the_day_before_where_it_is_later() -> None:
    rows = f"{NOON}\n11:59:58.000001 R data 1:8 8 1.0 srv sdl\n23:59:58.000001 R data 1:8 8 1.0 srv sdl\n"
    noon, night = Reading(rows).of(DiskIo)
    assert noon.at is not None
    assert night.at is not None
    assert noon.at - night.at == 43_200_000_000
    assert noon.at > DAY_US
    assert noon.zone_min == 120


def test_without_a_date_it_stays_a_time_of_day() -> None:
    assert one("11:59:58.000001 R data 1:8 8 1.0 srv sdl").at == 43_198_000_001


def history(rows: int, *, tags_first: bool) -> str:
    lines = []
    for number in range(rows):
        clock = f"11:{number // 3600 % 60:02d}:{number // 60 % 60:02d}.{number % 1000:06d}"
        head = f"{clock}  {'RW'[number % 2]}  data  {number % 7}:{number * 8}  64  "
        head += f"{number % 97}.{number % 1000:03d}"
        if tags_first:
            place = f"0A3C0207:61D4F0{number % 90 + 10}  cli  10.60.2.{number % 9}"
            lines.append(f"{head}  {number}  {number % 13}  {place}  MBHandler AioWorkerThread")
        elif number % 3:
            lines.append(
                f"{head}  cli  0A3C0207:61D4F0{number % 90 + 10}  10.60.2.{number % 9}  {number}  3  "
                "Prefetch  PrefetchWorkerThread"
            )
        else:
            lines.append(f"orsa-s{number % 4}: {head}  srv  dm-{number % 40}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("tags_first", [True, False])
def test_the_bulk_path_gives_the_rows_of_the_line_loop(*, tags_first: bool) -> None:
    text = history(2_500, tags_first=tags_first)
    assert len(text) > 128 << 10
    bulk, slow = Reading(text), Reading(text, block_bytes=4 << 10)
    assert bulk.of(DiskIo) == slow.of(DiskIo)
    assert bulk.result.records == 2_500
    assert bulk.adds_up


def test_a_row_that_is_cut_before_its_time_is_not_understood() -> None:
    reading = Reading("11:59:58.000001 R data 1:8 8 1.0 srv sdl\n11:59:58.000002 R data 1:8\n")
    assert (reading.result.records, reading.result.not_understood) == (1, 1)
