"""An output under marks of a comment is read; what somebody put out of force stays so."""

from __future__ import annotations

import pytest

from parsers.records import Event, Setting
from parsers.records.states import ClusterMember, ListedState, Membership
from parsers.records.waits import Waiter
from tests.parsers.golden import Reading

STATES = """Node number  Node name        GPFS state
-------------------------------------------
       1      weir1           active
       2      weir2           down
"""


def _marked(text: str, mark: str) -> str:
    return "".join(f"{mark} {line}\n" for line in text.splitlines())


@pytest.mark.parametrize("mark", ["#", ";", "//", "*", "  #"])
def test_a_table_under_marks_is_read(mark: str) -> None:
    reading = Reading(f"This is how it looked:\n\n{_marked(STATES, mark)}\nand then it was gone.\n")
    assert [(one.member, one.standing) for one in reading.of(ClusterMember)] == [("weir1", "up"), ("weir2", "down")]
    assert reading.result.not_understood == 0


def test_a_prompt_under_marks_names_the_node_of_what_follows() -> None:
    text = (
        "[root@weir1 ~]# mmdiag --waiters\nWaiting 12.5 sec since 10:00:01, monitored, thread 4711 NSDThread: for I/O"
    )
    reading = Reading(_marked(f"{text} completion", "#"))
    assert [one.node for one in reading.of(Waiter)] == ["weir1"]


@pytest.mark.parametrize(
    "text",
    [
        "[global]\n   workgroup = POTS\n;   wins support = yes\n;   log level = 3\n#   max log size = 50\n",
        "totem {\n# token: 1000\n# consensus: 1200\n  version: 2\n}\n",
        "# set-cluster 7\n# set-node carp1\nset-node carp2\nset-cluster 9\n",
    ],
)
def test_a_setting_out_of_force_stays_so(text: str) -> None:
    plain = "".join(f"{line}\n" for line in text.splitlines() if line.lstrip()[:1] not in "#;")
    assert [(one.name, one.value) for one in Reading(text).of(Setting)] == [
        (one.name, one.value) for one in Reading(plain).of(Setting)
    ]


def test_a_table_that_nobody_knows_is_read_below_a_prompt_alone() -> None:
    table = "BRICK   HOST     SIZE    STATE\nb15     weir1    4.0T    ONLINE\nb16     weir2    4.0T    OFFLINE"
    reading = Reading(_marked(f"[root@weir1 ~]# silo bricks list\n{table}", "#"))
    assert [one.state for one in reading.of(ListedState)] == ["ONLINE", "OFFLINE"]
    assert not Reading(_marked(table, "#")).of(ListedState)


@pytest.mark.parametrize("mark", ["#", ";", "//"])
def test_a_single_line_of_a_log_under_a_mark_is_read(mark: str) -> None:
    line = "Mar 12 09:15:01 weir1 kernel: sd 3:0:0:4: rejecting I/O to offline device"
    assert [one.node for one in Reading(f"Then came this:\n{mark} {line}\nand no more.\n").of(Event)] == ["weir1"]
    assert not Reading("# Run this each day at 09:15:01 when the disks are idle.\nsleep 5\n").of(Event)


def test_remarks_of_a_script_are_no_output() -> None:
    text = "# This waits until the node is up again.\n# Then it looks at the waiters of all of the nodes.\nsleep 5\n"
    assert Reading(text).result.records == 0


PORTS = ["GAB Port Memberships", "=" * 63, "Port a gen   51c001 membership 01", "Port h gen   51c002 membership 01"]


@pytest.mark.parametrize("mark", ["# # ", "// // ", "; ; ", "## ", ";; ", "+ ", "# # # "])
def test_marks_in_front_of_marks_go_too(mark: str) -> None:
    lines = ["=== tarn1 ===", "# gabconfig -a", *PORTS, "=== tarn2 ===", "# gabconfig -a", *PORTS]
    reading = Reading("\n".join(f"{mark}{line}" for line in lines) + "\n")
    assert [one.node for one in reading.of(Membership)] == ["tarn1", "tarn1", "tarn2", "tarn2"]
    assert reading.adds_up


def test_lines_that_a_difference_of_files_adds_are_read() -> None:
    shown = [f"+{line}" for line in ["[root@tarn1 ~]# gabconfig -a", *PORTS]]
    head = ["diff --git a/out.txt b/out.txt", "new file mode 100644", "--- /dev/null", "+++ b/out.txt"]
    reading = Reading("\n".join([*head, f"@@ -0,0 +1,{len(shown)} @@", *shown, "and so on"]) + "\n")
    assert [(one.node, one.line) for one in reading.of(Membership)] == [("tarn1", 9), ("tarn1", 10)]
    assert reading.result.not_understood <= 1
    assert reading.adds_up


def test_settings_that_are_commented_out_twice_stay_so() -> None:
    reading = Reading("# # pagepool 16G\n# # maxFilesToCache 4000\nverbsRdma enable\n")
    assert [one.name for one in reading.of(Setting)] == ["verbsRdma"]
