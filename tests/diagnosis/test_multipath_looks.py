"""Looks at a multipath map one after the other: the last one counts, and looks are never added up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of
from tests.reports import bundle, text_on

GOOD, BAD = "active ready running", "failed faulty running"


def look(clock: str, *states: str, blanks: int = 1) -> str:
    gap = " " * blanks
    paths = "".join(f"  |- {n}:0:4:7{gap}sd{'stuv'[n]}{gap}8:{16 * n}{gap}{state}\n" for n, state in enumerate(states))
    return (
        f"[root@cod3 ~]# date; multipath -ll\nTue Mar  9 {clock} CET 2032\nmpathk "
        "(3600c0ff000a1b2c30000000042) dm-3 KESTREL,ARRAY-9\nsize=4.0T features='0' hwhandler='1 alua' "
        f"wp=rw\n`-+- policy='service-time 0' prio=50 status=active\n{paths}"
    )


def paths_of(text: str) -> list[dict[str, Any]]:
    report = json.loads(text_on(bundle(text.encode(), "looks.txt")))
    return [finding for finding in report["findings"] if finding["ref"] == "ST-05" or finding["ref"].startswith("AL-")]


@pytest.mark.parametrize(
    ("text", "severity", "words"),
    [
        (look("09:10:00", GOOD, GOOD) + look("09:20:00", BAD, BAD), "critical", "none is left"),
        (look("09:10:00", GOOD, GOOD, GOOD) + look("09:20:00", GOOD, BAD, GOOD), "medium", "1 of 3 are down"),
        (look("09:10:00", BAD, BAD) + look("09:20:00", GOOD, GOOD), "low", "are back"),
        (look("09:20:00", GOOD, GOOD) + look("09:10:00", BAD, BAD), "low", "are back"),
    ],
)
def test_the_last_look_counts(text: str, severity: str, words: str) -> None:
    [finding] = paths_of(text)
    assert (finding["severity"], words in finding["title"]) == (severity, True), finding["title"]


@pytest.mark.parametrize("blanks", [1, 2, 5])
def test_healthy_maps_stay_healthy_however_they_are_padded(blanks: int) -> None:
    assert paths_of(look("09:10:00", GOOD, GOOD, blanks=blanks)) == []


LOG = (
    "Mar  9 09:00:31 cod3 multipathd: mpathk: sdt - tur checker reports path is down\n"
    "Mar  9 09:00:31 cod3 multipathd: checker failed path 8:16 in map mpathk\n"
)


def test_a_table_of_the_node_counts_beside_its_log() -> None:
    """The log tells of changes, the table of what is left now."""
    titles = [finding["title"] for finding in paths_of(LOG + look("09:10:00", GOOD, BAD, GOOD))]
    assert any("1 of 3 are down" in title for title in titles), titles
    gone = [
        *paths_of(LOG + "Mar  9 09:00:32 cod3 multipathd: mpathk: remaining active paths: 0\n" + look("09:10:00", BAD))
    ]
    assert sum("none" in finding["title"] for finding in gone) == 1


@pytest.mark.parametrize("number", ["253:11", "252:0", "254:107"])
@pytest.mark.parametrize("path", ["67:96", "8:16"])
def test_a_map_without_a_name_is_reported_by_its_number_and_the_path_that_it_lost(
    tmp_path: Path, number: str, path: str
) -> None:
    text = f"[ 5512.250000] device-mapper: multipath: {number}: Failing path {path}.\n"
    found = diagnosis_of(tmp_path, text).findings[0]
    assert found.title.startswith(f"Paths of {number} on ")
    assert path in found.explanation


def test_a_map_with_a_name_keeps_it(tmp_path: Path) -> None:
    text = (
        "Mar 31 23:59:01 pike kernel: device-mapper: multipath: 253:11: Failing path 8:16.\n"
        "Mar 31 23:59:01 pike multipathd[1204]: vol_hr: remaining active paths: 1\n"
    )
    assert diagnosis_of(tmp_path, text).findings[0].title.startswith("Paths of vol_hr on pike")


LOST = "Mar  4 10:00:01 {node} multipathd[900]: {path}: mark as failed\n"
ROWS = "\nmultipath -ll | grep fault\n  `- 2:0:0:1 {path} 8:32 failed faulty running\n"


@pytest.mark.parametrize(
    ("node", "logged", "shown", "named"),
    [
        ("cod3", "sdc", "sdc", True),
        ("larch", "sdaa", "sdaa", True),
        ("cod3", "sdd", "sdd", True),
        ("cod3", "sdc", "sdk", False),
    ],
)
def test_paths_without_their_map_are_those_that_a_log_lost(node: str, logged: str, shown: str, *, named: bool) -> None:
    found = paths_of(LOST.format(node=node, path=logged) + ROWS.format(path=shown))
    assert any(one["nodes"] == [node] for one in found)
    assert any(not one["nodes"] for one in found) is not named


DOWN = "Mar  4 10:00:{second:02d} {node} multipathd[900]: {path}: state down, checker not called\n"
UP = "Mar  4 10:00:{second:02d} {node} multipathd[900]: {path}: reinstated\n"


@pytest.mark.parametrize(
    ("node", "path", "levels"),
    [("cod3", "sdb", ["medium"]), ("larch", "sdaa", ["medium"]), ("rowan", "nvme1n2", ["medium"])],
)
def test_a_path_that_stays_down_is_lost_and_does_not_flap(node: str, path: str, levels: list[str]) -> None:
    text = "".join(DOWN.format(second=second, node=node, path=path) for second in (5, 10, 15, 20, 25))
    found = paths_of(text)
    assert [one["severity"] for one in found] == levels
    assert "changes within" not in found[0]["title"]


def test_a_path_that_comes_and_goes_flaps() -> None:
    text = "".join(
        (DOWN if second % 2 else UP).format(second=second, node="cod3", path="sdb") for second in range(5, 20)
    )
    assert any("changes within" in one["title"] for one in paths_of(text))


TYPED = "$ {asked}\n" + LOST + "\n$ sudo multipath -ll | grep fault\n  `- 2:0:0:1 sdk 8:32 failed faulty running\n"


@pytest.mark.parametrize(
    ("command", "node", "named"),
    [
        ("sudo journalctl -fu multipathd", "cod3", True),
        ("journalctl --since today", "larch", True),
        ("journalctl -u multipathd --no-pager", "k8s-rowan", True),
        ("journalctl --merge", "cod3", False),
        ("journalctl --directory=/srv/journals/cod3", "cod3", False),
    ],
)
def test_what_is_typed_below_the_own_journal_ran_on_its_node(command: str, node: str, *, named: bool) -> None:
    found = paths_of(TYPED.format(asked=command, node=node, path="sdc"))
    assert all(one["nodes"] == [node] for one in found) is named


@pytest.mark.parametrize(
    ("counts", "is_lost"),
    [((4,), False), ((3, 4), False), ((1,), True), ((4, 3), True), ((2, 2), False), ((2, 0), True)],
)
def test_a_number_of_paths_alone_is_no_loss(tmp_path: Path, counts: tuple[int, ...], *, is_lost: bool) -> None:
    line = "Mar  9 09:00:{:02} cod3 multipathd[7]: lun_a: remaining active paths: {}"
    lines = (line.format(n, one) for n, one in enumerate(counts))
    refs = [one.ref for one in diagnosis_of(tmp_path, "".join(f"{line}\n" for line in lines)).findings]
    assert ("ST-05" in refs) == is_lost
