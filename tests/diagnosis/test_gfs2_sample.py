"""The GFS2 sample case, from bytes to verdict."""

from __future__ import annotations

from collections import Counter
from typing import Any

from apps.ingest.samples.gfs2_backup import SAMPLE
from tests.reports import report_on_sample

ANSWER = SAMPLE.answer


def sample() -> dict[str, Any]:
    return report_on_sample(SAMPLE.key)


def finding(ref: str) -> dict[str, Any]:
    return next(one for one in sample()["findings"] if one["ref"] == ref)


def test_the_known_answer_is_found_and_nothing_contrary() -> None:
    found = sample()
    refs = {one["ref"] for one in found["findings"]}
    assert set(ANSWER.rules) <= refs <= {*ANSWER.rules, *ANSWER.rules_also_true}
    assert not refs & set(ANSWER.rules_forbidden)
    (root,) = found["roots"]
    assert (root["kind"], root["what"], root["node"], root["leaves_data"]) == (
        ANSWER.root.kind,
        ANSWER.root.what,
        ANSWER.root.node,
        False,
    )
    assert str(ANSWER.root.through) in root["why"]
    assert found["cycles"] == []
    assert found["missing"] == []


def test_the_verdict_names_the_glock_its_holder_and_its_queue() -> None:
    verdict = sample()["verdict"]
    assert verdict["title"] == ("post2:28417 [tar] holds glock 2/3a7c1e of mail; 54 processes wait on 3 nodes")
    assert (verdict["severity"], verdict["ref"]) == ("critical", "GL-01")


def test_figures_are_those_of_the_story() -> None:
    figures, known = finding("GL-01")["figures"], ANSWER.figures
    assert figures["Waiting at one time"] == known["waiters_peak"]
    assert figures["Captures with waiters"] == known["captures_with_waiters"]
    assert figures["Held for, at least"] == known["longest_demote_s"]
    assert finding("GL-02")["figures"]["Age of the request"] == known["longest_demote_s"]
    assert str(int(known["directory_inode"])) in finding("GL-01")["title"]
    last = {node: known[f"waiters_at_end_{node}"] for node in ("post1", "post3", "post4")}
    stuck = Counter(
        span["node"] for span in sample()["spans"] if span["end"] >= "2024-09-19T02:22" and span["state"] != "finished"
    )
    assert stuck == last


def test_waiters_name_who_has_the_lock_and_add_up_with_the_kinds() -> None:
    found = sample()
    held = [row for row in found["waiters"] if row["captured_at"] >= ANSWER.phases[1].start]
    assert {row["holder"] for row in held} == {ANSWER.root.what}
    assert {row["object"] for row in held} == {"2/3a7c1e"}
    assert sum(kind["count"] for kind in found["waiter_kinds"]) == len(found["waiters"])
    tally = Counter(row["kind_id"] for row in found["waiters"])
    for kind in found["waiter_kinds"]:
        tally[kind["kind_id"]] -= kind["count"]
    assert not any(tally.values())


def test_locks_tell_state_age_and_queue_of_each_dump() -> None:
    rows = [row for row in sample()["locks"] if row["object"] == "2/3a7c1e" and row["node"] == "post2" and row["age_s"]]
    assert len(rows) == ANSWER.figures["captures_held"]
    assert max(row["age_s"] for row in rows) == ANSWER.figures["longest_demote_s"]
    assert {holder["pid"] for row in rows for holder in row["holders"]} == {ANSWER.figures["holder_pid"]}
    waiting = [
        row for row in sample()["locks"] if row["node"] == "post1" and row["waiters"] and row["kind"] == "gfs2_glock"
    ]
    assert waiting[-1]["waiters"] == ANSWER.figures["waiters_at_end_post1"]
    assert [holder["node"] for holder in waiting[-1]["holders"]] == ["post2"]


def test_the_evidence_stands_in_the_files() -> None:
    for one in sample()["findings"]:
        assert 3 <= len(one["evidence"]) <= 8
        assert all(row["text"].strip().startswith(("G:", "H:")) for row in one["evidence"])
        assert any("28417" in row["text"] for row in one["evidence"])


def test_tunings_have_a_reason_in_the_case() -> None:
    tunings = {tuning["id"]: tuning for tuning in sample()["tunings"]}
    assert set(tunings) == {"one-node-per-tree-gfs2", "backup-one-node", "mail-affinity", "split-directory", "noatime"}
    for tuning in tunings.values():
        assert all(tuning[key] for key in ("caution", "way_back", "verify", "since", "why", "sources"))
