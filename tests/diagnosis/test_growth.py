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
from tests.growth import assert_grows
from tests.part import part
from tests.reports import bundle

COPIES: Final = 6
TIMES: Final = (1, 4)
MOST: Final = 4.6
LEAST_S: Final = 0.05  # shorter ones count as that long: what matters of a curve shows where it is long
TRIES: Final = 5  # the machine has slow moments: the least counts


@every(part(WAYS, 1, "growth"))
def test_four_times_the_records_cost_no_fact_and_no_rule_more_than_four_times_the_work(way: More) -> None:
    least: dict[int, dict[str, float]] = {}
    for _ in range(TRIES):
        for times in TIMES:
            took = seconds(COPIES * times, way)
            known = least.setdefault(times, took)
            least[times] = {name: min(known.get(name, one), one) for name, one in took.items()}
        if not (steep := too_steep(least)):
            return
    raise AssertionError(f"more {way}: {steep}")


def too_steep(took: dict[int, dict[str, float]]) -> dict[str, tuple[float, ...]]:
    """Seconds at each size of what grows faster than its input."""
    one, four = (took[times] for times in TIMES)
    steep = [name for name, most in four.items() if most > MOST * max(one.get(name, 0.0), LEAST_S)]
    return {name: tuple(round(took[times].get(name, 0.0), 2) for times in TIMES) for name in steep}


def test_what_grows_with_the_square_is_found() -> None:
    assert too_steep({1: {"R": 0.2, "F": 0.01}, 4: {"R": 3.2, "F": 0.16}}) == {"R": (0.2, 3.2)}
    assert too_steep({1: {"R": 0.2}, 4: {"R": 0.8}}) == {}


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
