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

import re
from collections.abc import Mapping
from dataclasses import field
from functools import cache
from typing import Any, Final

from parsers.catalogue import entries_in_force, group_of, is_of_site, program_names
from parsers.clock import MONTH, MONTHS, Instant, find_instant
from parsers.dataclass import dataclass
from parsers.formats.host.fault_manager import PARTS, PROGRAM, of_its_event
from parsers.formats.host.kernel_log_kinds import plain_text
from parsers.formats.host.kernel_stacks import ADDRESSED, FRAME, HUNG, TASK, TRACE, Stacks
from parsers.formats.host.quiet_lines import QuietLines, remember
from parsers.local_dates import month_number
from parsers.lookup import claimed, parsers
from parsers.message_events import put_names
from parsers.output import Output
from parsers.records import Event
from parsers.registry import parser
from parsers.sections import OpenSection
from parsers.years import Years

NAME: Final = "kernel_log"
_BSD: Final = rf"(?:{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,6}})?)"
# In other languages, as the journal prints it: the month is looked up before the line is believed.
_LOCAL: Final = r"(?:(?:[^\W\d_]{3,10}\.?|\d{1,2}[월月]) {1,3}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,6})?)"
_DAY_NAME: Final = r"(?:[^\W\d_]{1,4}\.? )?"
_ISO: Final = (
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
    # Without the T or the zone it may be the stamp of a tool in front of any words: then the program must show that it
    # is one.
    rf"|{_DAY_NAME}\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?(?:[+-]\d\d:?\d\d| [A-Z]{{3,5}}| [+-]\d{{4}})?"
    r"(?= [A-Za-z0-9][\w.-]{0,127} (?:kernel|[\w./@-]{1,63}(?:\([\w./@-]{1,80}\))?\[\d{1,9}\]): )"
    r"|\d{9,10}\.\d{6}(?= [A-Za-z0-9][\w.-]{0,127} (?:kernel|[\w./@-]{1,63}\[\d{1,9}\]): ))"
)
_STAMP: Final = rf"(?:{_BSD}|{_ISO})"
# Behind its name a program may say on whose behalf it writes, or its release: "sshd(pam_unix)[19939]:",
# "run-parts(/etc/cron.daily)[81]:", "(systemd)[7]:", "syslogd 1.4.1:".
_OF_PROGRAM: Final = r"(?:\([\w./@-]{1,80}\)|\)| \d{1,4}\.[\d.]{1,12}| (?=\[\d{1,9}\]:))?"
_PLACE: Final = r"(?:/(?:[\w.-]{1,40}/){1,8})?"
"""Where a program lies, which it may write in front of its name: "/usr/sbin/cron[81]:"."""
_PROGRAM: Final = rf"\(?{_PLACE}[A-Za-z_][\w./@-]{{0,63}}{_OF_PROGRAM}(?:\[\d{{1,9}}\])?: "
_NO_HOST: Final = r"(?!(?i:emerg|panic|alert|crit(?:ical)?|fatal|err(?:or)?|warn(?:ing)?|notice|info|debug|trace) )"
"""A word behind a stamp that is the level of a message."""
FACILITY: Final = (
    r"(?:(?:kern|user|mail|daemon|auth|authpriv|syslog|lpr|news|uucp|cron|caa|aso|local\d)[:.]"
    r"(?:emerg|alert|crit|err(?:or)?|warn(?:ing)?|notice|info|debug)(?:\|[a-z]{3,8})? )?"
)
"""AIX writes facility and level behind the host, and templates of rsyslog do: ``kern:warn|warning unix: text``."""
# Where a part of a name was cut away, the rest may begin with what stood in between.
_HOST: Final = rf"{_NO_HOST}[_-]{{0,2}}[A-Za-z0-9][\w.-]{{0,127}} {FACILITY}"
# In its place may stand what somebody put there who hides names: "<host>", "*****", "[redacted]", "{{host}}", "$HOST".
_HIDDEN: Final = (
    r"(?:(?:<[\w .-]{1,40}>|\[[\w .-]{1,40}\]|\{{1,2}[\w .-]{1,40}\}{1,2}|\$\{?\w{1,40}\}?|-"
    r"|[*#?.\u2026\u2588_-]{2,40}) {1,3})?"
)
# A stamp and the program alone: the name of the host was cut out or hidden, or the log is that of one machine.
# Older daemons of a cluster write files of their own with their name behind the stamp: "fenced fencing node perch2".
_OF_ITSELF: Final = (
    r"(?:fenced|qdiskd|rgmanager|gfs_controld|groupd|modclusterd) (?=[A-Za-z#\[])"
    r"(?!(?:kernel|[\w./@-]{1,64}\[\d{1,9}\]):)"
)
_LONE: Final = rf"(?:(?:kernel|[A-Za-z_][\w./@-]{{0,63}}\[\d{{1,9}}\]): |{_OF_ITSELF})"
_HOSTLESS: Final = rf"{_HIDDEN}{_LONE}"
_OWN_FILE: Final = (
    r"(?:\[\d{1,9}\] )?(?:[A-Za-z0-9][\w.-]{0,127} )?(?:corosync|openais|aisexec)(?:\[\d{1,9}\]:)? {1,4}(?:"
    r"(?:notice|warning|error|info|debug|crit|alert|emerg) {1,4})?\["
)
# Files of Pacemaker: "pacemaker-fenced    [1736] (finalize_op) \terror: text"; before "[1736] kite3 stonith-ng: error:
# function: text".
_FUNCTION: Final = r"[A-Za-z_][\w-]{0,63} {0,16}\[\d{1,9}\] \([^()\s]{1,120}\)\s{1,8}"
_OLD_PACEMAKER: Final = (
    rf"\[\d{{1,9}}\] {_HOST} {{0,16}}[a-z][\w-]{{1,40}}:\s{{1,12}}"
    r"(?=(?:emerg|alert|crit|error|warning|notice|info|debug): )"
)
_BARE: Final = r"(?=\[(?:TOTEM|KNET|QUORUM|VOTEQ|MAIN|CFG|SERV|SYNC|CPG|WD|QB) {0,4}\] )"
# Corosync's file without times, and lines of it that were copied without what stood in front of them.
_LEVELED: Final = r"(?:notice|warning|error|info|debug|crit|alert|emerg|critical)"
# What it prints on standard error has its own stamp behind the name that the manager of services gave it.
_OWN_STAMP: Final = rf"corosync\[\d{{1,9}}\]: {{1,4}}(?={_BSD} {{1,4}}{_LEVELED} {{1,8}}\[)"
_UNDATED: Final = (
    rf"(?:{_OWN_STAMP}{_BSD} {{1,4}})?"
    r"(?:\[\d{1,9}\] (?:(?!corosync)[A-Za-z0-9][\w.-]{0,127} )?)?(?:corosync(?:\[\d{1,9}\]:)? {0,4})?"
    rf"(?:{_LEVELED} {{1,4}})?\[(?:TOTEM|KNET|QUORUM|VOTEQ|MAIN|CFG|SERV|SYNC|CPG|WD|QB) {{0,4}}\] {{1,4}}(?=\S)"
)
# Of the kernel, where a forwarder left its name out: the uptime stands behind the host.
_UNNAMED: Final = r"(?=\[ {0,8}\d{1,7}\.\d{6}\] )"
_LOG: Final = (
    rf"(?:{_STAMP}|{_LOCAL}) "
    rf"(?:{_BARE}|{_HOST} {{0,3}}{_UNNAMED}"
    rf"|{_HOST}{_PROGRAM}|{_HOST}{_FUNCTION}|{_OLD_PACEMAKER}|{_OWN_FILE}|{_HOSTLESS})"
)
_UP: Final = r"\[ {0,8}\d{1,9}\.\d{3,9}\](?:\[ {0,6}[TCPU]\d{1,7}\])?"
# A console shows its prompt once in front of the kernel's words.
_LEVELS: Final = r"(?:<\d{1,3}>|[a-z]{3,8}\d? {0,4}: {0,8}[a-z]{3,7} {0,4}: {0,4}|[A-Za-z][\w.-]{0,62} login: )?"
_BOXED_DATE: Final = (
    r"(?:\[(?=[^\]\n]{14,40}\])[^\]\d]{0,20}\d{1,2}[^\]\d:]{0,12}\d{0,2} {1,3}\d\d:\d\d:\d\d \d{4}\]"
    r"|\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z\]:)"
)
# Of ``dmesg -e``: the minute, or the seconds since the message above; "-T" and the caller may follow.
_SINCE: Final = r"\[(?:[A-Z][a-z]{2} {0,2}\d{1,2} \d\d:\d\d| {0,8}\+ {0,8}\d{1,6}\.\d{3,9})\] {0,2}"
_CALLER: Final = r"(?: {0,8}\[ {0,8}[TCPU]\d{1,7}\])?"
_DMESG: Final = (
    rf"{_LEVELS}(?:{_UP}(?: {{0,3}}\S| )|(?:{_SINCE})?{_BOXED_DATE}{_CALLER} {{0,16}}\S|{_SINCE}{_CALLER} {{0,16}}\S)"
)
_ISO_DMESG: Final = (
    rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{{3,9}}[+-]\d\d:\d\d{_CALLER} (?=INFO: |BUG: |task:| |Call "
    r"Trace|device-mapper|dlm: |gfs2: |GFS2: |Oops|sd |scsi |Kernel panic|watchdog: "
    r"|blk_|Buffer|Workqueue|CPU: |RIP: |\S{1,20} \S{1,20}: )"
)
_5424: Final = r"<\d{1,3}>1 (?:\d{4}-\d\d-\d\dT\S{8,30}|-) \S{1,255} \S{1,48} \S{1,128} \S{1,32} (?:-|\[)"
_PLAIN: Final = (
    rf"{HUNG}|{ADDRESSED}|[\w./@-]{{1,40}}: page allocation (?:failure|stalls)\b"
    rf"|(?:gfs2|GFS2): fsid=\S{{1,128}} (?![ ]{{0,3}}[GHIRLB]: )\S|dlm: (?:connecting to"
    rf"|closing connection to node|got connection from) \d"
    r"|dlm: [\w.-]{1,64}: (?:dlm_recover|recover) \d|device-mapper: (?:multipath|thin): |Kernel panic - not syncing"
    r"|(?:watchdog: )?BUG: (?:soft lockup - CPU|unable to handle|kernel |KASAN: |Bad |scheduling while|spinlock"
    r"|workqueue)"
    r"|Unable to handle kernel (?:paging|NULL|access)|WARNING: CPU: \d{1,5} PID: \d"
    r"|(?:rcu: )?INFO: rcu\w{0,14} .{0,20}detected"
    r"|INFO: task .{1,64}:\d{1,9} (?:is )?blocked on an? "
    r"|Oops: |(?:WARNING: |NOTICE: )?(?:msgcnt \d{1,9}:? )?(?:vxfs: )?(?:msgcnt \d{1,9}:? )?mesg \d{3}: |vxfs: "
)
_CLAIMS: Final = (
    rf"(?:(?:<\d{{1,3}}>)?{_LOG}|{_5424}|{_DMESG}|{_ISO_DMESG}|{_PLAIN}|{_UNDATED}"
    r"|task:\S.{0,63} {1,20}state:[A-Z] |Call [Tt]race:\s{0,20}$)"
)
_OWNS = re.compile(rf"(?:(?:<\d{{1,3}}>)?{_LOG}|{_5424}|{_DMESG}|{_ISO_DMESG}|{_PLAIN}|{_UNDATED}|{TASK}|{TRACE})")
_SPLIT = re.compile(
    rf"(?:<(?P<pri>\d{{1,3}})>)?(?:(?P<bsd>{_BSD})|(?P<iso>{_ISO})|(?P<local>{_LOCAL})) (?:\[\d{{1,9}}\] "
    r")?(?:(?P<own>(?:[A-Za-z0-9][\w.-]{0,127} )?(?:corosync|openais|aisexec)(?: {1,4}|\[\d{1,9}\]: "
    rf"{{1,4}})(?=\[|notice|warning|error|info|debug|crit|alert|emerg))|(?P<bare>){_BARE}"
    rf"|{_HIDDEN}(?={_LONE})(?P<lone>[A-Za-z_][\w./@-]{{0,63}}?)(?:\[\d{{1,9}}\])?:?\s"
    rf"|{_NO_HOST}[_-]{{0,2}}(?P<host>[A-Za-z0-9][\w.-]{{0,127}}) {FACILITY} {{0,16}}"
    rf"(?:{_UNNAMED}|\(?{_PLACE}(?P<program>[A-Za-z_][\w./@-]{{0,63}}?)(?:{_OF_PROGRAM}(?:\[\d{{1,9}}\])?:"
    r"| {0,16}\[\d{1,9}\] "
    r"\([^()\s]{1,120}\))\s))(?P<text>.*)$"
)
_SPLIT_5424 = re.compile(
    r"<(?P<pri>\d{1,3})>1 (?P<iso>\S{1,40}) (?P<host>\S{1,255}) (?P<program>\S{1,48}) \S{1,128} \S{1,32} "
    r"(?:-|\[[^\]]{0,2000}\]) ?(?P<text>.*)$"
)
_OF_COROSYNC = re.compile(
    rf"(?:{_OWN_STAMP}(?P<bsd>{_BSD}) {{1,4}})?"
    r"(?:\[\d{1,9}\] (?:(?P<host>(?!corosync)[A-Za-z0-9][\w.-]{0,127}) )?)?(?:corosync(?:\[\d{1,9}\]:)? {0,4})?"
    rf"(?P<text>(?:{_LEVELED} {{1,4}})?\[(?:TOTEM|KNET|QUORUM|VOTEQ|MAIN|CFG|SERV|SYNC|CPG|WD|QB) {{0,4}}\] .*)$"
)
_SAME_STAMP = re.compile(rf"(?P<stamp>{_STAMP}) (?P<host>[A-Za-z0-9][\w.-]{{0,127}})(?:$| {{1,16}}(?=\S))(?P<text>.*)$")
_UPTIME = re.compile(rf"{_LEVELS}(?:{_UP}|{_SINCE}){_CALLER} ?")
_UPTIME_SIGN = re.compile(r"[.:]\d{2,9}\]")
_DATED = re.compile(rf"{_LEVELS}(?:{_SINCE})?({_BOXED_DATE}){_CALLER} ?")
_ISO_DATED = re.compile(rf"(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{{3,9}}[+-]\d\d:\d\d){_CALLER} ")
_CRASHES: Final = ("kernel-oops", "kernel-bug")
_CRASH_LINES: Final = 16
"""So many messages at the most from the first line of a crash to the one that names the function."""
_CRASHED_IN = re.compile(
    r"(?:RIP: 0010:|[RE]?IP: |EIP is at |pc : |PC is at |NIP )(?:[0-9a-f]{4}:)?\s{0,8}"
    r"(?:\[<?[0-9a-f]{8,16}>?\]\s{1,8}){0,2}"
    r"(?::(?P<before>\w{1,40}):)?(?P<function>[A-Za-z_][\w.]{1,120})\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?"
    r"(?: \[(?P<module>\w{1,40})\])?"
)
_ABORTED: Final = "command-aborted"
_COMMAND_TO = re.compile(r"(?:sd|scsi|sr|ses|st) (?P<disk>\d{1,5}:\d{1,5}:\d{1,5}:\d{1,20}): .{0,40}\bCDB: ")
"""The command that an adapter gave up, in the line below."""
_FOLLOWS = re.compile(
    r"(?:\[<[0-9a-f]{1,16}>\]|\? |[A-Za-z_][\w.]{1,120}\+0x|</?(?:TASK|IRQ)>|\"echo 0 > |Not "
    r"tainted|Tainted: |Workqueue: )"
)
_ALONE = re.compile(r"[a-z_][a-z0-9_.]{3,80}(?: \S{1,80}:\d{1,6}(?: \[inline\])?)?$")
_FIGURES: Final = re.compile(r"0x[0-9a-f]{1,16}|\b[0-9a-f]{8,16}\b|\d{1,20}")
"""Numbers and addresses in the first words of a message."""
_WRAPPED: Final = (40, 140)
"""Widths at which mail programs and terminals break a line."""
_PARTS_KEPT: Final = 12
_PROGRAMS: Final = (
    "dlm_controld",
    "gfs_controld",
    "mmfs",
    "mmfsd",
    "mmsysmon",
    "Had",
    "had",
    "AgentFramework",
    "vxconfigd",
    "vxfs",
    "vxdmp",
    "llt",
    "gab",
    *PARTS,
)
LEVEL_NAMES: Final = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")
_MESSAGE_KEPT: Final = 2000
_DMESG_HEAD: Final = re.compile(rf"{_DMESG}|{_ISO_DMESG}")
_PLAIN_HEAD: Final = re.compile(rf"{_PLAIN}|{TASK}|{TRACE}|{FRAME}|{_FOLLOWS.pattern}")
_WINDOW: Final = 256 << 10
_FIRST_WINDOW: Final = 4 << 10
_KEPT: Final = 400
_EXPLAINED: Final = re.compile(r"--(?: .{0,400})?$")
"""What ``journalctl -x`` says of the message above, and the marks of the journal itself."""
_ELSEWHERE: Final = frozenset(("-m", "--merge", "-M", "--machine", "-D", "--directory", "--file", "--root", "--image"))
_AGENT: Final = "ocf-agent"
_OF_RESOURCE: Final = re.compile(r"\(([A-Za-z0-9][\w.-]{0,79})\)\[\d{1,9}\]: {0,4}$")
_AGENT_MESSAGE: Final = re.compile(
    r"(?:\d{4}[/-]\d\d[/-]\d\d_\d\d:\d\d:\d\d )?(ERROR|CRIT|WARNING|INFO|DEBUG|NOTICE): {1,4}(?=\S)"
)
_OF_PROCESS = re.compile(r"proc/(\d{1,9})/(?:task/(\d{1,9})/)?stack(?: # (?P<task>\S{1,64})$)?")


def _since_epoch(stamp: str) -> tuple[int | None, int | None]:
    """Of ``journalctl -o short-unix``: seconds since 1970, and so in UTC."""
    seconds, _, fraction = stamp.partition(".")
    return (int(seconds) * 1_000_000 + int(fraction), 0) if seconds.isdigit() and fraction.isdigit() else (None, None)


def _owns(text: str, before: str) -> bool:
    body = text.lstrip()
    if (
        _OWNS.match(body) is not None
        or _EXPLAINED.match(body) is not None
        or _FOLLOWS.match(body) is not None
        or (_ALONE.match(body) is not None and _in_trace(before))
    ):
        return True
    return _is_stamped_alike(body, before.lstrip()) or _goes_on(text, before)


def _is_stamped_alike(body: str, before: str) -> bool:
    """Further lines of one message, as Solaris prints them: stamp and host again, and no program."""
    match = _SAME_STAMP.match(body)
    return match is not None and before.startswith(body[: match.start("text")].rstrip())


def _goes_on(text: str, before: str) -> bool:
    """Whether a line is the rest of the one above, which was wrapped: its first word would not have fitted there. No
    wrap leaves a blank line behind.
    """
    if before.endswith("\n"):
        return False
    body, above = text.strip(), before.rstrip()
    least, most = _WRAPPED
    if not body or not least <= len(above) <= most or len(body) > most or _FOLLOWS.match(above.lstrip()) is not None:
        return False
    first = body.split(None, 1)[0]
    ends = above[-1] in ".!?" or (above[-1] == ":" and not (body[0].islower() and _OWNS.match(above.lstrip())))
    return not ends and any(len(above) <= width < len(above) + 1 + len(first) for width in _WIDTHS)


_WIDTHS: Final = (60, 64, 65, 66, 68, 70, 72, 74, 75, 76, 78, 79, 80, 90, 100, 120, 132)


def _in_trace(before: str) -> bool:
    body = before.lstrip()
    return (
        body.startswith(("Call Trace", "Call trace", "task:"))
        or _FOLLOWS.match(body) is not None
        or _ALONE.match(body) is not None
    )


# Whether another parser claims messages of a program that start so: asked once, for asking costs more than reading the
# line.
_KNOWN_STARTS: dict[tuple[str, str], bool] = {}


def _without_uptime(text: str) -> str:
    return _UPTIME.sub("", text, count=1) if _UPTIME_SIGN.search(text) is not None else text


def _is_foreign(text: str, match: re.Match[str]) -> bool:
    program, start = (
        match["program"] or match.groupdict().get("lone") or ("kernel" if match["host"] else "corosync"),
        _FIGURES.sub("0", " ".join(match["text"][:120].split()[:4])),
    )
    known = _KNOWN_STARTS.get((program, start))
    if known is None:
        if len(_KNOWN_STARTS) > 8192:
            _KNOWN_STARTS.clear()
        owner = claimed(text)
        known = _KNOWN_STARTS[program, start] = owner is not None and owner.name != NAME
    return known


def _is_foreign_line(text: str, match: re.Match[str], known_by: tuple[bytes, bytes] | None, quiet: QuietLines) -> bool:
    """The same, asked once of a shape."""
    if known_by is not None and known_by[0] in quiet.own:
        return False
    is_foreign = _is_foreign(text, match)
    if not is_foreign and known_by is not None and known_by[0]:
        remember(quiet.own, known_by[0])
    return is_foreign


@dataclass(slots=True)
class _Message:
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


@dataclass(slots=True)
class _Reader:
    """Takes lines one after the other."""

    section: OpenSection
    out: Output
    stacks: Stacks
    years: Years
    above: int | None
    quiet: QuietLines
    last_stamp: str = ""
    last_us: int | None = None
    zone_min: int | None = None
    hosts: set[str] = field(default_factory=set)
    held: _Message | None = None
    is_mixed: bool = False
    """Whether lines that were passed over are of several hosts."""
    is_listened: bool = False
    crash: Event | None = None
    crash_node: str | None = None
    crash_age: int = _CRASH_LINES
    aborted: Event | None = None

    def line(self, number: int, text: str) -> None:
        """A line of the section, whatever it is."""
        body = text.lstrip()
        match = _SPLIT.match(body) or _SPLIT_5424.match(body)
        if _EXPLAINED.match(body) is not None:
            self.settle()
            self.out.frame()
        elif match is not None and (
            match.groupdict().get("local") is None or month_number(match["local"].split()[0]) is not None
        ):
            self.stamped(number, match)
        elif (match := _OF_COROSYNC.match(body)) is not None:
            node = match["host"] or self.section.node
            if match["host"]:
                self.hosts.add(match["host"])
            at = self._at(match.groupdict()) if match["bsd"] else self.above
            self._hold(_Message(number, "corosync", match["text"], node, at))
        elif self._is_more(text):
            self._add(body)
        else:
            self._unstamped(number, body)

    def stamped(self, number: int, match: re.Match[str], known_by: tuple[bytes, bytes] | None = None) -> None:
        """A line with stamp, host and program. known_by: its shape and host, where it is clean."""
        found = match.groupdict()
        at = self._at(found)
        if found.get("own"):
            words = match["own"].split()
            host, program = (words[0] if len(words) > 1 else None), words[-1].split("[")[0].rstrip(":")
        elif found.get("bare") is not None:
            host, program = self.section.node, "corosync"
        elif found.get("lone"):
            host, program = self.section.node, match["lone"].rsplit("/", 1)[-1]
        else:
            host, program = match["host"], _program_of(match)
        if host:
            self.hosts.add(host)
        text = match["text"].lstrip() if program != "kernel" else _without_uptime(match["text"]).lstrip()
        level = LEVEL_NAMES[int(match["pri"]) & 7] if found.get("pri") else ""
        head = match[0][: match.start("text") - match.start()]
        if program in PARTS and self.held is not None and self.held.program == PROGRAM:
            self._add(f"{program}: {text}")
            return
        if (message := _agent_message(program, head, text)) is not None:
            program, text = _AGENT, message
        node = host or self.section.node
        self._hold(_Message(number, program, text, node, at, self.zone_min, level, head, known_by=known_by))

    def pass_quiet(self, data: bytes, at: int, head: re.Match[bytes], shape: bytes) -> tuple[int, int]:
        """Pass over the lines from a place on of which one like it gave nothing, as long as no stack or crash is open:
        how many, and where the next one begins. head: of the first, and shape: of what stands behind it.
        """
        quiet, count = self.quiet, 0
        if shape not in quiet.known or head[1] not in quiet.hosts:
            return 0, at
        self.settle()
        if self.stacks.open or self.crash is not None or self.aborted is not None:
            return 0, at
        following: re.Match[bytes] | None = head
        while following is not None and following[1] in quiet.hosts:
            end = data.find(b"\n", at) + 1
            if count and quiet.shape_of(data, following.end(), end) not in quiet.known:
                break
            at, count, following = end, count + 1, _HOSTED.match(data, end)
        return count, at

    def pass_over(self, data: bytes, begin: int, end: int, count: int) -> bool:
        """Lines of programs that tell nothing: the first of the log tells when and where it was written, and all of
        them whether that is one host. Whether their last one was looked at.
        """
        is_first = self.last_us is None or not self.hosts
        if is_first:
            self.place(data[begin : data.find(b"\n", begin)])
        if not self.is_mixed and len(self.hosts) == 1:
            self.is_mixed = data.count(f" {next(iter(self.hosts))} ".encode(), begin, end) < count
        return is_first and count == 1

    def place(self, line: bytes) -> None:
        """Take when and where a line was written, and nothing else of it."""
        match = _SPLIT.match(line.decode("utf-8", "replace").rstrip())
        if match is not None:
            self._at(match.groupdict())
            if host := match["host"]:
                self.hosts.add(host)

    def _is_more(self, text: str) -> bool:
        """Whether a line without a head of its own goes on with the message above."""
        held = self.held
        if (
            held is None
            or self.stacks.open
            or held.parts >= _PARTS_KEPT
            or _DMESG_HEAD.match(text.lstrip()) is not None
        ):
            return False
        if (again := _SAME_STAMP.match(text.lstrip())) is not None:
            return held.stamp.startswith(text.lstrip()[: again.start("text")].rstrip())
        return _PLAIN_HEAD.match(text.lstrip()) is None

    def _add(self, body: str) -> None:
        held = self.held
        if held is not None:
            again = _SAME_STAMP.match(body)
            held.text, held.parts = (
                f"{held.text} {again['text'] if again is not None else body.strip()}"[:_MESSAGE_KEPT],
                held.parts + 1,
            )

    def _unstamped(self, number: int, body: str) -> None:
        """A line of ``dmesg``, of a console, or of a stack."""
        section, at, zone, stamp = self.section, self.above, None, ""
        if match := _DATED.match(body) or _ISO_DATED.match(body):
            found = find_instant(
                match[1].strip("[]").replace(",", ".") if match.re is _ISO_DATED else match[1].strip("[]:")
            )
            at, zone = (found[0].us, found[0].zone_min) if found else (None, None)
            if found is not None:
                section.stamp(found[0])
            stamp, body = match[0], body[match.end() :]
        elif match := _UPTIME.match(body):
            at, stamp, body = None, match[0], body[match.end() :]
        text, held = body.lstrip(), self.held
        is_set_in = body.startswith("  ") and not self.stacks.open
        if is_set_in and held is not None and stamp == held.stamp != "" and held.parts < _PARTS_KEPT:
            self._add(text)  # a message of several lines, which have one stamp and are set in
            return
        self._hold(_Message(number, "kernel", text, section.node, at, zone, stamp=stamp))

    def _at(self, found: Mapping[str, str | None]) -> int | None:
        stamp = found.get("bsd") or found.get("iso") or found.get("local") or ""
        if stamp == self.last_stamp:
            return self.last_us
        us: int | None
        if found.get("iso"):
            instant = find_instant(stamp)
            us, zone = (instant[0].us, instant[0].zone_min) if instant else _since_epoch(stamp)
        else:
            month, day, clock = stamp.split()
            number = month_number(month)
            us, zone = (self.years.stamp(MONTHS[number - 1], day, clock) if number else None), None
        self.last_stamp, self.last_us, self.zone_min = stamp, us, zone
        if us is not None:
            self.section.stamp(Instant(us, zone))
        return us

    def _hold(self, message: _Message) -> None:
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
        self._end_crash(message)
        self.end_abort(message)
        meaning = self.quiet.meaning_of(message.program, message.text, message.level)
        if meaning is None:
            if message.known_by is not None and message.parts == 1 and not self.stacks.open:
                self.quiet.learn(*message.known_by, message.program, group, message.text)
            return
        if message.program == PROGRAM:
            meaning = of_its_event(self.section.state.setdefault("faults", {}), meaning, message.text)
        put_names(self.section, message.number, meaning, message.node)
        event = Event(
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
        if meaning.kind == _ABORTED and meaning.about is None:
            self.aborted = event
        elif meaning.kind not in _CRASHES:
            self.out.add(event)
        elif self.crash_age > _CRASH_LINES or self.crash_node != event.node or event.kind == "kernel-bug":
            self.put_crash()
            self.crash, self.crash_node, self.crash_age = event, event.node, 0

    def _end_crash(self, message: _Message) -> None:
        """A crash is one event of several lines: it is put out once its function is known, or no line names one."""
        self.crash_age += 1
        if self.crash is None:
            return
        if message.node == self.crash.node and (match := _CRASHED_IN.match(message.text)) is not None:
            if self.crash.about is None:
                module = match["module"] or match["before"]
                self.crash.about = f"{match['function']}{f' [{module}]' if module else ''}"
            self.put_crash()
        elif self.crash_age > _CRASH_LINES:
            self.put_crash()

    def end_abort(self, message: _Message | None = None) -> None:
        """Commands that an adapter gave up: the line below tells whose they were."""
        event, self.aborted = self.aborted, None
        if event is None:
            return
        if (
            message is not None
            and message.node == event.node
            and (match := _COMMAND_TO.match(message.text)) is not None
        ):
            event.about = match["disk"]
        self.out.add(event)

    def put_crash(self) -> None:
        """The crash that was held back for the name of its function."""
        crash, self.crash = self.crash, None
        if crash is not None:
            self.out.add(crash)

    def _stacked(self, message: _Message) -> bool:
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


def _program_of(match: re.Match[str]) -> str:
    """Its name; in brackets where the log has it so: a process that is still to become a program."""
    if match["program"] is None:
        return "kernel"
    name = match["program"].rsplit("/", 1)[-1]
    return f"({name})" if match.string[match.start("program") - 1] == "(" else name


def _agent_message(program: str, head: str, text: str) -> str | None:
    """The words of an agent of Pacemaker, behind its resource: its name is that of the kind of the resource, which the
    resource's own name follows (``pgsql(orders)[2211]: ERROR: text``).
    """
    if not head.rstrip().endswith("]:") or group_of(program) is not None:
        return None
    resource, level = _OF_RESOURCE.search(head), _AGENT_MESSAGE.match(text)
    return f"{resource[1]}: {level[1]}: {text[level.end() :]}" if resource and level else None


def message_in(line: str) -> tuple[str, str, str] | None:
    """The program, the message and the host of one line, as the catalogue and the entries of a site are asked; None
    where the line has no head of a log.
    """
    body = line.lstrip()
    if (match := _SPLIT.match(body) or _SPLIT_5424.match(body)) is not None:
        found = match.groupdict()
        is_own = bool(found.get("own")) or found.get("bare") is not None
        program = "corosync" if is_own else found.get("lone") or _program_of(match)
        text = match["text"].lstrip()
        plain = plain_text(program, _without_uptime(text).lstrip() if program == "kernel" else text)
        return program, plain, found.get("host") or ""
    if (match := _OF_COROSYNC.match(body)) is not None:
        return "corosync", plain_text("corosync", match["text"]), ""
    if (match := _DATED.match(body) or _ISO_DATED.match(body) or _UPTIME.match(body)) is not None:
        return "kernel", plain_text("kernel", body[match.end() :].lstrip()), ""
    return None


def _stack_of(section: OpenSection) -> re.Match[str] | None:
    command = section.command
    return _OF_PROCESS.search(command.text) if command is not None else None


@parser(NAME, version=11, product="", claims=_CLAIMS, owns=_owns, commands=("dmesg", "journalctl"), priority=-10)
def kernel_log(section: OpenSection, out: Output) -> None:
    """System log: lines that matter, and stacks."""
    state: dict[str, Any] = section.state
    reader = _Reader(
        section,
        out,
        state.setdefault("stacks", Stacks()),
        section.years,
        state.setdefault("above", section.at),
        out.interned.setdefault("quiet_lines", QuietLines()),
    )
    while True:
        _read_stretch(section, reader)
        line = next(iter(section), None)
        if line is None:
            break
        reader.line(line.number, line.text)
    reader.settle()
    reader.end_abort()
    reader.put_crash()
    reader.stacks.close(out)
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


def _read_stretch(section: OpenSection, reader: _Reader) -> None:
    """Whole stretches of a log: programs that tell nothing here in one step, lines of others one by one."""
    limit = _FIRST_WINDOW
    while data := section.window(limit):
        if not data.endswith(b"\n"):
            return
        used, lines, dull = _lines_of(data, section.line_number, reader)
        if lines:
            section.take(lines, size=used)
            section.previous = data[data.rfind(b"\n", 0, used - 1) + 1 : used - 1].decode("ascii", "replace")
            reader.out.everyday(dull)
            reader.is_listened = reader.is_listened or _MANAGED in data[:used]
        if used < len(data):
            return
        limit = min(_WINDOW, limit * 4)


@cache
def _stretch(listened: frozenset[str], *, is_manager_dull: bool) -> re.Pattern[bytes]:
    """Lines of programs that neither this parser nor another one listens to, and of the manager of services those that
    hold no word of a failure. listened: programs of this parser. is_manager_dull: not so, where the site has words of
    its own for it.
    """
    names = {*listened, *_PROGRAMS, *(name for p in parsers().values() for name in p.commands)} - {_MANAGER}
    rests: dict[str, list[str]] = {}
    for name in sorted(names):  # one comparison passes over all that begin with another letter
        rests.setdefault(name[0], []).append(re.escape(name[1:]))
    programs = "|".join(f"{re.escape(first)}(?:{'|'.join(rest)})" for first, rest in rests.items()).encode()
    failing = (
        rb"(?:\[\d{1,9}\])?: [^\n]{0,400}?(?:[Ff]ail|imed out|imeout|too quickly|exited)"
        if is_manager_dull
        else rb"[\[:]"
    )
    line = (
        _STAMP.encode()
        + rb" [A-Za-z0-9][\w.-]{0,127}+ (?!(?:"
        + programs
        + rb")[\[:]|"
        + _MANAGER.encode()
        + failing
        + rb")[A-Za-z_][\w./@-]{0,63}+(?:\[\d{1,9}+\])?: [^\n]{0,20000}+\n"
    )
    return re.compile(rb"(?:" + line + rb")++")


_MANAGER: Final = "systemd"
_MANAGED: Final = f" {_MANAGER}[".encode()
_CLEAN_LINE: Final = re.compile(
    rb"((?:"
    + _STAMP.encode()
    + rb") [\x20-%'-;=-\[\]-~]{1,4000}(?:(?<=\[)<(?=[0-9a-f]{8,16}>\])[\x20-%'-;=-\[\]-~]{1,400}){0,2})\n"
)
"""A line that reading leaves as it is: no mark of the web in it, but the address of a frame may be."""
_HOSTED: Final = re.compile(_BSD.encode() + rb" ([A-Za-z0-9][\w.-]{0,127}) ")


def _lines_of(data: bytes, number: int, reader: _Reader) -> tuple[int, int, int]:
    """How many bytes and lines were read, and how many of these lines are of programs that tell nothing here."""
    at = lines = dull = 0
    dull_to = 0
    stretch = _stretch(program_names(), is_manager_dull=_MANAGER not in entries_in_force().programs)
    passed: tuple[int, int] | None = None
    while at < len(data):
        foreign = stretch.match(data, at)
        if foreign is not None:
            count = data.count(b"\n", at, foreign.end())
            is_placed = reader.pass_over(data, at, foreign.end(), count)
            lines, dull, at = lines + count, dull + count, foreign.end()
            dull_to = 0 if is_placed else at
            continue
        known_by = None
        if (head := _HOSTED.match(data, at)) is not None:
            shape = reader.quiet.shape_of(data, head.end(), data.find(b"\n", at) + 1)
            count, end = reader.pass_quiet(data, at, head, shape)
            if count:
                lines, at = lines + count, end
                passed = number + lines, data.rfind(b"\n", 0, end - 1) + 1
                continue
            known_by = shape, head[1]
        match = _CLEAN_LINE.match(data, at)
        if match is None:
            break
        text = match[1].decode("ascii").rstrip()
        parts = _SPLIT.match(text)
        if parts is None or _is_foreign_line(text, parts, known_by, reader.quiet):
            break
        lines, passed = lines + 1, None
        reader.stamped(number + lines, parts, known_by)
        at = match.end()
    if passed is not None:  # the last line may go on below
        _read_again(data, *passed, reader)
    if at and dull_to == at:
        reader.place(data[data.rfind(b"\n", 0, at - 1) + 1 : at])
    return at, lines, dull


def _read_again(data: bytes, number: int, at: int, reader: _Reader) -> None:
    """Read a line that was passed over, so that all is as if none had been."""
    match = _CLEAN_LINE.match(data, at)
    parts = _SPLIT.match(match[1].decode("ascii").rstrip()) if match is not None else None
    if parts is not None:
        reader.stamped(number, parts)
