"""Whatever the bytes, reading ends in records or skipped lines: no exception, every line counted once, in
linear time.
"""

from __future__ import annotations

import random
import re
import time
from collections.abc import Callable

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.every import every
from tests.parsers.fuzzing import fault, hurt
from tests.parsers.golden import Reading, case_id, cases
from tests.part import part, tries

LIMIT_S = 5.0
LONG = 40_000  # a pattern that goes back over all of it for each character takes minutes
SMALL = 6_000
CUTS = 10
IN_A_RUN = 1
"""Of the cuts, the ways of damage, and the long lines of a sample; ``make matrix`` takes all."""
FORMATS = 24
"""Of all formats, each time one sample."""
IDS = [case_id(path) for path in cases()]
SAMPLES = [path.read_bytes() for path in cases()]
QUIET = settings(max_examples=tries(60, 30), deadline=None, suppress_health_check=list(HealthCheck))
NUMBER = re.compile(rb"(?<![\w.])[-+]?\d[\d.,]*(?![\w.])")
ENDLESS = (b"1e309", b"-inf", b"NaN", b"9" * 400, b"-" + b"9" * 5000, b"9" * 25, b"\xc2\xb2", b"1_000", b"[" * 2000)
OF_FORMAT: dict[str, list[int]] = {}
for _index, _path in enumerate(cases()):
    OF_FORMAT.setdefault(_path.parent.name, []).append(_index)


def one_of_each(*key: str) -> list[int]:
    """A sample of each of so many formats: ``make matrix`` takes all of all."""
    formats = part([*OF_FORMAT], FORMATS, *key)
    return [index for name in formats for index in part(OF_FORMAT[name], 1, *key, name)]


LINES = [line for sample in SAMPLES for line in sample.split(b"\n") if line]


def check(data: bytes, *, block_bytes: int = 4 << 20) -> None:
    began = time.process_time()
    reading = Reading(data, path="sample.txt", block_bytes=block_bytes)
    assert time.process_time() - began < LIMIT_S
    assert reading.adds_up
    records = [record for kind in reading.sink.columns for record in reading.of(kind)]
    assert all(0 <= record.line <= reading.result.total for record in records)


@QUIET
@given(st.binary(max_size=2_000))
def test_t12_t14_any_bytes(data: bytes) -> None:
    check(data)


@QUIET
@given(st.text(max_size=1_000))
def test_t12_t14_any_text(text: str) -> None:
    check(text.encode("utf-8", "surrogatepass"))


@QUIET
@given(st.lists(st.sampled_from(LINES), max_size=60))
def test_t12_t14_any_lines_of_all_samples_in_any_order(lines: list[bytes]) -> None:
    check(b"\n".join(lines))


@QUIET
@given(hurt([sample[:SMALL] for sample in SAMPLES]))
def test_a_sample_with_odd_cells_and_lines(data: bytes) -> None:
    """A part of what ``make fuzz`` does; no reader gives up its section."""
    assert fault(data) == ""


FOUND = {
    "two signs in a row of vmstat of AIX": b"System configuration: lcpu=4 mem=8192MB\n\n"
    b"kthr    memory              page              faults        cpu\n"
    b"----- ----------- ------------------------ ------------ -----------\n"
    b" r  b   avm   fre  re  pi  po  fr   sr  cy  in   sy  cs us sy id wa\n"
    b"--2  0 812044 90960   0   0   0   0    0   0 251 1012  610  5  3 91  1\n"
    b" 3  0 812101 90812   0   0   0   0    0   0 263 1105  633  6  3 90  1\n",
    "three numbers in one of a metric": b"# HELP gpfs_waiters Waiters\n# TYPE gpfs_waiters gauge\n"
    b'gpfs_waiters{node="n1"} 1.2.3\ngpfs_waiters{node="n2"} 1e309\ngpfs_waiters{node="n3"} 7\n',
    "an endless number of a REST answer": b'{ "mmDiagWaitersParams" : [ {\n    "threadId" : 1e30996217,\n'
    b'    "threadName" : "NSDThread",\n    "waitTime" : 4.5\n  } ] }\n',
    "a line of mmpmon without a key": b"_mmpmon::rpc_s_ _req_ size _n_ 10.9.1.4 _nn_ fern2 _rc_ 0 _t_ 1937340391\n"
    b"_rpcSize_ _size_ 64 _nsecs_ 60\n" + b"_mmpmon:: " * 600 + b"\n"
    b"_stats_ _tmu_ sec _av_ 0.002, _min_ 0.001, _max_ 0.014, _cnt_ 37\n",
    "two reasons": b"mmdiag:waiters:HEADER:version:reserved:reserved:threadId:threadName:waitStartTime:"
    b"waitTime:isMonitored:condVarAddr:condVarName:condVarReason:mutexAddr:mutexName:auxReason:delayTime:delayReason:\n"
    b"mmdiag:waiters:0:1:::40226:NSDThread:2031-03-04_08%3A56%3A08+0100:0.5:no:11A2B3C0:MsgRecordCondvar:RPC wait for "
    b"1%3A2%3A3 on node 10.9.1.4 <c0n7>::::2.5:a second reason:\n",
    "a nest in a row of iostat as JSON": b'{"sysstat": {"hosts": [ {\n"nodename": "fern2",\n"statistics": [ {\n'
    b'"timestamp": "03/09/31 20:00:05",\n"disk": [\n{"disk_device": "sda", "r/s": 0.13, "util":' + b"[" * 3000 + b"\n"
    b'{"disk_device": "sdb", "r/s": 0.13, "w/s": 0.11, "rkB/s": ' + b"9" * 400 + b', "util": 1.00}\n]}]}]}}\n',
    "endless figures in columns": b"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n"
    b"           1e309    0.00    inf     nan    0.00   99.70\n\n"
    b"Device            tps    kB_read/s    kB_wrtn/s    kB_read    kB_wrtn\n"
    b"sda              1e308      41.00     -inf     812345     412345\n",
    "a figure of two notations in rows of an NFS client": b"rook7:/fs1/render mounted on /mnt/render:\n"
    b"           ops/s       rpc bklog\n         311.204       0.000\n"
    b"read:              ops/s            kB/s           kB/op         retrans    avg RTT (ms)    avg exe (ms)\n"
    b"          1.000.000,510       13006.080         128.000         9 (0.4%)        1840.331        6212.870\n",
}
"""What ``make fuzz`` found, cut down to its smallest."""


@pytest.mark.parametrize("data", FOUND.values(), ids=FOUND)
def test_what_was_found_costs_its_line_only(data: bytes) -> None:
    assert fault(data) == ""


@pytest.mark.parametrize("odd", ENDLESS, ids=lambda odd: odd[:6].decode())
def test_no_figure_is_endless(odd: bytes) -> None:
    """Some of the numbers of a sample are others: none becomes infinite, or stops its reader."""
    for index in part(range(len(SAMPLES)), IN_A_RUN * 10, "endless", odd):
        for share in (0.05, 0.5):
            assert fault(_with_numbers(SAMPLES[index][: 2 * SMALL], odd, share)) == "", IDS[index]


def _with_numbers(sample: bytes, odd: bytes, share: float) -> bytes:
    rng = random.Random(len(sample))
    return NUMBER.sub(lambda found: odd if rng.random() < share else found[0], sample)


def shown(index: int) -> str:
    return IDS[index]


@pytest.mark.timeout(1800)
@every(part(range(len(SAMPLES)), len(SAMPLES) // 2, "cut anywhere"), shown)
def test_a_sample_cut_anywhere(index: int) -> None:
    sample, rng = SAMPLES[index], random.Random(index)
    cuts = [sorted(rng.choices(range(len(sample) + 1), k=2)) for _ in range(CUTS)]
    for start, end in part(cuts, IN_A_RUN, "cuts", index):
        check(sample[start:end])


def _shuffled(sample: bytes, rng: random.Random) -> bytes:
    lines = sample.split(b"\n")
    return b"\n".join(rng.sample(lines, len(lines)))


def _with_nul(sample: bytes, rng: random.Random) -> bytes:
    return bytes(byte for char in sample for byte in ((char, 0) if rng.random() < 0.1 else (char,)))


def _flipped(sample: bytes, rng: random.Random) -> bytes:
    return bytes(char ^ (1 << rng.randrange(8)) if rng.random() < 0.03 else char for char in sample)


def _cut_lines(sample: bytes, rng: random.Random) -> bytes:
    return b"\n".join(line[: rng.randrange(len(line) + 1)] for line in sample.split(b"\n"))


DAMAGE: dict[str, Callable[[bytes, random.Random], bytes]] = {
    "glued to another": lambda sample, rng: sample.rstrip(b"\n") + rng.choice(SAMPLES),
    "shuffled": _shuffled,
    "repeated": lambda sample, rng: sample * 7 + b"\n".join(line for line in sample.split(b"\n") for _ in range(3)),
    "with NUL bytes": _with_nul,
    "with flipped bits": _flipped,
    "without line ends": lambda sample, rng: sample.replace(b"\n", b" "),
    "with cut lines": _cut_lines,
    "quoted": lambda sample, rng: b"\n".join(b"> > " + line for line in sample.split(b"\n")),
    "with wide gaps": lambda sample, rng: sample.replace(b" ", b" " * 200),
    "in small blocks": lambda sample, rng: sample,
}


@pytest.mark.timeout(1800)
@every(one_of_each("damaged"), shown)
def test_a_damaged_sample(index: int) -> None:
    for name, damage in part([*DAMAGE.items()], IN_A_RUN, "damage", index):
        rng = random.Random(f"{index} {name}")
        check(damage(SAMPLES[index], rng), block_bytes=64 if name == "in small blocks" else 4 << 20)


@pytest.mark.timeout(1800)
@every(one_of_each("one of each"), shown)
def test_t13_one_very_long_line_is_read_in_linear_time(index: int) -> None:
    sample = SAMPLES[index]
    flat = sample.replace(b"\n", b" ")
    check((flat * (LONG // max(1, len(flat)) + 1))[:LONG] + b"\n" + sample)


@pytest.mark.timeout(1800)
@every(one_of_each("stretched"), shown)
def test_t13_every_line_of_a_sample_stretched_to_a_long_one(index: int) -> None:
    """Each line repeated on itself, and its middle blown up with blanks and digits: what makes careless
    patterns slow.
    """
    sample = SAMPLES[index]
    lines = {line for line in sample.split(b"\n") if line}
    rng = random.Random(index)
    chosen = rng.sample(sorted(lines), min(8, len(lines)))
    long_ones = [(line, filling) for line in chosen for filling in (b" ", b"1", b"a", line + b" ")]
    for line, filling in part(long_ones, IN_A_RUN, "long", index):
        middle = len(line) // 2
        check(line[:middle] + (filling * 20_000)[:20_000] + line[middle:])
