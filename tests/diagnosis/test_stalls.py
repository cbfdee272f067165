"""What stood still for a moment and is quick else: packets of ping (ST-33), a disk in one sample (ST-31)."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of

LINUX: Final = """[root@rail1 ~]# ping -c 4 rail2
PING rail2 (10.31.0.2) 56(84) bytes of data.
64 bytes from rail2 (10.31.0.2): icmp_seq=1 ttl=64 time=0.182 ms
64 bytes from rail2 (10.31.0.2): icmp_seq=2 ttl=64 time={ms} ms
64 bytes from rail2 (10.31.0.2): icmp_seq=3 ttl=64 time=0.190 ms

--- rail2 ping statistics ---
3 packets transmitted, 3 received, 0% packet loss, time 2104ms
rtt min/avg/max/mdev = 0.182/0.201/{ms}/0.110 ms
"""
SOLARIS: Final = """root@rail1:~# ping -s rail2 56 3
PING rail2: 56 data bytes
64 bytes from rail2 (10.31.0.2): icmp_seq=0. time=0.412 ms
64 bytes from rail2 (10.31.0.2): icmp_seq=1. time={ms} ms
^C
"""
AIX: Final = """rail1:/ # ping -c 3 rail2
PING rail2: (10.31.0.2): 56 data bytes
64 bytes from 10.31.0.2: icmp_seq=0 ttl=255 time=0 ms
64 bytes from 10.31.0.2: icmp_seq=1 ttl=255 time={ms} ms

----rail2 PING Statistics----
3 packets transmitted, 3 packets received, 0% packet loss
round-trip min/avg/max = 0/1/{ms} ms
"""
IOSTAT: Final = """Linux 5.14.0 (rail1)  06/02/2031  _x86_64_  (16 CPU)
{samples}"""
SAMPLE: Final = """
06/02/2031 10:00:{second:02d} AM
Device            r/s     w/s     rkB/s     wkB/s r_await w_await aqu-sz rareq-sz wareq-sz  %util
{disk}          40.00   22.00   1600.00    880.00 {ms:9.2f} {ms:9.2f}   0.10    40.00    40.00   5.00
"""
SAR: Final = """Linux 5.14.0 (rail1)  06/02/2031  _x86_64_  (16 CPU)

10:00:01 AM       DEV       tps     rkB/s     wkB/s   areq-sz    aqu-sz     await     svctm     %util
"""


def _iostat(disk: str, times: tuple[float, ...]) -> str:
    samples = (SAMPLE.format(second=5 * at, disk=disk, ms=ms) for at, ms in enumerate(times))
    return IOSTAT.format(samples="".join(samples))


@pytest.mark.parametrize("text", [LINUX, SOLARIS, AIX])
@pytest.mark.parametrize(("ms", "severity"), [("2904", "medium"), ("1880", "low")])
def test_st_33_packets_that_come_back_after_seconds(tmp_path: Path, text: str, ms: str, severity: str) -> None:
    [finding] = diagnosis_of(tmp_path, text.format(ms=ms)).findings
    assert (finding.ref, finding.severity, finding.nodes) == ("ST-33", severity, ("rail1",))
    assert "rail2" in finding.title


@pytest.mark.parametrize("text", [LINUX, SOLARIS, AIX])
@pytest.mark.parametrize("ms", ["0.201", "212"])
def test_packets_of_a_room_or_of_a_continent_are_none(tmp_path: Path, text: str, ms: str) -> None:
    assert diagnosis_of(tmp_path, text.format(ms=ms)).findings == ()


@pytest.mark.parametrize("disk", ["sdb", "dm-7", "nvme0n1"])
def test_st_31_a_disk_that_stood_in_one_sample(tmp_path: Path, disk: str) -> None:
    found = diagnosis_of(tmp_path, _iostat(disk, (1.2, 1.1, 1.4, 4400.0, 1.3, 1.2))).findings
    assert [(one.ref, one.severity, one.nodes) for one in found] == [("ST-31", "medium", ("rail1",))]
    assert disk in found[0].title


def test_a_disk_that_is_slow_in_most_samples_is_saturated_and_no_moment(tmp_path: Path) -> None:
    found = diagnosis_of(tmp_path, _iostat("sdb", (1.2, 1.4, 4400.0, 4100.0, 3900.0, 4000.0))).findings
    assert {one.ref for one in found} & {"ST-04", "ST-31"} == {"ST-04"}


@pytest.mark.parametrize("times", [(1.2, 1.1, 40.0, 1.3, 1.2), (1.2, 1.1, 1.4, 1.3, 1.2)])
def test_a_short_burst_is_none(tmp_path: Path, times: tuple[float, ...]) -> None:
    assert diagnosis_of(tmp_path, _iostat("sdb", times)).findings == ()


def test_a_moment_in_a_day_of_sar(tmp_path: Path) -> None:
    rows = (
        f"10:{minute:02d}:01 AM    dev8-16  24.10  120.00  300.00  17.40  0.03  {ms:8.2f}  0.60  1.40\n"
        for minute, ms in ((1, 1.3), (2, 1.2), (3, 2910.3), (4, 1.1), (5, 1.4))
    )
    found = diagnosis_of(tmp_path, SAR + "".join(rows)).findings
    assert [one.ref for one in found] == ["ST-31"]
