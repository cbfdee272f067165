"""What the path of a text tells: the node it comes from and when it was taken. Hints only: what the text says itself
goes before.

gfs2_lockcapture-2024-03-05/run2/carp1/gfs2/lab:home/glocks     node carp1
sosreport-carp1-20240305101500/var/log/messages                 node carp1, 10:15:00
pcmk-Tue-05-Mar-2024/carp1/corosync.conf                        node carp1 carp1-2024-03-05-dlm_debug/home_locks
node carp1 gpfs.snap.carp1_0305101500.out.tar.gz!mmfs.log.latest           node carp1
internaldump.240305.10.15.00.deadlock.carp1                     node carp1, 10:15:00 vxfsstat_20240305_101500.txt
10:15:00
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Final

from parsers.times.clock import Instant, time_of_day, wall

PATH_CHARS: Final = 4096
PART_CHARS: Final = 512
_GENERIC: Final = frozenset(
    """
    adm bin boot cluster collect collection config controller data debug dev dlm dump dumps etc files gfs2 gpfs home
    kernel lib log logs mmfs node nodes opt out output proc ras report root run sos sos_commands sys tmp usr var
    waiters
    """.split()
)
_NO_HOSTS: Final = frozenset(
    (
        "gfs2",
        "ext4",
        "ext3",
        "utf8",
        "sha256",
        "md5",
        "k8s",
        "x86_64",
        "gpfs5",
        "rhel7",
        "rhel8",
        "rhel9",
        "sles12",
        "sles15",
    )
)
_DATED = re.compile(
    r"\d{4}[-._]?\d\d[-._]?\d\d|\d{6,}|^(?:run|sample|capture|part|dump|day|set|step|vol|lun|disk|file)[-_]?\d+$"
)
_HOSTISH = re.compile(r"(?:[A-Za-z]|\d{1,7}[A-Za-z][A-Za-z0-9]{0,5}-(?=[A-Za-z]))[A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*$")
# Words of file names that tell what was taken or in which matter, and are no part of a host's name.
_ABOUT: Final = frozenset(
    """
    all capture case collect corosync cpu crm debug diag dmesg dump dumps ethtool events fio glm glmstat glocks hosts
    info internaldump gab iohist iostat issue journal journalctl kthreads lltstat locks log logs long meminfo messages
    mmdf mmdiag mmfs mmfsadm mmhealth mmlscluster mmlsconfig mmlsdisk mmlsfs mmlsmgr mmlsnode mmlsnsd mmlspool mmlsqos
    crm_mon df dmsetup errpt fmadm gabconfig hastatus lltconfig mdadm mdstat mmgetstate mmlsmount multipath multipathd
    nfsstat pcs powermt quorumtool vgs vxclustadm vxdg vxdisk vxdmpadm vxfenadm vxprint vxstat vxtask zpool
    mounts mpstat netstat network notes old out output perf pmr ps report sample sar snap stats step sysstat syslog
    bonding chrony cmdline dmidecode fstab ifconfig limits lsblk lscpu lsmod lspci lvmconfig modinfo parameters passwd
    resolv route routes rpm settings smartctl sysctl timeouts uname uptime
    text ticket top trace trcrpt tscomm txt version vmstat vxfsstat wait waiter waiters
    """.split()
)
# Words of names that tell when or in what state something was taken, or how often.
_WHEN: Final = frozenset(
    """
    after again am attempt bad baseline before begin cap caps current cycle day during end evening fail failed
    failure fast final first fourth good hang healthy hour hung idle incident iter iteration last late later latest
    load look looks loop min minute morning new next night normal now ok old orig original part pass past phase pm post
    pre prev previous problem quiet round run second slow start state still stuck sun t take temp test then third time
    today try week working yesterday jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat monday
    tuesday wednesday thursday friday saturday sunday january february march april june july august september
    october november december
    lundi mardi mercredi jeudi vendredi samedi dimanche lunes martes mi\u00e9rcoles miercoles jueves viernes s\u00e1bado
    sabado domingo luned\u00ec marted\u00ec mercoled\u00ec gioved\u00ec venerd\u00ec sabato domenica segunda
    ter\u00e7a quarta quinta
    sexta maandag dinsdag woensdag donderdag vrijdag zaterdag zondag
    vorher nachher davor danach gestern heute jetzt morgen abend nacht uhr stunde montag dienstag mittwoch donnerstag
    freitag samstag sonntag avant apres après hier maintenant demain antes despues después ayer hoy ahora depois ontem
    hoje agora prima dopo ieri oggi adesso
    """.split()
)
_MATTERS: Final = frozenset("crash deadlock expel freeze outage panic prio question sev severity withdraw".split())
_HOSTS_TOO: Final = re.compile(r"(?:mar|post|sun)[-_]?\d{1,20}$", re.IGNORECASE)
"""Names of moments that hosts have as well, with a number: of mail, of a vendor."""
_TAKEN_WITH: Final = _ABOUT - frozenset(
    """
    all case debug info issue locks log logs long network notes old out output report sample step text ticket top
    trace version
    """.split()
)
_ENDINGS: Final = frozenset(
    ("bz2", "csv", "dat", "gz", "html", "json", "log", "md", "out", "rtf", "txt", "xml", "xz", "zst")
)
_TOKEN: Final = re.compile(r"[^._-]+")
_NOT_FIRST: Final = _ABOUT | _NO_HOSTS
_TAIL: Final = _ABOUT | _GENERIC
_NUMBERED: Final = re.compile(
    r"(?:v|ver|rel|release|case|pmr|ts|sr|inc|chg|ticket|issue|no|nr|day|week|kb)\d{1,20}(?:-|$)", re.IGNORECASE
)
_OPTIONS: Final = {
    "ps": re.compile(r"(?:a?ux?|axu?|ef|el|eo|aef|lax|fax)[aefFhHjlLmotTuvwxZ]{0,8}$"),
    "iostat": re.compile(r"[cdhkmNpstxyz]{1,4}$"),
    "vmstat": re.compile(r"[adfmnsStw]{1,3}$"),
    "netstat": re.compile(r"[aeginoprsStuvxW]{1,5}$"),
    "sar": re.compile(r"[AbBdFHmnpqruvwy]{1,3}$"),
}
"""Options of a program without their dash, as names of files have them (``ps_auxww``, ``iostat_xk``): no node."""
_HOST: Final = r"([A-Za-z][A-Za-z0-9]{0,62}(?:[-.][A-Za-z0-9]{1,62}){0,8}?)"

_INTERNALDUMP = re.compile(
    r"(?:internaldump|kthreads|trcrpt)\.(\d{6})\.(\d\d)\.(\d\d)\.(\d\d)\.[A-Za-z]+\.([\w.-]+?)(?:\.gz|\.)?$"
)
_MMFSLOG = re.compile(r"mmfs\.log\.\d{4}(?:\.\d\d){5}\.([\w-]+)")
_LOG_OF = re.compile(
    r"(?:mmfs\.log(?:\.(?:latest|previous|old))?|messages|syslog|kern\.log|(?:corosync|pacemaker|cluster|engine_[A-Z])\.log)"
    r"[._-]([A-Za-z][\w-]{0,62})(?:\.(?:txt|log|out))?$"
)
"""A log that somebody kept under the name of its node."""
_BELOW_RUN = re.compile(r"run\d{1,4}$")
_REPORT = re.compile(r"(?:crm_report|hb_report|pcmk|report)-")
# Names of a folder or archive that a collector makes on one node, with the node in it; most telling first.
_COLLECTED: Final = (
    re.compile(r"gpfs\.snap\.([A-Za-z][\w-]*?)_\d{8,}"),
    re.compile(r"sosreport-([A-Za-z][\w.-]{0,200}?)(?:-\d{4}-\d\d-\d\d|[-.]\d{5,20}(?!\d))"),
    re.compile(rf"{_HOST}-\d{{4}}-\d\d-\d\d-dlm_debug"),
    re.compile(rf"snap[-_]{_HOST}$"),
    re.compile(rf"(?i:vrtsexplorer)[-_](?:\d{{1,20}}[-_])?{_HOST}(?:[-_.](?:\d|tar|tgz)[-_.\w]*)?$"),
    re.compile(rf"gfs2_lockcapture-\d{{4}}-\d\d-\d\d-{_HOST}(?:\.tar(?:\.\w{{1,4}})?|\.t[a-z]z)?$"),
)
_MOMENT = re.compile(
    r"(?<!\d)((?:19|20)\d\d)[-._]?(0[1-9]|1[0-2])[-._]?([0-2]\d|3[01])[-._T "
    r"]{0,2}([01]\d|2[0-3])[-._:h]?([0-5]\d)[-._:m]?([0-5]\d)(?!\d)"
)
_DAY = re.compile(r"(?<!\d)((?:19|20)\d\d)[-._]?(0[1-9]|1[0-2])[-._]?([0-2]\d|3[01])(?!\d)")
_LOG: Final = ("mmfs.log", "messages", "syslog", "engine_")


def _parts(path: str) -> list[str]:
    return [part[-PART_CHARS:] for part in plain_path(path[-PATH_CHARS:]).split("/") if part]


def plain_path(path: str) -> str:
    """A path with slashes alone between its parts: archives inside of archives and Windows have other marks."""
    return path.replace("!", "/").replace("\\", "/")


def node_from_path(path: str) -> str | None:
    """The node that a documented form of a path names: the name of a dump, the tree of a known collector."""
    parts = _parts(path)
    if not parts:
        return None
    for pattern, group in ((_INTERNALDUMP, 5), (_MMFSLOG, 1)):
        if match := pattern.match(parts[-1]):
            return match[group]
    return _below_a_collector(parts[:-1]) or _in_a_collectors_name(parts)


def suggested_node(path: str) -> str | None:
    """A name in a path that may well be a node's: as good as a folder or a file that somebody named. It needs a second
    witness.
    """
    parts = _parts(path)
    if not parts or (node := node_from_path(path)) is not None:
        return node if parts else None
    return _in_a_folder(parts[:-1]) or _behind_a_log(parts[-1]) or _in_the_name(parts[-1])


def is_name_of_node(word: str) -> bool:
    """Whether a word between others of a path can be the name of a node: no spelling decides, only what is known to
    mean something else.
    """
    plain = word.lower().rstrip("0123456789-_")
    if len(word) < 2 or not plain or _HOSTISH.match(word) is None or _DATED.search(word) or _NUMBERED.match(word):
        return False
    others = (_GENERIC, _ABOUT, _NO_HOSTS, _WHEN, _ENDINGS)
    return ".tar" not in word and not any(
        plain in words or word.lower() in words for words in others if plain != "node"
    )


def is_node_of_moment(word: str, folder: str) -> bool:
    """Whether a folder in that of a moment is a node's: ``cap1/post2`` is, ``cap1/run2`` and ``pre/post2`` are not."""
    moment = folder.lower().rstrip("0123456789-_")
    is_moment = (moment in _WHEN and moment not in {"pre", "post"}) or _DATED.search(folder) is not None
    return is_moment and _HOSTS_TOO.match(word) is not None


def name_beside_tool(file: str, tools: frozenset[str] = frozenset()) -> tuple[int, int] | None:
    """Where in the name of a file the place of a node lies: behind the tool that wrote it, or in front.

    ``glocks.home.carp``, ``mmdiag-carp-1-waiters.txt``, ``carp_lltstat.out``. None where the name tells no tool, or
    nothing beside it. tools: further names of programs.
    """
    tokens = [
        match
        for match in _TOKEN.finditer(file[-PART_CHARS:])
        if match[0].lower() not in _ENDINGS and not _is_count(match[0])
    ]
    if not any(match[0].lower() in _TAKEN_WITH or match[0].lower() in tools for match in tokens):
        return None
    tool_is_first = tokens[0][0].lower() in _NOT_FIRST or tokens[0][0].lower() in tools
    if tool_is_first and len(tokens) > 1 and _are_options(tokens[0][0], tokens[1][0]):
        tokens.pop(1)
    while tokens and (tokens[0][0].lower() in _NOT_FIRST or tokens[0][0].lower() in tools):
        tokens.pop(0)
    while tokens and (tokens[-1][0].lower() in _TAIL or tokens[-1][0].lower() in tools):
        tokens.pop()
    if not tokens:
        return None
    start, end = tokens[0].start(), tokens[-1].end()
    breaks = [at for at in range(start, end) if file[-PART_CHARS:][at] in "._"]
    if breaks:
        start, end = (breaks[-1] + 1, end) if tool_is_first else (start, breaks[0])
    return start, end


def _are_options(tool: str, token: str) -> bool:
    options = _OPTIONS.get(tool.lower())
    return options is not None and options.match(token) is not None


def _is_count(token: str) -> bool:
    return token.isdigit() and len(token) > 5


def contradict(one: str, other: str) -> bool:
    """Whether two paths of equal texts tell of different nodes, or their own names of different moments: then they are
    no copies.

    Folders with different moments may well hold copies: two snaps take the same log.
    """
    names = (one.replace("!", "/").rsplit("/", 1)[-1], other.replace("!", "/").rsplit("/", 1)[-1])
    node = ((suggested_node(one), suggested_node(other)), (clock_from_path(names[0]), clock_from_path(names[1])))
    return any(a is not None and b is not None and a != b for a, b in node)


def _below_a_collector(folders: list[str]) -> str | None:
    """A folder per node: below ``run2`` of gfs2_lockcapture, below the top of a crm_report."""
    for above, (folder, inner) in enumerate(pairwise(folders)):
        captured = _BELOW_RUN.match(folder) and any("lockcapture" in part for part in folders[:above])
        if (captured or _REPORT.match(folder)) and _HOSTISH.match(inner) and inner.lower() not in _GENERIC:
            return inner
    return None


def _in_a_collectors_name(parts: list[str]) -> str | None:
    """The node in the name that a collector gives its archive; the innermost one counts."""
    for part in reversed(parts):
        for pattern in _COLLECTED:
            if match := pattern.match(part):
                return next(filter(None, match.groups()), None)
    return None


def _in_a_folder(folders: list[str]) -> str | None:
    for part in reversed(folders):
        stem = part.split(".", 1)[0].lower()
        plain = stem not in _GENERIC and _HOSTISH.match(part) and not _DATED.search(part) and ".tar" not in part
        if plain and any(c.isdigit() for c in part):
            return part
    return None


def _behind_a_log(name: str) -> str | None:
    """``mmfs.log.latest.carp4``, ``messages.carp4``: the word behind the name of a log that is none of its own."""
    match = _LOG_OF.match(name[:PART_CHARS])
    return match[1] if match and is_name_of_node(match[1]) else None


def _in_the_name(name: str) -> str | None:
    """The one part of a file's name that is a host's: with a letter and a digit, between words that tell what was
    taken.
    """
    stem, dot, _ = name[:PART_CHARS].rpartition(".")
    parts = re.split(r"[_.]", stem) if dot else []
    return next((host for part in parts if (host := _host_of(part)) is not None), None)


def _host_of(part: str) -> str | None:
    """A part of a name without the words and counts around the host: ``mmdiag-carp-1-waiters`` gives ``carp-1``."""
    words = part.split("-")
    while words and (words[0].lower() in _NOT_FIRST or words[0].isdigit()):
        words.pop(0)
    while words and (words[-1].lower() in _TAIL or not words[-1]):
        words.pop()
    host = "-".join(words)
    if host.rstrip("0123456789").lower() in _ABOUT or any(map(_tells_matter, host.split("-"))):
        return None
    is_named = (
        any(c.isdigit() for c in host)
        and _HOSTISH.match(host)
        and not _DATED.search(host)
        and not _NUMBERED.match(host)
    )
    return host if is_named and host.lower() not in _NO_HOSTS else None


def _tells_matter(word: str) -> bool:
    """Whether a part of a file's name tells when or why something was taken: ``sev2-hang-monday``."""
    plain = word.lower().rstrip("0123456789")
    return (plain in _WHEN and len(plain) > 1 and _HOSTS_TOO.match(word) is None) or plain in _MATTERS


def clock_from_path(path: str) -> Instant | None:
    """The moment that a name states to the second: when the text was taken, on the node's own clock. Names of logs tell
    their start.
    """
    parts = _parts(path)
    if not parts:
        return None
    if (match := _INTERNALDUMP.match(parts[-1])) is not None:
        date, clock = match[1], f"{match[2]}:{match[3]}:{match[4]}"
        return _instant(f"20{date[:2]}", date[2:4], date[4:], clock)
    if parts[-1].startswith(_LOG):
        return None
    return next(_moments(parts), None)


def day_from_path(path: str) -> int | None:
    """Microseconds of the last moment of the day that a path names, innermost first: what stands in the file is not
    younger.
    """
    for part in reversed(_parts(path)):
        if match := _DAY.search(part):
            return wall(int(match[1]), int(match[2]), int(match[3]), 86_399_000_000)
    return None


def _moments(parts: list[str]) -> Iterator[Instant]:
    for part in reversed(parts):
        match = _MOMENT.search(part)
        if match and (found := _instant(match[1], match[2], match[3], f"{match[4]}:{match[5]}:{match[6]}")) is not None:
            yield found


def _instant(year: str, month: str, day: str, clock: str) -> Instant | None:
    tod = time_of_day(clock)
    us = wall(int(year), int(month), int(day), tod) if tod is not None else None
    return Instant(us) if us is not None else None


def normal_mount(mount: str | None) -> str | None:
    """A mount point without its trailing slash."""
    return None if not mount else mount.rstrip("/") or "/"
