"""A log right below the output of any tool: its lines are messages, whatever rows that output may have. An output right
below a line of a log: it is read as it is alone.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from parsers.records import Event
from tests.parsers.golden import Reading, case_id, cases
from tests.part import part

STAMPED: Final = {
    "kernel, syslog": "Oct  9 04:12:51 dunlin5 kernel: Out of memory: Killed process 771 (vxconfigd) total-vm:88120kB, "
    "anon-rss:65012kB, file-rss:0kB",
    "corosync, ISO": "2029-10-09T04:12:51.400211+02:00 dunlin5 corosync[912]:   [TOTEM ] A processor failed, forming "
    "new configuration.",
    "kernel, uptime": "[ 7122.514093] Buffer I/O error on dev dm-9, logical block 77120, lost async page write",
    "kernel, no head": "INFO: task ls:30412 blocked for more than 120 seconds.",
    "mmfs.log": "2029-10-09_04:12:51.822+0200: [E] Disk failure. Volume mere. rc = 5. Physical volume m_nsd3.",
    "engine": "2029/10/09 04:12:51 VCS ERROR V-16-1-10322 System dunlin6 (Node '1') changed state from RUNNING to "
    "FAULTED",
}
BARE: Final = "end_request: I/O error, dev sdq, sector 991234"
LONGEST: Final = 40_000
SAMPLES: Final = [one for one in cases() if one.stat().st_size < LONGEST and b"\r" not in one.read_bytes()]
PAIRS: Final = [(sample, name) for sample in SAMPLES for name in STAMPED]


def _is_heard(sample: Path, message: str, between: str = "\n") -> bool:
    text = sample.read_bytes().decode("utf-8", "replace").rstrip("\n")
    text = f"{text}{between}{message}\n"
    reading = Reading(text)
    return reading.adds_up and any(one.line == text.count("\n") for one in reading.of(Event))


@pytest.mark.parametrize("between", ["\n", "\n\n"], ids=["at once", "below a blank line"])
def test_a_message_is_heard_below_every_output(between: str) -> None:
    looked_at = part(PAIRS, 45, between)
    deaf = [f"{case_id(sample)}: {name}" for sample, name in looked_at if not _is_heard(sample, STAMPED[name], between)]
    assert not deaf, "\n".join(deaf)


def test_a_message_without_its_head_is_heard_below_every_output_that_is_no_log() -> None:
    """Below a stamped message it may be the rest of that one."""
    of_logs = ("scale_log/", "gfs2_glocks/kernel_log", "kernel_log/spaced")
    looked_at = part([one for one in SAMPLES if not case_id(one).startswith(of_logs)], 30, "bare")
    deaf = [case_id(one) for one in looked_at if not _is_heard(one, BARE)]
    assert not deaf, "\n".join(deaf)


LOGS: Final = {
    "mmfs.log": "2029-10-09_04:12:51.822+0200: [N] mmfsd ready",
    "mmfs.log, long": "2029-10-09_04:12:51.822+0200: [E] Failed to open the disk m_nsd3 of file system mere",
    "syslog": "Oct  9 04:12:51 dunlin5 kernel: sd 2:0:0:4: rejecting I/O to offline device",
    "engine": "2029/10/09 04:12:51 VCS NOTICE V-16-1-10322 System dunlin5 (Node '1') changed state to RUNNING",
    "fencing": "2029/10/09 04:12:51 VxFEN vxfenconfig ERROR V-11-2-1003 At least three coordinator disks must be "
    "defined",
    "corosync": "Oct 09 04:12:51 [912] dunlin5 corosync notice  [QUORUM] Members[2]: 1 2",
}
# What any text may hold: known by guess, or by one row alone.
DOUBTFUL: Final = (
    "delimited/",
    "ganesha_bare/",
    "ifconfig/one_line",
    "json_objects/",
    "latency_tables/damaged",
    "latency_tables/healthy",
    "levelled_log/damaged",
    "luxadm_ports/damaged",
    "monitor_checks/damaged",
    "scale_waiters_tabled/damaged",
    "svcs/damaged",
    "vxrlink/damaged",
)


def test_an_output_below_a_log_is_read_as_it_is_alone() -> None:
    found = [(sample, name) for sample in SAMPLES for name in LOGS if not case_id(sample).startswith(DOUBTFUL)]
    lost = []
    for sample, name in part(found, 45, "outputs below"):
        text = sample.read_bytes().decode("utf-8", "replace")
        alone, below = Reading(text).result.formats, Reading(f"{LOGS[name]}\n{text}").result.formats
        if not alone.keys() <= below.keys():
            lost.append(f"{case_id(sample)} below {name}: {alone.keys() - below.keys()}")
    assert not lost, "\n".join(lost)


def test_rows_that_look_like_messages_stay_with_their_output() -> None:
    """A name with a colon, a figure in brackets and a date are no head of a log."""
    lsblk = "NAME STATE SIZE TYPE MOUNTPOINT\nsda running 279G disk\nsdb live 1T disk\n"
    settings = (
        "Adapter #2\nVirtual Drive: 5 (Target Id: 5)\nState               : Optimal\nError Count: 0\nOct 9: [2] none\n"
    )
    assert Reading(lsblk).result.formats == {"lsblk": 1}
    assert "kernel_log" not in Reading(settings).result.formats
