"""The title of a finding that alarms make: the thing and what is wrong with it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from apps.diagnosis.engine.core.alarms.collected import STATES, Alarm
from apps.diagnosis.engine.core.words.wording import listed
from parsers.messages.catalogue import OVER_LINK, Meaning
from parsers.messages.site_entries import ENDINGS

NAMED: Final = 3
TITLE_ROOM: Final = 110
"""Letters of a title for things and states, so that a verdict keeps to 140."""
LEAST_TEXT: Final = 12
MOST_TEXT: Final = 80
SORT_WORDS: Final = 2
"""Words that name the sort of an object, at most."""
SAY_LITTLE: Final = frozenset(("true", "false", "unknown", "yes", "no", "0", "1"))
"""States that tell only what the name of their thing asks: whatever else is shown says more."""
_DIGITS: Final = re.compile(r"\d+")
_NUMBER: Final = re.compile(
    r"(?<!\S)[A-Z]-\d{1,3}(?:-\d{1,6}){1,3}:?\s|^[\w.-]{1,80}: (?:ERROR|CRIT): "
    r"|^\[ID \d{1,9} \w{1,12}\.\w{1,10}\] (?:(?:WARNING|NOTICE|ERROR): )?"
)
"""The number of a message, as catalogues of products and the daemon of logs of Solaris give it; or the resource of
which an agent speaks, which is named already.
"""
_NAMED_AHEAD: Final = ("a", "an", "the", "its", "this", "all", "one")
_JOINTS: Final = ("of", "to", "on", "for", "by", "in", "from", "with", "over", "as", "named")
OF_SEVERAL: Final = {"is": "are", "was": "were", "has": "have", "does": "do"}
_SORT: Final = re.compile(
    r"\b([Nn]ode|[Ss]ystem|[Mm]ember|[Pp]eer|[Dd]isk|[Dd]rive|[Pp]ath|[Pp]ool|[Pp]lex|[Vv]olume|[Gg]roup|[Rr]esource|[Ss]ervice"
    r"|[Ss]erver|[Mm]ount|[Mm]ap|[Aa]rray|[Dd]evice|[Cc]ontroller|[Aa]dapter|[Tt]arget|[Ii]nterface|[Ll]ink|[Pp]ort"
    r"|[Pp]rogram|[Pp]rocess|[Tt]ask|[Uu]nit|[Nn]SD|[Pp]disk|[Vv]disk) \{about\}"
)
_OF_BARE_NODE: Final = re.compile(r"\b(?:[Ff]encing of|[Cc]onnection (?:to|with)) \{about\}")
_VERB: Final = re.compile(rf"\{{about\}} ((?:\w{{2,12}} and )?)({'|'.join(OF_SEVERAL)})\b")


def title_of(ref: str, meaning: Meaning, group: Sequence[Alarm]) -> tuple[str, str]:
    """The thing and what is wrong with it, in one clause; and what more the title tells, behind a colon."""
    if ref == STATES and not meaning.kind.endswith(tuple(ENDINGS.values())):
        return states_of(group), ""
    things = _each_once(_called(one.about, meaning) for one in group if one.about)
    links = _listed_links(things)
    about = links or listed(things, NAMED)
    clause = meaning.title if about else without_object(meaning.title)
    if len(things) > 1 and not links:
        clause = _SORT.sub(lambda sort: f"{_of_several(sort[1])} {{about}}", clause)
    if len(things) > 1 and not {"at", *_JOINTS} & set(clause.partition("{about}")[0].split()):
        clause = _VERB.sub(lambda verb: f"{{about}} {verb[1]}{OF_SEVERAL[verb[2]]}", clause)
    title, colon, more = clause.partition(": ")
    title, more = (part.replace("{about}", about) for part in (title, more))
    most = max((one.most for one in group if one.most is not None), default=None)
    if meaning.figure_words and most is not None:
        figure = meaning.figure_words.replace("{value}", f"{most:g}")
        title, more = (title, f"{more} {figure}") if more else (f"{title} {figure}", "")
    if meaning.by_level:
        return title, f": \u201c{message_of(group[0].text).rstrip(' .')}\u201d"
    is_name = not title.partition(" ")[0].islower()  # iSCSI: names are left as they are written
    return title if is_name else title[:1].upper() + title[1:], f"{colon}{more}"


def _each_once(things: Iterable[str]) -> tuple[str, ...]:
    """Names as they are first written: ``Port h`` is ``port h``."""
    kept: dict[str, str] = {}
    for one in things:
        kept.setdefault(one.lower() if " " in one else one, one)
    return tuple(kept.values())


def _called(about: str, meaning: Meaning) -> str:
    """What is called by a number alone is called a node where a node is meant."""
    return f"node {about}" if about.isdigit() and _OF_BARE_NODE.search(meaning.title) else about


def _of_several(sort: str) -> str:
    """``nodes`` of ``node``."""
    return f"{sort}es" if sort.endswith(("s", "x")) else f"{sort}s"


def _listed_links(things: Sequence[str]) -> str:
    """Several links to one node: ``2 over link 0 and 1``."""
    peers = {one.partition(OVER_LINK)[0] for one in things}
    links = [link for one in things if (link := one.partition(OVER_LINK)[2])]
    return (
        f"{peers.pop()}{OVER_LINK}{listed(links, NAMED)}" if 1 < len(links) == len(things) and len(peers) == 1 else ""
    )


def message_of(line: str) -> str:
    """What a line says behind the number of its message, at most so long as a title bears."""
    number = _NUMBER.search(line[:200])
    message = line[number.end() :] if number is not None and len(line) - number.end() >= LEAST_TEXT else line
    if len(message) <= MOST_TEXT:
        return message
    return f"{message[:MOST_TEXT].rpartition(' ')[0] or message[:MOST_TEXT]} \u2026"


def other_messages(group: Sequence[Alarm]) -> tuple[str, ...]:
    """What the lines say besides the one that the title tells; the same words with other numbers are one message."""
    messages = [message_of(text).rstrip(" .") for one in group for text in (one.text, *one.texts)]
    by_shape = {_DIGITS.sub("0", message): message for message in reversed(messages)}
    by_shape.pop(_DIGITS.sub("0", messages[0]), None)
    return tuple(reversed(by_shape.values()))


def states_of(group: Sequence[Alarm], room: int = TITLE_ROOM) -> str:
    """Things with their states: ``Disk a of g and disk b of g: failed``, ``Disk a: failed; disk b: online failing; 3
    more``; each with its nodes, where they stand on different ones.
    """
    apart = are_apart(group)
    by_state = defaultdict[tuple[str, tuple[str, ...]], dict[str, None]](dict)
    for (about, state), nodes in _nodes_of_states(group).items():
        by_state[state, nodes if apart else ()].update({about: None} if about else {})
    parts: list[str] = []
    for (state, nodes), things in sorted(by_state.items(), key=lambda found: found[0][0].lower() in SAY_LITTLE):
        part = f"{listed(list(things), NAMED)}: {state}" if things else state
        part = f"{part} on {listed(nodes, NAMED)}" if nodes else part
        if parts and len("; ".join([*parts, part])) > room:
            parts.append(f"{len(by_state) - len(parts)} more")
            break
        parts.append(part)
    states = "; ".join(parts)
    is_word = states.partition(" ")[0].isalpha()  # a name is left as it is written
    return states[:1].upper() + states[1:] if is_word else states


def are_apart(group: Sequence[Alarm]) -> bool:
    """Whether states stand on different nodes, so that each has to be named with its own."""
    found = {nodes for nodes in _nodes_of_states(group).values() if nodes}
    return len(found) > 1 and not any(one.on for one in group)


def _nodes_of_states(group: Sequence[Alarm]) -> Mapping[tuple[str | None, str], tuple[str, ...]]:
    """By thing and state: the nodes on which it stands so."""
    found = defaultdict[tuple[str | None, str], dict[str, None]](dict)
    for one in group:
        found[one.about, one.text].update({one.node: None} if one.node else {})
    return {key: tuple(nodes) for key, nodes in found.items()}


def without_object(title: str) -> str:
    """A title whose object is not known: ``Disk failed`` of ``Disk {about} failed``."""
    before, _, after = title.partition("{about}")
    words = before.rstrip(" :(,\u201c").split()
    is_aside = before.rstrip("\u201c").endswith("(")
    after = after.removeprefix("\u201d")
    after = after.removeprefix(")") if is_aside else after
    if words[-1:] == ["node"] and words[-2:-1] and words[-2] in _JOINTS:
        words.pop()
    of_object = bool(words) and words[-1] in _JOINTS  # what stands in front is no sort of it
    while words and words[-1] in _JOINTS:
        words.pop()
    sort = _with_article(words) if "{about}" in title and not (of_object or is_aside) else words
    return " ".join([*sort, *after.split()]).replace(" :", ":") or "Something"


def _with_article(words: Sequence[str]) -> list[str]:
    """Words that end with the sort of the object behind a joint: ``the log of file system`` has no name for it."""
    joint = next((place for place in reversed(range(len(words))) if words[place] in _JOINTS), None)
    if joint is None or not 1 <= len(words) - joint - 1 <= SORT_WORDS or words[joint + 1] in _NAMED_AHEAD:
        return list(words)
    article = "an" if words[joint + 1][0] in "aeiouAEIOU" else "a"
    return [*words[: joint + 1], article, *words[joint + 1 :]]
