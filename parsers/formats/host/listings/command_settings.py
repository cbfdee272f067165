"""Commands that print settings of a host and its parts, a name and its value a line, and nothing else of weight.

    Firmware Revision         : 6.10                 LINK_TYPE_P1                      IB(1)
    Firmware Revision = 2.98 Device type = iLO 5     tank/data  recordsize   1M    local

They differ in nothing but which of their names nodes of a cluster have alike, and which each node has for itself
(numbers of parts, addresses, counts): that stands in ``command_settings.toml``, a row for each command. Yields
``Setting`` of the former, with the part that the command or a title above names as scope, ``Version`` of a kernel,
and ``ListedState`` where a state is a bad one; all else is everyday. Few of them are known without the
command, or a path that holds it. Source: the manual pages of these commands, recalled.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from parsers.formats.host.listings.listing import standing_of_word
from parsers.formats.host.listings.node_answers import OF_NODE, SENT
from parsers.output import Output
from parsers.patterns.kept_start import toml
from parsers.records import Setting, Version
from parsers.records.states import ListedState
from parsers.registry import parser
from parsers.sections.reader import OpenSection
from parsers.text import Line

_PAIR: Final = re.compile(
    r"(?P<name>[A-Za-z0-9#*][^=:\n]{0,70}?)\s{0,60}(?P<sign>[:=])(?:\s{0,80}(?P<value>\S.{0,400}))?$"
)
_COLUMNS: Final = re.compile(r"(?P<name>[A-Za-z][\w./@:%()-]{0,80})\s{2,80}(?P<value>\S.{0,300})$")
_SEVERAL: Final = re.compile(r"(?P<name>[A-Z][a-z]{1,20}(?: [A-Za-z]{2,20}){0,3}) = (?P<value>\S{1,80}(?: \d{1,3}\b)?)")
_GAP: Final = re.compile(r"\s{2,80}")
_RULER: Final = re.compile(r"[-=+| ]{3,200}$")
_NOTHING: Final = frozenset(
    ("", "-", "--", "n/a", "none specified", "not specified", "not available", "unknown", "(null)", "not set", "unset")
)
_GROUP: Final = re.compile(r"\(\?P<\w{1,20}>")
_KEPT: Final = 120
_KERNEL: Final = "Kernel"
_STATE: Final = re.compile(r"(?:[\w.-]{1,30}[ _.])?(?:active|sub)?(?:state|status|health)", re.IGNORECASE)


class _Command(NamedTuple):
    """tool: as people call it; place: in the command or the path, with the part it is about as ``of``; keys: the names
    that count, in_titles: behind the title above them; title: a line that names a part; first: the value ends where
    another column begins; scoped: the first column is the part; several: a line holds several pairs; words: a sentence
    that tells name and value; names: what some are called, which are of the whole host;
    begins: a line that tells the command.
    """

    tool: str
    place: re.Pattern[str]
    keys: re.Pattern[str]
    title: re.Pattern[str] | None
    in_titles: bool
    first: bool
    scoped: bool
    several: bool
    words: re.Pattern[str] | None
    names: Mapping[str, str]
    begins: re.Pattern[str] | None


TABLE: Final = toml(Path(__file__).with_suffix(".toml"))
_ENDING: Final = re.compile(r"(?:\.(?:txt|out|log))?[\"']?$")


def _place(words: str) -> str:
    """The pattern for words of a command, which the name of a file parts otherwise."""
    return rf"(?<![A-Za-z0-9])(?:{words.replace(' ', '[ _-]{1,4}')})(?![A-Za-z0-9])"


@cache
def _commands() -> tuple[_Command, ...]:
    return tuple(
        _Command(
            row["tool"],
            re.compile(_place(row["place"])),
            re.compile(rf"(?:{row['keys']})$"),
            re.compile(rf"(?:{row['title']})$") if "title" in row else None,
            row.get("in_titles", False),
            row.get("first", False),
            row.get("scoped", False),
            row.get("several", False),
            re.compile(rf"{row['words']}$") if "words" in row else None,
            row.get("names", {}),
            re.compile(rf"{row['begins']}$") if "begins" in row else None,
        )
        for row in TABLE["command"]
    )


def _unnamed(patterns: Iterator[str]) -> str:
    return "|".join(f"(?:{_GROUP.sub('(?:', one)})" for one in patterns)


_PLACES: Final = _unnamed(_place(row["place"]) for row in TABLE["command"])
_BEGINS: Final = rf"(?:{_unnamed(row['begins'] for row in TABLE['command'] if 'begins' in row)})$"
_FRAMES: Final = re.compile(
    rf"(?:{_unnamed(row[key] for row in TABLE['command'] for key in ('title', 'frame', 'words') if key in row)})$"
)


def _owns(text: str, before: str) -> bool:
    body = text.strip()
    return bool(_PAIR.match(body) or _COLUMNS.match(body) or _FRAMES.match(body) or _RULER.match(body))


@parser(
    "command_settings",
    version=1,
    product="",
    claims=_BEGINS,
    owns=_owns,
    places=_PLACES,
    commands=tuple(TABLE["programs"]),
    priority=1,  # a line that another one claims wherever it stands is still one of the command
)
def command_settings(section: OpenSection, out: Output) -> None:
    """Those names of a command that count."""
    where = f"/{section.command.text if section.command is not None else section.path}"
    found = next(((one, match) for one in _commands() if (match := one.place.search(where)) is not None), None)
    state, of = section.state, _ENDING.sub("", (found[1].groupdict().get("of") or "") if found else "") or None
    for line in section:
        text = line.text.strip()
        command = found[0] if found is not None else state.setdefault("command", _begun_by(text))
        if command is None:
            out.skip(line, "no command whose settings are known")
            continue
        if command.title is not None and (title := command.title.match(text)) is not None:
            state["part"] = " ".join((title.groupdict().get("of") or title[0]).split()).rstrip(":")
            out.frame()
            continue
        before = out.rows
        _put(section, line, command, state.get("part") or of, where)
        if out.rows == before:
            out.everyday()


def _begun_by(text: str) -> _Command | None:
    """The command that is known by a line of its own."""
    return next((one for one in _commands() if one.begins is not None and one.begins.match(text)), None)


def _parted(section: OpenSection, where: str, text: str) -> tuple[str | None, str]:
    """The node that a remote shell prints in front of a line, and what stands behind it."""
    match = OF_NODE.match(text) if SENT.match(where) is not None else None
    if match is None or not any(map(str.isdigit, match["node"])):
        return section.node, text
    return match["node"], text[match.end() :].strip()


def _put(section: OpenSection, line: Line, command: _Command, part: str | None, where: str) -> None:
    node, text = _parted(section, where, line.text.strip())
    for own, name, value in _pairs(text, command):
        if _STATE.fullmatch(name) is not None and standing_of_word(value) == "wrong":
            about = own or part or command.tool
            section.add(
                ListedState,
                line.number,
                node=node,
                source=command.tool,
                name=about,
                state=value,
                standing="wrong",
                row=text[:_KEPT],
            )
        key = f"{part}/{name}" if command.in_titles else name
        if command.keys.match(key) is None or value.lower() in _NOTHING:
            continue
        if name == _KERNEL:
            section.add(Version, line.number, node=node, product="kernel", version=value.removeprefix("Linux ")[:_KEPT])
            continue
        scope = None if name in command.names else own or part
        shown = command.names.get(name, name.lstrip("#"))
        section.add(Setting, line.number, node=node, scope=scope, source=command.tool, name=shown, value=value[:_KEPT])


def _pairs(text: str, command: _Command) -> Iterator[tuple[str | None, str, str]]:
    """A part that the line names itself, a name and its value."""
    if command.words is not None and (sentence := command.words.match(text)) is not None:
        yield None, sentence["name"], sentence["value"]
        return
    if command.several:
        for found in _SEVERAL.finditer(text):
            yield None, found["name"], found["value"]
        return
    match = _PAIR.match(text)
    if match is None or command.scoped or command.first:
        match = _COLUMNS.match(text) or match
    if match is None or not match["value"]:
        return
    name, value, own = match["name"].strip(), match["value"].strip(), None
    cells = _GAP.split(value)
    if command.scoped:
        own, name, cells = name, cells[0], cells[1:]
    if command.first or command.scoped:
        value = cells[0] if cells else ""
    yield own, name, value.strip("\"'")
