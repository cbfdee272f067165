"""What lines of a system log mean: kernel, corosync, multipathd, fencing. Patterns are matched where the message begins; no parser.

Each row: kind, pattern. A group named ``about`` is the disk, node, link or file system it speaks of, ``value`` its figure. Kinds are words
with hyphens; rules read them. What no row fits is an ordinary line of the log.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a message says."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""


_WORD: Final = r"[\w.:/!+-]{1,128}"
_FIGURE: Final = r"\d{1,12}(?:\.\d{1,6})?"

_KERNEL: Final = (
    ("hung-task", rf"INFO: task (?P<about>.{{1,64}}:\d{{1,9}}) blocked for more than (?P<value>{_FIGURE}) seconds", "s"),
    ("soft-lockup", rf"(?:watchdog: )?BUG: soft lockup - (?P<about>CPU#\d{{1,5}}) stuck for (?P<value>{_FIGURE})s", "s"),
    ("cpu-stall", r"(?:INFO: )?(?:rcu|rcu_\w{1,12})[: ].{0,40}(?:self-)?detected stall", ""),
    ("out-of-memory", r"(?:Out of memory: |.{1,64} invoked oom-killer|Memory cgroup out of memory)", ""),
    ("gfs2-withdraw", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? (?:fatal: |about to withdraw|withdrawn|File system withdrawn"
        rf"|telling LM to (?:unmount|withdraw))", ""),
    ("gfs2-assertion", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? (?:fatal: |warning: )?assertion ", ""),
    ("gfs2-io-error", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? (?:Error -?\d{{1,5}} writing to (?:journal|log)|fatal: I/O error)", ""),
    ("gfs2-joining", r"(?:gfs2|GFS2): (?:fsid=\S{0,128} )?Trying to join cluster \"[^\"]{0,40}\", \"(?P<about>[^\"]{1,128})\"", ""),
    ("gfs2-joined", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? Joined cluster", ""),
    ("gfs2-journal-replayed", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? jid=\d{{1,5}}: (?:Journal replayed|Done)", ""),
    ("gfs2-journal-recovery", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? jid=\d{{1,5}}: (?:Trying to acquire journal"
        rf"|Looking at|Acquiring the transaction|Replaying)", ""),
    ("gfs2-journal-failed", rf"(?:gfs2|GFS2): fsid=(?P<about>{_WORD}?):? jid=\d{{1,5}}: (?:Failed|Busy)", ""),
    ("dlm-recovery-done", rf"dlm: (?P<about>{_WORD}?): (?:dlm_recover \d|recover) {{0,2}}\d{{1,12}} (?:done"
        rf"|generation \d{{1,10}} done)", ""),
    ("dlm-recovery", rf"dlm: (?P<about>{_WORD}?): (?:dlm_recover|recover) \d", ""),
    ("dlm-connecting", r"dlm: connecting to (?P<about>\d{1,10})", ""),
    ("dlm-connection-closed", r"dlm: closing connection to node (?P<about>\d{1,10})", ""),
    ("dlm-connected", r"dlm: (?:got connection from|connected to) (?P<about>\d{1,10})", ""),
    ("dlm-connection-error", r"dlm: (?:node |connect |connection |tcp_|sctp_|can't connect|cannot connect|Error |error )", ""),
    ("dlm-waiters-dropped", rf"dlm: (?P<about>{_WORD}?): (?:remove_from_waiters|dlm_recover_waiters)", ""),
    ("dlm-syn-flooding", r"(?:TCP: )?(?:request_sock_TCP: )?[Pp]ossible SYN flooding on port (?:\S{1,40}:)?21064", ""),
    ("path-failed", rf"device-mapper: multipath: (?:\d{{1,5}}:\d{{1,5}}: )?Failing path (?P<about>{_WORD})", ""),
    ("path-restored", rf"device-mapper: multipath: (?:\d{{1,5}}:\d{{1,5}}: )?Reinstating path (?P<about>{_WORD})", ""),
    ("thin-pool-full", r"device-mapper: (?:thin|space map common|snapshots): (?:(?P<about>\d{1,5}:\d{1,5}): )?.{0,80}"
        r"(?:out[ -]of[ -](?:data )?space|no free space|read-only mode|out-of-data-space)", ""),
    ("thin-pool-low", r"device-mapper: thin: (?P<about>\d{1,5}:\d{1,5}): reached low water mark", ""),
    ("thin-pool-full", r"(?:sd |scsi ).{0,80}(?:[Ss]pace allocation failed|[Tt]hin [Pp]rovisioning.{0,20}write protect)", ""),
    ("thin-pool-low", r"(?:sd |scsi ).{0,80}(?:soft threshold reached|[Tt]hin [Pp]rovisioning threshold)", ""),
    ("reservation-conflict", rf"(?:sd |scsi |nvme)(?P<about>{_WORD})?.{{0,60}}reservation conflict", ""),
    ("io-error", rf"(?:blk_update_request|end_request|print_req_error): .{{0,40}}error, dev (?P<about>{_WORD}),", ""),
    ("io-error", rf"(?:Buffer I/O error on (?:device|dev) (?P<about>{_WORD})|lost page write|.{{0,8}}critical (?:target"
        rf"|medium) error)", ""),
    ("io-error", rf"I/O error, dev (?P<about>{_WORD}), sector", ""),
    ("path-offline", rf"(?:sd |scsi )(?P<about>{_WORD})?.{{0,60}}(?:rejecting I/O to (?:offline|dead) device|Device offlined)", ""),
    ("scsi-error", rf"sd {_WORD}: \[(?P<about>\w{{1,16}})\] .{{0,40}}(?:FAILED )?Result: hostbyte=(?!DID_OK|0x00)\w", ""),
    ("hba-link-down", rf"qla2xxx .{{0,60}}LOOP DOWN detected|lpfc (?P<about>{_WORD}): .{{0,24}}Link Down Event", ""),
    ("hba-link-up", rf"qla2xxx .{{0,60}}LOOP UP detected|lpfc (?P<about>{_WORD}): .{{0,24}}Link Up Event", ""),
    ("rport-lost", rf" ?(?P<about>rport-{_WORD}): blocked FC remote port time out", ""),
    ("command-aborted", r"(?:qla2xxx|lpfc|mpt[23]sas|megaraid_sas|scsi|sd) .{0,80}(?:Abort command issued|abort: |task abort"
        r"|timing out command)", ""),
    ("link-down", r".{0,80}?(?P<about>\b[a-z]\w{1,15})(?:: | )(?:NIC |nic )?[Ll]ink (?:is |status )?(?:definitely )?[Dd]own", ""),
    ("link-up", r".{0,80}?(?P<about>\b[a-z]\w{1,15})(?:: | )(?:NIC |nic )?[Ll]ink (?:is |status )?(?:definitely )?[Uu]p", ""),
    ("link-down", r"bonding: \w{1,16}: link status (?:definitely )?down for (?:active )?interface (?P<about>\w{1,16})", ""),
    ("log-replay-done", r"vxfs: .{0,160}?(?:log )?replay complete", ""),
    ("log-replay", r"vxfs: .{0,160}?log replay in progress", ""),
    ("vxfs-disabled", rf"vxfs: .{{0,60}}V-2-31: vx_disable - (?P<about>{_WORD})", ""),
    ("vxfs-io-error", rf"vxfs: .{{0,60}}V-2-(?:37|38|39): \S{{1,40}} - (?:vx_\w{{1,40}} - )?(?P<about>{_WORD})", ""),
    ("vxfs-full", rf"vxfs: .{{0,60}}V-2-(?:1|68): \S{{1,40}} - (?P<about>{_WORD}) file system full", ""),
    ("panic", r"Kernel panic - not syncing", ""),
    ("nfs-server-silent", rf"nfs: server (?P<about>{_WORD}) not responding", ""),
)  # fmt: skip
_TOTEM: Final = (
    ("totem-retransmit", r"Retransmit List: ", ""),
    ("totem-token-lost", rf"A processor failed, forming new configuration(?:: token timed out \((?P<value>{_FIGURE})ms\))?", "ms"),
    ("totem-token-late", rf"Token has not been received in (?P<value>{_FIGURE}) ms", "ms"),
    ("totem-membership", r"A (?:new membership|processor joined or left the membership and a new membership)"
        r"(?: \((?P<about>[^()]{1,80})\))? was formed", ""),
    ("corosync-not-scheduled", rf"Corosync main process was not scheduled (?:\(@\d{{1,20}}\) )?for (?P<value>{_FIGURE}) ms", "ms"),
    ("corosync-paused", rf"Process pause detected for (?P<value>{_FIGURE}) ms", "ms"),
    ("totem-receive-failed", r"FAILED TO RECEIVE", ""),
    ("totem-link-down", r"(?:link: host: (?P<about>\d{1,10}) link: \d{1,4} is down|Marking (?:ringid|seqid) .{0,40}FAULTY"
        r"|Incrementing problem counter)", ""),
    ("quorum-lost", r"This node is within the non-primary component", ""),
    ("quorum-lost", r"(?:quorum lost|Quorum lost|cluster is not quorate)", ""),
    ("quorum-regained", r"(?:This node is within the primary component|quorum regained)", ""),
)  # fmt: skip
_MULTIPATH: Final = (
    ("paths-remaining", rf"(?P<about>{_WORD}?): remaining active paths: (?P<value>\d{{1,6}})", "paths"),
    ("path-failed", rf"(?:checker failed path (?P<about>{_WORD}) in map|(?P<about2>{_WORD}?): mark as failed)", ""),
    ("path-restored", rf"(?P<about>{_WORD}?): reinstated", ""),
    ("path-checker-timeout", rf"(?P<about>{_WORD}?)(?: - |: ).{{0,40}}checker timed out", ""),
    ("path-failed", rf"(?P<about>{_WORD}?)(?: - |: ).{{0,40}}checker (?:reports path is down|is down)", ""),
    ("map-recovery-mode", rf"(?P<about>{_WORD}?): Entering recovery mode", ""),
    ("map-queueing-off", rf"(?P<about>{_WORD}?): (?:Disable queueing|queue_if_no_path disabled)", ""),
    ("map-queueing-on", rf"(?P<about>{_WORD}?): queue_if_no_path enabled", ""),
)  # fmt: skip
_FENCING: Final = (
    ("fence-result", r"(?:Operation|Call to) '?(?:reboot|off|on|Poweroff)'? .{0,120}?(?:targeting|of|for host) '?"
        r"(?P<about>[\w.-]{1,80})'?", ""),
    ("fence-result", r"fence (?P<about>[\w.-]{1,80}) (?:dev \S{1,40} agent \S{1,60} result: |success|failed|overridden)", ""),
    ("fence-request", r"(?:fencing node|fence request|Requesting (?:peer )?fencing \(\w{1,12}\) (?:of|targeting)"
        r"|Client \S{1,80} wants to fence \(\w{1,12}\)) '?(?P<about>[\w.-]{1,80})'?", ""),
    ("watchdog", r".{0,40}(?:Latency: |outdated|is starting failed|watchdog timeout)", ""),
)  # fmt: skip

Rows = tuple[tuple[str, str, str], ...]
PROGRAMS: Final[dict[str, Rows]] = {
    "kernel": _KERNEL,
    **dict.fromkeys(("corosync", "openais", "aisexec", "cman"), _TOTEM),
    "multipathd": _MULTIPATH,
    "multipath": _MULTIPATH,
    **dict.fromkeys(("fenced", "stonith-ng", "pacemaker-fenced", "stonithd", "sbd", "fence_node"), _FENCING),
}
_COMPILED: Final = {id(rows): tuple((kind, re.compile(pattern), unit) for kind, pattern, unit in rows) for rows in PROGRAMS.values()}
_LITERALS: Final = re.compile(
    r"(?:INFO|BUG|vxfs: |Kernel panic|watchdog|rcu|gfs2|GFS2|dlm|device-mapper|sd |scsi|nvme|blk_|end_req|print_req|Buffer|lost|I/O|TCP"
    r"|request_sock|[Pp]ossible"
    r"|Out of|Memory|nfs|bonding|qla|lpfc|mpt|mega| ?rport|.{0,80}(?:[Ll]ink |invoked oom|critical |error))"
)
_REPEATED = re.compile(r"message repeated (\d{1,9}) times: \[ ?(.*)\]$")
_LEVEL = re.compile(r"(?:notice|warning|error|info|debug|crit): {1,4}(?:\w{2,40}: {1,4})?")
_TAG = re.compile(r"(?:(?:notice|warning|error|info|debug|crit|alert|emerg) {1,4})?\[[A-Z]{2,8} {0,6}\] ")


def meaning_of(program: str, text: str) -> Meaning | None:
    """What a message of a program says; None for an ordinary line."""
    rows = PROGRAMS.get(program)
    if rows is None:
        return None
    times = 1.0
    if text.startswith("message repeated") and (again := _REPEATED.match(text)):
        times, text = float(again[1]), again[2].strip()
    if rows is _KERNEL and _LITERALS.match(text) is None:
        return None
    if rows is _TOTEM and (tag := _TAG.match(text)):
        text = text[tag.end() :]
    elif rows is _FENCING and (level := _LEVEL.match(text)):
        text = text[level.end() :]
    for kind, pattern, unit in _COMPILED[id(rows)]:
        if match := pattern.match(text):
            return _meaning(kind, match, unit, times)
    return None


def _meaning(kind: str, match: re.Match[str], unit: str, times: float) -> Meaning:
    found = match.groupdict()
    about = found.get("about") or found.get("about2")
    value = found.get("value")
    if kind == "totem-retransmit":
        return Meaning(kind, None, times, "lines")
    about = about.rstrip(".:,") or None if about else None
    return Meaning(kind, about, float(value) if value else None, unit if value else "")
