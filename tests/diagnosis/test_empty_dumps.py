"""Dumps of waiters that list nothing: an answer, and not a question left open."""

from __future__ import annotations

import pytest

from tests.reports import report_on_texts

BANNER = "\n=== mmdiag: waiters ===\n"
DATES = ("Tue Mar  3 14:00:10 CET 2026", "Tue Mar  3 14:00:40 CET 2026")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        (BANNER, "1 dump"),
        ("".join(f"[root@willow7 ~]# date; mmdiag --waiters\n{date}\n{BANNER}\n" for date in DATES), "2 dumps"),
        (
            "".join(f"---- willow7 {date} ----\n{BANNER}" for date in (*DATES, DATES[0].replace("00:10", "01:10"))),
            "3 dumps",
        ),
        ("willow7:  \nwillow7:  === mmdiag: waiters ===\nwillow9:  \nwillow9:  === mmdiag: waiters ===\n", "2 dumps"),
    ],
    ids=("pasted", "after a prompt", "below headings", "of two nodes"),
)
def test_nothing_waits(text: str, number: str) -> None:
    report = report_on_texts(one=text)
    assert (report["verdict"]["form"], report["verdict"]["title"]) == (
        "healthy",
        f"Nothing wrong found: {number} without a waiter",
    )
    assert report["products"] == ["spectrum-scale"]


def test_a_dump_of_which_a_line_is_unread_passes_no_check() -> None:
    cut = "0x7F0102 waiting 9"
    assert report_on_texts(one=f"{BANNER}{cut}\n")["verdict"]["form"] == "not_judged"
    both = report_on_texts(one=BANNER, two=f"{BANNER}{cut}\n")
    assert both["verdict"]["form"] == "not_judged"


def test_an_empty_dump_does_not_hide_the_wait_in_another() -> None:
    waits = "Waiting 812.0 sec since 13:47:08, monitored, thread 90 RdWorker: for I/O completion on disk dm-4\n"
    verdict = report_on_texts(one=BANNER, two=BANNER + waits)["verdict"]
    assert verdict["form"] == "explained"
    assert "dm-4" in verdict["title"]
