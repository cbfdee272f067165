"""What mails, tickets, terminals and editors do to a dump must not change what is read from it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import pytest

from parsers.records import Counter, Problem, Record
from parsers.records.locks import GlockHolder
from parsers.records.waits import Waiter
from tests.parsers.golden import Reading

Kind = TypeVar("Kind", bound=Record)

OLD = (
    "0x1107DA670 waiting 3.012068863 seconds, Msg handler mnMsgForceInodeFlags: on ThMutex 0x110617830 "
    "(0x110617830) (LogFile instance)"
)
NEW = (
    "Waiting 902.4160 sec since 18:14:55, monitored, thread 407779 SharedHashTabFetchHandlerThread: "
    "on ThCond 0x7FD96401A4C0 (MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1 on node 10.0.12.16 <c0n4>"
)
PAIRS = "vxi_hlockgrant                    1    vxi_hlockrevoke                   2"
GLOCK = (
    "G:  s:EX n:2/805b f:yIqob t:EX d:EX/0 a:0 v:0 r:4 m:200\n H: s:EX f:W e:0 p:4466 [postmark] "
    "gfs2_unlink+0x45/0x1d0 [gfs2]"
)
TEXTS: dict[str, tuple[str, type[Record]]] = {
    "old waiter": (f"{OLD}\n{OLD.replace('670', '680')}\n", Waiter),
    "new waiter": (f"{NEW}\n{NEW.replace('407779', '407780')}\n", Waiter),
    "counters": (f"{PAIRS}\n{PAIRS.replace('hlock', 'glock')}\n", Counter),
    "glock": (f"{GLOCK}\n", GlockHolder),
}


def records(data: bytes | str, kind: type[Kind]) -> list[Kind]:
    reading = Reading(data)
    assert reading.adds_up
    return reading.of(kind)


def _each_line(change: Callable[[str], str]) -> Callable[[str], bytes]:
    return lambda text: "".join(f"{change(line)}\n" for line in text.splitlines()).encode()


DAMAGE: dict[str, Callable[[str], bytes]] = {
    "quoted mail": _each_line(lambda line: f"> {line}"),
    "quoted twice": _each_line(lambda line: f">> > {line}"),
    "quoted as an entity": _each_line(lambda line: f"&gt; {line}"),
    "bar as quote": _each_line(lambda line: f"| {line}"),
    "frame of a terminal": _each_line(lambda line: f"\u2502 {line:<160} \u2502"),
    "indented": _each_line(lambda line: f"    {line}"),
    "no-break spaces": _each_line(lambda line: line.replace("  ", "\u00a0\u00a0").replace(" ", "\u00a0", 1)),
    "entities for blanks": _each_line(lambda line: f"&nbsp;{line}"),
    "colours": _each_line(lambda line: f"\x1b[0;31m{line}\x1b[0m"),
    "title of the terminal": _each_line(lambda line: f"\x1b]0;root@carp1\x07{line}"),
    "zero-width marks": _each_line(lambda line: f"\ufeff\u200b{line}"),
    "blanks at the end": _each_line(lambda line: f"{line}   \t "),
    "web breaks": _each_line(lambda line: f"{line}<br/>"),
    "CR LF": lambda text: text.replace("\n", "\r\n").encode(),
    "lone CR": lambda text: text.replace("\n", "\r").encode(),
    "NUL bytes": lambda text: text.replace(" ", " \x00").encode(),
    "UTF-16 with a mark": lambda text: text.encode("utf-16"),
    "UTF-16 without one": lambda text: text.encode("utf-16-be"),
    "UTF-8 with a mark": lambda text: text.encode("utf-8-sig"),
    "arrow behind": _each_line(lambda line: f"{line}     <---- this one waits 9999 seconds"),
    "remark behind": _each_line(lambda line: f"{line}   <<< 4711 of them, 12 sec"),
    "remark on a line of its own": lambda text: text.replace("\n", "\n      <<< about 50 of them\n", 1).encode(),
    "left-out mark between": lambda text: text.replace("\n", "\n....\n", 1).encode(),
    "blank lines between": lambda text: text.replace("\n", "\n\n \n").encode(),
    "a sentence below": lambda text: text.encode() + b"And this is what we saw on the other node then:\n",
}


@pytest.mark.parametrize("name", TEXTS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_damage_changes_nothing(name: str, damage: str) -> None:
    text, kind = TEXTS[name]
    plain, hurt = records(text, kind), records(DAMAGE[damage](text), kind)
    assert plain
    assert [_figures(record) for record in hurt] == [_figures(record) for record in plain]


def _figures(record: Record) -> tuple[object, ...]:
    """All but the place in the text."""
    places = {
        "line",
        "sample",
        "dump",
        "glock_line",
        "filtered",
    }  # a mark for left-out lines means that rows are missing
    return tuple(getattr(record, name) for name in record.columns() if name not in places)


BULLETS = ["- ", "* ", "+ ", "\u2022 ", "\u00b7 ", "\u2013 ", "1. ", "2) ", "  - ", "> * ", "`"]


@pytest.mark.parametrize("bullet", BULLETS)
def test_a_bullet_in_front_of_each_line(bullet: str) -> None:
    for text, kind in (TEXTS["old waiter"], TEXTS["new waiter"], TEXTS["counters"]):
        hurt = "".join(f"{bullet}{line}\n" for line in text.splitlines())
        assert [_figures(record) for record in records(hurt, kind)] == [
            _figures(record) for record in records(text, kind)
        ]


def test_a_star_that_belongs_to_a_row_stays() -> None:
    reading = Reading("* this is only a remark about 12 rows\n- and this another one\n")
    assert reading.result.formats == {}


def test_decimal_commas() -> None:
    hurt = records(OLD.replace("3.012068863", "3,012068863") + "\n" + NEW.replace("902.4160", "902,4160"), Waiter)
    assert [record.seconds for record in hurt] == [3.012068863, 902.416]


@pytest.mark.parametrize("at", [60, 90, 120, 150, 180])
@pytest.mark.parametrize("quote", ["", "> "])
def test_a_line_that_a_mail_wrapped_is_joined(at: int, quote: str) -> None:
    cut = NEW.rfind(" ", 0, at)
    [whole], [joined] = records(NEW, Waiter), records(f"{quote}{NEW[:cut]}\n{quote}{NEW[cut + 1 :]}\n", Waiter)
    assert _figures(joined) == _figures(whole)


def test_two_pairs_on_a_line_are_two_counters() -> None:
    found = [(record.name, record.value) for record in records(PAIRS, Counter)]
    assert found == [("vxi_hlockgrant", 1), ("vxi_hlockrevoke", 2)]


def test_a_value_wrapped_to_the_next_line_is_read() -> None:
    rows = records("vxi_masterless_locks         393641    vxi_normalize_locks\n                  31\n", Counter)
    assert [record.value for record in rows] == [393641, 31]


def test_bytes_that_are_no_utf_8_cost_their_own_place_only() -> None:
    hurt = records(OLD.encode() + b" \xff\xfe\n" + NEW.encode() + b"\n\xc3\x28\n", Waiter)
    assert [record.seconds for record in hurt] == [3.012068863, 902.416]


def test_a_cut_line_is_kept_as_partly_understood() -> None:
    [cut] = records(NEW[:150], Waiter)
    assert cut.seconds == 902.416


def test_glued_lines_are_distinguished() -> None:
    for glue in ("", " "):
        old = records(f"{OLD}{glue}{OLD.replace('3.01', '4.01')}\n", Waiter)
        assert [record.seconds for record in old] == [3.012068863, 4.012068863]
        new = records(f"{NEW}{glue}{NEW.replace('407779', '407780')}\n", Waiter)
        assert [record.thread_id for record in new] == [407779, 407780]


NEW_ROW = (
    "Waiting 290.1234 sec since 02:13:08, monitored, thread 20333 FetchWorkerThread: on ThCond 0x7F19 "
    "(MsgRecordCondvar), reason 'RPC wait' for tmMsgTellAcquire1\n"
)
OLD_ROW = (
    "0x7F1208000 waiting 290.123456789 seconds, FetchWorkerThread: on ThCond 0x7F19 (0x7F19) (MsgRecordCondvar), "
    "reason 'RPC wait' for tmMsgTellAcquire1\n"
)


@pytest.mark.parametrize("row", [NEW_ROW, OLD_ROW])
@pytest.mark.parametrize("cut", [34, 60, 75, 100])
def test_a_last_row_that_is_cut_is_called_so_with_its_line(row: str, cut: int) -> None:
    reading = Reading(row * 3 + row[:cut])
    assert [one.line for one in reading.of(Problem)] == [4]


@pytest.mark.parametrize(
    "text",
    [
        NEW_ROW * 3 + NEW_ROW.rstrip(),
        NEW_ROW * 3 + NEW_ROW[:60] + "\n",
        "Mar 12 09:15:01 elm kernel: dlm: pots: node 2 has left the lock space of the file system\n" * 3
        + "Mar 12 09:15:02 elm kernel: dlm: pots: node 2 joined",
    ],
)
def test_a_last_row_without_a_line_end_or_a_shorter_message_is_whole(text: str) -> None:
    assert Reading(text).of(Problem) == []


FIGURES: dict[str, tuple[str, str]] = {
    "gfs_tool counters": ("[root@kite8 ~]# gfs_tool counters /srv/rolls\n      log space used {}%", "1.25"),
    "ping of Linux": (
        "3 packets transmitted, 3 received, 0% packet loss\nrtt min/avg/max/mdev = 0.1/{}/2.2/0.1 ms",
        "1.5",
    ),
    "ping of BSD": (
        "3 packets transmitted, 3 received, 0% packet loss\nround-trip min/avg/max = 0.1/1.5/{} ms",
        "1,75",
    ),
}


@pytest.mark.parametrize("name", FIGURES)
@pytest.mark.parametrize("odd", ["1.2.3.10", "1.2.3", "..", "1,2,3"])
def test_a_figure_that_is_none_costs_its_line_and_no_section(name: str, odd: str) -> None:
    text, figure = FIGURES[name]
    whole, hurt = (Reading(text.format(value) + "\n", path="x") for value in (figure, odd))
    assert len(whole.of(Counter)) > len(hurt.of(Counter))
    assert hurt.of(Problem) == []
