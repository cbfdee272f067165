"""Dumps with a clock and no date beside dated logs stand on the axis of the logs, and the page says on which day."""

from __future__ import annotations

import io
import tarfile

import polars as pl
import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.diagnosis.engine.core.placed import placed
from apps.diagnosis.page_table_files import PageTableFiles
from apps.diagnosis.pages.timeline.lane_data import timeline, window_from
from parsers.records import DAY_US
from tests.builders import People, make_case
from tests.diagnosis.cases import read_into
from tests.shown import shown

HOUR = 3_600_000_000
DAY = 20_000
CAPTION = "=== mmdiag: waiters ===\n"
WAITS = (
    "Waiting 640.2 sec since {}, monitored, thread 881 NSDThread: for I/O completion on disk dm-7\n"
    "Waiting 630.0 sec since {}, monitored, thread 882 NSDThread: for I/O completion on disk dm-7\n"
)
LOG = "{}_14:0{}:07.101+0100: [I] Command: successful mount weir\n"


@pytest.mark.parametrize(
    ("clock_h", "start_h", "end_h", "day"),
    [(14, 13, 15, 0), (15, 13, 14, 0), (1, 22, 23, 1), (23, 1, 2, -1), (14, 13, 63, 2)],
    ids=["inside", "after the log", "past midnight", "before midnight", "the last of several days"],
)
def test_the_day_is_the_nearest_and_of_several_the_last(clock_h: int, start_h: int, end_h: int, day: int) -> None:
    found = placed([clock_h * HOUR, None], DAY * DAY_US + start_h * HOUR, DAY * DAY_US + end_h * HOUR)
    assert found is not None
    assert found.day_us == (DAY + day) * DAY_US


def test_nothing_is_placed_where_nothing_has_a_date_or_everything_has() -> None:
    assert placed([HOUR], HOUR, 2 * HOUR) is None
    assert placed([DAY * DAY_US], DAY * DAY_US, DAY * DAY_US + HOUR) is None
    assert placed([HOUR], None, None) is None


def test_only_times_of_day_move() -> None:
    found = placed([HOUR], DAY * DAY_US, DAY * DAY_US + 2 * HOUR)
    assert found is not None
    rows = pl.DataFrame({"at": [HOUR, DAY * DAY_US, None], "line": [1, 2, 3]})
    assert found.frame(rows).rows() == [(DAY * DAY_US + HOUR, 1), (DAY * DAY_US, 2), (None, 3)]


def sent(**texts: str) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:gz") as packed:
        for name, text in texts.items():
            entry = tarfile.TarInfo(name.replace("__", "/").replace("_txt", ".txt"))
            entry.size = len(text)
            packed.addfile(entry, io.BytesIO(text.encode()))
    return out.getvalue()


@pytest.mark.django_db
def test_waits_without_a_date_are_drawn_beside_the_log(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    log = "".join(LOG.format("2031-05-09", minute) for minute in range(9))
    diagnosis = read_into(
        case, sent(ash1__mmfs_log=log, ash1__waiters_txt=CAPTION + WAITS.format("13:56:02", "13:56:12"))
    )
    assert diagnosis.window_start_us is not None
    day = diagnosis.window_start_us // DAY_US * DAY_US
    spans = PageTableFiles(diagnosis).spans()
    assert spans is not None
    assert all(day <= start < day + DAY_US for start in spans.collect()["start"])
    lanes = timeline(case, diagnosis, window_from(QueryDict(), diagnosis), line_url=lambda *_: None, notes=())
    assert {"waiters", "longest", "findings"} <= {lane["id"] for lane in lanes["lanes"]}
    flags = next(lane for lane in lanes["lanes"] if lane["id"] == "findings")["items"]
    assert all(lanes["whole"]["start"] <= flag["start"] <= lanes["whole"]["end"] for flag in flags)
    client.force_login(folk.bob)
    text = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "Times without a date in the files are drawn on 9 May 2031" in text


@pytest.mark.django_db
def test_where_every_time_has_a_date_nothing_is_stated_of_it(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    read_into(case, sent(ash1__mmfs_log="".join(LOG.format("2031-05-09", minute) for minute in range(9))))
    client.force_login(folk.bob)
    assert "Times without a date" not in shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
