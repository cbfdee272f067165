"""Two damages at once, as of a mail that is quoted and broken: the verdict is that of the whole text; its healthy
twin stays calm.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from parsers.records import Event
from tests.diagnosis.cluster_texts import diagnosis_of
from tests.parsers.golden import Reading
from tests.parsers.mutations import MUTATIONS

PAIRS: Final = {
    "quoted, then wrapped": ("quoted", "wrapped at 72"),
    "wrapped, then quoted": ("wrapped at 72", "quoted"),
    "broken by a terminal, then quoted": ("broken at 80", "quoted"),
    "bars, then wrapped": ("bars", "wrapped at 72"),
    "wrapped, then bars": ("wrapped at 72", "bars"),
    "wrapped, then commented": ("wrapped at 72", "commented by #"),
    "wrapped, then indented": ("wrapped at 72", "indented"),
    "months in German, then commented": ("months in German", "commented by #"),
    "months in French, then wrapped": ("months in French", "wrapped at 72"),
    "no prompts, then wrapped": ("without prompts", "wrapped at 72"),
}
FAULTY: Final = {
    "tasks that sysrq lists": (
        "for a glock",
        """
Nov  7 05:40:08 quince3 kernel: SysRq : Show Blocked State
Nov  7 05:40:08 quince3 kernel:  task                        PC stack   pid father
Nov  7 05:40:08 quince3 kernel: smbd            D ffff8b1c41b6c1c0     0 20113   2290 0x00000080
Nov  7 05:40:08 quince3 kernel: Call Trace:
Nov  7 05:40:08 quince3 kernel: [<ffffffff8b36aa49>] schedule+0x29/0x70
Nov  7 05:40:08 quince3 kernel: [<ffffffffc0b1a9d1>] gfs2_glock_wait+0x51/0x90 [gfs2]
Nov  7 05:40:08 quince3 kernel: [<ffffffffc0b1d1b9>] gfs2_glock_nq+0x2b9/0x440 [gfs2]
Nov  7 05:40:08 quince3 kernel: [<ffffffffc0b34f2e>] gfs2_getattr+0xbe/0xf0 [gfs2]
""",
    ),
    "a node that is to be fenced": (
        "token",
        """
Jun 19 02:14:24 sloe1 corosync[1180]:   [TOTEM ] Token has not been received in 2737 ms
Jun 19 02:14:25 sloe1 corosync[1180]:   [TOTEM ] A processor failed, forming new configuration: token timed out (3650ms)
Jun 19 02:14:30 sloe1 corosync[1180]:   [TOTEM ] A new membership (1.7a) was formed. Members left: 2
Jun 19 02:14:30 sloe1 pacemaker-controld[1402]:  notice: Node sloe2 state is now lost on this side of the cluster
""",
    ),
    "one line of a status": (
        "no quorum",
        """
Cluster name: hedge
Cluster Summary:
  * Stack: corosync
  * Current DC: medlar2 (version 2.0.5-9.el8_4.7-ba59be7122) - partition WITHOUT quorum
  * Last updated: Tue Jul  4 14:22:19 2023
  * 3 nodes configured

Node List:
  * Online: [ medlar2 ]
  * OFFLINE: [ medlar1 medlar3 ]
""",
    ),
    "POSIX locks": (
        "POSIX lock",
        """
[root@rowan2 ~]# dlm_tool plocks glade
3293761 WR 0-9223372036854775807 nodeid 1 pid 4120 owner ffff8803a1d rown 0
3293761 WR 0-9223372036854775807 nodeid 2 pid 5001 owner ffff8803b2d rown 0 WAITING
3293761 WR 0-9223372036854775807 nodeid 2 pid 5002 owner ffff8803b3d rown 0 WAITING
3293761 WR 0-9223372036854775807 nodeid 3 pid 6100 owner ffff8803c4d rown 0 WAITING
""",
    ),
}
CALM: Final = {
    "a boot": """
Jun 19 02:14:24 sloe1 kernel: device-mapper: multipath service-time: version 0.3.0 loaded and in use
Jun 19 02:14:25 sloe1 kernel: gfs2: fsid=hedge:glade.0: Joined cluster. Now mounting FS (format 1802)...
Jun 19 02:14:30 sloe1 corosync[1180]:   [QUORUM] This node is within the primary component and will provide service.
Jun 19 02:14:30 sloe1 corosync[1180]:   [MAIN  ] Completed service synchronization, ready to provide service.
""",
    "a status with quorum": """
Cluster name: hedge
Cluster Summary:
  * Stack: corosync
  * Current DC: medlar2 (version 2.0.5-9.el8_4.7-ba59be7122) - partition with quorum
  * Last updated: Tue Jul  4 14:22:19 2023
  * 3 nodes configured

Node List:
  * Online: [ medlar1 medlar2 medlar3 ]
""",
}


def _damaged(text: str, pair: str) -> str:
    for name in PAIRS[pair]:
        changed = MUTATIONS[name](text.lstrip("\n"))
        assert isinstance(changed, str)
        text = changed
    return text


@pytest.mark.parametrize("pair", PAIRS)
def test_a_fault_is_named_through_both(tmp_path: Path, pair: str) -> None:
    wrong = {}
    for number, (name, (says, text)) in enumerate(FAULTY.items()):
        verdict = diagnosis_of(tmp_path / str(number), _damaged(text, pair)).verdict
        assert verdict is not None
        if says not in verdict.title or verdict.severity not in ("critical", "high", "medium"):
            wrong[name] = verdict.title
    assert wrong == {}


@pytest.mark.parametrize("pair", PAIRS)
def test_a_calm_text_stays_calm(tmp_path: Path, pair: str) -> None:
    for number, text in enumerate(CALM.values()):
        found = diagnosis_of(tmp_path / str(number), _damaged(text, pair)).findings
        assert [one.title for one in found if one.severity in ("critical", "high", "medium")] == []


def test_lines_without_a_stamp_that_would_have_fitted_above_are_no_rests() -> None:
    """What a program prints between messages of the log is not put behind the message above it."""
    text = (
        "Jun 19 02:14:24 sloe1 kernel: sd 6:0:0:1: offline\n"
        "short remark\n"
        "Jun 19 02:14:25 sloe1 kernel: sd 6:0:0:2: offline\n"
        "and a second remark of somebody who looked at it\n"
        "Jun 19 02:14:26 sloe1 kernel: sd 6:0:0:3: offline\n"
    )
    assert not [one for one in Reading(text).of(Event) if "remark" in one.text]
