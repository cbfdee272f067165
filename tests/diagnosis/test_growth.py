"""Work that grows with the input and not faster: four times the records, at most 4.6 times the processor time, for
each fact and each rule.
"""

from __future__ import annotations

import time
from itertools import count
from pathlib import Path
from typing import Final

from apps.diagnosis.engine.analysis import analyse
from apps.diagnosis.engine.report import Clock
from tests.diagnosis.growing import WAYS, More, seconds
from tests.every import every
from tests.growth import ENOUGH, ROUNDS, Growth, assert_grows
from tests.part import part
from tests.reports import bundle

COPIES: Final = 6
TIMES: Final = (1, 4)
MOST: Final = 4.6
LEAST_S: Final = 0.05  # shorter ones count as that long: what matters of a curve shows where it is long


@every(part(WAYS, 1, "growth"))
def test_four_times_the_records_cost_no_fact_and_no_rule_more_than_four_times_the_work(way: More) -> None:
    growth = Growth(MOST, LEAST_S)
    for _ in range(ROUNDS):
        growth.add(*(seconds(COPIES * times, way) for times in TIMES))
        if not (steep := growth.too_steep()):
            return
    raise AssertionError(f"more {way}: {steep}")


def test_what_grows_with_the_square_is_found() -> None:
    square, line = Growth(MOST, LEAST_S), Growth(MOST, LEAST_S)
    for slow in (1.0, 1.6, 0.9, 1.4) * 6:  # moments of the machine
        square.add({"R": 0.2, "F": 0.01}, {"R": 3.2 * slow, "F": 0.16})
        line.add({"R": 0.2 * slow}, {"R": 0.8 * slow})
    assert square.too_steep() == {"R": (0.2, 3.2 * 0.9)}
    assert line.too_steep() == {}


def test_one_lucky_moment_is_no_growth() -> None:
    growth = Growth(MOST, LEAST_S)
    growth.add({"R": 0.12}, {"R": 0.8})
    assert growth.too_steep()
    for _ in range(ENOUGH):
        growth.add({"R": 0.2}, {"R": 0.8})
    assert not growth.too_steep()


def analysed(files: int, folder: Path) -> float:
    """Processor seconds of a case of small dumps, each of a node and a moment of its own."""
    dump = "Waiting {}.5 sec since 10:{:02}:00, monitored, thread {} FsyncHandlerThread: on ThCond 0x18{:04} (LkObjC)\n"
    texts = [dump.format(40 + n % 9, n % 60, n, n) * 20 for n in range(files)]
    inputs = [bundle(text.encode(), f"cn{n}/waiters.txt") for n, text in enumerate(texts)]
    began = time.process_time()
    analyse(inputs, folder, clock=Clock(), summary=True)
    return time.process_time() - began


def test_four_times_the_small_files_cost_four_times_the_work_and_no_folder_each(tmp_path: Path) -> None:
    folders = count()
    assert_grows(lambda files: analysed(files, tmp_path / str(next(folders))), 30, 120, MOST)
    assert len(list(tmp_path.rglob("*.parquet"))) < 20


def unhappy(lines: int, folder: Path) -> float:
    """Processor seconds of one log in which connections break and nodes are recovered, again and again."""
    text = "".join(
        f"2031-03-0{1 + n // 40_000}_{n // 2400 % 24:02}:{n // 40 % 60:02}:{3 * (n % 20):02}.000+0100: "
        + (
            f"[E] Close connection to 10.9.1.{n % 90} knot{n % 90} <c0n{n % 90}> (Connection reset by peer).\n"
            if n % 5
            else f"[N] Recovering nodes: 10.9.1.{n % 90}\n"
        )
        for n in range(lines)
    )
    began = time.process_time()
    analyse([bundle(text.encode(), "mmfs.log.latest")], folder, clock=Clock(), summary=True)
    return time.process_time() - began


def test_four_times_as_long_an_unhappy_log_costs_four_times_the_work(tmp_path: Path) -> None:
    folders = count()
    assert_grows(lambda lines: unhappy(lines, tmp_path / str(next(folders))), 1_500, 6_000, MOST)
