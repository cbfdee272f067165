"""GFS2 glock dumps: what each line says, what is counted only, and the fast way against the slow one."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from parsers.formats.gfs2 import glocks as gfs2_glocks
from parsers.formats.gfs2.glock_lines import fs_in_path, goes_on, read_glock, read_holder, split_prefix, stated_base
from parsers.records import Record, Section
from parsers.records.kinds import RECORD_TYPES
from parsers.records.locks import Glock, GlockCount, GlockHolder
from tests.parsers.golden import Reading
from tests.part import tries

PATH = "run1/mail1/gfs2/post:spool/glocks"
SLOW, FAST = 1 << 60, 0


def counts(reading: Reading) -> dict[tuple[int, str], int]:
    found: dict[tuple[int, str], int] = {}
    for row in reading.of(GlockCount):
        found[row.type, row.state] = found.get((row.type, row.state), 0) + row.count
    return found


OLDEST = """\
G:  s:EX n:2/1fda70 f:Dy t:EX d:UN/132055446000 l:0 a:0 r:5
 H: s:EX f:H e:0 p:1405 [httpd] gfs2_write_begin+0x61/0x33e [gfs2]
 H: s:EX f:W e:0 p:31819 [umount] gfs2_write_inode+0x57/0x152 [gfs2]
"""


def test_the_oldest_layout_with_a_demote_request_of_36_hours() -> None:
    reading = Reading(OLDEST, path=PATH)
    (glock,) = reading.of(Glock)
    assert (glock.generation, glock.number, glock.demote_us) == ("G0", 2087536, 132_055_446_000)
    assert (glock.holders, glock.waiters, glock.fs, glock.min_hold) == (1, 1, "post:spool", None)
    holder, waiter = reading.of(GlockHolder)
    assert (holder.command, holder.pid, holder.function, holder.granted) == ("httpd", 1405, "gfs2_write_begin", True)
    assert (waiter.command, waiter.position, waiter.waiting, waiter.glock_line) == ("umount", 1, True, 1)


def test_a_demote_age_of_nought_without_a_request_is_unknown() -> None:
    quiet = read_glock(1, "G:  s:SH n:2/1f f:I t:SH d:EX/0 a:0 r:3")
    requested = read_glock(1, "G:  s:SH n:2/1f f:dI t:SH d:UN/0 a:0 r:3")
    cut = read_glock(1, "G:  s:SH n:2/1f f:DI t:SH d:UN/132")
    assert quiet is not None
    assert requested is not None
    assert cut is not None
    assert (quiet.demote_us, requested.demote_us, cut.demote_us) == (None, 0, None)
    assert (quiet.complete, requested.complete, cut.complete) == (True, True, False)


@pytest.mark.parametrize(
    ("tail", "generation"),
    [
        ("l:0 a:0 r:5", "G0"),
        ("a:0 r:5", "G1"),
        ("a:0 v:0 r:5", "G2"),
        ("a:0 v:0 r:5 m:200", "G3"),
        ("p:4 m:20 r:3 v:0 a:0 x:1", "G4"),
    ],
)
def test_the_generation_follows_from_the_fields_in_any_order(tail: str, generation: str) -> None:
    glock = read_glock(1, f"G:  s:EX n:2/8060 f: t:EX d:EX/0 {tail} (inode) ** a remark m:7")
    assert glock is not None
    assert (glock.generation, glock.flags, glock.complete) == (generation, "", True)
    assert glock.fields.get("m") in (None, 200, 20)


@pytest.mark.parametrize(
    ("rest", "command", "function", "complete"),
    [
        ("[imapd] gfs2_readdir+0x4f/0xd0 [gfs2]", "imapd", "gfs2_readdir", True),
        ("[kworker/1:2] gfs2_readdir+0x4f/0xd0", "kworker/1:2", "gfs2_readdir", True),
        ("[syz.0.22] alloc_dinode+0x16a/0x550 fs/gfs2/inode.c:414", "syz.0.22", "alloc_dinode", True),
        ("[a [b] c] f+0x1/0x2 [gfs2]", "a [b] c", "f", True),
        ("[a] b] f+0x1/0x2 [gfs2]", "a] b", "f", True),
        ("[<script>] f+0x1/0x2 [gfs2]", "<script>", "f", True),
        ("[(ended)] 0xffffffffa0b1c2d0", "(ended)", "0xffffffffa0b1c2d0", True),
        ("[tar] f+0x1/0x2 [gfs2] waits since ten", "tar", "f", True),
        ("[tar] gfs2_rea", "tar", "gfs2_rea", False),
        ("[tar]", "tar", None, False),
        ("[ta", "ta", None, False),
        ("", None, None, False),
    ],
)
def test_holder_lines_with_any_name_and_any_cut(
    rest: str, command: str | None, function: str | None, complete: bool
) -> None:
    holder = read_holder(1, f"H: s:EX f:W e:-11 p:77 {rest}")
    assert holder is not None
    assert (holder.pid, holder.error) == (77, -11)
    assert (holder.command, holder.function, holder.complete) == (command, function, complete)


def test_a_pid_at_the_cut_is_not_trusted() -> None:
    holder = read_holder(1, "H: s:EX f:W e:0 p:17")
    assert holder is not None
    assert holder.pid == 0
    assert read_holder(1, "H: s:EX") is None


def test_prefixes_are_taken_off() -> None:
    prefix = split_prefix("Mar  4 02:20:01 mail2 kernel: gfs2: fsid=post:spool.1:  H: s:EX f:W")
    assert (prefix.text, prefix.host, prefix.fs, prefix.instant) == ("H: s:EX f:W", "mail2", "post:spool", None)
    assert split_prefix("[ 812.000001] GFS2: fsid=post:spool.s: G:  s:EX").fs == "post:spool"
    assert split_prefix("   H: s:EX").text == "H: s:EX"


def test_the_file_system_comes_from_path_or_command() -> None:
    assert fs_in_path("cat /sys/kernel/debug/gfs2/post:spool/glocks | grep W") == "post:spool"
    assert fs_in_path("sos/sys.kernel.debug.gfs2.post:spool.glocks") == "post:spool"
    assert fs_in_path("cat /sys/kernel/debug/gfs2/*/glocks") is None
    reading = Reading(f"[root@mail7 ~]# cat /sys/kernel/debug/gfs2/post:home/glocks\n{OLDEST}", path=PATH)
    assert {(row.fs, row.node) for row in reading.of(Glock)} == {("post:home", "mail7")}
    assert reading.of(Section)[0].scope == "post:home"


def test_the_base_of_numbers() -> None:
    assert stated_base("2c1f", None) == 16
    assert stated_base("219916", 219916) == 10
    assert stated_base("219916", 0x219916) == 16
    assert stated_base("219916", 5) is None
    assert stated_base("7", 7) is None
    text = (
        "G:  s:EX n:2/219920 f:D t:EX d:EX/0 a:0 r:3\n" * 3
        + "G:  s:EX n:3/258032 f:yI t:EX d:EX/0 a:3 r:4\n R: n:258032 f:05 b:1/1 i:1\n"
    )
    assert [row.number for row in Reading(text).of(Glock)] == [219920] * 3
    assert [row.number for row in Reading(text.replace(" R: n:258032", " R: n:2457650")).of(Glock)] == [0x219920] * 3


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("G:  s:EX n:2/2c1f0a f:DIqob t:EX", "d:UN/4210000 a:3 v:1 r:7 m:20"),
        ("G:  s:EX n:2/2c1f0a f:DIqob t:EX d:UN/0 a:3 v:1 r:7", "m:20 p:14"),
        ("H: s:EX f:W e:0", "p:4379 [tar] f+0x1/0x2 [gfs2]"),
        ("H: s:EX f:W e:0 p:4379", "[tar] f+0x1/0x2 [gfs2]"),
        ("H: s:EX f:W e:0 p:4379 [tar]", "f+0x1/0x2 [gfs2]"),
        ("H: s:EX f:W e:0 p:4379 [tar] f+0x1/0x2", "[gfs2]"),
        ("I: n:1/2 t:4", "f:0x00 d:0x00000003 s:3864"),
    ],
)
def test_lines_wrapped_by_mail_are_joined(first: str, second: str) -> None:
    assert goes_on(first, second)
    assert not goes_on(f"{first} {second}", "H: s:EX f:W e:0 p:4379 [tar] f+0x1/0x2 [gfs2]")
    assert not goes_on(f"{first} {second}", "G:  s:EX n:2/2c1f0a f:DIqob t:EX")


def test_what_every_mount_holds_is_counted_and_the_frozen_file_system_is_not() -> None:
    text = "".join(
        (
            f"G:  s:{state} n:{name} f:Iqb t:{state} d:EX/0 a:0 v:0 r:3\n H: s:{state} f:{flags} e:0 p:{pid} "
            f"[{comm}] f+0x1/0x2 [gfs2]\n"
        )
        for state, name, flags, pid, comm in (
            ("SH", "1/1", "eEH", 1874, "(ended)"),
            ("SH", "4/0", "ecH", 0, "(none)"),
            ("EX", "9/0", "ecH", 1874, "(ended)"),
            ("SH", "5/2c1f0a", "EH", 4121, "imapd"),
            ("EX", "1/2", "eEH", 8120, "(ended)"),
            ("SH", "6/2c", "H", 5170, "(ended)"),
            ("SH", "2/2d", "H", 4121, "imapd"),
            ("SH", "5/2d", "W", 4121, "imapd"),
        )
    )
    reading = Reading(text)
    assert [row.object for row in reading.of(Glock)] == ["1/2", "6/2c", "2/2d", "5/2d"]
    assert counts(reading) == {(1, "SH"): 1, (4, "SH"): 1, (9, "EX"): 1, (5, "SH"): 1}
    assert len(reading.of(GlockHolder)) == 4


@pytest.mark.parametrize("flag", "DlFiP")
def test_flags_that_say_something_is_going_on_keep_the_glock(flag: str) -> None:
    line = "G:  s:SH n:2/2c1f0a f:{}Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200\n"
    assert len(Reading(line.format(flag)).of(Glock)) == 1
    assert not Reading(line.format("yoL")).of(Glock)


def test_a_dump_is_its_section_and_dumps_of_a_loop_are_apart() -> None:
    text = f"[root@m1 ~]# cat x\n{OLDEST}Tue Mar  4 02:11:30 UTC 2025\n{OLDEST}Tue Mar  4 02:12:00 UTC 2025\n{OLDEST}"
    assert [row.dump for row in Reading(text).of(Glock)] == [2, 6, 10]
    assert [row.at is None for row in Reading(text).of(Glock)] == [True, False, False]


def test_a_stray_line_below_a_glock_does_not_part_it_from_its_waiters() -> None:
    lines = OLDEST.splitlines()
    lines.insert(2, "watchdog: BUG: soft lockup 4/17")
    reading = Reading("\n".join(lines))
    assert [(row.glock_line, row.position, row.dump) for row in reading.of(GlockHolder)] == [(1, 0, 1), (1, 1, 1)]
    assert len(reading.of(Glock)) == 1
    assert reading.result.not_understood == 1


# The fast way against the slow one

STATES, FLAGS, NAMES = (
    ("UN", "SH", "EX", "DF", "SH", "SH"),
    ("Iqob", "Iob", "LIob", "", "DIqob", "lIqob", "yfI"),
    ("tar", "(ended)", "(none)", "a b"),
)


def dump(rng: random.Random, glocks: int, *, decimal: bool = False) -> list[str]:
    """A dump of the layout G2 to G4 with all sorts of glocks."""
    lines = [
        "G:  s:SH n:2/75ab0c f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:0"
        if not decimal
        else "G:  s:SH n:3/258032 f:Iqob t:SH d:EX/0 a:0 r:3"
    ]
    lines += [" R: n:258032 f:05 b:22256/22256 i:16800"] if decimal else []
    for _ in range(glocks):
        number, kind = rng.randrange(1, 1 << 28), rng.choice((1, 2, 2, 3, 4, 5, 5, 5, 6, 8, 9))
        tail = rng.choice((" a:0 v:0 r:3", " a:0 v:0 r:3 m:200", " a:0 v:0 r:3 m:20 p:7", " a:0 r:3 v:1", ""))
        age = rng.choice((0, 0, 0, 0, 4_210_000))
        printed = str(number) if decimal else f"{number:x}"
        lines.append(
            f"G:  s:{rng.choice(STATES)} n:{kind}/{printed} f:{rng.choice(FLAGS)} t:{rng.choice(STATES)} "
            f"d:UN/{age}{tail}"
        )
        for _ in range(rng.choice((0, 0, 0, 1, 1, 2))):
            flags, name = rng.choice(("EH", "EH", "EH", "H", "W", "", "ecH")), rng.choice(NAMES)
            lines.append(
                f" H: s:SH f:{flags} e:0 p:{rng.randrange(99_999)} [{name}] "
                f"gfs2_x+0x1/0x2{rng.choice((' [gfs2]', '', ''))}"
            )
        if kind == 3:
            lines.append(f" R: n:{number} f:05 b:1/1 i:2{rng.choice(('', ' q:0 r:0 e:0'))}")
            lines += ["  L: f:05 b:1 i:2", "  B: n:12 s:4 b:0 f:3"] * rng.choice((0, 0, 1))
        elif kind in (2, 5) and rng.random() < 0.8:
            lines.append(
                f" I: n:7/{number} t:{rng.choice((4, 8))} f:0x00 d:0x00000003 s:3864{rng.choice(('', ' p:1', '/3864'))}"
            )
    return lines


def damage(rng: random.Random, lines: list[str], times: int) -> list[str]:
    """Cut, wrapped, swapped and foreign lines, remarks, prefixes, dates."""
    damaged = list(lines)
    for _ in range(times):
        at = rng.randrange(len(damaged))
        line = damaged[at]
        cut = rng.randrange(len(line) + 1)
        words = line.split(" ")
        wrap = rng.randrange(len(words))
        damaged[at : at + 1] = rng.choice(
            (
                [line[:cut]],
                [" ".join(words[:wrap]), " ".join(words[wrap:])],
                [line, ""],
                [line, "Tue Mar  4 02:11:30 UTC 2025"],
                [line + "   <---- here"],
                [line + " (inode)"],
                ["gfs2: fsid=post:spool.0: " + line],
                [line, line],
                [],
                [line.replace("[", "[<b>").replace("]", "</b>]")],
                [line.replace("tar", "t\u00e4r")],
                ["> " + line],
                ["  " + line],
                [line, "watchdog: BUG: soft lockup 4/17"],
                [line.replace(":", ": ", 1)],
                [line, "[root@mail1 ~]# date"],
                [line + "#"],
                [line.replace("p:", "p:9999999999999")],
                [line, "@ spool   Tue Mar  4 02:30:00 2025  @mail3"],
                [line[cut:]],
                [line + "\t"],
            )
        )
        if not damaged:
            return lines
    return damaged


def everything(text: str, limit: int, monkeypatch: pytest.MonkeyPatch) -> tuple[object, dict[str, list[Record]]]:
    monkeypatch.setattr(gfs2_glocks, "STRETCH_BYTES", limit)
    reading = Reading(text, path=PATH)
    assert reading.adds_up
    return reading.result, {kind.__name__: reading.of(kind) for kind in RECORD_TYPES}


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.part("damaged glocks", 5)
def test_the_fast_way_reads_what_the_slow_way_reads(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(seed)
    lines = dump(rng, 150, decimal=seed % 5 == 0)
    for text in ("\n".join(lines) + "\n", "\n".join(damage(rng, lines, rng.choice((1, 5, 60))))):
        assert everything(text, FAST, monkeypatch) == everything(text, SLOW, monkeypatch)


@settings(max_examples=tries(150, 25), deadline=None)
@given(st.integers(0, 1 << 32), st.integers(1, 30), st.integers(0, 25))
def test_the_fast_way_reads_what_the_slow_way_reads_of_any_dump(seed: int, glocks: int, times: int) -> None:
    rng = random.Random(seed)
    text = "\n".join(damage(rng, dump(rng, glocks), times))
    with pytest.MonkeyPatch.context() as monkeypatch:
        assert everything(text, FAST, monkeypatch) == everything(text, SLOW, monkeypatch)


def test_a_long_dump_is_read_in_stretches_fast() -> None:
    rng = random.Random(1)
    idle = [
        line
        for _ in range(20_000)
        for line in (
            f"G:  s:SH n:5/{rng.randrange(1 << 26):x} f:Iqob t:SH d:EX/0 a:0 v:0 r:3 m:200 p:0",
            " H: s:SH f:EH e:0 p:4121 [imapd] gfs2_inode_lookup+0x14e/0x2a0 [gfs2]",
        )
    ]
    text = "\n".join([*dump(rng, 10), *idle, OLDEST])
    start = time.process_time()
    reading = Reading(text, path=PATH)
    took = time.process_time() - start
    assert counts(reading)[5, "SH"] >= 20_000
    assert reading.of(Glock)[-1].number == 2087536
    assert reading.result.not_understood == 0
    assert took < 20, f"{len(text) / 1e6 / took:.0f} MB/s"


@pytest.mark.parametrize(
    "line",
    [
        "G:  s:SH n:5/1 f:I t:SH d:EX/0" + " a:0" * 50_000,
        " H: s:SH f:W e:0 p:1 [" + "] " * 50_000,
        " H: s:SH f:W e:0 p:1 [" + "] f+0x1" * 50_000,
        "gfs2: fsid=" + ":" * 100_000 + " G:  s:SH",
        "Mar  4 02:20:01 " * 9_000 + "G:  s:SH n:2/1",
        "G:" * 100_000,
    ],
)
def test_hostile_lines_take_linear_time(line: str) -> None:
    start = time.process_time()
    Reading(f"{OLDEST}{line}\n{OLDEST}{line}\n{OLDEST}")
    assert time.process_time() - start < 20


@pytest.mark.parametrize("front", ["", "case7/glocks.txt:", "mail1: ", "node-b.log:"])
def test_holders_that_cannot_be_read_are_counted_whatever_stands_in_front(front: str) -> None:
    dump = (
        "[root@mail1 ~]# cat /sys/kernel/debug/gfs2/post:spool/glocks\n"
        "G:  s:EX n:2/5c10 f:Iqob t:EX d:EX/0 a:0 v:0 r:5 m:200\n"
        " H: s:EX f:H p:701 [imapd] gfs2_unlink+0x7e/0x250 [gfs2]\n"
        " H: s:EX f:W p:702 [imapd] gfs2_unlink+0x7e/0x250 [gfs2]\n"
        " H: s:EX f:W p:703 [imapd] gfs2_unlink+0x7e/0x250 [gfs2]\n"
    )
    reading = Reading("".join(f"{front}{line}\n" for line in dump.splitlines()))
    assert reading.result.not_understood == 3
    assert read_glock(1, "G:  s:EX n:2/5c10 f:Iqob t:EX d:EX/0 a:0 r:5 m:200 H: s:EX f:H p:701 [imapd]") is None
