"""What a terminal, a ticket or a collector puts in front of every line of a session must not cost a record, prompts
included.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

import pytest

from parsers.records import CommandRun, Narration, Repeat, Section, Skipped
from parsers.records.kinds import RECORD_TYPES
from tests.parsers.golden import FIXTURES, Reading

APART = {Section, Skipped, CommandRun, Repeat, Narration}
FORMATS = (
    "cfscluster", "checkpoints", "cluster_groups", "cman_status", "cvm", "dlm_conf", "dlm_locks", "dlm_plocks",
    "dlm_tool_status",
    "dlm_waiters", "ethtool", "fsadm_directories", "fsadm_extents", "gabconfig", "gabport", "gabshow", "gfs2_glockfd",
    "gfs2_glocks", "gfs2_number_files", "gfs2_sbstats", "glmdump", "ip_link", "lltconfig", "lltshow", "lltstat",
    "lltstat_config",
    "lltstat_nodes", "lltstat_ports", "llttab", "multipath", "ps", "tunegfs2", "uname", "vmstat", "vxfsstat", "vxprint",
    "vxrlink", "vxstat", "vxtunefs",
)  # fmt: skip


def _each(change: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: "".join(f"{change(line)}\n" for line in text.splitlines())


DISGUISES: dict[str, Callable[[str], str]] = {
    "bars": _each(lambda line: f"| {line}"),
    "colours": _each(lambda line: f"\x1b[32m{line}\x1b[0m\x1b[K"),
    "stamps of ts": _each(lambda line: f"Mar 12 09:15:01 {line}"),
    "stamps of a container": _each(lambda line: f"2030-03-12T09:15:01.123456789Z {line}"),
    "line ends of Windows": lambda text: text.replace("\n", "\r\n"),
}


def counts(text: str) -> Counter[str]:
    reading = Reading(text)
    assert reading.adds_up
    return Counter({kind.__name__: len(reading.of(kind)) for kind in RECORD_TYPES if kind not in APART})


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("disguise", DISGUISES)
def test_a_session_in_disguise_gives_the_same_records(name: str, disguise: str) -> None:
    text = (FIXTURES / name / "typical.txt").read_text(encoding="utf-8")
    assert counts(DISGUISES[disguise](text)) == counts(text)


def test_a_year_or_a_zone_is_no_part_of_a_stamp_that_had_none_at_the_prompt() -> None:
    table = (
        "LLT port information:\n    Port  Usage  Cookie\n    0     gab    0x0\n          opens:    0 1\n     "
        "     connects: 0 1\n"
    )
    plain = Reading(f"carp1# lltstat -p\n{table}")
    stamped = Reading("".join(f"Mar 12 09:15:01 {line}\n" for line in f"carp1# lltstat -p\n{table}".splitlines()))
    assert [(s.format, s.node, s.records) for s in stamped.of(Section)] == [
        (s.format, s.node, s.records) for s in plain.of(Section)
    ]
