"""From bytes to lines: encodings, line ends, over-long lines, and what a line loses before it is read."""

from __future__ import annotations

import io
import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.documents.line_marks import clean, split_note
from parsers.line_kinds import is_caption, is_elision, is_prose, line_shape
from parsers.text import LINE_BYTES, Block, LongLines, blocks, looks_binary, make_line
from tests.part import tries


def read(
    data: bytes, *, block_bytes: int = 4 << 20, line_bytes: int = LINE_BYTES, long: LongLines | None = None
) -> list[Block]:
    return list(blocks(io.BytesIO(data), block_bytes=block_bytes, line_bytes=line_bytes, long=long))


def lines(data: bytes, *, block_bytes: int = 4 << 20, line_bytes: int = LINE_BYTES) -> list[bytes]:
    found = read(data, block_bytes=block_bytes, line_bytes=line_bytes)
    return b"".join(block.data for block in found).split(b"\n")


class TestLineEnds:
    @pytest.mark.parametrize("end", [b"\n", b"\r\n", b"\r"])
    def test_each_kind_of_line_end_ends_a_line(self, end: bytes) -> None:
        assert lines(b"one" + end + b"two" + end) == [b"one", b"two", b""]

    def test_kinds_may_be_mixed(self) -> None:
        assert lines(b"a\r\nb\rc\nd\r\r\ne") == [b"a", b"b", b"c", b"d", b"e"]

    @pytest.mark.parametrize("block_bytes", [1, 2, 3, 4, 5, 7])
    def test_a_pair_may_be_torn_by_the_end_of_a_block(self, block_bytes: int) -> None:
        assert lines(b"one\r\ntwo\rthree\r\n", block_bytes=block_bytes) == [b"one", b"two", b"three", b""]

    def test_a_lone_carriage_return_at_the_very_end_is_a_line_end(self) -> None:
        assert lines(b"one\r") == [b"one", b""]

    @pytest.mark.parametrize("block_bytes", [1, 2, 3, 5, 1 << 20])
    @pytest.mark.parametrize("end", [b"", b"\n"])
    def test_of_a_long_run_of_carriage_returns_each_ends_a_line(self, end: bytes, block_bytes: int) -> None:
        ends = 20 - 2 * len(end)  # the last two belong to the LF
        assert lines(b"one" + b"\r" * 20 + end, block_bytes=block_bytes) == [b"one", *[b""] * ends]

    def test_the_last_line_needs_no_line_end(self) -> None:
        assert lines(b"one\ntwo") == [b"one", b"two"]

    def test_an_empty_text_has_no_blocks(self) -> None:
        assert read(b"") == []


class TestEncodings:
    TEXT = "vxfsstat -s /srv\nzwölf 12\n"

    @pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-8", "utf-8-sig"])
    @pytest.mark.parametrize("block_bytes", [4 << 20, 33])
    def test_the_text_is_the_same_in_every_encoding(self, encoding: str, block_bytes: int) -> None:
        assert lines(self.TEXT.encode(encoding), block_bytes=block_bytes) == self.TEXT.encode().split(b"\n")

    def test_a_mark_for_big_endian_is_obeyed(self) -> None:
        assert lines(b"\xfe\xff" + self.TEXT.encode("utf-16-be")) == self.TEXT.encode().split(b"\n")

    def test_utf_16_cut_in_the_middle_of_a_character_keeps_the_lines_before(self) -> None:
        assert lines(self.TEXT.encode("utf-16")[:-1])[0] == b"vxfsstat -s /srv"

    def test_bytes_that_are_no_utf_8_become_a_mark(self) -> None:
        assert make_line(1, b"node \xff\xfe1").raw == "node \ufffd\ufffd1"

    @pytest.mark.parametrize(
        ("data", "text"),
        [
            (b"Di 9. M\xe4r 14:20 f\xe9vr. ao\xfbt", "Di 9. M\u00e4r 14:20 f\u00e9vr. ao\u00fbt"),
            (b"\x93ready\x94 \x96 12", '"ready" - 12'),
            ("zw\u00f6lf".encode()[:3] + b" 12", "zw\u00c3 12"),
            (b"\xc3\xb6 and \xe4", "\u00f6 and \ufffd"),
            (b"\x89PNG\x1a\xe4", "\ufffdPNG\ufffd"),
        ],
    )
    def test_letters_of_western_europe_stand_alone_among_plain_ones(self, data: bytes, text: str) -> None:
        assert make_line(1, data).text == text

    def test_rows_of_a_table_of_a_web_page_are_lines(self) -> None:
        spread = (
            b"<table>\n<tr>\n  <TD class='a'>\n  sdb\n </TD>\n\n<td>12</td></tr><tr><td>sdc</td><td>7</td></tr></table>"
        )
        assert [text for line in lines(spread) if (text := clean(line.decode())[0].strip())] == ["sdb  12", "sdc  7"]

    def test_a_few_nul_bytes_do_not_make_a_text_utf_16(self) -> None:
        assert lines(b"abc\x00def ghi jkl mno\n")[0] == b"abc\x00def ghi jkl mno"


class TestLongLines:
    def test_a_line_is_cut_at_the_limit_and_the_loss_is_noted(self) -> None:
        long = LongLines()
        found = b"".join(
            block.data for block in read(b"first\n" + b"x" * (LINE_BYTES + 10) + b"\nlast\n", long=long)
        ).split(b"\n")
        assert [len(line) for line in found] == [5, LINE_BYTES, 4, 0]
        assert (long.count, long.lost_bytes, long.first_line) == (1, 10, 2)

    def test_a_line_longer_than_many_blocks_keeps_its_place_among_the_lines(self) -> None:
        long = LongLines()
        data = b"first\n" + b"y" * 5_000 + b"\nlast\n"
        found = read(data, block_bytes=64, line_bytes=100, long=long)
        assert b"".join(block.data for block in found).split(b"\n") == [b"first", b"y" * 100, b"last", b""]
        assert (long.count, long.lost_bytes, long.first_line) == (1, 4_900, 2)

    def test_the_numbers_of_blocks_follow_their_lines(self) -> None:
        data = b"".join(b"line %d\n" % n for n in range(1, 200))
        for block in read(data, block_bytes=50):
            assert block.data.split(b"\n")[0] == b"line %d" % block.first_line

    def test_a_long_last_line_without_an_end(self) -> None:
        assert lines(b"z" * 300, block_bytes=64, line_bytes=100) == [b"z" * 100]


@settings(max_examples=tries(150, 75), deadline=None)
@given(
    st.lists(st.sampled_from([b"a", b"bc", b"\r", b"\n", b"\r\n", b"xxxxxxxxxxxxxxxxxxxx"])),
    st.integers(1, 12),
    st.integers(2, 12),
)
def test_blocks_of_any_size_give_the_same_lines(parts: list[bytes], block_bytes: int, line_bytes: int) -> None:
    data = b"".join(parts)
    whole = data.replace(b"\r\r\n", b"\n").replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
    assert lines(data, block_bytes=block_bytes, line_bytes=line_bytes) == [line[:line_bytes] for line in whole]


class TestClean:
    @pytest.mark.parametrize(
        ("raw", "text"),
        [
            ("\x1b[0;31mred\x1b[0m text", "red text"),
            ("\x1b]0;title of the window\x07prompt", "prompt"),
            ("12\u00a0\u00a0345", "12  345"),
            ("a\tb", "a        b"),
            ("a\x00b\x07c", "abc"),
            ("DNLC &amp; cache&nbsp;&gt;=16", "DNLC & cache >=16"),
            ("<b>bold</b> and <font color='red'>red</font>", "bold and red"),
            (r"lazy\_isize\_enable", "lazy_isize_enable"),
            ("trailing   ", "trailing"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("df -j\x08 \x08k /srv", "df -k /srv"),
            ("uptmie\x08\x08\x08\x1b[Kime -s", "uptime -s"),
            ("lltsat\x08\x08\x1b[1@t", "lltstat"),
            ("N\x08NA\x08AM\x08ME\x08E", "NAME"),
            ("\x08\x08one", "one"),
            ("\u201cready\u201d \u2013\u2013 \u2018no\u2019", "\"ready\" -- 'no'"),
            ("mmlsmount all \u2013long \u2013L", "mmlsmount all --long -L"),
            ("soft\u00ad\u200bbreak\u2060s", "softbreaks"),
            ("```sdb  12  0.4", "sdb  12  0.4"),
            ("sdb  12  0.4```", "sdb  12  0.4"),
            ("[code]sdb  12", "sdb  12"),
            ("[CODE=text]sdb  12[/CODE]", "sdb  12"),
            ("{code:title=a b|borderStyle=solid}sdb", "sdb"),
            ("{noformat}sdb{noformat}", "sdb"),
            ("`sdb  12  0.4`", "sdb  12  0.4"),
            ("1899537301 elm kernel: gfs2: x", "2030-03-12T09:15:01.000000+00:00 elm kernel: gfs2: x"),
            ("[1899537301.123] kernel: gfs2: x", "2030-03-12T09:15:01.123000+00:00 kernel: gfs2: x"),
            ("1899537301 12 400", "1899537301 12 400"),
            ("1899537301: 12 400", "1899537301: 12 400"),
            ("```", "```"),
            ("{code}", "{code}"),
            ("echo `uname` and `date`", "echo `uname` and `date`"),
            ("<tr><td>sdb</td></tr>", "sdb"),
            ("   12  elm   \u2502", "   12  elm"),
        ],
    )
    def test_what_is_no_text_goes(self, raw: str, text: str) -> None:
        assert clean(raw) == (text, 0)

    @pytest.mark.parametrize(
        ("raw", "text", "quote"),
        [("> one", "one", 1), ("> > two", "two", 2), (">>three", "three", 2), (" > four", "four", 1)],
    )
    def test_quote_marks_are_taken_off_and_counted(self, raw: str, text: str, quote: int) -> None:
        assert clean(raw) == (text, quote)

    def test_a_line_keeps_its_raw_text(self) -> None:
        line = make_line(7, b"\x1b[1mvalue 5\x1b[0m   <<< was 9")
        assert (line.number, line.text, line.note) == (7, "value 5", "was 9")
        assert line.raw == "\x1b[1mvalue 5\x1b[0m   <<< was 9"

    @pytest.mark.parametrize(
        ("text", "body", "note"),
        [
            ("hlock 46064   <<< revoked 46064", "hlock 46064", "revoked 46064"),
            ("hlock 46064 <- here", "hlock 46064", "here"),
            ("G:  s:EX n:2/1 <---- held", "G:  s:EX n:2/1", "held"),
            ("waiting on 10.0.0.1 <c0n4>", "waiting on 10.0.0.1 <c0n4>", ""),
            ("<<< alone", "", "alone"),
            ("txlatency (>=16ms)", "txlatency (>=16ms)", ""),
        ],
    )
    def test_a_remark_is_no_data(self, text: str, body: str, note: str) -> None:
        assert split_note(text) == (body, note)

    def test_hostile_text_is_cleaned_in_linear_time(self) -> None:
        for part in (
            "\x08",
            "a\x08\x1b[K",
            "\x1b[9@\x08",
            "```",
            "{code}",
            "[code]",
            "`a",
            "\x1b[",
            "<",
            "&",
            "> ",
            "<b ",
            "\\_",
            "<-",
            "\x1b]0;",
        ):
            clean(part * 100_000)
            split_note(part * 100_000)


class TestSmallQuestions:
    @pytest.mark.parametrize("text", ["...", "....", "......", " ..... ", "\u2026", "<snip>", "[snip]"])
    def test_marks_of_left_out_lines(self, text: str) -> None:
        assert is_elision(text)

    @pytest.mark.parametrize("text", ["", "..", ".", "... and so on", "1...", "snip"])
    def test_what_is_no_such_mark(self, text: str) -> None:
        assert not is_elision(text)

    def test_sentences_are_prose_and_rows_are_not(self) -> None:
        assert is_prose("After the initial access of the inodes finished, we can check the number of cached inodes.")
        for words in ("Output follows.", "Logs attached:", "See below:", "hi all", "Hello", "The dumps are attached."):
            assert is_prose(words), words
        for words in (
            "Cluster stopped.",
            "Output failed:",
            "File missing",
            "quorum lost",
            "hi1 up",
            "Recovery complete.",
        ):
            assert not is_prose(words), words
        assert not is_prose("vxi_hlockgrant                    0    vxi_hlockrevoke               46064")
        assert not is_prose("bond0     1500   19162882         0  85590         0     17556872      0")

    def test_pictures_are_binary_and_logs_are_not(self) -> None:
        assert looks_binary(b"\x89PNG\r\n\x1a\n" + random.Random(1).randbytes(4_000))
        assert not looks_binary("Zeile mit Umlauten äöü und \x1b[1mFarbe\x1b[0m\r\n".encode() * 50)
        assert not looks_binary("utf-16 text of a console\n".encode("utf-16") * 20)
        assert not looks_binary(b"")

    def test_a_log_that_was_cut_off_under_its_writer_is_a_log(self) -> None:
        rows = b"May  6 11:00:40 brig1 kernel: sd 0:0:0:1: rejecting I/O to offline device\n" * 200
        for log in (bytes(400) + rows, rows + bytes(400) + rows, bytes(100_000) + rows):
            assert not looks_binary(log)
        assert looks_binary(bytes(100_000))
        assert looks_binary(bytes(32_768) + random.Random(1).randbytes(40_000))

    def test_lines_that_differ_in_numbers_have_one_shape(self) -> None:
        assert line_shape("thread 0x7f12 waited 12.5 s") == line_shape("thread 0x8888 waited 3.25 s")
        assert len(line_shape("x " * 500)) <= 160


def test_a_line_of_a_relay_is_read_without_its_priority() -> None:
    for raw, text in (
        ("<45>Feb 03 04:10:22 dbx1 kernel: x", "Feb 03 04:10:22 dbx1 kernel: x"),
        ("<6>[   61.220118] gfs2: y", "[   61.220118] gfs2: y"),
        (
            "<46>1 2026-02-03T04:10:44.1+00:00 dbx1 Had 3211 - - VCS ERROR z",
            "2026-02-03T04:10:44.1+00:00 dbx1 Had[3211]: VCS ERROR z",
        ),
        ('<46>1 2026-02-03T04:10:44Z dbx1 kernel - ID4 [o@1 a="b"] w', "2026-02-03T04:10:44Z dbx1 kernel: w"),
        ("<45> of them", "<45> of them"),
    ):
        assert make_line(1, raw.encode()).text == text


@pytest.mark.parametrize(
    "text", ["Here's dmesg part:", "(After the second failure)", "Server with new disks:", "Und hier die Ausgabe:"]
)
def test_what_people_write_above_an_output_is_a_caption(text: str) -> None:
    assert is_caption(text)


@pytest.mark.parametrize(
    "text",
    ["Sessions: 12", "sda: disk", "Failed Actions:", "(0x0003) Saves data", "errors 3 of 4:", "kite3 is down:  4"],
)
def test_what_holds_a_value_is_no_caption(text: str) -> None:
    assert not is_caption(text)
