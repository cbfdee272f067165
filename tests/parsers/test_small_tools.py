"""Tools with a page of output: fencing, checkpoints, volumes of LVM, RPC statistics, and the Scale daemon in the system
log.
"""

from __future__ import annotations

import time
from typing import Final

import pytest

from parsers.records import Counter, Event, Measurement, Setting
from parsers.records.states import FencingKeys
from parsers.records.waits import Waiter
from tests.parsers.golden import Reading

LVS = "  LV      VG     Attr       LSize   Pool  Origin Data%  Meta%  Move Log Cpy%Sync Convert\n"


def test_an_empty_cell_of_lvs_is_not_the_next_one() -> None:
    reading = Reading(
        f"{LVS}  home    vgreed -wi-ao---- 100.00g\n  gfs     vgreed Vwi-aotz--   3.00t thin0        61.00\n"
    )
    assert [(c.scope, c.name, c.value, c.unit) for c in reading.of(Counter)] == [("vgreed/gfs", "Data%", 61.0, "%")]
    assert [s.value for s in reading.of(Setting) if s.name == "Pool"] == ["thin0"]


def test_rows_of_lvs_without_their_heading_are_not_guessed() -> None:
    reading = Reading("  thin0   vgreed twi-aotz--   2.00t              83.20  12.33\n")
    assert (reading.of(Counter), reading.of(Setting)) == ([], [])


def test_a_key_is_of_the_device_above_it_and_of_the_node_below_it() -> None:
    head = "Reading SCSI Registration Keys...\n"
    text = (
        "Device Name: /dev/sdq\nkey[0]:\n [Character Format]: VF09E001\n [Node Format]: Cluster ID: 2529 Node ID: 1\n"
    )
    found = Reading(f"{head}{text}{text.replace('sdq', 'sdr')}").of(FencingKeys)
    assert [(m.device, m.holders, m.state) for m in found] == [("/dev/sdq", "1", "1 key"), ("/dev/sdr", "1", "1 key")]


def test_checkpoints_are_of_the_mount_of_the_command() -> None:
    text = "carp1# fsckptadm list /srv/pots\nolder:\n  ctime  = Wed 02 Mar 2033 07:00:11 PM CET\n  flags  = removable\n"
    (setting,) = Reading(text).of(Setting)
    assert (setting.node, setting.scope, setting.name, setting.value) == ("carp1", "/srv/pots", "older", "removable")


def test_the_daemons_lines_in_a_system_log_are_those_of_its_own_log() -> None:
    message = "[E] Node 10.74.12.63 (lund063) is being expelled because of an expired lease."
    logged = Reading(f"2031-06-03_22:50:00.100+0200: {message}\n").of(Event)
    forwarded = Reading(f"Jun  3 22:50:01 lund02 mmfs[77]: 2031-06-03_22:50:00.100+0200: {message}\n").of(Event)
    events = [(event.at, event.zone_min, event.kind, event.about, event.text) for event in logged]
    assert events == [(event.at, event.zone_min, event.kind, event.about, event.text) for event in forwarded]
    assert [event.node for event in forwarded] == ["lund02"]


def test_kernel_lines_between_them_are_still_read() -> None:
    kernel = "Jun  3 22:50:02 lund02 kernel: LLT INFO V-14-1-10205 link 1 (igb3) node 2 in trouble"
    reading = Reading(
        f"Jun  3 22:50:01 lund02 mmfs: Quorum loss\n{kernel}\nJun  3 22:50:03 lund02 mmfs: Quorum achieved\n"
    )
    events = sorted(reading.of(Event), key=lambda event: event.line)
    assert [(event.line, event.source) for event in events] == [(1, "mmfs.log"), (2, "llt"), (3, "mmfs.log")]


def test_a_long_waiter_in_the_system_log_has_the_time_of_its_line() -> None:
    text = (
        "2031-06-03T22:50:41+02:00 lund07 mmfs: [A] Unexpected long waiter detected: Waiting 902.4160 sec "
        "since 22:35:38, on node lund09, "
    )
    (waiter,) = Reading(
        f"{text}SharedHashTabFetchHandlerThread 5214: on MsgRecordCondvar, reason 'RPC wait' for tmMsgTellAcquire1\n"
    ).of(Waiter)
    assert (waiter.node, waiter.seconds, waiter.at) == ("lund09", 902.416, 1_938_293_441_000_000)


@pytest.mark.parametrize(
    "line",
    [
        f"{LVS}  {'a ' * 50_000}",
        f"{LVS}  gfs{' ' * 50_000}vgreed",
        f"I/O Fencing Cluster Information:\n Fencing {'A ' * 50_000}",
        f"[Node Format]: Cluster ID: {'1 ' * 50_000}",
        f"  ctime {' ' * 50_000}= Thu",
        f"  ctime = Thu x\n  # of {'a ' * 50_000}",
        f"_stats_ _tmu_ sec {'_av_ ' * 50_000}",
        f"_rpcSize_ _{'a_' * 50_000}",
        f"Jun  3 22:50:01 lund02 mmfs: Error=MMFS_{'A_' * 50_000}",
        f"Jun  3 22:50:01 {'l' * 50_000} mmfs: x",
    ],
)
def test_hostile_lines_take_linear_time(line: str) -> None:
    began = time.process_time()
    assert Reading(f"{line}\n" * 2).adds_up
    assert time.process_time() - began < 3


SHARES: Final = (1, 5, 10, 20, 30, 40, 50, 60, 70, 80, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 0, 0, 0)


def _of_fio(rate: int, requests: int, longest: int, mean: float, thousandth: int) -> list[str]:
    shares = [f"{share:.6f}%={thousandth if share == 99.9 else 100}" for share in SHARES]
    figures: list[float | str] = [40960, rate, requests, 60012, 1, 9, 1.5, 0.1, 412, longest, mean, 9.9, *shares]
    return [str(one) for one in (*figures, 412, longest, mean, 9.9, 100, 200, "100.000000%", 150.0, 3.2)]


@pytest.mark.parametrize("above", ["", "[root@carp1 ~]# fio --output-format=terse job.fio\n"])
def test_results_of_fio_on_one_line(above: str) -> None:
    nothing, write = ["0"] * 41, _of_fio(2048, 170, 9_120_000, 93_120.1, 2_120_000)
    row = ";".join(["3", "fio-3.28", "randw", "0", "0", *nothing, *write, "1.2%", "3.4%", "1000", "0", "12"])
    reading = Reading(f"{above}{row}\n")
    assert reading.result.not_understood == 0
    assert {one.what: (one.value, one.unit) for one in reading.of(Measurement)} == {
        "randw write bw": (2.0, "MiB/s"),
        "randw write iops": (170.0, "1/s"),
        "randw write clat mean": (93.1201, "ms"),
        "randw write clat max": (9120.0, "ms"),
        "randw write clat p99.9": (2120.0, "ms"),
    }
    cut = Reading(row[:200] + "\n")
    assert (cut.of(Measurement), cut.result.not_understood) == ([], 1)
