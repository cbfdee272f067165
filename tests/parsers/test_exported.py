"""Log lines as rows of a comma-separated table, the way stores of logs export them."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from parsers.enclosed.exported import columns
from parsers.records import Event
from tests.growth import assert_grows
from tests.parsers.golden import Reading

LOST = "GFS2: fsid=yard:grain.1: fatal: filesystem consistency error"
GONE = "GFS2: fsid=yard:grain.1: withdrawn"


def table(heading: str, *rows: str, end: str = "\n") -> Reading:
    return Reading(end.join((heading, *rows)) + end)


def events(reading: Reading) -> set[tuple[str | None, str]]:
    """Nodes and moments of what is told, UTC."""
    return {
        (one.node, str(datetime.fromtimestamp(one.at / 1e6, UTC))[:19])
        for one in reading.sink.records(Event)
        if one.at is not None
    }


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("heading", "row"),
    [
        (
            '"_time",host,source,"_raw"',
            '"2031-04-03T04:11:20.000+0000",dunlin,"/var/log/messages","Apr  3 04:11:20 dunlin kernel: {}"',
        ),
        ("@timestamp,host.name,process.name,message", '"2031-04-03T04:11:20.113Z",dunlin,kernel,"{}"'),
        ("Date,Hostname,Message", '"2031-04-03 04:11:20+00:00","dunlin","{}"'),
        ("message,timestamp,node", '"{}",2031-04-03T04:11:20Z,dunlin'),
    ],
)
def test_exported_lines_of_a_log_are_read_with_their_node_and_moment(heading: str, row: str, end: str) -> None:
    reading = table(heading, row.format(LOST), row.format(GONE), end=end)
    assert {node for node, _ in events(reading)} == {"dunlin"}
    assert reading.result.not_understood == 0
    assert reading.adds_up


def test_rows_of_other_columns_are_not_understood() -> None:
    reading = table("time,host,message", "2031-04-03T04:11:20Z,dunlin,and,more,cells,than,the,heading,has")
    assert reading.result.not_understood == 1


@pytest.mark.parametrize(
    "heading",
    ["device,r/s,w/s,util", "time,node,state", "Hello, the log of the night, as asked", "message", "log,log,time"],
)
def test_other_tables_and_sentences_are_no_export_of_a_log(heading: str) -> None:
    assert columns(heading) is None


def test_a_calm_log_stays_calm_whoever_exported_it() -> None:
    messages = (
        "systemd[1]: Started Session 4 of user root.",
        "GFS2: fsid=yard:grain.1: Joined cluster. Now mounting FS...",
    )
    reading = table("Time,Host,Message", *(f"2031-04-03T04:11:20Z,dunlin,{one}" for one in messages))
    assert {one.weight for one in reading.sink.records(Event)} <= {"", "everyday"}
    assert reading.result.not_understood == 0


def test_a_program_that_nobody_names_is_not_called_the_kernel() -> None:
    reading = table("Time,Host,Message", "2031-04-03T04:11:20Z,dunlin,ERROR: BUG: oops in the shop's basket")
    assert {one.source for one in reading.sink.records(Event)} <= {"journal"}


@pytest.mark.parametrize(
    ("heading", "row"),
    [
        ("| Time | Host | Message |", "| 2031-04-03 04:11:20"),
        ("<tr><td>Time</td><td>Host</td><td>Message</td></tr>", "<tr><td>2031-04-03 04:11:20"),
        ("Time,Host,Message", '2031-04-03 04:11:20,curlew,"x'),
        ("---", '- stdout: "GAB\\n'),
    ],
)
def test_beginnings_without_an_end_cost_no_more_than_the_text_is_long(heading: str, row: str) -> None:
    """Three times the rows take some three times as long; nine times, if the whole text is searched for each end."""

    def cost(rows: int) -> float:
        began = time.process_time()
        assert table(heading, *[row] * rows).adds_up
        return time.process_time() - began

    assert_grows(cost, 400, 1_200, 6)


def test_a_row_of_bars_may_go_over_several_lines() -> None:
    first = f"| 2031-04-03 04:11:20 | curlew | kernel: {LOST}"
    rows = (first, "and what came of it |", f"| 2031-04-03 04:11:21 | curlew | kernel: {GONE} |")
    assert events(table("| Time | Host | Message |", *rows)) == {
        ("curlew", "2031-04-03 04:11:20"),
        ("curlew", "2031-04-03 04:11:21"),
    }
