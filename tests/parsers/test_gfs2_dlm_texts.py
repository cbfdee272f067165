"""Texts of GFS2 and the lock manager: fast ways against slow ones, dumps told apart, small files, the samples of the
manual pages.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from parsers.formats.gfs2.dlm_names import glock_of, glock_resource, lockspace_in
from parsers.records import Counter, Event, Setting
from parsers.records.locks import DlmLock, Glock, GlockCount, GlockHolder
from parsers.records.states import Membership
from parsers.records.waits import Stack
from parsers.sections import stretch as gfs2_stretch
from tests.parsers.golden import Reading

NEVER = 1 << 40


def locks(rng: random.Random, count: int) -> str:
    lines = ["id nodeid remid pid xid exflags flags sts grmode rqmode time_ms r_nodeid r_len r_name"]
    for n in range(count):
        status = rng.choice((1, 2, 2, 2, 3))
        name = f'"{rng.choice((2, 5)):8x}{n // 3:16x}"' if rng.random() < 0.9 else "202020"
        lines.append(
            f"{0x1000000 + n:x} {rng.choice((0, 1, 2))} {n:x} {rng.randrange(30000)} 0 0 "
            f"{rng.choice((0, 10000))} {status} {rng.choice((-1, 0, 3, 5))} {rng.choice((-1, 3, 5))} "
            f"{rng.randrange(10**7)} {rng.choice((-1, 0, 1, 2))} 24 {name}"
        )
    return "\n".join(lines) + "\n"


def stats(rng: random.Random, count: int) -> str:
    figures = "rtt:{}/{} rttb:{}/{} irt:{}/{} dcnt: {} qcnt: {}"
    return "".join(
        f"G: n:{rng.choice((1, 2, 3, 5))}/{n:x} {figures.format(*(rng.randrange(1000) for _ in range(8)))}\n"
        for n in range(count)
    )


def trace(rng: random.Random, count: int) -> str:
    at, lines = 51234.0, ["# tracer: nop"]
    for _ in range(count):
        at += rng.random() * 0.4
        pid, glock = rng.randrange(100, 120), rng.randrange(181000, 181010)
        what = rng.choice(
            (
                f"gfs2_glock_queue: 253,4 glock 2:{glock} {rng.choice(('queue', 'dequeue'))} EX",
                f"gfs2_promote: 253,4 glock 2:{glock} promote {rng.choice(('', 'first '))}EX",
                (
                    f"gfs2_demote_rq: 253,4 glock 2:{glock} demote EX to UN "
                    f"flags:DyIqob{rng.choice(('', ' remote', ' local'))}"
                ),
                (
                    f"gfs2_glock_state_change: 253,4 glock 2:{glock} state EX to "
                    f"{rng.choice(('DF', 'SH', 'UN'))} tgt:SH dmt:EX flags:lIqob"
                ),
                (
                    f"gfs2_glock_lock_time: 253,4 glock 2:{glock} status:0 flags:01 "
                    f"tdiff:{rng.randrange(2 * 10**9)} srtt:1/2 srttb:3/4"
                ),
                f"gfs2_log_flush: 253,4 log flush {rng.choice(('start', 'end'))} {glock} 10",
                "gfs2_pin: 253,4 log pin 12/4096 inode 9",
            )
        )
        lines.append(f"           {rng.choice(('imapd', 'kworker/2:1', '<...>'))}-{pid}    [002] .... {at:.6f}: {what}")
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("make", [locks, stats, trace], ids=lambda make: make.__name__)
@pytest.mark.parametrize("seed", range(4))
@pytest.mark.part("stretches of GFS2", 6)
def test_the_fast_way_gives_what_the_slow_way_gives(
    make: Callable[[random.Random, int], str], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng = random.Random(seed)
    lines = make(rng, 1500).splitlines()
    for _ in range(seed):
        lines.insert(
            rng.randrange(len(lines)),
            rng.choice(("", lines[5][:30], "  a stray line with a lot of words in it, as people write")),
        )
    text = "\n".join(lines) + "\n"
    monkeypatch.setattr(gfs2_stretch, "LEAST_BYTES", 1)
    fast = Reading(text)
    monkeypatch.setattr(gfs2_stretch, "LEAST_BYTES", NEVER)
    slow = Reading(text)
    assert fast.result.records > 10
    assert fast.as_json() == slow.as_json()


def test_names_of_glocks_as_resources() -> None:
    assert glock_resource("2/102ab") == "2           102ab"
    assert glock_of("       2           102ab") == glock_of("2           102ab") == "2/102ab"
    assert glock_of('rg="web"') is None
    assert lockspace_in("cat /sys/kernel/debug/dlm/projects_locks") == "projects"
    assert lockspace_in("run1/n1/dlm/pond_two/pond_two_lockdebug") == "pond_two"
    assert lockspace_in("dlm_tool lockdebug -s -v -w projects") == "projects"
    assert lockspace_in("sos_commands/dlm/dlm_locks_mail") == "mail"
    assert lockspace_in("/sys/kernel/config/dlm/cluster/rsbtbl_size") is None


def test_the_lines_of_the_reference() -> None:
    """Line 1: this node holds EX, mastered on node 1. Line 3: mastered here, node 2 waits for EX since 12 214
    microseconds.
    """
    rows = Reading(
        '1100003 1 2ae0006 8954 0 0 0 2 5 -1 0 1 24 "       2           102ab"\n'
        '2450001 2 1be0002 8962 0 0 10000 1 -1 5 12214 0 24 "       2           102ab"\n'
    ).of(DlmLock)
    assert [(row.owner_node, row.master, row.granted, row.requested, row.queue, row.age_s) for row in rows] == [
        (0, 1, "EX", None, "granted", None),
        (2, 0, None, "EX", "waiting", 0.012214),
    ]


# dumps back to back

GLOCK = "G:  s:{} n:{}/{:x} f:{} t:{} d:EX/0 a:0 v:0 r:3 m:200 p:1"
HELD = " H: s:EX f:H e:0 p:41 [cp] gfs2_write_begin+0x61/0x33e [gfs2]"


def dump(*, first: int = 16, count: int = 3000) -> list[str]:
    lines = [GLOCK.format("SH", 2, first + n, "Iqob", "SH") for n in range(count)]
    lines[5:5] = [GLOCK.format("EX", 2, 7, "Iqob", "EX"), HELD]
    return lines


@pytest.mark.parametrize("count", [4, 3000], ids=["line by line", "in stretches"])
def test_dumps_with_nothing_between_them_are_distinguished(count: int) -> None:
    one = dump(count=max(count, 6))
    found = Reading("\n".join([*one, *one, *one]) + "\n")
    assert [row.dump for row in found.of(Glock)] == [1, 1 + len(one), 1 + 2 * len(one)]
    assert [row.count for row in found.of(GlockCount)] == [max(count, 6)] * 3
    assert found.result.not_understood == 0


def test_a_glock_that_is_quoted_again_is_not_another_dump() -> None:
    one = "\n".join(dump(count=8))
    text = (
        f"{one}\nAs you can see the first process holds it all the time, look here:\n"
        + "\n".join(dump(count=8)[5:7])
        + "\n"
    )
    assert {row.dump for row in Reading(text).of(Glock)} == {1}


def test_a_glock_printed_twice_in_a_row_is_one_dump() -> None:
    lines = dump(count=8)
    lines.insert(1, lines[0])
    assert {row.dump for row in Reading("\n".join(lines)).of(GlockCount)} == {1}


# glocktop, as its manual page shows it

GLOCKTOP = """\
@ nate_bob1       Wed Jan 27 07:24:14 2016  @host-050 dlm: 1024/512/    [**        ]
 G:  s:SH n:2/183f5 f:ldrIqob t:EX d:UN/0 a:0 v:0 r:5 m:10 (inode)
  D: Granted PR on node 2 to pid 17511 [python]
  D: Converting PR on this node to pid 17512 [ended]
  D: Waiting for node 3, pid 17513 [python]
  H: s:EX f:W e:0 p:17511 [python] gfs2_unlink+0x7e/0x250 [gfs2]
  I: n:1/99317 t:4 f:0x00 d:0x00000003 s:2048
  U:  W inode      183f5     Is:Shared, Want:Exclusive   [Demote pending, Reply pending, Queued, Blocking]
  U:  W  --->  waiting pid 17511 [python]  (Granted PR on node 2 to pid 17511 [python]) ***** DLM is in a comm wait for this lock *****
  C:              gfs2_unlink+0xdc/0x250 [gfs2]
  C:              vfs_unlink+0xa0/0xf0
S     glocks  nondisk    inode     rgrp   iopen    flock  quota jrnl    Total
S  --------- -------- -------- -------- ------- -------- ------ ---- --------
S     Total:        3      250       11      58        0      0    1      323
S   Held EX:        0        2        0       0        0      0    1        3
S
S  DLM wait:        0
@ nate_bob0       Wed Jan 27 07:24:14 2016  @host-050
 G:  s:UN n:2/4fe12 f:ldIqob t:EX d:UN/0 a:0 v:0 r:4 m:10 (inode)
  H: s:EX f:W e:0 p:17523 [python] gfs2_rename+0x344/0x8b0 [gfs2]
  H: s:SH f:AW e:0 p:17527 [python] gfs2_permission+0x176/0x210 [gfs2]
"""  # noqa: E501 - as the tool prints it


def test_all_that_glocktop_adds_is_read() -> None:
    found = Reading(GLOCKTOP)
    assert found.result.not_understood == 0
    assert [(row.object, row.fs) for row in found.of(Glock)] == [("2/183f5", "nate_bob1"), ("2/4fe12", "nate_bob0")]
    assert [row.pid for row in found.of(GlockHolder)] == [17511, 17523, 17527]
    assert [(row.queue, row.granted, row.owner_node, row.pid) for row in found.of(DlmLock)] == [
        ("granted", "PR", 2, 17511),
        ("converting", "PR", 0, 17512),
        ("waiting", None, 3, 17513),
    ]
    assert {glock_of(row.resource or "") for row in found.of(DlmLock)} == {"2/183f5"}
    assert [(row.task, row.pid, row.frames) for row in found.of(Stack)] == [("python", 17511, "gfs2_unlink vfs_unlink")]
    assert [(row.kind, row.about) for row in found.of(Event)] == [("dlm-comm-wait", "2/183f5")]
    assert {row.name: row.value for row in found.of(Setting)} == {"dirtbl_size": "1024", "rsbtbl_size": "512"}
    counters = {row.name: row.value for row in found.of(Counter)}
    assert (
        counters["requests without reply"],
        counters["Total Total"],
        counters["Held EX inode"],
        counters["DLM wait"],
    ) == (2, 323, 2, 0)


# small files, known by where they come from


@pytest.mark.parametrize(
    ("path", "text", "expected"),
    [
        ("sos-n1/sys/fs/gfs2/pond:mail/withdraw", "1\n", [("gfs2 sysfs", "pond:mail", "withdraw", "1")]),
        (
            "run1/n1/sys/kernel/config/dlm/cluster/rsbtbl_size",
            "1024\n",
            [("dlm configfs", None, "rsbtbl_size", "1024")],
        ),
        ("notes.txt", "1\n", []),
        ("", "[root@n1 ~]# cat /sys/kernel/config/dlm/cluster/*_size\n1024\n1024\n", []),
        ("", "[root@n1 ~]# cat /sys/fs/gfs2/pond:mail/withdraw | wc -l\n1\n", []),
    ],
)
def test_a_number_alone_is_known_by_its_place(path: str, text: str, expected: list[tuple[object, ...]]) -> None:
    found = [(row.source, row.scope, row.name, row.value) for row in Reading(text, path=path).of(Setting)]
    assert found == expected


def test_a_lock_space_that_is_cut_before_its_members_is_not_called_normal() -> None:
    [member] = Reading("dlm lockspaces\nname          mail\nid            0x1\n").of(Membership)
    assert (member.group, member.state) == ("mail", None)


def test_a_whole_file_of_a_bundle_needs_no_prompt() -> None:
    waiters = Reading("1f0001 3 2 V_pond_lv1\n", path="run1/n1/dlm/clvmd/clvmd_waiters").of(DlmLock)
    assert [(row.lockspace, row.resource, row.flags) for row in waiters] == [("clvmd", "V_pond_lv1", "unlock")]
    stacks = Reading("    2 S    [kthreadd]\n 4471 D    tar -c x\n", path="run1/n1/ps_hALo-tid.s.cmd").of(Stack)
    assert [(row.pid, row.state, row.task) for row in stacks] == [(2, "S", "[kthreadd]"), (4471, "D", "tar")]


def test_waits_in_a_trace_are_paired_by_process_else_by_age() -> None:
    line = "  imapd-{pid}  [002] .... {at:.6f}: gfs2_{what}: 253,4 glock 2:119 {rest}\n"
    text = "".join(
        (
            line.format(pid=5, at=10, what="glock_queue", rest="queue EX"),
            line.format(pid=6, at=11, what="glock_queue", rest="queue EX"),
            line.format(pid=6, at=13, what="promote", rest="promote EX"),
            line.format(pid=99, at=15.5, what="promote", rest="promote EX"),
            line.format(pid=7, at=16, what="glock_queue", rest="queue SH"),
            line.format(pid=7, at=17, what="glock_queue", rest="dequeue SH"),
            line.format(pid=99, at=18, what="promote", rest="promote SH"),
        )
    )
    found = Reading(text)
    assert [(row.about, row.value) for row in found.of(Event)] == [("2/77", 2.0), ("2/77", 5.5)]
    counters = {row.name: row.value for row in found.of(Counter)}
    assert (counters["2/77 waits"], counters["2/77 longest wait"], counters["2/77 mean wait"]) == (2, 5.5, 3.75)


def test_the_most_demote_requests_in_ten_seconds() -> None:
    line = "  kworker/1:2-9  [002] .... {:.6f}: gfs2_demote_rq: 253,4 glock 2:119 demote EX to UN flags:DyIqob remote\n"
    times = [100 + n * 0.5 for n in range(20)] + [200.0, 300.0]
    counters = {row.name: row for row in Reading("".join(map(line.format, times))).of(Counter)}
    assert counters["2/77 demote requests remote"].value == 22
    assert counters["2/77 demote requests remote"].interval_s == 200
    assert (counters["2/77 most demote requests"].value, counters["2/77 most demote requests"].interval_s) == (20, 10)


def test_line_numbers_of_bulk_rows_are_those_of_the_text() -> None:
    rng = random.Random(3)
    text = locks(rng, 3000)
    rows = Reading(text).of(DlmLock)
    lines = text.splitlines()
    assert all(re.match(f"{row.lkb:x} ", lines[row.line - 1]) for row in rows)
    assert all(a.line < b.line for a, b in pairwise(rows))


PLAIN = "7 one\n8 two\n9 three\n"


@pytest.mark.parametrize("odd", ["", "x", "10\n", "\n", "10 four five\n", "10 four"])
@pytest.mark.parametrize("below", ["", PLAIN])
def test_rows_of_a_stretch_in_one_pass_are_those_of_two(odd: str, below: str) -> None:
    stretch = gfs2_stretch.TextStretch(r"(\d{1,3}) ([a-z]{1,8})")
    text = PLAIN + odd + below
    whole = stretch._run.match(text)
    assert whole is not None
    expected = stretch._line.findall(text, 0, whole.end())
    assert stretch._all(text) == (expected if text.rfind("\n") < whole.end() else [])
    assert stretch._all(f"x\n{text}") == []
