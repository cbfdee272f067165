"""Entries that speak of rows of listings, of kinds of waits and of lines without a reader: sick texts, healthy twins,
and that their number costs nothing.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from apps.diagnosis.engine.core.facts.taught import Conditions
from apps.diagnosis.management.commands import try_knowledge
from parsers.messages.catalogue import use_entries
from parsers.messages.site_entries import Entries, EntryError, entry_of, row_of, toml_of
from tests.diagnosis.commands import runner
from tests.diagnosis.test_site_entries import report

ROOT = Path(__file__).resolve().parents[2]
REST = {"weight": "trouble", "meaning": "It does not serve.", "next": "Look at the array.", "source": "Note 7"}
GHOST = REST | {
    "name": "ghost-path",
    "table": "DiskPath",
    "column": "state",
    "operator": "holds",
    "value": "ghost",
    "object": "device",
    "title": "Path {about} is a ghost",
}
FULL = REST | {
    "name": "nearly-full",
    "table": "Room",
    "column": "share",
    "operator": "above",
    "value": "0.4",
    "title": "Rather full",
}
MOTH = REST | {"name": "moth-queue", "waits": True, "match": ["moth queue"], "title": "Threads wait for the moths"}
SPINDLE = REST | {
    "name": "spindle",
    "output": "frobstat",
    "match": ["spindle", {"any": True}, "wobbling"],
    "title": "Spindle wobbles",
}


def paths(state: str) -> str:
    return (
        "cod3# multipath -ll\nmpatha (36001405d2c9f1b2f2a24a7b9d4a1e0f3) dm-2 LIO-ORG,disk0\n"
        "size=10G features='0' hwhandler='0' wp=rw\n|-+- policy='service-time 0' prio=50 status=active\n"
        f"| `- 3:0:0:1 sdc 8:32 active {state} running\n`-+- policy='service-time 0' prio=50 status=enabled\n"
        "  `- 4:0:0:1 sdd 8:48 active ready running\n"
    )


def waits(reason: str) -> str:
    return (
        "cod3# mmdiag --waiters\n\n=== mmdiag: waiters ===\nWaiting 1822.1043 sec since 10:01:11, monitored, "
        f"thread 41021 MothThread: on ThCond 0x180A2E3F (MothCondvar), reason 'waiting for {reason}'\n"
    )


def outputs(word: str) -> str:
    return f"[root@cod3 ~]# frobstat -v\nspindle lun7 {word} now\nspindle lun8 fine\n"


SORTS: dict[str, tuple[dict[str, Any], str, str, str]] = {
    "a row": (GHOST, paths("ghost"), paths("ready"), "Path sdc is a ghost on cod3"),
    "a wait": (MOTH, waits("moth queue drain"), waits("token drain"), "Threads wait for the moths on cod3"),
    "a line": (SPINDLE, outputs("wobbling"), outputs("still"), "Spindle wobbles on cod3"),
}


@pytest.fixture(autouse=True)
def nothing_in_force() -> Iterator[None]:
    before = use_entries(Entries())
    yield
    use_entries(before)


def titles(text: str) -> list[str]:
    return [one["title"] for one in report(text, "text")["findings"]]


@pytest.mark.parametrize("name", SORTS)
def test_an_entry_speaks_of_the_sick_text_and_not_of_its_twin(name: str) -> None:
    row, sick, twin, title = SORTS[name]
    before = titles(sick), titles(twin)
    assert title not in before[0]
    use_entries(Entries([entry_of(row, "", "ours.toml")]))
    assert title in titles(sick)
    assert titles(twin) == before[1]
    assert report(sick, "text")["verdict"]["title"] == title


def test_a_row_that_people_call_everyday_is_no_alarm() -> None:
    text = paths("faulty")
    assert titles(text)
    row = GHOST | {"value": "faulty", "weight": "everyday", "title": "Spare path"}
    use_entries(Entries([entry_of(row, "", "ours.toml")]))
    assert not [title for title in titles(text) if "faulty" in title.lower()]


BAD: dict[str, tuple[dict[str, Any], str]] = {
    "two sorts": (GHOST | {"waits": True}, "one of from, output, waits and table"),
    "a match beside a table": (GHOST | {"match": ["ghost path"]}, "has no match"),
    "no such table": (GHOST | {"table": "Ghosts"}, "there is no table"),
    "no such column": (GHOST | {"column": "mood"}, "the table has no column mood"),
    "no such operator": (GHOST | {"operator": "matches"}, "operator is one of"),
    "a pattern": (GHOST | {"pattern": "gh.*"}, "no regular expression"),
    "a figure of words": (GHOST | {"operator": "above"}, "no more and no less"),
    "words of a figure": (FULL | {"value": "much"}, "holds figures"),
    "two letters that anything holds": (GHOST | {"value": "gh"}, "fits too much"),
    "an object that is no column": (GHOST | {"object": "disk"}, "no such column"),
    "any line": (SPINDLE | {"match": [{"named": "disk"}]}, "keeps no word"),
    "digits of a line that nobody reads": (SPINDLE | {"match": ["spindle lun7"]}, "digits"),
    "waits that are none": (MOTH | {"waits": "yes"}, "waits is true"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_one_is_refused_with_the_reason(name: str) -> None:
    row, reason = BAD[name]
    with pytest.raises(EntryError, match=reason):
        entry_of(row, "", "ours.toml")


@pytest.mark.parametrize("row", [GHOST, FULL, MOTH, SPINDLE], ids=lambda row: row["name"])
def test_a_file_gives_the_entry_back(row: dict[str, Any], tmp_path: Path) -> None:
    entry = entry_of(row, "", "ours.toml")
    assert entry_of(row_of(entry), "", "ours.toml") == entry
    assert f'name = "{row["name"]}"' in toml_of([entry])


def test_of_several_conditions_the_narrowest_speaks() -> None:
    def one(name: str, operator: str, value: str, **more: str) -> Any:
        return entry_of(GHOST | {"name": name, "operator": operator, "value": value, **more}, "", "ours.toml")

    words = Conditions([one("not", "is not", "ready"), one("holds", "holds", "ghost"), one("exact", "is", "Ghost off")])
    assert [getattr(words.of(value), "name", None) for value in ("ghost off", "a ghost", "odd", "READY")] == [
        "exact", "holds", "not", None,
    ]  # fmt: skip
    room = {"table": "Room", "column": "share", "object": "", "title": "Rather full"}
    figures = Conditions(
        [
            one("half", "above", "0.5", **room),
            one("most", "above", "0.9", **room),
            one("low", "below", "0.1", **room),
        ]
    )
    assert [getattr(figures.of(value), "name", None) for value in (0.95, 0.6, 0.9, 0.3, 0.05)] == [
        "most", "half", "half", None, "low",
    ]  # fmt: skip


def test_two_thousand_conditions_cost_about_as_much_as_twenty() -> None:
    def seconds(count: int) -> float:
        rows = (GHOST | {"name": f"entry-{n}", "operator": "is", "value": f"odd {n}"} for n in range(count))
        conditions = Conditions([entry_of(row, "", "ours.toml") for row in rows])
        begun = time.process_time()
        assert all(conditions.of(f"value {n}") is None for n in range(20_000))
        return time.process_time() - begun

    few = min(seconds(20) for _ in range(3))
    assert min(seconds(2_000) for _ in range(3)) < 3 * few


def test_try_knowledge_tells_rows_waits_and_lines(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    pack, bundle = tmp_path / "pack", tmp_path / "bundle"
    pack.mkdir()
    bundle.mkdir()
    (pack / "ours.toml").write_text(toml_of(entry_of(row, "", "ours.toml") for row in (GHOST, MOTH, SPINDLE)))
    (bundle / "all.txt").write_text(paths("ghost") + waits("moth queue drain") + outputs("wobbling"))
    status, out, _ = runner(try_knowledge.Command, capfd)(pack, bundle)
    assert status == 0
    for name in ("ghost-path", "moth-queue", "spindle"):
        assert f"{name}: lines 1 (all.txt:" in out


def test_analyze_judges_with_the_folder_of_the_site(tmp_path: Path) -> None:
    pack = tmp_path / "pack"
    pack.mkdir()
    (pack / "ours.toml").write_text(toml_of([entry_of(GHOST, "", "ours.toml")]))
    (tmp_path / "paths.txt").write_text(paths("ghost"))
    environment = {**os.environ, "LOCKSCOPE_KNOWLEDGE_DIR": str(pack)}
    command = [sys.executable, "manage.py", "analyze", str(tmp_path / "paths.txt")]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert "Path sdc is a ghost on cod3" in done.stdout
    (pack / "ours.toml").write_text("[[entry]]\nname = 7\n")
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, "LOCKSCOPE_KNOWLEDGE_DIR" in done.stderr) == (2, True)
