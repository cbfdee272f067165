"""Lines of a shape that was looked at before are given as they stand: what is read of a text stays the same."""

from __future__ import annotations

import io
import textwrap
from typing import Any

import pytest

from parsers.layouts import plain_shapes
from parsers.layouts.flattened import MOST_VAIN, Flattened, Look
from parsers.layouts.plain_shapes import PlainShapes
from parsers.layouts.unbroken import Unbroken
from parsers.layouts.wrapped import Wrapped
from parsers.output import MemorySink, Output
from parsers.sections.lines import LineSource
from parsers.sections.reader import read
from parsers.text import Line, blocks
from tests.parsers.golden import FIXTURES
from tests.part import part

IN_A_RUN = 50
SAMPLES = sorted(path.name for path in FIXTURES.iterdir() if (path / "typical.txt").exists())
TURNED = str.maketrans("123456789", "912345678")


def read_of(text: str) -> tuple[Any, Any]:
    sink = MemorySink()
    out = Output(sink)
    result = read(blocks(io.BytesIO(text.encode("utf-8", "surrogateescape"))), out)
    out.close()
    return result, sink.columns


def without_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(PlainShapes, "has", lambda self, key: False)
    monkeypatch.setattr(Unbroken, "has", lambda self, lines, english, is_head: False)


@pytest.mark.parametrize("sample", part(SAMPLES, IN_A_RUN, "plain shapes"))
def test_a_text_reads_the_same_without_what_is_known_of_shapes(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    once = (FIXTURES / sample / "typical.txt").read_text("utf-8", "surrogateescape")
    text = f"{once}\n{once.translate(TURNED)}\n{once}"
    known = read_of(text)
    without_shapes(monkeypatch)
    assert known == read_of(text)


SAMPLED = [
    "===== Mon Mar  2 07:4{}:00 CET 2026 =====\n"
    "Filesystem            1K-blocks      Used Available Use% Mounted on\n"
    "/dev/mapper/vg0-data   51343840  1556789{}  35775943  30% /srv/data-of-many-people\n",
    "[root@elm3 ~]# date\nMon Mar  2 07:4{}:00 CET 2026\n[root@elm3 ~]# lltstat -nvv active\n"
    "LLT node information:\n    Node                 State    Link  Status  Address\n"
    "   * 0 elm3              OPEN\n                                  ens3f0 UP      02:1B:5C:0B:4D:0{}\n",
    "### larch ###\n2026-03-02 07:4{}:00 larch kernel: gfs2: fsid=alpha:spool.{}: withdrawn from a cluster\n"
    "### maple ###\nMemTotal:       16265408 kB of memory in this host, which has no other\n",
]


@pytest.mark.parametrize("sample", SAMPLED)
def test_lines_below_wide_ones_that_are_headings_or_messages_are_looked_at_once(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(sample.format(minute, minute) for minute in range(10)) * 4
    ways: list[int] = []
    put = Wrapped._put_together

    def counted(self: Wrapped, lines: list[Line]) -> list[Line] | None:
        ways.append(len(lines))
        return put(self, lines)

    monkeypatch.setattr(Wrapped, "_put_together", counted)
    known = read_of(text)
    assert not ways
    without_shapes(monkeypatch)
    assert known == read_of(text)
    assert ways


def test_a_rest_below_a_heading_of_another_output_is_still_put_together() -> None:
    shown = (
        "===== Mon Mar  2 07:41:00 CET 2026 =====\n"
        "Filesystem            1K-blocks      Used Available Use% Mounted on\n"
        "/dev/mapper/volumes-of-the-database-of-people-data   51343840\n  15567892  35775943  30% /srv/data\n"
    )
    whole = shown.replace("51343840\n", "51343840")
    assert read_of(shown * 5)[0].not_understood == read_of(whole * 5)[0].not_understood == 0


def test_a_text_reads_the_same_whichever_were_read_before(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[Any, Any] = {}
    monkeypatch.setattr(plain_shapes, "_of_all", kept)
    some = part(SAMPLES, IN_A_RUN, "read before")
    texts = [(FIXTURES / sample / "typical.txt").read_text("utf-8", "surrogateescape")[:4_000] for sample in some]
    alone = []
    for text in texts:
        kept.clear()
        alone.append(read_of(text))
    for text, known in reversed([*zip(texts, alone, strict=True)]):
        assert read_of(text) == known
    assert sum(map(len, kept.values())) > 200


def test_lines_that_were_looked_at_often_in_one_text_are_looked_at_in_the_next() -> None:
    text, rows = Flattened(), Look("iostat")
    past = rows._replace(is_past=True)
    assert not text.takes_over(past)
    assert all(text.takes_over(rows) for _ in range(MOST_VAIN))
    assert text.takes_over(past)
    assert text.takes_over(Look())


TAKEN_OVER = [
    "Filesystem     1K-blocks     Used Available Use% Mounted on\n"
    "/dev/sd{0}1       5134384 15567{0}9  35775943  30% /srv/d{0}\n"
    "/var/log/messages-2030: no row of it\n"
    "/dev/mapper/vg{0}-data-of-many-people 5134384 1556789 35775943 30% /srv/d{0}\n\n",
    "[root@elm{0} ~]# date\nMon Mar  2 07:4{0}:00 CET 2026\n[root@elm{0} ~]# mmdiag --waiters\n"
    "=== mmdiag: waiters ===\n"
    "Waiting {0}.5 sec since 07:4{0}:00, monitored, thread 4{0}1 SyncThread: delaying for 2.9 more seconds\n",
    "> [root@elm{0} ~]# mmdiag --waiters\n> === mmdiag: waiters ===\n"
    "> Waiting {0}.5 sec since 07:4{0}:00, monitored, thread 4{0}1 SyncThread: delaying for 2.9 more seconds\n"
    "> we looked at elm{0} again and the users wait\n>\n"
    "> > Port a gen 51c00{0} membership 01\n> /dev/sd{0} is full\n\n",
    "===== Mon Mar  2 07:4{0}:00 CET 2026 =====\n[root@elm{0} ~]# uptime\n"
    " 07:4{0}:00 up 41 days,  2:11,  3 users,  load average: 7.71, 9.78, 2.58\nelm{0}\n=====\n== words {0} ==\n",
]
"""Outputs in which most lines begin by a path, a prompt, a banner, a date or the mark of a quotation."""
AROUND = [
    "> # disk         driver   sector\n> # name{0}  type  size{0}\n> text{0} of a person\n"
    "> * Port a gen 51c00{0} membership 01\n\n",
    "/* Port a gen 51c00{0} membership 01\n// Port h gen 51c00{0} membership 01\n"
    "/etc/rc.d/{0}: Port h gen 51c00{0} membership 01\n",
    '[root{0}, 1]\n["elm{0}", "Port a gen 51c00{0} membership 01"]\n[elm{0}]\nPort a gen 51c00{0} membership 01\n',
    "> output{0}: |\n>   Port a gen 51c00{0} membership 01\n> [1, 2{0}]\n"
    "> elm{0}\n> ----\n> Port h gen 51c00{0} membership 01\n> text =>\n",
    "2030-03-02 07:4{0}:00\nelm{0}: Port a gen 51c00{0} membership 01\n"
    "Mon Mar  2 07:4{0}:00 CET 2026\nPort h gen 51c00{0} membership 01\n",
]
"""Outputs in which lines that begin so are what those around them say."""


@pytest.mark.parametrize("sample", [*TAKEN_OVER, *AROUND])
def test_lines_read_the_same_whatever_they_begin_with(sample: str, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "".join(sample.format(number) for number in (3, 4, 5, 3, 8, 9)) * 3
    known = read_of(text)
    without_shapes(monkeypatch)
    assert known == read_of(text)


@pytest.mark.parametrize("sample", TAKEN_OVER)
def test_paths_prompts_banners_dates_and_quotations_are_looked_at_once(
    sample: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "".join(sample.format(at % 7 + 2) for at in range(40))
    looked: set[int] = set()
    look = LineSource._read

    def counted(self: LineSource) -> Line | None:
        line = look(self)
        if line is not None and line.text and line.raw != "=====":
            looked.add(line.number)
        return line

    monkeypatch.setattr(LineSource, "_read", counted)
    read_of(text)
    assert len(looked) < text.count("\n") / 4


def test_an_address_is_like_another_one_of_its_length() -> None:
    keys = {
        PlainShapes().key_of(raw, 0, len(raw), "")
        for raw in (b"on ThCond 0x7FD80001E000 (a)", b"on ThCond 0x99ABCDEF0123 (a)")
    }
    assert len(keys) == 1
    assert PlainShapes().key_of(b"on ThCond 0x7FD8 (a)", 0, 20, "") not in keys


@pytest.mark.parametrize(
    ("line", "alike", "other"),
    [
        ("sent 3f9a0c17d2e4b681 to carp1", "sent b01c22e94fa7d063 to carp1", "sent b01c22e94fa7d063 to carpe"),
        ("pod 0123456789ab stopped", "pod fedcba987650 stopped", "pod fedcba98765 0stopped"),
        ("key SHA256:" + "aB3d" * 10 + "xyZ", "key SHA256:" + "Qz/9" * 10 + "a+b", "key SHA256:" + "Qz/9" * 10 + "a_b"),
        ("row deadbeefcafe of 12", "row deadbeefcafe of 97", "row decadebeface of 97"),
    ],
)
def test_marks_of_figures_and_letters_are_alike(line: str, alike: str, other: str) -> None:
    shapes = PlainShapes()
    keys = [shapes.key_of(text.encode(), 0, len(text), None) for text in (line, alike, other)]
    assert keys[0] == keys[1] != keys[2]


def test_a_shape_is_known_once_it_was_looked_at_and_until_the_state_changes() -> None:
    shapes, data = PlainShapes(), b"disk 12 of 40 is up\ndisk 31 of 77 is up\n12 of 40\n{"
    first = shapes.key_of(data, 0, 19, "a")
    assert not shapes.has(first)
    shapes.add(first, Line(1, data[:19].decode(), data[:19].decode()), data[:19])
    assert shapes.has(shapes.key_of(data, 20, 39, "a"))
    assert not shapes.has(shapes.key_of(data, 20, 39, "b"))
    assert not shapes.has(shapes.key_of(data, 20, 39, "a"))
    assert shapes.key_of(data, 49, 50, "a") == b""


def test_a_line_of_which_something_was_taken_is_not_known() -> None:
    shapes, raw = PlainShapes(), b"kite1: disk 12 is up"
    key = shapes.key_of(raw, 0, len(raw), "")
    shapes.add(key, Line(1, raw.decode(), "disk 12 is up"), raw)
    shapes.add(key, Line(1, raw.decode(), raw.decode(), note="look here"), raw)
    assert not shapes.has(key)


def test_where_no_line_is_like_another_shapes_are_no_longer_made() -> None:
    shapes = PlainShapes()
    lines = [f"{chr(97 + at % 26)}{chr(97 + at // 26 % 26)}{chr(97 + at // 676)} x".encode() for at in range(5_000)]
    keys = [key for raw in lines if (key := shapes.key_of(raw, 0, len(raw), "")) and not shapes.has(key)]
    assert plain_shapes.MOST_IN_VAIN < len(keys) < len(lines)


def row(at: int) -> str:
    thread, buffer = f"0x30{at % 9}0abc0{at % 5}00", f"0x3004{at % 10}f72{at % 8}a5"
    return (
        f"{11 + at % 80}.{at:06}  -  20{at % 7}12 1 {thread} {at % 64} strategy device: 273,40{at % 9}1"
        f"  block: {17_833_940 + at * 77} size: 0x10000 buf: {buffer} flags: 0x88511"
    )


STRAY = (
    "",
    "carp# date",
    "===== carp2 =====",
    "a word of ours",
    "12.5 - 0x30",
    "> quoted",
    "Mon Mar  2 07:45:00 CET 2026",
    row(3)[:90],
    row(3)[90:],
)


@pytest.mark.parametrize("apart", [2, 5, 40])
@pytest.mark.part("rows among others", 1)
def test_rows_among_others_read_as_they_do_one_by_one(apart: int, monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [row(at) for at in range(1_200)]
    for at, stray in enumerate(STRAY * 4):
        lines.insert(300 + at * (apart + 1), stray)
    text = "\n".join(lines) + "\n"
    known = read_of(text)
    without_shapes(monkeypatch)
    assert known == read_of(text)


def test_the_rows_of_a_recording_go_by_without_a_look_at_each(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(map(row, range(4_000))) + "\n"
    looked_at, take = [0], LineSource.next

    def count(source: LineSource) -> Line | None:
        looked_at[0] += 1
        return take(source)

    monkeypatch.setattr(LineSource, "next", count)
    result, _ = read_of(text)
    assert (result.total, result.not_understood) == (4_000, 0)
    assert looked_at[0] < 2_000


def test_rows_that_a_mail_broke_are_put_together_below_whole_ones(monkeypatch: pytest.MonkeyPatch) -> None:
    broken = [part for at in range(40) for part in textwrap.wrap(row(at), 100, break_on_hyphens=False)]
    text = "\n".join([*map(row, range(400)), *broken, *map(row, range(400))]) + "\n"
    known = read_of(text)
    assert (known[0].total, known[0].not_understood) == (800 + len(broken), 0)
    without_shapes(monkeypatch)
    assert known == read_of(text)


@pytest.mark.parametrize("sample", SAMPLED)
def test_pairs_of_lines_that_came_before_are_no_rests_either(sample: str) -> None:
    text = "".join(sample.format(minute, minute) for minute in range(10)).encode()
    lines, one = text.splitlines(), Unbroken()
    broken = [b"%s\n%s" % (line[:-9], line[-9:]) if len(line) > 60 else line for line in lines[::-1]]
    for stretch in (lines, lines[::-1], lines[3:], b"\n".join(broken).split(b"\n"), lines):
        fresh = Unbroken()
        assert one.has(stretch, str) == fresh.has(stretch, str)
        assert one.are_logged == fresh.are_logged
