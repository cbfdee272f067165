"""Reads a system log line by line: messages that go on below, stacks, and events. No parser."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from parsers.dataclass import dataclass
from parsers.formats.host.logs.fault_manager import PARTS, PROGRAM, of_its_event
from parsers.formats.host.logs.held_events import HeldEvents
from parsers.formats.host.logs.kernel_stacks import Stacks
from parsers.formats.host.logs.log_heads import (
    DATED,
    DMESG_HEAD,
    HOSTED,
    ISO_DATED,
    OF_COROSYNC,
    SAME_STAMP,
    SPLIT,
    SPLIT_5424,
    UPTIME,
    without_uptime,
    writer_of,
)
from parsers.formats.host.logs.log_wraps import EXPLAINED, PLAIN_HEAD
from parsers.formats.host.logs.quiet_lines import MOST_MEANINGS, QuietLines, TakenApart
from parsers.messages.catalogue import group_of, is_of_site
from parsers.output import Output
from parsers.records import Event
from parsers.sections.message_events import put_names
from parsers.sections.reader import OpenSection
from parsers.times.clock import MONTHS, Instant, find_instant, time_of_day
from parsers.times.local_dates import month_number
from parsers.times.years import Years

_PARTS_KEPT: Final = 12
_STARTED: Final = "system-started"
_FIRST_WORDS: Final = "Linux version "
_OF_START: Final = ("kernel", "systemd", "dracut", "audit", "multipathd", "lvm", "mdadm")
"""Programs of which the ring buffer of a kernel holds lines too: where only they speak, nobody would tell of an end."""
_UP: Final = re.compile(r"\[ {0,8}(?P<s>\d{1,9})\.(?P<part>\d{3,9})\]")
_DAY: Final = 86_400_000_000
_STRUCTURE = re.compile(r" {0,8}(?:inode|bh|block|rgrp|RG) = \d")
"""What GFS2 says in a line of its own of the structure that it found damaged."""
_OF_DEVICE: Final = re.compile(r"^(?:WARNING: )?/\S{1,200} \(s?sd\d{1,5}\):$")
"""What old releases of Solaris print of a disk stands on the next line, which has the same head."""
_SENSED: Final = re.compile(r"\[ID \d{1,9} \w{2,10}\.\w{3,8}\]\s{1,24}(?:Requested Block|Vendor|Sense Key|ASC): ")
_OF_COMMAND: Final = re.compile(r"/\S{1,200} \(\w{1,12}\):\s{1,24}Error for Command: ")
"""What Solaris says of a command that a disk failed stands in lines with heads of their own below it."""
_CLOCK: Final = len("00:00:00")
_TAB: Final = 2
"""More blanks than these behind a host stand for a tab."""
LEVEL_NAMES: Final = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_ESCAPED: Final = re.compile(r"(?:#01[0-5])+")
"""Ends of lines and tabs in a message, as daemons of logs write them."""
_MESSAGE_KEPT: Final = 2000
_KEPT: Final = 400
_AGENT: Final = "ocf-agent"
_OF_RESOURCE: Final = re.compile(r"\(([A-Za-z0-9][\w.-]{0,79})\)\[\d{1,9}\]: {0,4}$")
_AGENT_MESSAGE: Final = re.compile(
    r"(?:\d{4}[/-]\d\d[/-]\d\d_\d\d:\d\d:\d\d )?(ERROR|CRIT|WARNING|INFO|DEBUG|NOTICE): {1,4}(?=\S)"
)
_OF_PROCESS = re.compile(r"proc/(\d{1,9})/(?:task/(\d{1,9})/)?stack(?: # (?P<task>\S{1,64})$)?")


@dataclass(slots=True)
class Message:
    """A message whose last line may be still to come."""

    number: int
    program: str
    text: str
    node: str | None
    at: int | None
    zone_min: int | None = None
    level: str = ""
    stamp: str = ""
    parts: int = 1
    known_by: tuple[bytes, bytes] | None = None
    """Shape and host, where the line could be passed over if it comes again."""
    is_full: bool = False
    """Whether programs spoke before it since the last start."""


@dataclass(slots=True)
class LogReader:
    """Takes lines one after the other."""

    section: OpenSection
    out: Output
    stacks: Stacks
    years: Years
    above: int | None
    quiet: QuietLines
    events: HeldEvents
    last_stamp: str = ""
    last_us: int | None = None
    zone_min: int | None = None
    hosts: set[str] = field(default_factory=set)
    held: Message | None = None
    is_mixed: bool = False
    """Whether lines that were passed over are of several hosts."""
    is_listened: bool = False
    is_full: bool = False
    """Whether programs spoke since the last start, so that an end on purpose would stand here."""
    shown: tuple[str, str | None, int | None] | None = None
    """The last message of a kernel that may show how long it ran, its host and its moment."""

    def line(self, number: int, text: str) -> None:
        """A line of the section, whatever it is."""
        body = text.lstrip()
        match = SPLIT.match(body) or SPLIT_5424.match(body)
        if EXPLAINED.match(body) is not None:
            self.settle()
            self.out.frame()
        elif match is not None and (
            match.groupdict().get("local") is None or month_number(match["local"].split()[0]) is not None
        ):
            self.stamped(number, match)
        elif (match := OF_COROSYNC.match(body)) is not None:
            node = match["host"] or self.section.node
            if match["host"]:
                self.hosts.add(match["host"])
            at = self._at(match.groupdict()) if match["bsd"] else self.above
            self._hold(Message(number, "corosync", match["text"], node, at))
        elif self._is_more(text):
            self._add(body)
        else:
            self._unstamped(number, body)

    def stamped(self, number: int, match: re.Match[str], known_by: tuple[bytes, bytes] | None = None) -> None:
        """A line with stamp, host and program. known_by: its shape and host, where it is clean."""
        found = match.groupdict()
        at = self._at(found)
        host, program = writer_of(match, self.section.node)
        if host:
            self.hosts.add(host)
        text = match["text"] if "#01" not in match["text"] else _ESCAPED.sub(" ", match["text"])
        if program == "kernel" and text[:1] == "[":
            self.shown = text, host, at
        text = text.lstrip() if program != "kernel" else without_uptime(text).lstrip()
        level = LEVEL_NAMES[int(match["pri"]) & 7] if found.get("pri") else ""
        head = match[0][: match.start("text") - match.start()]
        if (restarted := self.section.state.pop("restarted", None)) is not None:
            self._restarted(restarted, host or self.section.node, at)
        if program in PARTS and self.held is not None and self.held.program == PROGRAM:
            self._add(f"{program}: {text}")
            return
        if (more := self._more_of(match, head, text)) is not None:
            self._add(more)
            return
        if (message := _agent_message(program, head, text)) is not None:
            program, text = _AGENT, message
        node = host or self.section.node
        was_full, is_start = self.is_full, program == "kernel" and text.startswith(_FIRST_WORDS)
        self.is_full = not is_start and (was_full or not program.startswith(_OF_START))
        self._hold(Message(number, program, text, node, at, self.zone_min, level, head, 1, known_by, was_full))

    def keep(self, number: int, stamp: bytes, words: bytes) -> None:
        """Remember what a line was taken apart into. words: of the line, behind its stamp of the syslog."""
        held, apart = self.held, self.quiet.apart
        if held is None or held.number != number or held.parts > 1 or held.level or held.program in ("kernel", *PARTS):
            return
        if not held.stamp.isascii() or not words.startswith(f"{held.node} ".encode()):
            return
        if len(apart) >= MOST_MEANINGS:
            apart.clear()
        apart[words] = TakenApart(held.program, held.text, held.node, held.stamp[len(stamp) :], len(stamp))

    def again(self, number: int, stamp: bytes, words: bytes, known_by: tuple[bytes, bytes] | None) -> bool:
        """Take a line whose words came before, where it is no further one of the message above. False: not so."""
        apart = self.quiet.apart.get(words)
        if apart is None or len(stamp) != apart.stamp_letters or "restarted" in self.section.state:
            return False
        if self.held is not None and _may_go_on(self.held.text):
            return False
        program, text, node, head, _ = apart
        begin = stamp.decode("ascii")
        at = self._at({"bsd": begin[:-1]})
        if node:
            self.hosts.add(node)
        was_full = self.is_full
        self.is_full = was_full or not program.startswith(_OF_START)
        self._hold(Message(number, program, text, node, at, self.zone_min, "", begin + head, 1, known_by, was_full))
        return True

    def _restarted(self, number: int, node: str | None, at: int | None) -> None:
        """The journal says that its host started between the line above and this one."""
        self.settle()
        full, self.is_full = float(self.is_full), False
        self.events.put(
            Event(
                line=number,
                node=node,
                at=at,
                zone_min=self.zone_min,
                source="journal",
                kind=_STARTED,
                value=full,
                unit="log of programs",
                weight="everyday",
                text="The journal begins a new start of the host here",
            )
        )

    def pass_quiet(self, data: bytes, at: int, head: re.Match[bytes], shape: bytes) -> tuple[int, int]:
        """Pass over the lines from a place on of which one like it gave nothing, as long as no stack or crash is open:
        how many, and where the next one begins. head: of the first, and shape: of what stands behind it.
        """
        quiet, count = self.quiet, 0
        if shape not in quiet.known or not self.may_pass(head[1]):
            return 0, at
        following: re.Match[bytes] | None = head
        while following is not None and following[1] in quiet.hosts:
            end = data.find(b"\n", at) + 1
            if count and quiet.shape_of(data, following.end(), end) not in quiet.known:
                break
            at, count, following = end, count + 1, HOSTED.match(data, end)
        return count, at

    def may_pass(self, host: bytes) -> bool:
        """Whether quiet lines of a host may be passed over here: not where they may be a part of what is being read."""
        if host not in self.quiet.hosts:
            return False
        self.settle()
        return not (self.stacks.open or self.events.is_open)

    def pass_over(self, data: bytes, begin: int, end: int, count: int) -> bool:
        """Lines of programs that tell nothing: the first of the log tells when and where it was written, and all of
        them whether that is one host. Whether their last one was looked at.
        """
        is_first, self.is_full = self.last_us is None or not self.hosts, True
        if is_first:
            self.place(data[begin : data.find(b"\n", begin)])
        if not self.is_mixed and len(self.hosts) == 1:
            self.is_mixed = data.count(f" {next(iter(self.hosts))} ".encode(), begin, end) < count
        return is_first and count == 1

    def place(self, line: bytes) -> None:
        """Take when and where a line was written, and nothing else of it."""
        match = SPLIT.match(line.decode("utf-8", "replace").rstrip())
        if match is not None:
            self._at(match.groupdict())
            if host := match["host"]:
                self.hosts.add(host)

    def _is_set_in_below(self, match: re.Match[str], held: Message) -> bool:
        """Whether a line is a further one of a message of Solaris: stamp and host again, and a tab, behind which words
        with a colon may look like a program.
        """
        if held.parts >= _PARTS_KEPT or match.re is not SPLIT:
            return False
        end = match.end("host")
        is_set_in = end > 0 and match["program"] is not None and match.start("program") - end > _TAB
        return is_set_in and held.stamp.startswith(match.string[match.start() : end])

    def _more_of(self, match: re.Match[str], head: str, text: str) -> str | None:
        """What a line adds to the message above, as Solaris heads each line of one."""
        held = self.held
        if held is None:
            return None
        if held.text[:4] == "[ID " and self._is_set_in_below(match, held):
            return match.string[match.start("program") :]
        if head == held.stamp and _OF_DEVICE.search(held.text) is not None:
            return text
        if head == held.stamp and "fsid=" in held.text and _STRUCTURE.match(text) is not None:
            return text.lstrip()
        return text.partition("]")[2].lstrip() if self._is_sensed_below(match, text, held) else None

    def _is_sensed_below(self, match: re.Match[str], text: str, held: Message) -> bool:
        """Whether a line tells what the disk answered to the command that the message above is about."""
        if held.parts >= _PARTS_KEPT or _SENSED.match(text) is None or _OF_COMMAND.search(held.text) is None:
            return False
        return held.stamp.startswith(match.string[match.start() : match.end("host")])

    def _is_more(self, text: str) -> bool:
        """Whether a line without a head of its own goes on with the message above."""
        held = self.held
        if held is None or held.parts >= _PARTS_KEPT or DMESG_HEAD.match(text.lstrip()) is not None:
            return False
        if self.stacks.open and group_of(held.program) in ("kernel", None):
            return False  # the line may be a frame of the stack; a message of another program has none
        if (again := SAME_STAMP.match(text.lstrip())) is not None:
            return held.stamp.startswith(text.lstrip()[: again.start("text")].rstrip())
        return PLAIN_HEAD.match(text.lstrip()) is None

    def _add(self, body: str) -> None:
        held = self.held
        if held is not None:
            again = SAME_STAMP.match(body)
            held.text, held.parts = (
                f"{held.text} {again['text'] if again is not None else body.strip()}"[:_MESSAGE_KEPT],
                held.parts + 1,
            )

    def _unstamped(self, number: int, body: str) -> None:
        """A line of ``dmesg``, of a console, or of a stack."""
        section, at, zone, stamp = self.section, self.above, None, ""
        node = section.node
        if match := DATED.match(body) or ISO_DATED.match(body):
            found = find_instant(
                match[1].strip("[]").replace(",", ".") if match.re is ISO_DATED else match[1].strip("[]:")
            )
            at, zone = (found[0].us, found[0].zone_min) if found else (None, None)
            if found is not None:
                section.stamp(found[0])
            stamp, body = match[0], body[match.end() :]
        elif match := UPTIME.match(body):
            node, at = self._since_start(match[0])
            stamp, body = match[0], body[match.end() :]
        text, held = body.lstrip(), self.held
        is_set_in = body.startswith("  ") and not self.stacks.open
        is_alike = held is not None and (
            stamp == held.stamp != "" or ("fsid=" in held.text and _STRUCTURE.match(text) is not None)
        )
        if is_set_in and held is not None and is_alike and held.parts < _PARTS_KEPT:
            self._add(text)  # a message of several lines, which have one stamp and are set in
            return
        self._hold(Message(number, "kernel", text, node, at, zone, stamp=stamp))

    def _since_start(self, head: str) -> tuple[str | None, int | None]:
        """Node and moment of a line that shows only how long its kernel ran: those of the kernel whose lines stand in
        the same log with both, where it is the only one.
        """
        node, up = self.section.node, _UP.search(head)
        if self.shown is None or up is None or len(self.hosts) != 1 or self.is_mixed:
            return node, None
        text, host, at = self.shown
        if at is None or host is None or node not in (None, host) or (then := _UP.match(text)) is None:
            return node, None
        since = _micros(up) - _micros(then)
        return (host, at + since) if abs(since) <= _DAY else (node, None)

    def _at(self, found: Mapping[str, str | None]) -> int | None:
        stamp = found.get("bsd") or found.get("iso") or found.get("local") or ""
        if stamp == self.last_stamp:
            return self.last_us
        us: int | None
        if found.get("iso"):
            instant = find_instant(stamp)
            us, zone = (instant[0].us, instant[0].zone_min) if instant else since_epoch(stamp)
        else:
            us, zone = self._of_hour(stamp) if stamp[:-5] == self.quiet.hour[0] else self._without_year(stamp), None
        self.last_stamp, self.last_us, self.zone_min = stamp, us, zone
        if us is not None:
            self.section.stamp(Instant(us, zone))
        return us

    def _without_year(self, stamp: str) -> int | None:
        month, day, clock = stamp.split()
        number, hour = month_number(month), time_of_day(f"{clock[:3]}00:00")
        if number and hour is not None and len(clock) == _CLOCK:
            self.quiet.hour = stamp[:-5], number, int(day), hour
        return self.years.stamp(MONTHS[number - 1], day, clock) if number else None

    def _of_hour(self, stamp: str) -> int | None:
        """The same of a stamp within the hour of the one above, which is taken apart already."""
        _, month, day, hour = self.quiet.hour
        if stamp[-5:-3] > "59" or stamp[-2:] > "59":
            return self._without_year(stamp)
        within = hour + (int(stamp[-5:-3]) * 60 + int(stamp[-2:])) * 1_000_000
        us = self.years.wall(month, day, within)
        return within if us is None else us

    def _hold(self, message: Message) -> None:
        """The message above is whole now."""
        self.settle()
        self.held = message

    def settle(self) -> None:
        """Read the message that was held back for its further lines."""
        message, self.held = self.held, None
        if message is None:
            return
        group = group_of(message.program)
        self.is_listened = self.is_listened or not (group is None or is_of_site(group))
        in_stack = group == "kernel" and self._stacked(message)
        if in_stack and not message.text.startswith("INFO:"):
            return
        self.events.below(message.node, message.text)
        if group == "kernel" and not (named := self.events.named(message.node, message.text)):
            return
        if group == "kernel":
            message.text = named
        meaning = self.quiet.meaning_of(message.program, message.text, message.level)
        if meaning is None:
            if message.known_by is not None and message.parts == 1 and not self.stacks.open:
                self.quiet.learn(*message.known_by, message.program, group, message.text)
            return
        self.is_listened = True
        if meaning.kind == _STARTED:
            meaning = meaning._replace(value=float(message.is_full), unit="log of programs")
        if message.program == PROGRAM:
            meaning = of_its_event(self.section.state.setdefault("faults", {}), meaning, message.text)
        put_names(self.section, message.number, meaning, message.node)
        self.events.put(
            Event(
                line=message.number,
                node=meaning.on or message.node,
                at=message.at,
                zone_min=message.zone_min,
                source=message.program,
                kind=meaning.kind,
                about=meaning.about,
                value=meaning.value,
                unit=meaning.unit,
                weight=meaning.weight,
                text=message.text[:_KEPT],
            )
        )

    def end(self) -> None:
        """The log ends here, or goes on in another stretch."""
        self.settle()
        self.events.end()
        self.stacks.close(self.out)

    def _stacked(self, message: Message) -> bool:
        stacks = self.stacks
        if not stacks.open and message.text.startswith("[<"):
            self._proc_stack(message.number, message.node, message.at)
        return stacks.take(self.out, message.number, message.text, message.node, message.at, message.zone_min)

    def _proc_stack(self, number: int, node: str | None, at: int | None) -> None:
        """Frames without a head: a file of one process, whose id stands in the path."""
        stacks = self.stacks
        found = _OF_PROCESS.search(self.section.path or "") or _stack_of(self.section)
        stacks.open, stacks.line, stacks.node, stacks.at, stacks.source = True, number, node, at, "proc stack"
        stacks.pid = int(found[2] or found[1]) if found else None
        stacks.task = found["task"] if found else None


def _may_go_on(text: str) -> bool:
    """Whether a message may go on in lines with heads of their own: ``_more_of``."""
    return text.startswith(("[ID ", "/", "WARNING: /")) or "fsid=" in text or "Error for Command: " in text


def _micros(up: re.Match[str]) -> int:
    return int(up["s"]) * 1_000_000 + int(up["part"][:6].ljust(6, "0"))


def since_epoch(stamp: str) -> tuple[int | None, int | None]:
    """Of ``journalctl -o short-unix``: seconds since 1970, and so in UTC."""
    seconds, _, fraction = stamp.partition(".")
    return (int(seconds) * 1_000_000 + int(fraction), 0) if seconds.isdigit() and fraction.isdigit() else (None, None)


def _agent_message(program: str, head: str, text: str) -> str | None:
    """The words of an agent of Pacemaker, behind its resource: its name is that of the kind of the resource, which the
    resource's own name follows (``pgsql(orders)[2211]: ERROR: text``).
    """
    if not head.rstrip().endswith("]:") or group_of(program) is not None:
        return None
    resource, level = _OF_RESOURCE.search(head), _AGENT_MESSAGE.match(text)
    return f"{resource[1]}: {level[1]}: {text[level.end() :]}" if resource and level else None


def _stack_of(section: OpenSection) -> re.Match[str] | None:
    command = section.command
    return _OF_PROCESS.search(command.text) if command is not None else None
