"""Who has the kernel list what is blocked sees something hang: a log with such a list is no ground for an all-clear."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.diagnosis.cluster_texts import diagnosis_of, verdict_in

if TYPE_CHECKING:
    from pathlib import Path

BOOT = "[    9.100000] e1000e 0000:00:1f.6 eno1: NIC Link is Up 1000 Mbps Full Duplex, Flow Control: None\n"
OLD = """[ 8790.055075] SysRq : Show Blocked State
[ 8790.059508]   task                        PC stack   pid father
[ 8790.069182] copyjob         D    0 144220      1 0x00000084
[ 8790.074781] Call Trace:
[ 8790.077290]  ? __schedule+0x2a2/0x870
[ 8790.081000]  schedule+0x28/0x80
[ 8790.084196]  io_schedule+0x12/0x40
[ 8790.087652]  wait_on_page_bit_common+0xfd/0x180
"""
NEW = """[52625.981294] sysrq: Show Blocked State
[52625.988377] task:halt            state:D stack:    0 pid:17359 ppid:     1 flags:0x00004006
[52625.996732] Call Trace:
[52625.999187]  __schedule+0x2d1/0x830
[52626.007400]  schedule+0x35/0xa0
[52626.015546]  usleep_range+0x5b/0x80
"""
STAMPED = "".join(f"Mar  9 02:10:02 kite3 kernel: {line}\n" for line in NEW.splitlines())


@pytest.mark.parametrize("dump", [OLD, NEW, STAMPED], ids=["old", "new", "syslog"])
def test_a_list_of_blocked_tasks_is_no_all_clear(dump: str, tmp_path: Path) -> None:
    assert verdict_in(diagnosis_of(tmp_path, BOOT + dump)).form != "healthy"


def test_a_log_without_one_is(tmp_path: Path) -> None:
    assert verdict_in(diagnosis_of(tmp_path, BOOT)).form == "healthy"
