"""Lines that tell which command printed what stands below: between marks, behind a plus sign, behind words, alone on
their line.
"""

from __future__ import annotations

import pytest

from parsers.headings.captions import match_caption
from parsers.records import CommandRun, Section
from parsers.records.states import HealthState, Membership
from tests.parsers.golden import Reading

PROGRAMS = frozenset(("mmdiag", "mmlsfs", "mmdf", "gabconfig", "vxfsstat", "mount", "ps", "glmstat"))
GAB = (
    "GAB Port Membershipships\n===============================================================\nPort a gen   "
    "4a1c1 membership 01\n"
)


@pytest.mark.parametrize(
    ("line", "command", "node"),
    [
        ("===== mmdiag --waiters =====", "mmdiag --waiters", None),
        ("## mmlsfs all", "mmlsfs all", None),
        ("--- /usr/lpp/mmfs/bin/mmdf orsa1 ---", "/usr/lpp/mmfs/bin/mmdf orsa1", None),
        ("##### carp1: gabconfig -a #####", "gabconfig -a", "carp1"),
        ("=== node carp1 - gabconfig -a ===", "gabconfig -a", "carp1"),
        ("*** gabconfig -a on carp1.lab ***", "gabconfig -a", "carp1.lab"),
        ("+ sudo /sbin/gabconfig -a", "sudo /sbin/gabconfig -a", None),
        ("++ ssh carp2 gabconfig -a", "ssh carp2 gabconfig -a", None),
        ("[ mmdiag --waiters ]", "mmdiag --waiters", None),
        ("### `mmdiag --waiters`", "mmdiag --waiters", None),
        ("Command: vxfsstat -s /srv/scans", "vxfsstat -s /srv/scans", None),
        ("Running command: 'mmlsfs all'", "mmlsfs all", None),
        ("Output of 'mmlsfs all':", "mmlsfs all", None),
        ("output from the command mmdiag --network:", "mmdiag --network", None),
        ("==== mount ====", "mount", None),
        ("==== /etc/llthosts ====", "cat /etc/llthosts", None),
        ("++ ssh -o BatchMode=yes carp2 cat /proc/mounts", "ssh -o BatchMode=yes carp2 cat /proc/mounts", None),
        ("Running on carp2: mmlsfs all", "mmlsfs all", "carp2"),
        ("Executing 'mmlsfs all' on carp2", "mmlsfs all", "carp2"),
        ("+ cat /proc/mounts", "cat /proc/mounts", None),
        ("Every 2.0s: gabconfig -a", "gabconfig -a", None),
        ("Toutes les 5,0s: sudo gabconfig -a | tail", "sudo gabconfig -a | tail", None),
    ],
)
def test_a_caption_tells_the_command(line: str, command: str, node: str | None) -> None:
    found = match_caption(line, PROGRAMS)
    assert found is not None
    assert (found.command, found.node, found.instant) == (command, node, None)


@pytest.mark.parametrize(
    "line",
    [
        "=== mmdiag: waiters ===",
        "==> /var/tmp/mmdiag <==",
        "=== carp1 ===",
        "## mount points of the cluster",
        "+ 12 more rows",
        "-- ",
        "Output of mmdiag --waiters shows nothing.",
        "Running mmdiag --waiters again did not help.",
        "Running on carp2: all of it since Monday.",
        "[carp1,carp2]",
        "----------",
        "[mount]",
        "--mount /srv/scans",
        "Result: mounted",
        "=== uptime ===",
        "[ps]trange",
        "Command:",
        "====",
        "``",
        "Every 2.0s: the waiters of carp1",
        "Every 30 s: gabcon",
        "All of 20 rows: 2.0s: mmdiag",
    ],
)
def test_other_lines_are_no_captions(line: str) -> None:
    assert match_caption(line, PROGRAMS) is None


def test_a_caption_may_tell_the_moment_too() -> None:
    found = match_caption("---- gabconfig -a (Tue Mar  9 14:20:03 CET 2027) ----", PROGRAMS)
    assert found is not None
    assert found.instant is not None
    assert (found.command, found.instant.us, found.instant.zone_min) == ("gabconfig -a", 1_804_602_003_000_000, 60)


@pytest.mark.parametrize(
    "line",
    [
        "Every 2.0s: gabconfig -a                                       carp1: Tue Mar  9 14:20:03 2027",
        "Alle 2,0s: gabconfig -a        carp1: Di Mär  9 14:20:03 2027",
        "Cada 10.0s: gabconfig -a   carp1: mar mar  9 14:20:03 2027",
    ],
)
def test_the_first_line_of_watch_tells_command_node_and_moment(line: str) -> None:
    found = [(row.node, row.at, row.members) for row in Reading(f"{line}\n\n{GAB}").of(Membership)]
    assert found == [("carp1", 1_804_602_003_000_000, "0 1")]


@pytest.mark.parametrize("above", ["vxdisk list", "vxdg list:", "vxdisk -o alldgs list"])
def test_what_a_tool_gets_to_do_is_no_row(above: str) -> None:
    below = "DEVICE       TYPE            DISK         GROUP        STATUS\nfen0_1 auto:cdsdisk fendg01 fendg online\n"
    reading = Reading(f"{above}\n{below}")
    assert reading.result.not_understood == 0
    assert [run.command for run in reading.of(CommandRun)] == [above.rstrip(":")]


@pytest.mark.parametrize("above", ["gabconfig -a on carp1:", "gabconfig -a from node carp1", "gabconfig -a @ carp1"])
def test_people_name_the_node_behind_a_command(above: str) -> None:
    assert [row.node for row in Reading(f"{above}\n{GAB}").of(Membership)] == ["carp1"]


@pytest.mark.parametrize(
    "above", ["+ gabconfig -a", "===== gabconfig -a =====", "gabconfig -a", "gabconfig -a:", "carp1> gabconfig -a"]
)
def test_what_stands_below_a_caption_was_printed_by_its_command(above: str) -> None:
    reading = Reading(f"{above}\n{GAB}")
    (section,) = reading.of(Section)
    assert (section.command, section.format, section.node) == (
        "gabconfig -a",
        "gabconfig",
        "carp1" if ">" in above else None,
    )
    assert [run.command for run in reading.of(CommandRun)] == ["gabconfig -a"]
    assert [row.members for row in reading.of(Membership)] == ["0 1"]
    assert reading.adds_up


def test_captions_of_a_script_name_node_and_moment_of_each_output() -> None:
    text = "".join(f"##### carp{n}: gabconfig -a 2027-03-09 14:20:0{n} #####\n{GAB}" for n in (1, 2))
    found = [(row.node, row.at) for row in Reading(text).of(Membership)]
    assert found == [("carp1", 1_804_602_001_000_000), ("carp2", 1_804_602_002_000_000)]


def test_a_traced_script_tells_time_and_node() -> None:
    reading = Reading(
        "+ date\nTue Mar  9 14:20:03 CET 2027\n+ hostname\ncarp1\n+ echo '--- GAB ---'\n--- GAB ---\n+ "
        f"gabconfig -a\n{GAB}"
    )
    assert [(row.node, row.at) for row in reading.of(Membership)] == [("carp1", 1_804_602_003_000_000)]
    assert reading.result.not_understood == 0


def test_a_command_named_in_passing_is_no_caption() -> None:
    reading = Reading("mmlsfs all\nwas not run, as the file system was not mounted on any of the nodes.\n")
    assert not reading.of(CommandRun)


def test_a_cut_row_that_begins_with_the_name_of_a_tool_is_no_caption() -> None:
    reading = Reading(f"gabconfig of carp\n{GAB}")
    assert not reading.of(CommandRun)


@pytest.mark.parametrize("word", ["Subject", "Betreff", "Objet", "RE", "Summary", "Hello"])
def test_a_head_of_a_mail_or_a_ticket_is_no_node(word: str) -> None:
    reading = Reading(f"{word}: mmhealth node show\n\nNode name:      tern.site.example\nNode status:    FAILED\n")
    assert {section.node for section in reading.of(Section)} <= {None, "tern.site.example"}
    assert [state.node for state in reading.of(HealthState)] == ["tern.site.example"]


@pytest.mark.parametrize(
    "heading",
    [
        ">>>>> carp1 : gabconfig -a <<<<<",
        ">>> carp1: gabconfig -a <<<",
        "=== carp1 : gabconfig -a ===",
        "-----[ carp1 : gabconfig -a ]-----",
        "--[carp1: gabconfig -a]--",
    ],
)
def test_marks_of_any_sort_around_node_and_command(heading: str) -> None:
    reading = Reading(f"{heading}\n{GAB}")
    (section,) = reading.of(Section)
    assert (section.command, section.node) == ("gabconfig -a", "carp1")
    assert reading.result.not_understood == 0


@pytest.mark.parametrize(
    "line", ["> carp1 : what does it say <<", ">> we ran it twice <<", "-----[ carp1 : see below ]-----"]
)
def test_marks_around_other_words_tell_no_command(line: str) -> None:
    reading = Reading(f"{line}\n{GAB}")
    assert [run.command for run in reading.of(CommandRun)] == []
    assert [row.members for row in reading.of(Membership)] == ["0 1"]


@pytest.mark.parametrize(
    "heading",
    [
        "First node (carp1):",
        "the faulty host (carp1):",
        "Node 2 (carp1):",
        "[carp1] gabconfig -a",
        "Connected to domain 'carp1'",
        "Connected to domain carp1",
    ],
)
def test_a_node_as_people_and_consoles_call_it(heading: str) -> None:
    reading = Reading(f"{heading}\n{GAB}")
    assert [section.node for section in reading.of(Section)] == ["carp1"]


@pytest.mark.parametrize(
    "heading", ["[ok] mount -a", "[failed] mount -a", "[error] gabconfig -a", "First node (of two):", "Node count (3):"]
)
def test_words_in_brackets_that_are_no_node(heading: str) -> None:
    reading = Reading(f"{heading}\n{GAB}")
    assert {section.node for section in reading.of(Section)} == {None}


@pytest.mark.parametrize("below", ["Date: Tue, 09 Mar 2027 14:20:03 GMT", "Content-Type: text/plain", "X-Id: 7"])
def test_the_program_that_sent_a_page_is_no_node(below: str) -> None:
    reading = Reading(f"HTTP/1.1 503 Service Unavailable\nServer: gws\n{below}\n\n{GAB}")
    assert {section.node for section in reading.of(Section)} == {None}
    reading = Reading(f"Server: gws\n\n{GAB}")
    assert [section.node for section in reading.of(Section)] == ["gws"]
