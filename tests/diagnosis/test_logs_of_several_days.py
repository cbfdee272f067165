"""Logs whose lines have no year, where nothing tells it: month and day are known, so what came before what is too, in
one log and between those of several nodes, and the year is never shown.
"""

from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from apps.diagnosis.engine.analysis import analyse, inputs_of
from apps.diagnosis.engine.report import Clock
from tests.diagnosis.cluster_texts import diagnosis_of, prompt, verdict_in

BROKEN = {
    "paths": (
        "kernel: device-mapper: multipath: Failing path 8:32.",
        "multipathd[812]: sdc: mark as failed",
        "multipathd[812]: mpatha: remaining active paths: 1",
    ),
    "ports": ("mmfs: [E] VERBS RDMA port mlx5_0/1 state changed to DOWN",),
    "link": ("kernel: LLT INFO V-14-1-10032 link 1 (eth2) node 2 inactive 16 sec (501)",),
    "volume": ("vxfs: msgcnt 31 mesg 104: V-2-104: vx_dev - /dev/vx/dsk/datadg/vol1 file system device disabled",),
}
MENDED = {
    "paths": ("multipathd[812]: sdc: reinstated", "multipathd[812]: mpatha: remaining active paths: 2"),
    "ports": ("mmfs: [I] VERBS RDMA port mlx5_0/1 state changed to ACTIVE",),
    "link": ("kernel: LLT INFO V-14-1-10024 link 1 (eth2) node 2 active",),
    "volume": ("vxfs: msgcnt 32 mesg 105: V-2-105: vx_dev - /dev/vx/dsk/datadg/vol1 file system device enabled",),
}
RANKS = ("info", "low", "medium", "high", "critical")


def log(host: str, *at: tuple[str, tuple[str, ...]]) -> str:
    return "".join(f"{when} {host} {text}\n" for when, lines in at for text in lines)


def rank(folder: Path, **files: str) -> int:
    return RANKS.index(verdict_in(diagnosis_of(folder, **files)).severity)


@pytest.mark.parametrize("what", BROKEN)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("Nov 23 22:00:00", "Nov 24 09:00:00"),
        ("Dec 31 23:50:00", "Jan  1 00:10:00"),
        ("Feb 28 20:00:00", "Feb 29 07:00:00"),
    ],
)
def test_what_ended_on_a_later_day_ended(tmp_path: Path, what: str, first: str, second: str) -> None:
    over = log("larch", (first, BROKEN[what]), (second, MENDED[what]))
    stands = log("larch", (first, MENDED[what]), (second, BROKEN[what]))
    assert rank(tmp_path / "over", messages=over) < rank(tmp_path / "stands", messages=stands)


@pytest.mark.parametrize("what", BROKEN)
def test_what_came_again_on_the_next_day_at_an_earlier_hour_stands(tmp_path: Path, what: str) -> None:
    once = (("Nov 23 10:00:00", BROKEN[what]), ("Nov 23 10:05:00", MENDED[what]))
    over = log("larch", *once, ("Nov 24 09:00:00", ("systemd[1]: Started Session 12 of User root.",)))
    again = log("larch", *once, ("Nov 24 09:00:00", BROKEN[what]))
    assert rank(tmp_path / "over", messages=over) < rank(tmp_path / "again", messages=again)


GROUP_DOWN = ("Had[1650]: VCS ERROR V-16-1-10205 Group oragrp is faulted on system larch",)
GROUP_UP = ("Had[1722]: VCS NOTICE V-16-1-10447 Group oragrp is online on system maple",)


@pytest.mark.parametrize(
    ("first", "second"), [("Nov 23 22:00:00", "Nov 24 09:00:00"), ("Dec 31 22:00:00", "Jan  1 09:00:00")]
)
def test_logs_of_two_nodes_are_put_in_order(tmp_path: Path, first: str, second: str) -> None:
    over = {"larch__messages": log("larch", (first, GROUP_DOWN)), "maple__messages": log("maple", (second, GROUP_UP))}
    stands = {"larch__messages": log("larch", (second, GROUP_DOWN)), "maple__messages": log("maple", (first, GROUP_UP))}
    assert rank(tmp_path / "over", **over) < rank(tmp_path / "stands", **stands)


def test_one_file_tells_the_year_of_all(tmp_path: Path) -> None:
    texts = {
        "larch": log("larch", ("Dec 31 22:00:00", BROKEN["paths"])),
        "maple": log("maple", ("Jan  1 09:00:00", BROKEN["paths"])),
        "uptime": prompt(
            "rowan", "uptime", " 10:00:01 up 9 days, load average: 0.1, 0.1", "Sat Jan  2 10:00:00 CET 2027"
        ),
    }
    report = json.loads(shown(tmp_path, texts))
    assert {one["at"][:10] for one in report["events"]} == {"2026-12-31", "2027-01-01"}
    assert not [one for one in report["missing"] if "year" in one["why"]]


def shown(folder: Path, texts: dict[str, str]) -> str:
    """The report as JSON."""
    sent = folder / "sent"
    sent.mkdir()
    for name, text in texts.items():
        (sent / name).write_text(text, encoding="utf-8")
    return "".join(
        analyse(list(inputs_of([str(sent)])), folder / "facts", clock=Clock(ZoneInfo("Europe/Berlin"))).write()
    )


def test_the_year_is_not_shown(tmp_path: Path) -> None:
    text = log("larch", ("Nov 23 22:00:00", BROKEN["volume"]), ("Nov 24 09:00:00", GROUP_DOWN))
    report = json.loads(shown(tmp_path, {"messages": text}))
    assert report["window"] == {"start": "22:00:00", "end": "09:00:00"}
    assert [one["at"] for one in report["events"]] == ["22:00:00", "09:00:00"]
    assert [one for one in report["missing"] if "no year" in one["why"]]
