"""Lines of logs by whatever program wrote, forwarded or stored them: a moment, a level and a message, in any order of
their parts. No parser.

    2027-03-09 14:20:03,311 ERROR [monitor] Lost membership in cluster tarn.example       a program with its own log
    2027-03-09T14:20:03Z WARN   mmfsd      Disk failure. Volume work.                       columns
    2027-03-09 14:20:03 - storage.watch - ERROR - mount /srv/mail is gone                   between dashes
    2027-03-09 14:20:03.120 [error] tarn3 corosync[88]: [TOTEM ] A processor failed        the level, host and tag
    time="2027-03-09T14:20:03Z" level=error host=tarn3 msg="Disk failure"                   key=value
    E0309 14:20:03.311204       1 mounter.go:55] mount of /srv/mail failed                  services of Kubernetes
    2027-03-09 14:20:03.311204 W | wal: sync duration of 3.2s, expected less than 1s        etcd of its first years
    [2027-03-09 14:20:03.311204] E [MSGID: 114058] [rpc.c:66:rpc_cb] 0-mail-client-1: refused   Gluster
    [2027-03-09 14:20:03.311204] ctrlr.c: 181:keep_alive_poll: *ERROR*: Ctrlr is in error state   SPDK
    [error 2027-03-09 14:20:03 mount.go:55] mount of /srv/mail failed           level and moment in one bracket
    2027-03-09T14:20:03.311Z ERROR ctrl.Mount mount failed {"error": "no answer"}   operators of Kubernetes, by tabs
    [ERROR] [cluster check] Disk group potdg is not imported                                checks, without a moment

A level in small letters counts in brackets, before a colon, or where a tag stands behind it: ``error`` and ``info`` are
words of English too. A word is a host only where a key says so, or where a tag with a colon stands behind it.
Source: forms of logs as their libraries print them (Python, log4j, logfmt, rsyslog templates, klog), as recalled.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final, NamedTuple

from parsers.formats.host.logs.kernel_log_kinds import EVERYDAY, UNLISTED, code_of, meaning_of, plain_text
from parsers.messages.beginnings import group_of_bare, may_be_bare
from parsers.messages.catalogue import (
    ANY_PROGRAM,
    Found,
    catalogue,
    find,
    group_of,
    level_weight,
    may_be_program,
    weighed,
)
from parsers.patterns.digits import alike
from parsers.times.clock import MONTHS

_CLOCK: Final = r"\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?: ?(?:Z|UTC|GMT|[+-]\d\d:?\d\d))?"
_STAMP: Final = (
    rf"\[?(?P<stamp>\d{{4}}[-/.]\d\d[-/.]\d\d[T _]{_CLOCK}|\d\d[/.]\d\d[/.]\d{{4}} {_CLOCK}"
    rf"|[A-Z][a-z]{{2}} {{1,2}}\d{{1,2}} {_CLOCK}(?: \d{{4}})?)\]?[,:]?"
)
_LEVELS: Final = (
    "EMERG(?:ENCY)?|PANIC|ALERT|CRIT(?:ICAL)?|FATAL|ERR(?:OR)?|SEVERE|WARN(?:ING)?|NOTICE|(?:MORE)?INFO(?:RMATION)?|DEBUG"
    "|TRACE"
)
_SMALL: Final = "emerg|panic|alert|crit(?:ical)?|fatal|err(?:or)?|warn(?:ing)?|notice|info|debug|trace"
_GAP: Final = r"(?:[ \t]{1,12}(?:[-|:][ \t]{1,8})?|[ \t]{13,80}[-|][ \t]{1,8})"
_THREAD: Final = re.compile(r"(?:Main|Dummy)?Thread(?:-\d{1,6})?$|pool-\d{1,6}$")
_TAG: Final = r"[A-Za-z_][\w./@-]{0,63}(?:\[\d{1,9}\])?:"
_LINE: Final = re.compile(
    rf"{_STAMP}{_GAP}(?P<before>(?:[^\s|\"'=]{{1,80}}{_GAP}){{0,3}}?)"
    rf"(?:(?P<boxed>[\[<(][ \t]{{0,4}}(?i:{_LEVELS})[ \t]{{0,4}}[\])>]):?|(?P<loud>{_LEVELS})(?=[ \t:|,])[:,]?"
    rf"|(?P<small>{_SMALL})(?::|(?=[ \t]{{1,8}}{_TAG}[ \t])))"
    r"[ \t]{0,12}(?:[-|][ \t]{1,8})?(?P<text>\S.{0,4000})"
)
_UNDATED: Final = re.compile(
    rf"\[(?P<level>{_LEVELS})\]:?[ \t]{{1,8}}(?:\[(?P<program>[A-Za-z][^\]\[]{{1,80}})\][ \t]{{1,8}})?"
    r"(?P<text>[A-Za-z].{0,4000})"
)
_RESULT: Final = re.compile(
    r"(?:(?P<program>(?:check_)?[A-Za-z][\w.-]{1,40}(?: [A-Za-z]\w{1,20})?) ?[:-]? )?"
    r"(?P<level>CRITICAL|ERROR|FATAL)(?: - |:[ \t]{1,8}| \| )"
    r"(?!(?i:always|avoid|before|be|do|don't|ensure|if|make|must|never|note|only|please|remember|use|when|you)\b)"
    r"(?P<text>\S.{4,4000})"
)
"""What a check prints: its name, the state and why. The worst state of a check is an error, no more."""
_WORST: Final = re.compile("CRITICAL|ERROR|FATAL")
_HOST_ALONE: Final = re.compile(r"[A-Za-z][\w.-]{1,126}")
_PLACED: Final = re.compile(
    r"(?P<host>[A-Za-z][\w.-]{1,126})[ \t]{1,8}(?=[A-Za-z_][\w./@-]{0,63}(?:\[\d{1,9}\])?:[ \t])"
)
_LOGGED_IN: Final = re.compile(rf"[a-z_][\w-]{{0,31}}@(?P<host>[A-Za-z][\w.-]{{1,126}})[ \t]{{1,8}}{_TAG}")
"""Who ran a script and where, in front of its name, as packages of a cluster log it."""
_TAGGED: Final = re.compile(
    r"(?:\[(?P<boxed>[A-Za-z][\w./@:-]{0,80})\]|\((?P<round>[A-Za-z][\w./@:-]{0,80})\)"
    r"|(?P<tag>[A-Za-z_][\w./@-]{0,63}(?:::\w{1,40}){0,6})(?:\[\d{1,9}\])?:(?=[ \t])"
    r"|(?P<column>[A-Za-z_][\w./@-]{0,63})(?=[ \t]{2}|[ \t][-|][ \t]))"
    r"[ \t]{0,40}(?:[-|:][ \t]{1,8})?"
)
_PAIR: Final = re.compile(r"(?:^|[ \t])([A-Za-z@_][\w.@-]{0,40})=(\"(?:[^\"\\]|\\.){0,4000}+\"|[^\s\"]{1,400})")
MESSAGE_KEYS: Final = ("message", "msg")
LEVEL_KEYS: Final = ("level", "severity", "lvl", "loglevel", "priority")
TIME_KEYS: Final = ("time", "ts", "timestamp", "@timestamp", "t", "date")
HOST_KEYS: Final = ("host", "hostname", "node", "nodename", "instance", "_hostname")
PROGRAM_KEYS: Final = (
    "program", "ident", "syslog_identifier", "appname", "app", "process", "unit", "component", "logger", "tag", "_comm",
)  # fmt: skip
"""Names of the parts of a message where each has one, in lower case."""
_TRIED_AGAIN: Final = "the object has been modified; please apply your changes"
"""Two writers met at an object of the cluster: the one that came second reads it again and goes on."""
_DETAILS: Final = (("took", " took "), ("error", ": "), ("err", ": "))
"""What a program keeps beside its message and what belongs to it: how long it took, and why it failed."""
_DAEMONS: Final = {
    "mmfsd": "mmfs", "mmfs": "mmfs", "gpfs": "mmfs", "mmfs.log": "mmfs", "vxconfigd": "vxvm", "vxvm": "vxvm",
    "had": "vcs", "llt": "llt", "gab": "gab", "dlm": "kernel", "gfs2": "kernel", "mmsysmon": "mmfs",
}  # fmt: skip
"""Programs whose messages have readers of their own in their own logs."""
_DAEMONS_ALIKE: Final = frozenset(alike(name) for name in _DAEMONS)
_ABOUT: Final = re.compile(
    r"\b(?:gfs2?|gpfs|mmfsd?|vxfs|vxvm|vxdmp|cvm|cfs|llt|gab|vxfen|dlm|clvmd?|corosync|pacemaker|stonith|fenc(?:e|ing)"
    r"|sanlock|lvmlockd|wdmd|sbd|ctdbd?|ganesha|gluster(?:fs)?d?|iscsid?"
    r"|multipathd?|nsd|mm(?:health|mount|umount|startup|shutdown|diag|auth|remote|ls|ch|cr|del|add|get)[a-z]{0,20}"
    r"|(?:remote|shared|cluster(?:ed)?) ?file ?systems?|file ?system \S{1,80} (?:is )?(?:not mounted|unmounted)"
    r"|quorum|spectrum.?scale(?:csi)?|csi-?scale\w{0,30}|infoscale"
    r"|vcs|veritas|split.?brain"
    r"|disk ?group|r(?:link|vg))\b",
    re.IGNORECASE,
)
"""What a message speaks of that concerns such clusters, whoever wrote it."""
_WORDS_OF: Final = {
    "vxvm": re.compile(r"\b(?:r(?:link|vg)|srl|dcm|vxvm|vxdmp|vxio|cvm|disk ?group|plex)\b", re.IGNORECASE),
    "vxfen": re.compile(r"\b(?:vxfen|coordinat(?:or|ion) (?:disk|point)s?)\b", re.IGNORECASE),
    "vcs": re.compile(r"\b(?:vcs|had|service ?group)\b", re.IGNORECASE),
    "gab": re.compile(r"\bgab\b", re.IGNORECASE),
    "llt": re.compile(r"\bllt\b", re.IGNORECASE),
    "mmfs": re.compile(r"\b(?:gpfs|mmfsd?|nsd|spectrum.?scale)\b", re.IGNORECASE),
}
"""By which words a message that a monitor hands on is one of a product, without the head of its log."""
_CODED: Final = re.compile(
    r"(?:[A-Za-z]{2,40}: {1,4})?(?P<code>\d{4}-\d{3,4})(?: {1,4}\[(?P<letter>[A-Z])\])? {1,4}(?=\S)"
)
"""What some products put in front of a message: its number, and the letter of its level."""
_OF_VOLUMES: Final = ("rpc error: ", " FS [", "EFSSG", "/scalemgmt/", "emote call ", " fileset [", "ublishVolume")
"""In what drivers of volumes say of a file system."""
_PATH_KEPT: Final = 56
_LETTERED: Final = re.compile(
    r"(?P<letter>[IWEF])(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d) (?P<clock>\d\d:\d\d:\d\d\.\d{6})[ \t]{1,12}\d{1,9} "
    r"(?P<program>[\w./-]{1,120}?)(?:\.\w{1,4})?:\d{1,6}\][ \t]{1,4}(?P<text>\S.{0,4000})"
)
_LETTERED_ALIKE: Final = re.compile(r"[IWEF]\d{4} \d\d:")
"""How a line with a letter begins, whatever its digits."""
_BARRED: Final = re.compile(
    rf"{_STAMP}[ \t](?P<letter>[DINWEC]) \| (?P<program>[A-Za-z][\w./-]{{0,60}}): (?P<text>\S.{{0,4000}})"
)
_PLACED_IN_SOURCE: Final = re.compile(
    rf"{_STAMP}[ \t](?P<letter>[DTINWECAM])(?:[ \t]\[MSGID: \d{{1,9}}\])?[ \t]"
    r"\[[\w.-]{1,80}:\d{1,7}:[\w.]{1,80}\][ \t]"
    r"(?P<text>(?:\(-->.{1,1600}\){2,8} )?\d{1,4}-[\w.:/-]{1,120}: \S.{0,4000})"
)
_STARRED: Final = re.compile(
    rf"{_STAMP}[ \t][\w./-]{{1,120}}\.c: {{0,4}}\d{{1,6}}:[A-Za-z_]\w{{0,80}}: \*(?P<level>{_LEVELS})\*: "
    r"(?P<text>\S.{0,4000})"
)
"""Of SPDK: place in the source, and the level between stars."""
_IN_ONE_BRACKET: Final = re.compile(
    rf"\[(?P<level>{_SMALL}|{_LEVELS})[ \t](?P<stamp>\d{{4}}[-/.]\d\d[-/.]\d\d[T _]{_CLOCK})"
    r"(?:[ \t](?P<program>[A-Za-z][\w-]{0,60})[^\[\]\n]{0,200})?\][ \t](?P<text>\S.{0,4000})"
)
_WITH_OBJECT: Final = re.compile(
    rf"{_STAMP}[ \t]{{1,12}}(?P<level>{_LEVELS}|{_SMALL})[ \t]{{1,12}}"
    r"(?:(?P<program>[A-Za-z][\w-]{0,60}(?:[./][\w-]{1,60}){1,6}|[A-Za-z][\w-]{0,60}(?=[ \t]{2}|\t))[ \t]{1,12})?"
    r"(?:[\w./-]{1,160}\.go:\d{1,6}[ \t]{1,12})?(?P<text>[^{}]{2,2000}?)[ \t]{1,12}(?P<details>\{\".{0,8000})$"
)
"""Of loggers in columns: the part of the program, the message, and what belongs to it as one object."""
_REASON: Final = re.compile(r"\"(?:error|err|reason)\": ?\"((?:[^\"\\]|\\.){1,1600}+)\"")
_BARRED_LETTERS: Final = {
    "D": "debug", "T": "trace", "I": "info", "N": "notice", "W": "warning", "E": "error", "C": "crit", "A": "alert",
    "M": "emerg",
}  # fmt: skip
_LETTERS: Final = {"I": "info", "W": "warning", "E": "error", "F": "fatal"}
_PRIORITIES: Final = ("emerg", "alert", "crit", "err", "warning", "notice", "info", "debug")


_KERNEL: Final = "kernel: "
_FORWARDS: Final = re.compile(r"(?i)\b(?:dmesg|kmsg|klog)(?:\b|_|d\b)|(?<![a-z])kmsg_")
"""A program that hands on what the kernel wrote."""


class Levelled(NamedTuple):
    """The parts of a message; those that it does not tell are empty. ``level`` in small letters."""

    stamp: str
    host: str
    program: str
    level: str
    text: str


def levelled(line: str) -> Levelled | None:
    """What a line of a log says, where it has a moment, a level and a message."""
    if (match := _LETTERED.match(line)) is not None:
        stamp = f"{MONTHS[int(match['month']) - 1]} {int(match['day']):2} {match['clock']}"
        return Levelled(stamp, "", match["program"], _LETTERS[match["letter"]], match["text"].rstrip())
    if (match := _BARRED.match(line)) is not None:
        letter = _BARRED_LETTERS[match["letter"]]
        return Levelled(match["stamp"], "", match["program"], letter, match["text"].rstrip())
    if (match := _PLACED_IN_SOURCE.match(line)) is not None:
        return Levelled(match["stamp"], "", "glusterfs", _BARRED_LETTERS[match["letter"]], match["text"].rstrip())
    if (match := _STARRED.match(line)) is not None:
        return Levelled(match["stamp"], "", "spdk", match["level"].lower(), match["text"].rstrip())
    if (match := _IN_ONE_BRACKET.match(line)) is not None:
        return Levelled(match["stamp"], "", match["program"] or "", match["level"].lower(), match["text"].rstrip())
    return _of_columns(line)


def _of_columns(line: str) -> Levelled | None:
    if '{"' in line and (match := _WITH_OBJECT.match(line)) is not None:
        return _with_object(match)
    if (match := _LINE.match(line)) is not None:
        level = (match["boxed"] or match["loud"] or match["small"]).strip("[]<>() \t").lower()
        text, host, program = match["text"].rstrip(), "", _last_word(match["before"])
        if (placed := _PLACED.match(text)) is not None:
            host, text = placed["host"], text[placed.end() :]
        elif (ran := _LOGGED_IN.match(match["before"])) is not None:
            host = ran["host"]
        if (tagged := _TAGGED.match(text)) is not None and tagged.end() < len(text):
            if tagged["tag"] and not host and _is_host_before(match["before"], tagged["tag"]):
                host = match["before"].strip()
            program, text = next(filter(None, tagged.groups())), text[tagged.end() :]
        if " " not in text:
            return None  # a heading of a table behind a stamp, no message
        if text.startswith(_KERNEL) or _FORWARDS.search(program) is not None:
            program, text = "kernel", text.removeprefix(_KERNEL)
        return Levelled(match["stamp"], host, program, level, text)
    return _undated(line)


def _with_object(match: re.Match[str]) -> Levelled:
    reason = _REASON.search(match["details"] or "")
    text = f"{match['text'].strip()}: {reason[1]}" if reason else match["text"].strip()
    return Levelled(match["stamp"], "", match["program"] or "", match["level"].lower(), text)


def has_object(line: str) -> bool:
    """Whether a line is one of a logger that puts an object behind the message."""
    return '{"' in line and _WITH_OBJECT.match(line) is not None


def _undated(line: str) -> Levelled | None:
    if (match := _UNDATED.match(line)) is not None and match["text"].count(" ") > 1:
        return Levelled("", "", match["program"] or "", match["level"].lower(), match["text"].rstrip())
    if (
        _WORST.search(line, 0, 80)
        and (match := _RESULT.match(line)) is not None
        and _ABOUT.search(line[:400].replace("_", " "))
    ):
        return Levelled("", "", match["program"] or "", "error", match["text"].rstrip())
    return _of_pairs(line) if "=" in line[:80] and ("msg=" in line or "message=" in line) else None


def _is_host_before(before: str, tag: str) -> bool:
    """Whether one word between the stamp and the level is the host: a program that is listened to has a tag of its own
    behind the level.
    """
    return _HOST_ALONE.fullmatch(before.strip()) is not None and is_known(tag)


def _last_word(before: str) -> str:
    words = [word.strip("[]():|-") for word in before.split()]
    named = [word.partition("[")[0] for word in words if word[:1].isalpha() and _THREAD.match(word) is None]
    return named[-1] if named else ""


def _of_pairs(line: str) -> Levelled | None:
    found = {key.lower(): value.strip('"') for key, value in _PAIR.findall(line[:8000])}
    return of_values(found) if any(key in found for key in TIME_KEYS) else None


def of_values(values: dict[str, str]) -> Levelled | None:
    """The same of values by their names in small letters."""
    text, level = _first_of(values, MESSAGE_KEYS), _first_of(values, LEVEL_KEYS).lower()
    if level.isdigit() and int(level) < len(_PRIORITIES):
        level = _PRIORITIES[int(level)]
    if not text or not level.isalpha():
        return None
    text += "".join(f"{mark}{detail}" for key, mark in _DETAILS if (detail := values.get(key)) and detail not in text)
    stamp, host, program = (_first_of(values, keys) for keys in (TIME_KEYS, HOST_KEYS, PROGRAM_KEYS))
    program = program or values.get("caller", "").partition("/")[0]
    if not program and (tagged := _TAGGED.match(text)) is not None and is_known(tagged["tag"] or ""):
        program, text = tagged["tag"], text[tagged.end() :]  # what a forwarder took over with its tag
    return Levelled(stamp[:60], host[:128], program[:80], level, text)


def _first_of(values: dict[str, str], keys: tuple[str, ...]) -> str:
    for key in keys:
        if value := values.get(key):
            return value
    return ""


def meaning_in(one: Levelled) -> Found | None:
    """What the message means; None for an everyday one. The level of a program that nobody knows says that something is
    wrong somewhere: for people to look at.
    """
    level = "crit" if one.level == "severe" else one.level
    found = _listed(one, level)
    if found is not None:
        return None if found.kind == EVERYDAY else weighed(found, level)
    own = level_weight(level)
    if own not in ("trouble", "disaster") or _TRIED_AGAIN in one.text:
        return None
    if (spoken := _handed_on(one.text[:2000])) is not None:
        return spoken
    if (failed := find(ANY_PROGRAM, one.text[:2000])) is not None:
        return failed._replace(about=_end_of(failed.about)) if failed.about else failed
    return Found(UNLISTED, weight=own if _ABOUT.search(f"{one.program} {one.text[:400]}") else "notice")


def _handed_on(text: str) -> Found | None:
    """What a message means that a monitor hands on in words of a product: only what these call wrong, and name."""
    for group, words in _WORDS_OF.items():
        found = find(group, text) if words.search(text) is not None else None
        if found is not None and found.about and found.weight in ("trouble", "disaster"):
            return found
    return None


def _end_of(path: str) -> str:
    """A path, or its last parts where it is long."""
    if len(path) <= _PATH_KEPT:
        return path
    _, _, end = path[-_PATH_KEPT:].partition("/")
    return f"\u2026/{end}" if end else path[-_PATH_KEPT:]


def is_quiet_alike(line: str) -> bool:
    """Of a line that is no message, or one that means nothing and is of no program that is looked up, whether that
    holds for all that differ from it in their digits alone.
    """
    if "msg=" in line or "message=" in line or "mesg" in line:
        return False  # a level may be a figure, and a number a code
    if _LETTERED_ALIKE.match(line) is not None or has_object(line):
        return False
    one = levelled(line)
    return one is None or is_alike(one)


def is_alike(one: Levelled) -> bool:
    """The same of a message whose level is a word."""
    text = plain_text("kernel", one.text)
    return not (
        may_be_program(one.program)
        or alike(one.program.lower()) in _DAEMONS_ALIKE
        or code_of(one.text)
        or _CODED.match(text) is not None
        or any(word in text for word in _OF_VOLUMES)
        or may_be_bare(text, _all_groups())
    )


def is_known(program: str) -> bool:
    """Whether messages of a program are looked up."""
    return program.lower() in _DAEMONS or group_of(program) is not None


@cache
def _all_groups() -> tuple[str, ...]:
    return tuple(group for group in catalogue().groups if group != ANY_PROGRAM)


def _listed(one: Levelled, level: str) -> Found | None:
    # Whatever else a message is asked for here, ``is_quiet_alike`` asks of all that differ in digits alone.
    if group_of(one.program) is not None:
        return meaning_of(one.program, one.text, level)
    text, code = plain_text("kernel", one.text), code_of(one.text)
    if (coded := _CODED.match(text)) is not None:
        text, code, level = text[coded.end() :], coded["code"], (coded["letter"] or level).lower()
    own = _DAEMONS.get(one.program.lower(), "")
    groups = (own,) if own else _all_groups()
    group = (
        own
        or group_of_bare(text, groups)
        or (groups[0] if code else "kube" if any(word in text for word in _OF_VOLUMES) else "")
    )
    return find(group, text, code=code, level=level) if group else None
