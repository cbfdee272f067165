"""Logs in which programs take turns: lines with which sections begin and end are known by their shape, and all is read
as if each had been looked at.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

import pytest

from parsers.formats.host.logs.quiet_lines import QuietLines
from parsers.layouts.plain_shapes import PlainShapes
from parsers.records import Event, Section
from parsers.sections.structure import Structure
from tests.parsers.golden import FIXTURES
from tests.parsers.test_plain_shapes import read_of

SAMPLES = ("kernel_log", "scale_syslog", "dlm_controld", "bare_messages", "scale_log_bare")


def stamp(at: int) -> str:
    return f"Mar  2 {7 + at // 3600:02d}:{at // 60 % 60:02d}:{at % 60:02d}"


def scale(at: int) -> str:
    kinds = (
        f"[N] Node 10.60.0.{at % 200} (wren{at % 200:03d}) lease renewal is overdue. Pinging to check if it is alive",
        f"[E] Disk failure. Volume work{at % 4}. rc = {5 + at % 3}. Physical volume work{at % 4}_nsd{at % 90:03d}.",
        f"[I] Accepted and connected to 10.60.1.{at % 200} wren{at % 200:03d} <c0n{at % 200}>:[0]",
        f"[N] The unexpected long waiter on thread {60000 + at} has disappeared in {300 + at % 900} seconds.",
    )
    return f"{stamp(at)} wren4 mmfs[20436]: {kinds[at % len(kinds)]}"


def others(at: int) -> str:
    kinds = (
        f"sshd[{4000 + at}]: Accepted publickey for ann from 10.9.6.{at % 250} port {20000 + at} ssh2",
        f"kernel: perf: interrupt took too long ({7000 + at} > {8000 + at}), lowering perf_event_max_sample_rate",
        f"systemd[1]: Started Session {3000 + at} of user ann.",
        f"kernel: device-mapper: multipath: Failing path 8:{at % 99}.",
    )
    return f"{stamp(at)} wren4 {kinds[at * 7 % len(kinds)]}"


def turns(count: int) -> Iterator[str]:
    for at in range(count):
        yield others(at)
        if at % 5:
            yield scale(at)


def damaged(lines: list[str], chance: random.Random) -> Iterator[str]:
    for line in lines:
        what = chance.randrange(40)
        if what == 0:
            yield line[: chance.randrange(len(line))]
        elif what == 1:
            yield from ("", line)
        elif what == 2:
            yield f"> {line}"
        elif what == 3:
            yield from ("[root@wren4 ~]# tail -f /var/log/messages", line)
        elif what == 4:
            yield line.replace("wren4", "wren5")
        elif what == 5:
            yield line.replace("[", "\N{NO-BREAK SPACE}[")
        elif what == 6:
            yield from (line, "and so it went on for the rest of the night, as far as we know")
        elif what == 7:
            cut = chance.randrange(30, 80)
            yield from (line[:cut], line[cut:])
        else:
            yield line


def as_if_nothing_was_known(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Structure, "begun", lambda self: None)
    made: Callable[..., None] = QuietLines.__init__

    def forgetful(self: QuietLines) -> None:
        made(self)
        self.foreign = _Nothing()

    monkeypatch.setattr(QuietLines, "__init__", forgetful)


class _Nothing(set[bytes]):
    def add(self, shape: bytes) -> None:
        """Nothing is kept."""


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.part("turns", 2)
def test_a_log_in_which_programs_take_turns_reads_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(seed)
    lines = list(turns(250))
    text = "\n".join(damaged(lines, chance) if seed else lines) + "\n"
    known = read_of(text)
    as_if_nothing_was_known(monkeypatch)
    assert known == read_of(text)


@pytest.mark.parametrize("seed", range(2))
def test_samples_whose_lines_are_mixed_read_the_same(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(f"mixed {seed}")
    pools = [(FIXTURES / name / "typical.txt").read_text("utf-8").splitlines() for name in SAMPLES]
    lines = [chance.choice(chance.choice(pools)) for _ in range(400)]
    known = read_of("\n".join(lines) + "\n")
    as_if_nothing_was_known(monkeypatch)
    assert known == read_of("\n".join(lines) + "\n")


def test_each_turn_is_a_section_of_its_program() -> None:
    _, columns = read_of("\n".join(turns(300)) + "\n")
    formats = columns[Section]["format"]
    assert set(formats) == {"kernel_log", "scale_syslog"}
    assert formats.count("scale_syslog") == 240
    last = columns[Section]["last_line"]
    assert all(end < begin for end, begin in zip(last, columns[Section]["line"][1:], strict=False))
    assert len(columns[Event]["kind"]) > 200


def test_lines_that_are_known_are_not_looked_at_again(monkeypatch: pytest.MonkeyPatch) -> None:
    looked = []
    ends = Structure.ends

    def counted(self: Structure, *given: object) -> bool:
        looked.append(given)
        return ends(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(Structure, "ends", counted)
    text = "\n".join(turns(600)) + "\n"
    read_of(text)
    few = len(looked)
    looked.clear()
    monkeypatch.setattr(PlainShapes, "has", lambda self, key: False)
    read_of(text)
    assert 2 * few < len(looked)
