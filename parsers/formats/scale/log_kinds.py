"""What a line of ``mmfs.log`` means: patterns by the first word of its text. No parser.

    Connected to 10.74.12.61 lund061 <c0n11>:[0]                            connected, about lund061
    The unexpected long waiter on thread 5214 has disappeared in 1322 seconds      long-waiter-ended, about thread 5214, 1322 s

A line that fits no pattern is an event only where its letter says alert, error or warning. Source: IBM Storage Scale documentation, GPFS
logs, network failures, automated deadlock detection; wordings of expel, lease and quorum lines are recalled from public reports.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_NAME: Final = r"[A-Za-z0-9][\w.-]{0,252}"
_ADDRESS: Final = r"(?:\d{1,3}\.){3}\d{1,3}|[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]{1,44}"
_PEER: Final = rf"(?:(?P<address>{_ADDRESS})(?: \((?P<boxed>{_NAME})\)| (?P<named>{_NAME})(?= |,|$|\.$|:\[))?|(?P<about>{_NAME}))"
_SECONDS: Final = r"(?P<value>\d{1,12}(?:[.,]\d{1,9})?) sec"
_ANY: Final = r"[^\n]{0,400}?"


class Meaning(NamedTuple):
    """One wording. Groups of the pattern: ``address``, ``boxed`` or ``named``, ``about``, ``value``."""

    kind: str
    pattern: re.Pattern[str]
    unit: str = ""


class LogEvent(NamedTuple):
    """What a line says. ``alias`` is the name that stands beside an address."""

    kind: str
    about: str | None = None
    value: float | None = None
    unit: str = ""
    alias: tuple[str, str] | None = None


# first word, kind, rest of the text, unit
_ROWS: Final[tuple[tuple[str, str, str, str], ...]] = (
    ("Unexpected", "long-waiter", rf"long waiter detected: {_ANY}Waiting {_SECONDS}", "s"),
    ("The", "long-waiter-ended", rf"unexpected long waiter on (?P<about>thread \d{{1,18}}) has disappeared in {_SECONDS}", "s"),
    ("The", "tcp-trouble", rf"TCP connection to IP address {_PEER}[^\n]{{0,80}} state is unexpected", ""),
    ("The", "manager-lost", r"current file system manager failed", ""),
    ("The", "lease-lost", r"lease of (?:node )?(?:this node )?has expired", ""),
    ("Enabled", "deadlock-detection-on", r"automated deadlock detection", ""),
    ("Disabled", "deadlock-detection-off", r"automated deadlock detection", ""),
    ("Enabled", "deadlock-data-on", r"automated (?:deadlock|expel) debug data collection", ""),
    ("Disabled", "deadlock-data-off", r"automated (?:deadlock|expel) debug data collection", ""),
    ("Enabled", "deadlock-breakup-on", r"automated deadlock breakup", ""),
    ("Deadlock", "deadlock-detected", r"detected|found", ""),
    ("sdrServ:", "deadlock-notified", rf"Received (?:deadlock|expel) notification from {_PEER}", ""),
    ("GPFS", "debug-data", r"will attempt to collect debug data", ""),
    ("Initiate", "debug-data", r"(?:deadlock )?debug data collection", ""),
    ("GPFS:", "nsd-buffers-short", rf"{_ANY}(?:unable|Unable) to reserve space for NSD buffers", ""),
    ("Unable", "nsd-buffers-short", r"to reserve space for NSD buffers", ""),
    ("Close", "connection-closed", rf"connection to {_PEER}", ""),
    ("Closed", "connection-closed", rf"connection to {_PEER}", ""),
    ("Closing", "connection-closed", rf"connection to {_PEER}", ""),
    ("Attempting", "reconnect", rf"reconnect(?:ion)?(?: to {_PEER})?", ""),
    ("Reconnected", "reconnected", rf"to {_PEER}", ""),
    ("Connecting", "connecting", rf"to {_PEER}", ""),
    ("Connected", "connected", rf"to {_PEER}", ""),
    ("Accepted", "connected", rf"and connected to {_PEER}", ""),
    ("Recovering", "recovery-started", r"nodes?: (?P<about>[^\n]{1,200})", ""),
    ("Recovered", "recovery-done", r"(?P<value>\d{1,9}) nodes?(?: for file system (?P<about>\S{1,200}?)\.?(?: |$))?", "nodes"),
    ("Lost", "membership-lost", r"membership in cluster (?P<about>\S{1,253}?)\.?(?: |$)", ""),
    ("Expel", "expel", rf"{_ANY}Expelling:? {_PEER}", ""),
    ("Expelling", "expel", rf"(?:node )?{_PEER}", ""),
    ("Node", "expel", rf"{_PEER} (?:is being|was|has been|will be) expelled", ""),
    ("This", "expelled-itself", r"node (?:will be|is being|has been|was) expelled", ""),
    ("Request", "expel-asked", rf"sent to {_ANY} to expel {_PEER}", ""),
    ("Node", "lease-overdue", rf"{_PEER} lease renewal is overdue", ""),
    ("Node", "lease-expired", rf"{_PEER} (?:lease (?:has )?expired|disk lease)", ""),
    ("Node", "cluster-manager-takeover", rf"{_PEER} (?:is now the (?:Group Leader|cluster manager)|elected as cluster manager)", ""),
    ("Node", "manager-takeover", rf"{_PEER} (?:appointed as manager|takes? over as .{0,12}manager|is now the file system manager)", ""),
    ("Node", "node-joined", rf"{_PEER} (?:joined|re-?joined)", ""),
    ("Node", "node-failed", rf"{_PEER} (?:failed|is down|left)", ""),
    ("Lease", "lease-overdue", r"[^\n]{0,200}overdue", ""),
    ("Disk", "lease-lost", rf"lease period expired(?: {_SECONDS}\w{{0,5}} ago)?", "s"),
    ("Disk", "lease-regained", rf"lease reacquired(?: in {_SECONDS})?", "s"),
    ("Disk", "disk-failed", r"failure(?:[^\n]{0,300}?(?:Physical volume|[Dd]isk|NSD) (?P<about>[A-Za-z]\S{0,200}?)\.?(?: |$))?", ""),
    ("Disk", "disk-failed", r"(?P<about>\S{1,200}) (?:in file system \S{1,200} )?(?:is (?:down|unavailable)|no longer available)", ""),
    ("Local", "disk-path-lost", r"access to (?P<about>\S{1,200}) failed", ""),
    ("Failed", "disk-path-lost", r"to open (?:disk |NSD )?(?P<about>\S{1,200}?)\.?(?: |$)", ""),
    ("NSD", "disk-failed", r"(?P<about>\S{1,200}) [^\n]{0,200}(?:all servers|no server)", ""),
    ("Quorum", "quorum-lost", r"(?:loss|lost)", ""),
    ("Quorum", "quorum-gained", r"(?:achieved|reached|regained)", ""),
    ("Not", "quorum-lost", r"enough quorum nodes reachable", ""),
    ("VERBS", "rdma-closed", rf"RDMA closed connection to {_PEER}(?:{_ANY} error (?P<value>\d{{1,9}}))?", "error"),
    ("VERBS", "rdma-connected", rf"RDMA (?:accepted and )?connected to {_PEER}", ""),
    ("VERBS", "rdma-error", rf"RDMA (?:rdma )?(?:read|write|send)? ?error{_ANY} to {_PEER}(?:{_ANY} error (?P<value>\d{{1,9}}))?", "error"),
    ("VERBS", "rdma-error", r"[^\n]{0,500}\berror (?P<value>\d{1,9})", "error"),
    ("VERBS", "rdma-started", r"RDMA started", ""),
    ("VERBS", "rdma-off", r"RDMA (?:startup failed|stopped|disabled|library \S{1,100} failed|[^\n]{0,80}no (?:active )?ports?)", ""),
    ("VERBS", "rdma-error", r"RDMA (?:async|asynchronous) (?:error|event)", ""),
    ("mmfsd", "daemon-starting", r"initializing", ""),
    ("mmfsd", "daemon-ready", r"ready", ""),
    ("mmfsd", "daemon-stopped", r"(?:shutting down|is shutting down|shutdown)", ""),
    ("Shutting", "daemon-stopped", r"down", ""),
    ("Unexpected", "daemon-stopped", r"(?:shutdown|termination)", ""),
    ("Signal", "daemon-crashed", r"\d{1,3} at location", ""),
    ("logAssertFailed:", "daemon-crashed", r"", ""),
    ("File", "fs-panic", r"[Ss]ystem (?P<about>\S{1,200}) [^\n]{0,100}panic", ""),
    ("File", "fs-unmounted", r"[Ss]ystem (?P<about>\S{1,200}) unmounted", ""),
    ("Unmounting", "fs-unmounted", r"file system (?P<about>\S{1,200}?)\.?(?: |$)", ""),
)  # fmt: skip

_ANYWHERE: Final = (
    ("checksum-error", re.compile(rf"checksum error on network I/O(?:{_ANY}(?P<address>{_ADDRESS}))?")),
    ("quorum-lost", re.compile(r"[Qq]uorum loss|lost quorum")),
    ("name-lookup-failed", re.compile(
        r"(?:host ?name lookup|name resolution|getaddrinfo|gethostbyname|getpwuid|getpwnam|getgrgid|getnetgrent|LDAP|winbindd?|sssd|DNS"
        r"|Active Directory|netgroup)[^\n]{0,120}(?:fail|tim(?:ed )?out|timeout|unreachable|not respond|slow)"
    )),
    ("rdma-error", re.compile(r"(?:IBV_WC_|ibv_)\w{1,40}[^\n]{0,120}(?:err|ERR|fail)")),
    ("disk-failed", re.compile(r"[Dd]isk failure|[Ll]ast server of (?:disk|NSD) (?P<about>\S{1,200})")),
)  # fmt: skip
_BY_LETTER: Final = {"A": "log-alert", "X": "log-error", "E": "log-error", "W": "log-warning"}
LETTERS: Final = frozenset(_BY_LETTER)


def _tables() -> dict[str, tuple[Meaning, ...]]:
    found: dict[str, list[Meaning]] = {}
    for word, kind, rest, unit in _ROWS:
        found.setdefault(word, []).append(Meaning(kind, re.compile(rest), unit))
    return {word: tuple(rows) for word, rows in found.items()}


MEANINGS: Final = _tables()
WORDS: Final = frozenset(word.encode() for word in MEANINGS)


def meaning_of(letter: str, text: str) -> LogEvent | None:
    """What a line of this letter and text says; None where it does not matter."""
    word, _, rest = text.partition(" ")
    for meaning in MEANINGS.get(word, ()):
        if match := meaning.pattern.match(rest):
            return _event(meaning.kind, match, meaning.unit)
    if letter in _BY_LETTER:
        for kind, pattern in _ANYWHERE:
            if match := pattern.search(text[:2000]):
                return _event(kind, match, "")
        return LogEvent(_BY_LETTER[letter])
    return None


def _event(kind: str, match: re.Match[str], unit: str) -> LogEvent:
    found = {name: value for name, value in match.groupdict().items() if value}
    name, address = found.get("boxed") or found.get("named"), found.get("address")
    about = name or address or found.get("about")
    value = float(found["value"].replace(",", ".")) if "value" in found else None
    return LogEvent(
        kind, about.strip() if about else None, value, unit if value is not None else "", (name, address) if name and address else None
    )


def kinds() -> Iterator[str]:
    """All kinds of events that a log line may become."""
    yield from dict.fromkeys([row[1] for row in _ROWS] + [kind for kind, _ in _ANYWHERE] + list(_BY_LETTER.values()))
