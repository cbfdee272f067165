"""Waiters read in bulk are the same, row for row, as waiters read line by line, whatever was done to the text."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from parsers.formats.scale.waits import rows as scale_rows
from parsers.formats.scale.waits import waiters as scale_waiters
from parsers.formats.scale.waits import waiters_ahead as scale_waiters_ahead
from parsers.formats.scale.waits import waiters_bulk as scale_waiters_bulk
from parsers.formats.scale.waits.line import WaiterLine, read_waiter
from parsers.formats.scale.waits.waiters_names import named, named_at_end
from parsers.records import Repeat
from parsers.records.kinds import RECORD_TYPES
from parsers.records.waits import Waiter, WaiterShape
from tests.parsers.golden import Reading

THREADS = ("Prefetch worker", "SG mgr log migrate", "Msg handler mnMsgForceInodeFlags", "NSD I/O Worker")
MESSAGES = ("nsdMsgReadExt", "tmMsgRevoke", "getData", "ccMsgPing")
LOCKS = (
    ("MsgRecord", "waiting for RPC replies"),
    ("LogFile buffer state", "force wait for write complete"),
    ("QosIoTbt", "tbtGetTokens"),
)
NODES = ("oslo1.lab", "oslo2.lab", "Oslo3")
NEVER = 1 << 60


def detail(rng: random.Random, *, old: bool) -> str:
    peer = f"10.9.{rng.randrange(2)}.{rng.randrange(9)}" + ("" if old else f" <c0n{rng.randrange(9)}>")
    lock = f"0x{rng.randrange(1 << 44):X}"
    sync = f"{lock} ({lock})" if old else lock
    name, reason = rng.choice(LOCKS)
    return rng.choice(
        (
            f"for NSD I/O completion on node {peer}",
            f"for I/O completion on disk dm-{rng.randrange(20)}",
            "for I/O completion",
            f"on ThCond {sync} ({name}), reason '{reason}' for {rng.choice(MESSAGES)} on node {peer}",
            f"on ThCond {sync} (PitCondvar), reason 'Waiting until pit work is complete' (Long)",
            f"on ThMutex {sync} (LogFile instance)",
            f"delaying for {rng.random():.3f} more seconds, reason 'waiting for deferred deletion'",
        )
    )


def waiter(rng: random.Random, clock_s: float, *, old: bool) -> str:
    age = rng.lognormvariate(0.4, 2.0) if rng.random() > 0.01 else 90_000 * rng.random()
    thread = rng.choice(THREADS)
    if old:
        return f"0x{rng.randrange(1 << 44):X} waiting {age:.9f} seconds, {thread}: {detail(rng, old=True)}"
    begun = int(clock_s - age) % 86_400
    watched = rng.choice(("monitored", "monitored", "ignored"))
    stamp = f"{begun // 3600:02d}:{begun // 60 % 60:02d}:{begun % 60:02d}"
    name = "".join(word.capitalize() for word in thread.replace("/", "").split()) + "Thread"
    return (
        f"Waiting {age:.4f} sec since {stamp}, {watched}, thread {rng.randrange(10_000, 99_999)} {name}: "
        f"{detail(rng, old=False)}"
    )


def heading(rng: random.Random, clock_s: float, *, old: bool, plain: bool) -> list[str]:
    day, rest = divmod(int(clock_s), 86_400)
    stamp = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    banner = "===== dump waiters =====" if old else "=== mmdiag: waiters ==="
    kind = 0 if plain else rng.randrange(6)
    if kind == 1:
        return [f"2031-06-{day + 1:02d} {stamp}"]
    if kind == 2:
        return [f"[root@oslo{rng.randrange(4)} ~]# mmdiag --waiters", banner]
    if kind == 3:
        return ["### END DATA COLLECTION 2031/06/01 10:00:00 ###", "", banner]
    if kind == 4:
        return [banner]
    return [
        f"### BEGIN DATA COLLECTION 2031/06/{day + 1:02d} {stamp} {rng.choice(NODES)} ###",
        *([""] * rng.randrange(2)),
        banner,
    ]


def dumps(seed: int, count: int, *, plain: bool = False) -> list[str]:
    rng = random.Random(seed)
    lines: list[str] = []
    clock_s = 82_000 + rng.random() * 4_000
    old = rng.random() < 0.5
    for _ in range(count):
        clock_s += rng.random() * 30
        old = old if rng.random() < 0.8 else not old
        skew = rng.choice((0, 0, 0, 0, 5, 400, -400)) if not plain else 0
        lines += heading(rng, clock_s, old=old, plain=plain)
        lines += [waiter(rng, clock_s + skew, old=old) for _ in range(rng.randrange(1, 30))]
    return lines


def wrap(rng: random.Random, line: str) -> str:
    at = rng.choice((line.rfind(" ", 0, 105), line.rfind(" ", 0, 66), rng.randrange(len(line) + 1), 80, 150))
    return line if not 0 < at < len(line) else f"{line[:at]}\n{line[at:].lstrip() if rng.random() < 0.7 else line[at:]}"


def damage(rng: random.Random, line: str) -> str:
    """One kind of damage that uploads show."""
    return rng.choice(
        (
            lambda: wrap(rng, line),
            lambda: wrap(rng, wrap(rng, line)),
            lambda: line[: rng.randrange(len(line) + 1)],
            lambda: line[rng.randrange(len(line) + 1) :],
            lambda: f"> {line}",
            lambda: f"- {line}",
            lambda: f"{rng.choice(NODES)}: {line}",
            lambda: f"{rng.choice(NODES)}:  {line}",
            lambda: line + line,
            lambda: line + "  ",
            lambda: f"{line} <<< look here",
            lambda: line.replace(" ", "\u00a0", 3),
            lambda: line.replace(".", ",", 1),
            lambda: line.replace(":", "", 1),
            lambda: line.replace(")", "", 1),
            lambda: line.replace("'", "", 1),
            lambda: line.replace("'", "’"),
            lambda: line.replace("_", "\\_").replace("<", "&lt;").replace(">", "&gt;"),
            lambda: f"\x1b[1m{line}\x1b[0m",
            lambda: f"{line}\n",
            lambda: f"{line}\n[root@oslo9 ~]# uptime",
            lambda: f"{line}\nThen we looked at the disks and saw nothing.",
            lambda: f"{line}\nflag                value            description",
            lambda: f"{line}\n...",
            lambda: f"{line}\n=== mmdiag: network ===",
            lambda: f"{line}\n===== {rng.choice(NODES)}: mmdiag --waiters =====",
            lambda: f"{line}\n--More--(12%)",
            lambda: f"{line}\nn node 10.9.0.3 <c0n4>",
            lambda: "".join(rng.choice((char, char, char, chr(rng.randrange(32, 127)))) for char in line),
        )
    )()


def damaged(seed: int, count: int, share: float) -> str:
    rng = random.Random(seed)
    return "\n".join(
        damage(rng, line) if rng.random() < share else line for line in dumps(seed, count)
    ) + "\n" * rng.randrange(2)


@contextmanager
def bulk_from(waiters: int, *, window: int = 64 << 10, held: int = scale_rows.HELD_ROWS) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scale_waiters, "BULK_AFTER_WAITERS", waiters)
        patch.setattr(scale_waiters_ahead, "SMALLEST_WINDOW", min(window, 2_000))
        patch.setattr(scale_waiters_ahead, "LARGEST_WINDOW", window)
        patch.setattr(scale_waiters_ahead, "AHEAD_FROM", 0)
        patch.setattr(scale_waiters_ahead, "WORTH_LINES", 0)
        patch.setattr(scale_rows, "HELD_ROWS", held)
        yield


def read_both_ways(
    text: str, *, window: int = 64 << 10, held: int = 50_000, block_bytes: int = 1 << 20
) -> tuple[Reading, Reading]:
    with bulk_from(NEVER, held=held):
        slow = Reading(text, block_bytes=block_bytes)
    with bulk_from(0, window=window, held=held):
        fast = Reading(text, block_bytes=block_bytes)
    return slow, fast


def assert_equal(slow: Reading, fast: Reading) -> None:
    assert slow.adds_up
    assert fast.result == slow.result
    for kind in RECORD_TYPES:
        if kind is Repeat:
            continue  # copies inside bulk stretches are not looked for
        for ours, theirs in zip(fast.of(kind), slow.of(kind), strict=True):
            assert ours == theirs


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.part("damaged waiters", 2)
def test_damaged_text_gives_the_same_rows_both_ways(seed: int) -> None:
    slow, fast = read_both_ways(damaged(seed, 40, share=(0.0, 0.01, 0.05, 0.3)[seed % 4]))
    assert_equal(slow, fast)
    assert len(slow.of(Waiter)) > 100


@pytest.mark.parametrize("seed", range(40, 60))
@pytest.mark.part("windows of waiters", 1)
def test_windows_blocks_and_held_rows_of_any_size_give_the_same_rows(seed: int) -> None:
    rng = random.Random(seed)
    text = damaged(seed, 25, share=0.03)
    window, held, block_bytes = rng.choice((300, 900, 5_000)), rng.choice((7, 40)), rng.choice((400, 3_000, 50_000))
    assert_equal(*read_both_ways(text, window=window, held=held, block_bytes=block_bytes))


def test_plain_dumps_are_read_in_bulk_and_nothing_is_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "\n".join(dumps(7, 300, plain=True))
    slow_rows: list[int] = []
    add = scale_rows.Rows.add

    def counted(rows: scale_rows.Rows, line: int, waiter: WaiterLine) -> None:
        slow_rows.append(line)
        add(rows, line, waiter)

    monkeypatch.setattr(scale_rows.Rows, "add", counted)
    with bulk_from(0):
        reading = Reading(text)
    waiters = sum("aiting " in line for line in text.splitlines())
    assert len(reading.of(Waiter)) == waiters
    assert reading.result.not_understood == 0
    assert len(slow_rows) < waiters / 20


def test_dumps_go_on_from_block_to_block_without_the_line_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    run = scale_waiters_bulk.Bulk.run

    def counted(bulk: scale_waiters_bulk.Bulk, flush: Callable[[], None]) -> None:
        runs.append(1)
        run(bulk, flush)

    monkeypatch.setattr(scale_waiters_bulk.Bulk, "run", counted)
    text = "\n".join(dumps(8, 400, plain=True))
    slow, fast = read_both_ways(text, block_bytes=20_000)
    assert_equal(slow, fast)
    blocks = len(text) // 20_000
    assert blocks > 30
    assert len(runs) < blocks / 3


@pytest.mark.parametrize("break_at", [1, 2, 3])
def test_a_waiter_that_is_wrapped_where_a_block_ends_is_whole(break_at: int) -> None:
    lines = dumps(11, 60, plain=True)
    size = sum(len(line) + 1 for line in lines[:600])
    words = lines[600].split(" ")
    wrapped = [" ".join(words[:-break_at]), " ".join(words[-break_at:])]
    block_bytes = size + len(wrapped[0]) + 1
    assert_equal(*read_both_ways("\n".join([*lines[:600], *wrapped, *lines[601:]]), block_bytes=block_bytes))


def alternating(seed: int, count: int, *, marks: bool) -> str:
    """Dumps whose style changes from each to the next; without ``marks`` nothing but a blank line, or nothing at all,
    stands between.
    """
    rng = random.Random(seed)
    lines: list[str] = []
    for number in range(count):
        old, clock_s = number % 2 == 0, 40_000 + number * 30.0
        lines += heading(rng, clock_s, old=old, plain=True) if marks else [""] * rng.randrange(2)
        lines += [waiter(rng, clock_s, old=old) for _ in range(rng.randrange(1, 30))]
    return "\n".join(lines)


@pytest.mark.parametrize("marks", [True, False])
@pytest.mark.parametrize("seed", range(60, 66))
@pytest.mark.part("styles of waiters", 2)
def test_dumps_whose_style_alternates_give_the_same_rows_both_ways(seed: int, *, marks: bool) -> None:
    window = (300, 5_000, 64 << 10)[seed % 3]
    slow, fast = read_both_ways(alternating(seed, 40, marks=marks), window=window)
    assert_equal(slow, fast)
    assert len(slow.result.formats) == (2 if marks else 1)


def test_dumps_whose_style_alternates_are_read_in_bulk(monkeypatch: pytest.MonkeyPatch) -> None:
    slow_rows: list[int] = []
    add = scale_rows.Rows.add

    def counted(rows: scale_rows.Rows, line: int, waiter: WaiterLine) -> None:
        slow_rows.append(line)
        add(rows, line, waiter)

    monkeypatch.setattr(scale_rows.Rows, "add", counted)
    with bulk_from(0):
        reading = Reading(alternating(9, 300, marks=True))
    assert reading.result.formats == {"scale_waiters_old": 150, "scale_waiters_new": 150}
    assert len(slow_rows) < len(reading.of(Waiter)) / 20


def test_a_full_table_of_shapes_begins_anew_and_numbers_go_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("parsers.formats.scale.waits.detail.SHAPES_KEPT", 20)
    slow, fast = read_both_ways("\n".join(dumps(3, 60)))
    assert_equal(slow, fast)
    numbers = [shape.shape for shape in fast.of(WaiterShape)]
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(numbers) > 20
    assert {waiter.shape for waiter in fast.of(Waiter)} <= set(numbers)


def test_short_runs_are_left_to_the_line_loop_for_longer_and_longer() -> None:
    windows = scale_waiters_ahead.Windows()
    tries = 0
    for _ in range(10_000):
        if windows.is_worth_a_try():
            tries += 1
            windows.gave(24)
    assert 5 <= tries <= 20
    windows.gave(scale_waiters_ahead.WORTH_LINES)
    assert windows.is_worth_a_try()


DELAYED = "OpenHandlerThread: delaying for {} more seconds, reason: waiting for deferred deletion"


def test_the_time_of_a_delay_is_no_part_of_what_a_waiter_says() -> None:
    (one, first), (other, second) = (named_at_end(DELAYED.format(time)) for time in ("1.204", "0.031"))
    assert one == other
    assert first is not None
    assert second is not None
    read = read_waiter(f"Waiting 2.0000 sec since 10:00:00, monitored, thread 41 {DELAYED.format('1.204')}")
    assert read is not None
    assert named(read.shape, first) == read.shape
    assert named(read.shape, second) == read.shape._replace(delay_s=0.031)


@pytest.mark.parametrize(
    "end",
    [
        DELAYED.format("1.204").replace("deferred", "delayed"),
        DELAYED.format("soon"),
        DELAYED.format("1,204"),
        DELAYED.format("1.204").replace("more seconds, ", "more seconds"),
    ],
)
def test_a_delay_that_is_not_plain_stays_in_its_line(end: str) -> None:
    assert named_at_end(end)[1] is None
