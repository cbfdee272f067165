"""System logs: syslog, journal, ``dmesg``, ``corosync.log``; and kernel messages without any prefix.

    Mar  9 20:33:13 kite3 kernel: [81234.120034] INFO: task imapd:7312 blocked for more than 120 seconds.
    2031-03-09T20:33:13.120034+01:00 kite3 kernel: device-mapper: multipath: Failing path 8:32.
    Mar 09 20:33:13 corosync [TOTEM ] Retransmit List: 1a2b 1a2c
    Mar 09 20:33:13 [2188] kite3 corosync notice  [TOTEM ] A processor failed, forming new configuration.
    [81234.120034] dlm: projects: recover 5                 [Sun Mar  9 20:33:13 2031] dlm: connecting to 4

Yields ``Event`` for the lines that matter (``parsers/messages``) and ``Stack`` for tasks with their frames. ``message
repeated N times`` counts N times in ``value`` of a retransmit. Other lines are read over. Node from the line. A syslog
stamp has no year: it is that of the file's name or of the capture, the one before where the month has not come yet;
without either only the time of day is kept. Seconds since the start of the system are no time. Lines that another
parser claims are left to it. Source: syslog(3), journalctl(1), dmesg(1), corosync(8).
"""

from __future__ import annotations

from typing import Any, Final

from parsers.formats.host.logs.held_events import HeldEvents
from parsers.formats.host.logs.kernel_stacks import Stacks
from parsers.formats.host.logs.log_heads import CLAIMS, NAME
from parsers.formats.host.logs.log_reader import LogReader
from parsers.formats.host.logs.log_stretches import read_stretches
from parsers.formats.host.logs.log_wraps import owns
from parsers.formats.host.logs.quiet_lines import QuietLines
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.reader import OpenSection

_ELSEWHERE: Final = frozenset(("-m", "--merge", "-M", "--machine", "-D", "--directory", "--file", "--root", "--image"))


@parser(
    NAME,
    messages=True,
    version=12,
    product="",
    claims=CLAIMS,
    owns=owns,
    commands=("dmesg", "journalctl"),
    priority=-10,
)
def kernel_log(section: OpenSection, out: Output) -> None:
    """System log: lines that matter, and stacks."""
    state: dict[str, Any] = section.state
    reader = LogReader(
        section,
        out,
        state.setdefault("stacks", Stacks()),
        section.years,
        state.setdefault("above", section.at),
        out.interned.setdefault("quiet_lines", QuietLines()),
        HeldEvents(out),
    )
    while True:
        read_stretches(section, reader)
        line = next(iter(section), None)
        if line is None:
            break
        reader.line(line.number, line.text)
    reader.end()
    state["listened"] = state.get("listened", False) or reader.is_listened
    section.is_foreign(value=not state["listened"])
    if len(reader.hosts) == 1 and not reader.is_mixed:
        is_own = _is_own_log(section)
        section.is_on(reader.hosts.pop(), "content" if is_own else "line prefix", stays=is_own)


def _is_own_log(section: OpenSection) -> bool:
    """Whether somebody asked for the journal of his node: what he types below it without a name ran there too."""
    command = section.command
    if command is None or command.program != "journalctl":
        return False
    return not _ELSEWHERE.intersection(word.partition("=")[0] for word in command.args)
