"""Entries of a site: which are refused and why, which lines they fit, what they make of a verdict, and that they cost
little.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.core.exceptions import ImproperlyConfigured

from apps.diagnosis.management.commands import check_knowledge, try_knowledge
from apps.diagnosis.site_knowledge import in_force
from parsers.messages.catalogue import use_entries
from parsers.messages.safe_commands import changes
from parsers.messages.site_entries import Entries, EntryError, entry_of, read_folder
from tests.diagnosis.commands import runner
from tests.every import every
from tests.reports import bundle, report_on

PACK = """
[[entry]]
name = "ticket-lost"
from = "grantd"
match = ["ticket for", { named = "disk" }, "was lost after", { named = "figure", unit = "s" }]
weight = "disaster"
title = "Ticket for {about} lost"
meaning = "The daemon may not write to the disk until it holds the ticket again."
next = "Look at the paths of the disk on this node."
commands = ["multipath -ll"]
source = "Support note 12"

[[entry]]
name = "quiet-alert"
from = "mmfs"
match = ["Something", { any = true }, "new stands still"]
weight = "everyday"
title = "The nightly job of this site"
meaning = "The job of this site prints it each night."
source = "Operations handbook"

[[entry]]
name = "map-stale"
from = "kernel"
match = ["gridmap table of", { named = "node" }, "is stale"]
weight = "trouble"
title = "Map of {about} is stale"
meaning = "Requests go to a node that has left."
next = "Look at the members that the cluster lists."
source = "Support note 31"
"""
GOOD: dict[str, Any] = {
    "name": "ticket-lost",
    "from": "grantd",
    "match": ["ticket for", {"named": "disk"}, "was lost"],
    "weight": "trouble",
    "title": "Ticket for {about} lost",
    "meaning": "It may not write.",
    "next": "Look at the paths.",
    "source": "Note 12",
}
BAD: dict[str, tuple[dict[str, Any], str]] = {
    "a match of everything": ({"match": [{"any": True}, {"named": "disk"}]}, "fits too much"),
    "a blank line": ({"match": [" "]}, "without a word"),
    "no match": ({"match": []}, "match is missing"),
    "one short word": ({"match": ["error"]}, "fits too much"),
    "figures only": ({"match": ["12 13 14"]}, "fits too much"),
    "any word at the end": ({"match": ["ticket for the disk", {"any": True}]}, "leave that out"),
    "a pattern as a key": ({"pattern": "ticket .*"}, "no regular expression"),
    "a pattern as a token": ({"match": ["ticket for disk", {"pattern": ".*"}]}, "no regular expression"),
    "a step that writes": ({"commands": ["systemctl restart grantd"]}, "the word restart"),
    "a step that pipes": ({"commands": ["cat /proc/mounts | tee /etc/mtab"]}, "the mark '|'"),
    "a step nobody knows": ({"commands": ["grantctl --again"]}, "looks only"),
    "commands without a step": ({"next": "", "commands": ["multipath -ll"], "weight": "notice"}, "what they are for"),
    "trouble without a step": ({"next": ""}, "needs a next step"),
    "an object that nothing names": ({"object": "lock"}, "match names none"),
    "another mark in the title": ({"title": "Ticket {0.__class__} lost"}, "other than {about}"),
    "HTML": ({"meaning": "It <b>may</b> not."}, "< or >"),
    "a key that is not known": ({"severity": "high"}, "unknown keys"),
    "a weight that is not known": ({"weight": "awful"}, "weight is one of"),
    "a value of another sort": ({"title": 7}, "not a text"),
    "two lines": ({"title": "Ticket\nlost"}, "not a text in one line"),
}


@pytest.fixture(autouse=True)
def nothing_stays() -> Iterator[None]:
    before = use_entries(Entries())
    yield
    use_entries(before)


@pytest.fixture
def pack(tmp_path: Path) -> Path:
    folder = tmp_path / "pack"
    folder.mkdir()
    (folder / "ours.toml").write_text(PACK)
    return folder


def of(*rows: dict[str, Any]) -> Entries:
    return Entries(entry_of(GOOD | row, "", "ours.toml") for row in rows)


def report(text: str, name: str = "messages") -> dict[str, Any]:
    return report_on(bundle(text.encode(), name))


@every(BAD)
def test_an_entry_that_can_do_harm_or_says_nothing_is_refused_with_the_reason(name: str) -> None:
    row, reason = BAD[name]
    with pytest.raises(EntryError, match=re.escape(reason)):
        entry_of(GOOD | row, "", "ours.toml")


@every(
    ["mmlsdisk data -L", "systemctl status grantd", "grantctl show tickets", "/usr/sbin/multipath -ll", "hastatus -sum"]
)
def test_a_command_that_looks_only_is_a_step(command: str) -> None:
    assert changes(command) is None


CHANGING = (
    "mmchconfig x=1", "rm -r /a", "vxedit set a", "grantctl show --reset", "fence_ipmilan -o status", "cat a > b",
    "dmesg -C", "multipath -F", "sysctl vm.swappiness=1", "journalctl --vacuum-size=1G", "ss -K dst cod4", "sudo ls",
    "ip link set eth0",
)  # fmt: skip


@every(CHANGING)
def test_a_command_that_may_change_something_is_no_step(command: str) -> None:
    assert changes(command) is not None


ABOUT = {
    "Ticket for lun7 was lost.": "lun7",
    "[3] now: ticket for 'lun7', was lost (again)": "lun7",
    "ticket for=lun7 was lost": "lun7",
    "ticket for ticket for lun8 was lost": "lun8",
    "ticket for lun7 will be lost": None,
    "ticket for was lost": None,
    "": None,
}


@every(ABOUT)
def test_a_match_is_a_run_of_words_in_either_case_and_behind_any_marks(text: str) -> None:
    hit = of({}).find("grantd", text)
    assert (hit.about if hit is not None else None) == ABOUT[text]


def test_an_entry_speaks_of_its_own_program_only() -> None:
    assert of({}).find("otherd", "ticket for lun7 was lost") is None


def test_kept_figures_must_be_the_same_and_a_figure_must_be_one() -> None:
    entries = of({"match": ["ticket code 17 lost after", {"named": "figure", "unit": "s"}], "title": "Ticket lost"})
    hit = entries.find("grantd", "ticket code 17 lost after 31.5s")
    assert hit is not None
    assert (hit.value, hit.unit) == (31.5, "s")
    assert entries.find("grantd", "ticket code 18 lost after 31.5s") is None
    assert entries.find("grantd", "ticket code 17 lost after noon") is None


def test_of_two_entries_that_fit_the_one_with_more_kept_words_speaks() -> None:
    both = of({}, {"name": "again", "match": ["ticket for", {"named": "disk"}, "was lost again"]})
    hit = both.find("grantd", "ticket for lun7 was lost again")
    assert hit is not None
    assert hit.entry.name == "again"


LOST = "Mar  9 20:33:10 cod3 grantd[77]: ticket for lun7 was lost after 31 s\n"
STALE = "Mar  9 20:33:11 cod3 kernel: gridmap table of cod9 is stale\n"
ORDINARY = "Mar  9 20:33:12 cod3 grantd[77]: error: nobody failed to renew\n"


def test_a_line_that_nobody_judged_becomes_a_finding_with_its_object_and_step(pack: Path) -> None:
    assert report(LOST + STALE)["findings"] == []
    in_force(pack)
    found = report(LOST + STALE)
    finding, other = found["findings"]
    assert (finding["severity"], finding["title"]) == ("high", "Ticket for lun7 lost on cod3")
    assert (other["severity"], other["title"]) == ("medium", "Map of cod9 is stale on cod3")
    assert "Knowledge of this site: ticket-lost, ours.toml" in finding["explanation"]
    assert [line["line"] for line in finding["evidence"]] == [1]
    assert "Look at the paths of the disk on this node." in json.dumps(found["next_steps"])


def test_other_lines_of_a_program_that_only_the_site_knows_stay_silent(pack: Path) -> None:
    in_force(pack)
    assert report(ORDINARY)["findings"] == []


def test_what_the_site_calls_everyday_is_no_alarm(pack: Path) -> None:
    text = "2031-06-03_22:48:10.207+0200: [A] Something quite new stands still\n"
    assert [one["severity"] for one in report(text, "mmfs.log")["findings"]] == ["high"]
    in_force(pack)
    assert report(text, "mmfs.log")["findings"] == []


def test_what_the_catalogue_knows_keeps_its_meaning() -> None:
    text = "Mar  9 20:33:10 cod3 kernel: Kernel panic - not syncing: Fatal exception\n"
    before = report(text)
    use_entries(of({"from": "kernel", "match": ["Kernel panic", {"any": True}, "not syncing"], "title": "Nothing"}))
    assert report(text)["findings"] == before["findings"]


def test_two_thousand_entries_cost_a_message_about_as_much_as_twenty() -> None:
    def entries(count: int) -> Entries:
        return of(
            *(
                {"name": f"entry-{n}", "match": [f"{word(n)} for", {"named": "disk"}, f"{word(n)} was lost"]}
                for n in range(count)
            )
        )

    def word(number: int) -> str:
        return "ticket" + "".join(chr(97 + int(digit)) for digit in str(number))

    texts = [f"{word(n % 50)} of{word(n)} for some {word(n)} was never lost on this day" for n in range(4_000)]

    def seconds(count: int) -> float:
        book = entries(count)
        begun = time.process_time()
        assert not any(book.find("grantd", text) for text in texts)
        return time.process_time() - begun

    few = min(seconds(20) for _ in range(3))
    assert min(seconds(2_000) for _ in range(3)) < 3 * few


def test_a_name_or_a_match_that_stands_twice_is_refused(pack: Path) -> None:
    (pack / "theirs.toml").write_text("[[entry]]\n" + PACK.split("[[entry]]\n")[1])
    _, refused = read_folder(pack)
    assert refused == ("theirs.toml, entry 1 (ticket-lost): the name stands in ours.toml already",)
    (pack / "theirs.toml").write_text((pack / "theirs.toml").read_text().replace("ticket-lost", "other"))
    _, refused = read_folder(pack)
    assert refused == ("theirs.toml, entry 1 (other): it matches what ticket-lost matches",)


def test_the_version_follows_what_the_entries_say(pack: Path) -> None:
    first, _ = read_folder(pack)
    assert first.version == read_folder(pack)[0].version
    (pack / "ours.toml").write_text(PACK.replace("may not write", "must not write"))
    assert read_folder(pack)[0].version != first.version


@pytest.mark.parametrize("content", [b"[[entry", b"\xff\xfe", b"entry = 3", b"rule = 3"])
def test_a_file_that_is_no_pack_is_refused_in_one_sentence(content: bytes, pack: Path) -> None:
    (pack / "theirs.toml").write_bytes(content)
    entries, refused = read_folder(pack)
    assert len(entries.all) == 3
    assert len(refused) == 1
    assert refused[0].startswith("theirs.toml: ")


def test_the_start_stops_at_a_folder_with_a_bad_entry(pack: Path) -> None:
    (pack / "theirs.toml").write_text("[[entry]]\nname = 3\n")
    with pytest.raises(
        ImproperlyConfigured, match=r"LOCKSCOPE_KNOWLEDGE_DIR holds what can not be used: theirs\.toml, entry 1: name"
    ):
        in_force(pack)


def test_check_knowledge_says_what_is_refused(pack: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    run = runner(check_knowledge.Command, capfd)
    status, out, _ = run(pack)
    assert status == 0
    assert "entries that can be used: 3; refused: 0" in out
    (pack / "ours.toml").write_text(PACK.replace("multipath -ll", "multipath -ll; reboot"))
    status, out, _ = run(pack)
    assert status == 1
    assert "ours.toml, entry 1 (ticket-lost): the command" in out
    assert run(tmp_path / "none")[0] == 2


def test_try_knowledge_shows_lines_and_both_verdicts(
    pack: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "messages").write_text(LOST * 5 + STALE)
    run = runner(try_knowledge.Command, capfd)
    status, out, _ = run(pack, tmp_path / "messages")
    assert status == 0
    assert "ticket-lost: lines 5 (" in out
    assert "messages:1, " in out
    assert "and 2 more" in out
    assert "map-stale: lines 1 (" in out
    assert "verdict then: Ticket for lun7 lost on cod3" in out
    (tmp_path / "calm").write_text(ORDINARY)
    _, out, _ = run(pack, tmp_path / "calm")
    assert "no entry fits a line" in out
    assert "verdict then: the same" in out
    assert run(pack, tmp_path / "none")[0] == 2
