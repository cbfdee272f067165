"""Lines by which a script of a site tells what it prints below.

    ===== mmdiag --waiters =====        + mmlsconfig                    Output of 'vxfsstat -s /srv/scans':
    ##### carp1: gabconfig -a #####     [ lltstat -nvv ]                Command: mmlsfs all
    --- mmdf orsa1 (Tue Mar  9 14:20:03 CET 2027) ---                   ### `mmhealth node show`
    ===== /etc/llthosts =====           Every 2.0s: mmgetstate -aL      carp1: Tue Mar  9 14:20:03 2027
    Running on carp1: mmlsconfig        Executing 'mmlsfs all' on carp1

They tell a command, and some a node and a moment. A caption counts only where its first word is a program that people
run on such nodes.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from parsers.headings.node_banners import looks_like_host
from parsers.times.clock import Instant, find_instant

LONGEST: Final = 400
_MARKS: Final = "=#*~-+<>"
_MAY_BEGIN: Final = frozenset("=#*~-+[<`{")
_WORDS_BEGIN: Final = frozenset(
    (
        "Com",
        "com",
        "COM",
        "CMD",
        "Cmd",
        "cmd",
        "Run",
        "run",
        "RUN",
        "Exe",
        "exe",
        "EXE",
        "Out",
        "out",
        "OUT",
        "Res",
        "res",
        "RES",
        "Eve",
        "All",
        "Tou",
        "Cad",
        "Ogn",
        "HOS",
        "Hos",
        "hos",
        "NOD",
        "Nod",
        "nod",
    )
)
_LEADS: Final = re.compile(
    r"(?:(?:Command|CMD|Cmd|Running|Executing|Execute|Run)(?: the)?(?: command)?(?: line)?[ \t]*"
    r"(?:[:=][ \t]*|on (?:node )?(?P<there>[A-Za-z][\w.-]{1,126}):[ \t]+)"
    r"|(?:Running|Executing|Run)(?: the)?(?: command)?[ \t]+"
    r"(?=['\"`][^'\"`]{1,300}['\"`](?:[ \t]+on (?:node )?\S{1,127})?$)"
    r"|(?P<of>(?:Output|Result)s? (?:of|from)(?: the)?(?: command)?[ \t]*:?[ \t]*))(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_RULED: Final = re.compile(
    # an option is no caption
    r"(?:(?P<mark>[=#*~])(?P=mark)[=#*~-]{0,78}(?![=#*~-])[ \t]*|-{2,80}(?:[ \t]{1,8}|(?=\[)))"
    r"(?P<rest>[^\s=#*~>-].*)$"
)
_OF_BLOCK: Final = re.compile(
    r"\{(?:code|noformat|panel):(?:[^{}]{0,100}\|)?title=(?P<rest>[^{}|]{2,300})(?:\|[^{}]{0,200})?\}$"
)
"""The title of a block of a tracker."""
_TRACED: Final = re.compile(r"\+{1,4} (?P<rest>\S.*)$")
_WATCHED: Final = re.compile(
    r"[^\W\d][^\d:]{2,24} \d{1,5}(?:[.,]\d{1,3})? ?s(?:ec)?: (?P<rest>\S.*?)"
    r"(?:\s{1,300}(?P<node>[A-Za-z0-9][\w.-]{0,126}): (?P<date>\S.{8,60}))?$"
)
"""The first line of ``watch``, in whatever language."""
_BOXED: Final = re.compile(r"(?:\[{1,2} ?|<{2,3} ?|`)(?P<rest>[A-Za-z/].*?) ?(?:\]{1,2}|>{2,3}|`):?$")
_QUOTED: Final = re.compile(r"(?P<quote>['\"`])(?P<inner>[^'\"`]+)(?P=quote)[ \t]*:?[ \t]*(?P<after>.*)$")
_NODE: Final = re.compile(
    r"(?:(?:node|host|server)[ \t]+)?(?P<name>[A-Za-z][\w.-]{1,126}?)(?:[ \t]*:|[ \t]+[-|/]|)[ \t]+(?P<rest>\S.*)$",
    re.IGNORECASE,
)
_ON: Final = re.compile(
    r"(?<![ \t,;|])[ \t,;|]+"
    r"(?:(?:(?:on|from|@)[ \t]+(?:node[ \t]+|host[ \t]+)?|(?i:node|host|server)[ \t]{0,4}[:=][ \t]{0,4})"
    r"(?P<on>[A-Za-z][\w.-]{1,126})"
    r"|\((?:on[ \t]+)?(?:node[ \t]+|host[ \t]+)?(?P<boxed>[A-Za-z][\w.-]{1,126})\))$"
)
_LABELLED: Final = re.compile(r"(?P<name>[A-Za-z][\w.-]{1,126}):[ \t]{1,4}(?P<rest>[\w/].*)$")
_PARTED: Final = re.compile(r"^([A-Za-z][\w.-]{1,126})[ \t]{1,3}:[ \t]{1,4}")
_BOTH: Final = re.compile(
    r"(?:host(?:name)?|node|server|system)[ \t]{0,4}[:=][ \t]{0,4}(?P<name>[A-Za-z0-9][\w.-]{0,126}\w)[ \t,;|/]{1,40}"
    r"(?:cmd|command|running|run|output of)[ \t]{0,4}[:=]?[ \t]{0,4}(?P<rest>\S.*)$",
    re.IGNORECASE,
)
"""Node and command, each behind its own word."""
_IN_FRONT: Final = re.compile(r"\[(?P<name>[A-Za-z][\w.-]{1,126})\] {1,4}(?P<rest>[\w/].*)$")
"""A node in brackets in front of the command."""
_BETWEEN: Final = re.compile(r"(?P<name>[A-Za-z][\w.-]{1,126})[ \t]+[=#*~-]{2,20}[ \t]+(?P<rest>[\w/].*)$")
_NO_NODES: Final = frozenset(
    """
    action actual after again agent all and answer any assunto asunto attached attachment aw bcc before betreff both
    case cc check cluster cmd command commands comment comments console customer date dear description details
    each engine error every example exec execute expected file first following from function fw fwd gesendet hello
    here hi hint host id incident info information input issue later localhost log logs master mine monitor name next
    nodes note now objet oggetto onderwerp output primary problem prompt question quote re regards remark remarks reply
    report result results root run running screenshot second secondary sent server servers site standby step steps
    subject sudo summary symptom symptoms syntax terminal test thanks that the then these they this those ticket
    debug done fail failed fatal ok skipped success trace
    time tip title topic try type update usage use user version warning we wg
    """.split()
)
"""Words beside a command that say something else than where it ran."""
_SYSTEM_FILE: Final = re.compile(r"/(?:etc|proc|sys|var|run)/\S{1,300}$")
_READERS: Final = frozenset(("cat", "grep", "head", "more", "tail", "zcat"))
_AWAY: Final = frozenset(
    (
        "clush", "docker", "dsh", "kubectl", "lxc", "mmdsh", "multipass", "oc", "pdsh", "podman", "psh", "pssh", "ssh",
        "sudo", "vagrant", "xdsh",
    )
)  # fmt: skip
_OTHERS: Final = _READERS | _AWAY
_TRACED_TOO: Final = frozenset(
    """
    chmod chown cp cd date dd echo exit export gzip hostname kill ln logger lvchange lvcreate lvextend lvremove mkdir
    mkfs mount mv printf rm rmdir rsync set sleep sync tar test touch umount uname uptime vgchange wait xargs zip
    """.split()
)
"""What else a shell prints behind a plus sign when it traces a script."""
_AROUND_DATES: Final = " \t()[]|,;@"
_WORDS: Final = frozenset(
    (
        "cat", "date", "df", "for", "free", "head", "id", "if", "ip", "last", "less", "more", "mount", "route", "sort",
        "tail", "time",
        "top", "uptime", "w", "watch",
    )
)  # fmt: skip
"""Programs whose names are words of English too: as captions of a text they count with an option or a path only."""
_GO_ON: Final = frozenset(
    (
        "and", "are", "at", "by", "can", "could", "did", "died", "does", "exited", "failed", "from", "had", "has",
        "hung", "in", "is", "not", "of", "on", "or", "was", "were", "will", "with",
    )
)  # fmt: skip
"""A sentence about a program goes on so, a command never does."""


class Caption(NamedTuple):
    """The command as it was typed, and the node and the moment where the caption tells them."""

    command: str
    node: str | None = None
    instant: Instant | None = None


_CLOSED: Final = "<<"
"""Marks behind a caption whose marks in front were taken for those of a quotation: ``>>>> gabconfig -a <<<<``."""
_FIGURES_OF: Final = re.compile(r"(?i) statistics$")
"""What a tool prints above its figures is none of the captions of people: ``--- carp2 ping statistics ---``."""


def may_be_caption(text: str) -> bool:
    """Whether a text that is not empty is worth a look: this is asked of every line."""
    return text[0] in _MAY_BEGIN or text[:3] in _WORDS_BEGIN or _CLOSED in text[-8:]


def match_caption(text: str, programs: frozenset[str]) -> Caption | None:
    """The caption that a line is. ``programs``: base names of those that are known."""
    if len(text) > LONGEST or text.startswith("==> "):
        return None
    if (traced := _TRACED.match(text)) and traced["rest"].split()[0] in _TRACED_TOO:
        return Caption(traced["rest"].rstrip())
    if (watched := _WATCHED.match(text)) and is_command(watched["rest"], programs):
        found = find_instant(watched["date"]) if watched["date"] else None
        return Caption(watched["rest"], watched["node"], found[0] if found else None)
    inner = _inner(text.rstrip())
    if inner is None or _FIGURES_OF.search(inner) is not None:
        return None
    instant = None
    if ":" in inner and (found := find_instant(inner)) is not None:
        instant, start, end = found
        inner = f"{inner[:start].rstrip(_AROUND_DATES)} {inner[end:].lstrip(_AROUND_DATES)}".strip()
    command, node = _command(inner, programs)
    if not command and instant is not None:
        command, node = _beside_date(inner, programs)
    return Caption(command, node, instant) if command else None


def _beside_date(text: str, programs: frozenset[str]) -> tuple[str, str | None]:
    """A command and its node, of which any name with a number is one where a date stands beside it."""
    match = _NODE.match(text)
    if match is None or not match["name"][-1].isdigit() or not _may_be_node(match["name"], programs):
        return "", None
    return (match["rest"], match["name"]) if is_command(match["rest"], programs) else ("", None)


def is_command(text: str, programs: frozenset[str]) -> bool:
    """Whether a text begins with a program that is known; names that are words of English too count with an option or a
    path.
    """
    first, _, rest = text.partition(" ")
    program = first.rsplit("/", 1)[-1]
    if program not in programs and program not in _OTHERS:
        return False
    words = [first, *rest.split(None, 12)]
    if program in _AWAY:
        there = [word.strip("'\"") for word in words[1:]]
        names = {word.rsplit("/", 1)[-1] for word in there[:9]}
        return bool(names & programs) or bool(names & _READERS and any(map(_SYSTEM_FILE.match, there)))
    if program in _READERS and any(_SYSTEM_FILE.match(word) for word in words[1:]):
        return True
    if program not in programs:
        return False
    return words[0] not in _WORDS or any(word[0] == "-" or "/" in word for word in words[1:])


def on_node(text: str, programs: frozenset[str]) -> tuple[str, str | None]:
    """A command, and the node that people name behind it: ``mmdiag --waiters on ems3``."""
    match = _ON.search(text)
    name = (match["on"] or match["boxed"]) if match else ""
    return (text[: match.start()], name) if match and _may_be_node(name, programs) else (text, None)


def labelled_command(text: str, programs: frozenset[str]) -> tuple[str, str] | None:
    """The command and the node of ``carp: gabconfig -a``: whatever word stands before a command that people run on such
    nodes.
    """
    match = _LABELLED.match(text)
    if match is None or not _may_be_node(match["name"], programs) or not is_command(match["rest"], programs):
        return None
    words = match["rest"].split()
    if (
        words[0][-1] == ":"
        or (words[1:2] and words[1] in _GO_ON)
        or (words[0] in _WORDS | _OTHERS and len(words) > 1 and words[1][0] not in "-/")
    ):
        return None
    return match["rest"], match["name"]


def _may_be_node(name: str, programs: frozenset[str]) -> bool:
    """No rule on how it is spelt: any word that is known for nothing else."""
    return name.lower() not in _NO_NODES and name.rsplit("/", 1)[-1] not in programs


def _inner(text: str) -> str | None:
    """What stands between the marks or behind the words."""
    if match := _TRACED.match(text) or _OF_BLOCK.match(text):
        return match["rest"].strip()
    if match := _RULED.match(text) or _boxed(text):
        rest = match["rest"].rstrip(" \t:").rstrip(_MARKS).rstrip(" \t:")
        if rest[:1] == "[" and rest[-1:] == "]":
            rest = rest[1:-1].strip(" \t:")
        rest = _PARTED.sub(r"\1: ", rest)
        lead = _LEADS.match(rest)
        return _unquoted(lead["rest"] if lead else rest)
    if text.endswith(_CLOSED) or (text.startswith(_CLOSED) and text.endswith(">>")):
        return _PARTED.sub(r"\1: ", text.strip("<>").strip(" \t:"))
    if _BOTH.match(text) is not None:
        return text
    if match := _IN_FRONT.match(text):
        return f"{match['name']}: {match['rest']}"
    if (match := _LEADS.match(text)) is None:
        return None
    if match["there"]:
        return f"{match['there']}: {_unquoted(match['rest'])}"
    rest = match["rest"]
    if match["of"] and rest[0] not in "'\"`" and not rest.endswith(":"):
        return None  # a sentence
    return _unquoted(rest.rstrip(" \t:"))


def _boxed(text: str) -> re.Match[str] | None:
    """A word alone in brackets is the heading of a list of settings."""
    match = _BOXED.match(text)
    return match if match and (text[0] != "[" or " " in match["rest"]) else None


def _unquoted(text: str) -> str:
    match = _QUOTED.match(text)
    return f"{match['inner']} {match['after']}".strip() if match else text


def _command(text: str, programs: frozenset[str]) -> tuple[str, str | None]:
    """The command and its node; empty where the text is none."""
    if _SYSTEM_FILE.match(text):
        return f"cat {text}", None
    if text in programs or is_command(text, programs):
        return on_node(text, programs)
    if (match := _BOTH.match(text)) and is_command(rest := _unquoted(match["rest"]), programs):
        return rest, match["name"]
    if (
        (match := _BETWEEN.match(text))
        and _may_be_node(match["name"], programs)
        and is_command(match["rest"], programs)
    ):
        return match["rest"], match["name"]
    if (labelled := labelled_command(text, programs)) is not None:
        return labelled
    match = _NODE.match(text)
    if match and looks_like_host(match["name"]) and is_command(match["rest"], programs):
        return match["rest"], match["name"]
    return "", None
