"""Headings that consist of a plain name count behind whatever stands in front of each line."""

from __future__ import annotations

import pytest

from parsers.records import Event
from parsers.records.states import Membership, Room
from tests.parsers.golden import Reading

PORTS = f"# gabconfig -a\nGAB Port Memberships\n{'=' * 63}\nPort a gen   51c001 membership 01\n"


def marked(front: str, text: str) -> str:
    return "".join(f"{front.replace('#', str(number))}{line}\n" for number, line in enumerate(text.splitlines(), 1))


def nodes(text: str) -> list[str | None]:
    return [one.node for one in Reading(text).of(Membership)]


@pytest.mark.parametrize(
    "front",
    [
        "> ",
        "> > ",
        "| ",
        "+",
        "#:",
        "    #\t",
        "ports:#:",
        "/tmp/c/ports.out:",
        "Mar  5 10:15:07 ",
        "[2031-04-03 04:11:20] ",
        "2031-04-03T04:11:20.123Z ",
    ],
)
@pytest.mark.parametrize("names", [("larch", "maple"), ("carp1", "carp2"), ("7f3-db", "9a1-web")])
def test_blocks_of_two_nodes(front: str, names: tuple[str, str]) -> None:
    text = "".join(f"=== {name} ===\n{PORTS}" for name in names)
    assert nodes(marked(front, text)) == [*names]


def test_a_table_of_lines_and_blanks_that_do_not_break() -> None:
    text = "".join(f"=== {name} ===\n{PORTS}" for name in ("larch", "maple"))
    rows = "".join(f"{n};17;{line}\n" for n, line in enumerate(text.splitlines()))
    assert nodes(f"Nr;Fall;Zeile\n{rows}") == ["larch", "maple"]
    assert nodes(text.replace(" ", "\xa0")) == ["larch", "maple"]
    quoted = marked("> ", text)
    assert nodes(f"Hi,\nsee below\n\nOn Monday Anna wrote:\n{quoted}") == ["larch", "maple"]


def test_words_for_things_are_no_nodes_behind_a_prefix() -> None:
    text = "".join(f"=== {name} ===\n{PORTS}" for name in ("before", "after"))
    assert nodes(marked("> ", text)) == [None, None]


HEAD = "mmrepquota::HEADER:version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:blockQuota:blockLimit:"
HEAD += "blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:remarks:quota:defQuota:fid:"
ROW = "mmrepquota::0:1:::barn:USR:17:anna:1048576:10485760:12582912:0:none:880:100000:120000:0:none::on:off:root:"


@pytest.mark.parametrize("cut", range(60, len(ROW) + 1, 3))
def test_the_last_figure_of_a_cut_row_is_no_figure(cut: int) -> None:
    reading = Reading(f"[root@carp1 ~]# mmrepquota -Y barn\n{HEAD}\n{ROW[:cut]}")
    assert {one.standing for one in reading.of(Room)} <= {"free"}


FRONTS = [
    "jump7: ",
    "jump7  | ",
    "[pod/jump7/tools] ",
    "Mar  5 10:15:07 jump7 root: ",
    "2031-04-03T04:11:20.1Z jump7 run: ",
]


@pytest.mark.parametrize("front", FRONTS)
def test_one_node_in_front_of_all_lines_may_only_carry_them(front: str) -> None:
    typed = "".join(f"[root@{name} ~]{PORTS}" for name in ("carp1", "carp2"))
    assert nodes(marked(front, typed)) == ["carp1", "carp2"]
    assert nodes(marked(front, PORTS)) == ["jump7"]


@pytest.mark.parametrize("front", FRONTS[1:3])
def test_headings_behind_the_one_node_in_front(front: str) -> None:
    text = "".join(f"=== {name} ===\n{PORTS}" for name in ("carp1", "carp2"))
    assert nodes(marked(front, text)) == ["carp1", "carp2"]


def test_nodes_in_front_of_lines_go_before_headings_where_there_are_several() -> None:
    text = "".join(f"carp{n}: {line}\n" for n in (1, 2) for line in f"=== carp9 ===\n{PORTS}".splitlines())
    assert nodes(text) == ["carp1", "carp2"]


@pytest.mark.parametrize("front", ["kite7  | ", "[pod/kite7/vcs] ", "Mar  5 10:15:07 kite7 root: "])
def test_an_empty_line_behind_a_prefix_is_empty(front: str) -> None:
    text = f"# gabconfig -a\n\nGAB Port Memberships\n{'=' * 63}\n\nPort a gen   51c001 membership 01\n"
    read = Reading("".join(f"{front}{line}".rstrip() + "\n" for line in text.splitlines()))
    assert nodes("".join(f"{front}{line}".rstrip() + "\n" for line in text.splitlines())) == ["kite7"]
    assert read.result.not_understood == 0


def test_messages_of_the_kernel_that_a_program_handed_to_the_log() -> None:
    text = "[81234.120001] INFO: task tar:7733 blocked for more than 122 seconds.\n[81234.120061]  __schedule+0x2/0x6\n"
    texts = [one.text for one in Reading(marked("Mar  5 10:15:07 kite7 root: ", text)).of(Event)]
    assert len(texts) == 1
    assert "tar:7733" in texts[0]
    assert not Reading(marked("Mar  5 10:15:07 kite7 root: ", "[note] tar was blocked\n")).of(Event)


@pytest.mark.parametrize(
    ("front", "node"),
    [("kite7| ", "kite7"), ("2031-04-03T04:11:20.120331Z 01O ", None), ("2031-04-03T04:11:20.120331Z 00E ", None)],
)
def test_fronts_of_a_parallel_shell_and_of_a_runner_of_jobs(front: str, node: str | None) -> None:
    assert nodes(marked(front, PORTS)) == [node]


@pytest.mark.parametrize("front", ["bfeff000-bfefffff : ", "00a0d000-00a0dfff : "])
def test_ranges_of_memory_are_no_nodes(front: str) -> None:
    assert set(nodes(marked(front, PORTS))) <= {None}


@pytest.mark.parametrize("front", ["[{}] out: ", " ** [out :: {}] ", "** [err :: {}] "])
@pytest.mark.parametrize("names", [("larch", "maple"), ("carp1", "carp2")])
def test_tools_that_put_the_node_in_front_of_each_line(front: str, names: tuple[str, str]) -> None:
    ports = PORTS.partition("\n")[2]
    assert nodes("".join(marked(front.format(name), ports) for name in names)) == [*names]


@pytest.mark.parametrize("names", [("larch", "maple"), ("carp1", "carp2")])
def test_what_a_tool_shows_when_it_has_finished_on_a_node(names: tuple[str, str]) -> None:
    ports = marked("    ", PORTS.partition("\n")[2])
    text = "".join(f"Finished on {name}:\n  STDOUT:\n{ports}" for name in names)
    assert nodes(f"Started on {names[0]}...\nStarted on {names[1]}...\n{text}Ran on 2 nodes in 1.22 sec\n") == [*names]
