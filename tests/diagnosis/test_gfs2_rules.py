"""GFS2 queues drawn as text dumps: which rule fires on them, which stays silent, and exactly who is in a deadlock."""

from __future__ import annotations

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

import pytest

from apps.diagnosis.engine.diagnose import diagnose
from apps.diagnosis.engine.facts import CaseFacts
from apps.diagnosis.engine.model import Diagnosis
from apps.diagnosis.engine.store import Facts, FactsWriter, Source
from parsers.output import Output
from parsers.sections import Hints, read
from parsers.text import blocks

IDLE = "G:  s:SH n:2/9999 f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:1"


def glock(name: str, *queue: str, state: str = "EX", flags: str = "Iqob", demote: str = "EX/0", inode_type: int = 8) -> list[str]:
    """A glock with its queue: ``"held EX 17 tar"``, ``"wants SH 18 imapd"``; a third word ``try`` makes it a try lock."""
    lines = [f"G:  s:{state} n:{name} f:{flags} t:{state} d:{demote} a:0 v:0 r:9 m:200 p:1"]
    for entry in queue:
        how, mode, pid, command, *extra = entry.split()
        letters = ("H" if how == "held" else "W") + ("t" if "try" in extra else "")
        lines.append(f" H: s:{mode} f:{letters} e:0 p:{pid} [{command}] gfs2_open_common+0x6a/0x160 [gfs2]")
    lines.append(f" I: n:12/{int(name.split('/')[1], 16)} t:{inode_type} f:0x00 d:0x00000000 s:3864 p:1")
    return lines


def case_of(folder: Path, dumps: dict[str, Sequence[Sequence[str]]]) -> Diagnosis:
    """Diagnose dumps: per node a list of captures, thirty seconds apart, each a list of lines."""
    sources = []
    for number, (node, captures) in enumerate(dumps.items()):
        text = []
        for place, lines in enumerate(captures):
            text.append(f"[root@{node} ~]# date\nThu Nov 12 14:{place // 2:02d}:{30 * (place % 2):02d} UTC 2026\n")
            text.append(f"[root@{node} ~]# cat /sys/kernel/debug/gfs2/clu:mail/glocks\n" + "\n".join([*lines, IDLE]) + "\n")
        out = Output(FactsWriter(folder / str(number)))
        read(blocks(BytesIO("".join(text).encode())), out, Hints(path=f"{node}/glocks.txt"))
        out.close()
        sources.append(Source(number, f"{node}/glocks.txt", folder / str(number)))
    facts = Facts(sources)
    return diagnose(facts, CaseFacts(facts))


def refs(diagnosis: Diagnosis) -> dict[str, str]:
    """Severity by rule."""
    return {finding.ref: finding.severity for finding in diagnosis.findings}


def test_a_directory_wanted_on_many_nodes_is_critical_and_names_its_holder(tmp_path: Path) -> None:
    queue = [f"wants EX {100 + n} imapd" for n in range(6)]
    held = glock("2/60a11", "held EX 17509 python", flags="DIqob", demote="UN/92418000", inode_type=4)
    wanting = glock("2/60a11", *queue, state="UN", flags="lIqob", inode_type=4)
    found = case_of(tmp_path, {"mail1": [held, held], "mail2": [wanting, wanting], "mail3": [wanting, wanting]})
    assert refs(found)["GL-01"] == "critical"
    first = found.findings[0]
    assert first.ref == "GL-01"
    assert "mail1:17509 [python]" in first.verdict
    assert "395793" in first.title  # the decimal inode of 0x60a11
    assert [(root.kind, root.what, root.waiters, root.relieves) for root in found.roots] == [("thread", "mail1:17509", 12, 12)]
    assert found.cycles == ()


def test_a_lone_waiter_in_one_capture_is_no_contention(tmp_path: Path) -> None:
    found = case_of(tmp_path, {"mail1": [glock("2/1f", "wants SH 9 ls"), []], "mail2": [[], glock("2/2f", "wants SH 8 ls")]})
    assert not {"GL-01", "GL-05", "GL-11"} & set(refs(found))


def test_a_waiter_whose_holder_is_not_seen_is_no_deadlock(tmp_path: Path) -> None:
    queue = glock("2/77", "wants EX 5 cp", "wants EX 6 cp")
    found = case_of(tmp_path, {"mail1": [queue, queue]})
    assert found.cycles == ()
    assert [(root.kind, root.what) for root in found.roots] == [("lock", "2/77")]
    assert "no holder is seen" in found.findings[0].explanation


def test_contention_inside_one_node_is_said_to_be_local(tmp_path: Path) -> None:
    queue = glock("2/88", "held EX 5 cp", "wants EX 6 cp", "wants EX 7 cp")
    found = case_of(tmp_path, {"mail1": [queue, queue], "mail2": [[], []]})
    assert "GL-11" in refs(found)
    assert "GL-01" not in refs(found)


@pytest.mark.parametrize(
    ("microseconds", "severity"),
    [(150_000, None), (400_000, "info"), (2_000_000, "low"), (7_000_000, "medium"), (61_000_000, "high"), (301_000_000, "critical")],
)
def test_the_age_of_a_pending_demote_decides_its_severity(tmp_path: Path, microseconds: int, severity: str | None) -> None:
    held = glock("2/91", "held EX 5 cp", flags="DIqob", demote=f"UN/{microseconds}")
    assert refs(case_of(tmp_path, {"mail1": [held]})).get("GL-02") == severity


def test_a_demote_that_took_a_day_is_read_in_microseconds(tmp_path: Path) -> None:
    held = glock("2/1fdaa0", "held EX 1405 httpd", "wants EX 31819 umount", flags="lDIqob", demote="UN/132055446000")
    finding = next(f for f in case_of(tmp_path, {"web1": [held]}).findings if f.ref == "GL-02")
    assert finding.severity == "critical"
    assert finding.figures[0].value == pytest.approx(132055.4)
    assert "httpd [1405]" in finding.explanation
    assert "another node" not in finding.title  # the waiter is on the same node


def ring(size: int) -> list[list[str]]:
    """``size`` processes, each holding one glock and wanting the next one's."""
    return [glock(f"2/{0x100 + n:x}", f"held EX {n} job", f"wants EX {(n - 1) % size} job") for n in range(size)]


@pytest.mark.parametrize("size", [2, 3, 50])
def test_a_circle_of_waits_is_a_deadlock_with_exactly_its_members(tmp_path: Path, size: int) -> None:
    lines = [line for one in ring(size) for line in one]
    queue = glock("2/abc", "held EX 0 job", *(f"wants EX {9000 + n} late" for n in range(4)))
    found = case_of(tmp_path, {"node1": [[*lines, *queue], [*lines, *queue]]})
    assert refs(found)["GL-05"] == "critical"
    [cycle] = found.cycles
    assert {name for name in cycle if ":" in name} == {f"node1:{n}" for n in range(size)}
    assert {name for name in cycle if "/" in name} == {f"2/{0x100 + n:x}" for n in range(size)}


def test_a_process_that_waits_for_what_it_holds_is_a_circle_of_one(tmp_path: Path) -> None:
    own = glock("2/55", "held EX 7 job", "wants EX 7 job")
    found = case_of(tmp_path, {"node1": [own, own]})
    assert [set(cycle) for cycle in found.cycles] == [{"node1:7", "2/55"}]


def test_a_try_lock_does_not_make_a_circle_of_one(tmp_path: Path) -> None:
    own = glock("2/55", "held EX 7 job", "wants EX 7 job try")
    assert case_of(tmp_path, {"node1": [own, own]}).cycles == ()


def test_a_circle_seen_once_is_not_yet_critical(tmp_path: Path) -> None:
    lines = [line for one in ring(2) for line in one]
    assert refs(case_of(tmp_path, {"node1": [lines, []]}))["GL-05"] == "high"


def test_two_waits_at_different_times_make_no_circle(tmp_path: Path) -> None:
    first = glock("2/a1", "held EX 1 job", "wants EX 2 job")
    second = glock("2/b2", "held EX 2 job", "wants EX 1 job")
    assert case_of(tmp_path, {"node1": [first, [], second]}).cycles == ()
