"""What stands in front of every line of a text, and how its lines were broken, changes nothing of what it says."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from parsers.records import DiskName, Event, Section, Setting
from parsers.records.locks import GlockHolder
from parsers.records.states import ClusterMember, HealthState, Membership
from parsers.records.waits import Waiter
from parsers.sections.opening import bare_opening
from tests.parsers.golden import Reading

MARKS: dict[str, Callable[[int, str], str]] = {
    "quoted": lambda _, line: f"> {line}",
    "quoted twice": lambda _, line: f">> {line}",
    "commented": lambda _, line: f"# {line}",
    "commented by ;": lambda _, line: f"; {line}",
    "between bars": lambda _, line: f"| {line}",
    "in a margin": lambda _, line: f"      {line}",
    "behind a tab": lambda _, line: f"\t{line}",
    "numbered": lambda number, line: f"{number:4d}  {line}",
    "coloured": lambda _, line: f"\x1b[0m{line}\x1b[K",
}
HEADED = """=== larch ===
G:  s:EX n:2/6a10 f:Iqob t:EX d:EX/0 a:0 v:0 r:3 m:200
 H: s:EX f:H e:0 p:410 [smbd] gfs2_unlink+0x7e/0x250 [gfs2]
=== maple ===
G:  s:EX n:2/6b20 f:Iqob t:EX d:EX/0 a:0 v:0 r:3 m:200
 H: s:EX f:H e:0 p:411 [smbd] gfs2_unlink+0x7e/0x250 [gfs2]
"""


def _marked(text: str, mark: Callable[[int, str], str]) -> str:
    return "".join(f"{mark(number, line)}\n" for number, line in enumerate(text.splitlines(), 1))


@pytest.mark.parametrize("mark", MARKS)
@pytest.mark.parametrize("heading", ["=== {} ===", "### {} ###", "[{}]", "node {}: glocks", "---- {} ----"])
def test_headings_under_marks_name_the_nodes_below(mark: str, heading: str) -> None:
    text = HEADED.replace("=== larch ===", heading.format("larch")).replace("=== maple ===", heading.format("maple"))
    found = [(one.node, one.pid) for one in Reading(_marked(text, MARKS[mark])).of(GlockHolder)]
    assert found == [("larch", 410), ("maple", 411)]


@pytest.mark.parametrize(
    "text",
    [
        "1  sda  up\n2  sdb  up\n7  sdc  down\n3  sdd  up\n",
        "# pagepool 4G\nmaxMBpS 800\n# worker1Threads 64\nautoload yes\n",
        "> one quoted line\nand an answer to it\nand one more\nand a last one\n",
    ],
)
def test_an_opening_without_one_mark_stays_as_it_is(text: str) -> None:
    assert bare_opening(text.encode()) == text


STATUS = """# hastatus -sum

-- SYSTEM STATE
-- System               State                Frozen

A  weir1                RUNNING              0
A  weir2                EXITED               0
"""


@pytest.mark.parametrize("mark", ["commented", "commented by ;", "numbered", "quoted", "between bars"])
def test_blank_lines_part_no_output_under_marks(mark: str) -> None:
    reading = Reading(_marked(STATUS, MARKS[mark]))
    assert {one.member: one.standing for one in reading.of(ClusterMember)} == {"weir1": "up", "weir2": "leaving"}


def test_an_output_that_only_its_command_tells_is_read_under_marks() -> None:
    text = "# fstyp -v /dev/vg07/lvdepot\nvxfs\nversion: 7\nf_frsize: 8192\nf_blocks: 524288\nf_bavail: 4718\n"
    plain = [(one.name, one.value) for one in Reading(text).of(Setting)]
    assert plain
    assert [(one.name, one.value) for one in Reading(_marked(text, MARKS["commented"])).of(Setting)] == plain


def test_one_commented_line_is_an_output_where_it_is_all_of_the_text() -> None:
    waiter = "# Waiting 12.5 sec since 10:00:01, monitored, thread 4711 NSDThread: for I/O completion\n"
    assert len(Reading(waiter).of(Waiter)) == 1
    assert Reading("sleep 5\n# wait for the node\n").result.records == 0


@pytest.mark.parametrize("mark", ["#", ";", "//"])
def test_messages_that_are_read_with_a_mark_too_lose_it(mark: str) -> None:
    message = "GAB WARNING V-15-1-20058 Port h process 3377: heartbeat failed, killing process"
    text = f"Apr 02 21:40:26 weir1 kernel: {message}"
    plain, marked = Reading(f"{text}\n{text}\n"), Reading(f"{mark} {text}\n{mark} {text}\n")
    assert [one.kind for one in marked.of(Event)] == [one.kind for one in plain.of(Event)] != []


@pytest.mark.parametrize("fence", ["{code}", "{noformat}", "{code:bash}", "```", "[code]", "<pre>"])
def test_marks_of_a_quoted_output_are_no_lines_of_it(fence: str) -> None:
    text = f"h3. What we see\n{fence}\nmember: weir1\n{fence}\nAny idea? Regards\n"
    assert Reading(text).result.not_understood <= 1


HEALTH = """Component      Status        Status Change     Reasons & Notices
------------------------------------------------------------------------------
GPFS           FAILED        7 min. ago        gpfs_down, quorum_down
NETWORK        HEALTHY       3 days ago        -
DISK           DEGRADED      1 hour ago        disk_down(egg7)
"""
SERVICES = """NODE      AUTH     BLOCK     NETWORK  NFS      SMB      CES
pier1     HEALTHY  DISABLED  HEALTHY  FAILED   HEALTHY  FAILED
"""


COUNTS = """Component     Total    Failed    Degraded    Healthy    Other
GPFS          12       1         0           11         0
NETWORK       12       0         0           12         0
"""


@pytest.mark.parametrize("text", [HEALTH, SERVICES, COUNTS])
def test_columns_one_blank_apart_hold_the_same_states(text: str) -> None:
    close = "\n".join(" ".join(line.split()) for line in text.splitlines())
    plain = [(one.component, one.standing) for one in Reading(text).of(HealthState)]
    assert [(one.component, one.standing) for one in Reading(f"{close}\n").of(HealthState)] == plain
    assert len({standing for _, standing in plain}) > 1


@pytest.mark.parametrize("available", ["up", "down"])
def test_a_disk_under_a_broken_heading_has_the_state_of_its_row(available: str) -> None:
    head = "name         type       size       group metadata data  status        availabili"
    row = f"plank1       nsd         512           1 Yes      Yes   ready         {available}           system"
    text = f"disk         driver   sector     failure holds    holds\n{head}\n{row}\n"
    assert [one.state for one in Reading(text).of(DiskName)] == [f"ready {available}"]


@pytest.mark.parametrize("width", [72, 76, 78])
def test_a_single_message_that_a_mail_broke_is_whole(width: int) -> None:
    state = "Resource shopmnt (Owner: Unspecified, Group: shop_sg) is FAULTED (timed out) on sys weir5"
    text = f"2027/02/11 09:30:11 VCS ERROR V-16-1-10303 {state}"
    words, lines = text.split(), [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > width:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    assert len(lines) > 1
    whole, broken = Reading(f"{text}\n").of(Event), Reading("\n".join(lines) + "\n").of(Event)
    assert [(one.kind, one.about, one.text) for one in broken] == [(one.kind, one.about, one.text) for one in whole]


@pytest.mark.parametrize("around", ["", "Hallo Kollegen,\n\nseit heute Nacht steht das hier:\n\n{}\nViele Gruesse\n"])
@pytest.mark.parametrize(
    "text",
    [
        "Feb 11 04:05:06 heron corosync[912]:   [QUORUM] This node is within the non-\nprimary component and will NOT "
        "provide any service.\n",
        "Feb 11 04:05:06 heron corosync[912]:   [QUORUM] This node is\nwithin the non-primary component and will NOT\n"
        "provide any service.\n",
        "2031-05-06T07:08:09+02:00 heron kernel: INFO: task rsync:31877 blocked for\nmore than 241 seconds.\n",
    ],
)
def test_a_message_that_broke_at_a_hyphen_or_stands_in_a_letter_is_whole(around: str, text: str) -> None:
    whole = text.rstrip("\n").replace("-\n", "-").replace("\n", " ")
    plain = [(one.kind, one.weight) for one in Reading(whole).of(Event)]
    letter = around.format(text) if around else text
    assert [(one.kind, one.weight) for one in Reading(letter).of(Event)] == plain != []


def test_lines_of_another_program_below_a_single_message_stay_their_own() -> None:
    text = (
        "Tue Jun  4 22:38:04 PDT 2030: Node rebooted.  Starting mmautoload...\nmmremote: GPFS is not ready to handle\n"
    )
    assert [one.last_line for one in Reading(text).of(Section)][-1] == 2
    assert not any("mmautoload... mmremote" in one.text for one in Reading(text).of(Event))


@pytest.mark.parametrize("heading", ["[{}]", "=== {} ===", "*** {} ***"])
def test_names_above_the_title_of_a_tool_are_nodes(heading: str) -> None:
    waiter = "Waiting 12.5 sec since 10:00:01, monitored, thread 4711 NSDThread: for I/O completion"
    text = "".join(f"{heading.format(name)}\n=== mmdiag: waiters ===\n{waiter}\n" for name in ("osprey", "kestrel"))
    assert [one.node for one in Reading(text).of(Waiter)] == ["osprey", "kestrel"]


def test_frames_of_a_stack_that_a_mail_broke_are_its_own() -> None:
    text = """Jan 14 04:51:41 fig kernel: TCP: request_sock_TCP: Possible SYN flooding
on port 21064. Sending cookies.  Check SNMP counters.
Jan 14 04:54:12 fig kernel: INFO: task mount:20244 blocked for more than
120 seconds.
Jan 14 04:54:12 fig kernel:  [<ffffffffa03fa4b8>]
dlm_new_lockspace+0x908/0xac0 [dlm]
"""
    texts = [one.text for one in Reading(text).of(Event)]
    assert any("more than 120 seconds" in one for one in texts)
    assert any("port 21064" in one for one in texts)


def test_ports_of_a_membership_are_read_whatever_stands_in_front() -> None:
    ports = ["Port a gen   3b7e02 membership 01", "Port h gen   3b7e07 membership 01"]
    text = "\n".join(["GAB Port Memberships", "=" * 23, *ports, ""])
    plain = [(one.group, one.standing) for one in Reading(text).of(Membership)]
    assert len(plain) == 2
    for mark in MARKS.values():
        assert [(one.group, one.standing) for one in Reading(_marked(text, mark)).of(Membership)] == plain
