"""What stands in front of a message in a system log: stamps, hosts and programs in all their forms. No parser.

Mar  9 20:33:13 kite3 kernel: [81234.120034] text              Mar 09 20:33:13 corosync [TOTEM ] text
2031-03-09T20:33:13.120034+01:00 kite3 sshd[411]: text         <11>1 2031-03-09T20:33:13Z kite3 kernel - - - text
[81234.120034] text                                            [Sun Mar  9 20:33:13 2031] text
"""

from __future__ import annotations

import re
from typing import Final

from parsers.formats.host.logs.kernel_log_kinds import plain_text
from parsers.formats.host.logs.kernel_stacks import ADDRESSED, HUNG, TASK, TRACE
from parsers.times.clock import MONTH

NAME: Final = "kernel_log"
"""The parser that reads whatever has such a head and no parser of its own."""
BSD: Final = rf"(?:{MONTH} {{1,2}}\d{{1,2}} \d\d:\d\d:\d\d(?:\.\d{{1,6}})?)"
# In other languages, as the journal prints it: the month is looked up before the line is believed.
_LOCAL: Final = r"(?:(?:[^\W\d_]{3,10}\.?|\d{1,2}[월月]) {1,3}\d{1,2} \d\d:\d\d:\d\d(?:\.\d{1,6})?)"
_DAY_NAME: Final = r"(?:[^\W\d_]{1,4}\.? )?"
# Templates of rsyslog may put facility and severity as numbers in front of the host: "0 4 kite3 kernel: text".
_NUMBERS: Final = r"(?:\d{1,2} \d (?=[A-Za-z]))?"
# They may leave out the blank behind the tag, too: "kernel:[81234.120034] text".
_UPTIME_NEXT: Final = r"(?=\[ {0,8}\d{1,7}\.\d{6}\] )"
_ISO: Final = (
    r"(?:\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)"
    # Without the T or the zone it may be the stamp of a tool in front of any words: then the program must show that it
    # is one.
    rf"|{_DAY_NAME}\d{{4}}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{{1,9}})?(?:[+-]\d\d:?\d\d| [A-Z]{{3,5}}| [+-]\d{{4}})?"
    rf"(?= {_NUMBERS}[A-Za-z0-9][\w.-]{{0,127}} (?:(?:kernel|[\w./@-]{{1,63}}(?:\([\w./@-]{{1,80}}\))?\[\d{{1,9}}\]): "
    rf"|kernel:{_UPTIME_NEXT}))"
    r"|\d{9,10}\.\d{6}(?= [A-Za-z0-9][\w.-]{0,127} (?:kernel|[\w./@-]{1,63}\[\d{1,9}\]): ))"
)
STAMP: Final = rf"(?:{BSD}|{_ISO})"
# Behind its name a program may say on whose behalf it writes, or its release: "sshd(pam_unix)[19939]:",
# "run-parts(/etc/cron.daily)[81]:", "(systemd)[7]:", "syslogd 1.4.1:".
_OF_PROGRAM: Final = r"(?:\([\w./@-]{1,80}\)|\)| \d{1,4}\.[\d.]{1,12}| (?=\[\d{1,9}\]:))?"
_PLACE: Final = r"(?:/(?:[\w.-]{1,40}/){1,8})?"
"""Where a program lies, which it may write in front of its name: "/usr/sbin/cron[81]:"."""
_AGENT: Final = r"Server Administrator(?=: )"
"""The agent of one maker writes its name as two words."""
_PROGRAM: Final = (
    rf"\(?{_PLACE}(?:{_AGENT}|[A-Za-z_][\w./@-]{{0,63}}){_OF_PROGRAM}(?:\[\d{{1,9}}\])?:(?: |{_UPTIME_NEXT})"
)
_NO_HOST: Final = r"(?!(?i:emerg|panic|alert|crit(?:ical)?|fatal|err(?:or)?|warn(?:ing)?|notice|info|debug|trace) )"
"""A word behind a stamp that is the level of a message."""
FACILITY: Final = (
    r"(?:(?:kern|user|mail|daemon|auth|authpriv|syslog|lpr|news|uucp|cron|caa|aso|local\d)[:.]"
    r"(?:emerg|alert|crit|err(?:or)?|warn(?:ing)?|notice|info|debug)(?:\|[a-z]{3,8})? )?"
)
"""AIX writes facility and level behind the host, and templates of rsyslog do: ``kern:warn|warning unix: text``."""
# A host that takes the logs of others may write its own name in front of theirs.
_RELAY: Final = (
    r"(?:[A-Za-z0-9][\w.-]{0,127} (?=(?!\w{2,8}\.\w{3,8} )[A-Za-z0-9][\w.-]{0,127} "
    r"(?:kernel: \S|[a-z]\w{1,20}: \[ID \d)))?"
)
# Where a part of a name was cut away, the rest may begin with what stood in between.
_HOST: Final = rf"{_NUMBERS}{_RELAY}{_NO_HOST}[_-]{{0,2}}[A-Za-z0-9][\w.-]{{0,127}} {FACILITY}"
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
_OWN_STAMP: Final = rf"corosync\[\d{{1,9}}\]: {{1,4}}(?={BSD} {{1,4}}{_LEVELED} {{1,8}}\[)"
_UNDATED: Final = (
    rf"(?:{_OWN_STAMP}{BSD} {{1,4}})?"
    r"(?:\[\d{1,9}\] (?:(?!corosync)[A-Za-z0-9][\w.-]{0,127} )?)?(?:corosync(?:\[\d{1,9}\]:)? {0,4})?"
    rf"(?:{_LEVELED} {{1,4}})?\[(?:TOTEM|KNET|QUORUM|VOTEQ|MAIN|CFG|SERV|SYNC|CPG|WD|QB) {{0,4}}\] {{1,4}}(?=\S)"
)
# Of the kernel, where a forwarder left its name out: the uptime stands behind the host.
_UNNAMED: Final = r"(?=\[ {0,8}\d{1,7}\.\d{6}\] )"
_LOG: Final = (
    rf"(?:{STAMP}|{_LOCAL}) "
    rf"(?:{_BARE}|{_HOST} {{0,3}}{_UNNAMED}"
    rf"|{_HOST}{_PROGRAM}|{_HOST}{_FUNCTION}|{_OLD_PACEMAKER}|{_OWN_FILE}|{_HOSTLESS})"
)
_UP: Final = r"\[ {0,8}\d{1,9}\.\d{2,9}\](?:\[ {0,6}[TCPU]\d{1,7}\])?"
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
# Of ``dmesg --time-format iso``; with another number of digits others print it too.
_ISO_DMESG: Final = (
    rf"\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d,(?:\d{{6}}[+-]\d\d:\d\d{_CALLER} (?=\s{{0,16}}\S)"
    rf"|\d{{3,9}}[+-]\d\d:\d\d{_CALLER} (?=INFO: |BUG: |task:| |Call "
    r"Trace|device-mapper|dlm: |gfs2: |GFS2: |Oops|sd |scsi |Kernel panic|watchdog: "
    r"|blk_|Buffer|Workqueue|CPU: |RIP: |\S{1,20} \S{1,20}: ))"
)
_5424: Final = r"<\d{1,3}>1 (?:\d{4}-\d\d-\d\dT\S{8,30}|-) \S{1,255} \S{1,48} \S{1,128} \S{1,32} (?:-|\[)"
PLAIN: Final = (
    rf"{HUNG}|{ADDRESSED}|[\w./@-]{{1,40}}: page allocation (?:failure|stalls)\b"
    rf"|(?:gfs2|GFS2?): fsid=\S{{1,128}} (?![ ]{{0,3}}[GHIRLB]: )\S|dlm: (?:connecting to"
    rf"|closing connection to node|got connection from) \d"
    r"|dlm: [\w.-]{1,64}: (?:dlm_recover|recover) \d|device-mapper: (?:multipath|thin): |Kernel panic - not syncing"
    r"|(?:watchdog: )?BUG: (?:soft lockup - CPU|unable to handle|kernel |KASAN: |Bad |scheduling while|spinlock"
    r"|workqueue)"
    r"|Unable to handle kernel (?:paging|NULL|access)|WARNING: CPU: \d{1,5} PID: \d"
    r"|RIP: 0010:[A-Za-z_][\w.]{1,120}\+0x|CPU: \d{1,5} (?:UID: \d{1,9} )?PID: \d{1,9} Comm: "
    r"|(?:rcu: )?INFO: rcu\w{0,14} .{0,20}detected"
    r"|INFO: task .{1,64}:\d{1,9} (?:is )?blocked on an? |aacraid: Host (?:adapter abort|bus reset) request"
    r"|Oops: |(?:WARNING: |NOTICE: )?(?:msgcnt \d{1,9}:? )?(?:vxfs: )?(?:msgcnt \d{1,9}:? )?mesg \d{3}: |vxfs: "
)
CLAIMS: Final = (
    rf"(?:(?:<\d{{1,3}}>)?{_LOG}|{_5424}|{_DMESG}|{_ISO_DMESG}|{PLAIN}|{_UNDATED}"
    r"|task:\S.{0,63} {1,20}state:[A-Z] |Call [Tt]race:\s{0,20}$|(?:sysrq|SysRq)(?: :|:) Show Blocked State"
    r"|task {10,40}PC {1,12}stack {1,12}pid father)"
)
OWNS = re.compile(rf"(?:(?:<\d{{1,3}}>)?{_LOG}|{_5424}|{_DMESG}|{_ISO_DMESG}|{PLAIN}|{_UNDATED}|{TASK}|{TRACE})")
SPLIT = re.compile(
    rf"(?:<(?P<pri>\d{{1,3}})>)?(?:(?P<bsd>{BSD})|(?P<iso>{_ISO})|(?P<local>{_LOCAL})) (?:\[\d{{1,9}}\] "
    r")?(?:(?P<own>(?:[A-Za-z0-9][\w.-]{0,127} )?(?:corosync|openais|aisexec)(?: {1,4}|\[\d{1,9}\]: "
    rf"{{1,4}})(?=\[|notice|warning|error|info|debug|crit|alert|emerg))|(?P<bare>){_BARE}"
    rf"|{_HIDDEN}(?={_LONE})(?P<lone>[A-Za-z_][\w./@-]{{0,63}}?)(?:\[\d{{1,9}}\])?:?\s"
    rf"|{_NUMBERS}{_RELAY}{_NO_HOST}[_-]{{0,2}}(?P<host>[A-Za-z0-9][\w.-]{{0,127}}) {FACILITY} {{0,16}}"
    rf"(?:{_UNNAMED}|\(?{_PLACE}(?P<program>{_AGENT}|[A-Za-z_][\w./@-]{{0,63}}?)(?:{_OF_PROGRAM}(?:\[\d{{1,9}}\])?:"
    r"| {0,16}\[\d{1,9}\] "
    rf"\([^()\s]{{1,120}}\))(?:\s|{_UPTIME_NEXT})))(?P<text>.*)$"
)
SPLIT_5424 = re.compile(
    r"<(?P<pri>\d{1,3})>1 (?P<iso>\S{1,40}) (?P<host>\S{1,255}) (?P<program>\S{1,48}) \S{1,128} \S{1,32} "
    r"(?:-|\[[^\]]{0,2000}\]) ?(?P<text>.*)$"
)
OF_COROSYNC = re.compile(
    rf"(?:{_OWN_STAMP}(?P<bsd>{BSD}) {{1,4}})?"
    r"(?:\[\d{1,9}\] (?:(?P<host>(?!corosync)[A-Za-z0-9][\w.-]{0,127}) )?)?(?:corosync(?:\[\d{1,9}\]:)? {0,4})?"
    rf"(?P<text>(?:{_LEVELED} {{1,4}})?\[(?:TOTEM|KNET|QUORUM|VOTEQ|MAIN|CFG|SERV|SYNC|CPG|WD|QB) {{0,4}}\] .*)$"
)
SAME_STAMP = re.compile(rf"(?P<stamp>{STAMP}) (?P<host>[A-Za-z0-9][\w.-]{{0,127}})(?:$| {{1,16}}(?=\S))(?P<text>.*)$")
UPTIME = re.compile(rf"{_LEVELS}(?:{_UP}|{_SINCE}){_CALLER} ?(?:kernel: )?")
_UPTIME_SIGN = re.compile(r"[.:]\d{2,9}\]")
DATED = re.compile(rf"{_LEVELS}(?:{_SINCE})?({_BOXED_DATE}){_CALLER} ?")
ISO_DATED = re.compile(rf"(\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{{3,9}}[+-]\d\d:\d\d){_CALLER} ")
DMESG_HEAD: Final = re.compile(rf"{_DMESG}|{_ISO_DMESG}")
HOSTED: Final = re.compile(BSD.encode() + rb" ([A-Za-z0-9][\w.-]{0,127}) ")


def without_uptime(text: str) -> str:
    return UPTIME.sub("", text, count=1) if _UPTIME_SIGN.search(text) is not None else text


def writer_of(match: re.Match[str], here: str | None = None) -> tuple[str | None, str]:
    """Host and program of a line in parts. here: the node of a log whose lines name no host."""
    if match.re is SPLIT_5424:
        return match["host"], _program_of(match)
    if own := match["own"]:
        *host, program = own.split()
        return (host[0] if host else None), program.split("[")[0].rstrip(":")
    if match["bare"] is not None:
        return here, "corosync"
    if lone := match["lone"]:
        return here, lone.rsplit("/", 1)[-1]
    return match["host"], _program_of(match)


def _program_of(match: re.Match[str]) -> str:
    """Its name; in brackets where the log has it so: a process that is still to become a program."""
    if match["program"] is None:
        return "kernel"
    name = match["program"].rsplit("/", 1)[-1]
    return f"({name})" if match.string[match.start("program") - 1] == "(" else name


def message_in(line: str) -> tuple[str, str, str] | None:
    """The program, the message and the host of one line, as the catalogue and the entries of a site are asked; None
    where the line has no head of a log.
    """
    body = line.lstrip()
    if (match := SPLIT.match(body) or SPLIT_5424.match(body)) is not None:
        host, program = writer_of(match)
        text = match["text"].lstrip()
        plain = plain_text(program, without_uptime(text).lstrip() if program == "kernel" else text)
        return program, plain, host or ""
    if (match := OF_COROSYNC.match(body)) is not None:
        return "corosync", plain_text("corosync", match["text"]), ""
    if (match := DATED.match(body) or ISO_DATED.match(body) or UPTIME.match(body)) is not None:
        return "kernel", plain_text("kernel", body[match.end() :].lstrip()), ""
    return None
