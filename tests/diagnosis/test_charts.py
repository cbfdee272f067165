"""Lanes as still pictures: lines break only where samples stay away, and peaks reach the top."""

from __future__ import annotations

from apps.diagnosis.pages.timeline.charts import HEIGHT, WIDTH, _line, _mirror, _stack, _stretches
from apps.diagnosis.pages.timeline.silences import FoldedAxis

AXIS = FoldedAxis({"start": 0, "end": 100}, [])


def test_samples_of_two_nodes_between_each_other_do_not_break_a_line() -> None:
    buckets = list(range(0, 100, 5))
    every_other = [1.0 if n % 2 == 0 else None for n in range(len(buckets))]
    assert [len(run) for run in _stretches(buckets, every_other)] == [10]


def test_a_long_silence_breaks_it() -> None:
    assert [len(run) for run in _stretches([0, 10, 20, 90, 100], [1.0, 1.0, 1.0, 2.0, 2.0])] == [3, 2]
    assert list(_stretches([0, 10], [None, None])) == []


def test_the_peak_reaches_the_top() -> None:
    lane = {"buckets": [0, 50], "series": [{"key": "3", "values": [1, 4]}], "unit": "waiters"}
    most, shapes = _stack(lane, AXIS, 50)
    assert most == 4
    assert [shape["y"] for shape in shapes] == [f"{HEIGHT * 3 / 4:.1f}", "0.0"]
    most, [line] = _line({"buckets": [0, 100], "series": [{"values": [0.0, 8.0]}], "unit": "s"}, AXIS, 50)
    assert (most, line["points"]) == (8.0, f"0.0,{HEIGHT:.1f} {WIDTH:.1f},0.0")


def test_grants_stand_above_the_middle_and_revokes_below() -> None:
    bar = {"start": 0, "end": 10, "up": [{"class": "h", "value": 5.0}], "down": [{"class": "g", "value": 10.0}]}
    most, (up, down) = _mirror({"bars": [bar], "node": 1}, AXIS, 50)
    assert most == 10.0
    assert float(up["y"]) + float(up["height"]) == float(down["y"]) == HEIGHT / 2
    assert (up["opacity"], down["opacity"]) == (1.0, 0.62)
