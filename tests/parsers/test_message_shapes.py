"""One message in every shape in which logs carry it: stamps, levels, languages, wraps and further lines."""

from __future__ import annotations

import pytest

from parsers.records import Event
from parsers.records.waits import Stack
from tests.parsers.golden import Reading

HUNG = "INFO: task rsync:4411 blocked for more than 122 seconds."
HEADS = {
    "syslog": "Feb 13 06:41:07 cod3 kernel: ",
    "syslog of one digit without padding": "Feb 3 06:41:07 cod3 kernel: ",
    "syslog with uptime": "Feb 13 06:41:07 cod3 kernel: [81234.120034] ",
    "syslog through relays, from its source": "Feb 13 06:41:07 src@cod3/loghost kernel: ",
    "syslog through a relay": "Feb 13 06:41:07 cod3/cod3 kernel: ",
    "syslog through relays, with the domain": "Feb 13 06:41:07 s_sys@cod3.lab.example/relay1/relay2 kernel: ",
    "a collection of logs": "- 1739425267 2025.02.13 cod3 Feb 13 06:41:07 cod3 kernel: ",
    "syslog with priority": "<4>Feb 13 06:41:07 cod3 kernel: ",
    "RFC 5424": "<4>1 2025-02-13T06:41:07.120034+01:00 cod3 kernel - - - ",
    "journal, German": "Mär 13 06:41:07 cod3 kernel: ",
    "journal, French": "févr. 13 06:41:07 cod3 kernel: ",
    "journal, Chinese": "2月 13 06:41:07 cod3 kernel: ",
    "journal, short-iso": "2025-02-13T06:41:07+0100 cod3 kernel: ",
    "journal, short-full": "Thu 2025-02-13 06:41:07 CET cod3 kernel: ",
    "journal, short-full, German": "Do 2025-02-13 06:41:07 CET cod3 kernel: ",
    "journal, short-unix": "1739425267.120034 cod3 kernel: ",
    "HP-UX": "Feb 13 06:41:07 cod3 vmunix: ",
    "dmesg": "[81234.120034] ",
    "dmesg with a wide stamp": "[    4.120034] ",
    "dmesg with the caller": "[81234.120034][  T912] ",
    "dmesg with the caller apart": "[81234.120034] [    T912] ",
    "dmesg with the caller behind tabs": "[81234.120034]\t[\tT912] ",
    "dmesg with a processor as the caller": "[81234.120034] [     C7] ",
    "syslog with the caller": "Feb 13 06:41:07 cod3 kernel: [81234.120034] [  T912] ",
    "dmesg -x": "kern  :err   : [81234.120034] ",
    "dmesg -r": "<3>[81234.120034] ",
    "dmesg -T": "[Thu Feb 13 06:41:07 2025] ",
    "dmesg -T, German": "[Do Feb 13 06:41:07 2025] ",
    "dmesg -T, French": "[jeu. févr. 13 06:41:07 2025] ",
    "dmesg -T, Chinese": "[四 2月 13 06:41:07 2025] ",
    "dmesg -T, Russian": "[Чт фев 13 06:41:07 2025] ",
    "dmesg, iso": "2025-02-13T06:41:07,120034+01:00 ",
    "dmesg, iso with the caller": "2025-02-13T06:41:07,120034+01:00 [    T912] ",
    "a console": "",
}


@pytest.mark.parametrize("name", HEADS)
def test_a_blocked_task_is_read_behind_every_head(name: str) -> None:
    head = HEADS[name]
    task = "task:rsync           state:D stack:0     pid: 4411 ppid:    1 flags:0x4002"
    lines = (HUNG, task, "Call Trace:", " <TASK>", " __schedule+0x22c/0x5e0", " io_schedule+0x4e/0xb0", " </TASK>")
    reading = Reading("".join(f"{head}{line}\n" for line in lines), path="x")
    assert [event.kind for event in reading.of(Event)] == ["hung-task"]
    [stack] = reading.of(Stack)
    assert (stack.task, stack.pid, stack.state, stack.seconds) == ("rsync", 4411, "D", 122.0)
    assert stack.frames == "__schedule io_schedule"
    assert reading.result.not_understood == 0


@pytest.mark.parametrize(
    "line",
    [
        "Feb 13 06:41:07 cod3 /usr/sbin/cron[812]: (root) CMD (run-parts /etc/cron.hourly)",
        "Feb 13 06:41:07 cod3 /USR/SBIN/CRON[812]: (root) CMD (true)",
        "2025-02-13T06:41:07+01:00 cod3 /usr/lib/ganglia-3.0.1/sbin/gmetad[1682]: answer from a source",
        "Feb 13 06:41:07 cod3 /opt/collect: started",
    ],
)
def test_a_program_may_write_where_it_lies(line: str) -> None:
    reading = Reading(f"{line}\n", path="x")
    assert (reading.result.understood, reading.result.not_understood) == (1, 0)


def test_a_message_of_a_program_is_known_wherever_that_lies() -> None:
    text = "Feb 13 06:41:07 cod3 {}fenced[4711]: fencing node perch2\n"
    kinds = [[event.kind for event in Reading(text.format(place)).of(Event)] for place in ("", "/usr/sbin/", "/sbin/")]
    assert kinds[0] == kinds[1] == kinds[2] != []


@pytest.mark.parametrize("chain", ["src@cod3/loghost", "cod3/cod3", "cod3/relay1", "s_net@cod3/relay1/relay2", "cod3"])
def test_of_hosts_that_passed_a_message_on_the_first_wrote_it(chain: str) -> None:
    text = f"Feb 13 06:41:07 {chain} kernel: sd 4:0:0:3: rejecting I/O to offline device\n"
    assert [event.node for event in Reading(text, path="x").of(Event)] == ["cod3"]


LOST = "A processor failed, forming new configuration: token timed out (4870ms), waiting 5844ms for consensus."


@pytest.mark.parametrize("width", [60, 66, 72, 76, 80, 100])
@pytest.mark.parametrize("quote", ["", "> ", ">> "])
def test_a_wrapped_message_is_one_message(width: int, quote: str) -> None:
    words = f"Jan 14 03:15:40 cod3 corosync[1711]:   [TOTEM ] {LOST}".split(" ")
    rows, row = [], words[0]
    for word in words[1:]:
        if len(row) + 1 + len(word) > width:
            rows.append(row)
            row = word
        else:
            row += f" {word}"
    text = "\n".join(
        f"{quote}{one}" for one in [*rows, row, "Jan 14 03:15:41 cod3 corosync[1711]:   [QUORUM] Members[2]: 1 2", ""]
    )
    reading = Reading(text, path="x")
    [event] = [event for event in reading.of(Event) if event.kind == "totem-token-lost"]
    assert (event.line, event.value, event.unit) == (1, 4870.0, "ms")
    assert event.text.endswith("for consensus.")


def test_prose_behind_a_log_line_is_no_part_of_it() -> None:
    text = (
        "Jan 14 03:15:40 cod3 corosync[1711]:   [QUORUM] Members[1]: 2\n\nWe then saw the whole cluster hang "
        "for an hour or so.\n"
    )
    reading = Reading(text, path="x")
    assert not [event for event in reading.of(Event) if "hang" in event.text]


def test_further_lines_under_one_stamp_belong_to_their_head() -> None:
    text = (
        "[ 1830.708349] gfs2: fsid=grove:inbox.0: fatal: filesystem consistency error\n[ 1830.708349]   "
        "inode = 4 5110\n[ 1830.708349]   function = gfs2_dinode_in, file = fs/gfs2/glops.c, line = 472\n"
    )
    events = Reading(text, path="x").of(Event)
    assert len(events) == 1
    assert "inode = 4 5110" in events[0].text


def test_a_message_that_solaris_prints_on_two_lines_is_one() -> None:
    text = (
        "May 09 11:20:42 cod7 vxfs: [ID 702911 kern.warning] WARNING: msgcnt 9 mesg 031: V-2-31: "
        "vx_disable - /dev/vx/dsk/dg/vol\nMay 09 11:20:42 cod7 file system disabled\n"
    )
    [event] = Reading(text, path="x").of(Event)
    assert (event.kind, event.about, event.node) == ("vxfs-disabled", "/dev/vx/dsk/dg/vol", "cod7")
    assert event.text.endswith("file system disabled")


@pytest.mark.parametrize(
    "text",
    [
        "WARNING: msgcnt 9 mesg 031: V-2-31: vx_disable - /dev/vx/dsk/dg/vol file system disabled",
        "Feb 13 06:41:07 cod3 vmunix: msgcnt 1 vxfs: mesg 031: vx_disable - /dev/vx/dsk/dg/vol file system disabled",
        (
            "Feb 13 06:41:07 cod3 kernel: vxfs: msgcnt 5 mesg 031: V-2-31: vx_disable - /dev/vx/dsk/dg/vol "
            "file system disabled"
        ),
        "[81234.120034] vxfs: msgcnt 5 mesg 031: V-2-31: vx_disable - /dev/vx/dsk/dg/vol file system disabled",
    ],
)
def test_a_message_of_vxfs_is_known_in_the_form_of_each_kernel(text: str) -> None:
    [event] = Reading(text + "\n", path="x").of(Event)
    assert (event.kind, event.about) == ("vxfs-disabled", "/dev/vx/dsk/dg/vol")
