"""The Scale sample case and the talk, from bytes to verdict."""

from __future__ import annotations

from collections import Counter
from typing import Any

from apps.ingest.samples.scale_hang import SAMPLE
from tests.reports import report_on_article, report_on_sample

ANSWER = SAMPLE.answer


def sample() -> dict[str, Any]:
    return report_on_sample(SAMPLE.key)


def test_the_known_answer_is_found_and_nothing_contrary() -> None:
    found = sample()
    refs = {finding["ref"] for finding in found["findings"]}
    assert set(ANSWER.rules) <= refs
    assert not refs & set(ANSWER.rules_forbidden)
    assert refs <= {*ANSWER.rules, *ANSWER.rules_also_true}
    root = found["roots"][0]
    assert (root["kind"], root["what"], root["node"], root["leaves_data"]) == (
        ANSWER.root.kind,
        ANSWER.root.what,
        ANSWER.root.node,
        False,
    )
    assert len(found["roots"]) == 1
    assert found["cycles"] == []
    assert found["missing"] == []
    assert found["tunings"] == []


def test_the_verdict_tells_the_chain() -> None:
    verdict = sample()["verdict"]
    assert verdict["title"] == "mgr01's log cannot flush: disk dm-17 behind nsd02 does not answer; 5 nodes wait"
    assert (verdict["severity"], verdict["ref"]) == ("high", "SC-01")
    assert verdict["confidence"] >= 0.9


def test_every_blocked_wait_is_counted_once_though_many_files_show_it() -> None:
    figures = ANSWER.figures
    root = sample()["roots"][0]
    assert root["waiters"] == root["relieves"] == figures["blocked_waits"]
    edges = sample()["waits_for"]
    assert sum(e["count"] for e in edges if e["to"] == ANSWER.root.what) == figures["nsd_threads_on_disk"]
    assert sum(e["count"] for e in edges if e["via"] == "NSD I/O completion") == figures["nsd_io_waits_on_server"]
    assert sum(e["count"] for e in edges if e["via"] == "ThMutex LogFile instance") == figures["log_mutex_waits"]
    assert sum(e["count"] for e in edges if e["via"] == "tmMsgRevoke") == figures["revoke_rpc_waits"]
    assert sum(e["count"] for e in edges if e["via"] == "tmMsgTellAcquire1") == figures["acquire_rpc_waits"]
    assert sum(e["count"] for e in edges if e["via"] == "mnMsgForceInodeFlags") == figures["inode_flag_rpc_waits"]
    assert all(e["resolved"] for e in edges)


def test_spans_tell_what_hangs_since_when() -> None:
    spans = [
        span
        for span in sample()["spans"]
        if span["state"] == "stuck" and (span["seconds"] or 0) >= 10 and span["category"] in (3, 4)
    ]
    assert len(spans) == ANSWER.figures["blocked_waits"]
    disk = max((s for s in spans if s["node"] == "nsd02"), key=lambda s: s["seconds"])
    assert disk["seconds"] == ANSWER.figures["longest_disk_wait_s"]
    assert disk["start"].startswith(ANSWER.phases[1].start[:19])
    assert disk["dumps"] >= 80


def test_short_waits_of_every_day_are_finished_or_moving() -> None:
    states = Counter(span["state"] for span in sample()["spans"] if (span["seconds"] or 0) < 1)
    assert states["stuck"] == 0
    assert states["finished"] > 1000


def test_waiters_keep_the_order_of_the_input_and_add_up_with_the_kinds() -> None:
    found = sample()
    order = {row["path"]: place for place, row in enumerate(found["inputs"])}
    places = [(order[row["path"]], row["line"]) for row in found["waiters"]]
    assert places == sorted(places)
    assert sum(kind["count"] for kind in found["waiter_kinds"]) == len(places)
    by_category = Counter(row["category"] for row in found["waiters"])
    for kind in found["waiter_kinds"]:
        by_category[kind["category"]] -= kind["count"]
    assert not any(by_category.values())
    longest = [kind["longest_s"] for kind in found["waiter_kinds"]]
    assert longest == sorted(longest, reverse=True)


def test_the_evidence_stands_in_the_files() -> None:
    lines = [row for finding in sample()["findings"] for row in finding["evidence"]]
    assert lines
    assert all(row["text"] and ("aiting" in row["text"] or "dm-17" in row["text"]) for row in lines)
    assert any("dm-17" in row["text"] for row in lines)


def test_the_talk_gives_what_its_worked_example_allows() -> None:
    found = report_on_article("scale-performance-talk.txt")
    by_ref = {finding["ref"]: finding for finding in found["findings"]}
    assert set(by_ref) == {"SC-04", "SC-11", "SC-12", "SC-13", "SC-16"}
    assert found["verdict"]["ref"] == "SC-04"
    assert "prodracZ_D1" in by_ref["SC-04"]["explanation"]
    roots = [(root["kind"], root["what"], root["leaves_data"]) for root in found["roots"]]
    assert roots == [("lock", "LogFile", False), ("node", "10.1.11.51", True)]
    assert found["cycles"] == []
    (mercy,) = [row for row in found["waiters"] if row["reason"] == "for mercy"]
    assert (mercy["category"], mercy["node"], mercy["kind_id"]) == (1, "ece_13", "scale-W15")
    (mutex,) = [row for row in found["waiters"] if row["seconds"] == 28.007734837]
    assert mutex["wait_on"] == {"kind": "ThMutex", "address": "0x110617830", "name": "LogFile instance"}
    assert mutex["address"] == "0x11077C7F0"
