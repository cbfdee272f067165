"""What is said of the two Veritas articles: their tables of expected results, and what must not be said."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.reports import report_on_article

COPY, CFS = "vxfs-slow-copy.txt", "cfs-slow-inode-access.txt"


def finding(name: str, ref: str, words: str = "") -> dict[str, Any]:
    [found] = [one for one in report_on_article(name)["findings"] if one["ref"] == ref and words in one["title"]]
    return dict(found)


def test_copy_requests_and_calls_are_read_once_each() -> None:
    rows = report_on_article(COPY)["measurements"]
    assert [row["value"] for row in rows if row["tool"] == "strategy/biodone"] == [4.013112, 16.186703]
    writes = [row["value"] for row in rows if row["tool"] == "tnf" and row["what"].startswith("write")]
    assert (len(writes), writes[0], writes[12]) == (24, 254.214038, 145.952689)
    assert [row["value"] for row in rows if row["tool"] == "truss" and row["what"].startswith("write")] == [
        239.4,
        259.9,
    ]
    devices = {
        (row["device"], row["count"]) for row in report_on_article(COPY)["disk_io"] if row["source"] == "tnf strategy"
    }
    assert devices == {("273,4015", 5), ("292,122", 4), ("273,4009", 1), ("292,34", 1)}


def test_copy_the_worked_case() -> None:
    found = finding(COPY, "R20")
    shown = found["figures"]
    assert found["severity"] == "medium"
    assert shown["One call in small requests, one after the other"] == pytest.approx(513.678, abs=0.001)
    assert shown["One call in large requests, one after the other"] == pytest.approx(129.494, abs=0.001)
    assert (shown["Rate in small requests"], shown["Rate in large requests"]) == (31.5, 54.8)
    assert (shown["First calls against each other"], shown["Means against each other"]) == (1.74, 1.78)
    assert (shown["Mean of 12 calls, small requests"], shown["Mean of 12 calls, large requests"]) == pytest.approx(
        (257.9, 144.8), abs=0.05
    )
    assert "0x88511" in found["explanation"]
    assert "0x121" in found["explanation"]
    assert "mincache=" in found["explanation"]
    assert found["tunings"] == []


def test_copy_what_must_not_be_stated() -> None:
    refs = {one["ref"] for one in report_on_article(COPY)["findings"]}
    assert refs == {
        "R20",
        "R21",
    }  # a factor that was cut before it was printed is no slip; no report on fragments is in the text
    assert report_on_article(COPY)["tunings"] == []
    assert any("fsadm -E MOUNT" in one["commands"] for one in report_on_article(COPY)["missing"])


def test_copy_the_tunables_of_the_article() -> None:
    rows = {row["name"]: row["value"] for row in report_on_article(COPY)["settings"]}
    assert len(rows) == 25
    assert (rows["write_pref_io"], rows["max_direct_iosz"], rows["discovered_direct_iosz"]) == (65536, 1048576, 262144)


@pytest.mark.parametrize(
    ("ref", "title", "words"),
    [
        ("R4", "", "4.1 times the 40.0 s of the first run"),
        ("R5", "", "a pull took 41.0 s instead of 109.8 s: better, 2.68 times as fast"),
        ("R6", "", "a pull took 41.0 s instead of 109.8 s: better, 2.68 times as fast"),
        ("R7", "although lazy_isize_enable is on", "1.33 times as long as a pull of one node alone"),
        ("R7", "although lazy_isize_enable is on", "took 89.4 s instead of 54.5 s: worse, 1.64 times as long"),
        ("R7", "at the peak", "took 89.4 s instead of 54.5 s: worse, 1.64 times as long"),
    ],
)
def test_cfs_gains_of_the_table(ref: str, title: str, words: str) -> None:
    assert any(
        one["ref"] == ref and title in one["title"] and words in one["explanation"]
        for one in report_on_article(CFS)["findings"]
    )


def test_cfs_contradictions_are_exactly_the_three_of_the_text() -> None:
    found = [one for one in report_on_article(CFS)["findings"] if one["ref"] == "CONTRADICTION"]
    assert sorted(one["title"].split(" ")[0] for one in found) == ["A", "Headings", "The"]
    assert all(one["severity"] == "info" for one in found)
    assert "inuseino is 0" in next(one["title"] for one in found if one["title"].startswith("The"))
    shown = json.dumps(
        [[one["title"], one["explanation"], one["figures"]] for one in report_on_article(CFS)["findings"]]
    )
    assert "24996" not in shown.replace("\\u2009", "")
    assert "30 seconds" not in shown  # the remark on 50 revokes is no contradiction


def test_cfs_raises_none_of_the_causes_without_a_rule_of_its_own() -> None:
    above = {one["ref"] for one in report_on_article(CFS)["findings"] if one["severity"] != "info"}
    assert not {f"R{number}" for number in range(27, 37)} & above
    assert not {"R19", "R20", "R22", "R25", "R31"} & {one["ref"] for one in report_on_article(CFS)["findings"]}
    assert any("latency" in one["what"] for one in report_on_article(CFS)["missing"])
