"""Dumps with a clock and no date beside dated logs stand on the axis of the logs, and the page says on which day."""

from __future__ import annotations

import io
import tarfile

import polars as pl
import pytest
from django.http import QueryDict
from django.test import Client
from django.urls import reverse

from apps.diagnosis.engine.core.times.placed import placed
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


ROUND = CAPTION + (
    "Waiting {:.4f} sec since 13:56:02, monitored, thread 881 NSDThread: for I/O completion on disk dm-7\n"
)
PROMPT = "[root@ash1 ~]# date\nFri May  9 14:00:{:02d} UTC 2031\n[root@ash1 ~]# mmdiag --waiters\n"


@pytest.mark.django_db
def test_dumps_of_less_than_a_minute_are_drawn_from_the_first_to_the_last(folk: People) -> None:
    case = make_case(folk.team)
    rounds = "".join(PROMPT.format(at) + ROUND.format(238 + at) for at in (0, 20, 40))
    diagnosis = read_into(case, sent(ash1__waiters_txt=rounds))
    data = timeline(case, diagnosis, window_from(QueryDict(), diagnosis), line_url=lambda *_: None, notes=())
    lanes = {lane["id"]: lane for lane in data["lanes"]}
    bars, line = lanes["waiters"], lanes["longest"]
    assert len(bars["buckets"]) == 1
    assert 40_000_000 <= bars["ends"][0] - bars["buckets"][0] <= 60_000_000
    assert line["buckets"] == [bars["buckets"][0], bars["ends"][0]]
    assert [one["values"] for one in line["series"]] == [[278.0, 278.0]]


@pytest.mark.django_db
def test_one_dump_alone_is_drawn_as_a_moment(folk: People) -> None:
    case = make_case(folk.team)
    diagnosis = read_into(case, sent(ash1__waiters_txt=PROMPT.format(0) + ROUND.format(0.4)))
    data = timeline(case, diagnosis, window_from(QueryDict(), diagnosis), line_url=lambda *_: None, notes=())
    bars = next(lane for lane in data["lanes"] if lane["id"] == "waiters")
    assert bars["ends"][0] - bars["buckets"][0] < 2_000_000


AGED = "0x7F4C waiting {} seconds, NSDThread: for I/O completion on disk dm-7\n"


@pytest.mark.django_db
def test_waits_without_any_clock_are_drawn_by_their_age(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    read_into(
        case,
        sent(
            ash1__waiters_txt="===== mmfsadm dump waiters =====\n" + AGED.format("640.500000000") + AGED.format("61.5")
        ),
    )
    client.force_login(folk.bob)
    text = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "Without a time" in text
    assert "these dumps print no date and no clock: waits by their age" in text
    assert "10 m 40 s" in text


HELD = (
    "G:  s:EX n:2/3a7c1e f:Dyqob t:EX d:EX/0 a:0 v:0 r:5 m:60 p:1\n"
    " H: s:EX f:H e:0 p:28417 [tar] gfs2_readdir+0x4f/0xd0 [gfs2]\n"
)


def glocks(count: int) -> str:
    waits = "".join(
        f" H: s:EX f:W e:0 p:{3000 + n} [lmtpd] gfs2_create_inode+0x6f/0x9d0 [gfs2]\n" for n in range(count)
    )
    return "G:  s:UN n:2/3a7c1e f:lIqob t:EX d:EX/0 a:0 v:0 r:5 m:60 p:1\n" + waits


@pytest.mark.django_db
@pytest.mark.parametrize("has_log", [False, True])
def test_captures_without_any_clock_have_an_axis_of_their_own(has_log: bool, folk: People, client: Client) -> None:
    case = make_case(folk.team)
    files = {f"cap{n}__ash1__glocks": glocks(n + 2) for n in range(1, 4)}
    files |= {f"cap{n}__ash2__glocks": f"{HELD}{' ' * n}\n" for n in range(1, 4)}
    if has_log:
        files["mmfs_log"] = "".join(LOG.format("2031-05-09", minute) for minute in range(9))
    read_into(case, sent(**files))
    client.force_login(folk.bob)
    text = shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
    assert "these captures print no date and no clock: they are in the order of the files" in text
    assert "<span>capture 1</span><span>capture 3</span>" in text
    assert "Nothing to draw over time" not in text


@pytest.mark.django_db
def test_where_every_capture_has_a_time_none_is_drawn_apart(folk: People, client: Client) -> None:
    case = make_case(folk.team)
    dated = (
        "[root@ash1 ~]# date\nFri May  9 14:00:00 UTC 2031\n[root@ash1 ~]# cat /sys/kernel/debug/gfs2/clu:mail/glocks\n"
    )
    read_into(case, sent(ash1__glocks=dated + glocks(3)))
    client.force_login(folk.bob)
    assert "Without a time" not in shown(client.get(reverse("diagnosis:timeline", args=[case.key])))
