"""The rules on GFS2 glocks: which fires on a drawn queue, how severe, and which stays silent."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from apps.diagnosis.engine.core.model import Diagnosis, Finding
from tests.diagnosis.gfs2_pictures import case_of, glock_picture, lock_refs, refs


def first(diagnosis: Diagnosis, ref: str) -> Finding:
    return next(finding for finding in diagnosis.findings if finding.ref == ref)


def wanting(name: str, pids: Sequence[int], mode: str = "EX", inode_type: int = 8) -> list[str]:
    return glock_picture(
        name, *(f"wants {mode} {pid} imapd" for pid in pids), state="UN", flags="lIqob", inode_type=inode_type
    )


def test_a_directory_wanted_on_many_nodes_is_critical_and_names_its_holder(tmp_path: Path) -> None:
    held = glock_picture("2/60a11", "held EX 17509 python", flags="DIqob", demote="UN/92418000", inode_type=4)
    waiting = wanting("2/60a11", range(100, 106), inode_type=4)
    found = case_of(tmp_path, {"mail1": [held, held], "mail2": [waiting, waiting], "mail3": [waiting, waiting]})
    assert lock_refs(found) == {"GL-01": "critical", "GL-02": "high"}
    top = found.findings[0]
    assert top.verdict == "mail1:17509 [python] holds glock 2/60a11 of mail; 12 processes wait on mail2 and mail3"
    assert "held EX for at least 92.4 s by mail1:17509 [python]" in top.explanation
    assert [(root.kind, root.what, root.waiters, root.relieves) for root in found.roots] == [
        ("thread", "mail1:17509", 12, 12)
    ]
    assert "2/60a11" in found.roots[0].why
    assert found.cycles == ()


@pytest.mark.parametrize(
    ("dumps", "severity"),
    [
        ({"a": [[1, 2]]}, "low"),
        ({"a": [[1, 2, 3]]}, "medium"),
        ({"a": [[1], [1]]}, "high"),
        ({"a": [[1], []], "b": [[2], []]}, "high"),
        ({"a": [[1, 2], [1, 2]]}, "high"),
        ({"a": [list(range(1, 12))]}, "medium"),
        ({"a": [[1], [2], [3]]}, "low"),  # busy: never the same process, never two at once
    ],
)
def test_severity_of_contention_on_a_file(tmp_path: Path, dumps: dict[str, list[list[int]]], severity: str) -> None:
    drawn = {node: [wanting("2/77", pids) if pids else [] for pids in captures] for node, captures in dumps.items()}
    assert refs(case_of(tmp_path, drawn))["GL-01"] == severity


def test_ten_waiters_on_a_directory_are_critical_even_in_one_capture(tmp_path: Path) -> None:
    found = case_of(tmp_path, {"a": [wanting("2/77", range(1, 11), inode_type=4)]})
    assert refs(found)["GL-01"] == "critical"
    assert first(found, "GL-01").confidence < 0.55  # no holder, one capture: only possible


@pytest.mark.parametrize(
    "dumps",
    [
        {"a": [wanting("2/1f", [9], "SH"), []], "b": [[], wanting("2/2f", [8], "SH")]},
        {"a": [wanting("2/1f", [9], "SH"), [], []], "b": [[], [], wanting("2/1f", [8], "SH")]},
        {"a": [wanting("2/1f", [9], "SH"), [], wanting("2/1f", [12], "SH")]},
    ],
)
def test_lone_waiters_in_single_captures_are_no_contention_but_good_news(
    tmp_path: Path, dumps: dict[str, list[list[str]]]
) -> None:
    found = case_of(tmp_path, dumps)
    assert lock_refs(found) == {"GL-00": "info"}
    assert found.roots == ()
    assert found.verdict is not None
    assert found.verdict.title.startswith("Nothing wrong found in the glocks of ")


def test_idle_dumps_are_called_healthy(tmp_path: Path) -> None:
    found = case_of(tmp_path, {"a": [[], []], "b": [[], []]})
    assert refs(found) == {"GL-00": "info"}
    assert "no wait in 4 captures of 2 nodes" in first(found, "GL-00").title


def test_a_process_seen_waiting_twice_for_any_type_is_not_called_healthy(tmp_path: Path) -> None:
    rename = glock_picture("1/3", "wants EX 4 mv", state="UN", inode_type=None)
    assert "GL-00" not in refs(case_of(tmp_path, {"a": [rename, rename]}))


def test_the_ceiling_needs_the_minimum_hold_time(tmp_path: Path) -> None:
    queue = ("wants EX 1 imapd", "wants EX 2 imapd")
    with_hold = case_of(tmp_path / "a", {"a": [glock_picture("2/4fe12", *queue, hold=" m:10")]})
    assert "at most about 100 times per second" in first(with_hold, "GL-01").explanation
    without = case_of(tmp_path / "b", {"a": [glock_picture("2/4fe12", *queue, hold="")]})
    assert "per second" not in first(without, "GL-01").explanation


def test_the_worst_five_are_reported_and_the_rest_counted(tmp_path: Path) -> None:
    lines = [line for n in range(8) for line in wanting(f"2/{0x100 + n:x}", range(1 + 10 * n, 3 + 10 * n + n))]
    found = [finding for finding in case_of(tmp_path, {"a": [lines]}).findings if finding.ref == "GL-01"]
    assert len(found) == 5
    assert "2/107" in found[0].title
    assert [("3 further glocks" in finding.explanation) for finding in found] == [True, False, False, False, False]


def test_a_node_that_keeps_the_lock_without_a_process_is_the_root(tmp_path: Path) -> None:
    keeping = glock_picture("2/61", state="EX", flags="Dyfob", demote="UN/7000000")
    found = case_of(tmp_path, {"mail1": [keeping], "mail2": [wanting("2/61", [5, 6])]})
    assert [(root.kind, root.what, root.node, root.waiters) for root in found.roots] == [("node", "mail1", "mail1", 2)]
    assert (
        "kept EX by mail1 without a process (dirty data or the log has to be written first)"
        in first(found, "GL-01").explanation
    )
    assert "look at the storage" in first(found, "GL-02").explanation
    assert found.findings[0].ref == "GL-02"  # the write-back is the cause of the queue


def test_dumps_that_cannot_both_be_true_lower_the_agreement(tmp_path: Path) -> None:
    one = glock_picture("2/61", "held EX 5 cp", "wants EX 6 cp")
    other = glock_picture("2/61", "held EX 9 cp", "wants EX 8 cp")
    for late_s, disagree in ((1, True), (20, False)):
        found = first(
            case_of(tmp_path / str(late_s), {"a": [one, one], "b": [other, other]}, late_s={"b": late_s}), "GL-01"
        )
        assert ("cannot both be true" in found.explanation) is disagree
        assert next(part.value for part in found.parts if part.name == "agreement") == (0.7 if disagree else 1.0)


def test_t19_a_waiter_whose_holder_is_not_seen_is_no_deadlock(tmp_path: Path) -> None:
    queue = glock_picture("2/77", "wants EX 5 cp", "wants EX 6 cp")
    found = case_of(tmp_path, {"mail1": [queue, queue]})
    assert found.cycles == ()
    assert [(root.kind, root.what, root.waiters, root.leaves_data) for root in found.roots] == [
        ("lock", "2/77", 2, True)
    ]
    assert "no process is seen to hold it" in found.findings[0].explanation
    assert [missing.what for missing in found.missing] == ["holder of glock 2/77"]
    assert not any("mmdiag" in command for missing in found.missing for command in missing.commands)
    assert not any(edge.resolved for edge in found.waits_for)


def test_contention_inside_one_node_is_called_local(tmp_path: Path) -> None:
    queue = glock_picture("2/88", "held EX 5 cp", "wants EX 6 cp", "wants EX 7 cp")
    found = case_of(tmp_path, {"mail1": [queue, queue], "mail2": [[], []]})
    assert refs(found) == {"GL-11": "high"}
    assert "cannot help" in first(found, "GL-11").explanation
    assert first(found, "GL-11").tunings == ("backup-one-node",)


def test_without_dumps_of_other_nodes_local_is_only_possible(tmp_path: Path) -> None:
    queue = glock_picture("2/88", "held EX 5 cp", "wants EX 6 cp", "wants EX 7 cp")
    found = first(case_of(tmp_path, {"mail1": [queue]}), "GL-11")
    assert found.confidence < 0.55
    assert "No reason is seen" in found.explanation


def test_a_waiter_on_another_node_makes_it_a_matter_of_the_cluster(tmp_path: Path) -> None:
    queue = glock_picture("2/88", "held EX 5 cp", "wants EX 6 cp")
    found = case_of(tmp_path, {"mail1": [queue, queue], "mail2": [wanting("2/88", [3]), wanting("2/88", [3])]})
    assert "GL-01" in refs(found)
    assert "GL-11" not in refs(found)


def test_an_owner_that_changes_again_and_again_is_ping_pong(tmp_path: Path) -> None:
    held, idle = glock_picture("2/88", "held EX 5 cp"), list[str]()
    found = case_of(tmp_path, {"a": [held, idle, held, wanting("2/88", [7])], "b": [idle, held, idle, held]})
    assert refs(found)["GL-01"] == "high"
    assert "changed hands 3 times" in first(found, "GL-01").explanation


@pytest.mark.parametrize(
    ("microseconds", "severity"),
    [
        (150_000, None),
        (400_000, "info"),
        (2_000_000, "low"),
        (7_000_000, "medium"),
        (61_000_000, "high"),
        (301_000_000, "critical"),
    ],
)
def test_the_age_of_a_pending_demote_decides_its_severity(
    tmp_path: Path, microseconds: int, severity: str | None
) -> None:
    held = glock_picture("2/91", "held EX 5 cp", flags="DIqob", demote=f"UN/{microseconds}")
    assert refs(case_of(tmp_path, {"mail1": [held]})).get("GL-02") == severity


def test_a_deferred_request_is_not_late(tmp_path: Path) -> None:
    held = glock_picture("2/91", "held EX 5 cp", flags="dIqob", demote="UN/9000000")
    assert "GL-02" not in refs(case_of(tmp_path, {"mail1": [held]}))


@pytest.mark.parametrize(
    ("flags", "words"),
    [("lrDI", "not processed"), ("lDI", "may be missing"), ("DI", "a second capture"), ("yDI", "written out first")],
)
def test_why_a_node_without_a_process_does_not_let_go(tmp_path: Path, flags: str, words: str) -> None:
    kept = glock_picture("2/91", flags=flags, demote="UN/9000000")
    found = first(case_of(tmp_path, {"mail1": [kept]}), "GL-02")
    assert words in found.explanation
    assert found.tunings == ()


def test_a_demote_that_took_a_day_is_read_in_microseconds_and_not_called_remote(tmp_path: Path) -> None:
    held = [
        "G:  s:EX n:2/1fda70 f:Dy t:EX d:UN/132055446000 l:0 a:0 r:5",
        " H: s:EX f:H e:0 p:1405 [httpd] gfs2_write_begin+0x61/0x33e [gfs2]",
        " H: s:EX f:W e:0 p:31819 [umount] gfs2_write_inode+0x57/0x152 [gfs2]",
    ]
    found = case_of(tmp_path, {"web1": [held]})
    assert refs(found) == {"GL-02": "critical", "GL-11": "info"}
    late = first(found, "GL-02")
    assert late.figures[0].value == 132055.446
    assert "2/1fda70 (inode 2087536) EX, wanted for 36 h 40 m" in late.title
    assert "httpd [1405] works under it in gfs2_write_begin" in late.explanation
    assert "132055446000 µs (36 h 40 m)" in late.explanation
    words = " ".join(f"{f.title} {f.explanation} {f.verdict} {f.disproved_by}" for f in found.findings)
    assert "remote" not in words
    assert "by another node" not in words
    assert late.confidence < 0.65
    assert first(found, "GL-11").confidence < 0.55


def test_a_small_quarrel_elsewhere_does_not_hide_a_late_release(tmp_path: Path) -> None:
    late = glock_picture("2/91", "held EX 5 cp", flags="DIqob", demote="UN/400000000")
    found = case_of(tmp_path, {"mail1": [[*late, *wanting("2/33", [1, 2])]]})
    assert refs(found) == {"GL-02": "critical", "GL-01": "low", "GL-06": "info"}


def test_only_the_changes_that_the_case_gives_a_reason_for(tmp_path: Path) -> None:
    held = glock_picture("2/51", "held EX 9 java", inode_type=8)
    plain = glock_picture("2/51", "wants EX 10 java", "wants EX 11 java", state="UN")
    found = case_of(tmp_path / "a", {"n1": [held, held], "n2": [plain, plain]})
    assert first(found, "GL-01").tunings == ("one-node-per-tree-gfs2", "noatime")
    mail = glock_picture("2/51", "wants EX 10 dovecot-lda", "wants EX 11 rsync", state="UN", inode_type=4)
    found = case_of(tmp_path / "b", {"n1": [held, held], "n2": [mail, mail]})
    assert first(found, "GL-01").tunings == (
        "one-node-per-tree-gfs2",
        "backup-one-node",
        "mail-affinity",
        "split-directory",
        "noatime",
    )
    assert {tuning.id: tuning.commands for tuning in found.tunings}["noatime"] == (
        "mount -o remount,noatime MOUNTPOINT",
    )


def test_the_late_request_counts_the_same_waiters_as_the_queue(tmp_path: Path) -> None:
    held = glock_picture("2/60a11", "held EX 17509 python", flags="DIqob", demote="UN/92418000")
    rounds = [wanting("2/60a11", range(100, 100 + count)) for count in (2, 5, 3)]
    found = case_of(tmp_path, {"mail1": [held] * 3, "mail2": rounds})
    assert "5 processes wait on mail2" in found.findings[0].verdict
    assert "5 processes wait for it" in first(found, "GL-02").explanation
