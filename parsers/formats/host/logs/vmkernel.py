"""Logs of an ESXi host: ``vmkernel.log``, ``vmkwarning.log`` and ``vobd.log``, as the host itself writes them, and
``vmware.log`` of a virtual machine.

    2031-02-20T01:10:01.301Z cpu8:2097221)StorageApdHandlerEv: 110: Device or filesystem with identifier [naa.6] has ...
    2031-03-18T04:05:10.902Z Wa(180) vmkwarning: cpu14:2097822)WARNING: HPP: HppPathGroupMovePath:645: Path "vmhba65:...
    2031-03-18T04:05:12.001Z In(14) vobd[2098011]:  [scsiCorrelator] 1102us: [esx.problem.storage.connectivity.lost] ...
    2031-03-18T04:05:12.001Z: [scsiCorrelator] 1102us: [esx.problem.storage.connectivity.lost] Lost connectivity to ...
    2031-03-18T04:05:13.117Z| vcpu-0| I120: [msg.snapshot.quiesce.timeout] Timed out while quiescing the virtual ...
    2031-03-18T04:05:13.117Z In(05) vmx - [msg.snapshot.quiesce.timeout] Timed out while quiescing the virtual machine.

Yields ``Event`` for messages of the catalogue's group ``esx``; a message that nobody knows counts by its level (letters
before the program, ``WARNING:`` or ``ALERT:``). Lines that a log server took, with the host's name, are those of the
system log. Stamps are UTC. Source: VMware's knowledge base on the location and form of the logs, recalled.
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import meaning_of
from parsers.output import Output
from parsers.registry import parser
from parsers.sections.message_events import add_message
from parsers.sections.reader import OpenSection
from parsers.tables.rows import lines_of
from parsers.times.clock import find_instant

_MASKED: Final = r"\[?[YX#x]{4}-[MX#x]{2}-[DX#x]{2}[T ][HX#x]{2}:[MX#x]{2}:[SX#x]{2}\]?"
_STAMP: Final = rf"(?:\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{{1,6}})?Z|{_MASKED})"
_LEVEL: Final = r"(?:(?:Db|In|No|Wa|Er|Cr|Al|Em)\(\d{1,3}\) )"
_DAEMON: Final = r"(?:vmkernel|vmkwarning|vmkalert|vobd|vobuserlog|hostd|Hostd|vpxa|Vpxa|fdm|Fdm)"
_CPU: Final = r"cpu\d{1,4}:\d{1,10}(?: opID=[\w.:-]{1,60})?\)"
_OBSERVED: Final = r"(?=\[\w{1,40}[Cc]orrelator\] \d{1,20}us: )"
_THREAD: Final = r"(?:vmx|mks|svga|host|worker|vcpu|vthread|callback|numa|thread)(?:-\d{1,9})?"
_MACHINE: Final = rf"(?:\| {_THREAD}\| [A-Z](?:\d{{3}}|\(\d\d\))[:+] | (?:{_LEVEL})?{_THREAD} - )"
_PROGRAM: Final = rf"(?P<program>{_DAEMON})(?:\[\d{{1,10}}\])?:\s{{1,4}}"
_HEAD: Final = (
    rf"{_STAMP}(?: (?:{_LEVEL}?{_DAEMON}(?:\[\d{{1,10}}\])?:\s{{1,4}}(?:{_CPU})?|{_LEVEL}?{_CPU})"
    rf"|: {_OBSERVED}|{_MACHINE})"
)
_LINE = re.compile(
    rf"(?P<stamp>{_STAMP})(?:{_MACHINE}|:? (?:(?P<level>\w\w)\(\d{{1,3}}\) )?(?:{_PROGRAM})?(?:{_CPU})?)"
    r"(?P<text>\S.{0,4000})$"
)
_LEVELS: Final = {"Wa": "warning", "Er": "err", "Cr": "crit", "Al": "alert", "Em": "emerg"}
_SHOUTED = re.compile(r"(WARNING|ALERT): ")
_GUEST: Final = re.compile(r"Guest: (?:<\d{1,3}>)?\[ {0,8}\d{1,9}\.\d{3,9}\] ")
"""What the kernel of a guest left in its console when it crashed or was stopped."""


@parser("vmkernel", version=3, product="storage", claims=_HEAD)
def vmkernel(section: OpenSection, out: Output) -> None:
    """One event for each message that says something."""
    for line, match in lines_of(section, out, _LINE, "a message that is cut"):
        found = find_instant(match["stamp"])
        if found is not None:
            section.stamp(found[0])
        text, source = _SHOUTED.sub("", match["text"], count=1), "vmkernel"
        if (guest := _GUEST.match(text)) is not None:
            text, source = text[guest.end() :], "kernel"
        meaning = meaning_of(source, text, _LEVELS.get(match["level"] or "", ""))
        if meaning is None:
            out.everyday()
            continue
        add_message(
            section, line.number, meaning, source=source, text=text, at=found[0].us if found else None, zone_min=0
        )
