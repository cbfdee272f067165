"""Tables and values of tools that have no reader of their own, where a heading or a name says that a state is shown.

    NAME      STATE     READ WRITE CKSUM
    larder    DEGRADED     0     0     0
      shelf2  FAULTED     12     0     0
    Controller Status : Needs maintenance

    Controller : ctl1
    Firmware   : 4.11
    Status     : Failed

Yields ``ListedState``: the first cell is the name, a cell below HOST or NODE the node that it is
on, all cells stand in ``row`` under their headings. The state is what
stands below the heading of a state, or behind the name of one; which words are good, wrong or worth a hint is one list.
A port or a service that is down is an everyday sight: a hint, unless it is a mount or a program of a cluster. One row
that is offline where nearly all others of its table are well is wrong, unless the table lists memory, processors,
clients or people. A job of the background that does not run is none that failed. Of a list of names and values the
first value is the name, and the whole list the row. A heading below which no row fits is unread. Headings and words of
states may be German, Spanish, French or Italian. Every other reader goes first. Source: the tables of zpool,
systemctl, kubectl, sinfo, nmcli and switches, as recalled.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from parsers.dataclass import dataclass
from parsers.formats.host.platforms.units import is_of_cluster, unit_standing
from parsers.headings.transcript import Command
from parsers.line_kinds import is_prose
from parsers.output import Output
from parsers.records.states import ListedStanding, ListedState, ServiceState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.tables.headed import Column, Span, Table
from parsers.text import Line

_STATE: Final = r"(?:state|status|health|condition|active|estado|zustand|[eé]tat|statut|stato)"
_TITLE: Final = (
    rf"(?=[^\n]{{0,200}}\S(?: {{2}}|\t))(?=(?:[^\n]{{0,200}}[\s_/|-])?{_STATE}(?![^\s|]))"
    r"[A-Za-z][^\d:;=.,!?\"'\[\]{}<>\n]{5,200}$"
)
_WRONG_WORDS: Final = (
    r"down|fault(?:ed|y)?|fail(?:ed|ure|ing)?|failing_now|degraded|error|errored|critical|unavail|missing|lost|dead|broken"
    r"|unreachable|not[ _-]?responding|stale|needs[ _-]maintenance|unhealthy|corrupt(?:ed)?|not[ _-]?ready"
    r"|crashloopbackoff|crashed|non-?recoverable|fatal|unusable|predictive[ _-]failure|last[ _-]erred"
    r"|unclean|expired|hung|stuck|isolated|evicted|expelled|split[ _-]?brain|inconsistent"
    r"|out[ _-]of[ _-]sync|not[ _-]running|dgrd|pdgd|of+ln|ubad|msng|ndatn|unconfigured ?\(bad\)|interim recovery mode"
    r"|ausgefallen|fehlerhaft|fehlgeschlagen|gestört|defekt|beeinträchtigt|nicht (?:erreichbar|bereit)"
    r"|degradad[oa]|fallid[oa]|fallad[oa]|caíd[oa]|averiad[oa]|inaccesible"
    r"|dégradée?|défaillante?|en panne|en échec|échoué|injoignable"
    r"|degradat[oa]|guast[oa]"
)
_HINT_WORDS: Final = (
    r"disabled|offline|stopped|inactive|warning|rebuilding|resync(?:ing)?|resilvering|syncing|suspended|unavailable|paused"
    r"|partial(?:ly degraded)?|drain(?:ed|ing)?|maintenance|removed|non-?critical|disconnected|rbld|cpybck|frgn"
    r"|inaktiv|deaktiviert|angehalten|getrennt|warnung|detenid[oa]|desconectad[oa]|deshabilitad[oa]|inactiv[oa]"
    r"|reconstruyendo|advertencia|fuera de línea|hors ligne|arrêtée?|désactivée?|déconnectée?|inactive|avertissement"
)
_GOOD_WORDS: Final = (
    r"up|ok|okay|online|active|healthy|normal|running|ready|optimal|good|pass(?:ed)?|enabled|connected|available|clean"
    r"|mounted|in[ _-]sync|idle|alloc(?:ated)?|started|success(?:ful)?|bound|claimed|configured|operational|optl|onln"
    r"|ugood|ghs|dhs|in ordnung|bereit|läuft|aktiv|aktiviert|verbunden|eingehängt|fehlerfrei|en línea"
    r"|correct[oa]|activ[oa]|conectad[oa]|montad[oa]|iniciad[oa]|san[oa]|en ligne"
    r"|actif|saine?|montée?|connectée?|démarrée?"
    r"|en service|normale?"
)
_WRONG_OF_JOBS: Final = r"failed[ -]\d{1,4}|missed"
"""How a job ended, with its code: these open no list."""
_SIGN: Final = r"\s{0,40}(?:[:=]|->|\.{2,80}\s?:?)\s{0,40}"
_PAIR: Final = (
    rf"(?:[A-Za-z][\w/-]{{0,30}}[ _]){{0,4}}{_STATE}{_SIGN}"
    rf"(?:{_WRONG_WORDS}|{_HINT_WORDS}|{_GOOD_WORDS})[!.]?\s{{0,20}}$"
)
_PARTS_OF_SYSTEMS: Final = (
    r"controllers?|canisters?|batter(?:y|ies)|bbu|capacitors?|fans?|psus?|power suppl(?:y|ies)|disks?|drives?|ssds?"
    r"|arrays?|pools?|volumes?|vdisks?|luns?|raid|nodes?|sites?|paths?|enclosures?|shel(?:f|ves)|temperature|cache|replication"
    r"|replicas?|mirrors?|quorum|cluster|heartbeats?|file ?systems?|storage|health|overall|sensors?|expanders?|hbas?"
    r"|iom|dimms?|links?|ports?|modules?|tie-?breaker|witness"
)
_OF_SETTINGS: Final = (
    r"level|severity|priority|polic(?:y|ies)|actions?|modes?|defaults?|thresholds?|types?|filters?|logs?|logging|on|if|when"
    r"|until|expected|examples?|options?|simulated?|tests?|timeouts?|allow\w*|triggers?|alerts?|notif\w+|e-?mails?|urgency"
    r"|class|category|impact|reaction|settings?|config\w*|desired|target|initial|colou?rs?|previous|last|history|licen[cs]e"
)
_SET_TO: Final = r"(?:enabled|disabled|configured)"
_GAP: Final = r"\s{3,60}"
_TAIL: Final = r"(?:[!.]|\s?[(\[,;-][^\n]{0,100})?\s{0,20}$"
_PART: Final = (
    rf"(?=[^:=\n]{{0,60}}(?<![\w-])(?:{_PARTS_OF_SYSTEMS})(?![\w-]))(?![^:=\n]{{0,60}}(?<![\w-])(?:{_OF_SETTINGS})(?![\w-]))"
    rf"[A-Za-z][\w /#()'-]{{1,50}}?(?:{_SIGN}|{_GAP})(?!{_SET_TO}\b)"
    rf"(?:{_WRONG_WORDS}|{_HINT_WORDS}|{_GOOD_WORDS}){_TAIL}"
)
"""A part of a system that one knows, and a word for its state behind it; a setting is none."""
_CLAIMS: Final = rf"(?i:{_TITLE}|{_PAIR}|{_PART})"
_WORDS: Final[tuple[tuple[ListedStanding, re.Pattern[str]], ...]] = (
    ("wrong", re.compile(rf"(?:{_WRONG_WORDS}|{_WRONG_OF_JOBS})\*?", re.IGNORECASE)),
    ("hint", re.compile(rf"(?:{_HINT_WORDS})\*?", re.IGNORECASE)),
    ("good", re.compile(rf"(?:{_GOOD_WORDS}|completed)\*?", re.IGNORECASE)),
)
_HEADED = re.compile(_TITLE, re.IGNORECASE)
_NAMED = re.compile(rf"(?P<name>[^:=]{{1,160}}?){_SIGN}(?P<state>\S.{{0,120}})$")
_GAPPED = re.compile(rf"(?P<name>\S[^:=]{{1,60}}?){_GAP}(?P<state>\S.{{0,120}})$")
_IS_PART = re.compile(_PART, re.IGNORECASE)
_SETTING = re.compile(rf"(?<![\w-])(?:{_OF_SETTINGS})(?![\w-])", re.IGNORECASE)
_NOTE = re.compile(r"\s{0,4}[(\[;]| - ")
_UNUSED = re.compile(
    r"^(?!.*\b(?:heartbeat|replication|quorum|cluster)\b).*\b(?:port|interface|iface|nic|link)s?\b", re.IGNORECASE
)
_OUT_OF_REACH = re.compile(r"down|offline|stopped|disconnected|lost|unreachable|inactive|unavailable", re.IGNORECASE)
_STATED = re.compile(rf"(?:^|[\s_/|-]){_STATE}$", re.IGNORECASE)
_AWAY = re.compile(r"offline|unavailable|disconnected", re.IGNORECASE)
_EVERYDAY = re.compile(r"\b(?:port|interface|iface|nic|link|unit|service|device|connection)s?\b", re.IGNORECASE)
_OF_PORTS = re.compile(r"\b(?:port|interface|iface|nic|link)s?\b", re.IGNORECASE)
_BROKEN = re.compile(r"(?:has )?(?:fail(?:ed|ure|ing)?|fault(?:ed|y)?|broken|dead)", re.IGNORECASE)
"""What no port is that nobody uses: those are down."""
_MAY_BE_AWAY = re.compile(
    r"\b(?:range|memory|block|cpu|core|processor|client|user|session|guest|vm|domain|account)s?\b", re.IGNORECASE
)
_PEOPLE: Final = r"(?:client|user|guest|session|subscriber|visitor|laptop|phone)s?"
_OF_PEOPLE = re.compile(rf"\b(?:{_PEOPLE}|login|e-?mail)\b", re.IGNORECASE)
_SORT_OF_PEOPLE = re.compile(rf"(?:\w{{1,16}}[ _-])?{_PEOPLE}", re.IGNORECASE)
_ACTIVITY = re.compile(
    r"\b(?:rebuild|re-?sync\w*|sync|scrub\w*|check|verify|patrol(?: read)?|bga|background \w+|job|task|self-?test"
    r"|backup|discard|trim|balance|migration|copy|conversion|expansion|initiali[sz]ation|erase|reshape|defrag\w*)\b",
    re.IGNORECASE,
)
_HOSTS = re.compile(r"(?:host|node|server)(?:[ _-]?name)?", re.IGNORECASE)
_HOST = re.compile(r"(?=[\w.-]*[^\W\d])(?!none$|n/?a$|unknown$|any$|all$)[A-Za-z0-9][\w.-]{1,252}", re.IGNORECASE)
_UNIT = re.compile(r"unit (?P<unit>[\w@.:\\-]{1,120}\.(?:service|mount|socket|target))")
_AT_REST = re.compile(r"not[ _-]?running|stopped|inactive|suspended", re.IGNORECASE)
_RULER = re.compile(
    r"[-=+| _]{3,400}$|(?:LOAD|ACTIVE|SUB|JOB)\s{1,4}= [A-Z]"
    r"|\d{1,6} (?:loaded )?(?:unit file|unit|socket|timer|job)s? listed\b"
)
"""Below a heading, between rows, and what systemctl says below them."""
_GAPS = re.compile(r"\S\s{2,200}(?=\S)")
LEAST_GAPS: Final = 3
"""So many parts a row into columns, also where the last one holds a sentence."""
_GRAVITY: Final[tuple[ListedStanding, ...]] = ("unknown", "good", "hint", "wrong")
_PARTS = re.compile(r"[,/+|]")
_OF_UNITS: Final = frozenset(("dead", "exited", "running", "waiting", "listening", "mounted", "plugged"))
"""What systemd says more of a state of a unit; by itself it says nothing wrong."""
_REMARKED = re.compile(r"(?P<word>[^()]{2,60}?)\s{0,4}\((?P<remark>[^()]{1,60})\)")
_CELL = re.compile(r"\S{1,200}(?: \S{1,200}){0,20}")
_READER: Final = Table(Column("?"), row="(?!)")
CELLS_KEPT: Final = 20
MOST_ROWS: Final = 2_000
"""Of one table that are compared with each other."""
MOST_PAIRS: Final = 60
LEAST_SISTERS: Final = 2
ROW_KEPT: Final = 800


_DISK: Final = re.compile(
    r"(?:/dev/\S+|[shvx]v?d[a-z]{1,3}\d{0,3}|nvme\d{1,3}(?:[cn]\d{1,3}){1,2}(?:p\d{1,3})?|dm-\d{1,5}|a?da\d{1,3}"
    r"|mpath\w{1,20}|hdisk\d{1,5}|c\d{1,3}(?:t\w{1,40})?d\d{1,5}(?:[sp]\d{1,2})?|loop\d{1,4}"
    r"|(?:wwn|ata|scsi|nvme|dm-\w{2,8}|usb|virtio)-\S{4,200})"
)


def names_disk(word: str) -> bool:
    """Whether a word is the name of a disk as its host gives one."""
    return _DISK.fullmatch(word) is not None


def _owns(text: str, before: str) -> bool:
    plain = text.strip()
    return re.match(f"{_CLAIMS}|{_RULER.pattern}", plain) is not None or (
        len(plain.split()) >= 2
        and ":  " not in plain
        and (not is_prose(plain) or len(_GAPS.findall(plain)) >= LEAST_GAPS)
    )


@parser("listing", version=4, product="", claims=_CLAIMS, owns=_owns, priority=-50)
def listing(section: OpenSection, out: Output) -> None:
    """Rows below a heading that names a state, and values of a name that does."""
    heading: tuple[Span, ...] = ()
    open_title: Line | None = None
    rows, pairs = list[Shown](), list[_Pair]()
    for line in section:
        text = line.text.replace("|", " ").rstrip()
        pair = _pair(line.text.strip())
        if pairs and (pair is None or _begins_anew(pairs, line, pair)):
            _put_pairs(section, out, pairs)
            pairs = []
        if _HEADED.match(line.text.strip()):
            if open_title is not None:
                out.skip(open_title, "a heading without a row")
            heading, open_title = _spans(text), line
            put_rows(section, rows)
            rows = []
            out.frame()
        elif _RULER.match(line.text.strip()):
            out.frame()
        elif (
            heading
            and (cells := _READER.cells(text, heading)) is not None
            and _row(rows, line, cells, (heading, section.command))
        ):
            open_title = None
        elif pair is not None:
            pairs.append(_Pair(line, " ".join(pair["name"].split()), pair["state"].strip()))
        else:
            out.skip(line, "no reader for this output")
        if len(rows) >= MOST_ROWS:
            put_rows(section, rows)
            rows = []
    _put_pairs(section, out, pairs)
    put_rows(section, rows)
    if open_title is not None:
        out.skip(open_title, "a heading without a row")


def _spans(text: str) -> tuple[Span, ...]:
    """Headings as they stand: words parted by two blanks; one blank parts those in capitals."""
    pattern = re.compile(r"\S{1,200}") if text.isupper() else _CELL
    return tuple(Span(" ".join(found[0].split()), *found.span()) for found in pattern.finditer(text))[:CELLS_KEPT]


@dataclass(slots=True)
class Shown:
    """A row of a table that shows a state. may_be_away: such things often are, and nobody minds."""

    line: int
    name: str
    state: str
    standing: ListedStanding
    row: str
    may_be_away: bool = False
    on: str | None = None


def may_be_away(headings: Sequence[str], cells: Mapping[str, str], command: Command | None) -> bool:
    """Whether a row is of things of which some are offline on every healthy machine: by the headings of the first
    columns, and of people and their machines by any heading but that of a count, by a cell that says so, or by the
    command.
    """
    if any(_EVERYDAY.search(name) or _MAY_BE_AWAY.search(name) for name in headings[:2]):
        return True
    if command is not None and _OF_PEOPLE.search(command.text):
        return True
    speaks = any(_OF_PEOPLE.search(name) and not cells.get(name, "").isdigit() for name in headings)
    return speaks or any(map(_SORT_OF_PEOPLE.fullmatch, cells.values()))


def put_rows(section: OpenSection, rows: Sequence[Shown]) -> None:
    """Put the rows of one table out: one that is away is wrong where nearly all of its sisters are well."""
    tool = section.command.program if section.command is not None else ""
    good = sum(row.standing == "good" for row in rows)
    has_sisters = good >= LEAST_SISTERS and 3 * good >= 2 * len(rows)
    for row in rows:
        if _put_unit(section, row, tool):
            continue
        is_odd = has_sisters and not row.may_be_away and _AWAY.fullmatch(row.state.strip()) is not None
        section.add(
            ListedState,
            row.line,
            source=tool,
            name=row.name,
            on=row.on,
            state=row.state,
            standing="wrong" if is_odd else row.standing,
            row=row.row[:ROW_KEPT],
        )


def _put_unit(section: OpenSection, row: Shown, tool: str) -> bool:
    """A unit of the system on which a cluster rests, and that failed: as grave as where it is shown alone."""
    unit = _UNIT.fullmatch(row.name)
    if unit is None or row.state.lower() != "failed" or unit_standing(unit["unit"], "failed") == "unknown":
        return False
    section.add(
        ServiceState,
        row.line,
        source=tool,
        sort="unit",
        group=unit["unit"],
        on=section.node,
        state=row.state,
        standing=unit_standing(unit["unit"], "failed"),
    )
    return True


def _row(rows: list[Shown], line: Line, cells: dict[str, str], above: tuple[Sequence[Span], Command | None]) -> bool:
    """A row is one where a name stands in front and a word below the heading of a state. above: the heading and the
    command.
    """
    names = list(cells)
    state_at = next((name for name in names if _STATED.search(name)), None)
    if state_at is None or len(cells) < 2 or not re.match(r"[^\W\d]", cells[state_at]):
        return False
    first = next((name for name in names if name != state_at), names[0])
    name = cells[first].lstrip("●*-> ")
    if first.lower() == "namespace" and (own := cells.get("NAME")):
        name = f"{own} of namespace {name}"
    elif re.fullmatch(r"[^\W\d_]{2,16}", first) and first.lower() not in ("name", "nombre", "nom", "nome"):
        name = f"{first.lower()} {name}"
    standing = standing_of_word(cells[state_at])
    is_everyday = any(_EVERYDAY.search(heading) for heading in names[:2])
    is_broken = _BROKEN.fullmatch(cells[state_at]) is not None and any(map(_OF_PORTS.search, names[:2]))
    if standing == "wrong" and is_everyday and not is_broken and not is_of_cluster(cells[first]):
        standing = "hint"
    row = ", ".join(f"{heading}: {value}" for heading, value in cells.items())
    may_be = may_be_away([span.name for span in above[0]], cells, above[1])
    host = next((cells[one] for one in names if one != first and _HOSTS.fullmatch(one)), "")
    on = host if _HOST.fullmatch(host) else None
    rows.append(Shown(line.number, name, cells[state_at], standing, row, may_be, on))
    return True


class _Pair(NamedTuple):
    """A name and its value, on one line."""

    line: Line
    name: str
    value: str


def _pair(text: str) -> re.Match[str] | None:
    """A name and its value; only those of a part that one knows may stand apart without a sign."""
    return _NAMED.match(text) or (_GAPPED.match(text) if _IS_PART.match(text) else None)


def _begins_anew(pairs: Sequence[_Pair], line: Line, pair: re.Match[str]) -> bool:
    """Whether names and values of another thing begin: below a gap, or where the first name comes again."""
    is_first = " ".join(pair["name"].split()) == pairs[0].name
    return line.number > pairs[-1].line.number + 1 or is_first or len(pairs) >= MOST_PAIRS


def _put_pairs(section: OpenSection, out: Output, pairs: Sequence[_Pair]) -> None:
    """Names and values in turn speak of one thing, which the first of them names; all of them are its row."""
    has_good = any(_standing_of(one, has_good=False) == "good" for one in pairs)
    standings = [_standing_of(one, has_good=has_good) for one in pairs]
    shown = [one for one, standing in zip(pairs, standings, strict=True) if standing != "unknown" and _is_stated(one)]
    if not shown:
        for one in pairs:
            out.skip(one.line, "no reader for this output")
        return
    tool = section.command.program if section.command is not None else ""
    thing = "" if _is_stated(pairs[0]) else f" of {pairs[0].name.lower()} {pairs[0].value}"
    row = ", ".join(f"{one.name}: {one.value}" for one in pairs)[:ROW_KEPT]
    for one, standing in zip(pairs, standings, strict=True):
        if one in shown or (standing == "wrong" and _SETTING.search(one.name) is None):
            name = f"{tool} {one.name}" if tool and not thing and " " not in one.name else f"{one.name}{thing}"
            section.add(
                ListedState, one.line.number, source=tool, name=name, state=one.value, standing=standing, row=row
            )


def _is_stated(pair: _Pair) -> bool:
    """Whether a name is that of a state, or of a part whose state is its value."""
    return _STATED.search(pair.name) is not None or _is_part(pair)


def _is_part(pair: _Pair) -> bool:
    """Whether a name is that of a part of a system, and its value a word for a state."""
    return _IS_PART.match(f"{pair.name}: {pair.value}") is not None


def _standing_of(pair: _Pair, *, has_good: bool) -> ListedStanding:
    """What a value says, without the note behind it. A job that is done from time to time mostly rests; a part that is
    away is wrong where others beside it are well; ports and links nobody uses are not.
    """
    value = pair.value.rstrip("!. ")
    if _AT_REST.fullmatch(value) and _ACTIVITY.search(pair.name):
        return "good"
    word = _NOTE.split(value)[0]
    standing = max(standing_of_word(value), standing_of_word(word), key=_GRAVITY.index)
    if _OUT_OF_REACH.fullmatch(word) and _is_part(pair):
        if _UNUSED.search(pair.name):
            return "hint"
        return "wrong" if has_good else standing
    return standing


def standing_of_word(state: str) -> ListedStanding:
    """What a word for a state says, by one list of words; of several words the gravest. A remark in brackets behind it
    counts as one of them.
    """
    remarked = _REMARKED.fullmatch(state.strip())
    if remarked is not None and remarked["remark"] not in _OF_UNITS:
        word = standing_of_word(remarked["word"])
        if word != "unknown":
            return max(word, standing_of_word(remarked["remark"]), key=_GRAVITY.index)
    standings = {
        next((standing for standing, words in _WORDS if words.fullmatch(part.strip())), "unknown")
        for part in (state.strip(), *_PARTS.split(state)[:8])
    }
    return next((standing for standing, _ in _WORDS if standing in standings), "unknown")
