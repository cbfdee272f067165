"""Series of counters and their rates: what falls, what has no date, what comes from two zones."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from apps.diagnosis.engine.core.facts.case import Case
from apps.diagnosis.engine.core.facts.series import rate_rows, rates, series_rows
from apps.diagnosis.engine.core.facts.store import Facts, FactsWriter, Source
from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.products import PRODUCTS
from apps.diagnosis.engine.report import Clock, Report
from parsers.output import Output
from parsers.records import Counter

NOON_US = 1_935_921_600_000_000


def case_of(folder: Path, *counters: Counter) -> Case:
    out = Output(FactsWriter(folder))
    for counter in counters:
        out.add(counter)
    out.close()
    return Case(Facts([Source(0, "a.txt", folder)]), PRODUCTS)


def reading(seconds: float, value: float | None, **more: Any) -> Counter:
    row: dict[str, Any] = {
        "line": 1 + round(seconds),
        "node": "roach1",
        "source": "vxfsstat -v",
        "name": "vxi_iaccess",
        "kind": "cumulative",
    }
    return Counter(**{**row, "at": NOON_US + round(seconds * 1e6), "value": value, **more})


def per_s(folder: Path, *counters: Counter) -> list[float]:
    return rates(case_of(folder, *counters))["per_s"].to_list()


def report(case: Case) -> Report:
    return Report(case, diagnose(case.store, case), [], [], lambda ref: "", Clock(), summary=False)


def test_two_cumulative_samples_give_a_rate_over_the_time_between_them(tmp_path: Path) -> None:
    assert per_s(tmp_path, reading(0, 100.0), reading(10, 350.0), reading(30, 350.0)) == [25.0, 0.0]


def test_a_counter_that_falls_was_reset_and_gives_no_rate_there(tmp_path: Path) -> None:
    assert per_s(tmp_path, reading(0, 900.0), reading(10, 100.0), reading(20, 200.0)) == [10.0]


def test_samples_of_one_moment_or_without_a_time_give_none(tmp_path: Path) -> None:
    assert per_s(tmp_path / "a", reading(0, 1.0), reading(0, 5.0)) == []
    assert per_s(tmp_path / "b", reading(0, 1.0, at=None), reading(9, 5.0, at=None)) == []


def test_a_value_without_meaning_is_passed_over(tmp_path: Path) -> None:
    assert per_s(tmp_path, reading(0, 10.0), reading(5, None), reading(10, 110.0)) == [10.0]


def test_a_time_of_day_and_a_dated_time_are_not_subtracted(tmp_path: Path) -> None:
    assert per_s(tmp_path, reading(0, 1.0, at=36_000_000_000), reading(10, 5.0)) == []


def test_the_zones_of_two_samples_count(tmp_path: Path) -> None:
    hour = 3600.0
    assert per_s(tmp_path / "a", reading(0, 0.0, zone_min=60), reading(hour, 36.0, zone_min=120)) == []
    assert per_s(tmp_path / "b", reading(0, 0.0, zone_min=120), reading(1, 3601.0, zone_min=60)) == [1.0]
    assert per_s(tmp_path / "c", reading(0, 0.0), reading(10, 5.0, zone_min=60)) == []


def test_nodes_scopes_and_names_are_kept_apart(tmp_path: Path) -> None:
    other = [reading(5, 7.0, node="roach2"), reading(5, 7.0, scope="/m"), reading(5, 7.0, name="vxi_other")]
    assert per_s(tmp_path, reading(0, 0.0), *other, reading(10, 50.0)) == [5.0]


def test_a_delta_counts_over_its_own_interval_and_a_gauge_has_no_rate(tmp_path: Path) -> None:
    delta = reading(0, 500.0, kind="delta", interval_s=10.0)
    without = reading(1, 500.0, kind="delta", interval_s=0.0)
    assert per_s(tmp_path, delta, without, reading(2, 9.0, kind="gauge"), reading(3, 10.0, kind="gauge")) == [50.0]


def test_series_are_one_per_counter_in_time_order_with_whole_numbers_whole(tmp_path: Path) -> None:
    case = case_of(
        tmp_path,
        reading(10, 2.5, kind="gauge"),
        reading(0, 3.0, kind="gauge"),
        reading(0, 1.0, kind="delta", interval_s=10.0),
    )
    rows = list(series_rows(case, report(case)))
    assert [(row["kind"], [point[1] for point in row["points"]]) for row in rows] == [
        ("delta", [1]),
        ("gauge", [3, 2.5]),
    ]
    assert isinstance(rows[0]["points"][0][1], int)
    assert rows[0]["points"][0] == ["2031-05-07T12:00:00", 1, 10.0]


def test_values_that_are_not_finite_are_unknown(tmp_path: Path) -> None:
    case = case_of(tmp_path, reading(0, float("inf"), kind="gauge"), reading(1, float("nan"), kind="gauge"))
    [row] = series_rows(case, report(case))
    assert [point[1] for point in row["points"]] == [None, None]


def test_rates_come_in_time_order(tmp_path: Path) -> None:
    case = case_of(tmp_path, reading(20, 40.0), reading(10, 20.0), reading(0, 10.0))
    assert [(row["at"], row["per_s"]) for row in rate_rows(case, report(case))] == [
        ("2031-05-07T12:00:10", 1.0),
        ("2031-05-07T12:00:20", 2.0),
    ]


def test_a_case_without_counters_has_neither(tmp_path: Path) -> None:
    case = Case(Facts([]), PRODUCTS)
    assert list(series_rows(case, report(case))) == []
    assert list(rate_rows(case, report(case))) == []
